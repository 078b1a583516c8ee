import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resultOf, type Truncated } from '../../../src/servers/mcp/tool-result.js';
import { expectLinearTime } from '../../support/growth.js';
import { propertyRuns } from '../../support/setup.js';

const maxChars = 3_000;

const records = fc.array(fc.record({ id: fc.nat(), text: fc.string({ unit: 'grapheme', maxLength: 300 }) }), { maxLength: 60 });
/** Some are longer than a whole result. */
const groups = fc.array(fc.record({ name: fc.string({ maxLength: 30 }), records, more: fc.record({ records }) }), {
  maxLength: 12,
});
const giants = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ id: fc.nat() }) },
    { weight: 1, arbitrary: fc.constant({ id: 0, text: 'x'.repeat(maxChars) }) },
  ),
  { maxLength: 40 },
);
const answers = fc.record(
  {
    items: records,
    more: fc.record({ nested: records }),
    groups,
    giants,
    note: fc.string({ maxLength: 5_000 }),
    next: fc.option(fc.string()),
  },
  { requiredKeys: [] },
);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether `shown` is `plain` without some items of lists; collects the lists that differ, by their path in `shown`. */
function isPartOf(plain: unknown, shown: unknown, path: string, found: Map<string, readonly [number, number]>): boolean {
  if (Array.isArray(plain) && Array.isArray(shown)) {
    if (shown.length < plain.length) found.set(path, [shown.length, plain.length]);
    let at = 0;
    return shown.every((item, position) => {
      while (at < plain.length) {
        const inner = new Map<string, readonly [number, number]>();
        if (!isPartOf(plain[at++], item, `${path}.${position}`, inner)) continue;
        for (const [key, counts] of inner) found.set(key, counts);
        return true;
      }
      return false;
    });
  }
  if (!isRecord(plain) || !isRecord(shown)) return plain === shown;
  const names = Object.keys(plain);
  return (
    names.length === Object.keys(shown).length &&
    names.every((name) => isPartOf(plain[name], shown[name], path === '' ? name : `${path}.${name}`, found))
  );
}

test('a result is at most as long as the limit, stays valid JSON, and counts every list that it shortens', () => {
  let shortenedOnes = 0;
  fc.assert(
    fc.property(answers, (answer) => {
      const result = resultOf(answer, maxChars);
      const { content, structuredContent } = result;
      const { text } = content[1]!;
      // As it is sent: the value as text and as structure.
      expect(JSON.stringify(result).length).toBeLessThanOrEqual(maxChars);
      expect(JSON.parse(text)).toEqual(structuredContent);
      expect(text).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
      const plain = JSON.parse(JSON.stringify(answer)) as Record<string, unknown>;
      if (!('truncated' in structuredContent!)) {
        expect(structuredContent).toEqual(plain);
        return;
      }
      // Nothing is left out of what fits.
      expect(JSON.stringify(plain).length + JSON.stringify(JSON.stringify(plain)).length).toBeGreaterThan(maxChars - 450);
      const { truncated, ...shown } = structuredContent as { truncated: Truncated; start?: string };
      if (shown.start !== undefined) {
        // Too long without any item.
        expect(JSON.stringify(plain['note'] ?? '').length).toBeGreaterThan(maxChars / 8);
        return;
      }
      const found = new Map<string, readonly [number, number]>();
      expect(isPartOf(plain, shown, '', found)).toBe(true);
      expect(truncated.lists.length + (truncated.otherLists ?? 0)).toBe(found.size);
      for (const { field, returned, total } of truncated.lists)
        expect([field, found.get(field)]).toEqual([field, [returned, total]]);
      shortenedOnes++;
    }),
  );
  expect(shortenedOnes).toBeGreaterThan(propertyRuns / 10);
});

const many = (count: number): object[] => Array.from({ length: count }, (_, id) => ({ id, text: 'some text' }));

test.each<[string, object, readonly object[]]>([
  [
    'two long lists',
    { a: many(2_000), b: many(1_900) },
    [
      { field: 'a', total: 2_000 },
      { field: 'b', total: 1_900 },
    ],
  ],
  ['a short list beside a long one', { a: many(20), b: many(1_900) }, [{ field: 'b', total: 1_900 }]],
  [
    'one item that is too long',
    { items: [{ text: 'x'.repeat(9_000) }, ...many(20)] },
    [{ field: 'items', returned: 20, total: 21 }],
  ],
  ['one item with a long list', { items: [{ sub: many(3_000) }] }, [{ field: 'items.0.sub', total: 3_000 }]],
])('of %s it shows what fits, and names each shortened list', (_, answer, lists) => {
  const { truncated } = resultOf(answer, 5_000).structuredContent as { truncated: Truncated };
  expect([...truncated.lists].sort((one, other) => (one.field < other.field ? -1 : 1))).toMatchObject(lists);
  for (const { returned } of truncated.lists) expect(returned).toBeGreaterThanOrEqual(20);
});

test.each([null, undefined, 7, 'text', [1, 2]])('the value %j becomes an object', (value) => {
  expect(resultOf(value, maxChars).structuredContent).toEqual({ result: value ?? null });
});

test('takes time in proportion to the answer', () => {
  const answerOf = (size: number): string =>
    JSON.stringify({
      a: Array.from({ length: size / 8 }, (_, id) => ({ id })),
      b: Array(size / 8).fill('x'),
      c: 'y'.repeat(size),
    });
  expectLinearTime((text) => void resultOf(JSON.parse(text), maxChars), answerOf);
});
