import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PortcullisError } from 'portcullis';
import { memoryStore } from 'portcullis/stores';
import { fileStore } from 'portcullis/stores/file';
import { describe, expect, onTestFinished, test } from 'vitest';
import { away, dayMs, fails, heard, hourMs, listing, minuteMs, opened } from './harness.js';
import { ownSource } from './own-source.js';

function folder(): string {
  const directory = mkdtempSync(join(tmpdir(), 'portcullis-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

const refused = (retryAfterMs: number): (() => never) =>
  fails(new PortcullisError('INTERNAL_SERVER_ERROR', 'busy', { status: 503, retryAfterMs }));

test.each([
  ['truncated', (path: string) => truncateSync(path, 3)],
  ['deleted', (path: string) => rmSync(path)],
])(
  'a list that is lost is fetched at once when its files are %s, even if the source asked for a pause after the round before',
  async (_, harm) => {
    const directory = folder();
    const first = await listing({ minWaitMs: 6 * hourMs }, { store: fileStore({ directory }) });
    await first.blocklist.close();
    for (const name of readdirSync(directory)) if (/^(head|value-own\+base)/.test(name)) harm(join(directory, name));
    const { blocklist } = opened({ sources: [first.source], store: fileStore({ directory }) });
    await blocklist.check('localhost');
    expect(blocklist.test('evil.example').reason).toBe('no-list');
    expect(blocklist.nextSyncAtMs).toBe(0);
    expect((await blocklist.sync()).outcome).toBe('updated');
    expect(blocklist.test('evil.example').status).toBe('unconfirmed');
  },
);

test('stored sets keep their contents while neither the clock nor random changes', async () => {
  const store = memoryStore();
  const source = ownSource({ whole: true, recentToken: 'r1' });
  const start = () => opened({ sources: [source], store, random: () => 0.5 }).blocklist;
  const names = ['a.example', 'b.example', 'c.example', 'd.example', 'e.example'];
  for (let round = 0; round < 5; round++) {
    const [a, b, c, d, e] = names.map((_, at) => names[(at + round) % 5]!) as [string, string, string, string, string];
    Object.assign(source.list, { snapshotToken: `s${round}`, recentToken: `r${round}` });
    Object.assign(source.list, { snapshot: [a, b, d], recent: [c, d], remove: [b], allow: [d] });
    const writer = start();
    expect((await writer.sync()).outcome).toBe('updated');
    await writer.close();
    const reader = start();
    await reader.check('localhost');
    const statuses = [a, b, c, d, e].map((name) => reader.test(name).status);
    expect(statuses).toEqual(['blocked', 'clear', 'blocked', 'allowed', 'clear']);
    await reader.close();
  }
});

test('a head that cannot be read costs only this head, and the list before it answers', async () => {
  const directory = folder();
  const { source, blocklist } = await listing({}, { store: fileStore({ directory }) });
  Object.assign(source.list, { snapshotToken: 's2', snapshot: ['evil.example', 'new.example'] });
  await blocklist.sync();
  await blocklist.close();
  const newest = readdirSync(directory)
    .filter((name) => name.startsWith('head-own'))
    .sort()
    .at(-1)!;
  rmSync(join(directory, newest));
  mkdirSync(join(directory, newest));
  source.before = away;
  const again = opened({ sources: [source], store: fileStore({ directory }) });
  const damages = heard(again.blocklist, 'damaged');
  const errors = heard(again.blocklist, 'error');
  await again.blocklist.check('localhost');
  expect(damages.map(({ name }) => name)).toEqual(['own/head']);
  expect(errors).toEqual([]);
  expect(again.blocklist.test('evil.example').status).toBe('unconfirmed');
  source.before = () => {};
  expect((await again.blocklist.sync()).outcome).toBe('updated');
  expect(again.blocklist.test('new.example').status).toBe('unconfirmed');
  expect(again.blocklist.status().sources[0]!.isStored).toBe(true);
});

test('a list stored under a clock a year ahead becomes stale offline', async () => {
  const store = memoryStore();
  const { source, blocklist, clock } = await listing({}, { store });
  const realMs = clock.nowMs - 365 * dayMs;
  await blocklist.close();
  source.before = away;
  for (const days of [0, 0.5, 1.5]) {
    const again = opened({ sources: [source], store, now: () => realMs + days * dayMs });
    expect(await again.blocklist.check('fine.example')).toMatchObject(
      days > 1 ? { status: 'unknown', reason: 'list-stale' } : { status: 'clear' },
    );
    await again.blocklist.close();
  }
});

test('a first start believes the pause that an error asks for, spread by a fifth', async () => {
  for (const random of [0, 0.999]) {
    const source = ownSource();
    source.before = refused(minuteMs);
    const { blocklist, clock } = opened({ sources: [source], random: () => random });
    await blocklist.sync();
    const waitMs = blocklist.nextSyncAtMs - clock.nowMs;
    expect(waitMs).toBeGreaterThanOrEqual(minuteMs);
    expect(waitMs).toBeLessThanOrEqual(1.2 * minuteMs);
  }
});

describe('a store that is slow to open', () => {
  /** A stored list behind a store that needs this long to open. */
  async function slow(openMs: number, options: Parameters<typeof opened>[0] = {}) {
    const store = memoryStore();
    const { source, blocklist } = await listing({}, { store });
    await blocklist.close();
    const late = { ...store, open: async () => sleep(openMs).then(() => store.open()) };
    return opened({ sources: [source], store: late, ...options }).blocklist;
  }

  test('is waited for within the deadline, and the listed host is blocked', async () => {
    const blocklist = await slow(200);
    expect(await blocklist.check('evil.example')).toMatchObject({ status: 'blocked', action: 'block' });
  });

  test('is loading until then, which is neither clear nor without a list', async () => {
    const blocklist = await slow(60, { deadlineMs: 0 });
    const loading = { status: 'unknown', reason: 'loading', action: 'warn' };
    expect(blocklist.test('evil.example')).toMatchObject(loading);
    expect(await blocklist.check('evil.example')).toMatchObject(loading);
    await blocklist.check('evil.example', { deadlineMs: 5_000 });
    expect(blocklist.test('evil.example').status).toBe('blocked');
    expect(blocklist.test('fine.example').status).toBe('clear');
  });

  test('gets the action of the policy for loading, and not that for unknown', async () => {
    for (const loading of ['allow', 'block'] as const) {
      const blocklist = await slow(60, { deadlineMs: 0, policy: { loading, unknown: 'warn' } });
      expect(blocklist.test('evil.example').action).toBe(loading);
    }
  });
});
