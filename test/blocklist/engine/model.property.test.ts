import fc from 'fast-check';
import { type Blocklist, createBlocklist, handleWebhook, hashOf, PortcullisError, prefixOf } from 'portcullis';
import type { Confirmation } from 'portcullis/sources';
import { memoryStore } from 'portcullis/stores';
import { expect, test } from 'vitest';
import type { Store } from '../../../src/blocklist/model/store.js';
import { isDeep, propertyRuns } from '../../support/setup.js';
import { Step } from '../../support/step.js';
import { awaited } from './bad-days-contents.js';
import { dayMs, hourMs, minuteMs, told } from './harness.js';
import { type Kept, ModelClient, newKept, pollMs } from './model-client.js';
import {
  type Call,
  type FaultKind,
  feed,
  forgotten,
  type Garble,
  garbleIn,
  garbles,
  meet,
  names,
  newWorld,
  probes,
  publish,
  type World,
} from './model-world.js';
import { type OwnSource, ownSource } from './own-source.js';

/**
 * Compares clients with a model. The source, its faults, the clock and the store change arbitrarily; after each step everything
 * that a caller can see is compared: the results of rounds, the list, the next due time, and the verdict of every probe.
 */

interface Model {
  readonly world: World;
  readonly kept: Kept;
  clients: ModelClient[];
  nowMs: number;
  /** The latest time that the clock had before it was set back. */
  latestMs: number;
}

interface Real {
  readonly world: World;
  readonly source: OwnSource;
  /** One store for all clients, whose disk may be full. */
  readonly store: Store;
  readonly disk: { isFull: boolean };
  /** Waits until the store is idle. */
  settled(): Promise<void>;
  readonly isWhole: boolean;
  readonly clock: { nowMs: number; count: number };
  clients: Blocklist[];
}

const inputs = Object.keys(probes);
const startMs = Date.UTC(2026, 0, 1);

const errors: Record<Exclude<FaultKind, 'moves' | 'feed moves'>, () => Error> = {
  away: () => new Error('away'),
  busy: () => new PortcullisError('INTERNAL_SERVER_ERROR', 'busy', { status: 500 }),
  wait: () => new PortcullisError('TOO_MANY_REQUESTS', 'wait', { status: 429, retryAfterMs: 40 * minuteMs }),
};

/** A source that shows a world. */
function sourceOf(world: World, whole: boolean): OwnSource {
  const source = ownSource({ whole, algorithms: { 7: 'portcullis-1' } });
  const show = (): void => {
    const { found, blocked, ...rest } = world;
    const calibration = found === undefined ? undefined : { samples: 20, found };
    Object.assign(source.list, rest, { calibration, confirmed: blocked });
  };
  source.before = (call) => {
    const kind = call === 'samples' ? null : meet(world, call);
    show();
    if (kind !== null) throw errors[kind]();
  };
  const { confirm } = source;
  if (confirm !== undefined) {
    source.confirm = async (prefixes, call) => {
      const confirmation = await confirm(prefixes, call);
      return garbled(confirmation, prefixes, garbleIn(world));
    };
  }
  return source;
}

function garbled({ hashes }: Confirmation, prefixes: readonly number[], garble: Garble | null): Confirmation {
  const groups = new Map(hashes);
  const [first, group] = [...groups][0]!;
  const own = new Uint8Array(hashOf('some.example'));
  new DataView(own.buffer).setUint32(0, first);
  if (garble === 'too many') groups.set(first, new Array<Uint8Array>(1_001).fill(own));
  if (garble === 'astray') groups.set(first, [...group, hashOf('fine.example')]);
  if (garble === 'foreign') groups.set(prefixOf('nobody.example'), []);
  if (garble === 'short') groups.set(first, [...group, own.subarray(0, 31)]);
  if (garble === 'half' && prefixes.length > 1) groups.delete(prefixOf(forgotten));
  return { hashes: groups };
}

