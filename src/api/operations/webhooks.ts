import { provisional, text } from './fields.js';
import { array, loose, made, typed } from './kinds.js';
import { type About, write } from './operation.js';
import * as answers from './provisional-answers.js';
import * as enums from './value-lists.js';

/** Receivers of events. */
export const webhooks = /* @__PURE__ */ made(() => ({
  /** Create a webhook for the organization. Its secret is shown only in this response. */
  config: write('webhookConfig', 'POST', {
    slugAs: 'slug',
    input: loose({
      /** The organization, by its slug. */ slug: provisional(text),
      /** Where events are sent; `https:` only. */ url: provisional(text),
      /** A description of the webhook. */ description: provisional(text),
      /** The events to send. */ events: provisional(array(enums.webhookEvent)),
    }),
    output: typed<answers.WebhookAnswer>(),
  }),
}));

export const aboutWebhooks: About<typeof webhooks> = {
  config: [
    'provisional public provisional provisional',
    {
      effect: [
        'stays',
        'The service sends events of the organization to the given address from then on; no operation removes it.',
      ],
      output: answers.webhookAnswer,
    },
  ],
};
