/**
 * `createCoreBlocklist`: a blocklist of only the asset families, algorithms and formats that are passed in, for a smaller bundle.
 *
 * @packageDocumentation
 */

export { type CoreOptions, createCoreBlocklist } from '../blocklist/engine/create-blocklist.js';
export { checkText } from '../blocklist/extras/check-text.js';
export { explain } from '../blocklist/extras/explain.js';
export { handleWebhook } from '../blocklist/extras/handle-webhook.js';
export { screen } from '../blocklist/extras/screen.js';
export {
  allFormats,
  autoFormat,
  csvFormat,
  dnsmasqFormat,
  filterFormat,
  hostsFormat,
  jsonFormat,
  phishingFormat,
  rpzFormat,
  unboundFormat,
  yamlFormat,
} from '../blocklist/lists/formats.js';
export type { FormatReader } from '../blocklist/lists/list-format.js';
export { type CreateTextSourceOptions, createTextSource } from '../blocklist/sources/text-source.js';
export type { Algorithm, Subject } from '../core/algorithms/algorithm.js';
export { type AlgorithmOptions, type Assets, type AssetsOptions, createAssets } from '../core/algorithms/create-assets.js';
export { safeBrowsing4 } from '../core/algorithms/safe-browsing-4.js';
export { safeBrowsing5 } from '../core/algorithms/safe-browsing-5.js';
export { allFamilies } from '../core/assets/all-families.js';
export { secrets } from '../core/assets/all-secrets.js';
export type { Asset, AssetHint, Candidate, Family, Refusal, RefusalReason } from '../core/assets/asset.js';
export type { AssetType } from '../core/assets/asset-types.js';
export {
  aeternity,
  algorand,
  bitcoin,
  cardano,
  casper,
  chains,
  ckb,
  conflux,
  cosmos,
  filecoin,
  hedera,
  hexAccounts,
  internetComputer,
  kadena,
  liquid,
  massa,
  monero,
  nano,
  near,
  payments,
  polkadot,
  solana,
  stacks,
  stellar,
  tezos,
  ton,
  tron,
  waves,
  xrp,
  zcash,
} from '../core/assets/chains/chains.js';
export { email } from '../core/assets/contact/email.js';
export { phone } from '../core/assets/contact/phone.js';
export { evm } from '../core/assets/evm.js';
export { ipfs } from '../core/assets/ipfs/ipfs.js';
export { ensNames } from '../core/assets/names/ens-names.js';
export { adPlatforms } from '../core/assets/platforms/ad-platforms.js';
export { documentPlatforms } from '../core/assets/platforms/document-platforms.js';
export { explorerPlatforms } from '../core/assets/platforms/explorer-platforms.js';
export { mediaPlatforms } from '../core/assets/platforms/media-platforms.js';
export { messengerPlatforms } from '../core/assets/platforms/messenger-platforms.js';
export { packagePlatforms } from '../core/assets/platforms/package-platforms.js';
export type { PlatformTable } from '../core/assets/platforms/platform-table.js';
export { platforms } from '../core/assets/platforms/platforms.js';
export { shopPlatforms } from '../core/assets/platforms/shop-platforms.js';
export { socialPlatforms } from '../core/assets/platforms/social-platforms.js';
export { storePlatforms } from '../core/assets/platforms/store-platforms.js';
export { web3Platforms } from '../core/assets/platforms/web3-platforms.js';
export { wrappers } from '../core/assets/wrappers.js';
export { type ErrorCode, isPortcullisError, PortcullisError } from '../core/errors.js';
export type { Certainty } from '../core/find/certainty.js';
export { createFinder, type FindAssets, type FinderOptions, type FindOptions, type FoundAsset } from '../core/find/find.js';
export type { IsTopLevelDomain } from '../core/find/names.js';
export { isTopLevelDomain } from '../core/find/top-level-domains.js';
export { prefixOf } from '../core/hashing/prefix.js';
export { hashOf } from '../core/hashing/sha256.js';
export { PrefixSet, type WorkOptions } from '../core/prefixes/prefix-set.js';
export * from './blocklist-types.js';
