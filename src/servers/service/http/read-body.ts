import { maxUploadBytes } from '../../../api/operations/attachments.js';
import { readBody } from '../../../core/http/bounded-body.js';
import { Problem } from './problem.js';

/** Five times a thousand assets with long descriptions. */
const maxBodyBytes: number = 5 * 1024 * 1024;

function requestBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  return readBody(request, { maxBytes, tooLarge: () => new Problem(400, `The body exceeds ${maxBytes} bytes.`) });
}

/** The fields of a JSON object; an empty body has none. provisional: that any other content type is a 400. */
export async function fieldsOfBody(request: Request): Promise<[string, unknown][]> {
  const bytes = await requestBytes(request, maxBodyBytes);
  if (bytes.length === 0) return [];
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? ''))
    throw new Problem(400, 'The Content-Type of a JSON body must be application/json.');
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Problem(400, 'The body is not JSON.');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new Problem(400, 'The body is not a JSON object.');
  if (isDeeper(body, maxDepth)) throw new Problem(400, `The body is nested deeper than ${maxDepth} levels.`);
  return Object.entries(body);
}

/** Far more than any input has. Settings of a detection are stored as they are, and could not be written if they were much deeper. */
const maxDepth = 64;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

export interface UploadedFile {
  readonly fileName: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** The limit of most file systems; a longer name, escaped in a header, would exceed what clients read. */
const maxFileNameBytes = 255;

/** The files of an upload: a form, or a raw body with `fileName` in the query. */
export async function filesOf(request: Request, fileName: string | undefined): Promise<UploadedFile[]> {
  const files = await readFiles(request, fileName);
  if (files.some((file) => new TextEncoder().encode(file.fileName).length > maxFileNameBytes))
    throw new Problem(400, `A file name exceeds ${maxFileNameBytes} bytes.`);
  return files;
}

async function readFiles(request: Request, fileName: string | undefined): Promise<UploadedFile[]> {
  const type = request.headers.get('content-type') ?? 'application/octet-stream';
  const bytes = await requestBytes(request, maxUploadBytes);
  if (!/^multipart\/form-data\b/i.test(type)) {
    if (fileName === undefined || fileName === '') throw new Problem(400, 'The query parameter fileName is missing.');
    return [{ fileName, type, bytes }];
  }
  let form: FormData;
  try {
    form = await new Response(bytes as BodyInit, { headers: { 'content-type': type } }).formData();
  } catch {
    throw new Problem(400, 'The form is malformed.');
  }
  const parts = form.getAll('file');
  if (parts.length === 0) throw new Problem(400, 'The form has no part named file.');
  return Promise.all(
    parts.map(async (part) => {
      if (typeof part === 'string') throw new Problem(400, 'A part named file is not a file.');
      return {
        fileName: part.name,
        type: part.type || 'application/octet-stream',
        bytes: new Uint8Array(await part.arrayBuffer()),
      };
    }),
  );
}
