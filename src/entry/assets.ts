import { type Assets, createAssets } from '../algorithms/assets.js';
import { safeBrowsing4 } from '../algorithms/safe-browsing-4.js';
import { evm } from '../assets/evm.js';

export type { AlgorithmOptions, Assets } from '../algorithms/assets.js';
export type { Asset, AssetHint, Refusal, RefusalReason } from '../assets/asset.js';
export { ASSET_TYPES, type AssetType } from '../assets/types.js';
export { type ErrorCode, isPortcullisError, PortcullisError } from '../errors.js';
export { prefixOf } from '../hashing/prefix.js';
export { hashOf } from '../hashing/sha256.js';

const all: Assets = createAssets({ families: [evm], algorithms: [safeBrowsing4] });

/** The algorithms a list may announce and be understood. */
export const ALGORITHM_NAMES: readonly string[] = all.algorithmNames;

export const detectAssets: Assets['detectAssets'] = all.detectAssets;
export const normalizeAsset: Assets['normalizeAsset'] = all.normalizeAsset;
export const canonicalizeUrl: Assets['canonicalizeUrl'] = all.canonicalizeUrl;
export const expressionsOf: Assets['expressionsOf'] = all.expressionsOf;
