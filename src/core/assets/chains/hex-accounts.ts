import type { Reader } from './family.js';

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
