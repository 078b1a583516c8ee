import { ed25519, generateKeys, signerOf } from 'portcullis/sources';
import { memoryStore } from 'portcullis/stores';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Recorded, serve } from '../support/scripted-server.js';
import { type Files, type Lists, makeLists } from './attack-host.js';
import { attacked, type Client, clients, makeVersions, type Version, type World } from './attack-sources.js';
import { dayMs, hourMs, minuteMs } from './engine/harness.js';
import { copyOf, type Harm, type Values, valuesOf, withRetry } from './stored-values.js';

/**
 * The attacks that other sources than a published list have to withstand too, and those on what a device has stored, over real HTTP. docs/security.md
 * has the table; each of its cells names a test here. `attacks.test.ts` has the other attacks on published lists.
 */

const { published, lightPublished, text, service, lightRelay, relayed, lightRelayed } = clients;
const services = [service, lightRelay, relayed, lightRelayed];
const all = [published, lightPublished, text, ...services];

let versions: Awaited<ReturnType<typeof makeVersions>>;
let lists: Lists;
beforeAll(async () => {
  [versions, lists] = await Promise.all([makeVersions(), makeLists()]);
});

const attack = (title: string, attackable: readonly Client[], run: (client: Client) => Promise<void>) =>
  describe(title, () => test.each(attackable.map((client) => [client.name, client] as const))('%s', (_, client) => run(client)));

const updated = { outcome: 'updated' } as const;
const failed = (code: string) => ({ outcome: 'failed', code });
const clear = { status: 'clear' } as const;
const blocked = { status: 'blocked' } as const;
const stale = { status: 'unknown', reason: 'list-stale' } as const;
/** The status of what a list may hold, before its source is asked. */
const hit = /^(blocked|unconfirmed)$/;
const noList = { status: 'unknown', reason: 'no-list' } as const;

/** The list is still the first version, as a whole. */
async function keepsFirst({ blocklist, list }: World): Promise<void> {
  expect(list()).toMatchObject({ count: versions.first.hosts.length });
  for (const host of ['evil.example', 'core-0.example', 'core-39.example'])
    expect((await blocklist.check(host)).status).toMatch(hit);
  expect(blocklist.test('newest.example')).toMatchObject(clear);
}

async function takes(world: World, version: Version): Promise<void> {
  expect(await world.poll(version, 3 * hourMs)).toMatchObject(updated);
  for (const host of version.hosts.slice(-3)) expect(await world.blocklist.check(host)).toMatchObject(blocked);
  expect(world.blocklist.test('fine.example')).toMatchObject(clear);
}

attack('without an attack', all, async (client) => {
  const world = await attacked(client, versions.first);
  expect(await world.blocklist.check('newest.example')).toMatchObject(clear);
  await takes(world, versions.second);
  await takes(world, versions.third);
});

