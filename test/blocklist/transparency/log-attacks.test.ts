import type { Blocklist } from 'portcullis';
import { type TransparencyLogOptions, transparencyLog } from 'portcullis/log';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Store } from '../../../src/blocklist/model/store.js';
import { readLogProof } from '../../../src/core/tlog/log-proof.js';
import { logSigner, type NoteSigner, witnessSigner } from '../../support/note-keys.js';
import { payloadOf, TestLog } from '../../support/test-log.js';
import { attackedHost, type Files, type Lists, makeLists, mondayMs } from '../attack-host.js';
import { dayMs, heard, hourMs } from '../engine/harness.js';
import { type Engine, engines } from '../light/engines.js';
import { hosting } from '../sources/harness.js';

/**
 * What a publisher may try who has all keys of a list and of its log, and wants to give one device a list of its own, over real HTTP. Each client
 * knows the list of Tuesday when the attack begins.
 */

const own = logSigner('lists.example/hosts', 1);
const log = new TestLog(own);
let lists: Lists;
/** Signed, as the log holds them. */
let entries: Record<'monday' | 'tuesday' | 'thursday' | 'targeted', Uint8Array>;
/** A list of Thursday that only one device shall see: without a scam host, and with a good one. */
let targeted: Files;
beforeAll(async () => {
  lists = await makeLists();
  targeted = await lists.stolen(mondayMs + 3 * dayMs + hourMs);
  const { monday, tuesday, thursday } = lists;
  entries = {
    monday: payloadOf(monday),
    tuesday: payloadOf(tuesday),
    thursday: payloadOf(thursday),
    targeted: payloadOf(targeted),
  };
});

const codeOf = (blocklist: Blocklist): string | undefined => blocklist.status().sources[0]?.lastError?.code;
const sequenceOf = (blocklist: Blocklist): number | null | undefined => blocklist.status().sources[0]?.list?.sequence;
const blocked = { status: 'blocked', reason: 'confirmed' } as const;

/** The size of the checkpoint that is stored beside the list. */
async function storedSize(store: Store, engine: Engine): Promise<number | undefined> {
  await store.open();
  const bytes = await store.read(engine === 'full' ? 'published/retry' : 'published/light-state');
  const size = /"checkpoint":\{[^}]*"size":(\d+)/.exec(Buffer.from(bytes ?? []).toString('latin1'))?.[1];
  return size === undefined ? undefined : Number(size);
}

