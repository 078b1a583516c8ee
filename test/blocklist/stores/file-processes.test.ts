import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { decodeRecord, encodeRecord } from '../../../src/blocklist/formats/record.js';
import type { Store } from '../../../src/blocklist/store.js';
import { fileStore } from '../../../src/blocklist/stores/file-store.js';
import { isDeep } from '../../support/setup.js';
import { stride } from '../sampling.js';
import { folders } from './processes.js';
import { lockStaleMs, sizes } from './tasks.js';

const { next, start } = folders();

async function opened(directory: string): Promise<Store> {
  const store = fileStore({ directory, lockStaleMs, watchPollMs: 20 });
  await store.open();
  return store;
}

/** The byte that fills the record. Fails unless it is a whole record of that size. */
function fillOf(bytes: Uint8Array | null | undefined, size: number): number {
  const payload = decodeRecord('set', bytes ?? new Uint8Array());
  expect(payload).toHaveLength(size);
  expect(payload.every((byte) => byte === payload[0])).toBe(true);
  return payload[0]!;
}

const set = (size: number, fill: number): Uint8Array => encodeRecord('set', new Uint8Array(size).fill(fill));

/** The newest head. Fails unless its values are whole. */
async function newestOf(store: Store): Promise<{ sequence: number; fill: number }> {
  const [head] = await store.heads('list/head');
  const fill = decodeRecord('head', head!.bytes)[0]!;
  expect(fillOf(await store.read(`list/base/${fill}`), sizes.base)).toBe(fill);
  fillOf(await store.read('list/recent'), sizes.recent);
  return { sequence: head!.sequence, fill };
}

describe('a killed process', () => {
  test.each([false, true])(
    'keeps the old or the new list, and everything it acknowledged, whichever file system call of a save it dies at (half of a write done: %s)',
    async (half) => {
      const before = next();
      const old = await opened(before);
      await old.write('list/base/1', set(sizes.base, 1));
      await old.write('list/recent', set(sizes.recent, 1));
      await old.commit('list/head', encodeRecord('head', Uint8Array.of(1)), 0);
      await old.close();
      let killed = 0;
      for (let dieAt = 0; ; dieAt += stride(12)) {
        const directory = next();
        cpSync(before, directory, { recursive: true });
        const child = start(directory, { kind: 'save', fill: 2, dieAt, half });
        const how = await child.ended;
        const store = await opened(directory);
        const { sequence, fill } = await newestOf(store);
        expect([1, 2]).toContain(sequence);
        expect(fill).toBe(sequence);
        if (child.lines.includes('base')) fillOf(await store.read('list/base/2'), sizes.base);
        if (child.lines.includes('recent')) expect(fillOf(await store.read('list/recent'), sizes.recent)).toBe(2);
        if (child.lines.includes('head 2')) expect(sequence).toBe(2);
        // The next save succeeds despite the leftovers.
        await store.write('list/base/3', set(sizes.base, 3));
        expect(await store.commit('list/head', encodeRecord('head', Uint8Array.of(3)), sequence)).toBe(true);
        expect(await newestOf(store)).toEqual({ sequence: sequence + 1, fill: 3 });
        await store.close();
        if (how === 0) break;
        expect(how).toBe('SIGKILL');
        killed++;
      }
      // Three writes of eight calls or more each, the lock, the opening.
      expect(killed).toBeGreaterThan(35 / stride(12));
    },
  );

  test('loses nothing it acknowledged, even if killed repeatedly at any time', async () => {
    const directory = next();
    const rounds = isDeep ? 50 : 3;
    let acknowledged = 0;
    for (let round = 0; round < rounds; round++) {
      const child = start(directory, { kind: 'save-on' });
      await child.printed(3);
      await sleep(Math.random() * 60);
      child.process.kill('SIGKILL');
      expect(await child.ended).toBe('SIGKILL');
      const heads = child.lines.filter((line) => line.startsWith('head ')).map((line) => Number(line.slice(5)));
      expect(heads).toEqual(heads.map((_, at) => acknowledged + 1 + at));
      const store = await opened(directory);
      const { sequence, fill } = await newestOf(store);
      expect(fill).toBe(sequence % 256);
      // The last commit may be complete but not acknowledged.
      const last = heads.at(-1) ?? acknowledged;
      expect([last, last + 1]).toContain(sequence);
      acknowledged = sequence;
      await store.close();
    }
    expect(acknowledged).toBeGreaterThanOrEqual(rounds);
    expect(readdirSync(directory).filter((file) => file.startsWith('head-')).length).toBeLessThanOrEqual(33);
  });
});

describe('several processes', () => {
  test('race: each sequence has one winner, and a watcher is notified', async () => {
    const directory = next();
    const store = await opened(directory);
    const told: string[] = [];
    store.watch!((name) => told.push(name));
    const commits = isDeep ? 60 : 20;
    const children = [1, 2, 3].map(() => start(directory, { kind: 'race', commits }));
    for (const child of children) expect(await child.ended).toBe(0);
    const won = children.flatMap(({ lines }) => lines.map(Number)).sort((a, b) => a - b);
    expect(won).toEqual(Array.from({ length: 3 * commits }, (_, at) => at + 1));
    const [newest] = await store.heads('list/head');
    expect(newest).toEqual({ sequence: 3 * commits, bytes: Uint8Array.of(3 * commits) });
    await expect.poll(() => told).toContain('list/head');
    await store.close();
  });

  test('hold the lock one at a time', async () => {
    const directory = next();
    const log = next();
    const rounds = 15;
    const children = [1, 2, 3].map(() => start(directory, { kind: 'lock', log, rounds }));
    for (const child of children) expect(await child.ended).toBe(0);
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    expect(lines).toHaveLength(2 * 3 * rounds);
    for (let at = 0; at < lines.length; at += 2) expect(lines[at + 1]).toBe(lines[at]!.replace('in', 'out'));
    expect(readdirSync(directory).filter((file) => file.startsWith('lock-'))).toHaveLength(1);
  });

  // Both tests mostly wait.
  test.concurrent('the lock of a killed holder is taken over once the holder counts as dead', async () => {
    const directory = next();
    const holder = start(directory, { kind: 'hold' });
    await holder.printed(1);
    const store = await opened(directory);
    let ran = false;
    const locked = store.lock!(async () => {
      ran = true;
    });
    // The holder is alive, so the lock is not taken over.
    await sleep(3 * lockStaleMs);
    expect(ran).toBe(false);
    holder.process.kill('SIGKILL');
    await holder.ended;
    const killedAtMs = performance.now();
    await locked;
    expect(performance.now() - killedAtMs).toBeGreaterThan(lockStaleMs / 2);
    await store.close();
  });

  test.concurrent('a holder that was stopped and wakes up does not end the lock of another', async () => {
    const directory = next();
    const holder = start(directory, { kind: 'hold' });
    await holder.printed(1);
    holder.process.kill('SIGSTOP');
    const [one, two] = [await opened(directory), await opened(directory)];
    let release: () => void = () => {};
    const holding = new Promise<void>((inside) => {
      void one.lock!(() => {
        inside();
        return new Promise<void>((resolve) => {
          release = resolve;
        });
      });
    });
    await holding;
    holder.process.kill('SIGCONT');
    holder.process.stdin?.write('\n');
    expect(await holder.ended).toBe(0);
    expect(holder.lines).toEqual(['held', 'released']);
    let ran = false;
    const waiting = two.lock!(async () => {
      ran = true;
    });
    await sleep(2 * lockStaleMs);
    expect(ran).toBe(false);
    release();
    await waiting;
    await one.close();
    await two.close();
  });
});
