import { objectOf } from '../../blocklist/formats/spelling.js';
import {
  type ArtifactRef,
  type PublishedDocument,
  readVersion,
  requirePublished,
} from '../../blocklist/formats/version-document.js';
import type { Envelope } from '../../blocklist/signatures/envelope.js';

/** The content of `version.json`. `readVersion` parses it, with the file's folder as base for relative URLs. */
export interface PublishedVersion extends PublishedDocument {
  readonly snapshot: SnapshotRef;
  /** The same document, signed; see `signList`. */
  readonly signed?: Envelope | undefined;
}

/** The snapshot, as described in `version.json`. */
export interface SnapshotRef extends ArtifactRef {
  /** Creation time of the snapshot in epoch milliseconds. */
  readonly createdAtMs: number;
}

/**
 * Reads a previously published `version.json`: its algorithm, and the files that belong to it.
 *
 * @param base The folder the document is in, against which relative addresses are resolved.
 * @throws PortcullisError `INVALID_RESPONSE` if it is not a version document
 */
export function readPublished(version: unknown, base = 'https://list.invalid'): PublishedVersion {
  const document = readVersion(version, base);
  requirePublished(document);
  const { createdAtMs } = objectOf(objectOf(version)['snapshot']);
  // The list of another publisher does not say when its snapshot was made.
  const madeAtMs = typeof createdAtMs === 'number' && createdAtMs >= 0 ? createdAtMs : 0;
  return { ...document, snapshot: { ...document.snapshot, createdAtMs: madeAtMs } };
}
