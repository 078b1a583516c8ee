import { BHttpDecoder, BHttpEncoder } from 'bhttp-js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { utf8 } from '../../../src/core/bytes.js';
import {
  type BinaryRequest,
  type BinaryResponse,
  decodeRequest,
  decodeResponse,
  encodeRequest,
  encodeResponse,
  fieldOf,
  padded,
} from '../../../src/core/ohttp/binary-http.js';
import {
  bytesOf,
  chunkedResponse,
  helloIndeterminate,
  helloRequest,
  interimResponse,
  request,
  response,
} from '../../support/ohttp-vectors.js';

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

const agent = 'curl/7.16.3 libcurl/7.16.3 OpenSSL/0.9.7l zlib/1.2.3';
const hello: BinaryRequest = {
  method: 'GET',
  scheme: 'https',
  authority: '',
  path: '/hello.txt',
  fields: [
    ['user-agent', agent],
    ['host', 'www.example.com'],
    ['accept-language', 'en, mi'],
  ],
  content: new Uint8Array(),
};

test('reads and writes the examples of RFC 9292', () => {
  expect(decodeRequest(helloRequest)).toEqual(hello);
  expect(encodeRequest(hello)).toEqual(helloRequest);
  // Empty sections may be missing at the end, and zeros may follow.
  for (const cut of [1, 2]) expect(decodeRequest(helloRequest.subarray(0, -cut))).toEqual(hello);
  for (let cut = 0; cut <= 12; cut++) {
    const bytes = helloIndeterminate.subarray(0, helloIndeterminate.length - cut);
    expect(decodeRequest(bytes), `without ${cut} bytes`).toEqual(hello);
  }
  const chunked = decodeResponse(chunkedResponse)!;
  expect(chunked).toMatchObject({ status: 200, fields: [] });
  expect(text(chunked.content)).toBe('This content contains CRLF.\r\n');
  const interim = decodeResponse(interimResponse)!;
  expect(interim.status).toBe(200);
  expect(text(interim.content)).toBe('Hello World! My content includes a trailing CRLF.\r\n');
  expect(fieldOf(interim, 'etag')).toBe('"34aa387-d-1568eb00"');
  expect(fieldOf(interim, 'running')).toBe(null);
});

test('reads the messages of RFC 9458', () => {
  expect(decodeRequest(request)).toMatchObject({
    method: 'GET',
    scheme: 'https',
    authority: 'example.com',
    path: '/',
    fields: [],
  });
  expect(decodeResponse(response)).toEqual({ status: 200, fields: [], content: new Uint8Array() });
});

test('reads integers that are longer than needed, as RFC 9000 allows', () => {
  const long = 'c000000000000001 800000c8 4000 80000003 616263';
  expect(text(decodeResponse(bytesOf(long))!.content)).toBe('abc');
});

test('joins the lines of a repeated field', () => {
  const fields = [
    ['a', '1'],
    ['b', '2'],
    ['a', '3'],
  ] as const;
  expect(fieldOf(decodeResponse(encodeResponse({ status: 204, fields, content: new Uint8Array() }))!, 'a')).toBe('1, 3');
});

const field = (name: string, value: string): string =>
  [name, value].map((part) => Buffer.from([part.length]).toString('hex') + Buffer.from(part, 'latin1').toString('hex')).join('');
const section = (...lines: string[]): string => {
  const all = lines.join('');
  return Buffer.from([all.length / 2]).toString('hex') + all;
};

