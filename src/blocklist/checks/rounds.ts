import { listedExpression } from '../../core/algorithms/algorithm.js';
import type { Assets } from '../../core/algorithms/create-assets.js';
import { refuse, type SignalLike } from '../../core/errors.js';
import type { ListResult } from '../sync/list-sync.js';
import type { Blocklist, SyncResult } from './blocklist-interface.js';
import type { List } from './kept-list.js';
import type { Session } from './session.js';
import { recentOf } from './webhook-recent.js';

/** Rounds of all sources: on request, when due, after a webhook, and by timers. */
export function roundsOf(
  lists: readonly List[],
  session: Session,
  assets: Assets,
  now: () => number,
): Pick<Blocklist, 'sync' | 'syncDue' | 'handleWebhook' | 'start' | 'stop'> & {
  /** Fetches the lists that were not stored. */
  readonly syncMissing: (signal: SignalLike | undefined) => Promise<void>;
} {
  /** Whether polling was requested; it starts once the store has been read. */
  let isPolling = false;

  /** @param isAsked The app requested it, not a timer: see `ListSync.sync`. */
  const run = async (some: readonly List[], isAsked: boolean, signal?: SignalLike): Promise<SyncResult> => {
    await session.loaded(signal);
    const sources = await Promise.all(some.map(({ sync }) => sync.sync(isAsked, signal)));
    for (const { poller } of some) poller.plan();
    return resultOf(sources);
  };

  return {
    sync: async ({ signal } = {}) => run(lists, true, signal),
    async syncDue({ signal } = {}) {
      await session.loaded(signal);
      return run(
        lists.filter(({ sync }) => sync.nextSyncAtMs() <= now()),
        false,
        signal,
      );
    },
    async syncMissing(signal) {
      await session.loaded(signal);
      const missing = lists.filter(({ sync }) => sync.held.generation === null);
      if (missing.length > 0) await run(missing, true, signal);
    },
    async handleWebhook(event, { source } = {}) {
      session.requireOpen();
      const concerned = lists.filter(({ id }) => source === undefined || id === source);
      if (concerned.length === 0) refuse('no source has that id; use the id of one of the sources');
      const recent = recentOf(event, assets);
      if (recent === null) return null;
      await session.loaded();
      const { asset } = recent;
      if (asset !== null) {
        // Without a source, only lists whose hits are confirmed: an event from one source must not block on behalf of another.
        const extended = concerned.filter((list) => source !== undefined || lists.length === 1 || list.confirmer !== null);
        await Promise.all(extended.map(({ sync }) => sync.addRecent((algorithm) => listedExpression(algorithm, asset))));
      }
      return run(concerned, true);
    },
    start() {
      session.requireOpen();
      isPolling = true;
      session.loaded().then(
        () => {
          if (isPolling) for (const { poller } of lists) poller.start();
        },
        () => {
          // The blocklist was closed meanwhile.
        },
      );
    },
    stop() {
      isPolling = false;
      for (const { poller } of lists) poller.stop();
    },
  };
}

function resultOf(sources: readonly ListResult[]): SyncResult {
  const has = (outcome: ListResult['outcome']): boolean => sources.some((result) => result.outcome === outcome);
  const outcome = (['failed', 'updated', 'unchanged', 'deferred'] as const).find(has) ?? 'unchanged';
  const untils = sources.flatMap(({ untilMs }) => untilMs ?? []);
  return { outcome, ...(untils.length > 0 && { untilMs: Math.min(...untils) }), sources };
}
