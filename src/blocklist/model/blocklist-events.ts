import { isLogFault, type PortcullisError, refuse } from '../../core/errors.js';
import { noSuch } from '../../core/options/nearest-name.js';

/** A step of a round. */
export type SyncStep = 'version' | 'snapshot' | 'recent' | 'verify' | 'calibrate' | 'store';

/** The events of a blocklist. No event contains what was checked. */
export interface BlocklistEvents {
  /** A source's list has changed. `isRecentOnly`: the snapshot is the same. */
  changed: { readonly source: string; readonly generation: number; readonly count: number; readonly isRecentOnly: boolean };
  /** A round has reached this step. `total` is known if the source gives it. */
  progress: {
    readonly source: string;
    readonly step: SyncStep;
    readonly bytes: number;
    readonly total: number | undefined;
  };
  /** Something failed and will be retried. */
  error: { readonly source: string | undefined; readonly where: 'sync' | 'store' | 'confirm'; readonly error: PortcullisError };
  /** A list became too old for a miss to mean `clear`. */
  stale: { readonly source: string; readonly ageMs: number };
  /** No token of a list has changed for `frozenMs`: its publisher may have stopped. */
  frozen: { readonly source: string; readonly sinceMs: number };
  /** The source offered an older version of its list than this device already had, which keeps its own. */
  rollback: { readonly source: string };
  /**
   * The log of a list does not show what it must, so that the version was refused: it may have been made for this device alone. `checkpoints` of
   * the error are the evidence. The same event as `error`.
   */
  log: { readonly source: string; readonly where: 'sync' | 'confirm'; readonly error: PortcullisError };
  /** A list lacks known entries, so it was not built with the algorithm it names, and its misses mean nothing. */
  mismatch: { readonly source: string; readonly samples: number; readonly found: number };
  /** A new list has entries for hosts of `neverBlock`. They have no effect. An entry of four bytes can match one by chance. */
  ignored: { readonly source: string; readonly hosts: readonly string[] };
  /** A list lacks a cover that it should have (docs/formats.md §10). It is looked up without its covers until its next snapshot, which takes longer. */
  uncovered: { readonly source: string };
  /** A stored value is damaged. Its content is fetched again. */
  damaged: { readonly source: string | undefined; readonly name: string; readonly error: PortcullisError };
  /** A source was asked to confirm this number of prefixes. */
  confirm: { readonly source: string; readonly prefixes: number; readonly error: PortcullisError | undefined };
}

/** The name of an event. */
export type BlocklistEvent = keyof BlocklistEvents;

/** The names of all events. */
export const events: readonly BlocklistEvent[] = [
  'changed',
  'progress',
  'error',
  'stale',
  'frozen',
  'rollback',
  'log',
  'mismatch',
  'ignored',
  'uncovered',
  'damaged',
  'confirm',
];

/** Calls listeners. One that throws affects neither the others nor the lists. */
export class Listeners {
  private readonly names: readonly BlocklistEvent[];
  private readonly byType = new Map<BlocklistEvent, Set<(event: never) => void>>();

  /** @param names The events that there are. */
  constructor(names: readonly BlocklistEvent[]) {
    this.names = names;
  }

  on<Type extends BlocklistEvent>(type: Type, listener: (event: BlocklistEvents[Type]) => void): () => void {
    if (this.names.indexOf(type) < 0) refuse(`on: ${noSuch('event', String(type), this.names)}`);
    if (typeof listener !== 'function') throw new TypeError('listener must be a function');
    const listeners = this.byType.get(type) ?? new Set();
    this.byType.set(type, listeners);
    // A new function, so that one listener can be added twice and removed once.
    const own = (event: BlocklistEvents[Type]): unknown => listener(event);
    listeners.add(own);
    return () => void listeners.delete(own);
  }

  emit<Type extends BlocklistEvent>(type: Type, event: BlocklistEvents[Type]): void {
    // Iterates over a copy, because a listener that adds itself again would be called forever.
    for (const listener of [...(this.byType.get(type) ?? [])]) {
      try {
        const work: unknown = (listener as (event: BlocklistEvents[Type]) => unknown)(event);
        // An unhandled rejection would end the process.
        if (work instanceof Promise) work.catch(() => {});
      } catch {
        // An error in the app must not stop a round.
      }
    }
    const failure = event as BlocklistEvents['log'];
    if (type === 'error' && isLogFault(failure.error)) this.emit('log', failure);
  }
}
