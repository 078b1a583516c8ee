import type { ArtifactRef } from '../../blocklist/formats/version-document.js';
import { toHex } from '../../core/bytes.js';
import { PortcullisError, requireBytes } from '../../core/errors.js';
import { digestOf } from '../../core/hashing/sha256.js';
import { entriesPerSlice } from '../../core/limits.js';
import { type ArtifactEncoding, decodeArtifact, encodeEntries } from '../../core/prefixes/artifact.js';
import { PrefixSet, type WorkOptions } from '../../core/prefixes/prefix-set.js';
import { runInSlices, type Sliced } from '../../core/slices.js';
import type { PreviousList } from './publish-options.js';
import { readPublished } from './published-version.js';

/** A set and the file it is published in. */
export interface Artifact {
  readonly set: PrefixSet;
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly ref: Omit<ArtifactRef, 'url'>;
}

/** What clients fetch: everything they have to look in. */
export interface Snapshots {
  readonly snapshot: Artifact;
  readonly recent: Artifact;
  readonly createdAtMs: number;
  /** Why the snapshot is another one than before; `null` where it is the same. */
  readonly newSnapshot: SnapshotCause | null;
}

/**
 * `first` there was none; `asked` by the option; `format` the list has another algorithm or encoding now; `grown` too much came or
 * went since; `aged` it is past its age.
 */
export type SnapshotCause = 'first' | 'asked' | 'format' | 'grown' | 'aged';

export interface SnapshotRules {
  readonly algorithm: string;
  readonly encoding: ArtifactEncoding;
  readonly snapshot: 'auto' | 'new';
  readonly snapshotAgeMaxMs: number;
  readonly recentShareMax: number;
  readonly nowMs: number;
}

/** All there are. */
export const encodings: readonly ArtifactEncoding[] = ['portcullis-rice', 'portcullis', 'raw', 'hex', 'json'];

/** A list that is there already, read and proven. */
export interface Known {
  readonly set: PrefixSet;
  readonly token: string;
  readonly algorithm: string;
  readonly createdAtMs: number;
}

/**
 * @throws PortcullisError `INVALID_RESPONSE` for what is no version document, `INVALID_ARTIFACT` for a snapshot that is not the one it
 * speaks of
 */
export async function readPrevious(previous: PreviousList, rules: SnapshotRules, options: WorkOptions): Promise<Known> {
  if (typeof previous !== 'object' || previous === null) throw new TypeError('previous must be { version, snapshot }');
  const { algoVersion, snapshot } = readPublished(previous.version);
  const { token, count, sha256, createdAtMs } = snapshot;
  let set = previous.snapshot;
  if (!(set instanceof PrefixSet)) {
    requireBytes(set, 'previous.snapshot');
    set = await decodeArtifact(set, { count, sha256 }, options);
  }
  if (set.size !== count) {
    throw new PortcullisError('INVALID_ARTIFACT', `the previous snapshot has ${set.size} entries, and its version says ${count}`);
  }
  if (set === previous.snapshot && sha256 !== undefined) {
    await runInSlices(requireSum(set, sha256, algoVersion, rules.encoding), options.signal);
  }
  // One from the future, by the clock of another machine, would never be past its age.
  return { set, token, algorithm: algoVersion, createdAtMs: Math.min(createdAtMs, rules.nowMs) };
}

/** The version does not say how its file is encoded; the way of this build is tried first, because it hardly ever changes. */
function* requireSum(set: PrefixSet, sha256: string, algorithm: string, first: ArtifactEncoding): Sliced<void> {
  const { high } = set.toEntries();
  for (const encoding of new Set([first, ...encodings])) {
    const bytes = yield* encodeEntries({ high, low: null }, { encoding, algorithm });
    if (toHex(yield* digestOf(bytes)) === sha256) return;
  }
  throw new PortcullisError(
    'INVALID_ARTIFACT',
    'the previous snapshot is not the one its version speaks of, or needs its bytes to tell',
  );
}

/**
 * What goes where. Clients look in both sets, so the recent feed is what the snapshot lacks, whatever came and went in between; what
 * was removed stays in the snapshot, where the shards disprove it, until the next one.
 */
export function* snapshotsOf(prefixes: Uint32Array, known: Known | null, rules: SnapshotRules): Sliced<Snapshots> {
  const kept = known === null ? 'first' : yield* keep(prefixes, known, rules);
  if (typeof kept !== 'string') return kept;
  const snapshot = yield* artifactOf('snapshot', prefixes, rules);
  const recent = yield* artifactOf('recent', new Uint32Array(0), rules);
  const isSame = known !== null && known.token === snapshot.ref.token && known.algorithm === rules.algorithm;
  return {
    snapshot,
    recent,
    // A snapshot of the same content is the same snapshot, so that nothing changes where nothing did.
    createdAtMs: isSame ? known.createdAtMs : rules.nowMs,
    newSnapshot: isSame ? null : kept,
  };
}

/** The snapshot there is with a new recent feed, or why another one is due. */
function* keep(prefixes: Uint32Array, known: Known, rules: SnapshotRules): Sliced<Snapshots | SnapshotCause> {
  if (rules.snapshot === 'new') return 'asked';
  if (known.algorithm !== rules.algorithm) return 'format';
  if (rules.nowMs - known.createdAtMs > rules.snapshotAgeMaxMs) return 'aged';
  const missing = yield* missingIn(known.set, prefixes);
  const gone = known.set.size - (prefixes.length - missing.length);
  if (Math.max(missing.length, gone) > Math.max(changesFree, known.set.size * rules.recentShareMax)) return 'grown';
  const snapshot = yield* artifactOf('snapshot', known.set.toEntries().high, rules);
  if (snapshot.ref.token !== known.token) return 'format';
  const recent = yield* artifactOf('recent', missing, rules);
  return { snapshot, recent, createdAtMs: known.createdAtMs, newSnapshot: null };
}

/** Prefixes that may come, or go, before their share of the snapshot is looked at: 2 kB for each client to fetch. */
const changesFree = 1_000;

function* missingIn(set: PrefixSet, prefixes: Uint32Array): Sliced<Uint32Array> {
  const missing = new Uint32Array(prefixes.length);
  let count = 0;
  for (let at = 0; at < prefixes.length; at++) {
    if (at % entriesPerSlice === 0) yield;
    if (!set.has(prefixes[at]!)) missing[count++] = prefixes[at]!;
  }
  return missing.slice(0, count);
}

/** The token is the beginning of the file's checksum: it changes exactly when the file does. */
function* artifactOf(kind: 'snapshot' | 'recent', prefixes: Uint32Array, rules: SnapshotRules): Sliced<Artifact> {
  const bytes = yield* encodeEntries({ high: prefixes, low: null }, rules);
  const sha256 = toHex(yield* digestOf(bytes));
  const token = sha256.slice(0, 16);
  const set = yield* PrefixSet.ofAscending(prefixes);
  return { set, name: `${kind}-${token}.bin`, bytes, ref: { token, count: prefixes.length, sha256 } };
}
