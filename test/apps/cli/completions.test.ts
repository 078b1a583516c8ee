import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { commands } from '../../../apps/cli/commands.js';
import { run } from './in-process.js';

const has = (shell: string): boolean => spawnSync(shell, ['--version']).error === undefined;

describe.runIf(has('bash'))('in bash', () => {
  test('offers every command, then its subcommands and options', async () => {
    const cases: readonly (readonly [typed: string, offered: string])[] = [
      ["''", [...commands.keys(), 'help'].join(' ')],
      ['lo', 'log login logout'],
      ['api assetC', 'assetCheck assetChangelog'],
      ['webhook v', 'verify'],
      ['api assetCheck --con', '--content'],
      ['api assetCheck --content x --lo', '--local'],
      ['check --local --js', '--json'],
      ['help ch', 'check'],
      ['help exit', 'exit-codes'],
      ['check --output m', 'markdown'],
      ['check --list x --format h', 'hosts'],
      ['webhook listen --scheme st', 'standard'],
      ['webhook listen --p', '--port'],
    ];
    const { stdout: script } = await run(['completions', 'bash']);
    const lines = cases.map(([typed]) => {
      return `COMP_WORDS=(portcullis ${typed}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _portcullis; echo "\${COMPREPLY[*]}"`;
    });
    const { stdout, stderr, status } = spawnSync('bash', { input: [script, ...lines, ''].join('\n'), encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout.trim().split('\n')).toEqual(cases.map(([, offered]) => offered));
  });
});

test.each(['bash', 'zsh', 'fish', 'powershell'])('the script for %s contains every command and operation', async (shell) => {
  const { code, stdout, stderr } = await run(['completions', shell]);
  expect([code, stderr]).toEqual([0, '']);
  for (const name of commands.keys()) expect(stdout).toContain(name);
  expect(stdout).toContain('metricsTakedownTimeTrend');
  // fish reads no script from such an input; the deep test runs it.
  if (/bash|zsh/.test(shell) && has(shell)) expect(spawnSync(shell, ['-n'], { input: stdout, encoding: 'utf8' }).stderr).toBe('');
});
