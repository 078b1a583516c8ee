import { Redis as IoRedis } from 'ioredis';
import { Redis as IoValkey } from 'iovalkey';
import { createClient } from 'redis';
import type { RedisClientLike } from '../../../src/blocklist/stores/redis-client.js';

export interface Connection {
  readonly client: RedisClientLike;
  end(): void;
}

/** The clients that the store promises to work with. */
export const clients = {
  ioredis(path: string) {
    const client = new IoRedis(path, { retryStrategy: () => 50 });
    return { client, end: () => client.disconnect() };
  },
  iovalkey(path: string) {
    const client = new IoValkey(path, { retryStrategy: () => 50 });
    return { client, end: () => client.disconnect() };
  },
  'node-redis'(path: string) {
    const client = createClient({ socket: { path, reconnectStrategy: 50 } });
    client.on('error', () => {});
    void client.connect().catch(() => {});
    return { client, end: () => client.destroy() };
  },
} as const satisfies Record<string, (path: string) => Connection>;
