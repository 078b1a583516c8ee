import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commands } from '../../../src/apps/cli/commands.js';
import { run, temporaryFolder } from './in-process.js';

const has = (shell: string): boolean => spawnSync(shell, ['--version']).error === undefined;

describe.runIf(has('bash'))('in bash', () => {
  /** The completions of the last word. */
  function offeredBy(script: string, words: string[]): string[] {
    const file = join(temporaryFolder(), 'completions');
    writeFileSync(file, script);
    const line = `source ${file}; COMP_WORDS=(portcullis "$@"); COMP_CWORD=$#; _portcullis; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr, status } = spawnSync('bash', ['-c', line, 'bash', ...words], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    return stdout.split('\n').filter(Boolean);
  }

  test('offers every command, then its subcommands and options', async () => {
    const { stdout: script } = await run(['completions', 'bash']);
    const offered = (...words: string[]): string[] => offeredBy(script, words);
    expect(offered('')).toEqual([...commands.keys(), 'help']);
    expect(offered('lo')).toEqual(['login', 'logout']);
    expect(offered('api', 'assetC')).toEqual(['assetCheck', 'assetChangelog']);
    expect(offered('webhook', '')).toContain('verify');
    expect(offered('api', 'assetCheck', '--con')).toEqual(['--content']);
    expect(offered('api', 'assetCheck', '--content', 'x', '--lo')).toEqual(['--local']);
    expect(offered('check', '--local', '--js')).toEqual(['--json']);
    expect(offered('help', 'ch')).toEqual(['check']);
    expect(offered('check', '--output', 'm')).toEqual(['markdown']);
    expect(offered('check', '--list', 'x', '--format', 'h')).toEqual(['hosts']);
    expect(offered('webhook', 'listen', '--scheme', 'st')).toEqual(['standard']);
    expect(offered('webhook', 'listen', '--p')).toEqual(['--port']);
  });
});

test.each(['bash', 'zsh', 'fish', 'powershell'])('the script for %s contains every command and operation', async (shell) => {
  const { code, stdout, stderr } = await run(['completions', shell]);
  expect([code, stderr]).toEqual([0, '']);
  for (const name of commands.keys()) expect(stdout).toContain(name);
  expect(stdout).toContain('metricsTakedownTimeTrend');
  if (shell !== 'powershell' && has(shell)) expect(spawnSync(shell, ['-n'], { input: stdout, encoding: 'utf8' }).stderr).toBe('');
});
