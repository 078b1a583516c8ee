import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createOutput } from '../../../src/apps/cli/terminal/output.js';
import { builtCli, run, runInTerminal, runJson, temporaryFolder } from './harness.js';

test('check tells what is blocked, and says so by its exit code', async () => {
  const { code, stdout, stderr } = await run(['check', '--local', 'https://login.scam-mint.example/a', 'example.com']);
  expect([code, stderr]).toEqual([6, '']);
  expect(stdout.split('\n')).toEqual([
    'blocked      confirmed          https://login.scam-mint.example/a  scam-mint.example',
    'clear        not-listed         example.com',
    '',
  ]);
});

test('check gives one object for one input, results and a summary for several', async () => {
  const one = await runJson(['check', '--local', 'example.com']);
  expect(one.code).toBe(0);
  expect(one.value).toMatchObject({ input: 'example.com', verdict: { status: 'clear', reason: 'not-listed', action: 'allow' } });
  const lines = await runJson(['check', '--local', '-'], { input: 'example.com\n\nscam-mint.example\r\n' });
  expect(lines.code).toBe(6);
  expect(lines.value.results.map(({ input }: { input: string }) => input)).toEqual(['example.com', 'scam-mint.example']);
  expect(lines.value.summary).toEqual({
    checked: 2,
    blocked: 1,
    allowed: 0,
    clear: 1,
    unconfirmed: 0,
    unknown: 0,
    notListable: 0,
  });
});

test('check reads a list of one’s own, and a type that is named', async () => {
  const file = join(temporaryFolder(), 'mine.txt');
  writeFileSync(file, 'evil.example\n');
  const { code, value } = await runJson(['check', '--list', file, 'https://a.evil.example/']);
  expect([code, value.verdict.reason]).toEqual([6, 'listed']);
  expect((await run(['check', '--list', file, '--type', 'twitter', '@example'])).stdout).toContain('clear');
});

test('a secret is not repeated', async () => {
  const secret = 'a'.repeat(64);
  const { code, stdout, stderr } = await run(['check', '--local', '--json', secret]);
  expect(code).toBe(0);
  expect(stdout + stderr).not.toContain(secret);
});

