import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { concat, encodeAbiParameters, encodeFunctionData, type Hex, hexToBytes, pad, parseAbi, size, slice } from 'viem';
import { expect, test } from 'vitest';
import { addressesIn, isOdd } from '../../../src/guards/wallet/word-scanner.js';
import { account, clean, listed, world } from './guard-world.js';
import { type Argument, argumentsWith, randomArguments } from './random-arguments.js';

const multicall = parseAbi(['function multicall(bytes[] calls)']);
const runs = fc.readConfigureGlobal().numRuns ?? 100;
const selector = fc
  .uint8Array({ minLength: 4, maxLength: 4 })
  .map((each): Hex => `0xff${Buffer.from(each).toString('hex').slice(2)}`);
const wordsOf = (bytes: Hex, isPacked = false): Set<string> => new Set(addressesIn(hexToBytes(bytes), isPacked));

/** What the comment of the scanner says, on the digits of the text. */
function wordsByText(data: Hex): Set<string> {
  const digits = data.slice(2) + '0'.repeat(64);
  const found = new Set<string>();
  for (let at = 0; at < size(data); at++) {
    const address = digits.slice(2 * at, 2 * at + 40);
    const isRight = at >= 12 && /^0*$/.test(digits.slice(2 * at - 24, 2 * at));
    const isLeft = /^0*$/.test(digits.slice(2 * at + 40, 2 * at + 64));
    const isAligned = at % 4 === 0 || !/^00|00$/.test(address);
    const isLast = at % 32 === 12;
    if (!address.startsWith('0'.repeat(16)) && (isLast || (isAligned && (isRight || isLeft)))) found.add(`0x${address}`);
  }
  return found;
}

/** Bytes with the zeros, small numbers and addresses that calldata has. */
const calldata: fc.Arbitrary<Hex> = fc
  .array(
    fc.oneof(
      fc.nat(40).map((count): Hex => `0x${'00'.repeat(count)}`),
      fc.uint8Array({ maxLength: 24 }).map((each): Hex => `0x${Buffer.from(each).toString('hex')}`),
      fc.constantFrom<Hex>(pad(listed as Hex), pad(listed as Hex, { dir: 'right' }), '0x12345678', pad('0x0de0b6b3a7640000')),
    ),
    { maxLength: 12 },
  )
  .map((parts) => concat(['0x', ...parts]));

test('finds the words that its rule names, and no others', () => {
  fc.assert(
    fc.property(calldata, (data) => {
      expect(wordsOf(data)).toEqual(wordsByText(data));
    }),
    { numRuns: 5 * runs },
  );
});

test('takes every position of packed data', () => {
  fc.assert(
    fc.property(calldata, (data) => {
      const all = new Set<string>();
      const padded = concat([data, pad('0x')]);
      for (let at = 0; at < size(data); at++) all.add(slice(padded, at, at + 20));
      expect(wordsOf(data, true)).toEqual(new Set([...all].filter((each) => !each.startsWith(`0x${'0'.repeat(16)}`))));
    }),
  );
});

test.each<[string, Hex, boolean]>([
  ['an address and an amount', concat([pad(listed as Hex), pad('0x0de0b6b3a7640000')]), false],
  ['two addresses that touch zeros', concat([pad(clean, { dir: 'right' }), pad(listed as Hex)]), false],
  ['an address from 0x80 at the left', pad(listed as Hex, { dir: 'right' }), true],
  ['a hash', `0x${'7b'.repeat(32)}`, true],
  ['a hash behind a selector', `0x12345678${'7b'.repeat(32)}`, true],
  ['the largest number', `0x${'ff'.repeat(32)}`, true],
  ['the largest uint160', pad(`0x${'ff'.repeat(20)}`), true],
  ['the largest uint96', pad(`0x${'ff'.repeat(12)}`), true],
  ['2^255', pad('0x80', { dir: 'right' }), true],
  ['2^255 in a call inside the call', `0x12345678${'80'.padEnd(64, '0')}`, true],
  ['2^255 and a small number in a call inside the call', `0x12345678${'80'.padEnd(56, '0')}0000022b`, true],
  ['an offset of 128 before zeros', `0x12345678${'80'.padStart(64, '0')}${'0'.repeat(128)}`, false],
  ['a negative number', pad('0xff38', { size: 32 }).replace(/^0x0{60}/, `0x${'f'.repeat(60)}`) as Hex, true],
])('%s: knows a hash and a very large number', (_, data, expected) => {
  expect(isOdd(hexToBytes(data))).toBe(expected);
});

/** Puts calldata where requests have it. */
const wrappers: Record<string, (data: Hex) => [method: string, params: unknown]> = {
  transaction: (data) => ['eth_sendTransaction', [{ from: account, to: clean, data }]],
  input: (input) => ['eth_signTransaction', [{ from: account, to: clean, input }]],
  multicall: (data) => [
    'eth_sendTransaction',
    [{ from: account, to: clean, data: encodeFunctionData({ abi: multicall, args: [['0xd0e30db0', data]] }) }],
  ],
  batch: (data) => ['wallet_sendCalls', [{ version: '2.0.0', from: account, calls: [{ to: clean }, { to: clean, data }] }]],
  'typed data': (data) => [
    'eth_signTypedData_v4',
    [account, { types: { Order: [{ name: 'data', type: 'bytes' }] }, primaryType: 'Order', domain: {}, message: { data } }],
  ],
};

