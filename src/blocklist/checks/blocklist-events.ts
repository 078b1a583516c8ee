import type { PortcullisError } from '../../core/errors.js';
import type { SyncStep } from '../sync/round.js';

/** What a blocklist tells, by name. No event holds what was checked. */
export interface BlocklistEvents {
  /** Another generation of a source's list answers from now on. `recentOnly`: the snapshot is the same. */
  changed: { readonly source: string; readonly generation: number; readonly count: number; readonly recentOnly: boolean };
  /** A round is at this step; `total` where the source says so. */
  progress: {
    readonly source: string;
    readonly step: SyncStep;
    readonly bytes: number;
    readonly total: number | undefined;
  };
  /** Something failed that is tried again by itself. */
  error: { readonly source: string | undefined; readonly where: 'sync' | 'store' | 'confirm'; readonly error: PortcullisError };
  /** A list became too old to say what is not on it. */
  stale: { readonly source: string; readonly ageMs: number };
  /** No token of a list has moved for a day: its publisher may have stopped. */
  frozen: { readonly source: string; readonly sinceMs: number };
  /** Known entries are not in a list, so its algorithm is another than its name says; its misses say nothing. */
  mismatch: { readonly source: string; readonly samples: number; readonly found: number };
  /** A stored value is not what was stored; what it held is fetched again. */
  damaged: { readonly source: string | undefined; readonly name: string; readonly error: PortcullisError };
  /** A source was asked about so many prefixes. */
  confirm: { readonly source: string; readonly prefixes: number; readonly error: PortcullisError | undefined };
}

/** The name of an event. */
export type BlocklistEvent = keyof BlocklistEvents;

/** Tells listeners. One that throws keeps no other from hearing, and no list from working. */
export class Listeners {
  private readonly byType = new Map<BlocklistEvent, Set<(event: never) => void>>();

  on<Type extends BlocklistEvent>(type: Type, listener: (event: BlocklistEvents[Type]) => void): () => void {
    if (typeof listener !== 'function') throw new TypeError('listener must be a function');
    const listeners = this.byType.get(type) ?? new Set();
    this.byType.set(type, listeners);
    // Its own, so that one function may listen twice and each end ends its own.
    const own = (event: BlocklistEvents[Type]): unknown => listener(event);
    listeners.add(own);
    return () => void listeners.delete(own);
  }

  emit<Type extends BlocklistEvent>(type: Type, event: BlocklistEvents[Type]): void {
    // Those of now: one that listens again while it is told would be told for ever.
    for (const listener of [...(this.byType.get(type) ?? [])]) {
      try {
        const work: unknown = (listener as (event: BlocklistEvents[Type]) => unknown)(event);
        // An async one fails later, which would end the process.
        if (work instanceof Promise) work.catch(() => {});
      } catch {
        // It is the app's fault, and the app's to notice: here it must end nothing.
      }
    }
  }
}
