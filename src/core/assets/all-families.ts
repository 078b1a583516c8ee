import { secrets } from './all-secrets.js';
import type { Family } from './asset.js';
import { chains } from './chains/chains.js';
import { email } from './contact/email.js';
import { phone } from './contact/phone.js';
import { evm } from './evm.js';
import { ipfs } from './ipfs/ipfs.js';
import { ensNames } from './names/ens-names.js';
import { adPlatforms } from './platforms/ad-platforms.js';
import { documentPlatforms } from './platforms/document-platforms.js';
import { explorerPlatforms } from './platforms/explorer-platforms.js';
import { mediaPlatforms } from './platforms/media-platforms.js';
import { messengerPlatforms } from './platforms/messenger-platforms.js';
import { packagePlatforms } from './platforms/package-platforms.js';
import type { PlatformTable } from './platforms/platform-table.js';
import { platforms } from './platforms/platforms.js';
import { shopPlatforms } from './platforms/shop-platforms.js';
import { socialPlatforms } from './platforms/social-platforms.js';
import { storePlatforms } from './platforms/store-platforms.js';
import { web3Platforms } from './platforms/web3-platforms.js';
import { wrappers } from './wrappers.js';

/** Every table. Where two platforms share a host, the more specific one comes first. */
export const platformTables: readonly PlatformTable[] = [
  adPlatforms,
  socialPlatforms,
  messengerPlatforms,
  mediaPlatforms,
  storePlatforms,
  shopPlatforms,
  packagePlatforms,
  documentPlatforms,
  web3Platforms,
  /* @__PURE__ */ explorerPlatforms(chains, evm),
];

/** Every asset family besides links, which the root reads: 92 types in 37 kB. */
export const allFamilies: readonly Family[] = /* @__PURE__ */ everyFamily();

/** A function, because a bundler cannot drop a call with a spread argument. */
function everyFamily(): readonly Family[] {
  return [chains, evm, email, phone, platforms(...platformTables), ipfs, ensNames, wrappers, secrets];
}
