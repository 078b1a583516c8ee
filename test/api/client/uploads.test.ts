import { spawnSync } from 'node:child_process';
import { closeSync, constants, createReadStream, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { UploadSource } from 'portcullis/client';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Answer, Recorded, ScriptedServer } from '../../support/scripted-server.js';
import { connect as connectClient, type Entry, platforms, thrownBy } from './client-harness.js';

const [[, nodeEntry], [, webEntry]] = platforms as readonly [(typeof platforms)[0], (typeof platforms)[0]];

/** Limit of the whole body, including the framing of parts. */
const maxBytes = 4 * 1024 * 1024;

const answer = { attachments: [{ url: 'https://files.example/1', fileName: 'a', sizeBytes: 1 }] };

type Upload = (input: unknown, options?: { signal?: AbortSignal; timeoutMs?: number; deadlineMs?: number }) => Promise<unknown>;

interface Connected {
  readonly upload: Upload;
  readonly server: ScriptedServer;
}

async function connect(entry: Entry = nodeEntry, given: Answer = { body: answer }, options: object = {}): Promise<Connected> {
  const { client, server } = await connectClient(entry, [given], options);
  return { upload: client.attachments.upload as Upload, server };
}

async function expectRefused(input: unknown, code: string, entry?: Entry): Promise<Error> {
  const { upload, server } = await connect(entry);
  const error = await thrownBy(() => upload(input));
  expect(error).toMatchObject({ name: 'PortcullisError', code, operation: 'attachmentUpload' });
  expect(server.connections()).toBe(0);
  return error;
}

/** Parses the parts of a form with the platform's own parser. */
async function partsOf({ headers, body }: Recorded): Promise<File[]> {
  const type = headers['content-type'] ?? '';
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  expect([...form.keys()].every((name) => name === 'file')).toBe(true);
  return form.getAll('file') as File[];
}

const bytesOf = async (file: Blob): Promise<Buffer> => Buffer.from(await file.arrayBuffer());

const binary = Buffer.from([0, 255, 13, 10, 45, 45, 13, 10, 128, 0, 34, 37]);
const large = Buffer.alloc(300_000, 'portcullis');

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'uploads-'));
  writeFileSync(join(folder, 'proof.bin'), binary);
  writeFileSync(join(folder, 'empty.bin'), '');
  writeFileSync(join(folder, 'full.bin'), Buffer.alloc(maxBytes, 7));
  writeFileSync(join(folder, 'large.bin'), Buffer.alloc(5_000_000, 7));
  return () => rmSync(folder, { recursive: true });
});

/** The code of the error, or `pending` if the call does not end. */
const endOf = async (work: Promise<unknown>): Promise<unknown> =>
  Promise.race([
    work.catch((error: { code?: string }) => error.code),
    new Promise((resolve) => void setTimeout(resolve, 30_000, 'pending').unref()),
  ]);

function streamOf(...chunks: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

async function* generated(...chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield chunk;
}

const shifted = Buffer.concat([Buffer.from('before'), binary, Buffer.from('after')]);

const partOf = (bytes: Buffer): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);

/** The same bytes in every supported form. */
const forms: readonly (readonly [string, (bytes: Buffer) => UploadSource])[] = [
  ['a Blob', (bytes) => new Blob([partOf(bytes.subarray(0, 3)), partOf(bytes.subarray(3))])],
  ['a File', (bytes) => new File([partOf(bytes)], 'other.bin')],
  ['a Uint8Array', (bytes) => new Uint8Array(bytes)],
  ['an ArrayBuffer', (bytes) => new Uint8Array(bytes).buffer],
  ['a Buffer', (bytes) => bytes],
  [
    'the middle of other bytes',
    (bytes) => Buffer.concat([Buffer.from('before'), bytes, Buffer.from('after')]).subarray(6, 6 + bytes.length),
  ],
  [
    'a DataView',
    (bytes) => {
      const around = new Uint8Array(bytes.length + 9);
      around.set(bytes, 4);
      return new DataView(around.buffer, 4, bytes.length);
    },
  ],
  ['a Uint16Array', (bytes) => new Uint16Array(new Uint8Array(bytes).buffer)],
  ['a ReadableStream', (bytes) => streamOf(bytes.subarray(0, 5), new Uint8Array(0), bytes.subarray(5))],
  ['a stream of a Blob', (bytes) => new Blob([partOf(bytes)]).stream() as ReadableStream<Uint8Array>],
  ['a Readable of Node', (bytes) => Readable.from([bytes.subarray(0, 1), bytes.subarray(1)])],
  ['an async generator', (bytes) => generated(bytes.subarray(0, 7), bytes.subarray(7))],
];

