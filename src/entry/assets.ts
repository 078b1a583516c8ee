import { type Assets, createAssets } from '../algorithms/assets.js';
import { evm } from '../assets/evm.js';

export type { AlgorithmOptions, Assets } from '../algorithms/assets.js';
export { ALGORITHM_NAMES } from '../algorithms/registry.js';
export type { Asset, AssetHint, Refusal, RefusalReason } from '../assets/asset.js';
export { ASSET_TYPES, type AssetType } from '../assets/types.js';
export { type ErrorCode, isPortcullisError, PortcullisError } from '../errors.js';
export { prefixOf } from '../hashing/prefix.js';
export { hashOf } from '../hashing/sha256.js';

const all: Assets = createAssets({ families: [evm] });

export const detectAssets: Assets['detectAssets'] = all.detectAssets;
export const normalizeAsset: Assets['normalizeAsset'] = all.normalizeAsset;
export const canonicalizeUrl: Assets['canonicalizeUrl'] = all.canonicalizeUrl;
export const expressionsOf: Assets['expressionsOf'] = all.expressionsOf;
