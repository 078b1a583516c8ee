import { allAlgorithms, allAssets } from '../../core/algorithms/all-algorithms.js';
import { allFamilies } from '../../core/assets/all-families.js';
import { createSureMiss } from '../../core/sure-miss/sure-miss.js';
import type { Parts } from '../model/blocklist-options.js';

/** What a blocklist of every asset type and every algorithm is built from. */
export const allParts: Parts = {
  assets: allAssets,
  algorithms: allAlgorithms,
  isSureMiss: /* @__PURE__ */ createSureMiss(allFamilies),
};
