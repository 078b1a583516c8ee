import { detectAssets } from '../algorithms/all-algorithms.js';
import { createFinder, type FindAssets } from './find.js';
import { isTopLevelDomain } from './top-level-domains.js';

/** The finder of `/assets`, for every asset family. */
export const findAssets: FindAssets = /* @__PURE__ */ createFinder({ detectAssets }, { isTopLevelDomain });
