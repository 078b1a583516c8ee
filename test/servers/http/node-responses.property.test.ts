import { createServer } from 'node:http';
import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { type FetchHandler, toNodeHandler } from 'portcullis/middleware';
import { describe, expect, test } from 'vitest';
import { originOf } from '../../support/listen.js';
import { readAnswers } from './answer-reader.js';

/** Whatever a handler claims about its body, no byte of one answer becomes part of the next on the same connection. */
const forged = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged');
const marker = 'after';

interface Answer {
  readonly method: string;
  readonly status: number;
  readonly chunks: readonly Uint8Array[] | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly isStream: boolean;
}

const lengthOf = (chunks: Answer['chunks']): number => (chunks ?? []).reduce((sum, { length }) => sum + length, 0);

const anyAnswer: fc.Arbitrary<Answer> = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'HEAD', 'DELETE'),
    status: fc.constantFrom(200, 200, 404, 204, 205, 304),
    chunks: fc.oneof(
      fc.constant(null),
      fc.array(fc.oneof(fc.constant(forged), fc.uint8Array({ maxLength: 20 })), { maxLength: 4 }),
    ),
    isStream: fc.boolean(),
    change: fc.constantFrom(
      'none',
      'none',
      'exact',
      'exact',
      'less',
      'more',
      'zero',
      '+1',
      '1e1',
      '3, 3',
      '-1',
      '',
      '9'.repeat(20),
    ),
    connection: fc.constantFrom('', 'keep-alive', 'content-length', 'close, x-a'),
    encoding: fc.constantFrom('', 'gzip', 'identity'),
  })
  .map(({ status, chunks, change, connection, encoding, ...rest }) => {
    const body = status === 204 || status === 205 || status === 304 ? null : chunks;
    const length = lengthOf(body);
    const known: Record<string, string | undefined> = {
      none: undefined,
      exact: String(length),
      less: String(Math.max(0, length - 1)),
      more: String(length + 7),
      zero: '0',
    };
    const given = change in known ? known[change] : change;
    return {
      ...rest,
      status,
      chunks: body,
      headers: {
        ...(given !== undefined && { 'content-length': given }),
        ...(connection !== '' && { connection }),
        ...(encoding !== '' && { 'content-encoding': encoding }),
      },
    };
  });

function responseOf({ status, chunks, headers, isStream }: Answer): Response {
  if (chunks === null) return new Response(null, { status, headers });
  if (!isStream) return new Response(Buffer.concat(chunks), { status, headers });
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => (at < chunks.length ? controller.enqueue(chunks[at++]!) : controller.close()),
  });
  return new Response(body, { status, headers });
}

/** Everything that comes back until the connection ends. */
function exchange(port: number, sent: string): Promise<Buffer> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(sent));
    socket.on('data', (part) => parts.push(part));
    socket.on('error', () => {});
    socket.on('close', () => resolve(Buffer.concat(parts)));
  });
}

test('every answer is whole, a 500, or the last of its connection', async () => {
  let current: Answer | undefined;
  let errors = 0;
  const handler: FetchHandler = ({ url }) => (new URL(url).pathname === '/' ? responseOf(current!) : new Response(marker));
  const origin = await originOf(createServer(toNodeHandler(handler, { onError: () => void errors++ })));
  const port = Number(new URL(origin).port);
  await fc.assert(
    fc.asyncProperty(anyAnswer, async (answer) => {
      current = answer;
      errors = 0;
      const next = `GET /after HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
      const raw = await exchange(port, `${answer.method} / HTTP/1.1\r\nHost: a\r\n\r\n${next}`);
      const [first, second, ...others] = readAnswers(raw, [answer.method, 'GET']);
      expect(others).toEqual([]);
      const isDropped = answer.headers['connection'] === 'content-length';
      const given = isDropped || answer.status === 204 ? undefined : answer.headers['content-length'];
      const length = lengthOf(answer.chunks);
      const mayDiffer = answer.method === 'HEAD' || answer.status === 304;
      const isTrue = given === undefined || (/^\d+$/.test(given) && given.length < 16 && (mayDiffer || Number(given) === length));
      expect(errors).toBe(isTrue ? 0 : 1);
      if (isTrue) {
        expect(first).toMatchObject({ status: answer.status, isWhole: true });
        const isSent = answer.method !== 'HEAD' && answer.chunks !== null;
        expect(first!.body).toEqual(isSent ? Buffer.concat(answer.chunks!) : Buffer.alloc(0));
      } else if (first?.isWhole) {
        // Known before its head was sent, or the bytes that were announced came before the others.
        expect(first.status === 500 || first.body.length === Number(given)).toBe(true);
      }
      if (isTrue || first?.status === 500)
        expect(second).toMatchObject({ status: 200, isWhole: true, body: Buffer.from(marker) });
      else expect(second).toBeUndefined();
    }),
  );
});

describe('a response of fetch', () => {
  const text = 'hello '.repeat(1_000);
  const codings: Record<string, Buffer> = {
    gzip: gzipSync(text),
    'x-gzip': gzipSync(text),
    GZIP: gzipSync(text),
    deflate: deflateSync(text),
    br: brotliCompressSync(text),
    'gzip, br': brotliCompressSync(gzipSync(text)),
    identity: Buffer.from(text),
    '': Buffer.from(text),
  };

  test.each(Object.entries(codings))('whose upstream has the coding %j arrives as it was', async (coding, bytes) => {
    const upstream = await originOf(
      createServer((_, outgoing) => {
        if (coding !== '') outgoing.setHeader('content-encoding', coding);
        outgoing.setHeader('content-length', bytes.length);
        outgoing.end(bytes);
      }),
    );
    const origin = await originOf(createServer(toNodeHandler(({ method }) => fetch(upstream, { method }))));
    for (let time = 0; time < 2; time++) expect(await (await fetch(origin)).text()).toBe(text);
    expect((await fetch(origin, { method: 'HEAD' })).status).toBe(200);
  });

  test('copied with the headers of its encoded body is an error for the operator', async () => {
    const upstream = await originOf(
      createServer((_, outgoing) => {
        outgoing.setHeader('content-encoding', 'gzip').setHeader('content-length', codings['gzip']!.length).end(codings['gzip']);
      }),
    );
    const errors: unknown[] = [];
    const copied: FetchHandler = async () => {
      const { body, headers } = await fetch(upstream);
      return new Response(body, { headers });
    };
    const origin = await originOf(createServer(toNodeHandler(copied, { onError: (error) => void errors.push(error) })));
    await expect(fetch(origin).then((answer) => answer.text())).rejects.toThrow();
    expect(String(errors)).toMatch(/delete Content-Encoding and Content-Length/);
  });

  test('an encoded body of the handler itself keeps its headers', async () => {
    const bytes = gzipSync(text);
    const headers = { 'content-encoding': 'gzip', 'content-length': String(bytes.length) };
    const origin = await originOf(createServer(toNodeHandler(() => new Response(bytes, { headers }))));
    const answer = await fetch(origin);
    expect([answer.headers.get('content-encoding'), await answer.text()]).toEqual(['gzip', text]);
  });
});
