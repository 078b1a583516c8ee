import {
  type Blocklist,
  createBlocklist,
  handleWebhook,
  isPortcullisError,
  PortcullisError,
  type Store,
  screen,
} from 'portcullis';
import { memoryStore } from 'portcullis/stores';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { stride } from '../sampling.js';
import { around, type Contents, copied, noContents, storeOver } from './bad-days-contents.js';
import { isHit, noStrayRejections } from './bad-days-harness.js';
import { dayMs, fails, held, hourMs, told } from './harness.js';
import { type OwnSource, ownSource } from './own-source.js';

noStrayRejections();

const listed = Array.from({ length: 20 }, (_, at) => `evil-${at}.example`);
const samples = listed.map((name) => ({ type: 'URL', content: `https://${name}/` }));
const startMs = Date.UTC(2026, 0, 1);

function published(): OwnSource {
  return ownSource({ snapshot: listed, recentToken: 'r1', recent: ['recent.example'], samples });
}

/** The same list, one snapshot later. */
function newer(source: OwnSource): OwnSource {
  Object.assign(source.list, { snapshotToken: 's2', snapshot: [...listed, 'new.example'], recentToken: 'r2' });
  return source;
}

const stored: Contents = noContents();
const first = createBlocklist({ sources: [published()], store: storeOver(stored), pollMs: 0, now: () => startMs });
await first.ready();
await first.check('evil-0.example');
await first.block('mine.example');
await first.close();

interface Run {
  readonly blocklist: Blocklist;
  readonly clock: { nowMs: number };
  readonly contents: Contents;
  /** Calls of source and store that have been made. */
  readonly calls: readonly string[];
}

/** Something happens at one of the calls: before it is made, once it has its answer, or while it waits for one. */
interface Trip {
  /** Index from 0; infinite once the event must not happen again. */
  at: number;
  readonly when: 'before' | 'during' | 'after';
  happen(): void;
  /** For `during`: what the event waits for. */
  wait?(): Promise<void>;
}

function opened(contents: Contents, source: OwnSource, trip: Trip): Run {
  const calls: string[] = [];
  const clock = { nowMs: startMs + hourMs };
  const call = async (name: string, run: () => Promise<unknown>): Promise<unknown> => {
    const isIt = calls.push(name) - 1 === trip.at;
    if (isIt && trip.when !== 'after') trip.happen();
    if (isIt && trip.when === 'during') await trip.wait?.();
    // Every call is as slow as a disk or a network.
    await new Promise((resolve) => setImmediate(resolve));
    const result = await run();
    if (isIt && trip.when === 'after') trip.happen();
    return result;
  };
  const blocklist = createBlocklist({
    sources: [around(source, call)],
    store: around(storeOver(contents), call) as Store,
    pollMs: 0,
    now: () => clock.nowMs,
  });
  return { blocklist, clock, contents, calls };
}

type Signal = AbortSignal | undefined;

/** The calls that an app awaits. */
const operations: Readonly<Record<string, (blocklist: Blocklist, signal: Signal) => Promise<unknown>>> = {
  ready: (blocklist, signal) => blocklist.ready({ signal }),
  check: (blocklist, signal) => blocklist.check('evil-1.example', { signal }),
  sync: (blocklist, signal) => blocklist.sync({ signal }),
  syncDue: (blocklist, signal) => blocklist.syncDue({ signal }),
  checkMany: (blocklist, signal) => blocklist.checkMany(['evil-2.example', 'fine.example'], { signal }),
  screen: async (blocklist, signal) => {
    const verdicts = [];
    for await (const { verdict } of screen(blocklist, [...listed, 'fine.example'], { signal })) verdicts.push(verdict);
    return verdicts;
  },
  block: (blocklist) => blocklist.block('theirs.example'),
  handleWebhook: (blocklist) => handleWebhook(blocklist, told('https://told.example/', 'URL')),
};

