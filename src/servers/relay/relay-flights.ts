import { PortcullisError } from '../../core/errors.js';
import { host } from '../../core/http/fetch.js';

/** Work that several requests wait for is done once. */
export interface Flights<T> {
  /** The work of this key that is under way, or else what `run` begins. */
  join(key: string, run: () => Promise<T>): Promise<T>;
  underWay(key: string): Promise<T> | undefined;
}

/**
 * @param limitMs Work that takes longer is not joined any more: some workers end the work of a request with the request, and then it never ends.
 * @param underWay Gets all work that has not ended.
 */
export function createFlights<T>(limitMs: number, now: () => number, underWay: Set<Promise<unknown>>): Flights<T> {
  const flights = new Map<string, { readonly work: Promise<T>; readonly startedMs: number }>();
  const living = (key: string): Promise<T> | undefined => {
    const flight = flights.get(key);
    return flight && now() - flight.startedMs < limitMs ? flight.work : undefined;
  };
  return {
    underWay: living,
    join(key, run) {
      const found = living(key);
      if (found !== undefined) return found;
      const flight = { work: run(), startedMs: now() };
      const done = (): void => {
        underWay.delete(flight.work);
        if (flights.get(key) === flight) flights.delete(key);
      };
      flights.set(key, flight);
      underWay.add(flight.work);
      flight.work.then(done, done);
      return flight.work;
    },
  };
}

/**
 * Waits no longer than this; the work goes on for others.
 * @throws TIMEOUT
 */
export async function within<T>(work: Promise<T>, waitMs: number): Promise<T> {
  let timer: unknown;
  const late = new Promise<never>((_, reject) => {
    timer = host.setTimeout(() => reject(new PortcullisError('TIMEOUT', `not done within ${waitMs} ms`)), waitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    host.clearTimeout(timer);
  }
}
