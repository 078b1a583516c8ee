import fc from 'fast-check';
import { type AbiFunction, type AbiParameter, concat, type Hex, numberToHex, parseAbiItem } from 'viem';
import {
  decodeAbiParameters,
  encodeAbiParameters,
  encodeFunctionData,
  parseAbiParameters,
  size,
  slice,
  toFunctionSelector,
} from 'viem/utils';
import { allFunctions } from '../../../src/guards/wallet/call-table.js';

/** The table's functions as viem reads them, by selector. */
export const functions: ReadonlyMap<string, AbiFunction> = new Map(
  allFunctions().map((row) => [`0x${row.slice(0, 8)}`, parseAbiItem(`function ${withAddresses(row.slice(9))}`) as AbiFunction]),
);

/** With the type that the table leaves out: `transfer(to,uint)` is `transfer(address to,uint)`. */
function withAddresses(signature: string): string {
  return signature.replace(/(?<=[(,])(?!u?int|bytes|bool|string)(\w+)((?:\[\])?)(?=[,)])/g, 'address$2 $1');
}

export { toFunctionSelector };

const poolKey = '(address currency0, address currency1, uint24 fee, int24 tickSpacing, address hooks) poolKey';
const pathKeys = '(address intermediateCurrency, uint256 fee, int24 tickSpacing, address hooks, bytes hook)[] path';
const swapSingle = `(${poolKey}, bool zeroForOne, uint128 amount, uint128 limit, bytes hook) swap`;
const newSwapSingle = `(${poolKey}, bool zeroForOne, uint128 amount, uint128 limit, uint256 minHopPriceX36, bytes hook) swap`;
const swap = `(address currency, ${pathKeys}, uint128 amount, uint128 limit) swap`;
const newSwap = `(address currency, ${pathKeys}, uint256[] minHopPriceX36, uint128 amount, uint128 limit) swap`;

/** Parameters of the actions of Uniswap 4, from its SDK: of router 2.0, and of 2.1.1. */
const actions: Record<number, readonly string[]> = {
  6: [swapSingle, newSwapSingle],
  7: [swap, newSwap],
  8: [swapSingle, newSwapSingle],
  9: [swap, newSwap],
  11: ['address currency, uint256 amount, bool payerIsUser'],
  12: ['address currency, uint256 maxAmount'],
  13: ['address currency0, address currency1'],
  14: ['address currency, address recipient, uint256 amount'],
  15: ['address currency, uint256 minAmount'],
  16: ['address currency, address recipient, uint256 bips'],
  17: ['address currency0, address currency1, address recipient'],
  18: ['address currency'],
  20: ['address currency, address recipient'],
  22: ['uint256 amount'],
};

/** Parameters of the commands of Uniswap's router, from its SDK: of router 2.0, and of 2.1.1. */
const commands: Record<number, readonly string[]> = {
  0: [
    'address recipient, uint256, uint256, bytes path, bool',
    'address recipient, uint256, uint256, bytes path, bool, uint256[] minHopPriceX36',
  ],
  1: [
    'address recipient, uint256, uint256, bytes path, bool',
    'address recipient, uint256, uint256, bytes path, bool, uint256[] minHopPriceX36',
  ],
  2: ['address token, address recipient, uint160'],
  3: ['((address token, uint160, uint48, uint48)[] details, address spender, uint256) batch, bytes signature'],
  4: ['address token, address recipient, uint256'],
  5: ['address token, address recipient, uint256'],
  6: ['address token, address recipient, uint256'],
  7: ['address token, address recipient, uint256'],
  8: [
    'address recipient, uint256, uint256, address[] path, bool',
    'address recipient, uint256, uint256, address[] path, bool, uint256[] minHopPriceX36',
  ],
  9: [
    'address recipient, uint256, uint256, address[] path, bool',
    'address recipient, uint256, uint256, address[] path, bool, uint256[] minHopPriceX36',
  ],
  10: ['((address token, uint160, uint48, uint48) details, address spender, uint256) single, bytes signature'],
  11: ['address recipient, uint256'],
  12: ['address recipient, uint256'],
  13: ['(address from, address recipient, uint160, address token)[] transfers'],
  14: ['address owner, address token, uint256'],
  16: ['bytes actions, bytes[] inputs'],
  33: ['bytes commands, bytes[] inputs'],
};

