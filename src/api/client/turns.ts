import { PortcullisError, type SignalLike } from '../../core/errors.js';
import { bounded } from '../../core/http/bounded.js';

/** Ends a turn. */
export type EndTurn = () => void;

/** Lets as many requests run at once as there are connections, the others in the order in which they came. */
export interface Turns {
  /** @throws TIMEOUT, ABORTED */
  take(waitMs: number, signal: SignalLike | undefined): Promise<EndTurn>;
}

export function createTurns(max: number): Turns {
  let running = 0;
  // In the order of insertion; one that gave up is deleted from any place.
  const waiting = new Set<() => void>();

  const end = (): void => {
    const [next] = waiting;
    if (next === undefined) running--;
    else {
      waiting.delete(next);
      next();
    }
  };
  return {
    async take(waitMs, signal) {
      if (running < max) {
        running++;
        return end;
      }
      let start: (() => void) | undefined;
      try {
        const wait = (): Promise<void> =>
          new Promise((resolve) => {
            start = resolve;
            waiting.add(resolve);
          });
        await bounded(waitMs, signal, wait, false, true);
      } catch (error) {
        // Its turn may have come in the same moment.
        if (start !== undefined && !waiting.delete(start)) end();
        throw error instanceof PortcullisError && error.code === 'TIMEOUT' ? noTurn(max, waitMs) : error;
      }
      return end;
    },
  };
}

function noTurn(max: number, waitMs: number): PortcullisError {
  return new PortcullisError('TIMEOUT', `none of the ${max} connections was free within ${waitMs} ms (agent.maxConnections)`);
}
