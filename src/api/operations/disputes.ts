import { text } from './fields.js';
import { made, object, strict } from './kinds.js';
import { type About, write } from './operation.js';
import * as z from './zod.js';

/** Disputes about a block. */
export const disputes = /* @__PURE__ */ made(() => ({
  /** Dispute an asset that is blocked by mistake. Once for each email address and asset. */
  create: write('disputeCreate', 'POST', {
    input: strict({
      /** The asset as text, such as a link or an address. */ content: text,
      /** The email address of the sender; needed unless the key belongs to a user with one. */ email: z.optional(text),
      /** Why the block is a mistake. */ description: z.optional(text),
    }),
    essential: 'id',
    output: object({
      /** The id of the dispute. */ id: text,
      /** The asset as text, such as a link or an address. */ content: text,
      /** An explanation for people. */ message: z.optional(text),
    }),
  }),
}));

export const aboutDisputes: About<typeof disputes> = {
  create: [
    'provisional public public public',
    { effect: ['stays', 'Files a dispute in the name of the given email address; no operation withdraws it.'], statuses: [404] },
  ],
};
