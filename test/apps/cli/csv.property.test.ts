import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { columnLines } from '../../../apps/cli/lists/csv-lines.js';
import { type LineProblem, linesOf as linesOfBytes } from '../../../apps/cli/lists/input-lines.js';

interface Read {
  readonly number: number;
  readonly text: string | null;
  readonly problem?: LineProblem;
}

/** The lines that are not empty, as `screen` reads them. */
async function linesOf(pieces: readonly Uint8Array[], column: string): Promise<Read[]> {
  const input = (async function* () {
    yield* pieces;
  })();
  const lines: Read[] = [];
  for await (const line of linesOfBytes(columnLines(input, column))) if (line.text !== '') lines.push(line);
  return lines;
}

/** Cuts bytes into pieces at these places. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, at) => bytes.subarray(at === 0 ? 0 : ends[at - 1], end));
}

const of = (text: string, column: string): Promise<Read[]> => linesOf([new TextEncoder().encode(text)], column);

const cell = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.stringMatching(/^[",;\t\r\n a"]{0,6}$/),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
);
const separators = fc.constantFrom(',', ';', '\t');

/** RFC 4180, §2: the rules for writing, which do not share code with the reader. */
function written(text: string, separator: string, isQuoted: boolean): string {
  return isQuoted || text.includes('"') || text.includes('\n') || text.includes('\r') || text.includes(separator)
    ? `"${text.replace(/"/g, '""')}"`
    : text;
}

test('reads what a writer of RFC 4180 has written, however the bytes are cut', async () => {
  const table = fc.record({
    separator: separators,
    lineBreak: fc.constantFrom('\n', '\r\n'),
    rows: fc.array(fc.tuple(cell, cell, cell, fc.boolean()), { maxLength: 8 }),
    column: fc.nat(2),
    isNamed: fc.boolean(),
    hasMark: fc.boolean(),
    endsWithBreak: fc.boolean(),
    places: fc.array(fc.nat(400), { maxLength: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(table, async ({ separator, lineBreak, rows, column, isNamed, hasMark, endsWithBreak, places }) => {
      const names = ['first', 'second', 'third'];
      const texts = rows.map(([a, b, c, isQuoted]) =>
        [a, b, c].map((text) => written(text, separator, isQuoted)).join(separator),
      );
      // By its number a column is read in a file without names; then this row is an input as well.
      const all = [names.join(separator), ...texts];
      const text = (hasMark ? '\uFEFF' : '') + all.join(lineBreak) + (endsWithBreak ? lineBreak : '');
      const expected = [names, ...rows].map((row, at) => ({
        number: 1 + (all.slice(0, at).join('').match(/\n/g)?.length ?? 0) + at,
        // A line ends at a carriage return before its line feed, as everywhere in the command line.
        text: (row[column] as string).replace(/[\r\n]+/g, ' '),
      }));
      const lines = await linesOf(cut(new TextEncoder().encode(text), places), isNamed ? names[column]! : String(column + 1));
      expect(lines).toEqual((isNamed ? expected.slice(1) : expected).filter(({ text }) => text !== ''));
    }),
  );
});

test('never throws for bytes of any kind once the column is known, and answers every row', async () => {
  const bytes = fc.uint8Array({ maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(bytes, fc.array(fc.nat(60), { maxLength: 3 }), async (rest, places) => {
      const whole = Buffer.concat([Buffer.from('url,other\n'), rest]);
      const lines = await linesOf(cut(whole, places), 'url');
      expect(lines).toEqual(await linesOf([whole], 'url'));
      if (!rest.includes(34)) {
        const rows = Buffer.from(rest)
          .toString('latin1')
          .split('\n')
          .map((row) => row.replace(/\r$/, '').split(',')[0]);
        expect(lines).toHaveLength(rows.filter(Boolean).length);
      }
      for (const { text, problem } of lines) expect(text === null).toBe(problem !== undefined);
    }),
  );
});

test('an unquoted quote is a character, and names are found in any case', async () => {
  expect(await of('Name;URL\n5" pipe;a.example\nb;c.example\n', 'url')).toEqual([
    { number: 2, text: 'a.example' },
    { number: 3, text: 'c.example' },
  ]);
});

test('a quote that is never closed hides no rows behind it', async () => {
  const broken = await of('url,b\n"a.example,1\nb.example,2\n', 'url');
  expect(broken).toEqual([
    { number: 2, text: '"a.example' },
    { number: 3, text: 'b.example' },
  ]);
  const long = await of(`url,b\n"a.example,1\n${'x'.repeat(1_048_576)}\nb.example,2\n`, 'url');
  expect(long).toEqual([
    { number: 2, text: null, problem: 'too-long' },
    { number: 4, text: 'b.example' },
  ]);
});

test('a cell that is not UTF-8 is reported, and other cells of its row may be anything', async () => {
  const latin = (text: string): Uint8Array => Buffer.from(text, 'latin1');
  expect(await linesOf([latin('url,b\n\xff,1\na.example,\xff\n')], 'url')).toEqual([
    { number: 2, text: null, problem: 'not-utf8' },
    { number: 3, text: 'a.example' },
  ]);
});

test.each([
  ['url,b\na.example,1\n', 'ulr', 'did you mean --column url?'],
  ['url,b\na.example,1\n', '3', 'count the columns from 1'],
  ['a.example\n', 'link', 'pass the number of the column, counted from 1'],
])('rejects a column that %j has not: %s', async (text, column, next) => {
  await expect(of(text, column)).rejects.toMatchObject({ next });
});

test('a row may have as many quoted cells as fit', async () => {
  const row = `${'"",'.repeat(300_000)}"a.example"`;
  expect(await of(`${row}\n`, '300001')).toEqual([{ number: 1, text: 'a.example' }]);
});
