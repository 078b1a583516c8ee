import { PortcullisError } from '../../../core/errors.js';
import { maxTimerMs } from '../../../core/http/bounded.js';

/** The service's time: the given clock, which a test can move forward instead of waiting. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Moves the time forward, and resolves when everything that becomes due has been done, in order. */
  advance(ms: number): Promise<void>;
}

interface Job {
  readonly dueMs: number;
  readonly run: () => void | Promise<void>;
}

interface Timers {
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** The last time a Date can hold (ECMA-262, "Time Values and Time Range"). */
const maxTimeMs = 8.64e15;

/** A clock with jobs. One timer waits for the next job, and does not keep the process alive. */
export class JobClock implements Clock {
  private readonly base: () => number;
  private offsetMs = 0;
  private jobs: Job[] = [];
  private timer: unknown;
  private readonly running = new Set<Promise<void>>();
  private closed = false;
  private advancing: Promise<void> = Promise.resolve();

  constructor(base: () => number) {
    this.base = base;
  }

  now(): number {
    return this.base() + this.offsetMs;
  }

  /** Runs a job after `delayMs`. Its errors are dropped: a job handles its own. */
  after(delayMs: number, run: Job['run']): void {
    if (this.closed) return;
    const dueMs = this.now() + delayMs;
    // Inserted after the jobs of the same time. Most belong at the end, and sorting for each one would take quadratic time.
    let at = this.jobs.length;
    while (at > 0 && this.jobs[at - 1]!.dueMs > dueMs) at--;
    this.jobs.splice(at, 0, { dueMs, run });
    this.wake();
  }

  /** Calls run one after the other, so concurrent calls add up. */
  advance(ms: number): Promise<void> {
    if (!(ms >= 0)) return Promise.reject(new PortcullisError('INVALID_INPUT', 'ms must be 0 or more; time only moves forward'));
    if (this.now() + ms > maxTimeMs)
      return Promise.reject(new PortcullisError('INVALID_INPUT', 'ms is too large; the result is not a valid date'));
    const run = this.advancing.then(() => this.move(ms));
    this.advancing = run.catch(() => {});
    return run;
  }

  /** Returns to the given clock, without jobs. */
  reset(): void {
    this.clear();
    this.offsetMs = 0;
  }

  private async move(ms: number): Promise<void> {
    const untilMs = this.now() + ms;
    // A job may plan others that become due before the end.
    for (;;) {
      await this.settle();
      const next = this.jobs[0];
      if (next === undefined || next.dueMs > untilMs) break;
      this.offsetMs += Math.max(0, next.dueMs - this.now());
      this.runDue();
    }
    this.offsetMs += Math.max(0, untilMs - this.now());
    await this.settle();
  }

  /** Waits for the running jobs. */
  async settle(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  clear(): void {
    this.jobs = [];
    timers.clearTimeout(this.timer);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.clear();
    await this.settle();
  }

  private runDue(): void {
    const nowMs = this.now();
    while (this.jobs[0] !== undefined && this.jobs[0].dueMs <= nowMs) {
      const { run } = this.jobs.shift()!;
      const work: Promise<void> = Promise.resolve()
        .then(run)
        .catch(() => {})
        .finally(() => this.running.delete(work));
      this.running.add(work);
    }
    this.wake();
  }

  private wake(): void {
    timers.clearTimeout(this.timer);
    const next = this.jobs[0];
    if (next === undefined || this.closed) return;
    this.timer = timers.setTimeout(() => this.runDue(), Math.min(maxTimerMs, Math.max(0, next.dueMs - this.now())));
    (this.timer as { unref?: () => void }).unref?.();
  }
}

const timers = globalThis as unknown as Timers;
