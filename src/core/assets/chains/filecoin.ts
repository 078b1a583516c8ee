import { toHex } from '../../bytes.js';
import { base32Alphabet, fromBits } from '../codecs/bases.js';
import { endsWith, joined } from './chain-bytes.js';
import type { Reader } from './family.js';
import { blake2bHead } from './wide.js';

/**
 * Filecoin: a letter for the network, a digit for the protocol, then 20 or 48 bytes and a checksum in base32. `f410f` is an EVM account,
 * which also has a spelling with `0x`. Numeric ids (`f0`) look like any word and need a hint.
 */
export const readFilecoin: Reader = (word, { chain }) => {
  if (chain === 'filecoin' && number.test(word)) return word;
  const parts = form.exec(word);
  const bytes = parts === null ? null : fromBits(parts[2]!.toUpperCase(), base32Alphabet, 5);
  if (parts === null || bytes === null) return null;
  const protocol = parts[1] === '410f' ? [4, 10] : [Number(parts[1])];
  const body = bytes.subarray(0, -4);
  if (body.length !== (parts[1] === '3' ? 48 : 20) || !endsWith(bytes, blake2bHead(joined(protocol, body), 4, 4))) return null;
  // A key has the same account in every network.
  return protocol.length > 1 ? `0x${toHex(body)}` : `f${word.slice(1)}`;
};

const number = /^[ft]0(?:0|[1-9]\d{0,18})$/;

const form = /^[ft]([123]|410f)([a-z2-7]{39}|[a-z2-7]{84})$/;
