import { detectAssets } from '../algorithms/all-algorithms.js';
import { createFinder, type FindAssets } from './find.js';

/** The finder of `/assets`, for every asset family. */
export const findAssets: FindAssets = /* @__PURE__ */ createFinder({ detectAssets });
