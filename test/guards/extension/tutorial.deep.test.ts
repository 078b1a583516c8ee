import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../../../tools/free-port.js';
import { projectBeside, shellIn } from '../../support/packed-beside.js';
import { blockedTitle } from './extension-site.js';
import { startChromium, untilBlocked } from './guarded-chromium.js';

const { project, remove } = projectBeside();
let list: ChildProcess | undefined;

afterAll(() => {
  list?.kill();
  remove();
});

/** The shell commands of the first block. */
function commands(): string[] {
  const block = readFileSync('docs/extension.md', 'utf8').match(/```sh\n([\s\S]*?)```/)![1]!;
  return block.trim().split('\n');
}

test('the tutorial ends with an extension that blocks the listed page', async () => {
  const port = await freePort();
  const lines = commands().map((line) => line.replaceAll('8080', `${port}`));
  for (const line of lines) {
    if (line.endsWith(' &')) {
      const [command, ...args] = line.slice(0, -2).split(' ');
      list = spawn(command!, args, { cwd: project, stdio: 'ignore' });
    } else shellIn(project, line);
  }

  const context = await startChromium(join(project, 'profile'), join(project, 'chromium'), port);
  try {
    await untilBlocked(context, blockedTitle);
  } finally {
    await context.close();
  }
  expect(readdirSync(join(project, 'firefox'))).toContain('manifest.json');

  // The worker would end when it starts, and every page would open.
  const worker = readFileSync(join(project, 'worker.ts'), 'utf8');
  writeFileSync(join(project, 'worker.ts'), worker.replace('mode: opened.mode });', "mode: 'obsrve' });"));
  expect(() => shellIn(project, 'node build.mjs http://127.0.0.1:8080 chromium')).toThrow(/worker\.ts.*\n?.*"obsrve"/);
});
