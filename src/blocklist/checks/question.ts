import type { Algorithm } from '../../core/algorithms/algorithm.js';
import type { Assets } from '../../core/algorithms/create-assets.js';
import type { Asset } from '../../core/assets/asset.js';
import type { AssetType } from '../../core/assets/asset-types.js';
import { requireString } from '../../core/errors.js';
import type { VerdictReason, VerdictStatus } from '../verdict.js';

/** An input to check: a text, or a text with hints. */
export type CheckInput = string | CheckedAsset;

/** A text with hints about what it is. */
export interface CheckedAsset {
  readonly content: string;
  /** @default detected from the text */
  readonly type?: AssetType | undefined;
  /** The chain of an address, such as `eip155:1`. */
  readonly chain?: string | undefined;
}

/** A validated input. */
export interface Question {
  readonly content: string;
  /** The reading selected by a hint; `null` without a hint, and for links, which are looked up with every reading. */
  readonly asset: Asset | null;
  /** The reason if there is nothing to look up. */
  readonly refused: Refused | null;
  /**
   * The expressions of a hit, kept for the second pass. Those of a miss are not kept, because a batch would hold those of all its inputs.
   */
  kept: ReadonlyMap<Algorithm, readonly string[]> | null;
}

export interface Refused {
  readonly status: VerdictStatus;
  readonly reason: VerdictReason;
}

/** @throws TypeError for an input that is neither a text nor an asset */
export function questionOf(input: CheckInput, assets: Assets): Question {
  if (typeof input === 'string') return { content: input, asset: null, refused: null, kept: null };
  if (typeof input !== 'object' || input === null)
    throw new TypeError(`input must be a string or an object, not ${typeof input}`);
  const { content, type, chain } = input;
  requireString(content, 'input.content');
  if (type !== undefined && !/^[A-Z][A-Z0-9_]*$/.test(type)) throw new TypeError('input.type must be one of ASSET_TYPES');
  // A link is looked up with its page, its host and the parent domains, whichever of them the hint names.
  if (
    (type === undefined && chain === undefined) ||
    ((type === 'URL' || type === 'PAGE') && assets.canonicalizeUrl(content) !== null)
  ) {
    if (chain !== undefined) requireString(chain, 'input.chain');
    return { content, asset: null, refused: null, kept: null };
  }
  const asset = assets.normalizeAsset(content, { type, chain });
  const isRefused = 'refused' in asset;
  return { content, asset: isRefused ? null : asset, refused: isRefused ? refusedAs[asset.refused] : null, kept: null };
}

export function expressionsFor({ content, asset, refused, kept }: Question, algorithm: Algorithm): readonly string[] {
  if (refused !== null) return [];
  return kept?.get(algorithm) ?? algorithm.expressionsOf(asset ?? content);
}

export function keepExpressions(question: Question, algorithm: Algorithm, expressions: readonly string[]): void {
  question.kept = new Map([...(question.kept ?? []), [algorithm, expressions]]);
}

/** The asset a verdict names. */
export function assetFor({ content, asset }: Question, assets: Assets): Asset | undefined {
  return asset ?? assets.detectAssets(content)[0];
}

/** Why the input has no expressions. */
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
