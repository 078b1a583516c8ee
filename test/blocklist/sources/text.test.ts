import { gzipSync } from 'node:zlib';
import { createBlocklist, hashOf } from 'portcullis';
import { memoryStore } from 'portcullis/stores';
import { describe, expect, test } from 'vitest';
import type { ListFormat } from '../../../src/blocklist/lists/list-entry.js';
import { publishedSource } from '../../../src/blocklist/sources/published-source.js';
import type { TextSourceOptions, TextSourceReport } from '../../../src/blocklist/sources/text-source.js';
import { textSource } from '../../../src/blocklist/sources/text-source.js';
import type { HashSet } from '../../../src/core/prefixes/hash-set.js';
import { coversOf } from '../../support/covers.js';
import { serve } from '../../support/scripted-server.js';
import {
  bytesOf,
  codeOf,
  errorOf,
  expectAborted,
  hasty,
  hexOf,
  hostFaults,
  hosting,
  listedIn,
  readAll,
  shown,
  textListedBy,
} from './harness.js';

const entriesOf = (...expressions: string[]): string[] => hexIn(expressions.map((expression) => hashOf(expression)));
const hexIn = (hashes: readonly Uint8Array[]): string[] =>
  hashes.map((hash) => Buffer.from(hash.subarray(0, 8)).toString('hex')).sort();

/** The entries of a list with these, and the covers that it needs for them and for what it allows. */
const withCovers = (listed: readonly string[], allowed: readonly string[] = []): string[] =>
  [...entriesOf(...listed), ...hexIn(coversOf([...listed, ...allowed]))].sort();

const lines = '# seen\nEvil.example\nhttps://www.pages.example/Fake/ # a page\n0x52908400098527886E0F7030069857D2E4169EE7\n';
const expressions = ['evil.example', 'pages.example/Fake', 'address:0x52908400098527886e0f7030069857d2e4169ee7'] as const;

