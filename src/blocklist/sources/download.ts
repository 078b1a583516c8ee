import { joined } from '../../core/bytes.js';
import { abortedBy, isPortcullisError, PortcullisError } from '../../core/errors.js';
import { bounded } from '../../core/http/bounded.js';
import { type BodyReader, type FetchInit, type FetchResponse, host } from '../../core/http/fetch.js';
import { drop, following } from '../../core/http/follow.js';
import { requireOk } from '../../core/http/http-status.js';
import { plainCause } from '../../core/http/redact.js';
import type { HttpAnswer } from '../../core/http/send.js';
import type { Signal, Transport } from './source-options.js';

export interface DownloadOptions extends Transport {
  /** Where it may be fetched from, and be redirected to. */
  readonly mayFetch: (url: string) => boolean;
  /** Most bytes, counted as they come, after decompression. */
  readonly bytesMax: number;
  readonly method?: 'GET' | 'HEAD';
  readonly init?: FetchInit;
  readonly signal?: Signal;
  readonly onProgress?: ((bytes: number, total: number | undefined) => void) | undefined;
}

/**
 * Fetches a file without key and cookies, over a few redirects that are judged like its address. It ends, whatever the other side does:
 * after `artifactTimeoutMs`, after `idleTimeoutMs` without a byte, at `bytesMax`.
 *
 * @throws TIMEOUT, NETWORK, ABORTED, REDIRECTED, LIMIT_EXCEEDED, and by status
 */
export async function download(url: string, options: DownloadOptions): Promise<HttpAnswer> {
  const { fetch, mayFetch, artifactTimeoutMs, method = 'GET', init = {}, signal, now } = options;
  const followed = following(fetch, mayFetch);
  let response: FetchResponse | undefined;
  let reader: BodyReader | undefined;
  try {
    if (!mayFetch(url)) throw new PortcullisError('REDIRECTED', 'the file is where none is fetched from');
    return await bounded(artifactTimeoutMs, signal, async (ended) => {
      const request = { ...init, method, headers: { accept: '*/*' } };
      response = await idle(options, ended as Signal, (stopped) => followed(url, { ...request, signal: stopped }));
      const { status, headers } = response;
      if (status === 0 || (status >= 300 && status < 400))
        throw new PortcullisError('REDIRECTED', 'the answer is a redirect that leads nowhere', { status });
      requireOk(response, now());
      if (method === 'HEAD') return { status, headers, bytes: new Uint8Array(0) };
      reader = response.body?.getReader?.();
      return { status, headers, bytes: await bytesOf(response, reader, options, ended as Signal) };
    });
  } catch (cause) {
    // Nobody waits for the rest; a fetch that ignores its signal would go on reading.
    if (reader !== undefined) reader.cancel(cause).catch(() => {});
    else if (response !== undefined) drop(response);
    if (isPortcullisError(cause)) throw cause;
    if (signal?.aborted) throw abortedBy(signal);
    throw new PortcullisError('NETWORK', 'the file could not be fetched', { cause: plainCause(cause, withoutQueries) });
  }
}

/** An address may be signed, and a platform's error may repeat it. */
function withoutQueries(text: string): string {
  return text.replace(/\?\S+/g, '?…');
}

async function bytesOf(
  response: FetchResponse,
  reader: BodyReader | undefined,
  options: DownloadOptions,
  ended: Signal,
): Promise<Uint8Array> {
  const { bytesMax, onProgress } = options;
  const announced = Number(response.headers.get('content-length') ?? Number.NaN);
  if (announced > bytesMax) throw tooLarge(bytesMax);
  if (reader === undefined) {
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (bytes.length > bytesMax) throw tooLarge(bytesMax);
    onProgress?.(bytes.length, bytes.length);
    return bytes;
  }
  // What is packed is announced by its packed length, and a browser may not say that it was.
  const isPacked = response.headers.get('content-encoding') !== null;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await idle(options, ended, () => reader.read());
    if (done) return joined(chunks, length);
    if (!ArrayBuffer.isView(value)) throw new TypeError('a stream must give bytes');
    length += value.byteLength;
    if (length > bytesMax) throw tooLarge(bytesMax);
    chunks.push(value);
    onProgress?.(length, !isPacked && announced >= length ? announced : undefined);
  }
}

/** A step that must not take longer than the other side may be silent. */
function idle<T>(
  { idleTimeoutMs, artifactTimeoutMs }: DownloadOptions,
  ended: Signal,
  work: (stopped: Signal) => Promise<T>,
): Promise<T> {
  // Without streams an answer comes as a whole, and nobody can tell silence from slowness.
  const hasStreams = (host as { ReadableStream?: unknown }).ReadableStream !== undefined;
  return bounded(hasStreams ? idleTimeoutMs : artifactTimeoutMs, ended, (stopped) => work(stopped ?? ended));
}

function tooLarge(bytesMax: number): PortcullisError {
  return new PortcullisError(
    'LIMIT_EXCEEDED',
    `the file has more than ${bytesMax} bytes, which is too much for what it should hold`,
  );
}
