import { isPortcullisError } from '../../core/errors.js';
import { bounded } from '../../core/http/bounded.js';
import { readBody } from '../../core/http/bounded-body.js';
import { HttpRefusal } from '../../core/http/http-refusal.js';
import { badRequest } from './refusal-response.js';

/** Longest wait for a short body, in milliseconds. */
const bodyTimeoutMs = 10_000;

export function tooLarge(message: string): HttpRefusal {
  return new HttpRefusal(413, 'PAYLOAD_TOO_LARGE', message);
}

/**
 * A short body, with limits on bytes and time.
 *
 * @throws HttpRefusal
 */
export async function shortBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  const limit = { maxBytes, tooLarge: (): HttpRefusal => tooLarge(`the body is larger than ${maxBytes} bytes`) };
  try {
    return await bounded(bodyTimeoutMs, undefined, (signal) => readBody(request, { ...limit, signal }));
  } catch (error) {
    if (error instanceof HttpRefusal) throw error;
    if (isPortcullisError(error) && error.code === 'TIMEOUT')
      throw new HttpRefusal(408, 'TIMEOUT', 'the body did not arrive in time');
    throw badRequest('the body cannot be read');
  }
}
