import { readU32 } from '../../core/bytes.js';
import { wrapError } from '../../core/errors.js';
import { hashOf } from '../../core/hashing/sha256.js';
import { bounded } from '../../core/http/bounded.js';
import { PrefixSet } from '../../core/prefixes/prefix-set.js';
import { createConfirmer } from '../confirm/confirmer.js';
import { hasPrefix } from '../generation.js';
import type { Source } from '../source.js';
import { inTurn } from '../sync/in-turn.js';
import { createListSync, type ListEvent, type ListSync } from '../sync/list-sync.js';
import type { OpenStore } from '../sync/open-store.js';
import { createPoller, type Poller } from '../sync/poller.js';
import type { BlocklistEvents, Listeners } from './blocklist-events.js';
import { defaultPollMs, type Parts, type Settings } from './blocklist-options.js';
import type { CheckedList } from './checker.js';

/** One source's list, with its confirmations and its timer. */
export interface List extends CheckedList {
  readonly id: string;
  readonly poller: Poller;
  /** Reads the stored list and the confirmed blocks. */
  load(): Promise<void>;
  close(): Promise<void>;
}

/** How long to wait for a custom source to close. */
const closeTimeoutMs = 10_000;

export function listOf(source: Source, settings: Settings, parts: Parts, store: OpenStore, listeners: Listeners): List {
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
  const sync = createListSync(
    { ...settings, pollMs: settings.pollMs || defaultPollMs, limits: settings, source, ...parts, emit },
    store,
  );
  const onStoreError = (cause: unknown): void => {
    const error = wrapError(cause, 'STORE_UNAVAILABLE', 'confirmed blocks could not be read or stored');
    listeners.emit('error', { source: source.id, where: 'store', error });
  };
  const queue = inTurn();
  let willStore = false;
  const storePositives = async (): Promise<void> => {
    willStore = false;
    try {
      // Keeps blocks that another writer has confirmed meanwhile.
      restore(await sync.saved.readConfirmed());
      await sync.saved.writeConfirmed(confirmer!.cache.positives(now()));
    } catch (cause) {
      onStoreError(cause);
    }
  };
  const restore = (stored: Uint8Array | null): void => {
    if (stored !== null) confirmer!.cache.restore(stored, now());
  };
  const confirmer =
    source.confirm === undefined
      ? null
      : createConfirmer({
          source,
          now,
          options: settings.confirm,
          decoysFor: (prefix, count) => decoysIn(sync, prefix, count),
          onAsked: ({ prefixes, error }) => {
            listeners.emit('confirm', { source: source.id, prefixes, error });
            if (error !== undefined) listeners.emit('error', { source: source.id, where: 'confirm', error });
          },
          onPositives: () => {
            // The next write includes all blocks confirmed before it starts.
            if (!willStore) void queue(storePositives);
            willStore = true;
          },
        });
  const poller = createPoller(sync);
  return {
    id: source.id,
    sync,
    confirmer,
    poller,
    async load() {
      const reading = confirmer === null ? null : sync.saved.readConfirmed();
      // Reported below.
      reading?.catch(() => {});
      await sync.load();
      try {
        // After the list: loading it marks all earlier answers as doubtful.
        restore(await reading);
      } catch (error) {
        onStoreError(error);
      }
    },
    async close() {
      poller.stop();
      confirmer?.close();
      await sync.close();
      await queue(async () => {});
      try {
        await bounded(closeTimeoutMs, undefined, async () => source.close?.());
      } catch (cause) {
        const error = wrapError(cause, 'NETWORK', 'the source could not be closed');
        listeners.emit('error', { source: source.id, where: 'sync', error });
      }
    },
  };
}

/**
 * Entries of the set that holds the prefix: always the same ones for one prefix, as long as the set is unchanged. They depend on a secret
 * of this device. Otherwise anyone who has the list could tell which prefix the others were drawn for.
 */
function decoysIn({ held: { generation }, secret }: ListSync, prefix: number, count: number): number[] {
  if (generation === null) return [];
  const { base, recent } = generation;
  const set = hasPrefix(base, prefix) ? base : recent;
  if (!(set instanceof PrefixSet) || set.size === 0) return [];
  return Array.from({ length: count }, (_, at) => set.at(readU32(hashOf(`${secret} ${prefix} ${at}`), 0) % set.size));
}
