import { PortcullisError } from '../errors.js';

/** An artifact that does not verify is rejected as a whole. */
export function invalidArtifact(what: string): PortcullisError {
  return new PortcullisError('INVALID_ARTIFACT', `invalid artifact: ${what}`);
}
