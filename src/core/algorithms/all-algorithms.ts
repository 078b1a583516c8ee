import { families } from '../assets/all-families.js';
import type { Algorithm } from './algorithm.js';
import { type Assets, createAssets } from './create-assets.js';
import { createRegistry } from './registry.js';
import { safeBrowsing4 } from './safe-browsing-4.js';

/** Every algorithm by its name, over every asset family. */
export const allAlgorithms: ReadonlyMap<string, Algorithm> = /* @__PURE__ */ createRegistry(families, [safeBrowsing4]);

/** The functions of `/assets`, over the same. */
const all: Assets = createAssets({ families, algorithms: [safeBrowsing4] });

/** The algorithms a list may announce and be understood. */
export const ALGORITHM_NAMES: readonly string[] = all.algorithmNames;

/** All that a text can be read as, the narrowest first; nothing for what no list can hold, and for secrets. */
export const detectAssets: Assets['detectAssets'] = all.detectAssets;
/** The reading of a text that fits the hint, the first one without a hint, or why there is none. */
export const normalizeAsset: Assets['normalizeAsset'] = all.normalizeAsset;
/** Host, path and query of a link in their one spelling, or `null` for what is no link. */
export const canonicalizeUrl: Assets['canonicalizeUrl'] = all.canonicalizeUrl;
/** What a list may hold for an input, most specific first. Of an asset, the first is what a publisher lists. */
export const expressionsOf: Assets['expressionsOf'] = all.expressionsOf;
