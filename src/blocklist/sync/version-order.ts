import { toHex } from '../../core/bytes.js';
import { PortcullisError } from '../../core/errors.js';
import { hashOf } from '../../core/hashing/sha256.js';
import type { Generation, VersionOrder } from '../generation.js';
import type { ListVersion, Source } from '../source.js';
import { again, type Suspicion } from './shrink.js';

/** The newest version this device has had of one source. Stored beside the list, so that it outlives a damaged list. */
export interface Newest {
  readonly sequence: number;
  readonly origin: string;
}

/** Hashes of tokens that this device has had before the present ones: of snapshots, and of recents under the present snapshot. */
export interface SeenTokens {
  readonly snapshots: readonly string[];
  readonly recents: readonly string[];
}

export const noneSeen: SeenTokens = { snapshots: [], recents: [] };

/** A month of daily snapshots, and five hours of a feed that changes every five minutes: 2 kB. */
const maxSeen = { snapshots: 32, recents: 64 } as const;

/**
 * How far an unsigned sequence may be ahead of the clock. A host that forges a higher one could otherwise keep a client from every later
 * version, even after it was corrected.
 */
const maxAheadMs = 86_400_000;

/** An older version than one that this device has had. The caller stores the suspicion. */
export class OlderListError extends PortcullisError {
  readonly suspicion: Suspicion | null;

  constructor(message: string, suspicion: Suspicion | null = null) {
    super('OLDER_LIST', message);
    this.suspicion = suspicion;
  }
}

export function orderOf(version: ListVersion, { origin = '' }: Source, nowMs: number): VersionOrder {
  const { sequence, expiresAtMs, signedBy } = version;
  return {
    sequence: sequence === undefined ? null : signedBy === undefined ? Math.min(sequence, nowMs + maxAheadMs) : sequence,
    origin,
    expiresAtMs: expiresAtMs ?? null,
    signedBy: signedBy ?? null,
  };
}

/** The later of two versions. */
export function newerOf(newest: Newest | null, order: VersionOrder | undefined): Newest | null {
  if (order === undefined || order.sequence === null || !(order.sequence >= sequenceIn(newest, order.origin))) return newest;
  return { sequence: order.sequence, origin: order.origin };
}

/** The sequence, or less than any if it counts elsewhere. */
export function sequenceIn(place: { readonly sequence: number | null; readonly origin: string } | null, origin: string): number {
  return place === null || place.origin !== origin ? Number.NEGATIVE_INFINITY : (place.sequence ?? Number.NEGATIVE_INFINITY);
}

/** A version without a sequence is older than any with one: an old folder may have been made before there were sequences. */
export function isOlder(version: ListVersion, sequence: number): boolean {
  return (version.sequence ?? Number.NEGATIVE_INFINITY) < sequence;
}

/** Whether this list is known not to be the newest, so that what it lacks may be listed. */
export function isSuperseded({ order }: Generation, newest: Newest | null): boolean {
  return sequenceIn(order, order.origin) < sequenceIn(newest, order.origin);
}

/** The second of two lists, unless the first is known to be newer. */
export function laterOf(a: Generation, b: Generation, isSecondLater: boolean): Generation {
  const { origin } = a.order;
  const [first, second] = [sequenceIn(a.order, origin), sequenceIn(b.order, origin)];
  if (first === second) return isSecondLater ? b : a;
  return second > first ? b : a;
}

/**
 * For tokens that have no order but are never used twice: one that comes back is an older version, unless it has come in several rounds.
 *
 * @throws OlderListError
 */
export function requireUnseen(
  version: ListVersion,
  held: Generation | null,
  seen: SeenTokens,
  before: Suspicion | null,
  nowMs: number,
): void {
  if (held === null) return;
  const { snapshot, recent } = version;
  if (!isBack(seen, snapshot.token, recent?.token ?? null, held)) return;
  const suspicion = again(before, snapshot.token, shortOf(recent?.token ?? ''), nowMs);
  if (suspicion !== null) throw new OlderListError('the source offers a version that it had replaced by a newer one', suspicion);
}

/** After a version that came back was taken over, those that followed it may come again. */
export function seenAfter(seen: SeenTokens, before: Generation | null, after: Generation): SeenTokens {
  if (before === null) return seen;
  const isSame = before.snapshotToken === after.snapshotToken;
  if (isSame && before.recentToken === after.recentToken) return seen;
  if (isBack(seen, after.snapshotToken, after.recentToken, before)) return noneSeen;
  if (!isSame) return { snapshots: add(seen.snapshots, before.snapshotToken, maxSeen.snapshots), recents: [] };
  return before.recentToken === null ? seen : { ...seen, recents: add(seen.recents, before.recentToken, maxSeen.recents) };
}

function isBack(seen: SeenTokens, snapshotToken: string, recentToken: string | null, held: Generation): boolean {
  if (snapshotToken !== held.snapshotToken) return seen.snapshots.includes(shortOf(snapshotToken));
  return recentToken !== null && recentToken !== held.recentToken && seen.recents.includes(shortOf(recentToken));
}

function add(seen: readonly string[], token: string, max: number): readonly string[] {
  const short = shortOf(token);
  return [...seen.filter((one) => one !== short), short].slice(-max);
}

function shortOf(token: string): string {
  return toHex(hashOf(token)).slice(0, 16);
}

export function readNewest(value: unknown): Newest | null {
  const { sequence, origin } = Object(value) as Partial<Newest>;
  return typeof sequence === 'number' && typeof origin === 'string' ? { sequence, origin } : null;
}

export function readSeen(value: unknown): SeenTokens {
  const { snapshots, recents } = Object(value) as Partial<SeenTokens>;
  const isList = (list: unknown): list is readonly string[] =>
    Array.isArray(list) && list.every((one) => typeof one === 'string');
  return isList(snapshots) && isList(recents) ? { snapshots, recents } : noneSeen;
}

/** The list of an earlier release says nothing about its order. */
export function readOrder(value: unknown): VersionOrder {
  const { sequence, origin, expiresAtMs, signedBy } = Object(value) as Partial<VersionOrder>;
  return {
    sequence: typeof sequence === 'number' ? sequence : null,
    origin: typeof origin === 'string' ? origin : '',
    expiresAtMs: typeof expiresAtMs === 'number' ? expiresAtMs : null,
    signedBy: typeof signedBy === 'string' ? signedBy : null,
  };
}
