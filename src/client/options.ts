import { PortcullisError } from '../errors.js';
import { timerMsMax } from '../http/bounded.js';
import { isRoute } from './request.js';
import type { CallOptions, ClientOptions, WatchOptions } from './types.js';

/** What the client sends itself, or the transport does. */
const ownHeaders = /^(x-api-key|content-type|content-length|host|connection|transfer-encoding|accept-encoding)$/;

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Checks options once, when the client is made, so that no call fails for them later. No message repeats a value. */
export function checkOptions(options: ClientOptions, rows: ReadonlyMap<string, unknown>): ClientOptions {
  const { apiKey, paths = {}, headers = {} } = options;
  const types = {
    baseUrl: 'string',
    apiKey: typeof apiKey === 'function' ? 'function' : 'string',
    slug: 'string',
    fetch: 'function',
  };
  for (const [name, type] of Object.entries(types)) {
    const value = options[name as keyof typeof types];
    if (typeof value !== type && (value !== undefined || name === 'baseUrl' || name === 'apiKey')) {
      throw new TypeError(`${name} must be a ${type}`);
    }
  }
  if (typeof apiKey === 'string' && !isKey(apiKey)) refuse('apiKey is empty, or cannot stand in a header');
  checkTimes(options);
  checkHeaders(headers);
  for (const [name, route] of Object.entries(paths)) {
    if (!rows.has(name)) refuse('paths names no operation of this client');
    if (!isRoute(route)) refuse(`paths.${name} must be like '/some/path' or 'POST /some/path'`);
  }
  return { ...options, baseUrl: baseOf(options) };
}

/** Bounds a timer can count. */
export function checkTimes(options: CallOptions): void {
  for (const name of ['timeoutMs', 'deadlineMs', 'pollMs'] as const) {
    const value = (options as WatchOptions)[name] ?? 1;
    if (!(value >= 1 && value <= timerMsMax)) refuse(`${name} must be a number from 1 to ${timerMsMax}`);
  }
}

/** Without the slash at its end. */
function baseOf({ baseUrl, allowInsecureHttp }: ClientOptions): string {
  const [, scheme = '', host = ''] = /^(https?):\/\/((?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?)(?:\/[^\s?#\\]*)?$/i.exec(baseUrl) ?? [];
  if (host === '') refuse('baseUrl must be like https://api.example/v2, without user, query and fragment');
  if (scheme.toLowerCase() === 'http' && !allowInsecureHttp && !loopback.test(host.replace(/:\d+$/, '').toLowerCase())) {
    refuse('baseUrl is plain http, where others can read the key; use https, or allowInsecureHttp');
  }
  return baseUrl.replace(/\/+$/, '');
}

/** Names and values a header can have, and none the client sends itself. */
export function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) refuse('headers has a name that cannot be sent');
    if (ownHeaders.test(name.toLowerCase())) refuse(`the header ${name} is the client's own`);
    if (typeof value !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      refuse(`the header ${name} has a value that cannot be sent`);
  }
}

/** The key of this call. */
export async function keyOf(apiKey: ClientOptions['apiKey']): Promise<string> {
  let key: string;
  try {
    key = typeof apiKey === 'string' ? apiKey : await apiKey();
  } catch (cause) {
    throw new PortcullisError('KEY_UNAVAILABLE', 'the apiKey function failed', { cause });
  }
  if (!isKey(key)) throw new PortcullisError('KEY_UNAVAILABLE', 'the apiKey function gave nothing that can stand in a header');
  return key;
}

function isKey(key: unknown): key is string {
  return typeof key === 'string' && /^[\x21-\x7e]+$/.test(key);
}

function refuse(what: string): never {
  throw new PortcullisError('INVALID_INPUT', what);
}
