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

/** One source's list, with its confirmations and its timer. */
export interface List extends CheckedList {
  readonly id: string;
  readonly source: Source;
  readonly poller: Poller;
  /** Reads the stored list and the confirmed blocks. */
  load(): Promise<void>;
  close(): Promise<void>;
}

/** How long to wait for a custom source to close. */
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
    // An entry that was denied may be on the new list.
    const isNews = generation.recent !== before?.recent;
    confirmer?.doubt((prefix) => !isSameBase || (isNews && hasPrefix(generation.recent, prefix)));
    const count = generation.base.size + generation.recent.size;
    listeners.emit('changed', { source: source.id, generation: generation.sequence, count, recentOnly: isSameBase });
  };
  const sync = new ListSync(
    { ...settings, pollMs: settings.pollMs || defaultPollMs, limits: settings, source, algorithms, assets, emit },
    store,
  );
  const onStoreError = (cause: unknown): void => {
    const what = 'confirmed blocks could not be read or stored';
    const error = isPortcullisError(cause) ? cause : new PortcullisError('STORE_UNAVAILABLE', what, { cause });
    listeners.emit('error', { source: source.id, where: 'store', error });
  };
  const keeper = new PositivesKeeper(async () => {
    // Keeps what another writer has confirmed meanwhile.
    const stored = await sync.readConfirmed();
    if (stored !== null) confirmer!.cache.restore(stored, now());
    await sync.writeConfirmed(confirmer!.cache.positives(now()));
  }, onStoreError);
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
      // The failure is reported below.
      reading?.catch(() => {});
      await sync.load();
      try {
        // After the list: loading it marks all earlier answers as doubtful.
        const stored = await reading;
        if (stored !== null) confirmer!.cache.restore(stored, now());
      } catch (error) {
        onStoreError(error);
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

/** Stores confirmed blocks, one write at a time. The next write has all that arrived meanwhile. */
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
 * Entries of the set that holds the prefix: always the same for one prefix, as long as the set is the same. They depend on a secret of
 * this device. Otherwise anyone who has the list could tell which prefix the others were drawn for.
 */
function decoysIn({ generation, secret }: ListSync, prefix: number, count: number): number[] {
  if (generation === null) return [];
  const { base, recent } = generation;
  const set = hasPrefix(base, prefix) ? base : recent;
  if (!(set instanceof PrefixSet) || set.size === 0) return [];
  return Array.from({ length: count }, (_, at) => set.at(readU32(hashOf(`${secret} ${prefix} ${at}`), 0) % set.size));
}
