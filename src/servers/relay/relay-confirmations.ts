import { createAsker } from '../../blocklist/ask/asker.js';
import { type Confirmed, maxConfirmBytes, readConfirm } from '../../blocklist/formats/confirm-answer.js';
import type { Answer } from '../../blocklist/rules/judge-hit.js';
import { pauseLeftMs } from '../../blocklist/rules/pause.js';
import { isRejection } from '../../blocklist/rules/portions.js';
import { u32ToHex } from '../../core/bytes.js';
import type { PortcullisError, SignalLike } from '../../core/errors.js';
import { bounded } from '../../core/http/bounded.js';
import { HttpRefusal } from '../../core/http/http-refusal.js';
import { WeightedMap } from '../../core/weighted-map.js';
import { badRequest } from '../http/refusal-response.js';
import type { Question } from './confirm-question.js';
import { badGateway, defaultRetryMs, refusalOf, unavailable } from './relay-answers.js';
import type { Settings } from './relay-options.js';
import type { Rates } from './relay-rates.js';
import { confirmPath } from './relay-routes.js';
import { graceMs, type Versions } from './relay-versions.js';
import { createReporter, type Upstream } from './upstream.js';

type Hashes = readonly Uint8Array[];

interface CachedHashes {
  readonly hashes: Hashes;
  readonly askedMs: number;
  /** The list's state. After the list has changed, a prefix without hashes is asked for again, because the change may have added one. */
  readonly state: string;
}

export interface Confirmations {
  /**
   * The hashes of every prefix, or an error; never a partial answer. A sealed question is asked alone and neither reads nor fills the
   * cache: the relay that passed it on can send it again and ask questions of its own, so a faster answer would tell it the prefix.
   */
  confirm(question: Question, isSealed: boolean): Promise<Confirmed>;
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

/** Pending questions, in requests of the largest size, so that a slow service cannot pile up work here. */
const maxPendingRequests = 32;

/** @param underWay Receives all pending work. */
export function createConfirmations(
  settings: Settings,
  upstream: Upstream,
  versions: Versions,
  rates: Rates,
  closing: SignalLike,
  underWay: Set<Promise<unknown>>,
): Confirmations {
  const { confirmTtlMs, timeoutMs, maxPrefixes, now } = settings;
  const limitMs = timeoutMs + graceMs;
  const cache = new WeightedMap<CachedHashes>(maxCacheWeight, ({ hashes }) => 1 + hashes.length);
  let state = '';
  let sealedQuestions = 0;
  const report = createReporter('confirm', settings);

  const asker = createAsker({
    now,
    closing,
    timeoutMs: limitMs,
    maxPerRequest: maxPrefixes,
    // The more requests run, the longer questions are collected, so that a burst of clients needs few requests.
    shared: { delayMs: (running) => running, maxPending: maxPendingRequests * maxPrefixes, joinMs: limitMs },
    isOwn: ({ cause }) => cause instanceof HttpRefusal,
    async confirm(prefixes, { algoVersion: name }) {
      const waitMs = rates.upstream();
      if (waitMs > 0) throw unavailable(waitMs);
      const body = { algoVersion: nameParts(name)[0], prefixes: prefixes.map(u32ToHex) };
      const answer = await upstream.call({ method: 'POST', path: confirmPath, body }, maxConfirmBytes);
      return { hashes: readConfirm(answer, prefixes) };
    },
    onAnswer(prefix, { hashes }, isCurrent, askedMs, name) {
      if (nameParts(name).length > 1) return;
      const key = keyOf(name, prefix);
      // A late answer about an older list must not replace a newer one.
      if (!isCurrent && (cache.get(key)?.askedMs ?? 0) >= askedMs) return;
      cache.set(key, { hashes, askedMs, state: isCurrent ? state : '' });
    },
    onAsked: ({ error }) => report(asker.watch.pause, error, error && isRejection(error)),
  });

  function cached(key: string): Hashes | undefined {
    const found = cache.get(key);
    if (found === undefined) return undefined;
    const ageMs = now() - found.askedMs;
    const isEmpty = found.hashes.length === 0;
    const maxMs = isEmpty ? Math.min(emptyTtlMs, confirmTtlMs) : confirmTtlMs;
    if (ageMs >= 0 && ageMs < maxMs && (!isEmpty || found.state === state)) return found.hashes;
    cache.delete(key);
    return undefined;
  }

  /** Why a client gets no hashes. */
  function refusalFor({ failure, error }: Extract<Answer, { readonly failure: unknown }>): HttpRefusal {
    if (error?.cause instanceof HttpRefusal) return error.cause;
    if (error !== undefined && isRejection(error)) return rejected(error);
    const retryMs = pauseLeftMs(asker.watch.pause, now()) || defaultRetryMs;
    if (error !== undefined) return refusalOf(error, retryMs) ?? badGateway(retryMs);
    return failure === 'bad-answer' ? badGateway(retryMs) : unavailable(retryMs);
  }

  async function ask(name: string, prefixes: readonly number[]): Promise<(readonly [number, Hashes])[]> {
    const asked = Promise.all(prefixes.map(async (prefix) => [prefix, await asker.ask(prefix, name)] as const));
    underWay.add(asked);
    try {
      const answers = await bounded(limitMs, undefined, () => asked);
      return answers.map(([prefix, answer]) => {
        if ('failure' in answer) throw refusalFor(answer);
        return [prefix, answer.hashes];
      });
    } finally {
      underWay.delete(asked);
    }
  }

  return {
    async confirm({ algoVersion, prefixes }, isSealed) {
      await versions.ready();
      // Made-up versions would all miss the cache and use up the rate that all clients share.
      if (!(await versions.knows(algoVersion))) throw badRequest('no known list has this algoVersion');
      const before = state;
      state = versions.state();
      if (before !== state) asker.renew();
      // As the service spells it: a number and the same number as text are one version.
      const version = versions.algoVersionOf(algoVersion);
      // The asker shares requests between questions of one name.
      if (isSealed) return new Map(await ask(JSON.stringify([version, ++sealedQuestions]), prefixes));
      const name = JSON.stringify([version]);
      const found = new Map(prefixes.map((prefix) => [prefix, cached(keyOf(name, prefix))]));
      const missing = prefixes.filter((prefix) => found.get(prefix) === undefined);
      for (const [prefix, hashes] of await ask(name, missing)) found.set(prefix, hashes);
      return found as Confirmed;
    },
    get count() {
      return cache.size;
    },
    clear: () => cache.clear(),
  };
}

/** The service rejected the question itself, and works otherwise. */
function rejected({ status }: PortcullisError): HttpRefusal {
  return status === 400 || status === 422 ? badRequest('the service rejected the confirmation') : badGateway(defaultRetryMs);
}

/** The `algoVersion`, and for a sealed question its number. */
function nameParts(name: string): readonly [algoVersion: string | number, sealedQuestion?: number] {
  return JSON.parse(name);
}

function keyOf(name: string, prefix: number): string {
  return `${name} ${prefix}`;
}
