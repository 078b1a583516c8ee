import { globals } from '../../core/http/fetch.js';

/** Longest timer. One that slept with its machine would otherwise be late. */
const lookMs = 60_000;

/** Shortest pause between two rounds, whatever makes the next one due. */
const pauseMs = 1_000;

export interface Polled {
  readonly now: () => number;
  nextSyncAtMs(): number;
  /** Runs a round. Rejects only when the list is closed. */
  sync(): Promise<unknown>;
}

/** Runs the rounds of one list when they are due. Its timer does not keep a process alive. */
export interface Poller {
  start(): void;
  stop(): void;
  /** Sets the timer for the next round. Call it when the due time may have changed. */
  plan(minMs?: number): void;
}

export function createPoller({ now, nextSyncAtMs, sync }: Polled): Poller {
  let timer: unknown;
  let isRunning = false;

  function stop(): void {
    isRunning = false;
    globals.clearTimeout(timer);
  }

  function plan(minMs = 0): void {
    if (!isRunning) return;
    globals.clearTimeout(timer);
    const waitMs = Math.max(minMs, nextSyncAtMs() - now());
    timer = globals.setTimeout(() => void run(), Math.min(waitMs, lookMs));
    (timer as { unref?: () => void }).unref?.();
  }

  async function run(): Promise<void> {
    if (!isRunning) return;
    if (nextSyncAtMs() <= now()) await sync().catch(stop);
    plan(pauseMs);
  }

  return {
    start() {
      if (isRunning) return;
      isRunning = true;
      plan();
    },
    stop,
    plan,
  };
}
