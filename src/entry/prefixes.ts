/**
 * Sets of prefixes and hashes, and the files they come in.
 *
 * @packageDocumentation
 */
export { type Abortable, type ErrorCode, isPortcullisError, PortcullisError } from '../errors.js';
export {
  type ArtifactEncoding,
  type ArtifactExpectation,
  decodeArtifact,
  type EncodeOptions,
  encodeArtifact,
} from '../prefixes/artifact.js';
export { HashSet } from '../prefixes/hash-set.js';
export { PrefixSet, type WorkOptions } from '../prefixes/prefix-set.js';
