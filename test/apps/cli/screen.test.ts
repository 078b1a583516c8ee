import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { createBlocklist } from 'portcullis';
import { createService } from 'portcullis/service';
import { textSource } from 'portcullis/sources';
import { expect, onTestFinished, test } from 'vitest';
import { answerOf, LineReader } from '../../../src/apps/cli/lists/screening.js';
import { builtCli, run, runInTerminal, temporaryFolder } from './harness.js';

const linesOf = (stdout: string): unknown[] =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

test('screen answers each line, and says what it could not read', async () => {
  const secret = 'ab'.repeat(32);
  const long = `${'a'.repeat(1_048_577)}`;
  const input = Buffer.concat([
    Buffer.from('\uFEFFhttps://login.scam-mint.example/a\r\nexample.com\n\n'),
    Uint8Array.of(0xff, 0xfe, 10),
    Buffer.from(`hello world\n${secret}\n${long}\nexample.org`),
  ]);
  const { code, stdout, stderr } = await run(['screen', '--local', '-'], { input });
  expect(linesOf(stdout)).toEqual([
    {
      line: 1,
      input: 'https://login.scam-mint.example/a',
      status: 'blocked',
      action: 'block',
      reason: 'confirmed',
      type: 'PAGE',
      canonical: 'login.scam-mint.example/a',
      expression: 'scam-mint.example',
    },
    { line: 2, input: 'example.com', status: 'clear', action: 'allow', reason: 'not-listed' },
    { line: 4, error: 'not-utf8' },
    { line: 5, input: 'hello world', status: 'unknown', action: 'allow', reason: 'unreadable' },
    { line: 6, input: null, status: 'not-listable', action: 'allow', reason: 'secret' },
    { line: 7, error: 'too-long' },
    { line: 8, input: 'example.org', status: 'clear', action: 'allow', reason: 'not-listed' },
  ]);
  expect(stdout + stderr).not.toContain(secret);
  expect(stderr).toMatch(/^8 lines in .*: 1 blocked, 1 unknown, 2 could not be read\n$/);
  expect(code).toBe(7);
});

test('screen reads NDJSON, which the first line tells or --ndjson', async () => {
  const input = [
    '{"content":"@example","type":"TWITTER"}',
    '{"content":"scam-mint.example","type":null}',
    '"example.com"',
    '{"content":1}',
    '{"content":"x","type":"TWITER"}',
    '{broken',
    '',
  ].join('\n');
  const { code, stdout } = await run(['screen', '--local', '-', '--quiet'], { input });
  expect(linesOf(stdout)).toMatchObject([
    { line: 1, input: '@example', status: 'clear' },
    { line: 2, input: 'scam-mint.example', status: 'blocked' },
    { line: 3, input: 'example.com', status: 'clear' },
    { line: 4, error: 'no-content' },
    { line: 5, error: 'type-unknown' },
    { line: 6, error: 'not-json' },
  ]);
  expect(code).toBe(7);
  expect(linesOf((await run(['screen', '--local', '--ndjson', '-'], { input: '"example.com"\n' })).stdout)).toMatchObject([
    { input: 'example.com' },
  ]);
});

test('an odd value in one line costs that line only', async () => {
  const input = [
    '{"content":"@example","type":["TWITTER"]}',
    '{"content":"@example","type":"twitter"}',
    '{"content":"example.com","chain":5}',
    '{"content":"example.com","type":{}}',
    '[]',
    'null',
    '{"content":{"content":"example.com"}}',
    '"scam-mint.example"',
    '',
  ].join('\n');
  const { code, stdout, stderr } = await run(['screen', '--local', '--ndjson', '-', '--quiet'], { input });
  expect(linesOf(stdout)).toMatchObject([
    { line: 1, error: 'type-unknown' },
    { line: 2, input: '@example', status: 'clear' },
    { line: 3, error: 'chain-unknown' },
    { line: 4, error: 'type-unknown' },
    { line: 5, error: 'no-content' },
    { line: 6, error: 'no-content' },
    { line: 7, error: 'no-content' },
    { line: 8, status: 'blocked' },
  ]);
  expect([code, stderr]).toEqual([7, '']);
});

