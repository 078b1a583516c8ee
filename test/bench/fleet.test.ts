import { afterEach, expect, test, vi } from 'vitest';
import { day, hour, minute, type Round, simulate, usualFleet } from '../../bench/fleet.js';
import { PrefixSet } from '../../src/entry/assets.js';
import { createBlocklist, type Source } from '../../src/entry/index.js';

afterEach(() => vi.useRealTimers());

const clients = 20;
const forMs = hour;

test('real blocklists poll and fetch as often as the simulated ones', async () => {
  vi.useFakeTimers({ now: 0 });
  const asked = { version: 0, snapshot: 0, recent: 0 };
  const source = (): Source => ({
    id: 'counted',
    async version() {
      asked.version++;
      // A feed every ten minutes, as in the simulation.
      return {
        algoVersion: 'portcullis-1',
        snapshot: { token: 's' },
        recent: { token: String(Math.floor(Date.now() / (10 * minute))) },
      };
    },
    async artifact(part) {
      asked[part]++;
      return { entries: PrefixSet.from([1, 2, 3]), isProven: true };
    },
  });
  const blocklists = Array.from({ length: clients }, () => createBlocklist({ sources: [source()] }));
  await Promise.all([...blocklists.map((blocklist) => blocklist.ready()), vi.advanceTimersByTimeAsync(1)]);
  await vi.advanceTimersByTimeAsync(forMs - 1);
  await Promise.all([...blocklists.map((blocklist) => blocklist.close()), vi.advanceTimersByTimeAsync(1)]);

  const rounds: Round[] = [];
  simulate({ ...usualFleet, clients, untilMs: forMs, startsTogether: true }, (round) => rounds.push(round));
  const feeds = rounds.filter(({ plan }) => plan !== 'nothing').length;
  expect(asked.snapshot).toBe(clients);
  expect(rounds.filter(({ plan }) => plan === 'both')).toHaveLength(clients);
  // Their random numbers differ. An interval varies by a fifth, so twenty clients with twelve each by less than a twentieth.
  expect(Math.abs(asked.version / rounds.length - 1)).toBeLessThan(0.05);
  expect(Math.abs(asked.recent / feeds - 1)).toBeLessThan(0.05);
});

test('a fleet that restarts together asks in one second, and spreads afterwards', () => {
  const perSecond = (hasStore: boolean): Map<number, number> => {
    const counts = new Map<number, number>();
    const incident = { kind: 'restart', atMs: hour, forMs: hour } as const;
    simulate({ ...usualFleet, clients: 200, hasStore, untilMs: 4 * hour, incident }, ({ atMs }) => {
      const at = Math.floor(atMs / 1_000);
      counts.set(at, (counts.get(at) ?? 0) + 1);
    });
    return counts;
  };
  for (const hasStore of [true, false]) {
    const counts = perSecond(hasStore);
    expect(counts.get((2 * hour) / 1_000)).toBe(200);
    for (const [at, count] of counts) if (at > (2 * hour) / 1_000) expect(count).toBeLessThan(20);
  }
});

test('a simulation gives the same rounds each time, and two snapshots a day', () => {
  const run = (): Round[] => {
    const rounds: Round[] = [];
    simulate({ ...usualFleet, clients: 3, untilMs: day }, (round) => rounds.push(round));
    return rounds;
  };
  expect(run()).toEqual(run());
  expect(run().filter(({ plan, from }) => plan === 'both' && from !== null)).toHaveLength(6);
});
