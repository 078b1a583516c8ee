import fc from 'fast-check';
import { hashTypedData } from 'viem';
import { expect, test } from 'vitest';
import type { PlainObject } from '../../../src/guards/wallet/plain-copy.js';
import { createReading, type Found } from '../../../src/guards/wallet/reading.js';
import { readTypedData } from '../../../src/guards/wallet/typed-data-reader.js';
import { address, addressesIn, randomCall } from './random-calls.js';

type Shape =
  | { readonly kind: 'atom'; readonly type: string }
  | { readonly kind: 'list'; readonly item: Shape }
  | { readonly kind: 'struct'; readonly fields: readonly Shape[] };

const atom: fc.Arbitrary<Shape> = fc
  .constantFrom('address', 'uint256', 'bool', 'string', 'bytes', 'bytes4', 'bytes20', 'bytes24', 'bytes32', 'int64')
  .map((type) => ({ kind: 'atom', type }));
const { struct } = fc.letrec<{ shape: Shape; struct: Shape }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 3 },
    atom,
    tie('struct'),
    tie('shape').map((item): Shape => ({ kind: 'list', item })),
  ),
  struct: fc.array(tie('shape'), { minLength: 1, maxLength: 4 }).map((fields): Shape => ({ kind: 'struct', fields })),
}));

/** Writes the types of a shape, each struct with a name of its own, and returns the name of its type. */
function typeOf(shape: Shape, types: Record<string, { name: string; type: string }[]>): string {
  if (shape.kind === 'atom') return shape.type;
  if (shape.kind === 'list') return `${typeOf(shape.item, types)}[]`;
  const name = `Type${Object.keys(types).length}`;
  types[name] = [];
  types[name].push(...shape.fields.map((field, at) => ({ name: `field${at}`, type: typeOf(field, types) })));
  return name;
}

/** A value and the addresses in it. */
interface Value {
  readonly json: unknown;
  readonly addresses: readonly string[];
}

function randomOf(shape: Shape): fc.Arbitrary<Value> {
  if (shape.kind === 'list') {
    return fc.array(randomOf(shape.item), { maxLength: 3 }).map((items) => ({
      json: items.map(({ json }) => json),
      addresses: items.flatMap(({ addresses }) => addresses),
    }));
  }
  if (shape.kind === 'struct') {
    return fc.tuple(...shape.fields.map(randomOf)).map((fields) => ({
      json: Object.fromEntries(fields.map(({ json }, at) => [`field${at}`, json])),
      addresses: fields.flatMap(({ addresses }) => addresses),
    }));
  }
  return atoms[shape.type]!;
}

const plain = (json: fc.Arbitrary<unknown>): fc.Arbitrary<Value> => json.map((each) => ({ json: each, addresses: [] }));
const named = fc
  .oneof(
    address,
    address.map((each) => each.toUpperCase().replace('0X', '0x')),
  )
  .map((json) => ({ json, addresses: [json.toLowerCase()] }));
const word = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
/** Not one with many zeros in front, which could be a number. */
const placed = (place: (digits: string) => string): fc.Arbitrary<Value> =>
  address
    .filter((each) => !each.startsWith(`0x${'00'.repeat(8)}`))
    .map((each) => ({ json: place(each.slice(2)), addresses: [each] }));
const atoms: Record<string, fc.Arbitrary<Value>> = {
  address: named,
  string: fc.oneof(
    plain(fc.string()),
    named,
    placed((digits) => `Pay 0x${digits}, please`),
  ),
  bool: plain(fc.boolean()),
  uint256: fc.oneof(
    plain(fc.nat()),
    plain(fc.bigInt(0n, 2n ** 256n - 1n).map(String)),
    placed((digits) => BigInt(`0x${digits}`).toString()),
    placed((digits) => `0x${digits}`),
  ),
  int64: plain(fc.integer()),
  bytes: randomCall(1).map((json) => ({ json, addresses: [...addressesIn(json)] })),
  bytes4: plain(word(4)),
  bytes32: fc.oneof(
    plain(word(32)),
    placed((digits) => `0x${'00'.repeat(12)}${digits}`),
    placed((digits) => `0x${digits}${'00'.repeat(12)}`),
  ),
  bytes20: placed((digits) => `0x${digits}`),
  bytes24: fc.oneof(
    plain(word(24)),
    placed((digits) => `0x${'00'.repeat(4)}${digits}`),
  ),
};

const typedData = fc.tuple(struct, address).chain(([shape, verifyingContract]) =>
  randomOf(shape).map(({ json, addresses }) => {
    const types: Record<string, { name: string; type: string }[]> = {};
    const primaryType = typeOf(shape, types);
    return {
      data: { types, primaryType, domain: { chainId: 1, verifyingContract }, message: json },
      addresses: [...addresses, verifyingContract],
    };
  }),
);

