import { PortcullisError } from '../errors.js';
import type { BodyReader } from '../http/fetch.js';
import { joined, readAll } from '../http/send.js';
import { type UploadSource, uploadBytesMax } from '../operations/attachments.js';
import { invalid } from './issues.js';
import type { Platform } from './platform.js';

interface Given {
  readonly file: UploadSource;
  readonly fileName?: string | undefined;
}

interface Upload {
  readonly query: [string, string][];
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

/** One file goes as the raw body with its name in the query, several as parts of a form. All of it is at hand, and measured, before anything is sent. */
export async function uploadOf(
  input: { file?: UploadSource; fileName?: string | undefined; files?: readonly Given[] },
  platform: Platform,
): Promise<Upload> {
  if (input.files === undefined) {
    const { file, fileName } = input as Given;
    const body = await bytesOf(file, platform, uploadBytesMax);
    return { query: [['fileName', nameOf({ file, fileName })]], headers: { 'content-type': typeOf(file) }, body };
  }
  const boundary = `portcullis-${[0, 0, 0, 0].map(() => Math.random().toString(36).slice(2)).join('')}`;
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [];
  let length = 0;
  const add = (part: string | Uint8Array): void => {
    const bytes = typeof part === 'string' ? encoder.encode(part) : part;
    length += bytes.length;
    if (length > uploadBytesMax) throw tooLarge();
    parts.push(bytes);
  };
  for (const given of input.files) {
    const name = nameOf(given).replace(/[\r\n"]/g, encodeURIComponent);
    add(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${typeOf(given.file)}\r\n\r\n`,
    );
    add(await bytesOf(given.file, platform, uploadBytesMax - length));
    add('\r\n');
  }
  add(`--${boundary}--\r\n`);
  return { query: [], headers: { 'content-type': `multipart/form-data; boundary=${boundary}` }, body: joined(parts, length) };
}

function nameOf({ file, fileName }: Given): string {
  const { name, path } = file as { name?: unknown; path?: unknown };
  const found = fileName ?? name ?? (typeof path === 'string' ? path.split(/[\\/]/).pop() : undefined);
  if (typeof found === 'string' && found !== '') return found;
  throw invalid('fileName', 'is missing: only a File and a path have a name of their own');
}

/** A Blob's own type without its parameters, if it can stand in a header. */
function typeOf(file: UploadSource): string {
  const [type = ''] = String((file as { type?: unknown }).type).split(';');
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream';
}

async function bytesOf(file: UploadSource, platform: Platform, bytesMax: number): Promise<Uint8Array> {
  if ('path' in file && typeof file.path === 'string') return platform.readFile(file.path, bytesMax);
  if ('arrayBuffer' in file) {
    if (file.size > bytesMax) throw tooLarge();
    return new Uint8Array(await file.arrayBuffer());
  }
  if ('byteLength' in file) {
    if (file.byteLength > bytesMax) throw tooLarge();
    return ArrayBuffer.isView(file) ? viewOf(file) : new Uint8Array(file);
  }
  return readAll('getReader' in file ? file.getReader() : readerOf(file as AsyncIterable<Uint8Array>), bytesMax, tooLarge);
}

function viewOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function readerOf(source: AsyncIterable<Uint8Array>): BodyReader {
  const iterator = source[Symbol.asyncIterator]?.();
  if (iterator === undefined) throw invalid('file', 'must be a Blob, bytes, a stream, or { path }');
  return { read: () => iterator.next() as ReturnType<BodyReader['read']>, cancel: async () => iterator.return?.() };
}

export function tooLarge(): PortcullisError {
  return new PortcullisError('LIMIT_EXCEEDED', `an upload has at most ${uploadBytesMax} bytes, its framing included`);
}
