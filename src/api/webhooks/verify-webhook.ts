import { type Abortable, PortcullisError, refuse } from '../../core/errors.js';
import { bodyHmacClaim, bodyHmacKeys } from './body-hmac.js';
import { type Claim, holds } from './hmac.js';
import { defaultStandardToleranceMs, standardClaim, standardKeys } from './standard-webhooks.js';
import { rawBytes } from './webhook-body.js';
import { fingerprintOf } from './webhook-duplicates.js';
import { readEvent, type WebhookEvent } from './webhook-events.js';
import type { WebhookHeaders } from './webhook-headers.js';
import { readRequestBody, type WebhookRequest } from './webhook-request.js';

/**
 * How a delivery is signed. `body-hmac`: a header `X-…-Signature: sha256=<hex>` that signs the raw body. `standard`: the three
 * `webhook-…` headers of Standard Webhooks 1.0.
 */
export type WebhookScheme = 'body-hmac' | 'standard';

/** How to verify a delivery. */
export interface WebhookOptions {
  /** The webhook's secret, or both during a rotation. At most 16. */
  readonly secrets: string | readonly string[];
  /** @default 'body-hmac' */
  readonly scheme?: WebhookScheme | undefined;
  /**
   * Name of the signature header, case-insensitive; for `body-hmac` only.
   * @default every header named `X-…-Signature`
   */
  readonly header?: string | undefined;
  /**
   * How far the signed time may be from now, in milliseconds, either way. For `standard` it is the time in the header. For
   * `body-hmac` it is the event's own `created_at`; an event without one is then rejected.
   *
   * @default 300_000 for `standard`; not checked for `body-hmac`, because a repeated delivery may be late
   */
  readonly toleranceMs?: number | undefined;
  /** The clock. @default Date.now */
  readonly now?: (() => number) | undefined;
}

/** How to verify a request and read its body. */
export interface WebhookRequestOptions extends WebhookOptions {
  /** Aborts reading the body: at once if the signal emits `abort`, otherwise at the next chunk. */
  readonly signal?: Abortable | undefined;
}

/**
 * Verifies the signature of a delivery and returns its event.
 *
 * @param body The raw body, before any parsing.
 * @param headers A `Headers`, Node's `request.headers`, a `Map`, or pairs.
 * @throws PortcullisError `SIGNATURE_MISSING`, `SIGNATURE_INVALID`, `TIMESTAMP_OUT_OF_RANGE`, `INVALID_WEBHOOK`,
 * `LIMIT_EXCEEDED` for the delivery; `INVALID_INPUT` for invalid options.
 */
export function verifyWebhook(body: Uint8Array | string, headers: WebhookHeaders, options: WebhookOptions): WebhookEvent {
  const bytes = rawBytes(body);
  return decide(claimOf(headers, options), bytes, options);
}

/**
 * Verifies a Fetch `Request`, whose body it reads, at most 1 MiB.
 *
 * @throws PortcullisError like `verifyWebhook`; `INVALID_INPUT` also for a body that was already read, `ABORTED` by the signal,
 * `NETWORK` if the body cannot be read to its end.
 */
export async function verifyWebhookRequest(request: WebhookRequest, options: WebhookRequestOptions): Promise<WebhookEvent> {
  if (typeof request !== 'object' || request === null) throw new TypeError('request must be a Fetch Request');
  // Headers first, so that the body of an unsigned request is never read.
  const claim = claimOf(request.headers, options);
  return decide(claim, await readRequestBody(request, options.signal), options);
}

/**
 * Checks options before the first delivery.
 *
 * @throws TypeError, PortcullisError `INVALID_INPUT`
 */
export function requireWebhookOptions(options: WebhookOptions): void {
  requireOptions(options);
  if (options.scheme === 'standard') standardKeys(options);
  else bodyHmacKeys(options);
}

function claimOf(headers: WebhookHeaders, options: WebhookOptions): Claim {
  requireOptions(options);
  return options.scheme === 'standard' ? standardClaim(headers, options) : bodyHmacClaim(headers, options);
}

function requireOptions(options: WebhookOptions): void {
  if (typeof options !== 'object' || options === null) throw new TypeError('options must be an object with secrets');
  const { scheme, header, toleranceMs, now } = options;
  if (scheme !== undefined && typeof scheme !== 'string') throw new TypeError('scheme must be a string');
  if (scheme !== undefined && scheme !== 'body-hmac' && scheme !== 'standard') refuse("scheme must be 'body-hmac' or 'standard'");
  if (header !== undefined && typeof header !== 'string') throw new TypeError('header must be a string');
  if (toleranceMs !== undefined && typeof toleranceMs !== 'number') throw new TypeError('toleranceMs must be a number');
  if (now !== undefined && typeof now !== 'function') throw new TypeError('now must be a function');
  // This is also true for NaN.
  if (toleranceMs !== undefined && !(toleranceMs >= 0)) refuse('toleranceMs must not be negative');
}

/** The order matters: nothing in the body is read before its signature is verified. */
function decide(claim: Claim, body: Uint8Array, { scheme, toleranceMs, now = Date.now }: WebhookOptions): WebhookEvent {
  if (!holds(claim, body)) {
    throw new PortcullisError(
      'SIGNATURE_INVALID',
      'no secret matches the signature; check the secret, and that the body is raw rather than parsed and serialized again',
    );
  }
  if (scheme === 'standard') requireNear(claim.signedAtMs, toleranceMs ?? defaultStandardToleranceMs, now);
  const event = readEvent(body, claim.id, fingerprintOf(body));
  if (scheme !== 'standard' && toleranceMs !== undefined) requireNear(event.createdAtMs, toleranceMs, now);
  return event;
}

/** Also rejects if the clock returns NaN. */
function requireNear(timeMs: number | null, toleranceMs: number, now: () => number): void {
  if (toleranceMs === Number.POSITIVE_INFINITY) return;
  if (timeMs === null)
    throw new PortcullisError('TIMESTAMP_OUT_OF_RANGE', 'the event has no created_at to check against toleranceMs');
  const ageMs = now() - timeMs;
  if (Math.abs(ageMs) <= toleranceMs) return;
  const where = ageMs < 0 ? 'in the future' : 'in the past';
  throw new PortcullisError(
    'TIMESTAMP_OUT_OF_RANGE',
    `the signature is valid, but its time is more than ${toleranceMs} ms ${where}`,
  );
}
