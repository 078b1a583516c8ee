import { type Blocklist, createBlocklist, PrefixSet, prefixOf } from 'portcullis';
import { indexedDbStore } from 'portcullis/stores/indexeddb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { clearStorage, liftQuota, limitQuota, newName, opens, settled, workers } from '../stores/browser-storage.js';
import { listed, newTab, sourceOf, type Tab } from './bad-days-tab.js';
import { fails, heard } from './harness.js';
import { type OwnSource, ownSource } from './own-source.js';

const strays: unknown[] = [];
const collect = ({ reason }: PromiseRejectionEvent): void => void strays.push(reason);

beforeEach(() => addEventListener('unhandledrejection', collect));

afterEach(() => {
  removeEventListener('unhandledrejection', collect);
  expect(strays.splice(0)).toEqual([]);
});

const clock = { nowMs: Date.now() };

/** Runs the next round at its due time. */
function due(blocklist: Blocklist): ReturnType<Blocklist['syncDue']> {
  clock.nowMs = Math.max(clock.nowMs, blocklist.nextSyncAtMs);
  return blocklist.syncDue();
}

/** @param openTimeoutMs Short only where a database never opens, because opening one takes long on a busy machine. */
function opened(name: string, source: OwnSource = sourceOf(), openTimeoutMs = 60_000): Blocklist {
  const store = indexedDbStore({ name, openTimeoutMs });
  const blocklist = createBlocklist({ sources: [source], store, pollMs: 0, now: () => clock.nowMs });
  opens.push(blocklist);
  return blocklist;
}

/** Restarts without a network. */
async function restarted(name: string): Promise<Blocklist> {
  const source = sourceOf();
  source.before = fails(new Error('away'));
  const blocklist = opened(name, source);
  const damages = heard(blocklist, 'damaged');
  await blocklist.ready();
  expect(damages).toEqual([]);
  return blocklist;
}

const hits = (blocklist: Blocklist): readonly string[] => listed.filter((name) => blocklist.test(name).status !== 'clear');

