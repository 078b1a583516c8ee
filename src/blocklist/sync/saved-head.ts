import { PortcullisError } from '../../core/errors.js';
import { decodeJsonRecord } from '../formats/record.js';
import type { CalibrationResult, Generation, Lists } from '../model/generation.js';
import { readOrder } from '../rules/version-order.js';

/** The stored value of a set. */
export interface SetValue {
  readonly name: string;
  readonly sha256: string;
}

/** The head: the names of the list's values, and what is known about the list. */
export interface HeadRecord extends Omit<Generation, 'sequence' | 'signed' | keyof Lists> {
  /** The document of `SignedList`. Earlier releases stored none. */
  readonly signed?: unknown;
  readonly sets: {
    readonly base: SetValue;
    readonly recent: SetValue;
    readonly removed: SetValue | null;
    readonly allowed: SetValue | null;
    /** Earlier releases stored none. */
    readonly hot?: SetValue;
    /** Only of a global cache. */
    readonly common?: SetValue;
    /** The recent entries that the signed version names. */
    readonly feed?: SetValue;
  };
}

/** @throws PortcullisError `INVALID_ARTIFACT` */
export function decodeHead(bytes: Uint8Array): HeadRecord {
  const head = decodeJsonRecord('head', bytes) as HeadRecord;
  const { algoVersion, algorithm, snapshotToken, recentToken, snapshotAtMs, currentAtMs, movedAtMs, calibration, sets } = Object(
    head,
  ) as Partial<HeadRecord>;
  const isValue = (value: unknown): boolean => typeof Object(value).name === 'string' && typeof Object(value).sha256 === 'string';
  const isOne =
    [algoVersion, algorithm, snapshotToken].every((text) => typeof text === 'string') &&
    (recentToken === null || typeof recentToken === 'string') &&
    [snapshotAtMs, currentAtMs, movedAtMs].every((time) => typeof time === 'number') &&
    typeof (Object(calibration) as Partial<CalibrationResult>).outcome === 'string' &&
    isValue(sets?.base) &&
    isValue(sets?.recent) &&
    (sets?.removed === null || isValue(sets?.removed)) &&
    (sets?.allowed === null || isValue(sets?.allowed)) &&
    (sets?.feed === undefined || isValue(sets?.feed)) &&
    (sets?.hot === undefined || isValue(sets?.hot)) &&
    (sets?.common === undefined || isValue(sets?.common));
  if (!isOne) throw damagedList('its head is malformed');
  const covers = Number.isInteger(head.covers) ? head.covers : undefined;
  return { ...head, covers, hotSum: head.hotSum ?? null, order: readOrder(head.order) };
}

/** The names of the values a head names. A damaged head names none. */
export function namesIn(head: Uint8Array): string[] {
  try {
    const { sets } = decodeJsonRecord('head', head) as HeadRecord;
    return Object.values(sets).flatMap((set) => (set === null ? [] : [set.name]));
  } catch {
    return [];
  }
}

/** Age at which a value without a head is removed. A younger one may belong to a head that is being written. */
const orphanMs = 3_600_000;

/** How far the clocks of two writers may differ: by the time zones that a clock can be set to by mistake. */
const maxAheadMs = 86_400_000;

/** @param name Begins with its creation time, after the folder. */
export function isYoung(name: string, nowMs: number): boolean {
  const ageMs = nowMs - Number.parseInt(name.slice(name.lastIndexOf('/') + 1), 36);
  // A writer's clock may be ahead. A time further in the future comes from a clock that was set back.
  return ageMs > -maxAheadMs && ageMs < orphanMs;
}

export function damagedList(what: string): PortcullisError {
  return new PortcullisError('INVALID_ARTIFACT', `the stored list is invalid: ${what}`);
}
