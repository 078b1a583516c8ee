import { gzipSync } from 'node:zlib';
import { hashOf, PrefixSet, prefixOf } from 'portcullis';
import { createClient } from 'portcullis/client';
import { describe, expect, test } from 'vitest';
import type { Source } from '../../../src/blocklist/model/source.js';
import { type ServiceSourceOptions, serviceSource } from '../../../src/blocklist/sources/service-source.js';
import { encodeArtifact } from '../../../src/core/prefixes/artifact.js';
import { type Answer, type Recorded, serve } from '../../support/scripted-server.js';
import { codeOf, dayMs, errorOf, expectAborted, hasty, key, listening, readAll, shown } from './harness.js';
import { testServiceFaults } from './service-faults.js';

const prefixes = [prefixOf('evil.example'), prefixOf('scam.example')];
const snapshotBytes = encodeArtifact(PrefixSet.from(prefixes), { encoding: 'raw' });

const bomb = gzipSync(Buffer.alloc(50_000_000, 0x30));

interface Scripted {
  origin: string;
  requests: readonly Recorded[];
  answers: Map<string, Answer | ((request: Recorded) => Answer)>;
  options: ServiceSourceOptions;
  source: ReturnType<typeof serviceSource>;
}

/** A healthy service; a test replaces single answers. */
async function scripted(more: Partial<ServiceSourceOptions> = {}, document: object = {}): Promise<Scripted> {
  const answers: Scripted['answers'] = new Map();
  const server = await serve((request) => {
    const path = request.url.replace(/\?.*$/, '');
    const answer = answers.get(path);
    if (answer !== undefined) return typeof answer === 'function' ? answer(request) : answer;
    if (path === '/v2/asset/blocklist/version') {
      const part = (name: string, count: number) => ({ token: `${name}1`, count, url: `${server.origin}/files/${name}` });
      return { body: { algoVersion: 3, snapshot: part('s', 2), recent: part('r', 0), ...document } };
    }
    if (path === '/v2/asset/blocklist/confirm') return { body: { hashes: {} } };
    if (path === '/files/s') return { body: Buffer.from(snapshotBytes) };
    if (path === '/files/r') return { body: '' };
    return { status: 404, body: { message: 'no', code: 'NOT_FOUND' } };
  });
  const options = { baseUrl: `${server.origin}/v2`, apiKey: key, algorithms: { 3: 'portcullis-1' }, ...more };
  return { origin: server.origin, requests: server.requests, answers, options, source: serviceSource(options) };
}