function opened({ source, store, clock }: Real): Blocklist {
  // Names of stored values must differ even for writes close together.
  const random = (): number => 0.5 + clock.count++ * 2 ** -40;
  const blocklist = createBlocklist({ sources: [source], store, now: () => clock.nowMs, random });
  // The steps of the model run the rounds.
  blocklist.stop();
  return blocklist;
}

/** Waits only for stored values. */
async function loaded(blocklist: Blocklist): Promise<Blocklist> {
  await blocklist.check('localhost');
  return blocklist;
}

async function begin({ isWhole, isShared }: { isWhole: boolean; isShared: boolean }): Promise<{ model: Model; real: Real }> {
  const world = newWorld();
  const disk = { isFull: false };
  const watched = awaited(memoryStore(), async (name, run) => {
    if (disk.isFull && /write|commit/.test(name)) throw new PortcullisError('STORE_FULL', 'the disk is full');
    return run();
  });
  const clock = { nowMs: startMs, count: 0 };
  const real: Real = { world, source: sourceOf(world, isWhole), ...watched, disk, isWhole, clock, clients: [] };
  const model: Model = { world: newWorld(), kept: newKept(), clients: [], nowMs: startMs, latestMs: startMs };
  for (let count = isShared ? 2 : 1; count > 0; count--) {
    real.clients.push(await loaded(opened(real)));
    model.clients.push(new ModelClient(model.world, model.kept, isWhole, startMs));
  }
  for (const client of model.clients) client.peers = model.clients.filter((other) => other !== client);
  return { model, real };
}

type Act = (model: Model, real: Real) => Promise<void> | void;

type ModelStep = Step<Model, Real>;

const compareSettled = async (model: Model, real: Real): Promise<void> => {
  await answered(real);
  await real.settled();
  compare(model, real);
};

const step = (name: string, of: readonly unknown[], act: Act): ModelStep =>
  new Step(`${name}(${of.map(String).join(' ')})`, act, compareSettled);

const chosen = <T>(of: readonly T[], client: number): T => of[client % of.length]!;

/** Waits for questions that no check waits for. */
async function answered({ clients }: Real): Promise<void> {
  while (clients.some((client) => client.status().sources[0]!.confirm.pending > 0))
    await new Promise((resolve) => setTimeout(resolve, 0));
}

/** Every answer of the models: a test that never reaches one compares nothing there. */
const reached = new Set<string>();

/** Everything that a caller can see. */
function compare(model: Model, real: Real): void {
  for (const [at, client] of model.clients.entries()) {
    const { held, retry } = client;
    const { list, ...rest } = real.clients[at]!.status().sources[0]!;
    expect(rest, `client ${at}`).toMatchObject({
      failures: retry.failures,
      nextSyncAtMs: client.nextSyncAtMs(model.nowMs),
      heldUntilMs: retry.heldUntilMs,
      confirm: {
        pending: 0,
        failures: client.pause.failures,
        isPaused: client.isPaused(model.nowMs),
        heldUntilMs: client.isPaused(model.nowMs) ? client.pause.untilMs : 0,
      },
    });
    if (held === null) expect(list).toBeNull();
    else {
      expect(list, `client ${at}`).toMatchObject({
        algoVersion: held.algoVersion,
        snapshotToken: held.snapshotToken,
        recentToken: held.recentToken,
        count: held.snapshot.length,
        ageMs: client.ageMs(model.nowMs),
        isStale: client.ageMs(model.nowMs) > dayMs,
        calibration: held.calibration,
      });
      if (!real.isWhole) expect(list?.recentCount).toBe(held.recents.length);
    }
    const answers = Object.fromEntries(inputs.map((input) => [input, client.verdict(input, model.nowMs)]));
    expect(answersOf(real.clients[at]!), `client ${at}`).toEqual(answers);
    for (const answer of Object.values(answers)) reached.add(answer);
  }
}

function answersOf(blocklist: Blocklist): Record<string, string> {
  return Object.fromEntries(inputs.map((input) => [input, shown(blocklist.test(input))]));
}

const shown = ({ status, reason }: { status: string; reason: string }): string => `${status}/${reason}`;

