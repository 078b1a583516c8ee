import type { Algorithm } from '../../core/algorithms/algorithm.js';
import type { Assets } from '../../core/algorithms/create-assets.js';
import { PortcullisError, type SignalLike, throwIfAborted } from '../../core/errors.js';
import { maxEntries } from '../../core/limits.js';
import { fewestOf } from '../../core/prefixes/entries.js';
import { HashSet } from '../../core/prefixes/hash-set.js';
import { PrefixSet } from '../../core/prefixes/prefix-set.js';
import { algorithmNamed } from '../formats/version-document.js';
import type { CalibrationResult, Generation, Lists } from '../generation.js';
import type { Artifact, ListPart, ListVersion, PreviousPart, Source } from '../source.js';
import { calibrate, judge } from './calibrate.js';
import { type PlanLimits, planOf } from './plan.js';
import { addRecents } from './recents.js';
import { type Suspicion, SuspiciousListError, suspect } from './shrink.js';

export interface RoundTools {
  readonly source: Source;
  readonly algorithms: ReadonlyMap<string, Algorithm>;
  readonly assets: Assets;
  readonly now: () => number;
  readonly limits: PlanLimits;
  readonly onProgress: (step: SyncStep, bytes: number, total: number | undefined) => void;
}

/** A step of a round. */
export type SyncStep = 'version' | 'snapshot' | 'recent' | 'verify' | 'calibrate' | 'store';

/** The state a round starts from. */
export interface RoundState {
  readonly held: Generation | null;
  readonly suspicion: Suspicion | null;
  /** Whether samples may be requested again. */
  readonly mayAskAgain: boolean;
}

export interface RoundResult {
  /** The current list. If nothing changed, the held one with a new age. */
  readonly generation: Generation;
  readonly version: ListVersion;
  readonly changed: 'nothing' | 'recent' | 'both';
  /** Whether samples were requested. */
  readonly hasCalibrated: boolean;
}

/** Attempts to read a snapshot that changes meanwhile. */
const maxAttempts = 3;

/**
 * One round: asks for the version, fetches what changed, and makes the next generation. It changes nothing itself, so a failed round
 * changes nothing.
 *
 *     version ─ plan ─► artifacts ─► version again ─ changed? start over
 *                                        └─ verified, calibrated ─► generation
 */
export async function runRound(
  tools: RoundTools,
  { held, suspicion, mayAskAgain }: RoundState,
  signal?: SignalLike,
): Promise<RoundResult> {
  const { source, now, onProgress, limits } = tools;
  let version = await fetchVersion(tools, signal);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    throwIfAborted(signal);
    const seenAtMs = now();
    const plan = planOf(version, algorithmNamed(version.algoVersion, source.algorithms), held, seenAtMs, limits);
    if (plan === 'nothing') {
      const generation = { ...held!, currentAtMs: seenAtMs, calibration: calibrationNow(held!, version) };
      return { generation, version, changed: 'nothing', hasCalibrated: false };
    }
    const algorithm = algorithmOf(tools, version);
    const snapshot = plan === 'both' ? await fetchPart(tools, 'snapshot', version, signal, previousOf(held, version)) : null;
    const recent = version.recent === undefined ? null : await fetchPart(tools, 'recent', version, signal);
    const after = await fetchVersion(tools, signal);
    if (after.snapshot.token !== version.snapshot.token || after.algoVersion !== version.algoVersion) {
      version = after;
      continue;
    }
    onProgress('verify', 0, undefined);
    if (snapshot !== null) {
      const suspected = await suspect(snapshot, version.snapshot, held, suspicion, seenAtMs, { signal });
      if (suspected !== null) throw new SuspiciousListError(suspected, snapshot.entries.size, held!.base.size);
    }
    const sets = await setsOf(snapshot, recent, held, version, signal);
    const isSameList = isSnapshotOf(held, version);
    const recentToken = version.recent?.token ?? null;
    // Another snapshot, or another algorithm of ours, has to be calibrated again.
    const isSameReading = isSameList && held.algorithm === algorithm.name;
    const isCalibrated = isSameReading && (held.calibration.outcome !== 'skipped' || (snapshot === null && !mayAskAgain));
    if (!isCalibrated) onProgress('calibrate', 0, undefined);
    const calibration = isCalibrated
      ? calibrationNow(held, version)
      : await calibrate(
          { source, version, base: sets.base },
          { algorithm, assets: tools.assets },
          // Later samples cannot be in this snapshot.
          isSameList ? held.snapshotAtMs : seenAtMs,
          { signal },
        );
    const generation: Generation = {
      ...sets,
      sequence: held?.sequence ?? 0,
      algoVersion: version.algoVersion,
      algorithm: algorithm.name,
      snapshotToken: version.snapshot.token,
      // From the first version answer: a feed that changed since is read again at the next poll.
      recentToken,
      snapshotAtMs: snapshot === null ? held!.snapshotAtMs : seenAtMs,
      currentAtMs: seenAtMs,
      movedAtMs: isSameList && held.recentToken === recentToken ? held.movedAtMs : seenAtMs,
      calibration,
    };
    return { generation, version, changed: plan, hasCalibrated: !isCalibrated };
  }
  throw new PortcullisError('INVALID_RESPONSE', `the list changed ${maxAttempts} times while it was read`);
}

