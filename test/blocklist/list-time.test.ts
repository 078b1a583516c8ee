import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allReaders } from '../../src/blocklist/lists/all-readers.js';
import { sharedHostSet } from '../../src/blocklist/lists/covering-set.js';
import { allFormats } from '../../src/blocklist/lists/formats.js';
import { type ListFormat, maxLineLength, maxLineNames } from '../../src/blocklist/lists/list-entry.js';
import { listingOf, listRulesOf } from '../../src/blocklist/lists/list-rules.js';
import { readList } from '../../src/blocklist/lists/read-list.js';
import { SHARED_HOSTS } from '../../src/blocklist/lists/shared-hosts.js';
import { growthBounds } from '../support/growth.js';

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
  ...` ·\t·a·.·a.·1·1 ·"·'·""·#· #·,·;·|·/·//·^·*·$·$,·:·: ·\\·\\"`.split('·'),
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

const rules = listRulesOf({ sharedHosts: sharedHostSet(SHARED_HOSTS) }, allReaders);

test.each<[ListFormat, string, readonly string[]]>([
  ['dnsmasq', 'address=/', ['/', 'a/', '1/', 'a.b/']],
  ['hosts', '0.0.0.0 ', ['a ', 'a.b ', '1 ', '1 1 ']],
  ['hosts', '', ['1 1 ', 'a ', 'a.b ', '1.1 ']],
  ['filter', '0.0.0.0 ', ['a ']],
  ['lines', '', ['a.b ', 'a.b,', '1.', 'https://a.b ', '%41']],
])('a line of %s after %j takes time in proportion to its length', async (format, start, parts) => {
  for (const part of parts) {
    const timeOf = async (size: number): Promise<number> => {
      const text = `${start}${part.repeat(size / part.length)}/0.0.0.0\n`;
      let best = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 3; round++) {
        const before = process.cpuUsage();
        await readList({ format, data: text }, (entry) => void (entry.isIgnored || listingOf(entry, rules)), {
          ...allReaders,
          formats: allFormats,
        });
        const { user, system } = process.cpuUsage(before);
        best = Math.min(best, (user + system) / 1_000);
      }
      return best;
    };
    const [short, long] = [await timeOf(maxLineLength / 8), await timeOf(maxLineLength - 200)];
    // Eight times the text takes eight times as long; a quadratic reader takes 64 times.
    expect(long / Math.max(2, short), part).toBeLessThan(growthBounds.factor);
  }
});

test('a line holds as many names as the limit, and one with more is refused', async () => {
  const problems = async (format: ListFormat, data: string): Promise<(string | undefined)[]> => {
    const entries: (string | undefined)[] = [];
    await readList({ format, data }, ({ problem }) => entries.push(problem), { formats: allFormats });
    return entries;
  };
  const names = Array.from({ length: maxLineNames }, (_, at) => `host-${at}.example`);
  expect(await problems('hosts', `0.0.0.0 ${names.join(' ')}\n`)).toEqual(names.map(() => undefined));
  expect(await problems('hosts', `0.0.0.0 ${names.join(' ')} x.example\n`)).toEqual(['too-long']);
  expect(await problems('dnsmasq', `address=/${names.join('/')}/0.0.0.0\n`)).toEqual(names.map(() => undefined));
  expect(await problems('dnsmasq', `address=/${names.join('/')}/x.example/\n`)).toEqual(['too-long']);
});

test('reading anything in any format ends with entries, or with INVALID_INPUT', async () => {
  const words = [
    ...`||·@@||·evil.example·^·$·third-party·##·- ·url: ·"·'·\n·\n·\r\n· ·  ·\t·,·;·#·!`.split('·'),
    ...'address=/·/·0.0.0.0·::1·local-zone: ·always_nxdomain·CNAME· . ·$ORIGIN ·(·)·@·SOA·{·}·[·]·:'.split('·'),
    ...'blocklist·whitelist·true·0x·\ufeff·\ud800·\0·|·>·&a·*a·---·...·!#if ·!#endif·\\·%'.split('·'),
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
