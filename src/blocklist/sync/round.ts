import type { Algorithm } from '../../core/algorithms/algorithm.js';
import type { Assets } from '../../core/algorithms/create-assets.js';
import { PortcullisError, type SignalLike, throwIfAborted } from '../../core/errors.js';
import { maxEntries } from '../../core/limits.js';
import { fewestOf } from '../../core/prefixes/entries.js';
import { HashSet } from '../../core/prefixes/hash-set.js';
import { PrefixSet } from '../../core/prefixes/prefix-set.js';
import { algorithmNamed } from '../formats/version-document.js';
import type { CalibrationResult, Generation } from '../generation.js';
import type { Artifact, ListPart, ListVersion, Source } from '../source.js';
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

/** What a round is at. */
export type SyncStep = 'version' | 'snapshot' | 'recent' | 'verify' | 'calibrate' | 'store';

/** What a round starts from. */
export interface RoundState {
  readonly held: Generation | null;
  readonly suspicion: Suspicion | null;
  /** Samples that could not be had may be asked for again. */
  readonly mayAskAgain: boolean;
}

export interface RoundResult {
  /** What is current now; the held one with a younger age where nothing moved. */
  readonly generation: Generation;
  readonly version: ListVersion;
  readonly changed: 'nothing' | 'recent' | 'both';
  /** It was tried to find out whether known entries are in the list. */
  readonly hasCalibrated: boolean;
}

/** A snapshot that moves while it is read is read again; one that moves so often is not read at all. */
const attemptsMax = 3;

/**
 * One round: what the list is now, what of it has to be fetched, and the generation that makes. Nothing it does is seen before it ends,
 * and a round that fails changes nothing.
 *
 *     version ─ plan ─► artifacts ─► version again ─ moved? start over
 *                                        └─ verified, calibrated ─► generation
 */
export async function runRound(
  tools: RoundTools,
  { held, suspicion, mayAskAgain }: RoundState,
  signal?: SignalLike,
): Promise<RoundResult> {
  const { source, now, onProgress, limits } = tools;
  let version = await fetchVersion(tools, signal);
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    throwIfAborted(signal);
    const seenAtMs = now();
    const plan = planOf(version, algorithmNamed(version.algoVersion, source.algorithms), held, seenAtMs, limits);
    if (plan === 'nothing') {
      const generation = { ...held!, currentAtMs: seenAtMs, calibration: calibrationNow(held!, version) };
      return { generation, version, changed: 'nothing', hasCalibrated: false };
    }
    const algorithm = algorithmOf(tools, version);
    const snapshot = plan === 'both' ? await fetchPart(tools, 'snapshot', version, signal) : null;
    const recent = version.recent === undefined ? null : await fetchPart(tools, 'recent', version, signal);
    const after = await fetchVersion(tools, signal);
    if (after.snapshot.token !== version.snapshot.token || after.algoVersion !== version.algoVersion) {
      version = after;
      continue;
    }
    onProgress('verify', 0, undefined);
    if (snapshot !== null) await requireBelievable(snapshot, version, held, suspicion, seenAtMs, signal);
    const sets = await setsOf(snapshot, recent, held, version, signal);
    const isSameList = isSnapshotOf(held, version);
    const recentToken = version.recent?.token ?? null;
    // Another snapshot may be made otherwise than the one before, and another algorithm of ours may not be what its name says.
    const isSameReading = isSameList && held.algorithm === algorithm.name;
    const isCalibrated = isSameReading && (held.calibration.outcome !== 'skipped' || (snapshot === null && !mayAskAgain));
    if (!isCalibrated) onProgress('calibrate', 0, undefined);
    const calibration = isCalibrated
      ? calibrationNow(held, version)
      : await calibrate(
          { source, version, base: sets.base },
          { algorithm, assets: tools.assets },
          // Samples of after that are in no base of this token.
          isSameList ? held.snapshotAtMs : seenAtMs,
          { signal },
        );
    const generation: Generation = {
      ...sets,
      sequence: held?.sequence ?? 0,
      algoVersion: version.algoVersion,
      algorithm: algorithm.name,
      snapshotToken: version.snapshot.token,
      // What was read belongs to the first answer, so that a feed which moved meanwhile is read again at the next poll.
      recentToken,
      snapshotAtMs: snapshot === null ? held!.snapshotAtMs : seenAtMs,
      currentAtMs: seenAtMs,
      movedAtMs: isSameList && held.recentToken === recentToken ? held.movedAtMs : seenAtMs,
      calibration,
    };
    return { generation, version, changed: plan, hasCalibrated: !isCalibrated };
  }
  throw new PortcullisError('INVALID_RESPONSE', `the list moved ${attemptsMax} times while it was read`);
}

