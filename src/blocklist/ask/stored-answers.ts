import { readU32, writeU32 } from '../../core/bytes.js';
import type { Sliced } from '../../core/slices.js';
import type { StoredAnswer } from './answers.js';

/**
 * Stored answers: a version byte and three zeros, then one row for each hash (docs/formats.md §7).
 *
 * | at | bytes | |
 * |---|---|---|
 * | 0 | 32 | hash; of an answer without hashes the prefix, then zeros |
 * | 32 | 2 | what the hash is listed for, big-endian; 0 if that is not known |
 * | 34 | 6 | time of the answer in epoch milliseconds, big-endian |
 * | 40 | 4 | milliseconds for which it counts without asking again, big-endian; 2^32 - 1 for an answer without hashes |
 */
const version = 1;
const headerBytes = 4;
const rowBytes = 44;
const noHashes = 0xffff_ffff;

/** @param endedMs Answers of this time and before no longer count, and are left out. */
export function encodeAnswers(answers: Iterable<StoredAnswer>, endedMs: number = Number.NEGATIVE_INFINITY): Uint8Array {
  const rows: [hash: Uint8Array | null, answer: StoredAnswer][] = [];
  for (const answer of answers) {
    if (answer.atMs <= endedMs) continue;
    if (answer.hashes.length === 0) rows.push([null, answer]);
    for (const hash of answer.hashes) rows.push([hash, answer]);
  }
  const bytes = newPayload(rows.length);
  let at = headerBytes;
  for (const [hash, { prefix, kinds, atMs, positiveMs }] of rows) {
    if (hash === null) writeU32(bytes, at, prefix);
    else bytes.set(hash, at);
    writeU32(bytes, at + 32, (kinds?.get(hash!) ?? 0) * 0x10000 + Math.floor(atMs / 2 ** 32));
    writeU32(bytes, at + 36, atMs % 2 ** 32);
    // At most 49 days, which is more than any answer counts without asking.
    writeU32(bytes, at + 40, hash === null ? noHashes : Math.min(positiveMs, noHashes - 1));
    at += rowBytes;
  }
  return bytes;
}

/** Rows of one answer follow each other. Returns nothing for another format. */
export function* decodeAnswers(payload: Uint8Array | null): Iterable<StoredAnswer> {
  const bytes = validOf(payload);
  for (let at = headerBytes; at < bytes.length; ) {
    const [prefix, atMs, positiveMs] = [readU32(bytes, at), timeAt(bytes, at), readU32(bytes, at + 40)];
    const hashes: Uint8Array[] = [];
    let kinds: Map<Uint8Array, number> | undefined;
    do {
      const hash = bytes.subarray(at, at + 32);
      const kind = readU32(bytes, at + 32) >>> 16;
      if (positiveMs !== noHashes) hashes.push(hash);
      if (kind !== 0) kinds = (kinds ?? new Map()).set(hash, kind);
      at += rowBytes;
    } while (at < bytes.length && readU32(bytes, at) === prefix && timeAt(bytes, at) === atMs);
    yield { prefix, hashes, kinds, atMs, positiveMs };
  }
}

/** Rows copied between two pauses: less than a millisecond of work, once it is compiled. */
const rowsPerSlice = 2_000;

/**
 * The newest answers with hashes of two payloads, at most `maxCount`. Those in `newer` replace those in `older`.
 *
 * @param endedMs Answers of this time and before no longer count.
 */
export function* mergedAnswers(
  older: Uint8Array | null,
  newer: Uint8Array,
  endedMs: number,
  maxCount: number,
): Sliced<Uint8Array> {
  const replaced = new Set<number>();
  for (const { prefix } of decodeAnswers(newer)) replaced.add(prefix);
  const before = validOf(older);
  const bytes = newPayload((before.length + newer.length) / rowBytes);
  let end = headerBytes;
  for (const payload of [before, newer]) {
    for (let at = headerBytes; at < payload.length; at += rowBytes) {
      const isReplaced = payload === before && replaced.has(readU32(payload, at));
      if (!isReplaced && readU32(payload, at + 40) !== noHashes && timeAt(payload, at) > endedMs) {
        bytes.set(payload.subarray(at, at + rowBytes), end);
        end += rowBytes;
      }
      if (at % (rowsPerSlice * rowBytes) === headerBytes) yield;
    }
  }
  const from = Math.max(headerBytes, end - maxCount * rowBytes);
  bytes.copyWithin(headerBytes, from, end);
  return bytes.subarray(0, headerBytes + end - from);
}

function timeAt(bytes: Uint8Array, at: number): number {
  return (readU32(bytes, at + 32) & 0xffff) * 2 ** 32 + readU32(bytes, at + 36);
}

/** The payload, or one without rows if it has another format. */
function validOf(payload: Uint8Array | null): Uint8Array {
  const isValid = payload?.[0] === version && (payload.length - headerBytes) % rowBytes === 0;
  return isValid ? payload! : newPayload(0);
}

function newPayload(rows: number): Uint8Array {
  const bytes = new Uint8Array(headerBytes + Math.ceil(rows) * rowBytes);
  bytes[0] = version;
  return bytes;
}
