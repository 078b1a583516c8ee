import { readFileSync } from 'node:fs';
import {
  allOperations,
  type CallOptions,
  type ClientOptions,
  createClient,
  type RawOptions,
  type ResponseMeta,
  type ScanWaitOptions,
  type WatchOptions,
  waitForScan,
  watch,
} from 'portcullis/client';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { version } from '../../../src/core/version.js';
import { connect, enough, found, platforms, thrownBy } from './client-harness.js';
import { connectLoose, jsonOf, type Loose } from './loose-client.js';

const node = { createClient };
const key = 'key-of-the-tests';

describe.each(platforms)('%s', (_, entry) => {
  test('a request by method and path has the key, and returns what arrived with its status and headers', async () => {
    const { client, server } = await connect(entry, [
      { status: 201, headers: { 'x-request-id': 'r-1', 'x-cost': '3', 'set-cookie': 'session=secret' }, body: [1, { a: null }] },
    ]);
    const query = { a: 'b c', list: [1, 2], at: new Date(0), flag: false, none: undefined };
    const { data, status, headers, requestId } = await client.request('POST', '/new/thing', { query, body: { x: 1 } });
    expect([data, status, requestId, headers['x-cost'], headers['set-cookie']]).toEqual([
      [1, { a: null }],
      201,
      'r-1',
      '3',
      undefined,
    ]);
    const [request] = server.requests;
    expect(request).toMatchObject({ method: 'POST', headers: { 'x-api-key': key, 'content-type': 'application/json' } });
    expect(request!.url).toBe('/new/thing?a=b%20c&list=1&list=2&at=1970-01-01T00%3A00%3A00.000Z&flag=false');
    expect(jsonOf(request!)).toEqual({ x: 1 });
  });

  test('metadata is on every error of a response, and on no other', async () => {
    const answer = {
      status: 404,
      headers: { 'x-request-id': 'r-2', 'x-echo': key },
      body: { message: 'No.', code: 'NOT_FOUND' },
    };
    const { client } = await connect(entry, [answer, { fault: 'reset' }]);
    const error = await thrownBy(() => client.assets.check({ content: 'a' }));
    expect(error).toMatchObject({ code: 'NOT_FOUND', status: 404, requestId: 'r-2', headers: { 'x-echo': '[key]' } });
    const broken = await thrownBy(() => client.assets.check({ content: 'a' }));
    expect([broken.code, broken.headers, broken.requestId]).toEqual(['NETWORK', undefined, undefined]);
  });
});

test('every method passes the metadata of each attempt to onResponse', async () => {
  const { client } = await connect(node, [
    { status: 503, headers: { 'x-request-id': 'r-1' } },
    { headers: { 'x-request-id': 'r-2' }, body: found },
  ]);
  const seen: ResponseMeta[] = [];
  await client.assets.check({ content: 'a' }, { retry: { maxRetries: 1, delayMs: 1 }, onResponse: (meta) => seen.push(meta) });
  expect(seen.map(({ status, requestId }) => [status, requestId])).toEqual([
    [503, 'r-1'],
    [200, 'r-2'],
  ]);
});

test('a listener that rejects fails neither the call nor the process', async () => {
  const rejections: unknown[] = [];
  const note = (reason: unknown): unknown => rejections.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  const onResponse = async (): Promise<void> => Promise.reject(new Error('of the listener'));
  const { client } = await connect(node, [{ body: { status: 'BLOCKED', sources: 5 } }], { onEvent: onResponse });
  expect(await client.assets.check({ content: 'a' }, { onResponse })).toMatchObject({ status: 'BLOCKED' });
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(rejections).toEqual([]);
});

test.each([new URLSearchParams('a=1'), new Map([['a', '1']]), ['a']])('options that are lists are refused: %s', async (list) => {
  const { client, server } = await connect(node, [{ body: found }]);
  for (const name of ['headers', 'extra'])
    await expect(client.assets.check({ content: 'a' }, { [name]: list as never })).rejects.toThrow(`${name} must be an object`);
  await expect(client.request('GET', '/a', { query: list as never })).rejects.toThrow('query must be an object');
  expect(server.requests).toHaveLength(0);
});

