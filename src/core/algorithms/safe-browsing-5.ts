import type { Algorithm } from './algorithm.js';
import { safeBrowsing } from './safe-browsing-4.js';

/**
 * The public Safe Browsing v5 rules, which combine six paths with the exact host and up to four suffixes that begin with the registrable
 * domain. Without a list of public suffixes it is unknown which four, so every suffix of two to seven labels is looked up: these are among
 * them under any public suffix of up to three labels, and no list holds a public suffix.
 */
export const safeBrowsing5: Algorithm = /* @__PURE__ */ safeBrowsing('safe-browsing-5', 7);
