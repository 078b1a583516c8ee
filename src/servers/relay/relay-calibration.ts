import { algorithmNamed, type VersionDocument } from '../../blocklist/formats/version-document.js';
import { serviceSource } from '../../blocklist/sources/service-source.js';
import { calibrate, calibrateAgainMs } from '../../blocklist/sync/calibrate.js';
import { allAlgorithms, normalizeAsset } from '../../core/algorithms/all-algorithms.js';
import { decodeArtifact } from '../../core/prefixes/artifact.js';
import type { Artifacts } from './relay-artifacts.js';
import type { Flights } from './relay-flights.js';
import type { Settings } from './relay-options.js';

/** How many known entries were looked for in a snapshot, and found. */
export type Score = NonNullable<VersionDocument['calibration']>;

/** A snapshot that is to be looked at. */
export interface Snapshot {
  readonly document: VersionDocument;
  /** The id it is given under. */
  readonly id: string;
}

export interface Calibration {
  /** What is known of this snapshot; where nothing is, it is found out, beside everything else. */
  scoreOf(snapshot: Snapshot): Score | undefined;
}

/** Snapshots whose scores are kept. */
const scoresMax = 8;

/**
 * Finds out with the relay's key, once for each snapshot, whether its algorithm is what its name says: assets that the service calls
 * blocked must be in it. Clients without a key cannot ask, and take the score from the version answer.
 *
 * @param onScore Called when something new is known.
 */
export function createCalibration(
  settings: Settings,
  artifacts: Pick<Artifacts, 'content'>,
  flights: Flights<void>,
  onScore: () => void,
): Calibration {
  const { baseUrl, apiKey, algorithms, fetch, timeoutMs, now } = settings;
  /** `null` where nothing could be found out. */
  const known = new Map<string, { readonly score: Score | null; readonly atMs: number }>();

  async function look(key: string, { document, id }: Snapshot): Promise<void> {
    const score = await scoreOf(document, id).catch(() => null);
    known.delete(key);
    known.set(key, { score, atMs: now() });
    if (known.size > scoresMax) known.delete(known.keys().next().value as string);
    if (score !== null) onScore();
  }

  async function scoreOf(version: VersionDocument, id: string): Promise<Score | null> {
    const { algoVersion, snapshot } = version;
    const algorithm = allAlgorithms.get(algorithmNamed(algoVersion, algorithms));
    if (algorithm === undefined) return null;
    const { bytes } = await artifacts.content(id);
    const base = await decodeArtifact(bytes, { algorithm: algorithm.name, count: snapshot.count });
    // Plain http was allowed, or not, when the relay was made.
    const source = serviceSource({ baseUrl, apiKey, fetch, timeoutMs, now, allowInsecureHttp: true });
    const found = await calibrate(
      { source, version: { algoVersion, snapshot }, base },
      { algorithm, assets: { normalizeAsset } },
      now(),
      {},
    );
    return found.outcome === 'skipped' ? null : { samples: found.samples, found: found.found };
  }

  return {
    scoreOf(snapshot) {
      const { algoVersion, snapshot: part } = snapshot.document;
      const key = JSON.stringify([algoVersion, part.token]);
      const entry = known.get(key);
      const isDue = entry === undefined || (entry.score === null && Math.abs(now() - entry.atMs) >= calibrateAgainMs);
      if (isDue) flights.join(key, () => look(key, snapshot)).catch(() => {});
      return entry?.score ?? undefined;
    },
  };
}