test('an error of onResponse fails no call', async () => {
  const { client, server } = await connect(node, [{ status: 503 }, { body: { id: 5 } }]);
  const onResponse = () => {
    throw new Error('of the listener');
  };
  const options = { retry: { maxRetries: 1, delayMs: 1 }, onResponse };
  expect(await client.reports.create({ assets: [{ content: 'a' }] }, options)).toEqual({ id: 5 });
  expect(server.requests).toHaveLength(2);
});

test('an abort in the delay of a retry has nothing of the response before it', async () => {
  const { client, events } = await connect(node, [{ status: 503, headers: { 'x-request-id': 'r-1' } }]);
  const stop = new AbortController();
  const retry = { delayMs: 60_000, maxDelayMs: 60_000 };
  const running = thrownBy(() => client.assets.check({ content: 'a' }, { retry, signal: stop.signal }));
  await vi.waitFor(() => expect(events).toMatchObject([{ type: 'retry', error: { status: 503, requestId: 'r-1' } }]));
  stop.abort();
  const { code, status, headers, requestId } = await running;
  expect([code, status, headers, requestId]).toEqual(['ABORTED', undefined, undefined, undefined]);
});

describe('a request by method and path', () => {
  test('is retried only if it is a GET, or asks for it', async () => {
    const retry = { maxRetries: 1, delayMs: 1 };
    for (const [method, perCall, count] of [
      ['GET', {}, 2],
      ['POST', {}, 1],
      ['PUT', {}, 1],
      ['DELETE', { retry }, 2],
      ['GET', { retry: false }, 1],
    ] as const) {
      const { client, server } = await connect(node, [{ status: 503 }], { retry });
      await thrownBy(() => client.request(method, '/x', perCall));
      expect(server.requests.map((request) => request.method)).toEqual(new Array(count).fill(method));
    }
  });

  test.each<[unknown, unknown]>([
    [{ body: '' }, null],
    [{ body: 'null' }, null],
    [{ body: { data: { a: 1 } } }, { data: { a: 1 } }],
    [{ body: { success: false } }, { success: false }],
  ])('returns the response as it is: %j', async (answer, data) => {
    const { client } = await connect(node, [answer as object]);
    expect((await client.request('GET', '/x')).data).toEqual(data);
  });

  test.each([{ error: 'No.' }, { message: 'No.', code: 'NEW' }, { error: { code: 'NOT_FOUND' } }])(
    'fails for an error: %j',
    async (body) => {
      const { client } = await connect(node, [{ body }]);
      const error = await thrownBy(() => client.request('GET', '/x'));
      expect(error).toMatchObject({ operation: 'GET /x', status: 200 });
    },
  );

  test('shows no key in its error, even if the path has it', async () => {
    const { client, events } = await connect(node, [{ status: 503 }], { retry: { maxRetries: 1, delayMs: 1 } });
    const error = await thrownBy(() => client.request('GET', `/x/${key}`));
    expect(JSON.stringify([{ ...error }, events])).not.toContain(key);
  });

  test.each<[string, string, object?]>([
    ['GET', 'x'],
    ['GET', '//../x'],
    ['GET', '/a/%2e%2E/b'],
    ['GET', '/a?b'],
    ['GET', '/a#b'],
    ['GET', '/a b'],
    ['GET', '/\\evil.example'],
    ['GET', 'https://evil.example/'],
    ['get', '/x'],
    ['TRACE', '/x'],
    ['', '/x'],
    ['GET', '/x', { body: {} }],
    ['POST', '/x', { query: { a: { b: 1 } } }],
    ['POST', '/x', { unknown: 1 }],
    ['POST', '/x', { timeoutMs: 0 }],
    ['POST', '/x', { slug: 'acme' }],
    ['POST', '/x', { extra: {} }],
  ])('is refused: %s %s %j', async (method, path, options) => {
    const { server, client } = await connect(node, [{ body: enough }]);
    const request = client.request as unknown as (method: string, path: string, options?: object) => Promise<unknown>;
    expect(await thrownBy(() => request(method, path, options))).toMatchObject({ code: 'INVALID_INPUT' });
    expect(server.requests).toHaveLength(0);
  });

  test('has the limits of every call', async () => {
    const { client } = await connect(node, [{ fault: 'hang' }]);
    expect(await thrownBy(() => client.request('GET', '/x', { timeoutMs: 30 }))).toMatchObject({ code: 'TIMEOUT' });
    const body = 'x'.repeat(8 * 1024 * 1024);
    expect(await thrownBy(() => client.request('POST', '/x', { body }))).toMatchObject({ code: 'LIMIT_EXCEEDED' });
    await client.close();
    expect(await thrownBy(() => client.request('GET', '/x'))).toMatchObject({ code: 'CLOSED' });
  });

  test('is not remembered, so that a thousand paths take no memory', async () => {
    const { client, events } = await connect(node, [{ headers: { deprecation: 'true' }, body: {} }]);
    await client.request('GET', '/a');
    expect(events).toEqual([]);
  });
});

