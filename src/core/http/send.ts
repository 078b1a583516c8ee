import { joined } from '../bytes.js';
import { isPortcullisError, PortcullisError, type SignalLike } from '../errors.js';
import { bounded } from './bounded.js';
import type { BodyReader, FetchLike, FetchResponse } from './fetch.js';

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

export interface SendOptions {
  readonly fetch: FetchLike;
  /** Longest time to the last byte of the answer, in milliseconds. */
  readonly timeoutMs: number;
  /** Most bytes of an answer, counted as they come, after decompression. */
  readonly bytesMax: number;
  readonly signal?: SignalLike | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: FetchResponse['headers'];
  readonly bytes: Uint8Array;
}

/**
 * One request and its whole answer, whatever its status; a redirect is refused and never followed.
 * @throws TIMEOUT, NETWORK, ABORTED, REDIRECTED, LIMIT_EXCEEDED
 */
export async function send(request: HttpRequest, { fetch, timeoutMs, bytesMax, signal }: SendOptions): Promise<HttpAnswer> {
  let reader: BodyReader | undefined;
  try {
    return await bounded(timeoutMs, signal, async (ended) => {
      const { url, ...init } = request;
      const response = await fetch(url, { ...init, redirect: 'manual', signal: ended });
      reader = response.body?.getReader?.();
      return { status: response.status, headers: response.headers, bytes: await bytesOf(response, reader, bytesMax) };
    });
  } catch (cause) {
    // Nobody waits for the rest; a fetch that ignores its signal would go on reading.
    reader?.cancel(cause).catch(() => {});
    throw isPortcullisError(cause) ? cause : new PortcullisError('NETWORK', `the request failed: ${reasonOf(cause)}`, { cause });
  }
}

async function bytesOf(response: FetchResponse, reader: BodyReader | undefined, bytesMax: number): Promise<Uint8Array> {
  const { status, headers } = response;
  // Browsers hide a redirect behind status 0; a fetch that cannot refuse one at least tells that it followed.
  if (status === 0 || (status >= 300 && status < 400) || response.redirected) {
    throw new PortcullisError('REDIRECTED', `the answer is a redirect${targetOf(headers)}`, { status });
  }
  const tooLarge = (): PortcullisError => new PortcullisError('LIMIT_EXCEEDED', `the answer has more than ${bytesMax} bytes`);
  if (Number(headers.get('content-length')) > bytesMax) throw tooLarge();
  if (reader !== undefined) return readAll(reader, bytesMax, tooLarge);
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length > bytesMax) throw tooLarge();
  return bytes;
}

/** All bytes of a stream, which is cancelled where there are more than `bytesMax`, or something else than bytes. */
export async function readAll(reader: BodyReader, bytesMax: number, tooLarge: () => PortcullisError): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return joined(chunks, length);
    if (!ArrayBuffer.isView(value)) return refuse(reader, new TypeError('a stream must give bytes'));
    length += value.byteLength;
    if (length > bytesMax) return refuse(reader, tooLarge());
    chunks.push(value);
  }
}

function refuse(reader: BodyReader | undefined, error: Error): never {
  // Nobody waits for the rest; how its end goes is of no interest.
  reader?.cancel(error).catch(() => {});
  throw error;
}

/** Only the origin: what follows it may hold a token. */
function targetOf(headers: FetchResponse['headers']): string {
  const origin = /^https?:\/\/[\w.:-]+(?=[/?#]|$)/i.exec(headers.get('location') ?? '');
  return origin === null ? '' : ` to ${origin[0]}`;
}

/** A system's own code where there is one: `ECONNREFUSED` says more than "fetch failed". */
function reasonOf(cause: unknown): string {
  try {
    const { message, code, cause: inner } = Object(cause) as Record<string, unknown>;
    return String(Object(inner).code ?? code ?? message ?? 'no reason is given');
  } catch {
    return 'no reason can be read';
  }
}
