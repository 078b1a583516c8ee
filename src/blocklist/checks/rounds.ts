import type { Assets } from '../../core/algorithms/create-assets.js';
import { refuse, type SignalLike } from '../../core/errors.js';
import type { ListResult } from '../sync/list-sync.js';
import type { SyncResult } from './blocklist-interface.js';
import type { List } from './kept-list.js';
import type { Session } from './session.js';
import { type ReceivedEvent, recentOf } from './webhook-recent.js';

interface Tools {
  readonly lists: readonly List[];
  readonly session: Session;
  readonly assets: Assets;
  readonly now: () => number;
}

/** Rounds of all sources: on request, when due, after a webhook, and by timers. */
export class Rounds {
  private readonly tools: Tools;
  /** Polling was requested; it begins when the store has been read. */
  private isPolling = false;

  constructor(tools: Tools) {
    this.tools = tools;
  }

  get nextSyncAtMs(): number {
    return Math.min(...this.tools.lists.map(({ sync }) => sync.nextSyncAtMs()));
  }

  sync(signal: SignalLike | undefined): Promise<SyncResult> {
    return this.run(this.tools.lists, true, signal);
  }

  async syncDue(signal: SignalLike | undefined): Promise<SyncResult> {
    const { lists, session, now } = this.tools;
    await session.loaded(signal);
    const due = lists.filter(({ sync }) => sync.nextSyncAtMs() <= now());
    return this.run(due, false, signal);
  }

  /** Fetches the lists of which nothing was stored. */
  async syncMissing(signal: SignalLike | undefined): Promise<void> {
    const { lists, session } = this.tools;
    await session.loaded(signal);
    const missing = lists.filter(({ sync }) => sync.generation === null);
    if (missing.length > 0) await this.run(missing, true, signal);
  }

  async handleWebhook(event: ReceivedEvent, source: string | undefined): Promise<SyncResult | null> {
    const { lists, session, assets } = this.tools;
    session.requireOpen();
    const concerned = lists.filter(({ id }) => source === undefined || id === source);
    if (concerned.length === 0) refuse(`no source has the id ${JSON.stringify(source)}; use the id of one of the sources`);
    const recent = recentOf(event, assets);
    if (recent === null) return null;
    await session.loaded();
    const { asset } = recent;
    if (asset !== null) {
      // Without a name, only lists whose hits are confirmed: an event of one source must not block in the name of another.
      const extended = concerned.filter((list) => source !== undefined || lists.length === 1 || list.confirmer !== null);
      await Promise.all(extended.map(({ sync }) => sync.addRecent((algorithm) => algorithm.expressionsOf(asset)[0])));
    }
    return this.run(concerned, true, undefined);
  }

  start(): void {
    const { lists, session } = this.tools;
    session.requireOpen();
    this.isPolling = true;
    session.loaded().then(
      () => {
        if (this.isPolling) for (const { poller } of lists) poller.start();
      },
      () => {
        // Closed meanwhile.
      },
    );
  }

  stop(): void {
    this.isPolling = false;
    for (const { poller } of this.tools.lists) poller.stop();
  }

  /** @param isAsked The app asks, not a timer: see `ListSync.sync`. */
  private async run(lists: readonly List[], isAsked: boolean, signal: SignalLike | undefined): Promise<SyncResult> {
    await this.tools.session.loaded(signal);
    const sources = await Promise.all(lists.map(({ sync }) => sync.sync(isAsked, signal)));
    for (const { poller } of lists) poller.plan();
    return resultOf(sources);
  }
}

function resultOf(sources: readonly ListResult[]): SyncResult {
  const has = (outcome: ListResult['outcome']): boolean => sources.some((result) => result.outcome === outcome);
  const outcome = (['failed', 'updated', 'unchanged', 'deferred'] as const).find(has) ?? 'unchanged';
  const untils = sources.flatMap(({ untilMs }) => untilMs ?? []);
  return { outcome, ...(untils.length > 0 && { untilMs: Math.min(...untils) }), sources };
}
