import { algorithmsOf } from '../../blocklist/sources/source-options.js';
import { refuse, requireNumber, requireObject } from '../../core/errors.js';
import { baseAddress } from '../../core/http/address.js';
import { isKey } from '../../core/http/api-key.js';
import { maxTimerMs } from '../../core/http/bounded.js';
import type { FetchLike } from '../../core/http/fetch.js';
import { type RelayRoute, targetOf, versionPath } from './relay-routes.js';

/** Configures a relay: the service it asks, the address clients use, and its limits. */
export interface RelayOptions {
  /** Base URL of the service's API, including its version segment if it has one. The key is sent to this URL only. */
  readonly baseUrl: string;
  /** The API key, or a function that returns it, called for each request to the service. It appears in no response and no event. */
  readonly apiKey: string | (() => string | Promise<string>);
  /** The relay's public URL with its mount path: `https://relay.example/blocklist`. Artifact URLs are built from it, never from a request. */
  readonly publicUrl: string;
  /**
   * Maps each `algoVersion` of the service to an algorithm of this package, as in `serviceSource`. An algorithm's own name needs no entry.
   * The relay uses it to calibrate the list for its clients.
   */
  readonly algorithms?: Readonly<Record<string, string>>;
  /** Check once per snapshot whether it contains known entries, and publish the result to clients. Costs decoding the snapshot. @default true */
  readonly calibrate?: boolean;
  /** Origins whose pages may read responses. No response depends on the client, so `'*'` reveals nothing. @default '*' */
  readonly origins?: '*' | readonly string[];
  /** Identifies the client of a request for rate limiting. `null` leaves that to `trustForwardedFor` and `context.address`. */
  readonly clientOf?: (request: Request, context: RelayContext) => string | null;
  /**
   * Number of your own proxies in front of the relay, each of which appends to `X-Forwarded-For`. The client is the entry that the
   * outermost one wrote; a client can forge every entry before it. If there is none, or without this option, the client is
   * `context.address`.
   */
  readonly trustForwardedFor?: number;
  /** Requests per minute and client, also as one burst; a confirmation counts once per ten prefixes. @default 120 */
  readonly clientPerMinute?: number;
  /** The same limit, shared by all requests whose client cannot be identified. @default 12_000 */
  readonly sharedPerMinute?: number;
  /** Confirmation requests per minute to the service, for all clients together. @default 600, the service's announced limit */
  readonly upstreamPerMinute?: number;
  /** How long a version response is reused before the service is asked again, in milliseconds. @default 60_000 */
  readonly versionTtlMs?: number;
  /**
   * How old the last good version response may become while the service fails, in milliseconds. Clients treat every response as current, so
   * this adds to the list age they allow. @default 3_600_000
   */
  readonly maxStaleMs?: number;
  /** How long a confirmation is cached, in milliseconds; at most five seconds for a prefix without hashes. @default 60_000 */
  readonly confirmTtlMs?: number;
  /** Longest wait for a response from the service, in milliseconds. @default 10_000 */
  readonly timeoutMs?: number;
  /** Longest wait for an artifact, in milliseconds. @default 60_000 */
  readonly artifactTimeoutMs?: number;
  /** Memory for artifacts, in bytes; a larger artifact is rejected. A million entries take 2 to 11 MB. @default 67_108_864 */
  readonly maxCacheBytes?: number;
  /** Prefixes a client may send in one confirmation. @default 1_000 */
  readonly maxPrefixes?: number;
  /** Allow plain `http:` to another machine in `baseUrl` and `publicUrl`. @default false */
  readonly allowInsecureHttp?: boolean;
  /** Receives operational events. They never contain a prefix, an address or a third party's message. Errors it throws are ignored. */
  readonly onEvent?: (event: RelayEvent) => void;
  /** @default the platform's `fetch` */
  readonly fetch?: FetchLike;
  /** @default Date.now */
  readonly now?: () => number;
}

