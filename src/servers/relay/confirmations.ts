import { type Confirmed, readConfirm } from '../../blocklist/formats/confirm-answer.js';
import { u32ToHex } from '../../core/bytes.js';
import { isPortcullisError, PortcullisError } from '../../core/errors.js';
import { host } from '../../core/http/fetch.js';
import type { Question } from './confirm-question.js';
import { badRequest, Refusal, unavailable } from './relay-answers.js';
import { type Flights, within } from './relay-flights.js';
import type { Settings } from './relay-options.js';
import type { Rates } from './relay-rates.js';
import { confirmPath } from './relay-routes.js';
import { graceMs, type Versions } from './relay-versions.js';
import { createGate, type Upstream } from './upstream.js';

type Hashes = readonly Uint8Array[];

interface Kept {
  readonly hashes: Hashes;
  readonly askedMs: number;
  /** Of the list. A prefix with nothing behind it is asked for again once the list is known to have changed: it may be what changed. */
  readonly state: string;
}

/** Prefixes that are asked for together: those of many clients at the same time. */
interface Batch {
  readonly prefixes: number[];
  readonly work: Promise<Confirmed>;
  readonly startedMs: number;
}

export interface Confirmations {
  /** The hashes of every prefix, or an error; never of some. */
  confirm(question: Question): Promise<Confirmed>;
  readonly count: number;
  clear(): void;
}

/** Confirmations kept, each counted with its hashes: 2 to 3 MB. */
const weightMax = 20_000;

/** Bytes of the service's answer: 2,000 prefixes with fifteen hashes each, where one is usual. */
const answerBytesMax = 2 * 1024 * 1024;

/** Batches under way at once: what a slow service can pile up here. */
const asksMax = 32;

/** How long a batch takes prefixes at most, in milliseconds: far longer than it waits, unless a worker has ended its work. */
const openMs = 1_000;

/** Requests to the service for one batch, with those that turned out too large: 1,000 prefixes for a service that takes 40. */
const callsMax = 32;

/** What a client should wait where nothing says more, in milliseconds. */
const waitMs = 1_000;

/**
 * How long nothing behind a prefix is known, in milliseconds. Another instance may have given out a newer list than is known here, and
 * its new entry would read as "not listed" for as long. One that many look for still costs the service twelve requests a minute.
 */
const emptyTtlMs = 5_000;

/** How long a size that the service took is taken for its bound, in milliseconds. */
const learnedMs = 600_000;

