import * as z from 'zod/mini';
import { text } from './fields.js';
import { made, object, strict } from './kinds.js';
import { type About, write } from './operation.js';

/** Disputes about a block. */
export const disputes = /* @__PURE__ */ made(() => ({
  /** Dispute an asset that is blocked by mistake. Once for each email address and asset. */
  create: write('disputeCreate', 'POST', {
    input: strict({ content: text, email: z.optional(text), description: z.optional(text) }),
    essential: 'id',
    output: object({ id: text, content: text, message: z.optional(text) }),
  }),
}));

export const aboutDisputes: About<typeof disputes> = {
  create: [
    'Dispute an asset that is blocked by mistake. Once for each email address and asset.',
    'provisional public public public',
    { statuses: [404] },
  ],
};
