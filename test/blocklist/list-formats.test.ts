import fc from 'fast-check';
import { prefixOf } from 'portcullis/assets';
import { adviceFor, buildList, type ListInput, type ListRefusal, type ListText } from 'portcullis/publish';
import { type TextSourceReport, textSource } from 'portcullis/sources';
import { describe, expect, test } from 'vitest';
import { allReaders } from '../../src/blocklist/lists/all-readers.js';
import { allFormats } from '../../src/blocklist/lists/formats.js';
import type { ListEntry, ListFormat } from '../../src/blocklist/lists/list-entry.js';
import { maxLineLength } from '../../src/blocklist/lists/list-entry.js';
import { readList } from '../../src/blocklist/lists/read-list.js';

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

async function entriesOf(input: ListInput): Promise<ListEntry[]> {
  const entries: ListEntry[] = [];
  await readList(input, (entry) => entries.push(entry), { ...allReaders, formats: allFormats });
  return entries;
}

/** `line: text`, with type and problem if there are any. */
async function read(format: ListFormat, data: ListText['data']): Promise<string[]> {
  const entries = await entriesOf({ format, data });
  return entries.map(({ line, list, text, type = '', problem = '' }) =>
    [`${line}: ${problem === 'unread-list' ? list : text}`, type, problem].filter(Boolean).join(' | '),
  );
}

const options = { isPublicSuffix: (host: string) => /^(co\.uk|vercel\.app|[^.]+\.eth\.limo|[^.]+\.eth\.link)$/.test(host) };

describe('lines', () => {
  test('trims lines, drops comments and numbers lines like an editor', async () => {
    const text = '\ufeff# a list\r\n\r\n  evil.example \r\nhttps://b.example/#part # why\n#\n\t#x\nc.example\t# tab\n d.example';
    expect(await read('lines', text)).toEqual(['3: evil.example', '4: https://b.example/#part', '7: c.example', '8: d.example']);
    expect(await read('lines', bytesOf(text))).toEqual(await read('lines', text));
  });

  test.each(['', '\n', '\ufeff', '\r\n\r\n', '# only a comment'])('finds no entries in %j', async (text) => {
    expect(await read('lines', text)).toEqual([]);
    expect(await read('lines', bytesOf(text))).toEqual([]);
  });

  test('reports a line that is too long, without keeping it, and continues', async () => {
    const most = 'a'.repeat(maxLineLength);
    expect(await read('lines', `${most}\nb.example`)).toEqual([`1: ${most}`, '2: b.example']);
    expect(await read('lines', `${most}a\nb.example\n${most}aa`)).toEqual(['1:  | too-long', '2: b.example', '3:  | too-long']);
    const parts = function* (): Generator<string> {
      for (let part = 0; part < 2_000; part++) yield 'a'.repeat(1_000);
      yield '\nb.example';
    };
    expect(await read('lines', parts())).toEqual(['1:  | too-long', '2: b.example']);
  });

  test('rejects only the lines with invalid UTF-8', async () => {
    const bytes = Uint8Array.of(...bytesOf('a.example\nb'), 0xff, ...bytesOf('.example\nbücher.example\n\ud83d'), 0xe2, 0x82);
    const { report } = await buildList(bytes);
    expect(report.refused).toEqual([
      { line: 2, reason: 'not-text' },
      { line: 4, reason: 'not-text' },
    ]);
    expect(report.listed).toBe(2);
  });
});

