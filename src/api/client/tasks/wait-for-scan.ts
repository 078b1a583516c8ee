import { PortcullisError, requireNumber } from '../../../core/errors.js';
import { sleep } from '../../../core/http/bounded.js';
import type { CallOptions, OutputOf, PartialClient } from '../client-types.js';
import type { AssetGroup } from './task-clients.js';

/** How to wait for a scan. */
export interface ScanWaitOptions extends Omit<CallOptions, 'deadlineMs'> {
  /** Time between two polls, in milliseconds. @default 2_000 */
  readonly pollMs?: number;
  /** Longest time for all polls together, in milliseconds. @default 120_000 */
  readonly deadlineMs?: number;
}

/** A day: a scan takes seconds to minutes. */
const maxWaitMs = 86_400_000;

/**
 * Polls a scan until its status is `COMPLETED` or `FAILED`, in any case, and returns its result. Any other status is one of a scan that
 * goes on.
 *
 * @throws PortcullisError `TIMEOUT` if the scan takes longer than `deadlineMs`, `INVALID_RESPONSE` for a result without a status,
 * `ABORTED`, and what `assets.scanResult` throws
 */
export async function waitForScan(
  client: Pick<PartialClient<AssetGroup>, 'assets'>,
  scanId: number,
  { pollMs = 2_000, deadlineMs = 120_000, ...perCall }: ScanWaitOptions = {},
): Promise<OutputOf<'assets.scanResult'>> {
  requireNumber(pollMs, 'pollMs', 1, maxWaitMs);
  const endMs = Date.now() + requireNumber(deadlineMs, 'deadlineMs', 1, maxWaitMs);
  for (;;) {
    const result = await client.assets.scanResult({ scanId }, { ...perCall, deadlineMs: Math.max(1, endMs - Date.now()) });
    const { status } = Object(result) as { status?: unknown };
    if (typeof status !== 'string' || status.trim() === '') {
      throw new PortcullisError('INVALID_RESPONSE', 'the result of the scan has no status', { operation: 'scanResult' });
    }
    if (/^\s*(COMPLETED|FAILED)\s*$/i.test(status)) return result;
    if (Date.now() + pollMs >= endMs) throw new PortcullisError('TIMEOUT', `the scan is not complete after ${deadlineMs} ms`);
    await sleep(pollMs, perCall.signal);
  }
}
