import { plainLinkStart } from '../assets/plain.js';
import { needsNoEscape } from '../assets/web/path.js';
import { hexValue } from '../bytes.js';
import { maxHostOctets, maxHostSuffixes, maxLabelOctets, maxPathPrefixes } from '../limits.js';

/** Where the expressions of a link are in `bytes`. */
export interface LinkReader {
  /** The canonical bytes of the last link. */
  readonly bytes: Uint8Array;
  /** The first byte of each expression, and the byte after the last: the pages first, then the hosts. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  /**
   * Reads the host of a link. `false` for a text that it is not sure about, such as any but a link with a host that is a name in ASCII, and
   * nothing in front of it but `http://` or `https://`.
   */
  readHost(text: string): boolean;
  /** The same for the port, the path, the query and the fragment. Returns how many expressions the link has; 0 if it is not sure. */
  readRest(text: string): number;
  /**
   * What is behind the host, whatever the path is, as bits: `marked`, with a port or one of the marks; `odd`, with something that can have a second meaning,
   * such as white space, brackets and backslashes; `escaped`; and the letters in it, as those of `lettersOf`. All bits if it was not read.
   */
  lookAtRest(text: string): number;
  /** Where the host begins in the text, and where what follows it does. */
  hostStart(): number;
  hostStop(): number;
  /** Where the host ends in `bytes`, and where its last two labels begin. */
  hostEnd(): number;
  lastTwo(): number;
  /** The dots of the host, by their place in `bytes`. */
  readonly dots: Int32Array;
  dotCount(): number;
}

/** Characters of a link that is read here: longer ones are rare, and their time is in hashing. */
const maxLength = 2048;

const most = maxPathPrefixes + maxHostSuffixes + 3;

/**
 * One pass over the characters of a link writes its canonical bytes, of which each expression is a part, so that nothing is copied
 * (docs/algorithm.md §3 to §5). It is not sure about user names, other schemes and hosts that are not names, nor `readRest` about dot segments, empty
 * segments, escapes that stand for a mark, brackets and quotes.
 *
 * @param marks Characters that make what is behind a host `marked`
 */
