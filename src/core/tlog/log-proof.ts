import { fromBase64, toBase64 } from '../base64.js';
import { hashBytes } from './merkle.js';

/** Shows that a log has an entry (c2sp.org/tlog-proof): the file `version.proof` of a list. */
export interface LogProof {
  /** The place of the entry. */
  readonly index: number;
  /** From its sibling to the root. */
  readonly hashes: readonly Uint8Array[];
  /** The signed note. */
  readonly checkpoint: string;
}

/** Bytes of a proof: 53 hashes, and 16 signatures of ML-DSA beside those of Ed25519. */
export const maxLogProofBytes: number = 64 * 1024;

/** A tree whose size is a safe integer is no higher. */
const maxHashes = 53;

const firstLine = 'c2sp.org/tlog-proof@v1';

/** `null` if it is malformed. Verifies nothing. */
export function readLogProof(text: string): LogProof | null {
  const end = text.indexOf('\n\n');
  const [first, ...lines] = text.slice(0, Math.max(0, end)).split('\n');
  // Nothing vouches for it.
  if (/^extra [A-Za-z\d+/=]*$/.test(lines[0] ?? '')) lines.shift();
  const index = Number(/^index (0|[1-9]\d{0,15})$/.exec(lines.shift() ?? '')?.[1] ?? Number.NaN);
  if (first !== firstLine || !Number.isSafeInteger(index) || lines.length > maxHashes) return null;
  const hashes: Uint8Array[] = [];
  for (const line of lines) {
    const hash = fromBase64(line);
    if (hash?.length !== hashBytes) return null;
    hashes.push(hash);
  }
  return { index, hashes, checkpoint: text.slice(end + 2) };
}

export function writeLogProof({ index, hashes, checkpoint }: LogProof): string {
  return [firstLine, `index ${index}`, ...hashes.map(toBase64), '', checkpoint].join('\n');
}