export const address: fc.Arbitrary<Hex> = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(hex);
const words = (length: number): fc.Arbitrary<Hex> => fc.uint8Array({ minLength: length, maxLength: length }).map(hex);

function hex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}

/** The batch contracts of the Safe, from its list of deployments. */
export const safeBatches: readonly Hex[] = [
  '0xA238CBeb142c10Ef7Ad8442C6D1f9E89e07e7761',
  '0x998739BFdAAdde7C933B942a68053933098f9EDa',
  '0x0dFcccB95225ffB03c6FBB2559B530C2B7C8A912',
  '0x40A2aCCbd92BCA938b02010E17A5b8929b49130D',
  '0xA1dabEF33b3B82c7814B6D82A79e50F4AC44102B',
  '0xf220D3b4DFb23C4ade8C88E526C1353AbAcbC38F',
  '0x38869bf66a61cF6bDB996A6aE40D5853Fd43B526',
  '0x9641d764fc13c8B624c04430C7356C1C7C8102e2',
  '0x218543288004CD07832472D464648173c77D7eB7',
  '0xA83c336B20401Af773B6219BA5027174338D1836',
].map((each) => each.toLowerCase() as Hex);

/** Parameters that put code in charge of an account or a contract. */
const code = ['implementation', 'module', 'guard', 'handler', 'library', 'singleton'];
const zero: Hex = `0x${'00'.repeat(20)}`;

/** `tame` calls neither run nor install code, so that they can be read; `wild` ones may. */
type Kind = 'tame' | 'wild';

/** Calldata of a function of the table with random arguments; calls inside calls to the given depth. */
export function randomCall(depth: number, only?: string, kind: Kind = 'tame'): fc.Arbitrary<Hex> {
  const selectors = only === undefined ? [...functions.keys()] : [only];
  return fc.constantFrom(...selectors).chain((selector) => {
    const abi = functions.get(selector)!;
    if (abi.inputs[0]?.name === 'commands') return randomProgram(abi);
    return fc
      .tuple(...abi.inputs.map((input) => randomValue(input, depth, kind)))
      .map((args) => encodeFunctionData({ abi: [abi], args }));
  });
}

/** The steps of a router that a function or a command runs, by the name of its first parameter. */
function stepsOf(name: string | undefined): Record<number, readonly string[]> | undefined {
  return name === 'commands' ? commands : name === 'actions' ? actions : undefined;
}

function randomProgram(abi: AbiFunction): fc.Arbitrary<Hex> {
  return randomSteps(commands, 2).map((steps) =>
    encodeFunctionData({ abi: [abi], args: [...steps, 1n].slice(0, abi.inputs.length) }),
  );
}

/** Codes and their inputs; programs inside programs to the given depth. */
function randomSteps(steps: Record<number, readonly string[]>, depth: number): fc.Arbitrary<[Hex, Hex[]]> {
  const codes = Object.keys(steps).map(Number);
  const nests = (code: number): boolean => steps === commands && (code === 16 || code === 33);
  const step = fc.constantFrom(...codes.filter((code) => depth > 0 || !nests(code))).chain((code) =>
    fc.constantFrom(...steps[code]!).chain((signature) => {
      const types = parseAbiParameters(signature);
      const inner = stepsOf(types[0]?.name);
      const values: fc.Arbitrary<unknown[]> = inner
        ? randomSteps(inner, depth - 1)
        : fc.tuple(...types.map((type) => randomValue(type, 0, 'tame')));
      return values.map((each) => ({ code, input: encodeAbiParameters(types, each) }));
    }),
  );
  return fc
    .array(step, { maxLength: 4 })
    .map((all) => [hex(Uint8Array.from(all, ({ code }) => code)), all.map(({ input }) => input)]);
}

