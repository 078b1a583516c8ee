import { isPortcullisError, PortcullisError, type SignalLike } from '../../core/errors.js';
import { abortable, bounded } from '../../core/http/bounded.js';
import { host } from '../../core/http/fetch.js';
import type { OpenStore } from '../sync/open-store.js';
import type { List } from './kept-list.js';
import type { KeptOverrides } from './kept-overrides.js';
import { onWake } from './wake.js';

interface Tools {
  readonly store: OpenStore;
  readonly overrides: KeptOverrides;
  readonly lists: readonly List[];
}

/** The life of a blocklist: open until `close`, and loaded once. */
export class Session {
  isLoaded = false;
  private readonly tools: Tools;
  private readonly ends: (() => void)[] = [];
  private loading: Promise<void> | undefined;
  private closing: Promise<void> | undefined;

  constructor(tools: Tools) {
    this.tools = tools;
  }

  get isClosed(): boolean {
    return this.closing !== undefined;
  }

  /** @throws CLOSED */
  requireOpen(): void {
    if (this.isClosed) throw new PortcullisError('CLOSED', 'the blocklist is closed');
  }

  /**
   * Resolves when the stored values have been read.
   *
   * @throws ABORTED, CLOSED
   */
  async loaded(signal?: SignalLike): Promise<void> {
    this.requireOpen();
    await abortable(this.load(), signal);
    this.requireOpen();
  }

  /** Waits for the stored values, but no longer than `waitMs`. */
  async loadedWithin(waitMs: number, signal: SignalLike | undefined): Promise<void> {
    try {
      await bounded(waitMs, signal, () => this.load());
    } catch (error) {
      if (!isPortcullisError(error) || error.code !== 'TIMEOUT') throw error;
    }
    this.requireOpen();
  }

  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  /** Never rejects. */
  private load(): Promise<void> {
    this.loading ??= this.read();
    return this.loading;
  }

  private async read(): Promise<void> {
    const { store, overrides, lists } = this.tools;
    await store.open();
    await Promise.all([overrides.load(), ...lists.map((list) => list.load())]);
    this.ends.push(
      store.watch((name) => {
        if (name === 'overrides') void overrides.load();
        for (const { id, sync } of lists) if (name === `${id}/head`) void sync.reload();
      }),
      onWake(() => {
        for (const { sync, poller } of lists) {
          sync.wake();
          poller.plan();
        }
      }),
    );
    this.isLoaded = true;
    // Checks that waited for the list come first: verifying takes longer than loading.
    host.setTimeout(() => {
      for (const { sync } of lists) void sync.verify();
    }, 0);
  }

  private async end(): Promise<void> {
    const { store, lists } = this.tools;
    store.giveUp();
    await this.loading;
    for (const end of this.ends) end();
    try {
      await Promise.all(lists.map((list) => list.close()));
    } finally {
      await store.close();
    }
  }
}
