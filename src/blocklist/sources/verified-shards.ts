import { toHex } from '../../core/bytes.js';
import { PortcullisError } from '../../core/errors.js';
import { requireSum, shardsPerSums, sumsIn, sumsName } from '../formats/shard-sums.js';
import type { ShardCount } from '../formats/shards.js';
import type { SumsRef } from '../formats/version-document.js';

/** The SHA-256 that one of so many shards must have in the version with these sums, in hex. */
export type ShardSum = (sums: SumsRef, shard: number, shards: ShardCount) => Promise<string>;

/** Bytes of a file of sums: 2,048, and room for lists with more shards. */
const maxSumsBytes = 64 * 1024;

/** All files of sums of one version of 4,096 shards: 130 kB. A plain number, because a bundler cannot drop a computed one. */
const maxKept = 65;

/** @param fetchFile Downloads a file of at most so many bytes. */
export function createShardSums(fetchFile: (url: string, maxBytes: number) => Promise<Uint8Array>): ShardSum {
  /** Files by their SHA-256, so that they need no invalidation. */
  const kept = new Map<string, Promise<readonly Uint8Array[]>>();

  function sumsOf(url: string, sha256: string): Promise<readonly Uint8Array[]> {
    const known = kept.get(sha256);
    if (known !== undefined) return known;
    const loading = fetchFile(url, maxSumsBytes).then((bytes) => {
      requireSum(bytes, sha256, 'file of sums');
      return sumsIn(bytes);
    });
    if (kept.size >= maxKept) kept.clear();
    kept.set(sha256, loading);
    loading.catch(() => kept.delete(sha256));
    return loading;
  }

  return async ({ url, sha256 }, shard, shards) => {
    let sums = await sumsOf(url, sha256);
    if (shards > shardsPerSums) {
      const group = sums[Math.floor(shard / shardsPerSums)];
      if (group === undefined) throw incomplete();
      sums = await sumsOf(url.replace(/[^/]*$/, sumsName(toHex(group))), toHex(group));
    }
    const sum = sums[shard % shardsPerSums];
    if (sum === undefined) throw incomplete();
    return toHex(sum);
  };
}

function incomplete(): PortcullisError {
  return new PortcullisError('INVALID_ARTIFACT', 'the sums of the version lack this shard');
}
