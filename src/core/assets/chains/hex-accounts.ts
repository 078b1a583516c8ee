import type { Reader } from './family.js';

/**
 * Aptos, Sui and Starknet: up to 32 bytes in hex, from which one library drops the zeros in front and another does not. More than
 * EVM's 40 digits speak for themselves; fewer, and 40, need a hint. In front of `::` stands the account a coin's type belongs to.
 */
export const readHexAccount: Reader = (word, { chain }) => {
  const isHinted = chain === 'aptos' || chain === 'sui' || chain === 'starknet';
  if (word.length < (isHinted ? 3 : 43) || word.length > 66 || !hexAccount.test(word)) return null;
  if (!isHinted && tronAccount.test(word)) return null;
  const digits = word.slice(2).toLowerCase().padStart(64, '0');
  // Starknet's numbers end at 2^251.
  return chain === 'starknet' && digits > maxStarknet ? null : `0x${digits}`;
};

/** 42 digits are Tron's, which begin so; an account here with 22 zeros in front has to be ground out. */
const tronAccount = /^0x41.{40}$/i;

const hexAccount = /^0[xX][0-9a-fA-F]+$/;

const maxStarknet: string = `07${'f'.repeat(62)}`;
