import type { Asset, AssetHint, Family, Refusal } from '../assets/asset.js';
import { assetsOf, normalize, readText } from '../assets/read-text.js';
import { PortcullisError, requireString } from '../errors.js';
import type { Algorithm } from './algorithm.js';
import { algorithmIn, createRegistry } from './registry.js';

/** Which algorithm's rules a text is spelled by. */
export interface AlgorithmOptions {
  /** How the list spells what it hashes: one of `ALGORITHM_NAMES`. @default 'portcullis-1' */
  readonly algorithm?: string | undefined;
}

/** From texts to assets and expressions. No function throws for what a text says. */
export interface Assets {
  /**
   * All that the text can be read as, the narrowest first; nothing for what no list can hold, and for secrets.
   *
   * @example detectAssets('https://linktr.ee/x').map(({ type, canonical }) => type + ' ' + canonical) // ['PAGE linktr.ee/x', 'URL linktr.ee']
   */
  detectAssets(text: string): readonly Asset[];
  /**
   * The reading that fits the hint, the first one without a hint, or why there is none.
   *
   * @example normalizeAsset('https://Evil.example./a', { type: 'URL' }) // { type: 'URL', canonical: 'evil.example' }
   */
  normalizeAsset(text: string, hint?: AssetHint): Asset | Refusal;
  /**
   * Host, path and query of a link in their one spelling, or `null` for what is no link.
   *
   * @example canonicalizeUrl('HTTPS://user@Evil.example:443/a/../%62/?c#d') // 'evil.example/b?c'
   */
  canonicalizeUrl(text: string, options?: AlgorithmOptions): string | null;
  /**
   * What a list may hold for this input, most specific first. Of an asset, the first is what a publisher lists.
   *
   * @example expressionsOf('https://login.evil.example/a') // ['login.evil.example/a', 'login.evil.example', 'evil.example']
   */
  expressionsOf(input: string | Asset, options?: AlgorithmOptions): string[];
  /** The names `algorithm` may have. */
  readonly algorithmNames: readonly string[];
}

/** What `createAssets` puts together. */
export interface AssetsOptions {
  /** What is read beside links. */
  readonly families: readonly Family[];
  /** What is spoken beside `portcullis-1`. @default none */
  readonly algorithms?: readonly Algorithm[] | undefined;
}

/** The functions over chosen families and algorithms; a bundle holds what is handed in and nothing else. */
export function createAssets({ families, algorithms = [] }: AssetsOptions): Assets {
  const registry = createRegistry(families, algorithms);
  return {
    detectAssets(text) {
      requireString(text, 'text');
      return assetsOf(readText(text, {}, families));
    },
    normalizeAsset(text, hint = {}) {
      requireString(text, 'text');
      if (hint.type !== undefined) requireString(hint.type, 'hint.type');
      if (hint.chain !== undefined) requireString(hint.chain, 'hint.chain');
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
    algorithmNames: [...registry.keys()],
  };
}

function requireInput(input: unknown): void {
  if (typeof input === 'string') return;
  const asset = input as Partial<Asset> | null;
  if (typeof asset !== 'object' || asset === null) throw new TypeError(`input must be a string or an asset, not ${typeof input}`);
  requireString(asset.type, 'input.type');
  if (!/^[A-Z][A-Z0-9_]*$/.test(asset.type)) throw new PortcullisError('INVALID_INPUT', 'input.type must be one of ASSET_TYPES');
  requireString(asset.canonical, 'input.canonical');
}
