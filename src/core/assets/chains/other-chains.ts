import { readU32, toHex } from '../../bytes.js';
import {
  base16Alphabet,
  base32Alphabet,
  base36Alphabet,
  base58Alphabet,
  base64UrlAlphabet,
  fromBase,
  fromBits,
  regroup,
  toBase,
  wordOf,
} from '../codecs/bases.js';
import { isKey } from '../secrets.js';
import { crc16, crc32, doubleSha256, endsWith, joined } from './chain-bytes.js';
import type { Reader } from './family.js';
import { blake2bHead } from './wide.js';

/**
 * Aptos, Sui and Starknet: up to 32 bytes in hex, with or without leading zeros. More than 40 digits, the length of an EVM address,
 * identify the address; 40 or fewer need a hint. In a coin type, the part before `::` is the account that defines it.
 */
export const readHexAccount: Reader = (word, { chain }) => {
  const isHinted = chain === 'aptos' || chain === 'sui' || chain === 'starknet';
  if (word.length < (isHinted ? 3 : 43) || word.length > 66 || !hexAccount.test(word)) return null;
  if (!isHinted && tronAccount.test(word)) return null;
  const digits = word.slice(2).toLowerCase().padStart(64, '0');
  // Starknet's numbers end at 2^251.
  return chain === 'starknet' && digits > maxStarknet ? null : `0x${digits}`;
};

/**
 * 42 digits that begin with 41 are a Tron account. An account of these chains with 22 leading zeros could only be found by brute force.
 */
const tronAccount = /^0x41.{40}$/i;

const hexAccount = /^0[xX][0-9a-fA-F]+$/;

const maxStarknet: string = `07${'f'.repeat(62)}`;

/**
 * Spellings of EVM accounts that the family `evm` does not read: bare digits without `0x`, as Ronin writes them, where the text or the
 * caller names such a chain, and ICAP, an IBAN of a country that does not exist. Without a chain name, 40 digits are taken for a commit
 * hash.
 */
export const readEvmSpelling: Reader = (word, { chain }) => {
  if (chain === 'evm' && bareEvm.test(word)) return `0x${word.toLowerCase()}`;
  if (!icap.test(word)) return null;
  const upper = word.toUpperCase();
  const digits = toHex(fromBase(upper.slice(4).toLowerCase(), base36Alphabet)!).replace(/^0+/, '');
  return digits.length <= 40 && rest97(upper.slice(4) + upper.slice(0, 4)) === 1 ? `0x${digits.padStart(40, '0')}` : null;
};

const bareEvm = /^[\da-f]{40}$/i;

/** 30 digits of base 36, or 31 for an account that does not begin with a zero. */
/** In one case: one in 97 addresses of Dash that begin with `Xe` and digits would have its checksum too. */
const icap = /^(?:XE\d\d[\dA-Z]{30,31}|xe\d\d[\da-z]{30,31})$/;

