import { maxPathLength, maxQueryLength } from '../../limits.js';
import { decodeToEnd, escapeBytes } from './escapes.js';

/** Path and query as docs/algorithm.md §4 has them, which began with the public Safe Browsing rules. */

const slash = 0x2f;
const backslash = 0x5c;
const dot = 0x2e;
const questionMark = 0x3f;

/**
 * The canonical path from a raw one, which starts with a slash or is empty: `''` for the root, else `/a/b`, without a slash at
 * the end. `null` past the limit.
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
 * Where a path that begins at `start` and needs no work but for a slash at its end stops: at the first character that may not
 * stand plain in one. -1 for an empty segment, and for one that starts with a dot: only the work tells `/.well-known` from `/..`.
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

/** Where a query that begins at `start` stops: at the first character that may not stand plain in one. */
export function plainQueryEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && isPlain(text.charCodeAt(at))) at++;
  return at;
}

/** The canonical query from what stands behind the `?`; `''` if nothing does, `null` past the limit. */
export function canonicalQuery(raw: string): string | null {
  if (plainQueryEnd(raw, 0) !== raw.length) {
    const bytes = decodeToEnd(raw);
    const query = bytes.length > maxQueryLength ? null : escapeBytes(bytes);
    return query !== null && query.length > maxQueryLength ? null : query;
  }
  return raw.length > maxQueryLength ? null : raw;
}

/** Stands as it is in a canonical path and query. */
function isPlain(code: number): boolean {
  return code > 0x20 && code < 0x7f && code !== 0x23 && code !== 0x25;
}

/**
 * Resolves `.` and `..`, then makes one slash of several; in place. A path that ends in a dot segment ends in a slash, as in
 * browsers. `/a//../b` is `/a/b`: the empty segment is what `..` takes away.
 */
export function resolveDots(bytes: Uint8Array): Uint8Array {
  let end = 0;
  let start = 0;
  for (let at = 0; at <= bytes.length; at++) {
    if (at < bytes.length && bytes[at] !== slash) continue;
    const length = at - start;
    const last = at === bytes.length;
    if (length === 1 && bytes[start] === dot) {
      // Nothing stays of it, and of its slash only what stands before it.
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

/** `end` stands behind a slash; gives the place behind the one before. The root stays. */
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
