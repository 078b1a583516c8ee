import { equalBytes, fromUtf8, readU32, toHex, utf8, writeU32 } from '../../core/bytes.js';
import { PortcullisError } from '../../core/errors.js';
import { digestOf } from '../../core/hashing/sha256.js';
import { runNow, type Sliced } from '../../core/slices.js';

/**
 * The frame around everything a store keeps, so that truncated, damaged or foreign bytes are never read as a list (docs/formats.md §7).
 *
 * | at | bytes | |
 * |---|---|---|
 * | 0 | 8 | magic |
 * | 8 | 1 | version, 1 |
 * | 9 | 1 | kind |
 * | 10 | 2 | 0 |
 * | 12 | 4 | length n of the payload, big-endian |
 * | 16 | 4 | CRC-32C of bytes 0 to 15 and of the payload |
 * | 20 | 4 | 0, so that the payload begins at a multiple of eight |
 * | 24 | n | payload |
 */
export type RecordKind = 'head' | 'set' | 'confirmed' | 'retry' | 'overrides' | 'named-set';

const kinds: readonly RecordKind[] = ['head', 'set', 'confirmed', 'retry', 'overrides', 'named-set'];

/** Begins with a byte that no text begins with, and contains line ends that a text-mode transfer would change. */
const magic: Uint8Array = /* @__PURE__ */ Uint8Array.of(0x89, 0x50, 0x43, 0x52, 0x0d, 0x0a, 0x1a, 0x0a);

/** Incremented by a release whose records earlier ones cannot read. */
export const recordVersion = 1;

const checksumAt = 16;
const headerBytes = 24;

const nothing: Uint8Array = new Uint8Array(0);

export function encodeRecord(kind: RecordKind, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  return runNow(writeRecord(kind, payload));
}

/**
 * `encodeRecord` in slices.
 *
 * @param start A few bytes at the start of the payload.
 */
export function* writeRecord(
  kind: RecordKind,
  payload: Uint8Array,
  start: Uint8Array = nothing,
): Sliced<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(headerBytes + start.length + payload.length);
  bytes.set(magic);
  bytes[8] = recordVersion;
  bytes[9] = kinds.indexOf(kind);
  writeU32(bytes, 12, start.length + payload.length);
  bytes.set(start, headerBytes);
  for (let at = 0; at < payload.length; at += summedPerSlice) {
    if (at > 0) yield;
    bytes.set(payload.subarray(at, at + summedPerSlice), headerBytes + start.length + at);
  }
  writeU32(bytes, checksumAt, yield* checksumOf(bytes));
  return bytes;
}

/**
 * Returns the payload as a view.
 *
 * @throws PortcullisError `INVALID_ARTIFACT` unless the bytes are a complete record of that kind
 */
export function decodeRecord(kind: RecordKind, bytes: Uint8Array): Uint8Array {
  return runNow(readRecord(kind, bytes));
}

/** `decodeRecord` in slices. */
export function* readRecord(kind: RecordKind, bytes: Uint8Array): Sliced<Uint8Array> {
  if (bytes.length < headerBytes || !equalBytes(bytes.subarray(0, 8), magic)) throw invalid('its header is missing');
  if (bytes[8] !== recordVersion) throw invalid(`its version is ${bytes[8]}, but this package reads version ${recordVersion}`);
  if (bytes[9] !== kinds.indexOf(kind)) throw invalid(`its kind is not ${kind}`);
  if (readU32(bytes, 12) !== bytes.length - headerBytes) throw invalid('it is truncated, or has trailing bytes');
  // The reserved bytes after the checksum are not covered by it.
  const isRight = readU32(bytes, 20) === 0 && readU32(bytes, checksumAt) === (yield* checksumOf(bytes));
  if (!isRight) throw invalid('its checksum does not match');
  return bytes.subarray(headerBytes);
}

/** A set with its SHA-256 before it, so that the set of another list is not read in its place. */
export function writeSetRecord(set: Uint8Array, sha256: Uint8Array): Sliced<Uint8Array<ArrayBuffer>> {
  return writeRecord('named-set', set, sha256);
}

