/**
 * From texts to assets and to the expressions that a list holds.
 *
 * @packageDocumentation
 */
export { ALGORITHM_NAMES, canonicalizeUrl, detectAssets, expressionsOf, normalizeAsset } from '../algorithms/all.js';
export type { AlgorithmOptions, Assets } from '../algorithms/assets.js';
export type { Asset, AssetHint, Refusal, RefusalReason } from '../assets/asset.js';
export { ASSET_TYPES, type AssetType } from '../assets/types.js';
export { type ErrorCode, isPortcullisError, PortcullisError } from '../errors.js';
export { findAssets } from '../find/all.js';
export type { FindAssets, FindOptions, FoundAsset } from '../find/find.js';
export { prefixOf } from '../hashing/prefix.js';
export { hashOf } from '../hashing/sha256.js';
