/**
 * Screens what a site asks a wallet to sign, before the wallet sees it.
 *
 * @packageDocumentation
 */

export { type ErrorCode, isPortcullisError, PortcullisError } from '../core/errors.js';
export {
  type AddressBook,
  type AddressFacts,
  createAddressBook,
  type ImitatedAddress,
} from '../guards/wallet/address-book.js';
export {
  type AnnouncementOptions,
  type AnnouncementTarget,
  announceProvider,
} from '../guards/wallet/announce-provider.js';
export type { PlainObject, PlainValue } from '../guards/wallet/plain-copy.js';
export type { GuardedProvider, ProviderRequest, WalletProvider } from '../guards/wallet/provider-members.js';
export { type PsbtOutput, type PsbtReading, type PsbtReadingOptions, readPsbt } from '../guards/wallet/psbt-reader.js';
export type { Party, TransactionReading } from '../guards/wallet/reading.js';
export {
  type PartiesScreened,
  type ScreenedParty,
  type ScreenRecipientsOptions,
  screenRecipients,
} from '../guards/wallet/screen-parties.js';
export { readSolanaTransaction, type SolanaReadingOptions } from '../guards/wallet/solana-reader.js';
export {
  guardProvider,
  type ScreenedRequest,
  type WalletDecision,
  type WalletGuardOptions,
  type WalletPolicy,
  type WalletRule,
} from '../guards/wallet/wallet-guard.js';
