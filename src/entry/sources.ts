/**
 * Where lists come from, the contract for a source of your own, and signatures: to verify them, and to sign a list of your own.
 *
 * @packageDocumentation
 */

export type { Confirmed } from '../blocklist/formats/confirm-answer.js';
export { WholeHashes } from '../blocklist/formats/whole-hashes.js';
export type { ListColumns, ListFormat } from '../blocklist/lists/list-entry.js';
export type { ListRefusal } from '../blocklist/lists/list-rules.js';
export { adviceFor } from '../blocklist/lists/refusal-advice.js';
export { SHARED_HOSTS, sharedHostsOf } from '../blocklist/lists/shared-hosts.js';
export type {
  Artifact,
  ArtifactCall,
  Calibration,
  Confirmation,
  ConfirmCall,
  ListPart,
  ListVersion,
  PreviousPart,
  Sample,
  SamplesCall,
  Source,
  SourceCall,
  SourceTerms,
  TokenHistory,
  Tokens,
  VersionCall,
} from '../blocklist/model/source.js';
export { ed25519, generateKeys, type KeyPair, type Signer, signerOf } from '../blocklist/signatures/ed25519.js';
export {
  type SignedVersion,
  type TrustedKeys,
  type Verifier,
  verifierOf,
} from '../blocklist/signatures/verifier.js';
export type { SkipReason } from '../blocklist/sources/asset-sorter.js';
export { type ListSourceOptions, type ListSourceReport, listSource } from '../blocklist/sources/list-source.js';
export { type PublishedSourceOptions, publishedSource } from '../blocklist/sources/published-source.js';
export {
  type SafeBrowsingList,
  type SafeBrowsingSourceOptions,
  safeBrowsingSource,
} from '../blocklist/sources/safe-browsing-source.js';
export { type ServiceSourceOptions, serviceSource } from '../blocklist/sources/service-source.js';
export type { ApiSourceOptions, SignatureOptions, TransportOptions } from '../blocklist/sources/source-options.js';
export { type TextSourceOptions, type TextSourceReport, textSource } from '../blocklist/sources/text-source.js';
export type { ThreatServiceOptions } from '../blocklist/sources/threat-service.js';
export { uniqueTokens } from '../blocklist/sources/unique-tokens.js';
export { type WebRiskSourceOptions, type WebRiskThreatType, webRiskSource } from '../blocklist/sources/web-risk-source.js';
export type { AssetType } from '../core/assets/asset-types.js';
export { type Abortable, type ErrorCode, isPortcullisError, PortcullisError, type SignalLike } from '../core/errors.js';
export type { ApiKey } from '../core/http/api-key.js';
export type { FetchLike } from '../core/http/fetch.js';
export { HashSet } from '../core/prefixes/hash-set.js';
export { PrefixSet, type WorkOptions } from '../core/prefixes/prefix-set.js';
export type { VerifySignature } from '../core/tlog/note.js';
