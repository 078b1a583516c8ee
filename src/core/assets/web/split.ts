import { resolveRaw } from './path.js';

/** Splits a cleaned text of any length into the raw parts of a link in one linear scan. Nothing is decoded here. */

export interface RawLink {
  /** Lower-case and without the colon; `''` when the text has none. */
  readonly scheme: string;
  /** Whether a scheme or two slashes precede the host, so that the text can only be a link. */
  readonly isMarked: boolean;
  readonly host: string;
  /** From the first slash or backslash after the host up to the query; `''` when there is none. */
  readonly path: string;
  /** The text after the first `?`; `null` when there is none. */
  readonly query: string | null;
}

/** A scheme other than those of web hosts, and everything after its colon. */
export interface OtherScheme {
  readonly scheme: string;
  readonly rest: string;
}

export function splitLink(text: string): RawLink | OtherScheme | null {
  const colon = schemeEnd(text);
  if (colon < 0) return splitBare(text);
  const scheme = text.slice(0, colon).toLowerCase();
  if (webSchemes.has(scheme)) return splitAuthority(text, afterSlashes(text, colon + 1), scheme, true);
  return isHostWithPort(scheme, text, colon) ? splitBare(text) : { scheme, rest: text.slice(colon + 1) };
}

/**
 * Rare links that other browsers make of the same text. Firefox ends a link at a NUL if it is relative to the page. Firefox also resolves
 * the dots before it looks for the host in a link that has the scheme of the page and more than two slashes, one of the first two a
 * backslash.
 */
export function otherSplits(text: string): readonly RawLink[] {
  const nul = text.indexOf('\0');
  if (nul >= 0) {
    let end = nul;
    while (end > 0 && text.charCodeAt(end - 1) <= 0x20) end--;
    const cut = text.slice(0, end);
    const split = splitLink(cut);
    return split !== null && isRawLink(split) ? [split, ...otherSplits(cut)] : [];
  }
  if (text.indexOf('\\') < 0 || !pageScheme.test(text)) return [];
  const colon = text.indexOf(':');
  if (afterSlashes(text, colon + 1) < colon + 4 || text.startsWith('//', colon + 1)) return [];
  const tail = text.slice(colon + 1).search(/[?#]/);
  const end = tail < 0 ? text.length : colon + 1 + tail;
  const resolved = resolveRaw(text.slice(colon + 1, end)).slice(1) + text.slice(end);
  return [splitAuthority(resolved, 0, text.slice(0, colon).toLowerCase(), true)];
}

const pageScheme = /^https?:/i;

export function isRawLink(split: RawLink | OtherScheme): split is RawLink {
  return 'host' in split;
}

/** The schemes whose links have a web host, and in which a backslash is a slash (WHATWG URL §4.2 "special", without file). */
const webSchemes: ReadonlySet<string> = new Set(['https', 'http', 'wss', 'ws', 'ftp']);

/** The position of the colon after a syntactically valid scheme, else -1. */
function schemeEnd(text: string): number {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const low = code | 0x20;
    if (low >= 0x61 && low <= 0x7a) continue;
    if (at === 0) return -1;
    if (code === 0x3a) return at;
    const other = (code >= 0x30 && code <= 0x39) || code === 0x2b || code === 0x2d || code === 0x2e;
    if (!other) return -1;
  }
  return -1;
}

/** `https:h`, `https:/h` and `https:\\\\h` all mean `https://h`. */
export function afterSlashes(text: string, start: number): number {
  let at = start;
  while (isSlash(text.charCodeAt(at))) at++;
  return at;
}

export function isSlash(code: number): boolean {
  return code === 0x2f || code === 0x5c;
}

/**
 * Whether the text before the colon is not a scheme, as in `example.com:8080/a` and `user:word@example.com`: a port follows, or userinfo
 * with a host that has a dot or brackets. Schemes that may precede the same characters are excluded by name.
 */
function isHostWithPort(scheme: string, text: string, colon: number): boolean {
  if (opaqueSchemes.has(scheme) || text.startsWith('//', colon + 1)) return false;
  const end = authorityEnd(text, colon + 1);
  let digits = colon + 1;
  while (digits < end && isDigit(text.charCodeAt(digits))) digits++;
  if (digits === end) return end > colon + 1 || scheme.indexOf('.') >= 0;
  const at = text.lastIndexOf('@', end - 1);
  return at > colon && /[.[]/.test(text.slice(at + 1, end));
}

/** Schemes that may precede digits, or an `@` without a web host: mail, telephone, chat, scripts, wrappers. */
const opaqueSchemes: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ 'about acct bitcoin blob data ethereum facetime filesystem intent javascript mailto market sip sips sms smsto ssh tel tg whatsapp xmpp'.split(
    ' ',
  ),
);

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Without a scheme, a text begins with the host or with `//`; a single slash begins a path on an unknown host. */
function splitBare(text: string): RawLink | null {
  const start = afterSlashes(text, 0);
  return start === 1 ? null : splitAuthority(text, start, '', start > 0);
}

function authorityEnd(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isSlash(code) || code === 0x3f || code === 0x23) break;
  }
  return at;
}

/** Userinfo ends at the last `@` before the path. The colon of a port that is not a number stays in the host, which makes it invalid. */
function splitAuthority(text: string, start: number, scheme: string, isMarked: boolean): RawLink {
  const end = authorityEnd(text, start);
  const userEnd = text.lastIndexOf('@', end - 1);
  const hostStart = userEnd >= start ? userEnd + 1 : start;
  const fragment = text.indexOf('#', end);
  const stop = fragment < 0 ? text.length : fragment;
  const mark = text.indexOf('?', end);
  const pathEnd = mark < 0 || mark > stop ? stop : mark;
  return {
    scheme,
    isMarked,
    host: text.slice(hostStart, portStart(text, hostStart, end)),
    path: text.slice(end, pathEnd),
    query: pathEnd < stop ? text.slice(pathEnd + 1, stop) : null,
  };
}

/** The start of `:digits` at the end of the host, else `end`. Firefox ignores what follows a NUL after the digits. */
function portStart(text: string, start: number, end: number): number {
  if (text.indexOf('\0', start) >= 0) {
    const cut = text.slice(start, end).search(/:[0-9]*\0/);
    if (cut >= 0) return start + cut;
  }
  let at = end;
  while (at > start && isDigit(text.charCodeAt(at - 1))) at--;
  return at > start && text.charCodeAt(at - 1) === 0x3a ? at - 1 : end;
}
