import { verifyWebhookRequest, type WebhookOptions, webhookKinds } from '../../api/webhooks/verify-webhook.js';
import { createDuplicateFilter } from '../../api/webhooks/webhook-duplicates.js';
import type { WebhookEvent } from '../../api/webhooks/webhook-events.js';
import { internalsOf } from '../../blocklist/engine/internals.js';
import { handleWebhook } from '../../blocklist/extras/handle-webhook.js';
import type { Blocklist } from '../../blocklist/model/blocklist-interface.js';
import { hasCode, isPortcullisError, type PortcullisError } from '../../core/errors.js';
import { bounded } from '../../core/http/bounded.js';
import { HttpRefusal, wrongMethod } from '../../core/http/http-refusal.js';
import { type Filled, func, type KindsOf, optional, readOptions, text } from '../../core/options/read-options.js';
import { type FetchHandler, fetchOnly } from '../http/fetch-handler.js';
import { failed, refusalResponse } from '../http/refusal-response.js';

/** Options of `webhookReceiver`. */
export interface WebhookReceiverOptions extends WebhookOptions {
  /** The source whose service sends the events. @default every source that can confirm hits */
  readonly source?: string | undefined;
  /** Receives every verified event once. If it fails, the answer is 500, and the service repeats the delivery. */
  readonly onEvent?: ((event: WebhookEvent) => unknown) | undefined;
}

export const webhookReceiverKinds = (): KindsOf<Filled<WebhookReceiverOptions, Open>> => ({
  ...webhookKinds(),
  source: optional(text()),
  onEvent: optional(func),
});

type Open = 'header' | 'toleranceMs' | 'source' | 'onEvent';

/** How long the sender waits for the round; it goes on after the answer. */
const maxRoundMs = 5_000;

/**
 * Receives the service's webhook: verifies the signature, applies a new block at once, and runs a round for the rest. A delivery that
 * comes again is answered without doing it again.
 *
 * @throws TypeError if it is not a blocklist made by `createBlocklist` or `createCoreBlocklist`, PortcullisError `INVALID_INPUT` for options without a usable secret
 */
export function webhookReceiver(blocklist: Blocklist, options: WebhookReceiverOptions): FetchHandler {
  internalsOf(blocklist);
  const { source, onEvent, ...verifying } = readOptions('webhookReceiver', webhookReceiverKinds(), options);
  const duplicates = createDuplicateFilter({ now: verifying.now });
  return fetchOnly(async (request, { waitUntil }) => {
    if (request.method !== 'POST') {
      return refusalResponse(wrongMethod('POST'));
    }
    let event: WebhookEvent;
    try {
      event = await verifyWebhookRequest(request, { ...verifying, signal: request.signal });
    } catch (error) {
      return refusalResponse(isPortcullisError(error) ? refusalOf(error) : failed);
    }
    const id = event.id ?? event.fingerprint;
    if (duplicates.seen(id)) return new Response(null, { status: 204 });
    try {
      await onEvent?.(event);
      const round = handleWebhook(blocklist, event, { source });
      waitUntil?.(round);
      await bounded(maxRoundMs, undefined, () => round);
    } catch (error) {
      if (!hasCode(error, 'TIMEOUT')) {
        // Otherwise the next delivery would count as handled.
        duplicates.forget(id);
        return refusalResponse(failed);
      }
    }
    return new Response(null, { status: 204 });
  });
}

/** A mistake of the server, such as a body that was already read, must not look like a wrong signature. */
function refusalOf({ code }: PortcullisError): HttpRefusal {
  if (code === 'INVALID_INPUT') return failed;
  if (code === 'LIMIT_EXCEEDED') return new HttpRefusal(413, code, 'the delivery is too large');
  if (code === 'INVALID_WEBHOOK') return new HttpRefusal(400, code, 'the body is not an event');
  if (code === 'ABORTED' || code === 'NETWORK') return new HttpRefusal(408, code, 'the delivery did not arrive');
  return new HttpRefusal(401, code, 'the signature was not accepted');
}
