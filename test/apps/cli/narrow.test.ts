import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { commands } from '../../../apps/cli/commands.js';
import { printLines } from '../../../apps/cli/terminal/print.js';
import { start, temporaryFolder } from './in-process.js';

const columns = 40;
const address = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT';
const link = `https://login.scam-mint.example/abcde`;

type Line = readonly [args: (folder: string) => readonly string[], input?: string];

/** Every command that prints for a person. */
const lines: Readonly<Record<string, readonly Line[]>> = {
  check: [
    [() => ['check', '--local', link, address, 'example.com', 'xyz']],
    [(folder) => ['check', '--list', join(folder, 'list.txt'), address]],
    [() => ['check', '--relay', 'http://127.0.0.1:1', address]],
    [() => ['check', '--local', '--type', 'nothing-like-it', address]],
  ],
  explain: [[() => ['explain', '--local', link, address]], [() => ['explain', '--local', '--confirm', link]]],
  screen: [[() => ['screen', '--local', '-', '--quiet'], `${address}\n`]],
  parse: [[() => ['parse', `see ${link} and ${address}`]]],
  sync: [[() => ['sync', '--local']], [() => ['sync', '--relay', 'http://127.0.0.1:1']]],
  status: [[() => ['status', '--relay', 'http://127.0.0.1:1']]],
  doctor: [[() => ['doctor', '--local']], [() => ['doctor', '--relay', 'http://127.0.0.1:1']]],
  publish: [[(folder) => ['publish', join(folder, 'list.txt'), '--out', join(folder, 'out')]]],
  log: [
    [(folder) => ['log', 'verify', folder]],
    [
      () => [
        'log',
        'verify',
        'http://127.0.0.1:1',
        '--key',
        'lists.example/scam+fd473f74+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c',
      ],
    ],
  ],
  keygen: [[(folder) => ['keygen', join(folder, 'key')]]],
  serve: [[() => ['serve', '--host', '0.0.0.0']]],
  mcp: [[() => ['mcp', '--list', '--local']]],
  api: [
    [() => ['api', 'assetCheck', '--local', '--content', link]],
    [() => ['api', 'assetList', '--local', '--type', 'URL']],
    [() => ['api', 'assetCheck', '--local', '--contnet', link]],
    [() => ['api', '--list']],
  ],
  login: [[() => ['login']]],
  logout: [[() => ['logout']]],
  whoami: [[() => ['whoami', '--local']]],
  webhook: [[() => ['webhook', 'verify']]],
  demo: [[() => ['demo', '--nonsense']]],
  openapi: [[() => ['openapi', '--nonsense']]],
  completions: [[() => ['completions', 'tcsh']]],
};

test('every command is in the table', () => {
  expect(Object.keys(lines).sort()).toEqual([...commands.keys()].sort());
});

/** Printed lines that a terminal would break although they have a place between words. */
function tooLong(text: string): string[] {
  return stripVTControlCharacters(text)
    .split('\n')
    .map((line) => line.split('\r').at(-1)!.trimEnd())
    .filter((line) => line.length > columns && line.trim().includes(' '));
}

// Only the help had a test at this width.
test.each(Object.keys(lines))('%s breaks no address at 40 columns', async (name) => {
  for (const [args, input = ''] of lines[name]!) {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'list.txt'), `${address}\nbit.ly\nevil.example\n`);
    const terminal = start(args(folder), { columns, env: { TERM: 'xterm' } });
    terminal.write(input);
    terminal.end();
    await terminal.ended;
    const shown = terminal.stdout() + terminal.stderr();
    expect(shown).not.toBe('');
    expect(name === 'screen' ? [] : tooLong(shown), args(folder).join(' ')).toEqual([]);
    // A whole address is in one line, wherever it is printed.
    const plain = stripVTControlCharacters(shown);
    expect(plain.replaceAll(/\n */g, '').split(address).length).toBe(plain.split(address).length);
  }
});

test('a pipe gets whole lines', async () => {
  const written: string[] = [];
  const stream = { columns, destroyed: false, write: (text: string) => written.push(text) > 0 };
  await printLines(stream as never, [`blocked ${link} ${address}`]);
  expect(written).toEqual([`blocked ${link} ${address}\n`]);
});
