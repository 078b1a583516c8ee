import { toHex } from '../../core/bytes.js';
import { PortcullisError } from '../../core/errors.js';
import { sha256 as sumOf } from '../../core/hashing/sha256.js';

/**
 * Which shards belong to a version (docs/formats.md §6): SHA-256 of each shard, in files of 64, and one file with the SHA-256 of those
 * files, which the version document names; with 16 shards or fewer it names the only file of 64. A hit then needs 4 kB of sums instead of
 * 128.
 */
export const shardsPerSums = 64;

const sumBytes = 32;

/** The name of a file of sums, made from its SHA-256: its content never changes. */
export function sumsName(sha256: string): string {
  return `sums-${sha256.slice(0, 16)}.bin`;
}

/** The sums of one file, as views. */
export function sumsIn(bytes: Uint8Array): readonly Uint8Array[] {
  return Array.from({ length: bytes.length / sumBytes }, (_, at) => bytes.subarray(at * sumBytes, (at + 1) * sumBytes));
}

/** Puts sums one after the other. */
export function joinSums(sums: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(sums.length * sumBytes);
  sums.forEach((sum, at) => {
    bytes.set(sum, at * sumBytes);
  });
  return bytes;
}

/** @throws PortcullisError `INVALID_ARTIFACT` unless these are the bytes */
export function requireSum(bytes: Uint8Array, sha256: string, what: string): void {
  if (toHex(sumOf(bytes)) === sha256) return;
  throw new PortcullisError('INVALID_ARTIFACT', `the ${what} is not the one that the version names`);
}
