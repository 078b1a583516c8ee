import { maxPathLength, maxQueryLength } from '../../limits.js';
import { decodeToEnd, escapeBytes } from './escapes.js';

/** Path and query by docs/algorithm.md §4, whose rules come from the public Safe Browsing rules. */

const slash = 0x2f;
const backslash = 0x5c;
const dot = 0x2e;
const questionMark = 0x3f;

/**
 * The canonical form of a raw path, which starts with a slash or is empty: `''` for the root, else `/a/b` without a final slash.
 * `null` if it exceeds the limit.
 */
export function canonicalPath(raw: string): string | null {
  if (plainPathEnd(raw, 0) === raw.length) {
    const end = raw.charCodeAt(raw.length - 1) === slash ? raw.length - 1 : raw.length;
    return end > maxPathLength ? null : raw.slice(0, end);
  }
  const bytes = decodeToEnd(raw);
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === backslash) bytes[at] = slash;
  const resolved = resolveDots(bytes);
  const end = resolved[resolved.length - 1] === slash ? resolved.length - 1 : resolved.length;
  if (end > maxPathLength) return null;
  const path = escapeBytes(resolved.subarray(0, end), questionMark);
  return path.length > maxPathLength ? null : path;
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
    if (!isPlain(code) || code === questionMark || code === backslash) break;
    if (previous === slash && (code === slash || code === dot)) return -1;
    previous = code;
  }
  return at;
}

/** The end of a query that begins at `start`: the first character that is not plain in a query. */
export function plainQueryEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && isPlain(text.charCodeAt(at))) at++;
  return at;
}

/** The canonical form of the text after the `?`; `null` if it exceeds the limit. */
export function canonicalQuery(raw: string): string | null {
  if (plainQueryEnd(raw, 0) !== raw.length) {
    const bytes = decodeToEnd(raw);
    const query = bytes.length > maxQueryLength ? null : escapeBytes(bytes);
    return query !== null && query.length > maxQueryLength ? null : query;
  }
  return raw.length > maxQueryLength ? null : raw;
}

/** Needs no escape in a canonical path or query. */
function isPlain(code: number): boolean {
  return code > 0x20 && code < 0x7f && code !== 0x23 && code !== 0x25;
}

/**
 * Resolves `.` and `..`, then makes one slash of several; in place. A path that ends in a dot segment ends in a slash, as in
 * browsers. `/a//../b` is `/a/b`: `..` removes the empty segment.
 */
export function resolveDots(bytes: Uint8Array): Uint8Array {
  let end = 0;
  let start = 0;
  for (let at = 0; at <= bytes.length; at++) {
    if (at < bytes.length && bytes[at] !== slash) continue;
    const length = at - start;
    const last = at === bytes.length;
    if (length === 1 && bytes[start] === dot) {
      // A dot segment is dropped together with the slash after it.
    } else if (length === 2 && bytes[start] === dot && bytes[start + 1] === dot) {
      end = parentEnd(bytes, end);
    } else {
      bytes.copyWithin(end, start, at);
      end += length;
      if (!last) bytes[end++] = slash;
    }
    start = at + 1;
  }
  return collapseSlashes(bytes.subarray(0, end));
}

/** From a position after a slash, the position after the previous slash. The root stays. */
function parentEnd(bytes: Uint8Array, end: number): number {
  let at = end - 1;
  while (at > 0 && bytes[at - 1] !== slash) at--;
  return at > 0 ? at : end > 0 ? 1 : 0;
}

function collapseSlashes(bytes: Uint8Array): Uint8Array {
  let end = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== slash || at === 0 || bytes[at - 1] !== slash) bytes[end++] = bytes[at]!;
  }
  return bytes.subarray(0, end);
}
