import { maxUploadBytes } from '../../../api/operations/attachments.js';
import { joined } from '../../../core/bytes.js';
import { Problem } from './problem.js';

/** Bytes of a JSON body: a thousand assets with long descriptions have a fifth of it. */
export const bodyBytesMax: number = 5 * 1024 * 1024;

/** The whole body, refused as soon as it is known to be too large. */
export async function bytesOf(request: Request, bytesMax: number): Promise<Uint8Array> {
  const tooLarge = (): Problem => new Problem(400, `The body has more than ${bytesMax} bytes.`);
  if (Number(request.headers.get('content-length')) > bytesMax) throw tooLarge();
  if (request.body === null) return new Uint8Array(0);
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return joined(chunks, length);
    length += value.length;
    if (length > bytesMax) {
      await reader.cancel();
      throw tooLarge();
    }
    chunks.push(value);
  }
}

/** The fields of a JSON body; an empty one has none. */
export async function fieldsOfBody(request: Request): Promise<[string, unknown][]> {
  const bytes = await bytesOf(request, bodyBytesMax);
  if (bytes.length === 0) return [];
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Problem(400, 'The body is not JSON.');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new Problem(400, 'The body is not a JSON object.');
  return Object.entries(body);
}

export interface UploadedFile {
  readonly fileName: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** Bytes of a file's name, as file systems have it; a longer one, escaped in a header, would be more than clients read. */
const fileNameBytesMax = 255;

/** The files of an upload, in either of its two forms. */
export async function filesOf(request: Request, fileName: string | undefined): Promise<UploadedFile[]> {
  const files = await readFiles(request, fileName);
  if (files.some((file) => new TextEncoder().encode(file.fileName).length > fileNameBytesMax))
    throw new Problem(400, `A file name has more than ${fileNameBytesMax} bytes.`);
  return files;
}

async function readFiles(request: Request, fileName: string | undefined): Promise<UploadedFile[]> {
  const type = request.headers.get('content-type') ?? 'application/octet-stream';
  const bytes = await bytesOf(request, maxUploadBytes);
  if (!/^multipart\/form-data\b/i.test(type)) {
    if (fileName === undefined || fileName === '') throw new Problem(400, 'fileName is missing in the query.');
    return [{ fileName, type, bytes }];
  }
  let form: FormData;
  try {
    form = await new Response(bytes as BodyInit, { headers: { 'content-type': type } }).formData();
  } catch {
    throw new Problem(400, 'The form cannot be read.');
  }
  const parts = form.getAll('file');
  if (parts.length === 0) throw new Problem(400, 'The form has no part named file.');
  return Promise.all(
    parts.map(async (part) => {
      if (typeof part === 'string') throw new Problem(400, 'A part named file is no file.');
      return {
        fileName: part.name,
        type: part.type || 'application/octet-stream',
        bytes: new Uint8Array(await part.arrayBuffer()),
      };
    }),
  );
}
