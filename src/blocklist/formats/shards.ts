import { readU32, writeU32 } from '../../core/bytes.js';
import { PortcullisError } from '../../core/errors.js';
import { maxEntries } from '../../core/limits.js';

/**
 * Full hashes as static files: one file for all hashes that begin with the same hex digits, none to three of them. Fetching a file reveals
 * only those digits to the host, and nothing if a cache answers (docs/formats.md §6).
 *
 * | at | bytes | |
 * |---|---|---|
 * | 0 | 8 | magic |
 * | 8 | 1 | version, 1 |
 * | 9 | 1 | 12 minus the bits that select the shard |
 * | 10 | 2 | those bits, big-endian |
 * | 12 | 4 | count, big-endian |
 * | 16 | 32 × count | hashes, ascending |
 */
export type ShardCount = 1 | 16 | 256 | 4096;

/** Powers of 16, so that a shard's name has a digit for each four bits and two numbers of shards never share a name. */
export const shardCounts: readonly ShardCount[] = [1, 16, 256, 4096];

/** The maximum size of a shard in bytes: four times the average of 4,096 at 2^25 entries. */
export const maxShardBytes: number = 1024 * 1024;

/** Begins with a byte that no text begins with, and contains line ends that a text-mode transfer would change. */
const magic: readonly number[] = [0x89, 0x50, 0x43, 0x53, 0x0d, 0x0a, 0x1a, 0x0a];
const version = 1;
/** Bytes before the hashes. */
export const shardHeaderBytes = 16;

/** Bytes of a hash. */
export const hashBytes = 32;

export function shardOf(prefix: number, shards: ShardCount): number {
  return Math.floor((prefix >>> 0) / (0x1_0000_0000 / shards));
}

/** `confirm/0a3-<sum>.bin` of 4,096 shards, `0a-<sum>.bin` of 256, `0-<sum>.bin` of 16; `all-<sum>.bin` is the only one. */
export function shardName(shard: number, shards: ShardCount, sha256: string): string {
  const digits = shards === 1 ? 'all' : shard.toString(16).padStart(Math.log2(shards) / 4, '0');
  return `confirm/${digits}-${sha256.slice(0, 16)}.bin`;
}

/** @param write Writes the hashes, strictly ascending and all from this shard, to a view of 32 bytes for each. */
export function encodeShard(
  shard: number,
  shards: ShardCount,
  count: number,
  write: (bytes: Uint8Array) => void,
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(shardHeaderBytes + hashBytes * count);
  bytes.set(magic);
  bytes[8] = version;
  bytes[9] = 12 - Math.log2(shards);
  bytes[10] = shard >>> 8;
  bytes[11] = shard;
  writeU32(bytes, 12, count);
  write(bytes.subarray(shardHeaderBytes));
  return bytes;
}

/**
 * Returns the hashes of a shard as views of its bytes.
 *
 * @throws PortcullisError `INVALID_ARTIFACT` unless the bytes are this shard, complete and in order
 */
export function decodeShard(bytes: Uint8Array, shard: number, shards: ShardCount): readonly Uint8Array[] {
  requireShard(bytes, shard, shards);
  const hashes: Uint8Array[] = [];
  for (let at = shardHeaderBytes; at < bytes.length; at += hashBytes) {
    const hash = bytes.subarray(at, at + hashBytes);
    if (shardOf(readU32(hash, 0), shards) !== shard) throw invalid('it has a hash that belongs to a different shard');
    if (hashes.length > 0 && compareBytes(hashes[hashes.length - 1]!, hash) >= 0) throw invalid('its hashes are not ascending');
    hashes.push(hash);
  }
  return hashes;
}

/**
 * What `decodeShard` checks before it reads the hashes: enough for a file with a known checksum.
 *
 * @throws PortcullisError `INVALID_ARTIFACT`
 */
export function requireShard(bytes: Uint8Array, shard: number, shards: ShardCount): void {
  if (bytes.length < shardHeaderBytes || magic.some((byte, at) => bytes[at] !== byte)) throw invalid('its header is missing');
  if (bytes[8] !== version) throw invalid(`its version is ${bytes[8]}, but this package reads version ${version}`);
  if (bytes[9] !== 12 - Math.log2(shards) || ((bytes[10]! << 8) | bytes[11]!) !== shard)
    throw invalid('it is a different shard than requested');
  const count = readU32(bytes, 12);
  if (count > maxEntries || bytes.length !== shardHeaderBytes + hashBytes * count)
    throw invalid('it is truncated, or has trailing bytes');
}

/** Copies of the hashes behind a prefix in a valid shard: a view would keep the whole shard in memory. */
export function hashesIn(shard: Uint8Array, prefix: number): Uint8Array[] {
  const hashes: Uint8Array[] = [];
  for (let at = shardHeaderBytes; at < shard.length; at += hashBytes) {
    if (readU32(shard, at) === prefix >>> 0) hashes.push(shard.slice(at, at + hashBytes));
  }
  return hashes;
}

export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let at = 0; at < hashBytes; at++) if (a[at] !== b[at]) return a[at]! - b[at]!;
  return 0;
}

function invalid(what: string): PortcullisError {
  return new PortcullisError('INVALID_ARTIFACT', `the shard is invalid: ${what}`);
}
