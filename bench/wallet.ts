import { timedAsync } from './measure.js';
import { compared, type Figures, type Group, type Question, type Results, type Row, type Settings } from './question.js';

/** What does the guard add to a request of a site? The rival decodes with viem and checks by hand: no copy, no strictness, no policy. */
export const wallet: Question = { name: 'wallet', title: 'One request through the guard of a wallet', groups, rows };

const ours = 'guardProvider';
const byHand = 'viem decodes, checkMany';
const batch = 200;

interface Call {
  readonly to: `0x${string}`;
  readonly data: `0x${string}`;
}

type Send = (calls: readonly Call[]) => Promise<unknown>;

/** How many calls one request has. */
const sizes: Record<string, number> = { 'one approval': 1, 'a batch of 20 approvals': 20 };

const implementations: Record<string, () => Promise<Send>> = {
  [ours]: async () => {
    const { guardProvider } = await import('portcullis/wallet');
    const blocklist = await openBlocklist();
    const provider = guardProvider({ request: async (_: unknown) => 1 }, { blocklist, origin: 'https://app.example' });
    return (calls) => provider.request({ method: 'wallet_sendCalls', params: [{ version: '2.0.0', calls }] });
  },
  [byHand]: async () => {
    const { decodeFunctionData, erc20Abi } = await import('viem');
    const blocklist = await openBlocklist();
    return async (calls) => {
      const parties = calls.flatMap(({ to, data }) => {
        const { args } = decodeFunctionData({ abi: erc20Abi, data });
        return [to, args?.[0] as string];
      });
      const verdicts = await blocklist.checkMany(['https://app.example', ...parties]);
      if (verdicts.some(({ status }) => status !== 'clear')) throw new Error('not clear');
      return 1;
    };
  },
};

function groups(settings: Settings): Group[] {
  return Object.entries(sizes).map(([name, size]) => ({
    name,
    sameAnswer: true,
    variants: Object.entries(implementations).map(([variant, make]) => ({
      name: variant,
      measure: async () => timeRequests(await make(), size, settings),
    })),
  }));
}

function rows(results: Results, settings: Settings): Row[] {
  return groups(settings).flatMap((group) =>
    compared(results, group, 'ns', 'ns', { [byHand]: { ratio: 2.5, limit: '≤ 2.5 ×' } }),
  );
}

async function timeRequests(send: Send, size: number, settings: Settings): Promise<Figures> {
  const requests = Array.from({ length: batch }, (_, request) =>
    Array.from({ length: size }, (_, at) => callOf(request * size + at)),
  );
  const run = async (all: typeof requests): Promise<number> => {
    let sum = 0;
    for (const calls of all) sum += (await send(calls)) as number;
    return sum;
  };
  const { ms = Number.NaN, answer = 0 } = await timedAsync(() => requests, run, settings);
  return { ns: (ms * 1e6) / batch, answer };
}

function callOf(index: number): Call {
  const spender = (index * 7919 + 1).toString(16).padStart(40, '5');
  return { to: `0x${index.toString(16).padStart(40, 'a')}`, data: `0x095ea7b3${spender.padStart(64, '0')}${'f'.repeat(64)}` };
}

async function openBlocklist(): Promise<import('portcullis').Blocklist> {
  const { createBlocklist } = await import('portcullis');
  const { textSource } = await import('portcullis/sources');
  const text = Array.from({ length: 10_000 }, (_, at) => `0x${at.toString(16).padStart(40, 'b')}`).join('\n');
  const blocklist = createBlocklist({ sources: [textSource({ id: 'mine', text })], pollMs: 0 });
  await blocklist.ready();
  return blocklist;
}
