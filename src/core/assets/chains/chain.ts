/**
 * The chains whose hint changes how a text is read. Addresses of every other chain identify themselves, so a hint of one of those,
 * or of an unknown chain, changes nothing: no hint may let a listed address through.
 */
export type Chain = 'aptos' | 'bitcoin-cash' | 'hedera' | 'litecoin' | 'near' | 'starknet' | 'sui';

/** The chain of a name, a ticker, a CAIP-2 id or the scheme of a URI. */
export function chainOf(name: string): Chain | undefined {
  if (name.length > maxNameLength) return undefined;
  const lower = name.toLowerCase();
  const colon = lower.indexOf(':');
  return names.get(lower) ?? (colon < 0 ? undefined : names.get(lower.slice(0, colon)));
}

/** The longest is CAIP-2's `bip122:` and half a hash; 8 and 32 characters and the colon is what CAIP-2 allows. */
const maxNameLength = 41;

/** CAIP-2 ids by their namespace, which is the name. Bitcoin's relatives share one and differ in the hash of a block. */
const names: ReadonlyMap<string, Chain> = new Map([
  ['aptos', 'aptos'],
  ['apt', 'aptos'],
  ['bitcoin-cash', 'bitcoin-cash'],
  ['bitcoincash', 'bitcoin-cash'],
  ['bch', 'bitcoin-cash'],
  ['bchtest', 'bitcoin-cash'],
  ['bchreg', 'bitcoin-cash'],
  ['bip122:000000000000000000651ef99cb9fcbe', 'bitcoin-cash'],
  ['hedera', 'hedera'],
  ['hbar', 'hedera'],
  ['litecoin', 'litecoin'],
  ['ltc', 'litecoin'],
  ['bip122:12a765e31ffd4059bada1e25190f6e98', 'litecoin'],
  ['near', 'near'],
  ['starknet', 'starknet'],
  ['strk', 'starknet'],
  ['sui', 'sui'],
]);

/** Whether a text names a chain whose addresses identify themselves, which overrides the caller's hint. */
export function isOtherChain(names: string): boolean {
  return others.test(names) && chainOf(names) === undefined;
}

const others =
  /^(?:algorand|arb1|avax|base|bip122|bitcoin|bnb|btc|cardano|cosmos|doge(?:coin)?|eip155|eth|ethereum|matic|oeth|polkadot|polygon|ripple|solana|stellar|tezos|ton|tron|xdc|xrpl)(?::|$)/;