describe.each(platforms)('%s', (_, entry) => {
  test.each(forms)('%s is sent raw, byte for byte', async (_form, make) => {
    for (const bytes of [binary, large]) {
      const { upload, server } = await connect(entry);
      expect(await upload({ file: make(bytes), fileName: 'proof.bin' })).toEqual(answer);
      const [request] = server.requests;
      expect(request).toMatchObject({ method: 'POST', url: '/attachment/upload?fileName=proof.bin' });
      expect(request!.headers).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-length': String(bytes.length),
        'x-api-key': 'key-of-the-tests',
      });
      expect(request!.body.equals(bytes)).toBe(true);
    }
  });

  test.each(forms)('%s is sent as a part of a form, byte for byte', async (_form, make) => {
    const { upload, server } = await connect(entry);
    await upload({
      files: [
        { file: make(binary), fileName: 'one' },
        { file: make(large), fileName: 'two' },
      ],
    });
    const [request] = server.requests;
    expect(request!.url).toBe('/attachment/upload');
    expect(request!.headers['content-type']).toMatch(/^multipart\/form-data; boundary=[\w-]{20,70}$/);
    expect(request!.headers['content-length']).toBe(String(request!.body.length));
    const parts = await partsOf(request!);
    expect(parts.map(({ name, type }) => [name, type])).toEqual([
      ['one', 'application/octet-stream'],
      ['two', 'application/octet-stream'],
    ]);
    expect((await bytesOf(parts[0]!)).equals(binary)).toBe(true);
    expect((await bytesOf(parts[1]!)).equals(large)).toBe(true);
  });

  test('the type of a Blob is sent without its parameters', async () => {
    const { upload, server } = await connect(entry);
    await upload({ file: new File(['x'], 'a.png', { type: 'image/png' }) });
    await upload({ file: new Blob(['x'], { type: 'text/html;charset=utf-8' }), fileName: 'a.html' });
    await upload({ file: new Blob(['x'], { type: 'no type' }), fileName: 'a' });
    await upload({ files: [{ file: new File(['x'], 'a.svg', { type: 'image/svg+xml' }) }] });
    expect(server.requests.slice(0, 3).map(({ headers }) => headers['content-type'])).toEqual([
      'image/png',
      'text/html',
      'application/octet-stream',
    ]);
    expect((await partsOf(server.requests[3]!))[0]!.type).toBe('image/svg+xml');
  });

  test('the name of a File is used unless fileName is given', async () => {
    const { upload, server } = await connect(entry);
    const file = new File(['x'], 'own name.png');
    await upload({ file });
    await upload({ file, fileName: 'given.png' });
    await upload({ files: [{ file }, { file, fileName: 'given.png' }] });
    expect(server.requests.map(({ url }) => url)).toEqual([
      '/attachment/upload?fileName=own%20name.png',
      '/attachment/upload?fileName=given.png',
      '/attachment/upload',
    ]);
    expect((await partsOf(server.requests[2]!)).map(({ name }) => name)).toEqual(['own name.png', 'given.png']);
  });

  const names = [
    'a "quoted" name',
    'line\r\nX-Evil: 1\r\n\r\nbody',
    'cr\rlf\n',
    'größe.png',
    '诈骗.pdf',
    '\u{1f4b0}.jpg',
    'a&b=c?d#e/f',
    '100%',
    "it's;=,",
    '../../x',
    ' ',
    '\\',
  ];

  test.each(names)('the name %j arrives unchanged, raw and as a form', async (fileName) => {
    const { upload, server } = await connect(entry);
    await upload({ file: binary, fileName });
    await upload({
      files: [
        { file: binary, fileName },
        { file: large, fileName: 'second' },
      ],
    });
    const [raw, form] = server.requests;
    const query = new URL(raw!.url, 'http://localhost').searchParams;
    expect([...query]).toEqual([['fileName', fileName]]);
    const parts = await partsOf(form!);
    expect(parts.map(({ name }) => name)).toEqual([fileName, 'second']);
    expect((await bytesOf(parts[0]!)).equals(binary)).toBe(true);
  });

  // Bun 1.4.4 sets the content type of a form only until it is read.
  test('several files arrive where a form loses its content type when it is read', async () => {
    class Forgetful extends Response {
      override async arrayBuffer() {
        this.headers.delete('content-type');
        return super.arrayBuffer();
      }
    }
    vi.stubGlobal('Response', Forgetful);
    onTestFinished(() => void vi.unstubAllGlobals());
    const { upload, server } = await connect(entry);
    await upload({ files: [{ file: binary, fileName: 'a' }] });
    expect((await partsOf(server.requests[0]!)).map(({ name }) => name)).toEqual(['a']);
  });

  test('empty files are sent', async () => {
    const { upload, server } = await connect(entry);
    for (const file of [new Uint8Array(0), new Blob([]), streamOf(), generated(), Readable.from([])])
      await upload({ file, fileName: 'empty' });
    await upload({
      files: [
        { file: new Uint8Array(0), fileName: 'one' },
        { file: streamOf(), fileName: 'two' },
      ],
    });
    for (const { body } of server.requests.slice(0, 5)) expect(body).toHaveLength(0);
    const parts = await partsOf(server.requests[5]!);
    expect(parts.map(({ name, size }) => [name, size])).toEqual([
      ['one', 0],
      ['two', 0],
    ]);
  });

  test('accepts one to ten files', async () => {
    const { upload, server } = await connect(entry);
    const files = Array.from({ length: 11 }, (_file, at) => ({ file: Buffer.from([at]), fileName: `file ${at}` }));
    await upload({ files: files.slice(0, 10) });
    const parts = await partsOf(server.requests[0]!);
    expect(parts).toHaveLength(10);
    expect(await Promise.all(parts.map(async (part) => [...(await bytesOf(part))]))).toEqual(
      files.slice(0, 10).map((_file, at) => [at]),
    );
    await expectRefused({ files }, 'INVALID_INPUT', entry);
    await expectRefused({ files: [] }, 'INVALID_INPUT', entry);
  });

  test('accepts 4 MiB raw and not a byte more, in any form', async () => {
    for (const [form, make] of forms) {
      const { upload, server } = await connect(entry);
      await upload({ file: make(Buffer.alloc(maxBytes)), fileName: 'full' });
      expect(server.requests[0]!.body, form).toHaveLength(maxBytes);
      const past = form === 'a Uint16Array' ? 2 : 1;
      await expectRefused({ file: make(Buffer.alloc(maxBytes + past)), fileName: 'full' }, 'LIMIT_EXCEEDED', entry);
    }
  });

  test('accepts 4 MiB as a form including framing, and not a byte more', async () => {
    // Boundaries of one length, so that the framing has the same length each time.
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.123456789);
    onTestFinished(() => random.mockRestore());
    const { upload, server } = await connect(entry);
    const formOf = (restBytes: number): unknown => ({
      files: [
        { file: binary, fileName: 'small' },
        { file: new Uint8Array(restBytes), fileName: 'rest' },
      ],
    });
    await upload(formOf(0));
    const framing = server.requests[0]!.body.length;
    await upload(formOf(maxBytes - framing));
    expect(server.requests[1]!.body).toHaveLength(maxBytes);
    expect((await partsOf(server.requests[1]!)).map(({ size }) => size)).toEqual([binary.length, maxBytes - framing]);
    for (const past of [1, 2, framing]) await expectRefused(formOf(maxBytes - framing + past), 'LIMIT_EXCEEDED', entry);
  });

  test.each([
    ['both forms', { file: binary, fileName: 'a', files: [{ file: binary, fileName: 'a' }] }],
    ['a name beside several files', { fileName: 'a', files: [{ file: binary, fileName: 'a' }] }],
    ['nothing', {}],
    ['a name alone', { fileName: 'a' }],
    ['no name', { file: binary }],
    ['an empty name', { file: binary, fileName: '' }],
    ['a File whose name is empty', { file: new File(['x'], '') }],
    ['a Blob without a name', { file: new Blob(['x']) }],
    ['a stream without a name', { file: streamOf(binary) }],
    ['a name that is missing in a form', { files: [{ file: binary, fileName: 'a' }, { file: binary }] }],
    ['a text as a file', { file: 'text', fileName: 'a' }],
    ['a number as a file', { file: 5, fileName: 'a' }],
    ['null as a file', { file: null, fileName: 'a' }],
    ['an empty object as a file', { file: {}, fileName: 'a' }],
    ['a list as a file', { file: [1, 2, 3], fileName: 'a' }],
    ['a path that is not text', { file: { path: 5 }, fileName: 'a' }],
    ['half a character in a name', { file: binary, fileName: '\ud800' }],
    // Regression: the form replaced it by U+FFFD.
    ['half a character in a name of a form', { files: [{ file: binary, fileName: '\ud800' }] }],
    ['a field that does not exist', { file: binary, fileName: 'a', name: 'b' }],
    ['a file without the object around it', { files: [binary] }],
  ])('%s is rejected, and nothing is sent', async (_case, input) => {
    await expectRefused(input, 'INVALID_INPUT', entry);
  });

  // Regression: a body with `arrayBuffer` and without `size` was not limited.
  test('a Response, which has no size, is limited too', async () => {
    await expectRefused({ file: new Response(new Uint8Array(maxBytes + 1)), fileName: 'a' }, 'LIMIT_EXCEEDED', entry);
  });
});