describe('against the embedded service', () => {
  test('reads version, both artifacts and confirmations over HTTP', async () => {
    const { service, url } = await listening();
    const source = serviceSource({ baseUrl: url, apiKey: key });
    const client = createClient({ baseUrl: url, apiKey: key });
    const before = await readAll(source);
    expect(before.version).toMatchObject({ algoVersion: 'portcullis-1', snapshot: { count: before.snapshot.entries.size } });
    expect((before.snapshot.entries as PrefixSet).has(prefixOf('scam-mint.example'))).toBe(true);

    await client.reports.create({ assets: [{ content: 'https://fresh.example/' }], title: 'A scam' });
    const [report] = (await client.reports.list({ limit: 1 })).reports;
    const { id: proposalId, asset } = report!.proposals[0]!;
    await client.reports.proposalsReview({ proposalId, assetId: asset.id, decision: 'APPROVE', label: 'General Phishing' });
    const after = await readAll(source);
    expect(after.version.snapshot.token).toBe(before.version.snapshot.token);
    expect(after.version.recent?.token).not.toBe(before.version.recent?.token);
    expect([...(after.recent!.entries as PrefixSet)]).toEqual([prefixOf('fresh.example')]);

    const asked = [prefixOf('fresh.example'), prefixOf('nobody.example')];
    const { hashes } = await source.confirm!(asked, { algoVersion: 'portcullis-1' });
    expect([...hashes]).toEqual([
      [asked[0], [hashOf('fresh.example')]],
      [asked[1], []],
    ]);
    await client.close();
    expect(service.requests().filter(({ status }) => (status ?? 500) >= 400)).toEqual([]);
  });

  test.each(['raw', 'hex', 'json', 'portcullis', 'portcullis-rice'] as const)(
    'reads artifacts encoded as %s',
    async (encoding) => {
      const { url } = await listening({ encoding });
      const { snapshot } = await readAll(serviceSource({ baseUrl: url, apiKey: key }));
      expect((snapshot.entries as PrefixSet).has(prefixOf('scam-mint.example'))).toBe(true);
    },
  );

  test('samples are blocked assets from the requested time', async () => {
    const { service, url } = await listening();
    const source = serviceSource({ baseUrl: url, apiKey: key });
    const nowMs = service.clock.now();
    const samples = await source.samples!({ maxCount: 50, fromMs: nowMs - dayMs, toMs: nowMs + dayMs });
    expect(samples.map(({ content }) => content)).toEqual(
      expect.arrayContaining(['scam-mint.example', '0x52908400098527886e0f7030069857d2e4169ee7']),
    );
    expect(samples.every(({ type }) => type === 'URL' || type === 'ADDRESS')).toBe(true);
    expect((await source.samples!({ maxCount: 2, fromMs: nowMs - dayMs, toMs: nowMs + dayMs })).length).toBe(2);
    expect(await source.samples!({ maxCount: 50, fromMs: nowMs - 90 * dayMs, toMs: nowMs - 2 * dayMs })).toEqual([]);
    expect(serviceSource({ baseUrl: url }).samples).toBeUndefined();
  });

  // A file is downloaded like those of the hostile service below; the other steps are in sources-faults.deep.test.ts.
  testServiceFaults('version');

  test.each(['snapshot', 'recent'])('rejects a flipped byte in the %s', async (part) => {
    const { service, url } = await listening();
    service.faults.add({ kind: 'flip', on: `/blocklist/${part}` });
    expect(await codeOf(readAll(serviceSource({ baseUrl: url, apiKey: key })))).toBe('INVALID_ARTIFACT');
  });

  test('rejects a wrong count, and passes on changed and stale tokens', async () => {
    const { service, url } = await listening();
    const source = serviceSource({ baseUrl: url, apiKey: key });
    service.faults.add({ kind: 'lying-count', on: 'assetBlocklistVersion' });
    expect(await codeOf(readAll(source))).toBe('INVALID_ARTIFACT');
    service.faults.add({ kind: 'moving-token', on: 'assetBlocklistVersion', times: 2 });
    const [a, b] = [await source.version({}), await source.version({})];
    expect(a.snapshot.token).not.toBe(b.snapshot.token);
    service.faults.add({ kind: 'stale-token', on: 'assetBlocklistVersion' });
    expect((await source.version({})).snapshot.token).toBe('stale');
  });
});