const request = (values: fc.Arbitrary<readonly Argument[]>): fc.Arbitrary<[method: string, params: unknown]> =>
  fc.tuple(fc.constantFrom(...Object.values(wrappers)), selector, values).map(([wrap, first, given]) => {
    const data = concat([
      first,
      encodeAbiParameters(
        given.map(({ type }) => type),
        given.map(({ value }) => value),
      ),
    ]);
    return wrap(data);
  });

test('1,000 requests with a listed party at a random place: none passes', async () => {
  const { provider, guarded, asked } = await world();
  provider.answers['eth_getCode'] = '0x6001';
  let count = 0;
  await fc.assert(
    fc.asyncProperty(request(argumentsWith(listed as Hex)), async ([method, params]) => {
      count++;
      asked.length = 0;
      await expect(guarded.request({ method, params })).rejects.toMatchObject({ code: 4001 });
      expect(asked).toMatchObject([{ status: 'listed' }]);
      expect(asked[0]!.parties).toContainEqual(expect.objectContaining({ content: listed }));
    }),
    { numRuns: 10 * runs },
  );
  expect([provider.received, count]).toEqual([[], 10 * runs]);
});

const field = (type: string, value: unknown, note: string): [method: string, params: unknown] => [
  'eth_signTypedData_v4',
  [
    account,
    {
      types: { M: ['note', 'x'].map((name) => ({ name, type: name === 'x' ? type : 'string' })) },
      ...{ primaryType: 'M', domain: {}, message: { note, x: value } },
    },
  ],
];
const behind = '11'.repeat(12);
/** A listed address at places that are no calldata, after a text. */
const elsewhere: Record<string, (note: string) => [method: string, params: unknown]> = {
  'a text, between other digits': (note) => ['personal_sign', [`${note} pay ab${listed.slice(2)}cd`, account]],
  'a text of typed data': (note) => field('string', `ab${listed.slice(2)}cd`, note),
  'bytes32, before other bytes': (note) => field('bytes32', listed + behind, note),
  'a number, before other digits': (note) => field('uint256', BigInt(listed + behind).toString(), note),
  'the name of a token': (name) => [
    'wallet_watchAsset',
    { type: 'ERC20', options: { address: clean, symbol: 'A', decimals: 18, name: `${name} ab${listed.slice(2)}cd` } },
  ],
  'the name of a field': (note) => [
    'wallet_sendCalls',
    [
      {
        ...{ version: '2.0.0', from: account, calls: [{ to: clean, data: '0x' }] },
        capabilities: { paymasterService: { url: 'https://pay.example', context: { note, [listed]: 1 } } },
      },
    ],
  ],
};

test.each(Object.entries(elsewhere))('a listed address in %s is found, and too many words before it ask', async (_, make) => {
  const { provider, guarded, asked } = await world();
  const [method, params] = make('a note');
  await expect(guarded.request({ method, params })).rejects.toMatchObject({ code: 4001 });
  expect(asked).toMatchObject([{ status: 'listed' }]);
  const many = Array.from({ length: 160 }, (_, at) => createHash('sha512').update(`${at}`).digest('hex').slice(0, 95)).join(' ');
  const [, filled] = make(many);
  await expect(guarded.request({ method, params: filled })).rejects.toMatchObject({ code: 4001 });
  expect(asked[1]!.status === 'listed' || asked[1]!.unreadable.join().includes('8192 words')).toBe(true);
  expect(provider.received).toEqual([]);
});

test('the same requests without a listed party pass if nothing else is odd, and are never clear', async () => {
  const { provider, guarded, asked } = await world();
  provider.answers['eth_getCode'] = '0x6001';
  const strict = await world({ policy: { notUnderstood: 'ask' } });
  strict.provider.answers['eth_getCode'] = '0x6001';
  await fc.assert(
    fc.asyncProperty(request(randomArguments), async ([method, params]) => {
      asked.length = 0;
      const before = provider.received.length;
      const result = await guarded.request({ method, params }).catch((error: { code: number }) => error.code);
      expect(provider.received.length - before).toBe(result === 4001 ? 0 : 1);
      if (result === 4001) expect(asked[0]!.unreadable.join()).toMatch(/very large number|hash|data that is signed/);
      strict.asked.length = 0;
      await expect(strict.guarded.request({ method, params })).rejects.toMatchObject({ code: 4001 });
      expect(strict.asked).toMatchObject([{ status: 'screened', notUnderstood: [expect.stringContaining('unknown function')] }]);
    }),
    { numRuns: 3 * runs },
  );
  expect(provider.received.length).toBeGreaterThan(runs / 2);
});
