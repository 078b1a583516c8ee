import { algorithmNamed, type CalibrationScore, type VersionDocument } from '../../blocklist/formats/version-document.js';
import { serviceSource } from '../../blocklist/sources/service-source.js';
import { calibrate, calibrateAgainMs } from '../../blocklist/sync/calibrate.js';
import { allAlgorithms, normalizeAsset } from '../../core/algorithms/all-algorithms.js';
import { decodeArtifact } from '../../core/prefixes/artifact.js';
import { WeightedMap } from '../../core/weighted-map.js';
import type { Artifacts } from './relay-artifacts.js';
import type { Join } from './relay-flights.js';
import type { Settings } from './relay-options.js';
import type { Snapshot } from './relay-versions.js';

/** Snapshots whose scores are kept. */
const maxScores = 8;

/**
 * Determines once per snapshot, with the relay's key, whether the snapshot really uses the algorithm it names: assets that the service
 * reports as blocked must be in it. Clients without a key cannot do this and read the score from the version response.
 *
 * @param onScore Called when a new score is known.
 * @returns a function that returns the score of a snapshot if it is known, and otherwise starts determining it in the background
 */
export function createCalibration(
  settings: Settings,
  artifacts: Pick<Artifacts, 'content'>,
  join: Join<void>,
  onScore: () => void,
): (snapshot: Snapshot) => CalibrationScore | undefined {
  const { baseUrl, apiKey, algorithms, fetch, timeoutMs, now } = settings;
  /** The score is `null` if it could not be determined. */
  const known = new WeightedMap<{ readonly score: CalibrationScore | null; readonly atMs: number }>(maxScores);

  async function look(key: string, { document, id }: Snapshot): Promise<void> {
    const score = await scoreOf(document, id).catch(() => null);
    known.set(key, { score, atMs: now() });
    if (score !== null) onScore();
  }

  async function scoreOf(version: VersionDocument, id: string): Promise<CalibrationScore | null> {
    const { algoVersion, snapshot } = version;
    const algorithm = allAlgorithms.get(algorithmNamed(algoVersion, algorithms));
    if (algorithm === undefined) return null;
    const { bytes } = await artifacts.content(id);
    const base = await decodeArtifact(bytes, { algorithm: algorithm.name, count: snapshot.count });
    // `baseUrl` was validated when the relay was created.
    const source = serviceSource({ baseUrl, apiKey, fetch, timeoutMs, now, allowInsecureHttp: true });
    const found = await calibrate(source, { normalizeAsset }, { base, algorithm, snapshotAtMs: now() });
    return found.outcome === 'skipped' ? null : { samples: found.samples, found: found.found };
  }

  return (snapshot) => {
    const { algoVersion, snapshot: part } = snapshot.document;
    const key = JSON.stringify([algoVersion, part.token]);
    const entry = known.get(key);
    const isDue = entry === undefined || (entry.score === null && Math.abs(now() - entry.atMs) >= calibrateAgainMs);
    if (isDue) join(key, () => look(key, snapshot)).catch(() => {});
    return entry?.score ?? undefined;
  };
}
