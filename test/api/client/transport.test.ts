import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import * as node from 'portcullis/client';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import * as web from '../../../src/entry/client.js';
import { type Answer, serve } from '../../support/scripted-server.js';

const platforms = [
  ['over an agent of its own', node],
  ['over the fetch of the platform', web],
] as const;

/** The documented bound of one answer. */
const answerBytesMax = 32 * 1024 * 1024;

/** Far more than any of these calls needs, far less than the default bounds: what takes longer hangs. */
const promptMs = 10_000;

const found = { status: 'blocked', source: 'global', sources: [] };

type Entry = Pick<typeof web, 'createClient'>;

function clientAt(entry: Entry, baseUrl: string, options: Partial<node.ClientOptions> = {}): node.Client {
  const client = entry.createClient({ baseUrl, apiKey: 'k3y-of-the-tests', retry: false, timeoutMs: promptMs, ...options });
  onTestFinished(() => client.close().catch(() => {}));
  return client;
}

async function checkOf(entry: Entry, answer: Answer, options: Partial<node.ClientOptions> = {}): Promise<unknown> {
  const server = await serve([answer]);
  return clientAt(entry, server.origin, options).assets.check({ content: 'scam.example' });
}

function failed(code: node.ErrorCode, rest: object = {}): object {
  return expect.objectContaining({ name: 'PortcullisError', code, operation: 'assetCheck', ...rest }) as object;
}

