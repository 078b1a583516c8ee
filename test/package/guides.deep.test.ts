import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { snippetsOf } from '../../tools/snippets.js';
import { projectBeside, shellIn } from '../support/packed-beside.js';

/** Packed once, because that builds. */
let beside: ReturnType<typeof projectBeside>;
beforeAll(() => {
  beside = projectBeside();
});
afterAll(() => beside.remove());

const emptyProject = (): string => mkdtempSync(join(dirname(beside.project), 'project-'));

test.each(['docs/wallet.md', 'docs/node-service.md', 'docs/client.md'])(
  '%s ends with what it shows, from an empty folder and the packed package',
  (page) => {
    const project = emptyProject();
    const [, install] = /^```sh\n(npm init .*)\n```$/m.exec(readFileSync(page, 'utf8')) ?? [];
    if (install === undefined) throw new Error(`${page} has no fence with npm init`);
    shellIn(project, install);
    const [, file, run] = /^Save this as `([\w.-]+)` and run `(npx tsx [\w.-]+)`\./m.exec(readFileSync(page, 'utf8')) ?? [];
    if (file === undefined || run === undefined) throw new Error(`${page} has no line "Save this as … and run …"`);
    const [tutorial] = snippetsOf(page);
    writeFileSync(join(project, file), tutorial!.code);
    // A slow machine needs seconds between two lines.
    expect(shellIn(project, run).replace(/"ageSeconds":\d\b/, '"ageSeconds":0')).toBe(tutorial!.printed);
  },
);

/** The `sh` fence of a page that contains a text. */
function shellOf(page: string, part: string): string {
  const fences = [...readFileSync(page, 'utf8').matchAll(/^```(?:sh|bash)\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  const code = fences.find((fence) => fence.includes(part));
  if (code === undefined) throw new Error(`${page} has no fence with ${part}`);
  return code;
}

test('a CSV is published, served and checked as docs/own-list.md says', async () => {
  const project = emptyProject();
  const page = 'docs/own-list.md';
  // 6 is the exit code of a blocked link.
  const first = shellIn(project, `${shellOf(page, 'npm init').trim()} || test $? = 6`);
  expect(first).toMatch(/^blocked .*\nclear /m);
  const [publish, serve] = shellOf(page, 'serve --published').trim().split('\n');
  shellIn(project, publish!);
  // The documented port may be in use.
  const served = spawn(`${serve} --port 0 --json`, { cwd: project, shell: true, detached: true });
  onTestFinished(() => void process.kill(-served.pid!));
  const said = await Promise.race([once(served.stdout, 'data'), once(served.stderr, 'data')]);
  const { listening } = JSON.parse(String(said)) as { listening: string };
  const check = shellOf(page, 'check --published').trim();
  expect(shellIn(project, `${check.replace('http://127.0.0.1:4040', listening)} || test $? = 6`)).toMatch(/^blocked /);
});

test.each(['README.md', 'docs/react.md'])('%s installs the packed package', (page) => {
  const project = emptyProject();
  shellIn(project, `npm init -y && ${shellOf(page, 'npm install')}`);
  expect(existsSync(join(project, 'node_modules/portcullis/dist/client.js'))).toBe(true);
});

test('the command is on the path after the install line of docs/command-line.md', () => {
  const project = emptyProject();
  const page = 'docs/command-line.md';
  const bin = 'export npm_config_prefix="$PWD/global" PATH="$PWD/global/bin:$PATH"';
  shellIn(project, `${bin}; ${shellOf(page, 'npm install --global')}`);
  const output = shellIn(project, `${bin}; ${shellOf(page, 'check --local https').trim()} || test $? = 6`);
  expect(readFileSync(page, 'utf8')).toContain(`\`\`\`text\n${output}\`\`\``);
});

test('a list from a package of npm is checked and published as docs/lists.md says', () => {
  const project = emptyProject();
  shellIn(project, 'npm init -y && npm install ../portcullis/*.tgz');
  const [install, check, publish] = shellOf('docs/lists.md', 'npm:eth-phishing-detect').trim().split('\n');
  shellIn(project, install!);
  const portcullis = (line: string): string => shellIn(project, line.replace(/^portcullis/, 'npx --no-install portcullis'));
  expect(portcullis(check!)).toContain('clear');
  portcullis(publish!);
  expect(existsSync(join(project, 'public/list/version.json'))).toBe(true);
});

test('a process that may only read files checks a link, as docs/permissions.md says', () => {
  const project = emptyProject();
  shellIn(project, 'npm init -y && npm install ../portcullis/*.tgz');
  const flag = process.version.startsWith('v20.') ? '--experimental-permission' : '--permission';
  const code = shellOf('docs/permissions.md', '--permission').replace('--permission', flag);
  // 6 is the exit code of a blocked link.
  const output = shellIn(project, `${code.trim()} || test $? = 6`);
  expect(readFileSync('docs/permissions.md', 'utf8')).toContain(`\`\`\`text\n${output}\`\`\``);
});
