import { chmodSync, cpSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBlocklist } from 'portcullis';
import { serviceSource } from 'portcullis/sources';
import { fileStore } from 'portcullis/stores/file';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isDeep } from '../../support/setup.js';
import { sample } from '../sampling.js';
import { folders } from '../stores/processes.js';
import { systemError, watchedFileSystem } from '../stores/watched-file-system.js';
import { healed, isHit, newWorld, noStrayRejections, oldNames } from './bad-days-harness.js';
import { fast, recentOf, shared, type Task } from './bad-days-tasks.js';
import { away, heard, minuteMs } from './harness.js';
import { type OwnSource, ownSource } from './own-source.js';

noStrayRejections();

const { next, start } = folders<Task>(new URL('./bad-days-child.ts', import.meta.url));

const world = await newWorld();
const { service, url } = world;
const access = { url, key: service.key };
afterAll(() => service.close());

const cutOff = (source: OwnSource): OwnSource => Object.assign(source, { before: away });

/** The source of a stored list, and no network: by default of a list without an address. */
const awaySource = (baseUrl?: string): OwnSource =>
  cutOff(ownSource({ id: 'service', ...(baseUrl !== undefined && { origin: serviceSource({ baseUrl }).origin! }) }));

/** A folder with a list, a confirmed block and an override. */
const before = next();

beforeAll(async () => {
  const blocklist = createBlocklist({ baseUrl: url, apiKey: service.key, store: fileStore({ directory: before }), pollMs: 0 });
  await blocklist.ready();
  expect(await blocklist.check('old-0.example')).toMatchObject({ reason: 'confirmed' });
  await blocklist.block('before.example');
  await blocklist.close();
  await world.block('new.example');
  await service.publish();
  await world.block('fresh.example');
});

function copyOfBefore(): string {
  const directory = next();
  cpSync(before, directory, { recursive: true });
  return directory;
}

/** In parallel, because they mostly wait for the lock of a dead process. */
async function inParallel(works: readonly (() => Promise<void>)[], width: number): Promise<void> {
  const left = [...works];
  const run = async (): Promise<void> => {
    for (let work = left.shift(); work !== undefined; work = left.shift()) await work();
  };
  await Promise.all(Array.from({ length: width }, run));
}

/** Restarts without a network, and expects the old or the new list. Then a round recovers. */
async function startsWhole(directory: string): Promise<{ count: number; overrides: readonly string[] }> {
  const clock = { nowMs: Date.now() };
  let isAway = true;
  const blocklist = createBlocklist({
    baseUrl: url,
    apiKey: service.key,
    fetch: (address, init) => (isAway ? Promise.reject(new TypeError('away')) : fetch(address, init as RequestInit)),
    store: fileStore({ directory, ...fast }),
    pollMs: 0,
    now: () => clock.nowMs,
  });
  const events = heard(blocklist, 'damaged', 'error');
  await blocklist.ready();
  expect(events).toEqual([]);
  const { list } = blocklist.status().sources[0]!;
  expect([20, 21]).toContain(list?.count);
  expect(oldNames.filter((name) => !isHit(blocklist.test(name)))).toEqual([]);
  // It was confirmed a moment before.
  expect(blocklist.test('old-0.example')).toMatchObject({ reason: 'confirmed' });
  expect(blocklist.test('before.example')).toMatchObject({ reason: 'override' });
  const overrides = blocklist.overrides().map(({ expression }) => expression);
  isAway = false;
  await healed(blocklist, clock);
  expect(blocklist.status().sources[0]).toMatchObject({ isStored: true, list: { count: 21, recentCount: 1 } });
  expect(await blocklist.check('new.example')).toMatchObject({ status: 'blocked' });
  expect(events).toEqual([]);
  await blocklist.close();
  return { count: list!.count, overrides };
}

