import { hashOf, PortcullisError } from 'portcullis';
import { PrefixSet } from 'portcullis/assets';
import { uniqueTokens } from 'portcullis/sources';
import { memoryStore } from 'portcullis/stores';
import { describe, expect, test } from 'vitest';
import { dayMs, hourMs, minuteMs } from './engine/harness.js';
import { type OwnList, type OwnSource, ownSource } from './engine/own-source.js';
import { hosts, versions, worldsOf } from './engines-world.js';
import { engines } from './light/engines.js';

/** Which versions of a list a device takes over: the same on both engines, told by what a user sees. */

const blocked = { status: 'blocked' } as const;
const clear = { status: 'clear' } as const;
const stale = { status: 'unknown', reason: 'list-stale' } as const;
const updated = { outcome: 'updated' } as const;
const unchanged = { outcome: 'unchanged' } as const;
const failed = (code: string) => ({ outcome: 'failed', error: { code } });
const older = failed('OLDER_LIST');
const suspicious = failed('SUSPICIOUS_LIST');
const [first, second, third] = versions;

describe.each(engines)('the %s engine', (engine) => {
  const { listing, opened } = worldsOf(engine);

  describe('a round fetches', () => {
    test('everything at first, then nothing until a token changes', async () => {
      const { blocklist, offer, calls } = await listing({ recentToken: 'r1', recent: ['new.example'] });
      expect(calls()).toEqual(['version', 'snapshot', 'recent', 'version']);
      expect(await offer({})).toEqual({ source: 'own', ...unchanged });
      expect(calls()).toEqual(['version']);
      expect(await blocklist.check('new.example')).toMatchObject(blocked);
    });

    test('only the recents if only they changed', async () => {
      const { blocklist, offer, calls } = await listing({ recentToken: 'r1' });
      calls();
      expect(await offer({ recentToken: 'r2', recent: ['new.example'] })).toMatchObject(updated);
      expect(calls()).toEqual(['version', 'recent', 'version']);
      expect(await blocklist.check('new.example')).toMatchObject(blocked);
    });

    test('the snapshot after seven days, even if its token is the same and recents have come since', async () => {
      const { offer, calls } = await listing({ recentToken: 'r1' });
      calls();
      await offer({ recentToken: 'r2' }, 7 * dayMs - 1);
      expect(calls()).toEqual(['version', 'recent', 'version']);
      await offer({}, 1);
      expect(calls()).toEqual(['version', 'snapshot', 'recent', 'version']);
    });

    test('the snapshot after seven days, even if the clock was a month ahead when it came', async () => {
      const { clock, offer, calls } = await listing();
      clock.nowMs -= 30 * dayMs;
      await offer({});
      calls();
      await offer({}, 8 * dayMs);
      expect(calls()).toEqual(['version', 'snapshot', 'version']);
    });

    test('the snapshot again when there are too many recents, once an hour, and drops none', async () => {
      const { blocklist, offer, calls } = await listing({ recentToken: 'r1' });
      expect(await offer({ recentToken: 'r2', recent: hosts(100_100) }, hourMs)).toMatchObject(updated);
      calls();
      // A few of the hosts have the same four bytes.
      const { recentCount } = blocklist.status().list!;
      await offer({ recentToken: 'r3', recent: ['other.example'] }, hourMs);
      expect(calls()).toEqual(['version', 'snapshot', 'recent', 'version']);
      expect(blocklist.status().list).toMatchObject({ recentCount: recentCount + 1 });
      await offer({ recentToken: 'r4' }, minuteMs);
      expect(calls()).toEqual(['version', 'recent', 'version']);
    });

    test('a good snapshot once while the recent file fails', async () => {
      const { source, offer, calls } = opened({ recentToken: 'r1' });
      const snapshots = () => calls().filter((call) => call === 'snapshot').length;
      for (const snapshotToken of ['s1', 's2']) {
        source.before = (call) => {
          if (call === 'recent') throw new PortcullisError('NETWORK', 'away');
        };
        for (let round = 0; round < 5; round++)
          expect(await offer({ snapshotToken, recentToken: snapshotToken }, hourMs)).toMatchObject(failed('NETWORK'));
        source.before = () => {};
        expect(await offer({}, hourMs)).toMatchObject(updated);
        expect(snapshots()).toBe(1);
      }
    });

    test.each([
      ['parts that checksums prove', { isProven: true }, 1],
      ['parts that came with the version', { isPinned: true }, 1],
      ['other parts', {}, 2],
    ])('the version again only after other parts: %s', async (_, proof, questions) => {
      const source = ownSource({ recentToken: 'r1' });
      const { artifact } = source;
      source.artifact = async (...call) => ({ ...(await artifact(...call)), ...proof });
      const { calls } = await listing(source);
      expect(calls().filter((call) => call === 'version')).toHaveLength(questions);
    });

    test('with the previous part only if that has the same algorithm and another token', async () => {
      const { source, offer } = await listing({ algorithms: { two: 'portcullis-1' } });
      const given: unknown[] = [];
      const { artifact } = source;
      source.artifact = (part, version, call) => {
        if (part === 'snapshot') given.push(call.previous?.token);
        return artifact(part, version, call);
      };
      await offer({ snapshotToken: 's2' });
      await offer({ algoVersion: 'two', snapshotToken: 's3' });
      // Only its age makes the same snapshot be fetched again.
      await offer({}, 8 * dayMs);
      expect(given).toEqual(['s1', undefined, undefined]);
    });
  });

  describe('a list that changes while it is read', () => {
    test('is read again', async () => {
      const source = ownSource({ snapshot: ['one.example'] });
      source.before = (call) => {
        if (call === 'snapshot') Object.assign(source.list, { snapshotToken: 's2', snapshot: ['two.example', 'three.example'] });
      };
      const { blocklist, calls } = await listing(source);
      expect(calls()).toEqual(['version', 'snapshot', 'version', 'snapshot', 'version']);
      expect(blocklist.status().list).toMatchObject({ count: 2 });
      expect(await blocklist.check('two.example')).toMatchObject(blocked);
    });

    test('fails the round after three changes, and the held list answers', async () => {
      const { source, blocklist, offer, heard } = await listing();
      let count = 1;
      source.before = (call) => {
        if (call === 'version') source.list.snapshotToken = `s${++count}`;
      };
      const events = heard('changed');
      expect(await offer({ snapshot: ['evil.example', 'new.example'] })).toMatchObject(failed('INVALID_RESPONSE'));
      expect(events).toEqual([]);
      expect(blocklist.status().list).toMatchObject({ count: 1 });
      expect(await blocklist.check('evil.example')).toMatchObject({ ...blocked, generation: 1 });
    });

    test('is read again at the next poll if only its feed changes', async () => {
      const source = ownSource({ recentToken: 'r1', recent: ['one.example'] });
      source.before = (call) => {
        if (call === 'recent') source.list.recentToken = 'r2';
      };
      const { offer, calls } = await listing(source);
      expect(calls()).toEqual(['version', 'snapshot', 'recent', 'version']);
      await offer({});
      expect(calls()).toEqual(['version', 'recent', 'version']);
      await offer({});
      expect(calls()).toEqual(['version']);
    });

    test('is not read again because another copy of it is older', async () => {
      const source = ownSource(second);
      source.before = (call) => {
        if (call === 'snapshot') source.before = () => void Object.assign(source.list, first);
      };
      const { blocklist } = await listing(source);
      expect(blocklist.status().list).toMatchObject({ sequence: 2, count: 2 });
    });
  });

  describe('what is no list changes nothing', () => {
    const versionIs = (version: unknown) => ({ version: async () => version as never });
    const partIs = (artifact: unknown) => ({ artifact: async () => artifact as never });
    const named = { algoVersion: 'portcullis-1', snapshot: { token: 'a' } };
    const looksLikeOne = { size: 1, has: () => true, hasPrefix: () => true };
    const entries = PrefixSet.from([1]);

    test.each<[string, Partial<OwnSource>]>([
      ['a version that is nothing', versionIs(null)],
      ['a version without tokens', versionIs({ algoVersion: 'portcullis-1' })],
      ['a version whose algorithm is a number', versionIs({ ...named, algoVersion: 1 })],
      ['a version whose sequence is a text', versionIs({ ...named, sequence: '1' })],
      ['a version whose sequence is no whole number', versionIs({ ...named, sequence: -1.5 })],
      ['a version whose sequence is no number', versionIs({ ...named, sequence: Number.NaN })],
      ['a part that is nothing', partIs(null)],
      ['a part of numbers', partIs({ entries: [1, 2, 3], isProven: true })],
      ['a part in a Set', partIs({ entries: new Set(), isProven: true })],
      ['a part that resembles a set', partIs({ entries: looksLikeOne, isProven: true })],
      ['a part that allows an array', partIs({ entries, allow: [hashOf('a.example')], isProven: true })],
      ['a part that removes a PrefixSet', partIs({ entries, remove: entries, isProven: true })],
    ])('%s', async (_, broken) => {
      const { source, blocklist, offer } = await listing();
      Object.assign(source, broken);
      const code = 'version' in broken ? 'INVALID_RESPONSE' : 'INVALID_ARTIFACT';
      expect(await offer({ snapshotToken: 's2' })).toMatchObject(failed(code));
      expect(await blocklist.check('evil.example')).toMatchObject(blocked);
    });

    test.each([1, 40])('two entries where the version announces %i', async (count) => {
      const source = ownSource({ snapshot: ['one.example', 'two.example'] });
      const { version } = source;
      source.version = async (call) => ({ ...(await version(call)), snapshot: { token: 's1', count } });
      const { blocklist } = await listing(source);
      expect(blocklist.status()).toMatchObject({ list: null, lastError: { code: 'INVALID_ARTIFACT' } });
    });
  });

  describe('an older version', () => {
    test('is refused: the list stays, answers and ages, and takes over the next newer one', async () => {
      const { blocklist, offer, heard } = await listing(second);
      const events = heard('changed');
      expect(await offer(first, hourMs)).toMatchObject(older);
      expect(await blocklist.check('two.example')).toMatchObject(blocked);
      expect(blocklist.status()).toMatchObject({ list: { sequence: 2, ageMs: hourMs }, lastError: { code: 'OLDER_LIST' } });
      expect(await offer({}, 23 * hourMs + 1)).toMatchObject(older);
      expect(blocklist.test('fine.example')).toMatchObject(stale);
      expect(await blocklist.check('two.example')).toMatchObject(blocked);
      expect(events).toEqual([]);
      expect(await offer(third)).toMatchObject(updated);
      expect(blocklist.test('fine.example')).toMatchObject(clear);
      expect(blocklist.status()).toMatchObject({ list: { sequence: 3, ageMs: 0 }, lastError: null });
    });

    test('is one without a sequence after one with a sequence', async () => {
      const { blocklist, offer } = await listing(second);
      expect(await offer({ ...first, sequence: undefined })).toMatchObject(older);
      expect(await blocklist.check('two.example')).toMatchObject(blocked);
    });

    test('is not one from another place, and the stored list of the first place is not used', async () => {
      const { restart, source } = await listing({ ...second, origin: 'a' }, { store: memoryStore() });
      const moved = ownSource({ ...source.list, ...first, origin: 'b' });
      moved.before = () => Promise.reject(new PortcullisError('NETWORK', 'away'));
      const { blocklist, offer } = await restart({ source: moved });
      expect(blocklist.test('two.example')).toMatchObject({ status: 'unknown', reason: 'no-list' });
      moved.before = () => {};
      expect(await offer({})).toMatchObject(updated);
      expect(blocklist.status().list).toMatchObject({ sequence: 1, isStale: false });
    });

    test('is not one of a day after a forged sequence of next year', async () => {
      const { clock, offer } = await listing();
      await offer({ ...second, sequence: clock.nowMs + 365 * dayMs });
      expect(await offer({ ...third, sequence: clock.nowMs + dayMs + 1 }, dayMs + 1)).toMatchObject(updated);
    });

    test.each([
      ['the clock is 40 hours behind', 40 * hourMs],
      ['the publisher counts from the day after tomorrow', 48 * hourMs],
    ])('is refused although %s', async (_, aheadMs) => {
      const { blocklist, clock, offer } = await listing();
      const sequence = clock.nowMs + aheadMs;
      await offer({ ...second, sequence });
      for (let hours = 0; hours < 3 * 24; hours += 20) {
        expect(await offer({ ...first, sequence: sequence - 1 }, 20 * hourMs)).toMatchObject(older);
        expect(await blocklist.check('two.example')).toMatchObject(blocked);
        expect(await offer({ ...second, sequence })).toMatchObject(unchanged);
      }
    });

    test('is better than no list, but not current, if the newest was lost: after a restart too', async () => {
      const store = memoryStore();
      const { restart, source, blocklist } = await listing(second, { store });
      await blocklist.close();
      await store.open();
      for (const name of await store.list('own/')) if (/base|light$/.test(name)) await store.write(name, new Uint8Array(40));
      Object.assign(source.list, first);
      const lost = await restart();
      expect(lost.blocklist.status().list).toMatchObject({ sequence: 1, isStale: true });
      expect(lost.blocklist.test('two.example')).toMatchObject(stale);
      expect(await lost.blocklist.check('one.example')).toMatchObject(blocked);
      const again = await lost.restart();
      expect(again.blocklist.test('two.example')).toMatchObject(stale);
      expect(await again.offer(second)).toMatchObject(updated);
      expect(again.blocklist.test('fine.example')).toMatchObject(clear);
    });
  });

  describe('a version from far ahead of the clock', () => {
    const ahead = failed('LIST_AHEAD');
    const farMs = 48 * hourMs + 1;

    test.each([
      ['without a signature', {}],
      ['whatever signed it', { signedBy: 'key' }],
    ])('is refused %s: the list stays, and goes on once the clock is set', async (_, signed) => {
      const source = ownSource({ ...first, sequence: Date.UTC(2026, 0, 1) });
      const { version } = source;
      source.version = async (call) => ({ ...(await version(call)), ...signed });
      const { blocklist, clock, offer } = await listing(source);
      const sequence = clock.nowMs + hourMs + farMs;
      expect(await offer({ ...second, sequence }, hourMs)).toMatchObject(ahead);
      expect(blocklist.status()).toMatchObject({ list: { sequence: Date.UTC(2026, 0, 1) }, lastError: { code: 'LIST_AHEAD' } });
      expect(await blocklist.check('one.example')).toMatchObject(blocked);
      expect(await offer({}, 1)).toMatchObject(updated);
    });

    test('is no first list either', async () => {
      const { blocklist, clock, offer } = await listing({ ...second, sequence: Date.UTC(2026, 0, 1) + farMs });
      expect(blocklist.status()).toMatchObject({ list: null, lastError: { code: 'LIST_AHEAD' } });
      clock.nowMs += 1;
      expect(await offer({})).toMatchObject(updated);
    });

    test('is one of a clock that was reset, unless it follows a signed one', async () => {
      for (const isSigned of [false, true]) {
        const source = ownSource({ ...first, sequence: Date.UTC(2026, 0, 1) });
        const { version } = source;
        source.version = async (call) => ({ ...(await version(call)), ...(isSigned && { signedBy: 'key' }) });
        const { clock, offer } = await listing(source);
        clock.nowMs = 0;
        expect(await offer({ ...second, sequence: Date.UTC(2026, 0, 2) })).toMatchObject(isSigned ? updated : ahead);
      }
    });

    test('does not count once its key is not trusted any more, after a restart', async () => {
      const source = ownSource({ ...first, sequence: Date.UTC(2026, 0, 1) });
      const { version } = source;
      let key = 'stolen';
      source.version = async (call) => ({ ...(await version(call)), signedBy: key, signed: {} });
      const reopened = () => version({}).then((read) => ({ ...read, signedBy: key }));
      const own = (id: string) => Object.assign(source, { trustedKeys: [id], reopen: reopened });
      const { offer, restart } = await listing(own('stolen'), { store: memoryStore() });
      for (let day = 1; day < 20; day++) await offer({ ...second, sequence: Date.UTC(2026, 0, 1) + 2 * day * dayMs });
      key = 'new';
      source.reopen = () => Promise.reject(new PortcullisError('SIGNATURE_UNTRUSTED', 'no trusted key'));
      Object.assign(source.list, { ...third, sequence: Date.UTC(2026, 0, 2) });
      const { blocklist, offer: offerAgain } = await restart({ source: own('new') });
      await offerAgain({});
      expect(blocklist.status()).toMatchObject({ list: { sequence: Date.UTC(2026, 0, 2), isStale: false }, lastError: null });
      expect(blocklist.test('fine.example')).toMatchObject(clear);
    });
  });

  describe('another list', () => {
    const other = failed('OTHER_LIST');

    test.each([
      ['with another name', { listName: 'b' }],
      ['without a name', { listName: undefined }],
    ])('%s is refused after the first one, after a restart too', async (_, named) => {
      const { blocklist, offer, restart, heard } = await listing({ ...first, listName: 'a' }, { store: memoryStore() });
      const events = heard('error');
      expect(await offer({ ...second, ...named })).toMatchObject(other);
      expect(events).toMatchObject([{ where: 'sync', error: { code: 'OTHER_LIST' } }]);
      expect(blocklist.status()).toMatchObject({ list: { listName: 'a', sequence: 1 }, lastError: { code: 'OTHER_LIST' } });
      const again = await restart();
      expect(await again.offer({})).toMatchObject(other);
      expect(await again.blocklist.check('one.example')).toMatchObject(blocked);
      expect(await again.offer({ ...second, listName: 'a' })).toMatchObject(updated);
    });

    test('is refused as the first one if the app gave a name, and the stored one with another name is not used', async () => {
      const { blocklist, offer, restart, source } = await listing(
        { ...first, listName: 'b', wantedName: 'a' },
        { store: memoryStore() },
      );
      expect(blocklist.status()).toMatchObject({ list: null, lastError: { code: 'OTHER_LIST' } });
      expect(await offer({ listName: 'a' })).toMatchObject(updated);
      const renamed = ownSource({ ...source.list, ...second, listName: 'b', wantedName: 'b' });
      renamed.before = () => Promise.reject(new PortcullisError('NETWORK', 'away'));
      const again = await restart({ source: renamed });
      expect(again.blocklist.status().list).toBeNull();
      renamed.before = () => {};
      expect(await again.offer({})).toMatchObject(updated);
    });

    test('is none if a list of an earlier release gets a name', async () => {
      const { offer, blocklist } = await listing(first);
      expect(await offer({ ...second, listName: 'a' })).toMatchObject(updated);
      expect(blocklist.status().list).toMatchObject({ listName: 'a' });
      expect(await offer({ ...third, listName: undefined })).toMatchObject(other);
    });

    test('cannot deny what this one holds: a question names the list', async () => {
      const source = ownSource({ ...first, listName: 'a' });
      const { confirm } = source;
      const names: unknown[] = [];
      source.confirm = (prefixes, call) => {
        names.push(call.listName);
        return confirm!(prefixes, call);
      };
      const { blocklist } = await listing(source);
      await blocklist.check('one.example');
      expect(names).toEqual(['a']);
    });
  });

  describe('a version that comes back', () => {
    const opaque = (version: Partial<OwnList>) => ({ ...version, sequence: undefined });
    const unique = { ...opaque(first), tokenHistory: uniqueTokens };

    test('is refused until it has come for an hour, and then the other one is not the older', async () => {
      const { blocklist, offer, heard } = await listing(unique);
      expect(await offer(opaque(second))).toMatchObject(updated);
      const events = heard('error');
      for (let poll = 0; poll < 12; poll++) {
        expect(await offer(opaque(first), 5 * minuteMs)).toMatchObject(older);
        expect(await blocklist.check('two.example')).toMatchObject(blocked);
      }
      expect(events).toHaveLength(12);
      // The publisher may have withdrawn the newer list.
      expect(await offer({}, 5 * minuteMs)).toMatchObject(updated);
      expect(await offer(opaque(second))).toMatchObject(updated);
      expect(await blocklist.check('two.example')).toMatchObject(blocked);
    });

    test('is accepted together with its smaller size', async () => {
      const { offer } = await listing(unique);
      expect(await offer({ snapshotToken: 'b', snapshot: hosts(50) })).toMatchObject(updated);
      for (const outcome of ['failed', 'failed', 'updated'])
        expect(await offer(opaque(first), hourMs)).toMatchObject({ outcome });
    });

    test('every other time is never taken over, after a restart either', async () => {
      const { offer, restart } = await listing(unique, { store: memoryStore() });
      await offer(opaque(second));
      const again = await restart();
      for (let poll = 0; poll < 60; poll++) {
        await again.offer(opaque(versions[poll % 2]!), 5 * minuteMs);
        expect(await again.blocklist.check('two.example')).toMatchObject(blocked);
      }
    });

    test('with its recents alone loses nothing', async () => {
      const { blocklist, offer } = await listing({ ...unique, recentToken: 'r1' });
      await offer({ recentToken: 'r2', recent: ['new.example'] });
      expect(await offer({ recentToken: 'r1', recent: [] })).toMatchObject(older);
      expect(blocklist.test('new.example')).toMatchObject({ status: 'unconfirmed' });
    });

    test('is one of a bounded number that is remembered', async () => {
      const store = memoryStore();
      const { blocklist, offer } = await listing(unique, { store });
      for (let at = 0; at < 200; at++) expect(await offer({ snapshotToken: `t${at}` })).toMatchObject(updated);
      await blocklist.close();
      await store.open();
      const names = (await store.list('own/')).filter((name) => /retry|state/.test(name));
      expect(names).toHaveLength(1);
      expect((await store.read(names[0]!))!.length).toBeLessThan(1_500);
    });

    test('is taken over at once from a source that may use tokens twice', async () => {
      const { offer } = await listing(opaque(first));
      for (const at of [1, 0, 1, 0]) expect(await offer(opaque(versions[at]!))).toMatchObject(updated);
    });
  });

  test('an expired version blocks, and what it lacks is not clear, however often it is offered', async () => {
    const { blocklist, clock, offer } = await listing(first);
    expect(await offer({ ...second, expiresAtMs: clock.nowMs + 6 * hourMs })).toMatchObject(updated);
    await offer({}, 6 * hourMs);
    expect(blocklist.test('fine.example')).toMatchObject(clear);
    clock.nowMs += 1;
    expect(blocklist.test('fine.example')).toMatchObject(stale);
    expect(await offer({})).toMatchObject(failed('LIST_EXPIRED'));
    expect(blocklist.test('fine.example')).toMatchObject(stale);
    expect(await blocklist.check('two.example')).toMatchObject(blocked);
    expect(await offer({ ...third, expiresAtMs: clock.nowMs + hourMs })).toMatchObject(updated);
    expect(blocklist.test('fine.example')).toMatchObject(clear);
  });

  describe('a list that lost more than half of its entries', () => {
    const names = hosts(20);

    test.each([0, 9])('to %i is not accepted until it has come three times over at least an hour', async (count) => {
      const { blocklist, offer } = await listing({ snapshot: names });
      const small = { snapshotToken: 's2', snapshot: names.slice(0, count), confirmed: names };
      for (const waitMs of [0, 10 * minuteMs, 10 * minuteMs, 39 * minuteMs]) {
        expect(await offer(small, waitMs)).toMatchObject(suspicious);
        expect(await blocklist.check('host19.example')).toMatchObject(blocked);
      }
      expect(await offer(small, minuteMs)).toMatchObject(updated);
      expect(blocklist.status().list).toMatchObject({ count });
    });

    test('is accepted at once if a checksum proves it, or if half is left', async () => {
      const { blocklist, offer } = await listing({ snapshot: names });
      expect(await offer({ snapshotToken: 's2', snapshot: hosts(10) })).toMatchObject(updated);
      expect(await offer({ snapshotToken: 's3', snapshot: [] })).toMatchObject(suspicious);
      expect(await offer({ isProven: true })).toMatchObject(updated);
      expect(blocklist.test('host0.example')).toMatchObject(clear);
    });

    test('or more than ten and a twentieth of them, is accepted when it comes again', async () => {
      const { blocklist, offer } = await listing({ snapshot: hosts(400) });
      expect(await offer({ snapshotToken: 's2', snapshot: hosts(380) })).toMatchObject(updated);
      const less = { snapshotToken: 's3', snapshot: hosts(360), confirmed: hosts(400) };
      expect(await offer(less, 5 * minuteMs)).toMatchObject(suspicious);
      expect(await blocklist.check('host370.example')).toMatchObject(blocked);
      expect(await offer(less, 5 * minuteMs)).toMatchObject(updated);
      expect(blocklist.status().list).toMatchObject({ count: 360 });
    });

    test('is accepted after an hour if it changes in every round, and never if its size does', async () => {
      for (const [sizes, result] of [
        [[300, 301, 299], updated],
        [[300, 260, 310], suspicious],
      ] as const) {
        const { offer } = await listing({ snapshot: hosts(400) });
        const results = [];
        for (const size of sizes) results.push(await offer({ snapshotToken: `s${size}`, snapshot: hosts(size) }, 30 * minuteMs));
        expect(results).toMatchObject([suspicious, suspicious, result]);
      }
    });

    test('to none is accepted when it comes again, even with a checksum, or at once if the app allows it', async () => {
      const none = { snapshotToken: 's2', snapshot: [], confirmed: ['evil.example'], isProven: true };
      const { blocklist, offer, restart } = await listing({}, { store: memoryStore() });
      expect(await offer(none)).toMatchObject(suspicious);
      expect(await blocklist.check('evil.example')).toMatchObject(blocked);
      const again = await restart();
      expect(await again.offer({ recentToken: 'r1', recent: ['evil.example'] })).toMatchObject(updated);
      expect(await again.offer({ ...none, snapshotToken: 's3', recentToken: 'r2', recent: [] })).toMatchObject(suspicious);
      expect(await again.offer({})).toMatchObject(updated);
      expect(again.blocklist.test('evil.example')).toMatchObject(clear);
      const free = await listing({ mayBeEmpty: true });
      expect(await free.offer(none)).toMatchObject(updated);
    });

    test('stays suspicious across restarts, and a first list may be empty', async () => {
      let world = await listing({ snapshot: [] }, { store: memoryStore() });
      expect(world.blocklist.status().list).toMatchObject({ count: 0 });
      world = await world.restart();
      expect(await world.offer({ snapshotToken: 's2', snapshot: names })).toMatchObject(updated);
      for (const waitMs of [0, 30 * minuteMs]) {
        world = await world.restart();
        expect(await world.offer({ snapshotToken: 's3', snapshot: [] }, waitMs)).toMatchObject(suspicious);
      }
      world = await world.restart();
      expect(await world.offer({}, 30 * minuteMs)).toMatchObject(updated);
    });

    test.each([
      ['a good round', { snapshotToken: 'good', snapshot: names }, updated],
      ['a round without a change', { snapshotToken: 's1', snapshot: names }, unchanged],
      ['another small list', { snapshotToken: 's3', snapshot: hosts(1) }, suspicious],
      ['the same token with other entries', { snapshotToken: 's2', snapshot: hosts(1) }, suspicious],
    ])('is doubted anew after %s', async (_, list, result) => {
      const { offer } = await listing({ snapshot: names });
      const small = { snapshotToken: 's2', snapshot: [] };
      for (let round = 0; round < 2; round++) expect(await offer(small)).toMatchObject(suspicious);
      expect(await offer(list, 10 * hourMs)).toMatchObject(result);
      expect(await offer(small)).toMatchObject(suspicious);
    });
  });

  describe('the algorithm', () => {
    test('is mapped by the source', async () => {
      const { blocklist } = await listing({ algoVersion: '7', algorithms: { 7: 'portcullis-1' } });
      expect(await blocklist.check('evil.example')).toMatchObject(blocked);
    });

    test.each(['theirs-9', 'constructor', '__proto__'])(
      '%s is unknown: no list at first, later the held list answers',
      async (name) => {
        const { blocklist, clock, offer } = await listing({ algoVersion: name });
        expect(await blocklist.check('evil.example')).toMatchObject({ status: 'unknown', reason: 'algorithm-unknown' });
        expect(await offer({ algoVersion: 'portcullis-1' })).toMatchObject(updated);
        expect(await offer({ algoVersion: name, snapshotToken: 's2' })).toMatchObject(failed('ALGORITHM_UNKNOWN'));
        expect(await blocklist.check('evil.example')).toMatchObject(blocked);
        expect(blocklist.test('fine.example')).toMatchObject(clear);
        clock.nowMs += dayMs + 1;
        expect(blocklist.test('fine.example')).toMatchObject(stale);
        expect(await offer({ algoVersion: 'portcullis-1' })).toMatchObject(updated);
        expect(blocklist.test('fine.example')).toMatchObject(clear);
      },
    );

    test('is disproved by a score, which counts at once when the source corrects it', async () => {
      const { blocklist, offer } = await listing({ calibration: { samples: 50, found: 50 } });
      for (const [found, reason] of [
        [45, 'not-listed'],
        [44, 'algorithm-mismatch'],
        [50, 'not-listed'],
      ] as const) {
        await offer({ calibration: { samples: 50, found } });
        expect(blocklist.test('fine.example')).toMatchObject({ reason });
        expect(await blocklist.check('evil.example')).toMatchObject(blocked);
      }
    });

    test.each([{ samples: Number.NaN, found: 0 }, { samples: 10, found: 11 }, { samples: 9, found: 0 }, {}])(
      'is not disproved by the score %j',
      async (calibration) => {
        const { blocklist } = await listing({ calibration: calibration as never });
        expect(blocklist.test('fine.example')).toMatchObject(clear);
      },
    );
  });
});
