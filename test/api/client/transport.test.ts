import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import * as node from 'portcullis/client';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Answer, serve } from '../../support/scripted-server.js';
import {
  clientAt as connectAt,
  type Entry,
  failed as failedWith,
  found,
  platforms,
  promptMs,
  thrownBy,
} from './client-harness.js';
import { maxAnswerBytes, testHangUps } from './hang-ups.js';

const clientAt = (...given: Parameters<typeof connectAt>): node.Client => connectAt(...given).client;

const check = (client: node.Client): Promise<unknown> => client.assets.check({ content: 'scam.example' });

async function checkOf(entry: Entry, answer: Answer, options: Partial<node.ClientOptions> = {}): Promise<unknown> {
  const server = await serve([answer]);
  return check(clientAt(entry, server.origin, options));
}

/** A call whose requests this function answers. */
const checkBy = (entry: Entry, fetch: node.FetchLike, timeoutMs = promptMs): Promise<unknown> =>
  check(clientAt(entry, 'https://api.example', { fetch, timeoutMs }));

/** A response without a stream, with these bytes or as many zeros. */
const responseOf = (bytes: number | Buffer) => ({
  status: 200,
  headers: { get: () => null },
  arrayBuffer: async () => new Uint8Array(bytes as Buffer).buffer,
});

const failed = (code: node.ErrorCode, more: object = {}): object => failedWith(code, { operation: 'assetCheck', ...more });

