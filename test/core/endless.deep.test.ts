import { HashSet, PrefixSet } from 'portcullis/assets';
import { expect, test } from 'vitest';

/** Not a generator: it is three times slower, and a set takes 2^25 entries before it rejects. */
function endless<Value>(value: Value): Iterable<Value> {
  const step = { done: false as const, value };
  return { [Symbol.iterator]: () => ({ next: () => step }) };
}

test.each([
  ['PrefixSet', () => PrefixSet.from(endless(0))],
  ['HashSet', () => HashSet.from(endless(new Uint8Array(8)))],
])('%s rejects entries that never end', (_, build) => {
  expect(build).toThrow(expect.objectContaining({ code: 'LIMIT_EXCEEDED' }));
});
