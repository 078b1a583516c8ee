import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Store } from '../../../src/blocklist/model/store.js';
import { type FileStoreOptions, fileStore } from '../../../src/blocklist/stores/file-store.js';
import type { FileSystem } from '../../../src/blocklist/stores/file-system.js';
import { folders } from './processes.js';
import { bytesOf, shown } from './rows.js';
import { systemError, watchedFileSystem } from './watched-file-system.js';

const { next, start } = folders();

async function opened(directory: string, options: Partial<FileStoreOptions> = {}): Promise<Store> {
  const store = fileStore({ directory, lockStaleMs: 500, watchPollMs: 20, ...options });
  await store.open();
  onTestFinished(() => store.close());
  return store;
}

const leftovers = (directory: string): string[] => readdirSync(directory).filter((file) => file.startsWith('temporary-'));

interface SmallDisk {
  readonly directory: string;
  readonly fileSystem?: FileSystem;
  fill(): void;
  free(): void;
  readOnly(is: boolean): void;
}

const diskBytes = 256 * 1024;

/** A small disk if mounting is allowed, else a file system that behaves like one. */
function smallDisk(): SmallDisk {
  const place = next();
  mkdirSync(place);
  const directory = join(place, 'lists');
  const done = (command: string, ...parameters: string[]): boolean => spawnSync(command, [...parameters, place]).status === 0;
  if (done('mount', '-t', 'tmpfs', '-o', `size=${diskBytes}`, 'tmpfs')) {
    onTestFinished(() => void done('umount'));
    const filler = join(place, 'filler');
    return {
      directory,
      fill: () => {
        for (const size of [4096, 1]) {
          try {
            for (;;) appendFileSync(filler, bytesOf(size, 1));
          } catch {
            // The disk is full.
          }
        }
      },
      free: () => rmSync(filler),
      readOnly: (is) => {
        if (!done('mount', '-o', `remount,${is ? 'ro' : 'rw'}`)) throw new Error('the disk could not be remounted');
      },
    };
  }
  let state: 'good' | 'full' | 'read-only' = 'good';
  const used = (): number =>
    existsSync(directory) ? readdirSync(directory).reduce((sum, file) => sum + statSync(join(directory, file)).size, 0) : 0;
  const fileSystem = watchedFileSystem(async ({ name, run }) => {
    if (state === 'read-only' && /^(write|link|rename|unlink)/.test(name)) throw systemError('EROFS');
    if (state === 'full' && name.startsWith('write')) throw systemError('ENOSPC');
    const result = await run();
    if (name.startsWith('write') && used() > diskBytes) throw systemError('ENOSPC');
    return result;
  });
  return {
    directory,
    fileSystem,
    fill: () => {
      state = 'full';
    },
    free: () => {
      state = 'good';
    },
    readOnly: (is) => {
      state = is ? 'read-only' : 'good';
    },
  };
}

test('full disk: reports STORE_FULL, keeps the old list, leaves no files, and recovers', async () => {
  const { directory, fill, free, readOnly: _, ...options } = smallDisk();
  const store = await opened(directory, options);
  await store.write('value', bytesOf(60_000, 1));
  expect(await store.commit('head', bytesOf(100, 1), 0)).toBe(true);
  await expect(store.write('value', bytesOf(400_000, 2))).rejects.toMatchObject({
    code: 'STORE_FULL',
    cause: { code: 'ENOSPC' },
  });
  expect(leftovers(directory)).toEqual([]);
  expect(shown(await store.read('value'))).toBe('60000 of 1');
  await store.write('other', bytesOf(60_000, 2));
  fill();
  await expect(store.write('value', bytesOf(60_000, 3))).rejects.toMatchObject({ code: 'STORE_FULL' });
  await expect(store.commit('head', bytesOf(100, 2), 1)).rejects.toMatchObject({ code: 'STORE_FULL' });
  expect(leftovers(directory)).toEqual([]);
  expect(shown(await store.read('value'))).toBe('60000 of 1');
  expect(await store.heads('head')).toEqual([{ sequence: 1, bytes: bytesOf(100, 1) }]);
  // A list fetched while the disk is full serves this process, so the lock must not block it.
  expect(await store.lock!(async () => 'ran')).toBe('ran');
  const again = await opened(directory, options);
  expect(shown(await again.read('value'))).toBe('60000 of 1');
  free();
  await store.write('value', bytesOf(60_000, 4));
  expect(await store.commit('head', bytesOf(100, 4), 1)).toBe(true);
});