describe('the key', () => {
  test('is sent to the API, and to no file, mirror or redirect', async () => {
    const mirror = await serve(() => ({ body: Buffer.from(snapshotBytes) }));
    const { source, requests, answers, origin } = await scripted({ headers: { 'X-Gateway': 'secret-of-the-gateway' } });
    answers.set('/files/s', { status: 302, headers: { location: `${origin}/files/moved` } });
    answers.set('/files/moved', { status: 307, headers: { location: `${mirror.origin}/s` } });
    await readAll(source);
    await source.confirm!([1], { algoVersion: '3' });
    const sent = requests.map(({ url, headers }) => [url, headers['x-api-key'], headers['x-gateway'], headers.cookie]);
    const [secret, gateway] = [key, 'secret-of-the-gateway'];
    expect(sent).toEqual([
      ['/v2/asset/blocklist/version', secret, gateway, undefined],
      ['/files/s', undefined, undefined, undefined],
      ['/files/moved', undefined, undefined, undefined],
      ['/files/r', undefined, undefined, undefined],
      ['/v2/asset/blocklist/confirm', secret, gateway, undefined],
    ]);
    expect(mirror.requests.map(({ headers }) => [headers['x-api-key'], headers['x-gateway'], headers.authorization])).toEqual([
      [undefined, undefined, undefined],
    ]);
  });

  test('is not sent to the target of a redirect', async () => {
    const elsewhere = await serve([{ body: {} }]);
    const { source, answers } = await scripted();
    for (const status of [301, 302, 303, 307, 308]) {
      answers.set('/v2/asset/blocklist/version', {
        status,
        headers: { location: `${elsewhere.origin}/v2/asset/blocklist/version` },
      });
      expect(await codeOf(source.version({}))).toBe('REDIRECTED');
    }
    expect(elsewhere.requests).toEqual([]);
  });

  test('is requested for each call, and a failing key function is an error without its message', async () => {
    const { options, requests } = await scripted(hasty);
    let asked = 0;
    const source = serviceSource({ ...options, apiKey: async () => `${key}-${++asked}` });
    await source.version({});
    await source.version({});
    expect(requests.map(({ headers }) => headers['x-api-key'])).toEqual([`${key}-1`, `${key}-2`]);
    for (const apiKey of [
      () => Promise.reject(new Error(`no ${key}`)),
      () => {
        throw new Error(key);
      },
      async () => `${key}\n`,
      async () => undefined as never,
    ]) {
      const error = await errorOf(serviceSource({ ...options, apiKey }).version({}));
      expect(error.code).toBe('KEY_UNAVAILABLE');
      expect(shown(error)).not.toContain(key);
    }
    expect(await codeOf(serviceSource({ ...options, apiKey: () => new Promise(() => {}) }).version({}))).toBe('TIMEOUT');
    expect(requests.length).toBe(2);
  });

  test('appears in no error, whatever the service and the platform return', async () => {
    const { options, answers, origin } = await scripted();
    const answersOf: Answer[] = [
      { status: 401, body: { message: `the key ${key} is wrong`, code: key } },
      { status: 500, body: key },
      { body: `${key}` },
      { body: { algoVersion: key, snapshot: { token: key }, recent: {} } },
      { status: 302, headers: { location: `https://elsewhere.example/?${key}` } },
      {
        body: {
          algoVersion: 3,
          snapshot: { token: 's', count: 1, url: `${origin}/?key=${key}` },
          recent: { token: 'r', count: 0, url: `${origin}/r` },
        },
      },
    ];
    for (const answer of answersOf) {
      answers.set('/v2/asset/blocklist/version', answer);
      const error = await errorOf(serviceSource(options).version({}));
      expect(shown(error)).not.toContain(key);
    }
    const failing = async (_: string, init?: unknown): Promise<never> => {
      throw Object.assign(new Error(`cannot send ${JSON.stringify(init)}`), { config: init, code: key });
    };
    const error = await errorOf(serviceSource({ ...options, fetch: failing }).version({}));
    expect(error.code).toBe('NETWORK');
    expect(shown(error)).not.toContain(key);
  });

  test('is validated', () => {
    const baseUrl = 'https://api.example/v2';
    for (const apiKey of ['', 'a b', 'a\n'] as const) expect(() => serviceSource({ baseUrl, apiKey })).toThrow(/apiKey/);
    expect(() => serviceSource({ baseUrl, apiKey: 3 as never })).toThrow(/apiKey must be/);
    expect(() => serviceSource({ baseUrl: 'http://api.example', apiKey: key })).toThrow(/plain http/);
    expect(() => serviceSource({ baseUrl: `https://${key}@api.example/` })).toThrow(expect.not.stringContaining(key));
    for (const id of ['', 'A', '-a', 'a/b', 'a'.repeat(65)]) expect(() => serviceSource({ baseUrl, id })).toThrow(/id must/);
    expect(() => serviceSource({ baseUrl, headers: { 'x-api-key': key } })).toThrow(/x-api-key/);
    expect(() => serviceSource({ baseUrl, timeoutMs: 0 })).toThrow(/timeoutMs/);
  });
});

