import { facetsOf } from '../../../api/operations/kinds.js';
import { webhookEvent } from '../../../api/operations/value-lists.js';
import { Problem } from '../http/problem.js';
import { requireUrl } from '../records/urls.js';
import { randomHex } from '../state/chance.js';
import { type Handlers, organizationOf } from './handler-context.js';

/** Webhooks of one organization. */
const maxWebhooks = 20;

export const webhookHandlers = {
  // provisional: the names, and that each call creates a webhook.
  webhookConfig(call, { url, description, events }) {
    const { id: organizationId } = organizationOf(call);
    const { state, random, settings } = call;
    if (typeof url !== 'string') throw new Problem(400, 'url is missing.');
    requireUrl('url', url, settings.allowPrivateTargets);
    if (state.where('webhooks', 'organizationId', organizationId).length >= maxWebhooks) {
      throw new Problem(400, `An organization can have at most ${maxWebhooks} webhooks.`);
    }
    const all = (facetsOf(webhookEvent) as { enum: readonly string[] }).enum;
    const secret = `whs_${randomHex(random, 6)}`;
    const webhook = state.add('webhooks', {
      organizationId,
      url,
      description: description ?? null,
      events: events ?? all,
      secret,
    });
    return { id: webhook.id, url, events: [...webhook.events], secret };
  },
} satisfies Partial<Handlers>;