/** Runs a round; a failed one changes nothing. */
async function round(blocklist: Blocklist, run: () => Promise<{ outcome: string } | null>): Promise<string | undefined> {
  const seen = () => {
    const { list } = blocklist.status().sources[0]!;
    // Without a list there is only the reason for it, which may change.
    // Times that were corrected are stored with the next number, even if the round then fails.
    return list === null ? null : { list: { ...list, ageMs: undefined, generation: undefined }, answers: answersOf(blocklist) };
  };
  const before = seen();
  const outcome = (await run())?.outcome;
  if (outcome === 'failed' || outcome === 'deferred') expect(seen()).toEqual(before);
  return outcome;
}

const sync = (client: number): ModelStep =>
  step('sync', [client], async (model, { clients }) => {
    const blocklist = chosen(clients, client);
    const outcome = await round(blocklist, () => blocklist.sync());
    expect(outcome).toBe(chosen(model.clients, client).sync(model.nowMs));
  });

const syncDue = (client: number): ModelStep =>
  step('syncDue', [client], async (model, { clients }) => {
    const blocklist = chosen(clients, client);
    const outcome = await round(blocklist, async () => {
      const { outcome, sources } = await blocklist.syncDue();
      return { outcome: sources.length === 0 ? 'not due' : outcome };
    });
    expect(outcome).toBe(chosen(model.clients, client).syncDue(model.nowMs));
  });

const check = (client: number, some: readonly string[]): ModelStep =>
  step('check', [client, ...some], async (model, { clients }) => {
    const verdicts = await chosen(clients, client).checkMany(some);
    expect(verdicts.map(shown)).toEqual(chosen(model.clients, client).check(some, model.nowMs));
    for (const verdict of verdicts) reached.add(shown(verdict));
  });

const webhook = (client: number, name: string): ModelStep =>
  step('webhook', [client, name], async (model, { clients }) => {
    const handled = handleWebhook(chosen(clients, client), told(`https://${name}/`));
    const mine = chosen(model.clients, client);
    mine.hear(name);
    expect((await handled)?.outcome).toBe(mine.sync(model.nowMs));
  });

const advance = (ms: number): ModelStep =>
  step('advance', [ms], (model, { clock }) => {
    clock.nowMs += ms;
    model.nowMs += ms;
    model.latestMs = Math.max(model.latestMs, model.nowMs);
  });

/** Changes both worlds in the same way. */
const turn = (name: string, of: readonly unknown[], change: (world: World) => void): ModelStep =>
  step(name, of, (model, real) => {
    change(model.world);
    change(real.world);
  });

const publishes = (isProven: boolean): ModelStep => turn('publish', [isProven], (world) => publish(world, isProven));

const feeds = (recent: readonly string[] | 'all', remove?: readonly string[], allow?: readonly string[]): ModelStep =>
  turn('feed', [recent, '-', remove, '+', allow], (world) => {
    const grown = [...world.recent, ...world.blocked.filter((name) => !world.recent.includes(name))];
    feed(world, { recent: recent === 'all' ? grown : recent, remove, allow });
  });

const blocks = (name: string): ModelStep =>
  turn('block', [name], (world) => {
    world.blocked = [...world.blocked.filter((other) => other !== name), name];
  });

const unblocks = (some: readonly string[]): ModelStep =>
  turn('unblock', [some], (world) => {
    world.blocked = world.blocked.filter((name) => !some.includes(name));
  });

const breaks = (at: Call, kind: FaultKind | Garble, times: number): ModelStep =>
  turn('break', [at, kind, times], (world) => {
    world.faults = [...world.faults, { at, kind, times }];
  });

const mends = (): ModelStep =>
  turn('mend', [], (world) => {
    world.faults = [];
  });

const sets = (change: Partial<World>): ModelStep =>
  turn('set', [JSON.stringify(change)], (world) => Object.assign(world, change));

