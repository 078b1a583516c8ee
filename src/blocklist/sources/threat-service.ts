import { fromBase64 } from '../../core/base64.js';
import { hasCode, isPortcullisError, known, PortcullisError, refuse } from '../../core/errors.js';
import { baseUrl } from '../../core/http/address.js';
import { type ApiOptions, createApi, unusable } from '../../core/http/http-api.js';
import type { HttpAnswer } from '../../core/http/send.js';
import { maxEntries } from '../../core/limits.js';
import { type Kind, type KindsOf, listOf, oneOf, optional } from '../../core/options/read-options.js';
import { invalidArtifact } from '../../core/prefixes/invalid.js';
import { isFailure, objectOf } from '../formats/spelling.js';
import type { SourceTerms } from '../model/source.js';
import { isParameter, type RiceEntries, type RiceNumbers } from './rice-numbers.js';
import { type ApiSettings, type ApiSourceOptions, apiKinds, type Signal, type TransportOptions } from './source-options.js';

/** Options of the sources whose service is known. */
export interface ThreatServiceOptions extends Omit<ApiSourceOptions, 'baseUrl' | 'idleTimeoutMs'> {
  readonly baseUrl?: string | undefined;
}

/** `ThreatServiceOptions` with their defaults. */
export type ThreatSettings = Omit<ApiSettings, 'fetch' | 'idleTimeoutMs'> & Pick<TransportOptions, 'fetch'>;

/** @param url The service's own, which a proxy replaces. */
export const threatKinds = (url: string): KindsOf<ThreatSettings> => {
  const { idleTimeoutMs: _, ...kinds } = apiKinds();
  return {
    ...kinds,
    baseUrl: optional(baseUrl, url),
    apiKey: (value, path, given) => {
      if (value === undefined && given?.['baseUrl'] === undefined)
        refuse(`${path} must be a key of your own, or baseUrl a proxy that adds one`);
      return kinds.apiKey(value, path);
    },
  };
};

/**
 * What Google asks of apps that warn about entries of its lists. The limit is a term of Safe Browsing; it is not known whether Web Risk has
 * one, so the same is kept there.
 *
 * @param link Google's page about its warnings.
 */
export const googleTerms = (link: string): SourceTerms => ({
  maxConfirmedMs: 30 * 60_000,
  advisory: {
    text: 'This page may be unsafe, according to a list of suspected pages. The list may be wrong: a page on it may be harmless, and one that is not on it may be unsafe.',
    link,
    attribution: 'Advisory provided by Google',
  },
});

/** The chosen lists, each named once. */
export const someOf = <Name extends string>(known: readonly Name[], byDefault: readonly Name[]): Kind<readonly Name[]> => {
  const names = listOf(oneOf(...known), known.length, 1);
  return (value = byDefault, path) => {
    const chosen = names(value, path);
    return new Set(chosen).size === chosen.length ? chosen : refuse(`${path} must have each name once`);
  };
};

export interface ServiceAnswer {
  readonly body: unknown;
  /** When the service answered, by its own clock; by the device's if the answer does not say. Epoch milliseconds. */
  readonly atMs: number;
}

/** A call without a body. */
export type Ask = (path: string, signal?: Signal) => Promise<ServiceAnswer>;

type AskSettings = Omit<ApiSettings, 'idleTimeoutMs'> & Pick<ApiOptions, 'binary'>;

/** Sends the key as a header. After the service asked for a pause, calls fail until its end without a request. */
export function createAsk(settings: AskSettings, timeoutMs: number, maxBytes: number): Ask {
  const { now } = settings;
  const api = createApi({ ...settings, timeoutMs, keyTimeoutMs: settings.timeoutMs, keyName: 'x-goog-api-key' });
  let pause = { fromMs: 0, untilMs: 0, status: 429 };
  return async (path, signal) => {
    const nowMs = now();
    if (pause.fromMs <= nowMs && nowMs < pause.untilMs) {
      throw new PortcullisError('TOO_MANY_REQUESTS', 'the service asked for a pause', {
        status: pause.status,
        retryAfterMs: pause.untilMs - nowMs,
      });
    }
    let date: string | null = null;
    const onAnswer = ({ headers }: HttpAnswer): void => {
      date = headers.get('date');
    };
    try {
      const body = await api({ method: 'GET', path }, { maxBytes, signal, onAnswer });
      // A browser hides the date unless the service permits it.
      return { body, atMs: Date.parse(date ?? '') || now() };
    } catch (error) {
      const { retryAfterMs = 0, status = 429 } = isPortcullisError(error) ? error : {};
      if (retryAfterMs > 0) pause = { fromMs: now(), untilMs: now() + retryAfterMs, status };
      if (!hasCode(error, 'BAD_REQUEST')) throw error;
      const message = 'the service answered 400: it refused the request, or the API key is invalid';
      throw new PortcullisError('BAD_REQUEST', message, known({ status: 400, retryAfterMs: error.retryAfterMs }));
    }
  };
}

