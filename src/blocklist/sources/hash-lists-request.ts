import { isPortcullisError, type SignalLike } from '../../core/errors.js';
import { unusable } from '../../core/http/http-api.js';
import { type HashList, readHashLists } from './safe-browsing-answers.js';
import { endOfTurn, type SharedWork, shareWork } from './shared-work.js';
import type { Signal } from './source-options.js';
import type { ThreatListAnswer } from './threat-list.js';
import { type Ask, queryOf } from './threat-service.js';

/** The version to ask from; `null` for the whole list. */
type From = string | null;

/** The answer about one list, or the reason it is missing. */
type Result = { readonly list: (() => HashList) | undefined } | { readonly error: unknown };

/** An answer that came with another list's request, before the list was asked for. */
interface EarlyAnswer {
  readonly from: From;
  readonly atMs: number;
  readonly answer: ThreatListAnswer;
}

/** The next request, and the lists that it was made for. */
interface Gathering extends SharedWork<ReadonlyMap<string, Result>> {
  readonly asked: Map<string, From>;
}

interface ListsRequest {
  ask(name: string, from: From, signal: Signal): Promise<ThreatListAnswer>;
  /** The client has this version now, so that the list may join another's request once its wait is over. */
  hold(name: string, version: string, waitMs: number): void;
}

/** How long an early answer waits for the round of its list. Polls vary by a fifth of five minutes. */
const maxEarlyMs = 120_000;

/** Several lists in one request: those that are asked for in the same turn, and those whose wait is over. */
export function createListsRequest(ask: Ask, now: () => number): ListsRequest {
  /** The versions that the client has, of lists without a running round. */
  const held = new Map<string, { readonly version: string; readonly dueAtMs: number }>();
  const early = new Map<string, EarlyAnswer>();
  /** Lists that were refused alone. Each would fail a request for several, until it succeeds alone. */
  const refused = new Set<string>();
  let gathering: Gathering | null = null;

  const isFresh = ({ atMs }: EarlyAnswer): boolean => now() >= atMs && now() - atMs < maxEarlyMs;

  /** Lists without a running round whose wait is over. */
  function dueLists(): [name: string, from: From][] {
    const due: [string, From][] = [];
    for (const [name, { version, dueAtMs }] of held) {
      const before = early.get(name);
      const isWaiting = now() < dueAtMs || (before !== undefined && isFresh(before));
      if (!isWaiting && !refused.has(name)) due.push([name, version]);
    }
    return due;
  }

  async function fetchLists(some: ReadonlyMap<string, From>, signal: SignalLike): Promise<Map<string, Result>> {
    const names = [...some.keys()].map((name) => ['names', name] as const);
    const versions = [...some.values()].flatMap((from) => (from === null ? [] : [['version', from] as const]));
    const { body } = await ask(`/hashLists:batchGet?${queryOf([...names, ...versions])}`, signal);
    const lists = readHashLists(body);
    return new Map([...some.keys()].map((name) => [name, { list: lists.get(name) }]));
  }

  /** Nothing if the service refused the lists together, perhaps because of one of them. */
  async function fetchTogether(some: ReadonlyMap<string, From>, signal: SignalLike): Promise<Map<string, Result>> {
    try {
      return await fetchLists(some, signal);
    } catch (error) {
      return new Map(isRefusal(error) ? [] : [...some.keys()].map((name) => [name, { error }]));
    }
  }

  async function fetchAlone(name: string, from: From, signal: SignalLike): Promise<Result> {
    try {
      const results = await fetchLists(new Map([[name, from]]), signal);
      refused.delete(name);
      return results.get(name)!;
    } catch (error) {
      if (isRefusal(error)) refused.add(name);
      return { error };
    }
  }

  async function fetchAsked(asked: ReadonlyMap<string, From>, signal: SignalLike): Promise<ReadonlyMap<string, Result>> {
    await endOfTurn(signal);
    gathering = null;
    const accepted = [...asked].filter(([name]) => !refused.has(name));
    const due = accepted.length === 0 ? [] : dueLists();
    const together = new Map([...accepted, ...due]);
    const results = together.size > 1 ? await fetchTogether(together, signal) : new Map<string, Result>();
    for (const [name, from] of due) keepEarly(name, from, results.get(name));
    for (const [name, from] of asked) {
      if (!results.has(name)) results.set(name, await fetchAlone(name, from, signal));
    }
    return results;
  }

  function keepEarly(name: string, from: From, result: Result | undefined): void {
    try {
      if (result !== undefined) early.set(name, { from, atMs: now(), answer: readHashList(result) });
    } catch {
      // The list asks for itself.
    }
  }

  function gather(): Gathering {
    const asked = new Map<string, From>();
    return { ...shareWork((signal) => fetchAsked(asked, signal)), asked };
  }

  return {
    hold(name, version, waitMs) {
      held.set(name, { version, dueAtMs: now() + waitMs });
    },
    async ask(name, from, signal) {
      held.delete(name);
      const before = early.get(name);
      early.delete(name);
      if (before?.from === from && isFresh(before)) {
        const { answer, atMs } = before;
        return { ...answer, waitMs: Math.max(0, (answer.waitMs ?? 0) - (now() - atMs)) };
      }
      if (gathering === null || gathering.isEnded()) gathering = gather();
      gathering.asked.set(name, from);
      const results = await gathering.join(signal);
      return readHashList(results.get(name)!);
    },
  };
}

/** An error that one list, or one version, causes for all that are asked for together. */
function isRefusal(error: unknown): boolean {
  const { code, status } = isPortcullisError(error) ? error : {};
  return code === 'LIMIT_EXCEEDED' || status === 400 || status === 404 || status === 413;
}

/** @throws PortcullisError `INVALID_RESPONSE`, or the error itself */
function readHashList(result: Result): ThreatListAnswer {
  if ('error' in result) throw result.error;
  if (result.list === undefined) throw unusable('leaves out a list');
  const list = result.list();
  return { ...list, hasMore: !list.waitMs };
}
