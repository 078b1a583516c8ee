import { objectOf } from '../../blocklist/formats/spelling.js';
import { type ArtifactRef, readVersion, type VersionDocument } from '../../blocklist/formats/version-document.js';

/** The content of `version.json`. `readVersion` parses it, with the file's folder as base for relative URLs. */
export interface PublishedVersion extends VersionDocument {
  readonly snapshot: SnapshotRef;
}

/** The snapshot, as described in `version.json`. */
export interface SnapshotRef extends ArtifactRef {
  /** Creation time of the snapshot in epoch milliseconds; the only timestamp of a list. */
  readonly createdAtMs: number;
}

/** The version document of an earlier build; a list of another publisher has no `createdAtMs`. */
export function readPublished(version: unknown): VersionDocument & { readonly createdAtMs: number } {
  const document = readVersion(version, 'https://list.invalid');
  const { createdAtMs } = objectOf(objectOf(version)['snapshot']);
  return { ...document, createdAtMs: typeof createdAtMs === 'number' && createdAtMs >= 0 ? createdAtMs : 0 };
}