test.each([
  ['nothing', ''],
  ['another framing', '0440c8'],
  ['a request', Buffer.from(request).toString('hex')],
  ['a status below 100', '014063'],
  ['a status above 599', '014258'],
  ['an informational response alone', '014066'],
  ['an informational response without the next status', '01406600'],
  ['a status that is cut off', '0140'],
  ['fields that are cut off', `0140c8${section(field('a', 'b')).slice(0, -2)}`],
  ['content that is cut off', '0140c8000361'],
  ['trailers that are cut off', '0140c8000003016101'],
  ['a length above 2^53', '0140c800ffffffffffffffff'],
  ['a length of exactly 2^53', '0140c800c020000000000000'],
  ['padding that is not zero', '0140c800000001'],
  ['padding whose last byte is not zero', `0140c8000000${'00'.repeat(500)}01`],
  ['a name of no bytes', `0140c8${section(field('', 'b'))}`],
  ['an upper-case name', `0140c8${section(field('A', 'b'))}`],
  ['a name with a space', `0140c8${section(field('a b', 'b'))}`],
  ['a pseudo-field', `0140c8${section(field(':status', '200'))}`],
  ['a value with CR', `0140c8${section(field('a', 'b\rc'))}`],
  ['a value with LF', `0140c8${section(field('a', 'b\nc'))}`],
  ['a value with NUL', `0140c8${section(field('a', 'b\0c'))}`],
  ['a value that begins with a space', `0140c8${section(field('a', ' b'))}`],
  ['a value that ends with a tab', `0140c8${section(field('a', 'b\t'))}`],
  ['a bad trailer', `0140c80000${section(field('A', 'b'))}`],
  ['unknown lengths, fields without an end', `0340c8${field('a', 'b')}`],
  ['unknown lengths, content without an end', '0340c8000161'],
  ['unknown lengths, a chunk that is cut off', '0340c8000361'],
])('refuses %s', (_, hex) => {
  expect(decodeResponse(bytesOf(hex))).toBe(null);
});

test.each([
  ['a method with a space', '0003472054'],
  ['an empty method', '0000'],
  ['a path with a space', '000347455405687474707300022f20'],
  ['an authority that is not ASCII', '0003474554056874747073 02c3a4 012f'],
  ['a request that is cut off in its path', Buffer.from(request.subarray(0, -1)).toString('hex')],
])('refuses %s', (_, hex) => {
  expect(decodeRequest(bytesOf(hex))).toBe(null);
});

test('reads 100 fields, and refuses 101', () => {
  const lines = (count: number) => {
    const fields = Array.from({ length: count }, (_, at) => [`x-${at}`, 'v'] as const);
    return encodeResponse({ status: 200, fields, content: new Uint8Array() });
  };
  expect(decodeResponse(lines(100))?.fields).toHaveLength(100);
  expect(decodeResponse(lines(101))).toBe(null);
});

test('pads to one size, and beyond it to four times as much', () => {
  const sizes = [0, 1, 1023, 1024, 1025, 4096, 4097].map((length) => padded(new Uint8Array(length).fill(1), 1024).length);
  expect(sizes).toEqual([1024, 1024, 1024, 1024, 4096, 4096, 16384]);
  expect(padded(utf8('ab'), 4)).toEqual(Uint8Array.of(97, 98, 0, 0));
});

