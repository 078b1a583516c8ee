import type { Digest } from '../../core/hashing/prefix.js';
import type { Store } from '../model/store.js';

/**
 * SHA-256 of the platform, of stores that run only where there is one. It takes less time than the 32-bit checksum of a record, so a set
 * is verified by the hash that its head names.
 */
export const nativeDigests: WeakMap<Store, () => Digest> = /* @__PURE__ */ new WeakMap();