test('a terminal gets colours, unless NO_COLOR asks for none', async () => {
  const coloured = await runInTerminal(['check', '--local', 'scam-mint.example']);
  expect(await coloured.ended).toBe(6);
  expect(coloured.text()).toContain('\u001b[31mblocked');
  const plain = await runInTerminal(['check', '--local', 'scam-mint.example'], { env: { NO_COLOR: '1' } });
  await plain.ended;
  expect(plain.text()).not.toMatch(/\u001b\[3\dm/);
});

test.each([
  [['chekc'], 'did you mean: portcullis check'],
  [['check', '--lcoal', 'x'], 'did you mean --local?'],
  [['check'], 'nothing to check'],
  [['check', '--list'], '--list needs a value'],
  [['check', '--list', '--quiet', 'x'], '--list needs a value'],
  [['check', '--local', '--relay=https://relay.example', 'x'], 'name two places'],
  [['check', '--local', '--type', 'TWITER', 'x'], 'did you mean --type=TWITTER?'],
  [['check', '--local', '--dry-run', 'x'], 'changes nothing'],
  [['check', 'example.com'], 'where is the service?'],
  [['__proto__'], 'there is no such command'],
  [['chekc', '--json=1'], 'no such command: chekc'],
  [['check', '--url', 'http://api.example', 'x'], 'the address is plain http'],
  [['check', '--relay', 'ftp://relay.example', 'x'], 'the address must be like'],
  [['parse', '--max', '1.5', 'x'], 'a whole number from 1'],
  [['serve', '--port', '80.5'], 'a whole number from 0'],
  [['check', '--__proto__', 'x'], 'there is no such option'],
  [['--local', 'check'], 'the command comes first'],
])('%j is refused with what to do', async (args, words) => {
  const { code, stdout, stderr } = await run(args);
  expect(stderr).toContain(words);
  expect([code, stdout]).toEqual([3, '']);
});

test('without any list each command fails alike, in JSON too', async () => {
  const missing = ['--list', '/nowhere/list.txt'];
  const down = ['--relay', 'http://127.0.0.1:1'];
  const input = 'example.com\n';
  for (const [name, word] of [
    ['check', 'example.com'],
    ['explain', 'example.com'],
    ['screen', '-'],
  ] as const) {
    const file = await runJson([name, ...missing, word], { input });
    expect([name, file.code, file.value.error.code, file.value.exitCode]).toEqual([name, 4, 'NOT_FOUND', 4]);
    const relay = await runJson([name, ...down, word], { input });
    expect([name, relay.code, relay.value.error.code]).toEqual([name, 8, 'NETWORK']);
  }
});

test('one list of two is enough to answer', async () => {
  const file = join(temporaryFolder(), 'mine.txt');
  writeFileSync(file, 'evil.example\n');
  const both = ['check', '--list', file, '--list', '/nowhere/list.txt'];
  expect((await run([...both, 'evil.example'])).code).toBe(6);
  expect((await run([...both, 'example.com'])).code).toBe(7);
});

test.each(['serve', 'sync', 'status', 'doctor', 'demo', 'logout', 'openapi'])('%s takes no words', async (name) => {
  const { code, stdout, stderr } = await run([name, './public']);
  expect([code, stdout]).toEqual([3, '']);
  expect(stderr).toContain('there is a word that nothing takes');
  if (name === 'serve') expect(stderr).toContain('--published');
});

test('an error is one object where JSON is asked for', async () => {
  expect((await runJson(['check'])).value).toEqual({
    error: { code: 'USAGE', message: 'nothing to check', next: 'portcullis check <asset…|->' },
    exitCode: 3,
  });
});

test('lines of a list that cannot be listed are named by number, and not repeated', async () => {
  const secret = 'ab'.repeat(32);
  const file = join(temporaryFolder(), 'mine.txt');
  writeFileSync(file, `evil.example\nbit.ly\n${secret}\n`);
  const { code, stdout, stderr } = await run(['check', '--list', file, 'example.com']);
  expect(code).toBe(0);
  expect(stderr).toContain('2 of its lines cannot be listed: line 2 (shared-host), line 3 (secret)');
  expect(stdout + stderr).not.toContain(secret);
  expect((await run(['check', '--list', join(temporaryFolder(), 'none.txt'), 'x.example'])).stderr).toContain('no such file');
});

test('what others wrote moves no cursor', async () => {
  const { stdout } = await run(['check', '--local', 'https://evil.example/\u001b[2J\u009b1m\u202e']);
  expect(stdout).toContain('\\u{1b}[2J\\u{9b}1m\\u{202e}');
  expect(stdout).not.toMatch(/[\u001b\u009b\u202e]/);
});

test('bytes that are no text are refused, and a very long argument is answered', async () => {
  const garbage = await run(['check', '--local', '-'], { input: Uint8Array.of(0xff, 0, 0xfe, 10, 0x80) });
  expect([garbage.code, garbage.stdout, garbage.stderr]).toEqual([3, '', expect.stringContaining('no UTF-8')]);
  const { code, stdout } = await run(['check', '--local', `https://scam-mint.example/${'a'.repeat(100_000)}`]);
  expect([code, stdout.slice(0, 7)]).toEqual([6, 'blocked']);
});

test('not-listable is an answer, and no failure', async () => {
  const { code, value } = await runJson(['check', '--local', 'http://localhost/']);
  expect([code, value.verdict.status]).toEqual([0, 'not-listable']);
});

test('Ctrl-C ends the wait for standard input', async () => {
  const terminal = await runInTerminal(['check', '--local', '-']);
  while (!terminal.text().includes('Ctrl-D')) await new Promise((resolve) => setTimeout(resolve, 20));
  terminal.write('\u0003');
  expect(await terminal.ended).toBe(130);
});

test('a word that is like no command, which may be a key, is not repeated', async () => {
  for (const args of [['sk_live_0123456789abcdef'], ['api', 'sk_live_0123456789abcdef']]) {
    const { code, stdout, stderr } = await run(args);
    expect(code).toBe(3);
    expect(stdout + stderr).not.toContain('sk_live');
  }
});

test('output that cannot be written ends it with 1 and a line, not a trace', async () => {
  const cli = builtCli();
  const [code, stderr] = await new Promise<[unknown, string]>((resolve) => {
    const child = spawn('sh', ['-c', '"$0" "$1" help >/dev/full', process.execPath, cli], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let text = '';
    child.stderr.on('data', (piece) => (text += piece));
    child.on('close', (ended) => resolve([ended, text]));
  });
  expect([code, stderr]).toEqual([1, 'portcullis: the output cannot be written [ENOSPC]\n']);
});

test('a terminal that knows no width, or is dumb, is written to as well', async () => {
  const narrow = await runInTerminal(['help'], { columns: 0 });
  await narrow.ended;
  expect(narrow.text()).toMatch(/check +Check links, addresses and other assets\r/);
  const output = createOutput(
    { env: { TERM: 'dumb' }, stdin: process.stdin, stdout: terminalStream(), stderr: terminalStream() },
    { format: 'human', isQuiet: false, isPlain: false },
  );
  output.progress('x').update(1, 2);
  expect(written).toBe('');
});

let written = '';

function terminalStream(): Writable & { isTTY: true; columns: 0 } {
  const stream = new Writable({
    write: (piece, _, done) => {
      written += String(piece);
      done();
    },
  });
  return Object.assign(stream, { isTTY: true, columns: 0 } as const);
}
