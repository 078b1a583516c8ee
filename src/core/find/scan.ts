import { isKey } from '../assets/secrets.js';
import { afterSlashes, isSlash } from '../assets/web/split.js';
import {
  hostEnd,
  isAfterEscape,
  isInPath,
  isJoining,
  isSquared,
  isWideDot,
  portEnd,
  proseEnd,
  startsTail,
  tailEnd,
  trimmed,
} from './bounds.js';
import { type Certainty, certaintyOf } from './certainty.js';
import {
  alphanumeric,
  atSign,
  digit,
  dot,
  ender,
  isFirstHalf,
  kindAt,
  kinds,
  letter,
  mark,
  nameParts,
  nameStart,
  sign,
  unspaced,
} from './characters.js';
import { escapedSlashesEnd, escapeEnd, isBreakingEscape, valueEnd } from './escaped-pieces.js';
import {
  hostLength,
  type IsTopLevelDomain,
  looksLikeHost,
  maxBareLength,
  sameLength,
  shorterLength,
  userHostEnd,
} from './names.js';
import { isUriScheme, schemeStart, webSchemeLength } from './schemes.js';

/**
 * Reads the text from `start` to `end`. Returns whether it is an asset, or, with `noLink`, an asset other than a link. `shorterEnd` is
 * where the link ends if its last labels are words of the next sentence, and `shorterStart` where it starts if its first letter is that of
 * an escape.
 */
export type Read = (
  start: number,
  end: number,
  how?: Certainty | 'noLink',
  shorterEnd?: number,
  shorterStart?: number,
) => boolean;

/**
 * Finds everything in a refanged text that may be a link, an address, an email address or a telephone number and reads each piece, in
 * order and without overlap (docs/finding.md). It only moves forward, retries a piece a bounded number of times, and limits a piece to
 * `maxPieceLength`, so that any text takes linear time.
 */
