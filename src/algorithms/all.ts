import { families } from '../assets/families.js';
import type { Algorithm } from './algorithm.js';
import { type Assets, createAssets } from './assets.js';
import { createRegistry } from './registry.js';
import { safeBrowsing4 } from './safe-browsing-4.js';

/** Every algorithm by its name, over every asset family. */
export const allAlgorithms: ReadonlyMap<string, Algorithm> = /* @__PURE__ */ createRegistry(families, [safeBrowsing4]);

/** The functions of `/assets`, over the same. */
const all: Assets = createAssets({ families, algorithms: [safeBrowsing4] });

/** The algorithms a list may announce and be understood. */
export const ALGORITHM_NAMES: readonly string[] = all.algorithmNames;

export const detectAssets: Assets['detectAssets'] = all.detectAssets;
export const normalizeAsset: Assets['normalizeAsset'] = all.normalizeAsset;
export const canonicalizeUrl: Assets['canonicalizeUrl'] = all.canonicalizeUrl;
export const expressionsOf: Assets['expressionsOf'] = all.expressionsOf;
