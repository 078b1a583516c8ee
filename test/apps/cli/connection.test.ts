import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commands } from '../../../apps/cli/commands.js';
import { errorText } from '../../../apps/cli/errors/error-text.js';
import { PortcullisError } from '../../../src/core/errors.js';
import { plainCause } from '../../../src/core/http/redact.js';
import { freePort } from '../../../tools/free-port.js';
import { run, temporaryFolder } from './in-process.js';

const logKey = 'lists.example/scam+fd473f74+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c';

/** Every way in which a command connects. */
const connecting: Readonly<Record<string, readonly ((url: string, folder: string) => readonly string[])[]>> = {
  check: [
    (url) => ['check', '--relay', url, 'a.example'],
    (url) => ['check', '--list', `${url}/list.txt`, 'a.example'],
    (url) => ['check', '--published', `${url}/version.json`, 'a.example'],
    (url) => ['check', '--url', url, 'a.example'],
  ],
  explain: [(url) => ['explain', '--confirm', '--relay', url, 'a.example']],
  screen: [(url) => ['screen', '--relay', url, '-'], (url) => ['screen', '--list', `${url}/list.txt`, '-']],
  sync: [
    (url) => ['sync', '--relay', url],
    (url) => ['sync', '--published', `${url}/version.json`],
    (url) => ['sync', '--list', `${url}/list.txt`],
  ],
  doctor: [(url) => ['doctor', '--relay', url], (url) => ['doctor', '--published', `${url}/version.json`]],
  publish: [(url, folder) => ['publish', `${url}/list.txt`, '--out', join(folder, 'out')]],
  log: [(url) => ['log', 'verify', url, '--key', logKey]],
  serve: [(url) => ['serve', '--list', `${url}/list.txt`, '--port', '0']],
  api: [
    (url) => ['api', 'assetCheck', '--url', url, '--content', 'x'],
    (url) => ['api', 'assetList', '--url', url, '--type', 'URL', '--all'],
  ],
  login: [(url) => ['login', '--url', url]],
  whoami: [(url) => ['whoami', '--url', url]],
};

/** These connect to nothing, or only while they serve. */
const offline = ['parse', 'status', 'keygen', 'demo', 'mcp', 'openapi', 'logout', 'webhook', 'completions'];

test('every command is in the table', () => {
  expect([...Object.keys(connecting), ...offline].sort()).toEqual([...commands.keys()].sort());
});

const lines = Object.values(connecting).flat();

// The messages came from three places, and each test looked for the code of one of them.
test.each(['127.0.0.1', 'localhost'])('an error about a refused connection to %s names address and cause once', async (host) => {
  const port = await freePort();
  const env = { PORTCULLIS_API_KEY: 'a-valid-key' };
  const works = lines.map(async (line, at) => {
    const args = [...line(`http://${host}:${port}`, temporaryFolder()), ...(at % 2 === 0 ? [] : ['--json'])];
    return { args, ...(await run(args, { env, input: 'a-valid-key' })) };
  });
  for (const { args, code, stdout, stderr } of await Promise.all(works)) {
    const what = `${args.join(' ')}: ${stdout}${stderr}`;
    const told = (stdout + stderr).split('\n').filter((text) => text.includes('ECONNREFUSED'));
    expect([code, told.length], what).toEqual([8, 1]);
    expect(told[0]!.match(/connect ECONNREFUSED/g), what).toHaveLength(1);
    // A name may stand beside the address that it stands for.
    const address = host === 'localhost' ? /(?:127\.0\.0\.1|::1):\d+/g : new RegExp(`:${port}\\b`, 'g');
    // The command that is suggested has the address again, to be copied; with --json it is on the same line.
    const message = told[0]!.replace(/"next":"diagnose the connection with: portcullis doctor --[^"]*"/, '');
    expect(message.match(address), what).toHaveLength(1);
  }
});

test('the text of an error does not change when it is an error about that error', () => {
  const system = Object.assign(new Error('connect ECONNREFUSED 192.0.2.1:443'), { code: 'ECONNREFUSED' });
  for (const [name, message] of [
    ['the relay at 192.0.2.1:443', 'the request failed: ECONNREFUSED'],
    ['https://192.0.2.1:443/list.txt', 'the file could not be downloaded'],
    ['the relay at relay.example', 'the request failed: fetch failed'],
  ] as const) {
    const cause = new TypeError('fetch failed', { cause: system });
    const once = errorText(new PortcullisError('NETWORK', message, { cause }), name);
    expect(once.match(/192\.0\.2\.1:443/g)).toHaveLength(1);
    expect(errorText(new PortcullisError('NETWORK', once, { cause }))).toBe(once);
  }
});

test('a host of several addresses is named by the first one, and a token in a URL is not repeated', () => {
  const refused = new Error('connect ECONNREFUSED ::1:9');
  const several = Object.assign(new Error(''), { code: 'ECONNREFUSED', errors: [refused, new Error('other')] });
  const failed = (cause: unknown): string => errorText(new PortcullisError('NETWORK', 'the request failed: x', { cause }));
  expect(failed(several)).toBe('the request failed: x: connect ECONNREFUSED ::1:9');
  expect(failed(plainCause(several, (text) => text))).toBe(failed(several));
  expect(failed(new Error('no route to https://a.example/?token=secret now'))).not.toContain('secret');
  const cycle = new Error('round');
  cycle.cause = cycle;
  expect(failed(cycle)).toBe('the request failed: x: round');
});
