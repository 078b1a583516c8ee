import type { AssetHint } from '../assets/asset.js';
import { isPlain, markdownParts, pastedText } from '../assets/pasted.js';
import type { Assets } from './create-assets.js';

/** A pasted text without its surroundings. */
export interface PastedInput {
  /** The text without the characters around it. */
  readonly content: string;
  /**
   * Other texts to judge: the original text, if the characters around `content` may belong to the path of a link, the other parts of a
   * Markdown link, and every line, cell and link of a text with several; empty for what cannot be read or is not.
   */
  readonly also: readonly string[];
}

/** Lines, cells and links of a pasted text that are judged. A text with more is a message, for `checkText`. */
const maxPieces = 8;

/** How texts are read. */
export type Reader = Pick<Assets, 'canonicalizeUrl' | 'detectAssets' | 'normalizeAsset'>;

/**
 * Reads a text as people paste it: removes brackets, quotes and punctuation around it, refangs a defanged link, and separates lines and the
 * parts of Markdown links. `null` if nothing surrounds it, or if nothing is left without the surroundings.
 */
export function readPasted(text: string, assets: Reader, hint?: AssetHint): PastedInput | null {
  if (isPlain(text)) return null;
  const parts = markdownParts(text);
  if (parts === null) return readPiece(text, assets, hint);
  // The address of a link can contain anything that looks like Markdown.
  const address = addressIn(text);
  if (address !== null && assets.canonicalizeUrl(address) !== null) return readPiece(text, assets, hint);
  const isRead = (part: string): boolean => !('refused' in assets.normalizeAsset(part, hint));
  const piecesOf = (part: string): readonly string[] => {
    const piece = readPiece(part, assets, hint);
    return piece === null ? [part] : [piece.content, ...piece.also];
  };
  const isLink = assets.canonicalizeUrl(text) !== null;
  const labels = parts.labels.slice(0, maxPieces).flatMap(piecesOf).filter(isRead);
  // What cannot be read makes the verdict unknown, unless the whole text is a link, whose path can contain anything.
  const targets = [...parts.targets, ...parts.others].slice(0, maxPieces).flatMap(piecesOf);
  const isCut = parts.targets.length + parts.others.length > maxPieces || parts.labels.length > maxPieces;
  const own = isLink ? [...piecesOf(text), ...targets.filter(isRead)] : isCut ? [...targets, ''] : targets;
  return { content: own[0]!, also: [...own.slice(1), ...labels] };
}

