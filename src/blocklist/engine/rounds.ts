import type { SignalLike } from '../../core/errors.js';
import { readOptions } from '../../core/options/read-options.js';
import type { Blocklist, ListResult, SyncResult } from '../model/blocklist-interface.js';
import { syncKinds } from '../model/blocklist-options.js';
import type { Internals } from './internals.js';
import type { List } from './kept-list.js';
import type { Session } from './session.js';

/** Rounds of all sources: on request, when due, and by timers. */
export function roundsOf(
  lists: readonly List[],
  session: Session,
  now: () => number,
): Pick<Blocklist, 'sync' | 'syncDue' | 'start' | 'stop'> &
  Pick<Internals, 'syncSome'> & {
    /** Fetches the lists that were not stored, if they are still wanted once that is known. */
    readonly syncMissing: (signal: SignalLike | undefined, isWanted: () => boolean) => Promise<void>;
  } {
  /** Whether polling was requested; it starts once the store has been read. */
  let isPolling = false;

  /** @param isAsked The app requested it, not a timer: see `ListSync.sync`. */
  const run = async (some: readonly List[], isAsked: boolean, signal?: SignalLike): Promise<SyncResult> => {
    const loading = session.loading(signal);
    if (loading) await loading;
    const sources = await Promise.all(some.map(({ sync }) => sync.sync(isAsked, signal)));
    for (const { poller } of some) poller.plan();
    return resultOf(sources);
  };

  return {
    syncSome: (some, signal) => run(some, true, signal),
    sync: async (options) => run(lists, true, readOptions('sync', syncKinds(), options).signal),
    async syncDue(options) {
      const { signal } = readOptions('syncDue', syncKinds(), options);
      await session.loaded(signal);
      return run(
        lists.filter(({ sync }) => sync.nextSyncAtMs() <= now()),
        false,
        signal,
      );
    },
    async syncMissing(signal, isWanted) {
      const loading = session.loading(signal);
      if (loading) await loading;
      if (!isWanted()) return;
      const missing = lists.filter(({ sync }) => sync.held.generation === null);
      if (missing.length > 0) await run(missing, true, signal);
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
