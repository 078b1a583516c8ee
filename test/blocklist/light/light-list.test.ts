import { sha256 } from '@noble/hashes/sha2.js';
import { createBlocklist, expressionsOf } from 'portcullis';
import { decodeArtifact } from 'portcullis/assets';
import { allFamilies } from 'portcullis/core';
import {
  createLightBlocklist,
  type LightOptions,
  type LightStore,
  lightPublishedSource,
  lightRelaySource,
} from 'portcullis/light';
import { buildList } from 'portcullis/publish';
import { publishedSource } from 'portcullis/sources';
import { memoryStore } from 'portcullis/stores';
import { describe, expect, onTestFinished, test } from 'vitest';
import { away, minuteMs } from '../engine/harness.js';
import { type OwnOptions, ownSource } from '../engine/own-source.js';
import { filesOf, hosting, listening, relaying } from '../sources/harness.js';

function light(list: OwnOptions = {}, options: Partial<LightOptions> = {}) {
  const clock = { nowMs: Date.UTC(2026, 0, 1) };
  const source = ownSource({ snapshot: ['evil.example', 'scam.example'], sequence: 1, ...list });
  const open = (more: Partial<LightOptions> = {}) => {
    const blocklist = createLightBlocklist({ source, pollMs: 0, now: () => clock.nowMs, ...options, ...more });
    onTestFinished(() => blocklist.close());
    return blocklist;
  };
  return { clock, source, open, blocklist: open() };
}

async function ready(...args: Parameters<typeof light>) {
  const started = light(...args);
  await started.blocklist.ready();
  return started;
}

const blocked = { status: 'blocked', reason: 'confirmed', action: 'block', source: 'own' };

/** Compares as \`lightStore\` does, in memory. */
function comparingStore(): LightStore & { readonly values: Map<string, Uint8Array> } {
  const values = new Map<string, Uint8Array>();
  return {
    values,
    open: async () => {},
    read: async (name) => values.get(name) ?? null,
    write: async (name, bytes, keeps) => {
      const stored = values.get(name);
      if (stored === undefined || !keeps?.(stored)) values.set(name, bytes.slice());
    },
    close: async () => {},
  };
}

test('reads every type with `allFamilies`, and without them refuses to know', async () => {
  const texts = [
    'https://t.me/scam_mint',
    'https://linktr.ee/scam',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    '0x52908400098527886E0F7030069857D2E4169EE7',
    'help@scam-mint.test',
    '+44 7700 900123',
    'scam-mint.eth',
  ];
  const { blocklist, open } = light({ snapshot: texts.map((text) => expressionsOf(text)[0]!) }, { families: allFamilies });
  await blocklist.sync();
  for (const text of texts) expect(await blocklist.check(text), text).toMatchObject(blocked);
  const bare = open({ families: [] });
  await bare.sync();
  expect((await bare.check(texts[2]!)).status).toBe('unknown');
});

describe('stored values', () => {
  test.each(['own/light', 'own/light-state'])(
    'damage of any byte of %s is noticed, and the list is fetched again',
    async (name) => {
      const store = comparingStore();
      const { open, source, blocklist } = await ready({}, { store });
      await blocklist.check('evil.example');
      await blocklist.close();
      const whole = store.values.get(name)!;
      for (const at of [0, 20, 33, 36, 50, whole.length - 1]) {
        store.values.set(
          name,
          whole.map((byte, place) => (place === at ? byte ^ 1 : byte)),
        );
        const damaged: string[] = [];
        const again = open();
        again.on('damaged', (event) => damaged.push(event.name));
        source.calls.length = 0;
        await again.ready();
        expect(damaged).toEqual([name]);
        expect(source.calls.includes('snapshot')).toBe(name === 'own/light');
        expect(again.status().nextSyncAtMs).toBeGreaterThanOrEqual(0);
        expect(await again.check('evil.example')).toMatchObject(blocked);
        await again.close();
      }
    },
  );

  test.each([0, 10, 36, 60])('a value cut to %i bytes is noticed', async (length) => {
    const store = comparingStore();
    const { open, blocklist } = await ready({}, { store });
    await blocklist.close();
    store.values.set('own/light', store.values.get('own/light')!.slice(0, length));
    const again = open();
    await again.ready();
    expect(await again.check('evil.example')).toMatchObject(blocked);
  });

  test('a tab with an older list does not replace the newer one', async () => {
    const store = comparingStore();
    const older = light({ snapshotToken: 'old' }, { store });
    const newer = light({ snapshotToken: 'new', sequence: 2, snapshot: ['new.example'] }, { store });
    await Promise.all([older.blocklist.ready(), newer.blocklist.ready()]);
    older.source.list.snapshotToken = 'old-again';
    await older.blocklist.sync();
    await Promise.all([older.blocklist.close(), newer.blocklist.close()]);
    older.source.before = away;
    const again = older.open();
    await again.ready();
    expect(again.status().list?.sequence).toBe(2);
    expect(again.test('new.example').status).not.toBe('clear');
  });
});

