import { toHex } from '../../core/bytes.js';
import { PortcullisError } from '../../core/errors.js';
import { digestOf } from '../../core/hashing/sha256.js';
import { bounded } from '../../core/http/bounded.js';
import { AscendingSet } from '../../core/prefixes/ascending-set.js';
import { encodeContainer } from '../../core/prefixes/container.js';
import { applyDifference, readDifferenceHeader } from '../../core/prefixes/difference.js';
import { PrefixSet } from '../../core/prefixes/prefix-set.js';
import { runInSlices, type Sliced } from '../../core/slices.js';
import { differenceName, differenceNamed, type VersionDocument } from '../formats/version-document.js';
import type { Artifact, ArtifactCall } from '../model/source.js';
import { type DownloadOptions, download } from './download.js';

/** Files from the oldest known snapshot to the newest: two months of a list that makes two snapshots a day. */
const maxSteps = 128;

/**
 * The snapshot, made from an earlier one and what has changed since. Each file names the one before it, so that the version document and the
 * files need no list of them; a client fetches them from the newest one back to its own snapshot.
 *
 * @returns `null` if there are no such files, or fetching the whole snapshot is likely to take fewer bytes
 * @throws for anything that is wrong with them, before a part of the new snapshot is used
 */
export function snapshotFromDifferences(
  version: VersionDocument,
  transport: Omit<DownloadOptions, 'maxBytes'>,
  call: ArtifactCall,
): Promise<Artifact | null> {
  // Each file is small. A host that is slow with them must not use up the time of the snapshot.
  const small = { ...transport, artifactTimeoutMs: transport.timeoutMs };
  return bounded(maxChainMs, call.signal, (signal) => chainOf(version, small, { ...call, signal }));
}

const maxChainMs = 60_000;

async function chainOf(
  version: VersionDocument,
  transport: Omit<DownloadOptions, 'maxBytes'>,
  { previous, signal, onProgress }: ArtifactCall,
): Promise<Artifact | null> {
  const { differences, algoVersion, snapshot } = version;
  // The result is compared with the snapshot's checksum.
  if (differences === undefined || snapshot.sha256 === undefined || !(previous?.entries instanceof AscendingSet)) return null;
  const files: Uint8Array[] = [];
  let left = Math.min(sizeOf(snapshot.count), sizeOf(previous.entries.size)) / 2;
  let { url } = differences;
  for (let to = snapshot.token; to !== previous.token; ) {
    const [name, from, own] = differenceName.exec(url) ?? [];
    if (name === undefined || own !== to || files.length === maxSteps) return null;
    const { bytes } = await download(url, { ...transport, maxBytes: Math.floor(left), signal, onProgress });
    left -= bytes.length;
    files.unshift(bytes);
    const { before } = readDifferenceHeader(bytes);
    to = from!;
    if (to !== previous.token && before === null) return null;
    url = url.replace(differenceName, differenceNamed(before, to));
  }
  return runInSlices(madeFrom(previous.entries, files, snapshot, algoVersion), signal);
}

/** Bytes of a whole coded snapshot. */
function sizeOf(count: number): number {
  return (count * (33.5 - Math.log2(Math.max(1, count)))) / 8;
}

/** Encoded again, the result is the published file, byte for byte. */
function* madeFrom(
  previous: PrefixSet,
  files: readonly Uint8Array[],
  { count, sha256 }: VersionDocument['snapshot'],
  algorithm: string,
): Sliced<Artifact> {
  let { high } = yield* previous.readEntries();
  for (const bytes of files) high = yield* applyDifference(high, bytes);
  const sum = toHex(yield* digestOf(yield* encodeContainer({ high, low: null }, true, algorithm)));
  if (high.length !== count || sum !== sha256) {
    throw new PortcullisError('INVALID_ARTIFACT', 'the snapshot made from differences does not match its checksum');
  }
  return { entries: yield* PrefixSet.ofAscending(high), isProven: true };
}
