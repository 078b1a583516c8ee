/**
 * A list of your own, as files for any static host.
 *
 * @packageDocumentation
 */
export type { AssetType } from '../assets/types.js';
export { type Abortable, type ErrorCode, isPortcullisError, PortcullisError } from '../errors.js';
export type { ListFormat } from '../lists/entry.js';
export type { ListedAsset, ListInput, ListText } from '../lists/read.js';
export type { ListRefusal } from '../lists/rules.js';
export { SHARED_HOSTS } from '../lists/shared-hosts.js';
export type { ArtifactEncoding } from '../prefixes/artifact.js';
export { type BuiltList, buildList } from '../publish/build.js';
export type { ListFile, ListFiles } from '../publish/files.js';
export type { BuildOptions, BuildProgress, PreviousList } from '../publish/options.js';
export type { BuildReport, BuildWarning, RefusedEntry, WarningCode } from '../publish/report.js';
export type { SnapshotCause } from '../publish/snapshot.js';
export type { PublishedVersion, SnapshotRef } from '../publish/version.js';