test('an object keeps what the call says of all, but for what it says itself', () => {
  const reader = new LineReader((content) => ({ content, type: 'PHONE_NUMBER', chain: 'eth' }), true);
  const read = (value: object): unknown => reader.read({ number: 1, text: JSON.stringify({ content: 'x', ...value }) });
  expect(read({})).toEqual({ line: 1, input: { content: 'x', type: 'PHONE_NUMBER', chain: 'eth' } });
  expect(read({ type: 'URL' })).toEqual({ line: 1, input: { content: 'x', type: 'URL', chain: 'eth' } });
  expect(read({ chain: 'bitcoin' })).toEqual({ line: 1, input: { content: 'x', type: 'PHONE_NUMBER', chain: 'bitcoin' } });
});

test('whatever JSON a line holds, it is answered or refused, and a list answers what it takes', async () => {
  const blocklist = createBlocklist({ sources: [textSource({ id: 'mine', text: 'evil.example\n' })] });
  onTestFinished(() => blocklist.close());
  await blocklist.ready();
  const reader = new LineReader((content) => content, true);
  const oddly = fc.oneof(fc.jsonValue(), fc.constantFrom('URL', 'twitter', 'evil.example', 'eth', null, ['URL']));
  const line = fc.oneof(
    fc.jsonValue(),
    fc.record(
      { content: fc.oneof(fc.string({ unit: 'binary' }), oddly), type: oddly, chain: oddly },
      { requiredKeys: ['content'] },
    ),
  );
  await fc.assert(
    fc.asyncProperty(line, async (value) => {
      const asked = reader.read({ number: 1, text: JSON.stringify(value) });
      if (asked === null || asked.error !== undefined) return;
      const verdict = blocklist.test(asked.input);
      expect(await blocklist.checkMany([asked.input])).toHaveLength(1);
      expect(() => JSON.parse(answerOf(1, asked.input, verdict))).not.toThrow();
    }),
    { numRuns: 2_000 },
  );
});

test('screen writes what is asked for, fails on a block if it is told to, and sums up', async () => {
  const file = join(temporaryFolder(), 'links.txt');
  writeFileSync(file, 'example.com\nscam-mint.example\nexample.org\n');
  const all = await run(['screen', '--local', file]);
  expect([all.code, linesOf(all.stdout).length]).toEqual([0, 3]);
  const some = await run(['screen', '--local', file, '--only', 'blocked', '--fail-on-block', '--summary']);
  expect(some.code).toBe(6);
  expect(linesOf(some.stdout)).toEqual([
    expect.objectContaining({ line: 2, status: 'blocked' }),
    { summary: { lines: 3, checked: 3, blocked: 1, allowed: 0, clear: 2, unconfirmed: 0, unknown: 0, notListable: 0, bad: 0 } },
  ]);
});

test.each([
  [['screen', '--local'], 3, 'nothing to screen'],
  [['screen', '--local', 'a', 'b'], 3, 'one file'],
  [['screen', '--list', '-', '-'], 3, 'either the list or the lines'],
  [['screen', '--local', '--only', 'blokced', '-'], 3, 'did you mean blocked?'],
  [['screen', '--local', '--output=csv', '-'], 3, 'a line of JSON'],
  [['screen', '--local', '/nowhere/links.txt'], 4, 'no such file'],
  [['screen', '--relay', 'http://127.0.0.1:1', '-'], 8, 'NETWORK'],
])('%j is refused', async (args, exitCode, words) => {
  const { code, stdout, stderr } = await run(args);
  expect(stderr).toContain(words);
  expect([code, stdout]).toEqual([exitCode, '']);
});

test('all hits of a batch are asked about at once, and beyond what a page may ask', async () => {
  const service = createService();
  onTestFinished(() => service.close());
  const { url } = await service.listen();
  const env = { HOME: temporaryFolder(), PORTCULLIS_API_URL: url, PORTCULLIS_API_KEY: service.key };
  const input = Array.from({ length: 5_000 }, (_, at) => `https://a${at}.scam-mint.example/\n`).join('');
  const { code, stdout } = await run(['screen', '-'], { env, input });
  expect(code).toBe(0);
  expect(linesOf(stdout).every((line) => (line as { reason: string }).reason.startsWith('confirmed'))).toBe(true);
  expect(service.requests().filter(({ url }) => url.endsWith('/confirm')).length).toBe(1);
});

