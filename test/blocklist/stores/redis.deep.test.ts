import { afterAll, beforeAll, describe, test } from 'vitest';
import type { Store } from '../../../src/blocklist/store.js';
import { redisStore } from '../../../src/blocklist/stores/redis-store.js';
import { storeContract } from '../../../src/blocklist/stores/store-contract.js';
import { type RedisServer, startRedis } from '../../support/redis-server.js';
import { type Connection, clients } from './redis-clients.js';

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.end());

describe.each(Object.entries(clients))('the Redis store over %s', (kind, connect) => {
  const connections: Connection[] = [];
  const names = new WeakMap<Store, string>();
  afterAll(() => {
    for (const { end } of connections) end();
  });

  let stores = 0;
  const over = (name: string): Store => {
    const connection = connect(server.socket);
    connections.push(connection);
    const store = redisStore({ client: connection.client, name, leaseMs: 500, watchPollMs: 200 });
    names.set(store, name);
    return store;
  };
  storeContract({
    test,
    make: () => over(`${kind}/${++stores}`),
    again: (store) => over(names.get(store)!),
    isAtomic: true,
    lock: 'everybody',
    watch: 'everybody',
  });
});
