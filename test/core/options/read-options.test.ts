import { describe, expect, test } from 'vitest';
import { PortcullisError } from '../../../src/core/errors.js';
import { nearestName } from '../../../src/core/options/nearest-name.js';
import {
  boolean,
  func,
  having,
  type Kind,
  listOf,
  nested,
  number,
  oneOf,
  optional,
  readOptions,
  recordOf,
  text,
  whole,
} from '../../../src/core/options/read-options.js';

const kinds = {
  url: text(),
  pollMs: optional(whole(1_000, 60_000, 0), 5_000),
  share: optional(number(0, 1)),
  confirm: nested({ timeoutMs: optional(whole(1, 10), 3) }),
};

const read = (options: unknown) => readOptions('createList', kinds, options);

const refusal = (call: () => unknown): string => {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(PortcullisError);
    expect(error).toMatchObject({ code: 'INVALID_INPUT' });
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
};

test('fills in the defaults, and takes undefined as not given', () => {
  const expected = { url: 'x', pollMs: 5_000, share: undefined, confirm: { timeoutMs: 3 } };
  expect(read({ url: 'x' })).toEqual(expected);
  expect(read({ url: 'x', pollMs: undefined, share: undefined, confirm: undefined })).toEqual(expected);
  expect(read({ url: 'x', confirm: { timeoutMs: undefined } })).toEqual(expected);
  expect(read({ url: 'x', pollMs: 0, share: 0.5 })).toEqual({ ...expected, pollMs: 0, share: 0.5 });
});

test.each([
  [{ url: 'x', pollMS: 5 }, 'createList: there is no option pollMS; did you mean pollMs?'],
  [{ url: 'x', pollMS: undefined }, 'createList: there is no option pollMS; did you mean pollMs?'],
  [{ url: 'x', other: 5 }, 'createList: there is no option other'],
  [{ url: 'x', confirm: { timeout: 5 } }, 'createList: there is no option confirm.timeout; did you mean confirm.timeoutMs?'],
  [{ url: 'x', ['a'.repeat(99)]: 5 }, `createList: there is no option ${'a'.repeat(40)}`],
  [JSON.parse('{"url":"x","__proto__":5}'), 'createList: there is no option __proto__'],
  [{ url: 'x', toString: 5 }, 'createList: there is no option toString'],
  [{ url: 'x', constructor: 5 }, 'createList: there is no option constructor'],
])('refuses an unknown name: %j', (options, message) => {
  expect(refusal(() => read(options))).toBe(message);
});

test.each([
  [undefined, 'createList: url must be a string'],
  [null, 'createList: options must be an object'],
  ['secret', 'createList: options must be an object'],
  [['secret'], 'createList: options must be an object'],
  [new Map(), 'createList: options must be an object'],
  [() => {}, 'createList: options must be an object'],
  [{ url: 5 }, 'createList: url must be a string'],
  [{ url: null }, 'createList: url must be a string'],
  [{ url: 'x', confirm: null }, 'createList: confirm must be an object'],
  [{ url: 'x', confirm: { timeoutMs: 1.5 } }, 'createList: confirm.timeoutMs must be a whole number from 1 to 10'],
])('refuses %j', (options, message) => {
  expect(refusal(() => read(options))).toBe(message);
});

test.each([1, 999, 1_000.5, Number.NaN, Number.POSITIVE_INFINITY, -0.5, '5000', 5_000n, null, false])(
  'refuses %s where a whole number of a range is wanted',
  (pollMs) => {
    expect(refusal(() => read({ url: 'x', pollMs }))).toBe('createList: pollMs must be a whole number from 1000 to 60000, or 0');
  },
);

test.each([Number.NaN, -0.1, 1.1, Number.NEGATIVE_INFINITY, '0.5'])('refuses the share %s', (share) => {
  expect(refusal(() => read({ url: 'x', share }))).toBe('createList: share must be a number from 0 to 1');
});

