import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { version } from '../../../src/apps/cli/cli-version.js';
import { commands } from '../../../src/apps/cli/commands.js';
import { run, runInTerminal } from './harness.js';

const names = [...commands.keys()];

test.each(names)('the help of %s is what it was', async (name) => {
  const { code, stdout, stderr } = await run([name, '--help']);
  expect([code, stderr]).toEqual([0, '']);
  await expect(stdout).toMatchFileSnapshot(`help/${name}.txt`);
  expect((await run(['help', name])).stdout).toBe(stdout);
});

test('the overview names every command', async () => {
  const { code, stdout } = await run(['help']);
  expect(code).toBe(0);
  for (const name of commands.keys()) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
});

test('help is found wherever it is asked for, and JSON changes nothing of it', async () => {
  const { stdout } = await run(['check', '--help']);
  for (const args of [
    ['check', '-qh'],
    ['help', '--json', 'check'],
    ['check', '--list', '--help'],
    ['check', '--help', '--json'],
  ])
    expect((await run(args)).stdout, args.join(' ')).toBe(stdout);
  expect((await run(['parse', '--', '--help'])).stdout).not.toContain('Examples');
  const overview = await run(['help', '--json']);
  expect([overview.code, overview.stdout]).toEqual([0, (await run(['help'])).stdout]);
  expect((await run(['--version', '--json'])).stdout).toMatch(/^\S+\n$/);
});

test('the version is the package’s', async () => {
  expect(version()).toBe(JSON.parse(readFileSync('package.json', 'utf8')).version);
  expect((await run(['--version'])).stdout).toMatch(/^\S+\n$/);
});

test.each([40, 80])('no line is wider than a terminal of %s columns, but for what cannot be broken', async (columns) => {
  for (const name of ['', ...names]) {
    const terminal = await runInTerminal(name === '' ? ['help'] : ['help', name], { columns });
    expect(await terminal.ended).toBe(0);
    const lines = terminal.text().split(/\r?\n/);
    // Broken, it could not be copied.
    const isCopied = (line: string): boolean => line.startsWith('  portcullis ');
    const wide = lines.filter((line) => line.length > columns && !isCopied(line) && line.trim().includes(' '));
    expect(wide, name).toEqual([]);
  }
});

test.each(names)('%s says what each option means, and begins its help with examples', async (name) => {
  const command = await commands.get(name)!.load();
  expect(command.examples.length).toBeGreaterThan(0);
  for (const [line] of command.examples) expect(line.startsWith(name)).toBe(true);
  for (const { text } of Object.values(command.options)) expect(text).not.toBe('');
});
