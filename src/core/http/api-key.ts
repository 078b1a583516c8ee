import { PortcullisError } from '../errors.js';

/** A key, or a function that gives it, asked for each request. */
export type ApiKey = string | (() => string | Promise<string>);

/**
 * The key of this request.
 * @throws KEY_UNAVAILABLE, without what the function threw: it may hold the key
 */
export async function keyOf(apiKey: ApiKey): Promise<string> {
  let key: unknown;
  try {
    key = typeof apiKey === 'string' ? apiKey : await apiKey();
  } catch {
    throw new PortcullisError('KEY_UNAVAILABLE', 'the apiKey function failed');
  }
  if (!isKey(key)) throw new PortcullisError('KEY_UNAVAILABLE', 'the apiKey function gave nothing that can stand in a header');
  return key;
}

/** It can stand in a header. */
export function isKey(key: unknown): key is string {
  return typeof key === 'string' && /^[\x21-\x7e]+$/.test(key);
}
