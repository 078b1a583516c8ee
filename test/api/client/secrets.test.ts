import { inspect } from 'node:util';
import fc from 'fast-check';
import * as node from 'portcullis/client';
import { describe, expect, test, vi } from 'vitest';
import { type Answer, serve } from '../../support/scripted-server.js';
import {
  clientAt,
  connect,
  type Entry,
  enough,
  failed,
  found,
  platforms,
  type Scene,
  type Script,
  thrownBy,
} from './client-harness.js';

const key = 'pk_live_51HxYzQ8r7';
const token = 'tok_77aa88bb99cc';
const headers = { 'x-tenant-token': token, authorization: `Bearer ${token}.b` };
const secrets = [key, token];

const scene = (entry: Entry, script: Script, options: Partial<node.ClientOptions> = {}): Promise<Scene> =>
  connect(entry, script, { apiKey: key, headers, retry: { maxRetries: 1, delayMs: 1 }, ...options });

/** Makes a call that fails, and returns its error. */
const errorOf = (
  { client }: Scene,
  input: unknown = { content: 'a' },
  options?: node.CallOptions,
): Promise<node.PortcullisError> => thrownBy(() => client.assets.check(input as { content: string }, options));

/** Expects that no client is made from these options, and that the error shows no secret. */
async function expectRefused(entry: Entry, options: object): Promise<node.PortcullisError> {
  const error = await thrownBy(() => entry.createClient({ baseUrl: 'https://api.example', apiKey: key, ...options }));
  expectNoSecret(error);
  return error;
}

