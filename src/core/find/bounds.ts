import { alphanumeric, digit, dot, ender, hostParts, kindAt, kinds, nameStart, sign, unspaced } from './characters.js';

/** The end of a piece, and where the search continues: after everything that was read for it, so nothing is read twice. */
export interface Stop {
  readonly end: number;
  readonly next: number;
}

/**
 * The end of path, query and fragment, or of the part of a URI after the colon. It ends at a closing bracket that was not opened since
 * `from`, at an opening one that is never closed, at a quote or asterisk that also precedes the piece, and at the next link of a list. `start`
 * is that of the piece.
 */
export function tailEnd(text: string, from: number, start: number): Stop {
  const closed = delimitedEnd(text, from, start);
  if (closed > 0) return { end: closed, next: closed };
  const quote = text.charCodeAt(start - 1);
  const depths = [0, 0, 0];
  let depth = 0;
  let opened = from;
  let before = 0;
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const kind = kinds[code]!;
    if (kind === ender || kind === sign || (kind === unspaced && (before & alphanumeric) !== 0)) break;
    before = kind;
    if (code === quote && (code === 0x27 || code === 0x2a)) break;
    if ((code === 0x2c || code === 0x3b) && startsLink(text, at + 1)) break;
    if (code === backslash && isLineEscape(text.charCodeAt(at + 1))) break;
    const bracket = brackets.indexOf(code);
    if (bracket < 0) continue;
    if (bracket < 3) {
      // A Markdown link: a CommonMark page shows the text before it and a link of its own. So is a link in a bracket that is not closed.
      if (startsLink(text, at + 1) && (text.charCodeAt(at - 1) === 0x5d || !isClosed(text, at, brackets[bracket + 3]!))) break;
      if (depth++ === 0) opened = at;
      depths[bracket]!++;
    } else {
      if (depths[bracket - 3] === 0) break;
      depths[bracket - 3]!--;
      depth--;
    }
  }
  return { end: depth > 0 ? opened : at, next: at };
}

/** Whether a closing bracket follows before white space; `false` if it is far away. */
function isClosed(text: string, start: number, closing: number): boolean {
  for (let at = start + 1; at < start + maxBracketed; at++) {
    const code = text.charCodeAt(at);
    if (code === closing) return true;
    if (!(code > 0x20)) return false;
  }
  return false;
}

/** Characters of a link in brackets. Longer ones are links of their own, and the search stays linear. */
const maxBracketed = 256;

/** `( [ {` and their closing brackets, in the same order. */
const brackets: readonly number[] = [0x28, 0x5b, 0x7b, 0x29, 0x5d, 0x7d];

/**
 * The end of a link whose delimiters say where it ends: an HTML attribute, `<…>`, and the target of a Markdown link, which no reader opens in
 * parts. 0 if it has none, or if whitespace comes before the end.
 */
function delimitedEnd(text: string, from: number, start: number): number {
  const open = text.charCodeAt(start - 1);
  let before = text.charCodeAt(start - 2);
  if ((open === 0x22 || open === 0x27) && before === backslash) before = text.charCodeAt(start - 3);
  const isTarget = open === 0x28 && before === 0x5d;
  const isAngle = open === 0x3c;
  if (!isTarget && !isAngle && !((open === 0x22 || open === 0x27) && before === 0x3d)) return 0;
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= 0x20) return 0;
    if (isAngle) {
      // Slack writes a label after a bar.
      if (code === 0x3e || code === 0x7c) return at;
      if (code === 0x3c) return 0;
    } else if (!isTarget) {
      // The text of a Markdown link that looks like an attribute: `[x="https://good.example/](https://evil.example)"`.
      if (code === 0x28 && text.charCodeAt(at - 1) === 0x5d) return 0;
      if (code === open) return at;
    } else if (code === 0x28) {
      // Another target, after which this one would be read again.
      if (text.charCodeAt(at - 1) === 0x5d) return 0;
      depth++;
    } else if (code === 0x29 && depth-- === 0) return at;
  }
  return 0;
}

/** Starts a path, a query or a fragment after a host. */
export function startsTail(code: number): boolean {
  return code === 0x2f || code === 0x3f || code === 0x23;
}

/**
 * Directly after a word, or the `~` of a home folder, and a single slash, which JSON may write with a backslash. A backslash alone ends a
 * word, and so does a slash with no word in front of it.
 */
export function isInPath(text: string, start: number): boolean {
  if (text.charCodeAt(start - 1) !== 0x2f) return false;
  const before = text.charCodeAt(start - 2) === backslash ? start - 3 : start - 2;
  const code = text.charCodeAt(before);
  if (code === 0x7e) return text.charCodeAt(before - 1) !== 0x7e;
  return (kindAt(text, before) & (alphanumeric | dot)) !== 0 && !isSecondHalf(code);
}

