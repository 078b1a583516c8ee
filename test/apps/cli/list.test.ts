import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { builtCli, run, runJson, startServer, temporaryFolder } from './harness.js';

/** As a shell runs it; `portcullis` is the command line. */
async function shell(line: string, cwd: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const script = `portcullis() { '${process.execPath}' '${builtCli()}' "$@"; }; ${line}`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: cwd },
  });
  return { code: status, stdout, stderr };
}

// Once: a round reads a list twice, and the second time a pipe has nothing more, so that the list became empty and everything clear.
test.skipIf(!existsSync('/dev/fd'))('a list that can be read once only is read once', async () => {
  const cwd = temporaryFolder();
  const piped = await shell('portcullis check --list <(echo scam.example) scam.example', cwd);
  expect([piped.code, piped.stderr]).toEqual([6, '']);
  const given = await shell('echo scam.example | portcullis check --list - scam.example', cwd);
  expect([given.code, given.stderr]).toEqual([6, '']);
});

test.each([
  ['portcullis check --list empty a.example', 'lists nothing'],
  ['portcullis screen --list empty links', 'lists nothing'],
  ['echo scam.example | portcullis check --list - -', 'given twice'],
  ['echo scam.example | portcullis check --list - --list - a.example', 'given twice'],
  ['portcullis check --local --state s --relay https://r.example a', 'two places'],
  ['portcullis check --list links --state s a', '--state belongs to --local'],
  ['portcullis check --local --format csv a', '--format belongs to --list'],
])('%s is refused: nobody is told that all is clear', async (line, words) => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'empty'), '# nothing yet\n');
  writeFileSync(join(cwd, 'links'), 'a.example\n');
  const { code, stdout, stderr } = await shell(line, cwd);
  expect([code, stdout]).toEqual([3, '']);
  expect(stderr).toContain(words);
});

test('a named pipe is refused: nobody knows whether somebody ever writes into it', async () => {
  const cwd = temporaryFolder();
  const { code, stderr } = await shell('mkfifo pipe; portcullis check --list pipe a.example', cwd);
  expect(code).not.toBe(0);
  expect(stderr).toContain('named pipe');
});

test('neither a list nor inputs without an end fill the memory', async () => {
  const cwd = temporaryFolder();
  // So much address space is enough for what is bounded, and too little for what is not.
  const list = await shell('NODE_OPTIONS=--max-old-space-size=400 portcullis check --list /dev/zero a.example', cwd);
  expect(list.stderr).toContain('larger than 67108864 bytes');
  expect(list.code).not.toBe(0);
  const lines = await shell('NODE_OPTIONS=--max-old-space-size=400 portcullis check --local - < /dev/zero', cwd);
  expect([lines.code, lines.stderr]).toEqual([3, expect.stringContaining('more than 67108864 bytes')]);
});

// Once: any `--url` got the key that was stored for another service.
test('a stored key goes to the service it was stored for, and to no other', async () => {
  const home = temporaryFolder();
  const own = await startServer(['serve', '--port', '0']);
  const env = { HOME: home };
  expect((await run(['login', '--url', own.url], { env, input: own.key! })).code).toBe(0);
  expect(JSON.parse(readFileSync(join(home, 'config/portcullis/credentials.json'), 'utf8'))).toEqual({
    apiKey: own.key,
    apiUrl: own.url,
  });
  const seen: unknown[] = [];
  const other = createServer((request, response) => {
    seen.push(request.headers['x-api-key']);
    response.writeHead(401).end('{}');
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const checked = await run(['check', '--url', url, 'example.com'], { env });
  expect(checked.stderr).toContain('the stored key is for another service');
  const who = await runJson(['whoami', '--url', url], { env });
  expect([who.code, who.value.key]).toEqual([2, 'of another']);
  expect(seen.length).toBeGreaterThan(0);
  expect(seen).toEqual(seen.map(() => undefined));
  expect((await run(['check', '--url', own.url, 'scam-mint.example'], { env })).code).toBe(6);
});

test('an organization is kept for later calls once the service has answered for it', async () => {
  const home = temporaryFolder();
  const env = { HOME: home, PORTCULLIS_API_KEY: 'key-example-user' };
  expect((await run(['whoami', '--org', 'bogus', '--url', 'http://127.0.0.1:9'], { env })).code).toBe(8);
  expect(existsSync(join(home, 'config/portcullis/config.json'))).toBe(false);
});
