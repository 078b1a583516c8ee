import { PortcullisError } from '../../../core/errors.js';

/** Time as the service sees it: the given clock, moved forward by hand where a test does not want to wait. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Moves time forward and does all that falls due on the way, in its order. Resolves when it is done. */
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

/** The longest time a timer can count. */
const timerMsMax = 2 ** 31 - 1;

/** The last moment there is a date for (ECMA-262, "Time Values and Time Range"). */
const timeMax = 8.64e15;

/** A clock with a list of jobs; one timer wakes it for the next one, and keeps no process alive. */
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

  /** Runs `job` once `delayMs` have passed. What it throws is lost: a job minds its own errors. */
  after(delayMs: number, run: Job['run']): void {
    if (this.closed) return;
    const dueMs = this.now() + delayMs;
    // Behind those of the same time. Most are due last, and sorting all for each would be quadratic.
    let at = this.jobs.length;
    while (at > 0 && this.jobs[at - 1]!.dueMs > dueMs) at--;
    this.jobs.splice(at, 0, { dueMs, run });
    this.wake();
  }

  /** One after the other: two at once add up. */
  advance(ms: number): Promise<void> {
    if (!(ms >= 0)) return Promise.reject(new PortcullisError('INVALID_INPUT', 'time moves forward only'));
    if (this.now() + ms > timeMax) return Promise.reject(new PortcullisError('INVALID_INPUT', 'no date is so late'));
    const run = this.advancing.then(() => this.move(ms));
    this.advancing = run.catch(() => {});
    return run;
  }

  /** Back to the time it was given, with nothing planned. */
  reset(): void {
    this.clear();
    this.offsetMs = 0;
  }

  private async move(ms: number): Promise<void> {
    const untilMs = this.now() + ms;
    // A job may plan others that fall due before the end.
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

  /** Waits for the jobs under way. */
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
    this.timer = timers.setTimeout(() => this.runDue(), Math.min(timerMsMax, Math.max(0, next.dueMs - this.now())));
    (this.timer as { unref?: () => void }).unref?.();
  }
}

const timers = globalThis as unknown as Timers;
