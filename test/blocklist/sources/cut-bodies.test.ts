import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { createBlocklist, hashOf, prefixOf } from 'portcullis';
import { lightPublishedSource } from 'portcullis/light';
import { buildList } from 'portcullis/publish';
import { publishedSource, serviceSource, textSource } from 'portcullis/sources';
import { describe, expect, onTestFinished, test } from 'vitest';
import { codeOf, filesOf, readAll } from './harness.js';

const count = 1_001;
const text = Array.from({ length: count }, (_, at) => `evil-${hashOf(String(at))[0]}-${at}.example\n`).join('');
const plain = Buffer.from(text);
const [gzip, brotli, deflate] = [gzipSync(plain), brotliCompressSync(plain), deflateSync(plain)];

/** A connection that breaks at three fifths. */
const cut = (bytes: Buffer): Buffer => bytes.subarray(0, (bytes.length * 3) / 5);
const chunkOf = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
const lastChunk = Buffer.from('0\r\n\r\n');
const lengthOf = (bytes: Buffer): string => `content-length: ${bytes.length}`;
const [chunked, close, gzipped] = ['transfer-encoding: chunked', 'connection: close', 'content-encoding: gzip'];

type Case = readonly [what: string, headers: readonly string[], body: Buffer];

/** The rows of the table in docs/sources.md that Node notices. */
const noticed: readonly Case[] = [
  ['fewer bytes than its length', [lengthOf(plain)], cut(plain)],
  ['fewer bytes than its length, and closes', [lengthOf(plain), close], cut(plain)],
  ['chunks without the last one on a connection that stays open', [chunked], chunkOf(cut(plain))],
  ['fewer bytes of gzip than its length', [gzipped, lengthOf(gzip)], cut(gzip)],
  ['a gzip file without its end', [close], cut(gzip)],
  ['a gzip file without its trailer', [close], gzip.subarray(0, -8)],
];

/** The rows that some platforms notice; Node 20 takes the list for whole. */
const unnoticed: readonly Case[] = [
  ['no length, and closes', [close], cut(plain)],
  ['neither length nor chunks', [], cut(plain)],
  ['chunks without the last one, and closes', [chunked, close], chunkOf(cut(plain))],
  ['half a chunk, and closes', [chunked, close], chunkOf(plain).subarray(0, 9_000)],
  ['gzip without its end', [gzipped, lengthOf(cut(gzip))], cut(gzip)],
  ['gzip without its end in whole chunks', [gzipped, chunked], Buffer.concat([chunkOf(cut(gzip)), lastChunk])],
  ['brotli without its end', ['content-encoding: br', close], cut(brotli)],
  ['deflate without its end', ['content-encoding: deflate', close], cut(deflate)],
];

async function sending([, headers, body]: Case): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (request) => {
      const head = String(request).startsWith('HEAD')
        ? ['HTTP/1.1 405 Method Not Allowed', 'content-length: 0', close]
        : ['HTTP/1.1 200 OK', ...headers];
      socket.write([...head, '', ''].join('\r\n'));
      socket.end(head.includes('content-length: 0') ? '' : body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/list.txt`;
}

test.each(noticed)('a text list is refused from a host that sends %s', async (...row) => {
  const source = textSource({ id: 'text', url: await sending(row) });
  expect(['NETWORK', 'INVALID_ARTIFACT']).toContain(await codeOf(readAll(source)));
});

test.each(unnoticed)('a text list is refused or shorter from a host that sends %s', async (...row) => {
  const source = textSource({ id: 'text', url: await sending(row) });
  const taken = await readAll(source).then(
    ({ snapshot }) => snapshot.entries.size,
    (error) => error.code,
  );
  expect(taken === 'NETWORK' || (taken > 0 && taken < count), String(taken)).toBe(true);
});

describe('a fetch of someone’s own that returns fewer bytes than Content-Length says', () => {
  /** Returns each file without its last byte. */
  const cutting = (files: ReadonlyMap<string, Uint8Array>, isStream: boolean, headers: Record<string, string> = {}) => ({
    fetch: async (url: string) => {
      const bytes = files.get(new URL(url).pathname.slice(1)) ?? new Uint8Array(0);
      const response = new Response(bytes.slice(0, -1), { headers: { 'content-length': String(bytes.length), ...headers } });
      return isStream ? response : { status: 200, headers: response.headers, arrayBuffer: () => response.arrayBuffer() };
    },
  });

  test.each([true, false])('is refused by every source (as a stream: %s)', async (isStream) => {
    const files = filesOf(await buildList(['evil.example']));
    const list = cutting(new Map([...files, ['list.txt', plain]]), isStream);
    const url = 'https://list.example';
    const service = cutting(new Map([['asset/blocklist/version', Buffer.from('{"algoVersion":"1"} ')]]), isStream);
    const call = { algoVersion: 'portcullis-1' };
    const codes = [
      await codeOf(publishedSource({ url, ...list }).version({})),
      await codeOf(publishedSource({ url, ...list }).confirm!([prefixOf('evil.example')], call)),
      await codeOf(lightPublishedSource({ url, ...list }).version({})),
      await codeOf(readAll(textSource({ id: 'text', url: `${url}/list.txt`, ...list }))),
      await codeOf(serviceSource({ baseUrl: url, ...service }).version({})),
    ];
    expect(codes).toEqual(codes.map(() => 'NETWORK'));
  });

  test('says how much has arrived', async () => {
    const list = cutting(new Map([['list.txt', plain]]), true);
    const blocklist = createBlocklist({
      sources: [textSource({ id: 'text', url: 'https://list.example/list.txt', ...list })],
      pollMs: 0,
    });
    onTestFinished(() => blocklist.close());
    const messages: string[] = [];
    blocklist.on('error', ({ error }) => messages.push(`${error.code}: ${error.message}`));
    await blocklist.sync().catch(() => {});
    expect(messages).toEqual([`NETWORK: the connection was cut after ${plain.length - 1} of ${plain.length} bytes; try again`]);
  });

  test('is taken if the length counts encoded bytes', async () => {
    const list = cutting(new Map([['list.txt', plain]]), true, { 'content-encoding': 'gzip' });
    const { snapshot } = await readAll(textSource({ id: 'text', url: 'https://list.example/list.txt', ...list }));
    expect(snapshot.entries.size).toBe(count);
  });
});
