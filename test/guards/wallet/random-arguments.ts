import fc from 'fast-check';
import { type AbiParameter, concat, encodeAbiParameters, encodeFunctionData, type Hex, pad, parseAbi } from 'viem';

/** An argument of a function that the guard does not know. */
export interface Argument {
  readonly type: AbiParameter;
  readonly value: unknown;
}

const hex = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`;
const bytesOf = (min: number, max = min): fc.Arbitrary<Hex> => fc.uint8Array({ minLength: min, maxLength: max }).map(hex);
const argument = (type: string, value: unknown): Argument => ({ type: { type }, value });

/** Values that are no party: amounts, flags, short texts, addresses that are not listed. */
const harmless: fc.Arbitrary<Argument> = fc.oneof(
  bytesOf(20).map((each) => argument('address', each)),
  fc.bigInt(0n, 2n ** 90n).map((each) => argument('uint256', each)),
  fc.bigInt(-(2n ** 23n), 2n ** 23n).map((each) => argument('int256', each)),
  fc.nat(255).map((each) => argument('uint8', each)),
  fc.boolean().map((each) => argument('bool', each)),
  fc.string({ maxLength: 30 }).map((each) => argument('string', each)),
  bytesOf(0, 60).map((each) => argument('bytes', each)),
  bytesOf(4).map((each) => argument('bytes4', each)),
  fc.array(bytesOf(20), { maxLength: 3 }).map((each) => argument('address[]', each)),
);

const forms = parseAbi(['function unknown(uint256, address)', 'function transfer(address, uint256)']);
const nested = (party: Hex): Hex[] => [
  encodeFunctionData({ abi: [forms[0]], args: [7n, party] }),
  encodeFunctionData({ abi: [forms[1]], args: [party, 7n] }),
  encodeAbiParameters([{ type: 'address' }], [party]),
];

/** Every way in which the ABI writes an address, and numbers that contracts cut to one. */
function partyArguments(party: Hex): fc.Arbitrary<Argument> {
  const dirt = bytesOf(12);
  return fc.oneof(
    fc.constantFrom(
      argument('address', party),
      argument('bytes20', party),
      argument('bytes32', pad(party)),
      argument('bytes32', pad(party, { dir: 'right' })),
      argument('uint256', BigInt(party)),
      argument('uint160', BigInt(party)),
      argument('bytes', party),
      ...nested(party).map((each) => argument('bytes', each)),
      ...nested(party).map((each) => argument('bytes[]', ['0x12345678', each])),
    ),
    dirt.map((each) => argument('uint256', BigInt(concat([each, party])))),
    dirt.map((each) => argument('bytes32', concat([each, party]))),
    // A packed batch: an odd number of bytes before calldata.
    fc
      .tuple(bytesOf(1, 90), fc.constantFrom(...nested(party)))
      .map(([before, call]) => argument('bytes', concat([before, call]))),
  );
}

const list = ({ type, value }: Argument, suffix: '[]' | '[2]'): Argument => ({
  type: { ...type, type: `${type.type}${suffix}` } as AbiParameter,
  value: [value, value],
});

const tuple = (all: readonly Argument[]): Argument => ({
  type: { type: 'tuple', components: all.map(({ type }, at) => ({ ...type, name: `x${at}` })) } as AbiParameter,
  value: Object.fromEntries(all.map(({ value }, at) => [`x${at}`, value])),
});

/** One argument among others, inside lists and tuples. */
function among(one: fc.Arbitrary<Argument>): fc.Arbitrary<Argument[]> {
  const wrapped = fc.tuple(
    one,
    fc.array(fc.constantFrom('list', 'pair', 'tuple'), { maxLength: 3 }),
    fc.array(harmless, { maxLength: 3 }),
  );
  const inner = wrapped.map(([first, wraps, others]) =>
    wraps.reduce(
      (each, wrap) => (wrap === 'tuple' ? tuple([...others, each]) : list(each, wrap === 'pair' ? '[2]' : '[]')),
      first,
    ),
  );
  const sides = fc.array(harmless, { maxLength: 4 });
  return fc.tuple(sides, inner, sides).map(([before, each, after]) => [...before, each, ...after]);
}

export const argumentsWith = (party: Hex): fc.Arbitrary<Argument[]> => among(partyArguments(party));

export const randomArguments: fc.Arbitrary<Argument[]> = among(harmless);