describe('reading', () => {
  test.each([
    ['lines', lines, [...expressions]],
    ['hosts', '127.0.0.1 localhost\n0.0.0.0 evil.example\n:: scam.example\n', ['evil.example', 'scam.example']],
    [
      'json',
      '["evil.example", {"type": "PAGE", "content": "a.example/x"}, {"content": "b.example", "status": "ALLOWED"}]',
      ['evil.example', 'a.example/x'],
    ],
    ['csv', 'content,type,status\nevil.example,URL,BLOCKED\ngood.example,URL,ALLOWED\n', ['evil.example']],
  ] as const)('reads %s from a string, bytes, a function and a URL', async (format, text, listed) => {
    const { origin } = await hosting(new Map([['list?v=1', bytesOf(text)]]));
    for (const given of [
      { text },
      { bytes: bytesOf(text) },
      { read: () => text },
      { read: async () => bytesOf(text) },
      { url: `${origin}/list?v=1` },
    ]) {
      expect(await textListedBy({ format, ...given }), Object.keys(given)[0]).toMatchObject({
        listed: withCovers(listed),
        allowed: [],
      });
    }
  });

  test.each(['eth-phishing-detect', 'auto'] as const)(
    'reads eth-phishing-detect with its allowlist, including shared hosts, as %s',
    async (format) => {
      const config = {
        version: 2,
        tolerance: 2,
        fuzzylist: ['wallet.example'],
        whitelist: ['good.example', 't.me'],
        blacklist: ['evil.example', 't.me'],
      };
      expect(await textListedBy({ format, text: JSON.stringify(config) })).toMatchObject({
        listed: entriesOf('evil.example'),
        allowed: entriesOf('good.example', 't.me'),
      });
    },
  );

  test('allows the exceptions of a filter list, and leaves out what a rule takes back', async () => {
    const text =
      '||evil.example^\n@@||good.evil.example^\n||a.example^\n@@||a.example^$document\n||b.example^\n||b.example^$badfilter\n@@||c.example^$script\n';
    expect(await textListedBy({ format: 'filter', text })).toMatchObject({
      listed: withCovers(['evil.example', 'a.example'], ['good.evil.example']),
      allowed: entriesOf('good.evil.example', 'a.example'),
    });
  });

  test('reads the columns of a CSV that the caller names', async () => {
    const text = 'target;Phish Link;state\nmetamask.io;https://evil.example/;phishing\nmetamask.io;b.example;benign\n';
    const columns = { content: 'phish link', status: 3 };
    expect((await textListedBy({ format: 'csv', columns, text })).listed).toEqual(entriesOf('evil.example'));
    const bare = 'x,evil.example\ny,b.example\n';
    expect((await textListedBy({ format: 'csv', columns: { content: 2 }, text: bare })).listed).toEqual(
      entriesOf('evil.example', 'b.example'),
    );
    for (const [given, code] of [
      [{ content: 'url' }, 'INVALID_ARTIFACT'],
      [{ content: 4 }, 'INVALID_ARTIFACT'],
    ] as const)
      expect(await codeOf(textListedBy({ format: 'csv', columns: given, text }))).toBe(code);
    for (const [columns, message] of [
      [{ content: 0 }, /columns.content/],
      [{}, /content/],
      [{ content: 'a', other: 'b' }, /no option columns.other/],
    ] as const)
      expect(() => textSource({ id: 'mine', format: 'csv', columns: columns as never, text })).toThrow(message);
    expect(() => textSource({ id: 'mine', format: 'lines', columns: { content: 1 }, text })).toThrow(/unless format is 'csv'/);
  });

  test('uses the rules of the chosen algorithm', async () => {
    const { version } = await readAll(textSource({ id: 'sb', text: 'evil.example', algorithm: 'safe-browsing-4' }));
    expect(version.algoVersion).toBe('safe-browsing-4');
    expect((await textListedBy({ text: 'evil.example', algorithm: 'safe-browsing-4' })).listed).toEqual(
      entriesOf('evil.example/'),
    );
  });

  test('reads a text without entries as an empty list, which is proven if the caller passed it', async () => {
    for (const [given, isProven] of [
      [{ text: '# nothing yet' }, true],
      [{ bytes: bytesOf('# nothing yet\n') }, true],
      [{ read: () => '# nothing yet' }, false],
    ] as const) {
      const { snapshot } = await readAll(textSource({ id: 'mine', ...given }));
      expect([snapshot.entries.size, snapshot.isProven]).toEqual([0, isProven]);
    }
  });

  test.each(['', '\n\n', ' \r\n'])('rejects %j, which may be a file that was truncated or not written yet', async (text) => {
    for (const given of [{ text }, { bytes: bytesOf(text) }, { read: () => text }]) {
      const reading = readAll(textSource({ id: 'mine', ...given }));
      await expect(reading).rejects.toMatchObject({ code: 'INVALID_ARTIFACT', message: expect.stringContaining('it is empty') });
    }
  });

  test('rejects the URL of a list in place of the list, and reads the URL of a page', async () => {
    for (const text of ['https://lists.example/evil.txt', ' https://lists.example/a/hosts.csv?v=1\n'])
      await expect(textListedBy({ text })).rejects.toThrow(/pass it as url/);
    for (const text of [
      'https://evil.example/a',
      'https://evil.example/a.php',
      'evil.example/a.txt',
      'https://a.example/a.txt\nb.example',
    ])
      expect((await textListedBy({ text })).listed).not.toEqual([]);
  });

  test.each<[ListFormat, string, string]>([
    ['lines', '<!doctype html><title>Welcome</title>\nevil.example\n', 'an HTML page'],
    ['lines', 'bit.ly\nlocalhost\n', 'no entry that can be listed'],
    ['lines', '{"assets": ["evil.example"]}', 'another format'],
    ['json', '["evil.example"', 'a truncated document'],
    ['json', '{"error": "no"}', 'an unrelated object'],
    ['eth-phishing-detect', '{"blacklist": 7}', 'an unrelated object'],
  ])('%s: rejects %j: %s', async (format, text) => {
    expect(await codeOf(textListedBy({ format, text }))).toBe('INVALID_ARTIFACT');
    expect(await codeOf(textListedBy({ format, bytes: bytesOf(text) }))).toBe('INVALID_ARTIFACT');
  });

  test('reports counts without text', async () => {
    const reports: TextSourceReport[] = [];
    const phrase = `${'abandon '.repeat(11)}about`;
    await textListedBy({
      text: `evil.example\nhttp://evil.example/\n${phrase}\nbit.ly\nco.uk\n`,
      isPublicSuffix: (host) => host === 'co.uk',
      onReport: (report) => {
        reports.push(report);
        throw new Error('a listener of no use');
      },
    });
    expect(reports).toEqual([
      {
        format: 'lines',
        entries: 5,
        listed: 1,
        accounts: 0,
        allowed: 0,
        ignored: 0,
        refused: [
          { line: 3, reason: 'secret' },
          { line: 4, reason: 'shared-host' },
          { line: 5, reason: 'public-suffix' },
        ],
        refusedBy: { secret: 1, 'shared-host': 1, 'public-suffix': 1 },
        warnings: [],
      },
    ]);
    expect((await textListedBy({ text: 'bit.ly\nmine.example', sharedHosts: ['mine.example'] })).listed).toEqual(
      entriesOf('bit.ly'),
    );
  });
});