describe('a hostile service', () => {
  test.each([
    'http://files.example/s',
    'http://127.0.0.2.example/s',
    'https://user:password@files.example/s',
    'ftp://files.example/s',
    'https://files.example\\@evil.example/s',
    'file:///etc/passwd',
    'https://2130706433.0x7f000001/s',
  ])('cannot make the source fetch %s', async (url) => {
    const { source, requests, origin } = await scripted({}, { recent: { token: 'r', count: 0, url } });
    expect(await codeOf(source.version({})), origin).toBe('INVALID_RESPONSE');
    expect(requests.length).toBe(1);
  });

  test('may name this machine only if it runs on it', async () => {
    const fetched: string[] = [];
    const fetch = async (url: string): Promise<Response> => {
      fetched.push(url);
      const part = (token: string) => ({ token, count: 0, url: `http://127.0.0.1:9/${token}` });
      return Response.json({ algoVersion: 'portcullis-1', snapshot: part('s'), recent: part('r') });
    };
    expect(await codeOf(serviceSource({ baseUrl: 'https://api.example', fetch }).version({}))).toBe('INVALID_RESPONSE');
    await serviceSource({ baseUrl: 'http://localhost:1', fetch }).version({});
    expect(fetched.length).toBe(2);
  });

  test('can redirect three times at most, and never to plain http on another host', async () => {
    const { answers, requests, source } = await scripted();
    const version = await source.version({});
    answers.set('/files/s', { status: 302, headers: { location: 's' } });
    expect(await codeOf(source.artifact('snapshot', version, {}))).toBe('REDIRECTED');
    expect(requests.filter(({ url }) => url === '/files/s').length).toBe(4);
    for (const location of ['http://elsewhere.example/s', 'javascript:1', 'data:,x', '//user@127.0.0.1/', '']) {
      answers.set('/files/s', { status: 302, headers: { location } });
      expect(await codeOf(source.artifact('snapshot', version, {})), location).toBe('REDIRECTED');
    }
    answers.set('/files/s', { status: 304 });
    expect(await codeOf(source.artifact('snapshot', version, {}))).toBe('REDIRECTED');
  });

  test.each([
    ['endless bytes', { fault: 'endless' }, 'LIMIT_EXCEEDED'],
    ['more bytes than the announced count allows', { body: Buffer.alloc(1_000_000, 0x30) }, 'LIMIT_EXCEEDED'],
    ['more bytes once they are decompressed', { body: bomb, headers: { 'content-encoding': 'gzip' } }, 'LIMIT_EXCEEDED'],
    ['no head', { fault: 'hang' }, 'TIMEOUT'],
    ['half a body', { fault: 'stall', body: Buffer.from(snapshotBytes) }, 'TIMEOUT'],
    ['one byte at a time', { fault: 'slow', body: Buffer.alloc(10_000) }, 'TIMEOUT'],
    ['a Content-Length that is too large', { fault: 'cut', body: Buffer.from(snapshotBytes) }, 'NETWORK'],
    ['a connection reset', { fault: 'reset' }, 'NETWORK'],
    ['an HTML page', { body: '  <!DOCTYPE html><p>Welcome' }, 'INVALID_ARTIFACT'],
    ['an HTML page of the expected length', { body: '<html>..' }, 'INVALID_ARTIFACT'],
    ['fewer entries', { body: Buffer.from(snapshotBytes.subarray(0, 4)) }, 'INVALID_ARTIFACT'],
    ['descending entries', { body: Buffer.from([9, 0, 0, 0, 1, 0, 0, 0]) }, 'INVALID_ARTIFACT'],
    ['an empty body', { body: '' }, 'INVALID_ARTIFACT'],
    ['status 404', { status: 404 }, 'NOT_FOUND'],
    ['status 204', { status: 204 }, 'UNEXPECTED_STATUS'],
    ['status 206', { status: 206, body: Buffer.from(snapshotBytes) }, 'UNEXPECTED_STATUS'],
  ] as const)('is rejected for a file with %s', async (_, answer, code) => {
    const { answers, source } = await scripted(code === 'TIMEOUT' ? hasty : {});
    const version = await source.version({});
    answers.set('/files/s', answer as Answer);
    const startedMs = Date.now();
    expect(await codeOf(source.artifact('snapshot', version, {}))).toBe(code);
    if (code === 'TIMEOUT') expect(Date.now() - startedMs).toBeLessThan(2_000);
  });

  test('is rejected for a version document that stalls', async () => {
    const { answers, source } = await scripted(hasty);
    answers.set('/v2/asset/blocklist/version', { fault: 'stall', body: { algoVersion: 3 } });
    expect(await codeOf(source.version({}))).toBe('TIMEOUT');
  });

  test('is rejected for a container of another algorithm', async () => {
    const { options, answers } = await scripted();
    const bytes = encodeArtifact(PrefixSet.from(prefixes), { encoding: 'portcullis', algorithm: 'safe-browsing-4' });
    answers.set('/files/s', { body: Buffer.from(bytes) });
    expect(await codeOf(readAll(serviceSource(options)))).toBe('INVALID_ARTIFACT');
    await readAll(serviceSource({ ...options, algorithms: { 3: 'safe-browsing-4' } }));
  });

  test('may name an unknown algorithm, which is passed on', async () => {
    const { source } = await scripted({}, { algoVersion: '__proto__' });
    expect((await source.version({})).algoVersion).toBe('__proto__');
    expect(source.algorithms).toEqual({ 3: 'portcullis-1' });
  });
});

