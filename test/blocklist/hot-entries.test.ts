import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { type Blocklist, hashOf } from 'portcullis';
import { type BuildOptions, type BuiltList, buildList, signList } from 'portcullis/publish';
import { ed25519, publishedSource, WholeHashes } from 'portcullis/sources';
import { beforeAll, describe, expect, test } from 'vitest';
import { propertyRuns } from '../support/setup.js';
import { attackedHost, type Files, type Lists, makeLists, mondayMs, versionIn } from './attack-host.js';
import { dayMs, heard, hourMs } from './engine/harness.js';
import { engines } from './light/engines.js';
import { codeOf, filesOf, hasty, hexOf, hostFaults } from './sources/harness.js';

const { timeoutMs, artifactTimeoutMs } = hasty;
/** One of each kind. */
const someFaults = hostFaults
  .filter(([name]) => /hangs|truncates|endless|404|503|login/.test(name))
  .map(([name, answer]) => [name, answer] as const);

/** The newest entries, whose whole hashes come with the recent entries: their hits need no question. */

const listed = { status: 'blocked', reason: 'listed' } as const;
const confirmed = { status: 'blocked', reason: 'confirmed' } as const;
const unconfirmed = { status: 'unconfirmed', action: 'warn' } as const;

interface Days {
  readonly tuesday: Files;
  /** Without what Tuesday brought. */
  readonly wednesday: Files;
  readonly lists: readonly BuiltList[];
}

let lists: Lists;
let days: Days;

async function makeDays({ signer }: Lists): Promise<Days> {
  const build = (hosts: readonly string[], day: number, previous?: BuiltList): Promise<BuiltList> => {
    const own: BuildOptions = { listName: 'hosts', isPublicSuffix: () => false, maxSnapshotAgeMs: 7 * dayMs };
    return buildList([...hosts], { ...own, previous, now: () => mondayMs + day * dayMs });
  };
  const monday = await build(['evil.example', 'old.example'], 0);
  const tuesday = await build(['evil.example', 'old.example', 'new.example', 'newest.example'], 1, monday);
  const wednesday = await build(['evil.example', 'old.example', 'newest.example'], 2, tuesday);
  const sign = async (list: BuiltList, day: number): Promise<Files> =>
    filesOf(await signList(list, { signers: [signer], now: () => mondayMs + day * dayMs }));
  return { tuesday: await sign(tuesday, 1), wednesday: await sign(wednesday, 2), lists: [monday, tuesday, wednesday] };
}

beforeAll(async () => {
  lists = await makeLists();
  days = await makeDays(lists);
});

const hotIn = (files: Files): string => (versionIn(files)['hot'] as { url: string }).url;

