import { describe, expect, test } from 'vitest';
import { shownLines } from '../../../apps/cli/terminal/show-value.js';
import { type Rows, tableOf } from '../../../apps/cli/terminal/text-table.js';
import { answering } from './harness.js';
import { run } from './in-process.js';

const columns = 80;
const formats = ['human', 'markdown', 'csv'] as const;
const linesOf = (value: unknown): string[] => shownLines(value, { columns, paint: (_, text) => text });
const manyOf = <T>(size: number, make: (at: number) => T): T[] => Array.from({ length: size }, (_, at) => make(at));

describe.each(formats)('a table as %s', (format) => {
  // They took time and space by the square: 10 s for 4,000.
  test('of rows without common fields has a size in proportion', () => {
    const sizes = [500, 3_000].map((size) => {
      const text = tableOf(
        manyOf(size, (at) => ({ [`field${at}`]: at })),
        format,
        columns,
      );
      for (const at of [0, 300, size - 1]) expect(text).toContain(`field${at}`);
      return text.length;
    });
    expect(sizes[1]! / sizes[0]!).toBeLessThan(20);
  });

  test('of more rows than a call can have arguments', () => {
    const text = tableOf(
      manyOf(130_000, () => ({ a: 1 })),
      format,
      columns,
    );
    expect(text.length).toBeGreaterThan(250_000);
  });

  test('repeats no long name of a field in the lines of others', () => {
    const long = 'x'.repeat(100_000);
    const rows: Rows = manyOf(50, (at) => ({ [at === 7 ? long : `a${at}`]: at }));
    expect(tableOf(rows, format, columns).length).toBeLessThan(150_000);
  });

  test('shows no property that every object has', () => {
    const rows: Rows = [JSON.parse('{"constructor":"own","__proto__":"own too","toString":1}'), { a: 2 }];
    expect(tableOf(rows, format, columns)).not.toMatch(/native|\{\}/);
    expect(tableOf(rows, format, columns)).toContain('own too');
  });
});

test('fields beyond the columns share the last one', () => {
  const rows = [Object.fromEntries(manyOf(256, (at) => [`a${at}`, at])), { a0: 'x', b: 1, c: 'two' }];
  const [titles, first, second] = tableOf(rows, 'csv', columns).split('\r\n');
  expect(titles!.split(',').slice(255)).toEqual(['a255', '(other fields)']);
  expect(first!.endsWith(',255,')).toBe(true);
  expect(second!.startsWith('x,,')).toBe(true);
  expect(second!.endsWith(',"{""b"":1,""c"":""two""}"')).toBe(true);
});

test('an answer with more fields than a call can have arguments is shown', () => {
  const lines = linesOf(Object.fromEntries(manyOf(150_000, (at) => [`field${at}`, at])));
  expect([lines.length, lines[149_999]]).toEqual([150_000, 'field149999  149999']);
});

test('one long name does not pad the others', () => {
  const lines = linesOf({ ['x'.repeat(1_000)]: 1, status: 'ok' });
  expect(lines[1]).toBe(`${'status'.padEnd(40)}  ok`);
});

test('a list of rows without common fields is printed by every command that prints lists', async () => {
  const takedowns = manyOf(300, (at) => ({ [`field${at}`]: at }));
  const url = await answering(() => ({ body: { takedowns, next_page: null } }));
  const env = { PORTCULLIS_API_KEY: 'a-valid-key' };
  for (const more of [[], ['--output', 'csv'], ['--output', 'markdown'], ['--all'], ['--all', '--output', 'csv']]) {
    const { code, stdout } = await run(['api', 'takedownsList', '--url', url, ...more], { env });
    expect([more, code, stdout.includes('field99')]).toEqual([more, 0, true]);
  }
});
