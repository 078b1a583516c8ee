import { PortcullisError } from '../../core/errors.js';
import { maxEntries } from '../../core/limits.js';
import { firstOf, objectOf } from './spelling.js';

/** One file of a list, as a version document names it. */
export interface ArtifactRef {
  /** Another token is another file. */
  readonly token: string;
  /** Unique entries in it. */
  readonly count: number;
  readonly url: string;
  /** Of the file's bytes, 64 hex digits; only lists that say it. */
  readonly sha256?: string | undefined;
}

/** What a list is now. */
export interface VersionDocument {
  /** The algorithm's name or number, as text; compared as text. */
  readonly algoVersion: string;
  readonly snapshot: ArtifactRef;
  /** What came after the snapshot. */
  readonly recent: ArtifactRef;
  /** How long to wait before asking again, at least, in milliseconds; only lists that say it. */
  readonly minWaitMs?: number | undefined;
  /** How many known entries somebody with the right to samples looked for in the snapshot, and found. */
  readonly calibration?: { readonly samples: number; readonly found: number } | undefined;
}

/** Only `algoVersion` is published; all other names are provisional. The first is what we write, the others what a service is likely to say. */
const names = {
  snapshot: ['snapshot', 'current', 'full', 'base', 'currentSnapshot'],
  recent: ['recent', 'recentAdditions', 'recents', 'additions', 'delta', 'incremental'],
  token: ['token', 'version', 'id', 'etag'],
  count: ['count', 'size', 'total', 'entries'],
  url: ['url', 'downloadUrl', 'download_url', 'href', 'link'],
} as const;

/** Characters of a token or an address: far more than any seen, and little enough to store and to log. */
const textLengthMax = 4096;

/** Characters of an algorithm's name or number: as many as a container's and a confirmation's may have. */
export const algoVersionLengthMax = 64;

/** Samples a calibration may be made of: far more than anybody looks for, so that a count beyond it is none. */
const samplesMax = 10_000;

/** A day: a longer wait would keep a client without news. */
const waitMsMax = 86_400_000;

/**
 * Reads the answer of the version operation, or of a published `version.json`.
 *
 * @param base The folder that addresses without a host are below; without it every address must be absolute.
 * @throws PortcullisError `INVALID_RESPONSE`
 */
export function readVersion(answer: unknown, base?: string): VersionDocument {
  const outer = objectOf(answer);
  const document = outer['algoVersion'] === undefined ? objectOf(outer['data']) : outer;
  const { algoVersion, minWaitMs } = document;
  const calibration = calibrationOf(document['calibration']);
  if ((typeof algoVersion !== 'string' && typeof algoVersion !== 'number') || String(algoVersion).length > algoVersionLengthMax)
    throw invalid('it has no algoVersion');
  return {
    algoVersion: String(algoVersion),
    snapshot: refOf(document, 'snapshot', base),
    recent: refOf(document, 'recent', base),
    ...(typeof minWaitMs === 'number' && minWaitMs >= 0 && { minWaitMs: Math.min(minWaitMs, waitMsMax) }),
    ...(calibration !== null && { calibration }),
  };
}

/** Which algorithm of ours a source means by its `algoVersion`; a name of ours means itself. */
export function algorithmNamed(algoVersion: string, meanings: Readonly<Record<string, string>> = {}): string {
  return (firstOf(meanings, [algoVersion]) ?? algoVersion) as string;
}

/** provisional: our relay's own. Anything that is no such counting is as if it were not there. */
function calibrationOf(value: unknown): VersionDocument['calibration'] | null {
  const { samples, found } = objectOf(value);
  const isSane = Number.isInteger(samples) && Number.isInteger(found) && (found as number) >= 0;
  if (!isSane || (found as number) > (samples as number) || (samples as number) > samplesMax) return null;
  return { samples: samples as number, found: found as number };
}

function refOf(document: Readonly<Record<string, unknown>>, part: 'snapshot' | 'recent', base: string | undefined): ArtifactRef {
  const ref = objectOf(firstOf(document, names[part]));
  const token = firstOf(ref, names.token);
  const count = firstOf(ref, names.count);
  const url = addressOf(firstOf(ref, names.url), base);
  const { sha256 } = ref;
  if ((typeof token !== 'string' && typeof token !== 'number') || String(token).length > textLengthMax)
    throw invalid(`${part} has no token`);
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 0 || count > maxEntries)
    throw invalid(`${part} has no count`);
  if (url === null) throw invalid(`${part} has no address that can be fetched`);
  if (sha256 !== undefined && (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/i.test(sha256)))
    throw invalid(`${part} has a sha256 that is none`);
  return { token: String(token), count, url, ...(sha256 !== undefined && { sha256: sha256.toLowerCase() }) };
}

/** An absolute address, or one below `base` that cannot climb out of it. */
function addressOf(value: unknown, base: string | undefined): string | null {
  if (typeof value !== 'string' || value.length > textLengthMax || /[\s\\]/.test(value)) return null;
  if (/^https?:\/\/[^/?#@]+([/?#]|$)/i.test(value)) return value;
  return base !== undefined && /^(?!\.)[\w.-]+(\/(?!\.)[\w.-]+)*$/.test(value) ? `${base.replace(/\/+$/, '')}/${value}` : null;
}

function invalid(what: string): PortcullisError {
  return new PortcullisError('INVALID_RESPONSE', `the version document is refused: ${what}`);
}