/** A child whose standard input is written as fast as it reads. */
async function started(args: readonly string[]) {
  const home = temporaryFolder();
  const child = spawn(process.execPath, [builtCli(), ...args], {
    env: { PATH: process.env['PATH'], HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_CACHE_HOME: join(home, 'cache') },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.on('error', () => {});
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { child, ended };
}

const megabyte = Buffer.from('https://example.com/a/long/enough/path/to/be/a/usual/one\n'.repeat(18_000));

/** Fewer and longer lines: it is bytes that would pile up. */
const longLines = Buffer.from(`https://example.com/${'a'.repeat(1_000)}\n`.repeat(1_000));

test('two hundred megabytes pass through little memory', async () => {
  const { child, ended } = await started(['screen', '--local', '--only', 'blocked', '-']);
  let most = 0;
  const mb = 200;
  for (let written = 0; written < mb; written++) {
    if (!child.stdin.write(longLines)) await new Promise((resolve) => child.stdin.once('drain', resolve));
    const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
    most = Math.max(most, Number(kilobytes));
  }
  child.stdin.end();
  expect(await ended).toBe(0);
  expect(most).toBeLessThan(350_000);
});

test('one line without an end takes no memory either', async () => {
  const { child, ended } = await started(['screen', '--local', '-']);
  let stdout = '';
  child.stdout.on('data', (text) => (stdout += text));
  const piece = Buffer.alloc(1_000_000, 'a');
  for (let written = 0; written < 50; written++) {
    if (!child.stdin.write(piece)) await new Promise((resolve) => child.stdin.once('drain', resolve));
  }
  child.stdin.end('\nexample.com\n');
  expect(await ended).toBe(7);
  expect(linesOf(stdout)).toMatchObject([
    { line: 1, error: 'too-long' },
    { line: 2, status: 'clear' },
  ]);
});

test('a reader that goes away ends it at once, without a word', async () => {
  const { child, ended } = await started(['screen', '--local', '-', '--quiet']);
  let stderr = '';
  child.stderr.on('data', (text) => (stderr += text));
  const feed = (): void => {
    while (child.stdin.writable && child.stdin.write(megabyte));
  };
  child.stdin.on('drain', feed);
  feed();
  child.stdout.once('data', () => child.stdout.destroy());
  expect(await ended).toBe(0);
  expect(stderr).toBe('');
});

test('lines that come one by one are answered one by one, and Ctrl-C ends the wait', async () => {
  const { child, ended } = await started(['screen', '--local', '-', '--quiet']);
  const answered = new Promise<string>((resolve) => child.stdout.once('data', (text) => resolve(String(text))));
  child.stdin.write('scam-mint.example\n');
  expect(linesOf(await answered)).toMatchObject([{ line: 1, status: 'blocked' }]);
  child.kill('SIGINT');
  expect(await ended).toBe(130);
});

test('Ctrl-C in the middle leaves whole lines', async () => {
  const { child, ended } = await started(['screen', '--local', '-', '--quiet']);
  let stdout = '';
  child.stdout.on('data', (text) => (stdout += text));
  const feed = (): void => {
    while (child.stdin.writable && child.stdin.write(megabyte));
  };
  child.stdin.on('drain', feed);
  feed();
  child.stdout.once('data', () => setTimeout(() => child.kill('SIGINT'), 200));
  expect(await ended).toBe(130);
  expect(stdout.endsWith('\n')).toBe(true);
  const lines = linesOf(stdout) as { line: number }[];
  expect(lines.length).toBeGreaterThan(1_000);
  expect(lines.at(-1)!.line).toBe(lines.length);
});

test('a terminal sees how far it is', async () => {
  const file = join(temporaryFolder(), 'links.txt');
  writeFileSync(file, megabyte.toString().repeat(4));
  const terminal = await runInTerminal(['screen', '--local', '--only', 'blocked', file], { columns: 40 });
  expect(await terminal.ended).toBe(0);
  expect(terminal.text()).toMatch(/screening █+░* +\d+/);
  expect(terminal.text()).toContain('72,000 lines in');
});
