import { number, provisional, text } from './fields.js';
import { loose, made, unshown } from './kinds.js';
import { type About, read } from './operation.js';

/** The group the service calls so: the state of its own queues. */
export const operations = /* @__PURE__ */ made(() => ({
  /** What waits for review and for takedown, by age and by what was promised. */
  queuesSnapshot: read('operationsQueuesSnapshot', 'POST /operations/queues/snapshot', {
    slugAs: 'slug',
    input: loose({ slug: provisional(text), windowHours: provisional(number) }),
    output: unshown,
  }),
}));

export const aboutOperations: About<typeof operations> = {
  queuesSnapshot: [
    'What waits for review and for takedown, by age and by what was promised.',
    'provisional public provisional provisional',
  ],
};
