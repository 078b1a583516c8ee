import type { Family } from './asset.js';
import { evm } from './evm.js';

/** Every asset family there is, beside links. `/core` takes those it is given instead. */
export const families: readonly Family[] = [evm];
