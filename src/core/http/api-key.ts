import { known, PortcullisError, refuse } from '../errors.js';
import type { Kind } from '../options/read-options.js';

/** An API key, or a function that returns it, called for each request. */
export type ApiKey = string | (() => string | Promise<string>);

/**
 * The key for one request.
 *
 * @param withCause Keep what the function threw. It may hold the key, so only for an error that stays with the function's owner.
 * @throws KEY_UNAVAILABLE
 */
export async function keyOf(apiKey: ApiKey, withCause = false): Promise<string> {
  let cause: unknown;
  try {
    const key = typeof apiKey === 'string' ? apiKey : await apiKey();
    if (isKey(key)) return key;
  } catch (thrown) {
    if (withCause) cause = thrown;
  }
  throw new PortcullisError('KEY_UNAVAILABLE', 'the apiKey function returned no usable key', known({ cause }));
}

/** Whether it can be sent as a header's value. */
export function isKey(key: unknown): key is string {
  return typeof key === 'string' && /^[\x21-\x7e]+$/.test(key);
}

/** A key, or a function that returns one. */
export const apiKey: Kind<ApiKey> = (value, path) => {
  if (typeof value === 'function') return value as () => string;
  return isKey(value) ? value : refuse(`${path} must be visible ASCII, or a function that returns it`);
};
