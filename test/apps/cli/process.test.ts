import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { serve } from '../../support/scripted-server.js';
import {
  answering,
  type Child,
  halfAskedServer,
  runInTerminal,
  runningService,
  runProcess,
  shell,
  startProcess,
} from './harness.js';
import { type Ran, temporaryFolder } from './in-process.js';

test('a process prints results and exits with the code of the command', async () => {
  const { code, stdout, stderr } = await runProcess(['check', '--local', 'scam-mint.example']);
  expect([code, stdout, stderr]).toEqual([6, expect.stringMatching(/^blocked /), '']);
});

test('a large document is written to a pipe completely', async () => {
  const { code, stdout, stderr } = await runProcess(['openapi']);
  expect([code, stderr]).toEqual([0, '']);
  expect(Object.keys(JSON.parse(stdout).paths).length).toBeGreaterThan(50);
});

test('a process without input or a response ends on Ctrl-C', async () => {
  const { origin, requests } = await serve([{ fault: 'hang' }]);
  const child = startProcess(['api', 'assetCheck', '--content=x', '--url', origin]);
  await expect.poll(() => requests.length, { timeout: 60_000 }).toBe(1);
  child.process.kill('SIGINT');
  expect(await child.ended).toBe(130);
});

test('output that cannot be written ends a process with 1 and one line', async () => {
  const { code, stderr } = await shell('portcullis help >/dev/full', temporaryFolder());
  expect([code, stderr]).toEqual([1, 'portcullis: the output cannot be written [ENOSPC]\n']);
});

test('a closed pipe ends a process with 0, even while it streams', async () => {
  let pages = 0;
  const url = await answering(() => {
    pages++;
    return { body: { assets: [{ id: pages }], next_page: String(pages) } };
  });
  const line = `portcullis api assetList --type=URL --all --json --url ${url} | head -2; echo "\${PIPESTATUS[0]}"`;
  expect((await shell(line, temporaryFolder())).stdout).toBe('{"id":1}\n{"id":2}\n0\n');
});

/** A `screen` process whose input never ends. */
function startEndless(): Child {
  const child = startProcess(['screen', '--local', '-', '--quiet']);
  const { stdin } = child.process;
  const megabyte = Buffer.from('https://example.com/a/long/enough/path/to/be/a/usual/one\n'.repeat(18_000));
  const feed = (): void => {
    while (stdin.writable && stdin.write(megabyte));
  };
  stdin.on('drain', feed);
  feed();
  return child;
}

test('a reader that disconnects ends screen at once, without a message', async () => {
  const { process: child, ended, stderr } = startEndless();
  child.stdout.once('data', () => child.stdout.destroy());
  expect(await ended).toBe(0);
  expect(stderr()).toBe('');
});

test('Ctrl-C in the middle of screen leaves whole lines', async () => {
  const { process: child, ended, stdout } = startEndless();
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  expect(await ended).toBe(130);
  expect(stdout().endsWith('\n')).toBe(true);
  const lines = stdout().trim().split('\n');
  expect(JSON.parse(lines.at(-1)!).line).toBe(lines.length);
});

test('memory stays bounded when a list or the inputs have no end', async () => {
  const ran = ['check --list - a.example', 'check --local -'].map((line) =>
    shell(`tr '\\0' a < /dev/zero | NODE_OPTIONS=--max-old-space-size=400 portcullis ${line}`, temporaryFolder()),
  );
  const [list, lines] = (await Promise.all(ran)) as [Ran, Ran];
  expect(list.stderr).toContain('larger than 67108864 bytes');
  expect(list.code).not.toBe(0);
  expect([lines.code, lines.stderr]).toEqual([3, expect.stringContaining('larger than 67108864 bytes')]);
});

// A sync reads a list twice. The second time a pipe was empty, so everything was clear.
test.skipIf(!existsSync('/dev/fd'))('a list from a pipe is read once', async () => {
  const { code, stderr } = await shell('portcullis check --list <(echo scam.example) scam.example', temporaryFolder());
  expect([code, stderr]).toEqual([6, '']);
});

test('a named pipe is rejected, because opening it would wait for a writer', async () => {
  const { code, stderr } = await shell('mkfifo pipe; portcullis check --list pipe a.example', temporaryFolder());
  expect(code).not.toBe(0);
  expect(stderr).toContain('named pipe');
});

test('a pseudo-terminal gets colors and progress, and the progress line is erased', async () => {
  const { env } = await runningService();
  const terminal = runInTerminal(['sync'], { env });
  expect(await terminal.ended).toBe(0);
  expect(terminal.text()).toContain('\r\u001b[K');
  expect(terminal.text()).toMatch(/5 entries plus 0 recent\r\n$/);
  expect(terminal.text()).toContain('\u001b[32mupdated');
});

test.each([
  ['y\r', 0, 'UNBLOCKED'],
  ['\u0004', 3, 'nothing was changed'],
  ['\u0003', 130, 'interrupted'],
])('a prompt on a pseudo-terminal accepts the keystrokes %j', async (keys, code, message) => {
  const terminal = runInTerminal(['api', 'assetUnblock', '--content', 'https://scam-mint.example/', '--local']);
  await expect.poll(terminal.text, { timeout: 60_000 }).toContain('Continue? [y/N] ');
  terminal.write(keys);
  expect([keys, await terminal.ended]).toEqual([keys, code]);
  expect(terminal.text()).toContain(message);
});

test('login on a pseudo-terminal does not echo the key', async () => {
  const { service, url } = await runningService();
  const terminal = runInTerminal(['login', '--url', url]);
  await expect.poll(terminal.text, { timeout: 60_000 }).toContain('Key: ');
  // Deleted letters, a line started over, an arrow, a typing error, and then a paste.
  terminal.write('####\u0015\u001b[D%\u007f');
  terminal.write(service.key);
  terminal.write('\r');
  expect(await terminal.ended).toBe(0);
  expect(terminal.text()).toContain('The key is valid and stored. Organizations: example-wallet');
  expect(terminal.text()).not.toContain(service.key);
  expect(terminal.text()).not.toMatch(/[#%*]/);
});

describe('serve after a signal', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('by %s answers what was asked, and nothing new', async (name) => {
    const { child, socket, listening, rest } = await halfAskedServer();
    child.process.kill(name);
    await expect.poll(() => fetch(listening).catch((error: Error) => error.message)).toBe('fetch failed');
    socket.write(rest);
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('"BLOCKED"');
    expect([await child.ended, child.stderr()]).toEqual([0, expect.not.stringContaining('rror')]);
  });

  test('ends at once by the second signal', async () => {
    const { child, listening } = await halfAskedServer();
    child.process.kill('SIGTERM');
    await expect.poll(() => fetch(listening).catch((error: Error) => error.message)).toBe('fetch failed');
    await expect.poll(child.stderr).toContain('Press Ctrl-C again');
    expect(child.process.exitCode).toBe(null);
    child.process.kill('SIGINT');
    expect(await child.ended).toBe(130);
  });
});

test('a hangup ends a server with 0', async () => {
  const terminal = runInTerminal(['serve', '--port', '0']);
  await expect.poll(terminal.text, { timeout: 60_000 }).toContain('Press Ctrl-C to stop');
  terminal.kill('SIGHUP');
  expect(await terminal.ended).toBe(0);
});