export function createLinkReader(marks: string): LinkReader {
  // A query right behind the host gets a slash.
  const bytes = new Uint8Array(maxLength + 1);
  const from = new Int32Array(most);
  const to = new Int32Array(most);
  const dots = new Int32Array(maxHostSuffixes + 1);
  const slashes = new Int32Array(maxPathPrefixes + 1);
  let hostStart = 0;
  let hostStop = 0;
  let hostEnd = 0;
  let dotCount = 0;

  function readHost(text: string): boolean {
    const length = text.length;
    if (length > maxLength || length === 0 || !isEnd(text.charCodeAt(length - 1))) return false;
    hostStart = plainLinkStart(text);
    if (hostStart === 0 && !isEnd(text.charCodeAt(0))) return false;
    let at = hostStart;
    let end = 0;
    let label = 0;
    dotCount = 0;
    for (; at < length; at++) {
      const code = text.charCodeAt(at);
      const kind = code < 128 ? kinds[code]! : 0;
      if ((kind & (small | large)) !== 0) bytes[end++] = code | (kind & large);
      else if (code === fullStop) {
        if (end === label || end - label > maxLabelOctets || dotCount > maxHostSuffixes) return false;
        dots[dotCount++] = end;
        bytes[end++] = code;
        label = end;
      } else break;
    }
    hostStop = at;
    hostEnd = end;
    // One label, an empty one at the end, or one that may be a number.
    if (label === 0 || end === label || end - label > maxLabelOctets || end > maxHostOctets || bytes[label]! <= nine)
      return false;
    return hostStart > 0 || dots[0]! <= maxBareLabel;
  }

  /** The end of the port, if there is one; -1 if what follows the host is neither that nor a path, a query or a fragment. */
  function portEnd(text: string): number {
    let at = hostStop;
    if (hostStart > 0 && text.charCodeAt(at) === colon) {
      do at++;
      while (isDigit(text.charCodeAt(at)));
    }
    if (at === text.length) return at;
    const code = text.charCodeAt(at);
    return code === slash || code === questionMark || code === numberSign ? at : -1;
  }

  function readRest(text: string): number {
    const length = text.length;
    let at = portEnd(text);
    if (at < 0) return 0;

    // The path.
    let end = hostEnd;
    let code = numberSign;
    let slashCount = 0;
    let isEscaped = false;
    for (let previous = 0; at < length; at++) {
      code = text.charCodeAt(at);
      if (code === slash) {
        if (previous === slash) return 0;
        if (slashCount <= maxPathPrefixes) slashes[slashCount++] = end;
      } else if (code === questionMark || code === numberSign) break;
      else if (code === percent) {
        const byte = escapedByte(text, at);
        // A dot or a mark may be read in several ways, and so may an escape at the end.
        if (byte < 0 || byte === fullStop || byte === slash || byte === questionMark || byte === backslash) return 0;
        isEscaped = true;
        at += 2;
        end = write(byte, end);
        previous = needsNoEscape(byte) ? byte : percent;
        continue;
      } else if (!isPlain(code) || (code === fullStop && (previous === slash || previous === fullStop))) return 0;
      bytes[end++] = code;
      previous = code;
    }
    const pathEnd = bytes[end - 1] === slash && end > hostEnd ? end - 1 : end;
    if (isEscaped && bytes[pathEnd - 3] === percent) return 0;

    // The query, behind the path without its last slash.
    let queryEnd = pathEnd;
    if (at < length && code === questionMark) {
      end = pathEnd;
      if (pathEnd === hostEnd) bytes[end++] = slash;
      bytes[end++] = questionMark;
      const queryStart = end;
      for (let previous = 0; ++at < length; previous = code) {
        code = text.charCodeAt(at);
        if (code === numberSign) break;
        if (code === percent) {
          const byte = escapedByte(text, at);
          if (byte < 0) return 0;
          at += 2;
          end = write(byte, end);
        } else if (!isPlainBehind(code, previous)) return 0;
        else bytes[end++] = code;
      }
      if (end > queryStart) queryEnd = end;
    }

    // The fragment is no part of a link, but it may have what is cleaned or pasted.
    for (let previous = 0; ++at < length; previous = code) {
      code = text.charCodeAt(at);
      if (!isPlainBehind(code, previous)) return 0;
    }
    return place(pathEnd, queryEnd, slashCount);
  }

  /** What each character makes of the rest. */
  const looks = Int32Array.from(kinds, (kind, code) => {
    const character = String.fromCharCode(code);
    const look = (kind === 0 ? odd : 0) | (marks.indexOf(character) >= 0 ? marked : 0) | (code === percent ? escaped : 0);
    return look | lettersOf(character);
  });

  function lookAt(code: number): number {
    return code < 128 ? looks[code]! : odd;
  }

  function lookAtRest(text: string): number {
    const length = text.length;
    let at = portEnd(text);
    // Other texts may begin like a link without a scheme, so its rest is always read.
    if (at < 0 || (at < length && hostStart === 0)) return -1;
    // Four at a time, and no branch for any.
    let look = at === hostStop ? 0 : marked;
    for (; at + 3 < length; at += 4)
      look |=
        lookAt(text.charCodeAt(at)) |
        lookAt(text.charCodeAt(at + 1)) |
        lookAt(text.charCodeAt(at + 2)) |
        lookAt(text.charCodeAt(at + 3));
    for (; at < length; at++) look |= lookAt(text.charCodeAt(at));
    return look;
  }

  /** Sets the ends of the expressions, in their order. */
  function place(pathEnd: number, queryEnd: number, slashCount: number): number {
    // Pages are listed without `www.`.
    let start = 0;
    for (let dot = 0; dot + 1 < dotCount && dots[dot] === start + 3 && isWww(start); dot++) start += 4;
    let count = 0;
    if (queryEnd > pathEnd) {
      from[count] = start;
      to[count++] = queryEnd;
    }
    if (pathEnd > hostEnd) {
      from[count] = start;
      to[count++] = pathEnd;
      for (let folder = Math.min(slashCount - 1, maxPathPrefixes); folder > 0; folder--) {
        if (slashes[folder]! >= pathEnd) continue;
        from[count] = start;
        to[count++] = slashes[folder]!;
      }
    }
    from[count] = 0;
    to[count++] = hostEnd;
    for (let dot = 0; dot < dotCount - 1; dot++) {
      from[count] = dots[dot]! + 1;
      to[count++] = hostEnd;
    }
    return count;
  }

  function isWww(at: number): boolean {
    return bytes[at] === w && bytes[at + 1] === w && bytes[at + 2] === w;
  }

  /** Writes a decoded byte as canonical links have it. */
  function write(byte: number, end: number): number {
    if (needsNoEscape(byte)) {
      bytes[end] = byte;
      return end + 1;
    }
    bytes[end] = percent;
    bytes[end + 1] = hexDigit(byte >> 4);
    bytes[end + 2] = hexDigit(byte & 15);
    return end + 3;
  }

  return {
    bytes,
    from,
    to,
    readHost,
    readRest,
    lookAtRest,
    hostStart: () => hostStart,
    hostStop: () => hostStop,
    hostEnd: () => hostEnd,
    lastTwo: () => (dotCount < 2 ? 0 : dots[dotCount - 2]! + 1),
    dots,
    dotCount: () => dotCount,
  };
}