describe.each(platforms)('%s', (_, entry) => {
  test('waits for an answer that comes late', async () => {
    expect(await checkOf(entry, { body: found, delayMs: 50 })).toEqual(found);
  });

  test('gives up on a server that takes the request and says nothing', async () => {
    await expect(checkOf(entry, { fault: 'hang' }, { timeoutMs: 50 })).rejects.toEqual(failed('TIMEOUT'));
  });

  test('gives up on an answer that is begun and not ended', async () => {
    await expect(checkOf(entry, { body: found, fault: 'stall' }, { timeoutMs: 50 })).rejects.toEqual(failed('TIMEOUT'));
  });

  test('gives up the connection together with the call', async () => {
    const server = await serve([{ body: found, fault: 'stall' }]);
    await expect(clientAt(entry, server.origin, { timeoutMs: 50 }).assets.check({ content: 'scam.example' })).rejects.toThrow();
    await vi.waitFor(() => expect(server.open()).toBe(0), promptMs);
  });

  test('takes a whole answer that comes a byte at a time', async () => {
    const body = { ...found, message: 'é, 日本, 🛡' };
    expect(await checkOf(entry, { body, fault: 'slow' })).toEqual(body);
  });

  test('counts the time to the last byte, not to the next one', async () => {
    const body = { ...found, message: 'x'.repeat(2_000) };
    await expect(checkOf(entry, { body, fault: 'slow' }, { timeoutMs: 100 })).rejects.toEqual(failed('TIMEOUT'));
  });

  test.each([200, 400, 500])('calls an answer of status %d that is cut a failed connection', async (status) => {
    await expect(checkOf(entry, { status, body: found, fault: 'cut' })).rejects.toEqual(
      failed('NETWORK', { cause: expect.any(Error) }),
    );
  });

  test('calls a reset a failed connection', async () => {
    await expect(checkOf(entry, { fault: 'reset' })).rejects.toEqual(failed('NETWORK', { cause: expect.any(Error) }));
  });

  test('says that nobody listens', async () => {
    const server = await serve([]);
    await server.close();
    await expect(clientAt(entry, server.origin).assets.check({ content: 'scam.example' })).rejects.toEqual(
      failed('NETWORK', { message: expect.stringContaining('ECONNREFUSED') }),
    );
  });

  test.each([200, 400, 503])('stops reading an answer of status %d that has no end', async (status) => {
    const server = await serve([{ status, fault: 'endless' }]);
    await expect(clientAt(entry, server.origin).assets.check({ content: 'scam.example' })).rejects.toEqual(
      failed('LIMIT_EXCEEDED'),
    );
    await vi.waitFor(() => expect(server.open()).toBe(0), promptMs);
    // What the buffers of both sockets hold comes on top.
    expect(server.bytesSent()).toBeLessThan(2 * answerBytesMax);
  });

  test('refuses an answer that announces too many bytes before they come', async () => {
    const server = await serve([{ headers: { 'content-length': String(answerBytesMax + 1) }, body: found, fault: 'stall' }]);
    await expect(clientAt(entry, server.origin).assets.check({ content: 'scam.example' })).rejects.toEqual(
      failed('LIMIT_EXCEEDED'),
    );
    await vi.waitFor(() => expect(server.open()).toBe(0), promptMs);
    expect(server.bytesSent()).toBeLessThan(10_000);
  });

  test('takes an answer as large as the bound, and none a byte larger', async () => {
    const head = '{"status":"blocked","source":"global","sources":[],"message":"';
    const largest = Buffer.from(`${head}${'x'.repeat(answerBytesMax - head.length - 2)}"}`);
    expect(largest.length).toBe(answerBytesMax);
    expect(await checkOf(entry, { body: largest })).toMatchObject(found);
    const coded = { 'content-encoding': 'gzip' };
    const larger = gzipSync(Buffer.concat([largest, Buffer.from(' ')]), { level: 1 });
    await expect(checkOf(entry, { headers: coded, body: larger })).rejects.toEqual(failed('LIMIT_EXCEEDED'));
  });

  test.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ])('reads an answer packed as %s', async (encoding, pack) => {
    const body = { ...found, message: 'é, 日本, 🛡'.repeat(1_000) };
    const headers = { 'content-encoding': encoding };
    expect(await checkOf(entry, { headers, body: pack(JSON.stringify(body)) })).toEqual(body);
    await expect(checkOf(entry, { status: 409, headers, body: pack('{"message":"packed"}') })).rejects.toEqual(
      failed('CONFLICT', { message: 'packed' }),
    );
  });

  test.each([
    ['gzip', gzipSync],
    ['br', (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } })],
  ])('bounds what %s unpacks to', async (encoding, pack) => {
    const bomb = pack(Buffer.alloc(2 * answerBytesMax, 0x20));
    expect(bomb.length).toBeLessThan(100_000);
    const server = await serve([{ headers: { 'content-encoding': encoding }, body: bomb }]);
    await expect(clientAt(entry, server.origin).assets.check({ content: 'scam.example' })).rejects.toEqual(
      failed('LIMIT_EXCEEDED'),
    );
  });

  test.each([
    ['no gzip at all', Buffer.from(JSON.stringify(found))],
    ['gzip with a changed byte', gzipSync(JSON.stringify(found)).map((byte, at) => (at === 14 ? byte ^ 0xff : byte))],
    ['half of a gzip', gzipSync(JSON.stringify({ ...found, message: 'abcdefghijkl' })).subarray(0, 40)],
  ])('fails, and keeps on working, after %s', async (__, bytes) => {
    const server = await serve([{ headers: { 'content-encoding': 'gzip' }, body: Buffer.from(bytes) }, { body: found }]);
    const client = clientAt(entry, server.origin);
    const error: unknown = await client.assets.check({ content: 'scam.example' }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'PortcullisError', code: expect.stringMatching(/^(NETWORK|INVALID_RESPONSE)$/) });
    expect(await client.assets.check({ content: 'scam.example' })).toEqual(found);
  });

  test('sends and reads any character', async () => {
    const server = await serve(({ body }) => ({ body: { ...found, message: JSON.parse(String(body)).content as string } }));
    for (const content of ['é, 日本, 🛡', '\u0000\u001f"\\\u2028', '\uFEFFmarked', 'half \ud800 of one']) {
      expect(await clientAt(entry, server.origin).assets.check({ content })).toEqual({ ...found, message: content });
    }
  });

  test('reads JSON behind a byte order mark', async () => {
    expect(await checkOf(entry, { body: `\uFEFF${JSON.stringify(found)}` })).toEqual(found);
    await expect(checkOf(entry, { status: 403, body: '\uFEFF{"message":"no"}' })).rejects.toEqual(
      failed('FORBIDDEN', { message: 'no' }),
    );
  });

  test.each(['latin1', 'utf16le'] as const)('refuses JSON in %s', async (encoding) => {
    await expect(checkOf(entry, { body: Buffer.from('{"status":"é"}', encoding) })).rejects.toEqual(failed('INVALID_RESPONSE'));
  });

  test('keeps its connection for calls one after the other, whatever they end with', async () => {
    const answers = [200, 404, 200, 500, 429, 200].map((status) => ({ status, body: found }));
    const server = await serve(answers);
    const client = clientAt(entry, server.origin);
    for (const _answer of answers) {
      await client.assets.check({ content: 'scam.example' }).catch(() => {});
      // The pool takes a connection back a moment after the last byte has gone to the caller.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(server.requests).toHaveLength(answers.length);
    expect(server.connections()).toBe(1);
  });

  test('goes to and fro between two connections at most for calls without a pause', async () => {
    const server = await serve([{ body: found }]);
    const client = clientAt(entry, server.origin);
    for (let count = 0; count < 50; count++) await client.assets.check({ content: 'scam.example' });
    expect(server.connections()).toBeLessThanOrEqual(2);
  });

  test('ends calls under way before it closes, and refuses all after', async () => {
    const server = await serve([{ body: found, delayMs: 100 }]);
    const client = clientAt(entry, server.origin);
    const ended: string[] = [];
    const first = client.assets.check({ content: 'scam.example' }).then((value) => {
      ended.push('call');
      return value;
    });
    const second = client.request('assetCheck', { content: 'scam.example' });
    const close = client.close().then(() => ended.push('close'));
    await expect(client.assets.check({ content: 'scam.example' })).rejects.toEqual(failed('CLOSED'));
    await close;
    expect(ended).toEqual(['call', 'close']);
    expect([await first, await second]).toEqual([found, found]);
    await expect(client.request('assetCheck', { content: 'scam.example' })).rejects.toEqual(failed('CLOSED'));
    await expect(client.reports.listAll().next()).rejects.toMatchObject({ code: 'CLOSED' });
    expect(server.requests).toHaveLength(2);
  });

  test('closes after calls that failed', async () => {
    const server = await serve([{ fault: 'hang' }, { fault: 'stall', body: found }, { fault: 'endless' }, { fault: 'cut' }]);
    const client = entry.createClient({ baseUrl: server.origin, apiKey: 'k', timeoutMs: 50, retry: false });
    for (let count = 0; count < 4; count++) await client.assets.check({ content: 'scam.example' }).catch(() => {});
    await client.close();
  });

  test('can be closed twice, at once and later', async () => {
    const server = await serve([{ body: found }]);
    const client = clientAt(entry, server.origin);
    await client.assets.check({ content: 'scam.example' });
    await Promise.all([client.close(), client.close()]);
    await client.close();
    await expect(client.assets.check({ content: 'scam.example' })).rejects.toEqual(failed('CLOSED'));
  });

  test('sends what it was given, and where', async () => {
    const server = await serve([{ body: found }]);
    const client = clientAt(entry, `${server.origin}/api/v2/`, { headers: { 'x-trace': 'é' } });
    await client.assets.check({ content: 'scam.example' });
    const [{ method, url, headers, body }] = server.requests as [(typeof server.requests)[0]];
    expect([method, url, JSON.parse(String(body))]).toEqual(['POST', '/api/v2/asset/check', { content: 'scam.example' }]);
    expect(headers).toMatchObject({
      'x-api-key': 'k3y-of-the-tests',
      'content-type': 'application/json',
      accept: 'application/json',
      'x-trace': 'é',
    });
  });

  describe('a redirect', () => {
    const statuses = [301, 302, 303, 307, 308];

    test.each(statuses)('%d is refused, to whatever it points', async (status) => {
      const other = await serve([{ body: found }]);
      const targets = [`${other.origin}/asset/check`, '/elsewhere', '//127.0.0.1/', 'javascript:alert(1)', '', undefined];
      const server = await serve(
        targets.map((location) => ({ status, body: found, ...(location !== undefined && { headers: { location } }) })),
      );
      const client = clientAt(entry, server.origin, { retry: { delayMs: 1 } });
      for (const _target of targets) {
        await expect(client.assets.check({ content: 'scam.example' })).rejects.toEqual(failed('REDIRECTED', { status }));
      }
      expect(server.requests.map(({ url }) => url)).toEqual(targets.map(() => '/asset/check'));
      expect(other.connections()).toBe(0);
    });

    test('is refused for a call without a body too', async () => {
      const other = await serve([{ body: [] }]);
      const server = await serve([{ status: 302, headers: { location: other.origin } }]);
      await expect(clientAt(entry, server.origin).account.userOrgsGet({ slug: 'acme' })).rejects.toMatchObject({
        code: 'REDIRECTED',
        status: 302,
      });
      expect(server.requests).toHaveLength(1);
      expect(other.connections()).toBe(0);
    });

    test('is named by the origin it points to, and by nothing behind that', async () => {
      const location = 'https://login.example/start?token=s3cr3t#f';
      await expect(checkOf(entry, { status: 302, headers: { location } })).rejects.toEqual(
        failed('REDIRECTED', { message: 'the answer is a redirect to https://login.example' }),
      );
    });

    test.each(statuses)('%d that a fetch of the caller follows is refused', async (status) => {
      const server = await serve(({ url }) => (url === '/after' ? { body: found } : { status, headers: { location: '/after' } }));
      const fetch: node.FetchLike = (url, init) => globalThis.fetch(url, { ...(init as RequestInit), redirect: 'follow' });
      await expect(clientAt(entry, server.origin, { fetch }).assets.check({ content: 'scam.example' })).rejects.toEqual(
        failed('REDIRECTED'),
      );
    });

    test('that a browser hides is refused', async () => {
      const fetch: node.FetchLike = async () => ({
        status: 0,
        type: 'opaqueredirect',
        redirected: false,
        headers: { get: () => null },
        body: null,
        arrayBuffer: async () => new ArrayBuffer(0),
      });
      const client = clientAt(entry, 'https://api.example', { fetch });
      await expect(client.assets.check({ content: 'scam.example' })).rejects.toEqual(failed('REDIRECTED'));
    });
  });

  describe('a fetch of the caller', () => {
    const bytes = Buffer.from(JSON.stringify(found));

    test('may have no streams', async () => {
      const fetch: node.FetchLike = async () => ({
        status: 200,
        headers: { get: () => null },
        arrayBuffer: async () => new Uint8Array(bytes).buffer,
      });
      expect(await clientAt(entry, 'https://api.example', { fetch }).assets.check({ content: 'scam.example' })).toEqual(found);
    });

    test('is bounded without streams too', async () => {
      const fetch: node.FetchLike = async () => ({
        status: 200,
        headers: { get: () => null },
        arrayBuffer: async () => new ArrayBuffer(answerBytesMax + 1),
      });
      const client = clientAt(entry, 'https://api.example', { fetch });
      await expect(client.assets.check({ content: 'scam.example' })).rejects.toEqual(failed('LIMIT_EXCEEDED'));
    });

    test('may ignore its signal', async () => {
      const fetch: node.FetchLike = () => new Promise(() => {});
      const client = clientAt(entry, 'https://api.example', { fetch, timeoutMs: 20 });
      await expect(client.assets.check({ content: 'scam.example' })).rejects.toEqual(failed('TIMEOUT'));
    });

    // Once: Nothing cancels the reader once the call has ended, so a body without an end is read on up to the bound.
    test('is not read on after the call has ended', async () => {
      let reads = 0;
      const read = async (): Promise<{ done: boolean; value: Uint8Array }> => {
        reads++;
        await new Promise((resolve) => setTimeout(resolve, 5));
        return { done: false, value: new Uint8Array(1) };
      };
      const cancel = vi.fn(async () => {});
      const fetch: node.FetchLike = async () => ({
        status: 200,
        headers: { get: () => null },
        body: { getReader: () => ({ read: () => (cancel.mock.calls.length > 0 ? new Promise(() => {}) : read()), cancel }) },
        arrayBuffer: async () => new ArrayBuffer(0),
      });
      const client = clientAt(entry, 'https://api.example', { fetch, timeoutMs: 30 });
      await expect(client.assets.check({ content: 'scam.example' })).rejects.toEqual(failed('TIMEOUT'));
      const before = reads;
      await new Promise((resolve) => setTimeout(resolve, 100));
      onTestFinished(() => void cancel());
      expect(reads - before).toBeLessThanOrEqual(1);
    });

    test.each([
      ['nothing', undefined],
      ['null', null],
      ['an object that is no response', {}],
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
    ])('that gives %s is a failed connection', async (__, response) => {
      const fetch = (async () => response) as unknown as node.FetchLike;
      const client = clientAt(entry, 'https://api.example', { fetch });
      await expect(client.assets.check({ content: 'scam.example' })).rejects.toEqual(failed('NETWORK'));
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
    ])('that throws %s is a failed connection', async (__, thrown) => {
      const fetch: node.FetchLike = () => Promise.reject(thrown);
      const client = clientAt(entry, 'https://api.example', { fetch });
      await expect(client.assets.check({ content: 'scam.example' })).rejects.toEqual(failed('NETWORK'));
      const sudden: node.FetchLike = () => {
        throw thrown;
      };
      const other = clientAt(entry, 'https://api.example', { fetch: sudden });
      await expect(other.assets.check({ content: 'scam.example' })).rejects.toEqual(failed('NETWORK'));
    });

    // Once: `String` of such a message, name or code throws, and the call ends with that TypeError.
    test.each([
      ['message', { message: Object.create(null) as object }],
      ['name', { name: Object.create(null) as object, message: 'broken' }],
      ['code', { code: Object.create(null) as object, message: 'broken' }],
      [
        'message that cannot be read',
        {
          get message() {
            throw new Error('a trap');
          },
        },
      ],
    ])('that throws an object with a strange %s is a failed connection', async (__, thrown) => {
      const fetch: node.FetchLike = () => Promise.reject(thrown);
      const client = clientAt(entry, 'https://api.example', { fetch });
      await expect(client.assets.check({ content: 'scam.example' })).rejects.toEqual(failed('NETWORK'));
    });
  });
});

