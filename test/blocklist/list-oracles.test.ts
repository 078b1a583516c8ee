import { FiltersEngine, Request } from '@ghostery/adblocker';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDocument, visit } from 'yaml';
import { allReaders } from '../../src/blocklist/lists/all-readers.js';
import { allFormats } from '../../src/blocklist/lists/formats.js';
import type { ListEntry, ListFormat } from '../../src/blocklist/lists/list-entry.js';
import { readList } from '../../src/blocklist/lists/read-list.js';

async function entriesOf(format: ListFormat, data: string): Promise<ListEntry[]> {
  const entries: ListEntry[] = [];
  await readList({ format, data }, (entry) => entries.push(entry), { ...allReaders, formats: allFormats });
  return entries;
}

const kinds = [
  'script',
  'image',
  'stylesheet',
  'xmlhttprequest',
  'sub_frame',
  'font',
  'media',
  'websocket',
  'ping',
  'other',
] as const;
const options = [
  ...['third-party', '~third-party', '3p', '1p', 'script', '~script', 'image', 'popup', 'document', 'doc', 'all', 'important'],
  ...['domain=other.example', 'domain=~other.example', 'match-case', 'subdocument', 'xhr', 'from=x.example', 'to=evil.example'],
  ...'denyallow=evil.example badfilter csp=x redirect=noop.js removeparam=a method=get _ ~document'.split(' '),
  'header=a',
];
const patterns = [
  ...'||evil.example^ ||evil.example ||evil.example^| |https://evil.example/ ||evil.example/'.split(' '),
  ...'||evil.example/* evil.example'.split(' '),
  ...'||*.evil.example^ ||evil.example/a ||evil.example/a^ ||evil.*^ /evil\\.example/ .evil.example^'.split(' '),
  ...'||evil.example:8080^ ||evil.example:8080/a |https://evil.example:8080/a ||evil.example. ||192.0.2.'.split(' '),
  ...'||192.0.2 ||192.0.2.1^ ||[2001:db8::1]^ ||[2001:db8::1] ||2001:db8::1^'.split(' '),
  ...'|https://evil.example/a ||evil.example/a| ||evil.example/a*b *evil.example* ://evil.example'.split(' '),
  ...'||evil.example^a ||.evil.example^'.split(' '),
];

test('lists a host or page only if an ad blocker blocks all of it', async () => {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...patterns),
      fc.uniqueArray(fc.constantFrom(...options), { maxLength: 3 }),
      fc.boolean(),
      async (pattern, chosen, isException) => {
        const rule = `${isException ? '@@' : ''}${pattern}${chosen.length > 0 ? `$${chosen.join(',')}` : ''}`;
        const [entry] = await entriesOf('filter', `${rule}\n`);
        if (entry === undefined || entry.problem !== undefined || entry.isIgnored) return;
        accepted++;
        // Plain hosts are a spelling of blockers for DNS, and `*.` is listed with its host, as in every format.
        const text = entry.text.replace(/^\*?\./, '');
        if (pattern === 'evil.example') return;
        const engine = FiltersEngine.parse(rule);
        // It supports the first for regular expressions only, and not the others.
        if (['match-case', '_', 'popup'].some((option) => chosen.includes(option))) return;
        expect(engine.getFilters().networkFilters.length, rule).toBe(1);
        const place = `https://${pattern.startsWith('||*.') ? 'www.' : ''}${text.replace(/^https?:\/\//, '')}`;
        const isPage = chosen.some((option) => ['document', 'doc', 'all'].includes(option));
        const from = ['https://evil.example/', 'https://other.example/', 'https://x.example/'];
        const asked = isPage ? [['main_frame', place] as const] : kinds.flatMap((kind) => from.map(() => [kind, place] as const));
        for (const [at, [type, url]] of asked.entries()) {
          const sourceUrl = type === 'main_frame' ? url : from[at % from.length]!;
          const { match } = engine.match(Request.fromRawDetails({ type, url, sourceUrl }));
          expect(match, `${rule} as ${type} ${url} from ${sourceUrl}`).toBe(true);
        }
      },
    ),
    { numRuns: 1_500 },
  );
  expect(accepted).toBeGreaterThan(50);
});

test('reads of YAML what the yaml package reads, or nothing', async () => {
  const scalars = [
    ...`evil.example·"b.example"·'c.example'·"a\\"b"·'it''s'·a: b·&x d.example·*x·!t e.example·~·null`.split('·'),
    ...`[f.example]·{url: g.example}·|·>·@h·%i·\`j·-·- k.example·# l·m.example # n·n.example#o·"p·'q·r:s`.split('·'),
    ...`https://t.example/u·"v" w·"x\\u0041"·0x1F·true·1.5·? y·""·''`.split('·'),
  ];
  const names = ['url', 'name', 'domain', 'status', '"url"', 'content', '<<', 'type', 'x y', 'url ', 'URL'];
  const wild = fc.tuple(
    fc.constantFrom('', '', '', '  ', '    ', ' ', '\t'),
    fc.constantFrom('- ', '- ', '-  ', '', '  ', '-', '---', '...'),
    fc.constantFrom(...names.map((name) => `${name}: `), '', '', '', 'denylist:', 'blocklist: ', 'version: ', '#'),
    fc.constantFrom(...scalars, '', ''),
  );
  const usual = fc.tuple(fc.constantFrom('- url: ', '- ', '  name: ', '  url: ', '    '), fc.constantFrom(...scalars));
  const line = fc.oneof({ weight: 1, arbitrary: wild }, { weight: 5, arbitrary: usual });
  let read = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 6 }), async (lines) => {
      const text = lines.map((parts: readonly string[]) => parts.join('')).join('\n');
      const entries = await entriesOf('yaml', text).catch((error: { code: string }) => expect(error.code).toBe('INVALID_INPUT'));
      if (!Array.isArray(entries)) return;
      const taken = entries
        .filter(({ problem, text: content }) => problem === undefined && content !== '')
        .map(({ text: content }) => content);
      if (taken.length === 0) return;
      read++;
      const values: unknown[] = [];
      // `schema: failsafe` keeps every scalar a text. Items that are refused may be invalid, and end where their indentation does.
      visit(parseDocument(text, { schema: 'failsafe', uniqueKeys: false, logLevel: 'silent' }), {
        Scalar: (_, { value }) => void values.push(value),
      });
      for (const content of taken) expect(values, text).toContain(content);
    }),
    { numRuns: 1_500 },
  );
  expect(read).toBeGreaterThan(30);
});
