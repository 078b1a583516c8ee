import type { Family } from './asset.js';
import { chains } from './chains/chains.js';
import { email } from './contact/email.js';
import { phone } from './contact/phone.js';
import { evm } from './evm.js';
import { ipfs } from './ipfs/ipfs.js';
import { names } from './names/names.js';
import { tables } from './platforms/all-platforms.js';
import { platforms } from './platforms/platforms.js';

/** Every asset family there is, beside links. `/core` takes those it is given instead. */
export const families: readonly Family[] = [chains, evm, email, phone, /* @__PURE__ */ platforms(...tables), ipfs, names];
