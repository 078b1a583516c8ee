import type { Verdict } from 'portcullis';
import type { WalletGuardOptions } from 'portcullis/wallet';
import { concat, encodeFunctionData, getAddress, type Hex, pad, parseAbi } from 'viem';
import { expect, test } from 'vitest';
import { account, clean, listed, type World, world } from './guard-world.js';

const other = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const third = '0x1aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const code = '0x6080604052';
const word = (hex: string): Hex => pad(`0x${hex}`);
const unknown = (...words: readonly Hex[]): Hex => concat(['0x12345678', ...words]);
const data = unknown(word(third.slice(2)), word('0de0b6b3a7640000'));

async function walletOf(answers: Record<string, unknown>, options: Partial<WalletGuardOptions> = {}): Promise<World> {
  const made = await world(options);
  Object.assign(made.provider.answers, answers);
  return made;
}

const send = (fields: object): { method: string; params: unknown } => ({
  method: 'eth_sendTransaction',
  params: [{ from: account, to: clean, data, ...fields }],
});
const batch = (calls: readonly object[], fields: object = {}): { method: string; params: unknown } => ({
  method: 'wallet_sendCalls',
  params: [{ version: '2.0.0', from: account, calls, ...fields }],
});

test('passes an unknown function of a contract without a question, and asks the node only about it', async () => {
  const { provider, guarded, asked } = await walletOf({ eth_getCode: code, eth_chainId: '0x1' });
  const transaction = send({});
  await guarded.request(transaction);
  expect(provider.questions).toEqual([{ method: 'eth_getCode', params: [clean, 'latest'] }]);
  await guarded.request(send({ value: '0x0', chainId: 1 }));
  expect(provider.questions.slice(1)).toEqual([
    { method: 'eth_getCode', params: [clean, 'latest'] },
    { method: 'eth_chainId', params: [] },
  ]);
  expect([provider.received.length, asked]).toEqual([2, []]);
  await guarded.request(send({ data: '0xd0e30db0' }));
  await guarded.request(batch([{ to: other }, { to: clean, data: '0xd0e30db0' }]));
  expect(provider.questions).toHaveLength(3);
});

const safe = parseAbi([
  'function multicall(bytes[] calls)',
  'function execTransaction(address to, uint256, bytes call, uint8, uint256, uint256, uint256, address, address, bytes)',
  'function aggregate3((address target, bool, bytes call)[])',
]);
const inSafe = encodeFunctionData({
  abi: safe,
  functionName: 'execTransaction',
  args: [other, 0n, data, 0, 0n, 0n, 0n, account, account, '0x'],
});
const inAggregate = encodeFunctionData({ abi: safe, functionName: 'aggregate3', args: [[[other, false, data] as never]] });
const inMulticall = (...calls: readonly Hex[]): Hex =>
  encodeFunctionData({ abi: safe, functionName: 'multicall', args: [calls] });
const checksummed = getAddress(clean);
const many = Array.from({ length: 9 }, (_, at) => ({ to: `0x${`${at}`.padStart(40, '7')}`, data }));
const words = Array.from({ length: 9_000 }, (_, at) => `0x${'00'.repeat(12)}${`${at}`.padStart(40, 'a')}` as Hex);
const order = {
  types: { Order: [{ name: 'data', type: 'bytes' }] },
  primaryType: 'Order',
  domain: {},
  message: { data },
};

