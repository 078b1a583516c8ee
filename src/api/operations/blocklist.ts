import { number, numberOrText, provisional, text } from './fields.js';
import { array, loose, made, madeLoose, sized, strict, typed } from './kinds.js';
import { type About, read } from './operation.js';
import * as answers from './provisional-answers.js';

/** Whether it is a number or a string is not published. */
const algoVersion = numberOrText;

/** One file of hashed prefixes; its keys are provisional. */
const artifact = /* @__PURE__ */ madeLoose(() => ({
  /** Changes whenever the file changes. */ token: provisional(text),
  /** How many prefixes the file has. */ count: provisional(number),
  /** Where the file is. */ url: provisional(text),
}));

/** The version of the list, and the hashes behind its prefixes. */
export const blocklist = /* @__PURE__ */ made(() => ({
  /**
   * Get the current version of the blocklist: its algorithm, its snapshot and its recent additions, each with a URL to fetch
   * it from.
   */
  version: read('assetBlocklistVersion', 'GET', {
    input: strict({}),
    essential: 'algoVersion',
    output: loose({
      /** The version of the algorithm that makes expressions of links. */ algoVersion,
      /** The whole list. */ snapshot: provisional(artifact),
      /** What was added since the snapshot. */ recent: provisional(artifact),
    }),
  }),
  /** Get the full hashes for prefixes that were found on the list. */
  confirm: read('assetBlocklistConfirm', 'POST', {
    input: loose({
      /** The version of the algorithm that makes expressions of links. */ algoVersion,
      /** The first four bytes of hashes, as eight hex digits each. */ prefixes: provisional(array(sized(8, 8))),
    }),
    output: typed<answers.ConfirmAnswer>(),
  }),
}));

export const aboutBlocklist: About<typeof blocklist> = {
  version: ['provisional public - public'],
  confirm: ['provisional public public provisional', { output: answers.confirmAnswer }],
};
