import fc from 'fast-check';
import { encodeFunctionData, erc20Abi, hashTypedData, parseAbi } from 'viem';
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
      isHash: isHash(contentOf(shape, json)),
    };
  }),
);

/** Whether a value has a call, text or address, and how many bytes of its numbers could be those of a hash. */
function contentOf(shape: Shape, json: unknown): { readonly saysMore: boolean; readonly filled: number } {
  if (shape.kind === 'atom') {
    const { type } = shape;
    if (type === 'address') return { saysMore: true, filled: 0 };
    if (type === 'string' || type === 'bytes') return { saysMore: !['', '0x'].includes(`${json}`.trim()), filled: 0 };
    if (type === 'bool') return { saysMore: false, filled: 0 };
    const isBytes = type.startsWith('bytes');
    const digits = isBytes ? `${json}`.slice(2) : BigInt(`${json}`).toString(16).replace('-', '');
    const isParty = isBytes ? isPaddedAddress(digits) : digits.length > 32 && digits.length <= 40;
    if (isParty || (!isBytes && (digits.length <= 24 || /^f+$/.test(digits)))) return { saysMore: false, filled: 0 };
    const bytes = digits.padStart(64, '0').match(/../g)!;
    return { saysMore: false, filled: bytes.filter((byte) => byte !== '00').length };
  }
  const inner =
    shape.kind === 'list'
      ? (json as unknown[]).map((each) => contentOf(shape.item, each))
      : shape.fields.map((field, at) => contentOf(field, (json as Record<string, unknown>)[`field${at}`]));
  return {
    saysMore: inner.some(({ saysMore }) => saysMore),
    filled: inner.reduce((sum, { filled }) => sum + filled, 0),
  };
}

const isHash = ({ saysMore, filled }: ReturnType<typeof contentOf>): boolean => !saysMore && filled > 20;

/** Twenty bytes with zeros on one side. No address begins with eight zero bytes. */
function isPaddedAddress(digits: string): boolean {
  const zeros = '0'.repeat(Math.max(0, digits.length - 40));
  const at = (from: number): boolean => digits.length >= 40 && !/^0{16}/.test(digits.slice(from, from + 40));
  return (digits.startsWith(zeros) && at(zeros.length)) || (digits.endsWith(zeros) && at(0));
}

function found(data: unknown): Found {
  const reading = createReading();
  readTypedData(data as PlainObject, reading);
  return reading;
}

