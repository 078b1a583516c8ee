import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { type Blocklist, createCoreBlocklist, evm, PortcullisError, type Verdict } from 'portcullis/core';
import { memoryStore } from 'portcullis/stores';
import type { Store } from 'portcullis/testing';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../support/setup.js';
import { type OwnList, type OwnSource, ownSource } from '../engine/own-source.js';
import { lightBlocklist } from './engines.js';

/** The light list beside the full blocklist: the same source, the same history, the same verdicts. */

const hosts = ['a.example', 'b.example', 'c.example', 'd.example'];
/** Always listed, so that no list loses half of its entries: what follows from that is tested in engines-accepting.test.ts. */
const fixed = ['fixed.example', 'evil.example', 'old.example', 'spam.example', 'junk.example'];
const checked = [
  ...hosts,
  'https://login.evil.example/a?b#c',
  'good.example',
  'http://10.0.0.1/x',
  'localhost',
  'not a link',
  '0x52908400098527886E0F7030069857D2E4169EE7',
  `0x${'ab'.repeat(32)}`,
  'intent://a.example/#Intent;scheme=https;S.browser_fallback_url=https%3A%2F%2Fgood.example;end',
];

const minute = 60_000;
const hour = 60 * minute;

type Step =
  | { readonly kind: 'publish'; readonly part: 'snapshot' | 'recent'; readonly hosts: readonly string[] }
  | { readonly kind: 'back' }
  | { readonly kind: 'change'; readonly change: Partial<OwnList> }
  | { readonly kind: 'expire'; readonly inMs: number }
  | { readonly kind: 'fault'; readonly call: string; readonly code: string; readonly times: number }
  | { readonly kind: 'clock'; readonly byMs: number }
  | { readonly kind: 'sync' | 'restart' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('publish' as const),
      part: fc.constantFrom('snapshot' as const, 'recent' as const),
      hosts: fc.subarray(hosts),
    }),
  },
  { weight: 5, arbitrary: fc.constant({ kind: 'sync' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'restart' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'back' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      change: fc.constantFrom<Partial<OwnList>>(
        { algoVersion: 'unknown-1' },
        { algoVersion: 'portcullis-1' },
        { isProven: true },
        { isProven: false },
        { sequence: undefined },
        { calibration: { samples: 20, found: 3 } },
        { calibration: { samples: 20, found: 20 } },
        { calibration: undefined },
        { confirmed: ['a.example', 'evil.example'] },
        { confirmed: undefined },
        { minWaitMs: hour },
        { minWaitMs: undefined },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire' as const), inMs: fc.constantFrom(-minute, hour, 40 * hour) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('fault' as const),
      call: fc.constantFrom('version', 'files', 'recent', 'confirm'),
      code: fc.constantFrom('NETWORK', 'TOO_MANY_REQUESTS', 'INVALID_ARTIFACT', 'plain'),
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('clock' as const),
      byMs: fc.constantFrom(2_000, 6 * minute, 40 * minute, 7 * hour, 25 * hour, 8 * 24 * hour, -hour),
    }),
  },
);

function world() {
  const clock = { nowMs: Date.UTC(2026, 0, 1) };
  let version = 1;
  const sources = ['full', 'light'].map(() => ownSource({ snapshot: fixed, sequence: version }));
  const past: Partial<OwnList>[] = [];
  const each = (change: Partial<OwnList>): void => {
    for (const { list } of sources) Object.assign(list, change);
  };
  const stores = [memoryStore(), memoryStore()] as const;
  const open = (source: OwnSource, at: number): Blocklist => {
    const common = { families: [evm], store: stores[at] as Store, pollMs: 0, now: () => clock.nowMs, random: () => 0.5 };
    return at === 0 ? createCoreBlocklist({ sources: [source], ...common }) : lightBlocklist({ source, ...common });
  };
  let [full, light] = sources.map(open) as [Blocklist, Blocklist];
  return {
    get engines(): readonly [Blocklist, Blocklist] {
      return [full, light];
    },
    clock,
    sources,
    each,
    publish(part: 'snapshot' | 'recent', some: readonly string[]): void {
      past.push({ ...sources[0]!.list });
      version++;
      const { sequence } = sources[0]!.list;
      each({
        ...(part === 'snapshot' ? { snapshot: [...fixed, ...some], snapshotToken: `s${version}` } : { recent: some }),
        recentToken: `r${version}`,
        ...(sequence !== undefined && { sequence: version }),
      });
    },
    back(): void {
      const before = past.pop();
      if (before !== undefined) each(before);
    },
    async restart(): Promise<void> {
      await Promise.all([full.close(), light.close()]);
      [full, light] = sources.map(open) as [Blocklist, Blocklist];
      await Promise.all([full.ready(), light.ready()]);
    },
  };
}

