import { inspect } from 'node:util';
import fc from 'fast-check';
import * as node from 'portcullis/client';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import * as web from '../../../src/entry/client.js';
import { type Answer, type ScriptedServer, serve } from '../../support/scripted-server.js';

const platforms = [
  ['over an agent of its own', node],
  ['over the fetch of the platform', web],
] as const;

type Entry = Pick<typeof web, 'createClient'>;

const key = 'pk_live_51HxYzQ8r7';
const token = 'tok_77aa88bb99cc';
const headers = { 'x-tenant-token': token, authorization: `Bearer ${token}.b` };
const secrets = [key, token];

const found = { status: 'blocked', source: 'global', sources: [] };

interface Scene {
  readonly client: node.Client;
  readonly server: ScriptedServer;
  readonly events: node.ClientEvent[];
}

async function scene(
  entry: Entry,
  script: Parameters<typeof serve>[0],
  options: Partial<node.ClientOptions> = {},
): Promise<Scene> {
  const server = await serve(script);
  const events: node.ClientEvent[] = [];
  const client = entry.createClient({
    baseUrl: server.origin,
    apiKey: key,
    headers,
    retry: { maxRetries: 1, delayMs: 1 },
    timeoutMs: 5_000,
    onEvent: (event) => events.push(event),
    ...options,
  });
  onTestFinished(() => client.close().catch(() => {}));
  return { client, server, events };
}

async function thrownBy(work: () => unknown): Promise<node.PortcullisError> {
  try {
    await work();
  } catch (error) {
    return error as node.PortcullisError;
  }
  return expect.unreachable('it succeeded');
}

/** All that a logger, a debugger or a serializer could find in a value. */
function shown(value: unknown): string {
  const seen = new Set<unknown>();
  const texts: string[] = [inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true }), String(value)];
  const visit = (found: unknown): void => {
    if (typeof found === 'string') texts.push(found);
    if ((typeof found !== 'object' && typeof found !== 'function') || found === null || seen.has(found)) return;
    seen.add(found);
    if (found instanceof Map || found instanceof Set) for (const item of found) visit(item);
    // Platform objects keep theirs elsewhere.
    if (found instanceof Headers) for (const pair of found) visit(pair);
    for (const name of Reflect.ownKeys(found)) {
      texts.push(String(name));
      visit((found as Record<PropertyKey, unknown>)[name]);
    }
  };
  visit(value);
  texts.push(JSON.stringify(value) ?? '');
  return texts.join('\n');
}

function expectNoSecret(value: unknown, hidden: readonly string[] = secrets): void {
  const text = shown(value);
  for (const secret of hidden) expect(text).not.toContain(secret);
}

test('the search for secrets finds them', () => {
  const hidden = Object.defineProperty(new Error('a'), 'config', { value: { headers: { 'x-api-key': key } } });
  for (const value of [
    new Error(key),
    new Error('a', { cause: new Error(key) }),
    hidden,
    new Map([['a', [key]]]),
    { a: { b: { c: { d: { e: key } } } } },
    { [key]: 1 },
    { a: new Headers({ a: key }) },
    { [Symbol('a')]: key },
  ]) {
    expect(() => expectNoSecret(value)).toThrow();
  }
  expectNoSecret(new Error('harmless', { cause: { a: 1 } }));
});

/** What a service may do with what it was sent: repeat it in every place an error has. */
const told = `${key} and ${token} and ${headers.authorization}`;
const echoes: [string, Answer][] = [
  ['its message', { status: 400, body: { message: `bad: ${told}` } }],
  ['its message, more than once', { status: 400, body: { message: `${key}${key} ${key}, ${token}${token}` } }],
  ['its code', { status: 403, body: { error: { message: 'No.', code: key } } }],
  ['an issue', { status: 400, body: { message: 'No.', issues: [{ path: `a.${key}`, message: told }] } }],
  [
    'the path of an issue',
    { status: 400, body: { message: 'No.', issues: [{ path: ['headers', key, 0, token], message: 'is wrong' }] } },
  ],
  [
    'what it says of an asset',
    {
      status: 422,
      body: { message: 'No.', data: { errors: [{ asset: told, errorType: key, message: told, suggestion: `use ${key}` }] } },
    },
  ],
  ['fields nobody knows', { status: 500, body: { message: 'No.', config: { headers: { 'x-api-key': key } }, stack: told } }],
  ['HTML', { status: 502, body: `<html><pre>x-api-key: ${told}</pre>` }],
  ['text', { status: 401, body: told }],
  ['a success that is HTML', { body: `<html>${told}` }],
  ['a success that is cut', { body: `{"status":"${told}` }],
  ['the path it redirects to', { status: 302, headers: { location: `https://login.example/?key=${key}&token=${token}#${key}` } }],
  ['the user it redirects to', { status: 302, headers: { location: `https://${key}:${token}@login.example/` } }],
  ['the host it redirects to', { status: 302, headers: { location: `https://${key}.login.example/` } }],
  ['its Retry-After', { status: 429, headers: { 'retry-after': key } }],
  ['headers nobody knows', { status: 500, headers: { 'x-echo': key, [token]: 'a' } }],
  ['a body that is cut', { status: 500, body: told, fault: 'cut' }],
  ['the shape of a success', { body: { status: { [key]: token }, sources: [{ [key]: key }], [key]: 1 } }],
];