/** The set, as a view, and the SHA-256 that it was written with. That of a record of an earlier release is computed. */
export function* readSetRecord(bytes: Uint8Array): Sliced<{ readonly payload: Uint8Array; readonly sha256: string }> {
  if (bytes[9] === kinds.indexOf('set')) {
    const payload = yield* readRecord('set', bytes);
    return { payload, sha256: toHex(yield* digestOf(payload)) };
  }
  const named = yield* readRecord('named-set', bytes);
  return { payload: named.subarray(32), sha256: toHex(named.subarray(0, 32)) };
}

export function encodeJsonRecord(kind: RecordKind, value: unknown): Uint8Array<ArrayBuffer> {
  return encodeRecord(kind, utf8(JSON.stringify(value)));
}

/** @throws PortcullisError `INVALID_ARTIFACT` */
export function decodeJsonRecord(kind: RecordKind, bytes: Uint8Array): unknown {
  const text = fromUtf8(decodeRecord(kind, bytes));
  try {
    return JSON.parse(text ?? '');
  } catch (cause) {
    throw invalid('it is not JSON', cause);
  }
}

function* checksumOf(bytes: Uint8Array): Sliced<number> {
  let crc = crc32c(bytes.subarray(0, checksumAt));
  for (let at = headerBytes; at < bytes.length; at += summedPerSlice) {
    if (at > headerBytes) yield;
    crc = crc32c(bytes.subarray(at, at + summedPerSlice), crc);
  }
  return crc;
}

/** Bytes between two pauses: about 5 ms. The record of a list of a million is summed without one. */
const summedPerSlice: number = 4 * 1024 * 1024;

/** CRC-32C (RFC 3720 §12.1, polynomial 0x1edc6f41): eight consecutive tables of 256 entries, built on first use. */
let tables: Int32Array | undefined;

/** Reads eight bytes per step, as two words, where byte order and alignment allow it. */
export function crc32c(bytes: Uint8Array, before = 0): number {
  tables ??= makeTables();
  let crc = ~before;
  let at = 0;
  if (isLittleEndian && bytes.byteOffset % 4 === 0) {
    const words = new Int32Array(bytes.buffer, bytes.byteOffset, (bytes.length >>> 3) * 2);
    crc = crcOfWords(tables, words, crc);
    at = words.byteLength;
  }
  for (; at < bytes.length; at++) crc = tables[(crc ^ bytes[at]!) & 0xff]! ^ (crc >>> 8);
  return ~crc >>> 0;
}

const isLittleEndian: boolean = /* @__PURE__ */ new Uint8Array(/* @__PURE__ */ new Uint32Array([1]).buffer)[0] === 1;

/** A separate small function: a list is read once, at startup, so most of the time passes before the engine has compiled it. */
function crcOfWords(t: Int32Array, words: Int32Array, before: number): number {
  let crc = before;
  for (let at = 0; at < words.length; at += 2) {
    const a = crc ^ words[at]!;
    const b = words[at + 1]!;
    crc =
      t[1792 | (a & 0xff)]! ^
      t[1536 | ((a >>> 8) & 0xff)]! ^
      t[1280 | ((a >>> 16) & 0xff)]! ^
      t[1024 | (a >>> 24)]! ^
      t[768 | (b & 0xff)]! ^
      t[512 | ((b >>> 8) & 0xff)]! ^
      t[256 | ((b >>> 16) & 0xff)]! ^
      t[b >>> 24]!;
  }
  return crc;
}

function makeTables(): Int32Array {
  const all = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
    all[byte] = crc;
  }
  for (let at = 256; at < all.length; at++) {
    const last = all[at - 256]!;
    all[at] = all[last & 0xff]! ^ (last >>> 8);
  }
  return all;
}

function invalid(what: string, cause?: unknown): PortcullisError {
  return new PortcullisError('INVALID_ARTIFACT', `the stored record is invalid: ${what}`, { cause });
}
