import { PortcullisError } from '../../core/errors.js';
import { maxEntries } from '../../core/limits.js';
import { type ShardCount, shardCounts } from './shards.js';
import { shortNameForm } from './short-name.js';
import { firstOf, objectOf } from './spelling.js';
import { maxHotHashes } from './whole-hashes.js';

/** A file of a list, as a version document describes it. */
export interface ArtifactRef {
  /** Changes whenever the file changes. */
  readonly token: string;
  /** Number of unique entries in the file. */
  readonly count: number;
  readonly url: string;
  /** SHA-256 of the file, 64 hex digits, if the list publishes it. */
  readonly sha256?: string | undefined;
}

/** The file that says which shards belong to a version. This package finds it by its sum in the folder of the version document. */
export interface SumsRef {
  readonly url: string;
  readonly sha256: string;
}

/** The current version of a list. */
export interface VersionDocument {
  /** Which list it is, for clients that must not take another one for it. Signed with the document. */
  readonly listName?: string | undefined;
  /** The algorithm's name or number as a string, and compared as a string. */
  readonly algoVersion: string;
  readonly snapshot: ArtifactRef;
  /** Entries added after the snapshot. */
  readonly recent: ArtifactRef;
  /** Whole hashes of the newest entries, if the list publishes them. */
  readonly hot?: HotRef | undefined;
  /** The version's place in time, which grows with every change of the list. */
  readonly sequence?: number | undefined;
  /** Epoch time in milliseconds after which this version must not be taken for the newest. */
  readonly expiresAtMs?: number | undefined;
  /** How many entries of the snapshot are covers, if the list has them (docs/formats.md §10). */
  readonly covers?: number | undefined;
  /** The SHA-256 of every shard, if the list is published with them. */
  readonly confirm?: SumsRef | undefined;
  /** Minimum time before the next poll, in milliseconds, if the list requests one. */
  readonly minWaitMs?: number | undefined;
  /** The number of files with whole hashes, if the list has such files (docs/formats.md §6). */
  readonly shards?: ShardCount | undefined;
  /** What changed from earlier snapshots to this one, if the list publishes it (docs/formats.md §8). */
  readonly differences?: DifferenceRef | undefined;
  /** The score of the snapshot, if a relay has determined it. */
  readonly calibration?: CalibrationScore | undefined;
  /** The keys of the gateway through which hits can be confirmed: base64 of its `application/ohttp-keys`, or malformed. Only from a signed document. */
  readonly ohttpKeys?: unknown;
}

/** The file with whole hashes (docs/formats.md §6). */
export interface HotRef {
  readonly count: number;
  readonly url: string;
  readonly sha256: string;
}

/** The version document of a published list, with everything that its clients need to confirm hits. */
export interface PublishedDocument extends VersionDocument {
  readonly sequence: number;
  readonly confirm: SumsRef;
  readonly shards: ShardCount;
}

/** The file with what changed from the snapshot before. */
export interface DifferenceRef {
  /** Ends in `difference-<token of the snapshot before>-<token of the snapshot>.bin`. */
  readonly url: string;
}

/** How many known entries were looked up in a snapshot, and how many of them it contains. */
export interface CalibrationScore {
  readonly samples: number;
  readonly found: number;
}

/** Only `algoVersion` is documented; all other names are provisional. The first is the one we write, the others are plausible alternatives. */
const names = {
  snapshot: ['snapshot', 'current', 'full', 'base', 'currentSnapshot'],
  recent: ['recent', 'recentAdditions', 'recents', 'additions', 'delta', 'incremental'],
  token: ['token', 'version', 'id', 'etag'],
  count: ['count', 'size', 'total', 'entries'],
  url: ['url', 'downloadUrl', 'download_url', 'href', 'link'],
} as const;

/** Characters of a token or URL: far more than any seen, and few enough to store and log. */
const maxTextLength = 4096;

/** Characters of an algorithm's name or number; containers and confirmations have the same limit. */
export const maxAlgoVersionLength = 64;

/** More samples than any relay takes; a larger number is not a score. */
const maxSamples = 10_000;

/** A day: a longer wait would leave a client with a stale list. */
const maxWaitMs = 86_400_000;

