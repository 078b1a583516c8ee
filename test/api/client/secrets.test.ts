import { inspect } from 'node:util';
import fc from 'fast-check';
import * as node from 'portcullis/client';
import { describe, expect, test, vi } from 'vitest';
import { type Answer, serve } from '../../support/scripted-server.js';
import { connect, type Entry, failed, found, platforms, type Scene, type Script, thrownBy } from './client-harness.js';

const key = 'pk_live_51HxYzQ8r7';
const token = 'tok_77aa88bb99cc';
const headers = { 'x-tenant-token': token, authorization: `Bearer ${token}.b` };
const secrets = [key, token];

const scene = (entry: Entry, script: Script, options: Partial<node.ClientOptions> = {}): Promise<Scene> =>
  connect(entry, script, { apiKey: key, headers, retry: { maxRetries: 1, delayMs: 1 }, ...options });

/** Everything that a logger, a debugger or a serializer could show of a value. */
function shown(value: unknown): string {
  const seen = new Set<unknown>();
  const texts: string[] = [inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true }), String(value)];
  const visit = (found: unknown): void => {
    if (typeof found === 'string') texts.push(found);
    if ((typeof found !== 'object' && typeof found !== 'function') || found === null || seen.has(found)) return;
    seen.add(found);
    if (found instanceof Map || found instanceof Set) for (const item of found) visit(item);
    // Its entries are not properties.
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

test('the secret scanner of these tests finds secrets', () => {
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

/** A service that repeats the secrets it was sent, in every part of a response. */
const told = `${key} and ${token} and ${headers.authorization}`;
const echoes: [string, Answer][] = [
  ['its message', { status: 400, body: { message: `bad: ${told}` } }],
  ['its message, repeatedly', { status: 400, body: { message: `${key}${key} ${key}, ${token}${token}` } }],
  ['its code', { status: 403, body: { error: { message: 'No.', code: key } } }],
  ['an issue', { status: 400, body: { message: 'No.', issues: [{ path: `a.${key}`, message: told }] } }],
  [
    'the path of an issue',
    { status: 400, body: { message: 'No.', issues: [{ path: ['headers', key, 0, token], message: 'is wrong' }] } },
  ],
  [
    'the errors of assets',
    {
      status: 422,
      body: { message: 'No.', data: { errors: [{ asset: told, errorType: key, message: told, suggestion: `use ${key}` }] } },
    },
  ],
  ['unknown fields', { status: 500, body: { message: 'No.', config: { headers: { 'x-api-key': key } }, stack: told } }],
  ['HTML', { status: 502, body: `<html><pre>x-api-key: ${told}</pre>` }],
  ['plain text', { status: 401, body: told }],
  ['a successful response that is HTML', { body: `<html>${told}` }],
  ['a successful response that is cut off', { body: `{"status":"${told}` }],
  ['the path of a redirect', { status: 302, headers: { location: `https://login.example/?key=${key}&token=${token}#${key}` } }],
  ['the userinfo of a redirect', { status: 302, headers: { location: `https://${key}:${token}@login.example/` } }],
  ['the host of a redirect', { status: 302, headers: { location: `https://${key}.login.example/` } }],
  ['its Retry-After', { status: 429, headers: { 'retry-after': key } }],
  ['unknown headers', { status: 500, headers: { 'x-echo': key, [token]: 'a' } }],
  ['a body that is cut off', { status: 500, body: told, fault: 'cut' }],
  ['the keys of a successful response', { body: { status: { [key]: token }, sources: [{ [key]: key }], [key]: 1 } }],
];

describe.each(platforms)('%s', (_, entry) => {
  test.each(echoes)('errors and events do not show a secret that the service repeats in %s', async (__, answer) => {
    const { client, server, events } = await scene(entry, [answer]);
    const error = await client.assets.check({ content: 'scam.example' }).catch((thrown: unknown) => thrown);
    if (node.isPortcullisError(error)) expectNoSecret(error);
    else expect(answer.status ?? 200).toBe(200);
    const other = await client.request('reportCreate', { assets: [{ content: 'a' }] }).catch((thrown: unknown) => thrown);
    if (node.isPortcullisError(other)) expectNoSecret(other);
    expectNoSecret(events);
    for (const { url } of server.requests) expectNoSecret(url);
  });

  test('replaces each secret by the name of its header', async () => {
    const { client } = await scene(entry, [{ status: 400, body: { message: `${key}; ${headers.authorization}; ${token}` } }]);
    const error = await thrownBy(() => client.assets.check({ content: 'a' }));
    expect(error.message).toBe('[key]; [authorization]; [x-tenant-token]');
  });

  test('finds secrets with special characters', async () => {
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

  // Regression: a proxy showed the request as JSON in its message.
  test('finds a secret that is escaped in JSON', async () => {
    const apiKey = 'pk_"live"\\51HxYzQ8r7';
    const message = `refused: ${JSON.stringify({ 'x-api-key': apiKey })}`;
    const { client } = await scene(entry, [{ status: 400, body: { message } }], { apiKey, headers: {} });
    expect((await thrownBy(() => client.assets.check({ content: 'a' }))).message).toBe('refused: {"x-api-key":"[key]"}');
  });

  test('finds the key and the headers of each call', async () => {
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

  // Regression: only the whole value was replaced, but services repeat the token alone.
  test('finds the token after "Bearer"', async () => {
    const { client } = await scene(entry, [{ status: 401, body: { message: 'the token only-in-authorization is over' } }], {
      headers: { authorization: 'Bearer only-in-authorization' },
    });
    expectNoSecret(await thrownBy(() => client.assets.check({ content: 'a' })), ['only-in-authorization']);
  });

  // Regression: only errors were redacted.
  test.each(['deprecation', 'sunset'])('events do not show a secret in the header %s', async (name) => {
    const { client, events } = await scene(entry, [{ body: found, headers: { [name]: `since ${key}` } }]);
    await client.assets.check({ content: 'a' });
    expect(events).toHaveLength(1);
    expectNoSecret(events);
  });

  // Regression: the input was checked before the key was known, and the message has the names of fields.
  test('an error about an input does not show a field named like the key', async () => {
    const { client } = await scene(entry, [{ body: found }]);
    const error = await thrownBy(() => client.assets.check({ content: 'a', [key]: 1 } as { content: string }));
    expect(error.code).toBe('INVALID_INPUT');
    expectNoSecret(error);
  });

  test('an error about an input does not show its values', async () => {
    const { client } = await scene(entry, [{ body: found }]);
    const inputs: unknown[] = [{ content: [key] }, { content: { [key]: token } }, { content: 5, other: key }, [key], key];
    for (const input of inputs) expectNoSecret(await thrownBy(() => client.assets.check(input as { content: string })));
  });

  describe('an error thrown by the option fetch', () => {
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
        'a request attached',
        Object.assign(new Error('failed'), { config: request, request, response: { config: request }, toJSON: () => request }),
      ],
      ['a request attached as a hidden property', Object.defineProperty(new Error('failed'), 'config', { value: request })],
      ['a request attached to its cause', new Error('failed', { cause: Object.assign(new Error('below'), { config: request }) })],
      ['a code and a name', Object.assign(new Error('failed'), { code: key, name: token })],
      ['a code on its cause', new Error('failed', { cause: { code: key, name: token, message: told } })],
      ['a stack', Object.assign(new Error('failed'), { stack: `Error: failed\n at ${told}` })],
      ['several errors', new AggregateError([new Error(key), Object.assign(new Error('a'), { config: request })], token)],
      ['a string', told],
      ['a cause that is not an error', new Error('failed', { cause: request })],
      ['a request instead of an error', request],
      ['a list', [key, token]],
      ['a symbol', Symbol(key)],
      ['a function', Object.assign(() => key, { key })],
      ['a DOMException', new DOMException(told, 'AbortError')],
      [
        'headers attached as a Headers object',
        Object.assign(new Error('failed'), { config: { headers: new Headers(request.headers) } }),
      ],
    ])('does not show a secret in %s', async (__, thrown) => {
      const { client, events } = await scene(entry, [], { fetch: () => Promise.reject(thrown) });
      const error = await thrownBy(() => client.assets.check({ content: 'a' }));
      expect(error).toMatchObject({ name: 'PortcullisError', code: 'NETWORK' });
      expectNoSecret(error);
      expect(events).toHaveLength(1);
      expectNoSecret(events);
    });

    test('keeps the name, code and message of its causes', async () => {
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

    test('does not show a secret if it is a PortcullisError', async () => {
      const issues = [{ path: key, message: told }];
      const inner = new node.PortcullisError('NETWORK', told, {
        issues,
        cause: Object.assign(new Error(key), { config: request }),
      });
      const { client, events } = await scene(entry, [], { fetch: () => Promise.reject(inner) });
      expectNoSecret(await thrownBy(() => client.assets.check({ content: 'a' })));
      expectNoSecret(events);
    });

    // Regression: unknown properties of a PortcullisError were copied without redaction.
    test('does not show a secret attached to a PortcullisError', async () => {
      const inner = Object.assign(new node.PortcullisError('NETWORK', 'failed'), { config: request });
      const { client } = await scene(entry, [], { fetch: () => Promise.reject(inner) });
      expectNoSecret(await thrownBy(() => client.assets.check({ content: 'a' })));
    });
  });

  test('connection errors do not show a secret', async () => {
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

  test('a client object does not show a secret', async () => {
    const { client } = await scene(entry, [{ body: found }]);
    await client.assets.check({ content: 'a' });
    expectNoSecret(client);
  });

  test('the key is sent in its header and nowhere else', async () => {
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
      'rejects a value that cannot be a header, without showing it: %j',
      async (apiKey) => {
        const error = await thrownBy(() => make(apiKey));
        expect(error).toEqual(failed('INVALID_INPUT'));
        expectNoSecret(error);
      },
    );

    test('may be omitted: then no key is sent', async () => {
      const refusal = { status: 401, body: { message: 'no key', code: 'UNAUTHORIZED' } };
      const { client, server } = await scene(entry, [{ body: found }, refusal], { apiKey: undefined as unknown as string });
      await client.assets.check({ content: 'a' });
      await expect(client.assets.check({ content: 'a' })).rejects.toMatchObject({ code: 'UNAUTHORIZED', message: 'no key' });
      expect(server.requests.map(({ headers: sent }) => Object.keys(sent).includes('x-api-key'))).toEqual([false, false]);
    });

    test.each([[null], [5], [[key]], [{ key }]])('rejects a wrong type, without showing it: %j', async (apiKey) => {
      const error = await thrownBy(() => make(apiKey));
      expect(error).toBeInstanceOf(TypeError);
      expectNoSecret(error);
    });

    test('is called once for each call if it is a function', async () => {
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
    ])('that %s fails the call with KEY_UNAVAILABLE, and nothing is sent', async (__, apiKey) => {
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
      'that returns %j fails the call with KEY_UNAVAILABLE, without showing it',
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

    test('is not called if the input is rejected', async () => {
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
    ])('rejects %j, without showing it', async (baseUrl) => {
      const error = await thrownBy(() => make(baseUrl));
      expect(error).toEqual(failed('INVALID_INPUT'));
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
    ])('rejects %j unless allowInsecureHttp is set', async (baseUrl) => {
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
    ])('accepts %j', (baseUrl) => {
      expect(() => make(baseUrl)).not.toThrow();
    });

    // Regression: such an address was accepted, and then every call failed with NETWORK.
    test.each(['https://api.example:99999', 'https://1.2.3.256', 'https://[::::]', 'https://..'])(
      'rejects %j when the client is made',
      (baseUrl) => {
        expect(() => make(baseUrl)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
      },
    );

    test('is the origin of every request, whatever the option paths says', async () => {
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

    test.each(bad)('reject %j: %j, without showing the value', async (name, value) => {
      const given = { [name]: value };
      const { client, server } = await scene(entry, [{ body: found }]);
      for (const work of [
        () => entry.createClient({ baseUrl: 'https://api.example', apiKey: key, headers: given }),
        () => client.assets.check({ content: 'a' }, { headers: given }),
      ]) {
        const error = await thrownBy(work);
        expect(error).toEqual(failed('INVALID_INPUT'));
        expectNoSecret(error);
      }
      expect(server.connections()).toBe(0);
    });

    // Regression: redaction failed for values that are not strings.
    test.each([[undefined], [null]])('of a call reject %j like those of the client', async (value) => {
      const given = { 'x-a': value } as unknown as Record<string, string>;
      const make = (): unknown => entry.createClient({ baseUrl: 'https://api.example', apiKey: key, headers: given });
      expect(await thrownBy(make)).toMatchObject({ code: 'INVALID_INPUT' });
      const { client } = await scene(entry, [{ body: found }]);
      expect(await thrownBy(() => client.assets.check({ content: 'a' }, { headers: given }))).toMatchObject({
        code: 'INVALID_INPUT',
      });
    });

    test('of a call override those of the client', async () => {
      const { client, server } = await scene(entry, [{ body: found }], { headers: { 'x-a': 'client', 'x-b': 'client' } });
      await client.assets.check({ content: 'a' }, { headers: { 'x-a': 'call' } });
      expect(server.requests[0]?.headers).toMatchObject({ 'x-a': 'call', 'x-b': 'client' });
    });

    // Regression: both were sent, and arrived as "client, call".
    test.each([
      ['X-A', 'x-a'],
      ['Accept', 'accept'],
    ])('of a call override those of the client whatever their case: %s, %s', async (ofClient, ofCall) => {
      const { client, server } = await scene(entry, [{ body: found }], { headers: { [ofClient]: 'text/client' } });
      await client.assets.check({ content: 'a' }, { headers: { [ofCall]: 'text/call' } });
      expect(server.requests[0]?.headers[ofCall]).toBe('text/call');
    });

    test('cannot add other headers, whatever their value', async () => {
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
            expect(error).toEqual(failed('INVALID_INPUT'));
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
