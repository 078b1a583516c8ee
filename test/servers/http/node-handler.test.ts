import { once } from 'node:events';
import { createServer, type RequestListener, request, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { drainable, type FetchHandler, type NodeHandlerOptions, toNodeHandler } from 'portcullis/middleware';
import { createService, sampleKeys } from 'portcullis/testing';
import { Agent, fetch as patientFetch } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { closeServer } from '../../support/listen.js';

async function started(
  listener: RequestListener,
): Promise<{ server: Server; drain: ReturnType<typeof drainable>; origin: string; port: number }> {
  const server = createServer(listener);
  const drain = drainable(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => closeServer(server));
  const { port } = server.address() as AddressInfo;
  return { server, drain, origin: `http://127.0.0.1:${port}`, port };
}

const serving = (handler: FetchHandler, options?: NodeHandlerOptions) => started(toNodeHandler(handler, options));

/** A connection on which bytes are written as they are. */
async function socketTo(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket.setEncoding('utf8');
}

/** Everything that comes back for these bytes until the connection ends. */
async function exchange(port: number, sent: string): Promise<string> {
  const socket = await socketTo(port);
  socket.write(sent);
  return text(socket);
}

const statusLines = (answer: string): string[] => answer.match(/HTTP\/1\.1 \d+/g) ?? [];
const echo: FetchHandler = async (got) => new Response(await got.arrayBuffer());

test('passes on method, URL, headers, body and the address of the connection', async () => {
  const { origin, port } = await serving(async (got, { address }) =>
    Response.json({ method: got.method, url: got.url, accept: got.headers.get('accept'), body: await got.text(), address }),
  );
  const answer = await fetch(`${origin}/a/b?c=%20d`, { method: 'PUT', headers: { accept: 'text/x' }, body: 'ü' });
  expect(await answer.json()).toEqual({
    method: 'PUT',
    url: `http://127.0.0.1:${port}/a/b?c=%20d`,
    accept: 'text/x',
    body: 'ü',
    address: '127.0.0.1',
  });
});

test('accepts an object with fetch, and rejects what is neither', async () => {
  const { origin } = await started(toNodeHandler({ fetch: async () => new Response('yes') }));
  expect(await (await fetch(origin)).text()).toBe('yes');
  expect(() => toNodeHandler({} as never)).toThrow(TypeError);
  expect(() => toNodeHandler(echo, { origin: 'https://a.example/path' })).toThrow(/origin must be an origin such as/);
  expect(() => toNodeHandler(echo, { maxBodyMs: 0 })).toThrow(/maxBodyMs/);
});

test('keeps each cookie of a response apart, and drops the headers of the connection', async () => {
  const { port } = await serving(async (got) => {
    const headers = new Headers({ connection: 'x-mine', 'x-mine': '1', 'keep-alive': 'timeout=9', 'x-kept': '1' });
    headers.append('set-cookie', 'a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT');
    headers.append('set-cookie', 'b=2');
    return new Response(JSON.stringify([...got.headers.keys()]), { headers });
  });
  const head = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close, X-Secret\r\nX-Secret: 1\r\nTE: trailers\r\nX-Kept: 1\r\n\r\n';
  const answer = await exchange(port, head);
  expect(answer.match(/^set-cookie: .*$/gim)).toEqual([
    'set-cookie: a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT',
    'set-cookie: b=2',
  ]);
  expect(answer).toMatch(/^x-kept: 1\r$/m);
  expect(answer).not.toMatch(/^(x-mine|keep-alive: timeout=9)/m);
  expect(JSON.parse(answer.slice(answer.indexOf('["'), answer.lastIndexOf(']') + 1))).toEqual(['host', 'x-kept']);
});

test('answers HEAD with the headers alone, and cancels the body', async () => {
  let cancelled = false;
  const { origin } = await serving(async () => {
    const body = new ReadableStream({
      cancel() {
        cancelled = true;
      },
    });
    return new Response(body, { headers: { 'content-length': '5' } });
  });
  const answer = await fetch(origin, { method: 'HEAD' });
  expect([answer.status, answer.headers.get('content-length'), cancelled]).toEqual([200, '5', true]);
});

test.each([
  ['GET /a[b HTTP/1.1\r\nHost: a:b@c\r\n', 400],
  ['GET / HTTP/1.1\r\nHost: [\r\n', 400],
  ['GET / HTTP/1.1\r\nHost: a:99999\r\n', 400],
  ['GET / HTTP/1.1\r\nHost: a/b\r\n', 400],
  ['GET / HTTP/1.1\r\n', 400],
  ['GET / HTTP/1.0\r\n', 400],
  ['GET nowhere HTTP/1.1\r\nHost: a\r\n', 400],
  ['GET http://[/ HTTP/1.1\r\nHost: a\r\n', 400],
  ['GET ftp://a/ HTTP/1.1\r\nHost: a\r\n', 400],
  ['GET * HTTP/1.1\r\nHost: a\r\n', 400],
  ['OPTIONS * HTTP/1.1\r\nHost: a\r\n', 200],
  ['GET //evil.example/a HTTP/1.1\r\nHost: a\r\n', 200],
  ['GET http://evil.example/a HTTP/1.1\r\nHost: a\r\n', 200],
  ['GET /%zz\\..\\ HTTP/1.1\r\nHost: a\r\n', 200],
  ['TRACE / HTTP/1.1\r\nHost: a\r\n', 405],
  ['NONSENSE / HTTP/1.1\r\nHost: a\r\n', 400],
])('%j is answered with %i, and never for another host', async (head, status) => {
  const hosts: string[] = [];
  const { port } = await serving(async (got) => {
    hosts.push(new URL(got.url).host);
    return new Response('ok');
  });
  const answer = await exchange(port, `${head}Connection: close\r\n\r\n`);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(hosts).toEqual(status === 200 ? ['a'] : []);
});

test('uses the origin of the options for URLs, without which a request needs a Host header', async () => {
  const { port } = await serving(async ({ url }) => new Response(url), { origin: 'https://chat.example' });
  expect(await exchange(port, 'GET /a HTTP/1.0\r\n\r\n')).toMatch(/https:\/\/chat\.example\/a$/);
  expect(await exchange(port, 'GET /a HTTP/1.0\r\nHost: [\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
});

test('a body that is too large is a 413 that the client can read, by its length and by its bytes', async () => {
  const asked: string[] = [];
  const { origin } = await serving(
    async (got) => {
      asked.push('asked');
      return echo(got, {});
    },
    { maxBodyBytes: 1_000_000 },
  );
  const large = new Uint8Array(4_000_000);
  const announced = await fetch(origin, { method: 'POST', body: large });
  expect([announced.status, await announced.json(), asked.length]).toMatchObject([413, { code: 'PAYLOAD_TOO_LARGE' }, 0]);
  const body = new ReadableStream({
    start(controller) {
      for (let at = 0; at < 4; at++) controller.enqueue(large.subarray(0, 1_000_000));
      controller.close();
    },
  });
  const streamed = await fetch(origin, { method: 'POST', body, duplex: 'half' } as RequestInit);
  expect([streamed.status, await streamed.json()]).toMatchObject([413, { code: 'PAYLOAD_TOO_LARGE' }]);
  expect((await (await fetch(origin, { method: 'POST', body: large.subarray(0, 1_000_000) })).arrayBuffer()).byteLength).toBe(
    1_000_000,
  );
});

describe('the limits of a body hold for every method, whether its handler reads it or not:', () => {
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE'];
  const handlers: Record<string, FetchHandler> = {
    reads: async (got) => new Response(String((await got.arrayBuffer()).byteLength)),
    ignores: () => new Response('no'),
  };

  /** Together, because the end of a connection takes a second. */
  const forAll = async (work: (port: number, head: string, method: string) => Promise<unknown>): Promise<unknown[]> => {
    const limits = { maxBodyBytes: 1_000, maxBodyMs: 200 };
    const servers = await Promise.all(Object.values(handlers).map((handler) => serving(handler, limits)));
    return Promise.all(
      servers.flatMap(({ port }, at) =>
        methods.map(async (method) => {
          const result = await work(port, `${method} / HTTP/1.1\r\nHost: a\r\n`, method);
          return `${method} ${Object.keys(handlers)[at]}: ${String(result)}`;
        }),
      ),
    );
  };
  const every = (result: (method: string) => unknown): string[] =>
    Object.keys(handlers).flatMap((name) => methods.map((method) => `${method} ${name}: ${String(result(method))}`));

  test('its length', async () => {
    const lines = await forAll(async (port, head) => statusLines(await exchange(port, `${head}Content-Length: 1001\r\n\r\n`)));
    expect(lines).toEqual(every((method) => (method === 'TRACE' ? 'HTTP/1.1 405' : 'HTTP/1.1 413')));
  });

  test('its bytes if it has no length', async () => {
    const ends = await forAll(async (port, head) => {
      const socket = await socketTo(port);
      const closed = once(socket.resume(), 'close').then(() => 'closed');
      const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
      let isOver = false;
      const more = (): void => {
        if (!isOver && !socket.destroyed) socket.write(chunk, () => setTimeout(more, 20));
      };
      socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`, more);
      const end = await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 20_000, 'open after 20 seconds'))]);
      isOver = true;
      return end;
    });
    expect(ends).toEqual(every(() => 'closed'));
  });

  test('its time, for a client that neither sends the rest nor leaves', async () => {
    const answers = await forAll(async (port, head) => {
      const answer = await exchange(port, `${head}Transfer-Encoding: chunked\r\n\r\n5\r\n12`);
      return /^HTTP\/1\.1 (200|405|408) [\s\S]*^connection: close\r$/im.test(answer);
    });
    expect(answers).toEqual(every(() => true));
  });

  test('and one that has arrived is not taken for the next request', async () => {
    const answers = await forAll(async (port, head) => {
      const inner = 'GET /inner HTTP/1.1\r\nHost: [\r\n\r\n';
      const next = 'POST /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';
      return statusLines(await exchange(port, `${head}Content-Length: ${inner.length}\r\n\r\n${inner}${next}`));
    });
    expect(answers).toEqual(every((method) => [`HTTP/1.1 ${method === 'TRACE' ? 405 : 200}`, 'HTTP/1.1 200']));
  });
});

test('half a body is a 408 once its time is over, while a slow answer is no reason', async () => {
  const { port, origin } = await serving(async (got) => new Response(got.method === 'GET' ? await late() : await got.text()), {
    maxBodyMs: 150,
  });
  const late = (): Promise<string> => new Promise((resolve) => setTimeout(resolve, 400, 'late'));
  const slow = fetch(origin);
  const half = await exchange(port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345');
  expect(half).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"TIMEOUT"/);
  expect(await (await slow).text()).toBe('late');
});

test('a client that leaves in the middle of its body, or while it waits, aborts the request', async () => {
  const ends: unknown[] = [];
  let begun = (): void => {};
  const { port } = await serving(async (got) => {
    begun();
    const aborted = new Promise<void>((resolve) => got.signal.addEventListener('abort', () => resolve()));
    if (got.method === 'POST') await got.text().catch((error: { code?: string }) => ends.push(error.code));
    await aborted;
    ends.push('aborted');
    return new Response();
  });
  for (const sent of ['POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n']) {
    const isBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const socket = await socketTo(port);
    socket.write(sent);
    await isBegun;
    socket.destroy();
  }
  await expect.poll(() => ends).toEqual(['NETWORK', 'aborted', 'aborted']);
});

test('does not abort the signal of a request that was answered', async () => {
  const signals: AbortSignal[] = [];
  const { origin } = await serving(async ({ signal }) => {
    signals.push(signal);
    return new Response('ok');
  });
  expect(await (await fetch(origin, { headers: { connection: 'close' } })).text()).toBe('ok');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
});

test('streams a body to a slow client at its pace, and cancels it when the client leaves', async () => {
  const chunk = new Uint8Array(64 * 1024);
  let given = 0;
  let cancelled = false;
  const { port } = await serving(async () => {
    const body = new ReadableStream({
      pull(controller) {
        given += chunk.length;
        controller.enqueue(chunk);
      },
      cancel() {
        cancelled = true;
      },
    });
    return new Response(body);
  });
  const socket = await socketTo(port);
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await expect.poll(() => given).toBeGreaterThan(0);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const before = given;
  await new Promise((resolve) => setTimeout(resolve, 200));
  // Buffers of the operating system hold the rest.
  expect(given).toBe(before);
  expect(given).toBeLessThan(64 * 1024 * 1024);
  socket.destroy();
  await expect.poll(() => cancelled).toBe(true);
});

test('reads a body only as fast as the handler takes it', async () => {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { port } = await serving(async (got) => {
    await released;
    return new Response(String((await got.arrayBuffer()).byteLength));
  });
  const size = 16 * 1024 * 1024;
  const socket = await socketTo(port);
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${size}\r\n\r\n`);
  let isSent = false;
  socket.write(new Uint8Array(size), () => {
    isSent = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(isSent).toBe(false);
  release();
  expect(await text(socket)).toMatch(new RegExp(`\\r\\n${size}$`));
});

test('sends a body of one chunk with its length, and a longer one in chunks without waiting for its end', async () => {
  let finish = (): void => {};
  const { port, origin } = await serving(({ url }) => {
    if (url.endsWith('/json')) return Response.json({ length: 1 });
    if (url.endsWith('/empty')) return new Response('');
    return new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('first'));
          finish = () => {
            controller.enqueue(new TextEncoder().encode('second'));
            controller.close();
          };
        },
      }),
    );
  });
  const whole = await exchange(port, 'GET /json HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  expect(whole).toMatch(/^content-length: 12\r$[\s\S]*\r\n\r\n\{"length":1\}$/m);
  expect(whole).not.toMatch(/transfer-encoding/i);
  expect(await (await fetch(`${origin}/empty`)).text()).toBe('');
  const socket = await socketTo(port);
  let back = '';
  socket.on('data', (chunk: string) => (back += chunk));
  socket.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
  await expect.poll(() => back).toMatch(/^transfer-encoding: chunked\r$[\s\S]*first/im);
  finish();
  await expect.poll(() => back).toMatch(/second[\s\S]*0\r\n\r\n$/);
  socket.destroy();
});

test('leaves the answer of another middleware alone that came before the first byte of the body', async () => {
  const errors: unknown[] = [];
  let cancelled = false;
  const handler = toNodeHandler(
    () => {
      const cancel = (): void => {
        cancelled = true;
      };
      return new Response(new ReadableStream({ pull: () => new Promise(() => {}), cancel }));
    },
    { onError: (error) => void errors.push(error) },
  );
  const { origin } = await started((incoming, outgoing) => {
    handler(incoming, outgoing);
    setTimeout(() => outgoing.writeHead(503).end('too slow'), 20);
  });
  const answer = await fetch(origin);
  expect([answer.status, await answer.text()]).toEqual([503, 'too slow']);
  await expect.poll(() => cancelled).toBe(true);
  expect(errors).toEqual([]);
});

test('reads a body that came with its head, also while another middleware listens to it', async () => {
  const { port } = await serving(echo);
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 4\r\n\r\n';
  expect(await exchange(port, `${head}body`)).toMatch(/\r\n\r\nbody$/);
  const seen: string[] = [];
  const handler = toNodeHandler(echo);
  const other = await started((incoming, outgoing) => {
    incoming.on('data', (chunk) => seen.push(String(chunk)));
    handler(incoming, outgoing);
  });
  expect(await (await fetch(other.origin, { method: 'POST', body: 'before' })).text()).toBe('before');
  const later = await started((incoming, outgoing) => {
    handler(incoming, outgoing);
    incoming.on('data', (chunk) => seen.push(String(chunk)));
  });
  expect(await (await fetch(later.origin, { method: 'POST', body: 'after' })).text()).toBe('after');
  expect(seen).toEqual(['before', 'after']);
});

test('echoes a body while it still arrives', async () => {
  const { port } = await serving(async ({ body }) => new Response(body));
  const socket = await socketTo(port);
  let back = '';
  socket.on('data', (chunk: string) => (back += chunk));
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n');
  await expect.poll(() => back).toContain('first');
  socket.write('6\r\nsecond\r\n0\r\n\r\n');
  await expect.poll(() => back).toMatch(/second[\s\S]*0\r\n\r\n$/);
});

test('answers pipelined requests in order, and keeps the connection after a body that the handler did not read', async () => {
  const { port } = await serving(async ({ url, method }) => {
    const { pathname } = new URL(url);
    if (pathname === '/1') await new Promise((resolve) => setTimeout(resolve, 100));
    return new Response(`${method}${pathname};`);
  });
  const ignored = `POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n${'x'.repeat(100)}`;
  const answer = await exchange(
    port,
    `GET /1 HTTP/1.1\r\nHost: a\r\n\r\n${ignored}GET /3 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  );
  expect(statusLines(answer)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 200']);
  expect(answer.match(/(GET|POST)\/\d;/g)).toEqual(['GET/1;', 'POST/2;', 'GET/3;']);
});

test('closes the connection instead of taking the rest of a body for the next request', async () => {
  const { port } = await serving(async () => new Response('no', { status: 403 }));
  const answer = await exchange(
    port,
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nGET /inner HTTP/1.1\r\nHost: a\r\n\r\n',
  );
  expect(statusLines(answer)).toEqual(['HTTP/1.1 403']);
  expect(answer).toMatch(/^connection: close\r$/im);
});

test('a handler that throws, rejects, or returns nothing or a response that was read is a 500 without the reason, which onError gets', async () => {
  const errors: unknown[] = [];
  const handlers: Record<string, () => unknown> = {
    '/throws': () => {
      throw new Error('secret');
    },
    '/rejects': async () => {
      throw new Error('secret');
    },
    '/nothing': () => undefined,
    '/read': async () => {
      const used = new Response('secret');
      await used.text();
      return used;
    },
    '/locked': () => {
      const locked = new Response('secret');
      locked.body!.getReader();
      return locked;
    },
  };
  const { origin } = await serving(({ url }) => handlers[new URL(url).pathname]!() as Response, {
    onError(error) {
      errors.push(error);
      throw new Error('a log that fails');
    },
  });
  for (const path of Object.keys(handlers)) {
    const answer = await fetch(origin + path);
    expect([answer.status, await answer.text()]).toEqual([
      500,
      '{"message":"the request failed","code":"INTERNAL_SERVER_ERROR"}',
    ]);
  }
  expect(errors).toHaveLength(5);
});

test('a body that fails after its first bytes breaks the connection, so that half of it is not the whole', async () => {
  const { origin } = await serving(async () => {
    let count = 0;
    const body = new ReadableStream({
      pull: (controller) => (++count > 3 ? controller.error(new Error('broken')) : controller.enqueue(new Uint8Array(9))),
    });
    return new Response(body);
  });
  const answer = await fetch(origin);
  expect(answer.status).toBe(200);
  await expect(answer.arrayBuffer()).rejects.toThrow('terminated');
});

test('a body of other things than bytes breaks the connection', async () => {
  const errors: unknown[] = [];
  const body = (): ReadableStream => new ReadableStream({ start: (controller) => controller.enqueue('text') });
  const { origin } = await serving(async () => new Response(body()), { onError: (error) => void errors.push(error) });
  await expect(fetch(origin).then((answer) => answer.text())).rejects.toThrow();
  expect(String(errors)).toMatch(/not a Uint8Array/);
});

test('Response.error() closes the connection without an answer', async () => {
  const { origin } = await serving(async () => Response.error());
  await expect(fetch(origin)).rejects.toThrow('fetch failed');
});

test('work that goes on after the response may fail without ending the process', async () => {
  const errors: unknown[] = [];
  const options = { onError: (error: unknown) => void errors.push(error) };
  const { origin } = await serving(async (_, { waitUntil }) => {
    waitUntil?.(Promise.reject(new Error('later')));
    return new Response('ok');
  }, options);
  expect((await fetch(origin)).status).toBe(200);
  await expect.poll(() => errors).toEqual([expect.objectContaining({ message: 'later' })]);
});

test('a body that another middleware has read is a 500 with a reason for the operator', async () => {
  const errors: unknown[] = [];
  const handler = toNodeHandler(echo, { onError: (error) => void errors.push(error) });
  const { origin } = await started(async (incoming, outgoing) => {
    await text(incoming);
    handler(incoming, outgoing);
  });
  expect((await fetch(origin, { method: 'POST', body: 'gone' })).status).toBe(500);
  expect(String(errors[0])).toContain('before the middleware that parses bodies');
});

test('answers 1,000 parallel requests, each with its own body', async () => {
  const { origin, server } = await serving(echo);
  // A busy machine takes longer than the usual five seconds between two requests of a connection, and than ten to connect.
  server.keepAliveTimeout = 100_000;
  const dispatcher = new Agent({ connect: { timeout: 100_000 } });
  onTestFinished(() => dispatcher.destroy());
  const bodies = await Promise.all(
    Array.from({ length: 1_000 }, async (_, at) =>
      (await patientFetch(origin, { method: 'POST', body: `body ${at}`, dispatcher })).text(),
    ),
  );
  expect(bodies).toEqual(Array.from({ length: 1_000 }, (_, at) => `body ${at}`));
});

test('serves an embedded service', async () => {
  const service = createService();
  onTestFinished(() => service.close());
  const { origin } = await started(toNodeHandler((got) => service.fetch(got)));
  const answer = await fetch(`${origin}/asset/check`, {
    method: 'POST',
    headers: { 'x-api-key': sampleKeys.organization, 'content-type': 'application/json' },
    body: JSON.stringify({ content: 'https://scam-mint.example/' }),
  });
  expect(await answer.json()).toMatchObject({ status: 'BLOCKED' });
});

test('a drained server finishes what is under way, answers 503 to the next request of a connection, and then ends', async () => {
  let finish = (): void => {};
  const { drain, port } = await serving(
    () =>
      new Promise((resolve) => {
        finish = () => resolve(new Response('finished'));
      }),
  );
  const busy = await socketTo(port);
  let back = '';
  busy.on('data', (chunk: string) => (back += chunk));
  const idle = await socketTo(port);
  const idleEnded = once(idle.resume(), 'close');
  busy.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await expect.poll(() => String(finish)).toContain('finished');
  const drained = drain();
  busy.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await idleEnded;
  await expect(new Promise((_, reject) => request({ port, host: '127.0.0.1' }).on('error', reject).end())).rejects.toMatchObject({
    code: 'ECONNREFUSED',
  });
  finish();
  await drained;
  await expect.poll(() => statusLines(back)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 503']);
  expect(back).toMatch(/finished[\s\S]*^retry-after: 1/im);
});

test('a drained server closes what does not finish in time', async () => {
  const { drain, server, origin } = await serving(() => new Promise(() => {}));
  const hanging = fetch(origin).catch((error: Error) => error.message);
  await expect.poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))).toBe(1);
  await drain({ graceMs: 100 });
  expect(await hanging).toBe('fetch failed');
});
