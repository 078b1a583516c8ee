import { PortcullisError, type SignalLike, wrapError } from '../../core/errors.js';
import { readAll } from '../../core/http/bounded-body.js';
import type { BodyReader } from '../../core/http/fetch.js';
import { maxUploadBytes, type UploadSource } from '../operations/attachments.js';
import { encoded, invalid } from './client-issues.js';
import type { Platform } from './client-platform.js';

interface Given {
  readonly file: UploadSource;
  readonly fileName?: string | undefined;
}

interface Upload {
  readonly query: [string, string][];
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

/** One file is sent as the raw body with its name in the query, several as parts of a form. The size is checked before anything is sent. */
export async function uploadOf(
  input: { file?: UploadSource; fileName?: string | undefined; files?: readonly Given[] },
  platform: Platform,
  signal: SignalLike | undefined,
): Promise<Upload> {
  if (input.files === undefined) {
    const given = input as Given;
    const name = nameOf(given);
    const body = await contentBytes(given.file, platform, maxUploadBytes, signal);
    return { query: [['fileName', name]], headers: { 'content-type': typeOf(given.file) }, body };
  }
  const form = new FormData();
  let left = maxUploadBytes;
  for (const given of input.files) {
    const name = nameOf(given);
    const bytes = await contentBytes(given.file, platform, left, signal);
    left -= bytes.length;
    form.append('file', new Blob([bytes as BlobPart], { type: typeOf(given.file) }), name);
  }
  // The platform writes the framing, which counts too.
  const framed = new Response(form);
  // Read before the body: Bun sets this header only while the form is unread.
  const type = framed.headers.get('content-type') ?? '';
  const body = measured(new Uint8Array(await framed.arrayBuffer()), maxUploadBytes);
  return { query: [], headers: { 'content-type': type }, body };
}

function nameOf({ file, fileName }: Given): string {
  const { name, path } = file as { name?: unknown; path?: unknown };
  const found = fileName ?? name ?? (typeof path === 'string' ? path.split(/[\\/]/).pop() : undefined);
  if (found && typeof found === 'string') {
    encoded(found, 'fileName');
    return found;
  }
  throw invalid('fileName', 'is required: the file has none');
}

/** A Blob's own type without its parameters, if a header allows it. */
function typeOf(file: UploadSource): string {
  const [type = ''] = String((file as { type?: unknown }).type).split(';');
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream';
}

async function contentBytes(...given: Parameters<typeof contentOf>): Promise<Uint8Array> {
  try {
    return measured(await contentOf(...given), given[2]);
  } catch (cause) {
    throw wrapError(cause, 'INVALID_INPUT', 'the file cannot be read; see cause');
  }
}

function measured(bytes: Uint8Array, maxBytes: number): Uint8Array {
  if (bytes.length > maxBytes) throw tooLarge();
  return bytes;
}

/** Looks for content before a path, because a stream or a browser's `File` may have a `path` as well. */
async function contentOf(
  file: UploadSource,
  platform: Platform,
  maxBytes: number,
  signal: SignalLike | undefined,
): Promise<Uint8Array> {
  if ('arrayBuffer' in file) {
    if (file.size > maxBytes) throw tooLarge();
    return new Uint8Array(await file.arrayBuffer());
  }
  if (ArrayBuffer.isView(file)) return new Uint8Array(file.buffer, file.byteOffset, file.byteLength);
  if ('byteLength' in file) return new Uint8Array(file);
  const reader = readerOf(file);
  if (reader !== undefined) return readAll(reader, { maxBytes, tooLarge, signal });
  const { path } = file as { path?: unknown };
  if (typeof path !== 'string') throw invalid('file', 'must be a Blob, bytes, a stream or { path }');
  return platform.readFile(path, maxBytes);
}

/** Not all platforms can iterate streams, and not all streams have a reader. */
function readerOf(file: object): BodyReader | undefined {
  if ('getReader' in file) return (file as ReadableStream<Uint8Array>).getReader() as BodyReader;
  const iterator = (file as Partial<AsyncIterable<Uint8Array>>)[Symbol.asyncIterator]?.();
  return iterator && { read: () => iterator.next() as ReturnType<BodyReader['read']>, cancel: async () => iterator.return?.() };
}

export function tooLarge(): PortcullisError {
  return new PortcullisError('LIMIT_EXCEEDED', `an upload has at most ${maxUploadBytes} bytes`);
}
