import { toHex } from '../../core/bytes.js';
import { refuse, requireNumber, requireObject, requireString, type SignalLike } from '../../core/errors.js';
import { hashOf } from '../../core/hashing/sha256.js';
import { baseAddress } from '../../core/http/address.js';
import { type ApiKey, isKey } from '../../core/http/api-key.js';
import { maxTimerMs } from '../../core/http/bounded.js';
import { checkedHeaders } from '../../core/http/checked-headers.js';
import { type FetchLike, globals } from '../../core/http/fetch.js';
import { plainInit } from '../../core/http/follow.js';
import type { TrustedKeys, Verifier } from '../signatures/verifier.js';

/** Options of every source that uses the network. */
export interface TransportOptions {
  /** Longest wait for a complete answer other than a file, and for the key, in milliseconds. @default 10_000 */
  readonly timeoutMs?: number | undefined;
  /** Longest time for one file, in milliseconds: 11 MB at 40 kB per second. @default 300_000 */
  readonly artifactTimeoutMs?: number | undefined;
  /**
   * Longest time without progress while a file arrives, in milliseconds. Has no effect in React Native, whose `fetch` returns a file only
   * when it is complete. @default 20_000
   */
  readonly idleTimeoutMs?: number | undefined;
  /** @default the platform's `fetch`, looked up at each request */
  readonly fetch?: FetchLike | undefined;
  /** Clock in epoch milliseconds. @default Date.now */
  readonly now?: (() => number) | undefined;
}

/** Which signatures a source requires. */
export interface SignatureOptions {
  /**
   * The publisher's public keys, each in base64, as `portcullis keygen` prints it. Then only a list that one of them signed is accepted.
   * @default signatures are not verified
   */
  readonly publicKeys?: readonly string[] | undefined;
  /** Verifies the signatures: `ed25519` from `portcullis/sources`. Required with `publicKeys`. */
  readonly verifier?: Verifier | undefined;
}

/** Options of every source that uses the service's API. */
export interface ApiSourceOptions extends TransportOptions {
  /** Base URL of the service's API or of a relay, including its version segment if it has one. */
  readonly baseUrl: string;
  /** The API key, or a function that returns it, called for each request. It is sent to `baseUrl` only. A relay needs none. */
  readonly apiKey?: ApiKey | undefined;
  /** Extra headers for a gateway in front of the service. They are sent to `baseUrl` only. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Allow plain `http:` to another machine, which reveals the key to the network. @default false */
  readonly allowInsecureHttp?: boolean | undefined;
}

/** Validated, with defaults applied. */
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
      return fetch === undefined ? (globals as unknown as { fetch: FetchLike }).fetch(url, plain) : fetch(url, plain);
    },
    now,
    timeoutMs: requireNumber(options.timeoutMs ?? 10_000, 'timeoutMs', 1, maxTimerMs),
    artifactTimeoutMs: requireNumber(options.artifactTimeoutMs ?? 300_000, 'artifactTimeoutMs', 1, maxTimerMs),
    idleTimeoutMs: requireNumber(options.idleTimeoutMs ?? 20_000, 'idleTimeoutMs', 1, maxTimerMs),
  };
}

export interface ApiSettings extends Transport {
  readonly baseUrl: string;
  readonly apiKey: ApiKey | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Validates the options once. No message repeats a value, because it may be a secret.
 * @throws TypeError, INVALID_INPUT
 */
export function apiSettingsOf(options: ApiSourceOptions): ApiSettings {
  requireOptions(options);
  const { baseUrl, apiKey, headers, allowInsecureHttp = false } = options;
  requireString(baseUrl, 'baseUrl');
  if (apiKey !== undefined && typeof apiKey !== 'function') requireString(apiKey, 'apiKey');
  if (typeof apiKey === 'string' && !isKey(apiKey)) refuse('apiKey must be visible ASCII');
  return {
    ...transportOf(options),
    baseUrl: baseAddress('baseUrl', baseUrl, allowInsecureHttp),
    apiKey,
    headers: checkedHeaders(headers),
  };
}

/** Copies the object, so that later changes to it have no effect. */
export function algorithmsOf(algorithms: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  requireObject(algorithms, 'algorithms');
  for (const name of Object.values(algorithms)) requireString(name, 'an algorithm');
  return { ...algorithms };
}

export function requireOptions(options: unknown): void {
  requireObject(options, 'options');
}

/** An option that is ignored would read more than its caller wants. @throws TypeError */
export function requireNoFamilies(options: object, name: string): void {
  for (const option of ['families', 'algorithms']) {
    if (option in Object(options))
      throw new TypeError(`unknown option ${option} of ${name}; createCoreBlocklist and createTextSource take it`);
  }
}

export function idOf(id: unknown): string {
  requireString(id, 'id');
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(id))
    refuse('id must be 1 to 64 characters of a-z, 0-9, ".", "_" and "-", starting with a letter or digit');
  return id;
}

/** @throws TypeError, PortcullisError `INVALID_INPUT` */
export function trustOf(options: SignatureOptions): TrustedKeys | undefined {
  // A misspelled option must not turn verification off.
  if ('publicKey' in options) throw new TypeError('unknown option publicKey; use publicKeys: [key]');
  const { publicKeys, verifier } = options;
  if (publicKeys === undefined && verifier === undefined) return undefined;
  // A key that is missing by mistake must not turn verification off.
  if (publicKeys === undefined) throw new TypeError('verifier needs publicKeys');
  if (typeof verifier?.trust !== 'function') {
    throw new TypeError('publicKeys need a verifier; pass ed25519 from portcullis/sources');
  }
  return verifier.trust(publicKeys);
}

/**
 * Names where versions come from, without repeating the address: it may be private, and it is stored. What an unsigned list said about its
 * order does not bind a signed one.
 */
export function originOf(url: string, trust: TrustedKeys | undefined): string {
  return toHex(hashOf(trust === undefined ? url : `${url} signed`)).slice(0, 16);
}

/** Calls a listener, whose errors must not fail the reading. */
export function notify<Value>(listener: ((value: Value) => void) | undefined, value: Value): void {
  try {
    listener?.(value);
  } catch {}
}

/** Rejects a version that another source returned. */
export function refuseForeignVersion(): never {
  refuse('the version belongs to another source');
}

export type Signal = SignalLike | undefined;
