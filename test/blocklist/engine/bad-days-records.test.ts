import { type Blocklist, createBlocklist, type Store } from 'portcullis';
import { describe, expect, test } from 'vitest';
import { encodeRecord } from '../../../src/blocklist/formats/record.js';
import { isDeep } from '../../support/setup.js';
import { stride } from '../sampling.js';
import { type Contents, copied, noContents, storeOver } from './bad-days-contents.js';
import { confirmed, healed, isHit, noStrayRejections, opened } from './bad-days-harness.js';
import { away, heard } from './harness.js';
import { type OwnSource, ownSource } from './own-source.js';

noStrayRejections();

const clock = { nowMs: Date.UTC(2026, 0, 1) };

const listed = Array.from({ length: 40 }, (_, at) => `evil-${at}.example`);

/** The list as it is finally published; at first it has one entry less. */
const published = (): OwnSource =>
  ownSource({ snapshotToken: 's2', snapshot: listed, recentToken: 'r2', recent: ['new.example'] });

const cutOff = (source: OwnSource): OwnSource => Object.assign(source, { before: away });

/** Stores two lists one after the other, a confirmed hit, a wait and an override. */
async function fill(store: Store): Promise<void> {
  const source = published();
  const final = { ...source.list };
  Object.assign(source.list, { snapshotToken: 's1', snapshot: listed.slice(1), recentToken: 'r1' });
  const blocklist = createBlocklist({ sources: [source], store, pollMs: 0, now: () => clock.nowMs });
  await blocklist.ready();
  await blocklist.allow('fine.example');
  await blocklist.allow('good.evil-5.example');
  Object.assign(source.list, final);
  await blocklist.sync();
  expect((await blocklist.checkMany(['evil-1.example', 'evil-2.example'])).map(({ reason }) => reason)).toEqual([
    'confirmed',
    'confirmed',
  ]);
  cutOff(source);
  await blocklist.sync();
  await blocklist.close();
}

const whole: Contents = noContents();
await fill(storeOver(whole));

/** Loads an older list, or none if `mayBeEmpty`; gives no wrong verdict, and a round recovers everything. */
async function survives(
  store: Store,
  { mayBeEmpty, damaged, isOlder }: { mayBeEmpty: boolean; damaged?: string; isOlder?: boolean },
): Promise<Blocklist> {
  const source = cutOff(published());
  const blocklist = createBlocklist({ sources: [source], store, pollMs: 0, now: () => clock.nowMs, confirm: { timeoutMs: 100 } });
  const damages = heard(blocklist, 'damaged');
  const errors = heard(blocklist, 'error');
  try {
    await blocklist.ready();
    expect(errors.filter(({ where }) => where === 'store')).toEqual([]);
    if (damaged !== undefined) expect(damages.map(({ name }) => name)).toContain(damaged);
    const list = blocklist.status().sources[0]!.list;
    if (list === null) {
      expect(mayBeEmpty).toBe(true);
      expect(blocklist.test('evil-3.example')).toMatchObject({ status: 'unknown', reason: 'no-list' });
    } else {
      expect([39, 40]).toContain(list.count);
      for (const name of listed.slice(1)) if (!isHit(blocklist.test(name))) throw new Error(`${name} is lost`);
      // Of an earlier list it is unknown what has been listed since.
      expect(blocklist.test('nobody.example').status).toBe(list.isStale ? 'unknown' : 'clear');
      if (isOlder !== undefined) expect(list.isStale).toBe(isOlder);
    }
    for (const override of blocklist.overrides()) expect(override.expression).toMatch(/^(fine|good\.evil-5)\.example$/);
    source.before = () => {};
    clock.nowMs = Math.max(clock.nowMs, blocklist.nextSyncAtMs);
    expect(await blocklist.syncDue()).not.toMatchObject({ outcome: 'failed' });
    expect(blocklist.status().sources[0]).toMatchObject({ isStored: true, list: { count: 40, recentCount: 1 } });
    // Damaged overrides are replaced by the next change only.
    if (damaged === 'overrides') await blocklist.allow('fine.example');
    for (const name of ['evil-0.example', 'evil-1.example', 'new.example']) await confirmed(blocklist, name, clock);
  } finally {
    await blocklist.close();
  }
  // The next start finds everything.
  const next = createBlocklist({ sources: [cutOff(published())], store, pollMs: 0, now: () => clock.nowMs });
  const later = heard(next, 'damaged');
  await next.ready();
  expect(later).toEqual([]);
  expect(next.status().sources[0]!.list).toMatchObject({ count: 40, recentCount: 1 });
  expect(next.test('evil-0.example')).toMatchObject({ status: 'blocked', reason: 'confirmed' });
  await next.close();
  return next;
}

/** All kinds of damage: truncations and flipped bits. */
function* damagesOf(bytes: Uint8Array, step = stride(61)): Generator<Uint8Array> {
  for (let length = 0; length < bytes.length; length += step) yield bytes.subarray(0, length);
  for (let at = 0; at < bytes.length; at += step) {
    const flipped = bytes.slice();
    flipped[at]! ^= 1 << (at % 8);
    yield flipped;
  }
}

const names = { head: 'own/head', overrides: 'overrides' } as const;

