import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { lightPublishedSource } from 'portcullis/light';
import { buildList, signList } from 'portcullis/publish';
import { ed25519, generateKeys, publishedSource, signerOf } from 'portcullis/sources';
import { expect, onTestFinished, test } from 'vitest';
import { answerFiles } from '../../../apps/cli/service/published-folder.js';
import type { Source } from '../../../src/blocklist/model/source.js';
import { listen } from '../../support/listen.js';
import { serve } from '../../support/scripted-server.js';
import { codeOf, dayMs, filesOf, readAll } from './harness.js';

const now = (): number => Date.UTC(2026, 0, 5);
const pollsPerDay = 288;

/** Counts what a server sends: status lines, headers and bodies, as they are on the connection. */
async function counted(origin: string): Promise<{ origin: string; received: () => number }> {
  let bytes = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(new URL(origin).port), '127.0.0.1');
    upstream.on('data', (chunk) => {
      bytes += chunk.length;
    });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received: () => bytes };
}

test.each(['publishedSource', 'lightPublishedSource'] as const)(
  '%s: a day of polls of an unchanged list from the static server takes at most 30 kB of headers and bodies',
  async (name) => {
    const { publicKey, privateKey } = await generateKeys();
    const names = Array.from({ length: 600 }, (_, at) => `n${at}.example`);
    for (const isSigned of [false, true]) {
      const built = await buildList(names, { listName: 'names', now, isPublicSuffix: () => false });
      const list = isSigned ? await signList(built, { signers: [await signerOf(privateKey)], now }) : built;
      const files = filesOf(list);
      const server = await counted(
        await listen({ fetch: (request) => answerFiles(async (file) => files.get(file) ?? null, request) }),
      );
      let nowMs = now();
      const options = { url: server.origin, now: () => nowMs, ...(isSigned && { publicKeys: [publicKey], verifier: ed25519 }) };
      const source = name === 'publishedSource' ? publishedSource(options) : lightPublishedSource(options);
      const first = await source.version({});
      const before = server.received();
      for (let poll = 1; poll < pollsPerDay; poll++) {
        nowMs += dayMs / pollsPerDay;
        expect(await source.version({})).toEqual(first);
      }
      const each = (server.received() - before) / (pollsPerDay - 1);
      expect(each).toBe(99);
      expect(each * pollsPerDay).toBeLessThanOrEqual(30_000);
      if (!isSigned) expect(server.received()).toBeLessThanOrEqual(30_000);
    }
  },
);

/** A host that says by script what it answers, with the document that it has now. */
async function scripted() {
  const state = {
    list: await buildList(['evil.example'], { listName: 'evil', now }),
    tag: '"1"' as string | null,
    always: undefined as number | undefined,
  };
  const { origin, requests } = await serve(({ url, headers }) => {
    const name = url.slice(1);
    if (name === 'version.json') {
      const asked = headers['if-none-match'];
      if (state.always !== undefined && (asked !== undefined || state.always !== 304)) return { status: state.always };
      if (asked !== undefined && asked === state.tag) return { status: 304 };
    }
    const bytes = filesOf(state.list).get(name);
    if (bytes === undefined) return { status: 404 };
    return { body: Buffer.from(bytes), ...(name === 'version.json' && state.tag !== null && { headers: { etag: state.tag } }) };
  });
  const asked = (): (string | undefined)[] =>
    requests.filter(({ url }) => url === '/version.json').map(({ headers }) => headers['if-none-match']);
  return { state, origin, asked };
}

test('a version document that changed is read whole, and the next poll names its new tag', async () => {
  const { state, origin, asked } = await scripted();
  const source = publishedSource({ url: origin, now });
  const first = await source.version({});
  state.list = await buildList(['evil.example', 'more.example'], { now, previous: state.list });
  state.tag = 'W/"2"';
  expect((await source.version({})).sequence).toBeGreaterThan(first.sequence!);
  await source.version({});
  expect(asked()).toEqual([undefined, '"1"', 'W/"2"']);
});

test.each([
  ['none', null],
  ['one of more than 256 characters', `"${'x'.repeat(255)}"`],
  ['one that is not printable', '"\u00e9"'],
])('the next request is unconditional if the host sends as ETag %s', async (_, tag) => {
  const { state, origin, asked } = await scripted();
  state.tag = tag;
  const source = publishedSource({ url: origin, now });
  await source.version({});
  await source.version({});
  expect(asked()).toEqual([undefined, undefined]);
});