function randomValue(input: AbiParameter, depth: number, kind: Kind): fc.Arbitrary<unknown> {
  const { type, name } = input;
  if (type.endsWith('[]')) return fc.array(randomValue({ ...input, type: type.slice(0, -2) }, depth, kind), { maxLength: 3 });
  if (type === 'tuple') {
    const { components } = input as { components: readonly AbiParameter[] };
    return fc.tuple(...components.map((each) => randomValue(each, depth, kind))).map((values) => {
      // viem takes a tuple as a list if a member has no name.
      return components.every((each) => each.name)
        ? Object.fromEntries(values.map((value, at) => [components[at]!.name, value]))
        : values;
    });
  }
  if (code.includes(name ?? '')) return kind === 'tame' ? fc.constant(zero) : fc.constantFrom(zero, safeBatches[0]!);
  if (name === 'operation') return kind === 'tame' ? fc.constant(0) : operation;
  if (type === 'address') return kind === 'tame' ? address : target;
  if (type === 'bool') return fc.boolean();
  if (type === 'string') return fc.string();
  if (type === 'bytes') return randomBytes(name ?? '', depth, kind);
  if (type.startsWith('bytes'))
    return name ? address.map((each) => concat([`0x${'00'.repeat(12)}`, each])) : words(Number(type.slice(5)));
  const bits = BigInt(type.replace(/\D/g, ''));
  const number = type.startsWith('u')
    ? fc.bigInt(0n, (1n << bits) - 1n)
    : fc.bigInt(-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n);
  return bits <= 48n ? number.map(Number) : number;
}

const operation = fc.constantFrom(0, 0, 1, 1, 2, 255);
const target = fc.oneof(address, fc.constantFrom(...safeBatches));
/** Often what a Safe calls its batches with. */
const wildSelector = fc.constantFrom(...Array<Hex>(functions.size).fill('0x8d80ff0a'), ...functions.keys());

function randomBytes(name: string, depth: number, kind: Kind): fc.Arbitrary<Hex> {
  if (name === 'hook') return fc.constant('0x');
  if (name === 'call' || name === 'calls') {
    if (depth === 0) return fc.constant('0x');
    return kind === 'tame' ? randomCall(depth - 1) : wildSelector.chain((only) => randomCall(depth - 1, only, kind));
  }
  if (name === 'path')
    return fc
      .tuple(address, fc.array(fc.tuple(words(3), address), { minLength: 1, maxLength: 3 }))
      .map(([first, hops]) => concat([first, ...hops.flat()]));
  if (name === 'transactions') {
    const call = depth === 0 ? fc.constant<Hex>('0x') : randomCall(depth - 1, undefined, kind);
    const one = fc
      .tuple(
        kind === 'tame' ? fc.constant<Hex>('0x00') : operation.map((each) => numberToHex(each, { size: 1 })),
        kind === 'tame' ? address : target,
        words(32),
        call,
      )
      .map(([operation, to, value, data]) => concat([operation, to, value, numberToHex(size(data), { size: 32 }), data]));
    return fc.array(one, { maxLength: 3 }).map((all) => concat(['0x', ...all]));
  }
  return fc.uint8Array({ maxLength: 70 }).map(hex);
}

/**
 * The addresses of calldata according to viem. Throws if viem cannot decode a part, or if a part differs from what viem would have
 * encoded, or runs or installs code.
 */
export function addressesIn(calldata: Hex): Set<string> {
  const found = new Set<string>();
  collectCall(calldata, found);
  return found;
}

function collectCall(calldata: Hex, found: Set<string>): void {
  if (calldata === '0x') return;
  const abi = functions.get(slice(calldata, 0, 4));
  if (abi === undefined) throw new Error('unknown function');
  const types = abi.inputs.map(textAsBytes);
  const args = decodeAll(types, size(calldata) > 4 ? slice(calldata, 4) : '0x');
  if (abi.inputs[0]?.name === 'commands') collectProgram(commands, args as [Hex, Hex[]], found);
  else for (const [at, type] of types.entries()) collect(type, args[at], found);
  const argument = (name: string): unknown => args[types.findIndex((type) => type.name === name)];
  collectOperation(Number(argument('operation') ?? 0), argument('to') as Hex, argument('call') as Hex);
}