describe.each(engines.flatMap((engine) => [[engine, 'without a key', false] as const, [engine, 'with a key', true] as const]))(
  'the %s engine, %s',
  (engine, _, isSigned) => {
    async function onTuesday(options = {}, change?: (host: Awaited<ReturnType<typeof attackedHost>>) => void) {
      const host = await attackedHost(lists, isSigned, engine);
      host.serve(days.tuesday);
      change?.(host);
      const blocklist = host.client(options);
      await blocklist.ready();
      expect(blocklist.status().sources[0]).toMatchObject({ lastError: null });
      return { ...host, blocklist };
    }
    const askedFor = (requests: readonly { readonly url: string }[]): number =>
      requests.filter(({ url }) => url.includes('confirm')).length;
    const noShards = (host: Awaited<ReturnType<typeof attackedHost>>): void => {
      for (const name of [...host.files.keys()]) if (/confirm|sums/.test(name)) host.files.delete(name);
    };

    test('blocks a new entry without a question, and asks about an older one', async () => {
      const { blocklist, requests } = await onTuesday();
      expect(blocklist.test('https://new.example/a')).toMatchObject(listed);
      expect(await blocklist.check('newest.example')).toMatchObject(listed);
      expect(askedFor(requests)).toBe(0);
      expect(await blocklist.check('evil.example')).toMatchObject(confirmed);
      expect(askedFor(requests)).toBeGreaterThan(0);
      expect(await blocklist.check('good.example')).toMatchObject({ status: 'clear' });
    });

    test('blocks it offline after a restart', async () => {
      const { blocklist, client, requests } = await onTuesday();
      await blocklist.close();
      const before = requests.length;
      const again = client({ url: 'https://offline.invalid', fetch: () => Promise.reject(new TypeError('offline')) });
      // Another address is another list. The same one is used.
      await again.close();
      const offline = client({ fetch: () => Promise.reject(new TypeError('offline')) });
      await offline.ready();
      expect(offline.test('new.example')).toMatchObject(listed);
      expect(offline.test('evil.example')).toMatchObject(unconfirmed);
      expect(requests).toHaveLength(before);
    });

    test('asks about an entry again as soon as the list does not have it any more', async () => {
      const { blocklist, clock, serve } = await onTuesday();
      clock.nowMs += dayMs;
      serve(days.wednesday);
      await blocklist.sync();
      expect(await blocklist.check('new.example')).toMatchObject({ status: 'clear', reason: 'disproved' });
      expect(blocklist.test('newest.example')).toMatchObject(listed);
    });

    test.each(someFaults)('a host that %s for the hashes: takes the list, and asks about its hits', async (_fault, answer) => {
      const name = hotIn(days.tuesday);
      const bytes = Buffer.from(days.tuesday.get(name)!);
      const { blocklist, requests, clock } = await onTuesday({ timeoutMs, artifactTimeoutMs }, (host) =>
        host.answer(name, answer(bytes)),
      );
      expect(blocklist.test('new.example')).toMatchObject(unconfirmed);
      expect(await blocklist.check('new.example')).toMatchObject(confirmed);
      const count = requests.length;
      clock.nowMs += hourMs;
      await blocklist.sync();
      // The version only: the same file would fail again.
      expect(requests.slice(count).map(({ url }) => url)).toEqual(['/version.json']);
    });

    test.each([
      ['flipped bit', (bytes: Uint8Array) => bytes.map((byte, at) => (at === 40 ? byte ^ 1 : byte))],
      ['the hashes of another version', () => days.wednesday.get(hotIn(days.wednesday))!],
      ['too few bytes', (bytes: Uint8Array) => bytes.slice(0, -1)],
      ['nothing', () => new Uint8Array(0)],
    ])('%s instead of the hashes: blocks nothing by them', async (_what, change) => {
      const name = hotIn(days.tuesday);
      const { blocklist } = await onTuesday({}, (host) => {
        noShards(host);
        host.put(name, change(days.tuesday.get(name)!));
      });
      for (const host of ['new.example', 'newest.example']) expect(await blocklist.check(host)).toMatchObject(unconfirmed);
    });

    test.each([
      ['a text', 'none'],
      ['without a checksum', { count: 2, url: 'hot-0123456789abcdef.bin' }],
      ['with too many', { count: 4_097, url: 'hot-0123456789abcdef.bin', sha256: 'a'.repeat(64) }],
      ['with a URL that climbs', { count: 2, url: '../hot.bin', sha256: 'a'.repeat(64) }],
      ['with a URL that must not be fetched', { count: 2, url: 'http://10.0.0.1/hot.bin', sha256: 'a'.repeat(64) }],
    ])('a description of the hashes that is malformed, %s: takes the list without them', async (_what, hot) => {
      const { blocklist } = await onTuesday({}, (host) => {
        host.put('version.json', Buffer.from(JSON.stringify({ ...versionIn(days.tuesday), hot })));
      });
      expect(await blocklist.check('new.example')).toMatchObject(confirmed);
      expect(await blocklist.check('good.example')).toMatchObject({ status: 'clear' });
    });
  },
);

test('other hashes in a store are not those that were signed', async () => {
  const keys = { publicKeys: [lists.keys.publicKey], verifier: ed25519 };
  const source = publishedSource({ url: 'https://list.example', ...keys });
  const [, tuesday, wednesday] = days.lists as readonly [BuiltList, BuiltList, BuiltList];
  const { signed } = versionIn(days.tuesday);
  const parts = { snapshot: tuesday.snapshot, recent: tuesday.recent };
  const reopened = (hot?: Uint8Array): Promise<unknown> => source.reopen!(signed, { ...parts, hot: hot && new WholeHashes(hot) });
  await expect(reopened(tuesday.hot!)).resolves.toMatchObject({ sequence: mondayMs + dayMs });
  await expect(reopened()).resolves.toMatchObject({ sequence: mondayMs + dayMs });
  expect(await codeOf(reopened(wednesday.hot!))).toBe('INVALID_ARTIFACT');
});