/** The latest time of a `Date`, in epoch milliseconds. A sequence counts from the epoch too, so that it survives a publisher's state. */
export const maxTimeMs = 8.64e15;

/** Bytes of a version answer: two tokens and two URLs of the greatest length that is accepted. */
export const maxVersionBytes: number = 64 * 1024;

/**
 * Parses the answer of the version operation, or a published `version.json`.
 *
 * @param base The folder that relative URLs are resolved against; without it every URL must be absolute.
 * @throws PortcullisError `INVALID_RESPONSE`
 */
export function readVersion(answer: unknown, base?: string): VersionDocument {
  const outer = objectOf(answer);
  const document = outer['algoVersion'] === undefined ? objectOf(outer['data']) : outer;
  const { algoVersion, minWaitMs } = document;
  const calibration = calibrationOf(document['calibration']);
  if (!isName(algoVersion, maxAlgoVersionLength)) throw invalid('algoVersion is missing or invalid');
  return {
    algoVersion: String(algoVersion),
    snapshot: refOf(document, 'snapshot', base),
    recent: refOf(document, 'recent', base),
    ...nameOf(document),
    ...sumsOf(document, base),
    ...wholeOf(document, 'sequence'),
    ...wholeOf(document, 'expiresAtMs'),
    ...waitIn(minWaitMs),
    ...(calibration !== null && { calibration }),
    ...coversOf(document),
    ...publishedFieldsOf(document, base),
  };
}

/** @throws PortcullisError `INVALID_RESPONSE` */
export function requirePublished(document: VersionDocument): asserts document is PublishedDocument {
  for (const name of ['sequence', 'confirm', 'shards'] as const) {
    if (document[name] === undefined) throw invalid(`${name} is missing`);
  }
}

/** What only published lists say. */
function publishedFieldsOf(
  { shards, differences, hot }: Readonly<Record<string, unknown>>,
  base: string | undefined,
): Pick<VersionDocument, 'shards' | 'differences' | 'hot'> {
  const known = shardCounts.find((count) => count === shards);
  // Another number would make every confirmation fail.
  if (shards !== undefined && known === undefined) throw invalid(`shards must be one of ${shardCounts.join(', ')}`);
  // The whole list can be fetched without it.
  const url = addressOf(objectOf(differences)['url'], base);
  const newest = hotIn(hot, (url) => addressOf(url, base));
  return {
    ...(known !== undefined && { shards: known }),
    ...(url !== null && { differences: { url } }),
    ...(newest !== null && { hot: newest }),
  };
}

/**
 * The file with whole hashes. Hits can be confirmed without it, so that a malformed description of it is ignored.
 *
 * @param addressOf Resolves its URL; `null` if it is none.
 */
export function hotIn(value: unknown, addressOf: (url: unknown) => string | null): HotRef | null {
  const { count, url: given, sha256 } = objectOf(value);
  const url = addressOf(given);
  const isCount = Number.isInteger(count) && (count as number) > 0 && (count as number) <= maxHotHashes;
  if (!isCount || url === null || !isSha256(sha256)) return null;
  return { count: count as number, url, sha256: sha256.toLowerCase() };
}

/** `algoVersion` with its original type: a service that writes a number may accept nothing else. */
export function rawAlgoVersion(answer: unknown): unknown {
  const { algoVersion, data } = objectOf(answer);
  return algoVersion ?? objectOf(data)['algoVersion'];
}

/** The signed form of the document, as the publisher wrote it. */
export function rawSigned(answer: unknown): unknown {
  const { signed, data } = objectOf(answer);
  return signed ?? objectOf(data)['signed'];
}

/** The algorithm of this package that a source's `algoVersion` means; an algorithm's own name means itself. */
export function algorithmNamed(algoVersion: string, meanings: Readonly<Record<string, string>> = {}): string {
  return (firstOf(meanings, [algoVersion]) ?? algoVersion) as string;
}

/** The pause that a list asks for; a malformed one is ignored. */
export function waitIn(minWaitMs: unknown): Pick<VersionDocument, 'minWaitMs'> {
  return typeof minWaitMs === 'number' && minWaitMs >= 0 ? { minWaitMs: Math.min(minWaitMs, maxWaitMs) } : {};
}

