import { fromBits } from '../codecs/bases.js';
import { endsWith } from './chain-bytes.js';
import type { Reader } from './family.js';
import { blake2bHead } from './wide.js';

/** Nano, formerly `xrb_`, and Banano: a key and five bytes of BLAKE2b in reverse order, both in Nano's own base32 alphabet. */
export const readNano: Reader = (word) => {
  const parts = form.exec(word);
  // 52 letters hold four bits more than a key. Four zero digits (`1`) in front pad them to 35 bytes.
  const bytes = parts === null ? null : fromBits(`1111${parts[2]!}`, alphabet, 5);
  const sum = parts === null ? null : fromBits(parts[3]!, alphabet, 5);
  if (parts === null || bytes === null || sum === null) return null;
  return endsWith(sum, blake2bHead(bytes.subarray(3), 5, 5).reverse()) ? word.replace(/^xrb/, 'nano') : null;
};

const form = /^(nano|xrb|ban)_([13][13-9a-km-uw-z]{51})([13-9a-km-uw-z]{8})$/;

const alphabet = '13456789abcdefghijkmnopqrstuwxyz';
