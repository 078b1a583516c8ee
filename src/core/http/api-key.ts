import { PortcullisError } from '../errors.js';

/** An API key, or a function that returns it, called for each request. */
export type ApiKey = string | (() => string | Promise<string>);

/**
 * The key for one request.
 *
 * @param withCause Keep what the function threw. It may hold the key, so only for an error that stays with the function's owner.
 * @throws KEY_UNAVAILABLE
 */
export async function keyOf(apiKey: ApiKey, { withCause = false }: { readonly withCause?: boolean } = {}): Promise<string> {
  let key: unknown;
  try {
    key = typeof apiKey === 'string' ? apiKey : await apiKey();
  } catch (cause) {
    throw new PortcullisError('KEY_UNAVAILABLE', 'the apiKey function failed', withCause ? { cause } : {});
  }
  if (isKey(key)) return key;
  throw new PortcullisError('KEY_UNAVAILABLE', 'the apiKey function must return visible ASCII characters without spaces');
}

/** Whether it can be sent as a header's value. */
export function isKey(key: unknown): key is string {
  return typeof key === 'string' && /^[\x21-\x7e]+$/.test(key);
}
