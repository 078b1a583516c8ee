import { PortcullisError, type SignalLike } from '../../core/errors.js';
import { AscendingSet } from '../../core/prefixes/ascending-set.js';
import { runInSlices, type Sliced } from '../../core/slices.js';
import type { VersionOrder } from '../generation.js';
import { isOlder, olderList, orderOf, sequenceIn } from '../rules/version-order.js';
import type { Artifact, ListVersion } from '../source.js';
import { expiredFault, requireCount, requireVersion } from '../sync/round.js';
import type { LightSource } from './light-options.js';

/** One state of a light list. Immutable: a new state replaces it, and a check uses one state from beginning to end. */
export interface LightList extends LightAge {
  readonly base: AscendingSet;
  /** Entries added after the base. */
  readonly recent: AscendingSet;
  readonly algoVersion: string;
  readonly snapshotToken: string;
  readonly recentToken: string | null;
  readonly snapshotAtMs: number;
  /** Counts the changes of the list on this device. */
  readonly generation: number;
}

/** What may change without the sets. */
export interface LightAge {
  /** When the source last confirmed the tokens. */
  readonly currentAtMs: number;
  readonly order: VersionOrder;
  /** Whether the list was not built with the algorithm it names; `null` if the source does not say. */
  readonly isMismatch: boolean | null;
}

export interface LightResult {
  readonly list: LightList;
  readonly minWaitMs: number | undefined;
  /** Why this list is not the newest although the round brought it. It blocks, and its misses do not count. */
  readonly fault: PortcullisError | null;
}

/** The algorithm that a light list reads. */
export const lightAlgorithm = 'portcullis-1';

/** Attempts to read a snapshot that changes meanwhile. */
const maxAttempts = 3;

/** Like the defaults of `createBlocklist`. */
const maxSnapshotAgeMs = 604_800_000;

/**
 * One round, by the rules of `sync/round.ts`: it accepts nothing that those refuse. It changes nothing itself, so a failed round changes
 * nothing.
 *
 * @param seen What the source's `tokenHistory` remembers.
 */
export async function runLightRound(
  source: LightSource,
  held: LightList | null,
  newest: VersionOrder | null,
  seen: unknown,
  now: () => number,
  signal: SignalLike,
): Promise<LightResult> {
  const { origin, tokenHistory } = source;
  const fetchVersion = async (): Promise<ListVersion> => requireVersion(await source.version({ signal }));
  const fetchPart = async (part: 'snapshot' | 'recent', version: ListVersion): Promise<LightArtifact> => {
    const previous = held !== null && part === 'snapshot' ? { token: held.snapshotToken, entries: held.base } : undefined;
    const artifact = await source.artifact(part, version, { signal, previous });
    requireLight(artifact, part);
    requireCount(artifact, version[part]!, part);
    return artifact;
  };
  let version = await fetchVersion();
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const nowMs = now();
    const { algoVersion } = version;
    const snapshotToken = version.snapshot.token;
    const recentToken = version.recent?.token ?? null;
    const order = orderOf(version, source, nowMs);
    const older = isOlder(version, sequenceIn(newest, origin, nowMs)) ? olderList() : null;
    // Without a list, or with an even older one, an older list is better than none.
    if (older !== null && held !== null && !(sequenceIn(order, origin, nowMs) > sequenceIn(held.order, origin, nowMs)))
      throw older;
    const isBack =
      held !== null && version.sequence === undefined && tokenHistory?.isBack(seen, held, { snapshotToken, recentToken });
    if (isBack) throw olderList();
    // What objects inherit is no text.
    if ((source.algorithms?.[algoVersion] ?? algoVersion) !== lightAlgorithm)
      throw new PortcullisError('ALGORITHM_UNKNOWN', `the algorithm is unknown; a light list reads ${lightAlgorithm}`);
    const isSame = held !== null && held.algoVersion === algoVersion && held.snapshotToken === snapshotToken;
    const age: LightAge = {
      currentAtMs: older === null ? Math.min(nowMs, order.expiresAtMs ?? nowMs) : 0,
      order,
      isMismatch: isSame && held.isMismatch !== null ? held.isMismatch : mismatchIn(version),
    };
    const result = { minWaitMs: version.minWaitMs, fault: older ?? expiredFault(order, nowMs) };
    const before = isSame && nowMs - held.snapshotAtMs < maxSnapshotAgeMs ? held : null;
    if (before !== null && before.recentToken === recentToken) return { ...result, list: { ...before, ...age } };
    const snapshot = before === null ? await fetchPart('snapshot', version) : null;
    const recent = version.recent === undefined ? null : await fetchPart('recent', version);
    // Checksums in the version document exclude that the files are of two versions.
    const isProven = snapshot?.isProven !== false && recent?.isProven !== false;
    const after = isProven ? version : await fetchVersion();
    const isBehind = version.sequence !== undefined && isOlder(after, version.sequence);
    if (!isBehind && (after.snapshot.token !== snapshotToken || after.algoVersion !== algoVersion)) {
      version = after;
      continue;
    }
    const isShrunk = held !== null && snapshot !== null && snapshot.entries.size < held.base.size / 2;
    if (isShrunk && !snapshot.isProven && !source.acceptsShrunk?.(snapshotToken, snapshot.entries.toBytes()))
      throw new PortcullisError('SUSPICIOUS_LIST', 'the list lost half of its entries without a checksum');
    const base = snapshot === null ? before!.base : snapshot.entries;
    const added = await runInSlices(union(isSame ? held.recent : null, recent?.entries), signal);
    const list: LightList = {
      ...age,
      base,
      recent: added,
      algoVersion,
      snapshotToken,
      recentToken,
      snapshotAtMs: snapshot === null ? before!.snapshotAtMs : nowMs,
      generation: (held?.generation ?? 0) + 1,
    };
    return { ...result, list };
  }
  throw new PortcullisError('INVALID_RESPONSE', `the list changed ${maxAttempts} times while it was read`);
}

/** What `judge` of `sync/calibrate.ts` says about the score that a relay has determined. */
function mismatchIn({ calibration }: ListVersion): boolean | null {
  if (calibration === undefined || !(calibration.samples >= 10 && calibration.found <= calibration.samples)) return null;
  return calibration.found < calibration.samples * 0.9;
}

interface LightArtifact extends Artifact {
  readonly entries: AscendingSet;
}

/** Without the entries that a source allows, a check would block what the source says is good. */
function requireLight(artifact: Artifact, part: string): asserts artifact is LightArtifact {
  const { entries, remove, allow } = Object(artifact) as Partial<Artifact>;
  if (entries instanceof AscendingSet && remove === undefined && allow === undefined) return;
  throw new PortcullisError(
    'INVALID_ARTIFACT',
    `the ${part} is invalid: a light list holds a PrefixSet; for others use createBlocklist`,
  );
}

/** A feed may be a moving window, so the entries of earlier feeds under the same snapshot stay. Recents are few. */
function* union(...sets: readonly (AscendingSet | null | undefined)[]): Sliced<AscendingSet> {
  const entries = new Set<number>();
  for (const set of sets) for (const entry of set ?? []) entries.add(entry);
  return yield* AscendingSet.ofAscending(Uint32Array.from(entries).sort());
}
