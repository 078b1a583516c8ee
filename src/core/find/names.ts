import { decoded } from '../assets/web/escapes.js';
import { isSmall } from './certainty.js';
import { hostParts, kindAt } from './characters.js';

/** Whether a label, lower-case and in Unicode, is a top-level domain. */
export type IsTopLevelDomain = (label: string) => boolean;

/**
 * A name in which escapes and wide dots are replaced by the same number of characters with the same meaning for a host: `%2e` ends in a
 * dot, `%40` in an `@`, and every other escape becomes three letters.
 */
export function sameLength(name: string): string {
  if (!anySpecial.test(name)) return name;
  return name.replace(special, (one) => (one.length === 1 ? '.' : ({ '%2e': '--.', '%40': '--@' }[one.toLowerCase()] ?? 'xxx')));
}

const special = /%[\da-f]{2}|[\u2024\u3002\ufe52\uff0e\uff61]/gi;
const anySpecial = /[%\u2024\u3002\ufe52\uff0e\uff61]/;

/**
 * The length of the host at the start of a name; 0 if it is not a host. The host ends at a label that is a top-level domain: in
 * `evil.com.Thanks` and `evil.com-based` a word follows. An item of a numbered list, `1.able`, is not a host, because recovery phrases
 * are written like that. `name` has the same length as `raw` and no escapes.
 */
export function hostLength(name: string, raw: string, isTopLevelDomain: IsTopLevelDomain | undefined): number {
  const last = name.charCodeAt(name.length - 1);
  if (last <= 0x39 && ipv4.test(name)) return name.length;
  const stray = name.search(/[%+]/);
  if (stray >= 0) return hostLength(name.slice(0, stray), raw.slice(0, stray), isTopLevelDomain);
  let end = name.length;
  let dot = name.lastIndexOf('.');
  if (isTopLevelDomain === undefined) return looksLikeHost(name) ? end : 0;
  for (; dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
    const length = topLevelLength(raw.slice(dot + 1, end), isTopLevelDomain);
    end = length > 0 ? dot + 1 + length : dot;
    if (length > 0) break;
  }
  return dot <= 0 || numbered.test(name.slice(0, end)) ? 0 : end;
}

/**
 * The length of the top-level domain at the start of a label; 0 if the label starts with none. A word may follow it without a space.
 */
function topLevelLength(label: string, isTopLevelDomain: IsTopLevelDomain): number {
  if (label.length < 2) return 0;
  const plain = plainLabel(label);
  if (isTopLevelDomain(plain)) return label.length;
  if (label.charCodeAt(0) >= firstKana) {
    for (let length = longestUnspaced; length > 1; length--) if (isTopLevelDomain(label.slice(0, length))) return length;
  }
  const end = label.search(wordMark);
  return end > 0 && isTopLevelDomain(plainLabel(label.slice(0, end))) ? end : 0;
}

/** What joins a word to a top-level domain. */
const wordMark = /[-_]/;

/** The first letter of the scripts that do not separate words with spaces, as in `ファッション`. */
const firstKana = 0x3041;
const longestUnspaced = 6;

/**
 * The length of a host without a label that may be the first word of the next sentence: `.Thanks`, which is not a top-level domain, or
 * `.It`; and without what no host contains, as in `evil.com+` or `evil.com%22`. 0 if the whole name is the host, or if a path follows the
 * word.
 */
export function shorterLength(
  name: string,
  raw: string,
  hasPath: boolean,
  isTopLevelDomain: IsTopLevelDomain | undefined,
): number {
  const stray = raw.search(notInHost);
  if (stray < 0 && (hasPath || isTopLevelDomain === undefined)) return 0;
  const dot = name.lastIndexOf('.');
  const end = stray >= 0 ? stray : isCapitalized(name.slice(dot + 1)) ? dot : name.length;
  const length = hostLength(name.slice(0, end), raw.slice(0, end), isTopLevelDomain);
  return length < name.length ? length : 0;
}

/** A plus, an escape of what ends a host or is in none, and a mark at the end. */
const notInHost = /[_-]$|\+|%(?:[01][\da-f]|2[0-9abcf]|3[a-f]|40|5[b-e]|60|7[b-f])/i;

/**
 * The end of the host in the place of a user name before `stop`, which linkifiers of chats link, as in `https://evil.example@good.example`; 0 if
 * there is none. A user name may have several `@`.
 */
export function userHostEnd(text: string, from: number, stop: number, isTopLevelDomain: IsTopLevelDomain | undefined): number {
  let start = from;
  for (let tries = 0; start < stop && tries < maxUserParts; tries++) {
    let end = start;
    while (end - start < maxBareLength && (kindAt(text, end) & hostParts) !== 0) end++;
    const written = text.slice(start, end);
    const mark = written.search(notInHost);
    const name = mark < 0 ? written : written.slice(0, mark);
    const length = hostLength(sameLength(name), name, isTopLevelDomain);
    if (length > 0) return start + length;
    start = text.indexOf('@', start) + 1;
  }
  return 0;
}

/** Parts of a user name between two `@`: people write none. */
const maxUserParts = 4;

/** Fits a host of 253 octets, a local part of 64, and a prefix. */
export const maxBareLength = 512;

function isCapitalized(word: string): boolean {
  return word.length > 1 && word[0] !== word[0]!.toLowerCase() && isSmall(word[1]!);
}

/** Whether the last label could be a top-level domain that no list knows. */
export function looksLikeHost(name: string): boolean {
  const dot = name.lastIndexOf('.');
  return dot > 0 && isPlausible(plainLabel(name.slice(dot + 1))) && !/[%+]/.test(name) && !numbered.test(name);
}

/** The label as a browser reads it, except for changes that only IDNA makes. */
function plainLabel(label: string): string {
  return lowerLetters.test(label) ? label : decoded(label).normalize('NFKC').toLowerCase();
}

function isPlausible(label: string): boolean {
  return topLevel.test(label);
}

const lowerLetters = /^[a-z]+$/;
const ipv4 = /^(?:\d{1,3}\.){3}\d{1,3}$/;
const topLevel = /^(?:[a-z]{2,63}|xn--[a-z\d-]{1,59}|[^\0-\x7f]{1,63})$/;
const numbered = /^\d{1,2}\.[^.]*$/;