const override = (client: number, action: 'allow' | 'block', expression: string, forMs: number): ModelStep =>
  step(action, [client, expression, forMs], async (model, { clients, disk }) => {
    const untilMs = model.nowMs + forMs;
    const said = chosen(clients, client)[action](`https://${expression}`, { untilMs });
    chosen(model.clients, client).override(expression, { action, untilMs }, model.nowMs);
    if (disk.isFull) await expect(said).rejects.toMatchObject({ code: 'STORE_FULL' });
    else await said;
  });

const removeOverride = (client: number, expression: string): ModelStep =>
  step('removeOverride', [client, expression], async (model, { clients }) => {
    const mine = chosen(model.clients, client);
    const isThere = mine.overrides.has(expression);
    const removed = chosen(clients, client).removeOverride(expression);
    if (model.kept.isFull) await expect(removed).rejects.toMatchObject({ code: 'STORE_FULL' });
    else expect(await removed).toBe(isThere);
    mine.override(expression, null, model.nowMs);
  });

/** With several clients, the model cannot predict concurrent writes, so these two steps are for a single client. */
const restart = (): ModelStep =>
  step('restart', [], async (model, real) => {
    if (real.clients.length > 1) return;
    await real.clients[0]!.close();
    real.clients = [await loaded(opened(real))];
    model.clients = [new ModelClient(model.world, model.kept, real.isWhole, model.nowMs)];
  });

/** The stored list is gone, but not what is known about the last round. */
const lose = (): ModelStep =>
  step('lose', [], async (model, real) => {
    if (real.clients.length > 1) return;
    await real.clients[0]!.close();
    await real.store.open();
    for (const name of await real.store.list('own/')) if (!name.endsWith('/retry')) await real.store.remove(name);
    await real.store.close();
    model.kept.list = null;
    model.kept.positives = new Map();
    real.clients = [await loaded(opened(real))];
    model.clients = [new ModelClient(model.world, model.kept, real.isWhole, model.nowMs)];
  });

const disk = (isFull: boolean): ModelStep =>
  step('disk', [isFull ? 'full' : 'fine'], (model, real) => {
    if (real.clients.length > 1) return;
    model.kept.isFull = isFull;
    real.disk.isFull = isFull;
  });

const anyClient = fc.nat({ max: 1 });
const anyName = fc.constantFrom(...names);
const someNames = fc.uniqueArray(anyName, { maxLength: 5 });
const anyCall = fc.constantFrom<Call>('version', 'snapshot', 'recent', 'confirm');
const anyKind = fc.constantFrom<FaultKind>('away', 'busy', 'wait', 'moves', 'feed moves');
const someInputs = fc.uniqueArray(fc.constantFrom(...inputs), { minLength: 1, maxLength: 5 });
const maybeNames = fc.option(someNames, { nil: undefined, freq: 2 });
const anyAdvance = fc.constantFrom(
  ...[1_000, 5_000, minuteMs, pollMs, pollMs, 31 * minuteMs, hourMs, 25 * hourMs, 8 * dayMs],
  ...[-minuteMs, -hourMs, -10 * hourMs, -3 * dayMs],
);

const anySteps = fc.commands(
  [
    anyClient.map(sync),
    anyClient.map(sync),
    anyClient.map(syncDue),
    fc.tuple(anyClient, someInputs).map((of) => check(...of)),
    fc.tuple(anyClient, fc.constant(inputs)).map((of) => check(...of)),
    fc.tuple(anyClient, anyName).map((of) => webhook(...of)),
    anyAdvance.map(advance),
    fc.boolean().map(publishes),
    fc.constant(feeds('all')),
    fc.tuple(someNames, maybeNames, maybeNames).map((of) => feeds(...of)),
    anyName.map(blocks),
    someNames.map(unblocks),
    fc.tuple(anyCall, anyKind, fc.integer({ min: 1, max: 4 })).map((of) => breaks(...of)),
    fc
      .tuple(fc.constantFrom(...garbles, 'half', 'half'), fc.integer({ min: 1, max: 4 }))
      .map(([kind, times]) => breaks('confirm', kind, times)),
    fc.constant(mends()),
    fc
      .constantFrom<Partial<World>>(
        ...([{ algoVersion: 'nobodys' }, { algoVersion: '7' }, { algoVersion: 'portcullis-1' }] as const),
        ...[{ found: 17 }, { found: 18 }, { found: undefined }],
        ...[{ minWaitMs: 20 * minuteMs }, { minWaitMs: undefined }],
      )
      .map(sets),
    fc
      .tuple(anyClient, fc.constantFrom('allow', 'block'), anyName, fc.constantFrom(minuteMs, dayMs))
      .map((of) => override(...of)),
    fc.tuple(anyClient, anyName).map((of) => removeOverride(...of)),
    fc.constant(restart()),
    fc.constant(lose()),
    fc.boolean().map(disk),
  ],
  { maxCommands: 40, size: '+1' },
);

