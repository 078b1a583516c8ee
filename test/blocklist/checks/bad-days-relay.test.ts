import { hashOf, PrefixSet } from 'portcullis';
import { serviceSource } from 'portcullis/sources';
import { memoryStore } from 'portcullis/stores';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { toHex } from '../../../src/core/bytes.js';
import { encodeArtifact } from '../../../src/core/prefixes/artifact.js';
import { relaying } from '../sources/harness.js';
import {
  between,
  confirmed,
  healed,
  isHit,
  listOf,
  newWorld,
  noStrayRejections,
  oldNames,
  opened,
  type World,
} from './bad-days-harness.js';
import { dayMs, heard, hourMs, minuteMs } from './harness.js';

noStrayRejections();

/** An address without a server: a port that was just closed. */
async function nowhere(): Promise<string> {
  const { service, url } = await newWorld();
  await service.close();
  return url;
}

async function begin() {
  const world = await newWorld();
  onTestFinished(() => world.service.close());
  return world;
}

describe('a client that starts offline', () => {
  test('is ready without a stored list, answers unknown, and recovers when the network is back', async () => {
    const world = await begin();
    const away = await nowhere();
    let isAway = true;
    const fetchOrNot = (url: string, init?: object) => fetch(isAway ? url.replace(world.url, away) : url, init);
    const blocklist = opened(world.clock, { baseUrl: world.url, apiKey: world.service.key, fetch: fetchOrNot });
    await blocklist.ready();
    expect(await blocklist.check('old-0.example')).toMatchObject({ status: 'unknown', reason: 'no-list', action: 'allow' });
    expect(blocklist.status().sources[0]).toMatchObject({ list: null, failures: 1, lastError: { code: 'NETWORK' } });
    expect(blocklist.nextSyncAtMs - world.clock.nowMs).toBe(5_000);
    isAway = false;
    await healed(blocklist, world.clock);
    for (const name of oldNames) expect(await blocklist.check(name)).toMatchObject({ status: 'blocked', reason: 'confirmed' });
  });

  test('blocks confirmed hits of a stored list, warns about other hits, and answers clear only while the list is fresh', async () => {
    const world = await begin();
    const store = memoryStore();
    await store.open();
    const online = opened(world.clock, { baseUrl: world.url, apiKey: world.service.key, store });
    await online.ready();
    expect(await online.check('old-0.example')).toMatchObject({ reason: 'confirmed' });
    await online.close();
    await world.service.close();

    const offline = opened(world.clock, { baseUrl: world.url, apiKey: world.service.key, store });
    await offline.ready();
    expect(await offline.sync()).toMatchObject({ outcome: 'failed' });
    expect(await offline.check('old-0.example')).toMatchObject({ status: 'blocked', reason: 'confirmed' });
    expect(await offline.check('old-1.example')).toMatchObject({ status: 'unconfirmed', reason: 'offline', action: 'warn' });
    expect(await offline.check('fine.example')).toMatchObject({ status: 'clear' });
    world.clock.nowMs += 25 * hourMs;
    await offline.syncDue();
    expect(await offline.check('fine.example')).toMatchObject({ status: 'unknown', reason: 'list-stale' });
    expect(await offline.check('old-0.example')).toMatchObject({ status: 'blocked', reason: 'confirmed-earlier' });
    world.clock.nowMs += 7 * dayMs;
    expect(await offline.check('old-0.example')).toMatchObject({ status: 'unconfirmed' });
  });
});

test('a relay provides the same list and verdicts as the service without a key, and passes on the calibration', async () => {
  const world = await begin();
  const baseUrl = await relaying(world.url, { apiKey: world.service.key, versionTtlMs: 1_000 });
  const blocklist = opened(world.clock, { baseUrl });
  await blocklist.ready();
  for (const name of oldNames) expect(await blocklist.check(name)).toMatchObject({ status: 'blocked', reason: 'confirmed' });
  expect(blocklist.test('fine.example').status).toBe('clear');
  await world.service.close();
  world.clock.nowMs += 6 * minuteMs;
  expect(await blocklist.check('old-0.example')).toMatchObject({ status: 'blocked' });
  expect(await blocklist.sync()).toMatchObject({ sources: [{ source: 'service' }] });
  expect(oldNames.filter((name) => !isHit(blocklist.test(name)))).toEqual([]);
});

type Lie = (path: string, answer: Response) => Promise<Response>;

/** A version answer with one part replaced. */
const version = (change: (document: Record<string, Record<string, unknown>>) => void): Lie => {
  return async (path, answer) => {
    if (!path.endsWith('/version')) return answer;
    const document = (await answer.json()) as Record<string, Record<string, unknown>>;
    change(document);
    return Response.json(document);
  };
};

const snapshot = (change: object): Lie => version((document) => Object.assign(document['snapshot']!, change));
const named = (algoVersion: string): Lie => version((document) => Object.assign(document, { algoVersion }));

/** A snapshot with other entries. */
const instead = (entries: readonly number[], algorithm = 'portcullis-1'): Lie => {
  const bytes = encodeArtifact(PrefixSet.from(entries), { encoding: 'portcullis', algorithm });
  return async (path, answer) => (path.startsWith('/blocklist/snapshot') ? new Response(bytes as BodyInit) : answer);
};
const both = (one: Lie, other: Lie): Lie => {
  return async (path, answer) => other(path, await one(path, answer));
};

