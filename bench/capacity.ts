import type { Sizes } from './capacity-sizes.js';
import { type Fleet, hour, type Incident, minute, recentAt, second, simulate, usualFleet, usualPublisher } from './fleet.js';

/** What a fleet asks of the host of its list on a day. */
export interface DayOfFleet {
  readonly clients: number;
  readonly polls: number;
  /** How often each recent feed of a snapshot is fetched. */
  readonly recents: readonly number[];
  /** Snapshots fetched by clients that had none, and by those that had the one before. */
  readonly firsts: number;
  readonly changes: number;
  /** Version requests and files in each second. */
  readonly perSecond: Uint32Array;
  readonly roundsPerSecond: Uint32Array;
}

export function dayOf(fleet: Fleet): DayOfFleet {
  const perSecond = new Uint32Array(Math.ceil(fleet.untilMs / second));
  const roundsPerSecond = new Uint32Array(perSecond.length);
  const recents = Array.from({ length: usualPublisher.snapshotEveryMs / usualPublisher.recentEveryMs }, () => 0);
  let [polls, firsts, changes] = [0, 0, 0];
  simulate(fleet, ({ atMs, plan, from }) => {
    const at = Math.floor(atMs / second);
    polls++;
    roundsPerSecond[at]!++;
    perSecond[at]! += plan === 'nothing' ? 1 : plan === 'recent' ? 2 : 3;
    if (plan === 'nothing') return;
    recents[recentAt(fleet.publisher, atMs)]!++;
    if (plan === 'recent') return;
    if (from === null) firsts++;
    else changes++;
  });
  return { clients: fleet.clients, polls, recents, firsts, changes, perSecond, roundsPerSecond };
}

/**
 * Bytes of bodies on a day that begins with a list. A published folder has differences, and sends its version document only when it has
 * changed, which is whenever a client fetches a recent feed; the service and a relay send whole versions and snapshots.
 */
export function bytesOf(fleet: DayOfFleet, sizes: Sizes, isFolder: boolean): number {
  const feeds = fleet.recents.reduce((sum, times, at) => sum + times * sizes.recents[at]!, 0);
  const changed = fleet.changes * (isFolder ? sizes.difference : sizes.snapshot);
  const versions = isFolder ? fleet.recents.reduce((sum, times) => sum + times, 0) : fleet.polls;
  return versions * sizes.version + feeds + changed;
}

/** What one instance of a relay, or a fleet with a shared store, asks the service for on a day, besides hits. */
export interface Shared {
  readonly requests: number;
  bytes(sizes: Sizes): number;
}

const feedsPerDay = 24 * (hour / usualPublisher.recentEveryMs);
const snapshotsPerDay = (24 * hour) / usualPublisher.snapshotEveryMs;

export function sharedOf(polls: number): Shared {
  // Each file is fetched once. A poll sees at most one new feed.
  const feeds = Math.min(polls, feedsPerDay);
  return {
    requests: polls + feeds + snapshotsPerDay,
    bytes: ({ version, recents, snapshot }) =>
      polls * version + feeds * (recents.reduce((sum, bytes) => sum + bytes, 0) / recents.length) + snapshotsPerDay * snapshot,
  };
}

/** The version requests of a relay: at most one a minute, and none while no client asks. */
export function relayPolls(roundsPerSecond: Uint32Array): number {
  let [polls, lastMs] = [0, Number.NEGATIVE_INFINITY];
  roundsPerSecond.forEach((rounds, at) => {
    if (rounds === 0 || at * second - lastMs < minute) return;
    polls++;
    lastMs = at * second;
  });
  return polls;
}

/** The busiest second from `fromMs` on. */
export function peakOf(perSecond: Uint32Array, fromMs = 0): number {
  return perSecond.subarray(Math.floor(fromMs / second)).reduce((peak, count) => Math.max(peak, count), 0);
}

/** An hour of trouble after an hour of quiet, and an hour afterwards. */
export function incidentOf(clients: number, kind: Incident['kind'], hasStore = true): DayOfFleet {
  return dayOf({ ...usualFleet, clients, hasStore, untilMs: 3 * hour, incident: { kind, atMs: hour, forMs: hour } });
}

/** Hits by chance and true ones that a client asks about in a day. */
export function hitsPerDay(count: number): number {
  return checksPerDay * ((expressionsPerCheck * count) / 2 ** 32 + listedShare);
}

export const checksPerDay = 1_000;
/** Of a link, on average (`checks.ts`). */
const expressionsPerCheck = 4.7;
export const listedShare = 1 / 1_000;
