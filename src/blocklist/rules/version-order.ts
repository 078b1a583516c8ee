import { PortcullisError } from '../../core/errors.js';
import type { Generation, VersionOrder } from '../model/generation.js';
import type { ListVersion } from '../model/source.js';

/**
 * How long an unsigned sequence counts that is ahead of the clock, and by how much it may be ahead after that. A host that forges a high one
 * could otherwise keep a client from every later version, even after it was corrected.
 */
const maxAheadMs = 86_400_000;

export function olderList(): PortcullisError {
  return new PortcullisError('OLDER_LIST', 'the source offers an older version of the list');
}

export function orderOf({ sequence, expiresAtMs, signedBy }: ListVersion, origin: string, nowMs: number): VersionOrder {
  return {
    sequence: sequence ?? null,
    origin,
    expiresAtMs: expiresAtMs ?? null,
    signedBy: signedBy ?? null,
    seenAtMs: nowMs,
  };
}

/** The sequence that counts now, or less than any if it counts elsewhere. */
export function sequenceIn(order: VersionOrder | null, origin: string | undefined, nowMs: number): number {
  if (order === null || order.sequence === null || order.origin !== (origin ?? '')) return Number.NEGATIVE_INFINITY;
  const { sequence, signedBy, seenAtMs } = order;
  return signedBy !== null || nowMs - seenAtMs < maxAheadMs ? sequence : Math.min(sequence, seenAtMs + maxAheadMs);
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

/** A version without a sequence is older than any with one: an old folder may have been made before there were sequences. */
export function isOlder({ sequence = Number.NEGATIVE_INFINITY }: ListVersion, than: number): boolean {
  return sequence < than;
}

/** The second of two lists or the first, unless the other is known to be newer. */
export function laterOf(a: Generation, b: Generation, isSecondLater: boolean, nowMs: number): Generation {
  const { origin } = b.order;
  const more = sequenceIn(b.order, origin, nowMs) - sequenceIn(a.order, origin, nowMs);
  // Two lists without a sequence make `NaN`.
  return more > 0 || (isSecondLater && !(more < 0)) ? b : a;
}

/** The list of an earlier release says nothing about its order. */
export function readOrder(value: unknown): VersionOrder {
  const {
    sequence = null,
    origin = '',
    expiresAtMs = null,
    signedBy = null,
    seenAtMs = 0,
  } = Object(value) as Partial<VersionOrder>;
  return { sequence, origin, expiresAtMs, signedBy, seenAtMs };
}
