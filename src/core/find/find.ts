import type { Assets } from '../algorithms/create-assets.js';
import type { Asset } from '../assets/asset.js';
import { plainLink } from '../assets/pasted.js';
import { PortcullisError, requireString } from '../errors.js';
import { type Filled, func, having, type KindsOf, listOf, optional, readOptions, text, whole } from '../options/read-options.js';
import type { Certainty } from './certainty.js';
import type { IsTopLevelDomain } from './names.js';
import { refang } from './refang.js';
import { type Read, scan } from './scan.js';

/** A piece of a text and the assets in it. */
export interface FoundAsset {
  /** Start of the piece in the text, in UTF-16 units. */
  readonly start: number;
  /** End of the piece: `text.slice(start, end)` is the piece. */
  readonly end: number;
  /** The piece as written in the text, even if it is defanged. */
  readonly text: string;
  /** The piece as it is read: refanged, without invisible characters, and unescaped if it was the value of a parameter. */
  readonly plain: string;
  /**
   * A second reading of a link: without the first word of the next sentence, if its last label is not a known top-level domain
   * (`https://evil.com` for `https://evil.com.Thanks`); up to a sign, an escape or an `@` after its host (`https://evil.com+`,
   * `https://evil.com@good.example`); without the letter of a line end that JSON writes (`evil.com` for `nevil.com` in `\nevil.com`); the host of
   * a mailbox right after a link and a dash of prose, which a browser opens (`evil.com` in `https://good.example—user@evil.com`). Check it as
   * well; its readings are among `assets`.
   */
  readonly shorter?: string;
  /**
   * How certain it is that the author meant a link or another asset. `explicit`: a scheme, an `@` or its form identifies it. `bare`: a
   * host without a scheme. `weak`: a host without a scheme that is more often a file name, code or two sentences.
   */
  readonly certainty: Certainty;
  /** Every reading of the piece, most specific first; at least one. */
  readonly assets: readonly Asset[];
}

/** Limits of a search, and what it looks for. */
export interface FindOptions {
  /** Maximum number of pieces in a text; a text with more throws `LIMIT_EXCEEDED`. @default 10_000 */
  readonly maxResults?: number | undefined;
  /** Additional top-level domains, in lower case and Unicode, such as one of your own network. @default none */
  readonly topLevelDomains?: readonly string[] | undefined;
}

/** Options of `createFinder`. */
export interface FinderOptions {
  /**
   * Whether a label is a top-level domain; pass `isTopLevelDomain`. @default none: every host without a scheme that could be one is
   * found, including `package.json`
   */
  readonly isTopLevelDomain?: IsTopLevelDomain | undefined;
}

export const findKinds = (): KindsOf<Filled<FindOptions>> => ({
  maxResults: optional(whole(1, Number.MAX_SAFE_INTEGER), 10_000),
  topLevelDomains: optional(listOf(text('a label in lower case, without dots and spaces', /^[^\s.A-Z]+$/)), []),
});

export const finderKinds = (): KindsOf<Filled<FinderOptions, 'isTopLevelDomain'>> => ({ isTopLevelDomain: optional(func) });

/**
 * Finds links, addresses, email addresses and telephone numbers in a text, in order and without overlap, in linear time. Throws only for
 * the size of a text: `LIMIT_EXCEEDED` for more than 4,194,304 UTF-16 units or more pieces than `maxResults`, because a caller could not
 * tell a partial result from a complete one.
 */
export type FindAssets = (text: string, options?: FindOptions) => readonly FoundAsset[];

/** `findAssets` for chosen families: the given `detectAssets` reads every piece. */
export function createFinder(assets: Pick<Assets, 'detectAssets'>, options?: FinderOptions): FindAssets {
  const { detectAssets } = having<typeof assets>('what createAssets returns', 'detectAssets')(assets, 'createFinder: assets');
  const { isTopLevelDomain } = readOptions('createFinder', finderKinds(), options);
  const kinds = findKinds();
  const usual = readOptions('findAssets', kinds, undefined);
  return (text, options) => {
    requireString(text, 'text');
    const { maxResults, topLevelDomains } = options === undefined ? usual : readOptions('findAssets', kinds, options);
    if (text.length > maxTextLength) throw tooMuch(`the text is longer than ${maxTextLength} UTF-16 units; split it`);
    const refanged = refang(text);
    const isTop = withMore(isTopLevelDomain, topLevelDomains);
    const found: FoundAsset[] = [];
    const read: Read = (from, to, how = 'explicit', shorterEnd = 0, shorterStart = from) => {
      const plain = plainLink(refanged.text.slice(from, to));
      let assets = detectAssets(plain);
      if (assets.length === 0 || (how === 'noLink' && isWeb(assets[0]!))) return false;
      if (found.length === maxResults)
        throw tooMuch(`the text holds more than ${maxResults} pieces; split it or raise maxResults`);
      const start = refanged.startOf(from);
      const end = refanged.endOf(to - 1);
      const written = text.slice(start, end);
      const shorter =
        shorterEnd > 0 ? plainLink(refanged.text.slice(shorterStart, shorterEnd)) : hostBeforeWritten(written, plain, isTop);
      if (shorter !== undefined) assets = [...assets, ...detectAssets(shorter)];
      const certainty = how === 'noLink' ? 'explicit' : how;
      found.push({ start, end, text: written, plain, ...(shorter === undefined ? {} : { shorter }), certainty, assets });
      return true;
    };
    scan(refanged.text, read, isTop);
    return found;
  };
}

/**
 * A link up to the first written character in its host, if what is in front of it is a host as well: in `https://evil.com&period;good.com` an
 * HTML page has a subdomain of `good.com`, and a reader of the plain text sees `https://evil.com`.
 */
function hostBeforeWritten(written: string, plain: string, isTop: IsTopLevelDomain | undefined): string | undefined {
  if (isTop === undefined || written === plain || !mayBeWritten.test(written)) return undefined;
  const host = hostBefore.exec(written);
  return host !== null && isTop(host[2]!.toLowerCase()) ? host[1] : undefined;
}

const mayBeWritten = /[&\\]/;
/** A scheme and labels up to `&` or a backslash, and the last label. */
const hostBefore = /^((?:[a-z]{2,5}:\/\/)?(?:[^\s/?#@:.&\\]+\.)+([^\s/?#@:.&\\]+))(?:&[#a-z]|\\+[ux._-])/i;

function isWeb({ type }: Asset): boolean {
  return type === 'URL' || type === 'PAGE';
}

function withMore(isTopLevelDomain: IsTopLevelDomain | undefined, more: readonly string[]): IsTopLevelDomain | undefined {
  if (isTopLevelDomain === undefined || more.length === 0) return isTopLevelDomain;
  const all = new Set(more);
  return (label) => all.has(label) || isTopLevelDomain(label);
}

/** Four times the largest mail text that servers accept. Its results, and the offsets of a defanged text, fit in 200 MB. */
const maxTextLength: number = 4 * 1024 * 1024;

function tooMuch(what: string): PortcullisError {
  return new PortcullisError('LIMIT_EXCEEDED', what);
}