describe('what a device has stored', () => {
  /** Starts offline with each of the changed stores. The last version has an entry that the ones before it lack. Returns why a miss was none. */
  async function starting(client: Client, harms: (values: Values, before: Values) => readonly (readonly [string, Harm])[]) {
    const world = await attacked(client, versions.first);
    await takes(world, versions.second);
    const before = await valuesOf(world.store, world.id);
    await takes(world, versions.third);
    const values = await valuesOf(world.store, world.id);
    world.isAway = true;
    const reasons = new Set<string>();
    for (const [what, harm] of harms(values, before)) {
      const blocklist = await world.restart(await copyOf(world.store, world.id, harm));
      const isNewest = world.list()?.count === versions.third.hosts.length;
      expect(isNewest ? ['blocked', 'unconfirmed'] : ['unknown'], what).toContain(blocklist.test('newest.example').status);
      const { status, reason } = blocklist.test('fine.example');
      // The state of another list says nothing about when this one was current.
      const mayBeUnknown = !isNewest || /light-state by .*light-state/.test(what);
      expect([...(isNewest ? ['clear'] : []), ...(mayBeUnknown ? ['unknown'] : [])], what).toContain(status);
      expect(blocklist.test('evil.example').status, what).not.toBe('clear');
      // On the other list only.
      expect(blocklist.test('good.example').status, what).not.toMatch(hit);
      reasons.add(reason);
    }
    return [...reasons].sort();
  }
  const changes =
    (name: string, change: Harm): Harm =>
    (at, bytes) =>
      at === name ? change(name, bytes) : bytes;

  attack('one damaged value: an older list is of unknown age', all, async (client) => {
    const damages: readonly (readonly [string, Harm])[] = [
      ['cut', (_, bytes) => bytes.subarray(0, -1)],
      ['changed', (_, bytes) => bytes.with(-1, bytes.at(-1)! ^ 1)],
      ['lost', () => null],
    ];
    const reasons = await starting(client, (values) =>
      [...values.keys()].flatMap((name) => damages.map(([what, harm]) => [`${name} ${what}`, changes(name, harm)] as const)),
    );
    expect(reasons).toEqual(client.engine === 'full' ? ['list-stale', 'not-listed'] : ['no-list', 'not-listed']);
  });

  attack('sets exchanged with those of another list: belong to the list that names them', all, async (client) => {
    const other = await attacked(client, versions.foreign);
    const others = await valuesOf(other.store, other.id);
    const reasons = await starting(client, (values, before) => {
      const all = [...values, ...before, ...others].filter(([name]) => !name.endsWith('/head'));
      const given = [...new Map(all.map((value) => [String(value[1]), value])).values()];
      return [...values.keys()]
        .filter((name) => !name.endsWith('/head'))
        .flatMap((name) => given.map(([other, bytes]) => [`${name} by ${other}`, changes(name, () => bytes)] as const));
    });
    expect(reasons).toContain('list-stale');
  });

  attack('a pause until the year 2201: lasts a day at most', all, async (client) => {
    const world = await attacked(client, versions.first);
    const farMs = Date.UTC(2201, 0, 1);
    const forge = withRetry((retry) => ({ ...retry, dueAtMs: farMs, heldUntilMs: farMs }));
    await world.restart(await copyOf(world.store, world.id, forge));
    expect(world.blocklist.status().sources[0]!.nextSyncAtMs).toBeLessThanOrEqual(world.clock.nowMs + dayMs);
    expect(await world.poll(versions.second)).toMatchObject({ outcome: 'deferred' });
    expect(await world.poll(versions.second, dayMs)).toMatchObject(updated);
  });

  attack('a store that is emptied while the list is open: has it again, as a whole', all, async (client) => {
    const world = await attacked(client, versions.third);
    await world.replaceStore(memoryStore());
    await world.poll();
    await world.poll();
    world.isAway = true;
    const blocklist = await world.restart();
    for (const host of versions.third.hosts) expect(blocklist.test(host).status).toMatch(hit);
    expect(blocklist.test('fine.example')).toMatchObject(clear);
  });

  attack('a clock that is set back: makes no stale list fresh', all, async (client) => {
    const world = await attacked(client, versions.first);
    world.isAway = true;
    await world.poll(versions.first, 7 * dayMs);
    for (let hours = 0; hours < 3; hours++) {
      await world.poll(versions.first, hours === 0 ? -7 * dayMs : hourMs);
      expect(world.blocklist.test('fine.example')).toMatchObject(stale);
    }
    expect((await world.restart()).test('fine.example')).toMatchObject(stale);
    world.isAway = false;
    await world.poll();
    expect(world.blocklist.test('fine.example')).toMatchObject(clear);
  });
});

