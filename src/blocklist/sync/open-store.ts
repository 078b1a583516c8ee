import { isPortcullisError, PortcullisError, type SignalLike } from '../../core/errors.js';
import { bounded } from '../../core/http/bounded.js';
import { host } from '../../core/http/fetch.js';
import type { Store, StoreHead } from '../store.js';

/** A store that does not open in this time is as good as none; it may be waiting for another tab that never answers. */
const openTimeoutMs = 10_000;

/** What is not read by then is as good as not there; another tab may hold a transaction open and sleep. */
const readTimeoutMs = 10_000;

/** A disk that has not written by then is as good as none. */
const writeTimeoutMs = 60_000;

/** The store that was given, or none where none was, or where it cannot be opened: a list that is lost with the process is better than no list. */
export class OpenStore implements Store {
  private store: Store | null;
  private readonly onError: (error: PortcullisError) => void;
  private readonly waiting = host.AbortController === undefined ? undefined : new host.AbortController();

  constructor(store: Store | undefined, onError: (error: PortcullisError) => void) {
    this.store = store ?? null;
    this.onError = onError;
  }

  /** Whether anything outlives the process. */
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
      // One that opens after all must not stay open for nobody.
      given?.close().catch(() => {});
      const { code } = isPortcullisError(cause) ? cause : { code: '' };
      if (code === 'ABORTED') return;
      this.onError(
        isPortcullisError(cause) && code !== 'TIMEOUT'
          ? cause
          : new PortcullisError('STORE_UNAVAILABLE', 'the store cannot be opened; lists are kept in memory', { cause }),
      );
    }
  }

  /** Nobody waits for it to open any more. */
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
      // What others store is found by the next round.
      this.onError(new PortcullisError('STORE_UNAVAILABLE', 'the store cannot be watched', { cause }));
      return () => {};
    }
  }

  async close(): Promise<void> {
    await this.answer(readTimeoutMs, undefined, (store) => store.close());
  }

  /** In time, or not at all: a store that hangs must hold up neither a start nor a round. */
  private async answer<T>(timeoutMs: number, without: T, call: (store: Store) => Promise<T>): Promise<T> {
    const { store } = this;
    if (store === null) return without;
    try {
      return await bounded(timeoutMs, undefined, () => call(store));
    } catch (cause) {
      if (!isPortcullisError(cause) || cause.code !== 'TIMEOUT') throw cause;
      throw new PortcullisError('STORE_UNAVAILABLE', `the store gave no answer within ${timeoutMs} ms`, { cause });
    }
  }
}
