import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resultOf, type Truncated } from '../../../src/servers/mcp/tool-result.js';
import { expectLinearTime } from '../../support/growth.js';

const maxChars = 3_000;

const records = fc.array(fc.record({ id: fc.nat(), text: fc.string({ unit: 'grapheme', maxLength: 300 }) }), { maxLength: 60 });
const answers = fc.record(
  { items: records, more: fc.record({ nested: records }), note: fc.string({ maxLength: 5_000 }), next: fc.option(fc.string()) },
  { requiredKeys: [] },
);

/** The items that are there are the first ones, unchanged, and the note counts all. */
function expectWholeItems(plain: Record<string, unknown>, shown: Record<string, unknown>): void {
  const { field, returned, total } = shown['truncated'] as Truncated;
  // Too long without its items.
  if (field === '') return;
  const itemsIn = (value: unknown): unknown[] =>
    field.split('.').reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], value) as unknown[];
  expect(itemsIn(plain)).toHaveLength(total);
  expect(itemsIn(shown)).toEqual(itemsIn(plain).slice(0, returned));
  expect(returned).toBeLessThan(total);
}

test('a result is at most as long as the limit, stays valid JSON, and counts what it leaves out', () => {
  fc.assert(
    fc.property(answers, (answer) => {
      const { content, structuredContent } = resultOf(answer, maxChars);
      const { text } = content[1]!;
      expect(text.length).toBeLessThanOrEqual(maxChars);
      expect(JSON.parse(text)).toEqual(structuredContent);
      expect(text).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
      const plain = JSON.parse(JSON.stringify(answer)) as Record<string, unknown>;
      if (JSON.stringify(plain).length <= maxChars) expect(structuredContent).toEqual(plain);
      else expectWholeItems(plain, structuredContent!);
    }),
  );
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
