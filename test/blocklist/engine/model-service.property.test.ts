import fc from 'fast-check';
import { type Blocklist, createBlocklist } from 'portcullis';
import { memoryStore } from 'portcullis/stores';
import type { FaultKind } from 'portcullis/testing';
import { expect, test } from 'vitest';
import type { Store } from '../../../src/blocklist/model/store.js';
import { propertyRuns } from '../../support/setup.js';
import { Step } from '../../support/step.js';
import { newWorld, oldNames, type World } from './bad-days-harness.js';
import { dayMs, hourMs, minuteMs } from './harness.js';

/** The model over real HTTP, against the embedded service and its faults: fewer runs, and it knows only what was blocked. */

const names = ['one.example', 'two.example', 'three.example', 'old-0.example', 'old-1.example'];
const inputs = [...names, 'fine.example'].map((name) => `https://login.${name}/`);

interface Model {
  readonly blocked: Set<string>;
  /** What the service has listed since its last snapshot, and in it. */
  readonly listed: Set<string>;
  /** The content of the client: everything the service had listed at each round under one snapshot. */
  held: { readonly token: string; readonly names: ReadonlySet<string> } | null;
  /** The latest time the clock has shown; it may have gone back since. */
  latestMs: number;
}

interface Real {
  readonly world: World;
  readonly store: Store;
  blocklist: Blocklist;
}

const opened = ({ world, store }: Pick<Real, 'world' | 'store'>): Blocklist => {
  const { url: baseUrl, clock, service } = world;
  const blocklist = createBlocklist({ baseUrl, apiKey: service.key, store, now: () => clock.nowMs, random: () => 0 });
  // The steps of the model run the rounds.
  blocklist.stop();
  return blocklist;
};

/** What a failed round leaves as it is. A list that was refused only keeps denials from counting, and a clock that was set back is stored. */
const seen = (blocklist: Blocklist) => {
  const { list } = blocklist.status().sources[0]!;
  if (list === null) return null;
  const answers = inputs.map((input) => {
    const { status, reason } = blocklist.test(input);
    return reason === 'older-answer' ? 'clear' : status;
  });
  return { list: { ...list, ageMs: undefined, generation: undefined }, answers };
};

type Act = (model: Model, real: Real) => Promise<void> | void;

type ModelStep = Step<Model, Real>;

const compare = (model: Model, real: Real): void => {
  for (const name of [...names, 'fine.example']) {
    const { status, reason } = real.blocklist.test(`https://login.${name}/`);
    const isHeld = model.held?.names.has(name) ?? false;
    const possible = isHeld
      ? [
          'blocked confirmed',
          'blocked confirmed-earlier',
          'unconfirmed not-asked',
          'unconfirmed older-answer',
          'clear disproved',
          'unknown list-stale',
        ]
      : ['clear not-listed', ...(model.held === null ? ['unknown loading', 'unknown no-list'] : ['unknown list-stale'])];
    expect(possible, name).toContain(`${status} ${reason}`);
  }
};

/** Waits for questions that no check waits for. */
const answered = async (blocklist: Blocklist): Promise<void> => {
  while (blocklist.status().sources[0]!.confirm.pending > 0) await new Promise((resolve) => setTimeout(resolve, 1));
};

const step = (name: string, act: Act): ModelStep => new Step(name, act, compare);

const block = (name: string): ModelStep =>
  step(`block ${name}`, async ({ blocked, listed }, { world }) => {
    if (blocked.has(name)) return;
    await world.block(name);
    blocked.add(name);
    listed.add(name);
  });

const unblock = (name: string): ModelStep =>
  step(`unblock ${name}`, async ({ blocked }, { world }) => {
    if (!blocked.delete(name)) return;
    await world.unblock(name);
  });

const publish = (): ModelStep =>
  step('publish', async ({ blocked, listed }, { world }) => {
    await world.service.publish();
    listed.clear();
    for (const name of blocked) listed.add(name);
  });

const breaks = (on: string, kind: FaultKind, times: number): ModelStep =>
  step(`break ${on} ${kind} ${times}`, (_, { world }) => world.service.faults.add({ on, kind, times, retryAfter: '60' }));

const mend = (): ModelStep => step('mend', (_, { world }) => world.service.faults.clear());

