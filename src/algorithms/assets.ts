import type { Asset, AssetHint, Family, Refusal } from '../assets/asset.js';
import { assetsOf, normalize, readText } from '../assets/read.js';
import { requireString } from '../errors.js';
import { algorithmIn, createRegistry } from './registry.js';

export interface AlgorithmOptions {
  /** A name of `ALGORITHM_NAMES`. @default 'portcullis-1' */
  readonly algorithm?: string | undefined;
}

/** What a text is and what a list would hold for it. Every function takes any string and never throws for its content. */
export interface Assets {
  /**
   * Every reading of one candidate string, most specific first; none for what cannot be listed or must not be looked at.
   *
   * @example detectAssets('https://linktr.ee/example') // a PAGE, then the URL of its host
   */
  detectAssets(text: string): readonly Asset[];
  /** The reading that fits the hint, the first one without a hint, or why there is none. */
  normalizeAsset(text: string, hint?: AssetHint): Asset | Refusal;
  /** Host, path and query of a link in their one spelling, or `null` for what is no link. */
  canonicalizeUrl(text: string, options?: AlgorithmOptions): string | null;
  /** What a list may hold for this input, most specific first. Of an asset, the first is what a publisher lists. */
  expressionsOf(input: string | Asset, options?: AlgorithmOptions): string[];
}

/** The functions over chosen families. Links are always read; `/core` hands in the rest one by one. */
export function createAssets({ families }: { readonly families: readonly Family[] }): Assets {
  const registry = createRegistry(families);
  return {
    detectAssets(text) {
      requireString(text, 'text');
      return assetsOf(readText(text, {}, families));
    },
    normalizeAsset(text, hint = {}) {
      requireString(text, 'text');
      return normalize(text, hint, families);
    },
    canonicalizeUrl(text, options) {
      requireString(text, 'text');
      return algorithmIn(registry, options?.algorithm).canonicalizeUrl(text);
    },
    expressionsOf(input, options) {
      requireInput(input);
      return algorithmIn(registry, options?.algorithm).expressionsOf(input);
    },
  };
}

function requireInput(input: unknown): void {
  if (typeof input === 'string') return;
  const asset = input as Partial<Asset> | null;
  if (typeof asset !== 'object' || asset === null) throw new TypeError(`input must be a string or an asset, not ${typeof input}`);
  requireString(asset.type, 'input.type');
  requireString(asset.canonical, 'input.canonical');
}
