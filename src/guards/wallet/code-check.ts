import { bounded } from '../../core/http/bounded.js';
import type { WalletProvider } from './provider-members.js';
import { type Found, maxReasons } from './reading.js';

/** Contracts of one request that are asked about: more than any batch calls with functions that nobody knows. */
const maxPlaces = 8;

/** Longest wait for an answer. Nodes need a tenth of it, and the user waits. */
const codeMs = 3_000;

/**
 * Why calls that are not understood need a question: each must call a contract, on the chain that the request names. An account could run
 * the call as its own, and on another chain the same address may be anything.
 *
 * @param provider The wallet itself, so that no site has a say in the answers.
 */
export async function doubtsOf({ places, unreadable }: Found, provider: WalletProvider, deadlineMs: number): Promise<string[]> {
  // There is nothing to ask about, or a reason already.
  if (places.length === 0 || unreadable.length > 0) return [];
  const ask = (method: string, params: unknown[]): Promise<unknown> =>
    bounded(Math.min(deadlineMs, codeMs), undefined, async () => provider.request({ method, params })).catch(() => null);
  const isKnown = async (asked: (typeof places)[number]): Promise<boolean> => {
    const chainIds = asked.chainIds.filter((each) => each != null).map(Number);
    const [code, chainId] = await Promise.all([
      ask('eth_getCode', [asked.target, 'latest']),
      chainIds.length > 0 && ask('eth_chainId', []),
    ]);
    return isContract(code) && chainIds.every((each) => each > 0 && each === Number(chainId));
  };
  const answers = places.length > maxPlaces ? [] : await Promise.all(places.map(isKnown));
  const doubted = places.flatMap(({ reasons }, at) => (answers[at] ? [] : [...reasons]));
  return [...new Set(doubted)].slice(0, maxReasons).map((each) => `${each}, of what may be no contract`);
}

/** No contract begins with `ef` (EIP-3541), but an account that runs code of another address does (EIP-7702). */
function isContract(code: unknown): boolean {
  return typeof code === 'string' && /^0x(?!ef)(?:[0-9a-f]{2})+$/i.test(code);
}
