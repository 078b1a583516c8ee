import { isKey } from '../assets/secrets.js';
import { hostEnd, isWideDot, portEnd, tailEnd, trimmed } from './bounds.js';
import {
  alphanumeric,
  atSign,
  digit,
  dot,
  ender,
  kindAt,
  kinds,
  letter,
  mark,
  nameParts,
  nameStart,
  sign,
  unspaced,
} from './characters.js';

/** Reads what stands from `start` to `end`, and says whether it is anything, or anything but a link. */
export type Read = (start: number, end: number, noLink?: boolean) => boolean;

/**
 * Cuts a refanged text at everything that may be a link, an address, a mailbox or a telephone number and has each piece read, in order and
 * without overlap (docs/finding.md). It only goes forwards: what was tried is tried again at most a bounded number of times, and no
 * piece is longer than `maxPieceLength`, so that any text takes linear time.
 */
export function scan(text: string, read: Read): void {
  /** Up to here a URI was tried in vain, and none is tried again. */
  let triedUntil = 0;

  /** Where the word began that `at` stands in or behind. */
  let word = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    const kind = kinds[code]!;
    // Nearly all of a text is words: letters, and what ends them.
    if (kind === letter) at++;
    else if (at - word < minLettersLength && endsWord(kind, code)) word = at += isFirstHalf(kind, code) ? 2 : 1;
    else if (at > word || (kind & nameStart) !== 0) word = at = readName(word);
    else word = at = isPlus(code) ? readPhone(at) : at + 1;
  }
  if (at - word >= minLettersLength) readToken(word, at);

  /** Not so a dot or a colon that something follows. */
  function endsWord(kind: number, code: number): boolean {
    if (code === colon || code === fullStop) return kindAt(text, at + 1) === ender;
    return (kind & nameParts) === 0 && !(at === word && isPlus(code));
  }

  // Each of these returns where the search goes on.

  /** A run of what names are made of; what it is, is told by what is in it and behind it. */
  function readName(from: number): number {
    let start = from;
    let end = from;
    let seen = 0;
    let before = 0;
    for (; end < text.length; end++) {
      const code = text.charCodeAt(end);
      const kind = kinds[code]!;
      if ((kind & nameParts) === 0 || (kind === dot && text.charCodeAt(end + 1) === fullStop)) break;
      // Where prose without spaces meets a name, one of them ends.
      if (kind === unspaced && (before & alphanumeric) !== 0) break;
      if (before === unspaced && (kind & (alphanumeric | mark)) !== 0) {
        if (code === plus) break;
        start = end;
        seen = 0;
      }
      seen |= kind;
      before = kind;
    }
    // A piece begins with a letter or a digit, also behind prose that ends without a space.
    while (start < end && (kindAt(text, start) & nameStart) === 0) start++;
    if (text.charCodeAt(end) === colon) {
      const next = readScheme(start, end);
      if (next > end) return next;
    }
    // `e.g` and `4.12` are in every text.
    const minLength = (seen & (letter | unspaced)) === 0 && text.charCodeAt(start) !== zero ? minIpv4Length : minBareLength;
    if ((seen & (dot | atSign)) !== 0) return end - start < minLength ? end : readBare(start, end);
    if (text.charCodeAt(end) === slash) {
      tonAddress.lastIndex = start;
      if (tonAddress.test(text) && read(start, tonAddress.lastIndex)) return tonAddress.lastIndex;
    }
    if ((seen & digit) !== 0 || end - start >= minLettersLength) readToken(start, end);
    return end;
  }

  /** The link or the URI whose scheme stands here; `end`, which is its colon, if it is none. */
  function readScheme(start: number, end: number): number {
    const slashes = afterSlashes(text, end + 1);
    // Of `Clickhttps://` the end is a scheme.
    const web = slashes > end + 1 ? webScheme.exec(text.slice(Math.max(start, end - maxWebSchemeLength), end)) : null;
    if (web !== null) return readLink(end - web[0].length, slashes);
    // `10:30` is in every text.
    if (end < triedUntil || end - start > maxSchemeLength || (kindAt(text, start) === digit && end - start > 1)) return end;
    const isUri = text.startsWith('//', end + 1) || opaqueSchemes.has(text.slice(start, end).toLowerCase());
    if (!isUri) return end;
    const tail = tailEnd(text, end + 1, text.charCodeAt(start - 1));
    const stop = trimmed(text, start, tail.end);
    if (stop > slashes && read(start, bounded(start, stop))) return tail.next;
    triedUntil = tail.next;
    return end;
  }

  /** A link behind its scheme and slashes: userinfo up to the last `@`, host, port, and what follows them at once. */
  function readLink(start: number, authority: number): number {
    let host = authority;
    let hasDot = false;
    let stop = authority;
    for (; stop < text.length; stop++) {
      const code = text.charCodeAt(stop);
      if (code === openSquare && stop === host) {
        const close = text.slice(stop, stop + maxIpv6Length).indexOf(']');
        if (close < 0) break;
        stop += close;
      } else if (authorityEnds.has(code) || (kinds[code] === ender && (hasDot || !isWideDot(text, stop)))) break;
      else if (code === atChar) {
        host = stop + 1;
        hasDot = false;
      } else if (code === fullStop) hasDot = true;
    }
    const end = portEnd(text, hostEnd(text, host, stop));
    const hasTail = end === stop && (isSlash(text.charCodeAt(end)) || startsTail(text.charCodeAt(end)));
    const tail = hasTail ? tailEnd(text, end, text.charCodeAt(start - 1)) : { end, next: end };
    const last = trimmed(text, start, tail.end);
    // Without a dot in any spelling, a number or an address it is no host that can be reached from elsewhere.
    if (mayBeReached.test(text.slice(host, Math.min(end, host + maxHostLength)))) read(start, bounded(start, last));
    return Math.max(tail.next, authority);
  }

  /** A run with dots or an `@`: a link without a scheme, a mailbox, or an address that a sentence goes on behind. */
  function readBare(start: number, runEnd: number): number {
    const isInPath = isSlash(text.charCodeAt(start - 1)) && !isSlash(text.charCodeAt(start - 2));
    if (isInPath || runEnd - start > maxBareLength) return runEnd;
    let end = runEnd;
    for (let tries = 0; tries < 3; tries++) {
      while (end > start && (kindAt(text, end - 1) & nameStart) === 0) end--;
      const run = text.slice(start, end);
      const userEnd = run.lastIndexOf('@');
      const from = userEnd < 0 ? Math.max(run.lastIndexOf('+'), run.lastIndexOf('%')) + 1 : 0;
      if (isHost(run.slice(Math.max(userEnd + 1, from)))) {
        if (run.split(/[.@]/).some((name) => isKey(name, false))) return runEnd;
        const first = run.indexOf('.');
        if (first === run.lastIndexOf('.') && first >= minAddressLength && readToken(start, start + first)) return start + first;
        return readLinkWithoutScheme(start + from, end, runEnd);
      }
      if (userEnd < 0) break;
      end = start + userEnd;
    }
    // Hedera writes accounts as numbers with dots.
    if (text.startsWith('0.0.', start)) read(start, end, true);
    else if (text.slice(start, end).indexOf('.') < 0) readToken(start, end);
    return runEnd;
  }

  function readLinkWithoutScheme(start: number, end: number, runEnd: number): number {
    const port = end === runEnd ? portEnd(text, end) : end;
    const hasTail = end === runEnd && startsTail(text.charCodeAt(port));
    const tail = hasTail ? tailEnd(text, port, text.charCodeAt(start - 1)) : { end: port, next: Math.max(port, runEnd) };
    read(start, bounded(start, trimmed(text, start, tail.end)));
    return tail.next;
  }

  /** What has the length of an address, or of an id that identifies itself. */
  function readToken(start: number, runEnd: number): boolean {
    let end = runEnd;
    while (end > start && (kindAt(text, end - 1) & nameStart) === 0) end--;
    return end - start >= minTokenLength && end - start <= maxTokenLength && read(start, end);
  }

  /** `+` and up to fifteen digits in groups; the longest that reads, because a number of something else may follow. */
  function readPhone(start: number): number {
    const isStart = (kindAt(text, start - 1) & alphanumeric) === 0;
    const ends: number[] = [];
    let digits = 0;
    for (let end = start + 1, gap = 0; isStart && digits <= maxPhoneDigits && gap <= maxPhoneGap; end++) {
      if (kindAt(text, end) === digit) {
        digits++;
        gap = 0;
        continue;
      }
      if (gap === 0 && digits >= minPhoneDigits && (kindAt(text, end) & alphanumeric) === 0) ends.push(end);
      if (!phoneGaps.has(text.charCodeAt(end))) break;
      gap++;
    }
    for (const last of ends.reverse()) if (read(start, last)) return last;
    return start + 1;
  }
}

