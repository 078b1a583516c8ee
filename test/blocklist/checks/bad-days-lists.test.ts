import { PrefixSet, prefixOf } from 'portcullis';
import { serviceSource } from 'portcullis/sources';
import { memoryStore } from 'portcullis/stores';
import { describe, expect, onTestFinished, test } from 'vitest';
import { encodeArtifact } from '../../../src/core/prefixes/artifact.js';
import { between, healed, isHit, listOf, newWorld, noStrayRejections, oldNames, opened } from './bad-days-harness.js';
import { heard, hourMs } from './harness.js';
import { ownSource } from './own-source.js';

noStrayRejections();

type Document = Record<string, Record<string, unknown>> & { algoVersion: unknown };

/** A service whose version responses and files a test may change in transit. */
async function begin(algorithms?: Record<string, string>) {
  const world = await newWorld();
  onTestFinished(() => world.service.close());
  const way = {
    version: (document: Document): unknown => document,
    file: async (_: string, answer: Response): Promise<Response> => answer,
    before: async (_: string): Promise<void> => {},
  };
  const url = await between(world.service, async (path, honest) => {
    await way.before(path);
    if (path.startsWith('/blocklist/')) return way.file(path, await honest());
    if (!path.endsWith('/version')) return honest();
    return Response.json(way.version((await (await honest()).json()) as Document));
  });
  const apiKey = world.service.key;
  const source = serviceSource({ baseUrl: url, apiKey, now: () => world.clock.nowMs, ...(algorithms && { algorithms }) });
  const store = memoryStore();
  const blocklist = opened(world.clock, { sources: [source], store, random: () => 0.5 });
  return { ...world, way, blocklist, source, store };
}

describe('tokens that change during the download, over HTTP', () => {
  test('once: the list that is current at the end answers', async () => {
    const { way, blocklist, block, service } = await begin();
    let moves = 1;
    way.before = async (path) => {
      if (!path.startsWith('/blocklist/snapshot') || moves-- <= 0) return;
      await block('moved.example');
      await service.publish();
    };
    await blocklist.ready();
    expect(listOf(blocklist)).toMatchObject({ count: 21 });
    expect(await blocklist.check('moved.example')).toMatchObject({ status: 'blocked' });
  });

  test('every time, with the old files deleted: the held list stays until the tokens stop changing', async () => {
    const { way, blocklist, block, service, clock } = await begin();
    await blocklist.ready();
    const before = listOf(blocklist);
    let moves = 0;
    way.before = async (path) => {
      if (!path.startsWith('/blocklist/snapshot')) return;
      await block(`moved-${moves++}.example`);
      await service.publish();
    };
    await block('new.example');
    await service.publish();
    expect(await blocklist.sync()).toMatchObject({ outcome: 'failed' });
    expect(listOf(blocklist)).toEqual(before);
    expect(oldNames.filter((name) => !isHit(blocklist.test(name)))).toEqual([]);
    way.before = async () => {};
    await healed(blocklist, clock);
    expect(listOf(blocklist)).toMatchObject({ count: 21 + moves });
  });

  test('in the feed alone: the entries already read count, and the next poll reads the rest', async () => {
    const { way, blocklist, block, clock } = await begin();
    await blocklist.ready();
    await block('one.example');
    let moves = 1;
    way.before = async (path) => {
      if (path.startsWith('/blocklist/recent') && moves-- > 0) await block('two.example');
    };
    await healed(blocklist, clock, 1);
    await healed(blocklist, clock, 1);
    for (const name of ['one.example', 'two.example']) expect(await blocklist.check(name)).toMatchObject({ status: 'blocked' });
  });
});

