import { readVersion } from '../../blocklist/formats/version-document.js';
import { fromUtf8 } from '../../core/bytes.js';
import { requireObject } from '../../core/errors.js';

/** What an entry of a log says about the list. */
export interface LoggedVersion {
  /** Its place in the log. */
  readonly index: number;
  /** `undefined` for an entry that is no version document; everything else is missing then too. */
  readonly sequence?: number | undefined;
  readonly listName?: string | undefined;
  readonly expiresAtMs?: number | undefined;
  /** Entries of the list: without the covers of the snapshot, and with those of the recent entries, which a version document does not count. */
  readonly count?: number | undefined;
  /** Entries of the snapshot, as clients download it: with covers, whose number only the publisher knows. */
  readonly snapshotCount?: number | undefined;
  /** How many of them came after the snapshot. */
  readonly recentCount?: number | undefined;
  /** The token of the snapshot. */
  readonly snapshot?: string | undefined;
}

export function loggedVersionOf(entry: Uint8Array, index: number): LoggedVersion {
  try {
    const {
      sequence,
      listName,
      expiresAtMs,
      snapshot,
      recent,
      covers = 0,
    } = readVersion(JSON.parse(fromUtf8(entry) ?? ''), 'https://list.invalid');
    const count = snapshot.count - covers + recent.count;
    const counts = { count, snapshotCount: snapshot.count, recentCount: recent.count };
    return { index, sequence, listName, expiresAtMs, ...counts, snapshot: snapshot.token };
  } catch {
    return { index };
  }
}

/** What a monitor must tell about a version. */
export type VersionFinding =
  | 'not-a-version'
  /** Clients refuse it: versions must come in the order of their sequences. */
  | 'older-sequence'
  | 'other-name'
  /** Half of a list of more than a hundred entries, or more, is gone. */
  | 'shrunk'
  /** A list of more than a hundred entries, or that then has more than a thousand, has more than doubled. */
  | 'grown';

/** A list of this size or less may change freely. */
const freely = 100;
const freelyGrown = 1_000;

/** All that clients look up: what is said to be a cover as well. A new snapshot takes over what was recent. */
function prefixesOf({ snapshotCount, recentCount = 0 }: LoggedVersion): number | undefined {
  return snapshotCount === undefined ? undefined : snapshotCount + recentCount;
}

/** What is unusual about a version, compared with the one before it. */
export function versionFindings(version: LoggedVersion, before: LoggedVersion | undefined): readonly VersionFinding[] {
  requireObject(version, 'version');
  const { sequence, count, listName } = version;
  if (sequence === undefined || count === undefined) return ['not-a-version'];
  if (before?.sequence === undefined || before.count === undefined) return [];
  const found: VersionFinding[] = [];
  if (sequence <= before.sequence) found.push('older-sequence');
  if (listName !== before.listName) found.push('other-name');
  const sizes = [[before.count, count]];
  const [all, allBefore] = [prefixesOf(version), prefixesOf(before)];
  if (all !== undefined && allBefore !== undefined) sizes.push([allBefore, all]);
  if (sizes.some(([old, now]) => old! > freely && now! * 2 < old!)) found.push('shrunk');
  if (sizes.some(([old, now]) => now! > 2 * old! && (old! > freely || now! > freelyGrown))) found.push('grown');
  return found;
}
