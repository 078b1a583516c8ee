import { closeSync, openSync, readSync } from 'node:fs';
import { type Figures, type Settings, spreadOf } from './question.js';

/** Code to be timed: `count` inputs, used `batch` at a time. */
export interface Work {
  count: number;
  /** Large enough that the cost of the clock (about 50 ns) is negligible, small enough to stay in the cache. @default 4_096 */
  batch?: number;
  /** Prepares the inputs [from, to); not timed. */
  prepare?(from: number, to: number): void;
  /** Uses the inputs [from, to). The result depends on each of them, so that none can be optimized away. */
  run(from: number, to: number): number;
}

/**
 * Nanoseconds per input, after warming up and including garbage collection: total time over total uses.
 *
 * Only whole passes over the inputs count, so that every variant sees the same mix. `answer` is the sum of the results
 * of `run` in one pass. If a later pass has another sum than the first, the variant is wrong.
 */
export function timed(work: Work, settings: Settings): Figures {
  const { answer } = pass(work);
  for (let spentMs = 0; spentMs < (settings.quick ? 20 : 300); ) spentMs += pass(work, answer).ms;
  let totalMs = 0;
  let passes = 0;
  for (; totalMs < (settings.quick ? 20 : 500); passes++) totalMs += pass(work, answer).ms;
  return { ns: (totalMs * 1e6) / (passes * work.count), answer };
}

/** Milliseconds of one `run` over all inputs, after warming up: `timed` for functions that return a promise. */
export async function timedAsync<T>(prepare: () => T, run: (inputs: T) => Promise<number>, settings: Settings): Promise<Figures> {
  const once = async (): Promise<{ ms: number; answer: number }> => {
    const inputs = prepare();
    const startMs = performance.now();
    const answer = await run(inputs);
    return { ms: performance.now() - startMs, answer };
  };
  const { answer } = await once();
  for (let spentMs = 0; spentMs < (settings.quick ? 20 : 300); ) spentMs += (await once()).ms;
  let totalMs = 0;
  let passes = 0;
  for (; totalMs < (settings.quick ? 20 : 500); passes++) {
    const pass = await once();
    if (pass.answer !== answer) throw new Error(`two passes returned ${answer} and ${pass.answer}`);
    totalMs += pass.ms;
  }
  return { ms: totalMs / passes, answer };
}

/**
 * Bytes that one result of `build` keeps alive, in V8's heap and in the buffers outside it. Needs `--expose-gc`.
 *
 * Compiled code lives on the same heap, and the 100 kB by which it varies would be 10 bytes an entry in a small set.
 * Therefore the first run does not count, several results are held at once, and the median of three runs is taken.
 */
export function bytesHeld(build: () => unknown, copies: number): number {
  build();
  return spreadOf([1, 2, 3].map(() => bytesHeldOnce(build, copies))).median;
}

/** What a task cost, and the longest time in which it let nothing else run: on the clock, and of the processor. */
export type Watched = {
  ms: number;
  blockMs: number;
  /** Without the time in which other processes had the processor, on systems that count it for each thread. */
  blockCpuMs: number;
};

/** How long `task` takes, and the longest time in which it let nothing else run. */
export async function watched(task: () => Promise<unknown>): Promise<Watched> {
  // A timer would only see blocks longer than its own step; setImmediate runs as soon as the loop is free.
  const clock = threadClock();
  let longest = { ms: 0, cpuMs: 0 };
  let last = { ms: performance.now(), cpuMs: clock.nowMs() };
  let running = true;
  const look = (): void => {
    const now = { ms: performance.now(), cpuMs: clock.nowMs() };
    longest = {
      ms: Math.max(longest.ms, now.ms - last.ms),
      cpuMs: Math.max(longest.cpuMs, now.cpuMs - last.cpuMs),
    };
    last = now;
  };
  const seen = (): void => {
    if (!running) return;
    look();
    setImmediate(seen);
  };
  setImmediate(seen);
  await new Promise((resolve) => setImmediate(resolve));
  longest = { ms: 0, cpuMs: 0 };
  const startMs = performance.now();
  await task();
  const ms = performance.now() - startMs;
  // The loop has not run since the last part of the task began.
  look();
  running = false;
  clock.close();
  return { ms, blockMs: longest.ms, blockCpuMs: longest.cpuMs };
}

/** Processor time of this thread. Only Linux has it: a file that costs 6 µs to read. Elsewhere it is the time on the clock. */
function threadClock(): { nowMs(): number; close(): void } {
  let file: number;
  try {
    file = openSync('/proc/thread-self/schedstat', 'r');
  } catch {
    return { nowMs: () => performance.now(), close() {} };
  }
  const text = Buffer.alloc(64);
  return {
    nowMs: () => Number.parseInt(text.toString('latin1', 0, readSync(file, text, 0, text.length, 0)), 10) / 1e6,
    close: () => closeSync(file),
  };
}

/** Collects garbage several times, because one run only starts the finalizers. */
export function collectGarbage(): void {
  if (!globalThis.gc) throw new Error('measuring memory needs --expose-gc');
  for (let round = 0; round < 4; round++) globalThis.gc();
}

const defaultBatch = 4_096;

function pass(work: Work, expected?: number): { ms: number; answer: number } {
  const batch = work.batch ?? defaultBatch;
  let ms = 0;
  let answer = 0;
  for (let from = 0; from < work.count; from += batch) {
    const to = Math.min(from + batch, work.count);
    work.prepare?.(from, to);
    const startMs = performance.now();
    answer += work.run(from, to);
    ms += performance.now() - startMs;
  }
  if (expected !== undefined && answer !== expected) throw new Error(`two passes returned ${expected} and ${answer}`);
  return { ms, answer };
}

function bytesHeldOnce(build: () => unknown, copies: number): number {
  const before = usedBytes();
  const kept = Array.from({ length: copies }, build);
  const after = usedBytes();
  kept.length = 0;
  return (after - before) / copies;
}

function usedBytes(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
