import { PortcullisError } from '../../core/errors.js';
import type { CalibrationResult, Generation, VersionOrder } from '../model/generation.js';
import type { Artifact, Calibration, ListVersion } from '../model/source.js';
import { type Doubt, DoubtfulListError, doubtAgain, type Patience } from './doubt.js';
import { isOlder, olderList, orderOf, requireNear, sequenceIn, trustedSequence } from './version-order.js';
import { pinnedName, requireName } from './which-list.js';

/** What to fetch: nothing, the recent entries, or both the snapshot and them. */
export type Plan = 'nothing' | 'recent' | 'both';

export interface PlanLimits {
  /** Age at which a snapshot is fetched again even if its token is the same, in milliseconds. */
  readonly maxSnapshotAgeMs: number;
  /** Number of recent entries after which the snapshot is fetched again. */
  readonly maxRecentCount: number;
}

/** Shortest time between two fetches of the snapshot because of too many recent entries. */
const refetchMs = 3_600_000;

/** A version that a source offers. */
export interface Offer {
  readonly version: ListVersion;
  /** Where its sequence counts. */
  readonly origin: string;
  /** The name that the app wants the list to have. */
  readonly listName?: string | undefined;
  /** Our name for its algorithm. */
  readonly algorithm: string;
  /** Whether the source's history says that it was replaced before. */
  readonly isBack: boolean;
}

/** What a device knows when a version is offered. */
export interface Known {
  readonly held: Generation | null;
  /** The newest version this device has had, which may be newer than the held list. */
  readonly newest: VersionOrder | null;
  readonly doubt: Doubt | null;
}

export interface Accepted {
  readonly fetch: Plan;
  readonly order: VersionOrder;
  /** From when its age counts. */
  readonly currentAtMs: number;
  /** Whether it came back often enough, which is evidence for its size too. */
  readonly isBelieved: boolean;
  /** Why this list is not the newest. It blocks, and its misses do not count. */
  readonly fault: PortcullisError | null;
}

/**
 * Whether an offered version may be fetched, and what of it.
 *
 * @throws PortcullisError `OTHER_LIST`, `LIST_AHEAD`, `OLDER_LIST`; a `DoubtfulListError` for a version that is accepted once it has come often enough
 */
export function acceptVersion(
  { version, origin, listName, algorithm, isBack }: Offer,
  known: Known,
  limits: PlanLimits,
  nowMs: number,
): Accepted {
  const { held, newest, doubt } = known;
  requireName(version.listName, pinnedName({ listName, origin }, held?.order ?? null, newest));
  requireNear(version, Math.max(trustedSequence(newest), trustedSequence(held?.order ?? null)), nowMs);
  const order = orderOf(version, origin, nowMs);
  const older = isOlder(version, sequenceIn(newest, origin, nowMs)) ? olderList() : null;
  // Without a list, or with an even older one, an older list is better than none.
  if (older !== null && held !== null && !(sequenceIn(order, origin, nowMs) > sequenceIn(held.order, origin, nowMs))) throw older;
  // A version that comes back is an older one, if the source says so, unless it has come in several rounds.
  if (isBack && held !== null && version.sequence === undefined) {
    const offered = { token: version.snapshot.token, digest: version.recent?.token ?? '' };
    const next = doubtAgain(doubt, offered, 'long', nowMs);
    if (next !== null) throw new DoubtfulListError(next, olderList());
  }
  return {
    isBelieved: isBack && held !== null && version.sequence === undefined,
    fetch: planOf(version, algorithm, held, nowMs, limits),
    order,
    // It is unknown how long the older list has been outdated.
    currentAtMs: older !== null ? 0 : Math.min(nowMs, order.expiresAtMs ?? nowMs),
    fault: older ?? expiredFault(order, nowMs),
  };
}

