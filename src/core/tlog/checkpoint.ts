import { fromBase64, toBase64 } from '../base64.js';
import { hashBytes } from './merkle.js';
import { type NoteKey, readNote, type VerifySignature, verifiedBy } from './note.js';

/** What a log says it holds (c2sp.org/tlog-checkpoint). */
export interface Checkpoint {
  /** Names the log forever; also the name of its key. */
  readonly origin: string;
  /** How many entries it has. */
  readonly size: number;
  /** The hash of all of them. */
  readonly root: Uint8Array;
}

/** A checkpoint whose signatures were verified. */
export interface OpenCheckpoint extends Checkpoint {
  /** The signed note, as it came. */
  readonly note: string;
  /** The witnesses that have signed, and when, in epoch seconds. */
  readonly cosigned: ReadonlyMap<NoteKey, number>;
}

const dayMs = 86_400_000;

/** How long a cosignature counts, unless an app sets another time. */
export const maxCosignatureAgeMs: number = 7 * dayMs;

/** A clock that shows the wrong day, or that of another time zone, is less than two days off. */
const maxCosignatureAheadMs = 2 * dayMs;

/**
 * Whether a cosignature counts now. Clients, publishers and monitors share this rule, so that what is published is accepted.
 *
 * @param seconds When the witness has signed, as `cosigned` of a checkpoint has it
 */
export function isTimelyCosignature(seconds: number, nowMs: number, maxAgeMs: number = maxCosignatureAgeMs): boolean {
  const ageMs = nowMs - 1_000 * seconds;
  return ageMs <= maxAgeMs && ageMs >= -maxCosignatureAheadMs;
}

/** Reads the text of a note; `null` if it is no checkpoint. Further lines are extensions, and are passed over. */
export function readCheckpoint(text: string): Checkpoint | null {
  const [, origin = '', digits = '', encoded = ''] = /^([^\n]+)\n(0|[1-9]\d{0,15})\n([^\n]{44})\n(?:[^\n]+\n)*$/.exec(text) ?? [];
  const size = Number(digits);
  const root = fromBase64(encoded);
  return root?.length === hashBytes && Number.isSafeInteger(size) ? { origin, size, root } : null;
}

export function writeCheckpoint({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${toBase64(root)}\n`;
}

/** The checkpoint of a note that this log has signed; `null` if it is malformed, another log's, or has a wrong signature of a known key. */
export async function openCheckpoint(
  note: string,
  log: NoteKey,
  witnesses: readonly NoteKey[],
  verify: VerifySignature,
): Promise<OpenCheckpoint | null> {
  const read = readNote(note);
  const checkpoint = read && readCheckpoint(read.text);
  if (read === null || checkpoint?.origin !== log.name) return null;
  const signed = await verifiedBy(read, [log, ...witnesses], verify);
  if (signed?.has(log) !== true) return null;
  return { ...checkpoint, note, cosigned: new Map([...signed].filter(([key]) => key !== log)) };
}
