import { expect, test } from 'vitest';
import { callAgain } from '../../../apps/cli/terminal/call-again.js';
import { runInTerminal } from './harness.js';
import { run } from './in-process.js';

interface Row {
  readonly input: string;
  readonly verdict: { readonly status: string };
  readonly sentPrefixes: number;
}

test('the demo prints the same verdicts with and without the network, and what it sent', async () => {
  const { code, stdout } = await run(['demo', '--json']);
  expect(code).toBe(0);
  const value = JSON.parse(stdout) as { online: Row[]; offline: Row[] };
  const facts = (rows: Row[]): unknown[] => rows.map(({ input, verdict, sentPrefixes }) => [input, verdict.status, sentPrefixes]);
  const address = '0x52908400098527886E0F7030069857D2E4169EE7';
  expect(facts(value.online)).toEqual([
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
  expect(facts(value.offline)).toEqual(facts(value.online.map((row) => ({ ...row, sentPrefixes: 0 }))));
});

test('the demo exits on its own without a terminal', async () => {
  const { code, stdout, stderr } = await run(['demo']);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('offline');
  expect(stdout).toContain('11 of 11 verdicts are the same without the network.');
  // Of the sample list and the two that the demo reports, as the page shows.
  expect(stdout).toContain('Fetched 7 entries in ');
  // Nothing serves the page any more.
  expect(stdout).toMatch(/Try it in a browser with: node \S+ serve\n$/);
  expect(stdout).not.toMatch(/\d{2},\d{3} µs/);
});

test('on a narrow terminal the demo breaks its lines, and serves its page until Ctrl-C', async () => {
  const terminal = runInTerminal(['demo'], { columns: 40 });
  await expect.poll(terminal.text, { timeout: 60_000 }).toContain('Press Ctrl-C to stop');
  const text = terminal.text().replace(/\u001b\[[\d;]*[mK]/g, '');
  const [url] = /http:\/\/127\.0\.0\.1:\d+\/playground\//.exec(text.replaceAll('\r\n', '\n')) ?? [];
  const page = await fetch(url!);
  expect(page.status).toBe(200);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  terminal.write('\u0003');
  expect(await terminal.ended).toBe(0);
  const wide = text.split(/[\r\n]+/).filter((line) => line.length > 40 && line.trim().includes(' ') && !line.includes('http'));
  expect(wide).toEqual([]);
});

test.each([
  ['/home/ann/portcullis/dist/cli.js', 'node dist/cli.js'],
  ['/home/ann/portcullis/node_modules/.bin/portcullis', 'npx portcullis'],
  // npx would ask the registry for the name.
  ['/home/ann/.npm/_npx/1f/node_modules/.bin/portcullis', 'node /home/ann/.npm/_npx/1f/node_modules/.bin/portcullis'],
  ['/home/ann/portcullis/my clone/dist/cli.js', 'node "my clone/dist/cli.js"'],
  ['/usr/local/bin/portcullis', 'portcullis'],
])('the demo names a command that a shell finds where it runs as %s', (program, command) => {
  expect(callAgain(program, '/home/ann/portcullis')).toBe(command);
});
