import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { decodeRecord, encodeRecord } from '../../../src/blocklist/formats/record.js';
import type { Store } from '../../../src/blocklist/model/store.js';
import { fileStore } from '../../../src/blocklist/stores/file-store.js';
import { keyValueStore } from '../../../src/blocklist/stores/key-value-store.js';
import { isPortcullisError } from '../../../src/core/errors.js';
import { adapterOf, newDevice } from './rows.js';

const folder = mkdtempSync(join(tmpdir(), 'damage-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The raw data of a value or of the heads, to be damaged. */
interface Device {
  readonly store: Store;
  read(part: string): Uint8Array;
  spoil(part: string, bytes: Uint8Array): void;
}

const payload = Uint8Array.from({ length: 41 }, (_, at) => at * 5);

const devices: Record<string, () => Device> = {
  'a file': () => {
    const pathOf = (part: string): string => join(folder, readdirSync(folder).find((file) => file.includes(part)) ?? part);
    return {
      store: fileStore({ directory: folder }),
      read: (part) => readFileSync(pathOf(part)),
      spoil: (part, bytes) => writeFileSync(pathOf(part), bytes),
    };
  },
  'a row': () => {
    const device = newDevice();
    const keyOf = (part: string): string => [...device.rows.keys()].find((key) => key.includes(part)) ?? part;
    return {
      store: keyValueStore(adapterOf(device, true)),
      read: (part) => Buffer.from(device.rows.get(keyOf(part))!, 'latin1'),
      spoil: (part, bytes) => void device.rows.set(keyOf(part), Buffer.from(bytes).toString('latin1')),
    };
  },
};

function* spoiled(whole: Uint8Array): Generator<Uint8Array> {
  for (let length = 0; length < whole.length; length++) yield whole.slice(0, length);
  for (let bit = 0; bit < 8 * whole.length; bit++) {
    const bytes = whole.slice();
    bytes[bit >> 3]! ^= 1 << (bit & 7);
    yield bytes;
  }
  yield new Uint8Array([...whole, 0]);
  yield new Uint8Array(whole.length);
}

describe.each(Object.entries(devices))('%s truncated at any length, or with any bit flipped', (_, make) => {
  test('is detected as damaged, and can be replaced', async () => {
    const { store, read, spoil } = make();
    await store.open();
    await store.write('some/set', encodeRecord('set', payload));
    const whole = Uint8Array.from(read('some'));
    let refused = 0;
    for (const bytes of spoiled(whole)) {
      spoil('some', bytes);
      try {
        expect(decodeRecord('set', (await store.read('some/set'))!)).toEqual(payload);
      } catch (error) {
        if (!isPortcullisError(error)) throw error;
        expect(error.code).toBe('INVALID_ARTIFACT');
        refused++;
      }
    }
    expect(refused).toBeGreaterThanOrEqual(9 * whole.length - 4);
    await store.write('some/set', encodeRecord('set', payload));
    expect(decodeRecord('set', (await store.read('some/set'))!)).toEqual(payload);
    await store.close();
  });
});

test('a damaged newest head leaves the previous one readable, and its sequence is not reused', async () => {
  const { store, read, spoil } = devices['a file']!();
  await store.open();
  await store.commit('line', encodeRecord('head', Uint8Array.of(1)), 0);
  await store.commit('line', encodeRecord('head', payload), 1);
  const whole = Uint8Array.from(read('line.2'));
  for (const bytes of spoiled(whole)) {
    spoil('line.2', bytes);
    const [newest, before] = await store.heads('line');
    expect(() => decodeRecord('head', newest!.bytes)).toThrow(expect.objectContaining({ code: 'INVALID_ARTIFACT' }));
    expect(decodeRecord('head', before!.bytes)).toEqual(Uint8Array.of(1));
  }
  expect(await store.commit('line', encodeRecord('head', payload), 1)).toBe(false);
  expect(await store.commit('line', encodeRecord('head', payload), 2)).toBe(true);
  await store.close();
});
