/**
 * The same `createBlocklist` with only the asset families that are handed in, for the smallest bundle.
 *
 * @packageDocumentation
 */
export type { Algorithm } from '../algorithms/algorithm.js';
export { type AlgorithmOptions, type Assets, type AssetsOptions, createAssets } from '../algorithms/assets.js';
export { safeBrowsing4 } from '../algorithms/safe-browsing-4.js';
export type { Asset, AssetHint, Candidate, Family, Refusal, RefusalReason } from '../assets/asset.js';
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
} from '../assets/chains/index.js';
export { email } from '../assets/contact/email.js';
export { phone } from '../assets/contact/phone.js';
export { evm } from '../assets/evm.js';
export { ipfs } from '../assets/ipfs/ipfs.js';
export { names } from '../assets/names/names.js';
export { ads } from '../assets/platforms/ads.js';
export { documents } from '../assets/platforms/documents.js';
export { media } from '../assets/platforms/media.js';
export { messengers } from '../assets/platforms/messengers.js';
export { packages } from '../assets/platforms/packages.js';
export { platforms } from '../assets/platforms/platforms.js';
export { shops } from '../assets/platforms/shops.js';
export { social } from '../assets/platforms/social.js';
export { stores } from '../assets/platforms/stores.js';
export type { Table } from '../assets/platforms/table.js';
export { wallets } from '../assets/platforms/wallets.js';
export type { AssetType } from '../assets/types.js';
export { type CoreOptions, createBlocklist } from '../blocklist/create-core.js';
export { type ErrorCode, isPortcullisError, PortcullisError } from '../errors.js';
export { createFinder, type FindAssets, type FindOptions, type FoundAsset } from '../find/find.js';
export { prefixOf } from '../hashing/prefix.js';
export { hashOf } from '../hashing/sha256.js';
export { PrefixSet, type WorkOptions } from '../prefixes/prefix-set.js';
export * from './blocklist-types.js';
