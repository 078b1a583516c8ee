import { toHex } from '../../core/bytes.js';
import { PortcullisError } from '../../core/errors.js';
import { maxSumsBytes, shardsPerSums, sumAt, sumsName } from '../formats/shard-sums.js';
import { type decodeShard, maxShardBytes, shardName } from '../formats/shards.js';
import type { PublishedDocument } from '../formats/version-document.js';
import type { VerifiedFiles } from './verified-files.js';

/** Throws unless the bytes are this shard. */
export type CheckShard = (...shard: Parameters<typeof decodeShard>) => void;

/**
 * The shard of a version, and no other version's: the version names the sums, and the sums name the shard (docs/formats.md §6).
 *
 * @param folder The URL of the list's folder.
 * @throws PortcullisError `INVALID_ARTIFACT`, and whatever `files` throws
 */
export async function shardOfVersion(
  { confirm, shards }: PublishedDocument,
  shard: number,
  folder: string,
  files: VerifiedFiles,
  check: CheckShard,
): Promise<Uint8Array> {
  const sumIn = async (url: string, sha256: string, at: number): Promise<string> => {
    const sum = sumAt(await files({ url, sha256, maxBytes: maxSumsBytes }, () => {}), at);
    if (sum === undefined) throw new PortcullisError('INVALID_ARTIFACT', 'the sums of the version lack this shard');
    return toHex(sum);
  };
  let { url, sha256 } = confirm;
  if (shards > shardsPerSums) {
    sha256 = await sumIn(url, sha256, Math.floor(shard / shardsPerSums));
    url = url.slice(0, url.lastIndexOf('/') + 1) + sumsName(sha256);
  }
  sha256 = await sumIn(url, sha256, shard % shardsPerSums);
  const file = { url: `${folder}/${shardName(shard, shards, sha256)}`, sha256, maxBytes: maxShardBytes };
  return files(file, (bytes) => check(bytes, shard, shards));
}
