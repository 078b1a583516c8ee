/**
 * The same `createBlocklist` with only the asset families that are handed in, for the smallest bundle.
 *
 * @packageDocumentation
 */

export { type CoreOptions, createBlocklist } from '../blocklist/checks/create-core-blocklist.js';
export type { Algorithm } from '../core/algorithms/algorithm.js';
export { type AlgorithmOptions, type Assets, type AssetsOptions, createAssets } from '../core/algorithms/create-assets.js';
export { safeBrowsing4 } from '../core/algorithms/safe-browsing-4.js';
export type { Asset, AssetHint, Candidate, Family, Refusal, RefusalReason } from '../core/assets/asset.js';
export type { AssetType } from '../core/assets/asset-types.js';
export {
  algorand,
  bitcoin,
  cardano,
  chains,
  cosmos,
  hedera,
  hexAccounts,
  near,
  polkadot,
  solana,
  stellar,
  tezos,
  ton,
  tron,
  xrp,
} from '../core/assets/chains/chains.js';
export { email } from '../core/assets/contact/email.js';
export { phone } from '../core/assets/contact/phone.js';
export { evm } from '../core/assets/evm.js';
export { ipfs } from '../core/assets/ipfs/ipfs.js';
export { names } from '../core/assets/names/names.js';
export { ads } from '../core/assets/platforms/ads.js';
export { documents } from '../core/assets/platforms/documents.js';
export { media } from '../core/assets/platforms/media.js';
export { messengers } from '../core/assets/platforms/messengers.js';
export { packages } from '../core/assets/platforms/packages.js';
export type { Table } from '../core/assets/platforms/platform-table.js';
export { platforms } from '../core/assets/platforms/platforms.js';
export { shops } from '../core/assets/platforms/shops.js';
export { social } from '../core/assets/platforms/social.js';
export { stores } from '../core/assets/platforms/stores.js';
export { wallets } from '../core/assets/platforms/wallets.js';
export { type ErrorCode, isPortcullisError, PortcullisError } from '../core/errors.js';
export { createFinder, type FindAssets, type FindOptions, type FoundAsset } from '../core/find/find.js';
export { prefixOf } from '../core/hashing/prefix.js';
export { hashOf } from '../core/hashing/sha256.js';
export { PrefixSet, type WorkOptions } from '../core/prefixes/prefix-set.js';
export * from './blocklist-types.js';
