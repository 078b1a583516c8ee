import { known, refuse, requireString } from '../../core/errors.js';
import { isKey } from '../../core/http/api-key.js';
import { maxTimerMs } from '../../core/http/bounded.js';
import { checkedHeaders } from '../../core/http/checked-headers.js';
import type { RetryOptions } from '../../core/http/retry.js';
import { isRoute } from './client-request.js';
import type { AgentOptions, CallOptions, ClientOptions, RawOptions, WatchOptions } from './client-types.js';

/** What each option must be. The words are those of `typeof`, or the values in quotes. */
type Expected<Options> = { readonly [Name in keyof Options]-?: string };

const duration = 'a number from 1';
const shared = { timeoutMs: duration, deadlineMs: duration, retry: 'an object or false', headers: 'an object' };
const ofRequest = { ...shared, signal: 'an AbortSignal object', onResponse: 'a function' };
export const rawOptions: Expected<Omit<RawOptions, 'body'>> = { ...ofRequest, query: 'an object' };
export const callOptions: Expected<CallOptions> = { ...ofRequest, slug: 'a string', extra: 'an object' };
export const watchOptions: Expected<WatchOptions> = { ...callOptions, pollMs: duration, since: 'a string or a Date object' };
const clientOptions: Expected<ClientOptions> = {
  ...shared,
  slug: 'a string',
  baseUrl: 'a string',
  apiKey: 'a string or a function',
  fetch: 'a function',
  paths: 'an object',
  limits: "'schema' or 'prose'",
  onEvent: 'a function',
  allowInsecureHttp: 'true or false',
  agent: 'an object',
  now: 'a function',
  random: 'a function',
};
const retryOptions: Expected<RetryOptions> = {
  maxRetries: 'a whole number from 0',
  delayMs: 'a number from 0',
  maxDelayMs: 'a number from 0',
};
const agentOptions: Expected<AgentOptions> = {
  maxConnections: 'a whole number from 1',
  keepAliveMs: duration,
  proxyFromEnvironment: 'true or false',
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
export function settingsOf(options: ClientOptions, rows: ReadonlyMap<string, unknown>): ClientSettings {
  checkOptions(options, clientOptions);
  const { apiKey, paths = {} } = options;
  requireString(options.baseUrl, 'baseUrl');
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
export function checkOptions(options: object, types: Readonly<Record<string, string>>, path = ''): void {
  for (const [key, value] of Object.entries(options)) {
    const name = path + key;
    const expected = types[key];
    // Not a string: a method of `Object.prototype`.
    if (typeof expected !== 'string') refuse(`unknown option ${name}`);
    if (value === undefined) continue;
    const type = value === null || typeof value === 'boolean' ? `${value}` : Array.isArray(value) ? 'array' : typeof value;
    const isExpected = expected.includes(type) || expected.includes(`'${String(value)}'`);
    if (!isExpected || (key === 'signal' && !value.addEventListener)) throw new TypeError(`${name} must be ${expected}`);
    if (key === 'retry') checkOptions(value, retryOptions, 'retry.');
    if (key === 'agent') checkOptions(value, agentOptions, 'agent.');
    const isInRange = value >= Number(expected.slice(-1)) && value <= maxTimerMs;
    if (type === 'number' && !(isInRange && (!/whole/.test(expected) || Number.isInteger(value)))) {
      refuse(`${name} must be ${expected} to ${maxTimerMs}`);
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
