import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readKeyList, requestHead, writeKeyList } from '../../../src/core/ohttp/key-list.js';
import { bytesOf, gatewayPair, keyList } from '../../support/ohttp-vectors.js';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const key = hex(gatewayPair.publicKey);
/** A configuration with its length before it. */
const configuration = (id: string, kem: string, publicKey: string, pairs: string): string => {
  const body = id + kem + publicKey + (pairs.length / 2).toString(16).padStart(4, '0') + pairs;
  return (body.length / 2).toString(16).padStart(4, '0') + body;
};
const ours = configuration('05', '0020', key, '00010001');

test('reads the list of RFC 9458, and writes one of 43 bytes', () => {
  expect(readKeyList(keyList)).toEqual([{ id: 1, publicKey: gatewayPair.publicKey }]);
  const written = writeKeyList([{ id: 5, publicKey: gatewayPair.publicKey }]);
  expect(hex(written)).toBe(ours);
  expect(written).toHaveLength(43);
  expect(hex(requestHead({ id: 5, publicKey: gatewayPair.publicKey }))).toBe('05002000010001');
});

test('skips keys of other algorithms, by their length', () => {
  const p256 = configuration('01', '0010', '04'.repeat(65), '00010001');
  const chacha = configuration('02', '0020', key, '00010003');
  const later = configuration('03', '0020', key, '0001000200010003000100010001ffff');
  expect(readKeyList(bytesOf(p256 + chacha + later + ours))?.map(({ id }) => id)).toEqual([3, 5]);
  expect(readKeyList(bytesOf(p256 + chacha))).toEqual([]);
});

test.each([
  ['no key', ''],
  ['a length that is cut off', '00'],
  ['a key that is cut off', ours.slice(0, -2)],
  ['a byte after the last key', `${ours}00`],
  ['a key without a length before it', ours.slice(4)],
  ['a configuration of two bytes', '00020100'],
  ['two keys of one id', ours + ours],
  ['two keys of one id, one of another algorithm', ours + configuration('05', '0010', '04'.repeat(65), '00010001')],
  ['a key that is too short', configuration('05', '0020', key.slice(2), '00010001')],
  ['a key that is too long', configuration('05', '0020', `${key}00`, '00010001')],
  ['no pair of algorithms', configuration('05', '0020', key, '')],
  ['half a pair', configuration('05', '0020', key, '000100010001')],
  ['pairs that are longer than their length', `002b0500${'20'}${key}0004${'00010001'}0001`],
])('refuses a list with %s as a whole', (_, text) => {
  expect(readKeyList(bytesOf(text))).toBe(null);
});

test('refuses to write keys that cannot be told apart or sent', () => {
  const { publicKey } = gatewayPair;
  for (const keys of [
    [],
    [
      { id: 1, publicKey },
      { id: 1, publicKey },
    ],
    [{ id: 256, publicKey }],
    [{ id: -1, publicKey }],
    [{ id: 0.5, publicKey }],
    [{ id: 1, publicKey: publicKey.subarray(1) }],
    Array.from({ length: 100 }, (_, id) => ({ id, publicKey })),
  ])
    expect(() => writeKeyList(keys)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
});

test('reads what it wrote, and never throws', () => {
  const keys = fc.uniqueArray(
    fc.record({ id: fc.integer({ min: 0, max: 255 }), publicKey: fc.uint8Array({ minLength: 32, maxLength: 32 }) }),
    { selector: ({ id }) => id, minLength: 1, maxLength: 90 },
  );
  fc.assert(
    fc.property(keys, (some) => {
      expect(readKeyList(writeKeyList(some))).toEqual(some);
    }),
  );
  fc.assert(
    fc.property(keys, fc.nat(), fc.integer({ min: 1, max: 255 }), (some, at, change) => {
      const bytes = writeKeyList(some);
      bytes[at % bytes.length]! ^= change;
      readKeyList(bytes);
      readKeyList(bytes.subarray(0, at % bytes.length));
    }),
  );
});
