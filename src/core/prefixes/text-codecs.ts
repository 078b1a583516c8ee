import { hexValue } from '../bytes.js';
import { entriesPerSlice, maxEntries } from '../limits.js';
import type { Sliced } from '../slices.js';
import { type Entries, EntryCollector } from './entries.js';
import { invalidArtifact } from './invalid.js';

/**
 * Hex lines, and a JSON array of hex strings, read byte by byte: `JSON.parse` of a million strings would block the thread for a
 * quarter of a second. Entries may be unsorted and repeated.
 */

export function encodeHexLines(entries: Entries): Sliced<Uint8Array<ArrayBuffer>> {
  return encodeText(entries, '', '', '\n');
}

export function encodeJson(entries: Entries): Sliced<Uint8Array<ArrayBuffer>> {
  return encodeText(entries, '["', '","', '"]');
}

/** Writes `between` between two entries, or `end` after each where `between` is empty. */
function* encodeText({ high, low }: Entries, start: string, between: string, end: string): Sliced<Uint8Array<ArrayBuffer>> {
  if (high.length === 0) return ascii(between === '' ? '' : '[]');
  const digits = low === null ? 8 : 16;
  const gap = between === '' ? end : between;
  const bytes = new Uint8Array(start.length + high.length * (digits + gap.length) - gap.length + end.length);
  const gapBytes = ascii(gap);
  bytes.set(ascii(start));
  let at = start.length;
  for (let entry = 0; entry < high.length; entry++) {
    if (entry % entriesPerSlice === 0) yield;
    if (entry > 0) {
      bytes.set(gapBytes, at);
      at += gapBytes.length;
    }
    at = writeHex(bytes, at, high[entry]!);
    if (low !== null) at = writeHex(bytes, at, low[entry]!);
  }
  bytes.set(ascii(end), at);
  return bytes;
}

function ascii(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function writeHex(bytes: Uint8Array, start: number, value: number): number {
  for (let digit = 0; digit < 8; digit++) {
    const nibble = (value >>> (28 - 4 * digit)) & 15;
    bytes[start + digit] = nibble < 10 ? 0x30 + nibble : 0x57 + nibble;
  }
  return start + 8;
}

export function* decodeHexLines(bytes: Uint8Array, entryBytes: 4 | 8): Sliced<Entries> {
  const collector = new EntryCollector(entryBytes === 8, expectedCount(bytes, entryBytes, 1));
  let at = 0;
  while (at < bytes.length) {
    addEntry(collector, bytes, at, entryBytes);
    at = afterLineEnd(bytes, at + 2 * entryBytes);
    if (collector.count % entriesPerSlice === 0) yield;
  }
  return yield* collector.finish();
}

export function* decodeJson(bytes: Uint8Array, entryBytes: 4 | 8): Sliced<Entries> {
  const collector = new EntryCollector(entryBytes === 8, expectedCount(bytes, entryBytes, 3));
  let at = afterSpace(bytes, after(openingBracket, bytes, afterSpace(bytes, 0)));
  let more = bytes[at] !== closingBracket;
  while (more) {
    at = after(quote, bytes, at);
    addEntry(collector, bytes, at, entryBytes);
    at = afterSpace(bytes, after(quote, bytes, at + 2 * entryBytes));
    more = bytes[at] === comma;
    if (more) at = afterSpace(bytes, at + 1);
    if (collector.count % entriesPerSlice === 0) yield;
  }
  if (afterSpace(bytes, after(closingBracket, bytes, at)) !== bytes.length)
    throw invalidArtifact('unexpected data after the array');
  return yield* collector.finish();
}

const openingBracket = 0x5b;
const closingBracket = 0x5d;
const quote = 0x22;
const comma = 0x2c;

/** As many entries as fit into the bytes, so the memory taken stays in proportion to the input. */
function expectedCount(bytes: Uint8Array, entryBytes: number, separatorBytes: number): number {
  return Math.min(maxEntries, Math.floor(bytes.length / (2 * entryBytes + separatorBytes)) + 1);
}

function addEntry(collector: EntryCollector, bytes: Uint8Array, at: number, entryBytes: 4 | 8): void {
  const high = hexWord(bytes, at);
  const low = entryBytes === 8 ? hexWord(bytes, at + 8) : 0;
  collector.add(high, low);
}

function hexWord(bytes: Uint8Array, start: number): number {
  let value = 0;
  for (let at = start; at < start + 8; at++) {
    const digit = hexValue(bytes[at] ?? 0);
    if (digit < 0) throw unexpected(bytes, at);
    value = (value << 4) | digit;
  }
  return value >>> 0;
}

/** A line ends with LF, CR LF, or the end of the bytes. */
function afterLineEnd(bytes: Uint8Array, at: number): number {
  if (at === bytes.length) return at;
  const end = bytes[at] === 0x0d ? at + 1 : at;
  if (bytes[end] !== 0x0a) throw unexpected(bytes, at);
  return end + 1;
}

/** The position after this byte, which is required at `at`. */
function after(byte: number, bytes: Uint8Array, at: number): number {
  if (bytes[at] !== byte) throw unexpected(bytes, at);
  return at + 1;
}

function afterSpace(bytes: Uint8Array, start: number): number {
  const end = start + maxSpace;
  let at = start;
  while (at <= end && isSpace(bytes[at] ?? 0)) at++;
  if (at > end) throw unexpected(bytes, end);
  return at;
}

/** Whitespace as JSON defines it. */
export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Whitespace characters between two tokens, more than any indentation has. A file of spaces would block the thread. */
const maxSpace = 1024;

function unexpected(bytes: Uint8Array, at: number): Error {
  return invalidArtifact(at >= bytes.length ? `truncated after ${bytes.length} bytes` : `unexpected character at byte ${at}`);
}
