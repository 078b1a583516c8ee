import { allFamilies } from '../assets/all-families.js';
import type { Algorithm } from './algorithm.js';
import { type Assets, canonicalUrlIn, createAssets } from './create-assets.js';
import { createRegistry, namesIn } from './registry.js';
import { safeBrowsing4 } from './safe-browsing-4.js';
import { safeBrowsing5 } from './safe-browsing-5.js';

const others = [safeBrowsing4, safeBrowsing5];

/** Every algorithm by its name, with every asset family. */
export const allAlgorithms: ReadonlyMap<string, Algorithm> = /* @__PURE__ */ createRegistry(allFamilies, others);

/** The functions of `/assets`, with every algorithm and family. */
export const allAssets: Assets = /* @__PURE__ */ createAssets({ families: allFamilies, algorithms: others });

/** The canonical form of a link depends on no family, so `canonicalizeUrl` alone needs none of their tables. */
const linkAlgorithms: ReadonlyMap<string, Algorithm> = /* @__PURE__ */ createRegistry([], others);

// Functions rather than members of `allAssets`: a bundler keeps a member that nothing uses, with everything behind it.

/** The built-in algorithms, by the names that lists announce. */
export const ALGORITHM_NAMES: readonly string[] = /* @__PURE__ */ namesIn(linkAlgorithms);
/** Every reading of a text, most specific first; none for a secret and for a text that no list can hold. */
export const detectAssets: Assets['detectAssets'] = (text) => allAssets.detectAssets(text);
/** The first reading of a text that matches the hint, or the reason there is none. */
export const normalizeAsset: Assets['normalizeAsset'] = (text, hint) => allAssets.normalizeAsset(text, hint);
/** The canonical host, path and query of a link, or `null` if the text is not a link. */
export const canonicalizeUrl: Assets['canonicalizeUrl'] = (text, options) => canonicalUrlIn(linkAlgorithms, text, options);
/** The expressions that a list may hold for an input, most specific first. For an asset, a publisher lists the first. */
export const expressionsOf: Assets['expressionsOf'] = (input, options) => allAssets.expressionsOf(input, options);
