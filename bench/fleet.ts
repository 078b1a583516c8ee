import { defaultPollMs } from '../src/blocklist/model/blocklist-options.js';
import type { Generation } from '../src/blocklist/model/generation.js';
import type { ListVersion } from '../src/blocklist/model/source.js';
import { type Plan, planOf } from '../src/blocklist/rules/accept-version.js';
import { afterFailure, afterSuccess, initialState, isFresh, nextSyncAtMs } from '../src/blocklist/sync/sync-state.js';
import { PortcullisError } from '../src/core/errors.js';
import { PrefixSet } from '../src/core/prefixes/prefix-set.js';
import { randomFrom } from './inputs.js';

export const second = 1_000;
export const minute: number = 60 * second;
export const hour: number = 60 * minute;
export const day: number = 24 * hour;

/** When a publisher changes the list. The times are those of a job that runs every ten minutes, with its default options. */
export interface Publisher {
  readonly recentEveryMs: number;
  readonly snapshotEveryMs: number;
}

/** The snapshots of a day come at six and at eighteen o'clock, so that no simulation begins with one. */
const firstSnapshotMs: number = 6 * hour;

export const usualPublisher: Publisher = { recentEveryMs: 10 * minute, snapshotEveryMs: 12 * hour };

/** What happens to the clients on this day, besides their polls. */
export interface Incident {
  readonly atMs: number;
  readonly forMs: number;
  /**
   * `restart`: all processes end, and all start again in the same moment. `unreachable`: the host does not answer. `refused`: it
   * answers 503.
   */
  readonly kind: 'restart' | 'unreachable' | 'refused';
}

export interface Fleet {
  readonly clients: number;
  readonly untilMs: number;
  readonly pollMs: number;
  readonly publisher: Publisher;
  /** Whether the clients keep their list across a restart. */
  readonly hasStore: boolean;
  readonly incident: Incident | null;
  /** Whether the clients start together, instead of at any time within a polling interval. */
  readonly startsTogether: boolean;
}

export const usualFleet: Omit<Fleet, 'clients'> = {
  untilMs: day,
  pollMs: defaultPollMs,
  publisher: usualPublisher,
  hasStore: true,
  incident: null,
  startsTogether: false,
};

/** One round of one client that reached the host. */
export interface Round {
  readonly atMs: number;
  readonly plan: Plan;
  /** The snapshot that the client had, counted from the first; `null` without one. */
  readonly from: number | null;
}

/**
 * Rounds of a fleet over virtual time. When a client polls, what it fetches and how it backs off are decided by the functions that the
 * library itself calls (`sync-state.ts`, `backoff.ts`, `plan.ts`). Clients do not affect each other, so they run one after the other.
 */
export function simulate(fleet: Fleet, onRound: (round: Round) => void, onFailure: (atMs: number) => void = () => {}): void {
  for (let client = 0; client < fleet.clients; client++) simulateClient(fleet, randomOf(client), onRound, onFailure);
}

function simulateClient(
  { untilMs, pollMs, publisher, hasStore, incident, startsTogether }: Fleet,
  random: () => number,
  onRound: (round: Round) => void,
  onFailure: (atMs: number) => void,
): void {
  let held: Generation | null = null;
  let state = initialState;
  let nowMs = startsTogether ? 0 : Math.floor(random() * pollMs);
  const endMs = incident === null ? Number.POSITIVE_INFINITY : incident.atMs + incident.forMs;
  while (nowMs < untilMs) {
    const isDuring = incident !== null && nowMs >= incident.atMs && nowMs < endMs;
    if (isDuring && incident.kind === 'restart') {
      nowMs = endMs;
      if (!hasStore) [held, state] = [null, initialState];
      // A stored list is polled when it is due, which it is unless the restart took less than an interval.
      nowMs = Math.max(nowMs, nextSyncAtMs(state, held, nowMs));
      continue;
    }
    if (isDuring) {
      onFailure(nowMs);
      const error = incident.kind === 'refused' ? new PortcullisError('INTERNAL_SERVER_ERROR', '', { status: 503 }) : away;
      state = afterFailure(state, error, { pollMs, hasList: held !== null, nowMs, random: random() });
    } else {
      const version = versionAt(publisher, nowMs);
      const plan = planOf(version, algorithm, held, nowMs, limits);
      onRound({ atMs: nowMs, plan, from: held === null ? null : Number(held.snapshotToken) });
      held = generationOf(version, plan === 'both' ? nowMs : held!.snapshotAtMs, nowMs);
      state = afterSuccess(state, undefined, pollMs, nowMs, random());
    }
    nowMs = nextSyncAtMs(state, held, nowMs);
  }
}

/** The number of the snapshot that is published at a time. */
export const snapshotAt = ({ snapshotEveryMs }: Publisher, atMs: number): number =>
  Math.floor((atMs + firstSnapshotMs) / snapshotEveryMs);

/** The number of recent feeds since the snapshot at a time; the first one is empty. */
export const recentAt = ({ recentEveryMs, snapshotEveryMs }: Publisher, atMs: number): number =>
  Math.floor(((atMs + firstSnapshotMs) % snapshotEveryMs) / recentEveryMs);

function versionAt(publisher: Publisher, atMs: number): ListVersion {
  const snapshot = snapshotAt(publisher, atMs);
  return {
    algoVersion: algorithm,
    snapshot: { token: String(snapshot) },
    recent: { token: `${snapshot} ${recentAt(publisher, atMs)}` },
  };
}

const algorithm = 'portcullis-1';
const away = new PortcullisError('NETWORK', '');
const noEntries = PrefixSet.from([]);

/** The defaults of `createBlocklist`. None is reached within a day. */
const limits = { maxSnapshotAgeMs: 7 * day, maxRecentCount: 100_000 };

function generationOf({ algoVersion, snapshot, recent }: ListVersion, snapshotAtMs: number, nowMs: number): Generation {
  return {
    base: noEntries,
    recent: noEntries,
    removed: null,
    allowed: null,
    hot: null,
    hotSum: null,
    sequence: 1,
    algoVersion,
    algorithm,
    snapshotToken: snapshot.token,
    recentToken: recent!.token,
    snapshotAtMs,
    currentAtMs: nowMs,
    movedAtMs: nowMs,
    order: { sequence: null, origin: '', listName: null, expiresAtMs: null, signedBy: null, seenAtMs: nowMs },
    calibration: { outcome: 'skipped', samples: 0, found: 0 },
    signed: null,
  };
}

/** Numbers from 0 to 1, different for each client and the same in each run. */
function randomOf(client: number): () => number {
  const next = randomFrom(1_000 + client);
  return () => next() / 2 ** 32;
}

/**
 * Times of the requests to the host of processes that share a store: a round that finds a list which another process has just fetched asks
 * nothing.
 */
export function sharedTimes(roundsPerSecond: Uint32Array, pollMs: number): number[] {
  let newest: Generation | null = null;
  const times: number[] = [];
  roundsPerSecond.forEach((rounds, at) => {
    const nowMs = at * second;
    if (rounds === 0 || isFresh(newest, nowMs, pollMs)) return;
    times.push(nowMs);
    newest = generationOf(versionAt(usualPublisher, nowMs), 0, nowMs);
  });
  return times;
}
