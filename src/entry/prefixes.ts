/**
 * Sets of prefixes and hashes, and the files they come in.
 *
 * @packageDocumentation
 */
export { type Abortable, type ErrorCode, isPortcullisError, PortcullisError } from '../core/errors.js';
export {
  type ArtifactEncoding,
  type ArtifactExpectation,
  decodeArtifact,
  type EncodeOptions,
  encodeArtifact,
} from '../core/prefixes/artifact.js';
export { HashSet } from '../core/prefixes/hash-set.js';
export { PrefixSet, type WorkOptions } from '../core/prefixes/prefix-set.js';
