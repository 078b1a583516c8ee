import { PortcullisError } from '../../core/errors.js';
import type { Generation, VersionOrder } from '../generation.js';
import type { ListVersion, Source } from '../source.js';

/**
 * How far an unsigned sequence may be ahead of the clock. A host that forges a higher one could otherwise keep a client from every later
 * version, even after it was corrected.
 */
const maxAheadMs = 86_400_000;

export function olderList(): PortcullisError {
  return new PortcullisError('OLDER_LIST', 'the source offers an older version of the list');
}

export function orderOf({ sequence, expiresAtMs, signedBy }: ListVersion, { origin = '' }: Source, nowMs: number): VersionOrder {
  return {
    sequence: sequence === undefined ? null : signedBy === undefined ? Math.min(sequence, nowMs + maxAheadMs) : sequence,
    origin,
    expiresAtMs: expiresAtMs ?? null,
    signedBy: signedBy ?? null,
  };
}

/** The sequence, or less than any if it counts elsewhere. */
export function sequenceIn(order: VersionOrder | null, origin: string | undefined = ''): number {
  return order?.origin === origin ? (order.sequence ?? Number.NEGATIVE_INFINITY) : Number.NEGATIVE_INFINITY;
}

/** The order of the newest version: of the held one, unless that is older in the same place. */
export function newerOf(newest: VersionOrder | null, held: VersionOrder | null | undefined): VersionOrder | null {
  return held == null || sequenceIn(held, held.origin) < sequenceIn(newest, held.origin) || held.sequence === null
    ? newest
    : held;
}

/** A version without a sequence is older than any with one: an old folder may have been made before there were sequences. */
export function isOlder({ sequence = Number.NEGATIVE_INFINITY }: ListVersion, than: number): boolean {
  return sequence < than;
}

/** The second of two lists or the first, unless the other is known to be newer. */
export function laterOf(a: Generation, b: Generation, isSecondLater: boolean): Generation {
  const more = sequenceIn(b.order, b.order.origin) - sequenceIn(a.order, b.order.origin);
  // Two lists without a sequence make `NaN`.
  return more > 0 || (isSecondLater && !(more < 0)) ? b : a;
}

/** The list of an earlier release says nothing about its order. */
export function readOrder(value: unknown): VersionOrder {
  const { sequence = null, origin = '', expiresAtMs = null, signedBy = null } = Object(value) as Partial<VersionOrder>;
  return { sequence, origin, expiresAtMs, signedBy };
}