test('a checksum in the version document proves an artifact, and must match', async () => {
  const { createHash } = await import('node:crypto');
  const sha256 = createHash('sha256').update(snapshotBytes).digest('hex');
  const part = async (more: object) => {
    const { source, origin, answers } = await scripted();
    const named = { token: 's', count: 2, url: `${origin}/files/s`, ...more };
    answers.set('/v2/asset/blocklist/version', {
      body: { algoVersion: 3, snapshot: named, recent: { token: 'r', count: 0, url: `${origin}/files/r` } },
    });
    return readAll(source);
  };
  expect((await part({ sha256 })).snapshot.isProven).toBe(true);
  expect((await part({})).snapshot.isProven).toBe(false);
  expect(await codeOf(part({ sha256: sha256.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) }))).toBe('INVALID_ARTIFACT');
});

test("a confirmation returns all hashes of a prefix, and sends algoVersion with the service's type", async () => {
  const { options, answers, requests } = await scripted();
  const hash = (end: string) => `0000002a${end.repeat(56)}`;
  answers.set('/v2/asset/blocklist/confirm', {
    body: { hashes: { '0000002a': [hash('a'), hash('b')] } },
  });
  const { hashes } = await serviceSource(options).confirm!([42, 43], { algoVersion: '3' });
  expect(hashes.get(42)!.map((bytes) => Buffer.from(bytes).toString('hex'))).toEqual([hash('a'), hash('b')]);
  expect(hashes.has(43)).toBe(false);
  // A source that was created after a restart polls once, because the service may distinguish a number and a string.
  expect(requests.map(({ url }) => url.replace('/v2/asset/blocklist/', ''))).toEqual(['version', 'confirm']);
  expect(JSON.parse(requests[1]!.body.toString())).toEqual({ algoVersion: 3, prefixes: ['0000002a', '0000002b'] });
  const source = serviceSource(options);
  await source.version({});
  // An older list has a number as well; a name is never sent as a number.
  for (const algoVersion of ['2', '02', 'portcullis-1']) await source.confirm!([42], { algoVersion });
  const sent = requests.slice(-3).map(({ body }) => (JSON.parse(body.toString()) as { algoVersion: unknown }).algoVersion);
  expect(sent).toEqual([2, '02', 'portcullis-1']);
});

test('a calibration in the version answer is passed on if it is valid', async () => {
  const of = async (calibration: unknown) => {
    const { source } = await scripted({}, { calibration });
    return (await source.version({})).calibration;
  };
  expect(await of({ samples: 50, found: 48, more: 1 })).toEqual({ samples: 50, found: 48 });
  for (const none of [
    { samples: 5, found: 6 },
    { samples: -1, found: -1 },
    { samples: 1e9, found: 0 },
    { samples: '5', found: 5 },
    [],
    7,
    null,
  ])
    expect(await of(none)).toBeUndefined();
});