function bounded(start: number, end: number): number {
  return Math.min(end, start + maxPieceLength);
}

/** Of an emoji, whose other half would be taken for a letter. */
function isFirstHalf(kind: number, code: number): boolean {
  return kind === sign && code >= firstSurrogate;
}

function isPlus(code: number): boolean {
  return code === plus || code === 0xff0b;
}

function isSlash(code: number): boolean {
  return code === 0x2f || code === 0x5c;
}

/** Behind a host: a path, a query, a fragment. */
function startsTail(code: number): boolean {
  return code === 0x2f || code === 0x3f || code === 0x23;
}

function afterSlashes(text: string, start: number): number {
  let at = start;
  while (isSlash(text.charCodeAt(at))) at++;
  return at;
}

/**
 * Whether a host without a scheme looks like one: two labels or more, of which the last is of letters, of one script or Punycode, or four
 * numbers. No list says which top-level domains there are: it would be old tomorrow, and a word too many costs one hash. What a numbered
 * list of words looks like, `1.abandon`, is none: a recovery phrase is written so.
 */
function isHost(name: string): boolean {
  if (ipv4.test(name)) return true;
  return (
    topLevel.test(name.slice(name.lastIndexOf('.') + 1)) && name.indexOf('.') > 0 && !/[%+]/.test(name) && !numbered.test(name)
  );
}

