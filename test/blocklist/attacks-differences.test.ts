import type { Blocklist } from 'portcullis';
import { type BuildOptions, type BuiltList, buildList, signList } from 'portcullis/publish';
import { signerOf } from 'portcullis/sources';
import { beforeAll, describe, expect, test } from 'vitest';
import { attackedHost, type Files, jsonBytes, type Lists, makeLists, mondayMs, versionIn } from './attack-host.js';
import { dayMs } from './engine/harness.js';
import { filesOf, hasty, shardWith } from './sources/harness.js';

/** Attacks on what a client fetches instead of a snapshot, and on the number of shards (docs/security.md). */

const others = Array.from({ length: 600 }, (_, at) => `other-${at}.example`);
const blocked = { status: 'blocked', reason: 'confirmed' } as const;

let lists: Lists;
/** What changed from Monday's list to that of an attacker. */
let foreignDifference: Uint8Array;

beforeAll(async () => {
  const small = await makeLists();
  const signer = await signerOf(small.keys.privateKey);
  const build = (hosts: readonly string[], day: number, options: BuildOptions): Promise<BuiltList> =>
    buildList([...hosts, ...others], {
      listName: 'hosts',
      isPublicSuffix: () => false,
      hotEntries: 0,
      now: () => mondayMs + day * dayMs,
      ...options,
    });
  const sign = async (list: BuiltList, day: number): Promise<Files> =>
    filesOf(await signList(list, { signers: [signer], now: () => mondayMs + day * dayMs }));
  const monday = await build(['evil.example', 'old.example'], 0, { shards: 16 });
  const tuesday = await build(['evil.example', 'new.example'], 1, { shards: 256, previous: monday });
  const forged = await build(['good.example'], 1, { shards: 256, previous: monday });
  lists = { ...small, monday: await sign(monday, 0), tuesday: await sign(tuesday, 1), forged: filesOf(forged) };
  foreignDifference = lists.forged.get(differenceIn(lists.forged))!;
});

const differenceIn = (files: Files): string => (versionIn(files)['differences'] as { url: string }).url;
const held = (blocklist: Blocklist) => blocklist.status().sources[0]!;

describe.each([
  ['without a key', false],
  ['with a key', true],
])('%s', (_, isSigned) => {
  /** A client with the list of Monday, on a host that now has the one of Tuesday. */
  async function onTuesday(options = {}) {
    const host = await attackedHost(lists, isSigned);
    host.serve(lists.monday);
    host.clock.nowMs = mondayMs;
    const blocklist = host.client(options);
    await blocklist.ready();
    expect(held(blocklist).lastError).toBeNull();
    host.clock.nowMs += dayMs;
    host.serve(lists.tuesday);
    const before = host.requests.length;
    const asked = (): string[] =>
      host.requests
        .slice(before)
        .map(({ url }) => url.slice(1))
        .filter((name) => /^(diff|snap)/.test(name));
    return { ...host, blocklist, before, asked };
  }

  async function hasTuesday(blocklist: Blocklist): Promise<void> {
    expect(held(blocklist)).toMatchObject({ lastError: null, list: { sequence: mondayMs + dayMs } });
    for (const host of ['evil.example', 'new.example']) expect(await blocklist.check(host)).toMatchObject(blocked);
    for (const host of ['old.example', 'good.example']) expect(await blocklist.check(host)).toMatchObject({ status: 'clear' });
  }

  test('a difference brings the list with its order, which a rollback cannot undo, even after a restart', async () => {
    const { blocklist, asked, serve, client } = await onTuesday();
    await blocklist.sync();
    expect(asked()).toEqual([differenceIn(lists.tuesday)]);
    await hasTuesday(blocklist);
    serve(lists.monday);
    await blocklist.sync();
    expect(held(blocklist).lastError?.code).toBe('OLDER_LIST');
    await blocklist.close();
    const again = client();
    await again.ready();
    await again.sync();
    expect(held(again)).toMatchObject({ lastError: { code: 'OLDER_LIST' }, list: { sequence: mondayMs + dayMs } });
    expect(again.test('new.example').status).not.toBe('clear');
    expect(asked()).toEqual([differenceIn(lists.tuesday)]);
  });

  test.each(['another list', 'endless', 'missing', 'slow'])('a difference that is %s: the snapshot is fetched', async (fault) => {
    const { blocklist, asked, answer, put } = await onTuesday(fault === 'slow' ? hasty : {});
    const name = differenceIn(lists.tuesday);
    if (fault === 'another list') put(name, foreignDifference);
    else if (fault === 'missing') answer(name, { status: 404 });
    else answer(name, { fault: fault === 'slow' ? 'hang' : 'endless' });
    await blocklist.sync();
    expect(asked()).toEqual([name, versionIn(lists.tuesday).snapshot.url]);
    await hasTuesday(blocklist);
  });

  test('a difference from the newest list to an older one: is not even fetched', async () => {
    const { blocklist, asked, serve, put } = await onTuesday();
    await blocklist.sync();
    await hasTuesday(blocklist);
    serve(lists.monday);
    const [from, to] = [lists.tuesday, lists.monday].map((files) => /-(\w+)\./.exec(versionIn(files).snapshot.url)![1]);
    const url = `difference-${from}-${to}.bin`;
    put(url, foreignDifference);
    put('version.json', jsonBytes({ ...versionIn(lists.monday), differences: { url } }));
    await blocklist.sync();
    expect(held(blocklist)).toMatchObject({ lastError: { code: 'OLDER_LIST' }, list: { sequence: mondayMs + dayMs } });
    expect(asked()).toEqual([differenceIn(lists.tuesday)]);
  });

  test('a hit is confirmed although the list has been published with another number of shards since', async () => {
    const { blocklist, requests, before } = await onTuesday();
    expect(await blocklist.check('evil.example')).toMatchObject(blocked);
    const names = requests.slice(before).map(({ url }) => url.replace(/[\da-f]{16}/, '…'));
    // The sums of Monday are gone.
    expect(names).toEqual(['/sums-….bin', '/version.json', '/sums-….bin', '/sums-….bin', '/confirm/9c-….bin']);
  });
});

test('with a key, another number of shards outside of the signature changes nothing', async () => {
  const { client, put, requests } = await attackedHost(lists, true);
  put('version.json', jsonBytes({ ...versionIn(lists.tuesday), shards: 1 }));
  const blocklist = client();
  await blocklist.ready();
  expect(await blocklist.check('evil.example')).toMatchObject(blocked);
  expect(requests.map(({ url }) => url)).toContain(`/${shardWith('evil.example', lists.tuesday.keys())}`);
});
