import { toHex } from '../../bytes.js';
import { base64UrlAlphabet, fromBits } from '../codecs/bases.js';
import { crc16 } from './chain-bytes.js';
import type { Reader } from './family.js';

/**
 * TON: a workchain, 0 or -1, and 32 bytes. Written raw in hex, or as 48 letters of either base64 alphabet, which also say whether a
 * payment bounces and whether the address is for the test network: ten spellings of one account.
 */
export const readTon: Reader = (_, { rest }) => {
  if (rest.length === 66 || rest.length === 67) return raw.test(rest) ? rest.toLowerCase() : null;
  return rest.length === 48 && friendly.test(rest) ? fromFriendly(rest) : null;
};

const raw = /^(?:0|-1):[0-9a-fA-F]{64}$/;

/** Tags 0x11 and 0x51, plus 0x80 for the test network, and workchain 0x00 or 0xff, in base64. */
const friendly = /^[EUk0][Qf]/;

function fromFriendly(word: string): string | null {
  const bytes = fromBits(word.replace(/\+/g, '-').replace(/\//g, '_'), base64UrlAlphabet, 6);
  if (bytes === null || crc16(bytes.subarray(0, 34)) !== ((bytes[34]! << 8) | bytes[35]!)) return null;
  return `${bytes[1] === 0 ? '0' : '-1'}:${toHex(bytes.subarray(2, 34))}`;
}
