import { type GatewayKeys, generateGatewayKeys, obliviousGateway } from 'portcullis/ohttp';
import { expect, test } from 'vitest';
import { readKeyList } from '../../../src/core/ohttp/key-list.js';

const dayMs = 86_400_000;
const startMs = 1_800_000_000_000;

test('a new file has one key, which the list names', async () => {
  const { keys, keyList } = await generateGatewayKeys({ now: () => startMs });
  expect(keys).toEqual({
    format: 'portcullis-ohttp-keys-1',
    keys: [
      {
        id: expect.any(Number),
        privateKey: expect.stringMatching(/^[\w+/]{43}=$/),
        publicKey: expect.stringMatching(/^[\w+/]{43}=$/),
        createdAtMs: startMs,
        notAfterMs: null,
      },
    ],
  });
  const [key] = keys.keys;
  expect(readKeyList(keyList)).toEqual([{ id: key!.id, publicKey: new Uint8Array(Buffer.from(key!.publicKey, 'base64')) }]);
  expect((await obliviousGateway({ keys: JSON.stringify(keys) })).keyList()).toEqual(keyList);
});

test('a rotation adds a key, gives the older ones a time, and drops those whose time is over', async () => {
  const first = await generateGatewayKeys({ now: () => startMs });
  const second = await generateGatewayKeys({ previous: first.keys, now: () => startMs + 30 * dayMs });
  const [newest, older] = second.keys.keys;
  expect(second.keys.keys.length).toBe(2);
  expect(older).toEqual({ ...first.keys.keys[0], notAfterMs: startMs + 37 * dayMs });
  expect([newest!.notAfterMs, newest!.id]).toEqual([null, (older!.id + 1) % 256]);
  // A second rotation does not lengthen the time of the first key.
  const third = await generateGatewayKeys({ previous: second.keys, now: () => startMs + 31 * dayMs, overlapMs: dayMs });
  expect(third.keys.keys.map(({ notAfterMs }) => notAfterMs)).toEqual([null, startMs + 32 * dayMs, startMs + 37 * dayMs]);
  const fourth = await generateGatewayKeys({ previous: third.keys, now: () => startMs + 40 * dayMs });
  expect(fourth.keys.keys.map(({ createdAtMs }) => (createdAtMs - startMs) / dayMs)).toEqual([40, 31]);
});

test('ids are distinct, and come round', async () => {
  const made = await generateGatewayKeys({ now: () => startMs });
  const [key] = made.keys.keys;
  const previous: GatewayKeys = {
    ...made.keys,
    keys: [
      { ...key!, id: 255 },
      { ...key!, id: 0 },
    ],
  };
  expect((await generateGatewayKeys({ previous, now: () => startMs })).keys.keys.map(({ id }) => id)).toEqual([1, 255, 0]);
});

test('refuses more keys than a gateway keeps', async () => {
  let { keys } = await generateGatewayKeys({ now: () => startMs });
  for (let i = 1; i < 8; i++) keys = (await generateGatewayKeys({ previous: keys, now: () => startMs })).keys;
  expect(new Set(keys.keys.map(({ id }) => id)).size).toBe(8);
  await expect(generateGatewayKeys({ previous: keys, now: () => startMs })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  expect((await generateGatewayKeys({ previous: keys, now: () => startMs + 7 * dayMs })).keys.keys.length).toBe(2);
});

test('refuses what is no key file, and repeats nothing of it', async () => {
  const { keys } = await generateGatewayKeys();
  const [key] = keys.keys;
  const other = (await generateGatewayKeys()).keys.keys[0]!;
  const withKey = (changes: object): unknown => ({ ...keys, keys: [{ ...key, ...changes }] });
  const wrong: unknown[] = [
    undefined,
    null,
    7,
    '',
    '{"format":"portcullis-ohttp-keys-1","keys":[',
    'secret-of-a-file',
    {},
    [],
    { ...keys, format: 'x' },
    { ...keys, keys: [] },
    { ...keys, keys: {} },
    { ...keys, keys: [key, key] },
    { ...keys, keys: Array.from({ length: 20 }, (_, id) => ({ ...key, id })) },
    ...[-1, 256, 1.5, '1', null].map((id) => withKey({ id })),
    ...['', 'secret', `${key!.privateKey}AAAA`, 7, null].flatMap((bytes) => [
      withKey({ privateKey: bytes }),
      withKey({ publicKey: bytes }),
    ]),
    ...['2026', Number.NaN, -1, undefined].flatMap((time) => [withKey({ createdAtMs: time }), withKey({ notAfterMs: time })]),
    // Halves of different pairs.
    withKey({ publicKey: other.publicKey }),
  ];
  for (const given of wrong) {
    const error = await obliviousGateway({ keys: given as GatewayKeys }).catch((cause: unknown) => cause);
    expect(error, JSON.stringify(given)).toMatchObject({ code: 'INVALID_INPUT' });
    expect((error as Error).message).not.toMatch(/secret/);
    expect((error as Error).message).not.toContain(key!.privateKey.slice(0, 8));
  }
});
