import { createHash } from 'node:crypto';
import { encodeArtifact } from '../src/core/prefixes/artifact.js';
import { encodeDifference } from '../src/core/prefixes/difference.js';
import { PrefixSet } from '../src/core/prefixes/prefix-set.js';
import { runNow } from '../src/core/slices.js';
import { buildList } from '../src/servers/publish/build-list.js';
import { usualPublisher } from './fleet.js';
import { distinctPrefixes } from './inputs.js';

/** Bytes of the files of a published list, as encoded by the library. */
export interface Sizes {
  readonly count: number;
  readonly version: number;
  readonly snapshot: number;
  /** From one snapshot to the next. */
  readonly difference: number;
  /** Each recent feed between two snapshots, in order. */
  readonly recents: readonly number[];
  readonly shard: number;
  readonly shards: number;
  /** Files of sums that a hit needs when the list has changed. */
  readonly sums: number;
}

/** Share of the entries that change in a day, 55 % of them additions and the others removals (as in `differences.ts`). */
export const dailyChurn = 0.005;
const addedShare = 0.55;

const { snapshotEveryMs, recentEveryMs } = usualPublisher;

export async function sizesOf(count: number): Promise<Sizes> {
  const changes = (count * dailyChurn * snapshotEveryMs) / 86_400_000;
  const [added, removed] = [Math.round(changes * addedShare), Math.round(changes * (1 - addedShare))];
  const all = distinctPrefixes(count + added);
  const before = all.slice(0, count).sort();
  const after = all.slice(removed).sort();
  const coded = (entries: Uint32Array): Uint8Array => encodeArtifact(PrefixSet.from(entries), { encoding: 'portcullis-rice' });
  const feeds = snapshotEveryMs / recentEveryMs;
  const recents = Array.from({ length: feeds }, (_, at) => {
    const known = Math.round((added * at * recentEveryMs) / snapshotEveryMs);
    return coded(all.subarray(count, count + known)).length;
  });
  const token = createHash('sha256').update('token').digest('hex').slice(0, 16);
  const shards = count <= 512 ? 1 : count <= 16 * 512 ? 16 : count <= 256 * 512 ? 256 : 4096;
  const { version } = await buildList('a.example\n', { shards });
  return {
    count,
    version: JSON.stringify({ ...version, differences: { url: `difference-${token}-${token}.bin` } }).length + 1,
    snapshot: coded(before).length,
    difference: runNow(encodeDifference(before, after, token)).length,
    recents,
    shard: 16 + Math.round((32 * count) / shards),
    shards,
    sums: shards <= 64 ? 1 : 2,
  };
}
