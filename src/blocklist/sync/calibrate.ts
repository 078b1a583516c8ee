import { listedExpression } from '../../core/algorithms/algorithm.js';
import type { Assets } from '../../core/algorithms/create-assets.js';
import type { AssetType } from '../../core/assets/asset-types.js';
import { hasCode, type SignalLike } from '../../core/errors.js';
import { prefixOf } from '../../core/hashing/prefix.js';
import { bounded } from '../../core/http/bounded.js';
import { type CalibrationResult, hasPrefix } from '../model/generation.js';
import type { Source } from '../model/source.js';
import { judgeCalibration, uncalibrated } from '../rules/accept-version.js';
import type { Uncalibrated } from './round.js';

const dayMs = 86_400_000;

/** Age of samples when the snapshot was first seen: young enough to be listed still, old enough to be in it. */
const window = { fromMs: 90 * dayMs, toMs: 2 * dayMs } as const;
const maxSamples = 50;
const timeoutMs = 15_000;

/** Shortest time between two requests for samples. */
export const calibrateAgainMs = 3_600_000;

/**
 * Tests whether the list's algorithm is the one it names: the list must hold assets that are known to be blocked. If samples cannot
 * be fetched, nothing is proved.
 *
 * @throws PortcullisError `ABORTED`
 */
export async function calibrate(
  source: Pick<Source, 'samples'>,
  assets: Pick<Assets, 'normalizeAsset'>,
  { base, algorithm, snapshotAtMs }: Omit<Uncalibrated, 'version'>,
  signal?: SignalLike,
): Promise<CalibrationResult> {
  if (source.samples === undefined || base.size === 0) return uncalibrated;
  try {
    const call = { maxCount: maxSamples, fromMs: snapshotAtMs - window.fromMs, toMs: snapshotAtMs - window.toMs };
    const samples = await bounded(timeoutMs, signal, (ended) => source.samples!({ ...call, signal: ended }));
    const prefixes = samples.slice(0, maxSamples).flatMap(({ content, type }) => {
      const asset = assets.normalizeAsset(content, { type: type as AssetType });
      const expression = 'refused' in asset ? undefined : listedExpression(algorithm, asset);
      return expression === undefined ? [] : [prefixOf(expression)];
    });
    return judgeCalibration({ samples: prefixes.length, found: prefixes.filter((prefix) => hasPrefix(base, prefix)).length });
  } catch (error) {
    if (signal?.aborted || hasCode(error, 'ABORTED')) throw error;
    return uncalibrated;
  }
}
