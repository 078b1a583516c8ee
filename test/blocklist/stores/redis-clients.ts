import { once } from 'node:events';
import { Redis as IoRedis } from 'ioredis';
import { Redis as IoValkey } from 'iovalkey';
import { createClient, RESP_TYPES } from 'redis';
import type { RedisClientLike } from '../../../src/blocklist/stores/redis-client.js';

export interface Connection {
  readonly client: RedisClientLike;
  /** Resolves when commands can be sent. By default clients queue them. */
  readonly isReady?: Promise<unknown>;
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

function ioredisWith(options: Readonly<Record<string, unknown>>) {
  return (path: string): Connection => {
    const client = new IoRedis({ path, retryStrategy: () => 50, ...options });
    const isReady = options['lazyConnect'] === true ? Promise.resolve() : once(client, 'ready');
    return { client, isReady, end: () => client.disconnect() };
  };
}

function nodeRedisWith(type: number, as: unknown) {
  return (path: string): Connection => {
    const commandOptions = { typeMapping: { [type]: as } };
    const client = createClient({ socket: { path }, commandOptions } as never);
    client.on('error', () => {});
    return { client: client as unknown as RedisClientLike, isReady: client.connect(), end: () => client.destroy() };
  };
}

/** Options of clients that change what is sent or returned. */
export const clientsWithOptions = {
  'ioredis with stringNumbers': ioredisWith({ stringNumbers: true }),
  'ioredis with keyPrefix': ioredisWith({ keyPrefix: 'app:' }),
  'ioredis without its offline queue': ioredisWith({ enableOfflineQueue: false }),
  'ioredis with lazyConnect': ioredisWith({ lazyConnect: true }),
  'node-redis with buffers': nodeRedisWith(RESP_TYPES.BLOB_STRING, Buffer),
  'node-redis with numbers as text': nodeRedisWith(RESP_TYPES.NUMBER, String),
} as const satisfies Record<string, (path: string) => Connection>;
