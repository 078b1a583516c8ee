import type { Blocklist } from 'portcullis';
import type { Fault, FaultKind } from 'portcullis/service';
import { serviceSource } from 'portcullis/sources';
import { describe, expect, onTestFinished, test } from 'vitest';
import { faultKinds } from '../../../src/servers/service/faults/fault-kinds.js';
import { hasty } from '../sources/harness.js';
import { healed, isHit, listOf, newWorld, noStrayRejections, oldNames, opened } from './bad-days-harness.js';
import { heard, minuteMs } from './harness.js';

noStrayRejections();

const world = await newWorld();
const { service, url, clock } = world;
const atFirst = { state: service.snapshot(), nowMs: clock.nowMs };

const kinds = Object.keys(faultKinds) as FaultKind[];

/** What is asked for in a round, and in a check. */
const steps = {
  version: 'assetBlocklistVersion',
  'version again': 'assetBlocklistVersion',
  snapshot: '/blocklist/snapshot',
  recent: '/blocklist/recent',
  samples: 'assetList',
  confirm: 'assetBlocklistConfirm',
} as const;

type Step = keyof typeof steps;

const cells = (of: readonly Step[]) => of.flatMap((step) => kinds.map((kind) => ({ kind, step })));

async function begin() {
  await service.restore(atFirst.state);
  service.faults.clear();
  clock.nowMs = atFirst.nowMs;
  onTestFinished(() => service.faults.clear());
  const source = serviceSource({ baseUrl: url, apiKey: service.key, now: () => clock.nowMs, ...hasty });
  return opened(clock, { sources: [source], confirm: { timeoutMs: 400 }, random: () => 0.5 });
}

/** It happens to every request of that step until it is cleared. */
function breakAt(blocklist: Blocklist, step: Step, kind: FaultKind): void {
  const fault: Fault = { kind, on: steps[step], times: 1_000, delayMs: 1_000, retryAfter: '120' };
  if (step !== 'version again') {
    service.faults.add(fault);
    return;
  }
  blocklist.on('progress', ({ step: at, bytes }) => {
    if (at === 'recent' && bytes === 0 && isBroken) service.faults.add({ ...fault, times: 1 });
  });
}

let isBroken = false;

/** Faults that no step but asking for samples can do with. */
const fatal: ReadonlySet<FaultKind> = new Set([
  ...(['delay', 'hang', 'reset', 'cut', 'wrong-length', 'bad-gzip'] as const),
  ...(['gzip-bomb', 'status', 'rate-limit', 'redirect', 'captive-portal'] as const),
]);

describe('a fault in a round', () => {
  const roundSteps = ['version', 'version again', 'snapshot', 'recent', 'samples'] as const;

  test.each(cells(roundSteps))('$kind at $step: a round that fails changes nothing, and it heals', async ({ kind, step }) => {
    const blocklist = await begin();
    await blocklist.ready();
    expect(listOf(blocklist)).toMatchObject({ count: 20, calibration: { outcome: 'passed' } });
    expect(await blocklist.check(oldNames[0]!)).toMatchObject({ status: 'blocked', reason: 'confirmed' });
    await world.block('new.example');
    await service.publish();
    await world.block('fresh.example');

    isBroken = true;
    breakAt(blocklist, step, kind);
    const changes = heard(blocklist, 'changed');
    for (let round = 0; round < 2; round++) {
      const before = listOf(blocklist);
      changes.length = 0;
      clock.nowMs = Math.max(clock.nowMs, blocklist.nextSyncAt);
      const { outcome } = await blocklist.syncDue();
      if (fatal.has(kind) && step !== 'samples') expect(outcome).toBe('failed');
      if (outcome === 'failed') {
        expect(listOf(blocklist)).toEqual(before);
        expect(changes).toEqual([]);
        expect(blocklist.status().sources[0]).toMatchObject({ lastError: { name: 'PortcullisError' } });
      } else {
        // What was fetched in spite of it is right.
        expect(listOf(blocklist)).toMatchObject({ count: 21, recentCount: 1 });
        expect(isHit(blocklist.test('fresh.example'))).toBe(true);
      }
      expect(oldNames.filter((name) => !isHit(blocklist.test(name)))).toEqual([]);
      expect(await blocklist.check(oldNames[1]!)).toMatchObject({ status: 'blocked' });
      expect(blocklist.test('fine.example').status).toBe('clear');
    }

    isBroken = false;
    service.faults.clear();
    await healed(blocklist, clock);
    expect(listOf(blocklist)).toMatchObject({ count: 21, recentCount: 1 });
    for (const name of [...oldNames, 'new.example', 'fresh.example'])
      expect(await blocklist.check(name)).toMatchObject({ status: 'blocked' });
    expect(blocklist.test('fine.example')).toMatchObject({ status: 'clear' });
    expect(blocklist.status().sources[0]).toMatchObject({ lastError: null, failures: 0 });
  });

  test.each(cells(['version', 'snapshot', 'recent']))(
    '$kind at $step at the very start: no list is better than a wrong one, and it heals',
    async ({ kind, step }) => {
      const blocklist = await begin();
      breakAt(blocklist, step, kind);
      await blocklist.ready();
      const list = listOf(blocklist);
      if (list === null) {
        expect(await blocklist.check('old-0.example')).toMatchObject({ status: 'unknown', reason: 'no-list' });
      } else expect(list).toMatchObject({ count: 20, recentCount: 0 });
      service.faults.clear();
      await healed(blocklist, clock);
      for (const name of oldNames) expect(await blocklist.check(name)).toMatchObject({ status: 'blocked' });
      expect(blocklist.test('fine.example')).toMatchObject({ status: 'clear' });
    },
  );
});

describe('a fault in a confirmation', () => {
  /** A body that is one bit off can read as an answer about something else; nothing in it could tell. */
  const lies = (kind: FaultKind): boolean => kind === 'flip';

  test.each(kinds)('%s: what was confirmed stays blocked, what was not is no miss, and it heals', async (kind) => {
    const blocklist = await begin();
    await blocklist.ready();
    expect(await blocklist.check('old-0.example')).toMatchObject({ reason: 'confirmed' });
    clock.nowMs += 6 * minuteMs;
    breakAt(blocklist, 'confirm', kind);
    const [known, other, miss] = await blocklist.checkMany(['old-0.example', 'old-1.example', 'fine.example']);
    if (!lies(kind)) {
      expect(known).toMatchObject({ status: 'blocked', action: 'block' });
      expect(other!.action).not.toBe('allow');
    }
    expect(miss).toMatchObject({ status: 'clear' });
    service.faults.clear();
    // As long as a disproof is believed, or a source asks to be left alone.
    clock.nowMs += (lies(kind) ? 31 : 3) * minuteMs;
    for (const name of oldNames) expect(await blocklist.check(name)).toMatchObject({ status: 'blocked', reason: 'confirmed' });
  });
});