describe('a database', () => {
  test('blocked by another tab at the start: the fetched list protects, and the next start stores it', async () => {
    const name = newName();
    const stubborn = await settled(indexedDB.open(name));
    const deleting = settled(indexedDB.deleteDatabase(name));
    const blocklist = opened(name, sourceOf(), 100);
    const errors = heard(blocklist, 'error');
    await blocklist.ready();
    expect(errors).toMatchObject([{ where: 'store', error: { code: 'STORE_UNAVAILABLE' } }]);
    expect(await blocklist.check('evil-0.example')).toMatchObject({ status: 'blocked', reason: 'confirmed' });
    expect(blocklist.status()).toMatchObject({ isStored: false });
    expect(await due(blocklist)).toMatchObject({ outcome: 'unchanged' });
    stubborn.close();
    await deleting;
    const later = opened(name);
    await later.ready();
    expect(later.status().sources[0]).toMatchObject({ isStored: true });
    expect(hits(await restarted(name))).toEqual(listed);
  });

  test('blocked by another tab during a round: the list in memory protects, and the next round stores it', async () => {
    const name = newName();
    // Made beforehand, so that the first opening fits the short limit on a busy machine too.
    await (await restarted(name)).close();
    const source = sourceOf();
    const blocklist = opened(name, source, 500);
    await blocklist.ready();
    const errors = heard(blocklist, 'error');
    const stubborn = await settled(indexedDB.open(name));
    const deleting = settled(indexedDB.deleteDatabase(name));
    Object.assign(source.list, { recentToken: 'r2', recent: ['fresh.example'] });
    expect(await due(blocklist)).toMatchObject({ outcome: 'updated' });
    expect(errors.every(({ where }) => where === 'store')).toBe(true);
    expect(blocklist.status().sources[0]).toMatchObject({ isStored: false });
    expect(blocklist.test('fresh.example').status).toBe('unconfirmed');
    expect(hits(blocklist)).toEqual(listed);
    stubborn.close();
    await deleting;
    expect(await due(blocklist)).toMatchObject({ outcome: 'unchanged' });
    expect(blocklist.status().sources[0]).toMatchObject({ isStored: true });
    const next = await restarted(name);
    expect(hits(next)).toEqual(listed);
    expect(next.test('fresh.example').status).toBe('unconfirmed');
  });

  const deletions: Record<string, (name: string) => Promise<unknown>> = {
    deleted: (name) => settled(indexedDB.deleteDatabase(name)),
    'deleted with all site data': () => clearStorage(),
  };

  test.each(Object.entries(deletions))('%s during use: the next round stores everything again', async (_, remove) => {
    const name = newName();
    const source = sourceOf();
    const blocklist = opened(name, source);
    await blocklist.ready();
    await blocklist.block('mine.example');
    for (let round = 0; round < 3; round++) {
      Object.assign(source.list, { recentToken: `r${round}`, recent: [`fresh-${round}.example`] });
      await due(blocklist);
    }
    await remove(name);
    expect(hits(blocklist)).toEqual(listed);
    await expect.poll(async () => (await due(blocklist)).outcome).toBe('unchanged');
    expect(blocklist.status().sources[0]).toMatchObject({ isStored: true });
    await blocklist.allow('fine.example');
    const next = await restarted(name);
    expect(hits(next)).toEqual(listed);
    for (const round of [0, 1, 2]) expect(next.test(`fresh-${round}.example`).status).toBe('unconfirmed');
    expect(next.test('mine.example')).toMatchObject({ reason: 'override' });
  });

  test('deleted repeatedly during rounds: no round fails, and the last one stores the list', async () => {
    const name = newName();
    const source = sourceOf();
    const blocklist = opened(name, source);
    await blocklist.ready();
    let deleting = true;
    const deletion = (async () => {
      for (let round = 0; round < 15; round++) await settled(indexedDB.deleteDatabase(name));
      deleting = false;
    })();
    for (let round = 0; deleting; round++) {
      Object.assign(source.list, { recentToken: `r${round}`, recent: [`fresh-${round}.example`] });
      expect(await due(blocklist)).toMatchObject({ outcome: 'updated' });
      expect(hits(blocklist)).toEqual(listed);
    }
    await deletion;
    await due(blocklist);
    expect(blocklist.status().sources[0]).toMatchObject({ isStored: true });
    const next = await restarted(name);
    expect(hits(next)).toEqual(listed);
    expect(next.test('fresh-0.example').status).toBe('unconfirmed');
  });

  test('upgraded by a newer release, before the start or during use: the list in memory protects, and the failure is reported', async () => {
    const name = newName();
    const before = opened(name);
    await before.ready();
    const errors = heard(before, 'error');
    (await settled(indexedDB.open(name, 2))).close();
    expect(await due(before)).toMatchObject({ outcome: 'unchanged' });
    const after = opened(name);
    const atStart = heard(after, 'error');
    await after.ready();
    for (const blocklist of [before, after]) {
      expect(await blocklist.check('evil-0.example')).toMatchObject({ status: 'blocked' });
      expect(blocklist.status().sources[0]).toMatchObject({ isStored: false, failures: 0 });
    }
    for (const { where, error } of [...errors, ...atStart]) {
      expect(where).toBe('store');
      expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', message: expect.stringContaining('newer release') });
    }
    expect(errors.length * atStart.length).toBeGreaterThan(0);
  });

  test('past its quota: the new list answers and is reported as not stored, the old one stays stored, and the new one is stored when there is space', async () => {
    await limitQuota(1_000_000);
    const name = newName();
    const many = Array.from({ length: 1_500_000 }, (_, at) => Math.imul(at, 0x9e3779b1) >>> 0);
    const source = ownSource({ snapshot: listed, confirmed: listed });
    const small = PrefixSet.from(listed.map(prefixOf));
    const large = await PrefixSet.build([...many, ...small]);
    source.artifact = async () => ({ entries: source.list.snapshotToken === 's1' ? small : large, isProven: false });
    const blocklist = opened(name, source);
    await blocklist.ready();
    const errors = heard(blocklist, 'error');
    try {
      source.list.snapshotToken = 's2';
      expect(await due(blocklist)).toMatchObject({ outcome: 'updated' });
      // The list does not fit, and the small record of the round may not fit either.
      expect(errors.length).toBeLessThanOrEqual(2);
      expect(new Set(errors.map((event) => `${event.where} ${event.error.code}`))).toEqual(new Set(['store STORE_FULL']));
      expect(blocklist.status().sources[0]).toMatchObject({ isStored: false, list: { snapshotToken: 's2' } });
      expect(await blocklist.check('evil-0.example')).toMatchObject({ status: 'blocked' });
      expect((await restarted(name)).status().sources[0]!.list).toMatchObject({ count: 20, snapshotToken: 's1' });
    } finally {
      await liftQuota();
    }
    expect(await due(blocklist)).toMatchObject({ outcome: 'unchanged' });
    expect(blocklist.status().sources[0]).toMatchObject({ isStored: true });
    expect((await restarted(name)).status().sources[0]!.list).toMatchObject({ snapshotToken: 's2' });
  });
});

