import { hexValue, toHex } from '../../core/bytes.js';
import type { PlainValue } from './plain-copy.js';
import { addressesIn, isOdd, mayBeAddress } from './word-scanner.js';

/** An address or a link that a request names. */
export interface Party {
  /** `origin`, `to`, or what the function, the typed data or the method calls it: `spender`, `operator`, `delegate`. */
  readonly role: string;
  /** The address in lower case, or the link. */
  readonly content: string;
}

/** What a transaction of another chain names, as `screenRecipients` takes it. */
export interface TransactionReading {
  readonly parties: readonly Party[];
  /** What cannot be read, as sentences for the user. With one, the status is never `clear`. */
  readonly unreadable: readonly string[];
}

/** A party as it is found. */
export interface NamedParty extends Party {
  /** Whether it is a word of a text, which counts only if the list can read it. */
  readonly isWord: boolean;
}

/** What is found in one request. */
export interface Reading {
  /** Adds a party. */
  add(role: string, content: string, isWord?: boolean): void;
  /** Notes a part that cannot be read, with the reason as a sentence for the user. */
  fail(reason: string): undefined;
  /** Looks up what is part of something that is not understood, without showing it as a party. @returns false if there are too many */
  addWord(content: string): boolean;
  /** Looks up every address that bytes may hold whose meaning is not known. */
  addWords(bytes: Uint8Array): undefined;
  /** Looks up the words of a call that is not understood, and notes it with what makes it worth a question. */
  screen(reason: string, words: Uint8Array, place: Place): void;
}

/** The contract that a call runs in, with what the request says about the chain; or why a call needs a question if it is not understood. */
export type Place = string | Target;

interface Target {
  readonly target: string;
  readonly chainIds: readonly (PlainValue | undefined)[];
}

/** What a request names, and what of it cannot be read. */
export interface Found {
  readonly parties: readonly NamedParty[];
  readonly unreadable: readonly string[];
  /** What was screened but not understood, as sentences. */
  readonly notUnderstood: readonly string[];
  /** Where that runs, if there is no other reason to ask. */
  readonly places: readonly (Target & { readonly reasons: ReadonlySet<string> })[];
  /** Whether there are further parties, so that what is known of these does not make the request clear. */
  readonly isCut: boolean;
}

/** Parties of one request: a batch payment names a hundred or two. Further ones make the request unreadable. */
const maxParties = 512;

/** Characters of all parties together: these addresses and a few hundred links. A list takes up to a microsecond for each. */
const maxPartyCharacters: number = 64 * 1024;

/**
 * Twice the words of 128 KiB, which is the most calldata that nodes accept. A light list of a million looks them up in 50 ms and has two false
 * hits, which it confirms together.
 */
const maxWords = 8_192;

/** The role of a word that is looked up because the meaning of the data is not known. */
export const wordRole = 'a word of the data';

/** Reasons kept: more than a dialog can show. */
export const maxReasons = 8;

/** @param isPacked Looks for addresses at every position of data that is not understood. */
export function createReading(isPacked = false): Reading & Found {
  const parties = new Map<string, NamedParty>();
  const words = new Set<string>();
  const unreadable = new Set<string>();
  const notUnderstood = new Set<string>();
  const places = new Map<string, Target & { readonly reasons: Set<string> }>();
  let characters = 0;
  let isCut = false;
  let areWordsCut = false;
  return {
    add(role, content, isWord = false) {
      const key = `${content} ${role}`;
      const known = parties.get(key);
      if (known !== undefined && (isWord || !known.isWord)) return;
      if (known === undefined) {
        isCut ||= parties.size >= maxParties || characters + content.length > maxPartyCharacters;
        if (isCut) return void this.fail(`it names more than ${maxParties} parties, or very long ones`);
        characters += content.length;
      }
      parties.set(key, { role, content, isWord });
    },
    addWord(content) {
      if (words.size < maxWords) words.add(content);
      if (words.has(content)) return true;
      areWordsCut = true;
      this.fail(`it has more than ${maxWords} words that may be addresses`);
      return false;
    },
    addWords(bytes) {
      for (const word of addressesIn(bytes, isPacked)) {
        if (!this.addWord(word)) return undefined;
      }
      return undefined;
    },
    screen(reason, bytes, place) {
      this.addWords(bytes);
      if (notUnderstood.size < maxReasons) notUnderstood.add(reason);
      if (typeof place === 'string') return this.fail(`${reason}, ${place}`);
      if (isOdd(bytes)) return this.fail(`${reason}, with a hash, a text or a very large number`);
      // An unreadable request asks anyway. The key would hold its chain, whose text may be long.
      if (unreadable.size > 0) return;
      const key = JSON.stringify(place);
      const reasons = places.get(key)?.reasons ?? new Set();
      if (reasons.size < maxReasons) reasons.add(reason);
      places.set(key, { ...place, reasons });
    },
    fail(reason) {
      if (unreadable.size < maxReasons) unreadable.add(reason);
      return undefined;
    },
    get parties() {
      const all = [...parties.values()];
      const named = new Set(words.size === 0 ? [] : all.map(({ content }) => content));
      for (const content of words) if (!named.has(content)) all.push({ role: wordRole, content, isWord: true });
      return all;
    },
    get notUnderstood() {
      return [...notUnderstood];
    },
    get places() {
      return [...places.values()];
    },
    get unreadable() {
      return [...unreadable];
    },
    get isCut() {
      return isCut || areWordsCut;
    },
  };
}

