import { type Blocklist, type BlocklistOptions, createBlocklist, type ListStatus, type Verdict } from 'portcullis';
import { type Client, createClient } from 'portcullis/client';
import { createService, type ServedService } from 'portcullis/testing';
import { afterAll, afterEach, expect, onTestFinished } from 'vitest';
import { type Clock, dayMs, minuteMs } from './harness.js';

export type { Clock };

/** Every unhandled rejection fails the test during which it occurs. */
export function noStrayRejections(): void {
  const strays: unknown[] = [];
  const collect = (reason: unknown): void => void strays.push(reason);
  process.on('unhandledRejection', collect);
  afterEach(async () => {
    // Reported after the microtasks are done.
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(strays.splice(0)).toEqual([]);
  });
  afterAll(() => void process.off('unhandledRejection', collect));
}

export interface World {
  readonly service: ServedService;
  /** Behind real HTTP. */
  readonly url: string;
  readonly clock: Clock;
  /** By a report and its approval: in the recent feed from then on. */
  block(...names: readonly string[]): Promise<void>;
  unblock(...names: readonly string[]): Promise<void>;
}

/** Blocked long enough ago to prove which algorithm made the list. */
export const oldNames: readonly string[] = Array.from({ length: 20 }, (_, at) => `old-${at}.example`);

/** The embedded service over real HTTP, with a snapshot of names that have been blocked for ten days. */
export async function newWorld(): Promise<World> {
  const clock = { nowMs: Date.UTC(2026, 0, 1) };
  const service = createService({ data: 'empty', limits: { reviewsPerDay: 10_000 }, now: () => clock.nowMs });
  const client = createClient({
    baseUrl: 'http://localhost',
    apiKey: service.key,
    fetch: service.fetch,
  });
  const { url } = await service.listen();
  const world: World = {
    service,
    url,
    clock,
    block: (...names) => blockWith(client, names),
    async unblock(...names) {
      for (const content of names) await client.assets.unblock({ content });
    },
  };
  await world.block(...oldNames);
  await service.publish();
  clock.nowMs += 10 * dayMs;
  return world;
}

async function blockWith(client: Client, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await client.reports.create({ assets: [{ content: `https://${name}/` }], title: 'A scam' });
    const [report] = (await client.reports.list({ limit: 1 })).reports;
    const { id: proposalId, asset } = report!.proposals[0]!;
    await client.reports.proposalsReview({ proposalId, assetId: asset.id, decision: 'APPROVE', label: 'General Phishing' });
  }
}

const eventTypes = ['changed', 'progress', 'error', 'stale', 'frozen', 'mismatch', 'damaged', 'confirm'] as const;

/** A blocklist on whose every event a listener throws, closed when the test ends. */
export function opened(clock: Clock, options: BlocklistOptions): Blocklist {
  const blocklist = createBlocklist({ pollMs: 0, now: () => clock.nowMs, ...options });
  for (const type of eventTypes) {
    blocklist.on(type, () => {
      throw new Error('a listener’s own fault');
    });
  }
  onTestFinished(() => blocklist.close());
  return blocklist;
}

/** The list as it is, whatever its age. */
export function listOf(blocklist: Blocklist, place = 0): Omit<ListStatus, 'ageMs' | 'isStale'> | null {
  const list = blocklist.status().sources[place]!.list;
  if (list === null) return null;
  const { ageMs: _, isStale: __, ...rest } = list;
  return rest;
}

/** It is blocked, and the source confirms it: for this check, or for later ones. Up to this many questions may fail. */
export async function confirmed(blocklist: Blocklist, name: string, clock: Clock, maxFailures = 0): Promise<void> {
  for (let failures = 0; (await blocklist.check(name)).status !== 'blocked'; failures++) {
    expect(blocklist.test(name), name).toMatchObject({ status: 'unconfirmed' });
    if (failures === maxFailures) throw new Error(`${name} is not confirmed`);
    // The longest pause after a failure.
    clock.nowMs += minuteMs;
  }
  await expect.poll(() => blocklist.test(name)).toMatchObject({ status: 'blocked', reason: 'confirmed' });
}

/** Expects a hit, whether or not its source could be queried. */
export const isHit = ({ status }: Verdict): boolean => status === 'blocked' || status === 'unconfirmed';

/** Runs rounds as an alarm would, until one succeeds; up to this many may fail. */
export async function healed(blocklist: Blocklist, clock: Clock, maxFailures = 0): Promise<void> {
  for (let failures = 0; ; failures++) {
    clock.nowMs = Math.max(clock.nowMs, blocklist.nextSyncAtMs);
    const { outcome, sources } = await blocklist.syncDue();
    if (outcome === 'updated' || outcome === 'unchanged') return expect(sources).not.toEqual([]);
    if (failures === maxFailures) throw new Error(`not healed: ${outcome}`, { cause: sources[0]?.error });
  }
}