/** Malformed is not missing: a list with a name must not pass for one of an earlier release. */
function nameOf({ listName }: Readonly<Record<string, unknown>>): Pick<VersionDocument, 'listName'> {
  if (listName === undefined) return {};
  if (typeof listName !== 'string' || !shortNameForm.test(listName)) throw invalid('listName is invalid');
  return { listName };
}

/** Malformed is not missing: without its sequence an old version would pass for a version without order. */
function wholeOf<Name extends 'sequence' | 'expiresAtMs'>(
  document: Readonly<Record<string, unknown>>,
  name: Name,
): { readonly [Key in Name]?: number } {
  const value = document[name];
  if (value === undefined) return {};
  if (!Number.isInteger(value) || !((value as number) >= 0 && (value as number) <= maxTimeMs))
    throw invalid(`${name} is invalid`);
  return { [name]: value as number } as { readonly [Key in Name]: number };
}

/** A list is only slower without them, so that a malformed number is ignored. */
function coversOf({ covers }: Readonly<Record<string, unknown>>): Pick<VersionDocument, 'covers'> {
  return Number.isInteger(covers) && (covers as number) >= 0 && (covers as number) <= maxEntries
    ? { covers: covers as number }
    : {};
}

/** Provisional: only our relay writes a score. A malformed score is ignored. */
function calibrationOf(value: unknown): CalibrationScore | null {
  const { samples, found } = objectOf(value);
  const isSane = Number.isInteger(samples) && Number.isInteger(found) && (found as number) >= 0;
  if (!isSane || (found as number) > (samples as number) || (samples as number) > maxSamples) return null;
  return { samples: samples as number, found: found as number };
}

function refOf(document: Readonly<Record<string, unknown>>, part: 'snapshot' | 'recent', base: string | undefined): ArtifactRef {
  const ref = objectOf(firstOf(document, names[part]));
  const token = firstOf(ref, names.token);
  const count = firstOf(ref, names.count);
  const url = addressOf(firstOf(ref, names.url), base);
  const { sha256 } = ref;
  if (!isName(token, maxTextLength)) throw invalid(`${part}.token is missing or invalid`);
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 0 || count > maxEntries)
    throw invalid(`${part}.count is missing or invalid`);
  if (url === null) throw invalid(`${part}.url is missing or invalid`);
  if (sha256 !== undefined && !isSha256(sha256)) throw invalid(`${part}.sha256 is invalid`);
  return { token: String(token), count, url, ...(sha256 !== undefined && { sha256: sha256.toLowerCase() }) };
}

/** A number or printable ASCII, so that it can be stored, logged and shown as it is. */
function isName(value: unknown, maxLength: number): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && value.length <= maxLength && /^[ -~]*$/.test(value));
}

/** Malformed is not missing: without it any shard would be accepted. */
function sumsOf({ confirm }: Readonly<Record<string, unknown>>, base: string | undefined): Pick<VersionDocument, 'confirm'> {
  if (confirm === undefined) return {};
  const ref = objectOf(confirm);
  const url = addressOf(ref['url'], base);
  if (url === null || !isSha256(ref['sha256'])) throw invalid('confirm is invalid');
  return { confirm: { url, sha256: ref['sha256'].toLowerCase() } };
}

function isSha256(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/i.test(value);
}

/** An absolute URL, or one below `base` that cannot climb out of it. */
function addressOf(value: unknown, base: string | undefined): string | null {
  if (typeof value !== 'string' || value.length > maxTextLength || /[\s\\]/.test(value)) return null;
  if (/^https?:\/\/[^/?#@]+([/?#]|$)/i.test(value)) return value;
  return base !== undefined && /^(?!\.)[\w.-]+(\/(?!\.)[\w.-]+)*$/.test(value)
    ? `${base.replace(/([^/])\/+$/, '$1')}/${value}`
    : null;
}

function invalid(what: string): PortcullisError {
  return new PortcullisError('INVALID_RESPONSE', `the version document is invalid: ${what}`);
}

/** The name of a file with the differences between two snapshots, by their tokens. */
export const differenceName: RegExp = /difference-([\da-f]{16})-([\da-f]{16})\.bin$/;

export function differenceNamed(before: string | null | undefined, after: string | undefined): string {
  return `difference-${before}-${after}.bin`;
}