/** What the platform knows about a request beyond the `Request` object. */
export interface RelayContext {
  /** The peer address of the connection. */
  readonly address?: string | undefined;
  /** Keeps a worker alive until shared work is done; otherwise a worker that ends with its first client would cancel work that other clients wait for. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
}

/** An event for the relay's operator. It contains nothing about prefixes. */
export type RelayEvent =
  /** The service failed or returned an unusable response; the relay waits `pauseMs` before the next attempt. `code` is one of this package's error codes. */
  | {
      readonly type: 'upstream-error';
      readonly route: RelayRoute;
      readonly code: string;
      readonly status?: number;
      readonly pauseMs: number;
    }
  /** Requests rejected since the last such event, emitted at most once a minute: `client` for `clientPerMinute` and `sharedPerMinute`, `upstream` for `upstreamPerMinute`. */
  | { readonly type: 'rate-limited'; readonly scope: 'client' | 'upstream'; readonly count: number }
  /** Memory use, emitted after each version response from the service. */
  | {
      readonly type: 'memory';
      readonly artifacts: number;
      readonly artifactBytes: number;
      readonly confirmations: number;
      readonly clients: number;
    }
  /** A bug in this package. The client received a 500. */
  | { readonly type: 'internal-error'; readonly name: string };

type NumberOption = Exclude<
  { [Name in keyof RelayOptions]-?: Required<RelayOptions>[Name] extends number ? Name : never }[keyof RelayOptions],
  'trustForwardedFor'
>;

/** Validated options with defaults applied. */
export type Settings = Readonly<Record<NumberOption, number>> &
  Pick<RelayOptions, 'apiKey' | 'clientOf' | 'trustForwardedFor'> &
  Required<Pick<RelayOptions, 'baseUrl' | 'publicUrl' | 'origins' | 'algorithms' | 'calibrate' | 'fetch' | 'now'>> & {
    readonly emit: (event: RelayEvent) => void;
  };

const dayMs = 86_400_000;

const numbers: Readonly<Record<NumberOption, readonly [byDefault: number, min: number, max: number]>> = {
  versionTtlMs: [60_000, 1_000, dayMs],
  // After a day every client considers its list stale.
  maxStaleMs: [3_600_000, 0, dayMs],
  confirmTtlMs: [60_000, 0, 3_600_000],
  timeoutMs: [10_000, 1, maxTimerMs / 2],
  artifactTimeoutMs: [60_000, 1, maxTimerMs / 2],
  maxCacheBytes: [64 * 1024 * 1024, 1024, 2 ** 31],
  // The body limit in confirm-question.ts fits this many.
  maxPrefixes: [1_000, 1, 2_000],
  clientPerMinute: [120, 1, 1e9],
  sharedPerMinute: [12_000, 1, 1e9],
  upstreamPerMinute: [600, 1, 1e9],
};

/** More proxies than any deployment has. */
const maxProxies = 10;

/**
 * Validates the options once. No message repeats a value, because it may be a secret.
 * @throws TypeError, INVALID_INPUT
 */
export function relaySettingsOf(options: RelayOptions): Settings {
  requireObject(options, 'options');
  const { apiKey, origins = '*', trustForwardedFor, now = Date.now, onEvent, allowInsecureHttp = false } = options;
  requireType(options, 'baseUrl', 'string', true);
  requireType(options, 'publicUrl', 'string', true);
  requireType(options, 'apiKey', typeof apiKey === 'function' ? 'function' : 'string', true);
  requireType(options, 'calibrate', 'boolean', false);
  for (const name of ['clientOf', 'fetch', 'now', 'onEvent'] as const) requireType(options, name, 'function', false);
  requireType(options, 'trustForwardedFor', 'number', false);
  if (typeof apiKey === 'string' && !isKey(apiKey)) refuse('apiKey must be visible ASCII');
  if (
    trustForwardedFor !== undefined &&
    !(Number.isInteger(trustForwardedFor) && trustForwardedFor >= 1 && trustForwardedFor <= maxProxies)
  ) {
    refuse(`trustForwardedFor must be an integer from 1 to ${maxProxies}`);
  }
  const checked = Object.entries(numbers).map(([name, [byDefault, min, max]]) => {
    const { [name as NumberOption]: value = byDefault } = options;
    return [name, requireNumber(value, name, min, max)];
  });
  return {
    ...(Object.fromEntries(checked) as Record<NumberOption, number>),
    apiKey,
    baseUrl: baseAddress('baseUrl', options.baseUrl, allowInsecureHttp),
    publicUrl: publicUrlOf(options.publicUrl, allowInsecureHttp),
    origins: originsOf(origins),
    algorithms: algorithmsOf(options.algorithms),
    calibrate: options.calibrate ?? true,
    ...(options.clientOf && { clientOf: options.clientOf }),
    ...(trustForwardedFor !== undefined && { trustForwardedFor }),
    // Looked up at each call, so that a `fetch` replaced later, by a test or a monitor, is used.
    fetch: options.fetch ?? ((url, init) => (globalThis as unknown as { fetch: FetchLike }).fetch(url, init)),
    now,
    emit: (event) => {
      try {
        onEvent?.(event);
      } catch {
        // A failing listener must not fail a response.
      }
    },
  };
}

function requireType(options: RelayOptions, name: keyof RelayOptions, type: string, required: boolean): void {
  const value = options[name];
  if (typeof value !== type && (required || value !== undefined)) throw new TypeError(`${name} must be a ${type}`);
}

/** Rejects a URL below which `targetOf` would not match the relay's own paths. */
function publicUrlOf(publicUrl: string, allowInsecureHttp: boolean): string {
  const address = baseAddress('publicUrl', publicUrl, allowInsecureHttp);
  if (targetOf(address.toLowerCase() + versionPath) === null) refuse('publicUrl must not have empty, dotted or escaped segments');
  return address;
}

function originsOf(origins: unknown): '*' | readonly string[] {
  if (origins === '*') return origins;
  if (!Array.isArray(origins)) throw new TypeError("origins must be '*' or an array");
  for (const origin of origins) {
    if (typeof origin !== 'string') throw new TypeError('every origin must be a string');
    // Extensions have schemes of their own.
    if (!/^[a-z][a-z\d+.-]*:\/\/[^/\s?#@,*]+$/i.test(origin)) refuse('every origin must look like https://host.example');
  }
  // Browsers write schemes and hosts in lower case.
  return origins.map((origin: string) => origin.toLowerCase());
}
