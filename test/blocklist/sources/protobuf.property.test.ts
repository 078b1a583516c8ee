import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readMessage, type Schema } from '../../../src/blocklist/sources/protobuf.js';
import { bytesField, fixed32Field, fixed64Field, numberField, packedField, varint } from '../../support/protobuf-writer.js';

const inner = { number: [1, 'varint'], bytes: [2, 'bytes'] } as const;
const outer = {
  number: [1, 'varint'],
  text: [2, 'text'],
  bytes: [3, 'bytes'],
  fixed: [4, 'fixed64'],
  numbers: [5, ['varint']],
  one: [6, inner],
  many: [7, [inner]],
  texts: [8, ['text']],
  large: [9, 'varint64'],
  last: [2 ** 29 - 1, 'varint'],
} as const;

interface Inner {
  number: number;
  bytes: string;
}

/** The message by the words of the specification, with bytes in hex. */
interface Model {
  number: number;
  text: string;
  bytes: string;
  fixed: string;
  numbers: number[];
  one: Inner | undefined;
  many: Inner[];
  texts: string[];
  large: string;
  last: number;
}

const empty = (): Model => ({
  number: 0,
  text: '',
  bytes: '',
  fixed: '0'.repeat(16),
  numbers: [],
  one: undefined,
  many: [],
  texts: [],
  large: '0'.repeat(16),
  last: 0,
});

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** What the reader found, in the form of the model. */
function found(bytes: Uint8Array): Model {
  const read = readMessage(outer, bytes);
  const innerOf = (one: { readonly number: number; readonly bytes: Uint8Array }): Inner => ({ ...one, bytes: hex(one.bytes) });
  return {
    ...read,
    bytes: hex(read.bytes),
    fixed: hex(read.fixed),
    numbers: [...read.numbers],
    one: read.one === undefined ? undefined : innerOf(read.one),
    many: read.many.map(innerOf),
    texts: [...read.texts],
    large: hex(read.large),
  };
}

/** One field as it is written, and what it does to the message. */
interface Piece {
  readonly bytes: Buffer;
  apply(model: Model): void;
}

const piece = (bytes: Buffer, apply: Piece['apply'] = () => {}): Piece => ({ bytes, apply });
/** Of several values the last one counts. */
const setting =
  <Name extends keyof Model>(name: Name, value: Model[Name]): Piece['apply'] =>
  (model) => {
    model[name] = value;
  };
const number = fc.oneof(fc.nat(300), fc.maxSafeNat());
const bytes = fc.uint8Array({ maxLength: 200 });
const text = fc.string({ unit: 'grapheme', maxLength: 60 });
const innerPieces = fc.record({ number: fc.option(number), bytes: fc.option(bytes) });
const writeInner = (one: { number: number | null; bytes: Uint8Array | null }): Buffer =>
  Buffer.concat([
    ...(one.number === null ? [] : [numberField(1, one.number)]),
    ...(one.bytes === null ? [] : [bytesField(2, one.bytes)]),
  ]);
const unknownNumber = fc.integer({ min: 10, max: 2 ** 29 - 2 });

const pieces: fc.Arbitrary<Piece> = fc.oneof(
  number.map((value) => piece(numberField(1, value), setting('number', value))),
  text.map((value) => piece(bytesField(2, value), setting('text', value))),
  bytes.map((value) => piece(bytesField(3, value), setting('bytes', hex(value)))),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((value) => {
    const written = fixed64Field(4, value);
    return piece(written, setting('fixed', hex(written.subarray(1))));
  }),
  number.map((value) => piece(numberField(5, value), (model) => void model.numbers.push(value))),
  fc.array(number, { maxLength: 9 }).map((all) => piece(packedField(5, all), (model) => void model.numbers.push(...all))),
  innerPieces.map((one) =>
    piece(bytesField(6, writeInner(one)), (model) => {
      // A message that comes in several pieces is merged.
      const before = model.one ?? { number: 0, bytes: '' };
      model.one = { number: one.number ?? before.number, bytes: one.bytes === null ? before.bytes : hex(one.bytes) };
    }),
  ),
  innerPieces.map((one) =>
    piece(bytesField(7, writeInner(one)), (model) => {
      model.many.push({ number: one.number ?? 0, bytes: hex(one.bytes ?? new Uint8Array()) });
    }),
  ),
  text.map((value) => piece(bytesField(8, value), (model) => void model.texts.push(value))),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((value) => {
    return piece(numberField(9, value), setting('large', hex(fixed64Field(9, value).subarray(1))));
  }),
  number.map((value) => piece(numberField(2 ** 29 - 1, value), setting('last', value))),
  fc.tuple(unknownNumber, number).map(([at, value]) => piece(numberField(at, value))),
  fc.tuple(unknownNumber, bytes).map(([at, value]) => piece(bytesField(at, value))),
  unknownNumber.map((at) => piece(fixed64Field(at, 1n))),
  unknownNumber.map((at) => piece(fixed32Field(at, 1))),
);

