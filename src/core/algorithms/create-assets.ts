import type { Asset, AssetHint, Family, Refusal } from '../assets/asset.js';
import { type AssetType, typeName } from '../assets/asset-types.js';
import { assetsOf, normalize, readText } from '../assets/read-text.js';
import { PortcullisError, requireString } from '../errors.js';
import { type Kind, type KindsOf, optional, readOptions, text } from '../options/read-options.js';
import { type Algorithm, expressionsOf } from './algorithm.js';
import { algorithmIn, createRegistry, namesIn, partKinds } from './registry.js';

/** Selects the algorithm. */
export interface AlgorithmOptions {
  /** The algorithm of the list: one of `ALGORITHM_NAMES`. @default 'portcullis-1' */
  readonly algorithm?: string | undefined;
}

/** Converts texts to assets and expressions. No function throws because of the content of a text. */
export interface Assets {
  /**
   * Every reading of the text, most specific first; none for a secret and for a text that no list can hold.
   *
   * @example detectAssets('https://linktr.ee/x').map(({ type, canonical }) => type + ' ' + canonical) // ['PAGE linktr.ee/x', 'URL linktr.ee']
   */
  detectAssets(text: string): readonly Asset[];
  /**
   * The first reading that matches the hint, or the reason there is none.
   *
   * @example normalizeAsset('https://Evil.example./a', { type: 'URL' }) // { type: 'URL', canonical: 'evil.example' }
   */
  normalizeAsset(text: string, hint?: AssetHint): Asset | Refusal;
  /**
   * The canonical host, path and query of a link, or `null` if the text is not a link.
   *
   * @example canonicalizeUrl('HTTPS://user@Evil.example:443/a/../%62/?c#d') // 'evil.example/b?c'
   */
  canonicalizeUrl(text: string, options?: AlgorithmOptions): string | null;
  /**
   * The expressions that a list may hold for this input, most specific first. For an asset, a publisher lists the first.
   *
   * @example expressionsOf('https://login.evil.example/a') // ['login.evil.example/a', 'login.evil.example', 'evil.example']
   */
  expressionsOf(input: string | Asset, options?: AlgorithmOptions): string[];
  /** The names that `algorithm` accepts. */
  readonly algorithmNames: readonly string[];
}

/** Options of `createAssets`. */
export interface AssetsOptions {
  /** The families to read besides links. */
  readonly families: readonly Family[];
  /** Algorithms to support besides `portcullis-1`. @default none */
  readonly algorithms?: readonly Algorithm[] | undefined;
}

/** The functions for chosen families and algorithms; a bundle contains only those. */
export function createAssets(options: AssetsOptions): Assets {
  const { families, algorithms } = readOptions('createAssets', partKinds(), options);
  const registry = createRegistry(families, algorithms);
  return {
    detectAssets(text) {
      requireString(text, 'text');
      return assetsOf(readText(text, {}, families));
    },
    normalizeAsset(text, hint) {
      requireString(text, 'text');
      return normalize(text, hint === undefined ? {} : readOptions('normalizeAsset', hintKinds, hint), families);
    },
    canonicalizeUrl: (text, options) => canonicalUrlIn(registry, text, options),
    expressionsOf(input, options) {
      requireInput(input);
      return expressionsOf(algorithmFor('expressionsOf', registry, options), input);
    },
    algorithmNames: namesIn(registry),
  };
}

export function canonicalUrlIn(
  registry: ReadonlyMap<string, Algorithm>,
  text: string,
  options: AlgorithmOptions | undefined,
): string | null {
  requireString(text, 'text');
  return algorithmFor('canonicalizeUrl', registry, options).canonicalizeUrl(text);
}

function algorithmFor(
  caller: string,
  registry: ReadonlyMap<string, Algorithm>,
  options: AlgorithmOptions | undefined,
): Algorithm {
  const name = options === undefined ? undefined : readOptions(caller, algorithmKinds, options).algorithm;
  return algorithmIn(registry, name);
}

export const algorithmKinds: KindsOf<AlgorithmOptions> = { algorithm: /* @__PURE__ */ optional(/* @__PURE__ */ text()) };

export const hintKinds: KindsOf<AssetHint> = {
  type: /* @__PURE__ */ optional(/* @__PURE__ */ text() as Kind<AssetType>),
  chain: /* @__PURE__ */ optional(/* @__PURE__ */ text()),
};

function requireInput(input: unknown): void {
  if (typeof input === 'string') return;
  const asset = input as Partial<Asset> | null;
  if (typeof asset !== 'object' || asset === null) throw new TypeError(`input must be a string or an asset, not ${typeof input}`);
  requireString(asset.type, 'input.type');
  if (!typeName.test(asset.type)) throw new PortcullisError('INVALID_INPUT', 'input.type must be one of ASSET_TYPES');
  requireString(asset.canonical, 'input.canonical');
}
