import type { Reader } from './family.js';

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
    return parts[4] === undefined || ledgers.some((ledger) => checksum(id, ledger) === parts[4]) ? id : null;
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
function checksum(id: string, ledger: number): string {
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
