import { isPortcullisError, PortcullisError, type SignalLike } from '../../core/errors.js';
import { readAll } from '../../core/http/bounded-body.js';
import type { BodyReader } from '../../core/http/fetch.js';
import { type UploadSource, uploadBytesMax } from '../operations/attachments.js';
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

/** One file goes as the raw body with its name in the query, several as parts of a form. All of it is measured before anything is sent. */
export async function uploadOf(
  input: { file?: UploadSource; fileName?: string | undefined; files?: readonly Given[] },
  platform: Platform,
  signal: SignalLike | undefined,
): Promise<Upload> {
  if (input.files === undefined) {
    const given = input as Given;
    const name = nameOf(given);
    const body = await bytesOf(given.file, platform, uploadBytesMax, signal);
    return { query: [['fileName', name]], headers: { 'content-type': typeOf(given.file) }, body };
  }
  const form = new FormData();
  let left = uploadBytesMax;
  for (const given of input.files) {
    const name = nameOf(given);
    const bytes = await bytesOf(given.file, platform, left, signal);
    left -= bytes.length;
    form.append('file', new Blob([bytes as BlobPart], { type: typeOf(given.file) }), name);
  }
  // The platform writes the framing, so what it made is what is measured.
  const framed = new Response(form);
  const body = measured(new Uint8Array(await framed.arrayBuffer()), uploadBytesMax);
  return { query: [], headers: { 'content-type': framed.headers.get('content-type') ?? '' }, body };
}

function nameOf({ file, fileName }: Given): string {
  const { name, path } = file as { name?: unknown; path?: unknown };
  const found = fileName ?? name ?? (typeof path === 'string' ? path.split(/[\\/]/).pop() : undefined);
  if (found && typeof found === 'string') {
    encoded(found, 'fileName');
    return found;
  }
  throw invalid('fileName', 'is missing');
}

/** A Blob's own type without its parameters, if it can stand in a header. */
function typeOf(file: UploadSource): string {
  const [type = ''] = String((file as { type?: unknown }).type).split(';');
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream';
}

/** Its content first: a stream and a browser's `File` may carry a path as well. */
async function bytesOf(
  file: UploadSource,
  platform: Platform,
  bytesMax: number,
  signal: SignalLike | undefined,
): Promise<Uint8Array> {
  try {
    if ('arrayBuffer' in file) {
      if (file.size > bytesMax) throw tooLarge();
      return measured(new Uint8Array(await file.arrayBuffer()), bytesMax);
    }
    if (ArrayBuffer.isView(file)) return measured(new Uint8Array(file.buffer, file.byteOffset, file.byteLength), bytesMax);
    if ('byteLength' in file) return measured(new Uint8Array(file), bytesMax);
    const reader = readerOf(file);
    if (reader === undefined) {
      const { path } = file as { path?: unknown };
      if (typeof path !== 'string') throw invalid('file', 'must be Blob, bytes, stream or { path }');
      return await platform.readFile(path, bytesMax);
    }
    return await readAll(reader, { maxBytes: bytesMax, tooLarge, signal });
  } catch (cause) {
    if (isPortcullisError(cause)) throw cause;
    throw new PortcullisError('INVALID_INPUT', 'the file cannot be read', { cause });
  }
}

function measured(bytes: Uint8Array, bytesMax: number): Uint8Array {
  if (bytes.length > bytesMax) throw tooLarge();
  return bytes;
}

/** Not every platform iterates its streams, and not every stream has a reader. */
function readerOf(file: object): BodyReader | undefined {
  if ('getReader' in file) return (file as ReadableStream<Uint8Array>).getReader() as BodyReader;
  const iterator = (file as Partial<AsyncIterable<Uint8Array>>)[Symbol.asyncIterator]?.();
  return iterator && { read: () => iterator.next() as ReturnType<BodyReader['read']>, cancel: async () => iterator.return?.() };
}

export function tooLarge(): PortcullisError {
  return new PortcullisError('LIMIT_EXCEEDED', `an upload has at most ${uploadBytesMax} bytes`);
}
