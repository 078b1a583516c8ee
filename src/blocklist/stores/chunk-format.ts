import { toBase64 } from '../../core/base64.js';
import type { StoreHead } from '../model/store.js';
import { minChunkBytes } from './store-arguments.js';
import { damaged } from './store-failure.js';

/** The chunks of a value, and their total length in characters. */
export interface Pointer {
  readonly generation: string;
  readonly count: number;
  readonly length: number;
}

const pointerPattern = /^([0-9a-z]+-[0-9a-z]+) (\d{1,6}) (\d{1,12})$/;

/** The pointer in a row; `null` for any other row. */
export function pointerIn(row: string | null): Pointer | null {
  const [, generation, count, length] = pointerPattern.exec(row ?? '') ?? [];
  if (generation === undefined) return null;
  const pointer = { generation, count: Number(count), length: Number(length) };
  // A damaged count would cost a key for each chunk.
  return (pointer.count - 1) * minChunkBytes < pointer.length ? pointer : null;
}

/** A row that begins with it is a whole value in base64. */
const inlineMark = '=';

/** The value in a row that is not a pointer. */
export function inlineTextIn(row: string): string {
  if (!row.startsWith(inlineMark)) throw damaged('its row is neither a value nor a pointer to one');
  return row.slice(inlineMark.length);
}

/** The row of a value of this many bytes, and the bytes of each chunk that it points at: none if the value fits into the row. */
export function layoutOf(
  bytes: Uint8Array,
  maxLength: number,
  generation: string,
): { readonly row: string; readonly chunks: Uint8Array[] } {
  const length = Math.ceil(bytes.length / 3) * 4;
  if (length + inlineMark.length <= maxLength) return { row: inlineMark + toBase64(bytes), chunks: [] };
  // Three bytes make four characters, so each chunk can be encoded alone.
  const chunkBytes = Math.floor(maxLength / 4) * 3;
  const count = Math.ceil(bytes.length / chunkBytes);
  const chunks = Array.from({ length: count }, (_, at) => bytes.subarray(at * chunkBytes, (at + 1) * chunkBytes));
  return { row: `${generation} ${count} ${length}`, chunks };
}

let generations = 0;

/**
 * Unique, and contains its creation time. The count separates writes of this process. Writes of two processes could collide only if they
 * write one name in one millisecond, with 1 in 2^52.
 */
export function generationAt(timeMs: number): string {
  const [time, random, count] = [timeMs, Math.random() * 2 ** 52, generations++].map((part) =>
    Math.max(0, Math.floor(part)).toString(36),
  );
  return `${time}-${random}${count}`;
}

/** Older chunks without a row that points at them were left by a writer that died. Longer than any write takes. */
const leftoverMs = 60 * 60 * 1000;

export function isRecent(generation: string, nowMs: number): boolean {
  return nowMs - Number.parseInt(generation, 36) < leftoverMs;
}

/** Before the bytes of each head: its sequence and its length, eight bytes each. */
const headHeaderBytes = 16;

export function encodeHeads(heads: readonly StoreHead[]): Uint8Array {
  const bytes = new Uint8Array(heads.reduce((sum, head) => sum + headHeaderBytes + head.bytes.length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const head of heads) {
    view.setFloat64(at, head.sequence);
    view.setFloat64(at + 8, head.bytes.length);
    bytes.set(head.bytes, at + headHeaderBytes);
    at += headHeaderBytes + head.bytes.length;
  }
  return bytes;
}

export function decodeHeads(bytes: Uint8Array | null): StoreHead[] {
  const heads: StoreHead[] = [];
  if (bytes === null) return heads;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length; ) {
    if (bytes.length - at < headHeaderBytes) throw damaged('a head is truncated');
    const [sequence, length] = [view.getFloat64(at), view.getFloat64(at + 8)];
    if (!Number.isSafeInteger(sequence) || sequence < 0 || !(length >= 0 && length <= bytes.length - at - headHeaderBytes)) {
      throw damaged('a head is truncated');
    }
    heads.push({ sequence, bytes: bytes.slice(at + headHeaderBytes, at + headHeaderBytes + length) });
    at += headHeaderBytes + length;
  }
  return heads;
}
