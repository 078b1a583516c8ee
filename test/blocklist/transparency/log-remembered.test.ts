import type { Blocklist } from 'portcullis';
import { transparencyLog } from 'portcullis/log';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Store } from '../../../src/blocklist/model/store.js';
import { logSigner, witnessSigner } from '../../support/note-keys.js';
import { payloadOf, TestLog } from '../../support/test-log.js';
import { attackedHost, type Files, type Lists, makeLists, mondayMs } from '../attack-host.js';
import { dayMs, heard, hourMs } from '../engine/harness.js';
import { engines } from '../light/engines.js';
import { withState } from '../stored-values.js';

/** What a device has seen of a log belongs to the log: whatever becomes of the list, the same log must not show another past. */

const own = logSigner('lists.example/hosts', 1);
const next = logSigner('lists.example/hosts-2', 2);
const log = new TestLog(own);
const nextLog = new TestLog(next);
const others = (count: number) => Array.from({ length: count }, (_, at) => new Uint8Array(Buffer.from(`other ${at}`)));
const fridayMs = mondayMs + 4 * dayMs;
let lists: Lists;
/** A list of Friday that only one device shall see. */
let targeted: Files;
beforeAll(async () => {
  lists = await makeLists();
  targeted = await lists.stolen(fridayMs);
});

const codeOf = (blocklist: Blocklist): string | undefined => blocklist.status().sources[0]?.lastError?.code;
const sequenceOf = (blocklist: Blocklist): number | null | undefined => blocklist.status().sources[0]?.list?.sequence;

