/** How long one call takes, and from how many calls it was measured. */
export interface Timing {
  /** `null` if the clock never moved. */
  readonly microseconds: number | null;
  readonly calls: number;
  readonly runs: number;
}

/** Browsers round the clock to up to a millisecond, so the call is repeated until this much time has passed. */
const minRunMs = 10;

/** The maximum number of calls, for a browser whose clock does not move. */
const maxCalls = 32_768;

/** The fastest run counts, because other work on the machine can only slow one down. */
const runCount = 3;

/** Doubles the number of calls until the clock can measure them. */
export function timed(work: () => unknown): Timing {
  let calls = 1;
  let bestMs = run(work, calls);
  while (bestMs < minRunMs && calls < maxCalls) {
    calls *= 2;
    bestMs = run(work, calls);
  }
  // One call was long enough to measure, as with a text of a megabyte.
  const runs = calls === 1 ? 1 : runCount;
  for (let again = 1; again < runs; again++) bestMs = Math.min(bestMs, run(work, calls));
  return { calls, runs, microseconds: bestMs > 0 ? (bestMs * microsecondsPerMs) / calls : null };
}

function run(work: () => unknown, calls: number): number {
  const startedMs = performance.now();
  for (let call = 0; call < calls; call++) work();
  return performance.now() - startedMs;
}

const microsecondsPerMs = 1_000;

export function timeText({ microseconds }: Timing): string {
  if (microseconds === null) return 'too fast for this clock';
  const [value, unit] = microseconds < microsecondsPerMs ? [microseconds, 'µs'] : [microseconds / microsecondsPerMs, 'ms'];
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  return `${value.toFixed(digits)} ${unit} a lookup`;
}
