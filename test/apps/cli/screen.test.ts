import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf, PrefixSet, prefixOf } from 'portcullis';
import { encodeArtifact } from 'portcullis/assets';
import { expect, onTestFinished, test } from 'vitest';
import { exitCodes } from '../../../apps/cli/errors/exit-codes.js';
import { lineReaderOf } from '../../../apps/cli/lists/screening.js';
import { toHex, u32ToHex } from '../../../src/core/bytes.js';
import { serve } from '../../support/scripted-server.js';
import { runningService } from './harness.js';
import { run, start, temporaryFolder } from './in-process.js';

const linesOf = (stdout: string): unknown[] =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

test('answers each line, and reports lines it cannot read', async () => {
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

test('continues an interrupted run after the lines to skip, with their numbers', async () => {
  const lines = ['{"content":"example.com"}', '"scam-mint.example"', '', '{broken', '"example.org"'];
  const input = `${lines.join('\n')}\n`;
  const whole = await run(['screen', '--local', '-', '--quiet'], { input });
  for (const skipped of [0, 1, 2, 4, 5, 99]) {
    const { stdout } = await run(['screen', '--local', '-', '--quiet', '--skip', String(skipped)], { input });
    const expected = linesOf(whole.stdout).filter((answer) => (answer as { line: number }).line > skipped);
    expect(linesOf(stdout)).toEqual(expected);
  }
  const { stdout } = await run(['screen', '--local', '-', '--skip', '3', '--summary', '--only', 'blocked'], { input });
  expect(linesOf(stdout)).toMatchObject([{ line: 4, error: 'not-json' }, { summary: { lines: 2, checked: 1, bad: 1 } }]);
  expect((await run(['screen', '--local', '-', '--skip', '-1'], { input })).code).toBe(exitCodes.usage);
});

test('reads NDJSON if the first line begins with {, and an unusual value affects only its own line', async () => {
  const lines: readonly (readonly [line: string, answer: object])[] = [
    ['{"content":"@example","type":"TWITTER"}', { input: '@example', status: 'clear' }],
    ['{"content":"scam-mint.example","type":null}', { input: 'scam-mint.example', status: 'blocked' }],
    ['"example.com"', { input: 'example.com', status: 'clear' }],
    ['{"content":1}', { error: 'no-content' }],
    ['{"content":"x","type":"TWITER"}', { error: 'type-unknown' }],
    ['{broken', { error: 'not-json' }],
    ['{"content":"@example","type":["TWITTER"]}', { error: 'type-unknown' }],
    ['{"content":"@example","type":"twitter"}', { input: '@example', status: 'clear' }],
    ['{"content":"example.com","chain":5}', { error: 'chain-unknown' }],
    ['{"content":"example.com","type":{}}', { error: 'type-unknown' }],
    ['[]', { error: 'no-content' }],
    ['null', { error: 'no-content' }],
    ['{"content":{"content":"example.com"}}', { error: 'no-content' }],
    ['"scam-mint.example"', { input: 'scam-mint.example', status: 'blocked' }],
  ];
  const input = lines.map(([line]) => `${line}\n`).join('');
  const { code, stdout, stderr } = await run(['screen', '--local', '-', '--quiet'], { input });
  expect(linesOf(stdout)).toMatchObject(lines.map(([, answer], at) => ({ line: at + 1, ...answer })));
  expect([code, stderr]).toEqual([7, '']);
});

test('waits for a relay that asks for a pause every few requests', async () => {
  const names = Array.from({ length: 2_000 }, (_, at) => `evil-${at}.example`);
  const hashes = new Map(names.map((name) => [u32ToHex(prefixOf(name)), toHex(hashOf(name))]));
  const listed = Buffer.from(encodeArtifact(PrefixSet.from(names.map(prefixOf)), { encoding: 'raw' }));
  let asked = 0;
  const relay = await serve(({ url, body }) => {
    if (url.endsWith('/version')) {
      const part = (token: string, count: number) => ({ token, count, url: `${relay.origin}/files/${token}` });
      return { body: { algoVersion: 'portcullis-1', snapshot: part('s', 2_000), recent: part('r', 0) } };
    }
    if (url.startsWith('/files/')) return { body: url.endsWith('s') ? listed : '' };
    asked++;
    if (asked % 3 === 0) return { status: 429, headers: { 'retry-after': '1' }, body: { message: 'slow down' } };
    const { prefixes } = JSON.parse(body.toString()) as { prefixes: string[] };
    return { body: { hashes: Object.fromEntries(prefixes.map((prefix) => [prefix, [hashes.get(prefix)]])) } };
  });
  onTestFinished(() => relay.close());
  const args = ['screen', '--relay', relay.origin, '--no-store', '--summary', '--only', 'unknown', '-'];
  const { code, stdout, stderr } = await run(args, { input: names.join('\n') });
  expect(linesOf(stdout)).toMatchObject([{ summary: { lines: 2_000, blocked: 2_000, unconfirmed: 0 } }]);
  expect(stderr).toMatch(
    /^the relay at 127.0.0.1:\d+: the service answered 429 \[TOO_MANY_REQUESTS\]; waiting for it\n2,000 lines in .*: 2,000 blocked\n$/,
  );
  expect(code).toBe(0);
});

test('reads NDJSON with --ndjson if the first line is a string', async () => {
  const { stdout } = await run(['screen', '--local', '--ndjson', '-', '--quiet'], { input: '"example.com"\n' });
  expect(linesOf(stdout)).toMatchObject([{ line: 1, input: 'example.com', status: 'clear' }]);
});

test('the type and chain of a line override those of the call', () => {
  const reader = lineReaderOf((content) => ({ content, type: 'PHONE_NUMBER', chain: 'eth' }), true);
  const read = (value: object): unknown => reader({ number: 1, text: JSON.stringify({ content: 'x', ...value }) });
  expect(read({})).toEqual({ line: 1, input: { content: 'x', type: 'PHONE_NUMBER', chain: 'eth' } });
  expect(read({ type: 'URL' })).toEqual({ line: 1, input: { content: 'x', type: 'URL', chain: 'eth' } });
  expect(read({ chain: 'bitcoin' })).toEqual({ line: 1, input: { content: 'x', type: 'PHONE_NUMBER', chain: 'bitcoin' } });
});

test('filters verdicts, exits with 6 on a block if asked to, and prints counts', async () => {
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

test('confirms all hits of a batch in one request, beyond the budget of a page', async () => {
  const { service, env } = await runningService();
  const input = Array.from({ length: 5_000 }, (_, at) => `https://a${at}.scam-mint.example/\n`).join('');
  const { code, stdout } = await run(['screen', '-'], { env, input });
  expect(code).toBe(0);
  expect(linesOf(stdout).every((line) => (line as { reason: string }).reason.startsWith('confirmed'))).toBe(true);
  expect(service.requests().filter(({ url }) => url.endsWith('/confirm')).length).toBe(1);
});

test('answers lines that arrive one by one at once, and stops on Ctrl-C', async () => {
  const running = start(['screen', '--local', '-', '--quiet']);
  running.write('scam-mint.example\n');
  const [answer] = await running.until(/^.*\n/);
  expect(linesOf(answer)).toMatchObject([{ line: 1, status: 'blocked' }]);
  running.interrupt();
  expect(await running.ended).toBe(130);
});

test('a terminal shows progress', async () => {
  const file = join(temporaryFolder(), 'links.txt');
  writeFileSync(file, 'https://example.com/a/long/enough/path/to/be/a/usual/one\n'.repeat(150_000));
  const running = start(['screen', '--list', '-', '--only', 'blocked', file], { columns: 40 });
  running.write('evil.example\n');
  running.end();
  expect(await running.ended).toBe(0);
  expect(running.stderr()).toMatch(/screening █+░* +\d+/);
  expect(running.stderr()).toContain('150,000 lines in');
});
