import { addScan } from '../delivery/delivery-log.js';
import type { Context, HandlerCall } from '../handlers/handler-context.js';
import { iso } from '../handlers/handler-context.js';
import type { AssetRecord, ScanRecord } from '../state/state-tables.js';
import { hostFacts } from './host-facts.js';

/** When a scan starts and completes after its creation. Simulated: nothing is fetched (docs/service.md). */
const pendingMs = 1_000;
const completeMs = 3_000;

export function startScan({ state, clock }: HandlerCall, asset: AssetRecord, callbackUrl: string | null): ScanRecord {
  return addScan(state, { assetId: asset.id, createdAtMs: clock.now(), callbackUrl, reported: callbackUrl === null });
}

export function completedAtMs({ createdAtMs }: ScanRecord): number {
  return createdAtMs + completeMs;
}

/** A scan as it is now. Its result is the status of the asset in this service. */
export function scanView({ state, clock }: Pick<Context, 'state' | 'clock'>, scan: ScanRecord) {
  const ageMs = clock.now() - scan.createdAtMs;
  const asset = state.get('assets', scan.assetId)!;
  const end = hostFacts(asset)?.isReachable === false ? 'FAILED' : 'COMPLETED';
  const status = ageMs < pendingMs ? 'PENDING' : ageMs < completeMs ? 'IN_PROGRESS' : end;
  const blocked = asset.status === 'BLOCKED';
  return {
    id: scan.id,
    status,
    createdAt: iso(scan.createdAtMs),
    enrichments: [],
    output:
      status !== 'COMPLETED'
        ? null
        : {
            liveness: asset.livenessStatus ?? 'UNKNOWN',
            labels: blocked ? [{ name: 'listed', score: 1 }] : [],
            riskScore: blocked ? 1 : 0,
          },
  };
}
