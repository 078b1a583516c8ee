import type { Assets } from '../algorithms/create-assets.js';
import type { Asset } from '../assets/asset.js';
import { PortcullisError, refuse, requireString } from '../errors.js';
import { type Refanged, refang, withPlainScheme } from './refang.js';
import { scan } from './scan.js';

/** A piece of a text, and what it can be read as. */
export interface FoundAsset {
  /** Where it begins in the text, in UTF-16 units. */
  readonly start: number;
  /** Where it ends: `text.slice(start, end)` is `text` of this. */
  readonly end: number;
  /** The piece as it stands there, defanged if it is. */
  readonly text: string;
  /** All it can be read as, the narrowest first; at least one. */
  readonly assets: readonly Asset[];
}

/** Bounds of a search. */
export interface FindOptions {
  /** The most pieces one text may have; a text with more is refused with `LIMIT_EXCEEDED`. @default 10_000 */
  readonly maxResults?: number | undefined;
}

/**
 * Links, addresses, mailboxes and telephone numbers in a text, in order and without overlap. In linear time, and nothing is thrown for what
 * a text says. Throws `LIMIT_EXCEEDED` for a text of more than 4,194,304 UTF-16 units, and for one with more pieces than `maxResults`: of neither
 * a part would be told from the whole.
 */
export type FindAssets = (text: string, options?: FindOptions) => readonly FoundAsset[];

/** `findAssets` over chosen families: what `createAssets` gave reads every piece. */
export function createFinder({ detectAssets }: Pick<Assets, 'detectAssets'>): FindAssets {
  return (text, { maxResults = 10_000 } = {}) => {
    requireString(text, 'text');
    if (!Number.isSafeInteger(maxResults) || maxResults < 1) refuse('maxResults must be a whole number above 0');
    if (text.length > maxTextLength) throw tooMuch(`the text is longer than ${maxTextLength} units`);
    const refanged = refang(text);
    const found: FoundAsset[] = [];
    scan(refanged.text, (from, to, noLink) => {
      const assets = detectAssets(withPlainScheme(refanged.text.slice(from, to)));
      if (assets.length === 0 || (noLink && assets[0]!.type === 'URL')) return false;
      if (found.length === maxResults) throw tooMuch(`the text holds more than ${maxResults} pieces`);
      found.push(cut(text, refanged, from, to, assets));
      return true;
    });
    return found;
  };
}

/** Four times the largest mail that servers take as text; what is found in it, and the maps of a defanged one, fit in 200 MB. */
const maxTextLength: number = 4 * 1024 * 1024;

function cut(text: string, { startOf, endOf }: Refanged, from: number, to: number, assets: readonly Asset[]): FoundAsset {
  const start = startOf(from);
  const end = endOf(to - 1);
  return { start, end, text: text.slice(start, end), assets };
}

function tooMuch(what: string): PortcullisError {
  return new PortcullisError('LIMIT_EXCEEDED', what);
}