test.each([
  [401, 'UNAUTHORIZED'],
  [403, 'FORBIDDEN'],
  [404, 'NOT_FOUND'],
])('samples without permission are rejected with %s', async (status, code) => {
  const { source, answers } = await scripted();
  answers.set('/v2/asset/list', { status });
  const error = await errorOf(source.samples!({ maxCount: 5, fromMs: 0, toMs: 1 }));
  expect([error.code, error.status]).toEqual([code, status]);
});

test('progress has bytes, and a total if it is known', async () => {
  const { answers, source } = await scripted();
  const version = await source.version({});
  const told: [number, number | undefined][] = [];
  const onProgress = (bytes: number, total: number | undefined): unknown => told.push([bytes, total]);
  await source.artifact('snapshot', version, { onProgress });
  answers.set('/files/s', { body: gzipSync(snapshotBytes), headers: { 'content-encoding': 'gzip' } });
  await source.artifact('snapshot', version, { onProgress });
  expect([told[0], told[told.length - 1]]).toEqual([
    [8, 8],
    [8, undefined],
  ]);
});

describe('an abort', () => {
  const hang = { fault: 'hang' } as const;
  const stall = { fault: 'stall', body: Buffer.from(snapshotBytes) } as const;
  const version = (source: Source, signal: AbortSignal) => source.version({ signal });
  const file = async (source: Source, signal: AbortSignal) => source.artifact('snapshot', await source.version({}), { signal });
  test.each<[string, Partial<ServiceSourceOptions>, string, Answer, (source: Source, signal: AbortSignal) => Promise<unknown>]>([
    ['the key', { apiKey: () => new Promise<never>(() => {}) }, '', hang, version],
    ['the version', {}, '/v2/asset/blocklist/version', hang, version],
    ['a confirmation', {}, '/v2/asset/blocklist/confirm', hang, (s, signal) => s.confirm!([1], { algoVersion: 'x', signal })],
    ['samples', {}, '/v2/asset/list', hang, (s, signal) => s.samples!({ maxCount: 1, fromMs: 0, toMs: 1, signal })],
    ['the head of a file', {}, '/files/s', hang, file],
    ['the body of a file', {}, '/files/s', stall, file],
  ])('ends the wait for %s', async (_, more, path, answer, run) => {
    const { source, answers } = await scripted(more);
    answers.set(path, answer);
    await expectAborted((signal) => run(source, signal));
    expect(await codeOf(source.version({ signal: AbortSignal.abort() }))).toBe('ABORTED');
  });
});

describe('platforms that follow redirects by themselves', () => {
  const respond = (url: string, more: object) => ({
    status: 200,
    type: 'basic',
    url,
    headers: { get: () => null },
    arrayBuffer: async () => snapshotBytes.buffer as ArrayBuffer,
    ...more,
  });
  const version = { algoVersion: 'portcullis-1', snapshot: { token: 's', count: 2, url: 'https://files.example/s' } } as never;

  test('a browser hides the target, so the final URL is checked', async () => {
    const asked: string[] = [];
    const source = (to: string) =>
      serviceSource({
        baseUrl: 'https://api.example',
        fetch: async (_url, init) => {
          asked.push(`${init?.redirect} ${init?.credentials}`);
          return init?.redirect === 'manual'
            ? respond('', { status: 0, type: 'opaqueredirect' })
            : respond(to, { redirected: true });
        },
      });
    expect((await source('https://mirror.example/s').artifact('snapshot', version, {})).entries.size).toBe(2);
    expect(asked).toEqual(['manual omit', 'follow omit']);
    expect(await codeOf(source('http://mirror.example/s').artifact('snapshot', version, {}))).toBe('REDIRECTED');
  });

  test('React Native follows every redirect, so the final URL is checked', async () => {
    const source = (to: string) => serviceSource({ baseUrl: 'https://api.example', fetch: async () => respond(to, {}) });
    expect((await source('https://mirror.example/s').artifact('snapshot', version, {})).entries.size).toBe(2);
    expect(await codeOf(source('http://192.168.0.1/s').artifact('snapshot', version, {}))).toBe('REDIRECTED');
  });
});