describe('extra', () => {
  test('sends fields that the table lacks, in the body or the query', async () => {
    const { client, server } = await connect(node, [{ body: enough }]);
    await client.assets.check({ content: 'a' }, { extra: { depth: 2 } });
    await client.reports.list({ limit: 1 }, { extra: { label: ['a', 'b'] } });
    await client.organization.assetsUpdate({ assetId: 5, name: 'x' }, { extra: { color: 'red' } });
    const upload = { attachments: [] };
    const other = await connect(node, [{ body: upload }]);
    await other.client.attachments.upload({ file: new Blob(['a']), fileName: 'a' }, { extra: { public: true } });
    expect(server.requests.map(({ url, body }) => `${url} ${body.toString()}`)).toEqual([
      '/asset/check {"content":"a","depth":2}',
      '/organization/reports?limit=1&label=a&label=b ',
      '/organization/assets/5 {"assetId":5,"name":"x","color":"red"}',
    ]);
    expect(other.server.requests[0]?.url).toBe('/attachment/upload?fileName=a&public=true');
  });

  // It replaced fields that had been checked.
  test('cannot replace a field of the input, whatever its operation', async () => {
    const { loose, server } = await connectLoose([{ body: enough }], { slug: 'acme' });
    for (const { name, input } of allOperations) {
      for (const field of Object.keys((input as unknown as { _zod: { def: { shape?: object } } })._zod.def.shape ?? {})) {
        const error = await thrownBy(() => loose.request(name, {}, { extra: { [field]: undefined } }));
        expect(error).toMatchObject({ code: 'INVALID_INPUT', issues: [{ path: `extra.${field}` }] });
      }
    }
    expect(server.requests).toHaveLength(0);
  });
});

describe('limits', () => {
  const page = { reports: [], nextCursor: null };

  test('are those of the schema by default, and those of the text on request', async () => {
    const strict = await connect(node, [{ body: page }]);
    expect(await thrownBy(() => strict.client.reports.list({ limit: 21 }))).toMatchObject({ code: 'INVALID_INPUT' });
    const { loose, client, server } = await connectLoose([{ body: page }], { limits: 'prose' });
    await client.reports.list({ limit: 100 });
    await loose['reports']!['list']!({});
    await client.request('organizationReportsList', { limit: 50 });
    expect(await client.reports.listAll().next()).toMatchObject({ done: true });
    expect(server.requests.map(({ url }) => url.replace(/^[^?]*/, ''))).toEqual(['?limit=100', '', '?limit=50', '?limit=100']);
    for (const limit of [0, 101, 1.5]) {
      expect(await thrownBy(() => client.reports.list({ limit }))).toMatchObject({ code: 'INVALID_INPUT' });
    }
    expect(await thrownBy(() => client.detections.list({ slug: 's', limit: 101 }))).toMatchObject({ code: 'INVALID_INPUT' });
  });
});

