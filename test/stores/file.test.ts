import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, test } from 'vitest';
import type { Store } from '../../src/store.js';
import { storeContract } from '../../src/stores/contract.js';
import { fileStore } from '../../src/stores/file.js';

const folder = mkdtempSync(join(tmpdir(), 'store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let folders = 0;
const newFolder = (): string => join(folder, String(++folders));

describe('the file store', () => {
  const directories = new Map<Store, string>();
  const over = (directory: string): Store => {
    const store = fileStore({ directory, lockStaleMs: 500, watchPollMs: 20 });
    directories.set(store, directory);
    return store;
  };
  storeContract({
    test,
    make: () => over(newFolder()),
    again: (store) => over(directories.get(store)!),
    atomic: true,
    lock: 'everybody',
    watch: 'everybody',
  });
});
