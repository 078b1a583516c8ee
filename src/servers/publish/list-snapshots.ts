import { requireSum as requireFileSum } from '../../blocklist/formats/shard-sums.js';
import type { ShardCount } from '../../blocklist/formats/shards.js';
import { type ArtifactRef, differenceName, differenceNamed } from '../../blocklist/formats/version-document.js';
import { WholeHashes } from '../../blocklist/formats/whole-hashes.js';
import { toHex } from '../../core/bytes.js';
import { PortcullisError } from '../../core/errors.js';
import { digestOf } from '../../core/hashing/sha256.js';
import { entriesPerSlice } from '../../core/limits.js';
import { bytes } from '../../core/options/read-options.js';
import { type ArtifactEncoding, decodeArtifact, encodeEntries, encodings } from '../../core/prefixes/artifact.js';
import { AscendingSet } from '../../core/prefixes/ascending-set.js';
import { encodeDifference } from '../../core/prefixes/difference.js';
import { PrefixSet, type WorkOptions } from '../../core/prefixes/prefix-set.js';
import { runInSlices, type Sliced } from '../../core/slices.js';
import type { PreviousList } from './publish-options.js';
import { readPublished } from './published-version.js';

/** A set and its published file. */
export interface Artifact {
  readonly set: PrefixSet;
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly ref: Omit<ArtifactRef, 'url'>;
}

/** The files that clients look up entries in. */
export interface Snapshots {
  readonly snapshot: Artifact;
  readonly recent: Artifact;
  readonly createdAtMs: number;
  /** What changed since the snapshot before. */
  readonly difference: DifferenceFile | null;
  /** Why the snapshot has changed; `null` if it is the previous one. */
  readonly newSnapshot: SnapshotCause | null;
  /** How many of its entries are covers, if the list has them. */
  readonly covers?: number | undefined;
}

export interface DifferenceFile {
  readonly name: string;
  /** Missing if an earlier build wrote it. */
  readonly bytes?: Uint8Array;
}

/**
 * Why a build made a new snapshot: `first` there was none; `asked` the `snapshot` option; `format` the algorithm or encoding changed;
 * `grown` too many entries were added or removed; `aged` the previous one was too old.
 */
export type SnapshotCause = 'first' | 'asked' | 'format' | 'grown' | 'aged';

export interface SnapshotRules {
  readonly algorithm: string;
  readonly encoding: ArtifactEncoding;
  readonly snapshot: 'auto' | 'new';
  readonly differences: boolean;
  readonly maxSnapshotAgeMs: number;
  readonly maxRecentShare: number;
  readonly nowMs: number;
}

/** The previous list, verified. */
export interface Known {
  readonly set: PrefixSet;
  readonly token: string;
  readonly recentToken: string;
  /** SHA-256 of the sums of its shards. */
  readonly sums: string;
  readonly algorithm: string;
  readonly createdAtMs: number;
  readonly listName: string | undefined;
  readonly sequence: number;
  readonly shards: ShardCount;
  /** Whole hashes of its newest entries. */
  readonly hot: WholeHashes | null;
  readonly hotSum: string | undefined;
  /** How many entries of its snapshot are covers, if it has them. */
  readonly covers: number | undefined;
  /** `null` if it was not given. */
  readonly recent: PrefixSet | null;
  /** The file that leads to its snapshot. */
  readonly difference: DifferenceFile | null;
}

/**
 * @throws PortcullisError `INVALID_RESPONSE` for an invalid version document, `INVALID_ARTIFACT` for a snapshot that does not match it
 */
export async function readPrevious(previous: PreviousList, rules: SnapshotRules, signal: WorkOptions['signal']): Promise<Known> {
  const { algoVersion, listName, snapshot, recent, hot, sequence, covers, confirm, shards, differences } = readPublished(
    previous.version,
  );
  const { token, count, sha256, createdAtMs } = snapshot;
  let set = previous.snapshot;
  if (!(set instanceof AscendingSet)) {
    set = await decodeArtifact(bytes(set, 'buildList: previous.snapshot'), { count, sha256 }, { signal });
  }
  if (set.size !== count) {
    throw new PortcullisError(
      'INVALID_ARTIFACT',
      `the previous snapshot has ${set.size} entries, but its version document says ${count}`,
    );
  }
  if (set === previous.snapshot && sha256 !== undefined) {
    await runInSlices(requireSum(set, sha256, algoVersion, rules.encoding), signal);
  }
  const hotBytes = previous.hot == null || hot === undefined ? null : bytes(previous.hot, 'buildList: previous.hot');
  if (hotBytes !== null) requireFileSum(hotBytes, hot!.sha256);
  let added = previous.recent ?? null;
  if (added !== null && !(added instanceof AscendingSet)) {
    const { count, sha256 } = recent;
    added = await decodeArtifact(bytes(added, 'buildList: previous.recent'), { count, sha256 }, { signal });
  }
  // A time in the future, from a machine with another clock, would never age.
  return {
    set,
    token,
    recentToken: recent.token,
    sums: confirm.sha256,
    algorithm: algoVersion,
    createdAtMs: Math.min(createdAtMs, rules.nowMs),
    listName,
    sequence,
    shards,
    hot: hotBytes && new WholeHashes(hotBytes),
    hotSum: hot?.sha256,
    covers,
    recent: added,
    difference: differenceTo(token, differences?.url),
  };
}

