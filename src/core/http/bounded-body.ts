import { type Abortable, PortcullisError, requireBytes, type SignalLike, throwIfAborted } from '../errors.js';
import type { BodyReader, FetchBody, FetchResponse } from './fetch.js';

/** A request or a response whose body has not been read; a Fetch `Request` and a `Response` both fit. */
export interface BodyMessage {
  readonly headers: { get(name: string): string | null };
  readonly body?: FetchBody | null;
  /** Called where there is no stream, as in React Native. */
  arrayBuffer(): Promise<ArrayBuffer>;
}

export interface BodyLimit {
  /** Bytes are counted as they arrive, after decompression. */
  readonly maxBytes: number;
  /** Makes the error for a longer body. */
  readonly tooLarge: () => Error;
  /** What `announcedBytes` returns: a shorter body was cut off. @default 0 */
  readonly minBytes?: number | undefined;
  /** Receives the bytes as they arrive; then none are kept and the result is empty. */
  readonly take?: ((bytes: Uint8Array) => Promise<void>) | undefined;
  /** Stops reading and cancels the stream. Without listeners it is checked after each chunk. */
  readonly signal?: (Abortable & Partial<SignalLike>) | undefined;
}

/**
 * The bytes that a response must have by its own `Content-Length`; 0 if that is missing or counts encoded bytes. Most platforms compare
 * them too, but not a `fetch` of someone's own. (docs/sources.md has what each platform notices.)
 */
export function announcedBytes({ headers, type }: Pick<FetchResponse, 'headers' | 'type'>): number {
  // A browser hides the encoding of another origin's response.
  const isExact = headers.get('content-encoding') === null && type !== 'cors';
  return (isExact && Number(headers.get('content-length'))) || 0;
}

function requireWhole(length: number, minBytes = 0): void {
  if (length < minBytes)
    throw new PortcullisError('NETWORK', `the connection was cut after ${length} of ${minBytes} bytes; try again`);
}

/**
 * The whole body. A longer one is rejected by its `Content-Length` before anything is read, then by what has arrived; it is never
 * held in memory.
 *
 * @throws `tooLarge()`, NETWORK for a body that was cut off, ABORTED, TypeError for a stream that yields anything but bytes, and what the body itself throws
 */
export async function readBody(message: BodyMessage, limit: BodyLimit): Promise<Uint8Array> {
  throwIfAborted(limit.signal);
  if (Number(message.headers.get('content-length')) > limit.maxBytes) throw limit.tooLarge();
  const reader = message.body?.getReader?.();
  if (reader !== undefined) return readAll(reader, limit);
  const bytes = new Uint8Array(await message.arrayBuffer());
  if (bytes.length > limit.maxBytes) throw limit.tooLarge();
  requireWhole(bytes.length, limit.minBytes);
  if (limit.take === undefined) return bytes;
  await limit.take(bytes);
  return new Uint8Array(0);
}

/** All bytes of a stream, which is cancelled if it fails, exceeds the limit or is aborted. Throws like `readBody`. */
export async function readAll(
  reader: BodyReader,
  { maxBytes, tooLarge, minBytes, take, signal }: BodyLimit,
): Promise<Uint8Array> {
  // Not awaited: a source that ignores the cancellation must not delay the error, nor replace it.
  const cancel = (): void => void reader.cancel().catch(() => {});
  // Cancelling ends a pending read as if the body had ended.
  signal?.addEventListener?.('abort', cancel);
  try {
    // One buffer: a list of chunks takes a hundred times the bytes of a body that arrives byte by byte.
    let bytes = new Uint8Array();
    for (let length = 0; ; ) {
      const { done, value } = await reader.read();
      throwIfAborted(signal);
      if (done) {
        requireWhole(length, minBytes);
        return bytes.length === length ? bytes : bytes.slice(0, length);
      }
      requireBytes(value, 'a chunk of the body');
      const end = length + value.length;
      if (end > maxBytes) throw tooLarge();
      if (take !== undefined) await take(value);
      else {
        if (end > bytes.length) {
          const longer = new Uint8Array(Math.max(end, 2 * length));
          longer.set(bytes);
          bytes = longer;
        }
        bytes.set(value, length);
      }
      length = end;
    }
  } catch (error) {
    cancel();
    // A stream that was cancelled may reject its pending read.
    throwIfAborted(signal);
    throw error;
  } finally {
    signal?.removeEventListener?.('abort', cancel);
  }
}