describe.each(platforms)('%s', (_, entry) => {
  const text = 'é, 日本, 🛡';

  test.each<[string, Answer]>([
    ['late', { body: found, delayMs: 50 }],
    ['byte by byte', { body: { ...found, message: text }, fault: 'slow' }],
  ])('waits for a response that arrives %s', async (__, answer) => {
    expect(await checkOf(entry, answer)).toEqual(answer.body);
  });

  test.each<[string, Answer]>([
    ['that never begins', { fault: 'hang' }],
    ['that stops in the middle', { body: found, fault: 'stall' }],
    // The time limit is for the last byte, not for the next one.
    ['whose bytes keep coming', { body: 'x'.repeat(2_000), fault: 'slow' }],
  ])('times out for a response %s', async (__, answer) => {
    await expect(checkOf(entry, answer, { timeoutMs: 50 })).rejects.toEqual(failed('TIMEOUT'));
  });

  test.each<[string, Answer]>([
    ['a response of status 200 is cut off', { status: 200, body: found, fault: 'cut' }],
    ['a response of status 400 is cut off', { status: 400, body: found, fault: 'cut' }],
    ['a response of status 500 is cut off', { status: 500, body: found, fault: 'cut' }],
    ['the connection is reset', { fault: 'reset' }],
  ])('fails with NETWORK if %s', async (__, answer) => {
    await expect(checkOf(entry, answer)).rejects.toEqual(failed('NETWORK', { cause: expect.any(Error) }));
  });

  test('names the reason if the connection is refused', async () => {
    const server = await serve([]);
    await server.close();
    await expect(check(clientAt(entry, server.origin))).rejects.toEqual(
      failed('NETWORK', { message: expect.stringContaining('ECONNREFUSED') }),
    );
  });

  test.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ])('reads a response compressed with %s', async (encoding, pack) => {
    const body = { ...found, message: text.repeat(1_000) };
    const headers = { 'content-encoding': encoding };
    expect(await checkOf(entry, { headers, body: pack(JSON.stringify(body)) })).toEqual(body);
    await expect(checkOf(entry, { status: 409, headers, body: pack('{"message":"packed"}') })).rejects.toEqual(
      failed('CONFLICT', { message: 'packed' }),
    );
  });

  test.each([
    ['a body that is not gzip', Buffer.from(JSON.stringify(found))],
    ['gzip with a changed byte', gzipSync(JSON.stringify(found)).map((byte, at) => (at === 14 ? byte ^ 0xff : byte))],
    ['half of a gzip body', gzipSync(JSON.stringify({ ...found, message: 'abcdefghijkl' })).subarray(0, 40)],
  ])('fails for %s, and works for the next call', async (__, bytes) => {
    const server = await serve([{ headers: { 'content-encoding': 'gzip' }, body: Buffer.from(bytes) }, { body: found }]);
    const client = clientAt(entry, server.origin);
    const error: unknown = await check(client).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'PortcullisError', code: expect.stringMatching(/^(NETWORK|INVALID_RESPONSE)$/) });
    expect(await check(client)).toEqual(found);
  });

  test('sends and reads any character', async () => {
    const server = await serve(({ body }) => ({ body: { ...found, message: JSON.parse(String(body)).content as string } }));
    for (const content of [text, '\u0000\u001f"\\\u2028', '\uFEFFmarked', 'lone \ud800 surrogate']) {
      expect(await clientAt(entry, server.origin).assets.check({ content })).toEqual({ ...found, message: content });
    }
  });

  test('reads JSON after a byte order mark', async () => {
    expect(await checkOf(entry, { body: `\uFEFF${JSON.stringify(found)}` })).toEqual(found);
    await expect(checkOf(entry, { status: 403, body: '\uFEFF{"message":"no"}' })).rejects.toEqual(
      failed('FORBIDDEN', { message: 'no' }),
    );
  });

  test.each(['latin1', 'utf16le'] as const)('rejects JSON in %s', async (encoding) => {
    await expect(checkOf(entry, { body: Buffer.from('{"status":"é"}', encoding) })).rejects.toEqual(failed('INVALID_RESPONSE'));
  });

  test('reuses one connection for consecutive calls, whatever their status', async () => {
    const answers = [200, 404, 200, 500, 429, 200].map((status) => ({ status, body: found }));
    const server = await serve(answers);
    const client = clientAt(entry, server.origin);
    for (const _answer of answers) {
      await check(client).catch(() => {});
      // The pool gets a connection back shortly after the last byte is delivered.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(server.requests).toHaveLength(answers.length);
    expect(server.connections()).toBe(1);
  });

  test('uses at most two connections for calls without a pause', async () => {
    const server = await serve([{ body: found }]);
    const client = clientAt(entry, server.origin);
    for (let count = 0; count < 50; count++) await check(client);
    expect(server.connections()).toBeLessThanOrEqual(2);
  });

  test('close waits for running calls and rejects later ones', async () => {
    const server = await serve([{ body: found, delayMs: 100 }]);
    const client = clientAt(entry, server.origin);
    const ended: string[] = [];
    const first = check(client).then((value) => {
      ended.push('call');
      return value;
    });
    const second = client.request('assetCheck', { content: 'scam.example' });
    const close = client.close().then(() => ended.push('close'));
    await expect(check(client)).rejects.toEqual(failed('CLOSED'));
    await close;
    expect(ended).toEqual(['call', 'close']);
    expect([await first, await second]).toEqual([found, found]);
    await expect(client.request('assetCheck', { content: 'scam.example' })).rejects.toEqual(failed('CLOSED'));
    await expect(client.reports.listAll().next()).rejects.toMatchObject({ code: 'CLOSED' });
    expect(server.requests).toHaveLength(2);
  });

  test('close works after calls that failed', async () => {
    const server = await serve([{ fault: 'hang' }, { fault: 'stall', body: found }, { fault: 'endless' }, { fault: 'cut' }]);
    const client = entry.createClient({ baseUrl: server.origin, apiKey: 'k', timeoutMs: 50, retry: false });
    for (let count = 0; count < 4; count++) await check(client).catch(() => {});
    await client.close();
  });

  test('close can be called twice', async () => {
    const server = await serve([{ body: found }]);
    const client = clientAt(entry, server.origin);
    await check(client);
    await Promise.all([client.close(), client.close()]);
    await client.close();
    await expect(check(client)).rejects.toEqual(failed('CLOSED'));
    // Regression: without a call before, the second time rejected with an error of the connection pool.
    const unused = clientAt(entry, server.origin);
    await unused.close();
    await unused.close();
  });

  test('sends input and headers to baseUrl with its path', async () => {
    const server = await serve([{ body: found }]);
    const client = clientAt(entry, `${server.origin}/api/v2/`, { headers: { 'x-trace': 'é' } });
    await check(client);
    const [{ method, url, headers, body }] = server.requests as [(typeof server.requests)[0]];
    expect([method, url, JSON.parse(String(body))]).toEqual(['POST', '/api/v2/asset/check', { content: 'scam.example' }]);
    expect(headers).toMatchObject({
      'x-api-key': 'key-of-the-tests',
      'content-type': 'application/json',
      accept: 'application/json',
      'x-trace': 'é',
    });
  });

  describe('a redirect', () => {
    const statuses = [301, 302, 303, 307, 308];

    test.each(statuses)('is rejected with status %d, whatever its target', async (status) => {
      const other = await serve([{ body: found }]);
      const targets = [`${other.origin}/asset/check`, '/elsewhere', '//127.0.0.1/', 'javascript:alert(1)', '', undefined];
      const server = await serve(
        targets.map((location) => ({ status, body: found, ...(location !== undefined && { headers: { location } }) })),
      );
      const client = clientAt(entry, server.origin, { retry: { delayMs: 1 } });
      for (const _target of targets) {
        await expect(check(client)).rejects.toEqual(failed('REDIRECTED', { status }));
      }
      expect(server.requests.map(({ url }) => url)).toEqual(targets.map(() => '/asset/check'));
      expect(other.connections()).toBe(0);
    });

    test('is rejected for a call without a body too', async () => {
      const other = await serve([{ body: [] }]);
      const server = await serve([{ status: 302, headers: { location: other.origin } }]);
      await expect(clientAt(entry, server.origin).account.userOrgsGet({ slug: 'acme' })).rejects.toMatchObject({
        code: 'REDIRECTED',
        status: 302,
      });
      expect(server.requests).toHaveLength(1);
      expect(other.connections()).toBe(0);
    });

    test('appears in the error with the origin of its target only', async () => {
      const location = 'https://login.example/start?token=s3cr3t#f';
      await expect(checkOf(entry, { status: 302, headers: { location } })).rejects.toEqual(
        failed('REDIRECTED', { message: 'the response is a redirect to https://login.example' }),
      );
    });

    test.each(statuses)('is rejected with status %d if the option fetch follows it', async (status) => {
      const server = await serve(({ url }) => (url === '/after' ? { body: found } : { status, headers: { location: '/after' } }));
      const fetch: node.FetchLike = (url, init) => globalThis.fetch(url, { ...(init as RequestInit), redirect: 'follow' });
      await expect(check(clientAt(entry, server.origin, { fetch }))).rejects.toEqual(failed('REDIRECTED'));
    });

    test('is rejected if a browser hides it', async () => {
      const hidden = { ...responseOf(0), status: 0, type: 'opaqueredirect', redirected: false, body: null };
      await expect(checkBy(entry, async () => hidden)).rejects.toEqual(failed('REDIRECTED'));
    });
  });

  describe('the option fetch', () => {
    test('may return responses without streams, which are limited too', async () => {
      const bytes = Buffer.from(JSON.stringify(found));
      expect(await checkBy(entry, async () => responseOf(bytes))).toEqual(found);
      await expect(checkBy(entry, async () => responseOf(maxAnswerBytes + 1))).rejects.toEqual(failed('LIMIT_EXCEEDED'));
    });

    test('may ignore the signal', async () => {
      await expect(checkBy(entry, () => new Promise(() => {}), 20)).rejects.toEqual(failed('TIMEOUT'));
    });

    // Regression: the reader was not cancelled, so an endless body was read up to the limit.
    test('has its reader cancelled when the call ends', async () => {
      let reads = 0;
      const read = async (): Promise<{ done: boolean; value: Uint8Array }> => {
        reads++;
        await new Promise((resolve) => setTimeout(resolve, 5));
        return { done: false, value: new Uint8Array(1) };
      };
      const cancel = vi.fn(async () => {});
      const body = { getReader: () => ({ read: () => (cancel.mock.calls.length > 0 ? new Promise(() => {}) : read()), cancel }) };
      await expect(checkBy(entry, async () => ({ ...responseOf(0), body }) as never, 30)).rejects.toEqual(failed('TIMEOUT'));
      const before = reads;
      await new Promise((resolve) => setTimeout(resolve, 50));
      onTestFinished(() => void cancel());
      expect(reads - before).toBeLessThanOrEqual(1);
    });

    test.each([
      ['nothing', undefined],
      ['null', null],
      ['an object that is not a response', {}],
      ['a text', 'response'],
      ['a response without headers', { status: 200, arrayBuffer: async () => new ArrayBuffer(0) }],
      ['a response without a body', { status: 200, headers: new Headers() }],
      [
        'text in place of bytes',
        {
          status: 200,
          headers: new Headers(),
          body: { getReader: () => ({ read: async () => ({ done: false, value: 'x' }), cancel: async () => {} }) },
        },
      ],
    ])('fails the call with NETWORK if it returns %s', async (__, response) => {
      await expect(checkBy(entry, async () => response as never)).rejects.toEqual(failed('NETWORK'));
    });

    test.each([
      ['an error', new Error('broken')],
      ['nothing', undefined],
      ['null', null],
      ['a text', 'broken'],
      ['a symbol', Symbol('broken')],
      ['an object without a prototype', Object.create(null) as object],
      [
        'a circle',
        Object.assign(new Error('a'), {
          get cause() {
            return this;
          },
        }),
      ],
      // Regression: converting these to strings threw a TypeError.
      ['a strange message', { message: Object.create(null) as object }],
      ['a strange name', { name: Object.create(null) as object, message: 'broken' }],
      ['a strange code', { code: Object.create(null) as object, message: 'broken' }],
      [
        'a message that cannot be read',
        {
          get message() {
            throw new Error('a trap');
          },
        },
      ],
    ])('fails the call with NETWORK if it throws %s, at once or later', async (__, thrown) => {
      await expect(checkBy(entry, () => Promise.reject(thrown))).rejects.toEqual(failed('NETWORK'));
      const sudden = (): never => {
        throw thrown;
      };
      await expect(checkBy(entry, sudden)).rejects.toEqual(failed('NETWORK'));
    });
  });
});

