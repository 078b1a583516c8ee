import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allFormats } from '../../src/blocklist/lists/formats.js';
import { type ListFormat, maxLineLength } from '../../src/blocklist/lists/list-entry.js';
import { readList } from '../../src/blocklist/lists/read-list.js';

const listFormats = allFormats.map(({ format }) => format);

const starts: Partial<Record<ListFormat, readonly string[]>> = {
  filter: ['', '||a.example^$', '@@||', '[', '!#if ', '##', '|https://', '||a.example/', '0.0.0.0 '],
  yaml: ['- ', '- "', "- '", '- url: ', '- url: "', 'domains:\n- ', 'x: "', '- a: |\n   ', '- a:\n   - "'],
  dnsmasq: ['address=/', 'server=', 'address=/a/'],
  unbound: ['local-zone: ', 'local-zone: "', 'local-data: "a A ', 'a'],
  rpz: ['a CNAME ', '$ORIGIN ', '@ SOA (', ' ', 'a A ', 'a TXT "'],
  csv: ['url,x\n', '# ', '"', 'url,x\n"'],
};

const pieces = [
  ...[
    ' ',
    '\t',
    'a',
    '.',
    'a.',
    '1',
    '1 ',
    '"',
    "'",
    '""',
    '#',
    ' #',
    ',',
    ';',
    '|',
    '/',
    '//',
    '^',
    '*',
    '$',
    '$,',
    ':',
    ': ',
    '\\',
    '\\"',
  ],
  ...['(', ')', '[', '{', '- ', '-', '=', '@', '@@', '##', '$$', '||', ' A ', 'CNAME ', '_,', 'a=,', '\u00e9', '\ud83d'],
];

test.each(listFormats)('reading %s takes time in proportion to the length of a line', async (format) => {
  for (const start of starts[format] ?? ['', '[', '{"domains":["']) {
    for (const piece of pieces) {
      const text = `${start}${piece.repeat((maxLineLength - 200) / piece.length)}!\n`;
      const before = performance.now();
      await readList({ format, data: text }, () => {}, { formats: allFormats }).catch((error: { code?: string }) =>
        expect(error.code).toBe('INVALID_INPUT'),
      );
      // A quadratic reader takes seconds.
      expect(performance.now() - before, JSON.stringify([start, piece])).toBeLessThan(700);
    }
  }
});

test('reading anything in any format ends with entries, or with INVALID_INPUT', async () => {
  const words = [
    ...[
      '||',
      '@@||',
      'evil.example',
      '^',
      '$',
      'third-party',
      '##',
      '- ',
      'url: ',
      '"',
      "'",
      '\n',
      '\n',
      '\r\n',
      ' ',
      '  ',
      '\t',
      ',',
      ';',
      '#',
      '!',
    ],
    ...[
      'address=/',
      '/',
      '0.0.0.0',
      '::1',
      'local-zone: ',
      'always_nxdomain',
      'CNAME',
      ' . ',
      '$ORIGIN ',
      '(',
      ')',
      '@',
      'SOA',
      '{',
      '}',
      '[',
      ']',
      ':',
    ],
    ...[
      'blocklist',
      'whitelist',
      'true',
      '0x',
      '\ufeff',
      '\ud800',
      '\0',
      '|',
      '>',
      '&a',
      '*a',
      '---',
      '...',
      '!#if ',
      '!#endif',
      '\\',
      '%',
    ],
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...words), { maxLength: 60 }),
      fc.constantFrom(...listFormats),
      async (parts, format) => {
        const lines = new Set<number>();
        const reading = readList(
          { format, data: parts.join('') },
          ({ line, text }) => {
            lines.add(line);
            expect(text.length).toBeLessThanOrEqual(maxLineLength);
          },
          { formats: allFormats },
        );
        await reading.catch((error: { code?: string }) => expect(error.code).toBe('INVALID_INPUT'));
        for (const line of lines) expect(Number.isInteger(line)).toBe(true);
      },
    ),
    { numRuns: 3_000 },
  );
});
