import type { Algorithm } from '../../core/algorithms/algorithm.js';
import type { Assets } from '../../core/algorithms/create-assets.js';
import { PortcullisError, type SignalLike, throwIfAborted } from '../../core/errors.js';
import { maxEntries } from '../../core/limits.js';
import { AscendingSet } from '../../core/prefixes/ascending-set.js';
import { fewestOf } from '../../core/prefixes/entries.js';
import { HashSet } from '../../core/prefixes/hash-set.js';
import { PrefixSet } from '../../core/prefixes/prefix-set.js';
import { algorithmNamed } from '../formats/version-document.js';
import type { CalibrationResult, EntrySet, Generation, Lists, SignedList, VersionOrder } from '../generation.js';
import type { Artifact, ListPart, ListVersion, PreviousPart, Source } from '../source.js';
import { calibrate, judge } from './calibrate.js';
import { type PlanLimits, planOf } from './plan.js';
import { addRecents } from './recents.js';
import { again, DoubtfulListError, type Suspicion, shrunkList, suspect } from './shrink.js';
import { isOlder, olderList, orderOf, sequenceIn } from './version-order.js';

/** A snapshot that was fetched in a round that failed later. */
interface SpareSnapshot {
  readonly algoVersion: string;
  readonly token: string;
  readonly artifact: Artifact;
}

export interface RoundTools {
  /** Saves fetching a large snapshot in every round while the recent entries cannot be read. In memory only. */
  readonly spare: { snapshot: SpareSnapshot | null };
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
  /** The newest version this device has had, which may be newer than the held list. */
  readonly newest: VersionOrder | null;
  /** What the source's `tokenHistory` remembers. */
  readonly seen: unknown;
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
  /** Why this list is not the newest although the round brought it. It blocks, and its misses do not count. */
  readonly fault: PortcullisError | null;
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
  { held, suspicion, newest, seen, mayAskAgain }: RoundState,
  signal?: SignalLike,
): Promise<RoundResult> {
  const { source, now, onProgress, limits } = tools;
  const { origin = '' } = source;
  const newestSequence = sequenceIn(newest, origin, now());
  let version = await fetchVersion(tools, held, signal);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    throwIfAborted(signal);
    const seenAtMs = now();
    const order = orderOf(version, source, seenAtMs);
    const older = isOlder(version, newestSequence) ? olderList() : null;
    // Without a list, or with an even older one, an older list is better than none.
    if (older !== null && held !== null && !(sequenceIn(order, origin, seenAtMs) > sequenceIn(held.order, origin, seenAtMs)))
      throw older;
    requireUnseen(source, version, held, seen, suspicion, seenAtMs);
    const fault = older ?? expiredFault(order, seenAtMs);
    // It is unknown how long the older list has been outdated.
    const currentAtMs = older !== null ? 0 : Math.min(seenAtMs, order.expiresAtMs ?? seenAtMs);
    const plan = planOf(version, algorithmNamed(version.algoVersion, source.algorithms), held, seenAtMs, limits);
    if (plan === 'nothing') {
      const signed = signedOf(version, held!.signed?.feed);
      const generation = { ...held!, order, signed, currentAtMs, calibration: calibrationNow(held!, version) };
      return { generation, version, changed: 'nothing', hasCalibrated: false, fault };
    }
    const algorithm = algorithmOf(tools, version);
    const snapshot =
      plan === 'both'
        ? (spareFor(tools, version) ?? (await fetchPart(tools, 'snapshot', version, signal, previousOf(held, version))))
        : null;
    let recent: Artifact | null = null;
    let after = version;
    try {
      if (version.recent !== undefined) recent = await fetchPart(tools, 'recent', version, signal);
      // Checksums in the version document exclude that the files are of two versions.
      const isPinned = [snapshot, recent].every((part) => part?.isProven !== false || part.isPinned === true);
      if (!isPinned) after = await fetchVersion(tools, held, signal);
    } catch (error) {
      tools.spare.snapshot = snapshot === null ? null : { ...identityOf(version), artifact: snapshot };
      throw error;
    }
    tools.spare.snapshot = null;
    // A host whose copies differ may answer with an older one now.
    const isBehind = version.sequence !== undefined && isOlder(after, version.sequence);
    if (!isBehind && (after.snapshot.token !== version.snapshot.token || after.algoVersion !== version.algoVersion)) {
      version = after;
      continue;
    }
    onProgress('verify', 0, undefined);
    if (snapshot !== null) {
      const suspected = await suspect(snapshot, version.snapshot, held, suspicion, seenAtMs, { signal });
      if (suspected !== null) throw new DoubtfulListError(suspected, shrunkList(snapshot.entries.size, held!.base.size));
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
      currentAtMs,
      movedAtMs: isSameList && held.recentToken === recentToken ? held.movedAtMs : seenAtMs,
      order,
      signed: signedOf(version, recent?.entries),
      calibration,
    };
    return { generation, version, changed: plan, hasCalibrated: !isCalibrated, fault };
  }
  throw new PortcullisError('INVALID_RESPONSE', `the list changed ${maxAttempts} times while it was read`);
}

