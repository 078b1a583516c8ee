/**
 * From texts to assets and to the expressions that a list holds; sets of their prefixes and hashes, and the files they come in.
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
export { type Abortable, type ErrorCode, isPortcullisError, PortcullisError } from '../core/errors.js';
export type { Certainty } from '../core/find/certainty.js';
export type { FindAssets, FindOptions, FoundAsset } from '../core/find/find.js';
export { findAssets } from '../core/find/find-all.js';
export { prefixOf } from '../core/hashing/prefix.js';
export { hashOf } from '../core/hashing/sha256.js';
export {
  type ArtifactEncoding,
  type ArtifactExpectation,
  decodeArtifact,
  type EncodeOptions,
  encodeArtifact,
} from '../core/prefixes/artifact.js';
export { HashSet } from '../core/prefixes/hash-set.js';
export { PrefixSet, type WorkOptions } from '../core/prefixes/prefix-set.js';