/** ISO 7064: the remainder of a division by 97, where A counts as 10 and Z as 35. */
function rest97(text: string): number {
  let rest = 0;
  for (const letter of text) {
    const value = Number.parseInt(letter, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}

/**
 * Filecoin: a letter for the network, a digit for the protocol, then 20 or 48 bytes and a checksum in base32. `f410f` is an EVM account,
 * which also has a spelling with `0x`. Numeric ids (`f0`) look like any word and need a hint.
 */
export const readFilecoin: Reader = (word, { chain }) => {
  if (chain === 'filecoin' && filecoinId.test(word)) return word;
  const parts = filecoinAddress.exec(word);
  const bytes = parts === null ? null : fromBits(parts[2]!.toUpperCase(), base32Alphabet, 5);
  if (parts === null || bytes === null) return null;
  const protocol = parts[1] === '410f' ? [4, 10] : [Number(parts[1])];
  const body = bytes.subarray(0, -4);
  if (body.length !== (parts[1] === '3' ? 48 : 20) || !endsWith(bytes, blake2bHead(joined(protocol, body), 4, 4))) return null;
  // A key has the same account in every network.
  return protocol.length > 1 ? `0x${toHex(body)}` : `f${word.slice(1)}`;
};

const filecoinId = /^[ft]0(?:0|[1-9]\d{0,18})$/;

const filecoinAddress = /^[ft]([123]|410f)([a-z2-7]{39}|[a-z2-7]{84})$/;

/** ICON: an account (`hx`) or a contract, 20 bytes in hex. */
export const readIcon: Reader = (word) => (icon.test(word) ? word.toLowerCase() : null);

const icon = /^[ch]x[\da-f]{40}$/i;

/**
 * Casper: a public key in hex after a number for its curve, or the BLAKE2b of curve and key. Both name one account, and many tools show
 * only the hash. Letter case may be a checksum (CEP-57), which versions of its tools compute in different ways, so it is not checked.
 */
export const readCasper: Reader = (word) => {
  if (casperHash.test(word)) return word.toLowerCase();
  if (!casperKey.test(word)) return null;
  const bytes = fromBits(word.toUpperCase(), base16Alphabet, 4)!;
  const curve = fromAscii(bytes[0] === 1 ? 'ed25519' : 'secp256k1');
  return `account-hash-${toHex(blake2bHead(joined(curve, [0], bytes.subarray(1)), 32, 32))}`;
};

const casperHash = /^account-hash-[\da-f]{64}$/i;
const casperKey = /^(?:01|020[23])[\da-f]{64}$/i;

function fromAscii(text: string): readonly number[] {
  return Array.from(text, (letter) => letter.charCodeAt(0));
}

/**
 * Kadena: principals, which are accounts named after what guards them. `k:` is a public key, `w:` a hash of several keys and a rule, `u:`
 * a function and a hash of its arguments, `p:` and `c:` the hash of a process or a capability. `r:` and `m:` are only names, which look
 * like other texts and need a hint, as do accounts with a name of their own.
 */
export const readKadena: Reader = (word, { chain, rest }) => {
  if (word.length !== 1) return null;
  if (kadenaKey.test(rest)) return rest.toLowerCase();
  return kadenaHash.test(rest) || (chain === 'kadena' && kadenaName.test(rest)) ? word.toLowerCase() + rest.slice(1) : null;
};

const kadenaKey = /^k:[\da-f]{64}$/i;

/** A hash is 32 bytes in base64url; a name has up to three parts: namespace, module and function. */
const kadenaHash =
  /^(?:[wp]:[\w-]{43}:[a-z][\w-]{0,99}(?:\.[a-z][\w-]{0,99}){0,2}|u:[a-z][\w-]{0,99}(?:\.[a-z][\w-]{0,99}){0,2}:[\w-]{43}|c:[\w-]{43})$/i;

const kadenaName =
  /^(?:r:[a-z][\w-]{0,99}(?:\.[a-z][\w-]{0,99}){0,2}|m:[a-z][\w-]{0,99}(?:\.[a-z][\w-]{0,99}){0,2}:[a-z][\w-]{0,99})$/i;

// The next three look like any word and have no checksum, so they are read only with a hint.

/**
 * EOS, Telos and WAX: names of up to twelve letters, read only as the last word. The canonical form includes the chain, because the same
 * name is a different account on each of them and on NEAR.
 */
export const readAntelope: Reader = (word, { chain, rest }) =>
  (chain === 'eos' || chain === 'telos' || chain === 'wax') && rest === word && antelopeName.test(word)
    ? `${chain}:${word}`
    : null;

const antelopeName = /^[a-z1-5](?:[a-z1-5.]{0,10}[a-z1-5])?$/;

/** Arweave: 32 bytes in base64url, a form that secrets share. */
export const readArweave: Reader = (word, { chain }) =>
  chain === 'arweave' && word.length === 43 && fromBits(word, base64UrlAlphabet, 6) !== null ? word : null;

/** Flow: eight bytes in hex. */
export const readFlow: Reader = (word, { chain }) =>
  chain === 'flow' && flowAccount.test(word) ? `0x${word.slice(-16).toLowerCase()}` : null;

const flowAccount = /^(?:0x)?[\da-f]{16}$/i;

/**
 * The Internet Computer: principals, which are groups of five base32 letters joined by hyphens, and, with a hint, account identifiers,
 * which are 64 hex digits like a private key. Both begin with a CRC-32 of the rest.
 */
export const readInternetComputer: Reader = (word, { chain }) => {
  const isAccount = chain === 'icp' && word.length === 64;
  if (!isAccount && !internetComputerPrincipal.test(word)) return null;
  const digits = word.replace(/-/g, '').toUpperCase();
  const bytes = isAccount ? fromBits(digits, base16Alphabet, 4) : fromBits(digits, base32Alphabet, 5);
  return bytes !== null && readU32(bytes, 0) === crc32(bytes.subarray(4)) ? word.toLowerCase() : null;
};

/** From the ten bytes of a canister to the 29 of a user's key, after the checksum. */
const internetComputerPrincipal = /^(?:[a-z2-7]{5}-){4,10}[a-z2-7]{1,5}$/;

/** NEAR: names that look like hosts or like other keys, so they are read only with the hint and only as the last word. */
export const readNear: Reader = (word, { chain, rest }) =>
  chain === 'near' &&
  rest.length === word.length &&
  word.length >= 2 &&
  word.length <= 64 &&
  nearName.test(word) &&
  !isKey(word, true)
    ? word
    : null;

const nearName = /^[a-z0-9]+(?:[-_.][a-z0-9]+)*$/;

/**
 * Stacks: `S`, a letter for network and kind, then 20 bytes and a checksum in Crockford's base32. A name after a dot is a contract, a
 * different account from its deployer.
 */
export const readStacks: Reader = (word) => {
  const parts = stacksAddress.exec(word);
  if (parts === null) return null;
  const digits = parts[1]!.toUpperCase();
  const bytes = fromBase(digits.slice(2), stacksAlphabet);
  if (bytes === null || bytes.length !== 24) return null;
  const sum = doubleSha256(joined([stacksAlphabet.indexOf(digits[1]!)], bytes.subarray(0, 20)));
  return endsWith(bytes, sum.subarray(0, 4)) ? digits + (parts[2] ?? '') : null;
};

const stacksAddress = /^(S[MNPT][0-9A-HJKMNP-TV-Z]{26,39})(\.[a-zA-Z][\w-]{0,127})?$/i;

const stacksAlphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

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
  return kind === muxed ? toStrKey(joined([account], bytes.subarray(1, 33))) : word;
};

const account = 6 << 3;
const contract = 2 << 3;
const muxed = 12 << 3;

const kinds: Readonly<Record<string, number>> = { G: account, C: contract, M: muxed };

function toStrKey(body: Uint8Array): string {
  const sum = crc16(body);
  return wordOf(regroup(joined(body, [sum & 255, sum >> 8]), 8, 5)!, base32Alphabet);
}

/**
 * SS58 of Polkadot and every other Substrate chain: one or two bytes for the network, 32 for the account, two for the checksum. One key
 * is the same account on every network, and wallets let users switch the network, so the canonical form uses 42, the generic network.
 */
export const readSubstrate: Reader = (word) => {
  if (word.length < 35 || word.length > 50) return null;
  const bytes = fromBase(word, base58Alphabet);
  if (bytes === null) return null;
  const network = bytes[0]!;
  // Bit 6 marks a two-byte network id; 46 and 47 are reserved.
  const size = network < 64 ? 1 : 2;
  if (bytes.length !== size + 34 || network > 127 || network === 46 || network === 47) return null;
  const body = bytes.subarray(0, -2);
  if (!endsWith(bytes, ss58Checksum(body))) return null;
  return network === general ? word : toSs58(body.subarray(size));
};

const general = 42;

function toSs58(account: Uint8Array): string {
  const body = joined([general], account);
  return toBase(joined(body, ss58Checksum(body)), base58Alphabet);
}

function ss58Checksum(body: Uint8Array): Uint8Array {
  return blake2bHead(joined(ss58Seed, body), 64, 2);
}

/** `SS58PRE` */
const ss58Seed: readonly number[] = [0x53, 0x53, 0x35, 0x38, 0x50, 0x52, 0x45];

/**
 * TON: a workchain, 0 or -1, and 32 bytes. Written raw in hex, or as 48 letters of either base64 alphabet, which also say whether a
 * payment bounces and whether the address is for the test network: ten spellings of one account.
 */
export const readTon: Reader = (_, { rest }) => {
  if (rest.length === 66 || rest.length === 67) return rawTon.test(rest) ? rest.toLowerCase() : null;
  return rest.length === 48 && friendlyTon.test(rest) ? fromFriendlyTon(rest) : null;
};

const rawTon = /^(?:0|-1):[0-9a-fA-F]{64}$/;

/** Tags 0x11 and 0x51, plus 0x80 for the test network, and workchain 0x00 or 0xff, in base64. */
const friendlyTon = /^[EUk0][Qf]/;

function fromFriendlyTon(word: string): string | null {
  const bytes = fromBits(word.replace(/\+/g, '-').replace(/\//g, '_'), base64UrlAlphabet, 6);
  if (bytes === null || crc16(bytes.subarray(0, 34)) !== ((bytes[34]! << 8) | bytes[35]!)) return null;
  return `${bytes[1] === 0 ? '0' : '-1'}:${toHex(bytes.subarray(2, 34))}`;
}

/**
 * Hedera: shard, realm and number, optionally with the five checksum letters of HIP-15. Without a hint, shard and realm must be 0, the
 * only ones in use, and there must be four digits or the letters, because anything shorter may be a version number. The EVM form, a
 * number padded with zeros, needs a hint.
 */
export const readHedera: Reader = (word, { chain }) => {
  if (chain !== 'hedera' && word[1] !== '.') return null;
  const parts = (chain === 'hedera' ? anyAccount : plainAccount).exec(word);
  if (parts !== null) {
    const id = `${withoutZeros(parts[1]!)}.${withoutZeros(parts[2]!)}.${withoutZeros(parts[3]!)}`;
    return parts[4] === undefined || ledgers.some((ledger) => hederaChecksum(id, ledger) === parts[4]) ? id : null;
  }
  const number = chain === 'hedera' && longZero.test(word) ? Number(word) : Number.NaN;
  return Number.isSafeInteger(number) ? `0.0.${number}` : null;
};

const anyAccount = /^(\d{1,19})\.(\d{1,19})\.(\d{1,19})(?:-([a-z]{5}))?$/;
const plainAccount = /^(0)\.(0)\.(0*[1-9]\d{3,18}|\d{1,19}(?=-))(?:-([a-z]{5}))?$/;
const longZero = /^0[xX]0{24}[0-9a-fA-F]{16}$/;

function withoutZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '');
}

/** Mainnet, testnet and previewnet. */
const ledgers: readonly number[] = [0, 1, 2];

/** HIP-15: a weighted sum of all digits, and two plain sums, of the digits at even and at odd positions. */
function hederaChecksum(id: string, ledger: number): string {
  let weighted = 0;
  const plain = [0, 0];
  for (let at = 0; at < id.length; at++) {
    const digit = id[at] === '.' ? 10 : Number(id[at]);
    weighted = (weighted * 31 + digit) % 26 ** 3;
    plain[at % 2] = (plain[at % 2]! + digit) % 11;
  }
  const modulus = 26 ** 5;
  // The ledger byte followed by six zero bytes.
  const network = (ledger * 31 ** 6) % modulus;
  let sum = ((((id.length % 5) * 11 + plain[0]!) * 11 + plain[1]!) * 26 ** 3 + weighted + network) % modulus;
  sum = (sum * 1_000_003) % modulus;
  let letters = '';
  for (let count = 0; count < 5; count++) {
    letters = String.fromCharCode(0x61 + (sum % 26)) + letters;
    sum = Math.floor(sum / 26);
  }
  return letters;
}
