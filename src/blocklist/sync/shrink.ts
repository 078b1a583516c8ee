import { toHex } from '../../core/bytes.js';
import { PortcullisError } from '../../core/errors.js';
import { digestOf } from '../../core/hashing/sha256.js';
import { runInSlices } from '../../core/slices.js';
import type { EntrySet, Generation } from '../generation.js';
import type { Artifact, ListPart, SourceCall } from '../source.js';

/** A list that shrank too much to be believed at once, and how often it came the same. Stored, because a worker forgets. */
export interface Suspicion {
  readonly token: string;
  readonly digest: string;
  readonly firstAtMs: number;
  readonly rounds: number;
}

/** Rounds and time in which the same must come: an empty file that a broken build left is mostly mended within the hour. */
const minRounds = 3;
const minTimeMs = 3_600_000;

/** Less than half, or nothing. */
function isShrunk(entries: EntrySet, held: Generation | null): boolean {
  return held !== null && held.base.size > 0 && entries.size < held.base.size / 2;
}

/**
 * Whether a snapshot may take the place of the one that is held. A count says nothing about a list that lost half its entries: the same
 * hand may have written both. A checksum in the version document does, or that it comes again and again.
 *
 * @returns `null` where it may; else what is suspected now
 */
export async function suspect(
  { entries, isProven }: Artifact,
  part: ListPart,
  held: Generation | null,
  before: Suspicion | null,
  nowMs: number,
  { signal }: SourceCall,
): Promise<Suspicion | null> {
  if (isProven || !isShrunk(entries, held)) return null;
  const digest = toHex(await runInSlices(digestOf(entries.toBytes()), signal));
  const isSame = before !== null && before.token === part.token && before.digest === digest && before.firstAtMs <= nowMs;
  const suspicion = isSame
    ? { ...before, rounds: before.rounds + 1 }
    : { token: part.token, digest, firstAtMs: nowMs, rounds: 1 };
  return suspicion.rounds >= minRounds && nowMs - suspicion.firstAtMs >= minTimeMs ? null : suspicion;
}

/** Carries what is suspected to whoever stores it. */
export class SuspiciousListError extends PortcullisError {
  readonly suspicion: Suspicion;

  constructor(suspicion: Suspicion, found: number, held: number) {
    super('SUSPICIOUS_LIST', `the list went from ${held} entries to ${found}, and nothing proves that it should`);
    this.suspicion = suspicion;
  }
}

export function readSuspicion(value: unknown): Suspicion | null {
  const { token, digest, firstAtMs, rounds } = Object(value) as Partial<Suspicion>;
  const isOne =
    typeof token === 'string' && typeof digest === 'string' && typeof firstAtMs === 'number' && typeof rounds === 'number';
  return isOne ? { token, digest, firstAtMs, rounds } : null;
}