describe('the agent', () => {
  // Once: zlib calls an input of no bytes cut, so the status is lost to a Z_BUF_ERROR.
  test.each(['gzip', 'deflate', 'br'])('reads an error without a body that calls itself %s', async (encoding) => {
    await expect(checkOf(node, { status: 503, headers: { 'content-encoding': encoding } })).rejects.toEqual(
      failed('INTERNAL_SERVER_ERROR', { status: 503 }),
    );
  });

  // Codings are compared without regard to case (RFC 9110, 8.4.1).
  test('reads an answer packed as GZIP', async () => {
    const headers = { 'content-encoding': 'GZIP' };
    expect(await checkOf(node, { headers, body: gzipSync(JSON.stringify(found)) })).toEqual(found);
  });

  test('has no more connections than it may', async () => {
    const server = await serve([{ body: found, delayMs: 10 }]);
    const client = clientAt(node, server.origin, { agent: { maxConnections: 2 } });
    const calls = Array.from({ length: 10 }, () => client.assets.check({ content: 'scam.example' }));
    expect(await Promise.all(calls)).toEqual(calls.map(() => found));
    expect(server.connections()).toBe(2);
  });

  test('has 16 connections at most, unless told otherwise', async () => {
    const server = await serve([{ body: found, delayMs: 10 }]);
    const client = clientAt(node, server.origin);
    await Promise.all(Array.from({ length: 50 }, () => client.assets.check({ content: 'scam.example' })));
    expect(server.connections()).toBe(16);
  });

  test('bounds the wait for a connection too, and then sends nothing', async () => {
    const server = await serve([{ fault: 'hang' }]);
    const client = clientAt(node, server.origin, { agent: { maxConnections: 1 }, timeoutMs: 50 });
    const calls = [1, 2, 3].map(() => client.assets.check({ content: 'scam.example' }));
    for (const call of calls) await expect(call).rejects.toEqual(failed('TIMEOUT'));
    expect(server.requests.length).toBeLessThanOrEqual(1);
  });

  test('gives its connections back when the client is closed', async () => {
    const server = await serve([{ body: found }]);
    const client = clientAt(node, server.origin, { agent: { keepAliveMs: 60_000 } });
    await client.assets.check({ content: 'scam.example' });
    expect(server.open()).toBe(1);
    await client.close();
    await vi.waitFor(() => expect(server.open()).toBe(0), promptMs);
  });

  // Once: undici looks at them at the first call only, which then fails as NETWORK; 0 means no bound at all to it.
  test.each([
    { maxConnections: 0 },
    { maxConnections: -1 },
    { maxConnections: Number.NaN },
    { maxConnections: 1.5 },
    { keepAliveMs: -1 },
    { keepAliveMs: Number.NaN },
  ])('with %o is refused when the client is made', (agent) => {
    expect(() => node.createClient({ baseUrl: 'https://api.example', apiKey: 'k', agent })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT' }),
    );
  });
});