export function queryOf(parameters: readonly (readonly [name: string, value: string])[]): string {
  return parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
}

/**
 * The object that an answer is in JSON.
 *
 * @throws PortcullisError `INVALID_RESPONSE` for any other value, and for an object that reports a failure
 */
export function answerObject(body: unknown): Readonly<Record<string, unknown>> {
  const answer = objectOf(body);
  if (answer !== body || isFailure(answer)) throw unusable('is not an answer');
  return answer;
}

/** Whether this is base64 of an opaque version that can be stored and sent back. The limit is many times the length of one. */
export function isVersion(text: unknown): text is string {
  return typeof text === 'string' && text.length <= 2_048 && /^[\w+/-]+=*$/.test(text);
}

/**
 * The version of a list in an answer; `undefined` if it has none.
 *
 * @throws PortcullisError `INVALID_RESPONSE`
 */
export function versionIn(text: unknown): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (!isVersion(text)) throw unusable('has no usable version of a list');
  return text;
}

/** @throws PortcullisError `INVALID_RESPONSE` */
export function bytesIn(text: unknown): Uint8Array {
  const bytes = text === undefined ? new Uint8Array(0) : typeof text === 'string' ? fromBase64(text) : null;
  if (bytes === null) throw unusable('has malformed base64');
  return bytes;
}

/** "1.5s" in milliseconds; `undefined` if it is absent. */
export function durationIn(text: unknown): number | undefined {
  if (text === undefined) return undefined;
  const [, seconds] = (typeof text === 'string' && /^(\d{1,12}(?:\.\d{1,9})?)s$/.exec(text)) || [];
  if (seconds === undefined) throw unusable('has a malformed duration');
  return Math.ceil(Number(seconds) * 1_000);
}

/** Numbers of Rice–Golomb coding as JSON has them, where the name of the count differs; `null` if they are absent. */
export function riceIn(value: unknown, countName: 'entriesCount' | 'entryCount'): RiceNumbers | null {
  if (value === undefined) return null;
  const { firstValue: first, riceParameter: parameter, encodedData, [countName]: count } = objectOf(value);
  return riceOf({ first, parameter, count, data: bytesIn(encodedData) });
}

interface RiceFields {
  readonly first: unknown;
  readonly count: unknown;
  readonly parameter: unknown;
  readonly data: Uint8Array;
}

/** @throws PortcullisError `INVALID_RESPONSE` */
export function riceOf(coded: RiceFields | undefined): RiceNumbers | null {
  if (coded === undefined) return null;
  const { first, count, parameter, data } = coded;
  return {
    first: wholeIn(first, 0xffff_ffff),
    count: wholeIn(count, maxEntries),
    parameter: wholeIn(parameter, 30),
    data,
  };
}

/**
 * @param parts The first number in parts of eight bytes, little-endian, the most significant part first.
 * @throws PortcullisError `INVALID_RESPONSE`
 */
export function riceEntriesOf(parts: readonly Uint8Array[], coded: Omit<RiceFields, 'first'>): RiceEntries {
  const first = new Uint8Array(8 * parts.length);
  for (const [at, part] of parts.entries()) first.set(Uint8Array.from(part).reverse(), 8 * at);
  const count = wholeIn(coded.count, maxEntries);
  const parameter = wholeIn(coded.parameter, 255);
  if (count > 0 && !isParameter(parameter, first.length)) throw unusable('has a malformed number');
  return { first, count, parameter, data: coded.data };
}

/**
 * A number of 64 bits in JSON, which writes it as text and leaves out zero, as eight bytes, little-endian.
 *
 * @throws PortcullisError `INVALID_RESPONSE`
 */
export function eightBytesIn(value: unknown = 0): Uint8Array {
  const bytes = new Uint8Array(8);
  const text = typeof value === 'string' ? value : Number.isSafeInteger(value) ? String(value) : '';
  if (!/^\d{1,20}$/.test(text)) throw unusable('has a malformed number');
  for (let at = 0; at < text.length; at++) {
    let carry = text.charCodeAt(at) - 0x30;
    for (let place = 0; place < 8; place++) {
      carry += bytes[place]! * 10;
      bytes[place] = carry;
      carry >>>= 8;
    }
    if (carry > 0) throw unusable('has a malformed number');
  }
  return bytes;
}

/** JSON writes 64-bit numbers as text, and leaves out zero. */
export function wholeIn(value: unknown = 0, max: number): number {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= max) return number;
  throw unusable('has a malformed number');
}

/** @throws PortcullisError `INVALID_RESPONSE` */
export function listIn(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw unusable('has an object where a list is expected');
  return value;
}

export function wrongChecksum(): PortcullisError {
  return invalidArtifact('the list does not match its checksum after the update');
}