function found(data: unknown): Found {
  const reading = createReading();
  readTypedData(data as PlainObject, reading);
  return reading;
}

test('finds every address of typed data that viem can hash', () => {
  fc.assert(
    fc.property(typedData, ({ data, addresses }) => {
      // Of upper case, viem demands the checksum.
      const lower = JSON.parse(JSON.stringify(data), (_, value: unknown) =>
        /^0x[\dA-F]{40}$/.test(`${value}`) ? `${value}`.toLowerCase() : value,
      );
      expect(hashTypedData(lower)).toMatch(/^0x/);
      const read = found(data);
      expect(read.unreadable).toEqual([]);
      expect(new Set(read.parties.map(({ content }) => content))).toEqual(new Set(addresses));
    }),
  );
});

test('a type that names a field twice is unreadable', () => {
  fc.assert(
    fc.property(typedData, ({ data }) => {
      const types = { ...data.types };
      types[data.primaryType] = [...types[data.primaryType]!, types[data.primaryType]![0]!];
      expect(found({ ...data, types }).unreadable).not.toEqual([]);
    }),
  );
});

test('typed data without one of its fields is unreadable', () => {
  fc.assert(
    fc.property(typedData, ({ data }) => {
      const message = { ...(data.message as Record<string, unknown>) };
      delete message['field0'];
      expect(found({ ...data, message }).unreadable).not.toEqual([]);
    }),
  );
});

test('a type named like a number is read as the type that the site defines', () => {
  const spender = '0xbad0000000000000000000000000000000000bad';
  const types = { Permit: [{ name: 'value', type: 'uint256' }], uint256: [{ name: 'spender', type: 'address' }] };
  const read = found({ types, primaryType: 'Permit', domain: {}, message: { value: { spender } } });
  expect(read).toMatchObject({ unreadable: [], parties: [{ role: 'spender', content: spender }] });
});

const bad = '0xbad0000000000000000000000000000000000bad';

test('reads the domain by the type that the data gives it', () => {
  const types = {
    EIP712Domain: [{ name: 'inner', type: 'Inner' }],
    Inner: [{ name: 'spender', type: 'address' }],
    M: [{ name: 'n', type: 'uint8' }],
  };
  const read = found({ types, primaryType: 'M', domain: { inner: { spender: bad } }, message: { n: 1 } });
  expect(read).toMatchObject({ unreadable: [], parties: [{ role: 'spender', content: bad }] });
});

test('finds links in text, also behind another one', () => {
  const types = { M: [{ name: 's', type: 'string' }] };
  const s = 'see https://a.example,https://b.example/x';
  const contents = found({ types, primaryType: 'M', domain: {}, message: { s } }).parties.map(({ content }) => content);
  expect(contents).toEqual(expect.arrayContaining(['https://a.example,', 'https://b.example/x']));
});

test.each([
  ['uint256', 'abc'],
  ['uint256', ''],
  ['uint256', '1e3'],
  ['uint256', ' 1'],
  ['uint256', (2n ** 256n).toString()],
  ['bytes32', bad],
  ['bytes4', '0x1234567890'],
])('a %s with the value %j is unreadable', (type, value) => {
  const read = found({ types: { M: [{ name: 'v', type }] }, primaryType: 'M', domain: {}, message: { v: value } });
  expect(read.unreadable).toEqual(['v in the typed data does not fit its type']);
});

test('a type that repeats a field does not have its bytes read again and again', () => {
  const types = { M: Array.from({ length: 3_000 }, () => ({ name: 'x', type: 'bytes' })) };
  const message = { x: `0x${'00'.repeat(400_000)}` };
  expect(found({ types, primaryType: 'M', domain: {}, message }).unreadable).toContain(
    'M in the typed data does not fit its type',
  );
});

test('a type with more fields than its values have does not multiply the work', () => {
  const fields = Array.from({ length: 3_000 }, (_, at) => ({ name: `x${at}`, type: 'bytes' }));
  const types = { M: [{ name: 'list', type: 'Item[]' }], Item: fields };
  const message = { list: Array.from({ length: 3_000 }, () => ({})) };
  expect(found({ types, primaryType: 'M', domain: {}, message }).unreadable).toEqual([
    'x0 in the typed data does not fit its type',
  ]);
});

test('types that repeat a field do not multiply the work', () => {
  const types = { A: Array.from({ length: 1_000 }, () => ({ name: 'a', type: 'A' })) };
  const message = JSON.parse(`${'{"a":'.repeat(12)}{}${'}'.repeat(12)}`);
  expect(found({ types, primaryType: 'A', domain: {}, message }).unreadable).toContain(
    'A in the typed data does not fit its type',
  );
});