describe.each(engines)('%s', (engine) => {
  /** A client that has the list of Tuesday, and a host that then does something else on Thursday. */
  async function onTuesday(options: Partial<TransparencyLogOptions> = {}, cosigners: readonly NoteSigner[] = []) {
    const host = await attackedHost(lists, true, engine);
    host.serve(await log.published(lists.tuesday, [entries.monday, entries.tuesday], cosigners));
    const client = () => host.client({ now: () => host.clock.nowMs, log: transparencyLog({ key: own.vkey, ...options }) });
    const blocklist = client();
    await blocklist.ready();
    expect(codeOf(blocklist)).toBeUndefined();
    const events = heard(blocklist, 'log');
    host.clock.nowMs = mondayMs + 3 * dayMs + 2 * hourMs;
    return { ...host, host, client, blocklist, events };
  }

  /** The next round refuses what the host serves, says so once, and keeps the list. */
  async function refuses(
    { blocklist, events }: Pick<Awaited<ReturnType<typeof onTuesday>>, 'blocklist' | 'events'>,
    code: string,
  ) {
    await blocklist.sync();
    expect(codeOf(blocklist)).toBe(code);
    expect(events).toMatchObject([{ source: 'published', error: { code } }]);
    expect(sequenceOf(blocklist)).toBe(mondayMs + dayMs);
    expect(blocklist.test('new.example').status).not.toBe('clear');
    expect(blocklist.test('good.example').status).not.toBe('blocked');
  }

  test('a list whose versions are all in the log is used, and its proof is fetched only with a new version', async () => {
    const { blocklist, serve, clock, requests, events } = await onTuesday();
    const proofs = (): string[] => requests.map(({ url }) => url).filter((url) => url.startsWith('/version.proof'));
    await blocklist.sync();
    clock.nowMs += hourMs;
    await blocklist.sync();
    expect(proofs()).toHaveLength(1);
    serve(await log.published(lists.thursday, [entries.monday, entries.tuesday, entries.thursday]));
    await blocklist.sync();
    await blocklist.sync();
    // A cache that ignores nothing of an address never answers with the proof of another version.
    expect(new Set(proofs()).size).toBe(2);
    for (const url of proofs()) expect(url).toMatch(/^\/version\.proof\?[0-9a-f]{16}$/);
    expect(sequenceOf(blocklist)).toBe(mondayMs + 3 * dayMs);
    expect(await blocklist.check('new.example')).toMatchObject(blocked);
    expect(blocklist.test('good.example')).toMatchObject({ status: 'clear' });
    expect(events).toEqual([]);
  });

  // A light list on this machine fetches from one origin only, unless the other one has https.
  test.runIf(engine === 'full')('the log may be on another host', async () => {
    const three = [entries.monday, entries.tuesday, entries.thursday];
    const elsewhere = await hosting(await log.tiles(three));
    const { blocklist, serve, requests } = await onTuesday({ url: `${elsewhere.origin}/log` });
    serve(await log.published(lists.thursday, three));
    await blocklist.sync();
    expect(codeOf(blocklist)).toBeUndefined();
    expect(elsewhere.requests.map(({ url }) => url)).toEqual(['/log/tile/0/000.p/3']);
    expect(requests.filter(({ url }) => url.startsWith('/log/'))).toEqual([]);
  });

  test('the memory stays when an app adds or drops witnesses', async () => {
    const witnesses = [1, 2, 3].map((at) => witnessSigner(`witness.example/${at}`, 10 + at, () => (mondayMs + dayMs) / 1_000));
    const world = await onTuesday({ witnesses: witnesses.map(({ vkey }) => vkey) }, witnesses);
    await world.blocklist.close();
    world.serve(await log.published(targeted, [entries.monday, entries.targeted, entries.thursday], witnesses));
    const blocklist = world.host.client({ now: () => world.clock.nowMs, log: transparencyLog({ key: own.vkey }) });
    const events = heard(blocklist, 'log');
    await blocklist.ready();
    await refuses({ blocklist, events }, 'LOG_FORKED');
  });

  test('with witnesses, no file of the log is fetched but the proof', async () => {
    const seconds = (): number => Math.floor((mondayMs + dayMs) / 1_000);
    const witnesses = [1, 2, 3, 4].map((at) => witnessSigner(`witness.example/${at}`, 10 + at, seconds));
    const options = { witnesses: witnesses.map(({ vkey }) => vkey) };
    const { blocklist, serve, requests } = await onTuesday(options, witnesses);
    const three = [entries.monday, entries.tuesday, entries.thursday];
    serve(await log.published(lists.thursday, three, witnesses.slice(1)));
    await blocklist.sync();
    expect(codeOf(blocklist)).toBeUndefined();
    expect(requests.filter(({ url }) => url.startsWith('/log/'))).toEqual([]);
  });

  test('a version without a proof is refused', async () => {
    const world = await onTuesday();
    world.serve(targeted);
    await refuses(world, 'LOG_PROOF_MISSING');
  });

  test.each([
    ['of another version', async () => log.proof([entries.monday, entries.tuesday, entries.thursday], 2)],
    [
      'of another log',
      async () => new TestLog(logSigner('lists.example/hosts', 9)).proof([entries.monday, entries.tuesday, entries.targeted], 2),
    ],
    ['of a log with another name', async () => new TestLog(logSigner('lists.example/other', 1)).proof([entries.targeted], 0)],
    ['that is not one', async () => Buffer.from('<!doctype html>')],
    ['that is not UTF-8', async () => Buffer.from([0xff, 0xfe])],
    ['that is empty', async () => Buffer.alloc(0)],
  ])('a version with a proof %s is refused', async (_, proof) => {
    const world = await onTuesday();
    world.serve(new Map([...targeted, ...(await log.tiles([entries.monday, entries.tuesday, entries.thursday]))]));
    world.put('version.proof', await proof());
    await refuses(world, 'LOG_PROOF_INVALID');
  });

  test('a proof with any changed character is refused', async () => {
    const world = await onTuesday();
    const three = [entries.monday, entries.tuesday, entries.thursday];
    const files = await log.published(lists.thursday, three);
    const proof = files.get('version.proof')!;
    const withoutLog = new Map([...files].filter(([name]) => !name.startsWith('log/')));
    for (let at = 0; at < proof.length; at += 7) {
      // With the files of the log, the version would be found in it anyway.
      world.serve(withoutLog);
      world.put(
        'version.proof',
        proof.map((byte, place) => (place === at ? byte ^ 1 : byte)),
      );
      await world.blocklist.sync();
      expect(codeOf(world.blocklist), `${at}`).toMatch(/^LOG_PROOF_(INVALID|MISSING)$/);
    }
    world.serve(files);
    await world.blocklist.sync();
    expect(codeOf(world.blocklist)).toBeUndefined();
  });

  test('a hidden version, signed but not in the log, is refused, whatever of the log is shown with it', async () => {
    const world = await onTuesday();
    world.serve(
      new Map([...(await log.published(lists.thursday, [entries.monday, entries.tuesday, entries.thursday])), ...targeted]),
    );
    await refuses(world, 'LOG_PROOF_INVALID');
  });

  const forks: readonly (readonly [string, (of: typeof entries) => readonly Uint8Array[]])[] = [
    ['forks: another version in place of Tuesday’s', ({ monday, thursday, targeted }) => [monday, thursday, targeted]],
    ['reorders', ({ monday, tuesday, targeted }) => [tuesday, monday, targeted]],
    ['truncates, and goes on from there', ({ monday, thursday, targeted }) => [monday, targeted, thursday]],
    ['truncates to a shorter tree', ({ targeted }) => [targeted]],
    ['inserts', ({ monday, tuesday, thursday, targeted }) => [monday, thursday, tuesday, targeted]],
    ['begins again', ({ targeted, thursday }) => [targeted, thursday, thursday, thursday]],
    ['signs twice: another tree of the same size', ({ monday, targeted }) => [monday, targeted]],
  ];
  test.each(forks)('a log that %s is refused, with both signed checkpoints as evidence', async (_, entriesOf) => {
    const world = await onTuesday();
    const fork = entriesOf(entries);
    world.serve(await log.published(targeted, fork));
    await refuses(world, 'LOG_FORKED');
    const both = [await log.checkpoint([entries.monday, entries.tuesday]), await log.checkpoint(fork)];
    expect([...world.events[0]!.error.checkpoints!].sort()).toEqual(both.sort());
    // The honest log is accepted afterwards.
    world.serve(await log.published(lists.thursday, [entries.monday, entries.tuesday, entries.thursday]));
    await world.blocklist.sync();
    expect(codeOf(world.blocklist)).toBeUndefined();
  });

  test('the memory of the log survives a restart', async () => {
    const { blocklist, client, serve, store } = await onTuesday();
    expect(await storedSize(store, engine)).toBe(2);
    await blocklist.close();
    serve(await log.published(targeted, [entries.monday, entries.targeted, entries.thursday]));
    const again = client();
    const events = heard(again, 'log');
    await again.ready();
    await refuses({ blocklist: again, events }, 'LOG_FORKED');
    expect(await storedSize(store, engine)).toBe(2);
  });

  test('damaged files of a log are no fork', async () => {
    const world = await onTuesday();
    const files = await log.published(lists.thursday, [entries.monday, entries.tuesday, entries.thursday]);
    world.serve(files);
    world.put('log/tile/0/000.p/3', Buffer.alloc(96, 1));
    await refuses(world, 'LOG_PROOF_INVALID');
    world.serve(new Map([...files].filter(([name]) => !name.startsWith('log/'))));
    await world.blocklist.sync();
    expect(codeOf(world.blocklist)).toBe('LOG_PROOF_MISSING');
    world.serve(files);
    world.answer('log/tile/0/000.p/3', { status: 503, body: '' });
    await world.blocklist.sync();
    expect(codeOf(world.blocklist)).toBe('INTERNAL_SERVER_ERROR');
    expect(world.events).toHaveLength(2);
  });

  test('an old copy of list and log is an older list, and no attack on the log', async () => {
    const world = await onTuesday();
    world.serve(await log.published(lists.monday, [entries.monday]));
    await world.blocklist.sync();
    expect(codeOf(world.blocklist)).toBe('OLDER_LIST');
    expect(world.events).toEqual([]);
  });

  test('an old checkpoint is not accepted for a new version', async () => {
    const world = await onTuesday();
    world.serve(new Map([...lists.thursday, ...(await log.tiles([entries.monday, entries.tuesday]))]));
    world.put('version.proof', await log.proof([entries.monday, entries.tuesday], 1));
    await refuses(world, 'LOG_PROOF_INVALID');
  });

  test('an old checkpoint does not lower the memory, even if it holds the version', async () => {
    const world = await onTuesday();
    const three = [entries.monday, entries.tuesday, entries.thursday];
    const tiles = await log.tiles([...three, entries.targeted]);
    world.serve(new Map([...lists.thursday, ...tiles]));
    world.put('version.proof', await log.proof([...three, entries.targeted], 2));
    await world.blocklist.sync();
    expect(await storedSize(world.store, engine)).toBe(4);
    await world.blocklist.close();
    world.put('version.proof', await log.proof(three, 2));
    const again = world.client();
    await again.ready();
    await again.sync();
    expect(codeOf(again)).toBeUndefined();
    expect(await storedSize(world.store, engine)).toBe(4);
  });

  test('between the writing of a proof and of its version, the version before it is found in the log', async () => {
    const host = await attackedHost(lists, true, engine);
    const two = [entries.monday, entries.tuesday];
    host.serve(new Map([...lists.monday, ...(await log.tiles(two))]));
    host.put('version.proof', await log.proof(two, 1));
    host.clock.nowMs = mondayMs + hourMs;
    const blocklist = host.client({ now: () => host.clock.nowMs, log: transparencyLog({ key: own.vkey }) });
    const events = heard(blocklist, 'log');
    await blocklist.ready();
    expect(sequenceOf(blocklist)).toBe(mondayMs);
    host.serve(await log.published(lists.tuesday, two));
    host.clock.nowMs = mondayMs + dayMs;
    await blocklist.sync();
    expect(sequenceOf(blocklist)).toBe(mondayMs + dayMs);
    expect(events).toEqual([]);
  });

  test('two devices that are shown different lists: the one that was deceived notices with the next poll', async () => {
    const honest = await onTuesday();
    const deceived = await onTuesday();
    honest.serve(await log.published(lists.thursday, [entries.monday, entries.tuesday, entries.thursday]));
    deceived.serve(await log.published(targeted, [entries.monday, entries.tuesday, entries.targeted]));
    for (const { blocklist } of [honest, deceived]) await blocklist.sync();
    expect([honest, deceived].map(({ blocklist }) => codeOf(blocklist))).toEqual([undefined, undefined]);
    // Whoever is shown both logs notices, so the attacker must keep them apart for ever. A monitor sees both.
    const [here, there] = [honest.files, deceived.files].map((files) => new Map(files));
    const later = await lists.rotated(mondayMs + 4 * dayMs, [lists.signer]);
    const next = await log.published(later, [entries.monday, entries.tuesday, entries.thursday, payloadOf(later)]);
    for (const { serve, clock } of [honest, deceived]) {
      serve(next);
      clock.nowMs = mondayMs + 4 * dayMs + hourMs;
    }
    for (const { blocklist } of [honest, deceived]) await blocklist.sync();
    expect(honest.events).toEqual([]);
    expect(deceived.events).toMatchObject([{ error: { code: 'LOG_FORKED' } }]);
    expect([here!.size, there!.size].every((size) => size > 0)).toBe(true);
  });

  test('a question about a hit is not answered by a version outside the log', async () => {
    const { blocklist, serve, clock, events } = await onTuesday();
    // Shards of the targeted list would deny the hit.
    serve(await log.published(targeted, [entries.monday, entries.targeted, entries.thursday]));
    clock.nowMs += hourMs;
    expect(await blocklist.check('evil.example')).toMatchObject({ status: 'unconfirmed' });
    expect(events).toMatchObject([{ error: { code: 'LOG_FORKED' } }]);
  });

  test('after a restart, a question about a hit already knows what was seen of the log', async () => {
    const { blocklist, client, serve } = await onTuesday();
    await blocklist.close();
    serve(await log.published(targeted, [entries.monday, entries.targeted, entries.thursday]));
    const again = client();
    await again.ready();
    expect(await again.check('evil.example')).toMatchObject({ status: 'unconfirmed' });
  });

  test('a first list is refused if the log does not have it', async () => {
    const host = await attackedHost(lists, true, engine);
    const blocklist = host.client({ now: () => host.clock.nowMs, log: transparencyLog({ key: own.vkey }) });
    const events = heard(blocklist, 'log');
    await blocklist.ready();
    expect(events).toMatchObject([{ error: { code: 'LOG_PROOF_MISSING' } }]);
    expect(blocklist.test('good.example')).toMatchObject({ status: 'unknown', reason: 'no-list' });
  });

  test('a restored backup knows no more than it did, and a log that kept everything is accepted', async () => {
    const { blocklist, client, serve, store } = await onTuesday();
    const backup = await copyOf(store, engine);
    const three = [entries.monday, entries.tuesday, entries.thursday];
    serve(await log.published(lists.thursday, three));
    await blocklist.sync();
    await blocklist.close();
    expect(await storedSize(store, engine)).toBe(3);
    await restore(store, backup, engine);
    // What it had seen since is forgotten, so this fork is not noticed. docs/security.md says so.
    serve(await log.published(targeted, [entries.monday, entries.tuesday, entries.targeted]));
    const fooled = client();
    await fooled.ready();
    await fooled.sync();
    expect(codeOf(fooled)).toBeUndefined();
    await fooled.close();
    await restore(store, backup, engine);
    // One of what it remembers is.
    serve(await log.published(targeted, [entries.monday, entries.targeted, entries.thursday]));
    const again = client();
    await again.ready();
    await again.sync();
    expect(codeOf(again)).toBe('LOG_FORKED');
  });

  test.each([
    ['with the next version', 'thursday'],
    ['with the same version', 'tuesday'],
  ] as const)('of two clients on one store, the one that has seen less learns what the other saw %s', async (_, version) => {
    const first = await onTuesday();
    const { client, serve, store, blocklist } = first;
    const three = [entries.monday, entries.tuesday, entries.thursday];
    const second = client();
    await second.ready();
    serve(await log.published(lists[version], three));
    await second.sync();
    expect(await storedSize(store, engine)).toBe(3);
    // The first one has Tuesday's list in memory, and is shown Tuesday's folder again.
    serve(await log.published(lists.tuesday, [entries.monday, entries.tuesday]));
    await blocklist.sync();
    expect(await storedSize(store, engine)).toBe(3);
    serve(await log.published(targeted, [entries.monday, entries.tuesday, entries.targeted]));
    await blocklist.sync();
    expect(codeOf(blocklist)).toBe('LOG_FORKED');
    await Promise.all([blocklist.close(), second.close()]);
    const third = client();
    await third.ready();
    await third.sync();
    expect(codeOf(third)).toBe('LOG_FORKED');
  });
});

