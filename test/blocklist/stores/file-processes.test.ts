import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/blocklist/model/store.js';
import { fileStore } from '../../../src/blocklist/stores/file-store.js';
import { isDeep } from '../../support/setup.js';
import { folders } from './processes.js';
import { lockStaleMs } from './tasks.js';

const { next, start } = folders();

async function opened(directory: string): Promise<Store> {
  const store = fileStore({ directory, lockStaleMs, watchPollMs: 20 });
  await store.open();
  return store;
}

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
