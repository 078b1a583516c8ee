import { host } from '../../core/http/fetch.js';
import type { ListSync } from './list-sync.js';

/** A timer that has slept with its machine is late; looking at the clock this often finds that out. */
const lookMs = 60_000;

/** Between two rounds, whatever says that the next is due: nothing may make a device ask without a pause. */
const pauseMs = 1_000;

/** Runs the rounds of one list when they are due. Its timer never keeps a process alive. */
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

  /** What is due may have changed. */
  plan(leastMs = 0): void {
    if (!this.isRunning) return;
    host.clearTimeout(this.timer);
    const waitMs = Math.max(leastMs, this.list.nextSyncAtMs() - this.list.settings.now());
    this.timer = host.setTimeout(() => void this.run(), Math.min(waitMs, lookMs));
    (this.timer as { unref?: () => void }).unref?.();
  }

  private async run(): Promise<void> {
    if (!this.isRunning) return;
    if (this.list.nextSyncAtMs() <= this.list.settings.now()) {
      // It ends with a result, and rejects only once it is closed.
      await this.list.sync(false).catch(() => this.stop());
    }
    this.plan(pauseMs);
  }
}
