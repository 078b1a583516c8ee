/**
 * Demand that every version of a list is in a public log. With witnesses, every device gets the same list. For the option `log` of
 * `publishedSource` and `lightPublishedSource`.
 *
 * @packageDocumentation
 */

export type { SeenCheckpoint } from '../blocklist/model/source.js';
export {
  type CheckLog,
  type ReadLog,
  type TransparencyLog,
  type TransparencyLogOptions,
  transparencyLog,
} from '../blocklist/transparency/transparency-log.js';
export { type ErrorCode, isPortcullisError, PortcullisError } from '../core/errors.js';
export type { VerifySignature } from '../core/tlog/note.js';