function modelOf(some: readonly Piece[]): Model {
  const model = empty();
  for (const { apply } of some) apply(model);
  return model;
}

const refusal = expect.objectContaining({ code: 'INVALID_RESPONSE' });

test('reads what another writer wrote, in any order of the fields', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 20 }), (some) => {
      expect(found(Buffer.concat(some.map((one) => one.bytes)))).toEqual(modelOf(some));
    }),
  );
});

test('refuses every prefix of a message that ends inside a field, and reads one that ends between two as the shorter message', () => {
  fc.assert(
    fc.property(fc.array(pieces, { minLength: 1, maxLength: 6 }), (some) => {
      const whole = Buffer.concat(some.map((one) => one.bytes));
      const ends = new Map([[0, 0]]);
      some.reduce((end, one, at) => {
        ends.set(end + one.bytes.length, at + 1);
        return end + one.bytes.length;
      }, 0);
      for (let length = 0; length <= whole.length; length++) {
        const prefix = whole.subarray(0, length);
        const count = ends.get(length);
        if (count === undefined) expect(() => found(prefix), `${length} of ${hex(whole)}`).toThrow(refusal);
        else expect(found(prefix)).toEqual(modelOf(some.slice(0, count)));
      }
    }),
  );
});

test('reads any bytes or refuses them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (any) => {
      try {
        found(any);
      } catch (error) {
        expect(error).toEqual(refusal);
      }
    }),
  );
});

test.each<[string, Buffer]>([
  ['a group', Buffer.from([0x4b, 0x4c])],
  ['the end of a group', Buffer.from([0x4c])],
  ['a wire type that does not exist', Buffer.from([0x4e])],
  ['a field with the number 0', Buffer.from([0x00, 0x00])],
  ['a tag of more than 32 bits', Buffer.concat([varint(2n ** 32n + 8n), varint(0)])],
  ['a number of eleven bytes', Buffer.from([0x08, ...Array(10).fill(0xff), 0x01])],
  ['a number that does not end', Buffer.from([0x08, 0x80])],
  ['a number of eight bytes as bytes', bytesField(9, 'x'.repeat(8))],
  ['a length beyond the end', Buffer.from([0x1a, 0x02, 0x00])],
  ['a length of 2^60', Buffer.concat([Buffer.from([0x1a]), varint(2n ** 60n)])],
  ['a negative length', Buffer.concat([Buffer.from([0x1a]), varint(-1)])],
  ['an inner length beyond the inner end', bytesField(6, Buffer.from([0x12, 0x05, 0x00]))],
  ['a packed number that does not end', bytesField(5, Buffer.from([0x01, 0x80]))],
  ['text that is not UTF-8', bytesField(2, Buffer.from([0xff]))],
  ['a number where a message is expected', numberField(7, 1)],
  ['bytes where a number is expected', bytesField(1, 'x')],
  ['a fixed number where a number is expected', fixed64Field(1, 1n)],
  ['fixed numbers where numbers are expected', fixed32Field(5, 1)],
])('refuses %s', (_, message) => {
  expect(() => readMessage(outer, message)).toThrow(refusal);
});

test('a negative number and one of 64 bits are far above every limit', () => {
  for (const value of [-1n, -5n, 2n ** 63n]) {
    expect(readMessage(outer, numberField(1, value)).number).toBeGreaterThanOrEqual(2 ** 63);
  }
});

describe('in two mebibytes', () => {
  const mebibytes = (unit: Buffer): Buffer => Buffer.alloc(2 ** 21, unit);
  const kinds: readonly (readonly [string, Schema, Buffer])[] = [
    ['empty messages', outer, mebibytes(bytesField(7, ''))],
    ['empty texts', outer, mebibytes(bytesField(8, ''))],
    ['numbers of one byte', outer, mebibytes(numberField(5, 1))],
    ['packed numbers', outer, packedField(5, Array(2 ** 20).fill(1))],
    ['unknown fields', outer, mebibytes(numberField(15, 1))],
    ['pieces of one message', outer, mebibytes(bytesField(6, ''))],
  ];
  test.each(kinds)('reads or refuses %s quickly', (_, fields, message) => {
    const startMs = performance.now();
    try {
      readMessage(fields, message);
    } catch (error) {
      expect(error).toEqual(refusal);
    }
    expect(performance.now() - startMs).toBeLessThan(2_000);
  });
});
