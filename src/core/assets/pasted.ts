import { decoded } from './web/escapes.js';

/**
 * Texts as people paste them: with brackets, quotes and punctuation around a link, and with defanged links (`hxxps://evil[.]example`).
 */

/** A dot, colon, slash or at sign in brackets. */
export const bracketed = '[[({] ?(\\.|@|:(?://)?|//?|dot|at) ?[\\])}]';

/** The character that a bracketed word stands for. */
export function meantBy(word: string): string {
  return { dot: '.', at: '@' }[word.toLowerCase()] ?? word;
}

/**
 * The link that a piece of text means: unescaped if it was the value of a parameter, and with its scheme restored if it was defanged:
 * `hxxp`, `hXXps`, `htxp`, `fxp`.
 */
export function plainLink(piece: string): string {
  if (piece.indexOf('%') < 0 && hasPlainStart(piece)) return piece;
  let link = piece.replace(escapedAt, '$1@');
  for (let round = 0; round < maxEscapes && escapedLink.test(link); round++) link = decoded(link);
  return link.replace(/^(?:h[tx]{2}p|f[tx]p)(?=s?:)/i, (scheme) => (/^h/i.test(scheme) ? 'http' : 'ftp'));
}

/** A link as the value of a parameter, escaped entirely or only in its colon and slashes. */
const escapedLink = /^(?:h[tx]{2}ps?|f[tx]p|wss?)(?!:\/\/)(?::|%(?:25){0,3}3a)(?:\/|%(?:25){0,3}2f){2}/i;

/** Levels of escapes: a parameter inside a parameter, and so on. */
const maxEscapes = 4;

/** The escaped `@` of an email address that is the value of a parameter. */
const escapedAt = /^([^/?#:@]+)%40/i;

/** The text without its surroundings and with links refanged; `null` if that changes nothing. */
export function pastedText(text: string): string | null {
  if (isPlain(text)) return null;
  let start = 0;
  let end = text.length;
  while (start < end && openers.indexOf(text[start]!) >= 0) start++;
  let closed = -1;
  while (end > start && closers.indexOf(text[end - 1]!) >= 0) {
    if (closed < 0 && brackets.indexOf(text[end - 1]!) > 3) closed = closedEnd(text, start);
    if (end === closed) break;
    end--;
  }
  let piece = text.slice(start, end).replace(anyBracketed, (_, word: string) => meantBy(word));
  piece = plainLink(piece);
  return piece === text || piece === '' ? null : piece;
}

/** The parts of a text with Markdown links. */
interface MarkdownParts {
  /** The links inside `](…)`. */
  readonly targets: readonly string[];
  /** What else the text says besides labels; the text is more than its links. */
  readonly others: readonly string[];
  readonly labels: readonly string[];
}

/** `null` for a text without a Markdown link. Linear, and each character is in one part. */
export function markdownParts(text: string): MarkdownParts | null {
  if (text.indexOf('](') < 0) return null;
  const targets: string[] = [];
  const others: string[] = [];
  const labels: string[] = [];
  const parts = text.split('](');
  for (const [at, part] of parts.entries()) {
    let end = -1;
    if (at > 0) {
      end = targetEnd(part);
      const target = part.slice(0, end).trim();
      targets.push(titled.exec(target)?.[1] ?? target);
    }
    const rest = part.slice(end + 1);
    let start = 0;
    while (start < rest.length && rest[start] !== '[' && marks.indexOf(rest[start]!) >= 0) start++;
    if (start < rest.length) (rest[start] === '[' && at < parts.length - 1 ? labels : others).push(rest);
  }
  return { targets, others, labels };
}

/** The first closing parenthesis that the target does not open. */
function targetEnd(part: string): number {
  let depth = 0;
  for (let at = 0; at < part.length; at++) {
    if (part[at] === '(') depth++;
    else if (part[at] === ')' && depth-- === 0) return at;
  }
  return part.length;
}

/** A target, and a title in quotes. */
const titled = /^(\S+)\s+(?:"[^"]*"|'[^']*')$/;

/** The fast path for most texts: a link or a word with nothing around it. Looks at both ends, and searches for what pasted texts have inside. */
export function isPlain(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  if (last !== 0x2f && !isWord(last)) return false;
  if (!hasPlainStart(text) || !isWord(text.charCodeAt(0))) return false;
  return !mayBePasted.test(text);
}

/** Whether it starts with no scheme that may be defanged; those all begin with `h` or `f`. */
function hasPlainStart(text: string): boolean {
  const low = text.charCodeAt(0) | 0x20;
  return (low !== 0x68 && low !== 0x66) || text.startsWith('https://') || text.startsWith('http://');
}

/** A bracket, several lines or cells, the dots of a shortened address. */
const mayBePasted = /[\s\u0085([{\u2025\u2026]|\.\./;

function isWord(code: number): boolean {
  const low = code | 0x20;
  return (low >= 0x61 && low <= 0x7a) || (code >= 0x30 && code <= 0x39);
}

const anyBracketed: RegExp = /* @__PURE__ */ new RegExp(bracketed, 'gi');

const openers = ' \t\r\n<>([{"\'`*_~|\u00ab\u2018\u201c\u201e\u2022\uff08\u3010\u300a\u300c';
const closers = ' \t\r\n>)]}"\'`*_~|,.;:!?\u00bb\u2019\u201c\u201d\u2026\u3001\u3002\uff09\u3011\u300b\u300d\uff0c\uff01\uff1b';
const marks: string = /* @__PURE__ */ openers.concat(closers);

/** The end of the last bracket that is opened and closed after `start`: it belongs to the text. */
function closedEnd(text: string, start: number): number {
  const depths = [0, 0, 0, 0];
  let end = start;
  for (let at = start; at < text.length; at++) {
    const bracket = brackets.indexOf(text[at]!);
    if (bracket >= 4 && depths[bracket - 4]! > 0) {
      depths[bracket - 4]!--;
      end = at + 1;
    } else if (bracket >= 0 && bracket < 4) depths[bracket]!++;
  }
  return end;
}

const brackets = '([{<)]}>';
