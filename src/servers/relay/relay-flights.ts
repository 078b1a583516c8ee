/** Returns the pending work of this key, or starts `run`. */
export type Join<T> = (key: string, run: () => Promise<T>) => Promise<T>;

/**
 * Shares one execution of the same work between the requests that wait for it.
 *
 * @param limitMs Work that takes longer is no longer joined: some workers cancel the work of a request when the request ends, and then it
 * never settles.
 * @param underWay Receives all pending work.
 */
export function createFlights<T>(limitMs: number, now: () => number, underWay: Set<Promise<unknown>>): Join<T> {
  const flights = new Map<string, { readonly work: Promise<T>; readonly startedMs: number }>();
  const pending = (key: string): Promise<T> | undefined => {
    const flight = flights.get(key);
    return flight && now() - flight.startedMs < limitMs ? flight.work : undefined;
  };
  return (key, run) => {
    const found = pending(key);
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
  };
}
