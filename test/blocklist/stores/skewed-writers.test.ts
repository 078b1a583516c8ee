import { createBlocklist } from 'portcullis';
import { textSource } from 'portcullis/sources';
import { expect, onTestFinished, test } from 'vitest';
import type { Store } from '../../../src/blocklist/model/store.js';
import { decodeHeads, encodeHeads, pointerIn } from '../../../src/blocklist/stores/chunk-format.js';
import { memoryStore } from '../../../src/blocklist/stores/memory-store.js';

const hourMs = 3_600_000;

test.each([
  ['three hours ahead', 3, false],
  ['three hours ahead, with a store that has a clock', 3, true],
  ['three hours behind, with a store that has a clock', -3, true],
])('a writer that is slow, with a clock %s, loses none of its sets to another one', async (_, hours, hasClock) => {
  const shared = memoryStore();
  const events: string[] = [];
  const member = (store: Partial<Store>, skewMs = 0) => {
    const blocklist = createBlocklist({
      sources: [textSource({ id: 'own', text: 'listed.example\n' })],
      store: {
        ...shared,
        ...(hasClock && { now: async () => Date.now() }),
        lock: (run) => run(),
        close: async () => {},
        ...store,
      },
      pollMs: 0,
      now: () => Date.now() + skewMs,
    });
    blocklist.on('damaged', ({ name }) => void events.push(`damaged ${name}`));
    onTestFinished(() => blocklist.close());
    return blocklist;
  };

  let release = (): void => {};
  let arrive = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const slow = member(
    {
      async commit(...args) {
        arrive();
        await released;
        return shared.commit(...args);
      },
    },
    hours * hourMs,
  );
  const isSlowReady = slow.ready();
  await arrived;
  await member({}).ready();
  release();
  await isSlowReady;
  await slow.sync();
  const last = member({});
  await last.ready();
  expect((await last.check('https://listed.example/')).status).toBe('blocked');
  expect(events).toEqual([]);
});

test('heads with a negative sequence are damaged, so that a commit replaces them', () => {
  const bytes = encodeHeads([{ sequence: -1, bytes: Uint8Array.of(1) }]);
  expect(() => decodeHeads(bytes)).toThrow(expect.objectContaining({ code: 'INVALID_ARTIFACT' }));
});

test('a pointer to more chunks than its length can fill is none', () => {
  expect(pointerIn('a-b 999999 12')).toBeNull();
  expect(pointerIn('a-b 2 1025')).toEqual({ generation: 'a-b', count: 2, length: 1025 });
});