test('a 304 that was not asked for is an error', async () => {
  const { state, origin } = await scripted();
  state.tag = null;
  const source: Source = publishedSource({ url: origin, now });
  await source.version({});
  const light: Source = lightPublishedSource({ url: origin, now });
  await light.version({});
  const { origin: other } = await serve([{ status: 304 }]);
  expect(await codeOf(publishedSource({ url: other, now }).version({}))).toBe('REDIRECTED');
  expect(await codeOf(lightPublishedSource({ url: other, now }).version({}))).toBe('UNEXPECTED_STATUS');
});

test('a host that answers 304 forever is asked for the whole document once a day, and its signature expires meanwhile', async () => {
  const { publicKey, privateKey } = await generateKeys();
  const { state, origin, asked } = await scripted();
  state.list = await signList(state.list, { signers: [await signerOf(privateKey)], now, lifetimeMs: dayMs });
  state.always = 304;
  let nowMs = now();
  const source = publishedSource({ url: origin, publicKeys: [publicKey], verifier: ed25519, now: () => nowMs });
  for (let hour = 0; hour < 50; hour++, nowMs += dayMs / 24) {
    // The rules of expiry see the same document as from a host that sends it each time.
    expect(await source.version({})).toMatchObject({ expiresAtMs: now() + dayMs });
  }
  expect(asked().filter((tag) => tag === undefined)).toHaveLength(3);
});

test('the document is fetched whole after one of its files was missing or wrong', async () => {
  const { state, origin, asked } = await scripted();
  const source = publishedSource({ url: origin, now });
  const before = state.list;
  const version = await source.version({});
  // The same second and the same size: some hosts then send the same tag.
  state.list = await buildList(['scam.example'], { now: () => now() + 1_000 });
  expect(await codeOf(source.artifact('snapshot', version, {}))).toBe('NOT_FOUND');
  expect((await readAll(source)).version.snapshot!.token).not.toBe(before.version.snapshot.token);
  expect(asked()).toEqual([undefined, undefined]);
});

test.each([
  ['"tag"', true],
  ['W/"tag"', true],
  ['*', true],
  [' * ', true],
  ['"other", "tag"', true],
  ['"other",W/"tag"', true],
  ['"other"', false],
  ['"ta"', false],
  ['tag', false],
  ['', false],
] as const)('the static server answers If-None-Match: %s', async (header, isMatch) => {
  const files = filesOf(await buildList(['evil.example'], { now }));
  const answer = (name: string, headers: Record<string, string>, method = 'GET') =>
    answerFiles(async (file) => files.get(file) ?? null, new Request(`http://127.0.0.1/${name}`, { headers, method }));
  for (const name of ['version.json', [...files.keys()].find((name) => name.startsWith('snapshot-'))!]) {
    const etag = (await answer(name, {})).headers.get('etag')!;
    const asked = { 'if-none-match': header.replace('"tag"', etag) };
    for (const method of ['GET', 'HEAD']) {
      const response = await answer(name, { ...asked, origin: 'https://app.example' }, method);
      expect([response.status, response.headers.get('etag'), response.headers.get('access-control-allow-origin')]).toEqual([
        isMatch ? 304 : 200,
        etag,
        '*',
      ]);
    }
    if (isMatch) expect([...(await answer(name, asked)).headers.keys()]).toEqual(['cache-control', 'etag']);
  }
  expect((await answer('nothing.bin', { 'if-none-match': '*' })).status).toBe(404);
});

test('the static server compresses the first version document of a client', async () => {
  const files = filesOf(await buildList(['evil.example'], { now }));
  const document = Buffer.from(files.get('version.json')!);
  const ask = (headers: Record<string, string>) =>
    answerFiles(async (file) => files.get(file) ?? null, new Request('http://127.0.0.1/version.json', { headers }));
  const shown = async (response: Response) => [
    ...['content-encoding', 'vary'].map((name) => response.headers.get(name)),
    Number(response.headers.get('content-length')) === document.length,
  ];
  const gzip = await ask({ 'accept-encoding': 'br, gzip' });
  expect(await shown(gzip)).toEqual(['gzip', 'accept-encoding', false]);
  expect(gunzipSync(Buffer.from(await gzip.arrayBuffer()))).toEqual(document);
  expect(await shown(await ask({}))).toEqual([null, 'accept-encoding', true]);
  expect(await shown(await ask({ 'accept-encoding': 'gzip;q=0' }))).toEqual([null, 'accept-encoding', true]);
  const tag = gzip.headers.get('etag')!;
  expect(tag).toMatch(/^W\/"[\w-]{8}"$/);
  expect((await ask({ 'accept-encoding': 'gzip', 'if-none-match': tag })).status).toBe(304);
  expect(await shown(await ask({ 'accept-encoding': 'gzip', 'if-none-match': '"old"' }))).toEqual([null, null, true]);
});