describe('rounds', () => {
  test.each<[string, OwnOptions]>([
    ['entries of 8 bytes', { whole: true }],
    ['allowed entries', { allow: ['evil.example'] }],
  ])('%s are refused, and the message says what holds them', async (_, list) => {
    const { blocklist } = light(list);
    expect(await blocklist.sync()).toMatchObject({
      error: { code: 'INVALID_ARTIFACT', message: expect.stringContaining('createBlocklist') },
    });
    expect(blocklist.test('evil.example')).toMatchObject({ status: 'unknown', reason: 'no-list' });
  });
});

test.each([true, false])('whole hashes of confirmed hits are stored only if they may be: %s', async (storesAnswers) => {
  const store = comparingStore();
  const { blocklist, open, clock } = await ready({}, { store, storesAnswers });
  expect(await blocklist.check('evil.example')).toMatchObject(blocked);
  await blocklist.close();
  const [first] = expressionsOf('evil.example');
  const hash = Buffer.from(sha256(new TextEncoder().encode(first))).toString('hex');
  const isStored = [...store.values.values()].some((value) => Buffer.from(value).toString('hex').includes(hash));
  expect(isStored).toBe(storesAnswers);
  clock.nowMs += minuteMs;
  const again = open();
  await again.ready();
  expect(again.test('evil.example').status).toBe(storesAnswers ? 'blocked' : 'unconfirmed');
  expect(await again.check('evil.example')).toMatchObject(blocked);
});

test('the sources of the light entry also fit createBlocklist, which stores their sets', async () => {
  const files = filesOf(await buildList(['evil.example'], { isPublicSuffix: () => false, now: () => Date.now() - minuteMs }));
  const { origin } = await hosting(files);
  const store = memoryStore();
  for (const isFirst of [true, false]) {
    const blocklist = createBlocklist({ sources: [lightPublishedSource({ url: origin })], store, pollMs: 0 });
    await blocklist.ready();
    expect(await blocklist.check('evil.example')).toMatchObject({ status: 'blocked' });
    expect(blocklist.status().sources[0]).toMatchObject({ isStored: true, lastError: null });
    if (isFirst) expect(blocklist.test('good.example').status).toBe('clear');
    await blocklist.close();
  }
});

test('a light list takes the sources of portcullis/sources', async () => {
  const files = filesOf(await buildList(['evil.example'], { isPublicSuffix: () => false, now: () => Date.now() - minuteMs }));
  const { origin } = await hosting(files);
  const blocklist = createLightBlocklist({ source: publishedSource({ url: origin }), pollMs: 0 });
  onTestFinished(() => blocklist.close());
  await blocklist.ready();
  expect(await blocklist.check('evil.example')).toMatchObject({ status: 'blocked' });
});

test.each([
  [null, 'options must be an object'],
  [undefined, 'source must be a source, such as lightPublishedSource'],
  [{ source: ownSource(), pollMs: 5 }, 'pollMs must be a number from 1000'],
  [{ source: ownSource(), maxAgeMs: 5 }, 'maxAgeMs must be a number from 60000'],
  [{ source: ownSource(), deadlineMs: -1 }, 'deadlineMs must be a number from 0'],
])('options %j are refused', (options, message) => {
  expect(() => createLightBlocklist(options as LightOptions)).toThrow(message);
});

test.each(['http://list.example/', 'https://user@list.example/', 'https://list.example/?a', 'list.example', 'file:///list'])(
  'the address %s is refused',
  (baseUrl) => expect(() => lightRelaySource({ baseUrl })).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' })),
);

describe('over a relay', () => {
  test('blocks what the service lists, and clears what it does not', async () => {
    const { url } = await listening();
    const source = lightRelaySource({ baseUrl: `${await relaying(url)}/list` });
    const blocklist = createLightBlocklist({ source, pollMs: 0 });
    onTestFinished(() => blocklist.close());
    await blocklist.ready();
    expect(await blocklist.check('https://login.scam-mint.example/')).toMatchObject({ status: 'blocked', reason: 'confirmed' });
    expect(await blocklist.check('https://example.com/')).toMatchObject({ status: 'clear' });
  });

  test('reads files in another encoding with a decoder that is handed in', async () => {
    const { url } = await listening({ encoding: 'hex' });
    const baseUrl = `${await relaying(url)}/list`;
    const statusWith = async (options = {}) => {
      const blocklist = createLightBlocklist({ source: lightRelaySource({ baseUrl, ...options }), pollMs: 0 });
      await blocklist.ready();
      const { status } = await blocklist.check('scam-mint.example');
      await blocklist.close();
      return status;
    };
    expect(await statusWith()).toBe('unknown');
    expect(await statusWith({ decode: decodeArtifact })).toBe('blocked');
  });
});
