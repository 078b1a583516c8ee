import { equalBytes, fromUtf8, readU32, utf8, writeU32 } from '../../core/bytes.js';
import { PortcullisError } from '../../core/errors.js';

/**
 * How everything is framed that a store keeps, so that a cut, a flipped bit or another program's bytes are never taken for a list
 * (docs/formats.md §7).
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
export type RecordKind = 'head' | 'set' | 'confirmed' | 'retry' | 'overrides';

const kinds: readonly RecordKind[] = ['head', 'set', 'confirmed', 'retry', 'overrides'];

/** A byte no text begins with, and line ends that a transfer in text mode would change. */
const magic: Uint8Array = /* @__PURE__ */ Uint8Array.of(0x89, 0x50, 0x43, 0x52, 0x0d, 0x0a, 0x1a, 0x0a);
const version = 1;
const checksumAt = 16;
const headerBytes = 24;

export function encodeRecord(kind: RecordKind, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(headerBytes + payload.length);
  bytes.set(magic);
  bytes[8] = version;
  bytes[9] = kinds.indexOf(kind);
  writeU32(bytes, 12, payload.length);
  bytes.set(payload, headerBytes);
  writeU32(bytes, checksumAt, checksumOf(bytes));
  return bytes;
}

/**
 * The payload, as a view.
 *
 * @throws PortcullisError `INVALID_ARTIFACT` for anything but a whole record of that kind
 */
export function decodeRecord(kind: RecordKind, bytes: Uint8Array): Uint8Array {
  if (bytes.length < headerBytes || !equalBytes(bytes.subarray(0, 8), magic)) throw invalid('it is none');
  if (bytes[8] !== version) throw invalid(`it has version ${bytes[8]}, and ${version} is read here`);
  if (bytes[9] !== kinds.indexOf(kind)) throw invalid(`it is no ${kind}`);
  if (readU32(bytes, 12) !== bytes.length - headerBytes) throw invalid('it is cut, or has something behind its end');
  // The two gaps are no part of the sum's order, so they must be what they are written as.
  if (readU32(bytes, 20) !== 0 || readU32(bytes, checksumAt) !== checksumOf(bytes)) throw invalid('its checksum does not hold');
  return bytes.subarray(headerBytes);
}

/** @throws PortcullisError `INVALID_ARTIFACT` */
export function encodeJsonRecord(kind: RecordKind, value: unknown): Uint8Array<ArrayBuffer> {
  return encodeRecord(kind, utf8(JSON.stringify(value)));
}

/** @throws PortcullisError `INVALID_ARTIFACT` */
export function decodeJsonRecord(kind: RecordKind, bytes: Uint8Array): unknown {
  const text = fromUtf8(decodeRecord(kind, bytes));
  try {
    return JSON.parse(text ?? '');
  } catch (cause) {
    throw invalid('it is no JSON', cause);
  }
}

function checksumOf(bytes: Uint8Array): number {
  return crc32c(bytes.subarray(headerBytes), crc32c(bytes.subarray(0, checksumAt)));
}

/** CRC-32C (RFC 3720 §12.1, polynomial 0x1edc6f41): eight tables of 256, one after another. Made at the first use. */
let tables: Int32Array | undefined;

/** Eight bytes a step, as two words, where the machine's order and the place in the buffer let them be read so. */
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

/** Of its own, and little, because a list is read once, at a start, and the time is mostly that until it is compiled. */
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
  return new PortcullisError('INVALID_ARTIFACT', `the stored record is refused: ${what}`, { cause });
}
