import { hexValue, toHex } from '../../core/bytes.js';

/** An address or a link that a request names. */
export interface Party {
  /** `origin`, `to`, or what the function, the typed data or the method calls it: `spender`, `operator`, `delegate`. */
  readonly role: string;
  /** The address in lower case, or the link. */
  readonly content: string;
}

/** What is found in one request. */
export interface Reading {
  /** Adds a party. */
  add(role: string, content: string): void;
  /** Notes a part that cannot be read, with the reason as a sentence for the user. */
  fail(reason: string): undefined;
}

/** What a request names, and what of it cannot be read. */
export interface Found {
  readonly parties: readonly Party[];
  readonly unreadable: readonly string[];
}

/** Parties of one request: a batch payment names a hundred or two. Further ones make the request unreadable. */
const maxParties = 512;

/** Reasons kept: more than a dialog can show. */
const maxReasons = 8;

export function createReading(): Reading & Found {
  const parties = new Map<string, Party>();
  const unreadable = new Set<string>();
  return {
    add(role, content) {
      const key = `${content} ${role}`;
      if (parties.has(key)) return;
      if (parties.size >= maxParties) this.fail(`it names more than ${maxParties} parties`);
      else parties.set(key, { role, content });
    },
    fail(reason) {
      if (unreadable.size < maxReasons) unreadable.add(reason);
      return undefined;
    },
    get parties() {
      return [...parties.values()];
    },
    get unreadable() {
      return [...unreadable];
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

/** Adds the addresses and links of a text that is signed. A link inside another one counts too. */
export function addText(reading: Reading, role: string, text: string): void {
  for (const [address] of text.matchAll(/0x[0-9a-f]{40}(?![0-9a-f])/gi)) reading.add(role, address.toLowerCase());
  for (const [link] of text.matchAll(/https?:\/\/[^\s<>"'`]+/gi)) {
    reading.add(role, link);
    for (const part of link.split(/(?=https?:\/\/)/i)) reading.add(role, part);
  }
}

/** Adds the address that fills 20 to 32 bytes with zeros on one side. No address begins with eight zero bytes, but small numbers do. */
export function addPadded(reading: Reading, role: string, bytes: Uint8Array): void {
  const zeros = bytes.length - 20;
  if (zeros < 0 || zeros > 12) return;
  const isAddressIn = (from: number): boolean =>
    bytes.subarray(from, from + 8).some((byte) => byte !== 0) &&
    [...bytes].every((byte, at) => byte === 0 || (at >= from && at < from + 20));
  for (const from of new Set([0, zeros])) {
    if (isAddressIn(from)) reading.add(role, `0x${toHex(bytes.subarray(from, from + 20))}`);
  }
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