describe.each(engines)('%s', (engine) => {
  /** A device that has used the list of Tuesday, of a log with ten entries, and was closed. */
  async function used(prepare?: (store: Store) => void) {
    const host = await attackedHost(lists, true, engine);
    const client = (key?: string) =>
      host.client({ now: () => host.clock.nowMs, ...(key !== undefined && { log: transparencyLog({ key }) }) });
    prepare?.(host.store);
    host.serve(await log.published(lists.tuesday, [...others(9), payloadOf(lists.tuesday)]));
    const first = client(own.vkey);
    await first.ready();
    expect([codeOf(first), sequenceOf(first)]).toEqual([undefined, mondayMs + dayMs]);
    await first.close();
    host.clock.nowMs = fridayMs + hourMs;
    return { ...host, client };
  }

  async function afterRound(blocklist: Blocklist) {
    await blocklist.ready();
    await blocklist.sync();
    return [codeOf(blocklist), sequenceOf(blocklist)];
  }

  test('a list that is damaged, or could not be stored', async () => {
    const { serve, store, client } = await used((store) => {
      const write = store.write.bind(store);
      if (engine === 'light')
        Object.assign(store, {
          write: async (name: string, ...rest: [Uint8Array]) =>
            name === 'published/light' ? Promise.reject(new Error('QuotaExceededError')) : write(name, ...rest),
        });
    });
    if (engine === 'full') {
      await store.open();
      for (const name of await store.list('published/base/')) {
        const bytes = (await store.read(name))!.slice();
        bytes[bytes.length - 1]! ^= 1;
        await store.write(name, bytes);
      }
    }
    serve(await log.published(targeted, [payloadOf(targeted)]));
    expect(await afterRound(client(own.vkey))).toEqual(['LOG_FORKED', undefined]);
  });

  test('a key of a new log, whose memory an old one does not replace', async () => {
    const { serve, client } = await used();
    serve(await nextLog.published(lists.thursday, [payloadOf(lists.thursday)]));
    for (let start = 0; start < 2; start++) {
      const blocklist = client(next.vkey);
      expect(await afterRound(blocklist)).toEqual([undefined, mondayMs + 3 * dayMs]);
      await blocklist.close();
    }
    serve(await nextLog.published(targeted, [payloadOf(targeted)]));
    expect(await afterRound(client(next.vkey))).toEqual(['LOG_FORKED', mondayMs + 3 * dayMs]);
  });

  test('a start without the log', async () => {
    const { serve, client } = await used();
    serve(lists.thursday);
    const without = client();
    expect(await afterRound(without)).toEqual([undefined, mondayMs + 3 * dayMs]);
    await without.close();
    serve(await log.published(targeted, [payloadOf(targeted)]));
    expect((await afterRound(client(own.vkey)))[0]).toBe('LOG_FORKED');
  });

  test('a stored list that was in no log is not used once there must be one', async () => {
    const host = await attackedHost(lists, true, engine);
    const options = { now: () => host.clock.nowMs };
    host.clock.nowMs = fridayMs + hourMs;
    host.serve(targeted);
    const without = host.client(options);
    expect(await afterRound(without)).toEqual([undefined, fridayMs]);
    await without.close();
    host.serve(await log.published(lists.thursday, [payloadOf(lists.thursday)]));
    const blocklist = host.client({ ...options, log: transparencyLog({ key: own.vkey }) });
    expect(await afterRound(blocklist)).toEqual([undefined, mondayMs + 3 * dayMs]);
  });

  test.each([0, 4])('a slower copy of the host is older, and no fork: with %i witnesses', async (count) => {
    const witnesses = Array.from({ length: count }, (_, at) =>
      witnessSigner(`witness.example/${at}`, 10 + at, () => Math.floor(mondayMs / 1_000)),
    );
    const host = await attackedHost(lists, true, engine);
    const old = [...others(3), payloadOf(lists.tuesday)];
    const slow = await log.published(lists.tuesday, old, witnesses);
    const quick = await log.published(lists.thursday, [...old, payloadOf(lists.thursday)], witnesses);
    const client = () => {
      const keys = count === 0 ? {} : { witnesses: witnesses.map(({ vkey }) => vkey) };
      const blocklist = host.client({ now: () => host.clock.nowMs, log: transparencyLog({ key: own.vkey, ...keys }) });
      return { blocklist, events: heard(blocklist, 'log') };
    };
    host.serve(slow);
    const one = client();
    const two = client();
    await one.blocklist.ready();
    await two.blocklist.ready();
    host.clock.nowMs = mondayMs + 3 * dayMs + hourMs;
    host.serve(quick);
    // A question of the first one reaches the quick copy, and a round of the second.
    await one.blocklist.check('evil.example');
    await two.blocklist.sync();
    host.clock.nowMs += hourMs;
    host.serve(slow);
    for (const { blocklist } of [one, two, one]) await blocklist.sync();
    expect([one.events, two.events]).toEqual([[], []]);
    expect(codeOf(two.blocklist)).toBe('OLDER_LIST');
    host.serve(quick);
    host.clock.nowMs += hourMs;
    await one.blocklist.sync();
    expect([codeOf(one.blocklist), sequenceOf(one.blocklist)]).toEqual([undefined, mondayMs + 3 * dayMs]);
  });

  test.each<[string, boolean, (seen: object) => unknown]>([
    ['is nothing', true, () => null],
    ['is a number', true, () => 5],
    ['has other fields', true, () => ({ log: 1, size: 'x', note: {}, sequence: null })],
    ['is nothing, and no log is demanded', false, () => null],
    ['has a size that its note does not have', true, (seen) => ({ ...seen, size: 1e15, note: 'forged' })],
    ['has a sequence that no version has', true, (seen) => ({ ...seen, sequence: 9e15 })],
  ])('a memory in the store that %s harms one round at most', async (_, hasLog, forge) => {
    const { serve, store, client } = await used();
    const key = hasLog ? own.vkey : undefined;
    await store.open();
    const harm = withState('checkpoint', forge);
    for (const name of await store.list('published/')) await store.write(name, harm(name, (await store.read(name))!)!);
    serve(await log.published(lists.thursday, [...others(9), payloadOf(lists.tuesday), payloadOf(lists.thursday)]));
    for (let start = 0; start < 2; start++) {
      const blocklist = client(key);
      const errors = heard(blocklist, 'error');
      expect(await afterRound(blocklist)).toEqual([undefined, mondayMs + 3 * dayMs]);
      expect(errors).toEqual([]);
      await blocklist.close();
    }
    if (!hasLog) return;
    serve(await log.published(targeted, [payloadOf(targeted)]));
    expect((await afterRound(client(key)))[0]).toBe('LOG_FORKED');
  });

  test('every refusal keeps what the log has signed as evidence, and is the same event twice', async () => {
    const { serve, client } = await used();
    const blocklist = client(own.vkey);
    await blocklist.ready();
    const [errors, events] = [heard(blocklist, 'error'), heard(blocklist, 'log')];
    const fork = await log.published(targeted, [...others(10), payloadOf(targeted)]);
    const withheld = new Map([...fork].filter(([name]) => !name.startsWith('log/')));
    const honest = await log.tiles([...others(9), payloadOf(lists.tuesday), payloadOf(lists.thursday)]);
    for (const files of [withheld, new Map([...fork, ...honest]), fork]) {
      serve(files);
      await blocklist.sync();
    }
    expect(events.map(({ error }) => error.code)).toEqual(['LOG_PROOF_MISSING', 'LOG_PROOF_INVALID', 'LOG_FORKED']);
    for (const { error } of events) expect(error.checkpoints?.map((note) => note.split('\n')[1])).toEqual(['10', '11']);
    expect(events.map(({ where, error }) => [where, error])).toEqual(errors.map(({ where, error }) => [where, error]));
  });
});
