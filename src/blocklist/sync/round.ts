import type { Algorithm } from '../../core/algorithms/algorithm.js';
import { toHex } from '../../core/bytes.js';
import { PortcullisError, type SignalLike, throwIfAborted } from '../../core/errors.js';
import { digestOf } from '../../core/hashing/sha256.js';
import { entriesPerSlice, maxEntries } from '../../core/limits.js';
import { fewestOf } from '../../core/prefixes/entries.js';
import { runInSlices, type Sliced } from '../../core/slices.js';
import { algorithmNamed } from '../formats/version-document.js';
import type { SyncStep } from '../model/blocklist-events.js';
import {
  type CalibrationResult,
  coversAmong,
  type EntrySet,
  type Generation,
  hasPrefix,
  type Lists,
  ofUnknownAge,
  type SignedList,
  type VersionOrder,
} from '../model/generation.js';
import type { Artifact, ListPart, ListVersion, PreviousPart, SeenCheckpoint, Source } from '../model/source.js';
import {
  acceptVersion,
  calibrationNow,
  isOtherNow,
  isSnapshotOf,
  judgeCalibration,
  needsSecondLook,
  type Plan,
  type PlanLimits,
  patienceFor,
  uncalibrated,
} from '../rules/accept-version.js';
import { type Doubt, DoubtfulListError, doubtAgain, emptiedList, shrunkList } from '../rules/doubt.js';

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
  /** Ours, by their names. */
  readonly algorithms: Pick<ReadonlyMap<string, Algorithm>, 'get'>;
  readonly sets: SetReader;
  /** Asks for samples of the list. @default only the source's own counts are judged */
  readonly calibrate?: ((list: Uncalibrated, signal: SignalLike | undefined) => Promise<CalibrationResult>) | undefined;
  readonly now: () => number;
  readonly limits: PlanLimits;
  readonly onProgress: (step: SyncStep, bytes: number, total: number | undefined) => void;
}

/** The kinds of entries that an engine can hold. */
export interface SetReader {
  /** @throws PortcullisError `INVALID_ARTIFACT` for kinds that it cannot hold: a custom source may return anything */
  require(artifact: Artifact, part: string): void;
  /** Adds recent entries to those that belong to the same snapshot. */
  join(snapshot: Artifact | null, recent: Artifact | null, before: Lists | null, signal: SignalLike | undefined): Promise<Lists>;
}

/** A new list, before it is known whether it holds what it must. */
export interface Uncalibrated {
  readonly version: ListVersion;
  readonly base: EntrySet;
  readonly algorithm: Algorithm;
  /** Later samples cannot be in this snapshot. */
  readonly snapshotAtMs: number;
}

/** The state a round starts from. */
export interface RoundState {
  readonly held: Generation | null;
  readonly doubt: Doubt | null;
  /** The newest version this device has had, which may be newer than the held list. */
  readonly newest: VersionOrder | null;
  /** What its log had signed when this device last accepted a version. */
  readonly checkpoint: SeenCheckpoint | undefined;
  /** What the source's `tokenHistory` remembers. */
  readonly seen: unknown;
  /** Whether samples may be requested again. */
  readonly mayAskAgain: boolean;
}

