import { objectOf } from '../../blocklist/formats/spelling.js';
import { type ArtifactRef, readVersion, type VersionDocument } from '../../blocklist/formats/version-document.js';

/** What `version.json` says. `readVersion` reads it, with the folder it stands in as base where addresses are relative. */
export interface PublishedVersion extends VersionDocument {
  readonly snapshot: SnapshotRef;
}

/** The snapshot, as `version.json` names it. */
export interface SnapshotRef extends ArtifactRef {
  /** When the snapshot was made, in epoch milliseconds: the one place of a list where a clock is. */
  readonly createdAtMs: number;
}

/**
 * Reads a `version.json` that was published before: what it is a list of, and which files belong to it.
 *
 * @param base The folder the document is in, with which relative addresses are completed.
 * @throws PortcullisError `INVALID_RESPONSE` if it is not a version document
 */
export function readPublished(version: unknown, base = 'https://list.invalid'): PublishedVersion {
  const document = readVersion(version, base);
  const { createdAtMs } = objectOf(objectOf(version)['snapshot']);
  // The list of another publisher does not say when its snapshot was made.
  const madeAtMs = typeof createdAtMs === 'number' && createdAtMs >= 0 ? createdAtMs : 0;
  return { ...document, snapshot: { ...document.snapshot, createdAtMs: madeAtMs } };
}
