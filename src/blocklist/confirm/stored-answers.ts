import { readU32, writeU32 } from '../../core/bytes.js';
import type { Sliced } from '../../core/slices.js';
import type { StoredAnswer } from './cache.js';

/**
 * Stored answers: a version byte and three zeros, then one row for each hash (docs/formats.md §7).
 *
 * | at | bytes | |
 * |---|---|---|
 * | 0 | 32 | hash; of an answer without hashes the prefix, then zeros |
 * | 32 | 8 | time of the answer in epoch milliseconds, big-endian |
 * | 40 | 4 | milliseconds for which it counts without asking again, big-endian; 2^32 - 1 for an answer without hashes |
 */
const version = 1;
const headerBytes = 4;
const rowBytes = 44;
const noHashes = 0xffff_ffff;

export function encodeAnswers(answers: Iterable<StoredAnswer>): Uint8Array {
  const rows: Uint8Array[] = [];
  for (const { prefix, hashes, atMs, positiveMs } of answers) {
    const add = (hash: Uint8Array | null, forMs: number): void => {
      const row = new Uint8Array(rowBytes);
      if (hash === null) writeU32(row, 0, prefix);
      else row.set(hash);
      writeU32(row, 32, Math.floor(atMs / 2 ** 32));
      writeU32(row, 36, atMs % 2 ** 32);
      writeU32(row, 40, forMs);
      rows.push(row);
    };
    if (hashes.length === 0) add(null, noHashes);
    // 49 days, more than any answer counts without asking.
    for (const hash of hashes) add(hash, Math.min(Math.floor(positiveMs), noHashes - 1));
  }
  const bytes = newPayload(rows.length);
  for (const [at, row] of rows.entries()) bytes.set(row, headerBytes + at * rowBytes);
  return bytes;
}

/** Rows of one answer follow each other. Returns nothing for another format. */
export function* decodeAnswers(payload: Uint8Array | null): Iterable<StoredAnswer> {
  const count = countIn(payload);
  for (let at = 0; at < count; ) {
    const { prefix, atMs, forMs } = rowAt(payload!, at);
    const hashes: Uint8Array[] = [];
    for (; at < count; at++) {
      const row = rowAt(payload!, at);
      if (row.prefix !== prefix || row.atMs !== atMs || row.forMs !== forMs) break;
      if (forMs !== noHashes) hashes.push(row.hash);
    }
    yield { prefix, hashes, atMs, positiveMs: forMs };
  }
}

/** Rows copied between two pauses: about 2 ms of work. */
const rowsPerSlice = 20_000;

/**
 * The newest answers with hashes of two payloads. Those in `newer` replace those in `older`.
 *
 * @param isLiving Whether an answer of this time still counts.
 */
export function* mergedAnswers(
  older: Uint8Array | null,
  newer: Uint8Array,
  isLiving: (atMs: number) => boolean,
  maxCount: number,
): Sliced<Uint8Array> {
  const replaced = new Set<number>();
  for (const { prefix } of decodeAnswers(newer)) replaced.add(prefix);
  const kept: Uint8Array[] = [];
  let done = 0;
  for (const payload of [older, newer]) {
    for (let at = 0; at < countIn(payload); at++) {
      const { prefix, atMs, forMs, row } = rowAt(payload!, at);
      const isReplaced = payload === older && replaced.has(prefix);
      if (!isReplaced && forMs !== noHashes && isLiving(atMs)) kept.push(row);
      if (++done % rowsPerSlice === 0) yield;
    }
  }
  const from = Math.max(0, kept.length - maxCount);
  const bytes = newPayload(kept.length - from);
  for (let at = from; at < kept.length; at++) {
    bytes.set(kept[at]!, headerBytes + (at - from) * rowBytes);
    if (at % rowsPerSlice === 0) yield;
  }
  return bytes;
}

interface Row {
  readonly row: Uint8Array;
  readonly hash: Uint8Array;
  readonly prefix: number;
  readonly atMs: number;
  readonly forMs: number;
}

function rowAt(payload: Uint8Array, index: number): Row {
  const row = payload.subarray(headerBytes + index * rowBytes, headerBytes + (index + 1) * rowBytes);
  const atMs = readU32(row, 32) * 2 ** 32 + readU32(row, 36);
  return { row, hash: row.subarray(0, 32), prefix: readU32(row, 0), atMs, forMs: readU32(row, 40) };
}

function countIn(payload: Uint8Array | null): number {
  if (payload === null || payload[0] !== version || (payload.length - headerBytes) % rowBytes !== 0) return 0;
  return (payload.length - headerBytes) / rowBytes;
}

function newPayload(rows: number): Uint8Array {
  const bytes = new Uint8Array(headerBytes + rows * rowBytes);
  bytes[0] = version;
  return bytes;
}
