import { type Abortable, PortcullisError } from '../../core/errors.js';
import { bodyHmacClaim } from './body-hmac.js';
import { type Claim, holds } from './hmac.js';
import { standardClaim, standardToleranceMs } from './standard-webhooks.js';
import { rawBytes } from './webhook-body.js';
import { fingerprintOf } from './webhook-duplicates.js';
import { readEvent, type WebhookEvent } from './webhook-events.js';
import type { WebhookHeaders } from './webhook-headers.js';
import { readRequestBody, type WebhookRequest } from './webhook-request.js';

/**
 * How a delivery is signed. `body-hmac`: a header `X-…-Signature: sha256=<hex>` over the raw body. `standard`: the three
 * `webhook-…` headers of Standard Webhooks 1.0.
 */
export type WebhookScheme = 'body-hmac' | 'standard';

/** How deliveries are signed. */
export interface WebhookOptions {
  /** The webhook's secret; while one is being replaced, both. At most 16. */
  readonly secrets: string | readonly string[];
  /** @default 'body-hmac' */
  readonly scheme?: WebhookScheme | undefined;
  /**
   * Name of the signature's header, in any case; only for `body-hmac`.
   * @default every header of the form `X-…-Signature`
   */
  readonly header?: string | undefined;
  /**
   * How far the signed time may be from now, in milliseconds, either way. For `standard` that is the header's time. `body-hmac`
   * signs none but what the event says of itself (`created_at`); an event that does not say it is then refused.
   * @default 300_000 for `standard`; not checked for `body-hmac`, because a repeated delivery may be late
   */
  readonly toleranceMs?: number | undefined;
  /** The clock. @default Date.now */
  readonly now?: (() => number) | undefined;
}

/** The same, for a request whose body is still to be read. */
export interface WebhookRequestOptions extends WebhookOptions {
  /** Ends the reading of a body that does not come; looked at between its parts, and at once where it tells of its end. */
  readonly signal?: Abortable | undefined;
}

/**
 * The event of a delivery whose signature holds.
 *
 * @param body The body as it came, before any parsing.
 * @param headers A `Headers`, Node's `request.headers`, a `Map`, or pairs.
 * @throws PortcullisError `SIGNATURE_MISSING`, `SIGNATURE_INVALID`, `TIMESTAMP_OUT_OF_RANGE`, `INVALID_WEBHOOK`,
 * `LIMIT_EXCEEDED` for the delivery; `INVALID_INPUT` for options that cannot be used.
 */
export function verifyWebhook(body: Uint8Array | string, headers: WebhookHeaders, options: WebhookOptions): WebhookEvent {
  const bytes = rawBytes(body);
  return decide(claimOf(headers, options), bytes, options);
}

/**
 * The same for a Fetch `Request`, whose body is read here and to its limit only.
 *
 * @throws PortcullisError as `verifyWebhook`; `INVALID_INPUT` also for a body that was read before, `ABORTED` when the signal
 * ends it, `NETWORK` when the body breaks off.
 */
export async function verifyWebhookRequest(request: WebhookRequest, options: WebhookRequestOptions): Promise<WebhookEvent> {
  if (typeof request !== 'object' || request === null) throw new TypeError('request must be a Request');
  // Headers first: who sends no signature is not listened to.
  const claim = claimOf(request.headers, options);
  return decide(claim, await readRequestBody(request, options.signal), options);
}

function claimOf(headers: WebhookHeaders, options: WebhookOptions): Claim {
  requireOptions(options);
  const { scheme = 'body-hmac' } = options;
  if (scheme === 'body-hmac') return bodyHmacClaim(headers, options);
  if (scheme === 'standard') return standardClaim(headers, options);
  throw new PortcullisError('INVALID_INPUT', "scheme must be 'body-hmac' or 'standard'");
}

function requireOptions(options: WebhookOptions): void {
  if (typeof options !== 'object' || options === null) throw new TypeError('options must be an object with secrets');
  const { scheme, header, toleranceMs, now } = options;
  if (scheme !== undefined && typeof scheme !== 'string') throw new TypeError('scheme must be a string');
  if (header !== undefined && typeof header !== 'string') throw new TypeError('header must be a string');
  if (toleranceMs !== undefined && typeof toleranceMs !== 'number') throw new TypeError('toleranceMs must be a number');
  if (now !== undefined && typeof now !== 'function') throw new TypeError('now must be a function');
  // Also refuses NaN.
  if (toleranceMs !== undefined && !(toleranceMs >= 0))
    throw new PortcullisError('INVALID_INPUT', 'toleranceMs must not be negative');
}

/** From here on the order matters: nothing in the body is looked at before its signature holds. */
function decide(claim: Claim, body: Uint8Array, { scheme, toleranceMs, now = Date.now }: WebhookOptions): WebhookEvent {
  if (!holds(claim, body)) {
    throw new PortcullisError(
      'SIGNATURE_INVALID',
      'none of the secrets makes this signature: check the secret, and that the body is raw, not parsed and written again',
    );
  }
  if (scheme === 'standard') requireNear(claim.signedAtMs, toleranceMs ?? standardToleranceMs, now);
  const event = readEvent(body, claim.id, fingerprintOf(body));
  if (scheme !== 'standard' && toleranceMs !== undefined) requireNear(event.createdAtMs, toleranceMs, now);
  return event;
}

/** Written so that a clock that gives no number refuses. */
function requireNear(timeMs: number | null, toleranceMs: number, now: () => number): void {
  if (toleranceMs === Number.POSITIVE_INFINITY) return;
  if (timeMs === null) throw new PortcullisError('TIMESTAMP_OUT_OF_RANGE', 'the event does not say when it was made');
  const ageMs = now() - timeMs;
  if (Math.abs(ageMs) <= toleranceMs) return;
  const where = ageMs < 0 ? 'in the future' : 'in the past';
  throw new PortcullisError(
    'TIMESTAMP_OUT_OF_RANGE',
    `the signature holds, but its time is more than ${toleranceMs} ms ${where}`,
  );
}
