import { expect, test } from 'vitest';
import { exitCodes } from '../../../apps/cli/errors/exit-codes.js';
import { documentedFolder, isServer, linesOfPage } from './documented.js';
import { runProcess, shell, startServer } from './harness.js';

test.each(linesOfPage.filter((line) => !isServer(line)))('a shell runs: %s', async (line) => {
  const { code, stderr } = await shell(line, documentedFolder());
  expect([exitCodes.ok, exitCodes.blocked], stderr).toContain(code);
  // What --strict asks for is a result, too.
  expect(stderr.replace(/^portcullis: \d+ lines? \w+ rejected \(--strict\)$/m, '')).not.toContain('portcullis: ');
});

test.each(linesOfPage.filter(isServer))('serves until Ctrl-C: %s', async (line) => {
  const cwd = documentedFolder();
  if (line.includes('public/list')) await runProcess(['publish', 'my-list.txt', '--out', 'public/list'], { cwd });
  const [, ...args] = line.replace(/ --port \d+/, '').split(' ');
  // The documented port may be in use.
  const served = await startServer([...args, '--port', '0'], { cwd, env: { PORTCULLIS_API_KEY: 'some-key' } });
  expect((await fetch(served.page.replace(served.url, served.listening), { redirect: 'manual' })).status).toBe(200);
  expect(await served.interrupt()).toBe(0);
});
