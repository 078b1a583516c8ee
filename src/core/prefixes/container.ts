import { equalBytes, fromUnits, readU32, writeU32 } from '../bytes.js';
import { PortcullisError } from '../errors.js';
import { createDigest } from '../hashing/sha256.js';
import { entriesPerSlice } from '../limits.js';
import type { Sliced } from '../slices.js';
import { type Entries, requireCount } from './entries.js';
import { invalidArtifact } from './invalid.js';
import { decodeRaw, encodeRaw } from './raw-codec.js';
import { decodeRice, encodeRice } from './rice-codec.js';

/**
 * The container format: a header that describes and authenticates the payload (docs/formats.md §3).
 *
 * | at | bytes | |
 * |---|---|---|
 * | 0 | 8 | magic |
 * | 8 | 1 | version, 1 |
 * | 9 | 1 | payload: 0 raw, 1 Rice-coded |
 * | 10 | 1 | entry length: 4 or 8 |
 * | 11 | 1 | length n of the algorithm's name, 1 to 64 |
 * | 12 | 4 | count, big-endian |
 * | 16 | 32 | SHA-256 of bytes 0 to 15, the name, and the entries as raw |
 * | 48 | n | the algorithm's name |
 * | 48 + n | | payload |
 */
export interface Header {
  readonly rice: boolean;
  readonly entryBytes: 4 | 8;
  readonly count: number;
  readonly algorithm: string;
  readonly digest: Uint8Array;
  readonly payloadAt: number;
}

/** Begins with a byte that no text begins with, and contains line ends that a text-mode transfer would change. */
const magic: Uint8Array = /* @__PURE__ */ Uint8Array.of(0x89, 0x50, 0x43, 0x4c, 0x0d, 0x0a, 0x1a, 0x0a);
const version = 1;
const digestAt = 16;
const nameAt = 48;
const namePattern = /^[a-z0-9][a-z0-9.-]{0,63}$/;

export function isContainer(bytes: Uint8Array): boolean {
  return equalBytes(bytes.subarray(0, magic.length), magic);
}

export function* encodeContainer(entries: Entries, rice: boolean, algorithm: string): Sliced<Uint8Array<ArrayBuffer>> {
  if (!namePattern.test(algorithm)) {
    throw new PortcullisError(
      'INVALID_INPUT',
      'the name of an algorithm must have 1 to 64 characters of a-z, 0-9, dot and hyphen, the first a letter or digit',
    );
  }
  const payload = rice ? yield* encodeRice(entries) : yield* encodeRaw(entries);
  const bytes = new Uint8Array(nameAt + algorithm.length + payload.length);
  bytes.set(magic);
  bytes.set([version, rice ? 1 : 0, entries.low === null ? 4 : 8, algorithm.length], magic.length);
  writeU32(bytes, 12, entries.high.length);
  for (let at = 0; at < algorithm.length; at++) bytes[nameAt + at] = algorithm.charCodeAt(at);
  bytes.set(payload, nameAt + algorithm.length);
  bytes.set(yield* digestOf(bytes, nameAt + algorithm.length, entries), digestAt);
  return bytes;
}

/** Checks everything that can be checked before the first entry is read. */
export function readHeader(bytes: Uint8Array): Header {
  if (!isContainer(bytes)) throw invalidArtifact('it is not a container');
  if (bytes.length < nameAt) throw invalidArtifact('the header is truncated');
  if (bytes[8] !== version) throw invalidArtifact(`version ${bytes[8]}, but this release reads version ${version}`);
  const payload = bytes[9]!;
  const entryBytes = bytes[10];
  if (payload > 1 || (entryBytes !== 4 && entryBytes !== 8)) throw invalidArtifact('the header names an unknown encoding');
  const count = readU32(bytes, 12);
  requireCount(count);
  const payloadAt = nameAt + bytes[11]!;
  const algorithm = fromUnits(bytes.subarray(nameAt, payloadAt));
  if (payloadAt > bytes.length || !namePattern.test(algorithm)) throw invalidArtifact('the name of its algorithm is invalid');
  return { rice: payload === 1, entryBytes, count, algorithm, digest: bytes.subarray(digestAt, nameAt), payloadAt };
}

export function* decodeContainer(bytes: Uint8Array, header: Header): Sliced<Entries> {
  const payload = bytes.subarray(header.payloadAt);
  const decode = header.rice ? decodeRice : decodeRaw;
  const entries = yield* decode(payload, header.count, header.entryBytes);
  const digest = yield* digestOf(bytes, header.payloadAt, entries);
  if (!equalBytes(digest, header.digest)) throw invalidArtifact('the checksum does not match the content');
  return entries;
}

/** The header and the name are hashed too, so that a change of any byte is noticed. */
function* digestOf(bytes: Uint8Array, payloadAt: number, { high, low }: Entries): Sliced<Uint8Array> {
  const digest = createDigest();
  digest.update(bytes.subarray(0, digestAt));
  digest.update(bytes.subarray(nameAt, payloadAt));
  for (let start = 0; start < high.length; start += entriesPerSlice) {
    const end = start + entriesPerSlice;
    digest.update(yield* encodeRaw({ high: high.subarray(start, end), low: low?.subarray(start, end) ?? null }));
    yield;
  }
  return digest.digest();
}
