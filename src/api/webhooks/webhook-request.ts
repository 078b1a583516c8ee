import { joined } from '../../core/bytes.js';
import { type Abortable, PortcullisError, requireBytes, throwIfAborted } from '../../core/errors.js';
import { requireSize } from './webhook-body.js';
import { headersOf, type WebhookHeaders } from './webhook-headers.js';

/** The part of a Fetch `Request` that is needed; structural, because a bare engine has no such type. */
export interface WebhookRequest {
  readonly headers: WebhookHeaders;
  readonly bodyUsed?: boolean;
  /** A `ReadableStream`, which is read part by part; where it is missing, as in React Native, `arrayBuffer` is called. */
  readonly body?: object | null;
  /** The whole body at once. */
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** The whole body, or an error as soon as it is known to be too large: by what the header says, then by what has come. */
export async function readRequestBody(request: WebhookRequest, signal: Abortable | undefined): Promise<Uint8Array> {
  if (typeof request.arrayBuffer !== 'function') throw new TypeError(requestAdvice);
  const { body } = request as { body?: Partial<Stream> | null };
  if (request.bodyUsed === true || body?.locked === true) {
    throw new PortcullisError(
      'INVALID_INPUT',
      'the body of this request was read before: verify first, or verify request.clone() and read the other one afterwards',
    );
  }
  throwIfAborted(signal);
  requireSize(announcedBytes(request.headers));
  return typeof body?.getReader === 'function' ? readStream(body as Stream, signal) : readAtOnce(request, signal);
}

function announcedBytes(headers: WebhookHeaders): number {
  const [length = ''] = headersOf(headers, (name) => name === 'content-length').get('content-length') ?? [];
  // Anything else says nothing; what comes is counted anyway.
  return /^[0-9]+$/.test(length) ? Number(length) : 0;
}

async function readAtOnce(request: WebhookRequest, signal: Abortable | undefined): Promise<Uint8Array> {
  const buffer = await orBroken(request.arrayBuffer(), signal);
  requireSize(buffer.byteLength);
  return new Uint8Array(buffer);
}

interface Stream {
  readonly locked?: boolean;
  getReader(): Reader;
}

interface Reader {
  read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
  cancel(reason?: unknown): Promise<void>;
}

/** A signal that tells of its end, as every real one does. */
interface Telling extends Abortable {
  addEventListener?(type: 'abort', listener: () => void): void;
  removeEventListener?(type: 'abort', listener: () => void): void;
}

async function readStream(stream: Stream, signal: Telling | undefined): Promise<Uint8Array> {
  const reader = stream.getReader();
  // A read that waits for bytes ends with this as if the body had ended.
  const giveUp = (): void => cancel(reader);
  signal?.addEventListener?.('abort', giveUp);
  try {
    const parts: Uint8Array[] = [];
    let size = 0;
    for (;;) {
      const { done, value } = await orBroken(reader.read(), signal);
      throwIfAborted(signal);
      if (done) return joined(parts, size);
      requireBytes(value, 'a part of the body');
      size += value.length;
      requireSize(size);
      if (value.length > 0) parts.push(value);
    }
  } catch (error) {
    cancel(reader);
    throw error;
  } finally {
    signal?.removeEventListener?.('abort', giveUp);
  }
}

/** Not waited for: a source that does not answer to it must not hold the error back, nor replace it. */
function cancel(reader: Reader): void {
  reader.cancel().then(undefined, () => {});
}

async function orBroken<T>(reading: Promise<T>, signal: Abortable | undefined): Promise<T> {
  try {
    return await reading;
  } catch (cause) {
    throwIfAborted(signal);
    throw new PortcullisError('NETWORK', 'the body of the request broke off', { cause });
  }
}

const requestAdvice =
  "request must be a Fetch Request; with Node's http, or a framework on it, collect the body's bytes and call verifyWebhook";
