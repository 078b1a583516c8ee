import { known, refuse, requireString } from '../../core/errors.js';
import { isKey } from '../../core/http/api-key.js';
import { maxTimerMs } from '../../core/http/bounded.js';
import { checkedHeaders } from '../../core/http/checked-headers.js';
import { isRoute } from './client-request.js';
import type { ClientOptions } from './client-types.js';

/** The options of a client, of its calls, and of their parts. The types know which belongs where. */
const optionNames =
  /^((timeout|deadline|delay|maxDelay|poll|keepAlive)Ms|max(Retries|Connections)|on(Event|Response)|baseUrl|apiKey|slug|fetch|retry|headers|paths|limits|extra|signal|agent|proxyFromEnvironment|allowInsecureHttp|now|random)$/;

/** Checked options, with their defaults. */
export interface ClientSettings extends ClientOptions {
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly retry: NonNullable<ClientOptions['retry']>;
  readonly now: () => number;
  readonly random: () => number;
}

/** Checks the options once, when the client is made, so that no call fails because of them later. No message repeats a value. */
export function checkOptions(options: ClientOptions, rows: ReadonlyMap<string, unknown>): ClientSettings {
  const { apiKey, paths = {} } = options;
  requireString(options.baseUrl, 'baseUrl');
  if (apiKey !== undefined && typeof apiKey !== 'function') requireString(apiKey, 'apiKey');
  if (options.slug !== undefined) requireString(options.slug, 'slug');
  if (options.fetch !== undefined && typeof options.fetch !== 'function') throw new TypeError('fetch must be a function');
  if (typeof apiKey === 'string' && !isKey(apiKey)) refuse('apiKey must be visible ASCII');
  checkOptionValues(options);
  checkOptionValues(options.agent);
  for (const [name, route] of Object.entries(paths)) {
    if (!rows.has(name)) refuse('paths names an unknown operation');
    if (!isRoute(route)) refuse(`paths.${name} must look like 'POST /path'`);
  }
  const defaults = { timeoutMs: 30_000, deadlineMs: 120_000, retry: {}, now: Date.now, random: Math.random };
  return { ...defaults, ...known(options), baseUrl: baseOf(options), headers: checkedHeaders(options.headers) };
}

/**
 * Checks the names and the numbers of a client's or a call's options, and of their `retry`: durations a timer supports, and counts. An
 * unknown option would be ignored.
 */
export function checkOptionValues(options: object = {}): void {
  for (const [name, value] of Object.entries(options)) {
    if (!optionNames.test(name)) refuse(`unknown option ${name}`);
    if (name === 'retry') checkOptionValues(value || {});
    const isCount = /^max(?!.*Ms$)/.test(name);
    if (value === undefined || !(isCount || name.endsWith('Ms'))) continue;
    const min = /^(delay|maxDelay|maxRetries)/.test(name) ? 0 : 1;
    if (!(value >= min && value <= maxTimerMs) || (isCount && !Number.isInteger(value))) {
      refuse(`${name} must be a ${isCount ? 'whole ' : ''}number from ${min} to ${maxTimerMs}`);
    }
  }
}

/** No userinfo, query or fragment, and no dot segments that lead out of the path. */
const plainBase = /^(?!.*\/(\.|%2e){1,2}(\/|$))https?:\/\/[^\s/?#@\\]+(\/[!"$->@-[\]-~]*)?$/i;
const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Without a trailing slash. */
function baseOf({ baseUrl, allowInsecureHttp }: ClientOptions): string {
  const host = hostOf(baseUrl);
  if (!host || !plainBase.test(baseUrl)) refuse('baseUrl must look like https://api.example/v2');
  if (/^http:/i.test(baseUrl) && !allowInsecureHttp && !loopback.test(host)) {
    refuse('baseUrl is plain http, which exposes the key; use https or set allowInsecureHttp');
  }
  return baseUrl.replace(/([^/])\/+$/, '$1');
}

/** `undefined` also for a port or an IP address that is out of range. */
function hostOf(text: string): string | undefined {
  try {
    return new URL(text).hostname;
  } catch {
    return undefined;
  }
}
