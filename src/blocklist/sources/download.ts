import { abortedBy, isPortcullisError, PortcullisError, type SignalLike } from '../../core/errors.js';
import { bounded } from '../../core/http/bounded.js';
import { announcedBytes, readBody } from '../../core/http/bounded-body.js';
import { type BodyReader, type FetchInit, type FetchResponse, globals } from '../../core/http/fetch.js';
import { drop, following } from '../../core/http/follow.js';
import { requireOk } from '../../core/http/http-status.js';
import { plainCause } from '../../core/http/redact.js';
import type { HttpAnswer } from '../../core/http/send.js';
import type { Signal, Transport } from './source-options.js';

export interface DownloadOptions extends Transport {
  /** Whether a URL may be fetched or be the target of a redirect. */
  readonly mayFetch: (url: string) => boolean;
  /** The maximum number of bytes, counted as they arrive and after decompression. */
  readonly maxBytes: number;
  readonly method?: 'GET' | 'HEAD';
  readonly init?: FetchInit;
  /** Makes the request conditional. The answer 304 then comes without bytes instead of an error. */
  readonly ifChanged?: IfChanged | undefined;
  /** Receives the bytes as they arrive; then the answer has none. */
  readonly take?: ((bytes: Uint8Array) => Promise<void>) | undefined;
  readonly signal?: Signal;
  readonly onProgress?: ((bytes: number, total: number | undefined) => void) | undefined;
}

/** Header fields of a request that is answered only if the content has changed. */
export type IfChanged = Readonly<Record<string, string>>;

export type Download = (url: string, options: DownloadOptions) => Promise<Downloaded>;

/** The answer, and whether a browser fetched it from another origin. */
export interface Downloaded extends HttpAnswer {
  readonly isCrossOrigin: boolean;
}

/**
 * Downloads a file without key and cookies, following a few redirects that `mayFetch` permits. Whatever the server does, it ends
 * after `artifactTimeoutMs`, after `idleTimeoutMs` without a byte, or at `maxBytes`.
 *
 * @throws TIMEOUT, NETWORK, ABORTED, REDIRECTED, LIMIT_EXCEEDED, and by status
 */
export async function download(url: string, options: DownloadOptions): Promise<Downloaded> {
  const { fetch, mayFetch, artifactTimeoutMs, method = 'GET', init = {}, ifChanged, signal, now } = options;
  const followed = following(fetch, mayFetch);
  let response: FetchResponse | undefined;
  try {
    if (!mayFetch(url)) throw new PortcullisError('REDIRECTED', 'the file has a URL that must not be fetched');
    return await bounded(artifactTimeoutMs, signal, async (ended) => {
      const request = { ...init, method, headers: { accept: '*/*', ...ifChanged } };
      response = await idle(options, ended, (stopped) => followed(url, { ...request, signal: stopped }));
      const { status, headers, type } = response;
      const answer = { status, headers, isCrossOrigin: type === 'cors' };
      if (status === 304 && ifChanged !== undefined) {
        drop(response);
        return { ...answer, bytes: new Uint8Array(0) };
      }
      if (status === 0 || (status >= 300 && status < 400))
        throw new PortcullisError('REDIRECTED', 'the redirect cannot be followed', { status });
      requireOk(response, now());
      if (method === 'HEAD') return { ...answer, bytes: new Uint8Array(0) };
      return { ...answer, bytes: await bodyBytes(response, options, ended) };
    });
  } catch (cause) {
    // A fetch that ignores its signal would go on reading.
    if (response !== undefined) drop(response);
    if (isPortcullisError(cause)) throw cause;
    if (signal?.aborted) throw abortedBy(signal);
    throw new PortcullisError('NETWORK', 'the file could not be downloaded', { cause: plainCause(cause, withoutQueries) });
  }
}

/** A validator is stored and sent back, so it must be printable; tags and dates have up to 100 characters. */
export const plainValidator: RegExp = /^[\x20-\x7e]{1,256}$/;

/** The condition with the `ETag` of an answer, for the next request; `undefined` without a usable one. */
export function tagCondition({ headers, isCrossOrigin }: Downloaded): IfChanged | undefined {
  const tag = headers.get('etag') ?? '';
  // A browser would first ask the other origin for permission, which few hosts give; its own cache asks in the same way.
  return isCrossOrigin || !plainValidator.test(tag) ? undefined : { 'if-none-match': tag };
}

/** A URL may be signed, and a platform's error may contain it. */
function withoutQueries(text: string): string {
  return text.replace(/\?\S+/g, '?…');
}

async function bodyBytes(response: FetchResponse, options: DownloadOptions, ended: SignalLike): Promise<Uint8Array> {
  const { maxBytes, onProgress, take } = options;
  const { headers, body } = response;
  const announced = Number(headers.get('content-length') ?? Number.NaN);
  // `Content-Length` counts compressed bytes, and a browser may hide that the file is compressed.
  const isCompressed = headers.get('content-encoding') !== null;
  let length = 0;
  const watched = (reader: BodyReader): BodyReader => ({
    cancel: (reason) => reader.cancel(reason),
    async read() {
      const chunk = await idle(options, ended, () => reader.read());
      length += chunk.value?.byteLength ?? 0;
      if (!chunk.done && length <= maxBytes) onProgress?.(length, !isCompressed && announced >= length ? announced : undefined);
      return chunk;
    },
  });
  const stream = body?.getReader === undefined ? null : { getReader: () => watched(body.getReader()) };
  const bytes = await readBody(
    { headers, body: stream, arrayBuffer: () => response.arrayBuffer() },
    { maxBytes, tooLarge: () => tooLarge(maxBytes), minBytes: announcedBytes(response), take, signal: ended },
  );
  if (stream === null) onProgress?.(bytes.length, bytes.length);
  return bytes;
}

/** Limits a step to the time in which the server may send nothing. */
function idle<T>(
  { idleTimeoutMs, artifactTimeoutMs }: DownloadOptions,
  ended: SignalLike,
  work: (stopped: SignalLike) => Promise<T>,
): Promise<T> {
  // Without streams a file arrives all at once, so an idle server cannot be told from a slow one.
  const hasStreams = (globals as { ReadableStream?: unknown }).ReadableStream !== undefined;
  return bounded(hasStreams ? idleTimeoutMs : artifactTimeoutMs, ended, work);
}

function tooLarge(maxBytes: number): PortcullisError {
  return new PortcullisError('LIMIT_EXCEEDED', `the file is larger than ${maxBytes} bytes`);
}