describe.each(engines)('with witnesses, %s', (engine) => {
  const clock = { nowMs: 0 };
  const witnesses = [1, 2, 3, 4].map((at) =>
    witnessSigner(`witness.example/${at}`, 10 + at, () => Math.floor(clock.nowMs / 1_000)),
  );
  const keys = witnesses.map(({ vkey }) => vkey);

  /** A new device, which remembers nothing, on Thursday. */
  async function shown(
    files: Files,
    some: readonly Uint8Array[],
    cosigners: readonly NoteSigner[],
    options: Partial<TransparencyLogOptions> = {},
    atMs = mondayMs + 3 * dayMs + 2 * hourMs,
  ): Promise<string | undefined> {
    clock.nowMs = mondayMs + 3 * dayMs + hourMs;
    const host = await attackedHost(lists, true, engine);
    host.serve(await log.published(files, some, cosigners));
    host.clock.nowMs = atMs;
    const blocklist = host.client({
      now: () => host.clock.nowMs,
      log: transparencyLog({ key: own.vkey, witnesses: keys, ...options }),
    });
    await blocklist.ready();
    return codeOf(blocklist);
  }

  const honest = (): readonly Uint8Array[] => [entries.monday, entries.tuesday, entries.thursday];
  const fork = (): readonly Uint8Array[] => [entries.monday, entries.tuesday, entries.targeted];

  test('three of four are enough, and one that is unknown or signs twice does not count', async () => {
    const [a, b, c] = witnesses as [NoteSigner, NoteSigner, NoteSigner];
    const stranger = witnessSigner('witness.example/4', 99, () => Math.floor(clock.nowMs / 1_000));
    expect(await shown(lists.thursday, honest(), [a, b, c])).toBeUndefined();
    for (const few of [[], [a], [a, b], [a, b, b, b], [a, b, stranger]])
      expect(await shown(lists.thursday, honest(), few)).toBe('LOG_NOT_WITNESSED');
    expect(await shown(lists.thursday, honest(), [a, b], { quorum: 2 })).toBeUndefined();
  });

  test('one dishonest witness can not make two lists believed, and the default says how many are needed', async () => {
    // Honest witnesses sign one of the two trees, the dishonest one both.
    const [liar, a, b, c] = witnesses as [NoteSigner, NoteSigner, NoteSigner, NoteSigner];
    expect(await shown(lists.thursday, honest(), [liar, a, b, c])).toBeUndefined();
    expect(await shown(targeted, fork(), [liar])).toBe('LOG_NOT_WITNESSED');
    // They could also be split: with three of four only one side reaches the quorum.
    const sides = [await shown(lists.thursday, honest(), [liar, a, b]), await shown(targeted, fork(), [liar, c])];
    expect(sides).toEqual([undefined, 'LOG_NOT_WITNESSED']);
    // Two of three is too few, as the documents say: 2k <= n + b.
    const weak = { witnesses: keys.slice(0, 3), quorum: 2 };
    const both = [await shown(lists.thursday, honest(), [liar, a], weak), await shown(targeted, fork(), [liar, b], weak)];
    expect(both).toEqual([undefined, undefined]);
  });

  test('a wrong signature of a known witness spoils the proof', async () => {
    const [a, b, c] = witnesses as [NoteSigner, NoteSigner, NoteSigner];
    const wrong: NoteSigner = { ...witnesses[3]!, sign: (text) => witnesses[3]!.sign(`${text}x`) };
    expect(await shown(lists.thursday, honest(), [a, b, c, wrong])).toBe('LOG_PROOF_INVALID');
  });

  test('signatures that are too old, or from far ahead of the clock, do not count', async () => {
    const three = witnesses.slice(0, 3);
    const nextWeekMs = mondayMs + 4 * dayMs - hourMs;
    expect(await shown(lists.thursday, honest(), three, { maxAgeMs: 12 * hourMs }, nextWeekMs)).toBe('LOG_NOT_WITNESSED');
    expect(await shown(lists.thursday, honest(), three, { maxAgeMs: 2 * dayMs }, nextWeekMs)).toBeUndefined();
    expect(await shown(lists.thursday, honest(), three, { maxAgeMs: Number.POSITIVE_INFINITY }, nextWeekMs)).toBeUndefined();
    const [a, b] = three as [NoteSigner, NoteSigner];
    const ahead = witnessSigner('witness.example/3', 13, () => Math.floor((mondayMs + 30 * dayMs) / 1_000));
    expect(await shown(lists.thursday, honest(), [a, b, ahead])).toBe('LOG_NOT_WITNESSED');
  });

  test('renewed signatures are fetched before the old ones are too old, although the version is the same', async () => {
    clock.nowMs = mondayMs + dayMs;
    const host = await attackedHost(lists, true, engine);
    const two = [entries.monday, entries.tuesday];
    host.serve(await log.published(lists.tuesday, two, witnesses));
    const blocklist = host.client({
      now: () => host.clock.nowMs,
      log: transparencyLog({ key: own.vkey, witnesses: keys, maxAgeMs: dayMs }),
    });
    await blocklist.ready();
    clock.nowMs += 10 * hourMs;
    host.put('version.proof', await log.proof(two, 1, witnesses));
    for (let hour = 0; hour < 30; hour += 5) {
      host.clock.nowMs = mondayMs + dayMs + hour * hourMs;
      await blocklist.sync();
      expect(codeOf(blocklist), `${hour} hours`).toBeUndefined();
    }
    host.clock.nowMs = mondayMs + dayMs + 35 * hourMs;
    await blocklist.sync();
    expect(codeOf(blocklist)).toBe('LOG_NOT_WITNESSED');
  });

  test('a tree of the size that was seen must be the same one, whoever has signed it', async () => {
    clock.nowMs = mondayMs + dayMs;
    const host = await attackedHost(lists, true, engine);
    host.serve(await log.published(lists.tuesday, [entries.monday, entries.tuesday], witnesses));
    const blocklist = host.client({ now: () => host.clock.nowMs, log: transparencyLog({ key: own.vkey, witnesses: keys }) });
    await blocklist.ready();
    host.clock.nowMs = mondayMs + 3 * dayMs + 2 * hourMs;
    host.serve(await log.published(targeted, [entries.monday, entries.targeted], witnesses));
    await blocklist.sync();
    expect(codeOf(blocklist)).toBe('LOG_FORKED');
  });
});

