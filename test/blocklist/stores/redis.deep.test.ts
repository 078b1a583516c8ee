import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Store } from '../../../src/blocklist/model/store.js';
import { redisStore } from '../../../src/blocklist/stores/redis-store.js';
import { storeContract } from '../../../src/blocklist/stores/store-contract.js';
import { type RedisServer, startRedis } from '../../support/redis-server.js';
import { type Connection, clients, clientsWithOptions } from './redis-clients.js';

/** Without its poll, a store hears of commits only by notices. */
test.each(Object.entries({ ...clients, ...clientsWithOptions }))('notices arrive over %s', async (kind, connect) => {
  const name = `notices/${kind.toLowerCase().replace(/\W+/g, '-')}`;
  const [own, other] = [connect(server.socket), connect(server.socket)] as Connection[];
  await Promise.all([own!.isReady, other!.isReady]);
  const [hears, writes] = [own!, other!].map(({ client }) => redisStore({ client, name, watchPollMs: 3_600_000 }));
  await hears!.open();
  await writes!.open();
  const heard: string[] = [];
  hears!.watch!((head) => heard.push(head));
  await vi.waitFor(async () => expect((await subscribers(name)) > 0).toBe(true), 5_000);
  await sleep(50);
  expect(await writes!.commit('own/head', Uint8Array.of(1), 0)).toBe(true);
  await vi.waitFor(() => expect(heard).toContain('own/head'), 5_000);
  await Promise.all([hears!.close(), writes!.close()]);
  own!.end();
  other!.end();
});

async function subscribers(name: string): Promise<number> {
  return ((await server.run('PUBSUB', 'CHANNELS', `{${name}}:*`)) as string[]).length;
}

test.each([
  ['without an expiry', ['SET', 'foreign']],
  ['of another type', ['SADD', 'foreign']],
])('a lease %s ends', async (_, [command, value]) => {
  const connection = clients.ioredis(server.socket);
  const name = `lease/${command!.toLowerCase()}`;
  await server.run(command!, `{${name}}:lease:1.1`, value!);
  const store = redisStore({ client: connection.client, name, leaseMs: 500 });
  await store.open();
  const startMs = performance.now();
  await store.lock!(async () => {});
  expect(performance.now() - startMs).toBeLessThan(5_000);
  await store.close();
  connection.end();
});

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.end());

const all: Record<string, (path: string) => Connection> = { ...clients, ...clientsWithOptions };

describe.each(Object.entries(all))('the Redis store over %s', (kind, connect) => {
  const connections: Connection[] = [];
  const names = new WeakMap<Store, string>();
  afterAll(() => {
    for (const { end } of connections) end();
  });

  let stores = 0;
  const over = (name: string): Store => {
    const connection = connect(server.socket);
    connections.push(connection);
    const made = redisStore({ client: connection.client, name, leaseMs: 500, watchPollMs: 200 });
    const store: Store = {
      ...made,
      async open() {
        await connection.isReady;
        await made.open();
      },
    };
    names.set(store, name);
    return store;
  };
  storeContract({
    test,
    make: () => over(`${kind.toLowerCase().replace(/\W+/g, '-')}/${++stores}`),
    again: (store) => over(names.get(store)!),
    isAtomic: true,
    lock: 'everybody',
    watch: 'everybody',
  });
});
