import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { version } from '../../../src/apps/cli/cli-version.js';
import { commands } from '../../../src/apps/cli/commands.js';
import { run, start } from './in-process.js';

const names = [...commands.keys()];

test.each(names)('the help of %s matches its snapshot, and describes every option', async (name) => {
  const { code, stdout, stderr } = await run([name, '--help']);
  expect([code, stderr]).toEqual([0, '']);
  // The common options are pinned once.
  const own = name === 'publish' ? stdout : stdout.replace(/Common options\n(.+\n)+\n?/, '');
  await expect(own).toMatchFileSnapshot(`help/${name}.txt`);
  expect((await run(['help', name])).stdout).toBe(stdout);
  const command = await commands.get(name)!.load();
  expect(command.examples.length).toBeGreaterThan(0);
  for (const [line] of command.examples) expect(line.startsWith(name)).toBe(true);
  for (const { text } of Object.values(command.options)) expect(text).not.toBe('');
});

test('the overview names every command', async () => {
  const { code, stdout } = await run(['help']);
  expect(code).toBe(0);
  for (const name of names) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
});

test('--help works anywhere in a command, and --json does not change it', async () => {
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
});

test('--version prints the version of the package', async () => {
  expect(version()).toBe(JSON.parse(readFileSync('package.json', 'utf8')).version);
  for (const args of [['--version'], ['--version', '--json']]) expect((await run(args)).stdout).toBe(`${version()}\n`);
});

const topics = [
  ['help'],
  ['api', '--list'],
  ...names.map((name) => ['help', name]),
  ['api', 'organizationReportsList', '--help'],
  ['api', 'assetList', '--help'],
  ['webhook', 'listen', '--help'],
];

test.each([40, 80])('wraps lines for a terminal of %i columns where possible', async (columns) => {
  for (const args of topics) {
    const terminal = start(args, { columns, env: { NO_COLOR: '1' } });
    expect(await terminal.ended).toBe(0);
    // Routes, quoted text to copy and single long words cannot be broken.
    const wide = terminal
      .stdout()
      .split('\n')
      .filter((line) => line.length > columns && line.trim().includes(' ') && !/^ {2}(POST |GET |"[^"]*"$)/.test(line));
    expect(wide, args.join(' ')).toEqual([]);
  }
});

test('assumes 80 columns if the terminal does not report its width', async () => {
  const terminal = start(['help'], { columns: 0 });
  await terminal.ended;
  expect(terminal.stdout()).toMatch(/check +Check links, addresses and other assets\n/);
});
