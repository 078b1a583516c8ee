import { isPortcullisError, PortcullisError, type SignalLike } from '../../core/errors.js';
import { bounded } from '../../core/http/bounded.js';
import { host } from '../../core/http/fetch.js';
import type { Store, StoreHead } from '../store.js';

/** Longest wait for the store to open. It may be waiting for another tab that never answers. */
const openTimeoutMs = 10_000;

/** Longest wait for a read. Another tab may sleep with an open transaction. */
const readTimeoutMs = 10_000;

/** Longest wait for a write. */
const writeTimeoutMs = 60_000;

/** The given store; or none if it cannot be opened, because a list in memory only is better than no list. Every call is limited in time. */
export class OpenStore implements Store {
  private store: Store | null;
  private readonly onError: (error: PortcullisError) => void;
  private readonly waiting = host.AbortController === undefined ? undefined : new host.AbortController();

  constructor(store: Store | undefined, onError: (error: PortcullisError) => void) {
    this.store = store ?? null;
    this.onError = onError;
  }

  /** Whether anything survives the process. */
  get keeps(): boolean {
    return this.store !== null;
  }

  get atomic(): boolean {
    return this.store?.atomic ?? true;
  }

  async open(): Promise<void> {
    const given = this.store;
    try {
      await bounded(openTimeoutMs, this.waiting?.signal as SignalLike | undefined, async () => given?.open());
    } catch (cause) {
      this.store = null;
      // It may still open later, and must not stay open.
      given?.close().catch(() => {});
      const { code } = isPortcullisError(cause) ? cause : { code: '' };
      if (code === 'ABORTED') return;
      this.onError(
        isPortcullisError(cause) && code !== 'TIMEOUT'
          ? cause
          : new PortcullisError('STORE_UNAVAILABLE', 'the store cannot be opened; lists are kept in memory only', { cause }),
      );
    }
  }

  /** Stops waiting for the store to open. */
  giveUp(): void {
    this.waiting?.abort();
  }

  async read(name: string): Promise<Uint8Array | null> {
    return this.answer(readTimeoutMs, null, (store) => store.read(name));
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    await this.answer(writeTimeoutMs, undefined, (store) => store.write(name, bytes));
  }

  async remove(name: string): Promise<void> {
    await this.answer(writeTimeoutMs, undefined, (store) => store.remove(name));
  }

  async list(prefix: string): Promise<readonly string[]> {
    return this.answer(readTimeoutMs, [], (store) => store.list(prefix));
  }

  async heads(name: string): Promise<readonly StoreHead[]> {
    return this.answer(readTimeoutMs, [], (store) => store.heads(name));
  }

  async commit(name: string, bytes: Uint8Array, expectedSequence: number): Promise<boolean> {
    return this.answer(writeTimeoutMs, true, (store) => store.commit(name, bytes, expectedSequence));
  }

  async lock<T>(run: () => Promise<T>, signal?: SignalLike): Promise<T> {
    return this.store?.lock === undefined ? run() : this.store.lock(run, signal);
  }

  watch(listener: (name: string) => void): () => void {
    try {
      return this.store?.watch?.(listener) ?? (() => {});
    } catch (cause) {
      // The next round finds what other writers have stored.
      this.onError(new PortcullisError('STORE_UNAVAILABLE', 'the store cannot be watched', { cause }));
      return () => {};
    }
  }

  async close(): Promise<void> {
    await this.answer(readTimeoutMs, undefined, (store) => store.close());
  }

  /** Limited in time: a store that hangs must not block a start or a round. */
  private async answer<T>(timeoutMs: number, fallback: T, call: (store: Store) => Promise<T>): Promise<T> {
    const { store } = this;
    if (store === null) return fallback;
    try {
      return await bounded(timeoutMs, undefined, () => call(store));
    } catch (cause) {
      if (!isPortcullisError(cause) || cause.code !== 'TIMEOUT') throw cause;
      throw new PortcullisError('STORE_UNAVAILABLE', `the store did not answer within ${timeoutMs} ms`, { cause });
    }
  }
}