test('a log of 10,000 versions costs a client little more than a kilobyte for each', async () => {
  const many = Array.from({ length: 10_000 }, (_, at) => Buffer.from(`version ${at}`));
  const witnesses = [1, 2, 3, 4, 5].map((at) => witnessSigner(`witness.example/${at}`, 10 + at, () => 1_800_000_000));
  const sizes = await Promise.all(
    [0, 2, 4, 5].map(async (count) => (await log.proof(many, 9_999, witnesses.slice(0, count))).length),
  );
  expect(sizes[0]).toBeLessThan(1_000);
  expect(sizes[3]).toBeLessThan(1_600);
  expect(readLogProof(Buffer.from(await log.proof(many, 5_000)).toString())!.hashes).toHaveLength(14);
});

test.each([
  [{}, 'key'],
  [{ key: 'lists.example' }, 'key must be the key of a log, as portcullis keygen --log prints it'],
  [{ key: witnessSigner('w.example', 3, () => 0).vkey }, 'key must be the key of a log'],
  [{ key: own.vkey, witnesses: [own.vkey] }, 'witnesses[0] must be the key of a witness'],
  [
    { key: own.vkey, witnesses: [7, 7].map((seed) => witnessSigner('w.example', seed, () => 0).vkey) },
    'witnesses must not contain a key twice',
  ],
  [{ key: own.vkey, witnesses: [witnessSigner('w.example', 7, () => 0).vkey] }, 'quorum must be given with one witness'],
  [{ key: own.vkey, quorum: 1 }, 'quorum must be a whole number from 1 to the number of witnesses'],
  [{ key: own.vkey, witnesses: [witnessSigner('w.example', 7, () => 0).vkey], quorum: 0 }, 'quorum must be a whole number'],
  [{ key: own.vkey, witnesses: [witnessSigner('w.example', 7, () => 0).vkey], quorum: 2 }, 'quorum must be a whole number'],
  [{ key: own.vkey, maxAgeMs: 1 }, 'maxAgeMs must be a number from 60000'],
  [{ key: own.vkey, url: 'log' }, 'url must be a URL without a query'],
  [{ key: own.vkey, witness: [] }, 'there is no option witness; did you mean witnesses?'],
])('transparencyLog(%j) is refused: %s', (options, message) => {
  expect(() => transparencyLog(options as unknown as TransparencyLogOptions)).toThrow(
    expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(message) }),
  );
});

