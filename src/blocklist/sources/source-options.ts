import { refuse, requireNumber, requireString, type SignalLike } from '../../core/errors.js';
import { baseAddress } from '../../core/http/address.js';
import { type ApiKey, isKey } from '../../core/http/api-key.js';
import { timerMsMax } from '../../core/http/bounded.js';
import { checkedHeaders } from '../../core/http/checked-headers.js';
import { type FetchLike, host } from '../../core/http/fetch.js';
import { plainInit } from '../../core/http/follow.js';

/** What every source takes that asks somebody over the network. */
export interface TransportOptions {
  /** Longest wait for a whole answer that is no file, in milliseconds; also for the key. @default 10_000 */
  readonly timeoutMs?: number | undefined;
  /** Longest time one file may take, in milliseconds: 11 MB at 40 kB a second. @default 300_000 */
  readonly artifactTimeoutMs?: number | undefined;
  /**
   * Longest time in which nothing of a file comes, in milliseconds. Not for the first byte in React Native, whose `fetch` gives nothing
   * before it has all. @default 20_000
   */
  readonly idleTimeoutMs?: number | undefined;
  /** @default the platform's, looked up at each request */
  readonly fetch?: FetchLike | undefined;
  /** Clock in epoch milliseconds. @default Date.now */
  readonly now?: (() => number) | undefined;
}

/** What every source takes that asks the service. */
export interface ApiSourceOptions extends TransportOptions {
  /** Where the service's API or a relay is, with its version if it has one. */
  readonly baseUrl: string;
  /** The key, or a function that gives it for each request. It goes to `baseUrl` and nowhere else. A relay needs none. */
  readonly apiKey?: ApiKey | undefined;
  /** Sent to `baseUrl` with each request, for a gateway in front of it. They go nowhere else either. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Allow plain `http:` to another machine, which shows the key to everybody between. @default false */
  readonly allowInsecureHttp?: boolean | undefined;
}

/** Checked, with defaults. */
export interface Transport {
  readonly fetch: FetchLike;
  readonly timeoutMs: number;
  readonly artifactTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly now: () => number;
}

export function transportOf(options: TransportOptions): Transport {
  const { fetch, now = Date.now } = options;
  if (fetch !== undefined && typeof fetch !== 'function') throw new TypeError('fetch must be a function');
  if (typeof now !== 'function') throw new TypeError('now must be a function');
  return {
    fetch: (url, init) => {
      const plain = plainInit(init);
      return fetch === undefined ? (host as unknown as { fetch: FetchLike }).fetch(url, plain) : fetch(url, plain);
    },
    now,
    timeoutMs: numberOf(options, 'timeoutMs', 10_000, [1, timerMsMax]),
    artifactTimeoutMs: numberOf(options, 'artifactTimeoutMs', 300_000, [1, timerMsMax]),
    idleTimeoutMs: numberOf(options, 'idleTimeoutMs', 20_000, [1, timerMsMax]),
  };
}

export interface ApiSettings extends Transport {
  readonly baseUrl: string;
  readonly apiKey: ApiKey | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Checks once, when the source is made. No message repeats a value.
 * @throws TypeError, INVALID_INPUT
 */
export function apiSettingsOf(options: ApiSourceOptions): ApiSettings {
  requireOptions(options);
  const { baseUrl, apiKey, headers, allowInsecureHttp = false } = options;
  requireString(baseUrl, 'baseUrl');
  if (apiKey !== undefined && typeof apiKey !== 'function') requireString(apiKey, 'apiKey');
  if (typeof apiKey === 'string' && !isKey(apiKey)) refuse('apiKey is empty, or cannot stand in a header');
  return {
    ...transportOf(options),
    baseUrl: baseAddress('baseUrl', baseUrl, allowInsecureHttp),
    apiKey,
    headers: checkedHeaders(headers),
  };
}

/** A copy, so that nobody changes it behind our back. */
export function algorithmsOf(algorithms: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  if (typeof algorithms !== 'object' || algorithms === null) throw new TypeError('algorithms must be an object');
  for (const name of Object.values(algorithms)) requireString(name, 'an algorithm');
  return { ...algorithms };
}

export function requireOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null) throw new TypeError('options must be an object');
}

export function idOf(id: unknown): string {
  requireString(id, 'id');
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(id))
    refuse('id must be 1 to 64 of a-z, 0-9, dot, hyphen and underscore, a letter or digit first');
  return id;
}

export function numberOf<Name extends string>(
  options: { readonly [name in Name]?: number | undefined },
  name: Name,
  usual: number,
  [least, most]: readonly [number, number],
): number {
  return requireNumber(options[name] ?? usual, name, least, most);
}

/** Of what every call of a source may be given. */
export type Signal = SignalLike | undefined;