describe.each(platforms)('%s', (_, entry) => {
  test.each(echoes)('no error and no event shows a secret the service repeats in %s', async (__, answer) => {
    const { client, server, events } = await scene(entry, [answer]);
    const error = await client.assets.check({ content: 'scam.example' }).catch((thrown: unknown) => thrown);
    if (node.isPortcullisError(error)) expectNoSecret(error);
    else expect(answer.status ?? 200).toBe(200);
    const other = await client.request('reportCreate', { assets: [{ content: 'a' }] }).catch((thrown: unknown) => thrown);
    if (node.isPortcullisError(other)) expectNoSecret(other);
    expectNoSecret(events);
    for (const { url } of server.requests) expectNoSecret(url);
  });

  test('puts a name in the place of each', async () => {
    const { client } = await scene(entry, [{ status: 400, body: { message: `${key}; ${headers.authorization}; ${token}` } }]);
    const error = await thrownBy(() => client.assets.check({ content: 'a' }));
    expect(error.message).toBe('[key]; [authorization]; [x-tenant-token]');
  });

  test('knows secrets with characters that mean something elsewhere', async () => {
    for (const apiKey of ['a.*+?^$()|[]{}\\', '$&$1$`', '"quoted\\"', '<b>&amp;', '%41%42', '[key]', 'k']) {
      const { client } = await scene(
        entry,
        [{ status: 400, body: { message: `it is ${apiKey}!`, issues: [{ path: apiKey }] } }],
        {
          apiKey,
          headers: {},
        },
      );
      const error = await thrownBy(() => client.assets.check({ content: 'a' }));
      expect(error.message).toBe('it is [key]!');
      expect(error.issues).toEqual([{ path: '[key]', message: '' }]);
    }
  });

  // Once: a proxy that shows a request as JSON inside its message.
  test('knows a secret as JSON escapes it', async () => {
    const apiKey = 'pk_"live"\\51HxYzQ8r7';
    const message = `refused: ${JSON.stringify({ 'x-api-key': apiKey })}`;
    const { client } = await scene(entry, [{ status: 400, body: { message } }], { apiKey, headers: {} });
    expect((await thrownBy(() => client.assets.check({ content: 'a' }))).message).toBe('refused: {"x-api-key":"[key]"}');
  });

  test('knows the key each call had, and the headers of a call', async () => {
    let count = 0;
    const keys = ['first-key-aaaa', 'second-key-bbb'];
    const { client, events } = await scene(
      entry,
      ({ headers: sent }) => ({ status: 503, body: { message: `${sent['x-api-key']} ${sent['x-once']}` } }),
      { apiKey: () => keys[count++] ?? '' },
    );
    for (const _key of keys) {
      const error = await thrownBy(() => client.assets.check({ content: 'a' }, { headers: { 'x-once': 'once-only-secret' } }));
      expect(error.message).toBe('[key] [x-once]');
      expectNoSecret(error, [...keys, 'once-only-secret']);
    }
    expect(events).toHaveLength(2);
    expectNoSecret(events, [...keys, 'once-only-secret']);
  });

  // Once: "Bearer tok…" is replaced as a whole, and services name the token alone.
  test('knows the token behind a scheme', async () => {
    const { client } = await scene(entry, [{ status: 401, body: { message: 'the token only-in-authorization is over' } }], {
      headers: { authorization: 'Bearer only-in-authorization' },
    });
    expectNoSecret(await thrownBy(() => client.assets.check({ content: 'a' })), ['only-in-authorization']);
  });

  // Once: Only its errors go through the filter.
  test.each(['deprecation', 'sunset'])('no event shows a secret of the header %s', async (name) => {
    const { client, events } = await scene(entry, [{ body: found, headers: { [name]: `since ${key}` } }]);
    await client.assets.check({ content: 'a' });
    expect(events).toHaveLength(1);
    expectNoSecret(events);
  });

  // Once: An input is checked before the key is at hand, and the name of a field goes into the message.
  test('an input with the key as a name is refused without a repetition', async () => {
    const { client } = await scene(entry, [{ body: found }]);
    const error = await thrownBy(() => client.assets.check({ content: 'a', [key]: 1 } as { content: string }));
    expect(error.code).toBe('INVALID_INPUT');
    expectNoSecret(error);
  });

  test('an input is refused without its values', async () => {
    const { client } = await scene(entry, [{ body: found }]);
    const inputs: unknown[] = [{ content: [key] }, { content: { [key]: token } }, { content: 5, other: key }, [key], key];
    for (const input of inputs) expectNoSecret(await thrownBy(() => client.assets.check(input as { content: string })));
  });

  describe('a fetch of the caller that throws', () => {
    const request = { headers: { 'x-api-key': key, ...headers }, url: `https://api.example/?k=${key}` };
    const deep = (error: Error, levels: number): Error =>
      levels === 0 ? error : deep(new Error(`at ${levels}: ${key}`, { cause: error }), levels - 1);
    const circle = new Error(key);
    circle.cause = circle;

    test.each<[string, unknown]>([
      ['a message', new Error(`failed with ${told}`)],
      ['a cause', new Error('failed', { cause: new Error(told, { cause: told }) })],
      ['twenty causes', deep(new Error(key), 20)],
      ['a circle of causes', circle],
      [
        'a request on it',
        Object.assign(new Error('failed'), { config: request, request, response: { config: request }, toJSON: () => request }),
      ],
      ['a request out of sight', Object.defineProperty(new Error('failed'), 'config', { value: request })],
      ['a request on a cause', new Error('failed', { cause: Object.assign(new Error('below'), { config: request }) })],
      ['a code and a name', Object.assign(new Error('failed'), { code: key, name: token })],
      ['a code on its cause', new Error('failed', { cause: { code: key, name: token, message: told } })],
      ['a stack', Object.assign(new Error('failed'), { stack: `Error: failed\n at ${told}` })],
      ['several errors', new AggregateError([new Error(key), Object.assign(new Error('a'), { config: request })], token)],
      ['a text', told],
      ['a cause that is no error', new Error('failed', { cause: request })],
      ['no error at all', request],
      ['a list', [key, token]],
      ['a symbol', Symbol(key)],
      ['a function', Object.assign(() => key, { key })],
      ['a DOMException', new DOMException(told, 'AbortError')],
      [
        'its headers as a platform object',
        Object.assign(new Error('failed'), { config: { headers: new Headers(request.headers) } }),
      ],
    ])('shows no secret of %s', async (__, thrown) => {
      const { client, events } = await scene(entry, [], { fetch: () => Promise.reject(thrown) });
      const error = await thrownBy(() => client.assets.check({ content: 'a' }));
      expect(error).toMatchObject({ name: 'PortcullisError', code: 'NETWORK' });
      expectNoSecret(error);
      expect(events).toHaveLength(1);
      expectNoSecret(events);
    });

    test('still tells what happened', async () => {
      const cause = Object.assign(new Error(`connect failed for ${key}`), { code: 'ECONNRESET', name: 'SocketError' });
      const { client } = await scene(entry, [], { fetch: () => Promise.reject(new TypeError('fetch failed', { cause })) });
      const error = await thrownBy(() => client.assets.check({ content: 'a' }));
      expect(error.message).toBe('the request failed: ECONNRESET');
      expect(error.cause).toMatchObject({ name: 'TypeError', message: 'fetch failed' });
      expect((error.cause as Error).cause).toMatchObject({
        name: 'SocketError',
        code: 'ECONNRESET',
        message: 'connect failed for [key]',
      });
    });

    test("shows no secret of another client's error", async () => {
      const issues = [{ path: key, message: told }];
      const inner = new node.PortcullisError('NETWORK', told, {
        issues,
        cause: Object.assign(new Error(key), { config: request }),
      });
      const { client, events } = await scene(entry, [], { fetch: () => Promise.reject(inner) });
      expectNoSecret(await thrownBy(() => client.assets.check({ content: 'a' })));
      expectNoSecret(events);
    });

    // Once: Every own property of an error with the brand is taken over; only those that are known have been through the filter.
    test('shows no secret that was hung on such an error', async () => {
      const inner = Object.assign(new node.PortcullisError('NETWORK', 'failed'), { config: request });
      const { client } = await scene(entry, [], { fetch: () => Promise.reject(inner) });
      expectNoSecret(await thrownBy(() => client.assets.check({ content: 'a' })));
    });
  });

  test('no error of a connection shows a secret', async () => {
    const gone = await serve([]);
    await gone.close();
    for (const [script, options] of [
      [[{ fault: 'reset' }], {}],
      [[{ fault: 'cut', body: found }], {}],
      [[{ fault: 'hang' }], { timeoutMs: 20 }],
      [[{ fault: 'endless' }], {}],
      [[], { baseUrl: gone.origin }],
    ] as [Answer[], Partial<node.ClientOptions>][]) {
      const { client, events } = await scene(entry, script, options);
      expectNoSecret(await thrownBy(() => client.assets.check({ content: 'a' })));
      expectNoSecret(events);
    }
  });

  test('a client shows no secret', async () => {
    const { client } = await scene(entry, [{ body: found }]);
    await client.assets.check({ content: 'a' });
    expectNoSecret(client);
  });

  test('the key goes into its header and nowhere else', async () => {
    const { client, server } = await scene(entry, [{ body: {} }], { slug: 'acme' });
    await client.assets.check({ content: 'a' });
    await client.account.userOrgsGet();
    await client.reports.list({ limit: 1 });
    for (const { url, body, headers: sent } of server.requests) {
      expect(sent['x-api-key']).toBe(key);
      expectNoSecret([url, String(body), { ...sent, 'x-api-key': '' }], [key]);
    }
  });

  describe('the option apiKey', () => {
    const make = (apiKey: unknown): unknown => entry.createClient({ baseUrl: 'https://api.example', apiKey: apiKey as string });

    test.each([`${key}\n`, `${key}\r\nx-evil: 1`, ` ${key}`, `${key}\u0000`, `${key}é`, `${key}\u2028`, ''])(
      'refuses what cannot stand in a header, and does not show it: %j',
      async (apiKey) => {
        const error = await thrownBy(() => make(apiKey));
        expect(error).toMatchObject({ name: 'PortcullisError', code: 'INVALID_INPUT' });
        expectNoSecret(error);
      },
    );

    test('may be left out: no header is sent, and the service says what it thinks of that', async () => {
      const refusal = { status: 401, body: { message: 'no key', code: 'UNAUTHORIZED' } };
      const { client, server } = await scene(entry, [{ body: found }, refusal], { apiKey: undefined as unknown as string });
      await client.assets.check({ content: 'a' });
      await expect(client.assets.check({ content: 'a' })).rejects.toMatchObject({ code: 'UNAUTHORIZED', message: 'no key' });
      expect(server.requests.map(({ headers: sent }) => Object.keys(sent).includes('x-api-key'))).toEqual([false, false]);
    });

    test.each([[null], [5], [[key]], [{ key }]])('refuses a wrong type, and does not show it: %j', async (apiKey) => {
      const error = await thrownBy(() => make(apiKey));
      expect(error).toBeInstanceOf(TypeError);
      expectNoSecret(error);
    });

    test('is asked once for each call', async () => {
      let count = 0;
      const apiKey = vi.fn(() => `key-${++count}`);
      const { client, server } = await scene(entry, [{ status: 503 }, { body: found }], { apiKey });
      await client.assets.check({ content: 'a' });
      await client.assets.check({ content: 'a' });
      expect(server.requests.map((request) => request.headers['x-api-key'])).toEqual(['key-1', 'key-1', 'key-2']);
      expect(apiKey).toHaveBeenCalledTimes(2);
    });

    test.each<[string, () => string | Promise<string>]>([
      [
        'throws',
        () => {
          throw new Error('a vault');
        },
      ],
      ['rejects', () => Promise.reject(new Error('a vault'))],
    ])('that %s makes the key unavailable, and nothing is sent', async (__, apiKey) => {
      const { client, server } = await scene(entry, [{ body: found }], { apiKey });
      const error = await thrownBy(() => client.assets.check({ content: 'a' }));
      expect(error).toMatchObject({
        name: 'PortcullisError',
        code: 'KEY_UNAVAILABLE',
        operation: 'assetCheck',
        cause: { message: 'a vault' },
      });
      expect(server.connections()).toBe(0);
    });

    test.each(['', undefined, null, 5, `${key}\nb`, `${key}\r\nx-evil: 1`, ` ${key}`, [key], { toString: () => key }])(
      'that gives %j makes the key unavailable, and does not show it',
      async (given) => {
        for (const apiKey of [() => given, async () => given]) {
          const { client, server } = await scene(entry, [{ body: found }], { apiKey: apiKey as () => string });
          const error = await thrownBy(() => client.assets.check({ content: 'a' }));
          expect(error).toMatchObject({ name: 'PortcullisError', code: 'KEY_UNAVAILABLE', operation: 'assetCheck' });
          expectNoSecret(error);
          expect(server.connections()).toBe(0);
        }
      },
    );

    test('is not asked for an input that is refused', async () => {
      const apiKey = vi.fn(() => key);
      const { client } = await scene(entry, [], { apiKey });
      await thrownBy(() => client.assets.check({ content: 5 as unknown as string }));
      expect(apiKey).not.toHaveBeenCalled();
    });
  });

  describe('the option baseUrl', () => {
    const make = (baseUrl: string, options: Partial<node.ClientOptions> = {}): unknown =>
      entry.createClient({ baseUrl, apiKey: key, ...options });

    test.each([
      `https://user:${token}@api.example`,
      `https://${token}@api.example/v2`,
      `https://api.example?token=${token}`,
      `https://api.example/v2?token=${token}`,
      `https://api.example/v2#${token}`,
      `https://api.example\\@${token}.example`,
      `https://api.example/\n${token}`,
      `https://api.example/ ${token}`,
      `//api.example/${token}`,
      `ftp://api.example/${token}`,
      `javascript:${token}`,
      `https:api.example/${token}`,
      `https:///${token}`,
      ` https://api.example/${token}`,
      token,
      '',
    ])('refuses %j, and does not repeat it', async (baseUrl) => {
      const error = await thrownBy(() => make(baseUrl));
      expect(error).toMatchObject({ name: 'PortcullisError', code: 'INVALID_INPUT' });
      expectNoSecret(error);
    });

    test.each([
      'http://api.example',
      'HTTP://api.example',
      'http://api.example:443',
      'http://10.0.0.1',
      'http://localhost.example',
      'http://127.0.0.1.example',
      'http://127.example',
      'http://notlocalhost',
      'http://0.0.0.0',
      'http://[::2]',
      'http://[::ffff:10.0.0.1]',
    ])('refuses %j, unless told otherwise', async (baseUrl) => {
      expect(await thrownBy(() => make(baseUrl))).toMatchObject({ name: 'PortcullisError', code: 'INVALID_INPUT' });
      expect(await thrownBy(() => make(baseUrl, { allowInsecureHttp: false }))).toMatchObject({ code: 'INVALID_INPUT' });
      expect(() => make(baseUrl, { allowInsecureHttp: true })).not.toThrow();
    });

    test.each([
      'http://localhost',
      'http://LOCALHOST:8080/v2',
      'http://127.0.0.1',
      'http://127.1.2.3:1',
      'http://[::1]:80/',
      'https://api.example/v2/',
    ])('takes %j', (baseUrl) => {
      expect(() => make(baseUrl)).not.toThrow();
    });

    // Once: No address has such a host or port, so every call fails as NETWORK, twice more for the retries.
    test.each(['https://api.example:99999', 'https://1.2.3.256', 'https://[::::]', 'https://..'])(
      'refuses %j when the client is made',
      (baseUrl) => {
        expect(() => make(baseUrl)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
      },
    );

    test('goes before every path, and no path leaves it', async () => {
      const asked: string[] = [];
      const fetch: node.FetchLike = async (url) => {
        asked.push(new URL(url).origin);
        return new Response('{}');
      };
      const tried = ['/', '//evil.example/', '/@evil.example', '/.evil.example', '/:1@evil.example', '/\\evil.example'];
      for (const path of tried) {
        const { client } = await scene(entry, [], { baseUrl: 'https://api.example', fetch, paths: { assetCheck: path } });
        await client.assets.check({ content: 'a' });
      }
      expect(asked).toEqual(tried.map(() => 'https://api.example'));
    });

    test.each([
      'evil',
      '@evil.example',
      '.evil.example',
      '',
      'https://evil.example/',
      'PUT /a',
      'POST  /a',
      'POST /a b',
      '/a?b',
      '/a#b',
      '/a\n',
      '\n/a',
    ])('cannot be changed by the route %j', async (route) => {
      expect(await thrownBy(() => make('https://api.example', { paths: { assetCheck: route } }))).toMatchObject({
        name: 'PortcullisError',
        code: 'INVALID_INPUT',
      });
    });
  });

  describe('headers', () => {
    const bad: [string, string][] = [
      ['x-a', `${token}\r\nx-evil: 1`],
      ['x-a', `${token}\n`],
      ['x-a', `${token}\u0000`],
      ['x-a', `${token}\u2028`],
      ['x-a', `${token}\ud800`],
      ['x-a\r\nx-evil', token],
      ['x a', token],
      ['x-a:', token],
      ['', token],
      ['é', token],
      ['X-API-Key', token],
      ['x-api-key', token],
      ['Content-Length', token],
      ['transfer-encoding', token],
      ['Host', token],
    ];

    test.each(bad)('refuse %j: %j, and do not repeat the value', async (name, value) => {
      const given = { [name]: value };
      const { client, server } = await scene(entry, [{ body: found }]);
      for (const work of [
        () => entry.createClient({ baseUrl: 'https://api.example', apiKey: key, headers: given }),
        () => client.assets.check({ content: 'a' }, { headers: given }),
      ]) {
        const error = await thrownBy(work);
        expect(error).toMatchObject({ name: 'PortcullisError', code: 'INVALID_INPUT' });
        expectNoSecret(error);
      }
      expect(server.connections()).toBe(0);
    });

    // Once: The redactor reads `length` of the value on the way out.
    test.each([[undefined], [null]])('of a call refuse %j as those of the client do', async (value) => {
      const given = { 'x-a': value } as unknown as Record<string, string>;
      const make = (): unknown => entry.createClient({ baseUrl: 'https://api.example', apiKey: key, headers: given });
      expect(await thrownBy(make)).toMatchObject({ code: 'INVALID_INPUT' });
      const { client } = await scene(entry, [{ body: found }]);
      expect(await thrownBy(() => client.assets.check({ content: 'a' }, { headers: given }))).toMatchObject({
        code: 'INVALID_INPUT',
      });
    });

    test('of a call stand in place of those of the client', async () => {
      const { client, server } = await scene(entry, [{ body: found }], { headers: { 'x-a': 'client', 'x-b': 'client' } });
      await client.assets.check({ content: 'a' }, { headers: { 'x-a': 'call' } });
      expect(server.requests[0]?.headers).toMatchObject({ 'x-a': 'call', 'x-b': 'client' });
    });

    // Once: Both are sent, and arrive as "client, call".
    test.each([
      ['X-A', 'x-a'],
      ['Accept', 'accept'],
    ])('of a call stand in place of those of the client, as %s and %s', async (ofClient, ofCall) => {
      const { client, server } = await scene(entry, [{ body: found }], { headers: { [ofClient]: 'text/client' } });
      await client.assets.check({ content: 'a' }, { headers: { [ofCall]: 'text/call' } });
      expect(server.requests[0]?.headers[ofCall]).toBe('text/call');
    });

    test('bring nothing that was not asked for, whatever their text', async () => {
      const { client, server } = await scene(entry, () => ({ body: found }), { headers: {}, retry: false });
      await client.assets.check({ content: 'a' });
      const usual = Object.keys(server.requests[0]?.headers ?? {});
      const value = fc.string({ unit: fc.constantFrom('a', ' ', '\t', '\r', '\n', ':', '\0', '\x7f', 'é', 'Ā', ';', ',') });
      await fc.assert(
        fc.asyncProperty(value, async (text) => {
          const { length } = server.requests;
          try {
            await client.assets.check({ content: 'a' }, { headers: { 'x-a': text } });
          } catch (error) {
            expect(error).toMatchObject({ name: 'PortcullisError', code: 'INVALID_INPUT' });
            expect(server.requests).toHaveLength(length);
            return;
          }
          const sent = server.requests[length]?.headers ?? {};
          expect(
            Object.keys(sent)
              .filter((name) => name !== 'x-a')
              .sort(),
          ).toEqual([...usual].sort());
          expect(sent['x-a']).toBe(text.replace(/^[ \t]+|[ \t]+$/g, ''));
        }),
      );
    });
  });
});