const advance = (ms: number): ModelStep =>
  step(`advance ${ms}`, (model, { world }) => {
    world.clock.nowMs += ms;
    model.latestMs = Math.max(model.latestMs, world.clock.nowMs);
  });

const sync = (isDue: boolean): ModelStep =>
  step(isDue ? 'syncDue' : 'sync', async (model, { blocklist }) => {
    const before = seen(blocklist);
    const { outcome, sources } = await (isDue ? blocklist.syncDue() : blocklist.sync());
    if (outcome === 'failed' || outcome === 'deferred' || sources.length === 0) {
      expect(seen(blocklist)).toEqual(before);
      return;
    }
    const token = blocklist.status().sources[0]!.list!.snapshotToken;
    const kept = model.held?.token === token ? model.held.names : [];
    model.held = { token, names: new Set([...kept, ...model.listed]) };
  });

const check = (): ModelStep =>
  step('check', async (_, { blocklist, world }) => {
    const before = world.service.requests().length;
    const verdicts = await blocklist.checkMany(inputs);
    await answered(blocklist);
    expect(world.service.requests().length - before).toBeLessThanOrEqual(1);
    expect(verdicts.at(-1)!.status).not.toBe('blocked');
  });

const restart = (): ModelStep =>
  step('restart', async (_, real) => {
    await real.blocklist.close();
    real.blocklist = opened(real);
    await real.blocklist.check('localhost');
  });

const anyName = fc.constantFrom(...names);
const anyPath = fc.constantFrom(
  '/asset/blocklist/version',
  '/blocklist/snapshot',
  '/blocklist/recent',
  '/asset/blocklist/confirm',
);
const anyKind = fc.constantFrom<FaultKind>(
  ...(['reset', 'cut', 'status', 'rate-limit', 'flip', 'bad-gzip', 'wrong-length', 'redirect', 'captive-portal'] as const),
  ...(['moving-token', 'lying-count'] as const),
);

const anySteps = fc.commands(
  [
    anyName.map(block),
    anyName.map(unblock),
    fc.constant(publish()),
    fc.tuple(anyPath, anyKind, fc.integer({ min: 1, max: 4 })).map((of) => breaks(...of)),
    fc.constant(mend()),
    fc.constantFrom(5_000, 5 * minuteMs, 31 * minuteMs, 25 * hourMs, 8 * dayMs, -hourMs, -2 * dayMs).map(advance),
    fc.boolean().map(sync),
    fc.boolean().map(sync),
    fc.constant(check()),
    fc.constant(restart()),
  ],
  { maxCommands: 20, size: '+1' },
);

test('over HTTP, a failed round changes nothing, and polls end with what the service blocks', async () => {
  await fc.assert(
    fc.asyncProperty(anySteps, async (steps) => {
      const world = await newWorld();
      const store = memoryStore();
      await store.open();
      const real: Real = { world, store, blocklist: opened({ world, store }) };
      const blocked = new Set(oldNames);
      const model: Model = { blocked, listed: new Set(blocked), held: null, latestMs: world.clock.nowMs };
      try {
        await fc.asyncModelRun(() => ({ model, real }), steps);
        world.service.faults.clear();
        await block('three.example').run(model, real);
        // The backoff is at most two hours, and answers expire half an hour after the latest time they were given. The service's tokens are
        // made of its content, so an unblocked name brings an earlier snapshot back, which is accepted in the third round.
        for (let round = 0; round < 4; round++) {
          const { nowMs } = world.clock;
          await advance(Math.max(31 * minuteMs + model.latestMs - nowMs, real.blocklist.nextSyncAtMs - nowMs)).run(model, real);
          await sync(true).run(model, real);
        }
        expect(real.blocklist.status().sources[0]).toMatchObject({ failures: 0, lastError: null });
        // What was confirmed earlier is blocked once more, and asked about for the next check.
        await real.blocklist.checkMany(inputs);
        await answered(real.blocklist);
        const verdicts = await real.blocklist.checkMany(inputs);
        const wanted = [...names, 'fine.example'].map((name) => (model.blocked.has(name) ? 'blocked' : 'clear'));
        expect(verdicts.map(({ status }) => status)).toEqual(wanted);
      } finally {
        await real.blocklist.close();
        await world.service.close();
      }
    }),
    { numRuns: Math.ceil(propertyRuns / 30) },
  );
});
