import { number, provisional, text } from './fields.js';
import { loose, made, typed } from './kinds.js';
import { type About, read } from './operation.js';
import * as answers from './provisional-answers.js';

/** The state of the service's own queues. */
export const queues = /* @__PURE__ */ made(() => ({
  /** Get what awaits review and takedown, by age and by the promised response time. */
  snapshot: read('operationsQueuesSnapshot', 'POST', {
    slugAs: 'slug',
    input: loose({
      /** The organization, by its slug. */ slug: provisional(text),
      /** After how many hours a wait is too long. */ windowHours: provisional(number),
    }),
    output: typed<answers.QueuesAnswer>(),
  }),
}));

export const aboutQueues: About<typeof queues> = {
  snapshot: ['provisional public provisional provisional', { output: answers.queuesAnswer }],
};