describe('a stream', () => {
  const chunk = Buffer.alloc(64 * 1024, 1);
  /** The number of chunks up to the first one that exceeds the limit. */
  const maxChunks = maxBytes / chunk.length + 1;

  function endless(): { stream: ReadableStream<Uint8Array>; state: { pulled: number; cancelled: number } } {
    const state = { pulled: 0, cancelled: 0 };
    const stream = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          state.pulled++;
          controller.enqueue(chunk);
        },
        cancel() {
          state.cancelled++;
        },
      },
      { highWaterMark: 0 },
    );
    return { stream, state };
  }

  test.each([
    ['raw', (file: unknown) => ({ file, fileName: 'a' })],
    ['as a form', (file: unknown) => ({ files: [{ file, fileName: 'a' }] })],
  ])('is cancelled at the limit if it is endless, and nothing is sent, %s', async (_, input) => {
    const { stream, state } = endless();
    await expectRefused(input(stream), 'LIMIT_EXCEEDED');
    expect(state.cancelled).toBe(1);
    expect(state.pulled).toBeLessThanOrEqual(maxChunks + 1);

    let yielded = 0;
    let returned = 0;
    async function* numbers(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          yielded++;
          yield chunk;
        }
      } finally {
        returned++;
      }
    }
    await expectRefused(input(numbers()), 'LIMIT_EXCEEDED');
    expect(returned).toBe(1);
    expect(yielded).toBeLessThanOrEqual(maxChunks + 1);

    const readable = new Readable({
      read() {
        this.push(chunk);
      },
    });
    await expectRefused(input(readable), 'LIMIT_EXCEEDED');
    await new Promise((resolve) => setImmediate(resolve));
    expect(readable.destroyed).toBe(true);
  });

  test.each<[string, unknown]>([
    [
      'with an iterator that has no return method',
      { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: chunk }) }) },
    ],
    [
      'with a cancellation that fails',
      new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(chunk),
        cancel: () => Promise.reject(new Error('cannot cancel')),
      }),
    ],
  ])('%s is rejected at the limit too', async (_, file) => {
    await expectRefused({ file, fileName: 'a' }, 'LIMIT_EXCEEDED');
  });

  test('makes its failure the cause of the error, and nothing is sent', async () => {
    const own = new Error('the disk is gone');
    const failing = [
      new ReadableStream({
        start: (controller) => controller.enqueue(binary),
        pull: (controller) => controller.error(own),
      }),
      (async function* () {
        yield binary;
        throw own;
      })(),
      new Readable({
        read() {
          this.destroy(own);
        },
      }),
    ];
    for (const file of failing) {
      const { upload, server } = await connect();
      const error = await thrownBy(() => upload({ file, fileName: 'a' }));
      expect([error, error.cause]).toContain(own);
      expect(server.requests).toHaveLength(0);
    }
  });

  test('is rejected if it yields anything but bytes, and nothing is sent', async () => {
    const text = Readable.from([binary]);
    text.setEncoding('utf8');
    for (const file of [
      Readable.from(['text']),
      text,
      new ReadableStream({ start: (controller) => controller.enqueue('text') }),
      (async function* () {
        yield [1, 2, 3];
      })(),
      generated(binary, null as unknown as Uint8Array),
    ]) {
      await expectRefused({ file, fileName: 'a' }, 'INVALID_INPUT');
      await expectRefused({ files: [{ file: Readable.from(['text']), fileName: 'a' }] }, 'INVALID_INPUT');
    }
  });

  // Regression: it was left open and locked.
  test('is cancelled if it yields anything but bytes', async () => {
    let cancelled = 0;
    const file = new ReadableStream({
      pull: (controller) => controller.enqueue('text'),
      cancel: () => {
        cancelled++;
      },
    });
    await expectRefused({ file, fileName: 'a' }, 'INVALID_INPUT');
    expect(cancelled).toBe(1);
  });

  // Regression: the stream was read before the name was checked.
  test('is rejected without a name before it is read', async () => {
    const { stream, state } = endless();
    await expectRefused({ file: stream }, 'INVALID_INPUT');
    expect(state.pulled).toBe(0);
  });

  test('is rejected if it is locked', async () => {
    const file = streamOf(binary);
    file.getReader();
    await expectRefused({ file, fileName: 'a' }, 'INVALID_INPUT');
  });

  // Regression: only sending had a time limit, so the call waited for the stream forever, and `close` for the call.
  test.each([
    ['signal', 'ABORTED', () => ({ signal: AbortSignal.timeout(20) })],
    ['deadline', 'TIMEOUT', () => ({ timeoutMs: 20, deadlineMs: 40 })],
  ])('ends with the %s if it yields nothing', async (_, code, options) => {
    const { upload } = await connect();
    expect(await endOf(upload({ file: new ReadableStream({}), fileName: 'a' }, options()))).toBe(code);
  });

  test('is not read if the signal is already aborted', async () => {
    const { upload, server } = await connect();
    await expect(upload({ file: binary, fileName: 'a' }, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    expect(server.requests).toHaveLength(0);
  });
});

