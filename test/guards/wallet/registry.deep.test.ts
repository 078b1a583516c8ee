import fc from 'fast-check';
import { type AbiFunction, type AbiParameter, concat, encodeAbiParameters, type Hex, pad, parseAbiItem } from 'viem';
import { toFunctionSelector } from 'viem/utils';
import { beforeAll, expect, test } from 'vitest';
import { functionOf } from '../../../src/guards/wallet/call-table.js';
import { describedFunctions, describedSelectors, indexedSelectors } from '../../../tools/deep/call-descriptors.js';
import { account, clean, listed, type World, world } from './guard-world.js';
import { argumentsWith } from './random-arguments.js';

/** Each function once, whatever names its parameters have. */
const functions = new Map(
  describedFunctions.map((text) => {
    const abi = parseAbiItem(`function ${text.replaceAll(' undefined', '')}`) as AbiFunction;
    return [toFunctionSelector(abi), abi] as const;
  }),
);

const other: Hex = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const selectors = new Set<Hex>([...functions.keys(), ...describedSelectors]);
const isKnown = (selector: Hex): boolean => functionOf(selector.slice(2)) !== undefined;
const dirty = (party: Hex): Hex => concat(['0x7b7b7b7b7b7b7b7b7b7b7b7b', party]);
const inCall = (party: Hex): Hex => concat(['0x12345678', pad('0x07'), pad(party)]);

/** The ways in which a value of this type can hold an address. */
function placesIn(type: string, party: Hex): readonly unknown[] {
  if (type === 'address') return [party];
  if (type === 'bytes32') return [pad(party), pad(party, { dir: 'right' }), dirty(party)];
  if (type === 'bytes') return [party, pad(party), inCall(party), concat(['0x0102030405', inCall(party)])];
  if (type === 'uint256' || type === 'uint160') return [BigInt(party), ...(type === 'uint256' ? [BigInt(dirty(party))] : [])];
  return [];
}

/** What a site would write: addresses that are not listed, amounts, and random hashes and signatures. */
function usual(type: string): unknown {
  if (type === 'address') return other;
  if (type === 'bool') return true;
  if (type === 'string') return 'a note';
  if (type === 'bytes') return `0x${'7b5c9d'.repeat(21)}1b`;
  if (type.startsWith('bytes')) return `0x${'7b5c9d1e'.repeat(8).slice(0, 2 * Number(type.slice(5)))}`;
  const bits = Number(/\d+/.exec(type)?.[0] ?? 256);
  return bits <= 48 ? 7 : bits >= 96 ? 10n ** 18n : 7n;
}

/** Every variant of the values in which one place holds the party; the usual values if there is none. */
function variants(inputs: readonly AbiParameter[], party: Hex | null): unknown[][] {
  const base = inputs.map((input) => valuesOf(input, null)[0]);
  if (party === null) return [base];
  return inputs.flatMap((input, at) =>
    valuesOf(input, party).map((value) => base.map((each, index) => (index === at ? value : each))),
  );
}

function valuesOf(input: AbiParameter, party: Hex | null): unknown[] {
  const { type } = input;
  if (type.endsWith('[]')) {
    const item = { ...input, type: type.slice(0, -2) } as AbiParameter;
    const [plain] = valuesOf(item, null);
    return valuesOf(item, party).map((each) => (party === null ? [each] : [plain, each]));
  }
  if (type !== 'tuple') return party === null ? [usual(type)] : [...placesIn(type, party)];
  const components = (input as { components: readonly AbiParameter[] }).components.map((each, at) => ({
    ...each,
    name: `x${at}`,
  }));
  const asTuple = (values: readonly unknown[]): unknown =>
    components.every(({ name }) => name) ? Object.fromEntries(values.map((value, at) => [`x${at}`, value])) : values;
  return variants(components, party).map(asTuple);
}

/** With names of its own in every tuple, because the registry leaves some out. */
const named = (input: AbiParameter): AbiParameter =>
  'components' in input
    ? { ...input, components: input.components.map((each, at) => ({ ...named(each), name: `x${at}` })) }
    : input;

const callsOf = (selector: Hex, { inputs }: AbiFunction, party: Hex | null): Hex[] =>
  variants(inputs.map(named), party).map((values) => concat([selector, encodeAbiParameters(inputs.map(named), values)]));

let tested: World;
const request = (data: Hex): { method: string; params: unknown } => ({
  method: 'eth_sendTransaction',
  params: [{ from: account, to: clean, data }],
});

/** Sends the calldata; what the user was asked, or `null` if it passed. */
async function outcomeOf(data: Hex): Promise<World['asked'][number] | null> {
  tested.asked.length = tested.provider.received.length = 0;
  await tested.guarded.request(request(data)).catch(() => {});
  expect(tested.asked.length + tested.provider.received.length).toBe(1);
  return tested.asked[0] ?? null;
}

beforeAll(async () => {
  tested = await world();
  tested.provider.answers['eth_getCode'] = '0x6080';
});

test('a listed party at any place of any described function is found', async () => {
  let count = 0;
  for (const [selector, abi] of functions) {
    // What the table reads has amounts that look like addresses; of these functions, the other tests take each address.
    if (isKnown(selector)) continue;
    for (const data of callsOf(selector, abi, listed as Hex)) {
      count++;
      expect(await outcomeOf(data), `${abi.name} ${data}`).toMatchObject({ status: 'listed' });
    }
  }
  console.log(`${count} calls of ${functions.size} described functions had a listed party, and each was found`);
  expect(count).toBeGreaterThan(1_000);
});

test('a listed party is found behind any selector, with generated arguments', async () => {
  const all = [...new Set([...selectors, ...indexedSelectors])].filter((each) => !isKnown(each));
  expect(all.length).toBeGreaterThan(500);
  for (const selector of all) {
    await fc.assert(
      fc.asyncProperty(argumentsWith(listed as Hex), async (given) => {
        const types = given.map(({ type }) => type);
        const data = concat([
          selector,
          encodeAbiParameters(
            types,
            given.map(({ value }) => value),
          ),
        ]);
        expect(await outcomeOf(data)).toMatchObject({ status: 'listed' });
      }),
      { numRuns: 5 },
    );
  }
});

test('most described functions need no question, and the others have a reason', async () => {
  const outcomes: Record<string, number> = {};
  for (const [selector, abi] of functions) {
    const [data] = callsOf(selector, abi, null);
    const asked = await outcomeOf(data!);
    const reason = asked?.unreadable
      .map((each) => each.replace(/.*0x[0-9a-f]{8}, /, '').replace(/ of \w+| passes.*/, ''))
      .join('; ');
    const outcome = reason ?? (isKnown(selector) ? 'read' : 'screened, no question');
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  console.log(`${functions.size} described functions:`, outcomes);
  console.log(`${selectors.size} selectors, ${[...selectors].filter(isKnown).length} read by the table`);
  expect(outcomes['screened, no question']).toBeGreaterThan(functions.size / 3);
});