export interface RoundResult {
  /** The current list. If nothing changed, the held one with a new age. */
  readonly generation: Generation;
  readonly version: ListVersion;
  readonly changed: Plan;
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
export async function runRound(tools: RoundTools, state: RoundState, signal?: SignalLike): Promise<RoundResult> {
  const { held, doubt, newest, seen, mayAskAgain } = state;
  const { source, now, onProgress, limits } = tools;
  const { origin = '' } = source;
  let version = await fetchVersion(tools, state, signal);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    throwIfAborted(signal);
    const seenAtMs = now();
    const name = algorithmNamed(version.algoVersion, source.algorithms);
    const offer = { version, origin, listName: source.listName, algorithm: name, isBack: isBack(source, version, held, seen) };
    const accepted = acceptVersion(offer, { held, newest, doubt }, limits, seenAtMs);
    const { fetch: changed, order, currentAtMs, fault } = accepted;
    if (changed === 'nothing') {
      const signed = signedOf(version, held!.signed?.feed);
      const calibration = calibrationNow(held!, version);
      const generation = { ...held!, order, signed, currentAtMs, calibration };
      return { generation, version, changed, hasCalibrated: false, fault };
    }
    const algorithm = algorithmOf(tools, name);
    const snapshot =
      changed === 'both'
        ? (spareFor(tools, version) ?? (await fetchPart(tools, 'snapshot', version, signal, previousOf(held, version))))
        : null;
    let recent: Artifact | null = null;
    let after = version;
    try {
      if (version.recent !== undefined) recent = await fetchPart(tools, 'recent', version, signal);
      if (needsSecondLook([snapshot, recent])) after = await fetchVersion(tools, state, signal);
    } catch (error) {
      tools.spare.snapshot = snapshot === null ? null : { ...identityOf(version), artifact: snapshot };
      throw error;
    }
    tools.spare.snapshot = null;
    if (isOtherNow(version, after)) {
      version = after;
      continue;
    }
    onProgress('verify', 0, undefined);
    const lost = await lostSince(held, version, snapshot, recent, signal);
    const patience = snapshot && patienceFor(snapshot, recent, held, lost, source.mayBeEmpty === true);
    if (snapshot !== null && patience !== null && !accepted.isBelieved) {
      const digest = toHex(await runInSlices(digestOf(snapshot.entries.toBytes()), signal));
      const { size } = snapshot.entries;
      const next = doubtAgain(doubt, { token: version.snapshot.token, digest, size }, patience, seenAtMs);
      const fault = snapshot.isProven ? emptiedList() : shrunkList(lost, held!.base.size);
      if (next !== null) throw new DoubtfulListError(next, fault);
    }
    const isSameList = isSnapshotOf(held, version);
    const sets = await tools.sets.join(snapshot, recent, isSameList ? held : null, signal);
    if (sets.base.size + sets.recent.size > maxEntries)
      throw new PortcullisError('LIMIT_EXCEEDED', `the list has more than ${maxEntries} entries`);
    const recentToken = version.recent?.token ?? null;
    // Another snapshot, or another algorithm of ours, has to be calibrated again.
    const isSameReading = isSameList && held.algorithm === algorithm.name;
    const isCalibrated = isSameReading && (held.calibration.outcome !== 'skipped' || (snapshot === null && !mayAskAgain));
    if (!isCalibrated) onProgress('calibrate', 0, undefined);
    const snapshotAtMs = snapshot === null ? held!.snapshotAtMs : seenAtMs;
    const calibration = isCalibrated
      ? calibrationNow(held, version)
      : await calibrated(
          tools,
          { version, base: sets.base, algorithm, snapshotAtMs: isSameList ? held.snapshotAtMs : seenAtMs },
          signal,
        );
    const generation: Generation = {
      ...sets,
      sequence: held?.sequence ?? 0,
      algoVersion: version.algoVersion,
      algorithm: algorithm.name,
      snapshotToken: version.snapshot.token,
      // From the first version answer: a feed that changed since is read again at the next poll.
      recentToken,
      hotSum: version.hot?.sha256 ?? null,
      // Those that a source found in a snapshot say nothing about recent entries.
      covers: coversAmong(
        version.recent === undefined ? (version.covers ?? (snapshot ?? held)?.covers) : version.covers,
        isSameList ? held : null,
      ),
      snapshotAtMs,
      currentAtMs,
      movedAtMs: isSameList && held.recentToken === recentToken ? held.movedAtMs : seenAtMs,
      order,
      signed: signedOf(version, recent?.entries),
      calibration,
    };
    // An older list, which is better than none.
    const made = currentAtMs === 0 ? ofUnknownAge(generation) : generation;
    return { generation: made, version, changed, hasCalibrated: !isCalibrated, fault };
  }
  throw new PortcullisError('INVALID_RESPONSE', `the list changed ${maxAttempts} times while it was read`);
}

/** How many entries of the held list are missing in a new one. A checksum proves that they were removed, so that nothing is counted then. */
async function lostSince(
  held: Generation | null,
  version: ListVersion,
  snapshot: Artifact | null,
  recent: Artifact | null,
  signal: SignalLike | undefined,
): Promise<number> {
  if (held === null || snapshot === null || snapshot.isProven) return 0;
  // Under the same snapshot the recent entries stay.
  const { base, recent: added, algoVersion } = held;
  const sets: readonly [EntrySet, ...EntrySet[]] = isSnapshotOf(held, version) ? [base] : [base, added];
  return runInSlices(lostEntries(sets, snapshot.entries, recent?.entries, algoVersion === version.algoVersion), signal);
}