function differenceTo(token: string, url = ''): DifferenceFile | null {
  const [name, , to] = differenceName.exec(url) ?? [];
  return name !== undefined && to === token ? { name } : null;
}

/** The version document does not name the encoding. This build's own is tried first, because it rarely changes. */
function* requireSum(set: PrefixSet, sha256: string, algorithm: string, first: ArtifactEncoding): Sliced<void> {
  const { high } = yield* set.readEntries();
  for (const encoding of new Set([first, ...encodings])) {
    const bytes = yield* encodeEntries({ high, low: null }, { encoding, algorithm });
    if (toHex(yield* digestOf(bytes)) === sha256) return;
  }
  throw new PortcullisError(
    'INVALID_ARTIFACT',
    'the previous snapshot does not match the sha256 of its version document; if another publisher made it, pass its bytes',
  );
}

/**
 * Divides the entries between snapshot and recent feed. Clients look in both, so the recent feed has everything that the snapshot lacks;
 * a removed entry stays in the snapshot until the next one, and the shards no longer confirm it.
 */
export function* snapshotsOf(prefixes: Uint32Array, known: Known | null, rules: SnapshotRules): Sliced<Snapshots> {
  const kept = known === null ? 'first' : yield* keep(prefixes, known, rules);
  if (typeof kept !== 'string') return kept;
  const snapshot = yield* artifactOf('snapshot', prefixes, rules);
  const recent = yield* artifactOf('recent', new Uint32Array(0), rules);
  const isSame = known !== null && known.token === snapshot.ref.token && known.algorithm === rules.algorithm;
  const made = isSame ? null : yield* differenceBetween(known, snapshot, rules);
  return {
    snapshot,
    recent,
    // Equal content makes an equal snapshot, so that rebuilding an unchanged list changes nothing.
    createdAtMs: isSame ? known.createdAtMs : rules.nowMs,
    difference: isSame ? (rules.differences ? known.difference : null) : made,
    newSnapshot: isSame ? null : kept,
  };
}

/** `null` for a difference that saves less than half: clients would fetch it in vain, because they do not know its size before. */
function* differenceBetween(
  known: Known | null,
  { ref, set, bytes }: Artifact,
  rules: SnapshotRules,
): Sliced<DifferenceFile | null> {
  if (known === null || !rules.differences || known.algorithm !== rules.algorithm || !/^[\da-f]{16}$/.test(known.token))
    return null;
  const [, before = null] = differenceName.exec(known.difference?.name ?? '') ?? [];
  const [{ high: from }, { high: to }] = [yield* known.set.readEntries(), yield* set.readEntries()];
  const changes = yield* encodeDifference(from, to, before);
  return changes.length * 2 < bytes.length ? { name: differenceNamed(known.token, ref.token), bytes: changes } : null;
}

/** The previous snapshot with a new recent feed, or why a new snapshot is due. */
function* keep(prefixes: Uint32Array, known: Known, rules: SnapshotRules): Sliced<Snapshots | SnapshotCause> {
  if (rules.snapshot === 'new') return 'asked';
  if (known.algorithm !== rules.algorithm) return 'format';
  if (rules.nowMs - known.createdAtMs > rules.maxSnapshotAgeMs) return 'aged';
  // Clients see that the list is empty by its counts, and wait until that comes again.
  if (prefixes.length === 0 && known.set.size > 0) return 'grown';
  const missing = (yield* keptOf(prefixes, (at) => !known.set.has(prefixes[at]!))).slice();
  const gone = known.set.size - (prefixes.length - missing.length);
  if (Math.max(missing.length, gone) > Math.max(freeChanges, known.set.size * rules.maxRecentShare)) return 'grown';
  const snapshot = yield* artifactOf('snapshot', (yield* known.set.readEntries()).high, rules);
  if (snapshot.ref.token !== known.token) return 'format';
  const recent = yield* artifactOf('recent', missing, rules);
  const difference = rules.differences ? known.difference : null;
  return { snapshot, recent, createdAtMs: known.createdAtMs, difference, newSnapshot: null };
}

/** Added or removed prefixes that never cause a new snapshot: 2 kB for each client to download. */
const freeChanges = 1_000;

/** The prefixes at the places that `isKept` accepts. */
export function* keptOf(prefixes: Uint32Array, isKept: (at: number) => boolean): Sliced<Uint32Array> {
  const kept = new Uint32Array(prefixes.length);
  let count = 0;
  for (let at = 0; at < prefixes.length; at++) {
    if (at % entriesPerSlice === 0) yield;
    if (isKept(at)) kept[count++] = prefixes[at]!;
  }
  return kept.subarray(0, count);
}

/** The token is the start of the file's checksum, so it changes exactly when the file does. */
function* artifactOf(kind: 'snapshot' | 'recent', prefixes: Uint32Array, rules: SnapshotRules): Sliced<Artifact> {
  const bytes = yield* encodeEntries({ high: prefixes, low: null }, rules);
  const sha256 = toHex(yield* digestOf(bytes));
  const token = sha256.slice(0, 16);
  const set = yield* PrefixSet.ofAscending(prefixes);
  return { set, name: `${kind}-${token}.bin`, bytes, ref: { token, count: prefixes.length, sha256 } };
}