function signedOf({ signed }: ListVersion, feed: EntrySet | undefined): SignedList | null {
  return signed === undefined || feed === undefined ? null : { document: signed, feed };
}

function identityOf({ algoVersion, snapshot }: ListVersion): Pick<SpareSnapshot, 'algoVersion' | 'token'> {
  return { algoVersion, token: snapshot.token };
}

function spareFor({ spare }: RoundTools, version: ListVersion): Artifact | null {
  const { algoVersion, token } = identityOf(version);
  const { snapshot } = spare;
  return snapshot?.algoVersion === algoVersion && snapshot.token === token ? snapshot.artifact : null;
}

/** A version that comes back is an older one, if the source says so, unless it has come in several rounds. */
function requireUnseen(
  { tokenHistory }: Source,
  { sequence, snapshot, recent }: ListVersion,
  held: Generation | null,
  seen: unknown,
  suspicion: Suspicion | null,
  nowMs: number,
): void {
  const offered = { snapshotToken: snapshot.token, recentToken: recent?.token ?? null };
  if (sequence !== undefined || held === null || !tokenHistory?.isBack(seen, held, offered)) return;
  const doubt = again(suspicion, offered.snapshotToken, offered.recentToken ?? '', nowMs);
  if (doubt !== null) throw new DoubtfulListError(doubt, olderList());
}

export function expiredFault({ expiresAtMs }: VersionOrder, nowMs: number): PortcullisError | null {
  if (expiresAtMs === null || nowMs <= expiresAtMs) return null;
  return new PortcullisError('LIST_EXPIRED', 'the newest version of the list that the source offers has expired');
}

/** A relay may provide its calibration later than the snapshot, and correct it. */
function calibrationNow(held: Generation, { calibration }: ListVersion): CalibrationResult {
  const { samples, found } = held.calibration;
  const isSame = calibration === undefined || (calibration.samples === samples && calibration.found === found);
  return isSame ? held.calibration : judge(calibration);
}

async function fetchVersion(
  { source, now, limits, onProgress }: RoundTools,
  held: Generation | null,
  signal: SignalLike | undefined,
): Promise<ListVersion> {
  throwIfAborted(signal);
  onProgress('version', 0, undefined);
  const isKept = held !== null && now() - held.snapshotAtMs < limits.maxSnapshotAgeMs;
  return requireVersion(await source.version({ signal, previous: isKept ? partOf(held) : undefined }));
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
  return partOf(held);
}

function partOf({ snapshotToken, base }: Generation): PreviousPart {
  return { token: snapshotToken, entries: base };
}

/** A custom source may return something else, which would make every check throw. */
function requireSets(artifact: Artifact, part: string): void {
  const { entries, remove, allow } = Object(artifact) as Partial<Artifact>;
  const isOne =
    (entries instanceof AscendingSet || entries instanceof HashSet) &&
    (remove === undefined || remove instanceof HashSet) &&
    (allow === undefined || allow instanceof HashSet);
  if (isOne) return;
  throw new PortcullisError(
    'INVALID_ARTIFACT',
    `the ${part} is invalid: entries must be a PrefixSet or HashSet, and remove and allow a HashSet, of this copy of the package`,
  );
}

/** A built-in source has already verified it; a custom source may not have. */
export function requireCount({ entries }: Artifact, { count }: ListPart, part: string): void {
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
    : { recent: (base instanceof AscendingSet ? PrefixSet : HashSet).from([]), removed: null, allowed: snapshot!.allow ?? null };
  if (recent !== null && recent.entries instanceof AscendingSet !== base instanceof AscendingSet) {
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
export function requireVersion(version: ListVersion): ListVersion {
  const isPart = (part: unknown): boolean => typeof Object(part).token === 'string';
  const isWhole = (number: unknown): boolean => number === undefined || Number.isSafeInteger(number);
  const { algoVersion, snapshot, recent, sequence, expiresAtMs } = Object(version) as Partial<ListVersion>;
  const hasParts = typeof algoVersion === 'string' && isPart(snapshot) && (recent === undefined || isPart(recent));
  if (hasParts && isWhole(sequence) && isWhole(expiresAtMs)) return version;
  throw new PortcullisError('INVALID_RESPONSE', 'the source returned an invalid version');
}
