import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { NodeRedisLike } from '../../../src/blocklist/stores/redis-client.js';
import { type RedisStoreOptions, redisStore } from '../../../src/blocklist/stores/redis-store.js';

/** A client whose answers a test chooses. */
function clientOf(answer: (command: readonly string[]) => Promise<unknown>): NodeRedisLike & { readonly sent: string[][] } {
  const sent: string[][] = [];
  return {
    sent,
    async sendCommand(command) {
      sent.push(command);
      return answer(command);
    },
    duplicate: () => clientOf(answer),
    on() {},
    off() {},
  };
}

const silent = (): Promise<never> => new Promise(() => {});

test.each([undefined, {}, { client: {} }, { client: { call() {} } }])('rejects %j with advice', (options) => {
  expect(() => redisStore(options as RedisStoreOptions)).toThrow(
    'redisStore: client must be a connected client of ioredis, iovalkey or node-redis',
  );
});

test('rejects a cluster of node-redis, whose commands and subscriptions differ', () => {
  const client = { ...clientOf(silent), async nodeClient() {} };
  expect(() => redisStore({ client })).toThrow(
    'redisStore: client must not be createCluster of node-redis; use Cluster of ioredis',
  );
});

test('says that a client of node-redis is not connected', async () => {
  const store = redisStore({ client: Object.assign(clientOf(silent), { isOpen: false }) });
  await store.open();
  await expect(store.read('value')).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: 'the client of Redis is not connected; call its connect() and await it',
  });
  await store.close();
});

test.each([
  [{ timeoutMs: 49 }, 'timeoutMs must be a whole number from 50 to 60000'],
  [{ timeoutMs: 60_001 }, 'timeoutMs must be a whole number from 50 to 60000'],
  [{ leaseMs: 499 }, 'leaseMs must be a whole number from 500 to 60000'],
  [{ watchPollMs: 99 }, 'watchPollMs must be a whole number from 100 to 3600000'],
  [{ name: 'My App' }, 'redisStore: name must be 1 to 160 characters'],
])('rejects the options %j', (options, message) => {
  const make = (): unknown => redisStore({ client: clientOf(silent), ...options });
  expect(make).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(message) }));
});

test('accepts both ends of each range', () => {
  redisStore({ client: clientOf(silent), timeoutMs: 50, leaseMs: 500, watchPollMs: 100 });
  redisStore({ client: clientOf(silent), timeoutMs: 60_000, leaseMs: 60_000, watchPollMs: 3_600_000 });
});

test('opens without a server, and waits for a silent one only once in five seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    let isSilent = true;
    const client = clientOf(() => (isSilent ? silent() : Promise.resolve(null)));
    const store = redisStore({ client, timeoutMs: 100 });
    await store.open();
    const first = expect(store.read('value')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: 'Redis did not answer within 100 ms',
    });
    await vi.advanceTimersByTimeAsync(100);
    await first;
    isSilent = false;
    await expect(store.read('value')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(client.sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await store.read('value')).toBeNull();
    await store.close();
  } finally {
    vi.useRealTimers();
  }
});

test('asks again at once when a late answer shows that the server is back', async () => {
  let answer = (_: unknown): void => {};
  let isFirst = true;
  const client = clientOf(() => {
    if (!isFirst) return Promise.resolve(null);
    isFirst = false;
    return new Promise((resolve) => {
      answer = resolve;
    });
  });
  const store = redisStore({ client, timeoutMs: 50 });
  await store.open();
  await expect(store.read('value')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  answer(null);
  await sleep(1);
  expect(await store.read('value')).toBeNull();
  await store.close();
});

test.each([
  ["OOM command not allowed when used memory > 'maxmemory'.", 'STORE_FULL'],
  ['READONLY You can not write against a read only replica.', 'STORE_UNAVAILABLE'],
  ['MISCONF Redis is configured to save RDB snapshots', 'STORE_UNAVAILABLE'],
])('reports %j as %s, without the command that failed', async (message, code) => {
  const failure = Object.assign(new Error(message), { command: { name: 'hset', args: ['secret row'] } });
  const client = clientOf(([name]) => (name === 'HGET' ? Promise.resolve(null) : Promise.reject(failure)));
  const store = redisStore({ client });
  await store.open();
  const error: unknown = await store.write('value', Uint8Array.of(1)).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code, cause: { message } });
  expect((error as Error).cause).not.toHaveProperty('command');
  await store.close();
});

test('a lock that Redis cannot give lets the work run', async () => {
  const client = clientOf(() => Promise.reject(new Error('connect ECONNREFUSED')));
  const store = redisStore({ client });
  await store.open();
  expect(await store.lock!(async () => 'ran')).toBe('ran');
  await store.close();
});