test.each<[string, { method: string; params: unknown }, RegExp]>([
  ['sends value', send({ value: '0x1' }), /0x12345678, and sends value/],
  ['has the largest number', send({ data: unknown(word('ff'.repeat(32))) }), /0x12345678, with .* a very large number/],
  ['has 2^255', send({ data: unknown(word('80'.padEnd(64, '0'))) }), /with .* a very large number/],
  ['has a hash', send({ data: unknown(word('7b'.repeat(32))) }), /with a hash/],
  ['is of the account itself', send({ from: clean }), /0x12345678, of the account itself, or with no sender/],
  ['is of the account itself, in other letters', send({ from: checksummed }), /of the account itself/],
  ['names no sender', send({ from: undefined }), /with no sender/],
  ['is in a batch that names no sender', batch([{ to: clean, data }], { from: undefined }), /with no sender/],
  ['is called by a Safe', send({ data: inSafe }), /0x12345678, through another contract/],
  ['is called by a batch contract', send({ data: inAggregate }), /0x12345678, through another contract/],
  ['is in a multicall that sends value', send({ data: inMulticall(data), value: '0x1' }), /and sends value/],
  [
    'has a large number in a multicall',
    send({ data: inMulticall(unknown(word('ff'.repeat(32)))) }),
    /with .* a very large number/,
  ],
  ['is in data that is signed', { method: 'eth_signTypedData_v4', params: [account, order] }, /in data that is signed/],
  ['is of more contracts than are asked about', batch(many), /may be no contract/],
  ['has more words than are looked up', send({ data: unknown(...words) }), /more than 8192 words/],
  ['is for another chain', send({ chainId: '0x2' }), /may be no contract/],
  ['is in a batch for another chain', batch([{ to: clean, data }], { chainId: '0x2' }), /may be no contract/],
  ['is for no chain', send({ chainId: 0 }), /may be no contract/],
])('asks about an unknown function that %s', async (_, request, reason) => {
  const { provider, guarded, asked } = await walletOf({ eth_getCode: code, eth_chainId: '0x1' });
  await expect(guarded.request(request)).rejects.toMatchObject({ code: 4001 });
  expect(asked[0]!.unreadable.join()).toMatch(reason);
  expect(asked[0]!.status).toBe(/more than 8192/.test(reason.source) ? 'undecided' : 'screened');
  expect(provider.received).toEqual([]);
});

test.each<[string, unknown]>([
  ['no code', '0x'],
  ['an account that runs code (EIP-7702)', `0xef0100${other.slice(2)}`],
  ['half a byte', '0x123'],
  ['text', 'yes'],
  ['null', null],
  ['a list', [code]],
])('asks if the node answers %s', async (_, answer) => {
  const { provider, guarded, asked } = await walletOf({ eth_getCode: answer });
  await expect(guarded.request(send({}))).rejects.toMatchObject({ code: 4001 });
  expect(asked).toMatchObject([
    {
      status: 'screened',
      unreadable: ['it calls an unknown function, 0x12345678, of what may be no contract'],
      notUnderstood: ['it calls an unknown function, 0x12345678'],
    },
  ]);
  expect(provider.received).toEqual([]);
});

test.each<[string, () => unknown]>([
  ['fails', () => Promise.reject(new Error('no'))],
  [
    'throws',
    () => {
      throw new Error('no');
    },
  ],
  ['never answers', () => new Promise(() => {})],
])('asks if the node %s', async (_, answer) => {
  const { provider, guarded, asked } = await walletOf({}, { deadlineMs: 50 });
  provider.request = (async (request) => {
    if (request.method === 'eth_getCode') return answer();
    throw new Error('reached the wallet');
  }) as typeof provider.request;
  await expect(guarded.request(send({}))).rejects.toMatchObject({ code: 4001 });
  expect(asked[0]!.unreadable.join()).toMatch(/may be no contract/);
});

test('asks if one of several contracts has no code, and names the calls of that one', async () => {
  const { provider, guarded, asked } = await walletOf({});
  Object.defineProperty(provider.answers, 'eth_getCode', {
    get: () => (String(Object(provider.questions.at(-1)).params) === `${other},latest` ? '0x' : code),
  });
  await guarded.request(batch([{ to: clean, data }]));
  await expect(
    guarded.request(
      batch([
        { to: clean, data },
        { to: clean, data: data.replace('0x1234', '0x9876') },
        { to: other, data: data.replace('0x1234', '0xabcd') },
        { to: other, data },
      ]),
    ),
  ).rejects.toMatchObject({ code: 4001 });
  const of = 'of what may be no contract';
  expect(asked.map(({ unreadable }) => unreadable)).toEqual([
    [`it calls an unknown function, 0xabcd5678, ${of}`, `it calls an unknown function, 0x12345678, ${of}`],
  ]);
  expect(provider.received).toHaveLength(1);
});

