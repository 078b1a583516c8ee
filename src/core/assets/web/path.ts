import { fromUnits, utf8 } from '../../bytes.js';
import { maxPathLength, maxPathPrefixes, maxQueryLength } from '../../limits.js';
import { trimEnd } from '../clean.js';
import { decodedOnce, decodeToEnd, escapeBytes } from './escapes.js';

/** Path and query by docs/algorithm.md §4, whose rules come from the public Safe Browsing rules. */

const slash = 0x2f;
const percent = 0x25;
const backslash = 0x5c;
const dot = 0x2e;
const questionMark = 0x3f;

/**
 * The readings of a raw path, which starts with a slash or is empty: the path a browser requests, which is canonical, and the path a
 * lenient server makes of it, if that differs; both also without invisible characters at the end, which people paste with a link. The
 * root is `''`; other paths are like `/a/b`, without a final slash.
 */
export function pathsOf(raw: string): readonly string[] {
  if (plainPathEnd(raw, 0) === raw.length) return [withoutSlash(raw)];
  const requested = requestedPath(resolveRaw(raw));
  if (!mayBeServed.test(requested)) return [requested];
  const trimmed = requestedPath(resolveRaw(withoutEdges(requested)));
  return [...new Set([requested, servedPath(requested), trimmed, servedPath(trimmed)])];
}

/** Escaped slashes, backslashes and dots in a canonical path, and any escape at its end: nothing else is read in more than one way. */
const mayBeServed = /%(?:2F|5C|252E)|%[\dA-F]{2}$/;

/** A browser resolves dot segments first. Any character that is unescaped after that belongs to its segment, even a slash. */
function requestedPath(resolved: string): string {
  return withoutSlash(resolved.split('/').map(canonicalSegment).join('/'));
}

function canonicalSegment(segment: string): string {
  if (plainQueryEnd(segment, 0) === segment.length && segment.indexOf('?') < 0) return segment;
  const canonical = escapeBytes(decodeToEnd(segment), '?/\\');
  // Escaped twice: with a single escape, the next reader would resolve these as dot segments.
  return canonical === '.' || canonical === '..' ? canonical.replace(/\./g, '%252E') : canonical;
}

/** A lenient server decodes every escape of a request and merges slashes before it looks for dots. */
function servedPath(requested: string): string {
  return withoutSlash(escapeBytes(resolveDots(decodeToEnd(requested).replace(/[/\\]+/g, '/')), '?'));
}

/** A canonical path without the escaped whitespace, controls and invisible characters at its end. */
function withoutEdges(path: string): string {
  let start = path.length;
  while (start >= 3 && path.charCodeAt(start - 3) === percent && !isPrintable(Number.parseInt(path.slice(start - 2, start), 16)))
    start -= 3;
  const tail = decodedOnce(path.slice(start));
  return tail === null ? path : path.slice(0, start) + escapeBytes(fromUnits(utf8(trimEnd(tail))));
}

function isPrintable(byte: number): boolean {
  return byte > 0x20 && byte < 0x7f;
}

/** A raw path with its dots resolved as in a browser, which also reads `\` as a slash and `%2e` as a dot, and without empty segments. */
export function resolveRaw(raw: string): string {
  return unresolved.test(raw) ? resolveDots(raw.replace(/\\/g, '/')) : raw;
}

const unresolved = /\\|\/[./]|%2e/i;

function withoutSlash(path: string): string {
  return path.charCodeAt(path.length - 1) === slash ? path.slice(0, -1) : path;
}

/** The first four folders of a path that is too long, or as many of them as fit the limit. */
export function firstFolders(path: string): string {
  let end = 0;
  for (let count = 0; count < maxPathPrefixes; count++) {
    const next = path.indexOf('/', end + 1);
    if (next < 0 || next > maxPathLength) break;
    end = next;
  }
  return path.slice(0, end);
}

/**
 * The end of a path that begins at `start` and is canonical except for a final slash: the first character that is not plain in a
 * path. -1 for an empty segment, and for one that starts with a dot, such as `/.well-known` or `/..`.
 */
export function plainPathEnd(text: string, start: number): number {
  let previous = 0;
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (!needsNoEscape(code) || code === questionMark || code === backslash) break;
    if (previous === slash && (code === slash || code === dot)) return -1;
    previous = code;
  }
  return at;
}

/** The end of a query that begins at `start`: the first character that is not plain in a query. */
export function plainQueryEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && needsNoEscape(text.charCodeAt(at))) at++;
  return at;
}

/** The canonical form of the text after the `?`; `null` if it exceeds the limit. */
export function canonicalQuery(raw: string): string | null {
  const query = plainQueryEnd(raw, 0) === raw.length ? raw : escapeBytes(decodeToEnd(raw));
  return query.length > maxQueryLength ? null : query;
}

/** Whether a character of a canonical path or query stands as it is. */
export function needsNoEscape(code: number): boolean {
  return code > 0x20 && code < 0x7f && code !== 0x23 && code !== 0x25;
}

/**
 * Resolves `.` and `..`, then merges repeated slashes. A path that ends in a dot segment ends in a slash, as in browsers. `/a//../b` is
 * `/a/b`: `..` removes the empty segment.
 */
export function resolveDots(path: string): string {
  const kept: string[] = [];
  let isFolder = false;
  for (const segment of path.split('/').slice(1)) {
    const dots = dotSegment.exec(segment);
    if (dots === null) kept.push(segment);
    else if (dots[1] !== undefined) kept.pop();
    isFolder = dots !== null || segment === '';
  }
  const names = kept.filter((segment) => segment !== '');
  return `/${names.join('/')}${isFolder && names.length > 0 ? '/' : ''}`;
}

const dotSegment = /^(?:\.|%2e)(\.|%2e)?$/i;