test('hosts file lists every host of a line with a sink address', async () => {
  const lines: readonly (readonly string[])[] = [
    ['# comment'],
    ['127.0.0.1 localhost localhost.localdomain'],
    ['::1 ip6-localhost ip6-loopback localhost'],
    ['fe80::1%lo0 localhost'],
    ['255.255.255.255 broadcasthost'],
    ['ff02::1\tip6-allnodes'],
    ['0.0.0.0 0.0.0.0'],
    ['0.0.0.0 evil.example # why', 'evil.example'],
    ['127.0.0.1\t a.example   b.example', 'a.example', 'b.example'],
    [':: c.example', 'c.example'],
    ['::1 d.example', 'd.example'],
    ['0:0:0:0:0:0:0:0 e.example', 'e.example'],
    ['93.184.216.34 real.example', 'real.example | not-blocked'],
    ['2001:db8::1 real6.example', 'real6.example | not-blocked'],
    ['plain.example', 'plain.example'],
    ['two.example words.example', 'two.example words.example'],
    ['0.0.0.0'],
  ];
  expect(await read('hosts', lines.map(([line]) => line).join('\r\n'))).toEqual(
    lines.flatMap(([, ...entries], at) => entries.map((entry) => `${at + 1}: ${entry}`)),
  );
});

describe('CSV', () => {
  test('finds columns by name, in any order and case', async () => {
    const text =
      'id,Status,"Content",note,TYPE\n1,BLOCKED,evil.example,x,URL\n2,ALLOWED,b.example,,url\n3,,c.example,,\n4,UNKNOWN,d.example,,\n';
    expect(await read('csv', text)).toEqual([
      '2: evil.example | URL',
      '3: b.example | url | not-blocked',
      '4: c.example',
      '5: d.example | not-blocked',
    ]);
  });

  test.each([
    ['contents only', 'evil.example\nb.example/a', ['1: evil.example', '2: b.example/a']],
    ['a type before the content', 'URL,evil.example\nPAGE,b.example/a', ['1: evil.example | URL', '2: b.example/a | PAGE']],
    [
      'a type before an address',
      'ADDRESS;0x52908400098527886e0f7030069857d2e4169ee7',
      ['1: 0x52908400098527886e0f7030069857d2e4169ee7 | ADDRESS'],
    ],
    ['semicolons', '\ufeffurl;type\r\nevil.example/a,b;PAGE\r\n', ['2: evil.example/a,b | PAGE']],
    ['tabs', 'host\tstatus\nevil.example\tblocked', ['2: evil.example']],
    ['comments and empty lines', '# x\n\ncontent\n# y\nevil.example\n \n', ['5: evil.example']],
    ['quotes', 'content\n"evil.example/a,""b"""\n "c.example" \n', ['2: evil.example/a,"b"', '3: c.example']],
    ['a quote inside a cell', 'content,note\nevil.example,5" disk\nb.example,', ['2: evil.example', '3: b.example']],
    ['rows that span several lines', 'note,content\n"a\r\nb.example\n",c.example\nx,d.example', ['2: c.example', '5: d.example']],
    [
      'empty rows as nothing, and an empty content as an entry',
      'type,content\n,\nURL,\n" ",b.example',
      ['3:  | URL', '4: b.example'],
    ],
    ['text after a closing quote', 'content,type\n"a.example"b,URL\nc.example,URL', ['2:  | broken-quote', '3: c.example | URL']],
  ])('reads %s', async (_, text, expected) => {
    expect(await read('csv', text)).toEqual(expected);
  });

  test.each([
    ['after the content', 'evil.example,blocked\ngood.example,allowed\nb.example,Benign'],
    ['after a type', 'URL,evil.example,BLOCKED\nURL,good.example,ALLOWED\nURL,b.example,false_positive'],
    ['as a label', 'domain,label\nevil.example,Phishing\ngood.example,benign\nb.example,0'],
    ['as a classification', 'classification,url\nmalicious,evil.example\nnot malicious,good.example\nmaybe,b.example'],
    ['as a second label', 'url,status,category\nevil.example,BLOCKED,airdrop\ngood.example,BLOCKED,safe\nb.example,UNKNOWN,scam'],
    ['without a header', 'evil.example,scam\ngood.example,giveaway\nb.example,is fine'],
  ])('does not list an entry with another status %s', async (_, text) => {
    const { report, snapshot } = await buildList({ format: 'csv', data: text }, options);
    expect(report.refusedBy['not-blocked']).toBe(2);
    expect([...snapshot]).toEqual([prefixOf('evil.example')]);
  });

  test('does not treat a note as a status', async () => {
    expect(await read('csv', 'url,note,status\nevil.example,unknown,\nb.example,allowed,BLOCKED')).toEqual([
      '2: evil.example',
      '3: b.example',
    ]);
  });

  test.each([
    ['url\nhttps://docs.site.example/a,b/phish\nevil.example', ['2:  | columns', '3: evil.example']],
    ['url;type\nhttps://docs.site.example/a;b/phish;PAGE\nevil.example;URL', ['2:  | columns', '3: evil.example | URL']],
    ['type,url\nURL\nURL,evil.example', ['2:  | columns', '3: evil.example | URL']],
    [
      'evil.example,blocked\nhttps://docs.site.example/a\nb.example,blocked,',
      ['1: evil.example', '2:  | columns', '3:  | columns'],
    ],
    ['url\n"evil.example\nb.example"\nc.example', ['2: evil.example\nb.example', '4: c.example']],
  ])('rejects a row with the wrong number of cells: %j', async (text, expected) => {
    expect(await read('csv', text)).toEqual(expected);
  });

  test.each([
    'target,phish_link\nmetamask.io,https://evil.example/x',
    'https://docs.site.example/a,b/phish',
    'https://docs.site.example/a;b/phish',
    'evil.example,2026\nb.example,2025',
    'site,result\nevil.example,x',
    'URL,evil.example,x',
    'evil.example,blocked,x',
  ])('rejects a CSV whose columns cannot be inferred: %j', async (text) => {
    await expect(read('csv', `# x\n${text}`)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('the CSV has unknown columns in line 2'),
    });
  });

  test('limits the length of a row, whatever its cells and lines', async () => {
    const rows = function* (): Generator<string> {
      yield 'content,note\n"a","x\n';
      for (let line = 0; ; line++) yield `k","b${line}\n`;
    };
    await expect(read('csv', rows())).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('line 2'),
    });
    const most = `"a.example","${'\n'.repeat(maxLineLength - 14)}"`;
    expect(most.length).toBe(maxLineLength);
    expect(await read('csv', `content,note\n${most}\nb.example,`)).toEqual(['2: a.example', `${maxLineLength - 11}: b.example`]);
    await expect(read('csv', `content,note\n${most.slice(0, -1)}\n"`)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test('rejects a CSV with an unclosed quote', async () => {
    const broken = { code: 'INVALID_INPUT', message: expect.stringContaining('line 3') };
    await expect(read('csv', 'content\na.example\n"b.example\nc.example')).rejects.toMatchObject(broken);
    await expect(read('csv', `content\na.example\n${'b'.repeat(maxLineLength + 1)}\n`)).rejects.toMatchObject(broken);
    await expect(read('csv', `content\na.example\n"${'b\n'.repeat(maxLineLength)}`)).rejects.toMatchObject(broken);
  });
});

