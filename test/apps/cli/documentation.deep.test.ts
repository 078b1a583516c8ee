import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exitCodes } from '../../../src/apps/cli/errors/exit-codes.js';
import { documentedFiles, linesOfPage, linesOfReadme } from './documented.js';
import { runProcess, shell, startServer } from './harness.js';
import { temporaryFolder } from './in-process.js';

const isServer = (line: string): boolean => line.startsWith('portcullis serve');

function folder(): string {
  const directory = temporaryFolder();
  for (const [name, text] of Object.entries(documentedFiles)) writeFileSync(join(directory, name), text);
  return directory;
}

test.each(linesOfPage.filter((line) => !isServer(line)))('a shell runs: %s', async (line) => {
  const { code, stderr } = await shell(line, folder());
  expect([exitCodes.ok, exitCodes.blocked], stderr).toContain(code);
  expect(stderr).not.toContain('portcullis: ');
});

test.each(linesOfPage.filter(isServer))('serves until Ctrl-C: %s', async (line) => {
  const cwd = folder();
  if (line.includes('public/list')) await runProcess(['publish', 'my-list.txt', '--out', 'public/list'], { cwd });
  const [, ...args] = line.replace(/ --port \d+/, '').split(' ');
  // The documented port may be in use.
  const served = await startServer([...args, '--port', '0'], { cwd, env: { PORTCULLIS_API_KEY: 'some-key' } });
  expect((await fetch(served.page.replace(served.url, served.listening), { redirect: 'manual' })).status).toBe(200);
  expect(await served.interrupt()).toBe(0);
});

// Installed, `npx` runs the command of the package.
test('a shell runs the lines of the README', async () => {
  const cwd = folder();
  for (const line of linesOfReadme) {
    const { code, stderr } = await shell(line, cwd);
    expect([exitCodes.ok, exitCodes.blocked], `${line}: ${stderr}`).toContain(code);
  }
});