test('read-only disk: provides its lists, and stores new ones when it is writable again', async () => {
  const { directory, readOnly, fill: _, free: __, ...options } = smallDisk();
  const store = await opened(directory, options);
  await store.write('value', bytesOf(100, 1));
  await store.commit('head', bytesOf(100, 1), 0);
  readOnly(true);
  const reader = await opened(directory, options);
  for (const each of [store, reader]) {
    expect(shown(await each.read('value'))).toBe('100 of 1');
    expect(await each.heads('head')).toEqual([{ sequence: 1, bytes: bytesOf(100, 1) }]);
    // Awaited together: a rejection that waits for its turn would count as unhandled.
    const calls = [each.write('value', bytesOf(100, 2)), each.remove('value'), each.commit('head', bytesOf(50, 2), 1)];
    const refused = { code: 'STORE_UNAVAILABLE', cause: { code: 'EROFS' } };
    await Promise.all(calls.map((call) => expect(call).rejects.toMatchObject(refused)));
    expect(await each.lock!(async () => 'ran')).toBe('ran');
  }
  readOnly(false);
  await reader.write('value', bytesOf(100, 2));
  expect(await reader.commit('head', bytesOf(100, 2), 1)).toBe(true);
});

test('where the process may not flush files, as under the permission model of Node 26, a list is stored without', async () => {
  const directory = next();
  const fileSystem = watchedFileSystem(async ({ name, run }) => {
    if (name === 'sync') throw systemError('ERR_ACCESS_DENIED');
    return run();
  });
  const store = await opened(directory, { fileSystem });
  await store.write('value', bytesOf(100, 1));
  expect(await store.commit('head', bytesOf(100, 1), 0)).toBe(true);
  expect(shown(await (await opened(directory)).read('value'))).toBe('100 of 1');
});

