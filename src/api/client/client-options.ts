import { known, refuse } from '../../core/errors.js';
import { isKey } from '../../core/http/api-key.js';
import { maxTimerMs } from '../../core/http/bounded.js';
import { checkedHeaders } from '../../core/http/checked-headers.js';
import type { RetryOptions } from '../../core/http/retry.js';
import { isRoute } from './client-request.js';
import type { AgentOptions, CallOptions, ClientOptions, RawOptions, WatchOptions } from './client-types.js';

/** A value of each option: the smallest of numbers, any of other types. */
type Examples<Options> = { readonly [Name in keyof Options]-?: unknown };

const call = () => {};
const shared = {
  timeoutMs: 1,
  deadlineMs: 1,
  retry: { maxRetries: 0, delayMs: 0, maxDelayMs: 0 } satisfies Examples<RetryOptions>,
  headers: {},
};
const ofRequest = { ...shared, signal: {}, onResponse: call };
export const rawOptions: Examples<Omit<RawOptions, 'body'>> = { ...ofRequest, query: {} };
export const callOptions: Examples<CallOptions> = { ...ofRequest, slug: '', extra: {} };
export const watchOptions: Examples<Omit<WatchOptions, 'since'>> = { ...callOptions, pollMs: 1 };
const clientOptions: Examples<ClientOptions> = {
  ...shared,
  slug: '',
  baseUrl: '',
  apiKey: '',
  fetch: call,
  paths: {},
  limits: '',
  onEvent: call,
  allowInsecureHttp: true,
  agent: { maxConnections: 1, keepAliveMs: 1, proxyFromEnvironment: true } satisfies Examples<AgentOptions>,
  now: call,
  random: call,
};

/** Checked options, with their defaults. */
export interface ClientSettings extends ClientOptions {
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly retry: NonNullable<ClientOptions['retry']>;
  readonly now: () => number;
  readonly random: () => number;
}

/** Checks the options once, when the client is made, so that no call fails because of them later. No message repeats a value. */
export function clientSettingsOf(options: ClientOptions, rows: ReadonlyMap<string, unknown>): ClientSettings {
  // So that a missing baseUrl fails the same check as one that is not a string.
  checkOptions({ baseUrl: null, ...(options as object) }, clientOptions);
  const { apiKey, paths = {} } = options;
  if (!/^(schema|prose)$/.test(options.limits ?? 'schema')) refuse("limits must be 'schema' or 'prose'");
  if (typeof apiKey === 'string' && !isKey(apiKey)) refuse('apiKey must be visible ASCII');
  for (const [name, route] of Object.entries(paths)) {
    if (!rows.has(name)) refuse('paths names an unknown operation');
    if (!isRoute(route)) refuse(`paths.${name} must look like 'POST /path'`);
  }
  const defaults = { timeoutMs: 30_000, deadlineMs: 120_000, retry: {}, now: Date.now, random: Math.random };
  return { ...defaults, ...known(options), baseUrl: baseOf(options), headers: checkedHeaders(options.headers) };
}

/**
 * Checks the names and values of options, and of their `retry` and `agent`. An unknown option would be ignored, and a timer supports no
 * longer duration.
 */
export function checkOptions(options: object, examples: object, path = ''): void {
  for (const [key, value] of Object.entries(options)) {
    const name = path + key;
    if (!Object.keys(examples).includes(key)) refuse(`unknown option ${name}`);
    const example = (examples as Record<string, unknown>)[key];
    const type = typeof example;
    if (value === undefined || (key === 'retry' && value === false) || (key === 'apiKey' && typeof value === 'function'))
      continue;
    // A list, a `Map` or `Headers` has no fields of its own, so that its content would be ignored.
    const isOther = value === null || (type === 'object' && Symbol.iterator in value);
    if (typeof value !== type || isOther) throw new TypeError(`${name} must be of type ${type}`);
    if (key === 'signal' && !value.addEventListener) throw new TypeError('signal must be an AbortSignal');
    if (/^(retry|agent)$/.test(key)) checkOptions(value, example as object, `${key}.`);
    const isCount = /^max(?!.*Ms$)/.test(key);
    if (type === 'number' && (!(value >= (example as number) && value <= maxTimerMs) || (isCount && !Number.isInteger(value)))) {
      refuse(`${name} must be a ${isCount ? 'whole ' : ''}number from ${example} to ${maxTimerMs}`);
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
