import { readU32, writeU32 } from '../../core/bytes.js';
import { PortcullisError } from '../../core/errors.js';
import { maxEntries } from '../../core/limits.js';

/**
 * Full hashes as files that any host serves: one file for the hashes that share their first 12 bits. Who fetches one tells the host no
 * more than those 12 bits, and a cache in between tells it nothing (docs/formats.md §6).
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

/** A byte no text begins with, and line ends that a transfer in text mode would change. */
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

/** @param hashes Strictly ascending, all of this shard. */
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
 * The hashes of a shard, as views of its bytes.
 *
 * @throws PortcullisError `INVALID_ARTIFACT` for anything that is not this shard, whole and in order
 */
export function decodeShard(bytes: Uint8Array, shard: number): readonly Uint8Array[] {
  if (bytes.length < headerBytes || magic.some((byte, at) => bytes[at] !== byte))
    throw invalid('these are no hashes to confirm with');
  if (bytes[8] !== version) throw invalid(`its version is ${bytes[8]}, and ${version} is read here`);
  if (((bytes[10]! << 8) | bytes[11]!) !== shard) throw invalid('it is another shard');
  const count = readU32(bytes, 12);
  if (count > maxEntries || bytes.length !== headerBytes + hashBytes * count)
    throw invalid('it is cut, or has something behind its end');
  const hashes: Uint8Array[] = [];
  for (let at = headerBytes; at < bytes.length; at += hashBytes) {
    const hash = bytes.subarray(at, at + hashBytes);
    if (shardOf(readU32(hash, 0)) !== shard) throw invalid('it has a hash of another shard');
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
  return new PortcullisError('INVALID_ARTIFACT', `the shard is refused: ${what}`);
}