describe('assets JSON', () => {
  test('reads an array of assets, bare or inside an object', async () => {
    const assets =
      '[{"type":"URL","content":"a.example","x":[{"content":"no"}]},"b.example",{"content":"\\u0063.ex\\u0061mple\\/a"},7,{},null,[1]]';
    const expected = ['0: a.example | URL', '1: b.example', '2: c.example/a', '3: ', '4: ', '5: ', '6: '];
    expect(await read('json', assets)).toEqual(expected);
    expect(await read('json', `\ufeff {"version":1,"more":{"assets":["no"]},\r\n"assets":${assets} }\n`)).toEqual([
      '0: more.assets | unread-list',
      ...expected,
    ]);
    expect(await read('json', '{"assets":[]}')).toEqual([]);
    expect(await read('json', '[{"content":"a.example","status":"ALLOWED"},{"status":"BLOCKED","content":"b.example"}]')).toEqual(
      ['0: a.example | not-blocked', '1: b.example'],
    );
    expect(await read('json', '[{"content":"a.example","status":null,"type":null,"note":"x"}]')).toEqual(['0: a.example']);
    expect(await read('json', `["${'a'.repeat(maxLineLength + 1)}","b.example"]`)).toEqual(['0:  | too-long', '1: b.example']);
  });

  test.each([
    ['', 'line 1, column 1'],
    ['{"assets":[\n  "a.example"\n  "b.example"]}', 'line 3, column 3'],
    ['["a.example",]', 'line 1, column 14'],
    ['["a\nb"]', 'line 1, column 4'],
    ['["\\x"]', 'line 1, column 4'],
    ['["\\u00g0"]', 'line 1, column 7'],
    ['[01]', 'line 1, column 4'],
    ['[tru]', 'line 1, column 5'],
    ['["a"] x', 'line 1, column 7'],
    ['["a"', 'line 1, column 5'],
    ['["a"}', 'line 1, column 5'],
    ['{"assets" []}', 'line 1, column 11'],
    ['{assets:[]}', 'line 1, column 2'],
    ['{"assets":[],}', 'line 1, column 14'],
    ['['.repeat(100), 'line 1, column 65'],
    ['{"assets":"a.example"}', 'no "assets" array'],
    ['7', 'no "assets" array'],
  ])('reports the position of the syntax error: %j', async (text, where) => {
    await expect(read('json', text)).rejects.toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining(where) });
  });

  test.each([
    ['"status":false', 'not-blocked'],
    ['"status":0', 'not-blocked'],
    ['"status":["BLOCKED"]', 'not-blocked'],
    ['"status":{"value":"BLOCKED"}', 'not-blocked'],
    [`"status":"${'x'.repeat(maxLineLength + 1)}"`, 'not-blocked'],
    ['"type":7', 'type-unknown'],
    ['"type":["URL"]', 'type-unknown'],
    ['"type":{}', 'type-unknown'],
    [`"type":"${'x'.repeat(maxLineLength + 1)}"`, 'type-unknown'],
    ['"x":{"status":false,"type":7}', undefined],
  ])('rejects an item with an invalid status or type: %.40s', async (field, reason) => {
    const [bare, inside] = [`[{"content":"e.example",${field}}]`, `{"assets":[{${field},"content":"e.example"}]}`];
    for (const [data, place] of [[bare, { line: 0 }] as const, [inside, { line: 0, list: 'assets' }] as const]) {
      const { report } = await buildList({ format: 'json', data });
      expect(report.refused).toEqual(reason === undefined ? [] : [{ ...place, reason }]);
    }
  });

  test('does not repeat the input in errors', async () => {
    const key = '5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss';
    const error = await read('json', `["${key}",${key}`).catch((caught: Error) => caught);
    expect(String(error)).not.toContain(key.slice(1, 20));
  });

  test('accepts and rejects the same documents as JSON.parse', async () => {
    const pieces = [...'{}[],:10 \n"', '"a"', '"\\u0041"', '-1.5e+3', '01', 'true', 'null', 'nul'];
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.json(),
          fc.array(fc.constantFrom(...pieces)).map((parts) => parts.join('')),
        ),
        async (text) => {
          const error = await read('json', text).then(() => '', String);
          let isJson = true;
          try {
            JSON.parse(text);
          } catch {
            isJson = false;
          }
          expect(error === '' || error.includes('no "assets" array')).toBe(isJson);
        },
      ),
    );
  });
});

