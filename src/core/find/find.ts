import type { Assets } from '../algorithms/create-assets.js';
import type { Asset } from '../assets/asset.js';
import { withPlainScheme } from '../assets/pasted.js';
import { PortcullisError, refuse, requireString } from '../errors.js';
import { refang } from './refang.js';
import { scan } from './scan.js';

/** A piece of a text and the assets in it. */
export interface FoundAsset {
  /** Start of the piece in the text, in UTF-16 units. */
  readonly start: number;
  /** End of the piece: `text.slice(start, end)` is the piece. */
  readonly end: number;
  /** The piece as it is written in the text, also where it is defanged. */
  readonly text: string;
  /** The piece as it is read: refanged, and without invisible characters. */
  readonly plain: string;
  /** Every reading of the piece, most specific first; at least one. */
  readonly assets: readonly Asset[];
}

/** Limits of a search. */
export interface FindOptions {
  /** The most pieces a text may hold; a text with more throws `LIMIT_EXCEEDED`. @default 10_000 */
  readonly maxResults?: number | undefined;
}

/**
 * Finds links, addresses, mailboxes and telephone numbers in a text, in order and without overlap, in linear time. Throws only for the
 * size of a text: `LIMIT_EXCEEDED` for more than 4,194,304 UTF-16 units or more pieces than `maxResults`, because a caller could not
 * tell a partial result from a complete one.
 */
export type FindAssets = (text: string, options?: FindOptions) => readonly FoundAsset[];

/** `findAssets` for chosen families: the given `detectAssets` reads every piece. */
export function createFinder({ detectAssets }: Pick<Assets, 'detectAssets'>): FindAssets {
  return (text, { maxResults = 10_000 } = {}) => {
    requireString(text, 'text');
    if (!Number.isSafeInteger(maxResults) || maxResults < 1) refuse('maxResults must be a whole number above 0');
    if (text.length > maxTextLength) throw tooMuch(`the text is longer than ${maxTextLength} UTF-16 units; split it`);
    const refanged = refang(text);
    const found: FoundAsset[] = [];
    scan(refanged.text, (from, to, noLink) => {
      const plain = withPlainScheme(refanged.text.slice(from, to));
      const assets = detectAssets(plain);
      if (assets.length === 0 || (noLink && assets[0]!.type === 'URL')) return false;
      if (found.length === maxResults)
        throw tooMuch(`the text holds more than ${maxResults} pieces; split it or raise maxResults`);
      const start = refanged.startOf(from);
      const end = refanged.endOf(to - 1);
      found.push({ start, end, text: text.slice(start, end), plain, assets });
      return true;
    });
    return found;
  };
}

/** Four times the largest mail text that servers accept. Its results, and the offsets of a defanged text, fit in 200 MB. */
const maxTextLength: number = 4 * 1024 * 1024;

function tooMuch(what: string): PortcullisError {
  return new PortcullisError('LIMIT_EXCEEDED', what);
}