/**
 * How many entries of a list are neither in a new snapshot nor in the recent entries that came with it, by their first four bytes; with another
 * algorithm, by how much shorter it is.
 */
export function* lostEntries(
  held: readonly [base: EntrySet, ...added: EntrySet[]],
  snapshot: EntrySet,
  recent: EntrySet | undefined,
  isComparable: boolean,
): Sliced<number> {
  if (!isComparable) return Math.max(0, held[0].size - snapshot.size);
  const isThere = (prefix: number): boolean => hasPrefix(snapshot, prefix) || (recent !== undefined && hasPrefix(recent, prefix));
  let lost = 0;
  for (const set of held) {
    const { high } = yield* set.readEntries();
    for (let at = 0; at < high.length; at++) {
      if (at % entriesPerSlice === 0) yield;
      if (!isThere(high[at]!)) lost++;
    }
  }
  return lost;
}

async function calibrated(
  { calibrate }: RoundTools,
  list: Uncalibrated,
  signal: SignalLike | undefined,
): Promise<CalibrationResult> {
  if (list.version.calibration !== undefined) return judgeCalibration(list.version.calibration);
  return (await calibrate?.(list, signal)) ?? uncalibrated;
}

/** Whether the source's history says that the version was replaced before. */
function isBack({ tokenHistory }: Source, { snapshot, recent }: ListVersion, held: Generation | null, seen: unknown): boolean {
  const offered = { snapshotToken: snapshot.token, recentToken: recent?.token ?? null };
  return held !== null && tokenHistory?.isBack(seen, held, offered) === true;
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

async function fetchVersion(
  { source, now, limits, onProgress }: RoundTools,
  { held, checkpoint }: RoundState,
  signal: SignalLike | undefined,
): Promise<ListVersion> {
  throwIfAborted(signal);
  onProgress('version', 0, undefined);
  const isKept = held !== null && now() - held.snapshotAtMs < limits.maxSnapshotAgeMs;
  const previous = isKept ? partOf(held) : undefined;
  const sequence = held?.order.sequence ?? undefined;
  return requireVersion(await source.version({ signal, previous, checkpoint, sequence }));
}

async function fetchPart(
  { source, sets, onProgress }: RoundTools,
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
  sets.require(artifact, part);
  requireCount(artifact, version[part]!, part);
  return artifact;
}

/** A snapshot with the same token is fetched again because something may be wrong with it. */
function previousOf(held: Generation | null, version: ListVersion): PreviousPart | undefined {
  if (held === null || held.algoVersion !== version.algoVersion || held.snapshotToken === version.snapshot.token)
    return undefined;
  return partOf(held);
}

function partOf({ snapshotToken, base, common }: Generation): PreviousPart {
  return { token: snapshotToken, entries: base, ...(common !== undefined && { common }) };
}

/** A built-in source has already verified it; a custom source may not have. */
function requireCount({ entries }: Artifact, { count }: ListPart, part: string): void {
  if (count === undefined || (entries.size <= count && entries.size >= fewestOf(count))) return;
  throw new PortcullisError('INVALID_ARTIFACT', `the ${part} is invalid: it holds ${entries.size} entries, not ${count}`);
}

function algorithmOf({ algorithms }: RoundTools, name: string): Algorithm {
  const algorithm = algorithms.get(name);
  if (algorithm !== undefined) return algorithm;
  throw new PortcullisError(
    'ALGORITHM_UNKNOWN',
    'the algorithm of the list is unknown; add it, or map its name in `algorithms` of the source',
  );
}

/** A custom source may return something else. */
function requireVersion(version: ListVersion): ListVersion {
  const isPart = (part: unknown): boolean => typeof Object(part).token === 'string';
  const isWhole = (number: unknown): boolean => number === undefined || Number.isSafeInteger(number);
  const { algoVersion, snapshot, recent, hot, sequence, expiresAtMs } = Object(version) as Partial<ListVersion>;
  const isHot = hot === undefined || typeof Object(hot).sha256 === 'string';
  const hasParts = typeof algoVersion === 'string' && isPart(snapshot) && (recent === undefined || isPart(recent)) && isHot;
  if (hasParts && isWhole(sequence) && isWhole(expiresAtMs)) return version;
  throw new PortcullisError('INVALID_RESPONSE', 'the source returned an invalid version');
}
