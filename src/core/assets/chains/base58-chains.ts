import { hexValue } from '../../bytes.js';
import { base32Alphabet, base58Alphabet, fromBase, fromBits, toBase } from '../codecs/bases.js';
import { endsWith, fromBase58Check, joined, toBase58Check } from './chain-bytes.js';
import type { Reader } from './family.js';
import { blake2bHead, keccakHead, sha512Tail } from './wide.js';

/** Mina, and the original shielded addresses of Zcash: base58check of a fixed length and version, which fix the first letters. */
export const readLongBase58: Reader = (word) => {
  const size = mina.test(word) ? 36 : sprout.test(word) ? 66 : 0;
  return size > 0 && fromBase58Check(word)?.length === size ? word : null;
};

const mina = /^B62.{52}$/;
const sprout = /^z[ct].{93}$/;

/** Ergo: a byte for mainnet and a public key, the key, and four bytes of BLAKE2b. No private key starts with these letters. */
export const readErgo: Reader = (word) => {
  const bytes = ergo.test(word) ? fromBase(word, base58Alphabet) : null;
  return bytes?.length === 38 && endsWith(bytes, blake2bHead(bytes.subarray(0, -4), 32, 4)) ? word : null;
};

const ergo = /^9[e-i].{49}$/;

/**
 * Solana: 32 bytes in base58, where letter case matters and there is no checksum. One in twelve XDC addresses contains no `0`, so it
 * would be read here too if it were not excluded.
 */
export const readSolana: Reader = (word) => {
  if (word.length < 32 || word.length > 44 || xdc.test(word)) return null;
  return fromBase(word, base58Alphabet)?.length === 32 ? word : null;
};

const xdc = /^xdc[\da-f]{40}$/i;

/** Tron: the byte 0x41 and 20 bytes, in base58check or in hex. */
export const readTron: Reader = (word) => {
  if (word[0] === 'T') {
    const payload = word.length === 34 ? fromBase58Check(word) : null;
    return payload !== null && payload.length === 21 && payload[0] === 0x41 ? word : null;
  }
  return tronHex.test(word) ? toBase58Check(fromHex(word.slice(-42))) : null;
};

const tronHex = /^(?:0[xX])?41[0-9a-fA-F]{40}$/;

function fromHex(digits: string): Uint8Array {
  const valueAt = (at: number): number => hexValue(digits.charCodeAt(at));
  return Uint8Array.from({ length: digits.length / 2 }, (_, at) => (valueAt(2 * at) << 4) | valueAt(2 * at + 1));
}

/**
 * The XRP Ledger: base58check in its own alphabet. An X-address is an account and a tag; the tag, with which exchanges assign deposits,
 * is dropped.
 */
export const readXrp: Reader = (word) => {
  if (word[0] === 'r' ? word.length < 25 || word.length > 35 : word.length !== 47 || (word[0] !== 'X' && word[0] !== 'T'))
    return null;
  const payload = fromBase58Check(word, xrpAlphabet);
  if (payload === null) return null;
  if (payload.length === 21) return payload[0] === 0 ? word : null;
  return isTagged(payload) ? toBase58Check(joined([0], payload.subarray(2, 22)), xrpAlphabet) : null;
};

/** Two bytes for the main or the test network, the account, a flag, and a 32-bit tag in a field of 64 bits. */
function isTagged(payload: Uint8Array): boolean {
  const network = (payload[0]! << 8) | payload[1]!;
  const flag = payload[22]!;
  const unused = payload.subarray(flag === 0 ? 23 : 27);
  return payload.length === 31 && (network === 0x0544 || network === 0x0493) && flag <= 1 && unused.every((byte) => byte === 0);
}

const xrpAlphabet = 'rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz';

/** Tezos: three bytes that make base58check begin with `tz1` to `tz4`, `KT1` or `sr1`, then 20 bytes. */
export const readTezos: Reader = (word) => {
  if (word.length !== 36 || !tezosLetters.test(word)) return null;
  const payload = fromBase58Check(word);
  if (payload === null || payload.length !== 23) return null;
  return tezosPrefixes.includes((payload[0]! << 16) | (payload[1]! << 8) | payload[2]!) ? word : null;
};

const tezosLetters = /^(?:tz[1-4]|KT1|sr1)/;

const tezosPrefixes: readonly number[] = [0x06a19f, 0x06a1a1, 0x06a1a4, 0x06a1a6, 0x025a79, 0x067c75];

/**
 * Monero: a byte for network and kind, two keys, a checksum. An integrated address is an account and a payment id; the id is dropped.
 */
