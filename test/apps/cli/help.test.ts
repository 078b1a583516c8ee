import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { topicNames } from '../../../apps/cli/arguments/help-topics.js';
import { commands } from '../../../apps/cli/commands.js';
import { exitCodes } from '../../../apps/cli/errors/exit-codes.js';
import { run, start } from './in-process.js';

const names = [...commands.keys()];

test.each(names)('the help of %s matches its snapshot, and describes every option', async (name) => {
  const { code, stdout, stderr } = await run([name, '--help']);
  expect([code, stderr]).toEqual([0, '']);
  // The common options are pinned once.
  const pinned = name === 'publish' ? stdout : stdout.replace(/Common options\n(.+\n)+\n?/, '');
  const own = pinned.replace(/^ {2}node[\s\\]+\S+[\s\\]+mcp$/m, '  node /path/to/portcullis/dist/cli.js mcp');
  await expect(own).toMatchFileSnapshot(`help/${name}.txt`);
  expect((await run(['help', name])).stdout).toBe(stdout);
  const command = await commands.get(name)!.load();
  for (const [line] of command.examples) expect(line.startsWith(name)).toBe(true);
  // The two commonest calls come first.
  expect(stdout.split('\n\n')[0]?.match(/^ {2}portcullis .*$/gm)).toHaveLength(2);
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
  expect((await run(['parse', '--', '--help'])).stdout).not.toContain('Usage');
  const overview = await run(['help', '--json']);
  expect([overview.code, overview.stdout]).toEqual([0, (await run(['help'])).stdout]);
});

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  for (const args of [['--version'], ['--version', '--json']]) expect((await run(args)).stdout).toBe(`${version}\n`);
});

test.each(topicNames)('the topic %s is a section of a page, as text', async (name) => {
  const { code, stdout, stderr } = await run(['help', name]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.length).toBeGreaterThan(200);
  // No mark of Markdown is left.
  expect(stdout).not.toMatch(/\*\*|`|\]\(|^\|/m);
  expect((await run(['help'])).stdout.replace(/\s+/g, ' ')).toContain(name);
  const misspelled = await run(['help', `${name}x`]);
  expect([misspelled.code, misspelled.stderr]).toEqual([3, expect.stringContaining(`portcullis help ${name}\n`)]);
});

test('a topic names the cells of its wider tables by their column', async () => {
  const [local = ''] = /^ {2}--local .*(\n {5,}.*)*/m.exec((await run(['help', 'lists'])).stdout) ?? [];
  expect(local.replace(/\s+/g, ' ')).toMatch(/^ --local the sample list of the embedded service; .*; stores a copy: no$/);
  expect((await run(['help', 'reasons'])).stdout).toMatch(
    /^ {2}status +reason: what happened\n {2}blocked +confirmed: the source/m,
  );
});

test('help help is the overview', async () => {
  expect(await run(['help', 'help'])).toEqual(await run(['help']));
});

test('the topics have every exit code and every variable of the environment that the command reads', async () => {
  const codes = (await run(['help', 'exit-codes'])).stdout;
  for (const code of Object.values(exitCodes)) expect(codes).toMatch(new RegExp(`^  ${code} `, 'm'));
  const files = readdirSync('apps/cli', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const source = files.map((file) => readFileSync(`apps/cli/${file}`, 'utf8')).join('\n');
  const variables = new Set([...source.matchAll(/env\[?\.?'?([A-Z][A-Z_]+)'?\]/g)].map(([, name]) => name!));
  expect(variables.size).toBeGreaterThan(4);
  const environment = (await run(['help', 'environment'])).stdout;
  for (const name of variables) if (!systemVariables.has(name)) expect(environment).toContain(name);
});

/** Variables of the system, which need no explanation. */
const systemVariables = new Set(['HOME', 'APPDATA', 'LOCALAPPDATA']);

const topics = [
  ['help'],
  ...topicNames.map((name) => ['help', name]),
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
      .filter(
        (line) => line.length > columns && line.trim().includes(' ') && !/^ {2}(POST |GET |"[^"]*"$|\S*node\S* \\$)/.test(line),
      );
    expect(wide, args.join(' ')).toEqual([]);
  }
});

test('assumes 80 columns if the terminal does not report its width', async () => {
  const terminal = start(['help'], { columns: 0 });
  await terminal.ended;
  expect(terminal.stdout()).toMatch(/check +Check links, addresses and other assets\n/);
});