const stores = { 'with nothing stored': () => noContents(), 'with a list stored': () => copied(stored) } as const;

const cells = Object.keys(operations).flatMap((operation) =>
  (Object.keys(stores) as (keyof typeof stores)[]).map((store) => ({ operation, store })),
);

/** `done`, or the code of the rejection. Rethrows any other error. */
async function endOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'done';
  } catch (error) {
    if (!isPortcullisError(error)) throw error;
    return error.code;
  }
}

/** Expects the newest list and the overrides, in memory and after a restart. */
async function isWell({ blocklist, clock, contents }: Omit<Run, 'calls'>): Promise<void> {
  clock.nowMs = Math.max(clock.nowMs, blocklist.nextSyncAtMs);
  expect(await blocklist.syncDue()).not.toMatchObject({ outcome: 'failed' });
  expect(blocklist.status().sources[0]).toMatchObject({ isStored: true, failures: 0, list: { snapshotToken: 's2', count: 21 } });
  const verdicts = await blocklist.checkMany([...listed, 'new.example', 'fine.example']);
  expect(verdicts.map(({ status }) => status)).toEqual([...listed.map(() => 'blocked'), 'blocked', 'clear']);
  await blocklist.close();
  await startsWhole(contents, 21);
}

async function startsWhole(contents: Contents, ...counts: readonly number[]): Promise<void> {
  const away = published();
  away.before = fails(new Error('away'));
  const next = createBlocklist({ sources: [away], store: storeOver(contents), pollMs: 0, now: () => startMs + dayMs / 2 });
  await next.ready();
  const { list } = next.status().sources[0]!;
  expect(counts).toContain(list?.count ?? 0);
  if (list !== null) expect(listed.every((name) => isHit(next.test(name)))).toBe(true);
  await next.close();
}

describe('abort at every call of source and store', () => {
  const abortable = cells.filter(({ operation }) => operation !== 'block' && operation !== 'handleWebhook');

  test.each(abortable)(
    '$operation $store rejects with ABORTED or finishes, and the next call works',
    async ({ operation, store }) => {
      let aborts = 0;
      for (const when of ['before', 'during', 'after'] as const) {
        for (let at = 0, reached = true; reached; at += stride(4)) {
          const controller = new AbortController();
          const { wait, release } = held();
          const trip: Trip = { at, when, wait, happen: () => controller.abort() };
          const run = opened(stores[store](), newer(published()), trip);
          // The waiting call ends at once, whatever else is running.
          const end = await endOf(operations[operation]!(run.blocklist, controller.signal));
          release();
          expect(['done', 'ABORTED']).toContain(end);
          if (end === 'ABORTED') aborts++;
          reached = controller.signal.aborted;
          trip.at = Number.POSITIVE_INFINITY;
          expect(await endOf(operations[operation]!(run.blocklist, undefined))).toBe('done');
          await isWell(run);
        }
      }
      expect(aborts).toBeGreaterThan(0);
    },
  );
});

test.each(cells)(
  'close at every call of source and store: $operation $store rejects with CLOSED or finishes, and nothing keeps running',
  async ({ operation, store }) => {
    for (const when of ['before', 'after'] as const) {
      for (let at = 0, reached = true; reached; at += stride(4)) {
        let closing: Promise<void> | undefined;
        let calls: readonly string[] = [];
        const close = (): Promise<void> =>
          run.blocklist.close().then(() => {
            calls = [...run.calls];
          });
        const run = opened(stores[store](), newer(published()), {
          at,
          when,
          happen: () => {
            closing ??= close();
          },
        });
        expect(['done', 'CLOSED']).toContain(await endOf(operations[operation]!(run.blocklist, undefined)));
        reached = closing !== undefined;
        await (closing ?? close());
        expect(await endOf(operations[operation]!(run.blocklist, undefined))).toBe('CLOSED');
        await new Promise((resolve) => setTimeout(resolve, 2));
        // Nothing uses source or store after the close.
        expect(run.calls).toEqual(calls);
        await startsWhole(run.contents, ...(store === 'with nothing stored' ? [0, 21] : [20, 21]));
      }
    }
  },
);

