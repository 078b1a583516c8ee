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

/** The version document of an earlier build; a list of another publisher does not say when its snapshot was made. */
export function readPublished(version: unknown): VersionDocument & { readonly createdAtMs: number } {
  const document = readVersion(version, 'https://list.invalid');
  const { createdAtMs } = objectOf(objectOf(version)['snapshot']);
  return { ...document, createdAtMs: typeof createdAtMs === 'number' && createdAtMs >= 0 ? createdAtMs : 0 };
}
