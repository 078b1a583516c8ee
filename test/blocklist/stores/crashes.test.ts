import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Store } from '../../../src/blocklist/model/store.js';
import { extensionStore } from '../../../src/blocklist/stores/extension-store.js';
import { fileStore } from '../../../src/blocklist/stores/file-store.js';
import { keyValueStore } from '../../../src/blocklist/stores/key-value-store.js';
import { adapterOf, areaOf, bytesOf, type Device, newDevice, shown } from './rows.js';
import { systemError, watchedFileSystem } from './watched-file-system.js';

const root = mkdtempSync(join(tmpdir(), 'crashes-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;

type Around = (name: string, run: () => Promise<unknown>, runHalf?: () => Promise<unknown>) => Promise<unknown>;

/** Where a store keeps its data. Each of its calls goes through `around`. */
interface Place {
  around: Around;
  /** A store over it, as after a restart. */
  make(): Store;
  /** What an unfinished write has left there. */
  leftovers(): readonly string[];
}

const honest: Around = (_, run) => run();

function folder(): Place {
  const directory = join(root, String(folders++));
  const fileSystem = watchedFileSystem(({ name, run, runHalf }) =>
    place.around(name, run, /^write/.test(name) ? runHalf : undefined),
  );
  const place: Place = {
    around: honest,
    make: () => fileStore({ directory, fileSystem, lockStaleMs: 500, watchPollMs: 20 }),
    leftovers: () => readdirSync(directory).filter((file) => file.startsWith('temporary-')),
  };
  return place;
}

const rows = (over: (device: Device) => Store) => (): Place => {
  const device = newDevice();
  const place: Place = { around: honest, make: () => over(device), leftovers: () => [] };
  device.around = (name, run) => place.around(name, run);
  return place;
};

const maxChunkBytes = 8192;

const rowFailures: readonly Failure[] = [
  [new Error('QUOTA_BYTES quota exceeded'), 'STORE_FULL'],
  [new Error('the device failed'), 'STORE_UNAVAILABLE'],
];

type Failure = readonly [error: Error, code: string];

interface Kind {
  readonly place: () => Place;
  /** A failure of each kind and the code it is reported as; the first one also happens after a call is done. */
  readonly failures: readonly Failure[];
  /** They differ from the others in their code only. */
  readonly more?: readonly Failure[];
}

const stores: Readonly<Record<string, Kind>> = {
  file: {
    place: folder,
    failures: [
      [systemError('ENOSPC'), 'STORE_FULL'],
      [systemError('EIO'), 'STORE_UNAVAILABLE'],
    ],
    more: [
      [systemError('EDQUOT'), 'STORE_FULL'],
      [systemError('EROFS'), 'STORE_UNAVAILABLE'],
      [systemError('EMFILE'), 'STORE_UNAVAILABLE'],
    ],
  },
  'key-value': {
    place: rows((device) => keyValueStore(adapterOf(device, false), { maxChunkBytes })),
    failures: rowFailures,
  },
  'key-value that compares': {
    place: rows((device) => keyValueStore(adapterOf(device, true), { maxChunkBytes })),
    failures: rowFailures,
  },
  extension: {
    place: rows((device) => extensionStore({ area: areaOf(device), maxChunkBytes })),
    failures: rowFailures,
  },
};

const large = 30_000;
const small = 100;

/** What is done to a store that holds a value and a head of the size before. It acknowledges by not failing. */
interface Step {
  readonly before: number;
  readonly after: number;
  run(store: Store, after: number): Promise<unknown>;
  /** The value and the newest head that an acknowledged step has left. */
  readonly changes?: 'value' | 'head' | 'no value';
  /** It differs from the others only for a store that divides large values into rows. */
  readonly isDivided?: true;
}

const write = { run: (store: Store, after: number) => store.write('value', bytesOf(after, 2)), changes: 'value' } as const;
const commit = { run: (store: Store, after: number) => store.commit('head', bytesOf(after, 2), 1), changes: 'head' } as const;

const writes = 'write a small value over a large one';

const steps: Readonly<Record<string, Step>> = {
  open: { before: small, after: small, run: (store) => store.open() },
  read: { before: large, after: large, run: (store) => store.read('value') },
  list: { before: small, after: small, run: (store) => store.list('') },
  heads: { before: large, after: large, run: (store) => store.heads('head') },
  remove: { before: large, after: large, run: (store) => store.remove('value'), changes: 'no value' },
  [writes]: { before: large, after: small, ...write },
  'write a large value over a large one': { before: large, after: large, ...write, isDivided: true },
  'write a large value over a small one': { before: small, after: large, ...write, isDivided: true },
  'write a small value over a small one': { before: small, after: small, ...write, isDivided: true },
  'commit a small head over a large one': { before: large, after: small, ...commit },
  'commit a large head over a large one': { before: large, after: large, ...commit, isDivided: true },
  'commit a large head over a small one': { before: small, after: large, ...commit, isDivided: true },
  'commit a small head over a small one': { before: small, after: small, ...commit, isDivided: true },
};

/** What happens at one call of the place. After a death, no call is ever answered. */
type Fault = 'dies' | 'dies halfway' | 'fails' | 'fails although it is done';

interface Outcome {
  readonly place: Place;
  readonly store: Store;
  readonly calls: number;
  /** The call at which the fault happened, if the step made so many calls. */
  readonly faultyCall: string | undefined;
  readonly end: 'dead' | 'done' | { readonly error: unknown };
}

/** Runs the step over a new place, with the fault at that call. */
async function runStep(newPlace: () => Place, step: Step, at: number, fault: Fault, failure: Error): Promise<Outcome> {
  const place = newPlace();
  let store = place.make();
  await store.open();
  await store.write('value', bytesOf(step.before, 1));
  await store.commit('head', bytesOf(step.before, 1), 0);
  if (step === steps['open']) {
    await store.close();
    store = place.make();
  }
  const handles: { close(): Promise<unknown> }[] = [];
  let calls = 0;
  let faultyCall: string | undefined;
  let isDead = false;
  place.around = async (name, run, runHalf) => {
    if (isDead) return new Promise(() => {});
    if (calls++ !== at || (fault === 'dies halfway' && runHalf === undefined)) {
      const result = await run();
      if (name === 'open') handles.push(result as (typeof handles)[number]);
      return result;
    }
    faultyCall = name;
    if (fault === 'fails') {
      // A failing close still closes the file.
      if (name === 'close') await run();
      throw failure;
    }
    if (fault === 'fails although it is done') {
      const result = await run();
      if (name === 'open') await (result as (typeof handles)[number]).close();
      throw failure;
    }
    if (fault === 'dies halfway') await runHalf?.();
    isDead = true;
    return new Promise(() => {});
  };
  let end: Outcome['end'] | undefined;
  step.run(store, step.after).then(
    () => {
      end ??= 'done';
    },
    (error: unknown) => {
      end ??= { error };
    },
  );
  while (end === undefined) {
    await new Promise((resolve) => setImmediate(resolve));
    if (isDead) end = 'dead';
  }
  place.around = honest;
  if (isDead) for (const handle of handles) await handle.close().catch(() => {});
  return { place, store, calls, faultyCall, end };
}

/** The old or the new value and head are there, the new ones if the step was acknowledged, and both can be replaced. */
async function isWhole(store: Store, { before, after, changes }: Step, isDone: boolean): Promise<void> {
  const value = shown(await store.read('value'));
  const [old, changed] = [`${before} of 1`, changes === 'no value' ? 'null' : `${after} of 2`];
  if (changes === 'value' || changes === 'no value') expect(isDone ? [changed] : [old, changed]).toContain(value);
  else expect(value).toBe(old);
  const [newest, older] = await store.heads('head');
  if (changes === 'head') expect(isDone ? [2] : [1, 2]).toContain(newest?.sequence);
  else expect(newest?.sequence).toBe(1);
  expect(shown(newest?.bytes)).toBe(newest?.sequence === 2 ? `${after} of 2` : `${before} of 1`);
  if (newest?.sequence === 2) expect(shown(older?.bytes)).toBe(`${before} of 1`);
  await store.write('value', bytesOf(after, 3));
  expect(shown(await store.read('value'))).toBe(`${after} of 3`);
  expect(await store.commit('head', bytesOf(after, 3), newest!.sequence)).toBe(true);
  expect(shown((await store.heads('head'))[0]?.bytes)).toBe(`${after} of 3`);
}

/** A store that reports no failure has not needed the call. */
const cleanups: ReadonlySet<string | undefined> = new Set(['unlink', 'stat', 'remove', 'keys']);

/** The step keeps a whole store, whichever call of its place has the fault. */
async function survives(place: () => Place, step: Step, fault: Fault, [failure, code]: Failure): Promise<void> {
  let faulty = 0;
  for (let at = 0, isReached = true; isReached; at++) {
    const run = await runStep(place, step, at, fault, failure);
    const { end, faultyCall } = run;
    isReached = run.calls > at;
    const where = `call ${at}: ${faultyCall}`;
    if (typeof end === 'object') expect(end.error, where).toMatchObject({ code, cause: failure });
    else if (end === 'done' && faultyCall !== undefined) expect(cleanups, where).toContain(faultyCall);
    if (end !== 'done') faulty++;
    if (fault === 'fails' && faultyCall !== 'unlink') expect(run.place.leftovers(), where).toEqual([]);
    const isAgain = end === 'dead' || step === steps['open'];
    const store = isAgain ? run.place.make() : run.store;
    if (isAgain) await store.open();
    await isWhole(store, step, end === 'done').catch((cause: unknown) => {
      throw new Error(where, { cause });
    });
    await store.close();
  }
  if (fault !== 'dies halfway') expect(faulty).toBeGreaterThan(0);
}

describe.each(Object.entries(stores))('%s, at any call of', (name, { place, failures, more = [] }) => {
  const own = Object.entries(steps).filter(([, { isDivided }]) => name !== 'file' || isDivided !== true);
  const cells = own.flatMap(([title, step]) => [
    { title, step, fault: 'dies', failure: failures[0]! } as const,
    ...(name === 'file' && step.changes !== undefined
      ? [{ title, step, fault: 'dies halfway', failure: failures[0]! } as const]
      : []),
    { title, step, fault: 'fails although it is done', failure: failures[0]! } as const,
    ...[...failures, ...(title === writes ? more : [])].map((failure) => ({ title, step, fault: 'fails', failure }) as const),
  ]);

  test.each(cells)('$title: it $fault ($failure.0.message)', ({ step, fault, failure }) => survives(place, step, fault, failure));
});
