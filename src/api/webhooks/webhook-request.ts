import { type Abortable, PortcullisError, refuse, throwIfAborted } from '../../core/errors.js';
import { type BodyMessage, readBody } from '../../core/http/bounded-body.js';
import type { BodyReader, FetchBody } from '../../core/http/fetch.js';
import { maxWebhookBytes, tooLarge } from './webhook-body.js';
import { headersOf, type WebhookHeaders } from './webhook-headers.js';

/** The part of a Fetch `Request` that is used. Structural, because bare engines have no such type. */
export interface WebhookRequest {
  readonly headers: WebhookHeaders;
  readonly bodyUsed?: boolean;
  /** A `ReadableStream`. If it is missing, as in React Native, `arrayBuffer` is called. */
  readonly body?: object | null;
  /** The whole body at once. */
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** Reads the whole body, up to the limit. */
export async function readRequestBody(request: WebhookRequest, signal: Abortable | undefined): Promise<Uint8Array> {
  if (typeof request.arrayBuffer !== 'function') throw new TypeError(requestAdvice);
  const { body } = request as { body?: Partial<Stream> | null };
  if (request.bodyUsed === true || body?.locked === true) {
    refuse('the body of this request was already read; verify first, or verify request.clone() before reading it');
  }
  const [length = null] = headersOf(request.headers, (name) => name === 'content-length').get('content-length') ?? [];
  const message: BodyMessage = {
    headers: { get: () => length },
    body: typeof body?.getReader === 'function' ? withNetworkErrors(body as Stream, signal) : null,
    arrayBuffer: () => orNetworkError(request.arrayBuffer(), signal),
  };
  return readBody(message, { maxBytes: maxWebhookBytes, tooLarge, signal });
}

interface Stream {
  readonly locked?: boolean;
  getReader(): BodyReader;
}

function withNetworkErrors(stream: Stream, signal: Abortable | undefined): FetchBody {
  return {
    getReader: () => {
      const reader = stream.getReader();
      return { read: () => orNetworkError(reader.read(), signal), cancel: (reason) => reader.cancel(reason) };
    },
  };
}

async function orNetworkError<T>(reading: Promise<T>, signal: Abortable | undefined): Promise<T> {
  try {
    return await reading;
  } catch (cause) {
    throwIfAborted(signal);
    throw new PortcullisError('NETWORK', 'the request body could not be read completely', { cause });
  }
}

const requestAdvice =
  "request must be a Fetch Request; with Node's http or a framework based on it, collect the bytes of the body and call verifyWebhook";
