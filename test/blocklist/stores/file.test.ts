import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, test } from 'vitest';
import { fileStore } from '../../../src/blocklist/stores/file-store.js';
import { storeContract } from '../../../src/blocklist/stores/store-contract.js';
import { overPlaces } from './rows.js';

const folder = mkdtempSync(join(tmpdir(), 'store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let folders = 0;
const newFolder = (): string => join(folder, String(++folders));

describe('the file store', () => {
  const { over, again } = overPlaces((directory: string) => fileStore({ directory, lockStaleMs: 500, watchPollMs: 20 }));
  storeContract({ test, make: () => over(newFolder()), again, isAtomic: true, lock: 'everybody', watch: 'everybody' });
});
