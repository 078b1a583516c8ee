import { spawn as spawnInTerminal } from '@lydell/node-pty';
import { expect, onTestFinished, test } from 'vitest';
import { sideBySide } from '../../../tools/private-demo/side-by-side.js';

/** Runs the demonstration to its end, on a terminal. */
async function demonstration(columns: number, ...args: readonly string[]) {
  const command = ['--tsconfig', 'tsconfig.tools.json', 'tools/private-demo.ts', ...args];
  const child = spawnInTerminal('node_modules/.bin/tsx', command, {
    cols: columns,
    rows: 30,
    env: { ...process.env, TERM: 'xterm' },
  });
  onTestFinished(() => {
    try {
      child.kill('SIGKILL');
    } catch {
      // It has ended.
    }
  });
  let text = '';
  child.onData((piece) => (text += piece));
  const code = await new Promise<number>((resolve) => child.onExit(({ exitCode }) => resolve(exitCode)));
  return { code, text: text.replaceAll('\r\n', '\n') };
}

test('the demonstration shows both logs and a refused list, and ends', async () => {
  const { code, text } = await demonstration(200, '--json');
  const { seen, relay, gateway, clients, prefix } = JSON.parse(text) as {
    seen: Record<string, boolean>;
    relay: { from: string; headers: string[]; body: string }[];
    gateway: { from: string; headers: string[]; asked: string }[];
    clients: Record<'anna' | 'ben' | 'cleo', { verdict: { status: string }; alarms: string[] }>;
    prefix: string;
  };
  expect([code, Object.keys(seen).length, Object.values(seen).every(Boolean)]).toEqual([0, 10, true]);
  // Once more, from what was recorded: each side has what the other lacks.
  expect(gateway.map(({ asked }) => asked).join()).toContain(`/confirm/${prefix.slice(0, 3)}-`);
  expect(new Set(relay.map(({ body }) => body.length / 2))).toEqual(new Set([1_079]));
  expect(JSON.stringify(relay)).toContain('"Anna"');
  expect(JSON.stringify(gateway)).not.toContain('Anna');
  for (const { from } of relay) expect(gateway.map((one) => one.from)).not.toContain(from);
  expect(Object.values(clients).map(({ verdict, alarms }) => [verdict.status, ...alarms])).toEqual([
    ['blocked', 'LOG_NOT_WITNESSED'],
    ['blocked'],
    ['blocked', 'LOG_FORKED'],
  ]);
});

test('on a narrow terminal it shows one log below the other, with colors and no long line', async () => {
  const { code, text } = await demonstration(60);
  expect(code).toBe(0);
  expect(text).toContain('\u001b[32myes');
  const plain = text.replace(/\u001b\[[\d;]*[mK]/g, '');
  expect(plain).not.toContain('│');
  expect(plain).toMatch(/Relay, process \d+\n(?:.+\n)+Gateway, process \d+\n/);
  expect(plain.split('\n').filter((line) => line.length > 60)).toEqual([]);
});

test('columns stand side by side where there is room, and are cut at their width', () => {
  const bold = (text: string): string => text;
  const left = { title: 'Left', lines: ['a', `  ${'b'.repeat(60)}`] };
  const right = { title: 'Right', lines: ['c'] };
  const wide = sideBySide(left, right, 100, bold);
  expect(wide[1]).toBe(`${'a'.padEnd(48)}  │ c`);
  expect(wide.slice(2).map((line) => line.split('│')[0]!.trimEnd())).toEqual([`  ${'b'.repeat(46)}`, `  ${'b'.repeat(14)}`]);
  expect(sideBySide(left, right, 50, bold)).toEqual([
    'Left',
    '  a',
    `    ${'b'.repeat(46)}`,
    `    ${'b'.repeat(14)}`,
    'Right',
    '  c',
  ]);
});