/** Of code that runs as the account, only that of the Safe's batches is known. */
function collectOperation(operation: number, to: Hex, call: Hex): void {
  if (operation === 0) return;
  const isBatch = safeBatches.includes(to.toLowerCase() as Hex) && call.startsWith(toFunctionSelector('multiSend(bytes)'));
  if (operation !== 1 || !isBatch) throw new Error('runs code');
}

function collectProgram(
  steps: Record<number, readonly string[]>,
  [program, inputs]: readonly [Hex, readonly Hex[]],
  found: Set<string>,
): void {
  if (size(program) !== inputs.length) throw new Error('steps and inputs differ in number');
  inputs.forEach((input, at) => {
    const code = Number(slice(program, at, at + 1));
    const signatures = steps[steps === commands ? code & 0x7f : code] ?? [];
    const fitting = signatures.filter((signature) => isEncoded(parseAbiParameters(signature), input));
    if (fitting.length !== 1) throw new Error('not the input of one version of the step');
    const types = parseAbiParameters(fitting[0]!);
    const values = decodeAll(types, input);
    const inner = stepsOf(types[0]?.name);
    if (inner) collectProgram(inner, values as [Hex, Hex[]], found);
    else for (const [index, type] of types.entries()) collect(type, values[index], found);
  });
}

function isEncoded(types: readonly AbiParameter[], input: Hex): boolean {
  try {
    decodeAll(types, input);
    return true;
  } catch {
    return false;
  }
}

/** Text and bytes have one encoding, but viem replaces bytes that are no UTF-8 when it reads text. */
function textAsBytes(input: AbiParameter): AbiParameter {
  const components = (input as { components?: readonly AbiParameter[] }).components?.map(textAsBytes);
  return { ...input, type: input.type.replace('string', 'bytes'), ...(components && { components }) } as AbiParameter;
}

function decodeAll(types: readonly AbiParameter[], input: Hex): readonly unknown[] {
  const values = decodeAbiParameters(types, input);
  if (encodeAbiParameters(types, values) !== input) throw new Error('not canonical');
  return values;
}

function collect(input: AbiParameter, value: unknown, found: Set<string>): void {
  const { type, name } = input;
  if (type.endsWith('[]')) for (const each of value as unknown[]) collect({ ...input, type: type.slice(0, -2) }, each, found);
  else if (type === 'tuple') {
    const { components } = input as { components: readonly AbiParameter[] };
    const fields = value as Record<string, unknown> & unknown[];
    for (const [at, each] of components.entries()) collect(each, Array.isArray(fields) ? fields[at] : fields[each.name!], found);
  } else if (type === 'address') {
    found.add((value as string).toLowerCase());
    if (code.includes(name ?? '') && value !== zero) throw new Error('installs code');
  } else if (type === 'bytes32' && name) found.add(`0x${(value as string).slice(26)}`);
  else if (type === 'bytes') collectBytes(name, value as Hex, found);
}

function collectBytes(name: string | undefined, bytes: Hex, found: Set<string>): void {
  if (name === 'hook' && bytes !== '0x') throw new Error('data for a hook');
  if (name === 'call' || name === 'calls') collectCall(bytes, found);
  else if (name === 'path') {
    if ((size(bytes) - 20) % 23 !== 0) throw new Error('not a path');
    for (let at = 0; at < size(bytes); at += 23) found.add(slice(bytes, at, at + 20));
  } else if (name === 'transactions') {
    for (let at = 0; at < size(bytes); ) {
      found.add(slice(bytes, at + 1, at + 21));
      const end = at + 85 + Number(slice(bytes, at + 53, at + 85));
      const call = end === at + 85 ? '0x' : slice(bytes, at + 85, end, { strict: true });
      collectCall(call, found);
      collectOperation(Number(slice(bytes, at, at + 1)), slice(bytes, at + 1, at + 21), call);
      at = end;
    }
  }
}
