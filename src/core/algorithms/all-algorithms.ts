import { allFamilies } from '../assets/all-families.js';
import type { Algorithm } from './algorithm.js';
import { type Assets, createAssets } from './create-assets.js';
import { createRegistry } from './registry.js';
import { safeBrowsing4 } from './safe-browsing-4.js';
import { safeBrowsing5 } from './safe-browsing-5.js';

/** Every algorithm by its name, with every asset family. */
export const allAlgorithms: ReadonlyMap<string, Algorithm> = /* @__PURE__ */ createRegistry(allFamilies, [
  safeBrowsing4,
  safeBrowsing5,
]);

/** The functions of `/assets`, with every algorithm and family. */
export const allAssets: Assets = /* @__PURE__ */ createAssets({
  families: allFamilies,
  algorithms: [safeBrowsing4, safeBrowsing5],
});

/** The built-in algorithms, by the names that lists announce. */
export const ALGORITHM_NAMES: readonly string[] = allAssets.algorithmNames;

/** Every reading of a text, most specific first; none for a secret and for a text that no list can hold. */
export const detectAssets: Assets['detectAssets'] = allAssets.detectAssets;
/** The first reading of a text that matches the hint, or the reason there is none. */
export const normalizeAsset: Assets['normalizeAsset'] = allAssets.normalizeAsset;
/** The canonical host, path and query of a link, or `null` if the text is not a link. */
export const canonicalizeUrl: Assets['canonicalizeUrl'] = allAssets.canonicalizeUrl;
/** The expressions that a list may hold for an input, most specific first. For an asset, a publisher lists the first. */
export const expressionsOf: Assets['expressionsOf'] = allAssets.expressionsOf;