/** The address of a link, if the text is one, or one in a pair of marks that end where it ends; `null` if it is more than that. */
function addressIn(text: string): string | null {
  const whole = text.trim();
  if (isAbsolute.test(whole)) return whole;
  const [open = ''] = /^(?:\*\*|[<("'`])/.exec(whole) ?? [];
  const close = { '<': '>', '(': ')' }[open] ?? open;
  if (open === '' || !whole.endsWith(close) || whole.length < open.length + close.length) return null;
  const inner = whole.slice(open.length, whole.length - close.length);
  return isPage.test(inner) && (open === close ? inner.indexOf(open) < 0 : isBalanced(inner, open, close)) ? inner : null;
}

/** Whether the first closing mark that `text` does not open comes after it. In angle brackets, Slack writes a label after a bar. */
function isBalanced(text: string, open: string, close: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === open) depth++;
    else if ((character === close && depth-- === 0) || (open === '<' && character === '|')) return false;
  }
  return depth === 0;
}

/** An absolute link whose host ends in front of a path, query or fragment. */
const isPage = /^[a-z][a-z\d+.-]{0,63}:\/\/[^\s/?#\\,;|<>"'`(){}]+[/?#]\S*$/i;

/** A scheme, and no white space: what a browser has as the address of a link. */
const isAbsolute = /^[a-z][a-z\d+.-]{0,63}:\/\/\S*$/i;

function readPiece(text: string, assets: Reader, hint?: AssetHint): PastedInput | null {
  const whole = readLine(text, assets, hint);
  const cells = addressIn(text) !== null ? [] : cellsIn(text, hint);
  const isShort = cells.length < 2 && isShortened.test(text);
  if (cells.length < 2 && !isShort) return whole;
  const { content, also } = whole ?? { content: text, also: [] };
  const meaningOf = (piece: string): 'asset' | 'secret' | 'nothing' => {
    const reading = assets.normalizeAsset(piece, hint);
    return !('refused' in reading) ? 'asset' : reading.refused === 'secret' ? 'secret' : 'nothing';
  };
  const isSecret = (piece: string): boolean => meaningOf(piece) === 'secret';
  const pieces = [...new Set(cells.slice(0, maxCells).map((cell) => readLine(cell, assets, hint)?.content ?? cell))];
  const meanings = pieces.map(meaningOf);
  const isWholeSecret = isSecret(content);
  const long = text.match(longWords) ?? [];
  const mayReveal =
    isWholeSecret ||
    meanings.includes('secret') ||
    isSecret(text.slice(cells[0]?.length)) ||
    long.length > maxCells ||
    long.some(isSecret);
  // As links, the whole text and a whole line would have the key.
  const read = pieces.filter((piece, at) => meanings[at] === 'asset' && !(mayReveal && separators.test(piece)));
  // Words that a hint makes names may be those of a recovery phrase.
  if (isWholeSecret && (read.length === 0 || hint !== undefined)) return whole;
  if (mayReveal && read.length === 0) return { content: pieces[meanings.indexOf('secret')] ?? '', also: [] };
  const isOpen = isShort || mayReveal || cells.length > maxCells || read.length > maxPieces;
  const asWhole = mayReveal ? [] : [content, ...also];
  const [first = '', ...others] = [...read.slice(0, maxPieces), ...asWhole, ...(isOpen ? [''] : [])];
  return { content: first, also: others };
}

/**
 * What people paste as one text: lines, cells of a table, and links side by side or behind words. Browsers drop tabs and line ends, and take
 * quotes, bars and spaces behind a slash for a part of the path.
 */
function cellsIn(text: string, hint: AssetHint | undefined): readonly string[] {
  const words = text.split(separators, maxPieces + 3).filter((word) => word !== '');
  if (words.length < 2) return [];
  const cells = text
    .trim()
    .split(/[\t-\r\u0085\u2028\u2029]+/)
    .filter((cell) => cell.trim() !== '');
  const links = cells.flatMap((cell) => cell.match(linksInside) ?? []);
  // More words are prose, in which only links are meant, and with a hint every word may be a name.
  return [...new Set([...cells, ...links, ...(hint !== undefined || words.length > maxPieces ? [] : words)])];
}

/** White space, and what browsers escape in a path. */
const separators = /[\s"'<>\\^`{|}]+/;

const linksInside = /\b[a-z][a-z\d+.-]{1,20}:\/\/[^\s"'<>\\^`{|}]+/gi;

/** A key has at least 51 characters. */
const longWords = /[^\s"'`<>()[\]{},;|:=/]{40,}/g;

/** Each is read, and nearly all messages have fewer. */
const maxCells = 64;

/** A word with dots in its middle, as wallets shorten addresses. Read as a link, it would name a host by accident. */
const isShortened = /^[^\s/?#]*\w(?:[.\u2025\u2026]{2,}|[\u2025\u2026])\w/;

function readLine(text: string, assets: Reader, hint?: AssetHint): PastedInput | null {
  const content = pastedText(text);
  if (content === null) return null;
  // Long links take long to read, so what is known about one is not read again.
  const link = assets.canonicalizeUrl(text);
  // Punctuation after a host cannot belong to it: no top-level domain contains any.
  const also = link?.includes('/') === true ? [text] : [];
  // Without the marks at its end, a link with a path is a link.
  const isLink =
    hint === undefined && ((also.length > 0 && text.startsWith(content)) || assets.canonicalizeUrl(content) !== null);
  if (!isLink && 'refused' in assets.normalizeAsset(content, hint)) return null;
  // A text that is a secret in either form is refused as one.
  const asWritten = link === null ? assets.normalizeAsset(text, hint) : null;
  if (asWritten !== null && 'refused' in asWritten && asWritten.refused === 'secret') return null;
  return { content, also };
}