describe('the connection pool on Node', () => {
  testHangUps(node);

  // Regression: zlib fails for an empty input, and its error hid the status.
  test.each(['gzip', 'deflate', 'br'])('reads an error whose empty body is announced as %s', async (encoding) => {
    await expect(checkOf(node, { status: 503, headers: { 'content-encoding': encoding } })).rejects.toEqual(
      failed('INTERNAL_SERVER_ERROR', { status: 503 }),
    );
  });

  // Content codings are case-insensitive (RFC 9110, 8.4.1).
  test('reads a response compressed with GZIP', async () => {
    const headers = { 'content-encoding': 'GZIP' };
    expect(await checkOf(node, { headers, body: gzipSync(JSON.stringify(found)) })).toEqual(found);
  });

  test.each([
    ['maxConnections', { maxConnections: 2 }, 10, 2],
    ['16', {}, 50, 16],
  ])('opens at most %s connections', async (_, agent, count, connections) => {
    const server = await serve([{ body: found, delayMs: 10 }]);
    const client = clientAt(node, server.origin, { agent });
    const calls = Array.from({ length: count }, () => check(client));
    expect(await Promise.all(calls)).toEqual(calls.map(() => found));
    expect(server.connections()).toBe(connections);
  });

  test('closes its connections with the client', async () => {
    const server = await serve([{ body: found }]);
    const client = clientAt(node, server.origin, { agent: { keepAliveMs: 60_000 } });
    await check(client);
    expect(server.open()).toBe(1);
    await client.close();
    await vi.waitFor(() => expect(server.open()).toBe(0), promptMs);
  });
});