test('finds every address of typed data that viem can hash', () => {
  fc.assert(
    fc.property(typedData, ({ data, addresses, isHash }) => {
      // Of upper case, viem demands the checksum.
      const lower = JSON.parse(JSON.stringify(data), (_, value: unknown) =>
        /^0x[\dA-F]{40}$/.test(`${value}`) ? `${value}`.toLowerCase() : value,
      );
      expect(hashTypedData(lower)).toMatch(/^0x/);
      const read = found(data);
      expect(read.unreadable).toEqual(isHash ? ['the typed data may be nothing but a hash'] : []);
      // A random text may have a word that looks like a host.
      const named = read.parties.filter(({ isWord }) => !isWord);
      expect(new Set(named.map(({ content }) => content))).toEqual(new Set(addresses));
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

const nothingButAHash = /nothing but a hash/;
const part = (from: number, to: number): string => `0x${random.slice(2 + 2 * from, 2 + 2 * to)}`;
const random = '0x9f3c5a7be1d24860fb9c1e2d3a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d';

test.each<[string, Record<string, [type: string, value: unknown]>, RegExp | null]>([
  ['a hash alone', { hash: ['bytes32', random] }, /nothing but a hash/],
  ['a hash under another name', { id: ['bytes32', random] }, /nothing but a hash/],
  ['hashes in a list', { ids: ['bytes32[]', [random]] }, /nothing but a hash/],
  ['a hash as a number', { id: ['uint256', BigInt(random).toString()] }, /nothing but a hash/],
  ['a hash with a counter', { id: ['bytes32', random], nonce: ['uint256', '7'] }, /nothing but a hash/],
  ['a hash in two parts', { a: ['bytes16', random.slice(0, 34)], b: ['bytes16', `0x${random.slice(34)}`] }, /nothing but a hash/],
  [
    'a hash in bytes',
    {
      a: [
        'bytes1[]',
        random
          .match(/\w\w/g)!
          .slice(1)
          .map((byte) => `0x${byte}`),
      ],
    },
    /nothing but a hash/,
  ],
  [
    'a hash in two numbers',
    { a: ['uint128', random.slice(0, 34)], b: ['uint128', `0x${random.slice(34)}`] },
    /nothing but a hash/,
  ],
  ['a part of a hash with a recipient', { to: ['address', bad], hashHigh: ['bytes16', random.slice(0, 34)] }, /hashHigh in the/],
  [
    'amounts and times',
    {
      a: ['uint256', '1230000000000000000000'],
      b: ['uint64', '1764409200'],
      c: ['uint64[]', ['1234567890123456789', '9876543210987654321']],
    },
    null,
  ],
  [
    'a transaction of zkSync',
    {
      ...{ from: ['uint256', BigInt(bad).toString()], to: ['uint256', BigInt(bad).toString()], data: ['bytes', '0x'] },
      ...{ txType: ['uint256', '113'], value: ['uint256', '1230000000000000000'], maxFeePerGas: ['uint256', '25000000000'] },
    },
    null,
  ],
  [
    'an order of a sub-account',
    {
      ...{
        sender: ['bytes32', `${bad}${'00'.repeat(12)}`],
        price: ['int128', '1234567890123456789012'],
        nonce: ['uint64', '1234567890123456789'],
      },
      ...{ amount: ['int128', '-9876543210987654321'], expiration: ['uint64', '1764409200'] },
    },
    null,
  ],
  ['the nonce of a sign-in as a text', { nonce: ['string', random.slice(2)] }, null],
  ['a hash with the address zero', { to: ['address', `0x${'0'.repeat(40)}`], a: ['bytes32', random] }, nothingButAHash],
  ['a hash as a text with a recipient', { to: ['address', bad], orderHash: ['string', random.slice(2)] }, /orderHash in the/],
  [
    'a hash in a list with a recipient',
    { to: ['address', bad], hash: ['bytes8[]', [part(0, 8), part(8, 16)]] },
    /hash in the typed/,
  ],
  ['two negative amounts', { a: ['int256', '-5'], b: ['int64', '-70'] }, null],
  ['a small number with the name of a hash', { to: ['address', bad], rootIndex: ['uint256', '70'] }, null],
  [
    'an address in 32 bytes and an amount',
    { to: ['bytes32', `0x${'00'.repeat(12)}${bad.slice(2)}`], value: ['uint256', '1'] },
    null,
  ],
  ['a hash with the account', { account: ['address', bad], hash: ['bytes32', random] }, /hash in the typed data is a hash/],
  ['the root of other orders', { maker: ['address', bad], merkleRoot: ['bytes32', random] }, /merkleRoot in the typed data/],
  ['a random nonce with a recipient', { to: ['address', bad], nonce: ['bytes32', random] }, null],
  ['a nonce with a text', { text: ['string', 'Log in'], nonce: ['bytes32', random] }, null],
  ['an address in 32 bytes', { to: ['bytes32', `0x${'00'.repeat(12)}${bad.slice(2)}`] }, null],
  ['the largest number', { value: ['uint256', (2n ** 256n - 1n).toString()] }, null],
  ['bytes that may be a hash', { message: ['bytes', random] }, /unknown function/],
])('typed data with %s', (_, fields, reason) => {
  const types = { M: Object.entries(fields).map(([name, [type]]) => ({ name, type })) };
  const message = Object.fromEntries(Object.entries(fields).map(([name, [, value]]) => [name, value]));
  const read = found({ types, primaryType: 'M', domain: {}, message });
  if (reason === null) expect(read.unreadable).toEqual([]);
  else expect(read.unreadable.join()).toMatch(reason);
});

test('a field that is a structure and has the name of a hash', () => {
  const types = {
    M: [
      { name: 'to', type: 'address' },
      { name: 'orderHash', type: 'P' },
    ],
    P: [
      { name: 'a', type: 'bytes16' },
      { name: 'b', type: 'bytes16' },
    ],
  };
  const message = { to: bad, orderHash: { a: part(0, 16), b: part(16, 32) } };
  expect(found({ types, primaryType: 'M', domain: {}, message }).unreadable.join()).toMatch(
    /orderHash in the typed data is a hash/,
  );
});

test('an address at the start of longer bytes, with something behind it, is looked up', () => {
  const types = { M: [{ name: 'to', type: 'bytes24' }] };
  const read = found({ types, primaryType: 'M', domain: {}, message: { to: `${bad}01020304` } });
  expect(read.parties.map(({ content }) => content)).toContain(bad);
});

test('a domain with a type of its own is read by that', () => {
  const names = ['name', 'version', 'verifyingContract', 'salt'];
  const types = {
    M: [{ name: 'n', type: 'uint8' }],
    EIP712Domain: [...names.map((name) => ({ name, type: 'string' })), { name: 'chainId', type: 'uint256' }],
  };
  // As chains of Cosmos have it.
  const domain = { name: 'Cosmos Web3', version: '1.0.0', chainId: 9001, verifyingContract: 'cosmos', salt: '0' };
  const data = { types, primaryType: 'M', message: { n: 1 } };
  expect(found({ ...data, domain }).unreadable).toEqual([]);
  expect(found({ ...data, domain: { ...domain, verifyingContract: bad } }).parties.map(({ content }) => content)).toContain(bad);
});

test('what the type of a domain does not name is read as usual', () => {
  const types = { M: [{ name: 'n', type: 'uint8' }], EIP712Domain: [{ name: 'name', type: 'string' }] };
  const data = { types, primaryType: 'M', message: { n: 1 } };
  for (const verifyingContract of ['cosmos', BigInt(bad).toString()])
    expect(found({ ...data, domain: { name: 'App', verifyingContract } }).unreadable).toEqual([
      'verifyingContract is not an address',
    ]);
});

test('a domain may have fields without a value, unless its type names them', () => {
  const data = { types: { M: [{ name: 'n', type: 'uint8' }] }, primaryType: 'M', message: { n: 1 } };
  const domain = { name: 'App', chainId: null, salt: '', verifyingContract: '' };
  expect(found({ ...data, domain }).unreadable).toEqual([]);
  const types = { ...data.types, EIP712Domain: [{ name: 'chainId', type: 'uint256' }] };
  expect(found({ ...data, types, domain }).unreadable).toEqual(['chainId in the typed data does not fit its type']);
});

test('typed data with a hash in its domain, which says nothing else', () => {
  const data = { types: { M: [{ name: 'n', type: 'uint8' }] }, primaryType: 'M', message: { n: 1 } };
  const reason = ['the typed data may be nothing but a hash'];
  expect(found({ ...data, domain: { name: 'App', salt: random } }).unreadable).toEqual(reason);
  const types = { ...data.types, EIP712Domain: [{ name: 'salt', type: 'bytes32' }] };
  expect(found({ ...data, types, domain: { salt: random } }).unreadable).toEqual(reason);
  expect(found({ ...data, domain: { name: 'App', chainId: 1 } }).unreadable).toEqual([]);
});

const batch = '0x40a2accbd92bca938b02010e17a5b8929b49130d';
const sendNothing = encodeFunctionData({ abi: parseAbi(['function multiSend(bytes)']), args: ['0x'] });
const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [bad, 0n] });

/** What the owners of a Safe sign. */
function safeTransaction(to: string, data: string, operation: unknown): unknown {
  const fields = 'address to,uint256 value,bytes data,uint8 operation,uint256 nonce';
  const types = {
    SafeTx: fields.split(',').map((field) => ({ type: field.split(' ')[0], name: field.split(' ')[1] })),
  };
  return { types, primaryType: 'SafeTx', domain: {}, message: { to, value: '0', data, operation, nonce: '1' } };
}

test.each<[string, unknown, boolean]>([
  [transfer, 0, true],
  [transfer, '0x0', true],
  ['0x', '0', true],
  [transfer, 1, false],
  ['0x', '1', false],
  [sendNothing, 1, false],
  [transfer, 7, false],
  [transfer, '0x100', false],
])('a transaction of a Safe with the calldata %s and the operation %j', (data, operation, isRead) => {
  expect(found(safeTransaction(bad, data, operation)).unreadable.length === 0).toBe(isRead);
});

test('a Safe may run its own batches', () => {
  expect(found(safeTransaction(batch.toUpperCase().replace('0X', '0x'), sendNothing, 1)).unreadable).toEqual([]);
  for (const data of [transfer, '0x']) {
    expect(found(safeTransaction(batch, data, 1)).unreadable).toEqual([
      'it runs code as the account, and the code cannot be read',
    ]);
  }
});

test('types that repeat a field do not multiply the work', () => {
  const types = { A: Array.from({ length: 1_000 }, () => ({ name: 'a', type: 'A' })) };
  const message = JSON.parse(`${'{"a":'.repeat(12)}{}${'}'.repeat(12)}`);
  expect(found({ types, primaryType: 'A', domain: {}, message }).unreadable).toContain(
    'A in the typed data does not fit its type',
  );
});