type Remote = { [Name in keyof Tab]: (...parameters: Parameters<Tab[Name]>) => Promise<Awaited<ReturnType<Tab[Name]>>> };

/** Starts a tab in a worker. */
function workerTab(): Remote {
  const worker = new Worker(new URL('./bad-days-tab.ts', import.meta.url), { type: 'module' });
  workers.push(worker);
  const waiting = new Map<number, (answer: { result?: unknown; error?: string }) => void>();
  worker.addEventListener('message', ({ data }) => {
    waiting.get(data.id)?.(data);
    waiting.delete(data.id);
  });
  let id = 0;
  return new Proxy({} as Remote, {
    get: (_, call: keyof Tab) => {
      return async (...parameters: readonly string[]) => {
        const own = id++;
        const answer = await new Promise<{ result?: unknown; error?: string }>((resolve) => {
          waiting.set(own, resolve);
          worker.postMessage({ id: own, call, parameters });
        });
        if (answer.error !== undefined) throw new Error(answer.error);
        return answer.result;
      };
    },
  });
}

/** The page, with the interface of a worker tab. */
function pageTab(): Remote {
  const tab = newTab();
  return new Proxy({} as Remote, {
    get: (_, call: keyof Tab) => {
      return async (...parameters: readonly string[]) => (tab[call] as (...given: readonly string[]) => unknown)(...parameters);
    },
  });
}

describe('two tabs', () => {
  async function both(): Promise<{ name: string; tabs: readonly [Remote, Remote] }> {
    const name = newName();
    const tabs = [pageTab(), workerTab()] as const;
    for (const tab of tabs) await tab.open(name);
    return { name, tabs };
  }

  test('started together: one fetches the list and the other loads it, and later polls do the same', async () => {
    const { name, tabs } = await both();
    await Promise.all(tabs.map((tab) => tab.ready()));
    const calls = (await Promise.all(tabs.map((tab) => tab.calls()))).flat();
    expect(calls.filter((call) => call === 'snapshot')).toHaveLength(1);
    for (const tab of tabs) {
      expect(await tab.count()).toEqual([20, 0]);
      expect(await tab.isStored()).toBe(true);
    }
    const third = workerTab();
    await third.open(name);
    await third.ready();
    expect(await third.calls()).toEqual([]);
    expect(await third.count()).toEqual([20, 0]);
    for (const tab of [...tabs, third]) await tab.close();
  });

  test('lose none of each other’s recents, webhooks and overrides, and end with the same list', async () => {
    const { name, tabs } = await both();
    await Promise.all(tabs.map((tab) => tab.ready()));
    const rounds = 10;
    await Promise.all(
      tabs.map(async (tab, id) => {
        for (let round = 0; round < rounds; round++) {
          await tab.sees(`seen-${id}-${round}.example`);
          await tab.told(`told-${id}-${round}.example`);
          await tab.block(`mine-${id}-${round}.example`);
        }
      }),
    );
    const all = [0, 1].flatMap((id) =>
      Array.from({ length: rounds }, (_, round) => [`seen-${id}-${round}.example`, `told-${id}-${round}.example`]).flat(),
    );
    const overrides = [0, 1].flatMap((id) => Array.from({ length: rounds }, (_, round) => `mine-${id}-${round}.example`));
    const next = await restarted(name);
    expect(all.filter((each) => next.test(each).status !== 'unconfirmed')).toEqual([]);
    expect(overrides.filter((each) => next.test(each).status !== 'blocked')).toEqual([]);
    expect(hits(next)).toEqual(listed);
    for (const tab of tabs) {
      await expect.poll(() => tab.count()).toEqual([20, all.length]);
      for (const each of overrides) expect(await tab.test(each)).toBe('blocked');
      await tab.close();
    }
  });

  test('one terminated while storing: the other continues', async () => {
    const { name, tabs } = await both();
    const [page, worker] = tabs;
    await Promise.all(tabs.map((tab) => tab.ready()));
    for (let round = 0; round < 10; round++) void worker.sees(`seen-${round}.example`).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 10));
    for (const each of workers.splice(0)) each.terminate();
    expect(await page.sees('page.example')).toBe('updated');
    expect(await page.isStored()).toBe(true);
    const next = await restarted(name);
    expect(hits(next)).toEqual(listed);
    expect(next.test('page.example').status).toBe('unconfirmed');
    await page.close();
  });
});
