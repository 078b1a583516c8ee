import { chains } from '../chains/chains.js';
import { evm } from '../evm.js';
import { adPlatforms } from './ad-platforms.js';
import { documentPlatforms } from './document-platforms.js';
import { explorerPlatforms } from './explorer-platforms.js';
import { mediaPlatforms } from './media-platforms.js';
import { messengerPlatforms } from './messenger-platforms.js';
import { packagePlatforms } from './package-platforms.js';
import type { PlatformTable } from './platform-table.js';
import { shopPlatforms } from './shop-platforms.js';
import { socialPlatforms } from './social-platforms.js';
import { storePlatforms } from './store-platforms.js';
import { web3Platforms } from './web3-platforms.js';

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