/** The second half of an emoji, or of a rare letter. */
function isSecondHalf(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}

/** Whether the letter at `at` is that of `\n`, `\r` or `\t`, as raw JSON has before a name. */
export function isAfterEscape(text: string, at: number): boolean {
  return text.charCodeAt(at - 1) === backslash && isLineEscape(text.charCodeAt(at));
}

/** The letter of an escaped line end or tab. */
function isLineEscape(code: number): boolean {
  return code === 0x6e || code === 0x72 || code === 0x74;
}

const backslash = 0x5c;

function startsLink(text: string, at: number): boolean {
  if ((text.charCodeAt(at) | 0x20) !== 0x68 && text.charCodeAt(at) > 0x27) return false;
  anotherLink.lastIndex = at;
  return anotherLink.test(text);
}

const anotherLink = /['"]?h[tx]{2}ps?:/iy;

/**
 * The end of the host that begins at `start`, in an authority that ends at `stop`. Prose may follow the last label without a space:
 * `evil.example领取` is cut after `example`, because no top-level domain mixes scripts or contains an emoji.
 */
export function hostEnd(text: string, start: number, stop: number): number {
  if (stop > start && text.charCodeAt(start) === 0x5b) return text.indexOf(']', start) + 1;
  let label = start;
  let end = start;
  for (; end < stop; end++) {
    const kind = kindAt(text, end);
    const isDot = kind === dot || kind === ender;
    if (!isDot && (kind & hostParts) === 0) break;
    if (!isDot) continue;
    if (kindAt(text, end + 1) === dot) break;
    if (end + 1 < stop && (kindAt(text, end + 1) & hostParts) !== 0) label = end + 1;
  }
  for (let at = label; at < end; at++) {
    const kind = kindAt(text, at);
    if (
      (kind === sign && !isSquared(text, at)) ||
      (kind === unspaced && at > label && (kindAt(text, at - 1) & alphanumeric) !== 0)
    )
      return at;
  }
  return end;
}

/**
 * Browsers read `。` and its variants as a dot, but people write it as a full stop: it counts as a dot only in a host without other dots.
 */
export function isWideDot(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code !== 0x3002 && code !== 0xff61) return false;
  return (kindAt(text, at - 1) & nameStart) !== 0 && (kindAt(text, at + 1) & nameStart) !== 0;
}

/** A wide dot between letters or digits of scripts with spaces. */
export function isJoining(text: string, at: number): boolean {
  return isWideDot(text, at) && (kindAt(text, at - 1) & alphanumeric) !== 0 && (kindAt(text, at + 1) & alphanumeric) !== 0;
}

/**
 * Whether the character is a letter in a square or a circle, which a browser reads as the letter. Its first half is that of most emoji.
 */
export function isSquared(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== 0xd83c) return false;
  const low = text.charCodeAt(at + 1);
  return low >= 0xdd2b && low < 0xdd4a;
}

/** The end of prose outside ASCII that touches an authority and has no spaces: up to there, a browser takes it for the name of a user. */
export function proseEnd(text: string, start: number): number {
  if (!(text.charCodeAt(start) > 0x7f)) return start;
  prose.lastIndex = start;
  return prose.test(text) ? prose.lastIndex : start;
}

/** As much as a mailbox has at most, so that the search stays linear. */
const prose = /[^\s/\\?#()[\]{}"<>`|]{1,320}/y;

/** The end of a port such as `:8443`, or `start` if there is none. */
export function portEnd(text: string, start: number): number {
  if (text.charCodeAt(start) !== 0x3a) return start;
  let end = start + 1;
  while (end < start + 6 && kindAt(text, end) === digit) end++;
  return end > start + 1 && (kindAt(text, end) & nameStart) === 0 ? end : start;
}

/** The end without the punctuation of a sentence, and without the closing half of a mark that precedes the piece. */
export function trimmed(text: string, start: number, stop: number): number {
  const quote = text.charCodeAt(start - 1);
  let end = stop;
  for (; end > start; end--) {
    const code = text.charCodeAt(end - 1);
    if (!(sentenceEnds[code] === 1 || (code === quote && (code === 0x5f || code === 0x7e)))) break;
  }
  return end;
}

const sentenceEnds: Uint8Array = /* @__PURE__ */ Uint8Array.from({ length: 128 }, (_, code) =>
  ".,;:!?'*\\".includes(String.fromCharCode(code)) ? 1 : 0,
);
