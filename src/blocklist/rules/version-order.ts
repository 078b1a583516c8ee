import { PortcullisError } from '../../core/errors.js';
import type { Generation, VersionOrder } from '../model/generation.js';
import type { ListVersion, SeenCheckpoint, Source } from '../model/source.js';

/**
 * How long an unsigned sequence counts that is ahead of the clock, and by how much it may be ahead after that. A host that forges a high one
 * could otherwise keep a client from every later version, even after it was corrected.
 */
const countsAheadMs = 86_400_000;

/**
 * How far a sequence may be ahead of the clock. A clock that shows the wrong day, or that of another time zone, is less than two days off.
 * Without this limit, whoever had a key once could sign a version that nothing follows.
 */
export const maxAheadMs: number = 2 * 86_400_000;

export function olderList(): PortcullisError {
  return new PortcullisError('OLDER_LIST', 'the source offers an older version of the list');
}

/**
 * Refuses a sequence that is far ahead of the clock and of a trusted one: it is forged, or the clock is behind.
 *
 * @throws PortcullisError `LIST_AHEAD`
 */
export function requireNear({ sequence = 0 }: ListVersion, trusted: number, nowMs: number): void {
  if (!isFarAhead(sequence, trusted, nowMs)) return;
  const hours = Math.round((sequence - nowMs) / 3_600_000);
  throw new PortcullisError(
    'LIST_AHEAD',
    `the source offers a version from ${hours} hours ahead of this clock; set the clock, or ask the publisher if it is right`,
  );
}

/** The sequence of a version with a trusted signature; 0 without one. */
export function trustedSequence(order: VersionOrder | null): number {
  return order !== null && order.signedBy !== null ? (order.sequence ?? 0) : 0;
}

function isFarAhead(sequence: number, trusted: number, nowMs: number): boolean {
  return sequence > Math.max(nowMs, trusted) + maxAheadMs;
}

/**
 * What is stored about the newest version, if it can be believed: not if no trusted key signed it, where one must have, and not if its sequence is far ahead
 * of the clock and of the held list. Otherwise whoever can write to the store could make the list stale for ever.
 */
export function credible(
  newest: VersionOrder | null,
  trustedKeys: readonly string[] | undefined,
  held: VersionOrder | null,
  nowMs: number,
): VersionOrder | null {
  if (newest === null) return null;
  const { signedBy, sequence, seenAtMs } = newest;
  const isTrusted = trustedKeys === undefined ? signedBy === null : trustedKeys.includes(signedBy ?? '');
  if (!isTrusted || isFarAhead(sequence ?? 0, trustedSequence(held), nowMs)) return null;
  // By a clock that was ahead. Counted from then, an unsigned sequence would not heal before that time.
  return { ...newest, seenAtMs: Math.min(seenAtMs, nowMs) };
}

export function orderOf(
  { listName, sequence, expiresAtMs, signedBy, ohttpKeys }: ListVersion,
  origin: string,
  seenAtMs: number,
): VersionOrder {
  return readOrder({ sequence, origin, listName, expiresAtMs, signedBy, seenAtMs, ohttpKeys });
}

/** The sequence that counts now, or less than any if it counts elsewhere. */
export function sequenceIn(order: VersionOrder | null, origin: string | undefined, nowMs: number): number {
  if (order === null || order.sequence === null || order.origin !== (origin ?? '')) return Number.NEGATIVE_INFINITY;
  const { sequence, signedBy, seenAtMs } = order;
  return signedBy !== null || nowMs - seenAtMs < countsAheadMs ? sequence : Math.min(sequence, seenAtMs + countsAheadMs);
}

/** The newest sequence, which an answer must not be older than; `undefined` if none counts here. */
export function newestSequence(newest: VersionOrder | null, origin: string | undefined, nowMs: number): number | undefined {
  const sequence = sequenceIn(newest, origin, nowMs);
  return Number.isFinite(sequence) ? sequence : undefined;
}

/** The order of the newest version: of the held one, unless that is older in the same place. */
export function newerOf(newest: VersionOrder | null, held: VersionOrder | null, nowMs: number): VersionOrder | null {
  if (held === null || held.sequence === null) return newest;
  return sequenceIn(held, held.origin, nowMs) < sequenceIn(newest, held.origin, nowMs) ? newest : held;
}

/**
 * How long the denials of a source do not count after it offered a list that was not taken over: several copies, or lists, may be behind
 * its address.
 */
const refusedMs = 3_600_000;

/** The time that is nearer to now, because a clock may have been changed since; the other one if one is missing. */
export function laterTime(a: number | null, b: number | null, nowMs: number): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.abs(nowMs - a) <= Math.abs(nowMs - b) ? a : b;
}

/**
 * Whether what a source denies counts. A source whose versions have a sequence compares them itself; of another one an answer may come
 * from a copy that lacks the newest entries, or from a list that was refused.
 */
export function mayDeny({ tokenHistory }: Pick<Source, 'tokenHistory'>, refusedAtMs: number | null, nowMs: number): boolean {
  return tokenHistory === undefined || refusedAtMs === null || Math.abs(nowMs - refusedAtMs) >= refusedMs;
}

/** A version without a sequence is older than any with one: an old folder may have been made before there were sequences. */
export function isOlder({ sequence = Number.NEGATIVE_INFINITY }: Pick<ListVersion, 'sequence'>, than: number): boolean {
  return sequence < than;
}

/** What was seen last, or as much or more of the same log, which never shrinks. A stored one may be anything: the log checks it when it is used. */
export function laterCheckpoint(last: SeenCheckpoint | undefined, other: SeenCheckpoint | undefined): SeenCheckpoint | undefined {
  if (!last) return other;
  return other?.log === last.log && other.size >= last.size ? other : last;
}

/** The second of two lists or the first, unless the other is known to be newer. */
export function laterOf(a: Generation, b: Generation, isSecondLater: boolean, nowMs: number): Generation {
  const { origin } = b.order;
  const more = sequenceIn(b.order, origin, nowMs) - sequenceIn(a.order, origin, nowMs);
  // Two lists without a sequence make `NaN`.
  return more > 0 || (isSecondLater && !(more < 0)) ? b : a;
}

/** What a version does not say, or an earlier release has not stored, is unknown. */
export function readOrder(value: unknown): VersionOrder {
  const {
    sequence = null,
    origin = '',
    listName = null,
    expiresAtMs = null,
    signedBy = null,
    seenAtMs = 0,
    ohttpKeys,
  } = Object(value) as Partial<VersionOrder>;
  return {
    sequence,
    origin,
    listName: typeof listName === 'string' ? listName : null,
    expiresAtMs,
    signedBy,
    seenAtMs,
    ohttpKeys,
  };
}