const shown = ({ status, action, reason, source, expression, asset, ageMs }: Verdict) => ({
  ...{ status, action, reason, source, expression, asset, ageMs },
});

test('gives the verdicts of the full blocklist through random histories', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 18 }), async (steps) => {
      const run = world();
      const { clock } = run;
      let isExact = true;
      for (const engine of run.engines) await engine.ready();
      let acceptedAtMs = clock.nowMs;
      for (const taken of steps) {
        if (taken.kind === 'publish') run.publish(taken.part, taken.hosts);
        else if (taken.kind === 'back') run.back();
        else if (taken.kind === 'change') run.each(taken.change);
        else if (taken.kind === 'expire') run.each({ expiresAtMs: clock.nowMs + taken.inMs });
        else if (taken.kind === 'clock') clock.nowMs += taken.byMs;
        else if (taken.kind === 'fault') for (const source of run.sources) failing(source, taken);
        else if (taken.kind === 'restart') await run.restart();
        else {
          for (const engine of run.engines) await engine.sync();
          if (run.engines[1].status().sources[0]!.lastError === undefined) acceptedAtMs = clock.nowMs;
        }
        // After a clock that was set back, ages may differ: the light list corrects and stores a time in the future sooner.
        if (taken.kind === 'clock' && taken.byMs < 0) isExact = false;
        const ageMs = isExact ? Number.NaN : clock.nowMs - acceptedAtMs;
        const [full, light] = run.engines;
        compare(
          checked.map((text) => full.test(text)),
          checked.map((text) => light.test(text)),
          ageMs,
        );
        const [expected, found] = [await all(full), await all(light)];
        compare(expected, found, ageMs);
        // What was confirmed earlier is asked about behind the check; its answer must come before the clock moves.
        if (found.some(({ reason }) => reason === 'confirmed-earlier')) await sleep(3);
        if (isExact) expect(known(light)).toEqual(known(full));
      }
      for (const engine of run.engines) await engine.close();
    }),
    { numRuns: Math.ceil(propertyRuns / 8) },
  );
});

/**
 * The light list never says `clear` where the full one does not, except after a clock that was set back: what one of them then takes
 * for a day or more may be less for the other, and by the clock it is.
 *
 * @param ageMs By the clock, the age of the light list's entries, if the clock was set back
 */
function compare(expected: readonly Verdict[], found: readonly Verdict[], ageMs: number): void {
  if (Number.isNaN(ageMs)) expect(found.map(shown)).toEqual(expected.map(shown));
  else
    for (const [at, { status }] of found.entries()) {
      if (status !== 'clear' || (expected[at]!.reason === 'list-stale' && ageMs <= 24 * hour)) continue;
      expect(expected[at]!.status, checked[at]).toBe('clear');
    }
}

function known(engine: Blocklist): unknown {
  const { lastError, list, nextSyncAtMs, heldUntilMs, failures } = engine.status().sources[0]!;
  const { sequence, isStale, count, recentCount, expiresAtMs, ageMs } = list ?? {};
  return {
    code: lastError?.code,
    sequence,
    isStale,
    count,
    recentCount,
    expiresAtMs,
    ageMs,
    nextSyncAtMs,
    heldUntilMs,
    failures,
  };
}

const all = (engine: Blocklist): Promise<Verdict[]> => Promise.all(checked.map((text) => engine.check(text)));

function failing(source: OwnSource, { call, code, times }: { call: string; code: string; times: number }): void {
  let left = times;
  source.before = (name) => {
    // The full blocklist keeps a snapshot whose recents failed, so a failure of snapshots alone would reach the light list only.
    const isMeant = name === call || (call === 'files' && (name === 'snapshot' || name === 'recent'));
    if (!isMeant || left-- <= 0) return;
    if (code === 'plain') throw new Error('the line is dead');
    throw new PortcullisError(code as 'NETWORK', 'scripted', code === 'TOO_MANY_REQUESTS' ? { retryAfterMs: 30 * minute } : {});
  };
}
