import { shardsPerSums, sumAt, sumsName } from '../../blocklist/formats/shard-sums.js';
import { shardName } from '../../blocklist/formats/shards.js';
import { objectOf } from '../../blocklist/formats/spelling.js';
import {
  type ArtifactRef,
  type PublishedDocument,
  readVersion,
  requirePublished,
} from '../../blocklist/formats/version-document.js';
import type { Envelope } from '../../blocklist/signatures/envelope.js';
import { toHex } from '../../core/bytes.js';
import { requireObject } from '../../core/errors.js';

/** The content of `version.json`. `readVersion` parses it, with the file's folder as base for relative URLs. */
export interface PublishedVersion extends PublishedDocument {
  readonly snapshot: SnapshotRef;
  /** The same document, signed; see `signList`. */
  readonly signed?: Envelope | undefined;
}

/** The snapshot, as described in `version.json`. */
export interface SnapshotRef extends ArtifactRef {
  /** Creation time of the snapshot in epoch milliseconds. */
  readonly createdAtMs: number;
}

/**
 * Reads a previously published `version.json`: its algorithm, and the files that belong to it.
 *
 * @param base The folder the document is in, against which relative addresses are resolved.
 * @throws PortcullisError `INVALID_RESPONSE` if it is not a version document
 */
export function readPublished(version: unknown, base = 'https://list.invalid'): PublishedVersion {
  const document = readVersion(version, base);
  requirePublished(document);
  const { createdAtMs } = objectOf(objectOf(version)['snapshot']);
  // The list of another publisher does not say when its snapshot was made.
  const madeAtMs = typeof createdAtMs === 'number' && createdAtMs >= 0 ? createdAtMs : 0;
  return { ...document, snapshot: { ...document.snapshot, createdAtMs: madeAtMs } };
}

/**
 * The names of all files of a published version, directly or through its sums, without `version.json` and the differences. A publisher can
 * delete every other file some time after the version was replaced.
 *
 * @param read Reads a file of sums by its name; `null` if it is missing, and then nothing it leads to is named.
 */
export async function publishedFiles(
  version: PublishedVersion,
  read: (name: string) => Promise<Uint8Array | null>,
): Promise<string[]> {
  requireObject(version, 'version');
  const { snapshot, recent, hot, confirm, shards } = version;
  for (const part of [snapshot, recent, confirm]) requireObject(part, 'each file of the version');
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
  const newest = hot === undefined ? [] : [nameIn(hot.url)];
  return [nameIn(snapshot.url), nameIn(recent.url), ...newest, name, ...groups, ...shardNames];
}

function nameIn(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}
