import { invalidWebhook, isObject, own, rawBytes, readObject } from './webhook-body.js';

/**
 * What the service sends to the address given with a scan. Nobody has published what it holds, so this is PROVISIONAL: it may
 * change in any release once that is known. As far as is known it is not signed either: anybody who learns the address can send
 * one. It is a hint that a scan may be ready, and nothing else; ask the service for that scan's result.
 */
export interface ScanCallback {
  /** Marks what was read by guesses. */
  readonly provisional: true;
  /** The scan, as sent; `null` where none was found. */
  readonly scanId: number | string | null;
  /** As sent; `null` where none was found. */
  readonly status: string | null;
  /** All that was sent. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/**
 * Reads a scan's callback: raw or parsed, because there is no signature that parsing could break. Provisional.
 *
 * @throws PortcullisError `INVALID_WEBHOOK` if it is no JSON object, `LIMIT_EXCEEDED` if it is too large.
 */
export function readScanCallback(body: Uint8Array | string | object): ScanCallback {
  const raw = isRaw(body) ? readObject(rawBytes(body)) : requireObject(body);
  // Either at the top or wrapped like an event.
  const places = [raw, own(raw, 'data')].filter(isObject);
  const scans = places.map((place) => own(place, 'scan')).filter(isObject);
  return {
    provisional: true,
    scanId:
      firstOf(places, ['scanId', 'scan_id'], isScanId) ?? firstOf(scans, ['id'], isScanId) ?? firstOf(places, ['id'], isScanId),
    status: firstOf([...scans, ...places], ['status'], isText),
    raw,
  };
}

function isRaw(body: Uint8Array | string | object): body is Uint8Array | string {
  return typeof body === 'string' || Object.prototype.toString.call(body) === '[object Uint8Array]';
}

function requireObject(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body !== 'object' || body === null) throw new TypeError('body must be bytes, a string or a parsed object');
  if (!isObject(body)) throw invalidWebhook('it is no JSON object');
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
  return typeof value === 'number' ? Number.isSafeInteger(value) : isText(value) && value.length <= scanIdLengthMax;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Longer than any kind of id; what is longer is not worth asking the service about. */
const scanIdLengthMax = 256;