/** After all faults: a client that only polls ends up with the published list, and its verdicts match the source. */
async function heals(model: Model, real: Real): Promise<void> {
  const run = (next: ModelStep): Promise<void> => next.run(model, real);
  await run(mends());
  await run(disk(false));
  await run(sets({ algoVersion: 'portcullis-1', found: undefined, minWaitMs: undefined }));
  await run(publishes(false));
  for (const [at, blocklist] of real.clients.entries()) {
    const isCurrent = (): boolean => blocklist.status().sources[0]!.list?.snapshotToken === real.world.snapshotToken;
    // A hold of 40 minutes, then three rounds and an hour until a shrunk list is accepted.
    for (let rounds = 0; !isCurrent() && rounds < 20; rounds++) {
      await run(advance(Math.max(0, blocklist.nextSyncAtMs - model.nowMs)));
      await run(syncDue(at));
    }
    expect(isCurrent()).toBe(true);
  }
  for (const at of real.clients.keys()) for (const name of names) await run(removeOverride(at, name));
  // Past every pause that began before the clock was set back.
  await run(advance(31 * minuteMs + model.latestMs - model.nowMs));
  for (const at of real.clients.keys()) await run(sync(at));
  const { blocked } = real.world;
  // What was confirmed earlier is blocked once more, and asked about for the next check.
  for (const blocklist of real.clients) await blocklist.checkMany(inputs);
  await answered(real);
  for (const blocklist of real.clients) {
    const verdicts = await blocklist.checkMany(inputs);
    const allowed = (real.world.allow ?? []) as readonly string[];
    for (const [at, input] of inputs.entries()) {
      const expressions = probes[input]!;
      if (expressions.some((expression) => allowed.includes(expression))) continue;
      const isListed = expressions.some((expression) => blocked.includes(expression));
      expect(verdicts[at]!.status, input).toBe(isListed ? 'blocked' : 'clear');
    }
  }
}

test.each([
  ['entries of 4 bytes', { isWhole: false, isShared: false }],
  ['entries of 8 bytes', { isWhole: true, isShared: false }],
  ['entries of 4 bytes, and two clients with one store', { isWhole: false, isShared: true }],
])('the client matches the design model after any sequence of events: %s', async (_, kind) => {
  reached.clear();
  await fc.assert(
    fc.asyncProperty(anySteps, async (steps) => {
      const started = await begin(kind);
      try {
        await fc.asyncModelRun(() => started, steps);
        await heals(started.model, started.real);
      } finally {
        for (const client of started.real.clients) await client.close();
      }
    }),
    { numRuns: Math.ceil(propertyRuns / 3) },
  );
  if (!isDeep) return;
  const asked = [
    'unconfirmed/bad-answer',
    'unconfirmed/offline',
    'blocked/confirmed',
    'blocked/confirmed-earlier',
    'clear/disproved',
  ];
  for (const answer of kind.isWhole ? [] : asked) expect(reached).toContain(answer);
  for (const answer of ['allowed/source-allows', 'blocked/override', 'unknown/list-stale', 'unknown/algorithm-mismatch'])
    expect(reached).toContain(answer);
});
