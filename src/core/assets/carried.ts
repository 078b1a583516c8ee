import { textFromBase64 } from '../base64.js';
import { maxCarried, maxCarryingText, maxWrapperDepth } from '../limits.js';
import { cleanText } from './clean.js';
import { decoded } from './web/escapes.js';
import { isRawLink, splitLink } from './web/split.js';

/**
 * The whole links in the path, the query and the fragment of a link, on whatever host it is (docs/algorithm.md §6.8). Nobody knows whether
 * that host opens them, unless it is one of `wrappers`, so they are no targets, and a listed one is only a reason to warn.
 */
export function carriedLinks(text: string): readonly string[] {
  if (!mayCarry(text)) return none;
  const { link } = cleanText(text.slice(0, maxCarryingText));
  const split = splitLink(link);
  if (split === null) return none;
  const fragment = link.indexOf('#');
  const rest = fragment < 0 ? '' : link.slice(fragment + 1);
  const [path, query] = isRawLink(split) ? [split.path, split.query ?? ''] : partsOf(split.rest);
  const found = new Set<string>();
  // A link in a path has the query that follows.
  addFrom(path, query === '' ? '' : `?${query}`, found);
  for (const piece of query.split('&')) addFrom(piece, '', found);
  // The fields of an `intent:` end in a semicolon.
  for (const piece of rest.split(/[&;]/)) addFrom(piece, '', found);
  return [...found].slice(0, maxCarried);
}

const none: readonly string[] = [];

/** A cheap test for nearly every link, which takes a hundredth of the time of a check: a carried link has a colon, in some spelling. */
function mayCarry(text: string): boolean {
  return text.indexOf(':', schemeEnd) >= 0 || text.indexOf('HR0c') >= 0 || (text.indexOf('%') >= 0 && colon.test(text));
}

/** Of `https:`. */
const schemeEnd = 6;

const colon = /%(?:25)*3a/i;

/** Of a link with another scheme, such as that of an app. */
function partsOf(rest: string): readonly [string, string] {
  const [front] = rest.split('#', 1) as [string];
  const mark = front.indexOf('?');
  return mark < 0 ? [front, ''] : [front.slice(0, mark), front.slice(mark + 1)];
}

/** Adds the links in a text that may be escaped several times, as a link in a link in a link is. */
function addFrom(given: string, tail: string, found: Set<string>): void {
  let text = given;
  for (let depth = 0; depth < maxWrapperDepth && found.size < maxCarried; depth++) {
    addLinks(text, tail, found);
    const next = decoded(text);
    if (next === text) return;
    text = next;
  }
}

function addLinks(text: string, tail: string, found: Set<string>): void {
  const starts = Array.from(text.matchAll(linkStart), ({ index }) => index);
  for (const [place, start] of starts.entries()) {
    const next = starts[place + 1];
    const link = (next === undefined ? text.slice(start) + tail : text.slice(start, next)).replace(linkEnd, '');
    if (link.length > minLength) found.add(link);
  }
  for (const [digits] of text.matchAll(base64Link)) {
    // A slash is a digit, or what follows in a path.
    const link = textFromBase64(digits) ?? textFromBase64(digits.split('/', 1)[0]!);
    if (link !== null) found.add(link.replace(linkEnd, ''));
  }
}

/** A link at the start of its piece, or behind a mark of links and data; a text that mentions one has a space or a bracket before it. */
const linkStart = /(?<![^/\\=?&#:;,|"'_!])(?:https?|wss?|ftp):[\\/]{2}/gi;

/** What surrounds a link in a list of links or in a JSON text. */
const linkEnd = /[\s"'<>`{}|^].*$|[,;)\]]$/s;

/** `https://` or `http://` in base64. */
const base64Link = /(?<!\w)aHR0c(?:DovL|HM6L)[\w+/-]+/g;

/** Of `http://a`. */
const minLength = 8;