test('damaged hashes in a store cost only themselves, until the next round', async () => {
  const host = await attackedHost(lists, true);
  host.serve(days.tuesday);
  await host.client().ready();
  const sum = versionIn(days.tuesday)['hot'] as { sha256: string };
  const [name] = (await host.store.list('')).filter((one) => one.endsWith(sum.sha256.slice(0, 32)));
  const bytes = (await host.store.read(name!))!;
  await host.store.write(
    name!,
    bytes.map((byte, at) => (at === 90 ? byte ^ 1 : byte)),
  );
  const blocklist = host.client();
  const damages = heard(blocklist, 'damaged');
  await blocklist.ready();
  expect(damages).toHaveLength(1);
  expect(blocklist.test('new.example')).toMatchObject(unconfirmed);
  expect(blocklist.test('good.example')).toMatchObject({ status: 'clear' });
  await blocklist.sync();
  expect(blocklist.test('new.example')).toMatchObject(listed);
});

describe('a set of whole hashes', () => {
  const fileOf = (hashes: readonly Uint8Array[]): Uint8Array => {
    const head = Uint8Array.of(0x89, 0x50, 0x43, 0x53, 0x0d, 0x0a, 0x1a, 0x0a, 1, 12, 0, 0, 0, 0, 0, hashes.length);
    return Buffer.concat([head, ...hashes]);
  };
  const hashes = Array.from({ length: 200 }, (_, at) => Buffer.from(hashOf(`h${at}`))).sort(Buffer.compare);

  test('holds its hashes and no other', () => {
    for (const count of [0, 1, 2, 3, 200]) {
      const set = new WholeHashes(fileOf(hashes.slice(0, count)));
      expect(set.size).toBe(count);
      expect(hexOf(set)).toEqual(hashes.slice(0, count).map((hash) => hash.toString('hex')));
      hashes.forEach((hash, at) => {
        expect(set.has(hash)).toBe(at < count);
        const [early, late] = [Buffer.from(hash), Buffer.from(hash)];
        early[0]! ^= 1;
        late[31]! ^= 1;
        expect([early, late].map((other) => set.has(other))).toEqual([false, false]);
      });
    }
  });

  test.each([
    ['out of order', fileOf([hashes[1]!, hashes[0]!])],
    ['with one twice', fileOf([hashes[0]!, hashes[0]!])],
    ['cut off', fileOf(hashes.slice(0, 3)).subarray(0, -5)],
    ['of one shard of many', Buffer.from(fileOf([])).fill(4, 9, 10)],
    ['of another kind', Buffer.alloc(48)],
  ])('refuses a file %s', (_what, bytes) => {
    expect(() => new WholeHashes(bytes)).toThrowError(expect.objectContaining({ code: 'INVALID_ARTIFACT' }));
  });
});

