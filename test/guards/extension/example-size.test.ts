import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { buildExample } from './extension-site.js';

/** What the worker of the example may have with gzip: it is parsed at each start. */
const maxWorkerBytes = 49_700;

test('the worker of the example stays small', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'extension-size-'));
  try {
    await buildExample('https://list.example', 'chromium', folder);
    const bytes = gzipSync(readFileSync(join(folder, 'worker.js'))).length;
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThanOrEqual(maxWorkerBytes);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