describe('tokens', () => {
  const tokenOf = async (options: Omit<TextSourceOptions, 'id'>): Promise<string> =>
    (await textSource({ id: 'mine', ...options }).version({})).snapshot.token;

  test('are the same for the same list, wherever it comes from', async () => {
    const token = await tokenOf({ text: lines });
    expect(token).toMatch(/^[0-9a-f]{32}$/);
    for (const same of [{ text: lines }, { bytes: bytesOf(lines) }, { read: () => lines }])
      expect(await tokenOf(same)).toBe(token);
  });

  test('change with the text, format, algorithm and shared hosts', async () => {
    const all: Omit<TextSourceOptions, 'id'>[] = [
      { text: 'a.example' },
      { text: 'b.example' },
      { text: 'a.example', format: 'csv' },
      { text: 'a.example', algorithm: 'safe-browsing-4' },
      { text: 'a.example', sharedHosts: [] },
    ];
    expect(new Set(await Promise.all(all.map(tokenOf))).size).toBe(all.length);
  });
});

describe('from a URL', () => {
  test('fetches the list only if it has changed', async () => {
    const files = new Map([['list.txt', bytesOf(lines)]]);
    const { origin, requests } = await hosting(files);
    const source = textSource({ id: 'mine', url: `${origin}/list.txt` });
    const first = await readAll(source);
    expect((await source.version({})).snapshot).toEqual(first.version.snapshot);
    files.set('list.txt', bytesOf('new.example\n'));
    const second = await readAll(source);
    expect(second.version.snapshot).not.toEqual(first.version.snapshot);
    expect(hexOf(second.snapshot.entries as HashSet)).toEqual(entriesOf('new.example'));
    expect(second.snapshot.isProven).toBe(false);
    expect(requests.map(({ method }) => method)).toEqual(['HEAD', 'GET', 'HEAD', 'HEAD', 'GET']);
  });

  test.each([405, 501, 403, 404])('fetches the list for each poll if HEAD is answered with %d', async (status) => {
    const server = await serve(({ method }) => (method === 'HEAD' ? { status } : { body: lines }));
    const source = textSource({ id: 'mine', url: server.origin });
    expect(listedIn((await readAll(source)).snapshot)).toBe(3);
    expect(server.requests.map(({ method }) => method)).toEqual(['HEAD', 'GET']);
  });

  test('fetches the list for each poll if the host sends no validator', async () => {
    const server = await serve([{ body: lines }]);
    expect(listedIn((await readAll(textSource({ id: 'mine', url: server.origin }))).snapshot)).toBe(3);
    expect(server.requests.map(({ method }) => method)).toEqual(['HEAD', 'GET']);
  });

  test.each(hostFaults.map(([what, answer, ...codes]) => [what, answer, codes] as const))(
    'reports a host that %s and recovers',
    async (_, answer, codes) => {
      const { origin, answers } = await hosting(new Map([['list.txt', bytesOf(lines)]]));
      const source = textSource({
        id: 'mine',
        url: `${origin}/list.txt`,
        ...(codes.includes('TIMEOUT') && hasty),
        maxBytes: 1_000_000,
      });
      const version = await source.version({});
      answers.set('list.txt', answer(Buffer.from(lines)));
      const error = await errorOf(source.artifact('snapshot', version, {}));
      expect(codes).toContain(error.code);
      // HEAD has no body that could fail.
      await source.version({}).catch((thrown: { code: string }) => expect(codes).toContain(thrown.code));
      answers.clear();
      expect(listedIn((await readAll(source)).snapshot)).toBe(3);
    },
  );

  test('asks whether the list has changed where HEAD does not say so', async () => {
    let text = lines;
    const server = await serve(({ method, headers }) => {
      if (method === 'HEAD') return { status: 405 };
      const etag = `"${text.length}"`;
      return headers['if-none-match'] === etag ? { status: 304 } : { body: text, headers: { etag } };
    });
    const source = textSource({ id: 'mine', url: server.origin });
    const first = await readAll(source);
    const asked = server.bytesSent();
    expect((await source.version({})).snapshot).toEqual(first.version.snapshot);
    expect(server.bytesSent() - asked).toBeLessThan(600);
    // A list that could not be used before is fetched again.
    expect(listedIn(await source.artifact('snapshot', await source.version({}), {}))).toBe(3);
    text += 'new.example\n';
    expect(listedIn((await readAll(source)).snapshot)).toBe(4);
    expect(server.requests.filter(({ headers }) => headers['if-none-match'] !== undefined).length).toBe(3);
  });

  test.each([
    ['etag', '"1, a"', 'if-none-match'],
    ['last-modified', 'Sun, 22 Nov 2026 10:00:00 GMT', 'if-modified-since'],
  ])(
    'asks whether the list has changed after a restart, by %s, and never about another list',
    async (field, value, condition) => {
      let answers = 0;
      const server = await serve(({ method, headers }) => {
        if (method === 'HEAD') return { status: 405 };
        if (headers[condition] === value) return { status: 304 };
        answers++;
        return { body: lines, headers: { [field]: value } };
      });
      const store = memoryStore();
      const counts: number[] = [];
      const start = async (more: Partial<TextSourceOptions> = {}): Promise<void> => {
        const source = textSource({ id: 'mine', url: server.origin, ...more });
        const blocklist = createBlocklist({ sources: [source], store, pollMs: 0 });
        await blocklist.ready();
        await blocklist.sync();
        expect((await blocklist.check('https://evil.example/')).status).toBe('blocked');
        await blocklist.close();
        counts.push(answers);
      };
      await start();
      await start();
      await start({ url: `${server.origin}/other` });
      await start({ url: `${server.origin}/other`, sharedHosts: ['a.example'] });
      expect(counts).toEqual([1, 1, 2, 3]);
    },
  );

  test('downloads a list of which the host says nothing once for each change', async () => {
    let text = lines;
    const server = await serve(({ method }) => (method === 'HEAD' ? { status: 405 } : { body: text }));
    const source = textSource({ id: 'mine', url: server.origin });
    const blocklist = createBlocklist({ sources: [source], pollMs: 0 });
    const downloads = (): number => server.requests.filter(({ method }) => method === 'GET').length;
    await blocklist.ready();
    expect(downloads()).toBe(1);
    text += 'new.example\n';
    await blocklist.sync();
    expect([downloads(), (await blocklist.check('https://new.example/')).status]).toEqual([2, 'blocked']);
    await blocklist.close();
  });

  test.each<[ListFormat, string]>([
    ['lines', ''],
    ['auto', '\n\n'],
    ['auto', '# maintenance, back soon\n'],
    ['filter', '! Title: x\n'],
    ['json', '{"message":"rate limit","domains":[]}'],
    ['eth-phishing-detect', '{"blacklist":[],"whitelist":[]}'],
    ['yaml', 'blocklist: []\n'],
    ['hosts', '127.0.0.1 localhost\n'],
  ])('%s: a host that answers %j has no list, so nothing is clear', async (format, body) => {
    const { origin } = await hosting(new Map([['list', bytesOf(body)]]));
    const blocklist = createBlocklist({
      sources: [textSource({ id: 'mine', url: `${origin}/list`, format })],
      pollMs: 0,
    });
    await blocklist.ready();
    expect((await blocklist.check('https://a.example/')).status).not.toBe('clear');
    expect(blocklist.status().sources[0]!.lastError).toMatchObject({
      code: 'INVALID_ARTIFACT',
      message: expect.stringContaining('check its URL'),
    });
    await blocklist.close();
    // A list of one's own may be empty, but not all of it.
    if (body.trim() !== '') expect(await textListedBy({ format, text: body })).toMatchObject({ listed: [], allowed: [] });
  });

  test('asks by the date where there is no ETag, and never with a condition across origins in a browser', async () => {
    const seen: (string | undefined)[] = [];
    for (const type of ['basic', 'cors']) {
      const source = textSource({
        id: 'mine',
        url: 'https://list.example/l',
        fetch: async (_, init) => {
          if (init?.method === 'HEAD') return new Response(null, { status: 403 });
          const headers = init?.headers as Record<string, string>;
          seen.push(headers['if-modified-since']);
          const answer = new Response('evil.example', { headers: { 'last-modified': 'Sun, 22 Nov 2026 10:00:00 GMT' } });
          return Object.defineProperty(answer, 'type', { value: type });
        },
      });
      await readAll(source);
      await source.version({});
    }
    expect(seen).toEqual([undefined, 'Sun, 22 Nov 2026 10:00:00 GMT', undefined, undefined]);
  });

  test('decompresses a gzip file, however it is cut, and limits what comes out', async () => {
    const text = lines + Array.from({ length: 3_000 }, (_, at) => `n${at}.example\n`).join('');
    const files = new Map([
      ['list.gz', new Uint8Array(gzipSync(text))],
      ['bomb.gz', new Uint8Array(gzipSync('evil.example\n'.repeat(200_000)))],
      ['damaged.gz', new Uint8Array(gzipSync(text)).map((byte, at) => (at === 200 ? byte ^ 0xff : byte))],
      ['cut.gz', new Uint8Array(gzipSync(text)).slice(0, -300)],
      ['list.zip', bytesOf(`PK\u0003\u0004${lines}`)],
    ]);
    const { origin } = await hosting(files);
    const maxBytes = text.length;
    const of = (name: string) => ({ url: `${origin}/${name}`, maxBytes });
    expect((await textListedBy(of('list.gz'))).listed.length).toBe(3_004);
    expect((await textListedBy({ bytes: files.get('list.gz')!, maxBytes })).listed.length).toBe(3_004);
    expect(await codeOf(textListedBy({ ...of('list.gz'), maxBytes: maxBytes - 1 }))).toBe('LIMIT_EXCEEDED');
    expect(await codeOf(textListedBy(of('bomb.gz')))).toBe('LIMIT_EXCEEDED');
    expect(await codeOf(textListedBy({ read: () => files.get('bomb.gz')!, maxBytes }))).toBe('LIMIT_EXCEEDED');
    for (const name of ['damaged.gz', 'cut.gz', 'list.zip']) {
      expect(await codeOf(textListedBy(of(name))), name).toBe('INVALID_ARTIFACT');
    }
  });

  test('reports progress', async () => {
    const { origin } = await hosting(new Map([['list.txt', bytesOf(lines)]]));
    const source = textSource({ id: 'mine', url: `${origin}/list.txt` });
    const told: unknown[] = [];
    await source.artifact('snapshot', await source.version({}), { onProgress: (bytes, total) => told.push([bytes, total]) });
    expect(told.at(-1)).toEqual([lines.length, lines.length]);
  });

  test('shows no signature in errors', async () => {
    const url = 'https://127.0.0.1:1/l?signature=0123456789';
    const failing = async (_: string, init?: unknown): Promise<never> => {
      throw Object.assign(new Error(`cannot fetch ${url} now`), { config: { url, init }, cause: new Error(url) });
    };
    for (const fetch of [undefined, failing]) {
      const error = await errorOf(textSource({ id: 'mine', url, fetch }).version({}));
      expect([error.code, error.cause instanceof Error]).toEqual(['NETWORK', true]);
      expect(shown(error)).not.toContain('0123456789');
    }
  });

  test('follows a redirect to another https host, but not to this machine', async () => {
    const fetch =
      (location: string) =>
      async (url: string): Promise<Response> =>
        url === 'https://list.example/l'
          ? new Response(null, { status: 302, headers: { location } })
          : new Response('evil.example');
    const of = (location: string) => textSource({ id: 'mine', url: 'https://list.example/l', fetch: fetch(location) });
    expect(listedIn((await readAll(of('https://mirror.example/l'))).snapshot)).toBe(1);
    for (const location of ['http://mirror.example/l', 'https://127.0.0.1/l', 'https://localhost/l'])
      expect(await codeOf(readAll(of(location)))).toBe('REDIRECTED');
  });
});