/** Of `lookAtRest`, as bits. */
export const marked = 1;
export const odd = 2;
export const escaped = 4;

/** The letters in a text, in any case, each as a bit above the three others. */
export function lettersOf(text: string): number {
  let letters = 0;
  for (const letter of text.toLowerCase()) if (/[a-z]/.test(letter)) letters |= 8 << (letter.charCodeAt(0) - 0x61);
  return letters;
}

const fullStop = 0x2e;
const slash = 0x2f;
const colon = 0x3a;
const questionMark = 0x3f;
const numberSign = 0x23;
const percent = 0x25;
const backslash = 0x5c;
const nine = 0x39;
const w = 0x77;

/** A longer label without a scheme in front may be the address of a contract, such as those of Stacks. */
const maxBareLabel = 26;

/** `.`, `/`, `?`, `#` and `%`, which mean something else in each part. */
const delimiter = 1;
const other = 2;
/** Lower-case letters, digits, `-` and `_`: they stand in hosts as they are. */
const small = 4;
/** Upper-case letters: the same with this bit. */
const large = 0x20;

/** What characters may be in a link that is read here; 0 for those that a link ends at, is pasted in, or has a second meaning by. */
const kinds: Uint8Array = /* @__PURE__ */ Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z\d_-]/.test(character)) return small;
  if (/[A-Z]/.test(character)) return large;
  return /[~!$&*+,;=:@]/.test(character) ? other : /[./?#%]/.test(character) ? delimiter : 0;
});

/** In a path. */
function isPlain(code: number): boolean {
  return code < 128 && (kinds[code]! > delimiter || code === fullStop);
}

/** In a query and a fragment. Two dots may be those of a shortened text. */
function isPlainBehind(code: number, previous: number): boolean {
  if (code === fullStop) return previous !== fullStop;
  return isPlain(code) || code === slash || code === questionMark;
}

/** Whether a text that begins or ends with this character has nothing pasted around it. */
function isEnd(code: number): boolean {
  return code === slash || (code < 128 && code !== 0x5f && code !== 0x2d && (kinds[code]! & (small | large)) !== 0);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= nine;
}

/** The byte of the escape at this place; -1 if there is none, or if it stands for a percent sign, with which another escape may begin. */
function escapedByte(text: string, at: number): number {
  const high = hexValue(text.charCodeAt(at + 1));
  const low = hexValue(text.charCodeAt(at + 2));
  const byte = high * 16 + low;
  return high < 0 || low < 0 || byte === percent ? -1 : byte;
}

function hexDigit(value: number): number {
  return value < 10 ? 0x30 + value : 0x37 + value;
}
