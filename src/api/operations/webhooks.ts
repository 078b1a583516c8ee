import { provisional, text } from './fields.js';
import { array, loose, made, typed } from './kinds.js';
import { type About, write } from './operation.js';
import { webhookAnswer } from './provisional-answers.js';
import * as enums from './value-lists.js';

/** Receivers of events. */
export const webhooks = /* @__PURE__ */ made(() => ({
  /** Create a webhook for the organization. Its secret is shown only in this response. */
  config: write('webhookConfig', 'POST', {
    slugAs: 'slug',
    input: loose({
      slug: provisional(text),
      url: provisional(text),
      description: provisional(text),
      events: provisional(array(enums.webhookEvent)),
    }),
    output: typed<typeof webhookAnswer>(),
  }),
}));

export const aboutWebhooks: About<typeof webhooks> = {
  config: [
    'Create a webhook for the organization. Its secret is shown only in this response.',
    'provisional public provisional provisional',
    { output: webhookAnswer },
  ],
};
