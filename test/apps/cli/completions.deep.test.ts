import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { expect, test } from 'vitest';
import { commands } from '../../../apps/cli/commands.js';
import { findShell } from '../../../tools/find-shells.js';
import { run, temporaryFolder } from './in-process.js';

/** What is typed, and what a shell must offer. In a folder with the file `links.txt`. */
const cases: readonly (readonly [typed: string, offered: readonly string[]])[] = [
  ['', [...commands.keys(), 'help']],
  ['lo', ['log', 'login', 'logout']],
  ['api assetC', ['assetCheck', 'assetChangelog']],
  ['webhook v', ['verify']],
  ['api assetCheck --con', ['--content']],
  ['api assetCheck --content x --lo', ['--local']],
  ['check --local --js', ['--json']],
  ['help ch', ['check']],
  ['help exit', ['exit-codes']],
  ['check --output m', ['markdown']],
  ['check --list x --format h', ['hosts']],
  ['webhook listen --scheme st', ['standard']],
  ['webhook listen --p', ['--port']],
  ['screen --local lin', ['links.txt']],
];

const sorted = (words: readonly string[]): string[] => [...new Set(words)].sort();

/** A folder with the script of a shell and a file. */
async function folderFor(shell: string, name: string): Promise<string> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'functions'));
  writeFileSync(join(folder, 'functions', name), (await run(['completions', shell])).stdout);
  writeFileSync(join(folder, 'links.txt'), '');
  return folder;
}

test('fish offers commands, operations, options, choices and files', async () => {
  const folder = await folderFor('fish', 'portcullis.fish');
  for (const [typed, offered] of cases) {
    const script = `source functions/portcullis.fish; complete -C 'portcullis ${typed}'`;
    const env = { HOME: folder, XDG_CONFIG_HOME: folder, PATH: process.env['PATH'] };
    const { stdout, stderr, status } = spawnSync(findShell('fish')!, ['--no-config', '-c', script], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    expect([typed, status, stderr]).toEqual([typed, 0, '']);
    const words = stdout.split('\n').map((line) => line.split('\t')[0]!);
    expect([typed, sorted(words.filter(Boolean))]).toEqual([typed, sorted(offered)]);
  }
});

/**
 * The completion system of an interactive zsh, which prints what it would offer between two marks and ends. `compadd -A` gives the matches
 * of a call, which `compadd` alone would put on the screen.
 */
const zshrc = `
PROMPT='ready> '
fpath=($ZDOTDIR/functions $fpath)
autoload -Uz compinit
compinit -u -d $ZDOTDIR/dump
bindkey '^I' complete-word
mark() { print -r -- '<mark>' }
compprefuncs=(mark)
comppostfuncs=(mark exit)
compadd() {
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi
  local -a hits
  builtin compadd -A hits "$@"
  (( $#hits )) && print -rl -- $hits
  builtin compadd "$@"
}
`;

function zshOffers(folder: string, typed: string): Promise<string[]> {
  const env = { ZDOTDIR: folder, HOME: folder, PATH: process.env['PATH'] ?? '', TERM: 'dumb' };
  const shell = spawn(findShell('zsh')!, ['-d', '-i'], { cwd: folder, cols: 200, rows: 50, env });
  let text = '';
  return new Promise((resolve) => {
    let isTyped = false;
    shell.onData((piece) => {
      text += piece;
      if (isTyped || !text.includes('ready> ')) return;
      isTyped = true;
      shell.write(`portcullis ${typed}\t`);
    });
    shell.onExit(() => {
      const lines = (text.split('<mark>')[1] ?? text).split(/\r?\n/).map((line) => line.trim());
      resolve(lines.filter(Boolean));
    });
  });
}

test('zsh offers commands, operations, options, choices and files', async () => {
  const folder = await folderFor('zsh', '_portcullis');
  writeFileSync(join(folder, '.zshrc'), zshrc);
  for (const [typed, offered] of cases) expect([typed, sorted(await zshOffers(folder, typed))]).toEqual([typed, sorted(offered)]);
});
