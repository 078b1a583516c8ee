/** How long one call takes, and how that was found out. */
export interface Timing {
  /** `null` where the clock never moved. */
  readonly microseconds: number | null;
  readonly calls: number;
  readonly runs: number;
}

/** A page's clock moves in steps of up to a millisecond, so a call is repeated until this much has passed. */
const enoughMs = 10;

/** Where the clock stands still. */
const callsMax = 32_768;

/** The quickest counts: whatever else the machine does can only make one slower. */
const runsMax = 3;

/** Calls in growing numbers until the clock says something about them. */
export function timed(work: () => unknown): Timing {
  let calls = 1;
  let bestMs = run(work, calls);
  while (bestMs < enoughMs && calls < callsMax) {
    calls *= 2;
    bestMs = run(work, calls);
  }
  // Of a text of a megabyte one call is enough for the clock, and for whoever waits.
  const runs = calls === 1 ? 1 : runsMax;
  for (let again = 1; again < runs; again++) bestMs = Math.min(bestMs, run(work, calls));
  return { calls, runs, microseconds: bestMs > 0 ? (bestMs * 1_000) / calls : null };
}

function run(work: () => unknown, calls: number): number {
  const startedMs = performance.now();
  for (let call = 0; call < calls; call++) work();
  return performance.now() - startedMs;
}

export function timeText({ microseconds }: Timing): string {
  if (microseconds === null) return 'too quick for this clock';
  const digits = microseconds < 10 ? 2 : microseconds < 100 ? 1 : 0;
  return `${microseconds.toFixed(digits)} µs a look-up`;
}