test('calls each getter once, and refuses an option that is inherited or hidden', () => {
  let calls = 0;
  const options = {
    get url() {
      calls++;
      return calls === 1 ? 'x' : 5;
    },
  };
  expect(read(options).url).toBe('x');
  expect(calls).toBe(1);
  class Options {
    url = 'x';
    get pollMs() {
      return 7;
    }
  }
  const inherited = Object.assign(Object.create({ pollMs: 7 }), { url: 'x' });
  const hidden = Object.defineProperty({ url: 'x' }, 'pollMs', { value: 7 });
  for (const given of [inherited, hidden, new Options(), new (class extends Options {})()])
    expect(refusal(() => read(given))).toBe('createList: pollMs must be an own, enumerable property');
  expect(read(Object.assign(Object.create({ unknown: 5 }), { url: 'x' })).pollMs).toBe(5_000);
});

describe('kinds', () => {
  const store = having<{ commit(): void; heads(): void }>('a store', 'commit', 'heads');
  const rows: readonly (readonly [kind: Kind<unknown>, good: readonly unknown[], bad: readonly unknown[], message: string])[] = [
    [boolean, [true, false], [0, 'true', null], 'must be true or false'],
    [func, [() => {}, class {}], [{}, null, 'f'], 'must be a function'],
    [oneOf('a', 'b', 'c'), ['a', 'c'], ['d', 0, null, ['a']], 'must be one of a, b, c'],
    [oneOf(1, 16), [1, 16], ['1', 2, Number.NaN], 'must be one of 1, 16'],
    [text('a name', /^[a-z]+$/), ['ab'], ['', 'A', 5, null], 'must be a name'],
    [store, [{ commit() {}, heads() {} }], [{ commit() {} }, {}, null, 5], 'must be a store'],
    [whole(0, 5, false), [0, 5, false], [true, 6, null], 'must be a whole number from 0 to 5, or false'],
    [listOf(whole(0, 5), 2), [[], [1, 5]], [[1, 2, 3], {}, 'ab', null, new Set([1])], 'must be an array of 0 to 2'],
    [recordOf(text()), [{}, { a: 'b' }], [[], null, 5, new Map()], 'must be an object'],
  ];
  for (const [kind, good, bad, message] of rows) {
    test(`a value that ${message}`, () => {
      for (const value of good) expect(kind(value, 'x')).toEqual(value);
      for (const value of bad) expect(refusal(() => kind(value, 'f: x'))).toBe(`f: x ${message}`);
    });
  }

  test('a list says which one is wrong, and a record does not say its name', () => {
    expect(refusal(() => listOf(text())(['a', 5], 'f: x'))).toBe('f: x[1] must be a string');
    expect(refusal(() => recordOf(text())({ secret: 5 }, 'f: x'))).toBe('f: x[*] must be a string');
    const inner = recordOf(nested({ ids: optional(text(), '') }));
    expect(refusal(() => inner({ secret: { id: 5 } }, 'f: x'))).toBe('f: there is no option x[*].id; did you mean x[*].ids?');
  });

  test('a list and a record are copied', () => {
    const list = [1];
    const record = { a: 'b' };
    expect(listOf(whole(0, 5))(list, 'x')).not.toBe(list);
    expect(recordOf(text())(record, 'x')).not.toBe(record);
  });
});

test.each([
  ['key', ['apiKey', 'baseUrl'], 'apiKey'],
  ['url', ['apiKey', 'baseUrl'], 'baseUrl'],
  ['snyc', ['sync', 'check'], 'sync'],
  ['lists', ['headers', 'fetch'], undefined],
  ['POLLMS', ['pollMs', 'policy'], 'pollMs'],
  ['a'.repeat(99), ['a'.repeat(40)], undefined],
  ['', ['a'], undefined],
  ['x', [], undefined],
])('the nearest name of %s among %j is %s', (given, names, nearest) => {
  expect(nearestName(given, names)).toBe(nearest);
});
