import type { Blocklist } from 'portcullis';
import { serviceSource } from 'portcullis/sources';
import type { Fault, FaultKind } from 'portcullis/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { faultKinds } from '../../../src/servers/service/faults/fault-kinds.js';
import { isDeep } from '../../support/setup.js';
import { sample } from '../sampling.js';
import { hasty } from '../sources/harness.js';
import { confirmed, healed, isHit, listOf, newWorld, noStrayRejections, oldNames, opened } from './bad-days-harness.js';
import { heard, minuteMs } from './harness.js';

noStrayRejections();

const world = await newWorld();
const { service, url, clock } = world;
const atFirst = { state: service.snapshot(), nowMs: clock.nowMs };

const kinds = Object.keys(faultKinds) as FaultKind[];

/** The requests of a round and of a check. */
const steps = {
  version: 'assetBlocklistVersion',
  'version again': 'assetBlocklistVersion',
  snapshot: '/blocklist/snapshot',
  recent: '/blocklist/recent',
  samples: 'assetList',
  confirm: 'assetBlocklistConfirm',
} as const;

type Step = keyof typeof steps;

/** Every fault at every step; in `npm test` each fault at one of them. */
const cells = (of: readonly Step[]) =>
  of.flatMap((step, at) => kinds.filter((_, place) => isDeep || place % of.length === at).map((kind) => ({ kind, step })));

/** Short limits only for the faults that use them up: a busy machine is slow without any fault. */
const isSlow = (kind: FaultKind): boolean => kind === 'delay' || kind === 'hang';

/** Failed rounds to accept: with short limits a busy machine may need several. */
const attempts = (kind: FaultKind): number => (isSlow(kind) ? 10 : 0);

async function begin(kind: FaultKind) {
  await service.restore(atFirst.state);
  service.faults.clear();
  clock.nowMs = atFirst.nowMs;
  onTestFinished(() => service.faults.clear());
  const source = serviceSource({ baseUrl: url, apiKey: service.key, now: () => clock.nowMs, ...(isSlow(kind) && hasty) });
  const confirm = isSlow(kind) ? { timeoutMs: 400 } : {};
  return opened(clock, { sources: [source], confirm, deadlineMs: 30_000, random: () => 0.5 });
}

/** Breaks every request of that step until the faults are cleared. */
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

/** Faults that fail every step except the request for samples. */
const fatal: ReadonlySet<FaultKind> = new Set([
  ...(['delay', 'hang', 'reset', 'cut', 'wrong-length', 'bad-gzip'] as const),
  ...(['gzip-bomb', 'status', 'rate-limit', 'redirect', 'captive-portal'] as const),
]);

describe('fault in a round', () => {
  const roundSteps = ['version', 'version again', 'snapshot', 'recent', 'samples'] as const;

  test.each(cells(roundSteps))(
    '$kind at $step: a failed round changes nothing, and a later one recovers',
    async ({ kind, step }) => {
      const blocklist = await begin(kind);
      await blocklist.ready();
      if (listOf(blocklist) === null) await healed(blocklist, clock, attempts(kind));
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
        clock.nowMs = Math.max(clock.nowMs, blocklist.nextSyncAtMs);
        const { outcome } = await blocklist.syncDue();
        if (fatal.has(kind) && step !== 'samples') expect(outcome).toBe('failed');
        if (outcome === 'failed') {
          expect(listOf(blocklist)).toEqual(before);
          expect(changes).toEqual([]);
          expect(blocklist.status().sources[0]).toMatchObject({ lastError: { name: 'PortcullisError' } });
        } else {
          // A list fetched despite the fault is right.
          expect(listOf(blocklist)).toMatchObject({ count: 21, recentCount: 1 });
          expect(isHit(blocklist.test('fresh.example'))).toBe(true);
        }
        expect(oldNames.filter((name) => !isHit(blocklist.test(name)))).toEqual([]);
        expect(await blocklist.check(oldNames[1]!)).toMatchObject({ status: 'blocked' });
        expect(blocklist.test('fine.example').status).toBe('clear');
      }

      isBroken = false;
      service.faults.clear();
      await healed(blocklist, clock, attempts(kind));
      expect(listOf(blocklist)).toMatchObject({ count: 21, recentCount: 1 });
      for (const name of [...oldNames, 'new.example', 'fresh.example'])
        expect(await blocklist.check(name)).toMatchObject({ status: 'blocked' });
      expect(blocklist.test('fine.example')).toMatchObject({ status: 'clear' });
      expect(blocklist.status().sources[0]).toMatchObject({ lastError: null, failures: 0 });
    },
  );
});

describe('fault in a confirmation', () => {
  /** One flipped bit can turn an answer into a valid answer about another entry. */
  const lies = (kind: FaultKind): boolean => kind === 'flip';

  test.each(sample(kinds, 8))(
    '%s: confirmed hits stay blocked, other hits do not become clear, and it recovers',
    async (kind) => {
      const blocklist = await begin(kind);
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
      // As long as a denial counts, or a source asks for a pause.
      clock.nowMs += (lies(kind) ? 31 : 3) * minuteMs;
      for (const name of oldNames) await confirmed(blocklist, name, clock, attempts(kind));
    },
  );
});
