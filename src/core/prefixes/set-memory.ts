import { PortcullisError, requireBytes } from '../errors.js';
import type { Sliced } from '../slices.js';
import { requireCount } from './entries.js';

/**
 * The bytes of a set: a header, the index of its buckets, its values. It is one buffer, so that loading a stored set means reading
 * it and creating views over it. The format is for one device only: numbers are in the byte order of the device, which the header records.
 *
 * | at | bytes | |
 * |---|---|---|
 * | 0 | 4 | `PCLS` |
 * | 4 | 4 | 0x01020304 in the writer's byte order |
 * | 8 | 1 | version, 1 |
 * | 9 | 1 | entry length: 4 or 8 |
 * | 10 | 1 | bytes of a stored value: 2 (the top 16 bits are the bucket) or 4 |
 * | 11 | 1 | index bits |
 * | 12 | 4 | count |
 * | 16 | 4 · (2^bits + 1) | index |
 * | … | | values; after 4-byte values the second halves of 8-byte entries |
 */
export interface Shape {
  readonly entryBytes: 4 | 8;
  readonly valueBytes: 2 | 4;
  readonly indexBits: number;
  readonly count: number;
}

export interface Memory extends Shape {
  readonly bytes: Uint8Array;
  readonly index: Uint32Array;
  /** Values of the first 32 bits: whole, or the lower 16 bits of them. */
  readonly values: Uint32Array | Uint16Array;
  readonly seconds: Uint32Array | null;
}

const headerBytes = 16;
const magic = [0x50, 0x43, 0x4c, 0x53];
const byteOrderMark = 0x01020304;
const version = 1;

export function allocate(shape: Shape): Memory {
  requireCount(shape.count);
  const memory = viewsOf(new Uint8Array(sizeOf(shape)), shape);
  memory.bytes.set(magic);
  memory.bytes.set([version, shape.entryBytes, shape.valueBytes, shape.indexBits], 8);
  const words = new Uint32Array(memory.bytes.buffer, 0, 4);
  words[1] = byteOrderMark;
  words[3] = shape.count;
  return memory;
}

/** Views over stored bytes, which are copied only if they are not aligned. Checks everything that `has` relies on. */
export function* open(stored: Uint8Array, entryBytes: 4 | 8): Sliced<Memory> {
  requireBytes(stored, 'bytes');
  if (stored.length < headerBytes || magic.some((byte, at) => stored[at] !== byte)) throw damaged('wrong magic bytes');
  const bytes = stored.byteOffset % 4 === 0 ? stored : new Uint8Array(stored);
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, 4);
  if (words[1] !== byteOrderMark) throw damaged('written on a machine with a different byte order');
  if (bytes[8] !== version) throw damaged(`version ${bytes[8]}, but this release reads version ${version}`);
  if (bytes[9] !== entryBytes) throw damaged(`entries have ${bytes[9]} bytes, not ${entryBytes}`);
  const memory = viewsOf(bytes, shapeIn(bytes, entryBytes, words[3]!));
  yield* requireOrder(memory);
  return memory;
}

function shapeIn(bytes: Uint8Array, entryBytes: 4 | 8, count: number): Shape {
  const valueBytes = bytes[10];
  const indexBits = bytes[11]!;
  const known =
    (valueBytes === 4 && indexBits >= 1 && indexBits <= 16) || (valueBytes === 2 && indexBits === 16 && entryBytes === 4);
  if (!known) throw damaged('unknown layout');
  requireCount(count);
  const shape: Shape = { entryBytes, valueBytes: valueBytes as 2 | 4, indexBits, count };
  if (bytes.length !== sizeOf(shape)) throw damaged(`${bytes.length} bytes long, but ${count} entries take ${sizeOf(shape)}`);
  return shape;
}

function sizeOf({ entryBytes, valueBytes, indexBits, count }: Shape): number {
  return headerBytes + 4 * (2 ** indexBits + 1) + count * valueBytes + (entryBytes === 8 ? count * 4 : 0);
}

function viewsOf(bytes: Uint8Array, shape: Shape): Memory {
  const { buffer, byteOffset } = bytes;
  const indexLength = 2 ** shape.indexBits + 1;
  const valuesAt = byteOffset + headerBytes + 4 * indexLength;

  return {
    ...shape,
    bytes,
    index: new Uint32Array(buffer, byteOffset + headerBytes, indexLength),
    values:
      shape.valueBytes === 2 ? new Uint16Array(buffer, valuesAt, shape.count) : new Uint32Array(buffer, valuesAt, shape.count),
    seconds: shape.entryBytes === 8 ? new Uint32Array(buffer, valuesAt + 4 * shape.count, shape.count) : null,
  };
}

/** Buckets follow each other and the entries of each ascend. A set that broke this would give wrong answers without an error. */
function* requireOrder(memory: Memory): Sliced<void> {
  const { index, count } = memory;
  const buckets = index.length - 1;
  if (index[0] !== 0 || index[buckets] !== count) throw damaged('the index does not span the entries');
  let sliceEnd = checkedPerSlice;
  for (let bucket = 0; bucket < buckets; bucket += bucketsPerCall) {
    if (index[bucket]! > sliceEnd) {
      yield;
      sliceEnd = index[bucket]! + checkedPerSlice;
    }
    requireBuckets(memory, bucket, Math.min(bucket + bucketsPerCall, buckets));
  }
}

/**
 * Entries checked between two pauses: about 5 ms. A list of a million is checked without one, because each costs a page in the background
 * several milliseconds.
 */
const checkedPerSlice = 2 ** 20;

/** Many calls, because a set is opened once, at startup, and the engine compiles what is called often sooner than a long loop. */
const bucketsPerCall = 64;

const disorder = 'the entries are not in ascending order';

function requireBuckets({ index, values, seconds, valueBytes, indexBits, count }: Memory, from: number, to: number): void {
  const shift = 32 - indexBits;
  let start = index[from]!;
  for (let bucket = from; bucket < to; bucket++) {
    const end = index[bucket + 1]!;
    if (end < start || end > count) throw damaged('the index is not in ascending order');
    let last = -1;
    for (let at = start; at < end; at++) {
      const value = values[at]!;
      if (value <= last && !(value === last && seconds !== null && seconds[at - 1]! < seconds[at]!)) throw damaged(disorder);
      last = value;
    }
    const isOwn = start === end || (values[start]! >>> shift === bucket && last >>> shift === bucket);
    if (valueBytes === 4 && !isOwn) throw damaged(disorder);
    start = end;
  }
}

function damaged(what: string): PortcullisError {
  return new PortcullisError('INVALID_ARTIFACT', `invalid stored set: ${what}; fetch the list again`);
}
