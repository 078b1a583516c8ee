import type { Reader } from './family.js';

/**
 * Aptos, Sui and Starknet: up to 32 bytes in hex, with or without leading zeros. More than the 40 digits of EVM identify the address;
 * 40 or fewer need a hint. Before `::` is the account that defines a coin's type.
 */
export const readHexAccount: Reader = (word, { chain }) => {
  const isHinted = chain === 'aptos' || chain === 'sui' || chain === 'starknet';
  if (word.length < (isHinted ? 3 : 43) || word.length > 66 || !hexAccount.test(word)) return null;
  if (!isHinted && tronAccount.test(word)) return null;
  const digits = word.slice(2).toLowerCase().padStart(64, '0');
  // Starknet's numbers end at 2^251.
  return chain === 'starknet' && digits > maxStarknet ? null : `0x${digits}`;
};

/** 42 digits that begin with 41 are Tron's: an account here with 22 leading zeros would have to be searched for. */
const tronAccount = /^0x41.{40}$/i;

const hexAccount = /^0[xX][0-9a-fA-F]+$/;

const maxStarknet: string = `07${'f'.repeat(62)}`;
