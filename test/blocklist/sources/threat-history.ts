import { createBlocklist } from 'portcullis';
import { safeBrowsingSource, webRiskSource } from 'portcullis/sources';
import { memoryStore } from 'portcullis/stores';
import { expect } from 'vitest';
import type { Source } from '../../../src/blocklist/model/source.js';
import { createOpenStore } from '../../../src/blocklist/sync/open-store.js';
import { createSavedList } from '../../../src/blocklist/sync/saved.js';
import {
  type AnswerFault,
  apiKey,
  type LastingFault,
  type ListFault,
  recoverableFaults,
  serveThreats,
} from '../../support/threat-server.js';

/** A pseudorandom generator, so that a history can be repeated. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Long enough for a busy machine; no history has an answer that hangs. */
const timeoutMs = 10_000;

const safeBrowsing = {
  names: ['se-4b', 'mw-4b', 'uws-4b'],
  make: (origin: string, now: () => number) =>
    safeBrowsingSource({ apiKey, baseUrl: `${origin}/v5`, now, timeoutMs, artifactTimeoutMs: timeoutMs }),
  /** Bytes of entries longer than four. */
  longSizes: [8, 16, 32],
} as const;

export const kinds = {
  'safe-browsing': { ...safeBrowsing, speaks: 'protobuf' },
  'safe-browsing in JSON': { ...safeBrowsing, speaks: 'json' },
  'web-risk': {
    names: ['SOCIAL_ENGINEERING', 'MALWARE', 'UNWANTED_SOFTWARE'],
    make: (origin: string, now: () => number) =>
      webRiskSource({ apiKey, baseUrl: `${origin}/v1`, now, timeoutMs, artifactTimeoutMs: timeoutMs }),
    longSizes: Array.from({ length: 28 }, (_, at) => at + 5),
    speaks: 'json',
  },
} as const;

export type Step =
  | { readonly do: 'change'; readonly list: number; readonly seed: number; readonly share: number }
  | { readonly do: 'sync' }
  | { readonly do: 'restart' }
  | { readonly do: 'lose-versions'; readonly list: number }
  | { readonly do: 'list-fault'; readonly list: number; readonly fault: ListFault }
  | { readonly do: 'lasting-fault'; readonly list: number; readonly fault: LastingFault | null }
  | { readonly do: 'refuse-key'; readonly rounds: number }
  | { readonly do: 'answer-fault'; readonly fault: AnswerFault }
  | { readonly do: 'stepwise'; readonly list: number; readonly isStepwise: boolean };

/** What happened in a history, to show that it tested something. */
export interface HistorySeen {
  updates: number;
  partial: number;
  failed: number;
  requests: number;
}

const recoverable: readonly (ListFault | null)[] = [null, ...recoverableFaults];

/**
 * Plays a history against a local server. After every round each list of the client is the server's, or as it was if its update
 * failed. A round fails only because of a fault in its own answers or a list that has become empty, never because of unusable changes: one
 * bad answer must not affect later rounds.
 */