describe('limits', () => {
  test('rejects a list that is too long, wherever it comes from', async () => {
    const text = 'evil.example\n'.repeat(10);
    const { origin } = await hosting(new Map([['list.txt', bytesOf(text)]]));
    const maxBytes = text.length - 1;
    expect(() => textSource({ id: 'mine', text, maxBytes })).toThrow(/larger than/);
    expect(() => textSource({ id: 'mine', bytes: bytesOf(text), maxBytes })).toThrow(/larger than/);
    expect(await codeOf(textListedBy({ read: () => text, maxBytes }))).toBe('LIMIT_EXCEEDED');
    expect(await codeOf(textListedBy({ url: `${origin}/list.txt`, maxBytes }))).toBe('LIMIT_EXCEEDED');
    expect((await textListedBy({ url: `${origin}/list.txt`, maxBytes: text.length })).listed.length).toBe(1);
  });

  test('reports a function that fails, hangs or returns no text', async () => {
    const failing = await errorOf(textListedBy({ read: () => Promise.reject(new TypeError('no such file')) }));
    expect([failing.code, (failing.cause as Error).message]).toEqual(['NETWORK', 'no such file']);
    expect(await codeOf(textListedBy({ read: () => new Promise(() => {}), artifactTimeoutMs: 30 }))).toBe('TIMEOUT');
    await expect(textListedBy({ read: () => 7 as never })).rejects.toThrow(TypeError);
  });

  test('a signal aborts every wait, and reading', async () => {
    const server = await serve([{ fault: 'hang' }]);
    for (const options of [{ url: server.origin }, { read: () => new Promise<string>(() => {}) }]) {
      const source = textSource({ id: 'mine', ...options });
      const version = { algoVersion: 'portcullis-1', snapshot: { token: 't' } };
      await expectAborted((signal) => source.version({ signal }));
      await expectAborted((signal) => source.artifact('snapshot', version, { signal }));
    }
    const long = textSource({ id: 'mine', text: Array.from({ length: 50_000 }, (_, at) => `h${at}.example`).join('\n') });
    const version = await long.version({});
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 5);
    expect(await codeOf(long.artifact('snapshot', version, { signal: stop.signal }))).toBe('ABORTED');
  });

  test('rejects invalid options', () => {
    const of = (options: object) => () => textSource({ id: 'mine', ...options } as TextSourceOptions);
    expect(of({})).toThrow(/one of text, bytes, url and read/);
    expect(of({ text: '', url: 'https://list.example' })).toThrow(/one of text, bytes, url and read/);
    expect(of({ text: 7 })).toThrow(/text must be a string/);
    expect(of({ bytes: 'abc' })).toThrow(/bytes must be a Uint8Array/);
    expect(of({ read: 'list.txt' })).toThrow(/read must be a function/);
    expect(of({ text: '', format: 'pdf' })).toThrow(/format must be/);
    expect(of({ text: '', algorithm: 'none' })).toThrow(/unknown algorithm/);
    expect(of({ url: 'http://list.example' })).toThrow(/plain http/);
    expect(of({ url: 'https://user:pass@list.example' })).toThrow(expect.not.stringContaining('pass@'));
    expect(of({ text: '', id: 'Mine' })).toThrow(/^textSource: id /);
    expect(of({ text: '', maxBytes: 0 })).toThrow(/^textSource: maxBytes /);
    expect(of({ url: 'http://list.example/l?key=1', allowInsecureHttp: true })()).toMatchObject({ id: 'mine', moves: false });
  });

  test.each(['families', 'algorithms'])('%s needs portcullis/core, and is not ignored', (option) => {
    const more = { [option]: [] };
    const made = [
      () => textSource({ id: 'mine', text: '', ...more }),
      () => publishedSource({ url: 'https://lists.example/', ...more }),
    ];
    for (const make of made) expect(make).toThrow(`there is no option ${option}`);
  });

  test('reports that public suffixes were not checked', async () => {
    const reports: TextSourceReport[] = [];
    const onReport = (report: TextSourceReport): unknown => reports.push(report);
    await readAll(textSource({ id: 'mine', format: 'filter', text: '||co.uk^\n', onReport }));
    await readAll(
      textSource({
        id: 'mine',
        format: 'filter',
        text: '||co.uk^\n||a.example^',
        onReport,
        isPublicSuffix: (host) => host === 'co.uk',
      }),
    );
    expect(reports.map(({ listed, warnings }) => [listed, warnings])).toEqual([
      [1, ['suffixes-unchecked']],
      [1, []],
    ]);
  });

  test('the source has no recent feed', async () => {
    const source = textSource({ id: 'mine', text: 'evil.example' });
    expect(await codeOf(source.artifact('recent', await source.version({}), {}))).toBe('INVALID_INPUT');
  });
});