describe('a store that', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  /** The result of a call within a few minutes of fake time. */
  async function within<T>(work: Promise<T>, what: string): Promise<T> {
    let isOver = false;
    const over = (): void => {
      isOver = true;
    };
    work.then(over, over);
    for (let second = 0; second < 300 && !isOver; second++) await vi.advanceTimersByTimeAsync(1_000);
    if (!isOver) throw new Error(`${what} never ends`);
    return work;
  }

  const code = (reason: 'STORE_FULL' | 'STORE_UNAVAILABLE' | 'INVALID_ARTIFACT') => new PortcullisError(reason, 'made by a test');

  /** What it does at one call, and which of the later calls it fails too. */
  const faults = [
    { title: 'fails one call with STORE_FULL', error: code('STORE_FULL') },
    { title: 'fails one call with STORE_UNAVAILABLE', error: code('STORE_UNAVAILABLE') },
    { title: 'fails one call with INVALID_ARTIFACT', error: code('INVALID_ARTIFACT') },
    { title: 'can only be read from one call on', error: code('STORE_UNAVAILABLE'), later: /^(write|remove|commit)$/ },
    { title: 'is unavailable from one call on', error: code('STORE_UNAVAILABLE'), later: /./ },
    { title: 'never answers one call' },
    { title: 'never answers from one call on', later: /./ },
  ] satisfies { title: string; error?: Error; later?: RegExp }[];

  test.each(faults.flatMap((fault) => (Object.keys(stores) as (keyof typeof stores)[]).map((store) => ({ store, ...fault }))))(
    '$title, $store: the fetched list protects, every call ends, and a later round or start is whole',
    async ({ store, error, later }: { store: keyof typeof stores; error?: PortcullisError; later?: RegExp }) => {
      for (let at = 0, isReached = true; isReached; at += stride(4)) {
        isReached = false;
        let calls = 0;
        let failed = '';
        let isOver = false;
        const contents = stores[store]();
        const failing = around(storeOver(contents), async (name, run) => {
          if (isOver || (calls++ !== at && !(isReached && later?.test(name)))) return run();
          isReached = true;
          failed ||= name;
          return error === undefined ? new Promise(() => {}) : Promise.reject(error);
        });
        const clock = { nowMs: startMs + hourMs };
        const blocklist = createBlocklist({ sources: [newer(published())], store: failing, pollMs: 0, now: () => clock.nowMs });
        let reports = 0;
        blocklist.on('error', ({ where }) => void (where === 'store' && reports++));
        blocklist.on('damaged', () => void reports++);
        const where = (what: string): string => `${what} with a ${failed} (call ${at})`;
        expect(await within(blocklist.check('evil-1.example'), where('check'))).not.toMatchObject({ status: 'clear' });
        await within(blocklist.ready(), where('ready'));
        await within(blocklist.sync(), where('sync'));
        const verdicts = await within(blocklist.checkMany(listed), where('checkMany'));
        expect(verdicts.filter(({ status }) => status !== 'blocked')).toEqual([]);
        const blocked = await endOf(within(blocklist.block('mine.example'), where('block')));
        expect(blocklist.test('mine.example').status).toBe('blocked');
        if (error !== undefined && isReached && reports === 0) expect(blocked).toBe(error.code);
        isOver = error !== undefined;
        // A store that could not be opened is not used until the next start.
        if (error !== undefined && failed !== 'open') await within(isWell({ blocklist, clock, contents }), where('round'));
        else {
          // A store that cannot be closed is reported; everything else has ended by then.
          expect(['done', 'STORE_UNAVAILABLE']).toContain(await endOf(within(blocklist.close(), where('close'))));
          await startsWhole(contents, ...(store === 'with nothing stored' ? [0, 21] : [20, 21]));
        }
      }
    },
  );
});

