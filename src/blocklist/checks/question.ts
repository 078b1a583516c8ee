import type { Algorithm } from '../../core/algorithms/algorithm.js';
import type { Assets } from '../../core/algorithms/create-assets.js';
import type { Asset } from '../../core/assets/asset.js';
import type { AssetType } from '../../core/assets/asset-types.js';
import { requireString } from '../../core/errors.js';
import type { VerdictReason, VerdictStatus } from '../verdict.js';

/** What is checked: a text, or a text and what it is meant as. */
export type CheckInput = string | CheckedAsset;

/** A text, and what it is meant as. */
export interface CheckedAsset {
  readonly content: string;
  /** Without it the text says what it is. */
  readonly type?: AssetType | undefined;
  /** The chain an address is meant for, such as `eip155:1`. */
  readonly chain?: string | undefined;
}

/** An input that is read once, whatever looks at it. */
export interface Question {
  readonly content: string;
  /** The reading a hint chose; `null` without a hint, and for links, which are looked up with all they say. */
  readonly asset: Asset | null;
  /** Why there is nothing to look up. */
  readonly refused: Refused | null;
}

export interface Refused {
  readonly status: VerdictStatus;
  readonly reason: VerdictReason;
}

/** @throws TypeError for what is neither a text nor an asset */
export function questionOf(input: CheckInput, assets: Assets): Question {
  if (typeof input === 'string') return { content: input, asset: null, refused: null };
  if (typeof input !== 'object' || input === null)
    throw new TypeError(`input must be a string or an object, not ${typeof input}`);
  const { content, type, chain } = input;
  requireString(content, 'input.content');
  if (type !== undefined && !/^[A-Z][A-Z0-9_]*$/.test(type)) throw new TypeError('input.type must be one of ASSET_TYPES');
  // A link is looked up with its page, its host and the hosts above, whichever of them it is said to be.
  if (
    (type === undefined && chain === undefined) ||
    ((type === 'URL' || type === 'PAGE') && assets.canonicalizeUrl(content) !== null)
  ) {
    if (chain !== undefined) requireString(chain, 'input.chain');
    return { content, asset: null, refused: null };
  }
  const asset = assets.normalizeAsset(content, { type, chain });
  return 'refused' in asset ? { content, asset: null, refused: refusedAs[asset.refused] } : { content, asset, refused: null };
}

export function expressionsFor({ content, asset, refused }: Question, algorithm: Algorithm): readonly string[] {
  return refused === null ? algorithm.expressionsOf(asset ?? content) : [];
}

/** What a verdict calls the input. */
export function assetFor({ content, asset }: Question, assets: Assets): Asset | undefined {
  return asset ?? assets.detectAssets(content)[0];
}

/** Why nothing was found to look up. */
export function refusalFor({ content, refused }: Question, assets: Assets): Refused {
  if (refused !== null) return refused;
  const reading = assets.normalizeAsset(content);
  return refusedAs['refused' in reading ? reading.refused : 'unknown'];
}

const refusedAs = {
  'internal-scheme': { status: 'not-listable', reason: 'internal-scheme' },
  'not-a-host': { status: 'not-listable', reason: 'not-a-host' },
  secret: { status: 'not-listable', reason: 'secret' },
  'too-deep': { status: 'unknown', reason: 'unreadable' },
  unknown: { status: 'unknown', reason: 'unreadable' },
} as const satisfies Record<string, Refused>;
