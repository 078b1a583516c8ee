import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { snippetsOf } from '../../tools/snippets.js';
import { projectBeside, shellIn } from '../support/packed-beside.js';

test.each(['docs/wallet.md', 'docs/node-service.md'])(
  '%s ends with what it shows, from an empty folder and the packed package',
  (page) => {
    const { project, remove } = projectBeside();
    onTestFinished(remove);
    const [, install] = /^```sh\n(npm init .*)\n```$/m.exec(readFileSync(page, 'utf8')) ?? [];
    if (install === undefined) throw new Error(`${page} has no fence with npm init`);
    shellIn(project, install);
    const [, file, run] = /^Save this as `([\w.-]+)` and run `(npx tsx [\w.-]+)`\./m.exec(readFileSync(page, 'utf8')) ?? [];
    if (file === undefined || run === undefined) throw new Error(`${page} has no line "Save this as … and run …"`);
    const [tutorial] = snippetsOf(page);
    writeFileSync(join(project, file), tutorial!.code);
    expect(shellIn(project, run)).toBe(tutorial!.printed);
  },
);

/** The `sh` fence of a page that contains a text. */
function shellOf(page: string, part: string): string {
  const fences = [...readFileSync(page, 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  const code = fences.find((fence) => fence.includes(part));
  if (code === undefined) throw new Error(`${page} has no fence with ${part}`);
  return code;
}

test('a list from a package of npm is checked and published as docs/lists.md says', () => {
  const { project, remove } = projectBeside();
  onTestFinished(remove);
  shellIn(project, 'npm init -y && npm install ../portcullis/*.tgz');
  const [install, check, publish] = shellOf('docs/lists.md', 'npm:eth-phishing-detect').trim().split('\n');
  shellIn(project, install!);
  const portcullis = (line: string): string => shellIn(project, line.replace(/^portcullis/, 'npx --no-install portcullis'));
  expect(portcullis(check!)).toContain('clear');
  portcullis(publish!);
  expect(existsSync(join(project, 'public/list/version.json'))).toBe(true);
});

test('a process that may only read files checks a link, as docs/permissions.md says', () => {
  const { project, remove } = projectBeside();
  onTestFinished(remove);
  shellIn(project, 'npm init -y && npm install ../portcullis/*.tgz');
  const flag = process.version.startsWith('v20.') ? '--experimental-permission' : '--permission';
  const code = shellOf('docs/permissions.md', '--permission').replace('--permission', flag);
  // 6 is the exit code of a blocked link.
  const output = shellIn(project, `${code.trim()} || test $? = 6`);
  expect(readFileSync('docs/permissions.md', 'utf8')).toContain(`\`\`\`text\n${output}\`\`\``);
});