export function createConfirmations(
  settings: Settings,
  upstream: Upstream,
  versions: Versions,
  rates: Rates,
  flights: Flights<Confirmed>,
): Confirmations {
  const { confirmTtlMs, timeoutMs, prefixesMax, now, emit } = settings;
  const gate = createGate('confirm', settings, isRefused);
  /** The one asked longest ago first. */
  const cache = new Map<string, Kept>();
  let weight = 0;
  let learned = { size: prefixesMax, untilMs: 0 };
  const batches = new Set<Batch>();
  /** Those that still take prefixes, by what they have in common. */
  const open = new Map<string, Batch>();

  function drop(key: string): void {
    const kept = cache.get(key);
    if (kept === undefined) return;
    weight -= 1 + kept.hashes.length;
    cache.delete(key);
  }

  function keep(key: string, kept: Kept): void {
    drop(key);
    cache.set(key, kept);
    weight += 1 + kept.hashes.length;
    for (const oldest of cache.keys()) {
      if (weight <= weightMax) return;
      drop(oldest);
    }
  }

  function living(key: string, state: string): Hashes | undefined {
    const kept = cache.get(key);
    if (kept === undefined) return undefined;
    const ageMs = now() - kept.askedMs;
    const isEmpty = kept.hashes.length === 0;
    const maxMs = isEmpty ? Math.min(emptyTtlMs, confirmTtlMs) : confirmTtlMs;
    if (ageMs >= 0 && ageMs < maxMs && (!isEmpty || kept.state === state)) return kept.hashes;
    drop(key);
    return undefined;
  }

  async function askedOnce(algoVersion: unknown, prefixes: readonly number[]): Promise<Confirmed> {
    const untilMs = rates.upstream();
    if (untilMs > 0) throw unavailable(untilMs);
    const body = { algoVersion, prefixes: prefixes.map(u32ToHex) };
    return gate.run(async () =>
      readConfirm(await upstream.call({ method: 'POST', path: confirmPath, body }, answerBytesMax), prefixes),
    );
  }

  const sizeNow = (): number => (now() < learned.untilMs ? learned.size : prefixesMax);

  /** In as many requests as the service wants. Nobody knows its bound, so a refusal is met with halves. */
  async function asked(algoVersion: unknown, prefixes: readonly number[]): Promise<Confirmed> {
    const size = sizeNow();
    const confirmed = new Map<number, Hashes>();
    const rest: (readonly number[])[] = [];
    for (let at = 0; at < prefixes.length; at += size) rest.unshift(prefixes.slice(at, at + size));
    let calls = 0;
    let isSplit = false;
    for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
      if (++calls > callsMax) throw new PortcullisError('LIMIT_EXCEEDED', `the service wants more than ${callsMax} requests`);
      try {
        for (const [prefix, hashes] of await askedOnce(algoVersion, part)) confirmed.set(prefix, hashes);
        if (isSplit) learned = { size: part.length, untilMs: now() + learnedMs };
        isSplit = false;
      } catch (error) {
        if (!isRefused(error)) throw error;
        if (part.length === 1) throw refused(error);
        const half = part.length >> 1;
        rest.push(part.slice(half), part.slice(0, half));
        isSplit = true;
      }
    }
    return confirmed;
  }

  function refused({ code, status = 0 }: PortcullisError): Refusal {
    emit({ type: 'upstream-error', route: 'confirm', code, status, pauseMs: 0 });
    return status === 400 || status === 422
      ? badRequest('the service does not take this question')
      : new Refusal(502, 'BAD_GATEWAY', 'the service gave no answer that can be used', waitMs);
  }

  async function load(given: string | number, prefixes: readonly number[], state: string): Promise<Confirmed> {
    const askedMs = now();
    const confirmed = await asked(versions.algoVersionOf(given), prefixes);
    for (const prefix of prefixes) keep(keyOf(given, prefix), { hashes: confirmed.get(prefix)!, askedMs, state });
    return confirmed;
  }

  function isYounger({ startedMs }: Batch, maxMs: number): boolean {
    return Math.abs(now() - startedMs) < maxMs;
  }

  /** Into the batch that is open, if they fit, or a new one. */
  function batched(given: string | number, prefixes: readonly number[], state: string): Promise<Confirmed> {
    const key = `${state} ${given}`;
    const found = open.get(key);
    if (found !== undefined && isYounger(found, openMs) && found.prefixes.length + prefixes.length <= sizeNow()) {
      found.prefixes.push(...prefixes);
      return found.work;
    }
    for (const other of batches) if (!isYounger(other, timeoutMs + graceMs)) batches.delete(other);
    if (batches.size >= asksMax) throw unavailable(waitMs);
    // Longer, the more is under way: a crowd that comes within a moment is asked for in a few requests.
    const delayMs = batches.size;
    const all = [...prefixes];
    const run = async (): Promise<Confirmed> => {
      await new Promise<void>((resolve) => host.setTimeout(resolve, delayMs));
      if (open.get(key) === batch) open.delete(key);
      try {
        return await load(given, all, state);
      } finally {
        batches.delete(batch);
      }
    };
    const batch: Batch = { prefixes: all, work: run(), startedMs: now() };
    batches.add(batch);
    open.set(key, batch);
    return batch.work;
  }

  return {
    async confirm({ algoVersion, prefixes }) {
      await versions.ready();
      // Each made-up version would be another question, and use up what all clients share.
      if (!(await versions.knows(algoVersion))) throw badRequest('no list that is known here has this algoVersion');
      const state = versions.state();
      const found = new Map<number, Hashes>();
      const missing: number[] = [];
      const waiting = new Map<number, Promise<Confirmed>>();
      const flightOf = (prefix: number): string => `${state} ${keyOf(algoVersion, prefix)}`;
      for (const prefix of prefixes) {
        const hashes = living(keyOf(algoVersion, prefix), state);
        const work = flights.underWay(flightOf(prefix));
        if (hashes !== undefined) found.set(prefix, hashes);
        else if (work !== undefined) waiting.set(prefix, work);
        else missing.push(prefix);
      }
      if (missing.length > 0) {
        const work = batched(algoVersion, missing, state);
        const begun = (): Promise<Confirmed> => work;
        for (const prefix of missing) waiting.set(prefix, flights.join(flightOf(prefix), begun));
      }
      if (waiting.size > 0) {
        const answers = await within(
          Promise.all([...waiting].map(async ([prefix, work]) => [prefix, await work] as const)),
          timeoutMs + graceMs,
        );
        for (const [prefix, confirmed] of answers) found.set(prefix, confirmed.get(prefix)!);
      }
      // Every prefix that was asked for stands in `found` from here on.
      return new Map(prefixes.map((prefix) => [prefix, found.get(prefix)!]));
    },
    get count() {
      return cache.size;
    },
    clear() {
      cache.clear();
      weight = 0;
    },
  };
}

/** A number and its text are one version. */
function keyOf(algoVersion: string | number, prefix: number): string {
  return `${algoVersion} ${prefix}`;
}

/** The service does not take this question, or not so much at once; it is well otherwise. */
function isRefused(error: unknown): error is PortcullisError {
  return isPortcullisError(error) && refusedStatuses.has(error.status ?? 0);
}

/** What services say of a question they do not take. Any other status is a failure, after which the service is left alone, and everybody's prefixes with it. */
const refusedStatuses: ReadonlySet<number> = new Set([400, 404, 409, 413, 422]);
