/**
 * The chains whose hint changes how a text is read. Addresses of every other chain identify themselves, so a hint for one of those, or
 * for an unknown chain, changes nothing: no hint may let a listed address through.
 */
export type Chain = keyof typeof otherNames;

/** The chain of a name, a ticker, a CAIP-2 id or the scheme of a URI. */
export function chainOf(name: string): Chain | undefined {
  if (name.length > maxNameLength) return undefined;
  const lower = name.toLowerCase();
  return names.get(lower) ?? names.get(lower.replace(/:.*/s, ''));
}

/** The longest name is CAIP-2's `bip122:` and half a block hash. CAIP-2 allows 8 characters, a colon and 32 characters. */
const maxNameLength = 41;

/**
 * Other names of each chain. A CAIP-2 id starts with a namespace, which counts as a name. Bitcoin and its relatives share a namespace,
 * and so do the EOSIO chains; there, the hash after it identifies the chain. `self-evident` lists chains whose addresses identify
 * themselves: such a name in front of an address overrides a hint.
 */
const otherNames = {
  aptos: 'apt',
  arweave: 'ar',
  'bitcoin-cash': 'bitcoincash bch bchtest bchreg bip122:000000000000000000651ef99cb9fcbe',
  ecash: 'xec ectest etoken',
  eos: 'vaulta antelope:aca376f206b8fc25a6ed44dbdc66547c',
  evm: 'eip155 ethereum eth arb1 arbitrum avalanche avax base bnb bsc celo fantom gnosis linea matic oeth optimism polygon ronin scroll sepolia xdc zksync',
  filecoin: 'fil',
  flow: '',
  hedera: 'hbar',
  icp: 'internet-computer',
  kadena: 'kda',
  litecoin: 'ltc bip122:12a765e31ffd4059bada1e25190f6e98',
  near: '',
  starknet: 'strk',
  sui: '',
  telos: 'antelope:4667b205c6838ef70ff7988f6e8257e8',
  wax: 'antelope:1064487b3cd1a897ce03ae5b6a865651',
  'self-evident':
    'algorand bip122 bitcoin btc cardano casper cfx cfxtest ckb conflux cosmos cspr doge dogecoin liquidnetwork polkadot ripple solana stellar tezos ton tron waves xrpl',
};

const names: ReadonlyMap<string, Chain> = /* @__PURE__ */ new Map(
  /* @__PURE__ */ (Object.keys(otherNames) as Chain[]).flatMap((chain) =>
    `${chain} ${otherNames[chain]}`
      .trim()
      .split(' ')
      .map((name) => [name, chain] as const),
  ),
);