export async function playHistory(kind: keyof typeof kinds, steps: readonly Step[], seed: number): Promise<HistorySeen> {
  const { names, make, longSizes, speaks } = kinds[kind];
  let nowMs = 1_700_000_000_000;
  const now = (): number => nowMs;
  const random = randomFrom(seed);
  const server = await serveThreats({ names, now, random });
  server.speaks = speaks;
  const memory = memoryStore();
  const open = () => {
    const sources = make(server.origin, now);
    return { sources, blocklist: createBlocklist({ sources: [sources], store: memory, pollMs: 0, now, random }) };
  };
  const heldBy = async (source: Source): Promise<string[]> => {
    const store = createOpenStore(memory, () => {});
    await store.open();
    const damaged = (_: string, error: Error): never => {
      throw error;
    };
    const saved = createSavedList(store, source, 300_000, now, damaged, () => expect.fail('the list is of another source'));
    const generation = await saved.load(0);
    await store.close();
    return generation === null
      ? []
      : [...(generation.base as Iterable<number>)].map((entry) => entry.toString(16).padStart(8, '0'));
  };
  const served = (name: string): string[] => [...new Set(server.current(name).map((entry) => entry.slice(0, 8)))];
  const seen: HistorySeen = { updates: 0, partial: 0, failed: 0, requests: 0 };
  /** Lists of which the client has a version that the server knows. */
  const known = new Set<string>();
  /** By source: how often its list was refused because it has become empty. */
  const emptied = new Map<string, number>();
  let refusedRounds = 0;
  let { sources, blocklist } = open();
  for (const step of steps) {
    const name = names['list' in step ? step.list % names.length : 0]!;
    const list = server.lists.get(name)!;
    if (step.do === 'change') server.change(name, changed(server.current(name), step, longSizes));
    if (step.do === 'lose-versions') {
      list.states.splice(0, list.states.length - 1);
      known.delete(name);
    }
    if (step.do === 'list-fault') list.fault = step.fault;
    if (step.do === 'lasting-fault') list.lastingFault = step.fault;
    if (step.do === 'refuse-key') refusedRounds = step.rounds;
    if (step.do === 'answer-fault') server.faults.push(step.fault);
    // Web Risk does not say that there is more, so that it comes with a later round.
    if (step.do === 'stepwise' && !longSizes) list.isStepwise = step.isStepwise;
    if (step.do === 'restart') {
      await blocklist.close();
      ({ sources, blocklist } = open());
    }
    if (step.do !== 'sync') continue;
    nowMs += 3_600_000 * (1 + random());
    const before = await Promise.all(sources.map(heldBy));
    server.isKeyRefused = refusedRounds-- > 0;
    const hasAnswerFault = server.faults.length > 0 || server.isKeyRefused;
    const asked = names.map((one) => ({ fault: server.lists.get(one)!.fault, sent: server.lists.get(one)!.sent.length }));
    const results = (await blocklist.sync()).sources;
    for (const [at, source] of sources.entries()) {
      const { outcome, error } = results.find((result) => result.source === source.id)!;
      const { fault, sent } = asked[at]!;
      const isRecoverable =
        recoverable.includes(fault) && (fault === null || server.lists.get(names[at]!)!.sent[sent] === 'partial');
      // A list that has become empty is refused; when the same version comes again it is believed, and the third time in any case.
      const isEmptied = served(names[at]!).length === 0 && before[at]!.length > 0;
      const isDoubted = isEmptied && error?.code === 'SUSPICIOUS_LIST';
      const refusals = isEmptied ? (emptied.get(source.id) ?? 0) + Number(isDoubted) : 0;
      emptied.set(source.id, refusals);
      expect(refusals).toBeLessThan(3);
      expect(
        hasAnswerFault || !isRecoverable || isDoubted ? ['updated', 'unchanged', 'failed'] : ['updated', 'unchanged'],
        String(error),
      ).toContain(outcome);
      const one = server.lists.get(names[at]!)!;
      // Whatever failed before, the whole list is fetched only if changes cannot be.
      const mustBeChanges = known.has(names[at]!) && !hasAnswerFault && fault === null && one.lastingFault === null;
      if (mustBeChanges) expect(one.sent.slice(sent), `${source.id} ${outcome}`).not.toContain('whole');
      if (outcome !== 'failed') known.add(names[at]!);
      if (outcome === 'failed') seen.failed++;
      if (outcome === 'updated') seen.updates++;
      const held = await heldBy(source);
      expect(held, `${source.id} ${outcome} ${error}`).toEqual(outcome === 'failed' ? before[at] : served(names[at]!));
    }
  }
  await blocklist.close();
  seen.partial = [...server.lists.values()].flatMap(({ sent }) => sent.filter((one) => one === 'partial')).length;
  seen.requests = server.requests.length;
  // The key is a header only.
  expect(server.requests.filter((url) => url.includes(apiKey))).toEqual([]);
  return seen;
}

/** Adds and removes entries. Some are neighbors, some are longer, and some of those begin with another entry. */
function changed(
  entries: readonly string[],
  { seed, share }: { readonly seed: number; readonly share: number },
  longSizes: readonly number[],
): string[] {
  const random = randomFrom(seed);
  for (let skipped = 0; skipped < 3; skipped++) random();
  const hex = (length: number): string => Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('');
  const kept = entries.filter(() => random() >= share);
  const added = Array.from({ length: Math.floor(random() * 40) }, () => {
    const near = kept[Math.floor(random() * kept.length)]?.slice(0, 8) ?? hex(8);
    const entry = random() < 0.2 ? near.slice(0, 7) + hex(1) : random() < 0.05 ? '00000000' : hex(8);
    if (random() < 0.8) return entry;
    const size = longSizes[Math.floor(random() * longSizes.length)]!;
    return (random() < 0.4 ? near : entry) + hex(2 * (size - 4));
  });
  return [...kept, ...added];
}
