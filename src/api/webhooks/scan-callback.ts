import { isBytes, isRecord } from '../../core/errors.js';
import { invalidWebhook, own, rawBytes, readObject } from './webhook-body.js';

/**
 * What the service sends to the callback URL of a scan. Its contents are not published, so this is PROVISIONAL and may change in any
 * release. As far as is known it is not signed: anyone who knows the URL can send one. Treat it only as a hint that a scan may be
 * ready, and ask the service for the result.
 */
export interface ScanCallback {
  /** The field names are guesses. */
  readonly provisional: true;
  /** The scan's id as sent; `null` if none was found. */
  readonly scanId: number | string | null;
  /** As sent; `null` if none was found. */
  readonly status: string | null;
  /** The whole payload. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/**
 * Reads the callback of a scan, raw or parsed: there is no signature that parsing could break. Provisional.
 *
 * @throws PortcullisError `INVALID_WEBHOOK` if it is not a JSON object, `LIMIT_EXCEEDED` if it is too large.
 */
export function readScanCallback(body: Uint8Array | string | object): ScanCallback {
  const raw = isRaw(body) ? readObject(rawBytes(body)) : requireObject(body);
  // At the top level, or wrapped like an event.
  const places = [raw, own(raw, 'data')].filter(isRecord);
  const scans = places.map((place) => own(place, 'scan')).filter(isRecord);
  return {
    provisional: true,
    scanId:
      firstOf(places, ['scanId', 'scan_id'], isScanId) ?? firstOf(scans, ['id'], isScanId) ?? firstOf(places, ['id'], isScanId),
    status: firstOf([...scans, ...places], ['status'], isText),
    raw,
  };
}

function isRaw(body: Uint8Array | string | object): body is Uint8Array | string {
  return typeof body === 'string' || isBytes(body);
}

function requireObject(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body !== 'object' || body === null) throw new TypeError('body must be bytes, a string or a parsed object');
  if (!isRecord(body)) throw invalidWebhook('is not a JSON object');
  return body;
}

function firstOf<T>(
  places: readonly Readonly<Record<string, unknown>>[],
  keys: readonly string[],
  fits: (value: unknown) => value is T,
): T | null {
  for (const place of places) {
    for (const key of keys) {
      const value = own(place, key);
      if (fits(value)) return value;
    }
  }
  return null;
}

function isScanId(value: unknown): value is number | string {
  return typeof value === 'number' ? Number.isSafeInteger(value) : isText(value) && value.length <= maxScanIdLength;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Longer than any known kind of id. */
const maxScanIdLength = 256;