/** Everything that a logger, a debugger or a serializer could show of a value. */
function shown(value: unknown): string {
  const seen = new Set<unknown>();
  const texts: string[] = [inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true }), String(value)];
  const visit = (found: unknown): void => {
    if (typeof found === 'string') texts.push(found);
    if ((typeof found !== 'object' && typeof found !== 'function') || found === null || seen.has(found)) return;
    seen.add(found);
    if (found instanceof Map || found instanceof Set) for (const item of found) visit(item);
    // The entries of such an object are not properties.
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

  const strange = ['a.*+?^$()|[]{}\\', '$&$1$`', '"quoted\\"', '<b>&amp;', '%41%42', '[key]', 'k'];
  const bearer = 'only-in-authorization';

  test.each<[string, string, string, Partial<node.ClientOptions>?]>([
    ['by the names of their headers', `${key}; ${headers.authorization}; ${token}`, '[key]; [authorization]; [x-tenant-token]'],
    ...strange.map((apiKey): [string, string, string, object] => [
      'with special characters',
      `it is ${apiKey}!`,
      'it is [key]!',
      { apiKey, headers: {} },
    ]),
    // Regression: a proxy showed the request as JSON in its message.
    [
      'as JSON escapes them',
      `refused: ${JSON.stringify({ 'x-api-key': 'pk_"live"\\51HxYzQ8r7' })}`,
      'refused: {"x-api-key":"[key]"}',
      { apiKey: 'pk_"live"\\51HxYzQ8r7', headers: {} },
    ],
    [
      'as a URL escapes them',
      'see https://api.example/?key=pk_%22live%22%2F51HxYzQ8r7',
      'see https://api.example/?key=[key]',
      { apiKey: 'pk_"live"/51HxYzQ8r7', headers: {} },
    ],
    // docs/client.md says that other spellings are not recognized.
    [
      'and leaves other spellings',
      `it is ${btoa('pk_live_51HxYzQ8r7')} or PK_LIVE_51HXYZQ8R7`,
      `it is ${btoa('pk_live_51HxYzQ8r7')} or PK_LIVE_51HXYZQ8R7`,
      { apiKey: 'pk_live_51HxYzQ8r7', headers: {} },
    ],
    // Regression: only the whole value was replaced, but services repeat the token alone.
    [
      'after "Bearer"',
      `the token ${bearer} is over`,
      'the token [authorization] is over',
      { headers: { authorization: `Bearer ${bearer}` } },
    ],
  ])('replaces secrets %s: %s', async (__, message, shown, options) => {
    const error = await errorOf(await scene(entry, [{ status: 400, body: { message, issues: [{ path: message }] } }], options));
    expect(error.message).toBe(shown);
    expect(error.issues).toEqual([{ path: shown, message: '' }]);
  });

  test('finds the key and the headers of each call', async () => {
    let count = 0;
    const keys = ['first-key-aaaa', 'second-key-bbb'];
    const made = await scene(
      entry,
      ({ headers: sent }) => ({ status: 503, body: { message: `${sent['x-api-key']} ${sent['x-once']}` } }),
      { apiKey: () => keys[count++] ?? '' },
    );
    for (const _key of keys) {
      const error = await errorOf(made, undefined, { headers: { 'x-once': 'once-only-secret' } });
      expect(error.message).toBe('[key] [x-once]');
      expectNoSecret(error, [...keys, 'once-only-secret']);
    }
    expect(made.events).toHaveLength(2);
    expectNoSecret(made.events, [...keys, 'once-only-secret']);
  });

  // Regression: only errors were redacted.
  test.each(['deprecation', 'sunset'])('events do not show a secret in the header %s', async (name) => {
    const { client, events } = await scene(entry, [{ body: found, headers: { [name]: `since ${key}` } }]);
    await client.assets.check({ content: 'a' });
    expect(events).toHaveLength(1);
    expectNoSecret(events);
  });

  test.each<[unknown]>([
    // Regression: the input was checked before the key was known, and the message contains field names.
    [{ content: 'a', [key]: 1 }],
    [{ content: [key] }],
    [{ content: { [key]: token } }],
    [{ content: 5, other: key }],
    [[key]],
    [key],
  ])('an error about an input shows no secret in it: %j', async (input) => {
    const error = await errorOf(await scene(entry, [{ body: found }]), input);
    expect(error instanceof TypeError || error.code === 'INVALID_INPUT').toBe(true);
    expectNoSecret(error);
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
      [
        'a PortcullisError',
        new node.PortcullisError('NETWORK', told, {
          issues: [{ path: key, message: told }],
          cause: Object.assign(new Error(key), { config: request }),
        }),
      ],
      // Regression: unknown properties of a PortcullisError were copied without redaction.
      [
        'a request attached to a PortcullisError',
        Object.assign(new node.PortcullisError('NETWORK', 'failed'), { config: request }),
      ],
    ])('does not show a secret in %s', async (__, thrown) => {
      const made = await scene(entry, [], { fetch: () => Promise.reject(thrown) });
      const error = await errorOf(made);
      expect(error).toMatchObject({ name: 'PortcullisError', code: 'NETWORK' });
      expectNoSecret(error);
      expect(made.events).toHaveLength(1);
      expectNoSecret(made.events);
    });

    test('keeps the name, code and message of its causes', async () => {
      const cause = Object.assign(new Error(`connect failed for ${key}`), { code: 'ECONNRESET', name: 'SocketError' });
      const fetch = (): Promise<never> => Promise.reject(new TypeError('fetch failed', { cause }));
      const error = await errorOf(await scene(entry, [], { fetch }));
      expect(error.message).toBe('the request failed: ECONNRESET');
      expect(error.cause).toMatchObject({ name: 'TypeError', message: 'fetch failed' });
      expect((error.cause as Error).cause).toMatchObject({
        name: 'SocketError',
        code: 'ECONNRESET',
        message: 'connect failed for [key]',
      });
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
      const made = await scene(entry, script, options);
      expectNoSecret(await errorOf(made));
      expectNoSecret(made.events);
    }
  });

  test('a client object does not show a secret', async () => {
    const { client } = await scene(entry, [{ body: found }]);
    await client.assets.check({ content: 'a' });
    expectNoSecret(client);
  });

  test('the key is sent in its header and nowhere else', async () => {
    const { client, server } = await scene(entry, [{ body: enough }], { slug: 'acme' });
    await client.assets.check({ content: 'a' });
    await client.account.userOrgsGet();
    await client.reports.list({ limit: 1 });
    for (const { url, body, headers: sent } of server.requests) {
      expect(sent['x-api-key']).toBe(key);
      expectNoSecret([url, String(body), { ...sent, 'x-api-key': '' }], [key]);
    }
  });

  describe('the option apiKey', () => {
    test.each([`${key}\n`, `${key}\r\nx-evil: 1`, ` ${key}`, `${key}\u0000`, `${key}é`, `${key}\u2028`, ''])(
      'rejects a value that cannot be a header, without showing it: %j',
      async (apiKey) => {
        expect(await expectRefused(entry, { apiKey })).toEqual(failed('INVALID_INPUT'));
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
      expect(await expectRefused(entry, { apiKey })).toEqual(failed('INVALID_INPUT'));
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

    const unavailable = { name: 'PortcullisError', code: 'KEY_UNAVAILABLE', operation: 'assetCheck' };

    test.each(['throws', 'rejects'])('fails the call with KEY_UNAVAILABLE if it %s, and nothing is sent', async (how) => {
      const apiKey = (): Promise<string> => {
        if (how === 'throws') throw new Error('a vault');
        return Promise.reject(new Error('a vault'));
      };
      const made = await scene(entry, [{ body: found }], { apiKey });
      expect(await errorOf(made)).toMatchObject({ ...unavailable, cause: { message: 'a vault' } });
      expect(made.server.connections()).toBe(0);
    });

    test.each(['', undefined, null, 5, `${key}\nb`, `${key}\r\nx-evil: 1`, ` ${key}`, [key], { toString: () => key }])(
      'fails the call with KEY_UNAVAILABLE if it returns %j, without showing it',
      async (given) => {
        for (const apiKey of [() => given, async () => given]) {
          const made = await scene(entry, [{ body: found }], { apiKey: apiKey as () => string });
          const error = await errorOf(made);
          expect(error).toMatchObject(unavailable);
          expectNoSecret(error);
          expect(made.server.connections()).toBe(0);
        }
      },
    );

    test('is not called if the input is rejected', async () => {
      const apiKey = vi.fn(() => key);
      await errorOf(await scene(entry, [], { apiKey }), { content: 5 });
      expect(apiKey).not.toHaveBeenCalled();
    });
  });

  describe('the option baseUrl', () => {
    const make = (baseUrl: string, options: object = {}): unknown => clientAt(entry, baseUrl, { apiKey: key, ...options });

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
      // Regression: these were accepted, and then every call failed with NETWORK.
      'https://api.example:99999',
      'https://1.2.3.256',
      'https://[::::]',
      'https://..',
    ])('rejects %j when the client is made, without showing it', async (baseUrl) => {
      expect(await expectRefused(entry, { baseUrl })).toEqual(failed('INVALID_INPUT'));
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
      for (const options of [{}, { allowInsecureHttp: false }])
        expect(await expectRefused(entry, { baseUrl, ...options })).toEqual(failed('INVALID_INPUT'));
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

    test('is the origin of every request, whatever the option paths says', async () => {
      const asked: string[] = [];
      const fetch: node.FetchLike = async (url) => {
        asked.push(new URL(url).origin);
        return Response.json(enough);
      };
      const tried = ['/', '//evil.example/', '/@evil.example', '/.evil.example', '/:1@evil.example'];
      for (const path of tried) {
        const { client } = await scene(entry, [], { baseUrl: 'https://api.example', fetch, paths: { assetCheck: path } });
        await client.assets.check({ content: 'a' });
      }
      expect(asked).toEqual(tried.map(() => 'https://api.example'));
    });
  });

  describe('headers', () => {
    test.each<[string, unknown]>([
      ['x-a', `${token}\r\nx-evil: 1`],
      ['x-a', `${token}\n`],
      ['x-a', `${token}\u0000`],
      ['x-a', `${token}\u2028`],
      ['x-a', `${token}\ud800`],
      // Regression: redaction failed for values that are not strings.
      ['x-a', undefined],
      ['x-a', null],
      ...['x-a\r\nx-evil', 'x a', 'x-a:', '', 'é', 'X-API-Key', 'x-api-key', 'Content-Length', 'transfer-encoding', 'Host'].map(
        (name): [string, string] => [name, token],
      ),
    ])('reject %j: %j, in the client and in a call, without showing the value', async (name, value) => {
      const given = { headers: { [name]: value as string } };
      const made = await scene(entry, [{ body: found }]);
      for (const error of [await expectRefused(entry, given), await errorOf(made, undefined, given)]) {
        expect(error).toEqual(failed('INVALID_INPUT'));
        expectNoSecret(error);
      }
      expect(made.server.connections()).toBe(0);
    });

    test.each([
      ['x-a', 'x-a'],
      // Regression: both were sent, and arrived as "client, call".
      ['X-A', 'x-a'],
      ['Accept', 'accept'],
    ])('set for a call override those of the client, whatever their case: %s, %s', async (ofClient, ofCall) => {
      const sent = { [ofClient]: 'text/client', 'x-b': 'client' };
      const { client, server } = await scene(entry, [{ body: found }], { headers: sent });
      await client.assets.check({ content: 'a' }, { headers: { [ofCall]: 'text/call' } });
      expect(server.requests[0]?.headers).toMatchObject({ [ofCall]: 'text/call', 'x-b': 'client' });
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