const address = /^0x[0-9a-f]{40}$/i;

export function isAddress(value: unknown): value is string {
  return typeof value === 'string' && address.test(value);
}

/** Adds an address, or notes that it is malformed. */
export function addAddress(reading: Reading, role: string, value: unknown): void {
  if (isAddress(value)) reading.add(role, value.toLowerCase());
  else reading.fail(`${role} is not an address`);
}

/**
 * Adds the addresses and links of a text that is signed. A link inside another one counts too. Other words count if the list can read
 * them: hosts, and addresses of other chains.
 */
export function addText(reading: Reading, role: string, text: string): void {
  for (const [digits] of text.matchAll(/[0-9a-f]{40,}/gi)) {
    if (digits.length === 40 || /^0{24}.{40}$/.test(digits)) reading.add(role, `0x${digits.slice(-40).toLowerCase()}`);
    else addHex(digits, reading);
  }
  for (const [link] of text.matchAll(/https?:\/\/[^\s<>"'`]+/gi)) {
    reading.add(role, link);
    for (const part of link.split(/(?=https?:\/\/)/i)) reading.add(role, part);
  }
  for (const [word] of text.matchAll(/[^\s<>"'`()[\]{},;|\u3000-\u303f\uff00-\uff0f]{4,}/g)) {
    addWord(reading, role, word);
    // Prose in a script without spaces may touch a host.
    if (!ascii.test(word)) for (const [part] of word.matchAll(/[!-~]{4,}/g)) addWord(reading, role, part);
  }
}

/** Digits that are searched at every position: two addresses with something around them. In longer runs, as a signature is, addresses are aligned. */
const maxTightDigits = 96;

/** Other digits may touch an address. A hash is looked at from both ends, because a text may list hundreds. */
function addHex(digits: string, reading: Reading): undefined {
  const bytes = (): Uint8Array => hexBytes(`0x${digits.slice(digits.length % 2)}`)!;
  if (digits.length === 64) return addBothEnds(reading, bytes());
  if (digits.length > maxTightDigits) return reading.addWords(bytes());
  for (let at = 0; at + 40 <= digits.length; at++) {
    const word = digits.slice(at, at + 40).toLowerCase();
    if (!word.startsWith('0000000000000000') && !reading.addWord(`0x${word}`)) return undefined;
  }
  return undefined;
}

const ascii = /^[!-~]*$/;

/** With a dot before a letter or between numbers, or as long as the shortest address. */
const likeParty = /[^.]\.[a-z\x80-\uffff]|\d\.\d+\.\d+\.\d|[a-z0-9]{25}/i;

function addWord(reading: Reading, role: string, word: string): void {
  let end = word.length;
  while (end > 0 && '.:!?*'.includes(word[end - 1]!)) end--;
  const trimmed = word.slice(0, end).replace(/^[^\w\x80-\uffff]+/, '');
  if (!isAddress(trimmed) && likeParty.test(trimmed)) reading.add(role, trimmed, true);
}

/** Looks up bytes that something may follow an address in, as in the id of a pool. */
export function addBothEnds(reading: Reading, bytes: Uint8Array): undefined {
  reading.addWords(bytes);
  if (bytes.length > 20 && mayBeAddress(bytes, 0)) reading.addWord(`0x${toHex(bytes.subarray(0, 20))}`);
}

/** Adds the address that fills 20 to 32 bytes with zeros on one side. @returns whether there is one */
export function addPadded(reading: Reading, role: string, bytes: Uint8Array): boolean {
  const zeros = bytes.length - 20;
  if (zeros < 0 || zeros > 12) return false;
  const isAddressIn = (from: number): boolean =>
    mayBeAddress(bytes, from) && [...bytes].every((byte, at) => byte === 0 || (at >= from && at < from + 20));
  const places = [...new Set([0, zeros])].filter(isAddressIn);
  for (const from of places) reading.add(role, `0x${toHex(bytes.subarray(from, from + 20))}`);
  return places.length > 0;
}

/** Some contracts take a hash as text. */
export function isHashText(text: unknown): text is string {
  return typeof text === 'string' && /^\s*(?:0x)?[0-9a-f]{64}\s*$/i.test(text);
}

/** A name that a site chose may be anything. */
export function shownName(name: string): string {
  return /^\w{1,40}$/.test(name) ? name : 'a field';
}

/** Bytes written as `0x` and pairs of hex digits; `null` for anything else. */
export function hexBytes(text: unknown): Uint8Array | null {
  if (typeof text !== 'string' || text.length % 2 !== 0 || !text.startsWith('0x')) return null;
  const bytes = new Uint8Array(text.length / 2 - 1);
  for (let at = 0; at < bytes.length; at++) {
    const high = hexValue(text.charCodeAt(2 * at + 2));
    const low = hexValue(text.charCodeAt(2 * at + 3));
    if (high < 0 || low < 0) return null;
    bytes[at] = 16 * high + low;
  }
  return bytes;
}
