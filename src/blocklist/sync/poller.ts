import { host } from '../../core/http/fetch.js';
import type { ListSync } from './list-sync.js';

/** Longest timer. One that slept with its machine would otherwise be late. */
const lookMs = 60_000;

/** Shortest pause between two rounds, whatever makes the next one due. */
const pauseMs = 1_000;

/** Runs the rounds of one list when they are due. Its timer does not keep a process alive. */
export class Poller {
  private readonly list: ListSync;
  private timer: unknown;
  private isRunning = false;

  constructor(list: ListSync) {
    this.list = list;
  }

  start(): void {
    if (this.isRunning) return;
    this.isRunning = true;
    this.plan();
  }

  stop(): void {
    this.isRunning = false;
    host.clearTimeout(this.timer);
  }

  /** Sets the timer for the next round. Call it when the due time may have changed. */
  plan(minMs = 0): void {
    if (!this.isRunning) return;
    host.clearTimeout(this.timer);
    const waitMs = Math.max(minMs, this.list.nextSyncAtMs() - this.list.settings.now());
    this.timer = host.setTimeout(() => void this.run(), Math.min(waitMs, lookMs));
    (this.timer as { unref?: () => void }).unref?.();
  }

  private async run(): Promise<void> {
    if (!this.isRunning) return;
    if (this.list.nextSyncAtMs() <= this.list.settings.now()) {
      // Rejects only when closed.
      await this.list.sync(false).catch(() => this.stop());
    }
    this.plan(pauseMs);
  }
}
