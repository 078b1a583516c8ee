import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { prefixOf } from 'portcullis/assets';
import { buildList, type FetchListOptions, fetchList, type ListText } from 'portcullis/publish';
import { describe, expect, test, vi } from 'vitest';
import { originOf } from '../support/listen.js';
import { serve } from '../support/scripted-server.js';

describe('exceptions', () => {
  const count = 300;
  test('take the same entry out of their own text, wherever they are, and no other', async () => {
    const filter = (data: string, name: string): ListText => ({ format: 'filter', data, name });
    const many = Array.from({ length: count }, (_, at) => `||n${at}.example^\n`).join('');
    const { report, snapshot } = await buildList(
      [
        filter(
          '@@||a.example^\n||a.example^\n||A.example^$all\n||b.example^\n@@||www.b.example^\n@@||x.c.example^\n||c.example^\n',
          'one',
        ),
        filter(`||a.example^\n||d.example^\n||d.example^$badfilter\n${many}@@||n7.example^\n@@||n${count - 1}.example^\n`, 'two'),
        {
          format: 'eth-phishing-detect',
          data: '{"blacklist":["e.example","f.example"],"whitelist":["f.example"]}',
          name: 'three',
        },
      ],
      { isPublicSuffix: () => false },
    );
    const listed = ['a', 'c', 'e', ...Array.from({ length: count }, (_, at) => `n${at}`)].filter(
      (name) => !['n7', `n${count - 1}`].includes(name),
    );
    // A few prefixes are shared.
    expect(new Set(snapshot)).toEqual(new Set(listed.map((name) => prefixOf(`${name}.example`))));
    expect([report.listed, report.excepted, report.byType.URL]).toEqual([listed.length, 7, listed.length]);
    expect(report.refusedBy).toEqual({ 'allow-entry': 6, withdrawn: 1 });
    expect(report.warningsBy.duplicate).toBeUndefined();
  });
});

test('fetchList passes on a list as it arrives, decompressed, with the limits of other files', async () => {
  const text = `||evil.example^\n${Array.from({ length: 20_000 }, (_, at) => `||n${at}.example^\n`).join('')}`;
  const server = await serve(({ url }) =>
    url === '/cut'
      ? { fault: 'cut', body: text }
      : url === '/404'
        ? { status: 404 }
        : { body: url === '/gz' ? gzipSync(text) : text },
  );
  for (const path of ['/text', '/gz']) {
    const { report } = await buildList({ format: 'auto', data: fetchList(server.origin + path) });
    expect([report.listed, report.formats[0]!.format]).toEqual([20_001, 'filter']);
  }
  const failing = (path: string, options: FetchListOptions = {}): Promise<string> =>
    buildList({ format: 'auto', data: fetchList(server.origin + path, options) }).then(
      () => 'built',
      (error: { code: string }) => error.code,
    );
  expect(await failing('/cut')).toBe('NETWORK');
  expect(await failing('/404')).toBe('NOT_FOUND');
  expect(await failing('/gz', { maxBytes: text.length - 1 })).toBe('LIMIT_EXCEEDED');
  const stop = new AbortController();
  stop.abort();
  expect(await failing('/text', { signal: stop.signal })).toBe('ABORTED');
  let isClosed = false;
  const flowing = createServer((_, response) => {
    const timer = setInterval(() => response.write(text.slice(0, 1_000)), 5);
    response.on('close', () => {
      clearInterval(timer);
      isClosed = true;
    });
  });
  for await (const part of fetchList(await originOf(flowing))) {
    expect(part.length).toBeGreaterThan(0);
    break;
  }
  await vi.waitFor(() => expect(isClosed).toBe(true));
  expect(() => fetchList('http://elsewhere.example/list')).toThrow(/plain http/);
});
