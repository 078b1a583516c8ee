import type { Redis } from 'ioredis';

/**
 * Writes, acknowledges and removes in one step, so that exactly one of the workers that had the message writes. `XADD` comes first: if it
 * fails, the script ends there, and the message stays pending. No other group reads the stream, so it holds only what is left to do.
 */
const finish = `
if #redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[2], ARGV[2], 1) == 0 then return 0 end
redis.call('XADD', KEYS[2], '*', unpack(ARGV, 3))
redis.call('XACK', KEYS[1], ARGV[1], ARGV[2])
redis.call('XDEL', KEYS[1], ARGV[2])
return 1`;

export interface PendingMessage {
  readonly stream: string;
  readonly group: string;
  readonly id: string;
}

/** Does nothing if another worker has finished the message. */
export async function finishMessage(
  redis: Redis,
  { stream, group, id }: PendingMessage,
  target: string,
  fields: Readonly<Record<string, string | number>>,
): Promise<void> {
  await redis.eval(finish, 2, stream, target, group, id, ...Object.entries(fields).flat());
}

/** `XAUTOCLAIM` of Redis 6.2 returns removed messages too, and older servers have none. Valkey names the Redis that it is compatible with. */
export function requireRedis7(info: string): void {
  const version = /^redis_version:(.+?)\r?$/m.exec(info)?.[1] ?? 'unknown';
  if (!(Number.parseInt(version, 10) >= 7))
    throw new Error(`the example needs Redis 7 or Valkey; this server is Redis ${version}`);
}
