import { refuse } from '../../core/errors.js';
import { type Filled, having, type KindsOf, optional, readOptions, whole } from '../../core/options/read-options.js';
import { recordVersion } from '../formats/record.js';
import type { Store } from '../model/store.js';
import { chunkedStore, headNameIn } from './chunked-store.js';
import { headWatch } from './head-watch.js';
import { channelOf, commandsOf, type RedisClientLike } from './redis-client.js';
import { leaseOf, maxLeaseMs } from './redis-lease.js';
import { sharedLock } from './shared-lock.js';
import { storeName } from './store-arguments.js';

/** Options of `redisStore`. Times are in milliseconds. */
export interface RedisStoreOptions {
  /** A connected client of ioredis, iovalkey or node-redis. The store closes only the connection that it adds for notices. */
  readonly client: RedisClientLike;
  /** Begins the names of the keys. Fleets with different names are separate; lists of one fleet need sources with different ids. @default 'portcullis' */
  readonly name?: string | undefined;
  /** Longest wait for one command. After one that took longer, the next ones fail at once for five seconds. @default 2_000 */
  readonly timeoutMs?: number | undefined;
  /**
   * A process that holds the lock and gives no sign of life for this time counts as dead. More than 10,000 has no use: a round waits ten
   * seconds for the lock, then runs without it. @default 5_000
   */
  readonly leaseMs?: number | undefined;
  /** Time between two checks for commits of other processes, in case their notice is lost; varied by a fifth. @default 30_000 */
  readonly watchPollMs?: number | undefined;
}

/** Incremented by a release that changes the layout of the rows. */
const layout = 1;

/** Below a megabyte in UTF-8, so that Redis serves other clients between two chunks. */
const maxChunkLength: number = 512 * 1024;

/** The rows of all values are fields of one hash, whose other users' names begin differently. */
const root = 'list';

/**
 * Sets a row if it still is the expected one, and tells the other processes. The row of heads has their sequences. The channel is no key:
 * a client with a prefix for keys subscribes without it.
 */
const compareAndSetScript = `if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
redis.call('PUBLISH', ARGV[4], '')
return 1`;

/** The rows of heads, as digests: their sequence alone may come again after a fail-over. */
const marksScript = `local marks = {}
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.sub(field, 1, #ARGV[1]) == ARGV[1] then
    marks[#marks + 1] = field
    marks[#marks + 1] = redis.sha1hex(redis.call('HGET', KEYS[1], field))
  end
end
return marks`;

/**
 * Keeps lists in Redis or Valkey, for the processes of a fleet: one fetches a list, the others load it and hear of changes. Memory
 * answers every check, so a server that is gone, slow, emptied or full costs nothing but an event.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function redisStore(options: RedisStoreOptions): Store {
  const { client, name, timeoutMs, leaseMs, watchPollMs } = readOptions('redisStore', redisKinds(), options);
  // The braces keep the keys of one store on one node of a cluster. Releases that store something else do not see each other's rows.
  const keyOf = (what: string): string => `{${name}}:${what}:${layout}.${recordVersion}`;
  const [rows, news] = [keyOf('rows'), keyOf('news')];
  const command = commandsOf(client, timeoutMs);
  const channel = channelOf(client, news, () => void watch.look());
  const ignore = (): void => {};
  const watch = headWatch(
    async () => {
      channel.open();
      const marks = (await command('EVAL', marksScript, '1', rows, `${root}:h:`)) as string[];
      const found = new Map<string, string>();
      for (let at = 0; at < marks.length; at += 2) found.set(headNameIn(marks[at]!, root)!, marks[at + 1]!);
      return found;
    },
    watchPollMs,
    (head) => listeners.notify(head),
  );

  const { store, life, listeners } = chunkedStore(
    {
      get: async (key) => (await command('HGET', rows, key)) as string | null,
      set: async (key, text) => void (await command('HSET', rows, key, text)),
      remove: async (keys) => void (await command('HDEL', rows, ...keys)),
      keys: async () => (await command('HKEYS', rows)) as string[],
      compareAndSet: async (key, expected, text) =>
        // Clients may return numbers as text.
        Number(await command('EVAL', compareAndSetScript, '1', rows, key, expected ?? '', text, news)) === 1,
      async now() {
        const [seconds, micros] = ((await command('TIME')) as string[]).map(Number);
        return seconds! * 1_000 + Math.floor(micros! / 1_000);
      },
      // Without a listener, some clients end the process when the connection fails. A server that is gone may come back, so the store
      // opens without it; each call reports the failure.
      open: async () => void client.on('error', ignore),
      close: async () => void client.off('error', ignore),
      watch(isWatched) {
        if (isWatched) watch.start();
        else {
          watch.stop();
          channel.close();
        }
      },
    },
    root,
    maxChunkLength,
  );
  return { ...store, lock: sharedLock(leaseOf(command, keyOf('lease'), leaseMs), life) };
}

export const redisKinds = (): KindsOf<Filled<RedisStoreOptions>> => ({
  client(value, path) {
    const { call, sendCommand, nodeClient } = Object(value) as Record<string, unknown>;
    // Its sendCommand wants the key first, and its duplicates cannot be subscribed like a client.
    if (typeof nodeClient === 'function') refuse(`${path} must not be createCluster of node-redis; use Cluster of ioredis`);
    const client = having<RedisClientLike>('a connected client of ioredis, iovalkey or node-redis', 'duplicate', 'on');
    return client(typeof (call ?? sendCommand) === 'function' ? value : undefined, path);
  },
  name: optional(storeName, 'portcullis'),
  timeoutMs: optional(whole(50, 60_000), 2_000),
  leaseMs: optional(whole(500, maxLeaseMs), 5_000),
  watchPollMs: optional(whole(100, 3_600_000), 30_000),
});
