import { readU32, writeU32 } from '../../core/bytes.js';
import { PortcullisError } from '../../core/errors.js';
import { maxEntries } from '../../core/limits.js';

/**
 * Full hashes as static files: one file for all hashes that share their first 12 bits. Fetching a file reveals only those 12 bits to the
 * host, and nothing if a cache answers (docs/formats.md §6).
 *
 * | at | bytes | |
 * |---|---|---|
 * | 0 | 8 | magic |
 * | 8 | 1 | version, 1 |
 * | 9 | 1 | 0 |
 * | 10 | 2 | the 12 bits, big-endian |
 * | 12 | 4 | count, big-endian |
 * | 16 | 32 × count | hashes, ascending |
 */
export const shardCount = 4096;

/** Begins with a byte that no text begins with, and contains line ends that a text-mode transfer would change. */
const magic: readonly number[] = [0x89, 0x50, 0x43, 0x53, 0x0d, 0x0a, 0x1a, 0x0a];
const version = 1;
const headerBytes = 16;
const hashBytes = 32;

export function shardOf(prefix: number): number {
  return prefix >>> 20;
}

/** `confirm/0a3.bin` */
export function shardName(shard: number): string {
  return `confirm/${shard.toString(16).padStart(3, '0')}.bin`;
}

/** @param hashes Strictly ascending, all from this shard. */
export function encodeShard(shard: number, hashes: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(headerBytes + hashBytes * hashes.length);
  bytes.set(magic);
  bytes[8] = version;
  bytes[10] = shard >>> 8;
  bytes[11] = shard;
  writeU32(bytes, 12, hashes.length);
  hashes.forEach((hash, at) => {
    bytes.set(hash, headerBytes + hashBytes * at);
  });
  return bytes;
}

/**
 * Returns the hashes of a shard as views of its bytes.
 *
 * @throws PortcullisError `INVALID_ARTIFACT` unless the bytes are this shard, complete and in order
 */
export function decodeShard(bytes: Uint8Array, shard: number): readonly Uint8Array[] {
  if (bytes.length < headerBytes || magic.some((byte, at) => bytes[at] !== byte)) throw invalid('its header is missing');
  if (bytes[8] !== version) throw invalid(`its version is ${bytes[8]}, but this package reads version ${version}`);
  if (((bytes[10]! << 8) | bytes[11]!) !== shard) throw invalid('it is a different shard than requested');
  const count = readU32(bytes, 12);
  if (count > maxEntries || bytes.length !== headerBytes + hashBytes * count)
    throw invalid('it is truncated, or has trailing bytes');
  const hashes: Uint8Array[] = [];
  for (let at = headerBytes; at < bytes.length; at += hashBytes) {
    const hash = bytes.subarray(at, at + hashBytes);
    if (shardOf(readU32(hash, 0)) !== shard) throw invalid('it has a hash that belongs to a different shard');
    if (hashes.length > 0 && compareBytes(hashes[hashes.length - 1]!, hash) >= 0) throw invalid('its hashes are not ascending');
    hashes.push(hash);
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