test('the policy for what is not understood, and the stricter one for what is unreadable too', async () => {
  const request = send({});
  const withValue = send({ value: '0x1' });
  for (const [policy, plain, paid] of [
    [{}, 'allow', 'ask'],
    [{ notUnderstood: 'ask' }, 'ask', 'ask'],
    [{ notUnderstood: 'reject' }, 'reject', 'reject'],
    [{ unreadable: 'reject' }, 'allow', 'reject'],
    [{ unreadable: 'allow' }, 'allow', 'allow'],
    [{ unreadable: 'allow', notUnderstood: 'reject' }, 'reject', 'reject'],
  ] as const) {
    const { provider, guarded, asked } = await walletOf({ eth_getCode: code }, { policy });
    const outcomes: string[] = [];
    for (const each of [request, withValue]) {
      asked.length = provider.received.length = 0;
      await guarded.request(each).catch(() => {});
      outcomes.push(asked.length > 0 ? 'ask' : provider.received.length > 0 ? 'allow' : 'reject');
    }
    expect(outcomes, JSON.stringify(policy)).toEqual([plain, paid]);
  }
});

test('of the words only what is listed or undecided is shown, and never more than a dialog holds', async () => {
  const hundred = Array.from({ length: 100 }, (_, at) => word(`${at}`.padStart(40, '5')));
  const { guarded, asked } = await walletOf({ eth_getCode: code }, { policy: { notUnderstood: 'ask' } });
  await guarded.request(send({ data: unknown(...hundred) })).catch(() => {});
  await guarded.request(send({ data: unknown(...hundred, word(listed.slice(2))) })).catch(() => {});
  expect(asked.map(({ status, parties }) => [status, parties.map(({ role }) => role)])).toEqual([
    ['screened', ['origin', 'to']],
    ['listed', ['origin', 'to', 'a word of the data']],
  ]);
  const failing = { check: (): Promise<Verdict> => Promise.reject(new Error('broken')) };
  const broken = await walletOf({ eth_getCode: code }, { blocklist: failing });
  await broken.guarded.request(send({ data: unknown(...hundred) })).catch(() => {});
  expect(broken.asked[0]).toMatchObject({ status: 'undecided' });
  expect(broken.asked[0]!.parties).toHaveLength(10);
});

test('looks up the words of what is unreadable too', async () => {
  const hooked = encodeFunctionData({
    abi: parseAbi(['function transferAndCall(address to, uint256 value, bytes data)']),
    args: [clean, 1n, pad(listed as Hex)],
  });
  const approval = concat(['0x095ea7b3', word(other.slice(2)), word('01'), word(listed.slice(2))]);
  const { guarded, asked } = await walletOf({ eth_getCode: code });
  for (const each of [hooked, approval]) await guarded.request(send({ data: each })).catch(() => {});
  expect(asked.map(({ status, unreadable }) => [status, unreadable.length])).toEqual([
    ['listed', 1],
    ['listed', 1],
  ]);
});

test('finds an address that is packed between other values only if it is told to', async () => {
  const packed = unknown(concat(['0x0102030405060708', listed as Hex, '0x0a0b0c']));
  const found: unknown[] = [];
  for (const screensPacked of [false, true]) {
    const { guarded, asked } = await walletOf({ eth_getCode: code }, { screensPacked, policy: { notUnderstood: 'ask' } });
    await guarded.request(send({ data: packed })).catch(() => {});
    found.push(asked[0]!.status);
  }
  expect(found).toEqual(['screened', 'listed']);
});