describe('a path', () => {
  test('is read on Node, named by its last part or by fileName', async () => {
    const { upload, server } = await connect();
    await upload({ file: { path: join(folder, 'proof.bin') } });
    await upload({ file: { path: join(folder, 'proof.bin') }, fileName: 'other' });
    await upload({ files: [{ file: { path: join(folder, 'proof.bin') } }, { file: { path: join(folder, 'empty.bin') } }] });
    expect(server.requests.map(({ url }) => url)).toEqual([
      '/attachment/upload?fileName=proof.bin',
      '/attachment/upload?fileName=other',
      '/attachment/upload',
    ]);
    expect(server.requests[0]!.body.equals(binary)).toBe(true);
    expect((await partsOf(server.requests[2]!)).map(({ name, size }) => [name, size])).toEqual([
      ['proof.bin', binary.length],
      ['empty.bin', 0],
    ]);
  });

  test('is accepted raw if its file has 4 MiB, and rejected as a form', async () => {
    const { upload, server } = await connect();
    await upload({ file: { path: join(folder, 'full.bin') } });
    expect(server.requests[0]!.body).toHaveLength(maxBytes);
    await expectRefused({ files: [{ file: { path: join(folder, 'full.bin') } }] }, 'LIMIT_EXCEEDED');
  });

  test.each([
    ['no file', () => join(folder, 'missing'), 'INVALID_INPUT'],
    ['a folder', () => folder, 'INVALID_INPUT'],
    ['a device without an end', () => '/dev/zero', 'INVALID_INPUT'],
    ['a file of 5 MB', () => join(folder, 'large.bin'), 'LIMIT_EXCEEDED'],
    ['nothing', () => '', 'INVALID_INPUT'],
    ['a name that no system accepts', () => 'a\u0000b', 'INVALID_INPUT'],
  ])('is rejected if it leads to %s, and nothing is sent', async (_, path, code) => {
    await expectRefused({ file: { path: path() }, fileName: 'a' }, code);
    await expectRefused({ files: [{ file: { path: path() }, fileName: 'a' }] }, code);
  });

  test('is not shown in the error', async () => {
    const error = await expectRefused({ file: { path: join(folder, 'missing') } }, 'INVALID_INPUT');
    expect(error.message).toBe('the file cannot be read; see cause');
    expect(error.cause).toMatchObject({ code: 'ENOENT' });
  });

  // Regression: `open` waited for a writer before the kind of file was checked.
  test('is rejected without waiting if it leads to a pipe', async () => {
    const path = join(folder, `pipe-${Date.now()}`);
    const maker = 'mkfifo';
    expect(spawnSync(maker, [path]).status).toBe(0);
    const end = await endOf((await connect()).upload({ file: { path } }));
    // Lets `open` continue.
    if (end === 'pending') closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
    expect(end).toBe('INVALID_INPUT');
  });

  test('is rejected in browsers', async () => {
    await expectRefused({ file: { path: join(folder, 'proof.bin') } }, 'INVALID_INPUT', webEntry);
  });

  // Regression: streams of files have a path, which was read instead of the stream.
  test('does not replace the content of a stream that reads a part of a file', async () => {
    const { upload, server } = await connect();
    const file = createReadStream(join(folder, 'proof.bin'), { start: 2, end: 4 });
    onTestFinished(() => void file.destroy());
    await upload({ file });
    expect(server.requests[0]!.body.equals(binary.subarray(2, 5))).toBe(true);
    expect(server.requests[0]!.url).toBe('/attachment/upload?fileName=proof.bin');
  });

  // Drop zones and desktop shells add such a property to files.
  test('does not replace the content of a File in a browser', async () => {
    const { upload, server } = await connect(webEntry);
    await upload({ file: Object.assign(new File([binary], 'a.png'), { path: './a.png' }) });
    expect(server.requests[0]!.body.equals(binary)).toBe(true);
  });
});

test('an upload is not retried, because the first may have succeeded', async () => {
  const { upload, server } = await connect(nodeEntry, { status: 500 }, { retry: { delayMs: 1 } });
  await expect(upload({ file: binary, fileName: 'a' })).rejects.toMatchObject({ code: 'INTERNAL_SERVER_ERROR' });
  expect(server.requests).toHaveLength(1);
});

test('forms have different boundaries, which do not occur in their files', async () => {
  const { upload, server } = await connect();
  await upload({ files: [{ file: shifted, fileName: 'a' }] });
  const first = /boundary=(.*)/.exec(server.requests[0]!.headers['content-type']!)![1]!;
  const tricky = Buffer.from(
    `\r\n--${first}--\r\n--${first}\r\nContent-Disposition: form-data; name="file"; filename="b"\r\n\r\nx\r\n--${first}--\r\n`,
  );
  await upload({ files: [{ file: tricky, fileName: 'a' }] });
  const parts = await partsOf(server.requests[1]!);
  expect(parts.map(({ name }) => name)).toEqual(['a']);
  expect((await bytesOf(parts[0]!)).equals(tricky)).toBe(true);
});
