import { type Algorithm, expressionsOf, type Subject } from '../../core/algorithms/algorithm.js';
import { type Reader, readPasted } from '../../core/algorithms/pasted-input.js';
import type { Asset, RefusalReason } from '../../core/assets/asset.js';
import { type AssetType, typeName } from '../../core/assets/asset-types.js';
import { cleanText } from '../../core/assets/clean.js';
import { requireString } from '../../core/errors.js';
import type { VerdictReason, VerdictStatus } from './verdict.js';

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
  /** What else the input says, each judged alone: for a pasted text, see `PastedInput`. */
  readonly also: readonly (string | Asset)[];
  /** The reading selected by a hint; `null` without a hint, and for links, which are looked up with every reading. */
  readonly asset: Asset | null;
  /** The reason if there is nothing to look up. */
  readonly refused: Refused | null;
  /**
   * The subjects of a hit, kept for the second pass. Subjects of a miss are not kept, because a batch would hold those of all its inputs.
   */
  kept: ReadonlyMap<Algorithm, readonly Subject[]> | null;
}

export interface Refused {
  readonly status: VerdictStatus;
  readonly reason: VerdictReason;
}

/** @throws TypeError for an input that is neither a text nor an asset */
export function questionOf(input: CheckInput, { assets }: { readonly assets: Reader }, isPasted = true): Question {
  if (typeof input === 'string') return textQuestion(input, assets, isPasted);
  if (typeof input !== 'object' || input === null)
    throw new TypeError(`input must be a string or an object, not ${typeof input}`);
  const { content, type, chain } = input;
  requireString(content, 'input.content');
  const isType = typeof type === 'string' && typeName.test(type);
  if (type !== undefined && !isType) throw new TypeError('input.type must be one of ASSET_TYPES');
  const isWeb = type === 'URL' || type === 'PAGE';
  if (chain !== undefined) requireString(chain, 'input.chain');
  if (isWeb || (type === undefined && chain === undefined)) {
    const question = textQuestion(content, assets, isPasted);
    // A link is looked up with its page, its host and the parent domains, even if the hint names only one of them.
    if (!isWeb || assets.canonicalizeUrl(question.content) !== null) return question;
  }
  const hint = { type, chain };
  let asset = assets.normalizeAsset(content, hint);
  let also = nothing;
  // The punctuation around a name can belong to it.
  const pasted = isPasted && 'refused' in asset ? readPasted(content, assets, hint) : null;
  if (pasted) {
    asset = assets.normalizeAsset(pasted.content, hint);
    also = pasted.also.map((text) => {
      const other = assets.normalizeAsset(text, hint);
      return 'refused' in other ? '' : other;
    });
  }
  const read = 'refused' in asset ? { asset: null, refused: refusedFor(content, asset.refused) } : { asset, refused: null };
  return { content: pasted?.content ?? content, also, ...read, kept: null };
}

const nothing: readonly (string | Asset)[] = [];

/** A text without a hint. */
export function textQuestion(text: string, assets: Reader, isPasted: boolean): Question {
  const pasted = isPasted ? readPasted(text, assets) : null;
  if (pasted === null) return { content: text, also: nothing, asset: null, refused: null, kept: null };
  return { ...pasted, asset: null, refused: null, kept: null };
}

/** Everything that the input names, each to be judged alone. */
export function subjectsFor({ content, also, asset, refused, kept }: Question, algorithm: Algorithm): readonly Subject[] {
  if (refused !== null) return [];
  const known = kept?.get(algorithm);
  if (known !== undefined) return known;
  const subjects = algorithm.subjectsOf(asset ?? content);
  if (also.length === 0) return subjects;
  // What cannot be read is a target of its own, so that the others do not decide alone.
  return [subjects, ...also.map((input) => algorithm.subjectsOf(input))].flatMap((some) => (some.length === 0 ? [[]] : some));
}

export function keepSubjects(question: Question, algorithm: Algorithm, subjects: readonly Subject[]): void {
  question.kept = new Map([...(question.kept ?? []), [algorithm, subjects]]);
}

/** All readings of the input. */
export function assetsIn({ content, also, asset }: Question, assets: Reader): readonly Asset[] {
  const found = asset === null ? assets.detectAssets(content) : [asset];
  if (also.length === 0) return found;
  return [...found, ...also.flatMap((input) => (typeof input === 'string' ? assets.detectAssets(input) : [input]))];
}

/**
 * The asset that a verdict names. If the input has several targets: the first asset with the expression in the list's algorithm, or the
 * link whose query or folder the expression names.
 */
export function assetFor(
  question: Question,
  expression: string,
  own: Algorithm,
  listed: Algorithm,
  assets: Reader,
): Asset | undefined {
  const found = assetsIn(question, assets);
  if (subjectsFor(question, own).length === 1) return found[0];
  const all = found.map((asset) => expressionsOf(listed, asset));
  const exact = all.findIndex((expressions) => expressions.includes(expression));
  if (exact >= 0) return found[exact];
  return found[all.findIndex(([first]) => ['/', '?'].some((mark) => expression.startsWith(`${first}${mark}`)))];
}

/** Why the input has no expressions. */
export function refusalFor({ content, refused }: Question, assets: Reader): Refused {
  if (refused !== null) return refused;
  const reading = assets.normalizeAsset(content);
  return refusedFor(content, 'refused' in reading ? reading.refused : 'unknown');
}

function refusedFor(content: string, why: RefusalReason): Refused {
  const isSite = why === 'not-a-host' || (why === 'internal-scheme' && otherScheme.test(cleanText(content).bare));
  return refusedAs[isSite && !isSingleLabel(content) ? 'unknown' : why];
}

/** `htp://evil.example/` is a link with a mistyped scheme. Links of files and scripts can have `//` too. */
const otherScheme = /^(?!file:|javascript:)[a-z][a-z\d+.-]*:[\\/]{2}/i;

/** `localhost`, with what a link has around a host. Any other text that names no host may be a row, a rule or a template. */
function isSingleLabel(text: string): boolean {
  const link = cleanText(text).bare.replace(/^(?:[a-z][a-z\d+.-]{0,20}:)?[\\/]+/i, '');
  const [authority = ''] = link.split(/[\\/?#]/, 1);
  return singleLabel.test(authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d+$/, ''));
}

const singleLabel = /^[\w\u00c0-\u1fff\u3040-\ufefe-]+\.?$/;

const refusedAs = {
  'internal-scheme': { status: 'not-listable', reason: 'internal-scheme' },
  'not-a-host': { status: 'not-listable', reason: 'not-a-host' },
  secret: { status: 'not-listable', reason: 'secret' },
  'too-deep': { status: 'unknown', reason: 'unreadable' },
  unknown: { status: 'unknown', reason: 'unreadable' },
} as const satisfies Record<string, Refused>;
