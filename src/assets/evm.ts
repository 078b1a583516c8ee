import type { Asset, AssetHint, Candidate, Family } from './asset.js';

/**
 * Accounts and contracts of every EVM chain, which share one form: `0x` and 20 bytes. The chain is not part of it, because one
 * key is the same account on all of them. Letter case is not checked against EIP-55: a victim can be shown a hand-typed one.
 */
export const evm: Family = {
  read(candidate: Candidate): readonly Asset[] {
    if (!isMeant(candidate.hint)) return none;
    const match = spelling.exec(candidate.text);
    return match === null ? none : [{ type: 'ADDRESS', canonical: `0x${match[1]!.toLowerCase()}` }];
  },
};

const none: readonly Asset[] = [];

/**
 * Plain; behind CAIP-10 (`eip155:1:`), CAIP-19 (`eip155:1/erc20:`), DID, EIP-3770 (`matic:`) and EIP-681 (`ethereum:pay-`)
 * prefixes; as `web3://`; XDC's own `xdc`. A chain id, a function, a query or a fragment may follow. Anchored and bounded, so it
 * fails at once on a link. `//` stands behind `web3:` only: in `https://0x…@host/` the address is userinfo.
 */
const spelling =
  /^(?:web3:\/\/|(?:[a-z0-9][a-z0-9-]{0,31}[:/]){0,4}(?:pay-)?)(?:0x|xdc)([0-9a-f]{40})(?:@(?:0x)?[0-9a-f]{1,64})?(?=[/?#:]|$)/i;

function isMeant({ type, chain }: AssetHint): boolean {
  if (type !== undefined && type !== 'ADDRESS') return false;
  return chain === undefined || evmChain.test(chain);
}

/** The family, its main chain's name and ticker, or CAIP-2. */
const evmChain = /^(?:evm|ethereum|eth|xdc|eip155(?::[0-9]{1,32})?)$/i;
