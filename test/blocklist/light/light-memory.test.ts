import { createLightBlocklist } from 'portcullis/light';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { SeenCheckpoint, Source } from '../../../src/blocklist/model/source.js';
import type { LightStore } from '../../../src/blocklist/model/store.js';
import { hourMs } from '../engine/harness.js';
import { ownSource } from '../engine/own-source.js';
import { withState } from '../stored-values.js';

/** What two open tabs remember of a log, whose source says what it is given. */

const stateName = 'own/light-state';
const clock = { nowMs: Date.UTC(2026, 0, 1) };

function sharedStore() {
  const values = new Map<string, Uint8Array>();
  const store: LightStore = {
    open: async () => {},
    read: async (name) => values.get(name) ?? null,
    write: async (name, bytes, keeps) => {
      const stored = values.get(name);
      if (stored === undefined || keeps?.(stored) !== true) values.set(name, bytes.slice());
    },
    close: async () => {},
  };
  const checkpoint = (): SeenCheckpoint => {
    const bytes = Buffer.from(values.get(stateName)!);
    return JSON.parse(bytes.subarray(36, 36 + bytes.readUInt32BE(32)).toString()).checkpoint;
  };
  return { store, values, checkpoint };
}

const seenAt = (size: number): SeenCheckpoint => ({ log: 'log', size, note: `note ${size}`, sequence: 1 });

function openTab(store: LightStore, shown: () => SeenCheckpoint | Promise<SeenCheckpoint>) {
  const own = ownSource({ snapshot: ['evil.example', 'scam.example'], sequence: 1 });
  const version: Source['version'] = async (call) => ({ ...(await own.version(call)), checkpoint: await shown() });
  const blocklist = createLightBlocklist({ source: { ...own, version }, pollMs: 0, store, now: () => clock.nowMs });
  onTestFinished(() => blocklist.close());
  return blocklist;
}

test('what another tab has seen during a round stays', async () => {
  const { store, checkpoint } = sharedStore();
  let shown: SeenCheckpoint | Promise<SeenCheckpoint> = seenAt(5);
  const tab = openTab(store, () => shown);
  await tab.ready();
  expect(checkpoint().size).toBe(5);
  let release = (_: SeenCheckpoint): void => {};
  shown = new Promise((resolve) => {
    release = resolve;
  });
  clock.nowMs += hourMs;
  const running = tab.sync();
  const other = openTab(store, () => seenAt(9));
  await other.ready();
  await other.sync();
  await other.close();
  // It stores the answer, and reads what the other one has stored.
  expect((await tab.check('evil.example')).status).toBe('blocked');
  await vi.waitFor(() => expect(checkpoint().size).toBe(9));
  release(seenAt(8));
  await running;
  expect(checkpoint().size).toBe(9);
});

test('a memory that was forged while two tabs are open is replaced by their rounds', async () => {
  const { store, values, checkpoint } = sharedStore();
  let size = 5;
  const tabs = [openTab(store, () => seenAt(size)), openTab(store, () => seenAt(size))];
  for (const tab of tabs) await tab.ready();
  const forged = withState('checkpoint', (seen) => ({ ...(seen as SeenCheckpoint), size: 1e15, note: 'forged' }));
  values.set(stateName, forged(stateName, values.get(stateName)!)!);
  for (const tab of [...tabs, ...tabs]) {
    size++;
    clock.nowMs += hourMs;
    await tab.sync();
  }
  expect(checkpoint().note).toBe(`note ${size}`);
});
