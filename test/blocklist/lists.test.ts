import fc from 'fast-check';
import { prefixOf } from 'portcullis/assets';
import { buildList, type ListInput, type ListText, SHARED_HOSTS } from 'portcullis/publish';
import { describe, expect, test } from 'vitest';
import type { ListEntry, ListFormat } from '../../src/blocklist/lists/list-entry.js';
import { maxLineLength } from '../../src/blocklist/lists/list-entry.js';
import { readList } from '../../src/blocklist/lists/read-list.js';
import { isPrivateHost } from '../../src/core/assets/web/private.js';

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

async function entriesOf(input: ListInput): Promise<ListEntry[]> {
  const entries: ListEntry[] = [];
  await readList(input, (entry) => entries.push(entry));
  return entries;
}

/** `line: text`, with type and problem where there are any. */
async function read(format: ListFormat, data: ListText['data']): Promise<string[]> {
  const entries = await entriesOf({ format, data });
  return entries.map(({ line, text, type = '', problem = '' }) =>
    [`${line}: ${text}`, type, problem].filter(Boolean).join(' | '),
  );
}

describe('lines', () => {
  test('are trimmed, without comments, and numbered as an editor numbers them', async () => {
    const text = '\ufeff# a list\r\n\r\n  evil.example \r\nhttps://b.example/#part # why\n#\n\t#x\nc.example\t# tab\n d.example';
    expect(await read('lines', text)).toEqual(['3: evil.example', '4: https://b.example/#part', '7: c.example', '8: d.example']);
    expect(await read('lines', bytesOf(text))).toEqual(await read('lines', text));
  });

  test.each(['', '\n', '\ufeff', '\r\n\r\n', '# only a comment'])('of nothing are nothing: %j', async (text) => {
    expect(await read('lines', text)).toEqual([]);
    expect(await read('lines', bytesOf(text))).toEqual([]);
  });

  test('that are too long are reported and not held, and the next one is read', async () => {
    const most = 'a'.repeat(maxLineLength);
    expect(await read('lines', `${most}\nb.example`)).toEqual([`1: ${most}`, '2: b.example']);
    expect(await read('lines', `${most}a\nb.example\n${most}aa`)).toEqual(['1:  | too-long', '2: b.example', '3:  | too-long']);
    const parts = function* (): Generator<string> {
      for (let part = 0; part < 2_000; part++) yield 'a'.repeat(1_000);
      yield '\nb.example';
    };
    expect(await read('lines', parts())).toEqual(['1:  | too-long', '2: b.example']);
  });

  test('that are no UTF-8 are lost alone', async () => {
    const bytes = Uint8Array.of(...bytesOf('a.example\nb'), 0xff, ...bytesOf('.example\nbücher.example\n\ud83d'), 0xe2, 0x82);
    const { report } = await buildList(bytes);
    expect(report.refused).toEqual([
      { line: 2, reason: 'not-text' },
      { line: 4, reason: 'not-text' },
    ]);
    expect(report.listed).toBe(2);
  });
});

describe('hosts files', () => {
  test('give every host of a line that leads nowhere', async () => {
    const text = [
      '# comment',
      '127.0.0.1 localhost localhost.localdomain',
      '::1 ip6-localhost ip6-loopback localhost',
      'fe80::1%lo0 localhost',
      '255.255.255.255 broadcasthost',
      'ff02::1\tip6-allnodes',
      '0.0.0.0 0.0.0.0',
      '0.0.0.0 evil.example # why',
      '127.0.0.1\t a.example   b.example',
      ':: c.example',
      '::1 d.example',
      '0:0:0:0:0:0:0:0 e.example',
      '93.184.216.34 real.example',
      '2001:db8::1 real6.example',
      'plain.example',
      'two.example words.example',
      '0.0.0.0',
    ].join('\r\n');
    expect(await read('hosts', text)).toEqual([
      '8: evil.example',
      '9: a.example',
      '9: b.example',
      '10: c.example',
      '11: d.example',
      '12: e.example',
      '13: real.example | not-blocked',
      '14: real6.example | not-blocked',
      '15: plain.example',
      '16: two.example words.example',
    ]);
  });
});