describe('another network or host answers', () => {
  const isFile = ({ method, url }: Recorded): boolean => method === 'GET' && !url.includes('version');
  const hotels = Array.from({ length: 60 }, (_, at) => `hotel-${at}.example`);
  const page = `<!doctype html>\n<title>Welcome</title>\n${hotels.join('\n')}\n`;
  const answers: readonly (readonly [string, (usual: Answer, portal: string) => Answer])[] = [
    ['a cut body, shorter than its length', (usual) => ({ ...usual, fault: 'cut' })],
    ['a cut body, chunks without the last one', (usual) => ({ ...usual, fault: 'break' })],
    ['a cut body, a connection that is reset', () => ({ fault: 'reset' })],
    ['a captive portal, its page', () => ({ body: page, headers: { 'content-type': 'text/html' } })],
    ['a captive portal, a short list of its own', () => ({ body: hotels.slice(0, 9).join('\n') })],
    ['a captive portal, a redirect to it', (_, portal) => ({ status: 302, headers: { location: `${portal}/login` } })],
  ];

  describe.each(answers)('%s: is not taken', (_, answer) => {
    attack('to every request and to those for files', all, async (client) => {
      const { origin } = await serve([{ body: page, headers: { 'content-type': 'text/html' } }]);
      for (const isAttacked of [() => true, isFile]) {
        const world = await attacked(client, versions.first);
        world.attack = (usual, request) => (isAttacked(request) ? answer(usual, origin) : usual);
        const { outcome } = await world.poll(versions.third);
        // An honest relay has the last version for an hour.
        if (!client.isRelayed) expect(outcome).toBe('failed');
        await keepsFirst(world);
        world.attack = (usual) => usual;
        await takes(world, versions.third);
      }
    });
  });

  attack('a list that shrinks: is taken when it comes again', [text, ...services], async (client) => {
    const world = await attacked(client, versions.first);
    expect(await world.poll(versions.shorter)).toEqual(failed('SUSPICIOUS_LIST'));
    await keepsFirst(world);
    expect(await world.poll(versions.shorter)).toMatchObject(updated);
  });

  attack('a list that shrinks to less than half: is taken after an hour', [text, ...services], async (client) => {
    const world = await attacked(client, versions.first);
    for (const afterMs of [5, 5, 50]) {
      expect(await world.poll(versions.short, afterMs * minuteMs)).toEqual(failed('SUSPICIOUS_LIST'));
      await keepsFirst(world);
    }
    expect(await world.poll(versions.short, 10 * minuteMs)).toMatchObject(updated);
  });

  attack('an emptied list as text: is never taken', [text], async (client) => {
    const world = await attacked(client, versions.first);
    for (let hour = 0; hour < 4; hour++) {
      expect(await world.poll(versions.empty, hourMs)).toEqual(failed('INVALID_ARTIFACT'));
      await keepsFirst(world);
    }
  });

  attack('an emptied list without a checksum: is taken after an hour', services, async (client) => {
    const world = await attacked(client, versions.first);
    for (const afterMs of [5, 5, 50]) {
      expect(await world.poll(versions.empty, afterMs * minuteMs)).toEqual(failed('SUSPICIOUS_LIST'));
      await keepsFirst(world);
    }
    expect(await world.poll(versions.empty, 10 * minuteMs)).toMatchObject(updated);
  });

  attack(
    'an emptied list with a checksum: is taken when it comes again, or at once with mayBeEmpty',
    services,
    async (client) => {
      const world = await attacked(client, versions.first, {}, true);
      expect(await world.poll(versions.empty)).toEqual(failed('SUSPICIOUS_LIST'));
      await keepsFirst(world);
      expect(await world.poll()).toMatchObject(updated);
      const other = await attacked(client, versions.first, { mayBeEmpty: true }, true);
      expect(await other.poll(versions.empty)).toMatchObject(updated);
    },
  );

  attack('arbitrary content: is believed when it comes twice', [text, ...services], async (client) => {
    const world = await attacked(client, versions.third);
    expect(await world.poll(versions.foreign)).toEqual(failed('SUSPICIOUS_LIST'));
    expect(await world.poll()).toMatchObject(updated);
    expect(await world.blocklist.check('good.example')).toMatchObject(blocked);
  });

  attack('an older copy of a text: is believed', [text], async (client) => {
    const world = await attacked(client, versions.third);
    expect(await world.poll(versions.first)).toMatchObject(updated);
    expect(await world.blocklist.check('newest.example')).toMatchObject(clear);
  });

  attack('an older copy behind some edges: its denials do not count for an hour', services, async (client) => {
    const world = await attacked(client, versions.second);
    expect(await world.poll(versions.third)).toMatchObject(updated);
    for (let poll = 0; poll < 6; poll++) {
      const isOlder = poll % 2 === 0;
      expect(await world.poll(isOlder ? versions.second : versions.third)).toMatchObject(
        isOlder ? failed('OLDER_LIST') : { outcome: 'unchanged' },
      );
      world.version = versions.second;
      if (poll === 2) await world.restart();
      expect(await world.blocklist.check('newest.example')).toMatchObject({ status: 'unconfirmed', reason: 'older-answer' });
    }
    expect(await world.poll(versions.third, hourMs)).toMatchObject({ outcome: 'unchanged' });
    world.version = versions.second;
    expect(await world.blocklist.check('newest.example')).toMatchObject({ status: 'clear', reason: 'disproved' });
  });

  attack('words in place of an answer: a hit stays unconfirmed', services, async (client) => {
    const world = await attacked(client, versions.first);
    world.attack = (usual, { url }) => (url.endsWith('/confirm') ? { body: { hashes: [], message: 'rate limited' } } : usual);
    expect(await world.blocklist.check('evil.example')).toMatchObject({ status: 'unconfirmed' });
    world.attack = (usual) => usual;
    world.clock.nowMs += 5 * minuteMs;
    expect(await world.blocklist.check('evil.example')).toMatchObject(blocked);
  });

  attack('a redirect loop: takes few requests', all, async (client) => {
    const world = await attacked(client, versions.first);
    world.attack = (_, { url }) => ({ status: 302, headers: { location: url } });
    const [before, startMs] = [world.requests.length, world.clock.nowMs];
    for (;;) {
      const waitMs = Math.max(0, world.blocklist.status().sources[0]!.nextSyncAtMs - world.clock.nowMs);
      if (world.clock.nowMs + waitMs > startMs + 3 * hourMs) break;
      await world.poll(versions.first, waitMs);
    }
    // A browser follows 20 redirects, and then does not say why it stopped.
    const isBrowser = client.engine === 'light' && !client.isRelayed;
    expect(world.requests.length - before).toBeLessThan(isBrowser ? 70 : 20);
    world.attack = (usual) => usual;
    await takes(world, versions.third);
  });
});

