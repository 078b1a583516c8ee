import { textFromBase64 } from '../base64.js';
import { maxCarried, maxCarryingText, maxWrapperDepth } from '../limits.js';
import { cleanText } from './clean.js';
import { decoded } from './web/escapes.js';
import { isRawLink, splitLink } from './web/split.js';

/**
 * The whole links in the path, the query and the fragment of a link, on whatever host it is (docs/algorithm.md §6.8). It is not known whether
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
  for (const piece of `${query}&${rest}`.split(/[&;]/)) addFrom(piece, '', found);
  return [...found].slice(0, maxCarried);
}

const none: readonly string[] = [];

/** A cheap test for nearly every link, which takes a hundredth of the time of a check: what begins a carried link, in some spelling. */
function mayCarry(text: string): boolean {
  return (
    text.indexOf(':', schemeEnd) >= 0 ||
    text.indexOf('=//') >= 0 ||
    text.indexOf('\\') >= 0 ||
    text.indexOf('HR0c') >= 0 ||
    (text.indexOf('%') >= 0 && escapedMark.test(text))
  );
}

/** The end of `https:` at the start of the text. */
const schemeEnd = 6;

const escapedMark = /%(?:25)*(?:3a|2f|5c)/i;

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
    if (mayBegin.test(text)) addLinks(text, tail, found);
    const next = decoded(text);
    if (next === text) return;
    text = next;
  }
}

/** A cheap test for what begins a link, or hides its beginning. */
const mayBegin = /[:\\\t\n\r]|\/\/|HR0c/;

function addLinks(given: string, tail: string, found: Set<string>): void {
  // Browsers drop tabs and line ends in an address, and white space in front of it.
  const text = given.replace(/[\t\n\r]/g, '').replace(whiteStart, '$1');
  const starts = Array.from(text.matchAll(linkStart), ({ index }) => index);
  for (const [place, start] of starts.entries()) {
    const next = starts[place + 1];
    found.add((next === undefined ? text.slice(start) + tail : text.slice(start, next)).replace(linkEnd, ''));
  }
  for (const [digits] of text.matchAll(base64Link)) {
    // A slash is a digit, or what follows in a path.
    const link = textFromBase64(digits) ?? textFromBase64(digits.split('/', 1)[0]!);
    if (link !== null) found.add(link.replace(linkEnd, ''));
  }
}

/** At the start of a piece or a value. */
const whiteStart = /(^|=)[\s+]+/g;

/**
 * A scheme with any number of slashes, as browsers read it, or two slashes at the start of a value. In a text that mentions a link, a letter, a
 * space, a bracket or a mark of Markdown is before it.
 */
const linkStart = /(?:(?<![a-z\d\s+([{<>*`\x80-\uffff])(?:https?|wss?|ftp):[\\/]*|(?<==)[\\/]{2,})(?=[^\s\\/&=:,"'])/gi;

/** What surrounds a link in a list of links or in a JSON text. */
const linkEnd = /[\s"'<>`{}|^].*$|[,;)\]]$/s;

/** `https://` or `http://` in base64. */
const base64Link = /(?<!\w)aHR0c(?:DovL|HM6L)[\w+/-]+/g;
