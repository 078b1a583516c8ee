import { fromUtf8, utf8 } from '../../core/bytes.js';
import { PortcullisError, requireBytes } from '../../core/errors.js';

/**
 * Bytes of a delivery. A known event is its name, a time and a handful of ids around one asset, below 20 kB even with the
 * longest link a server takes; the rest is room for events to come. Counted before anything is hashed.
 */
export const bodyBytesMax: number = 1024 * 1024;

/** A copy, so that what is checked is what is read, whoever else holds the bytes. A string is what its UTF-8 is. */
export function rawBytes(body: Uint8Array | string): Uint8Array {
  if (typeof body === 'string') {
    requireSize(body.length);
    const bytes = utf8(body);
    requireSize(bytes.length);
    return bytes;
  }
  if (typeof body === 'object' && body !== null && isParsed(body)) throw new TypeError(rawBodyAdvice);
  requireBytes(body, 'body');
  requireSize(body.length);
  return new Uint8Array(body);
}

/** Neither bytes of any kind nor a stream: what a JSON middleware leaves behind. */
function isParsed(body: object): boolean {
  const tag = Object.prototype.toString.call(body);
  return tag === '[object Object]' || tag === '[object Array]';
}

function requireSize(bytes: number): void {
  if (bytes > bodyBytesMax) throw tooLarge();
}

export function tooLarge(): PortcullisError {
  return new PortcullisError('LIMIT_EXCEEDED', `a webhook's body has at most ${bodyBytesMax} bytes`);
}

/** The object that the bytes are as JSON. The text is not repeated in an error, and the engine's own error would repeat it. */
export function readObject(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  const text = fromUtf8(bytes);
  if (text === null) throw invalidWebhook('it is not UTF-8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Not only a SyntaxError: some engines run out of stack on deep nesting.
    throw invalidWebhook('it is not JSON, or nested too deep for this engine');
  }
  if (!isObject(value)) throw invalidWebhook('it is no JSON object');
  return value;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object's own property: a body must not be completed by what somebody put on `Object.prototype`. */
export function own(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.getOwnPropertyDescriptor(object, key)?.value;
}

export function invalidWebhook(what: string): PortcullisError {
  return new PortcullisError('INVALID_WEBHOOK', `the body is no webhook: ${what}`);
}

const rawBodyAdvice =
  'body must be the raw body, as bytes or a string; a parsed object written again is other bytes than were signed. ' +
  "Express: express.raw({ type: '*/*' }) on this route. Fastify: a content type parser with parseAs 'buffer'. " +
  'Fetch handlers (Next.js, Hono, workers): verifyWebhookRequest(request), or await request.text()';
