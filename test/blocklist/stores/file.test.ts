import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, test } from 'vitest';
import type { Store } from '../../../src/blocklist/store.js';
import { fileStore } from '../../../src/blocklist/stores/file-store.js';
import { storeContract } from '../../../src/blocklist/stores/store-contract.js';

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
