import { algorithmNames } from '../../blocklist/sources/source-options.js';
import { refuse } from '../../core/errors.js';
import { baseUrl } from '../../core/http/address.js';
import { apiKey } from '../../core/http/api-key.js';
import { maxTimerMs } from '../../core/http/bounded.js';
import type { FetchLike } from '../../core/http/fetch.js';
import {
  boolean,
  clock,
  type Filled,
  func,
  having,
  type Kind,
  type KindsOf,
  listOf,
  number,
  optional,
  readOptions,
  text,
  whole,
} from '../../core/options/read-options.js';
import type { FetchContext } from '../http/fetch-handler.js';
import { maxProxies } from '../http/forwarded-for.js';
import { quietly } from '../http/quiet-listener.js';
import type { ObliviousGateway } from '../ohttp/gateway.js';
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
  /**
   * What `obliviousGateway` returns. `POST /ohttp` below the mount path answers questions that another party's relay passes on, and
   * `GET /ohttp` has the key list. Their clients cannot be told apart, so they share `sharedPerMinute`; each
   * of their confirmations asks the service and counts for `upstreamPerMinute`, because a cached answer would come sooner and tell the
   * other relay what was asked.
   */
  readonly ohttp?: Pick<ObliviousGateway, 'answer' | 'metrics'>;
  /** Allow plain `http:` to another machine in `baseUrl` and `publicUrl`. @default false */
  readonly allowInsecureHttp?: boolean;
  /** Receives operational events. They never contain a prefix, an address or a third party's message. Errors it throws are ignored. */
  readonly onEvent?: (event: RelayEvent) => void;
  /** Sends the requests to the service. @default the platform's `fetch` */
  readonly fetch?: FetchLike;
  /** The clock, in epoch milliseconds. @default Date.now */
  readonly now?: () => number;
}

/**
 * What the platform knows about a request beyond the `Request` object. A worker that ends with its first client would cancel work that
 * other clients wait for, unless `waitUntil` keeps it alive.
 */
export interface RelayContext extends FetchContext {}

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

type Values = Filled<RelayOptions, 'clientOf' | 'trustForwardedFor' | 'ohttp' | 'onEvent' | 'fetch'>;

/** Validated options with defaults applied. */
export interface Settings extends Omit<Values, 'onEvent' | 'fetch'> {
  readonly fetch: FetchLike;
  readonly emit: (event: RelayEvent) => void;
}

const dayMs = 86_400_000;

export const relayKinds = (): KindsOf<Values> => ({
  baseUrl,
  apiKey,
  publicUrl(value, path, given) {
    const address = baseUrl(value, path, given);
    // Below such a URL, `targetOf` would not match the relay's own paths.
    if (targetOf(address.toLowerCase() + versionPath) === null) refuse(`${path} must not have empty, dotted or escaped segments`);
    return address;
  },
  algorithms: algorithmNames(),
  calibrate: optional(boolean, true),
  origins: optional(origins, '*'),
  clientOf: optional(func),
  trustForwardedFor: optional(whole(1, maxProxies)),
  clientPerMinute: optional(number(1, 1e9), 120),
  sharedPerMinute: optional(number(1, 1e9), 12_000),
  upstreamPerMinute: optional(number(1, 1e9), 600),
  versionTtlMs: optional(number(1_000, dayMs), 60_000),
  // After a day every client considers its list stale.
  maxStaleMs: optional(number(0, dayMs), 3_600_000),
  confirmTtlMs: optional(number(0, 3_600_000), 60_000),
  timeoutMs: optional(number(1, Math.floor(maxTimerMs / 2)), 10_000),
  artifactTimeoutMs: optional(number(1, Math.floor(maxTimerMs / 2)), 60_000),
  maxCacheBytes: optional(whole(1024, 2 ** 31), 64 * 1024 * 1024),
  // The body limit in confirm-question.ts fits this many.
  maxPrefixes: optional(whole(1, 2_000), 1_000),
  ohttp: optional(having<Pick<ObliviousGateway, 'answer' | 'metrics'>>('what obliviousGateway returns', 'answer', 'metrics')),
  allowInsecureHttp: optional(boolean, false),
  onEvent: optional(func),
  fetch: optional(func),
  now: clock,
});

/** @throws PortcullisError `INVALID_INPUT` */
export function relaySettingsOf(options: RelayOptions): Settings {
  const { onEvent, fetch, ...values } = readOptions('createRelay', relayKinds(), options);
  return {
    ...values,
    // Looked up at each call, so that a `fetch` replaced later, by a test or a monitor, is used.
    fetch: fetch ?? ((url, init) => (globalThis as unknown as { fetch: FetchLike }).fetch(url, init)),
    emit: quietly(onEvent),
  };
}

const origins: Kind<'*' | readonly string[]> = (value, path) => {
  if (value === '*') return value;
  if (!Array.isArray(value)) refuse(`${path} must be '*' or an array`);
  // Extensions have schemes of their own.
  const all = listOf(text('an origin such as https://host.example', /^[a-z][a-z\d+.-]*:\/\/[^/\s?#@,*]+$/i))(value, path);
  // Browsers write schemes and hosts in lower case.
  return all.map((origin) => origin.toLowerCase());
};
