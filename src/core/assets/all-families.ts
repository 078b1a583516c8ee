import { secrets } from './all-secrets.js';
import type { Family } from './asset.js';
import { chains } from './chains/chains.js';
import { email } from './contact/email.js';
import { phone } from './contact/phone.js';
import { evm } from './evm.js';
import { ipfs } from './ipfs/ipfs.js';
import { ensNames } from './names/ens-names.js';
import { platformTables } from './platforms/all-platforms.js';
import { platforms } from './platforms/platforms.js';
import { wrappers } from './wrappers.js';

/** Every asset family besides links, which the root reads: 92 types in 33 kB. */
export const allFamilies: readonly Family[] = /* @__PURE__ */ everyFamily();

/** A function, because a bundler cannot drop a call with a spread argument. */
function everyFamily(): readonly Family[] {
  return [chains, evm, email, phone, platforms(...platformTables), ipfs, ensNames, wrappers, secrets];
}
