import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commands } from '../../../apps/cli/commands.js';
import { exitCodes } from '../../../apps/cli/errors/exit-codes.js';
import { documentedFiles, documentedFolder, isServer, linesOfPage } from './documented.js';
import { shell } from './harness.js';
import { run, temporaryFolder } from './in-process.js';

const page = readFileSync('docs/command-line.md', 'utf8');
const lines = linesOfPage.filter((line) => !isServer(line) && line !== 'portcullis demo');

test('the page has lines to copy', () => {
  expect(lines.length).toBeGreaterThan(12);
});

/** Runs a line of the page without a shell: arguments, a file as input, and advice for a failure. */
test.each(lines)('docs/command-line.md: %s', async (line) => {
  const folder = documentedFolder();
  const [, command = '', input, advice] = /^portcullis (.*?)(?: < (\S+))?( \|\| echo "[^"]+")?$/.exec(line) ?? [];
  const args = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain);
  const own = new Set([...Object.keys(documentedFiles), 'public/list', 'copy']);
  const { code, stderr } = await run(
    args.map((arg) => (own.has(arg) ? join(folder, arg) : arg)),
    input === undefined ? {} : { input: readFileSync(join(folder, input)) },
  );
  // A block is a result, not a failure.
  const accepted: number[] = [exitCodes.ok, exitCodes.blocked];
  if (advice === undefined) expect(accepted, stderr).toContain(code);
  // What --strict asks for is a result, too.
  expect(stderr.replace(/^portcullis: \d+ lines? \w+ rejected \(--strict\)$/m, '')).not.toContain('portcullis: ');
});

const apiPage = readFileSync('docs/command-line-api.md', 'utf8');
const fences = [...apiPage.matchAll(/^```bash\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```/gm)].map(
  ([, script = '', text = '']) => [script, text] as const,
);

test('every fence that runs is followed by its output', () => {
  expect(fences.length).toBeGreaterThan(4);
  expect(fences).toHaveLength(apiPage.match(/^```bash/gm)?.length ?? 0);
});

test.each(fences)('docs/command-line-api.md: %s', async (script, text) => {
  const { stdout } = await shell(script, temporaryFolder());
  expect(stdout.split(/\r?\n/).filter(Boolean)).toEqual(text.split('\n').filter(Boolean));
});

test('the page describes every command it covers, and every exit code', () => {
  for (const name of ['check', 'explain', 'sync', 'status', 'doctor', 'parse', 'screen', 'publish', 'serve', 'demo']) {
    expect(commands.has(name)).toBe(true);
    expect(page).toMatch(new RegExp(`^\\| \`${name}`, 'm'));
  }
  for (const code of Object.values(exitCodes)) expect(page).toContain(`\n| ${code} | `);
});