test('survives a listener that rejects, a store that cannot be watched and a source that cannot be closed', async () => {
  const contents = copied(stored);
  const store: Store = {
    ...storeOver(contents),
    watch: () => {
      throw new Error('made by a test');
    },
  };
  let isClosed = false;
  const close = async (): Promise<void> => {
    isClosed = true;
  };
  const source = published();
  source.close = () => Promise.reject(new Error('made by a test'));
  const blocklist = createBlocklist({ sources: [source], store: { ...store, close }, pollMs: 0, now: () => startMs });
  const errors: unknown[] = [];
  blocklist.on('error', async (event) => {
    errors.push(event);
    throw new Error('made by a test');
  });
  await blocklist.ready();
  expect(errors).toMatchObject([{ where: 'store', error: { code: 'STORE_UNAVAILABLE' } }]);
  expect(await blocklist.check('evil-1.example')).toMatchObject({ status: 'blocked' });
  await blocklist.close();
  expect(errors).toMatchObject([{ where: 'store' }, { where: 'sync', error: { cause: { message: 'made by a test' } } }]);
  expect(isClosed).toBe(true);
});

test('an override that could not be stored applies until the process exits, whatever another tab writes', async () => {
  const shared = memoryStore();
  let isFull = false;
  const commit: Store['commit'] = async (...parameters) => {
    if (isFull) throw new PortcullisError('STORE_FULL', 'made by a test');
    return shared.commit(...parameters);
  };
  const open = (store: Store) => createBlocklist({ sources: [published()], store, pollMs: 0, now: () => startMs });
  const [one, other] = [open({ ...shared, commit }), open(shared)];
  await Promise.all([one.ready(), other.ready()]);
  isFull = true;
  await expect(one.block('mine.example')).rejects.toMatchObject({ code: 'STORE_FULL' });
  expect(one.test('mine.example').status).toBe('blocked');
  await other.block('theirs.example');
  await expect.poll(() => one.test('theirs.example').status).toBe('blocked');
  expect(one.test('mine.example').status).toBe('blocked');
  // The next successful commit includes it.
  isFull = false;
  await one.allow('fine.example');
  await expect.poll(() => other.test('mine.example').status).toBe('blocked');
  await Promise.all([one.close(), other.close()]);
});

describe('clock change at every call of source and store', () => {
  const leaps = {
    'ten years forward': 3_650 * dayMs,
    'a day forward': dayMs,
    'an hour back': -hourMs,
    'ten years back': -3_650 * dayMs,
  };

  test.each(Object.entries(leaps))('%s: listed entries stay hits, and a round recovers', async (_, leapMs) => {
    for (const store of Object.keys(stores) as (keyof typeof stores)[]) {
      for (const operation of ['ready', 'sync', 'check'] as const) {
        for (let at = 0, reached = true; reached; at += stride(4)) {
          reached = false;
          const trip: Trip = {
            at,
            when: 'before',
            happen: () => {
              reached = true;
              run.clock.nowMs += leapMs;
            },
          };
          const run = opened(stores[store](), newer(published()), trip);
          expect(await endOf(operations[operation]!(run.blocklist, undefined))).toBe('done');
          trip.at = Number.POSITIVE_INFINITY;
          const isHeld = run.blocklist.status().sources[0]!.list !== null;
          if (isHeld) expect(listed.every((name) => isHit(run.blocklist.test(name)))).toBe(true);
          expect(run.blocklist.nextSyncAtMs).toBeLessThanOrEqual(run.clock.nowMs + 2 * hourMs);
          // Sets the clock back again.
          if (reached) run.clock.nowMs -= leapMs;
          expect(run.blocklist.nextSyncAtMs).toBeLessThanOrEqual(run.clock.nowMs + 2 * hourMs);
          if (isHeld) expect(listed.every((name) => isHit(run.blocklist.test(name)))).toBe(true);
          await isWell(run);
        }
      }
    }
  });
});