export const readMonero: Reader = (word) => {
  if (word.length !== 95 && word.length !== 106) return null;
  const bytes = fromBlocks(word);
  if (bytes === null || !endsWith(bytes, keccakHead(bytes.subarray(0, -4)))) return null;
  const kind = bytes[0]!;
  if (word.length === 95) return moneroAccounts.includes(kind) ? word : null;
  return integratedMonero.includes(kind) ? toMoneroWord(joined([kind - 1], bytes.subarray(1, 65))) : null;
};

/**
 * Network bytes of accounts and subaddresses on mainnet, testnet and stagenet. An integrated address has the byte of the account plus
 * one.
 */
const moneroAccounts: readonly number[] = [18, 42, 53, 63, 24, 36];
const integratedMonero: readonly number[] = [19, 54, 25];

/** Base58 in blocks of eight bytes and eleven letters; the last block here has five bytes and seven letters. */
function fromBlocks(word: string): Uint8Array | null {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < word.length; at += 11) {
    const bytes = fromBase(word.slice(at, at + 11), base58Alphabet);
    if (bytes === null) return null;
    // Rejects a number that is too large for its block: the extra leading bytes must be zero.
    const extra = bytes.length - (at + 11 > word.length ? 5 : 8);
    if (bytes.subarray(0, extra).some((byte) => byte > 0)) return null;
    blocks.push(bytes.subarray(extra));
  }
  return joined(...blocks);
}

function toMoneroWord(body: Uint8Array): string {
  const bytes = joined(body, keccakHead(body));
  let word = '';
  for (let at = 0; at < bytes.length; at += 8) {
    const block = bytes.subarray(at, at + 8);
    word += toBase(block, base58Alphabet).padStart(block.length < 8 ? 7 : 11, '1');
  }
  return word;
}

/** Nano, formerly `xrb_`, and Banano: a key and five bytes of BLAKE2b in reverse order, both in Nano's own base32 alphabet. */
export const readNano: Reader = (word) => {
  const parts = nanoAddress.exec(word);
  // 52 letters hold four bits more than a key. Four zero digits (`1`) in front pad them to 35 bytes.
  const bytes = parts === null ? null : fromBits(`1111${parts[2]!}`, nanoAlphabet, 5);
  const sum = parts === null ? null : fromBits(parts[3]!, nanoAlphabet, 5);
  if (parts === null || bytes === null || sum === null) return null;
  return endsWith(sum, blake2bHead(bytes.subarray(3), 5, 5).reverse()) ? word.replace(/^xrb/, 'nano') : null;
};

const nanoAddress = /^(nano|xrb|ban)_([13][13-9a-km-uw-z]{51})([13-9a-km-uw-z]{8})$/;

const nanoAlphabet = '13456789abcdefghijkmnopqrstuwxyz';

/** Waves (1) and V.Systems (5): that number, a byte for the network, 20 bytes, and four of Keccak-256 over BLAKE2b-256. */
export const readWaves: Reader = (word) => {
  const bytes = waves.test(word) ? fromBase(word, base58Alphabet) : null;
  if (bytes?.length !== 26 || (bytes[0] !== 1 && bytes[0] !== 5)) return null;
  return endsWith(bytes, keccakHead(blake2bHead(bytes.subarray(0, 22), 32, 32))) ? word : null;
};

const waves = /^[2-49AB].{34}$/;

/**
 * Base58check after letters for the kind. aeternity: a key, which a contract (`ct_`) and an oracle (`ok_`) share with the account that is
 * paid. Massa: users and contracts, a version and 32 bytes; their kind is part of the account.
 */
export const readLabeledBase58: Reader = (word) => {
  const parts = labeled.exec(word);
  const payload = parts === null ? null : fromBase58Check(parts[2]!);
  if (parts === null || payload === null) return null;
  const isMassa = parts[1]!.length === 2;
  if (payload.length !== (isMassa ? 33 : 32) || (isMassa && payload[0] !== 0)) return null;
  return isMassa ? word : `ak_${parts[2]!}`;
};

const labeled = /^(ak_|ct_|ok_|A[US])([^\W_]{36,54})$/;

/** Algorand: 32 bytes and the last four of their SHA-512/256, in base32. */
export const readAlgorand: Reader = (word) => {
  if (word.length !== 58) return null;
  const bytes = fromBits(word, base32Alphabet, 5);
  return bytes !== null && endsWith(bytes, sha512Tail(bytes)) ? word : null;
};