/** A relay may provide its calibration later than the snapshot. */
function calibrationNow(held: Generation, { calibration }: ListVersion): CalibrationResult {
  return calibration !== undefined && held.calibration.outcome === 'skipped' ? judge(calibration) : held.calibration;
}

async function fetchVersion({ source, onProgress }: RoundTools, signal: SignalLike | undefined): Promise<ListVersion> {
  throwIfAborted(signal);
  onProgress('version', 0, undefined);
  return requireVersion(await source.version({ signal }));
}

async function fetchPart(
  { source, onProgress }: RoundTools,
  part: 'snapshot' | 'recent',
  version: ListVersion,
  signal: SignalLike | undefined,
  previous?: PreviousPart,
): Promise<Artifact> {
  throwIfAborted(signal);
  onProgress(part, 0, undefined);
  const artifact = await source.artifact(part, version, {
    signal,
    previous,
    onProgress: (bytes, total) => onProgress(part, bytes, total),
  });
  requireSets(artifact, part);
  requireCount(artifact, version[part]!, part);
  return artifact;
}

/** A snapshot with the same token is fetched again because something may be wrong with it. */
function previousOf(held: Generation | null, version: ListVersion): PreviousPart | undefined {
  if (held === null || held.algoVersion !== version.algoVersion || held.snapshotToken === version.snapshot.token)
    return undefined;
  return { token: held.snapshotToken, entries: held.base };
}

/** A custom source may return something else, which would make every check throw. */
function requireSets(artifact: Artifact, part: string): void {
  const { entries, remove, allow } = Object(artifact) as Partial<Artifact>;
  const isOne =
    (entries instanceof PrefixSet || entries instanceof HashSet) &&
    (remove === undefined || remove instanceof HashSet) &&
    (allow === undefined || allow instanceof HashSet);
  if (isOne) return;
  throw new PortcullisError(
    'INVALID_ARTIFACT',
    `the ${part} is invalid: entries must be a PrefixSet or HashSet, and remove and allow a HashSet, of this copy of the package`,
  );
}

/** A built-in source has already verified it; a custom source may not have. */
function requireCount({ entries }: Artifact, { count }: ListPart, part: string): void {
  if (count === undefined || (entries.size <= count && entries.size >= fewestOf(count))) return;
  throw new PortcullisError('INVALID_ARTIFACT', `the ${part} is invalid: it holds ${entries.size} entries, not ${count}`);
}

async function setsOf(
  snapshot: Artifact | null,
  recent: Artifact | null,
  held: Generation | null,
  version: ListVersion,
  signal: SignalLike | undefined,
): Promise<Lists> {
  const base = snapshot === null ? held!.base : snapshot.entries;
  // Recents belong to one snapshot only.
  const before = isSnapshotOf(held, version)
    ? held
    : { recent: (base instanceof PrefixSet ? PrefixSet : HashSet).from([]), removed: null, allowed: snapshot!.allow ?? null };
  if (recent !== null && recent.entries instanceof PrefixSet !== base instanceof PrefixSet) {
    throw new PortcullisError('INVALID_ARTIFACT', 'the snapshot and the recent entries have different entry lengths');
  }
  const after = recent === null ? before : await addRecents(before, recent, { signal });
  if (base.size + after.recent.size > maxEntries) {
    throw new PortcullisError('LIMIT_EXCEEDED', `the list has more than ${maxEntries} entries`);
  }
  return { base, recent: after.recent, removed: after.removed, allowed: after.allowed };
}

function isSnapshotOf(held: Generation | null, { algoVersion, snapshot }: ListVersion): held is Generation {
  return held !== null && held.algoVersion === algoVersion && held.snapshotToken === snapshot.token;
}

function algorithmOf({ source, algorithms }: RoundTools, version: ListVersion): Algorithm {
  const algorithm = algorithms.get(algorithmNamed(version.algoVersion, source.algorithms));
  if (algorithm !== undefined) return algorithm;
  throw new PortcullisError(
    'ALGORITHM_UNKNOWN',
    'the algorithm of the list is unknown; add it, or map its name in `algorithms` of the source',
  );
}

/** A custom source may return something else. */
function requireVersion(version: ListVersion): ListVersion {
  const isPart = (part: unknown): boolean => typeof Object(part).token === 'string';
  const { algoVersion, snapshot, recent } = Object(version) as Partial<ListVersion>;
  if (typeof algoVersion === 'string' && isPart(snapshot) && (recent === undefined || isPart(recent))) return version;
  throw new PortcullisError('INVALID_RESPONSE', 'the source returned an invalid version');
}
