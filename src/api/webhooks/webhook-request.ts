import { type Abortable, PortcullisError, throwIfAborted } from '../../core/errors.js';
import { type BodyMessage, readBody } from '../../core/http/bounded-body.js';
import type { BodyReader, FetchBody } from '../../core/http/fetch.js';
import { bodyBytesMax, tooLarge } from './webhook-body.js';
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
  const [length = null] = headersOf(request.headers, (name) => name === 'content-length').get('content-length') ?? [];
  const message: BodyMessage = {
    headers: { get: () => length },
    body: typeof body?.getReader === 'function' ? brokenOff(body as Stream, signal) : null,
    arrayBuffer: () => orBroken(request.arrayBuffer(), signal),
  };
  return readBody(message, { maxBytes: bodyBytesMax, tooLarge, signal });
}

interface Stream {
  readonly locked?: boolean;
  getReader(): BodyReader;
}

function brokenOff(stream: Stream, signal: Abortable | undefined): FetchBody {
  return {
    getReader: () => {
      const reader = stream.getReader();
      return { read: () => orBroken(reader.read(), signal), cancel: (reason) => reader.cancel(reason) };
    },
  };
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