describe('eth-phishing-detect JSON', () => {
  const text = JSON.stringify({
    version: 2,
    tolerance: 1,
    fuzzylist: ['fuzzy.example'],
    whitelist: ['good.example', 'fine.example'],
    blacklist: ['evil.example', 'b.example', 7],
  });

  test('lists its blacklist, and reports the entries it does not publish', async () => {
    const expected = [
      '0: fuzzy.example | fuzzy-entry',
      '0: good.example | allow-entry',
      '1: fine.example | allow-entry',
      '0: evil.example',
      '1: b.example',
      '2: ',
    ];
    expect(await read('eth-phishing-detect', text)).toEqual(expected);
    const { report } = await buildList({ format: 'eth-phishing-detect', data: text });
    expect(report.listed).toBe(2);
    expect(report.refusedBy).toEqual({ 'allow-entry': 2, 'fuzzy-entry': 1, unknown: 1 });
  });

  test('requires a blacklist', async () => {
    await expect(read('eth-phishing-detect', '{"whitelist":[]}')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await read('eth-phishing-detect', '{"blocklist":["evil.example"]}')).toEqual(['0: evil.example']);
  });
});

describe('lists inside a document that are not read', () => {
  test.each<[ListFormat, string, string[]]>([
    [
      'json',
      '{"domains":["a.example"],"urls":["https://evil.example/x","b.example"],"phishing":["b.example"],"exceptions":["c.example"]}',
      ['0: a.example', '0: urls | unread-list', '0: phishing | unread-list', '0: exceptions | unread-list'],
    ],
    ['json', '{"domains":["a.example"],"Urls":[{"id":7,"URL":"b.example"}]}', ['0: a.example', '0: Urls | unread-list']],
    ['json', '{"domains":{"x":["b.example"]},"address":["a.example"]}', ['0: domains.x | unread-list', '0: a.example']],
    ['json', '{"domains":["a.example"],"x":{"y":[[["b.example"]],"c.example"]}}', ['0: a.example', '0: x.y | unread-list']],
    ['json', '{"domains":["a.example"],"counts":[1,2],"no":[],"meta":[{"name":"x"}]}', ['0: a.example']],
    ['json', '{"domains":[{"url":"a.example","tags":["x"]}]}', ['0: a.example']],
    [
      'json',
      '{"domains":["a.example"],"5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss":["b.example"]}',
      ['0: a.example', '0: undefined | unread-list'],
    ],
    ['eth-phishing-detect', '{"blacklist":["a.example"],"domains":["b.example"]}', ['0: a.example', '0: domains | unread-list']],
    ['yaml', 'blocklist:\n- a.example\nurls:\n- b.example\n- c.example\n', ['2: a.example', '4: urls | unread-list']],
    ['yaml', 'urls: [b.example]\nno: []\nblocklist:\n- a.example\n', ['1: urls | unread-list', '4: a.example']],
    ['yaml', 'version: 1\nx:\n  y:\n    - b.example\nblocklist:\n- a.example\n', ['4: x | unread-list', '6: a.example']],
  ])('%s: %s', async (format, text, expected) => {
    expect(await read(format, text)).toEqual(expected);
  });

  test('a report names the array in which a refused entry is', async () => {
    const data = '{"domains":["a.example","bit.ly"],"urls":["b.example"],"allow":["c.example"]}';
    const refused = [
      { line: 1, list: 'domains', reason: 'shared-host' },
      { line: 0, list: 'urls', reason: 'unread-list' },
    ];
    const { report } = await buildList({ format: 'json', data });
    expect(report.refused).toMatchObject([...refused, { line: 0, list: 'allow', reason: 'allow-entry' }]);
    const reports: TextSourceReport[] = [];
    const source = textSource({ id: 'mine', format: 'json', text: data, onReport: (made) => reports.push(made) });
    await source.artifact('snapshot', await source.version({}), {});
    expect(reports[0]).toMatchObject({ refused, entries: 4, listed: 1, allowed: 1 });
  });

  test('no text of a JSON document is lost: it is an entry, or below a name that the report has', async () => {
    const names = fc.constantFrom('domains', 'address', 'urls', 'allow', 'blacklist', 'x', 'more', 'url', 'Domains');
    const { document } = fc.letrec<{ document: unknown; value: unknown }>((tie) => ({
      document: fc.oneof(fc.array(tie('value')), fc.dictionary(names, tie('value'))),
      value: fc.oneof(
        { maxDepth: 4 },
        fc.integer({ min: 1, max: 99 }).map((at) => `host-${at}.example`),
        tie('document'),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(document, async (value) => {
        const entries = await entriesOf({ format: 'json', data: JSON.stringify(value) }).catch(() => null);
        if (entries === null) return;
        const taken = new Set(entries.map(({ text }) => text));
        const named = new Set(entries.flatMap(({ problem, list }) => (problem === 'unread-list' ? [list] : [])));
        const items = new Set(entries.map(({ line, list }) => [...(list === undefined ? [] : [list]), line].join('.')));
        const visit = (inner: unknown, path: readonly string[]): void => {
          if (typeof inner === 'object' && inner !== null)
            for (const [name, next] of Object.entries(inner)) visit(next, [...path, name]);
          // Only arrays hold entries: a text that is alone is a setting.
          else if (typeof inner === 'string' && /^\d+$/.test(path[path.length - 1]!)) {
            const heads = path.map((_, at) => path.slice(0, at + 1).join('.'));
            expect(taken.has(inner) || heads.some((head) => named.has(head) || items.has(head)), path.join('.')).toBe(true);
          }
        };
        visit(value, []);
      }),
      { numRuns: 500 },
    );
  });
});

describe('what to write instead', () => {
  test.each<[ListFormat, string, string]>([
    ['hosts', '0.0.0.0 http://evil.example/', '0.0.0.0 evil.example'],
    ['yaml', '- { url: evil.example }', '- url: evil.example'],
    ['dnsmasq', 'address=/evil.example', 'address=/evil.example/0.0.0.0'],
    ['unbound', 'local-zone: "evil.example', 'local-zone: "evil.example" always_nxdomain'],
    ['rpz', 'evil.example CNAME', 'evil.example CNAME .'],
  ])('of a malformed line in %s is a line that is listed', async (format, malformed, example) => {
    const build = async (data: string) => (await buildList({ format, data: `${data}\n` })).report;
    expect((await build(malformed)).refusedBy).toEqual({ malformed: 1 });
    expect(adviceFor('malformed', format)).toContain(example);
    expect((await build(example)).listed).toBe(1);
  });

  test.each<[ListFormat, string, ListRefusal, string, string]>([
    [
      'csv',
      'url,note\nhttps://evil.example/a,b,x',
      'columns',
      '"https://evil.example/a,b"',
      'url,note\n"https://evil.example/a,b",x',
    ],
    ['csv', 'note,url\n"a" fake,evil.example', 'broken-quote', '"a ""fake"" shop"', 'note,url\n"a ""fake"" shop",evil.example'],
    ['lines', '||x.com/name^', 'pattern', 'read the list with the format filter', 'evil.example'],
    ['lines', '@@||good.example^', 'pattern', 'read the list with the format filter', 'evil.example'],
    ['filter', '||evil.example:8080^', 'pattern', '||host^ without a port', '||evil.example^'],
    ['filter', '||[2001:db8::1]^', 'pattern', 'a name or an IPv4 address', '||evil.example^'],
    ['filter', '||evil.example^$3p', 'option', '||host^ without options', '||evil.example^'],
    ['dnsmasq', 'address=/#/0.0.0.0', 'pattern', 'address=/evil.example/0.0.0.0', 'address=/evil.example/0.0.0.0'],
    ['lines', '8.8', 'number', 'all four numbers', '192.0.2.1'],
    [
      'json',
      '{"domains":["8.8"],"urls":["evil.example"]}',
      'unread-list',
      'rename it to blocklist',
      '{"blocklist":["evil.example"]}',
    ],
    [
      'eth-phishing-detect',
      '{"blacklist":["8.8"],"urls":["evil.example"]}',
      'unread-list',
      'rename it to blacklist',
      '{"blacklist":["evil.example"]}',
    ],
  ])('in %s for %j: %s, %s', async (format, refused, reason, advice, instead) => {
    expect((await buildList({ format, data: refused })).report.refusedBy[reason]).toBe(1);
    expect(adviceFor(reason, format)).toContain(advice);
    const { report } = await buildList({ format, data: instead });
    expect(report.listed).toBe(1);
  });

  const utf16 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'utf16le'));
  test.each([
    ['little-endian with a byte order mark', utf16('\ufeffevil.example\n')],
    ['big-endian with a byte order mark', utf16('\ufeffevil.example\n').map((_, at, bytes) => bytes[at ^ 1]!)],
    ['little-endian', utf16('evil.example\n')],
    ['big-endian', utf16('evil.example\n').map((_, at, bytes) => bytes[at ^ 1]!)],
  ])('of a text in UTF-16 is UTF-8: %s', async (_, data) => {
    for (const format of ['auto', 'lines', 'csv', 'json', 'yaml'] as const)
      await expect(buildList({ format, data })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        message: expect.stringContaining('save it as UTF-8'),
      });
  });
});

