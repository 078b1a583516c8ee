import { type Abortable, PortcullisError, refuse } from '../../core/errors.js';
import {
  abortable,
  clock,
  type Filled,
  type KindsOf,
  number,
  oneOf,
  optional,
  readOptions,
} from '../../core/options/read-options.js';
import { bodyHmacClaim, headerName } from './body-hmac.js';
import { type Claim, holds, secrets } from './hmac.js';
import { defaultStandardToleranceMs, standardClaim, standardKey } from './standard-webhooks.js';
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
  const settings = readOptions('verifyWebhook', webhookKinds(), options);
  return decide(claimOf(headers, settings), bytes, settings);
}

/**
 * Verifies a Fetch `Request`, whose body it reads, at most 1 MiB.
 *
 * @throws PortcullisError like `verifyWebhook`; `INVALID_INPUT` also for a body that was already read, `ABORTED` by the signal,
 * `NETWORK` if the body cannot be read to its end.
 */
export async function verifyWebhookRequest(request: WebhookRequest, options: WebhookRequestOptions): Promise<WebhookEvent> {
  if (typeof request !== 'object' || request === null) throw new TypeError('request must be a Fetch Request');
  const { signal, ...settings } = readOptions('verifyWebhookRequest', webhookRequestKinds(), options);
  // Headers first, so that the body of an unsigned request is never read.
  const claim = claimOf(request.headers, settings);
  return decide(claim, await readRequestBody(request, signal), settings);
}

/** The keys are read with the options, so that a bad secret is found before the first delivery. */
interface WebhookSettings extends Omit<Filled<WebhookOptions, 'header' | 'toleranceMs'>, 'secrets'> {
  readonly secrets: readonly string[];
}

export const webhookKinds = (): KindsOf<WebhookSettings> => ({
  secrets(value, path, given) {
    const all = secrets(value, path);
    if (given?.['scheme'] === 'standard') all.forEach((secret, at) => void standardKey(secret, `${path}[${at}]`));
    return all;
  },
  scheme: optional(oneOf<WebhookScheme>('body-hmac', 'standard'), 'body-hmac'),
  header(value, path, given) {
    if (value !== undefined && given?.['scheme'] === 'standard') refuse(`${path} must be left out with the scheme 'standard'`);
    return optional(headerName)(value, path);
  },
  toleranceMs: optional(number(0, Number.POSITIVE_INFINITY)),
  now: clock,
});

export const webhookRequestKinds = (): KindsOf<WebhookSettings & Pick<WebhookRequestOptions, 'signal'>> => ({
  ...webhookKinds(),
  signal: optional(abortable),
});

function claimOf(headers: WebhookHeaders, settings: WebhookSettings): Claim {
  return settings.scheme === 'standard' ? standardClaim(headers, settings) : bodyHmacClaim(headers, settings);
}

/** The order matters: nothing in the body is read before its signature is verified. */
function decide(claim: Claim, body: Uint8Array, { scheme, toleranceMs, now }: WebhookSettings): WebhookEvent {
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
