/**
 * Where lists come from, and the contract for a source of your own.
 *
 * @packageDocumentation
 */
export type { AssetType } from '../assets/types.js';
export { type Abortable, type ErrorCode, isPortcullisError, PortcullisError, type SignalLike } from '../errors.js';
export type { Confirmed } from '../formats/confirm.js';
export type { FetchLike } from '../http/fetch.js';
export type { ApiKey } from '../http/key.js';
export type { ListFormat } from '../lists/entry.js';
export type { ListRefusal } from '../lists/rules.js';
export { SHARED_HOSTS } from '../lists/shared-hosts.js';
export { HashSet } from '../prefixes/hash-set.js';
export { PrefixSet, type WorkOptions } from '../prefixes/prefix-set.js';
export type {
  Artifact,
  ArtifactCall,
  Calibration,
  Confirmation,
  ConfirmCall,
  ListPart,
  ListVersion,
  Sample,
  SamplesCall,
  Source,
  SourceCall,
} from '../source.js';
export { type ListSourceOptions, type ListSourceReport, listSource } from '../sources/list.js';
export type { ApiSourceOptions, TransportOptions } from '../sources/options.js';
export { type PublishedSourceOptions, publishedSource } from '../sources/published.js';
export { type ServiceSourceOptions, serviceSource } from '../sources/service.js';
export { type TextSourceOptions, type TextSourceReport, textSource } from '../sources/text.js';
