import { fromBase64 } from '../../core/base64.js';
import { isPortcullisError, PortcullisError, refuse } from '../../core/errors.js';
import { createApi, unusable } from '../../core/http/http-api.js';
import { maxEntries } from '../../core/limits.js';
import { invalidArtifact } from '../../core/prefixes/invalid.js';
import { objectOf } from '../formats/spelling.js';
import type { RiceNumbers } from './rice-numbers.js';
import { type ApiSettings, type ApiSourceOptions, apiSettingsOf, requireOptions, type Signal } from './source-options.js';

/** Options of the sources whose service is known. */
export interface ThreatServiceOptions extends Omit<ApiSourceOptions, 'baseUrl' | 'idleTimeoutMs'> {
  readonly baseUrl?: string | undefined;
}

/** @throws TypeError, PortcullisError `INVALID_INPUT` */
export function threatSettingsOf(options: ThreatServiceOptions, baseUrl: string): ApiSettings {
  requireOptions(options);
  if (options.apiKey === undefined && options.baseUrl === undefined) {
    refuse('apiKey is missing; create a key of your own, or set baseUrl to a proxy that adds one');
  }
  return apiSettingsOf({ ...options, baseUrl: options.baseUrl ?? baseUrl });
}

/** The chosen lists, each known and named once. */
export function requireSome<Name extends string>(chosen: readonly Name[], known: readonly Name[], option: string): void {
  if (!Array.isArray(chosen)) throw new TypeError(`${option} must be an array`);
  const isKnown = chosen.every((name) => known.includes(name)) && new Set(chosen).size === chosen.length;
  if (chosen.length === 0 || !isKnown) refuse(`${option} must be some of ${known.join(', ')}, each once`);
}

/** A call without a body. */
export type Ask = (path: string, signal?: Signal) => Promise<unknown>;

/** Sends the key as a header. After the service asked for a pause, calls fail until its end without a request. */
export function createAsk(settings: ApiSettings, timeoutMs: number, maxBytes: number): Ask {
  const { now } = settings;
  const api = createApi({ ...settings, timeoutMs, keyName: 'x-goog-api-key' });
  let pause = { fromMs: 0, untilMs: 0, status: 429 };
  return async (path, signal) => {
    const nowMs = now();
    if (pause.fromMs <= nowMs && nowMs < pause.untilMs) {
      throw new PortcullisError('TOO_MANY_REQUESTS', 'the service asked for a pause', {
        status: pause.status,
        retryAfterMs: pause.untilMs - nowMs,
      });
    }
    try {
      return await api({ method: 'GET', path }, { maxBytes, signal });
    } catch (error) {
      const { retryAfterMs = 0, status = 429 } = isPortcullisError(error) ? error : {};
      if (retryAfterMs > 0) pause = { fromMs: now(), untilMs: now() + retryAfterMs, status };
      throw error;
    }
  };
}

export function queryOf(parameters: readonly (readonly [name: string, value: string])[]): string {
  return parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
}

/** Whether this is base64 of an opaque version that can be stored and sent back. The limit is many times the length of one. */
export function isVersion(text: unknown): text is string {
  return typeof text === 'string' && text.length <= 2_048 && /^[\w+/-]+=*$/.test(text);
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

/** Numbers of Rice–Golomb coding, the names of whose properties differ; `null` if they are absent. */
export function riceIn(value: unknown, countName: 'entriesCount' | 'entryCount'): RiceNumbers | null {
  if (value === undefined) return null;
  const coded = objectOf(value);
  const first = wholeIn(coded['firstValue'], 0xffff_ffff);
  const count = wholeIn(coded[countName], maxEntries);
  const parameter = wholeIn(coded['riceParameter'], 30);
  return { first, count, parameter, data: bytesIn(coded['encodedData']) };
}

/** JSON writes 64-bit numbers as text, and leaves out zero. */
function wholeIn(value: unknown = 0, max: number): number {
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