describe('parts', () => {
  const samples: Record<ListFormat, string> = {
    lines: '\ufeff# ü\r\nbücher.example\n\n😀.example/ü # x\r\na\rb\r\nlast.example',
    hosts: '0.0.0.0 bücher.example\r\n::1 a.example b.example # ü\r\n\n1.2.3.4 c.example',
    csv: '\ufeffnote,content,status\r\n"a ""ü""\r\n,",bücher.example,\r\n"x"y,z\n,"😀.example",BLOCKED',
    json: '\ufeff{"a":{"assets":[1]},"assets":[ {"content":"b\\u00fccher.example","type":"URL"},\n"😀\\ud83d\\ude00\\"", -1.5e3, true]}',
    'eth-phishing-detect': '{"blacklist":["bücher.example","😀"],"whitelist":[null],"version":1}',
    auto: '\ufeff! ü\r\n||bücher.example^\r\n@@||b.example^\n😀.example##.ad\n||c.example^$script',
    filter: '\ufeff[Adblock]\r\n||bücher.example^\r\n@@||b.example^\n😀.example##.ad\n0.0.0.0 ü.example\n||c.example^$script',
    yaml: '\ufeff---\r\n- url: "bücher.example" # ü\r\n  a: 😀\n- \'b.example\'\n- url: &a 😀\n- name: |\n   ü\n  url: c.example',
    dnsmasq: '# ü\r\naddress=/bücher.example/b.example/::\r\nserver=/😀.example/\nport=53',
    unbound: 'server:\r\nlocal-zone: "bücher.example" static # ü\r\nlocal-data: "😀.example A 0.0.0.0"\nlocal-zone: "x',
    rpz: '$ORIGIN rpz.\r\n@ SOA a. b. (1\r\n 2 ) ; ü\nbücher.example CNAME .\n😀.example.rpz. A ::\nb CNAME rpz-passthru.',
  };

  test.each(Object.entries(samples))('reads %s cut anywhere, as text and as bytes', async (format, text) => {
    const whole = await read(format as ListFormat, text);
    expect(whole.length).toBeGreaterThan(1);
    const units = Array.from({ length: text.length }, (_, at) => text[at]!);
    expect(await read(format as ListFormat, units)).toEqual(whole);
    const damaged = bytesOf(text).map((byte, at) => (at % 17 === 3 && format === 'lines' ? 0xe2 : byte));
    for (const bytes of [bytesOf(text), damaged]) {
      const all = await read(format as ListFormat, bytes);
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 8 }), fc.boolean(), async (cuts, isAsync) => {
          const ends = [...cuts.sort((a, b) => a - b), bytes.length];
          const parts = ends.map((end, at) => bytes.slice(ends[at - 1] ?? 0, end));
          const later = async function* (): AsyncGenerator<Uint8Array> {
            yield* parts;
          };
          expect(await read(format as ListFormat, isAsync ? later() : parts)).toEqual(all);
        }),
      );
    }
  });

  test('throws TypeError for parts that are neither text nor bytes, and closes the input', async () => {
    let isClosed = false;
    const parts = function* (): Generator<string> {
      try {
        yield 'a.example\n';
        yield 7 as unknown as string;
      } finally {
        isClosed = true;
      }
    };
    await expect(read('lines', parts())).rejects.toThrow(TypeError);
    expect(isClosed).toBe(true);
    await expect(entriesOf(7 as unknown as string)).rejects.toThrow(TypeError);
    await expect(entriesOf({ format: 'xml', data: '' } as unknown as ListText)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(entriesOf([7] as unknown as string[])).rejects.toThrow(TypeError);
  });
});
