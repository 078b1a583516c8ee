import { number, provisional, text } from './fields.js';
import { loose, made, unshown } from './kinds.js';
import { type About, read } from './operation.js';

/** The state of the service's own queues. */
export const queues = /* @__PURE__ */ made(() => ({
  /** What waits for review and for takedown, by age and by what was promised. */
  snapshot: read('operationsQueuesSnapshot', 'POST /operations/queues/snapshot', {
    slugAs: 'slug',
    input: loose({ slug: provisional(text), windowHours: provisional(number) }),
    output: unshown,
  }),
}));

export const aboutQueues: About<typeof queues> = {
  snapshot: [
    'What waits for review and for takedown, by age and by what was promised.',
    'provisional public provisional provisional',
  ],
};
