import { toHex } from '../../core/bytes.js';
import { PortcullisError } from '../../core/errors.js';
import { digestOf } from '../../core/hashing/sha256.js';
import { runInSlices } from '../../core/slices.js';
import type { Generation } from '../generation.js';
import type { Artifact, ListPart, SourceCall } from '../source.js';

/**
 * A list that shrank too much to be accepted at once, and how often it came unchanged. Stored, because a worker may end between
 * rounds.
 */
export interface Suspicion {
  readonly token: string;
  readonly digest: string;
  readonly firstAtMs: number;
  readonly rounds: number;
}

/**
 * How often, and over what time, the same list must come before it is accepted. A publisher usually fixes the empty file of a
 * broken build within an hour.
 */
const minRounds = 3;
const minTimeMs = 3_600_000;

/**
 * Whether a snapshot may replace the held one. For a list that lost half of its entries a matching count proves nothing, because a
 * broken build may have written both. A checksum in the version document is proof, and so is the same list in several rounds.
 *
 * @returns `null` if it may, else the suspicion
 */
export async function suspect(
  { entries, isProven }: Artifact,
  part: ListPart,
  held: Generation | null,
  before: Suspicion | null,
  nowMs: number,
  { signal }: SourceCall,
): Promise<Suspicion | null> {
  const isShrunk = held !== null && held.base.size > 0 && entries.size < held.base.size / 2;
  if (isProven || !isShrunk) return null;
  const digest = toHex(await runInSlices(digestOf(entries.toBytes()), signal));
  return again(before, part.token, digest, nowMs);
}

/** The suspicion about something that came now; `null` once it has come often and long enough. */
export function again(before: Suspicion | null, token: string, digest: string, nowMs: number): Suspicion | null {
  const isSame = before !== null && before.token === token && before.digest === digest && before.firstAtMs <= nowMs;
  const suspicion = isSame ? { ...before, rounds: before.rounds + 1 } : { token, digest, firstAtMs: nowMs, rounds: 1 };
  return suspicion.rounds >= minRounds && nowMs - suspicion.firstAtMs >= minTimeMs ? null : suspicion;
}

/** An error about a list that is accepted once it has come often enough. Has the suspicion, which the caller stores. */
export class DoubtfulListError extends PortcullisError {
  readonly suspicion: Suspicion;

  constructor(suspicion: Suspicion, { code, message }: PortcullisError) {
    super(code, message);
    this.suspicion = suspicion;
  }
}

export function shrunkList(found: number, held: number): PortcullisError {
  const message = `the list shrank from ${held} entries to ${found} without a checksum that proves it`;
  return new PortcullisError('SUSPICIOUS_LIST', message);
}

export function readSuspicion(value: unknown): Suspicion | null {
  const { token, digest, firstAtMs, rounds } = Object(value) as Partial<Suspicion>;
  const isOne =
    typeof token === 'string' && typeof digest === 'string' && typeof firstAtMs === 'number' && typeof rounds === 'number';
  return isOne ? { token, digest, firstAtMs, rounds } : null;
}
