import type { Confirmed } from '../../blocklist/formats/confirm-answer.js';
import { bounded } from '../../core/http/bounded.js';
import { type Batched, createBatches } from './confirm-batches.js';
import type { Question } from './confirm-question.js';
import { createConfirmUpstream } from './confirm-upstream.js';
import { badGateway, badRequest, defaultRetryMs } from './relay-answers.js';
import type { Flights } from './relay-flights.js';
import type { Settings } from './relay-options.js';
import type { Rates } from './relay-rates.js';
import { graceMs, type Versions } from './relay-versions.js';
import type { Upstream } from './upstream.js';
import { WeightedMap } from './weighted-map.js';

type Hashes = readonly Uint8Array[];

interface CachedHashes {
  readonly hashes: Hashes;
  readonly askedMs: number;
  /** The list's state. After the list has changed, a prefix without hashes is asked for again, because the change may have added one. */
  readonly state: string;
}

export interface Confirmations {
  /** The hashes of every prefix, or an error; never a partial answer. */
  confirm(question: Question): Promise<Confirmed>;
  readonly count: number;
  clear(): void;
}

/** Cached confirmations, each counted with its hashes: 2 to 3 MB. */
const maxCacheWeight = 20_000;

/**
 * How long an empty confirmation is cached, in milliseconds. Another instance may already serve a newer list, whose new entry would read
 * as "not listed" for this long. A popular prefix still costs the service only twelve requests a minute.
 */
const emptyTtlMs = 5_000;

export function createConfirmations(
  settings: Settings,
  upstream: Upstream,
  versions: Versions,
  rates: Rates,
  flights: Flights<Confirmed>,
): Confirmations {
  const { confirmTtlMs, timeoutMs, now } = settings;
  const cache = new WeightedMap<CachedHashes>(maxCacheWeight, ({ hashes }) => 1 + hashes.length);
  const service = createConfirmUpstream(settings, upstream, rates);
  const batched = createBatches(settings, service.batchSize, load);

  async function load({ algoVersion, prefixes, state }: Batched): Promise<Confirmed> {
    const askedMs = now();
    const confirmed = await service.ask(versions.algoVersionOf(algoVersion), prefixes);
    for (const prefix of prefixes) {
      const hashes = confirmed.get(prefix);
      if (hashes !== undefined) cache.set(keyOf(algoVersion, prefix), { hashes, askedMs, state });
    }
    return confirmed;
  }

  function cached(key: string, state: string): Hashes | undefined {
    const found = cache.get(key);
    if (found === undefined) return undefined;
    const ageMs = now() - found.askedMs;
    const isEmpty = found.hashes.length === 0;
    const maxMs = isEmpty ? Math.min(emptyTtlMs, confirmTtlMs) : confirmTtlMs;
    if (ageMs >= 0 && ageMs < maxMs && (!isEmpty || found.state === state)) return found.hashes;
    cache.delete(key);
    return undefined;
  }

  return {
    async confirm({ algoVersion, prefixes }) {
      await versions.ready();
      // Made-up versions would all miss the cache and use up the rate that all clients share.
      if (!(await versions.knows(algoVersion))) throw badRequest('no known list has this algoVersion');
      const state = versions.state();
      const found = new Map<number, Hashes>();
      const missing: number[] = [];
      const waiting = new Map<number, Promise<Confirmed>>();
      const flightOf = (prefix: number): string => `${state} ${keyOf(algoVersion, prefix)}`;
      for (const prefix of prefixes) {
        const hashes = cached(keyOf(algoVersion, prefix), state);
        const work = flights.underWay(flightOf(prefix));
        if (hashes !== undefined) found.set(prefix, hashes);
        else if (work !== undefined) waiting.set(prefix, work);
        else missing.push(prefix);
      }
      if (missing.length > 0) {
        const work = batched({ algoVersion, state, prefixes: missing });
        for (const prefix of missing) {
          waiting.set(
            prefix,
            flights.join(flightOf(prefix), () => work),
          );
        }
      }
      if (waiting.size > 0) {
        const answers = await bounded(timeoutMs + graceMs, undefined, () =>
          Promise.all([...waiting].map(async ([prefix, work]) => [prefix, await work] as const)),
        );
        for (const [prefix, confirmed] of answers) {
          const hashes = confirmed.get(prefix);
          // Only the questions about this prefix fail, not all that shared its request.
          if (hashes === undefined) throw badGateway(defaultRetryMs);
          found.set(prefix, hashes);
        }
      }
      // From here on `found` has every requested prefix.
      return new Map(prefixes.map((prefix) => [prefix, found.get(prefix)!]));
    },
    get count() {
      return cache.size;
    },
    clear: () => cache.clear(),
  };
}

/** A number and the same number as text are one version. */
function keyOf(algoVersion: string | number, prefix: number): string {
  return `${algoVersion} ${prefix}`;
}
