/**
 * From texts to assets and to the expressions that a list holds.
 *
 * @packageDocumentation
 */
export {
  ALGORITHM_NAMES,
  canonicalizeUrl,
  detectAssets,
  expressionsOf,
  normalizeAsset,
} from '../core/algorithms/all-algorithms.js';
export type { AlgorithmOptions, Assets } from '../core/algorithms/create-assets.js';
export type { Asset, AssetHint, Refusal, RefusalReason } from '../core/assets/asset.js';
export { ASSET_TYPES, type AssetType } from '../core/assets/asset-types.js';
export { type ErrorCode, isPortcullisError, PortcullisError } from '../core/errors.js';
export type { Certainty } from '../core/find/certainty.js';
export type { FindAssets, FindOptions, FoundAsset } from '../core/find/find.js';
export { findAssets } from '../core/find/find-all.js';
export { prefixOf } from '../core/hashing/prefix.js';
export { hashOf } from '../core/hashing/sha256.js';
