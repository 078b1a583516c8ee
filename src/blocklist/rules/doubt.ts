import { PortcullisError } from '../../core/errors.js';

/** Something that is not accepted at once: a list that shrank too much, or a version that came back. */
interface Doubtful {
  readonly token: string;
  readonly digest: string;
  /** The number of entries of a list that shrank. */
  readonly size?: number | undefined;
}

/** How often it came. Stored, because a worker may end between rounds. */
export interface Doubt extends Doubtful {
  readonly firstAtMs: number;
  readonly rounds: number;
}

/** `twice`: the next offer must be the same; `long`: it must come for an hour. */
export type Patience = 'twice' | 'long';

/**
 * How often, and over what time, the same must come before it is accepted. A publisher usually fixes the empty file of a broken build
 * within an hour.
 */
const minRounds = 3;
const minTimeMs = 3_600_000;

/** The doubt about something that came now; `null` once it has come often and long enough. */
export function doubtAgain(before: Doubt | null, offered: Doubtful, patience: Patience, nowMs: number): Doubt | null {
  const isKnown = before !== null && before.firstAtMs <= nowMs;
  const isSame = isKnown && before.token === offered.token && before.digest === offered.digest;
  if (isSame && patience === 'twice') return null;
  // A list that changes in every round never comes twice, but its size stays about the same; that of a download that breaks off does not.
  const isAlike = isSame || (isKnown && patience === 'twice' && hasSameSize(before, offered));
  const doubt = { ...offered, firstAtMs: isAlike ? before.firstAtMs : nowMs, rounds: isAlike ? before.rounds + 1 : 1 };
  return doubt.rounds >= minRounds && nowMs - doubt.firstAtMs >= minTimeMs ? null : doubt;
}

/** By a share of the smaller size. */
const maxSizeChange = 0.05;

function hasSameSize({ size: a }: Doubtful, { size: b }: Doubtful): boolean {
  return a !== undefined && b !== undefined && Math.abs(a - b) <= Math.min(a, b) * maxSizeChange;
}

/** An error about what is accepted once it has come often enough. Has the doubt, which the caller stores. */
export class DoubtfulListError extends PortcullisError {
  readonly doubt: Doubt;

  constructor(doubt: Doubt, { code, message }: PortcullisError) {
    super(code, message);
    this.doubt = doubt;
  }
}

export function shrunkList(lost: number, held: number): PortcullisError {
  const message = `the list lacks ${lost} of the ${held} entries that it had, and no checksum proves that`;
  return new PortcullisError('SUSPICIOUS_LIST', message);
}

export function emptiedList(): PortcullisError {
  const message = 'the list has become empty; it is accepted when the source offers it again, or at once with `mayBeEmpty`';
  return new PortcullisError('SUSPICIOUS_LIST', message);
}

/** A stored time, which may be missing. */
export function readTime(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

export function readDoubt(value: unknown): Doubt | null {
  const { token, digest, size, firstAtMs, rounds } = Object(value) as Partial<Doubt>;
  const isOne =
    typeof token === 'string' && typeof digest === 'string' && typeof firstAtMs === 'number' && typeof rounds === 'number';
  return isOne ? { token, digest, ...(typeof size === 'number' && { size }), firstAtMs, rounds } : null;
}
