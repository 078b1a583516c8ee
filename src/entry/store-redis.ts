/**
 * A store in Redis or Valkey, for the processes of a fleet.
 *
 * @packageDocumentation
 */

export type { Store, StoreHead } from '../blocklist/store.js';
export type { IoRedisLike, NodeRedisLike, RedisClientLike } from '../blocklist/stores/redis-client.js';
export { type RedisStoreOptions, redisStore } from '../blocklist/stores/redis-store.js';
export { type ErrorCode, isPortcullisError, PortcullisError } from '../core/errors.js';