describe('a killed process', () => {
  test('keeps the old or the new list, and everything it acknowledged, whichever file system call of a round it dies at', async () => {
    const whole = start(copyOfBefore(), { kind: 'round', ...access, dieAt: -1, half: false });
    expect(await whole.ended).toBe(0);
    const calls = whole.lines.filter((line) => line.startsWith('call '));
    expect(whole.lines).toContain('closed');
    const counts: number[] = [];
    const kills = calls.flatMap((call, dieAt) =>
      (/write/.test(call) ? [false, true] : [false]).map((half) => async () => {
        const directory = copyOfBefore();
        const child = start(directory, { kind: 'round', ...access, dieAt, half });
        // The watcher polls by time, so the last calls may not happen.
        if ((await child.ended) !== 0) expect(await child.ended).toBe('SIGKILL');
        const { count, overrides } = await startsWhole(directory);
        if (child.lines.some((line) => line.startsWith('list ') && line.endsWith(' true'))) expect(count).toBe(21);
        if (child.lines.includes('override')) expect(overrides).toContain('mine.example');
        counts.push(count);
      }),
    );
    expect(kills.length).toBeGreaterThan(80);
    await inParallel(sample(kills, 7), 4);
    expect(new Set(counts)).toEqual(new Set([20, 21]));
  });

  test('keeps everything it acknowledged, even if processes on one folder are killed repeatedly at any moment', async () => {
    const own = await newWorld();
    const directory = next();
    const listed = [...oldNames];
    const rounds = isDeep ? 12 : 2;
    let stored = 0;
    for (let round = 0; round < rounds; round++) {
      const child = start(directory, { kind: 'rounds', url: own.url, key: own.service.key });
      await child.printed(2);
      // The list changes while it is read and written.
      for (let more = 0; more < 3; more++) {
        const name = `moved-${round}-${more}.example`;
        await own.block(name);
        listed.push(name);
        if (more === 1 && round % 3 === 0) await own.service.publish();
        await sleep(Math.random() * 20);
      }
      child.process.kill('SIGKILL');
      expect(await child.ended).toBe('SIGKILL');
      const said = child.lines.filter((line) => line.endsWith('true'));
      const blocklist = createBlocklist({ sources: [awaySource(own.url)], store: fileStore({ directory, ...fast }), pollMs: 0 });
      const damages = heard(blocklist, 'damaged', 'error');
      await blocklist.ready();
      const { list } = blocklist.status().sources[0]!;
      expect(list).not.toBe(null);
      const held = listed.filter((name) => isHit(blocklist.test(name)));
      // Nothing stored is lost, and only the newest entries may be missing.
      expect(held).toEqual(listed.slice(0, held.length));
      expect(held.length).toBeGreaterThanOrEqual(Math.max(stored, listed.length - 3));
      stored = held.length;
      expect(damages).toEqual([]);
      // The last acknowledged list is there, or a later one.
      const found = said.lastIndexOf(`list ${list!.snapshotToken} ${list!.recentToken} true`);
      expect([-1, said.length - 1]).toContain(found);
      await blocklist.close();
    }
    await own.service.close();
  });
});

describe('several processes on one folder', () => {
  test('lose no recents if theirs differ under one snapshot', async () => {
    const directory = next();
    const rounds = isDeep ? 25 : 5;
    const children = [1, 2, 3].map((id) => start(directory, { kind: 'recents', id, rounds }));
    for (const child of children) expect(await child.ended).toBe(0);
    const blocklist = createBlocklist({ sources: [awaySource()], store: fileStore({ directory, ...fast }), pollMs: 0 });
    const events = heard(blocklist, 'damaged', 'error');
    await blocklist.ready();
    expect(events).toEqual([]);
    const lost: string[] = [];
    for (const [at, child] of children.entries()) {
      expect(child.lines).toHaveLength(rounds);
      for (let round = 1; round <= rounds; round++) {
        const name = recentOf(at + 1, round);
        if (!isHit(blocklist.test(name))) lost.push(name);
        if (round % 5 === 0) expect(blocklist.test(`${at + 1}-${round}.override.example`)).toMatchObject({ reason: 'override' });
      }
    }
    expect(lost).toEqual([]);
    expect(isHit(blocklist.test(shared))).toBe(true);
    await blocklist.close();
  });
});

