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

/** Every asset family besides links. In `/core` the caller passes the families it needs. */
export const families: readonly Family[] = [
  chains,
  evm,
  email,
  phone,
  /* @__PURE__ */ platforms(...platformTables),
  ipfs,
  ensNames,
  wrappers,
  secrets,
];