test('where the process may only read, as under the permission model of Node, a store provides its lists', async () => {
  const directory = next();
  const store = await opened(directory);
  await store.write('value', bytesOf(100, 1));
  expect(await store.commit('head', bytesOf(100, 1), 0)).toBe(true);
  const fileSystem = watchedFileSystem(async ({ name, run }) => {
    if (/^(write|link|rename|unlink|mkdir)/.test(name)) throw systemError('ERR_ACCESS_DENIED');
    return run();
  });
  const reader = await opened(directory, { fileSystem });
  expect(shown(await reader.read('value'))).toBe('100 of 1');
  expect(await reader.heads('head')).toHaveLength(1);
  await expect(reader.write('value', bytesOf(10, 2))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(await reader.lock!(async () => 'ran')).toBe('ran');
  await expect(opened(next(), { fileSystem })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
});

test('another user gets a clear error from every call', async () => {
  const directory = next();
  const store = await opened(directory);
  await store.write('value', bytesOf(100, 1));
  await store.commit('head', bytesOf(100, 1), 0);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  for (const file of readdirSync(directory)) expect(statSync(join(directory, file)).mode & 0o777, file).toBe(0o600);
  // Root ignores permissions, so the child switches to another user; other users drop their own permission.
  const isRoot = process.getuid?.() === 0;
  const userId = isRoot ? 65_534 : process.getuid!();
  const refused = 'STORE_UNAVAILABLE';
  if (!isRoot) chmodSync(directory, 0);
  const outside = start(directory, { kind: 'permissions', userId });
  expect(await outside.ended).toBe(0);
  expect(outside.lines).toContain(`open ${refused}`);
  // The folder can be read, but the files in it cannot.
  chmodSync(directory, isRoot ? 0o755 : 0o500);
  if (!isRoot) for (const file of readdirSync(directory)) chmodSync(join(directory, file), 0);
  const inside = start(directory, { kind: 'permissions', userId });
  expect(await inside.ended).toBe(0);
  expect(inside.lines).toEqual([
    'open done',
    // Each costs only itself: a list is fetched again, and heads that can be read still count.
    'read INVALID_ARTIFACT',
    `write ${refused}`,
    'heads done',
    `commit ${refused}`,
    'list done',
    'lock done',
  ]);
  chmodSync(directory, 0o700);
});

test('a folder removed during use is made again', async () => {
  const directory = join(next(), 'some', 'folder');
  const store = await opened(directory);
  await store.write('value', bytesOf(10, 1));
  await store.commit('head', bytesOf(10, 1), 0);
  rmSync(dirname(directory), { recursive: true });
  expect(await store.read('value')).toBe(null);
  expect(await store.list('')).toEqual([]);
  expect(await store.heads('head')).toEqual([]);
  await store.remove('value');
  expect(await store.commit('head', bytesOf(10, 2), 1)).toBe(false);
  expect(await store.lock!(async () => 'ran')).toBe('ran');
  await store.write('value', bytesOf(10, 2));
  expect(await store.commit('head', bytesOf(10, 2), 0)).toBe(true);
  expect(shown(await store.read('value'))).toBe('10 of 2');
});

test('only the leftovers of dead writers are removed, after an hour', async () => {
  const directory = next();
  mkdirSync(directory);
  for (const file of ['temporary-old', 'temporary-new', 'theirs']) writeFileSync(join(directory, file), 'x');
  const longAgo = Date.now() / 1000 - 3_700;
  for (const file of ['temporary-old', 'theirs']) utimesSync(join(directory, file), longAgo, longAgo);
  const store = await opened(directory);
  expect(readdirSync(directory).sort()).toEqual(['temporary-new', 'theirs']);
  expect(await store.list('')).toEqual([]);
});

test('old heads are removed, and a head that cannot be removed does no harm', async () => {
  const directory = next();
  const store = await opened(directory);
  for (let sequence = 0; sequence < 50; sequence++) await store.commit('head', Uint8Array.of(sequence), sequence);
  expect(readdirSync(directory)).toHaveLength(32);
  writeFileSync(join(directory, 'head-head.3'), 'left');
  expect((await store.heads('head')).map(({ sequence }) => sequence)).toEqual([50, 49]);
  expect(await store.commit('head', Uint8Array.of(50), 50)).toBe(true);
  expect(readdirSync(directory)).toHaveLength(32);
});

test.each([1, 2, 31, 32, 33, 34, 60])('a writer delayed during %i commits of others loses the race', async (others) => {
  const directory = next();
  let hold: Promise<void> | undefined;
  const store = await opened(directory, {
    fileSystem: watchedFileSystem(async ({ name, run }) => {
      if (name === 'link') await hold;
      return run();
    }),
  });
  expect(await store.commit('head', Uint8Array.of(1), 0)).toBe(true);
  let release: () => void = () => {};
  hold = new Promise((resolve) => {
    release = resolve;
  });
  const held = store.commit('head', Uint8Array.of(99), 1);
  const other = await opened(directory);
  for (let sequence = 1; sequence <= others; sequence++) await other.commit('head', Uint8Array.of(sequence + 1), sequence);
  release();
  expect(await held).toBe(false);
  expect(await other.heads('head')).toEqual([
    { sequence: others + 1, bytes: Uint8Array.of(others + 1) },
    { sequence: others, bytes: Uint8Array.of(others) },
  ]);
});

test.each([
  { directory: '' },
  { lockStaleMs: 499 },
  { lockStaleMs: 600_001 },
  { lockStaleMs: Number.NaN },
  { watchPollMs: 19 },
  { watchPollMs: 3_600_001 },
  { watchPollMs: 20.5 },
])('%o is rejected', (options) => {
  expect(() => fileStore({ directory: 'x', ...options })).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  expect(() => fileStore({ directory: 1 as unknown as string })).toThrow('fileStore: directory must be the path of a folder');
});
