import { toHex } from '../../core/bytes.js';
import { PortcullisError } from '../../core/errors.js';
import { sha256 as sumOf } from '../../core/hashing/sha256.js';

/**
 * Which shards belong to a version (docs/formats.md §6): SHA-256 of each shard, in files of 64, and one file with the SHA-256 of those
 * files, which the version document names; with 16 shards or fewer it names the only file of 64. A hit then needs 4 kB of sums instead of
 * 128. Every file has its sum in its name, so that a version's files never replace another's.
 */
export const shardsPerSums = 64;

const sumBytes = 32;

/** Bytes of a file of sums: 2,048, for 64 of them. */
export const maxSumsBytes = 2_048;

/** The name of a file of sums, made from its SHA-256: its content never changes. */
export function sumsName(sha256: string): string {
  return `sums-${sha256.slice(0, 16)}.bin`;
}

/** One sum of a file, as a view. */
export function sumAt(bytes: Uint8Array, at: number): Uint8Array | undefined {
  const sum = bytes.subarray(at * sumBytes, (at + 1) * sumBytes);
  return sum.length === sumBytes ? sum : undefined;
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
export function requireSum(bytes: Uint8Array, sha256: string): void {
  if (toHex(sumOf(bytes)) === sha256) return;
  throw new PortcullisError('INVALID_ARTIFACT', 'the file does not match its SHA-256');
}
