import { expect, test } from 'vitest';
import { run, runInTerminal, runJson } from './harness.js';

test('the demo checks with and without a network, shows its page and ends by itself', async () => {
  const { code, stdout, stderr } = await run(['demo']);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('offline');
  expect(stdout).toContain('11 of 11 verdicts are the same without a network.');
  expect(stdout).toMatch(/See it in a browser: http:\/\/127\.0\.0\.1:\d+\/playground\//);
});

test('the demo blocks what it should, and tells what it sent', async () => {
  const { code, value } = await runJson(['demo']);
  expect(code).toBe(0);
  type Row = { input: string; verdict: { status: string }; sentPrefixes: number; microseconds: number };
  const told = (rows: Row[]): unknown[] => rows.map(({ input, verdict, sentPrefixes }) => [input, verdict.status, sentPrefixes]);
  const address = '0x52908400098527886E0F7030069857D2E4169EE7';
  expect(told(value.online)).toEqual([
    ['https://scam-mint.example/claim?ref=1', 'blocked', 1],
    ['HTTPS://Login.Scam%2DMint.example', 'blocked', 0],
    ['https://notscam-mint.example/', 'clear', 0],
    ['https://example.com/', 'clear', 0],
    [address, 'blocked', 1],
    [address.toLowerCase(), 'blocked', 0],
    [`ethereum:${address}`, 'blocked', 0],
    ['@example_wallet_support_desk', 'blocked', 1],
    ['https://telegram.me/example_wallet_support_desk', 'blocked', 0],
    ['+1 202 555 0142', 'blocked', 1],
    ['tel:+12025550142', 'blocked', 0],
  ]);
  expect(told(value.offline)).toEqual(told(value.online.map((row: Row) => ({ ...row, sentPrefixes: 0 }))));
});

test('on a terminal the demo serves its page until Ctrl-C', async () => {
  const terminal = await runInTerminal(['demo'], { columns: 100 });
  await expect.poll(terminal.text, { timeout: 30_000 }).toContain('Ctrl-C ends it');
  const [url] = /http:\/\/127\.0\.0\.1:\d+\/playground\//.exec(terminal.text()) ?? [];
  const page = await fetch(url!);
  expect([page.status, page.headers.get('content-security-policy')]).toEqual([
    200,
    expect.stringContaining("default-src 'none'"),
  ]);
  terminal.write('\u0003');
  expect(await terminal.ended).toBe(0);
});

test('a narrow terminal has no line of it that is wider, but for what cannot be broken', async () => {
  const terminal = await runInTerminal(['demo'], { columns: 40 });
  await expect.poll(terminal.text, { timeout: 30_000 }).toContain('Ctrl-C ends it');
  terminal.write('\u0003');
  await terminal.ended;
  const lines = terminal
    .text()
    .replace(/\u001b\[[\d;]*[mK]/g, '')
    .split(/[\r\n]+/);
  const wide = lines.filter((line) => line.length > 40 && line.trim().includes(' ') && !line.includes('http'));
  expect(wide).toEqual([]);
});
