import { PortcullisError, refuse, requireString } from '../../core/errors.js';
import { isKey } from '../../core/http/api-key.js';
import { timerMsMax } from '../../core/http/bounded.js';
import { checkedHeaders } from '../../core/http/checked-headers.js';
import { isRoute } from './client-request.js';
import type { ClientOptions } from './client-types.js';

/** Without userinfo, query and fragment, and without dots that climb. */
const plainBase = /^(?!.*\/(\.|%2e){1,2}(\/|$))https?:\/\/[^\s/?#@\\]+(\/[!"$->@-[\]-~]*)?$/i;
const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Checks options once, when the client is made, so that no call fails for them later. No message repeats a value. */
export function checkOptions(options: ClientOptions, rows: ReadonlyMap<string, unknown>): ClientOptions {
  const { apiKey, paths = {} } = options;
  requireString(options.baseUrl, 'baseUrl');
  if (apiKey !== undefined && typeof apiKey !== 'function') requireString(apiKey, 'apiKey');
  if (options.slug !== undefined) requireString(options.slug, 'slug');
  if (options.fetch !== undefined && typeof options.fetch !== 'function') throw new TypeError('fetch must be a function');
  if (typeof apiKey === 'string' && !isKey(apiKey)) refuse('apiKey cannot be sent');
  checkNumbers(options);
  checkNumbers(options.agent);
  for (const [name, route] of Object.entries(paths)) {
    if (!rows.has(name)) refuse('paths: no such operation');
    if (!isRoute(route)) refuse(`paths.${name} must be like 'POST /path'`);
  }
  return { ...options, baseUrl: baseOf(options), headers: checkedHeaders(options.headers) };
}

/** The numbers of options, of a call or of all, and those of their retries: times a timer can count, and counts. */
export function checkNumbers(options: object = {}): void {
  for (const [name, value] of Object.entries(options)) {
    if (name === 'retry') checkNumbers(value || {});
    if (value === undefined || !/(Ms|Max)$/.test(name)) continue;
    const low = /^(delay|retries)/.test(name) ? 0 : 1;
    if (!(value >= low && value <= timerMsMax) || (/Max$/.test(name) && !Number.isInteger(value))) {
      refuse(`${name} must be a number from ${low} to ${timerMsMax}`);
    }
  }
}

/** Without the slash at its end. */
function baseOf({ baseUrl, allowInsecureHttp }: ClientOptions): string {
  const host = hostOf(baseUrl);
  if (!host || !plainBase.test(baseUrl)) refuse('baseUrl must be like https://api.example/v2');
  if (/^http:/i.test(baseUrl) && !allowInsecureHttp && !loopback.test(host)) {
    refuse('plain http shows the key: see allowInsecureHttp');
  }
  return baseUrl.replace(/\/+$/, '');
}

/** The port is a port, the address an address. */
function hostOf(text: string): string | undefined {
  try {
    return new URL(text).hostname;
  } catch {
    return undefined;
  }
}

/** The key of this call. */
export async function keyOf(apiKey: () => string | Promise<string>): Promise<string> {
  let cause: unknown;
  try {
    const key = await apiKey();
    if (isKey(key)) return key;
  } catch (error) {
    cause = error;
  }
  throw new PortcullisError('KEY_UNAVAILABLE', 'the apiKey function gave no key', { cause });
}
