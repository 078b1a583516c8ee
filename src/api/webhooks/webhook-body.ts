import { fromUtf8, utf8 } from '../../core/bytes.js';
import { isRecord, PortcullisError, requireBytes } from '../../core/errors.js';

/**
 * Bytes of a delivery. Known events hold a name, a time and a few ids and one asset: below 20 kB even with the longest link that servers
 * accept. The rest is headroom for new events. Checked before anything is hashed.
 */
export const maxWebhookBytes: number = 1024 * 1024;

/** A copy as bytes, so that the verified bytes are also the parsed ones, even if the caller changes the originals meanwhile. */
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

/** Whether the body looks like the result of a JSON middleware. */
function isParsed(body: object): boolean {
  const tag = Object.prototype.toString.call(body);
  return tag === '[object Object]' || tag === '[object Array]';
}

function requireSize(bytes: number): void {
  if (bytes > maxWebhookBytes) throw tooLarge();
}

export function tooLarge(): PortcullisError {
  return new PortcullisError('LIMIT_EXCEEDED', `the body of a webhook must not exceed ${maxWebhookBytes} bytes`);
}

/** Parses a JSON object. The engine's own error would repeat the text, so it is not passed on. */
export function readObject(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  const text = fromUtf8(bytes);
  if (text === null) throw invalidWebhook('is not UTF-8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Some engines run out of stack on deep nesting.
    throw invalidWebhook('is not JSON, or is nested too deeply for this engine');
  }
  if (!isRecord(value)) throw invalidWebhook('is not a JSON object');
  return value;
}

/** The object's own property, so that properties on `Object.prototype` do not count as sent. */
export function own(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.getOwnPropertyDescriptor(object, key)?.value;
}

export function invalidWebhook(what: string): PortcullisError {
  return new PortcullisError('INVALID_WEBHOOK', `the body ${what}`);
}

const rawBodyAdvice =
  'body must be the raw body as bytes or a string: serializing a parsed object does not restore the bytes that were signed. ' +
  "Express: express.raw({ type: '*/*' }) on this route. Fastify: a content type parser with parseAs 'buffer'. " +
  'Fetch handlers (Next.js, Hono, workers): verifyWebhookRequest(request), or await request.text()';
