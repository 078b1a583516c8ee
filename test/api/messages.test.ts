import { expect, test } from 'vitest';
import { allOperations } from '../../src/api/operations/all-operations.js';
import * as z from '../../src/api/operations/zod.js';

/** Values of every kind, none of which suits every field. */
const values: readonly unknown[] = [
  undefined,
  null,
  true,
  1.5,
  -1,
  '',
  'x',
  [],
  ['x'],
  [[]],
  [{}],
  Array(150).fill({}),
  {},
  { x: 1 },
];

/** The messages of an input's checks for wrong values in each of its fields, and in a field that it does not have. */
function messagesOf(type: z.core.$ZodType): string[] {
  const { shape = {} } = type._zod.def as { shape?: Readonly<Record<string, unknown>> };
  const inputs = [...values, ...Object.keys(shape).flatMap((name) => values.map((value) => ({ [name]: value }))), { foo: 1 }];
  return inputs.flatMap((input) => z.check(type, input).issues.map(z.messageOf));
}

// "foo unknown field", "assets must be array" and "must have at least 1 items" were messages.
test('every message about an input continues the path of its field to a sentence', () => {
  const messages = new Set(allOperations.flatMap(({ input }) => messagesOf(input)));
  expect(messages.size).toBeGreaterThan(20);
  expect(messages).toContain('must be an array');
  expect(messages).toContain('is not a known field');
  expect([...messages].filter((message) => !/^(must (be|have) |is |give )/.test(message))).toEqual([]);
  expect(
    [...messages].filter((message) =>
      /\bmust be (array|object|string|number|boolean|record)|\b1 (items|characters)\b/.test(message),
    ),
  ).toEqual([]);
});
