import { type Algorithm, listedExpression } from '../../core/algorithms/algorithm.js';
import type { Assets } from '../../core/algorithms/create-assets.js';
import type { AssetType } from '../../core/assets/asset-types.js';
import { hasCode } from '../../core/errors.js';
import { prefixOf } from '../../core/hashing/prefix.js';
import { bounded } from '../../core/http/bounded.js';
import { type CalibrationResult, type EntrySet, hasPrefix } from '../generation.js';
import type { Calibration, ListVersion, Source, SourceCall } from '../source.js';

export const skipped: CalibrationResult = { outcome: 'skipped', samples: 0, found: 0 };

const dayMs = 86_400_000;

/** Age of samples when the snapshot was first seen: young enough to be listed still, old enough to be in it. */
const window = { fromMs: 90 * dayMs, toMs: 2 * dayMs } as const;
const maxSamples = 50;
/** The minimum number of samples; fewer prove nothing. */
const minSamples = 10;
/** Some samples were unblocked meanwhile, and some have types no list holds. */
const minFoundShare = 0.9;
const timeoutMs = 15_000;

/** Shortest time between two requests for samples. */
export const calibrateAgainMs = 3_600_000;

/**
 * Tests whether the list's algorithm is the one it names: the list must hold assets that are known to be blocked. If samples cannot
 * be fetched, the result is `skipped`.
 *
 * @throws PortcullisError `ABORTED`
 */
export async function calibrate(
  { source, version, base }: { readonly source: Source; readonly version: ListVersion; readonly base: EntrySet },
  { algorithm, assets }: { readonly algorithm: Algorithm; readonly assets: Pick<Assets, 'normalizeAsset'> },
  nowMs: number,
  { signal }: SourceCall,
): Promise<CalibrationResult> {
  if (version.calibration !== undefined) return judge(version.calibration);
  if (source.samples === undefined || base.size === 0) return skipped;
  try {
    const call = { maxCount: maxSamples, fromMs: nowMs - window.fromMs, toMs: nowMs - window.toMs };
    const samples = await bounded(timeoutMs, signal, (ended) => source.samples!({ ...call, signal: ended }));
    const prefixes = samples.slice(0, maxSamples).flatMap(({ content, type }) => {
      const asset = assets.normalizeAsset(content, { type: type as AssetType });
      const expression = 'refused' in asset ? undefined : listedExpression(algorithm, asset);
      return expression === undefined ? [] : [prefixOf(expression)];
    });
    return judge({ samples: prefixes.length, found: prefixes.filter((prefix) => hasPrefix(base, prefix)).length });
  } catch (error) {
    if (signal?.aborted || hasCode(error, 'ABORTED')) throw error;
    return skipped;
  }
}

/** The result for counts that the source itself provides. */
export function judge({ samples, found }: Calibration): CalibrationResult {
  // A custom source may return anything.
  if (!(samples >= minSamples && found <= samples)) return { outcome: 'skipped', samples, found };
  return { outcome: found >= samples * minFoundShare ? 'passed' : 'failed', samples, found };
}
