import { siteStart } from '../assets/web/host.js';
import { maxHostSuffixes, maxPathPrefixes } from '../limits.js';

/**
 * The expressions of a canonical link inside a text, most specific first (docs/algorithm.md §5). The host extends from `start` to
 * `hostEnd`, the path to `pathEnd`, and the query to `end`; without a query, `end` is `pathEnd`. Every expression is a slice of the
 * text.
 */
export function linkExpressions(
  text: string,
  start: number,
  hostEnd: number,
  pathEnd: number,
  end: number,
  isIp: boolean,
): string[] {
  const expressions: string[] = [];
  const site = siteStart(text, start, hostEnd);
  if (end > pathEnd) expressions.push(text.slice(site, end));
  if (pathEnd > hostEnd) addPages(text, site, hostEnd, pathEnd, expressions);
  if (isIp) expressions.push(text.slice(start, hostEnd));
  else addHosts(text, start, site, hostEnd, expressions);
  return expressions;
}

/** The full path, then its first segments, longest first. */
function addPages(text: string, site: number, hostEnd: number, pathEnd: number, expressions: string[]): void {
  expressions.push(text.slice(site, pathEnd));
  const first = expressions.length;
  let end = text.indexOf('/', hostEnd + 1);
  for (let count = 0; end >= 0 && end < pathEnd && count < maxPathPrefixes; count++) {
    expressions.push(text.slice(site, end));
    end = text.indexOf('/', end + 1);
  }
  reverseFrom(expressions, first);
}

/**
 * The exact host, then its suffixes of at most eleven and at least two labels, longest first. If the host without `www.` has more
 * labels than that, it replaces the exact host, because lists hold hosts without `www.`.
 */
function addHosts(text: string, start: number, site: number, end: number, expressions: string[]): void {
  const first = expressions.length;
  expressions.push(text.slice(start, end));
  // Two trailing dots belong to the last label, which is then a number (docs/algorithm.md §3.4).
  const last = text.charCodeAt(end - 1) === fullStop ? end - 2 : end;
  // A loop takes half the time of `lastIndexOf` on labels of this length.
  let dots = 0;
  for (let at = last - 1; at > start; at--) {
    if (text.charCodeAt(at) !== fullStop || ++dots === 1) continue;
    if (dots > maxHostSuffixes + 1) {
      if (site <= at + 1) expressions[first] = text.slice(site, end);
      break;
    }
    expressions.push(text.slice(at + 1, end));
  }
  reverseFrom(expressions, first + 1);
}

/** In place and in a loop, because copying a part of an array costs more than a check should. */
function reverseFrom(list: string[], first: number): void {
  for (let low = first, high = list.length - 1; low < high; low++, high--) {
    const kept = list[low]!;
    list[low] = list[high]!;
    list[high] = kept;
  }
}

const fullStop = 0x2e;
