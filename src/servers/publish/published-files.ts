import { shardsPerSums, sumAt, sumsName } from '../../blocklist/formats/shard-sums.js';
import { shardName } from '../../blocklist/formats/shards.js';
import { toHex } from '../../core/bytes.js';
import type { PublishedVersion } from './published-version.js';

/**
 * The names of all files of a published version, directly or through its sums, without `version.json` and the differences. A publisher can
 * delete every other file some time after the version was replaced.
 *
 * @param read Reads a file of sums by its name; `null` if it is missing, and then nothing it leads to is named.
 */
export async function publishedFiles(
  { snapshot, recent, confirm, shards }: PublishedVersion,
  read: (name: string) => Promise<Uint8Array | null>,
): Promise<string[]> {
  const sumsIn = async (name: string): Promise<string[]> => {
    const bytes = (await read(name)) ?? new Uint8Array(0);
    const sums: string[] = [];
    for (let sum = sumAt(bytes, 0); sum !== undefined; sum = sumAt(bytes, sums.length)) sums.push(toHex(sum));
    return sums;
  };
  const name = nameIn(confirm.url);
  const first = await sumsIn(name);
  const groups = shards > shardsPerSums ? first.map(sumsName) : [];
  const sums = shards > shardsPerSums ? (await Promise.all(groups.map(sumsIn))).flat() : first;
  const shardNames = sums.slice(0, shards).map((sum, shard) => shardName(shard, shards, sum));
  return [nameIn(snapshot.url), nameIn(recent.url), name, ...groups, ...shardNames];
}

function nameIn(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}
