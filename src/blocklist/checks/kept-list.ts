import type { Algorithm } from '../../core/algorithms/algorithm.js';
import type { Assets } from '../../core/algorithms/create-assets.js';
import { readU32 } from '../../core/bytes.js';
import { isPortcullisError, PortcullisError } from '../../core/errors.js';
import { hashOf } from '../../core/hashing/sha256.js';
import { bounded } from '../../core/http/bounded.js';
import { PrefixSet } from '../../core/prefixes/prefix-set.js';
import { Confirmer } from '../confirm/confirmer.js';
import { hasPrefix } from '../generation.js';
import type { Source } from '../source.js';
import { type ListEvent, ListSync } from '../sync/list-sync.js';
import type { OpenStore } from '../sync/open-store.js';
import { Poller } from '../sync/poller.js';
import type { BlocklistEvents, Listeners } from './blocklist-events.js';
import { defaultPollMs, type Settings } from './blocklist-options.js';
import type { CheckedList } from './checker.js';

/** A list with all that keeps it: what asks about its hits, what polls it. */
export interface List extends CheckedList {
  readonly id: string;
  readonly source: Source;
  readonly poller: Poller;
  /** Reads what is stored: the list, and the blocks that were confirmed. */
  load(): Promise<void>;
  close(): Promise<void>;
}

/** A source of somebody else's that does not end is left, in milliseconds. */
const closeTimeoutMs = 10_000;

interface Tools {
  readonly settings: Settings;
  readonly store: OpenStore;
  readonly algorithms: ReadonlyMap<string, Algorithm>;
  readonly assets: Assets;
  readonly listeners: Listeners;
}

export function listOf(source: Source, { settings, store, algorithms, assets, listeners }: Tools): List {
  const { now } = settings;
  const emit = (event: ListEvent): void => {
    if (event.type !== 'changed') {
      const { type, ...about } = event;
      listeners.emit(type, { source: source.id, ...about } as BlocklistEvents[typeof type]);
      return;
    }
    const { generation, before } = event;
    const isSameBase = before !== null && before.base === generation.base && before.algoVersion === generation.algoVersion;
    // What an answer denied may be on the new list; what came once and was lifted may have come again.
    const isNews = generation.recent !== before?.recent;
    confirmer?.doubt((prefix) => !isSameBase || (isNews && hasPrefix(generation.recent, prefix)));
    const count = generation.base.size + generation.recent.size;
    listeners.emit('changed', { source: source.id, generation: generation.sequence, count, recentOnly: isSameBase });
  };
  const sync = new ListSync(
    { ...settings, pollMs: settings.pollMs || defaultPollMs, limits: settings, source, algorithms, assets, emit },
    store,
  );
  const tellStore = (cause: unknown): void => {
    const what = 'confirmed blocks could not be stored or read';
    const error = isPortcullisError(cause) ? cause : new PortcullisError('STORE_UNAVAILABLE', what, { cause });
    listeners.emit('error', { source: source.id, where: 'store', error });
  };
  const keeper = new PositivesKeeper(async () => {
    // What another writer has confirmed meanwhile is kept.
    const stored = await sync.readConfirmed();
    if (stored !== null) confirmer!.cache.restore(stored, now());
    await sync.writeConfirmed(confirmer!.cache.positives(now()));
  }, tellStore);
  const confirmer =
    source.confirm === undefined
      ? null
      : new Confirmer({
          source,
          now,
          options: settings.confirm,
          decoysFor: (prefix, count) => decoysIn(sync, prefix, count),
          onAsked: ({ prefixes, error }) => {
            listeners.emit('confirm', { source: source.id, prefixes, error });
            if (error !== undefined) listeners.emit('error', { source: source.id, where: 'confirm', error });
          },
          onPositives: () => keeper.keep(),
        });
  const poller = new Poller(sync);
  return {
    id: source.id,
    source,
    sync,
    confirmer,
    poller,
    async load() {
      const reading = confirmer === null ? null : sync.readConfirmed();
      // Told below.
      reading?.catch(() => {});
      await sync.load();
      try {
        // After the list, which makes everything confirmed before it doubtful.
        const stored = await reading;
        if (stored !== null) confirmer!.cache.restore(stored, now());
      } catch (error) {
        tellStore(error);
      }
    },
    async close() {
      poller.stop();
      confirmer?.close();
      await sync.close();
      await keeper.settled();
      try {
        await bounded(closeTimeoutMs, undefined, async () => source.close?.());
      } catch (cause) {
        const error = isPortcullisError(cause)
          ? cause
          : new PortcullisError('NETWORK', 'the source could not be closed', { cause });
        listeners.emit('error', { source: source.id, where: 'sync', error });
      }
    },
  };
}

/** Stores confirmed blocks as they come, one writing at a time; what comes meanwhile is in the next one. */
class PositivesKeeper {
  private readonly write: () => Promise<void>;
  private readonly onError: (cause: unknown) => void;
  private running: Promise<void> | null = null;
  private isDue = false;

  constructor(write: () => Promise<void>, onError: (cause: unknown) => void) {
    this.write = write;
    this.onError = onError;
  }

  keep(): void {
    this.isDue = true;
    this.running ??= this.run();
  }

  async settled(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    while (this.isDue) {
      this.isDue = false;
      try {
        await this.write();
      } catch (cause) {
        this.onError(cause);
      }
    }
    this.running = null;
  }
}

/**
 * Entries of the set that holds the prefix. The same ones for the same prefix on this device, as long as the set is the same; which ones
 * follows from a secret of the device, or whoever knows the list could tell which prefix the others were drawn for.
 */
function decoysIn({ generation, secret }: ListSync, prefix: number, count: number): number[] {
  if (generation === null) return [];
  const { base, recent } = generation;
  const set = hasPrefix(base, prefix) ? base : recent;
  if (!(set instanceof PrefixSet) || set.size === 0) return [];
  return Array.from({ length: count }, (_, at) => set.at(readU32(hashOf(`${secret} ${prefix} ${at}`), 0) % set.size));
}
