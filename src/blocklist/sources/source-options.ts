import { toHex } from '../../core/bytes.js';
import { refuse, type SignalLike } from '../../core/errors.js';
import { hashOf } from '../../core/hashing/sha256.js';
import { baseUrl } from '../../core/http/address.js';
import { type ApiKey, apiKey } from '../../core/http/api-key.js';
import { maxTimerMs } from '../../core/http/bounded.js';
import { headers } from '../../core/http/checked-headers.js';
import { type FetchLike, globals } from '../../core/http/fetch.js';
import { plainInit, rememberingLoops } from '../../core/http/follow.js';
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
  recordOf,
  text,
} from '../../core/options/read-options.js';
import { shortName } from '../formats/short-name.js';
import type { Source } from '../model/source.js';
import type { TrustedKeys, Verifier } from '../signatures/verifier.js';
import type { TransparencyLog } from '../transparency/transparency-log.js';

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
  /** Sends the requests. @default the platform's `fetch`, looked up at each request */
  readonly fetch?: FetchLike | undefined;
  /** The clock, in epoch milliseconds. @default Date.now */
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

/** Where the versions of a list must be written down. */
export interface LogOptions {
  /**
   * The log that must hold every version of the list: `transparencyLog` from `portcullis/log`. With witnesses, no device accepts a list that
   * others do not see. Needs `publicKeys`.
   *
   * @default no log
   */
  readonly log?: TransparencyLog | undefined;
}

/** What the list of a source must be. */
export interface ListOptions {
  /** The name that the list must have, as its publisher gave it. @default that of the first version, if it has one */
  readonly listName?: string | undefined;
  /** Accept an empty list at once if a checksum proves it. It makes everything clear. @default false: when the source offers it twice */
  readonly mayBeEmpty?: boolean | undefined;
}

export const listKinds = (): KindsOf<Filled<ListOptions, 'listName'>> => ({
  listName: optional(shortName),
  mayBeEmpty: optional(boolean, false),
});

/** Asks about hits so that one server learns who asks, and another one what: made by `oblivious` of `portcullis/ohttp`. */
export interface Oblivious {
  /**
   * The `confirm` of a source.
   *
   * @param url Of the list or service, whose operator must not run the relay as well.
   * @param create Makes the source that asks, with a `fetch` whose requests and responses only the gateway can read. It shares no state with the
   * one that polls: no version that a poll was shown must be in a question, and the host must not see in a poll that there was one.
   * @param isSigned Whether keys count that the list names, because they were signed. Otherwise only those count that the app gave.
   * @throws PortcullisError `INVALID_INPUT` without keys of either kind, and for a relay at the origin of `url`
   */
  confirmWith(url: string, create: (fetch: FetchLike) => Source, isSigned?: boolean): NonNullable<Source['confirm']>;
}

/** How a source asks about hits. */
export interface ObliviousOption {
  /**
   * Confirms hits through Oblivious HTTP and in no other way: `oblivious` of `portcullis/ohttp`. Lists are still fetched directly.
   * @default hits are confirmed directly
   */
  readonly ohttp?: Oblivious | undefined;
}

export const ohttpKinds = (): KindsOf<Filled<ObliviousOption, 'ohttp'>> => ({
  ohttp: optional(having<Oblivious>('what oblivious of portcullis/ohttp returns', 'confirmWith')),
});

/** Options of every source that uses the service's API. */
export interface ApiSourceOptions extends TransportOptions {
  /** Base URL of the service's API or of a relay, including its version segment if it has one. */
  readonly baseUrl: string;
  /** The API key, or a function that returns it, called for each request. It is sent to `baseUrl` only. A relay needs none. */
  readonly apiKey?: ApiKey | undefined;
  /** Extra headers for a gateway in front of the service. They are sent to `baseUrl` only. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Allow plain `http:` to another machine, which reveals the key to the network and lets others on it change the list. @default false */
  readonly allowInsecureHttp?: boolean | undefined;
}

/** Transport options with their defaults, and a `fetch` that is never missing. */
export interface Transport extends Filled<TransportOptions> {}

export const transportKinds = (): KindsOf<Filled<TransportOptions, 'fetch'>> => ({
  timeoutMs: optional(number(1, maxTimerMs), 10_000),
  artifactTimeoutMs: optional(number(1, maxTimerMs), 300_000),
  idleTimeoutMs: optional(number(1, maxTimerMs), 20_000),
  fetch: optional(func),
  now: clock,
});

export function transportOf<Values extends Pick<TransportOptions, 'fetch'> & Pick<Transport, 'now'>>(
  values: Values,
): Values & Pick<Transport, 'fetch'> {
  const { fetch, now } = values;
  const plain: FetchLike = (url, init) => {
    const options = plainInit(init);
    return fetch === undefined ? (globals as unknown as { fetch: FetchLike }).fetch(url, options) : fetch(url, options);
  };
  return { ...values, fetch: rememberingLoops(plain, now) };
}

export const signatureKinds = (): KindsOf<Filled<SignatureOptions, keyof SignatureOptions>> => ({
  publicKeys: optional(listOf(text(), 16, 1)),
  verifier: (value, path, given) => {
    // A key that is missing by mistake must not turn verification off.
    if ((value === undefined) !== (given?.['publicKeys'] === undefined))
      refuse(`${path} must be given together with publicKeys; pass ed25519 from portcullis/sources`);
    return optional(having<Verifier>('a verifier; pass ed25519 from portcullis/sources', 'trust'))(value, path);
  },
});

type Api = Filled<ApiSourceOptions, 'apiKey' | 'fetch'>;

/** `ApiSourceOptions` with their defaults. */
export type ApiSettings = Filled<ApiSourceOptions, 'apiKey'>;

export const apiKinds = (): KindsOf<Api> => ({
  ...transportKinds(),
  baseUrl,
  apiKey: optional(apiKey),
  headers,
  allowInsecureHttp: optional(boolean, false),
});

export const algorithmNames = (): Kind<Readonly<Record<string, string>>> => optional(recordOf(text()), {});

/** @throws PortcullisError `INVALID_INPUT` for a malformed key */
export function trustOf({ publicKeys, verifier }: SignatureOptions): TrustedKeys | undefined {
  return publicKeys && verifier!.trust(publicKeys);
}

/**
 * Names where versions come from, without repeating the address: it may be private, and it is stored. A list that was stored before the app
 * demanded signatures or a log is not used, and its sequence does not count; nor does one from when the app still did.
 */
export function originOf(url: string, trust: TrustedKeys | undefined, log?: TransparencyLog): string {
  return toHex(hashOf(`${url}${trust ? ' signed' : ''}${log ? ' logged' : ''}`)).slice(0, 16);
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
