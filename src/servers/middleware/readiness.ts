import { internalsOf } from '../../blocklist/engine/internals.js';
import type { Blocklist } from '../../blocklist/model/blocklist-interface.js';
import type { SourceStatus } from '../../blocklist/model/blocklist-status.js';
import { type Filled, func, type KindsOf, optional, readOptions } from '../../core/options/read-options.js';
import { type FetchHandler, fetchOnly } from '../http/fetch-handler.js';
import { healthResponse, readOnly } from '../http/monitoring.js';

/**
 * Whether checks can decide. `loading`: no list yet, and no round has failed; `no-list`: none, because rounds fail; `stale`: a list is too
 * old; `unusable`: a list's algorithm is not the one it names, or this engine computes wrong hashes; `stopping`, `closed`: as said.
 */
export type ReadinessStatus = 'ready' | 'loading' | 'no-list' | 'stale' | 'unusable' | 'stopping' | 'closed';

/** Options of `readiness`. */
export interface ReadinessOptions {
  /** Whether this process is being stopped, so that a load balancer sends it nothing new. */
  readonly isStopping?: (() => boolean) | undefined;
}

export const readinessKinds = (): KindsOf<Filled<ReadinessOptions, 'isStopping'>> => ({ isStopping: optional(func) });

/** Worst first: every list must be fresh for an input to be clear. */
const order: readonly ReadinessStatus[] = ['unusable', 'no-list', 'loading', 'stale', 'ready'];

/**
 * Answers 200 if every list is loaded and fresh, else 503, with the state of each list as JSON. It names no entries, no error messages and
 * no addresses.
 *
 * @throws TypeError if it is not a blocklist made by `createBlocklist` or `createCoreBlocklist`
 */
export function readiness(blocklist: Blocklist, options?: ReadinessOptions): FetchHandler {
  const { session } = internalsOf(blocklist);
  const { isStopping } = readOptions('readiness', readinessKinds(), options);
  const answer = (): Response => {
    const { isSound, sources } = blocklist.status();
    const shown = sources.map((source) => ({
      source: source.source,
      status: isSound ? stateOf(source) : 'unusable',
      entries: source.list === null ? 0 : source.list.count + source.list.recentCount,
      ageSeconds: source.list === null ? null : Math.round(source.list.ageMs / 1000),
      lastError: source.lastError?.code ?? null,
    }));
    const worst = order.find((state) => shown.some(({ status }) => status === state)) ?? 'ready';
    const status: ReadinessStatus = isOpen() ? (isStopping?.() === true ? 'stopping' : worst) : 'closed';
    const health = { isReady: status === 'ready', status, sources: shown };
    return healthResponse(health);
  };
  const isOpen = (): boolean => {
    try {
      session.requireOpen();
      return true;
    } catch {
      return false;
    }
  };
  return fetchOnly((request) => readOnly(request, answer));
}

function stateOf({ list, lastError }: SourceStatus): ReadinessStatus {
  if (list === null) return lastError === null ? 'loading' : 'no-list';
  if (list.calibration.outcome === 'failed') return 'unusable';
  return list.isStale ? 'stale' : 'ready';
}
