/**
 * A list of your own, as files for any static host.
 *
 * @packageDocumentation
 */

export type { ShardCount } from '../blocklist/formats/shards.js';
export type { ListColumns, ListFormat } from '../blocklist/lists/list-entry.js';
export type { ListRefusal } from '../blocklist/lists/list-rules.js';
export type { ListedAsset, ListInput, ListText } from '../blocklist/lists/read-list.js';
export { adviceFor } from '../blocklist/lists/refusal-advice.js';
export { SHARED_HOSTS, sharedHostsOf } from '../blocklist/lists/shared-hosts.js';
export { type FetchListOptions, fetchList } from '../blocklist/sources/fetch-list.js';
export type { AssetType } from '../core/assets/asset-types.js';
export { type Abortable, type ErrorCode, isPortcullisError, PortcullisError } from '../core/errors.js';
export type { ArtifactEncoding } from '../core/prefixes/artifact.js';
export type { NoteKey } from '../core/tlog/note.js';
export { type BuiltList, buildList } from '../servers/publish/build-list.js';
export type { BuildReport, BuildWarning, RefusedEntry, WarningCode } from '../servers/publish/build-report.js';
export type { ListFile, ListFiles } from '../servers/publish/list-files.js';
export type { SnapshotCause } from '../servers/publish/list-snapshots.js';
export { generateLogKey, type LogKeyPair, type LogSigner, logSignerOf } from '../servers/publish/log-key.js';
export {
  type AskOptions,
  type LoggedList,
  type LogListOptions,
  type LogReport,
  logList,
  type RefreshLogOptions,
  refreshLog,
} from '../servers/publish/log-list.js';
export {
  createLogMonitor,
  type LogMonitor,
  type LogMonitorOptions,
  type LogReading,
  type WitnessView,
} from '../servers/publish/log-monitor.js';
export { type LogPolicy, type PolicyKey, type PolicyWitness, readLogPolicy } from '../servers/publish/log-policy.js';
export type { LogStorage } from '../servers/publish/log-tree.js';
export { type LoggedVersion, type VersionFinding, versionFindings } from '../servers/publish/logged-version.js';
export type { BuildOptions, BuildProgress, PreviousList } from '../servers/publish/publish-options.js';
export {
  type PublishedVersion,
  publishedFiles,
  readPublished as readPublishedVersion,
  type SnapshotRef,
} from '../servers/publish/published-version.js';
export { type SignOptions, signList } from '../servers/publish/sign-list.js';
