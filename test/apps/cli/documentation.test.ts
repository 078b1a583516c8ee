import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commands } from '../../../src/apps/cli/commands.js';
import { exitCodes } from '../../../src/apps/cli/errors/exit.js';
import { builtCli, run, startServer, temporaryFolder } from './harness.js';

const page = readFileSync('docs/command-line.md', 'utf8');
const lines = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, code = '']) => code.trim().split('\n'));

/** A folder with what the page speaks of. */
async function folder(): Promise<string> {
  const directory = temporaryFolder();
  const files = {
    'my-list.txt': 'evil.example\nhttps://pages.example/a/fake\n',
    'feed.csv': 'url,status\nb.example,blocked\nc.example,allowed\n',
    'links.txt': 'example.com\nexample.org\n',
    'mail.txt': 'see https://evil.example/a\n',
    'assets.ndjson': '{"content":"@example","type":"TWITTER"}\n"example.com"\n',
    'bin/portcullis': `#!/bin/sh\nexec '${process.execPath}' '${builtCli()}' "$@"\n`,
  };
  mkdirSync(join(directory, 'bin'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  chmodSync(join(directory, 'bin/portcullis'), 0o755);
  return directory;
}

test('the page has lines to copy', () => {
  expect(lines.length).toBeGreaterThan(12);
});

const isServer = (line: string): boolean => line.startsWith('portcullis serve');

test.each(lines.filter((line) => !isServer(line)))('%s', async (line) => {
  const cwd = await folder();
  const env = { PATH: `${join(cwd, 'bin')}:${process.env['PATH']}`, HOME: cwd };
  const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
    execFile('sh', ['-c', line], { cwd, env }, (error, _, stderr) => resolve({ code: error?.code ?? 0, stderr }));
  });
  // What is blocked is a result.
  expect([exitCodes.ok, exitCodes.blocked], stderr).toContain(code);
  expect(stderr).not.toContain('portcullis: ');
});

test.each(lines.filter(isServer))('%s, until Ctrl-C', async (line) => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'my-list.txt'), 'evil.example\n');
  expect((await run(['publish', 'my-list.txt', '--out', 'public/list'], { cwd })).code).toBe(0);
  const [, ...args] = line.replace(/ --port \d+/, '').split(' ');
  // Ports of the page may be taken here.
  const served = await startServer([...args, '--port', '0'], { cwd, env: { PORTCULLIS_API_KEY: 'a-key-of-somebody' } });
  expect((await fetch(served.page.replace(served.url, served.listening), { redirect: 'manual' })).status).toBe(200);
  expect(await served.interrupt()).toBe(0);
});

const readme = readFileSync('README.md', 'utf8');
const shown = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
  .map(([, code = '']) => code.trim())
  .filter((code) => code.includes('npx portcullis'));

test('the README has lines to copy too', () => {
  expect(shown.length).toBeGreaterThan(0);
});

// `npx` runs what the package brings, as it would where the package is installed.
test.each(shown)('of the README: %s', async (code) => {
  const cwd = await folder();
  writeFileSync(join(cwd, 'bin/npx'), '#!/bin/sh\nexec "$@"\n');
  chmodSync(join(cwd, 'bin/npx'), 0o755);
  const env = { PATH: `${join(cwd, 'bin')}:${process.env['PATH']}`, HOME: cwd };
  for (const line of code.split('\n')) {
    const { code: ended, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
      execFile('sh', ['-c', line], { cwd, env }, (error, _, words) => resolve({ code: error?.code ?? 0, stderr: words }));
    });
    expect([exitCodes.ok, exitCodes.blocked], `${line}: ${stderr}`).toContain(ended);
  }
});

test('the page has every command of its own, and every exit code', () => {
  for (const name of ['check', 'explain', 'sync', 'status', 'doctor', 'parse', 'screen', 'publish', 'serve', 'demo']) {
    expect(commands.has(name)).toBe(true);
    expect(page).toMatch(new RegExp(`^\\| \`${name}`, 'm'));
  }
  for (const code of Object.values(exitCodes)) expect(page).toContain(`\n| ${code} | `);
});