/** False answers about the list. */
const liesOfLists: Readonly<Record<string, Lie>> = {
  'an empty snapshot': instead([]),
  'an empty snapshot with the count to it': both(snapshot({ count: 0 }), instead([])),
  'an empty snapshot with the same token as the good one': both(snapshot({ count: 0, token: 'again' }), instead([])),
  'a snapshot of other entries under another algorithm’s name': instead([...Array(20).keys()], 'theirs-9'),
  'too high a count': snapshot({ count: 2_000_000 }),
  'too low a count': snapshot({ count: 1 }),
  'a negative count': snapshot({ count: -1 }),
  'a checksum that is not the file’s': snapshot({ sha256: '0'.repeat(64) }),
  'a token that is not a string': snapshot({ token: { a: 1 } }),
  'files on a machine inside the network': snapshot({ url: 'http://192.0.2.1/blocklist/snapshot' }),
  'an unknown algorithm': named('theirs-9'),
  'an algorithm named like a property of every object': named('__proto__'),
  'recents without a token': version(({ recent }) => Object.assign(recent!, { token: null })),
};

describe('a lying relay', () => {
  let world: World;
  let atFirst: { readonly state: Awaited<ReturnType<World['service']['snapshot']>>; readonly nowMs: number };

  beforeAll(async () => {
    world = await newWorld();
    atFirst = { state: world.service.snapshot(), nowMs: world.clock.nowMs };
    return () => world.service.close();
  });

  async function lyingAbout(lie: () => Lie | null) {
    await world.service.restore(atFirst.state);
    world.clock.nowMs = atFirst.nowMs;
    const url = await between(world.service, async (path, honest) => {
      const lying = lie();
      return lying === null ? honest() : lying(path, await honest());
    });
    const source = serviceSource({ baseUrl: url, now: () => world.clock.nowMs });
    const blocklist = opened(world.clock, { sources: [source], random: () => 0.5 });
    return { world, blocklist };
  }

  test.each(Object.entries(liesOfLists))('changes nothing if it lies about the list: %s', async (_, lie) => {
    let lying: Lie | null = null;
    const { world, blocklist } = await lyingAbout(() => lying);
    await blocklist.ready();
    const before = listOf(blocklist);
    expect(before).toMatchObject({ count: 20 });
    // The client is offered another snapshot, with this content.
    await world.block('new.example');
    await world.service.publish();
    lying = lie;
    expect(await blocklist.sync()).toMatchObject({ outcome: 'failed' });
    expect(listOf(blocklist)).toEqual(before);
    for (const name of oldNames) expect(await blocklist.check(name)).toMatchObject({ status: 'blocked' });
    lying = null;
    await healed(blocklist, world.clock);
    expect(await blocklist.check('new.example')).toMatchObject({ status: 'blocked' });
  });

  const hashesOf: Readonly<Record<string, (prefix: string) => unknown>> = {
    'hashes of other entries': () => [toHex(hashOf('other.example'))],
    'hashes that are too short': () => ['00'],
    'objects instead of hashes': () => [{ hash: 1 }],
    'a string instead of a list': () => 'yes',
  };

  test.each(Object.entries(hashesOf))('leaves the hit unconfirmed if it lies about hits: %s', async (_, lie) => {
    let lying: Lie | null = null;
    const { world, blocklist } = await lyingAbout(() => lying);
    await blocklist.ready();
    expect(await blocklist.check('old-0.example')).toMatchObject({ reason: 'confirmed' });
    world.clock.nowMs += 6 * minuteMs;
    lying = async (path, answer) => {
      if (!path.endsWith('/confirm')) return answer;
      const { hashes } = (await answer.json()) as { hashes: Record<string, unknown> };
      return Response.json({ hashes: Object.fromEntries(Object.keys(hashes).map((prefix) => [prefix, lie(prefix)])) });
    };
    expect(await blocklist.check('old-1.example')).toMatchObject({ status: 'unconfirmed', reason: 'bad-answer', action: 'warn' });
    expect(await blocklist.check('old-0.example')).toMatchObject({ status: 'blocked', reason: 'confirmed-earlier' });
    expect(blocklist.status().sources[0]!.confirm).toMatchObject({ isPaused: true, failures: 1 });
    lying = null;
    world.clock.nowMs += minuteMs;
    for (const name of ['old-0.example', 'old-1.example']) await confirmed(blocklist, name, world.clock);
  });

  test('does not make the list younger by repeating old tokens', async () => {
    let frozen: string | null = null;
    const { world, blocklist } = await lyingAbout(() => async (path, answer) => {
      if (frozen === null || !path.endsWith('/version')) return answer;
      return new Response(frozen, { headers: { 'content-type': 'application/json' } });
    });
    await blocklist.ready();
    const frozenEvents = heard(blocklist, 'frozen');
    frozen = await (await fetch(`${world.url}/asset/blocklist/version`, { headers: { 'x-api-key': world.service.key } })).text();
    await world.block('new.example');
    for (let round = 0; round < 3; round++) {
      world.clock.nowMs += 13 * hourMs;
      await blocklist.syncDue();
    }
    expect(frozenEvents).toHaveLength(1);
    frozen = null;
    await healed(blocklist, world.clock);
    expect(await blocklist.check('new.example')).toMatchObject({ status: 'blocked' });
  });
});
