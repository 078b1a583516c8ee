import { base32Alphabet, fromBits, regroup, wordOf } from '../codecs/bases.js';
import { crc16, joined } from './chain-bytes.js';
import type { Reader } from './family.js';

/**
 * Stellar's strkey (SEP-23): a byte for the kind, the value, a checksum. `G` is an account, `C` a contract, and `M` an account with an id
 * that its owner assigns, which is dropped. `S` is a secret key, which is refused earlier.
 */
export const readStellar: Reader = (word) => {
  const kind = kinds[word[0]!];
  if (kind === undefined || word.length !== (kind === muxed ? 69 : 56)) return null;
  const bytes = fromBits(word, base32Alphabet, 5);
  if (bytes === null || bytes[0] !== kind) return null;
  const end = bytes.length - 2;
  if (crc16(bytes.subarray(0, end)) !== ((bytes[end + 1]! << 8) | bytes[end]!)) return null;
  return kind === muxed ? encode(joined([account], bytes.subarray(1, 33))) : word;
};

const account = 6 << 3;
const contract = 2 << 3;
const muxed = 12 << 3;

const kinds: Readonly<Record<string, number>> = { G: account, C: contract, M: muxed };

function encode(body: Uint8Array): string {
  const sum = crc16(body);
  return wordOf(regroup(joined(body, [sum & 255, sum >> 8]), 8, 5)!, base32Alphabet);
}