describe('a service that passes on a signed list', () => {
  const version = (files: Files, ...hosts: string[]): Version => ({ files, hosts });
  const trusting = (publicKey: string) => ({ publicKeys: [publicKey], verifier: ed25519 });

  async function onTuesday(client: Client) {
    const tuesday = version(lists.tuesday, 'evil.example', 'old.example', 'new.example');
    const world = await attacked(client, tuesday, trusting(lists.keys.publicKey), true);
    return { world, tuesday };
  }
  async function keepsTuesday({ blocklist, list }: World): Promise<void> {
    expect(list()).toMatchObject({ listName: 'hosts', isStale: false });
    for (const host of ['evil.example', 'new.example']) expect((await blocklist.check(host)).status).toMatch(hit);
    expect(blocklist.test('good.example').status).toBe('clear');
  }

  const refused: readonly (readonly [string, 'other' | 'future', string])[] = [
    ['another list: keeps its own list', 'other', 'OTHER_LIST'],
    ['a version from the future: keeps its own list', 'future', 'LIST_AHEAD'],
  ];
  for (const [title, name, code] of refused)
    attack(title, services, async (client) => {
      const { world, tuesday } = await onTuesday(client);
      expect(await world.poll(version(lists[name], 'good.example'))).toEqual(failed(code));
      await keepsTuesday(world);
      await world.restart();
      expect(await world.poll()).toEqual(failed(code));
      await keepsTuesday(world);
      expect(await world.poll(tuesday)).toMatchObject({ outcome: 'unchanged' });
      expect(await world.blocklist.check('new.example')).toMatchObject(blocked);
    });

  attack('a stolen key after its removal: its lists and sequences do not count', services, async (client) => {
    const { world } = await onTuesday(client);
    const stolen = version(await lists.stolen(world.clock.nowMs + 2 * dayMs), 'old.example', 'good.example');
    expect(await world.poll(stolen)).toMatchObject(updated);
    expect(await world.blocklist.check('good.example')).toMatchObject(blocked);
    const { publicKey, privateKey } = await generateKeys();
    const both = await lists.rotated(world.clock.nowMs, [lists.signer, await signerOf(privateKey)]);
    world.options = trusting(publicKey);
    world.isAway = true;
    await world.restart();
    for (const host of ['good.example', 'evil.example']) expect(await world.blocklist.check(host)).toMatchObject(noList);
    world.isAway = false;
    expect(await world.poll()).toEqual(failed('SIGNATURE_UNTRUSTED'));
    expect(await world.poll(version(both, 'evil.example', 'old.example', 'new.example'), hourMs)).toMatchObject(updated);
    expect(await world.blocklist.check('evil.example')).toMatchObject(blocked);
    expect(await world.blocklist.check('good.example')).toMatchObject(clear);
  });
});
