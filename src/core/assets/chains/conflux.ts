import { digitsOf, regroup } from '../codecs/bases.js';
import { isCashAddress } from '../codecs/cash-checksum.js';
import type { Reader } from './family.js';

/**
 * Conflux (CIP-37), core space: the network, optional fields that repeat what the address says, and a version, 20 bytes and CashAddr's
 * checksum in base32. The network is part of the checksum. Addresses of eSpace are EVM's.
 */
export const readConflux: Reader = (_, { rest }) => {
  const parts = rest.length > maxLength ? null : form.exec(rest);
  if (parts === null || (rest !== rest.toLowerCase() && rest !== rest.toUpperCase())) return null;
  const network = parts[1]!.toLowerCase();
  const payload = parts[3]!.toLowerCase();
  if (otherNetwork.test(network) && !isNumbered(network)) return null;
  const digits = digitsOf(payload, alphabet);
  const bytes = digits !== null && isCashAddress(network, digits) ? regroup(digits.subarray(0, -8), 5, 8) : null;
  // Other versions do not exist yet.
  if (bytes === null || bytes[0] !== 0) return null;
  const isRight = (parts[2] ?? '')
    .toLowerCase()
    .split(':')
    .every((field) => !field.startsWith('type.') || isType(field, bytes));
  return isRight ? `${network}:${payload}` : null;
};

/** 42 letters after the network and up to four fields of a key and a value. */
const form = /^(cfx|cfxtest|net\d{1,10}):((?:[a-z]{1,16}\.[a-z\d]{1,16}:){0,4})([a-z\d]{42})$/i;

/** The longest text of this form. */
const maxLength = 192;

const otherNetwork = /^net/;

/** A number of four bytes, but neither of the two that have a name. */
function isNumbered(network: string): boolean {
  const id = network.slice(3);
  return Number(id) < 2 ** 32 && String(Number(id)) === id && id !== '1' && id !== '1029';
}

/** The first four bits say what the account is; the account of zeros may also be called `null`. */
function isType(field: string, bytes: Uint8Array): boolean {
  const type = field.slice(5);
  return types[bytes[1]! >> 4] === type || (type === 'null' && bytes.every((byte) => byte === 0));
}

const types: Readonly<Record<number, string>> = { 0: 'builtin', 1: 'user', 8: 'contract' };

/** Base32 without `i`, `l`, `o` and `q`. */
const alphabet = 'abcdefghjkmnprstuvwxyz0123456789';