describe('a failing disk', () => {
  const failures = {
    'is full': { code: 'ENOSPC', calls: /^(write|writeFile|sync)$/, told: 'STORE_FULL' },
    'can only be read': { code: 'EROFS', calls: /^(write|writeFile|link|rename|unlink|mkdir)$/, told: 'STORE_UNAVAILABLE' },
    'belongs to another user': { code: 'EACCES', calls: /./, told: 'STORE_UNAVAILABLE' },
    'has no files left to open': { code: 'EMFILE', calls: /^(open|readdir|readFile)$/, told: 'STORE_UNAVAILABLE' },
  } as const;

  test.each(Object.entries(failures))(
    '%s: the list in memory protects, the failure is reported, and everything is stored when the disk recovers',
    async (_, failure) => {
      let isBroken = false;
      const directory = copyOfBefore();
      const fileSystem = watchedFileSystem(async ({ name, run }) => {
        if (isBroken && failure.calls.test(name) && name !== 'close') throw systemError(failure.code);
        return run();
      });
      const clock = { nowMs: Date.now() };
      const store = fileStore({ directory, fileSystem, ...fast });
      const source = ownSource({ snapshot: ['one.example'], recentToken: 'r1', id: 'own' });
      const blocklist = createBlocklist({ sources: [source], store, pollMs: 0, now: () => clock.nowMs });
      await blocklist.ready();
      const errors = heard(blocklist, 'error');
      isBroken = true;
      for (let round = 2; round < 5; round++) {
        Object.assign(source.list, { recentToken: `r${round}`, recent: [`recent-${round}.example`] });
        clock.nowMs = Math.max(clock.nowMs + 1, blocklist.nextSyncAtMs);
        expect(await blocklist.syncDue()).toMatchObject({ outcome: 'updated' });
        expect(blocklist.status().sources[0]).toMatchObject({ isStored: false, list: { recentCount: round - 1 } });
        expect(await blocklist.check(`recent-${round}.example`)).toMatchObject({ status: 'blocked' });
        expect(await blocklist.check('one.example')).toMatchObject({ status: 'blocked' });
        await expect(blocklist.block(`mine-${round}.example`)).rejects.toMatchObject({ code: failure.told });
        expect(blocklist.test(`mine-${round}.example`)).toMatchObject({ reason: 'override' });
      }
      expect(errors.length).toBeGreaterThanOrEqual(3);
      for (const { where, error } of errors) expect({ where, code: error.code }).toEqual({ where: 'store', code: failure.told });
      isBroken = false;
      // A write that was running when the disk recovered may still fail.
      await healed(blocklist, clock);
      errors.length = 0;
      await healed(blocklist, clock);
      await blocklist.allow('fine.example');
      expect(blocklist.status().sources[0]).toMatchObject({ isStored: true });
      expect(errors).toEqual([]);
      await blocklist.close();
      const again = createBlocklist({ sources: [cutOff(source)], store: fileStore({ directory, ...fast }), pollMs: 0 });
      await again.ready();
      for (const name of ['one.example', 'recent-2.example', 'recent-3.example', 'recent-4.example'])
        expect(isHit(again.test(name))).toBe(true);
      for (const round of [2, 3, 4]) expect(again.test(`mine-${round}.example`)).toMatchObject({ reason: 'override' });
      await again.close();
    },
  );

  test.each(Object.entries(failures))('%s at the start: the client fetches a list that protects', async (_, failure) => {
    const fileSystem = watchedFileSystem(async ({ name, run }) => {
      if (failure.calls.test(name) && name !== 'close') throw systemError(failure.code);
      return run();
    });
    const store = fileStore({ directory: next(), fileSystem, ...fast });
    const blocklist = createBlocklist({ baseUrl: url, apiKey: service.key, store, pollMs: 0 });
    const errors = heard(blocklist, 'error');
    await blocklist.ready();
    expect(errors.map(({ where }) => where)).toContain('store');
    expect(await blocklist.check('old-0.example')).toMatchObject({ status: 'blocked', reason: 'confirmed' });
    expect(await blocklist.sync()).toMatchObject({ outcome: 'unchanged' });
    expect(blocklist.status().sources[0]).toMatchObject({ isStored: false, failures: 0 });
    await blocklist.close();
  });

  test.each(['ENOSPC', 'EROFS'] as const)('%s permanently: a stored list answers without a network', async (code) => {
    const fileSystem = watchedFileSystem(async ({ name, run }) => {
      if (/^(write|writeFile|link|rename|unlink)$/.test(name)) throw systemError(code);
      return run();
    });
    const store = fileStore({ directory: copyOfBefore(), fileSystem, ...fast });
    const blocklist = createBlocklist({ sources: [awaySource(url)], store, pollMs: 0, now: () => Date.now() + 6 * minuteMs });
    await blocklist.ready();
    expect(await blocklist.sync()).toMatchObject({ outcome: 'failed' });
    expect(oldNames.filter((name) => !isHit(blocklist.test(name)))).toEqual([]);
    expect(await blocklist.check('old-0.example')).toMatchObject({ status: 'blocked', reason: 'confirmed-earlier' });
    expect(blocklist.test('fine.example').status).toBe('clear');
    await blocklist.close();
  });

  test('belongs to another user: that user’s process fetches a list and protects', async () => {
    if (process.getuid?.() !== 0) {
      // Only root can change the user; a folder without permissions has the same effect.
      const directory = copyOfBefore();
      chmodSync(directory, 0);
      const child = start(directory, { kind: 'user', ...access, userId: process.getuid!() });
      expect(await child.ended).toBe(0);
      chmodSync(directory, 0o700);
      return expect(child.lines).toContain('check blocked');
    }
    const directory = copyOfBefore();
    const child = start(directory, { kind: 'user', ...access, userId: 65_534 });
    expect(await child.ended).toBe(0);
    expect(child.lines).toEqual(expect.arrayContaining(['outcome unchanged', 'check blocked', 'closed']));
    expect(child.lines.some((line) => line.startsWith('error store STORE_UNAVAILABLE'))).toBe(true);
    expect(await startsWhole(directory)).toMatchObject({ count: 20 });
  });
});