describe('a proxy of the environment', () => {
  interface Proxy {
    readonly origin: string;
    /** What it was asked for: `CONNECT host:port` or `POST http://…`. */
    readonly asked: string[];
  }

  /** Carries plain requests and tunnels. */
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
      // An empty one would count as given.
      vi.stubEnv(name, undefined);
      vi.stubEnv(name.toUpperCase(), values[name.toUpperCase()]);
    }
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
  }

  test('carries the calls where it is asked for', async () => {
    const server = await serve([{ body: found }]);
    const between = await proxy();
    environment({ HTTP_PROXY: between.origin });
    const client = clientAt(node, server.origin, { agent: { proxyFromEnvironment: true } });
    expect(await client.assets.check({ content: 'scam.example' })).toEqual(found);
    expect(between.asked).toHaveLength(1);
    expect(between.asked[0]).toContain(new URL(server.origin).host);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.headers['x-api-key']).toBe('k3y-of-the-tests');
  });

  test('bounds connections, time and size as ever', async () => {
    const server = await serve([{ body: found, delayMs: 10 }]);
    const endless = await serve([{ fault: 'endless' }]);
    const silent = await serve([{ fault: 'hang' }]);
    const between = await proxy();
    environment({ HTTP_PROXY: between.origin });
    const agent = { proxyFromEnvironment: true, maxConnections: 2 };
    const client = clientAt(node, server.origin, { agent });
    await Promise.all(Array.from({ length: 10 }, () => client.assets.check({ content: 'scam.example' })));
    expect(server.connections()).toBeLessThanOrEqual(2);
    await expect(clientAt(node, endless.origin, { agent }).assets.check({ content: 'a' })).rejects.toEqual(
      failed('LIMIT_EXCEEDED'),
    );
    await expect(clientAt(node, silent.origin, { agent, timeoutMs: 50 }).assets.check({ content: 'a' })).rejects.toEqual(
      failed('TIMEOUT'),
    );
  });

  test('is passed by for the hosts of NO_PROXY', async () => {
    const server = await serve([{ body: found }]);
    const between = await proxy();
    environment({ HTTP_PROXY: between.origin, NO_PROXY: '127.0.0.1' });
    const client = clientAt(node, server.origin, { agent: { proxyFromEnvironment: true } });
    expect(await client.assets.check({ content: 'scam.example' })).toEqual(found);
    expect(between.asked).toEqual([]);
  });

  test('is not used where nobody asks for it', async () => {
    const server = await serve([{ body: found }]);
    const between = await proxy();
    environment({ HTTP_PROXY: between.origin });
    expect(await clientAt(node, server.origin).assets.check({ content: 'scam.example' })).toEqual(found);
    expect(between.asked).toEqual([]);
  });

  test('that is not there is a failed connection, which does not repeat its password', async () => {
    const server = await serve([{ body: found }]);
    const gone = await serve([]);
    await gone.close();
    environment({ HTTP_PROXY: gone.origin.replace('//', '//user:pa55-of-the-proxy@') });
    const client = clientAt(node, server.origin, { agent: { proxyFromEnvironment: true } });
    const error = await client.assets.check({ content: 'scam.example' }).catch((thrown: unknown) => thrown as Error);
    expect(error).toEqual(failed('NETWORK'));
    expect(JSON.stringify(error) + String((error as Error).stack) + String((error as Error).cause)).not.toContain('pa55');
    expect(server.requests).toEqual([]);
  });
});