describe('stored record truncated at any length, or with a flipped bit in any byte', () => {
  test('the undamaged record restores everything', async () => {
    await survives(storeOver(copied(whole)), { mayBeEmpty: false, isOlder: false });
  });

  test.each(Object.values(names))('%s: the previous one is used', async (name) => {
    const [newest, ...before] = whole.heads.get(name)!;
    for (const bytes of damagesOf(newest!.bytes)) {
      const contents = copied(whole);
      contents.heads.set(name, [{ ...newest!, bytes }, ...before]);
      await survives(storeOver(contents), { mayBeEmpty: false, damaged: name, isOlder: name === names.head });
    }
  });

  test.each(Object.values(names))('%s, both of them damaged: only their content is lost', async (name) => {
    const heads = whole.heads.get(name)!;
    expect(heads).toHaveLength(2);
    for (const bytes of damagesOf(heads[0]!.bytes, isDeep ? 29 : 211)) {
      const contents = copied(whole);
      contents.heads.set(
        name,
        heads.map(({ sequence }) => ({ sequence, bytes })),
      );
      await survives(storeOver(contents), { mayBeEmpty: name === names.head, damaged: name });
    }
  });

  test.each(['own/retry', 'own/confirmed'])('%s: the list still answers', async (name) => {
    for (const bytes of damagesOf(whole.values.get(name)!)) {
      const contents = copied(whole);
      contents.values.set(name, bytes);
      await survives(storeOver(contents), { mayBeEmpty: false, damaged: name });
    }
  });

  test('a set: the previous list answers, or a new one is fetched', async () => {
    const sets = [...whole.values.keys()].filter((name) => /^own\/(base|recent)\//.test(name));
    expect(sets.length).toBeGreaterThanOrEqual(3);
    for (const name of sets) {
      const bytes = whole.values.get(name)!;
      for (const spoiltBytes of [null, ...damagesOf(bytes, Math.ceil(bytes.length / (isDeep ? 20 : 3)))]) {
        const contents = copied(whole);
        if (spoiltBytes === null) contents.values.delete(name);
        else contents.values.set(name, spoiltBytes);
        await survives(storeOver(contents), { mayBeEmpty: true });
      }
    }
  });

  test('a damaged set with a valid checksum still blocks, and is fetched again', async () => {
    const name = [...whole.values.keys()].filter((key) => key.startsWith('own/base/')).at(-1)!;
    const contents = copied(whole);
    const payload = contents.values.get(name)!.slice(24);
    payload[payload.length - 1]! ^= 1;
    contents.values.set(name, encodeRecord('named-set', payload));
    const source = published();
    const blocklist = opened(clock, { sources: [source], store: storeOver(contents) });
    const damages = heard(blocklist, 'damaged');
    await blocklist.ready();
    await expect.poll(() => damages).toMatchObject([{ name: 'own/base' }]);
    expect(listed.filter((each) => isHit(blocklist.test(each))).length).toBeGreaterThanOrEqual(39);
    // The recents are undamaged, so the feed may have dropped them.
    source.list.recent = [];
    await healed(blocklist, clock);
    source.list.confirmed = [...listed, 'new.example'];
    for (const each of [...listed, 'new.example']) expect(await blocklist.check(each)).toMatchObject({ status: 'blocked' });
  });
});

describe('the values of two lists in one store', () => {
  const lists = [
    { id: 'a', snapshot: ['evil-a.example', 'x.example'], recent: ['new-a.example'] },
    { id: 'b', snapshot: ['evil-b.example', 'y.example'], recent: ['new-b.example'] },
  ];
  const sources = () => lists.map((list) => ownSource({ ...list, recentToken: 'r1', whole: true }));

  test.each(['base', 'recent', 'base of earlier releases'])('%s: exchanged, none answers for the other', async (part) => {
    const contents = noContents();
    const store = storeOver(contents);
    const before = createBlocklist({ sources: [sources()], store, pollMs: 0, now: () => clock.nowMs });
    await before.ready();
    await before.close();
    const [a, b] = lists.map(
      ({ id }) => [...contents.values.keys()].find((key) => key.startsWith(`${id}/${part.split(' ')[0]}/`))!,
    );
    const bytesOf = (name: string): Uint8Array => {
      const bytes = contents.values.get(name)!;
      return part.endsWith('releases') ? encodeRecord('set', bytes.slice(24 + 32)) : bytes;
    };
    const [ofA, ofB] = [bytesOf(a!), bytesOf(b!)];
    contents.values.set(a!, ofB);
    contents.values.set(b!, ofA);
    const after = createBlocklist({ sources: [sources().map(cutOff)], store, pollMs: 0, now: () => clock.nowMs });
    const damages = heard(after, 'damaged');
    await after.ready();
    expect(damages.map(({ name }) => name)).toEqual(expect.arrayContaining(['a/head', 'b/head']));
    for (const { snapshot, recent } of lists)
      for (const name of [...snapshot, ...recent]) expect(after.test(name).status, name).not.toBe('clear');
    await after.close();
  });

  test('of an earlier release are read', async () => {
    const contents = copied(whole);
    for (const [name, bytes] of contents.values)
      if (/^own\/(base|recent)\//.test(name)) contents.values.set(name, encodeRecord('set', bytes.slice(24 + 32)));
    await survives(storeOver(contents), { mayBeEmpty: false, isOlder: false });
  });
});