test('a log needs a list that is signed', async () => {
  const host = await attackedHost(lists, false);
  expect(() => host.client({ now: () => host.clock.nowMs, log: transparencyLog({ key: own.vkey }) })).toThrow(
    'log needs publicKeys',
  );
});

type Backup = ReadonlyMap<string, Uint8Array>;

async function copyOf(store: Store, engine: Engine): Promise<Backup> {
  const names = engine === 'full' ? ['head'] : ['light', 'light-state'];
  const copy = new Map<string, Uint8Array>();
  for (const name of names) {
    const bytes = name === 'head' ? (await store.heads('published/head'))[0]!.bytes : (await store.read(`published/${name}`))!;
    copy.set(name, bytes.slice());
  }
  if (engine === 'full') {
    for (const part of ['base', 'recent'])
      for (const name of await store.list(`published/${part}/`)) copy.set(name, (await store.read(name))!);
    const retry = await store.read('published/retry');
    if (retry !== null) copy.set('published/retry', retry);
  }
  return copy;
}

/** A newer head is replaced by the old content under a newer number, as a restored disk would be for a process that starts. */
async function restore(store: Store, backup: Backup, engine: Engine): Promise<void> {
  await store.open();
  for (const [name, bytes] of backup) {
    if (name === 'head') {
      const [newest] = await store.heads('published/head');
      await store.commit('published/head', bytes, newest!.sequence);
    } else await store.write(engine === 'full' ? name : `published/${name}`, bytes);
  }
}
