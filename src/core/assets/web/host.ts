import { maxHostOctets, maxLabelOctets } from '../../limits.js';
import { decodedOnce } from './escapes.js';
import { mapHost, toAsciiHost } from './idna.js';
import { canonicalIpv4, canonicalIpv6, endsInNumber } from './ip.js';

/**
 * The canonical form of a raw host (no userinfo, no port): lower-case ASCII without empty labels, dotted decimal, or bracketed
 * IPv6. `null` for a host that no list can hold: it cannot be reached from elsewhere, or DNS cannot carry it.
 * `numbersAllowed`: a number without a dot (`2130706433`) is a host only after a scheme or two slashes.
 */
export function canonicalHost(raw: string, numbersAllowed: boolean): string | null {
  if (plainHostEnd(raw, 0) === raw.length) return raw;
  const mapped = mappedHost(raw);
  if (mapped === null) return null;
  if (mapped.charCodeAt(0) === openingBracket) return mapped.endsWith(']') ? canonicalIpv6(mapped.slice(1, -1)) : null;
  const ascii = asciiHost(mapped);
  if (ascii === null) return null;
  let host = withoutEmptyLabels(ascii);
  if (endsInNumber(host)) {
    if (!numbersAllowed && host.indexOf('.') < 0) return null;
    const address = canonicalIpv4(host);
    // To a browser the label before the final dot is empty, so the host does not end in a number.
    if (address !== null || !ascii.endsWith('..')) return address;
    host += '..';
  }
  return isCarriedByDns(host) && host.indexOf('.') >= 0 ? host : null;
}

/** Whether a raw host is a single name such as `localhost`, which only the local network resolves. */
export function isSingleLabel(raw: string): boolean {
  const mapped = mappedHost(raw);
  const host = mapped === null ? null : asciiHost(mapped);
  return host !== null && /^[^.]+\.?$/.test(host) && !endsInNumber(host.replace('.', ''));
}

/** Whether a canonical host is an IP address: only then is its last label a number. */
export function isIpHost(host: string): boolean {
  return host.charCodeAt(0) === openingBracket || endsInNumber(host);
}

/** The host without its leading `www.`, while two labels remain. */
export function withoutWww(host: string): string {
  return host.slice(siteStart(host, 0, host.length));
}

/** Where the host from `start` to `end` continues after its leading `www.`. */
export function siteStart(text: string, start: number, end: number): number {
  // Without `www.`, the host `www.1..` would be read as the address 0.0.0.1.
  if (text.charCodeAt(end - 1) === dot) return start;
  let at = start;
  while (text.startsWith('www.', at)) {
    const next = text.indexOf('.', at + 4);
    if (next < 0 || next >= end) break;
    at += 4;
  }
  return at;
}

const openingBracket = 0x5b;
const dot = 0x2e;

/**
 * The end of a host that begins at `start` and is already canonical, as most are, found in one table-driven pass. -1 for a host that
 * needs the full work, including one whose last label starts with a digit and may be a number.
 */
export function plainHostEnd(text: string, start: number): number {
  let labelStart = start;
  let at = start;
  for (; at < text.length; at++) {
    const kind = hostCharacters[text.charCodeAt(at)];
    if (kind === letter) continue;
    if (kind !== separator) break;
    if (at === labelStart || at - labelStart > maxLabelOctets) return -1;
    labelStart = at + 1;
  }
  if (labelStart === start || at === labelStart || at - labelStart > maxLabelOctets || at - start > maxHostOctets) return -1;
  const first = text.charCodeAt(labelStart);
  return first >= 0x30 && first <= 0x39 ? -1 : at;
}

const letter = 1;
const separator = 2;

/**
 * The characters that WHATWG URL §3.3 forbids in a domain. Braces, quotes and the like are allowed: browsers open such hosts, and DNS
 * wildcards answer.
 */
const forbidden = /[\0- #%/:<>?@[\\\]^|\x7f]/;

/**
 * Whether the host of a link has a character that host names do not have, such as the comma between two cells. Browsers open such a host,
 * but nobody can register it: the text is probably something else.
 *
 * @param expressions Those of one target; the first one of a link decides.
 */
export function hasOddHost(expressions: readonly string[]): boolean {
  for (const expression of expressions) {
    if (expression.indexOf(':') > 0 && otherType.test(expression)) continue;
    return !usualHost.test(expression);
  }
  return false;
}

const usualHost = /^(?:[\w.-]+|\[[\da-f:]+\])(?:\/|$)/;
/** What an expression of another type begins with. */
const otherType = /^[\da-z_]+:/;

/** The kind of an ASCII character in a canonical host; 0 if it has none. */
const hostCharacters: Uint8Array = /* @__PURE__ */ Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (character === '.') return separator;
  // A comma is between words, which may be those of a recovery phrase.
  if (character === ',') return 0;
  return forbidden.test(character) || /[A-Z]/.test(character) ? 0 : letter;
});

/**
 * The host with its escapes decoded once, in lower case and mapped. The mapping can create percent signs (from U+FF05), which begin
 * escapes too, and which Chromium decodes after Punycode. Each further round needs three times as many characters, so a few rounds always
 * suffice.
 */
function mappedHost(raw: string): string | null {
  let host: string | null = raw;
  for (let round = 0; round < maxMappings && host !== null; round++) {
    if (host.indexOf('%') >= 0) host = decodedOnce(host);
    if (host === null || isAscii(host)) return host === null ? null : host.toLowerCase();
    host = mapHost(host);
    if (host !== null && host.indexOf('%') < 0) return host;
    host = host === null ? null : toAsciiHost(host);
  }
  return null;
}

/** 3^8 is more than the length of any host. */
const maxMappings = 8;

/** Lower-case ASCII of a mapped host; `null` if it has a forbidden character. */
function asciiHost(mapped: string): string | null {
  const ascii = isAscii(mapped) ? mapped : toAsciiHost(mapped);
  return ascii === null || forbidden.test(ascii) ? null : ascii;
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

/** Removes leading and trailing dots and merges repeated ones. */
export function withoutEmptyLabels(host: string): string {
  return host
    .split('.')
    .filter((label) => label !== '')
    .join('.');
}

function isCarriedByDns(host: string): boolean {
  return host.length <= maxHostOctets && host.split('.').every((label) => label.length <= maxLabelOctets);
}
