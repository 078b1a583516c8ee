import { PortcullisError } from '../errors.js';

/** Bytes that are not the list they should be. A list that does not verify is never used in part. */
export function invalidArtifact(what: string): PortcullisError {
  return new PortcullisError('INVALID_ARTIFACT', `the artifact is refused: ${what}`);
}
