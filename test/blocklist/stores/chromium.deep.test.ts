import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/** Runs find-chromium, with this browser. */
function setUp(path: string): { status: number | null; stderr: string } {
  return spawnSync(process.execPath, ['--import', 'tsx', 'tools/find-chromium.ts'], {
    env: { ...process.env, CHROMIUM_PATH: path },
    encoding: 'utf8',
  });
}

test('find-chromium accepts the browser in CHROMIUM_PATH, and fails if it is not a program', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chromium-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'browser');
  for (const make of [() => {}, () => writeFileSync(path, '#!/bin/sh\n', { mode: 0o600 })]) {
    make();
    expect(setUp(path)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`CHROMIUM_PATH is not an executable file: ${path}`),
    });
  }
  expect(setUp(folder).status).toBe(1);
  chmodSync(path, 0o700);
  expect(setUp(path)).toMatchObject({ status: 0, stderr: '' });
});
