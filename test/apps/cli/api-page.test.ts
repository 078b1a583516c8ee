import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { builtCli, temporaryFolder } from './harness.js';

const page = readFileSync('docs/command-line-api.md', 'utf8');
const fences = [...page.matchAll(/^```bash\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```/gm)].map(
  ([, script = '', text = '']) => [script, text] as const,
);

test('every fence that can run has what it prints beside it', () => {
  expect(fences.length).toBeGreaterThan(4);
  expect(fences).toHaveLength(page.match(/^```bash/gm)?.length ?? 0);
});

test.each(fences)('%s', async (script, text) => {
  const folder = temporaryFolder();
  const named = `portcullis() { "${process.execPath}" "${builtCli()}" "$@"; }\n`;
  const { PATH } = process.env;
  const { stdout } = spawnSync('bash', ['-c', named + script], { cwd: folder, env: { PATH, HOME: folder }, encoding: 'utf8' });
  expect(stdout.split(/\r?\n/).filter(Boolean)).toEqual(text.split('\n').filter(Boolean));
});
