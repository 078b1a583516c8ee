import { type SignalLike, throwIfAborted } from '../../core/errors.js';
import { abortable } from '../../core/http/bounded.js';
import { globals } from '../../core/http/fetch.js';
import { closed } from '../sync/list-sync.js';
import { onWake } from '../sync/on-wake.js';
import type { OpenStore } from '../sync/open-store.js';
import type { List } from './kept-list.js';
import type { KeptOverrides } from './kept-overrides.js';

/** The lifecycle of a blocklist: loaded once, and open until `close`. */
export interface Session {
  isLoaded(): boolean;
  /** @throws CLOSED */
  requireOpen(): void;
  /**
   * Resolves when the stored values have been read.
   *
   * @throws ABORTED, CLOSED
   */
  loaded(signal?: SignalLike): Promise<void>;
  /** The same; `undefined` if they are read, so that what follows begins at once, and a check sees that it has. */
  loading(signal?: SignalLike): Promise<void> | undefined;
  /** Runs once when the blocklist is closed, before anything else ends. Returns a function that takes it back. */
  onClose(run: () => void): () => void;
  close(): Promise<void>;
}

export function createSession(store: OpenStore, overrides: KeptOverrides, lists: readonly List[]): Session {
  const ends: (() => void)[] = [];
  const onClose = new Set<() => void>();
  let isLoaded = false;
  let loading: Promise<void> | undefined;
  let closing: Promise<void> | undefined;

  const requireOpen = (): void => {
    if (closing !== undefined) throw closed();
  };

  const read = async (): Promise<void> => {
    await store.open();
    await Promise.all([overrides.load(), ...lists.map((list) => list.load())]);
    ends.push(
      store.watch((name) => {
        if (name === 'overrides') void overrides.load();
        for (const { id, sync, poller } of lists) if (name === `${id}/head`) void sync.reload().then(() => poller.plan());
      }),
      onWake(() => {
        for (const { sync, confirmer, poller } of lists) {
          sync.wake();
          confirmer?.asker.watch.wake();
          poller.plan();
        }
      }),
    );
    isLoaded = true;
    // Checks that waited for the list run first: verifying takes longer than loading.
    globals.setTimeout(() => {
      for (const { sync } of lists) void sync.verify();
    }, 0);
  };

  /** Never rejects. */
  const load = (): Promise<void> => {
    loading ??= read();
    return loading;
  };

  const loaded = async (signal?: SignalLike): Promise<void> => {
    requireOpen();
    await abortable(load(), signal);
    requireOpen();
  };

  const end = async (): Promise<void> => {
    for (const run of onClose) run();
    store.giveUp();
    await loading;
    for (const stop of ends) stop();
    try {
      await Promise.all(lists.map((list) => list.close()));
    } finally {
      await store.close();
    }
  };

  return {
    isLoaded: () => isLoaded,
    requireOpen,
    loaded,
    loading(signal) {
      if (!isLoaded) return loaded(signal);
      requireOpen();
      throwIfAborted(signal);
      return undefined;
    },
    onClose(run) {
      onClose.add(run);
      return () => void onClose.delete(run);
    },
    close() {
      closing ??= end();
      return closing;
    },
  };
}