test.each([{ discordGuildId: '1' }, { telegramGroupId: '2' }, { discordGuildId: '1', telegramGroupId: '2' }])(
  'the slug is not sent beside %j, which belongs to an organization already',
  async (place) => {
    const { client, server } = await connect(node, [{ body: { id: 1 } }], { slug: 'acme' });
    const input = { assets: [{ content: 'a' }], ...place };
    await client.reports.create(input);
    expect(jsonOf(server.requests[0]!)).toEqual(input);
  },
);

test('a guild or a group in extra is the organization too, and the slug is not sent', async () => {
  const { loose, server } = await connectLoose([{ body: enough }], { slug: 'acme' });
  for (const extra of [{ discordGuildId: '1' }, { telegramGroupId: '2' }, { slugs: ['a'] }]) {
    await loose.request('organizationReportsList', { limit: 1 }, { extra });
    expect(server.requests.at(-1)!.url).not.toMatch(/slug=|organizationSlug=/);
  }
  await loose.request('organizationReportsList', { limit: 1 }, { extra: { color: 'red' } });
  expect(server.requests.at(-1)!.url).toMatch(/[?&](slug|organizationSlug)=acme/);
});

describe('the options of', () => {
  type Values<Options> = { readonly [Name in keyof Options]-?: readonly unknown[] };
  const run = () => {};
  // Not the smallest here: a call of 1 ms ends with TIMEOUT on a busy machine.
  const durations = [60_000, 2 ** 31 - 1];
  const retry = [false, {}, { maxRetries: 0, delayMs: 0, maxDelayMs: 0 }];
  const ofRequest = {
    timeoutMs: durations,
    deadlineMs: durations,
    retry,
    headers: [{}, { a: 'b' }],
    signal: [new AbortController().signal],
    onResponse: [run],
  };
  const ofCall: Values<CallOptions> = { ...ofRequest, slug: ['acme'], extra: [{}, { color: 'red' }] };
  const { signal: _, onResponse: __, extra: ___, ...shared } = ofCall;
  const ofClient: Values<Omit<ClientOptions, 'baseUrl'>> = {
    ...shared,
    timeoutMs: [1, ...durations],
    deadlineMs: [1, ...durations],
    apiKey: ['key', () => 'key'],
    fetch: [async () => Response.json(enough)],
    paths: [{}, { validate: 'POST /x' }],
    limits: ['schema', 'prose'],
    onEvent: [run],
    allowInsecureHttp: [true, false],
    agent: [{}, { maxConnections: 1, keepAliveMs: 1, proxyFromEnvironment: false }],
    now: [Date.now],
    random: [Math.random],
  };
  const ofRaw: Values<Omit<RawOptions, 'body'>> = { ...ofRequest, query: [{}, { a: 1 }] };
  const ofWatch: Values<WatchOptions> = { ...ofCall, pollMs: durations, since: [new Date(0), '2026-01-01'] };
  const ofScan: Values<ScanWaitOptions> = { ...ofCall, timeoutMs: [1_000], deadlineMs: [1_000], pollMs: [1] };

  const fetch = async () => Response.json({ ...enough, status: 'COMPLETED' });
  const baseUrl = 'https://api.example';
  const client = createClient({ baseUrl, apiKey: 'secret-of-these-tests', fetch });
  const stop = AbortSignal.abort();
  const scenes: readonly [string, Values<object>, (options: object) => unknown][] = [
    ['a client', ofClient, (options) => void createClient({ baseUrl, fetch, ...options })],
    ['a call', ofCall, (options) => client.assets.check({ content: 'a' }, options)],
    ['a request', ofRaw, (options) => client.request('POST', '/x', options)],
    ['a watch', ofWatch, (options) => watch(client, 'reports', {}, { signal: stop, ...options }).next()],
    ['a wait for a scan', ofScan, (options) => waitForScan(client, 1, options)],
  ];
  const names = new Set(scenes.flatMap(([, values]) => Object.keys(values)));
  const more = ['apikey', 'baseURL', 'timeout', 'maxRetries', 'delayMs', 'constructor', '__proto__x', 'toString'];

  // One list of names held for all of them, so `createClient({ maxRetries: 5 })` was accepted and ignored.
  test.each(scenes)('%s are its own and no others', async (name, values, use) => {
    for (const option of new Set([...names, ...more])) {
      if (option === 'signal' && name === 'a watch') continue;
      const own = Object.hasOwn(values, option) ? (values as Record<string, readonly unknown[]>)[option] : undefined;
      for (const value of own ?? []) await expect((async () => use({ [option]: value }))()).resolves.not.toThrow();
      if (own) continue;
      for (const value of [undefined, 5, {}, 'x']) {
        const error = await thrownBy(async () => use({ [option]: value }));
        expect(error, `${name}: ${option}`).toMatchObject({
          code: 'INVALID_INPUT',
          message: expect.stringContaining(`there is no option ${option}`),
        });
      }
    }
  });

  // Of another type than any value that is accepted.
  test.each(scenes)('%s have the right type', async (name, values, use) => {
    const types = [null, [], true, Symbol('x'), 5n, 'x', 5, {}, run];
    const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
    for (const [option, accepted] of Object.entries(values as Record<string, readonly unknown[]>)) {
      const right = accepted.map(typeOf);
      for (const value of types) {
        if (right.includes(typeOf(value)) && !(option === 'retry' && value === true)) continue;
        const error = await thrownBy(async () => use({ [option]: value }));
        const isRefused = error instanceof TypeError || (error as { code?: string }).code === 'INVALID_INPUT';
        expect(isRefused, `${name}: ${option} as ${typeOf(value)}: ${error.message}`).toBe(true);
        expect(error.message).not.toMatch(/undefined|iterable|destructure|convert/);
      }
    }
  });

  test.each([
    [{ limits: 'proze' }, 'limits'],
    [{ timeoutMs: 0 }, 'timeoutMs'],
    [{ timeoutMs: Number.NaN }, 'timeoutMs'],
    [{ deadlineMs: 2 ** 31 }, 'deadlineMs'],
    [{ retry: { maxRetries: 0.5 } }, 'retry.maxRetries'],
    [{ retry: { delayMs: -1 } }, 'retry.delayMs'],
    [{ retry: { timeoutMs: 5 } }, 'retry.timeoutMs'],
    // Regression: undici checks these at the first call, which failed with NETWORK; 0 means no limit to it.
    ...[0, -1, Number.NaN, 1.5].map((value) => [{ agent: { maxConnections: value } }, 'agent.maxConnections']),
    ...[-1, Number.NaN].map((value) => [{ agent: { keepAliveMs: value } }, 'agent.keepAliveMs']),
    [{ agent: { poll: 5 } }, 'agent.poll'],
  ] as [object, string][])('a client checks the value of %j', (options, name) => {
    expect(() => createClient({ baseUrl, ...options })).toThrow(name);
  });
});

test('on Node the client names itself and its version, unless the caller names another', async () => {
  const { client, server } = await connect(node, [{ body: found }]);
  await client.assets.check({ content: 'a' });
  await client.assets.check({ content: 'a' }, { headers: { 'User-Agent': 'my-app/2' } });
  expect(server.requests.map(({ headers }) => headers['user-agent'])).toEqual([`portcullis/${version}`, 'my-app/2']);
  const { version: published } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(version, 'raise src/core/version.ts').toBe(published);
});

test('the types of requests and readonly inputs', () => {
  const compiled = (client: Loose & ReturnType<typeof createClient>): unknown => [
    client.request('GET', '/x', { query: { a: 1 }, headers: { a: 'b' } }),
    // @ts-expect-error a path starts with a slash
    client.request('GET', 'x'),
    // @ts-expect-error unknown option
    client.request('GET', '/x', { qeury: {} }),
    // @ts-expect-error unknown option
    () => createClient({ baseUrl: 'https://api.example', apikey: 'k' }),
  ];
  expect(compiled).toBeTypeOf('function');
});
