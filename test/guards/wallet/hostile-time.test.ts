import { concat, encodeAbiParameters, encodeFunctionData, type Hex, pad, parseAbi } from 'viem';
import { expect, test } from 'vitest';
import { wordRole } from '../../../src/guards/wallet/reading.js';
import { copyOfParams, readRequest } from '../../../src/guards/wallet/request-reader.js';
import { expectLinearTime, growthBounds } from '../../support/growth.js';
import { account, clean, origin } from './guard-world.js';

const abi = parseAbi(['function multicall(bytes[] calls)', 'function execute(bytes commands, bytes[] inputs)']);
const multicall = (calls: readonly Hex[]): Hex => encodeFunctionData({ abi, functionName: 'multicall', args: [calls] });
const program = (codes: Hex, inputs: readonly Hex[]): Hex =>
  encodeFunctionData({ abi, functionName: 'execute', args: [codes, inputs] });
const steps = (codes: Hex, inputs: readonly Hex[]): Hex =>
  encodeAbiParameters([{ type: 'bytes' }, { type: 'bytes[]' }], [codes, inputs]);
const times = <Value>(count: number, value: Value): Value[] => Array<Value>(Math.floor(count)).fill(value);

const transaction = (data: Hex, more: object = {}): unknown[] => [
  'eth_sendTransaction',
  [{ from: account, to: clean, data, ...more }],
];
const typed = (types: object, message: unknown): unknown[] => [
  'eth_signTypedData_v4',
  [account, { types, primaryType: 'M', domain: {}, message }],
];
const named = (count: number, type: string): object[] => times(count, 0).map((_, at) => ({ name: `x${at % 3_000}`, type }));

/** Requests of about `size` characters, each with something that could be read over and over. */
const requests: Record<string, (size: number) => unknown[]> = {
  'an unknown function with words that may be addresses': (size) =>
    transaction(concat(['0x12345678', ...times(size / 256, 0).map((_, at): Hex => pad(`0x${`${at}`.padStart(40, '5')}`))])),
  'many unknown functions': (size) => transaction(multicall(times<Hex>(size / 400, `0x12345678${'ab'.repeat(20)}`))),
  'many functions that are unknown and different': (size) =>
    transaction(multicall(times(size / 300, 0).map((_, at): Hex => `0xff${at.toString(16).padStart(6, '0')}`))),
  'many unknown functions on a chain with a long name': (size) =>
    transaction(multicall(times<Hex>(size / 600, '0x12345678')), { chainId: 'x'.repeat(size / 2) }),
  'many small calls': (size) => transaction(multicall(times(size / 300, multicall([])))),
  'calls inside calls': (size) =>
    transaction(times(8, 0).reduce<Hex>((call) => multicall([call]), multicall(times(size / 300, '0x')))),
  'programs inside programs': (size) =>
    transaction(
      program('0x21', [
        times(6, 0).reduce<Hex>(
          (inner) => steps('0x21', [inner]),
          steps(`0x${'0b'.repeat(size / 300)}`, times(size / 300, '0x')),
        ),
      ]),
    ),
  'a field of bytes that is repeated': (size) =>
    typed({ M: times(Math.min(3_000, size / 100), { name: 'x', type: 'bytes' }) }, { x: `0x${'00'.repeat(size / 4)}` }),
  'a field of text that is repeated': (size) =>
    typed({ M: times(Math.min(3_000, size / 100), { name: 'x', type: 'string' }) }, { x: '0x'.repeat(size / 4) }),
  'types with more fields than values': (size) =>
    typed(
      { M: [{ name: 'list', type: 'I[]' }], I: named(Math.min(1_500, size / 60), 'bytes') },
      { list: times(Math.min(4_000, size / 30), {}) },
    ),
  'a type with a long name': (size) =>
    typed({ M: [{ name: 'list', type: `${'x'.repeat(size / 2)}[][]` }] }, { list: times(Math.min(2_500, size / 20), [0]) }),
  'links in links': (size) => ['personal_sign', ['http://'.repeat(size / 7), account]],
  'half an address': (size) => ['personal_sign', [`${'0x'.repeat(size / 2)} `, account]],
  'half a sign-in': (size) => ['personal_sign', ['sign \n in with your '.repeat(size / 20), account]],
  'a host of many labels': (size) => ['personal_sign', [`https://${'a.'.repeat(size / 2)}`, account]],
  'dots before a letter': (size) => ['personal_sign', [`${'.'.repeat(size)}a`, account]],
  'marks and dots': (size) => ['personal_sign', ['!.'.repeat(size / 2), account]],
  'numbers and dots': (size) => ['personal_sign', [`1.${'1'.repeat(size / 2)}${'.1'.repeat(size / 4)}`, account]],
  'words that touch other scripts': (size) => ['personal_sign', ['请a.example领'.repeat(size / 11), account]],
  'hex digits that are nearly an address': (size) => ['personal_sign', [`${'a'.repeat(39)}g`.repeat(size / 40), account]],
  'many long links': (size) =>
    typed(
      { M: [{ name: 'links', type: 'string[]' }] },
      { links: times(size / 2_000, 0).map((_, at) => `https://a${at}.example/${'x/?'.repeat(650)}`) },
    ),
  'spaces in a sign-in': (size) => ['personal_sign', [`sign${' '.repeat(size)}in`, account]],
};

test.each(Object.entries(requests))('what the list is asked about a request with %s is bounded', (_, make) => {
  const [method, params] = make(2 ** 19) as [string, unknown];
  const { parties } = readRequest(method, copyOfParams(method, params).read, origin);
  const named = parties.filter(({ role }) => role !== wordRole);
  expect(named.length).toBeLessThanOrEqual(512);
  expect(parties.length - named.length).toBeLessThanOrEqual(8_192);
  expect(named.reduce((sum, { content }) => sum + content.length, 0)).toBeLessThanOrEqual(2 ** 16);
});

test.each(Object.entries(requests))('the time to read a request with %s grows with its size', (_, make) => {
  expectLinearTime(
    (text) => {
      const [method, params] = JSON.parse(text) as [string, unknown];
      readRequest(method, copyOfParams(method, params).read, origin);
    },
    (size) => JSON.stringify(make(size)),
    // At most half of the largest request that is read.
    { ...growthBounds, sizes: [2 ** 15, 2 ** 18], leastMs: 2 },
  );
});
