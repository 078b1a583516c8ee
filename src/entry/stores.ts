/**
 * Stores that need no platform: in memory, over rows of text, and in Redis or Valkey through the client that you pass in.
 *
 * @packageDocumentation
 */

export type { Store, StoreHead } from '../blocklist/model/store.js';
export { type KeyValueAdapter, type KeyValueStoreOptions, keyValueStore } from '../blocklist/stores/key-value-store.js';
export { memoryStore } from '../blocklist/stores/memory-store.js';
export type { IoRedisLike, NodeRedisLike, RedisClientLike } from '../blocklist/stores/redis-client.js';
export { type RedisStoreOptions, redisStore } from '../blocklist/stores/redis-store.js';
export { type ErrorCode, isPortcullisError, PortcullisError } from '../core/errors.js';