describe('the proxy from the environment', () => {
  interface Proxy {
    readonly origin: string;
    /** Its requests: `CONNECT host:port` or `POST http://…`. */
    readonly asked: string[];
  }

  /** A proxy for plain requests and tunnels. */
  async function proxy(): Promise<Proxy> {
    const asked: string[] = [];
    const server = createServer((incoming, response) => {
      asked.push(`${incoming.method} ${incoming.url}`);
      const { method, headers } = incoming;
      const onward = httpRequest(incoming.url ?? '', { method: method ?? '', headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      onward.on('error', () => response.destroy());
      incoming.pipe(onward);
    });
    server.on('connect', (incoming, socket, head) => {
      asked.push(`CONNECT ${incoming.url}`);
      const [host, port] = (incoming.url ?? '').split(':') as [string, string];
      const onward = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        if (head.length > 0) onward.write(head);
        onward.pipe(socket).pipe(onward);
      });
      for (const end of [onward, socket]) {
        end.on('error', () => {});
        end.on('close', () => {
          onward.destroy();
          socket.destroy();
        });
      }
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
  }

  function environment(values: Readonly<Record<string, string>>): void {
    for (const name of ['http_proxy', 'https_proxy', 'no_proxy', 'all_proxy']) {
      // A variable with an empty value would count as set.
      vi.stubEnv(name, undefined);
      vi.stubEnv(name.toUpperCase(), values[name.toUpperCase()]);
    }
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
  }

  const agent = { proxyFromEnvironment: true };

  test.each([
    ['is used with proxyFromEnvironment', { agent }, {}, 1],
    ['is not used for the hosts of NO_PROXY', { agent }, { NO_PROXY: '127.0.0.1' }, 0],
    ['is not used by default', {}, {}, 0],
  ])('%s', async (_, options, values, requests) => {
    const server = await serve([{ body: found }]);
    const between = await proxy();
    environment({ HTTP_PROXY: between.origin, ...values });
    expect(await check(clientAt(node, server.origin, options))).toEqual(found);
    expect(between.asked).toEqual(Array(requests).fill(expect.stringContaining(new URL(server.origin).host)));
    expect(server.requests).toMatchObject([{ headers: { 'x-api-key': 'key-of-the-tests' } }]);
  });

  test('keeps the limits of connections, time and size', async () => {
    const server = await serve([{ body: found, delayMs: 10 }]);
    const endless = await serve([{ fault: 'endless' }]);
    const silent = await serve([{ fault: 'hang' }]);
    environment({ HTTP_PROXY: (await proxy()).origin });
    const options = { agent: { ...agent, maxConnections: 2 } };
    const client = clientAt(node, server.origin, options);
    await Promise.all(Array.from({ length: 10 }, () => check(client)));
    expect(server.connections()).toBeLessThanOrEqual(2);
    await expect(check(clientAt(node, endless.origin, options))).rejects.toEqual(failed('LIMIT_EXCEEDED'));
    await expect(check(clientAt(node, silent.origin, { ...options, timeoutMs: 50 }))).rejects.toEqual(failed('TIMEOUT'));
  });

  test('fails with NETWORK if it is unreachable, without showing its password', async () => {
    const server = await serve([{ body: found }]);
    const gone = await serve([]);
    await gone.close();
    environment({ HTTP_PROXY: gone.origin.replace('//', '//user:pa55-of-the-proxy@') });
    const error = await thrownBy(() => check(clientAt(node, server.origin, { agent })));
    expect(error).toEqual(failed('NETWORK'));
    expect(JSON.stringify(error) + String(error.stack) + String(error.cause)).not.toContain('pa55');
    expect(server.requests).toEqual([]);
  });
});