describe('a wrongly mapped algorithm', () => {
  const called = (name: unknown) => (document: Document) => ({ ...document, algoVersion: name });

  test('leaves misses unknown and hits as hits, and a snapshot with the right algorithm recovers', async () => {
    const { way, blocklist, clock, block, service } = await begin({ 9: 'safe-browsing-4' });
    await blocklist.ready();
    expect(listOf(blocklist)).toMatchObject({ algorithm: 'portcullis-1', calibration: { outcome: 'passed' } });
    const mismatches = heard(blocklist, 'mismatch');
    await block('new.example');
    await service.publish();
    way.version = called(9);
    way.file = async (path, answer) => {
      if (!path.startsWith('/blocklist/')) return answer;
      const names = path.startsWith('/blocklist/snapshot') ? [...oldNames, 'new.example'] : [];
      return new Response(encodeArtifact(PrefixSet.from(names.map(prefixOf)), { encoding: 'raw' }) as BodyInit);
    };
    await healed(blocklist, clock);
    expect(mismatches).toMatchObject([{ samples: 20, found: 0 }]);
    expect(blocklist.test('old-0.example')).toMatchObject({ status: 'unknown', reason: 'algorithm-mismatch' });
    way.version = (document) => document;
    way.file = async (_, answer) => answer;
    await healed(blocklist, clock);
    expect(await blocklist.check('new.example')).toMatchObject({ status: 'blocked' });
    expect(blocklist.test('fine.example')).toMatchObject({ status: 'clear' });
  });
});

describe('a list that shrinks to a tenth', () => {
  test('is accepted after three rounds over an hour, also across a restart', async () => {
    const { blocklist, clock, unblock, service, source, store } = await begin();
    await store.open();
    await blocklist.ready();
    await unblock(...oldNames.slice(2));
    await service.publish();
    expect(await blocklist.sync()).toMatchObject({ sources: [{ error: { code: 'SUSPICIOUS_LIST' } }] });
    await blocklist.close();
    clock.nowMs += hourMs / 2;
    const again = opened(clock, { sources: [source], store });
    await again.ready();
    expect(await again.sync()).toMatchObject({ sources: [{ error: { code: 'SUSPICIOUS_LIST' } }] });
    expect(oldNames.filter((name) => !isHit(again.test(name)))).toEqual([]);
    // The source reports at once that the block is lifted.
    expect(await again.check('old-5.example')).toMatchObject({ status: 'clear', reason: 'disproved' });
    clock.nowMs += hourMs / 2;
    await healed(again, clock);
    expect(listOf(again)).toMatchObject({ count: 2 });
  });
});

test('each of a thousand checks during a swap of 200,000 entries uses one generation, and none misses', async () => {
  const names = Array.from({ length: 1_000 }, (_, at) => `evil-${at}.example`);
  const rest = PrefixSet.from(Array.from({ length: 199_000 }, (_, at) => Math.imul(at, 0x9e3779b1) >>> 0));
  const source = ownSource({ confirmed: names });
  const setOf = (more: readonly string[]): PrefixSet => PrefixSet.from([...rest, ...names.map(prefixOf), ...more.map(prefixOf)]);
  const sets: Record<string, PrefixSet> = {
    s1: setOf([]),
    s2: setOf(['two.example']),
    s3: setOf(['two.example', 'three.example']),
  };
  source.artifact = async (part) => ({
    entries: part === 'snapshot' ? sets[source.list.snapshotToken]! : PrefixSet.from([]),
    isProven: false,
  });
  const clock = { nowMs: Date.UTC(2026, 0, 1) };
  const blocklist = opened(clock, { sources: [source], store: memoryStore(), confirm: { prefixesPerMinute: 100_000 } });
  await blocklist.ready();
  const generations = new Set<number | undefined>();
  for (const token of ['s2', 's3']) {
    source.list.snapshotToken = token;
    let isDone = false;
    const syncing = blocklist.sync().finally(() => {
      isDone = true;
    });
    do {
      const verdicts = await Promise.all(names.map((name) => blocklist.check(name)));
      expect(verdicts.filter(({ status }) => status !== 'blocked')).toEqual([]);
      for (const { generation } of verdicts) generations.add(generation);
      // A check answered from memory gives the round no turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
    } while (!isDone);
    expect(await syncing).toMatchObject({ outcome: 'updated' });
    expect(isHit(blocklist.test('two.example'))).toBe(true);
  }
  const last = await Promise.all(names.map((name) => blocklist.check(name)));
  for (const { generation } of last) generations.add(generation);
  expect([...generations].sort()).toEqual([1, 2, 3]);
});
