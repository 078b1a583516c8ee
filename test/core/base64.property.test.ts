import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromBase64, toBase64 } from '../../src/core/base64.js';

test('writes what Node writes, and reads it back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const text = toBase64(bytes);
      expect(text).toBe(Buffer.from(bytes).toString('base64'));
      expect(fromBase64(text)).toEqual(bytes);
    }),
  );
});

test('reads only what it would write', () => {
  const anyText = fc.string({ unit: fc.constantFrom(...'AB+/9z=-_ \né'), maxLength: 9 });
  fc.assert(
    fc.property(anyText, (text) => {
      const bytes = fromBase64(text);
      if (bytes !== null) expect(toBase64(bytes)).toBe(text);
    }),
  );
  for (const text of ['A', 'AA', 'AAA', '====', 'A===', 'AA=A', 'AAA-', 'AAA\n', 'AAAé', 'AAA AAAA', 'AB==', 'AAB='])
    expect(fromBase64(text), text).toBe(null);
  expect(fromBase64('')).toEqual(new Uint8Array(0));
});