const names = fc.stringMatching(/^[a-z\d!#$%&'*+.^_`|~-]{1,20}$/);
const values = fc.stringMatching(/^([!-~\x80-\xff]([ -~\x80-\xff]{0,70}[!-~\x80-\xff])?)?$/);
const someFields = fc.array(fc.tuple(names, values), { maxLength: 9 });
const contents = fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.uint8Array({ minLength: 16_380, maxLength: 16_390 }));
const requests: fc.Arbitrary<BinaryRequest> = fc.record({
  method: fc.constantFrom('GET', 'HEAD', 'POST'),
  scheme: fc.constantFrom('http', 'https'),
  authority: fc.constantFrom('', 'list.example', '[::1]:8080'),
  path: fc.stringMatching(/^\/[!-~]{0,80}$/),
  fields: someFields,
  content: contents,
});
const responses: fc.Arbitrary<BinaryResponse> = fc.record({
  status: fc.integer({ min: 200, max: 599 }),
  fields: someFields,
  content: contents,
});
const zeros = fc.integer({ min: 0, max: 40 });

/** Comparing arrays of numbers takes ten times as long. */
const shown = <Message extends { readonly content: Uint8Array }>(message: Message | null) =>
  message && { ...message, content: Buffer.from(message.content).toString('base64') };

const joinedTo = (message: Uint8Array, count: number): Uint8Array =>
  new Uint8Array(Buffer.concat([message, new Uint8Array(count)]));

test('reads what it wrote, with any padding', () => {
  fc.assert(
    fc.property(requests, responses, zeros, (asked, answered, count) => {
      expect(shown(decodeRequest(joinedTo(encodeRequest(asked), count)))).toEqual(shown(asked));
      expect(shown(decodeResponse(joinedTo(encodeResponse(answered), count)))).toEqual(shown(answered));
      expect(shown(decodeRequest(padded(encodeRequest(asked), 1024)))).toEqual(shown(asked));
    }),
  );
});

test('never throws, and takes no changed or shortened message for the one that was written', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      decodeRequest(bytes);
      decodeResponse(bytes);
    }),
  );
  fc.assert(
    fc.property(responses, fc.nat(), (answered, seed) => {
      const bytes = encodeResponse(answered);
      const cut = decodeResponse(bytes.subarray(0, seed % bytes.length));
      // A message may end between two sections: what is sealed says whether it is whole.
      const empty = { ...answered, content: new Uint8Array() };
      const ends = [null, answered, empty, { ...empty, fields: [] }].map((one) => JSON.stringify(shown(one)));
      expect(ends).toContain(JSON.stringify(shown(cut)));
      const changed = bytes.slice();
      // The first byte may become that of the other form.
      changed[1 + (seed % (bytes.length - 1))]! ^= 1 + (seed % 255);
      expect(shown(decodeResponse(changed))).not.toEqual(shown(answered));
    }),
  );
});

test('another implementation reads what it wrote, and it reads theirs', async () => {
  await fc.assert(
    fc.asyncProperty(requests, responses, async (asked, answered) => {
      // bhttp-js drops the query of a request it writes, makes a Response of what it reads, which takes no content with some statuses, and
      // Headers joins repeated fields.
      const fields = [...new Map(asked.fields.filter(([name]) => name.startsWith('x-')))].map(
        ([name, value]) => [name, value] as const,
      );
      const plain = { ...asked, method: 'POST', authority: 'list.example', path: '/a/b.bin', fields };
      const theirs = new BHttpDecoder().decodeRequest(toBuffer(encodeRequest(plain)));
      expect(theirs.url).toBe(`${plain.scheme}://list.example/a/b.bin`);
      expect(new Uint8Array(await theirs.arrayBuffer())).toEqual(plain.content);
      for (const [name, value] of fields) expect(theirs.headers.get(name)).toBe(value);

      const written = await new BHttpEncoder().encodeRequest(
        new Request(theirs.url, { method: 'POST', body: toBuffer(plain.content), headers: { 'content-type': 'text/plain' } }),
      );
      const ours = decodeRequest(new Uint8Array(written))!;
      expect(ours).toMatchObject({ method: 'POST', scheme: plain.scheme, authority: 'list.example', path: '/a/b.bin' });
      expect(ours.content).toEqual(plain.content);
      expect(fieldOf(ours, 'content-type')).toBe('text/plain');

      const status = [200, 400, 404, 422, 503][answered.status % 5]!;
      const read = new BHttpDecoder().decodeResponse(toBuffer(encodeResponse({ ...answered, status, fields: [] })));
      expect(read.status).toBe(status);
      expect(new Uint8Array(await read.arrayBuffer())).toEqual(answered.content);
      const sent = await new BHttpEncoder().encodeResponse(
        new Response(toBuffer(answered.content), { status, headers: { etag: '"a"' } }),
      );
      expect(decodeResponse(new Uint8Array(sent))).toMatchObject({ status, content: answered.content });
    }),
    { numRuns: 50 },
  );
});

function toBuffer(bytes: Uint8Array): ArrayBuffer {
  return bytes.slice().buffer as ArrayBuffer;
}
