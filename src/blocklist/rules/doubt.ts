import { PortcullisError } from '../../core/errors.js';

/**
 * Something that is not accepted at once, and how often it came unchanged: a list that shrank too much, or a version that came back.
 * Stored, because a worker may end between rounds.
 */
export interface Doubt {
  readonly token: string;
  readonly digest: string;
  readonly firstAtMs: number;
  readonly rounds: number;
}

/**
 * How often, and over what time, the same must come before it is accepted. A publisher usually fixes the empty file of a broken build
 * within an hour.
 */
const minRounds = 3;
const minTimeMs = 3_600_000;

/** The doubt about something that came now; `null` once it has come often and long enough. */
export function doubtAgain(before: Doubt | null, token: string, digest: string, nowMs: number): Doubt | null {
  const isSame = before !== null && before.token === token && before.digest === digest && before.firstAtMs <= nowMs;
  const doubt = isSame ? { ...before, rounds: before.rounds + 1 } : { token, digest, firstAtMs: nowMs, rounds: 1 };
  return doubt.rounds >= minRounds && nowMs - doubt.firstAtMs >= minTimeMs ? null : doubt;
}

/** An error about what is accepted once it has come often enough. Has the doubt, which the caller stores. */
export class DoubtfulListError extends PortcullisError {
  readonly doubt: Doubt;

  constructor(doubt: Doubt, { code, message }: PortcullisError) {
    super(code, message);
    this.doubt = doubt;
  }
}

export function shrunkList(found: number, held: number): PortcullisError {
  const message = `the list shrank from ${held} entries to ${found} without a checksum that proves it`;
  return new PortcullisError('SUSPICIOUS_LIST', message);
}

export function readDoubt(value: unknown): Doubt | null {
  const { token, digest, firstAtMs, rounds } = Object(value) as Partial<Doubt>;
  const isOne =
    typeof token === 'string' && typeof digest === 'string' && typeof firstAtMs === 'number' && typeof rounds === 'number';
  return isOne ? { token, digest, firstAtMs, rounds } : null;
}