/** A score may come later than its snapshot: a relay has to find it out first. */
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
): Promise<Artifact> {
  throwIfAborted(signal);
  onProgress(part, 0, undefined);
  const artifact = await source.artifact(part, version, {
    signal,
    onProgress: (bytes, total) => onProgress(part, bytes, total),
  });
  requireSets(artifact, part);
  requireCount(artifact, version[part]!, part);
  return artifact;
}

/** What a source of somebody else's may get wrong: anything but these sets would make every check throw. */
function requireSets(artifact: Artifact, part: string): void {
  const { entries, remove, allow } = Object(artifact) as Partial<Artifact>;
  const isOne =
    (entries instanceof PrefixSet || entries instanceof HashSet) &&
    (remove === undefined || remove instanceof HashSet) &&
    (allow === undefined || allow instanceof HashSet);
  if (isOne) return;
  throw new PortcullisError(
    'INVALID_ARTIFACT',
    `the ${part} is refused: it has no PrefixSet or HashSet of this copy of the package, or takes back or allows by something else`,
  );
}

/** A built-in source has verified it already; one of somebody else's may not have. */
function requireCount({ entries }: Artifact, { count }: ListPart, part: string): void {
  if (count === undefined || (entries.size <= count && entries.size >= fewestOf(count))) return;
  throw new PortcullisError('INVALID_ARTIFACT', `the ${part} is refused: it holds ${entries.size} entries, not ${count}`);
}

async function requireBelievable(
  snapshot: Artifact,
  version: ListVersion,
  held: Generation | null,
  suspicion: Suspicion | null,
  nowMs: number,
  signal: SignalLike | undefined,
): Promise<void> {
  const suspected = await suspect(snapshot, version.snapshot, held, suspicion, nowMs, { signal });
  if (suspected !== null) throw new SuspiciousListError(suspected, snapshot.entries.size, held!.base.size);
}

type Sets = Pick<Generation, 'base' | 'recent' | 'removed' | 'allowed'>;

async function setsOf(
  snapshot: Artifact | null,
  recent: Artifact | null,
  held: Generation | null,
  version: ListVersion,
  signal: SignalLike | undefined,
): Promise<Sets> {
  const base = snapshot === null ? held!.base : snapshot.entries;
  // They go only with the snapshot they came after, and that one is verified by now.
  const before = isSnapshotOf(held, version)
    ? held
    : { recent: emptyLike(base), removed: null, allowed: snapshot!.allow ?? null };
  if (recent !== null && recent.entries instanceof PrefixSet !== base instanceof PrefixSet) {
    throw new PortcullisError('INVALID_ARTIFACT', 'the snapshot and what came after it have entries of different lengths');
  }
  const after = recent === null ? before : await addRecents(before, recent, { signal });
  if (base.size + after.recent.size > maxEntries) {
    throw new PortcullisError('LIMIT_EXCEEDED', `a list has at most ${maxEntries} entries`);
  }
  return { base, recent: after.recent, removed: after.removed, allowed: after.allowed };
}

function isSnapshotOf(held: Generation | null, { algoVersion, snapshot }: ListVersion): held is Generation {
  return held !== null && held.algoVersion === algoVersion && held.snapshotToken === snapshot.token;
}

function emptyLike(base: Sets['base']): Sets['base'] {
  return base instanceof PrefixSet ? PrefixSet.from([]) : HashSet.from([]);
}

function algorithmOf({ source, algorithms }: RoundTools, version: ListVersion): Algorithm {
  const algorithm = algorithms.get(algorithmNamed(version.algoVersion, source.algorithms));
  if (algorithm !== undefined) return algorithm;
  throw new PortcullisError(
    'ALGORITHM_UNKNOWN',
    'the list was made by an algorithm that is not spoken here; see `algorithms` of its source',
  );
}

/** What a source of somebody else's may get wrong. */
function requireVersion(version: ListVersion): ListVersion {
  const isPart = (part: unknown): boolean => typeof Object(part).token === 'string';
  const { algoVersion, snapshot, recent } = Object(version) as Partial<ListVersion>;
  if (typeof algoVersion === 'string' && isPart(snapshot) && (recent === undefined || isPart(recent))) return version;
  throw new PortcullisError('INVALID_RESPONSE', 'the source gave no version');
}