const ipv4 = /^(?:\d{1,3}\.){3}\d{1,3}$/;
const topLevel = /^(?:[a-z]{2,63}|xn--[a-z\d-]{1,59}|[^\0-\x7f]{1,63})$/i;
const numbered = /^\d{1,2}\.[^.]*$/;

/** `http`, also where a word stands right in front of it, and what people make of it so that it does not open. */
const webScheme = /(?:h[tx]{2}ps?|^wss?|^f[tx]p)$/i;
/** One more than the longest, so that `news` is not `ws`. */
const maxWebSchemeLength = 6;

/** `ms-windows-store`, `chrome-extension`, and twice that. */
const maxSchemeLength = 32;

/**
 * Schemes that need no `//` behind their colon. Any other name with a colon is a word in front of something: `Address:0x…`. Also `git@`, and the
 * `0:` of a TON account.
 */
const opaqueSchemes: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ '0 acct bitcoin bitcoincash blob callto did ecash eip155 ens eth ethereum facetime fdroid.app filesystem git@github.com ipfs ipns kaspa mailto nostr pkg sip sips sms smsto solana tel tg ton tron web3 whatsapp xmpp'.split(
    ' ',
  ),
);

/** UTF-16 units of one piece. No expression holds more of a link: a path and a query of 16,384 each (docs/algorithm.md §4.4). */
const maxPieceLength: number = 2 * 16_384;

/** `a.bc`, and `1.2.3.4` where there are no letters. */
const minBareLength = 4;
const minIpv4Length = 7;

/** A host of 253 octets and a mailbox of 64, and some room for what is in front. */
const maxBareLength = 512;

const mayBeReached = /[.%\d[\x80-\uffff]/;

/** A host has 253 octets; in escapes, three times as many characters, and more of those that vanish. */
const maxHostLength = 2_048;

/** Brackets, 45 characters, and a zone that nobody can use. */
const maxIpv6Length = 64;

/** The shortest id that identifies itself has 17 characters, the shortest address with letters and digits alone 25. */
const minTokenLength = 17;
const minAddressLength = 25;
/** Zcash's unified addresses have a few hundred. */
const maxTokenLength = 512;
/** Of letters alone: the ids of Chrome's extensions have 32, and of 32 to 44 characters of base58 one in a thousand has no digit. */
const minLettersLength = 32;

/** Alone among addresses it may hold a slash: 36 bytes in base64, of which the first is one of four. */
const tonAddress = /[EUk0][\w+/-]{47}(?![\w+/-])/y;

/** E.164. */
const minPhoneDigits = 7;
const maxPhoneDigits = 15;
/** `) ` */
const maxPhoneGap = 2;

const codesOf = (characters: string): ReadonlySet<number> => new Set([...characters].map((character) => character.charCodeAt(0)));

const phoneGaps: ReadonlySet<number> = /* @__PURE__ */ codesOf(
  ' -./()\xa0\u2009\u2010\u2011\u2012\u2013\u2014\u2015\u202f\u3000',
);
const authorityEnds: ReadonlySet<number> = /* @__PURE__ */ codesOf('/\\?#()[]{}');

const plus = 0x2b;
const fullStop = 0x2e;
const slash = 0x2f;
const zero = 0x30;
const colon = 0x3a;
const atChar = 0x40;
const openSquare = 0x5b;
const firstSurrogate = 0xd800;