describe('CSV', () => {
  test('finds its columns by their names, in any order and case', async () => {
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
    ['contents alone', 'evil.example\nb.example/a', ['1: evil.example', '2: b.example/a']],
    ['the second behind a type', 'URL,evil.example\nPAGE,b.example/a', ['1: evil.example | URL', '2: b.example/a | PAGE']],
    [
      'the second behind an address',
      'ADDRESS;0x52908400098527886e0f7030069857d2e4169ee7',
      ['1: 0x52908400098527886e0f7030069857d2e4169ee7 | ADDRESS'],
    ],
    ['semicolons', '\ufeffurl;type\r\nevil.example/a,b;PAGE\r\n', ['2: evil.example/a,b | PAGE']],
    ['tabs', 'host\tstatus\nevil.example\tblocked', ['2: evil.example']],
    ['comments and empty lines', '# x\n\ncontent\n# y\nevil.example\n \n', ['5: evil.example']],
    ['quotes', 'content\n"evil.example/a,""b"""\n "c.example" \n', ['2: evil.example/a,"b"', '3: c.example']],
    ['a quote inside a word', 'content,note\nevil.example,5" disk\nb.example,', ['2: evil.example', '3: b.example']],
    ['rows over several lines', 'note,content\n"a\r\nb.example\n",c.example\nx,d.example', ['2: c.example', '5: d.example']],
    ['empty rows as nothing, and an empty content as one', 'type,content\n,\nURL,\n" ",b.example', ['3:  | URL', '4: b.example']],
    ['something behind a quote', 'content,type\n"a.example"b,URL\nc.example,URL', ['2:  | broken-quote', '3: c.example | URL']],
  ])('reads %s', async (_, text, expected) => {
    expect(await read('csv', text)).toEqual(expected);
  });

  test.each([
    ['beside the content', 'evil.example,blocked\ngood.example,allowed\nb.example,Benign'],
    ['behind a type', 'URL,evil.example,BLOCKED\nURL,good.example,ALLOWED\nURL,b.example,false_positive'],
    ['as a label', 'domain,label\nevil.example,Phishing\ngood.example,benign\nb.example,0'],
    ['as a classification', 'classification,url\nmalicious,evil.example\nnot malicious,good.example\nmaybe,b.example'],
    ['as a second label', 'url,status,category\nevil.example,BLOCKED,airdrop\ngood.example,BLOCKED,safe\nb.example,UNKNOWN,scam'],
    ['where the first row has one', 'evil.example,scam\ngood.example,giveaway\nb.example,is fine'],
  ])('lists nothing whose status is another, %s', async (_, text) => {
    const { report, snapshot } = await buildList({ format: 'csv', data: text }, options);
    expect(report.refusedBy['not-blocked']).toBe(2);
    expect([...snapshot]).toEqual([prefixOf('evil.example')]);
  });

  test('reads a note as a note', async () => {
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
  ])('lists no part of a row that has another number of cells: %j', async (text, expected) => {
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
  ])('is refused as a whole where nothing tells which column is which: %j', async (text) => {
    await expect(read('csv', `# x\n${text}`)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('the CSV has unknown columns in line 2'),
    });
  });

  test('holds no more of a row than of a line, however many cells and lines it has', async () => {
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

  test('is refused as a whole where a quote never closes: what follows may be a note or a list', async () => {
    const broken = { code: 'INVALID_INPUT', message: expect.stringContaining('line 3') };
    await expect(read('csv', 'content\na.example\n"b.example\nc.example')).rejects.toMatchObject(broken);
    await expect(read('csv', `content\na.example\n${'b'.repeat(maxLineLength + 1)}\n`)).rejects.toMatchObject(broken);
    await expect(read('csv', `content\na.example\n"${'b\n'.repeat(maxLineLength)}`)).rejects.toMatchObject(broken);
  });
});

describe('our JSON', () => {
  test('is an array of assets, alone or in an object', async () => {
    const assets =
      '[{"type":"URL","content":"a.example","x":[{"content":"no"}]},"b.example",{"content":"\\u0063.ex\\u0061mple\\/a"},7,{},null,[1]]';
    const expected = ['0: a.example | URL', '1: b.example', '2: c.example/a', '3: ', '4: ', '5: ', '6: '];
    expect(await read('json', assets)).toEqual(expected);
    expect(await read('json', `\ufeff {"version":1,"more":{"assets":["no"]},\r\n"assets":${assets} }\n`)).toEqual(expected);
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
  ])('tells where it breaks: %j', async (text, where) => {
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
  ])('lists no item that says what nobody can read: %.40s', async (field, reason) => {
    for (const data of [`[{"content":"e.example",${field}}]`, `{"assets":[{${field},"content":"e.example"}]}`]) {
      const { report } = await buildList({ format: 'json', data });
      expect(report.refused).toEqual(reason === undefined ? [] : [{ line: 0, reason }]);
    }
  });

  test('holds nothing of an item but what it reads', async () => {
    const field = `"${'x'.repeat(60_000)}"`;
    const items = function* (): Generator<string> {
      yield '[{"content":"a.example"';
      for (let at = 0; at < 3_000; at++) yield `,"field ${at}":${field}`;
      yield '}]';
    };
    const before = process.memoryUsage().heapUsed;
    let most = 0;
    const reading = readList({ format: 'json', data: items() }, () => {
      most = process.memoryUsage().heapUsed - before;
    });
    await reading;
    // All of them together are 180 MB.
    expect(most).toBeLessThan(120_000_000);
    expect(most).not.toBe(0);
  });

  test('repeats nothing of what it says', async () => {
    const key = '5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss';
    const error = await read('json', `["${key}",${key}`).catch((caught: Error) => caught);
    expect(String(error)).not.toContain(key.slice(1, 20));
  });

  test('accepts and refuses what JSON.parse does', async () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"\\u0041"',
      '1',
      '-1.5e+3',
      '0',
      '01',
      'true',
      'null',
      'nul',
      ' ',
      '\n',
      '"',
    ];
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

describe('the JSON of eth-phishing-detect', () => {
  const text = JSON.stringify({
    version: 2,
    tolerance: 1,
    fuzzylist: ['fuzzy.example'],
    whitelist: ['good.example', 'fine.example'],
    blacklist: ['evil.example', 'b.example', 7],
  });

  test('gives its blacklist, and says what it does not publish', async () => {
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

  test('is no list without a blacklist', async () => {
    await expect(read('eth-phishing-detect', '{"whitelist":[]}')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await read('eth-phishing-detect', '{"blocklist":["evil.example"]}')).toEqual(['0: evil.example']);
  });
});

describe('parts', () => {
  const samples: Record<ListFormat, string> = {
    lines: '\ufeff# ü\r\nbücher.example\n\n😀.example/ü # x\r\na\rb\r\nlast.example',
    hosts: '0.0.0.0 bücher.example\r\n::1 a.example b.example # ü\r\n\n1.2.3.4 c.example',
    csv: '\ufeffnote,content,status\r\n"a ""ü""\r\n,",bücher.example,\r\n"x"y,z\n,"😀.example",BLOCKED',
    json: '\ufeff{"a":{"assets":[1]},"assets":[ {"content":"b\\u00fccher.example","type":"URL"},\n"😀\\ud83d\\ude00\\"", -1.5e3, true]}',
    'eth-phishing-detect': '{"blacklist":["bücher.example","😀"],"whitelist":[null],"version":1}',
  };

  test.each(Object.entries(samples))('of %s may be cut anywhere, as text and as bytes', async (format, text) => {
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

  test('that are neither text nor bytes are a mistake of the caller, and the source is closed', async () => {
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

const options = { isPublicSuffix: (host: string) => /^(co\.uk|vercel\.app|[^.]+\.eth\.limo|[^.]+\.eth\.link)$/.test(host) };

/** What becomes of one thing: what is listed, or why not. */
async function listed(content: string, type?: string, algorithm?: string): Promise<string> {
  const { expressions, report } = await built([{ content, ...(type !== undefined && { type }) }], algorithm);
  const marks = report.warnings.map((warning) => warning.code);
  return [...expressions, ...report.refused.map(({ reason }) => reason), ...marks].join(' ');
}

/** Hashes cannot be turned back: the changed form tells, and what is unchanged is what was written. */
async function built(assets: { content: string; type?: string }[], algorithm?: string) {
  const { report } = await buildList(assets, { ...options, algorithm });
  const changed = report.warnings.flatMap((warning) => (warning.code === 'changed' ? [warning.to] : []));
  const same = report.listed > 0 && changed.length === 0 ? [assets[0]!.content] : [];
  return { expressions: [...changed, ...same], report };
}

const phrase = 'abandon ability able about above absent absorb abstract absurd abuse access accident';

describe('what becomes of a line', () => {
  const long = 'a'.repeat(17_000);
  test.each<[string, string | undefined, string]>([
    ['evil.example', undefined, 'evil.example'],
    ['https://evil.example/', undefined, 'https://evil.example/'],
    ['http://EVIL.example', undefined, 'evil.example changed'],
    ['https://www.www.evil.example/', undefined, 'evil.example changed'],
    ['www.com', undefined, 'www.com'],
    ['evil.example/a/', undefined, 'evil.example/a/'],
    ['https://www.evil.example:8080/a/../b#c', undefined, 'evil.example/b changed'],
    ['evil.example/a?b=c', undefined, 'evil.example/a?b=c'],
    ['evil.example/a?b=c', 'PAGE', 'evil.example/a?b=c'],
    ['evil.example?b=c', undefined, 'evil.example/?… changed'],
    ['evil.example/a?b=c', 'URL', 'evil.example changed'],
    ['evil.example/a', 'url', 'evil.example changed'],
    ['evil.example', 'PAGE', 'not-a-page'],
    ['evil.example/a/b/c/d', undefined, 'evil.example/a/b/c/d'],
    ['evil.example/a/b/c/d/e', undefined, 'evil.example/a/b/c/d/e exact-only'],
    ['evil.example/a/b/c/d/e?f', undefined, 'evil.example/a/b/c/d/e?f'],
    ['a.b.c.d.e.f.g.h.i.j.k', undefined, 'a.b.c.d.e.f.g.h.i.j.k'],
    ['a.b.c.d.e.f.g.h.i.j.k.l', undefined, 'a.b.c.d.e.f.g.h.i.j.k.l exact-only'],
    ['www.b.c.d.e.f.g.h.i.j.k.l', undefined, 'b.c.d.e.f.g.h.i.j.k.l changed'],
    ['0x52908400098527886E0F7030069857D2E4169EE7', undefined, '0x52908400098527886E0F7030069857D2E4169EE7'],
    ['0x52908400098527886e0f7030069857d2e4169ee7', 'ADDRESS', '0x52908400098527886e0f7030069857d2e4169ee7'],
    [
      'eip155:1:0x52908400098527886e0f7030069857d2e4169ee7',
      undefined,
      'address:0x52908400098527886e0f7030069857d2e4169ee7 changed',
    ],
    ['evil.example', 'ADDRESS', 'unknown'],
    ['0x52908400098527886e0f7030069857d2e4169ee7', 'URL', 'unknown'],
    ['Someone@Evil.example', 'EMAIL', 'Someone@Evil.example'],
    ['someone+a@gmail.com', undefined, '…@gmail.com changed'],
    ['+1 202-555-0100', 'phone_number', 'phone_number:+12025550100 changed'],
    ['@Example_Mint', 'TWITTER', 'twitter:twitter.com/example_mint changed'],
    ['@Example_Mint', undefined, 'unknown'],
    ['https://x.com/Example_Mint/status/1', undefined, 'https://x.com/Example_Mint/status/1'],
    ['https://x.com/Example_Mint', 'TWITTER', 'twitter:twitter.com/example_mint changed'],
    ['https://evil.example/', 'TWITTER', 'unknown'],
    ['https://login.eth.com/', undefined, 'https://login.eth.com/'],
    ['name.eth', undefined, 'name.eth'],
    ['name.eth.limo/page', undefined, 'name.eth.limo/page'],
    ['evil.example', 'DOMAIN', 'type-unknown'],
    ['localhost', undefined, 'not-a-host'],
    ['chrome://settings', undefined, 'internal-scheme'],
    ['some words', undefined, 'unknown'],
    ['', undefined, 'unknown'],
    ['evil.example\tgood.example', undefined, 'not-text'],
    ['evil.example\ngood.example', undefined, 'not-text'],
    ['evil\ud800.example', undefined, 'not-text'],
    ['co.uk', undefined, 'public-suffix'],
    ['https://www.co.uk/a', 'URL', 'public-suffix'],
    ['co.uk/a', undefined, 'co.uk/a'],
    ['name.eth.limo', undefined, 'name.eth changed'],
    ['name.eth.link', undefined, 'name.eth changed'],
    ['sub.name.eth.limo', undefined, 'sub.name.eth changed'],
    ['eth.limo', undefined, 'shared-host'],
    ['https://bit.ly/', undefined, 'shared-host'],
    ['http://www.bit.ly/AbC', 'URL', 'shared-host'],
    ['bit.ly/AbC', undefined, 'bit.ly/AbC'],
    ['evil.wordpress.com', undefined, 'evil.wordpress.com'],
    ['203.0.113.7', undefined, '203.0.113.7'],
    ['https://[2001:db8::1]/', undefined, 'https://[2001:db8::1]/'],
    ['127.0.0.1', undefined, 'private-address'],
    ['http://2130706433/admin', undefined, 'private-address'],
    ['http://192.168.0.1/admin', 'PAGE', 'private-address'],
    ['http://[::ffff:10.0.0.1]:8080/', 'URL', 'private-address'],
    ['0.0.0.0', undefined, 'private-address'],
    ['10.example', undefined, '10.example'],
    ['*.evil.example', undefined, 'evil.example changed'],
    ['.evil.example', undefined, 'evil.example changed'],
    ['https://%2A.www.evil.example/', undefined, 'evil.example changed'],
    ['*.evil.example/a', 'URL', 'evil.example changed'],
    ['*.evil.example/a', undefined, 'wildcard'],
    ['evil.example/a/*', undefined, 'wildcard'],
    ['evil.example/a*', undefined, 'evil.example/a*'],
    ['evil.*', undefined, 'wildcard'],
    ['*.example', undefined, 'wildcard'],
    ['*.*.evil.example', undefined, 'wildcard'],
    ['www.*.evil.example', undefined, 'wildcard'],
    ['a*.evil.example', undefined, 'wildcard'],
    ['*.co.uk', undefined, 'public-suffix'],
    ['*.wordpress.com', undefined, 'shared-host'],
    ['a.example, b.example', undefined, 'several'],
    ['a.example;b.example', undefined, 'several'],
    ['a.example b.example/c 0x52908400098527886e0f7030069857d2e4169ee7', undefined, 'several'],
    ['https://a.example/b https://b.example/c', undefined, 'several'],
    ['https://a.example/b c.pdf', undefined, 'a.example/b%20c.pdf changed'],
    ['https://a.example/b,c.example', undefined, 'https://a.example/b,c.example'],
    ['see evil.example, please', undefined, 'unknown'],
    ['google.com', undefined, 'shared-host'],
    ['https://amazonaws.com', undefined, 'shared-host'],
    ['https://sites.google.com/view/', undefined, 'shared-host'],
    ['https://sites.google.com/view/evil', undefined, 'https://sites.google.com/view/evil'],
    ['https://ipfs.io/ipfs', undefined, 'shared-host'],
    ['https://www.t.me/s', 'PAGE', 'shared-host'],
    ['docs.google.com/document', undefined, 'shared-host'],
    ['https://youtube.com/watch?v=evil', undefined, 'https://youtube.com/watch?v=evil'],
    ['https://youtube.com/watch', undefined, 'shared-host'],
    ['accounts.google.com', undefined, 'accounts.google.com'],
    ['blob:https://evil.example/1-2', undefined, 'too-wide'],
    ['blob:https://evil.example/1-2', 'URL', 'evil.example changed'],
    [`evil.example/${long}`, undefined, 'too-wide'],
    [`evil.example/a?${long}`, undefined, 'too-wide'],
    [`evil.example/${'é'.repeat(2_800)}`, undefined, 'too-wide'],
    [`evil.example/${long}`, 'URL', 'evil.example changed'],
    ['5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss', undefined, 'secret'],
    ['5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss', 'EMAIL', 'secret'],
    ['abandon ability able about above absent absorb abstract absurd abuse access accident', undefined, 'secret'],
    ['abandon\tability\table\tabout\tabove\tabsent\tabsorb\tabstract\tabsurd\tabuse\taccess\taccident', undefined, 'secret'],
    ['f'.repeat(64), 'ADDRESS', 'secret'],
    [`http://user:${'f'.repeat(64)}@evil.example/`, undefined, 'secret'],
    [`user:${'f'.repeat(64)}@evil.example`, 'URL', 'secret'],
    [`https://evil.example/?a=1&pk=${'f'.repeat(64)}#b`, undefined, 'secret'],
    [`https://evil.example/a?${phrase.replace(/ /g, '%2520')}`, undefined, 'secret'],
    [`https://evil.example/a?seed=${phrase.replace(/ /g, '+')}`, 'URL', 'secret'],
    [`blob:https://${phrase.replace(/ /g, '%20')}:x@evil.example/1`, 'URL', 'secret'],
    ['https://user:word@evil.example/', undefined, 'evil.example changed'],
  ])('%.60j as %s: %s', async (content, type, expected) => {
    expect(await listed(content, type)).toBe(expected);
  });

  test.each<[string, string | undefined, string]>([
    ['evil.example', undefined, 'evil.example'],
    ['https://www.evil.example/a', 'URL', 'evil.example/ changed'],
    ['https://www.evil.example/a/', undefined, 'evil.example/a/ changed'],
    ['evil.example/a?b', undefined, 'evil.example/a?b'],
    ['evil.example/a/b/c/', undefined, 'evil.example/a/b/c/'],
    ['evil.example/a/b/c/d/', undefined, 'evil.example/a/b/c/d/ exact-only'],
    ['a.b.c.d.example', undefined, 'a.b.c.d.example'],
    ['z.a.b.c.d.example', undefined, 'z.a.b.c.d.example exact-only'],
    ['0x52908400098527886e0f7030069857d2e4169ee7', undefined, 'type-without-rule'],
    ['bit.ly', undefined, 'shared-host'],
    ['ipfs.io/ipfs/', undefined, 'shared-host'],
    ['*.evil.example', undefined, 'evil.example/ changed'],
  ])('%s as %s by Safe Browsing: %s', async (content, type, expected) => {
    expect(await listed(content, type, 'safe-browsing-4')).toBe(expected);
  });

  test('shared hosts are data, in any spelling', async () => {
    expect(SHARED_HOSTS.length).toBe(new Set(SHARED_HOSTS).size);
    const { report } = await buildList(['bit.ly', 'bücher.example', 'x.example'], { sharedHosts: ['WWW.Bücher.example.'] });
    expect(report.refused).toEqual([{ line: 1, reason: 'shared-host', host: 'xn--bcher-kva.example' }]);
    await expect(buildList([], { sharedHosts: ['no host'] })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test('shared hosts may have folders, which count with all that covers them', async () => {
    const sharedHosts = ['https://pages.Host.example/u/all/', 'a.b.c.example'];
    const lines = ['host.example', 'pages.host.example', 'pages.host.example/u', 'http://www.pages.host.example/u/all'];
    const listedLines = ['pages.host.example/u/all/me', 'pages.host.example/v', 'x.pages.host.example', 'x.host.example'];
    const { report } = await buildList([...lines, 'c.example', 'b.c.example', ...listedLines], { ...options, sharedHosts });
    expect(report.refused.map(({ line, host }) => `${line} ${host}`)).toEqual([
      '0 host.example',
      '1 pages.host.example',
      '2 pages.host.example',
      '3 pages.host.example',
      '4 c.example',
      '5 b.c.example',
    ]);
    expect(report.listed).toBe(listedLines.length);
    await expect(buildList([], { sharedHosts: ['a.example/?b'] })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test('no answer about a public suffix is no answer, and none is made of a promise', async () => {
    for (const answer of [Promise.resolve(false), undefined, null, 1, 'co.uk']) {
      const isPublicSuffix = () => answer as unknown as boolean;
      await expect(buildList(['evil.example'], { isPublicSuffix })).rejects.toThrow(TypeError);
    }
  });

  test('every built-in shared host is refused as a whole, and a page on it is not', async () => {
    const { report } = await buildList([...SHARED_HOSTS, ...SHARED_HOSTS.map((host) => `${host}/page`)]);
    expect(report.refusedBy).toEqual({ 'shared-host': SHARED_HOSTS.length });
    expect(report.listed).toBe(SHARED_HOSTS.length);
  });
});

describe('an address', () => {
  test.each(
    [
      '0.0.0.0 10.0.0.1 100.64.0.1 100.127.255.255 127.255.0.1 169.254.169.254 172.16.0.1 172.31.9.9 192.168.1.1',
      '[::] [::1] [fc00::] [fdff:1::2] [fe80::1] [febf::1]',
    ].flatMap((line) => line.split(' ')),
  )('%s never leads out', (host) => {
    expect(isPrivateHost(host)).toBe(true);
  });

  test.each(
    [
      '1.0.0.0 9.255.255.255 11.0.0.1 100.63.0.1 100.128.0.1 128.0.0.1 169.253.0.1 172.15.0.1 172.32.0.1 192.169.0.1',
      '[::2] [::1:0] [fb00::1] [fe00::1] [2001:db8::1] 127.0.0.1.example 10.example fc00.example 192.168.example',
    ].flatMap((line) => line.split(' ')),
  )('%s may, or is a name', (host) => {
    expect(isPrivateHost(host)).toBe(false);
  });
});

describe('the report', () => {
  test('has the number of every line that is refused, changed or repeated', async () => {
    const data = 'a.example\n# x\nhttp://A.example/\nbit.ly\n\na.example # again\nb.example/1/2/3/4/5\nsome words\n';
    const { report } = await buildList({ format: 'lines', data, name: 'mine' });
    expect(report).toEqual({
      entries: 6,
      listed: 2,
      byType: { URL: 1, PAGE: 1, ADDRESS: 0 },
      refused: [
        { line: 4, source: 'mine', reason: 'shared-host', host: 'bit.ly' },
        { line: 8, source: 'mine', reason: 'unknown' },
      ],
      refusedBy: { 'shared-host': 1, unknown: 1 },
      warnings: [
        { code: 'suffixes-unchecked' },
        { line: 3, source: 'mine', code: 'changed', from: 'http://A.example/', to: 'a.example' },
        { line: 7, source: 'mine', code: 'exact-only', to: 'b.example/1/2/3/4/5' },
        { line: 3, source: 'mine', code: 'duplicate', firstLine: 1, firstSource: 'mine' },
        { line: 6, source: 'mine', code: 'duplicate', firstLine: 1, firstSource: 'mine' },
      ],
      warningsBy: { 'suffixes-unchecked': 1, changed: 1, 'exact-only': 1, duplicate: 2 },
    });
  });

  test('tells texts apart that are handed in one after another', async () => {
    const input = [
      { format: 'hosts', data: '0.0.0.0 a.example', name: 'hosts' } as const,
      'a.example',
      { format: 'lines', data: '\nA.example', name: 'lines' } as const,
    ];
    const { report } = await buildList(input, options);
    expect(report.warnings).toEqual([
      { line: 2, source: 'lines', code: 'changed', from: 'A.example', to: 'a.example' },
      { line: 0, code: 'duplicate', firstLine: 1, firstSource: 'hosts' },
      { line: 2, source: 'lines', code: 'duplicate', firstLine: 1, firstSource: 'hosts' },
    ]);
  });

  test('holds no more than it may, and counts all', async () => {
    const lines = Array.from({ length: 3_000 }, (_, at) => [`some words ${at}`, `WWW.Evil.example/${at % 10}`]).flat();
    const { report } = await buildList(lines, { ...options, reportMax: 3 });
    expect(report.refused.map(({ line }) => line)).toEqual([0, 2, 4]);
    expect(report.refusedBy).toEqual({ unknown: 3_000 });
    expect(report.warningsBy).toEqual({ changed: 3_000, duplicate: 2_990 });
    const duplicates = report.warnings.filter((warning) => warning.code === 'duplicate');
    expect(duplicates.map(({ line, firstLine }) => [line, firstLine])).toEqual([
      [21, 1],
      [23, 3],
      [25, 5],
    ]);
    expect(report.warnings.length).toBe(6);
  });

  test('repeats nothing that stands in a link beside its place', async () => {
    const lines = [
      'http://robin:hunter2@A.example/x?token=hunter2&b#hunter2',
      '  robin:hunter2@b.example:80/x',
      'https:/\\hunter2@c.example/@me/x',
      'https://D.example/5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss/x',
      `https://E.example/${phrase.replace(/ /g, '%20')}`,
      'e.example/1/2/3/4/5/5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss',
    ];
    const { report } = await buildList(lines, options);
    expect(report.listed).toBe(6);
    expect(report.warnings.map((warning) => ('to' in warning ? { from: '', ...warning } : warning))).toMatchObject([
      { from: 'http://…@A.example/x?…#…', to: 'a.example/x?…' },
      { from: '…@b.example:80/x', to: 'b.example/x' },
      { from: 'https:/\\…@c.example/@me/x', to: 'c.example/@me/x' },
      { from: 'https://D.example/…/x', to: 'd.example/…/x' },
      { from: 'https://E.example/…', to: 'e.example/…' },
      { code: 'exact-only', to: 'e.example/1/2/3/4/5/…' },
    ]);
    for (const word of ['hunter2', 'robin', 'abandon', '5KYZ']) expect(JSON.stringify(report)).not.toContain(word);
  });

  test('repeats nothing of a secret, wherever it stands', async () => {
    const key = '5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss';
    const linked = `http://X.example/?seed=${phrase.replace(/ /g, '%20')}`;
    const texts: ListText[] = [key, phrase, `my key: ${key}`, linked, `http://user:${key}@X.example/`].flatMap((secret) => [
      { format: 'lines', data: `${secret}\n${secret} # ${secret}\nbitcoin:${secret}` },
      { format: 'hosts', data: `${secret}\n0.0.0.0 ${secret}\n1.2.3.4 ${secret}` },
      { format: 'csv', data: `content,type,note\n"${secret}",,\n${secret},EMAIL,${secret}\n"${secret}"x,,` },
      { format: 'json', data: JSON.stringify({ assets: [secret, { content: secret, type: secret }] }) },
      { format: 'eth-phishing-detect', data: JSON.stringify({ blacklist: [secret], whitelist: [secret] }) },
    ]);
    const { report } = await buildList(texts, options);
    const shown = JSON.stringify(report);
    for (const word of [key.slice(0, 10), 'abandon', 'accident']) expect(shown).not.toContain(word);
    expect(report.entries).toBeGreaterThan(40);
    expect(report.listed).toBe(0);
  });

  test.each(['http://x:%s@X.example/a', 'http://%s@X.example/', 'https://X.example/a#%s', 'X.example#/?token=%s'])(
    'repeats nothing of a password or a token, which have no shape: %s',
    async (pattern) => {
      const link = pattern.replace('%s', 'hunter2');
      const texts: ListText[] = [
        { format: 'lines', data: `${link}\n${link} # ${link}\nblob:${link}` },
        { format: 'hosts', data: `${link}\n0.0.0.0 ${link}\n1.2.3.4 ${link}` },
        { format: 'csv', data: `content,type,note\n"${link}",,\n${link},EMAIL,${link}\n"${link}"x,,\n${link}` },
        {
          format: 'json',
          data: JSON.stringify({ assets: [link, { content: link, type: link }, { content: link, status: link }] }),
        },
        { format: 'eth-phishing-detect', data: JSON.stringify({ blacklist: [link], whitelist: [link] }) },
      ];
      const { report } = await buildList(texts, options);
      expect(JSON.stringify(report)).not.toContain('hunter2');
      expect(report.warningsBy.changed).toBeGreaterThan(4);
    },
  );
});