describe('the publisher', () => {
  /** Names come and go; the model knows when each came. */
  const step = fc.record({
    toggled: fc.uniqueArray(fc.nat(40), { maxLength: 8 }),
    hours: fc.nat(20),
    isNew: fc.boolean(),
  });

  test('names the entries that came since the snapshot before the present one', async () => {
    const check = async (steps: readonly { toggled: readonly number[]; hours: number; isNew: boolean }[]): Promise<void> => {
      let previous = await buildList(['base.example'], { isPublicSuffix: () => false, now: () => mondayMs });
      let nowMs = mondayMs;
      const present = new Set<number>();
      /** What each snapshot lacked when its successor was made, and since. */
      let sinceBefore = new Set<number>();
      let inSnapshot = new Set<number>();
      for (const { toggled, hours, isNew } of steps) {
        nowMs += hours * hourMs;
        for (const at of toggled) if (!present.delete(at)) present.add(at);
        const list = await buildList(['base.example', ...[...present].map((at) => `n${at}.example`)], {
          previous,
          snapshot: isNew ? 'new' : 'auto',
          isPublicSuffix: () => false,
          now: () => nowMs,
        });
        const fresh = [...present].filter((at) => !inSnapshot.has(at));
        if (list.newSnapshot === null)
          sinceBefore = new Set([...present].filter((at) => fresh.includes(at) || sinceBefore.has(at)));
        else {
          sinceBefore = new Set(fresh);
          inSnapshot = new Set(present);
        }
        const found = list.hot === null ? [] : hexOf(new WholeHashes(list.hot));
        const expected = [...sinceBefore].map((at) => Buffer.from(hashOf(`n${at}.example`)).toString('hex')).sort();
        expect(found).toEqual(expected);
        const { hot } = list.version;
        expect(hot?.sha256).toBe(list.hot === null ? undefined : createHash('sha256').update(list.hot).digest('hex'));
        const isSame = JSON.stringify({ ...list.version, sequence: 0 }) === JSON.stringify({ ...previous.version, sequence: 0 });
        expect(list.version.sequence > previous.version.sequence).toBe(!isSame);
        previous = list;
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 6 }), check), { numRuns: Math.ceil(propertyRuns / 10) });
  });

  test.each([
    [0, 0],
    [3, 3],
    [256, 8],
  ])('names at most as many as it may: %i', async (hotEntries, count) => {
    const build = (added: number, previous?: BuiltList): Promise<BuiltList> =>
      buildList(['base.example', ...Array.from({ length: added }, (_, at) => `n${at}.example`)], {
        ...{ previous, hotEntries, isPublicSuffix: () => false, now: () => mondayMs },
      });
    const list = await build(8, await build(0));
    expect(list.version.hot?.count ?? 0).toBe(count);
    expect([...list.files].filter(({ name }) => name.startsWith('hot-'))).toHaveLength(count === 0 ? 0 : 1);
  });

  test('leaves out none of the newest, if more are new than may have whole hashes', async () => {
    const build = (hosts: readonly string[], previous?: BuiltList): Promise<BuiltList> =>
      buildList(['base.example', ...hosts], { previous, hotEntries: 5, isPublicSuffix: () => false, now: () => mondayMs });
    const morning = Array.from({ length: 30 }, (_, at) => `m${at}.example`);
    const first = await build(morning, await build([]));
    for (let at = 0; at < 10; at++) {
      const second = await build([...morning, `n${at}.example`], first);
      expect(new WholeHashes(second.hot!).has(hashOf(`n${at}.example`))).toBe(true);
      const same = await build([...morning, `n${at}.example`], second);
      expect([same.hot, same.version.sequence]).toEqual([second.hot, second.version.sequence]);
    }
    // Those of before the snapshot are left out first.
    const kept = await build(
      [...morning.slice(0, 3), 'o1.example', 'o2.example', 'o3.example'],
      await build(morning.slice(0, 3), await build([])),
    );
    expect(new WholeHashes(kept.hot!).size).toBe(5);
    for (const host of ['o1.example', 'o2.example', 'o3.example'])
      expect(new WholeHashes(kept.hot!).has(hashOf(host))).toBe(true);
  });

  test('refuses a previous file of another version', async () => {
    const [, tuesday, wednesday] = days.lists as readonly [BuiltList, BuiltList, BuiltList];
    const previous = { ...tuesday, hot: wednesday.hot };
    expect(await codeOf(buildList(['a.example'], { previous, isPublicSuffix: () => false }))).toBe('INVALID_ARTIFACT');
  });
});

/** What later releases may add. */
test.each(engines.flatMap((engine) => [[engine, 'without a key', false] as const, [engine, 'with a key', true] as const]))(
  'the %s engine, %s, ignores what a later release adds to a document',
  async (engine, _, isSigned) => {
    const host = await attackedHost(lists, isSigned, engine);
    host.serve(await lists.later(days.lists[1]!));
    const blocklist: Blocklist = host.client();
    await blocklist.ready();
    expect(blocklist.status().sources[0]).toMatchObject({ lastError: null, list: { listName: 'hosts' } });
    expect(await blocklist.check('evil.example')).toMatchObject(confirmed);
    expect(await blocklist.check('new.example')).toMatchObject(listed);
    expect(await blocklist.check('good.example')).toMatchObject({ status: 'clear' });
  },
);
