import { handleWebhook, PortcullisError } from 'portcullis';
import { memoryStore } from 'portcullis/stores';
import { expect, test } from 'vitest';
import type { SamplesCall } from '../../../src/blocklist/model/source.js';
import type { Store } from '../../../src/blocklist/model/store.js';
import { around } from './bad-days-contents.js';
import { away, dayMs, held, hourMs, listing, minuteMs, opened, told } from './harness.js';
import { ownSource } from './own-source.js';

/** Bugs found by the models of model*.property.test.ts, each with its smallest input. Here clients poll, as they do by default. */

const polling = { pollMs: 5 * minuteMs };

test('a round that failed soon after a successful one is retried', async () => {
  const { source, blocklist, clock } = await listing({}, polling);
  Object.assign(source.list, { snapshotToken: 's2', snapshot: ['evil.example', 'new.example'] });
  source.before = away;
  await blocklist.sync();
  source.before = () => {};
  expect(await blocklist.syncDue()).toMatchObject({ sources: [] });
  clock.nowMs += 5_000;
  expect(await blocklist.syncDue()).toMatchObject({ outcome: 'updated' });
});

test.each([
  ['at once', 0],
  ['with a clock that went back', -hourMs],
])('overrides and webhook events survive a full disk, %s', async (_, ms) => {
  let isFull = false;
  const store = around(memoryStore(), async (name, run) => {
    if (isFull && /write|commit/.test(name)) throw new PortcullisError('STORE_FULL', 'the disk is full');
    return run();
  });
  const { blocklist, clock } = await listing({ whole: true }, { store, ...polling });
  isFull = true;
  clock.nowMs += ms;
  await handleWebhook(blocklist, told('new.example'));
  await blocklist.sync();
  expect(blocklist.test('new.example')).toMatchObject({ status: 'blocked' });
  expect(blocklist.status().sources[0]).toMatchObject({ isStored: false });
});

test('a webhook during a failing round survives a restart', async () => {
  const source = ownSource({ snapshot: ['evil.example'], whole: true });
  const store = memoryStore();
  await store.open();
  const { blocklist } = opened({ sources: [source], store, ...polling });
  await blocklist.sync();
  source.before = away;
  await Promise.all([blocklist.sync(), handleWebhook(blocklist, told('new.example'))]);
  const again = opened({ sources: [source], store, ...polling });
  expect(await again.blocklist.check('new.example')).toMatchObject({ status: 'blocked' });
});

test('a denial expires when an event names the entry a second time', async () => {
  const { source, blocklist } = await listing({ snapshot: [], recentToken: 'r1', recent: ['evil.example'], confirmed: [] });
  expect(await blocklist.check('evil.example')).toMatchObject({ status: 'clear', reason: 'disproved' });
  source.list.confirmed = ['evil.example'];
  await handleWebhook(blocklist, told('evil.example'));
  expect(await blocklist.check('evil.example')).toMatchObject({ status: 'blocked' });
});

test('two tabs with concurrent webhooks both learn both assets', async () => {
  const source = ownSource({ snapshot: ['evil.example'], whole: true });
  const store = memoryStore();
  await store.open();
  const tabs = [opened({ sources: [source], store }).blocklist, opened({ sources: [source], store }).blocklist] as const;
  await tabs[0].sync();
  await tabs[1].check('localhost');
  await Promise.all([handleWebhook(tabs[0], told('one.example')), handleWebhook(tabs[1], told('two.example'))]);
  for (const tab of tabs) {
    await tab.sync();
    for (const name of ['one.example', 'two.example']) expect(tab.test(name)).toMatchObject({ status: 'blocked' });
  }
});

test('samples that were unavailable at first are requested for the time when the list was first seen', async () => {
  const source = ownSource({ snapshot: ['evil.example'], samples: [] });
  const calls: SamplesCall[] = [];
  source.samples = async (call) => {
    calls.push(call);
    return [];
  };
  const { blocklist, clock } = opened({ sources: [source], ...polling });
  const seenAtMs = clock.nowMs;
  await blocklist.sync();
  clock.nowMs += 5 * dayMs;
  source.list.recentToken = 'r1';
  await blocklist.sync();
  expect(calls.map(({ toMs }) => toMs)).toEqual([seenAtMs - 2 * dayMs, seenAtMs - 2 * dayMs]);
});

test('a webhook during a round that brings a new snapshot is kept', async () => {
  const { source, blocklist } = await listing({ whole: true });
  Object.assign(source.list, { snapshotToken: 's2', snapshot: ['evil.example', 'other.example'] });
  let telling: Promise<unknown> | undefined;
  source.before = async (call) => {
    if (call !== 'snapshot') return;
    telling = handleWebhook(blocklist, told('new.example'));
    await new Promise((resolve) => setTimeout(resolve, 5));
  };
  await blocklist.sync();
  await telling;
  for (const name of ['new.example', 'other.example']) expect(blocklist.test(name)).toMatchObject({ status: 'blocked' });
});

test('keeps the snapshot fetched later when two are stored concurrently', async () => {
  const source = ownSource({ snapshot: ['evil.example'], whole: true });
  const { lock: _, ...store } = memoryStore();
  const { wait, release } = held();
  const write: Store['write'] = async (name, bytes) => {
    if (name.includes('/base/')) await wait();
    return store.write(name, bytes);
  };
  const early = opened({ sources: [source], store: { ...store, write } });
  const syncing = early.blocklist.sync();
  await expect.poll(() => early.blocklist.status().sources[0]?.list?.snapshotToken).toBe('s1');
  Object.assign(source.list, { snapshotToken: 's2', snapshot: ['evil.example', 'other.example'] });
  const late = opened({ sources: [source], store });
  late.clock.nowMs += 1;
  await late.blocklist.sync();
  release();
  await syncing;
  for (const { blocklist } of [early, late]) expect(blocklist.test('other.example')).toMatchObject({ status: 'blocked' });
});