export function scan(text: string, read: Read, isTopLevelDomain?: IsTopLevelDomain): void {
  /** Up to here a URI was tried without success, so none is tried again before this position. */
  let triedUntil = 0;
  /** The same for an escaped link. */
  let escapedUntil = 0;
  /** Up to here a browser still reads the authority of the link before: a dash of prose may be part of a user's name. */
  let authorityUntil = 0;

  /** Start of the word at or before `at`. */
  let word = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    const kind = kinds[code]!;
    // Most of a text is words: letters and the characters that end them.
    if (kind === letter) at++;
    else if (at - word < minLettersLength && endsWord(kind, code)) word = at += isFirstHalf(kind, code) ? 2 : 1;
    else if (at > word || (kind & nameStart) !== 0 || startsOddly(at, kind)) word = at = readName(word);
    else if (code === percent) word = at = Math.max(at + 1, escapeEnd(text, at));
    else word = at = isPlus(code) ? readPhone(at) : at + 1;
  }
  if (at - word >= minLettersLength) readToken(word, at);

  /** A dot or a colon ends a word only if nothing follows it. */
  function endsWord(kind: number, code: number): boolean {
    if (code === colon || code === fullStop) return kindAt(text, at + 1) === ender;
    if ((kind & nameParts) !== 0 || (at === word && isPlus(code))) return false;
    return code < firstWide || !(isJoining(text, at) || isSquared(text, at));
  }

  /** `%65` in a name and a letter in a square are letters to a browser. */
  function startsOddly(from: number, kind: number): boolean {
    if (kind === sign) return isSquared(text, from);
    return text.charCodeAt(from) === percent && escapeEnd(text, from) > from && !isBreakingEscape(text, from);
  }

  // Each of these returns where the search continues.

  /** Reads a run of name characters. Its characters and the one after it decide what it can be. */
  function readName(from: number): number {
    if (isPlus(text.charCodeAt(from + 1)) && isAfterEscape(text, from)) return from + 1;
    let start = from;
    let end = from;
    let seen = 0;
    let before = 0;
    for (; end < text.length; end++) {
      const code = text.charCodeAt(end);
      const kind = kinds[code]!;
      if ((kind & nameParts) === 0) {
        if (!isSquared(text, end)) break;
        end++;
      } else if (kind === dot && text.charCodeAt(end + 1) === fullStop) break;
      else if (kind === mark && code === percent) {
        if (isBreakingEscape(text, end)) break;
        // It may be a dot.
        seen |= dot;
      }
      // Prose in a script without spaces and a name right after it are two pieces.
      if (kind === unspaced && (before & alphanumeric) !== 0) break;
      if (before === unspaced && (kind & (alphanumeric | mark)) !== 0) {
        if (code === plus) break;
        start = end;
        seen = 0;
      }
      seen |= kind;
      before = kind;
    }
    // A piece begins with a letter or a digit, even after prose without a space.
    while (start < end && (kindAt(text, start) & nameStart) === 0 && !startsOddly(start, kindAt(text, start))) start++;
    const stop = text.charCodeAt(end);
    if (stop === colon || stop === percent) {
      const next = readScheme(start, end);
      if (next > end) return next;
    }
    if (stop >= firstWide && (seen & dot) === 0 && isJoining(text, end)) {
      const next = readWideDots(start);
      if (next > end) return next;
    }
    // Texts are full of `e.g` and `4.12`.
    const minLength = (seen & (letter | unspaced)) === 0 && text.charCodeAt(start) !== zero ? minIpv4Length : minBareLength;
    if ((seen & (dot | atSign)) !== 0) return end - start < minLength ? end : readBare(start, end);
    if (text.charCodeAt(end) === slash) {
      tonAddress.lastIndex = start;
      if (tonAddress.test(text) && read(start, tonAddress.lastIndex)) return tonAddress.lastIndex;
    }
    if ((seen & digit) !== 0 || end - start >= minLettersLength) readToken(start, end);
    return end;
  }

  /** Reads the link or URI whose scheme this is; returns `end`, the position of the colon, if it is neither. */
  function readScheme(name: number, end: number): number {
    const start = schemeStart(text, name, end, isTopLevelDomain);
    const isEscaped = text.charCodeAt(end) === percent || text.charCodeAt(end + 1) === percent;
    const escaped = isEscaped ? escapedSlashesEnd(text, end) : end;
    const slashes = escaped > end ? escaped : afterSlashes(text, end + 1);
    // `Clickhttps://` ends in a scheme.
    const first = isAfterEscape(text, start) ? start + 1 : start;
    const web = slashes > end + 1 ? webSchemeLength(text, first, end) : 0;
    if (web > 0) return (escaped > end ? readEscapedLink : readLink)(end - web, slashes);
    if (text.charCodeAt(end) !== colon) return end;
    if (end < triedUntil || !isUriScheme(text, start, first, end)) return end;
    const tail = tailEnd(text, end + 1, start);
    const stop = trimmed(text, start, tail.end);
    if (stop > slashes && first > start && read(first, bounded(first, stop))) return tail.next;
    if (stop > slashes && read(start, bounded(start, stop))) return tail.next;
    triedUntil = tail.next;
    return end;
  }

  /**
   * Reads a link after its scheme and slashes: userinfo up to the last `@`, host, port, and the path, query or fragment right after them.
   */
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
      } else if (kinds[code] === dot) hasDot = true;
    }
    authorityUntil = proseEnd(text, stop);
    const nameEnd = hostEnd(text, host, stop);
    const end = portEnd(text, nameEnd);
    const hasTail = end === stop && (isSlash(text.charCodeAt(end)) || startsTail(text.charCodeAt(end)));
    const tail = hasTail ? tailEnd(text, end, start) : { end, next: end };
    const last = trimmed(text, start, tail.end);
    const hostLast = Math.min(last, nameEnd, host + maxBareLength);
    const name = text.slice(host, hostLast);
    const shorter = shorterLength(sameLength(name), name, last > hostLast, isTopLevelDomain);
    const other = shorter > 0 ? host + shorter : userHostEnd(text, authority, host, isTopLevelDomain);
    // Only a host with a dot in any spelling, a number or a bracket can be reached from elsewhere.
    const isReachable = mayBeReached.test(text.slice(host, Math.min(last, host + maxHostLength)));
    if (isReachable && read(start, bounded(start, last), 'explicit', other)) return Math.max(tail.next, authority);
    // What follows the user name of an unreadable link is text: `https://evil.example;evil.com@admin`.
    if (other > 0 && read(start, other)) return other;
    return Math.max(tail.next, authority);
  }

  /** Reads a link that is the value of a parameter. */
  function readEscapedLink(start: number, from: number): number {
    if (start < escapedUntil) return from;
    escapedUntil = valueEnd(text, from);
    return read(start, bounded(start, trimmed(text, start, escapedUntil))) ? escapedUntil : from;
  }

  /** Reads a host without a scheme whose dots are all `。` or its variants. It is weak, because they mostly end a sentence. */
  function readWideDots(start: number): number {
    wideDots.lastIndex = start;
    if (isTopLevelDomain === undefined || !wideDots.test(text)) return start;
    const end = wideDots.lastIndex;
    const name = text.slice(start, end);
    return hostLength(sameLength(name), name, isTopLevelDomain) === name.length && read(start, end, 'weak') ? end : start;
  }

  /**
   * Reads a run with dots or an `@`: a link without a scheme, an email address, or an address followed by the rest of a sentence.
   */
  function readBare(start: number, runEnd: number): number {
    if (isInPath(text, start) || runEnd - start > maxBareLength) return runEnd;
    // `evil.com+more` and `100%evil.com`: in a host is neither, before an `@` both may be.
    let end = runEnd;
    while (end > start && (kindAt(text, end - 1) & nameStart) === 0) end--;
    const whole = sameLength(text.slice(start, end));
    const stray = whole.indexOf('.') >= 0 && whole.indexOf('@') < 0 ? whole.search(/[%+]/) : -1;
    if (stray >= 0) {
      if (stray >= minBareLength) readBare(start, start + stray);
      return readBare(start + stray + 1, runEnd);
    }
    for (let tries = 0; tries < 3; tries++) {
      while (end > start && (kindAt(text, end - 1) & nameStart) === 0) end--;
      const run = sameLength(text.slice(start, end));
      const userEnd = run.lastIndexOf('@');
      const host = start + userEnd + 1;
      const length = hostLength(run.slice(host - start), text.slice(host, end), isTopLevelDomain);
      const first = run.indexOf('.');
      const isPair = first >= minAddressLength && first === run.lastIndexOf('.');
      if (isPair && looksLikeHost(run) && readToken(start, start + first)) return start + first;
      if (length > 0) {
        if (run.length >= minKeyLength && run.split(/[.@]/).some((name) => isKey(name, false))) return runEnd;
        return readLinkWithoutScheme(start, host, host + length, runEnd);
      }
      // A name of another system, such as `name.near`.
      if (userEnd < 0 && looksLikeHost(run) && read(host, end, 'noLink')) return runEnd;
      if (userEnd < 0) break;
      end = start + userEnd;
    }
    // Hedera writes accounts as numbers with dots.
    if (text.startsWith('0.0.', start)) read(start, end, 'noLink');
    else if (text.slice(start, end).indexOf('.') < 0) readToken(start, end);
    return runEnd;
  }

  /** `start` is before the local part of an email address. */
  function readLinkWithoutScheme(start: number, host: number, end: number, runEnd: number): number {
    const port = end === runEnd ? portEnd(text, end) : end;
    // JSON may write a slash with a backslash.
    const hasTail = end === runEnd && (startsTail(text.charCodeAt(port)) || text.startsWith('\\/', port));
    const whole = hasTail ? tailEnd(text, port, start) : { end: port, next: Math.max(port, runEnd) };
    // Linkifiers open the link behind a host without a scheme: `good.example/https://evil.example`.
    const inner = hasTail ? text.slice(port, whole.end).search(innerLink) + 1 : 0;
    const tail = inner === 0 ? whole : { end: port + inner, next: port + inner };
    const certainty = host > start ? 'explicit' : certaintyOf(text, start, end, runEnd);
    const name = text.slice(host, end);
    const shorter = tail.end === end ? shorterLength(sameLength(name), name, false, isTopLevelDomain) : 0;
    const last = bounded(start, trimmed(text, start, tail.end));
    if (isAfterEscape(text, start)) read(start, last, certainty, shorter > 0 ? host + shorter : last, start + 1);
    else if (start < authorityUntil && host > start && tail.end === end)
      read(start, last, certainty, shorter > 0 ? host + shorter : end, host);
    else read(start, last, certainty, shorter > 0 ? host + shorter : 0);
    return tail.next;
  }

  /** A word as long as an address or a self-describing id. */
  function readToken(start: number, runEnd: number): boolean {
    let end = runEnd;
    while (end > start && (kindAt(text, end - 1) & nameStart) === 0) end--;
    if (end - start < minTokenLength || end - start > maxTokenLength) return false;
    return (isAfterEscape(text, start) && read(start + 1, end)) || read(start, end);
  }

  /** Reads `+` and up to fifteen digits in groups, and keeps the longest telephone number, because another number may follow. */
  function readPhone(start: number): number {
    const isStart = (kindAt(text, start - 1) & alphanumeric) === 0 || isAfterEscape(text, start - 1);
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

function isPlus(code: number): boolean {
  return code === plus || code === 0xff0b;
}

/** Up to six labels with wide dots between them; the limit keeps the search linear. */
const wideDots =
  /[\w\u00c0-\u0dff\uff10-\uff5a-]{1,63}(?:[\u3002\uff61][\w\u00c0-\u0dff\uff10-\uff5a-]{1,63}){1,5}(?![\w.\u3002\uff61])/y;

/** Not the value of a parameter, which its site may open. */
const innerLink = /[^=](?:h[tx]{2}ps?|f[tx]p):\/\//i;

/** UTF-16 units of one piece. A link has at most 16,384 of path and of query in its expressions (docs/algorithm.md §4.4). */
const maxPieceLength: number = 2 * 16_384;

/** `a.bc`, and `1.2.3.4` where there are no letters. */
const minBareLength = 4;
const minIpv4Length = 7;

const mayBeReached = /[.%\d[\x80-\uffff]/;

/** A host has 253 octets, takes three times as many characters if escaped, and more with characters that browsers ignore. */
const maxHostLength = 2_048;

/** Brackets, 45 characters, and a zone. */
const maxIpv6Length = 64;

/** The shortest id that identifies itself has 17 characters, the shortest address with letters and digits alone 25. */
const minTokenLength = 17;
const minAddressLength = 25;
/** The shortest private key. */
const minKeyLength = 51;
/** Unified addresses of Zcash have a few hundred characters. */
const maxTokenLength = 512;
/**
 * The minimum for a word without a digit: Chrome extension ids have 32 letters, and one in a thousand base58 addresses of 32 to 44
 * characters has no digit.
 */
const minLettersLength = 32;

/** The only address that may contain a slash: 36 bytes in base64, the first of them one of four. */
const tonAddress = /[EUk0][\w+/-]{47}(?![\w+/-])/y;

/** The minimum of E.164. */
const minPhoneDigits = 7;
const maxPhoneDigits = 15;
/** The longest gap, as in `) `. */
const maxPhoneGap = 2;

const codesOf = (characters: string): ReadonlySet<number> => new Set([...characters].map((character) => character.charCodeAt(0)));

const phoneGaps: ReadonlySet<number> = /* @__PURE__ */ codesOf(
  ' -./()\xa0\u2009\u2010\u2011\u2012\u2013\u2014\u2015\u202f\u3000',
);
const authorityEnds: ReadonlySet<number> = /* @__PURE__ */ codesOf('/\\?#()[]{}');

const percent = 0x25;
const plus = 0x2b;
const fullStop = 0x2e;
const slash = 0x2f;
const zero = 0x30;
const colon = 0x3a;
const atChar = 0x40;
const openSquare = 0x5b;
/** The first of the characters that look like dots. */
const firstWide = 0x2024;