/** @param algorithm Our name for the version's algorithm. It may differ from the one the held list was read with. */
export function planOf(
  version: ListVersion,
  algorithm: string,
  held: Generation | null,
  nowMs: number,
  limits: PlanLimits,
): Plan {
  if (held?.algorithm !== algorithm || !isSnapshotOf(held, version)) return 'both';
  const ageMs = nowMs - held.snapshotAtMs;
  if (ageMs >= limits.maxSnapshotAgeMs || (held.recent.size > limits.maxRecentCount && ageMs >= refetchMs)) return 'both';
  const isSame = held.recentToken === (version.recent?.token ?? null) && held.hotSum === (version.hot?.sha256 ?? null);
  return isSame ? 'nothing' : 'recent';
}

/** Whether a held list has the snapshot that a version names. */
export function isSnapshotOf(held: Generation | null, { algoVersion, snapshot }: ListVersion): held is Generation {
  return held !== null && held.algoVersion === algoVersion && held.snapshotToken === snapshot.token;
}

function expiredFault({ expiresAtMs }: VersionOrder, nowMs: number): PortcullisError | null {
  if (expiresAtMs === null || nowMs <= expiresAtMs) return null;
  return new PortcullisError('LIST_EXPIRED', 'the newest version of the list that the source offers has expired');
}

/** Whether the version must be asked for again after its parts: without checksums in it, they may be of two versions. */
export function needsSecondLook(parts: readonly (Pick<Artifact, 'isProven' | 'isPinned'> | null)[]): boolean {
  return parts.some((part) => part?.isProven === false && part.isPinned !== true);
}

/** Whether the list changed while its parts were read. A host whose copies differ may answer with an older one, which changes nothing. */
export function isOtherNow(version: ListVersion, after: ListVersion): boolean {
  const isBehind = version.sequence !== undefined && isOlder(after, version.sequence);
  return !isBehind && (after.snapshot.token !== version.snapshot.token || after.algoVersion !== version.algoVersion);
}

/**
 * Entries that a list may lose in one version without proof, at least and as a share. A download that was cut off usually lacks more, and so does
 * the list of somebody else, however long it is.
 */
const maxLost = 10;
const maxLostShare = 0.05;

/**
 * How often a snapshot must come before it is accepted; `null` if once is enough. It needs proof if it lost many entries: a matching count
 * proves nothing, because a broken build may have written both. A checksum in the version document is proof, and so is the same list again;
 * if it has become half as long, in several rounds. A list without any entries makes everything clear, so it must come again even with a
 * checksum.
 *
 * @param lost How many entries of the held list are missing.
 */
export function patienceFor(
  snapshot: Pick<Artifact, 'entries' | 'isProven'>,
  recent: Pick<Artifact, 'entries'> | null,
  held: Generation | null,
  lost: number,
  mayBeEmpty: boolean,
): Patience | null {
  if (held === null) return null;
  const before = held.base.size;
  if (!snapshot.isProven && snapshot.entries.size < before / 2) return 'long';
  if (!snapshot.isProven && lost > Math.max(maxLost, before * maxLostShare)) return 'twice';
  const isEmptied = snapshot.entries.size + (recent?.entries.size ?? 0) === 0 && before + held.recent.size > 0;
  return isEmptied && !mayBeEmpty ? 'twice' : null;
}

export const uncalibrated: CalibrationResult = { outcome: 'skipped', samples: 0, found: 0 };

/** The minimum number of samples; fewer prove nothing. */
const minSamples = 10;
/** Some samples were unblocked meanwhile, and some have types no list holds. */
const minFoundShare = 0.9;

/** What the counts of known entries say about the algorithm of a list. */
export function judgeCalibration({ samples, found }: Calibration): CalibrationResult {
  // A custom source may return anything.
  if (!(samples >= minSamples && found <= samples)) return { outcome: 'skipped', samples, found };
  return { outcome: found >= samples * minFoundShare ? 'passed' : 'failed', samples, found };
}

/** A relay may provide its calibration later than the snapshot, and correct it. */
export function calibrationNow({ calibration: held }: Generation, { calibration }: ListVersion): CalibrationResult {
  const isSame = calibration === undefined || (calibration.samples === held.samples && calibration.found === held.found);
  return isSame ? held : judgeCalibration(calibration);
}
