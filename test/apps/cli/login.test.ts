import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serve } from '../../support/scripted-server.js';
import { answering, runningService } from './harness.js';
import { run, runJson, start, temporaryFolder } from './in-process.js';

/** A service, and an empty configuration folder. */
async function place() {
  const { service, url } = await runningService();
  const directory = join(temporaryFolder(), 'portcullis');
  const credentials = join(directory, 'credentials.json');
  const stored = (): unknown => JSON.parse(readFileSync(credentials, 'utf8'));
  return { url, directory, credentials, env: { PORTCULLIS_CONFIG_DIR: directory }, stored, key: service.key };
}

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

test('login verifies a key from a pipe, and stores it for its owner alone', async () => {
  const { url, directory, credentials, env, stored, key } = await place();
  const { code, value, stderr } = await runJson(['login', '--url', url, '--org', 'example-wallet'], {
    input: `\n ${key}\r\n`,
    env,
  });
  expect([code, stderr]).toEqual([0, '']);
  expect(value).toEqual({
    status: 'ok',
    verified: true,
    apiUrl: url,
    organizations: [{ slug: 'example-wallet', name: 'Example Wallet' }],
  });
  expect(stored()).toEqual({ apiKey: key, apiUrl: url });
  expect([modeOf(credentials), modeOf(directory)]).toEqual(['600', '700']);
  expect(JSON.parse(readFileSync(join(directory, 'config.json'), 'utf8'))).toEqual({ apiUrl: url, defaultOrg: 'example-wallet' });
  // Later calls use the stored settings.
  expect((await runJson(['api', 'assetCheck', '--content', 'example.com'], { env })).value.status).toBe('ALLOWED');
});

test('login makes a world-readable credentials file private', async () => {
  const { url, directory, credentials, env, key } = await place();
  mkdirSync(directory, { recursive: true });
  writeFileSync(credentials, '{"apiKey":"old"}');
  chmodSync(credentials, 0o644);
  expect((await run(['login', '--url', url], { input: key, env })).code).toBe(0);
  expect(modeOf(credentials)).toBe('600');
});

test('login does not store a key that is rejected or cannot be verified', async () => {
  const { url, credentials, env } = await place();
  const { code, value } = await runJson(['login', '--url', url], { input: 'no-such-key', env });
  expect([code, value.error.code, value.exitCode]).toEqual([2, 'UNAUTHORIZED', 2]);
  expect(existsSync(credentials)).toBe(false);
  expect((await run(['login', '--url', 'http://127.0.0.1:9'], { input: 'some-key', env })).code).toBe(8);
  expect(existsSync(credentials)).toBe(false);
  const unverified = await runJson(['login', '--url', 'http://127.0.0.1:9', '--no-verify'], { input: 'some-key', env });
  expect([unverified.code, unverified.value]).toEqual([
    0,
    { status: 'ok', verified: false, apiUrl: 'http://127.0.0.1:9', organizations: null },
  ]);
});

test.each([
  ['nothing', ''],
  ['only spaces', ' \n '],
  ['bytes that are not text', new Uint8Array([0xff, 0xfe, 0, 1])],
  ['two lines', 'one-part-of-it\nanother-part'],
  ['too much', 'x'.repeat(5_000)],
  ['a control character', 'a\u001b[31mkey'],
])('login rejects %s as a key, and does not repeat it', async (_, input) => {
  const directory = temporaryFolder();
  const env = { PORTCULLIS_CONFIG_DIR: directory };
  const { code, stdout, stderr } = await run(['login', '--url', 'http://127.0.0.1:9'], { input, env });
  expect([code, stdout]).toEqual([3, '']);
  if (typeof input === 'string' && input.trim() !== '') {
    for (const part of input.split('\n')) expect(stderr).not.toContain(part);
  }
  expect(existsSync(join(directory, 'credentials.json'))).toBe(false);
});

test.each([
  ['secret\u0003', 130],
  ['\u0004', 3],
  ['\r', 3],
])('the keystrokes %j at the prompt end login, and the terminal echoes again', async (keys, code) => {
  const { url, credentials, env } = await place();
  const running = start(['login', '--url', url], { env, columns: 80 });
  await running.until(/Key: /);
  running.write(keys);
  expect(await running.ended).toBe(code);
  expect(running.stdout() + running.stderr()).not.toContain('secret');
  expect(running.hidden).toEqual([true, false]);
  expect(existsSync(credentials)).toBe(false);
});

test('login --no-input does not prompt, and Ctrl-C ends the wait for a piped key', async () => {
  const env = { PORTCULLIS_API_URL: 'http://127.0.0.1:9' };
  expect(await start(['login', '--no-input'], { env, columns: 80 }).ended).toBe(3);
  const waiting = start(['login'], { env });
  setImmediate(() => waiting.interrupt());
  expect(await waiting.ended).toBe(130);
});

test('whoami names the origin of the key, and never prints the key', async () => {
  const { url, directory, env, key } = await place();
  const none = await runJson(['whoami'], { env });
  expect([none.code, none.value]).toEqual([
    2,
    { apiUrl: null, key: 'none', organization: null, organizations: null, configDirectory: directory },
  ]);
  await run(['login', '--url', url], { input: key, env });
  const stored = await runJson(['whoami'], { env });
  expect([stored.code, stored.value]).toEqual([
    0,
    {
      apiUrl: url,
      key: 'stored',
      organization: null,
      organizations: [{ slug: 'example-wallet', name: 'Example Wallet' }],
      configDirectory: directory,
    },
  ]);
  const env2 = { ...env, PORTCULLIS_API_KEY: 'another-key', PORTCULLIS_ORG: 'example-wallet' };
  const refused = await runJson(['whoami'], { env: env2 });
  expect([refused.code, refused.value.error.code]).toEqual([2, 'UNAUTHORIZED']);
  const given = await run(['whoami'], { env: { ...env2, PORTCULLIS_API_KEY: key } });
  expect(given.stdout).toContain('environment');
  expect(given.stdout + JSON.stringify(stored)).not.toContain(key);
  expect((await run(['whoami', '--local'])).code).toBe(0);
});

// `--url` used to send the stored key to any service.
test('a stored key goes only to the service it was stored for', async () => {
  const { url, env, key } = await place();
  expect((await run(['login', '--url', url], { env, input: key })).code).toBe(0);
  const seen: unknown[] = [];
  const other = await answering((headers) => {
    seen.push(headers['x-api-key']);
    return { status: 401 };
  });
  const checked = await run(['check', '--url', other, 'example.com'], { env });
  expect(checked.stderr).toContain('the stored key belongs to another service');
  const who = await runJson(['whoami', '--url', other], { env });
  expect([who.code, who.value.key]).toEqual([2, 'other-service']);
  expect(seen.length).toBeGreaterThan(0);
  expect(seen).toEqual(seen.map(() => undefined));
  expect((await run(['check', '--url', url, 'scam-mint.example'], { env })).code).toBe(6);
});

test('a stored key goes to no other path of its host', async () => {
  const seen: unknown[] = [];
  const server = await serve(({ url, headers }) => {
    seen.push([url.split('/')[1], headers['x-api-key']]);
    return { body: { organizations: [{ slug: 'acme', name: 'Acme' }], valid: true } };
  });
  const env = { PORTCULLIS_CONFIG_DIR: temporaryFolder() };
  expect((await run(['login', '--url', `${server.origin}/a`], { env, input: 'the-key-of-a' })).code).toBe(0);
  seen.length = 0;
  for (const [path, code] of [
    ['/a/', 0],
    ['/b', 2],
    ['/a/b', 2],
    ['', 2],
  ] as const)
    expect([path, (await run(['whoami', '--url', server.origin + path], { env })).code]).toEqual([path, code]);
  expect(seen).toEqual([['a', 'the-key-of-a']]);
});

test('a stored key without a recorded service goes to none, and login stores none', async () => {
  const { url, env, key, credentials, directory } = await place();
  mkdirSync(directory, { recursive: true });
  writeFileSync(credentials, JSON.stringify({ apiKey: key }));
  const { code, value, stderr } = await runJson(['whoami', '--url', url], { env });
  expect([code, value.key, stderr]).toEqual([2, 'other-service', expect.stringContaining('portcullis login')]);
  expect((await run(['api', 'assetCheck', '--content', 'x', '--url', url], { env })).code).toBe(2);
  const without = await run(['login', '--no-verify'], { env, input: 'some-key' });
  expect([without.code, without.stderr]).toEqual([3, expect.stringContaining('--url')]);
});

test('login writes no key through a planted link', async () => {
  const { url, env, key, credentials, directory } = await place();
  const victim = join(temporaryFolder(), 'victim');
  writeFileSync(victim, 'before');
  mkdirSync(directory, { recursive: true });
  // The name that was used for the new file, and the file itself.
  for (const name of [`${credentials}.${process.pid}.tmp`, credentials]) symlinkSync(victim, name);
  expect((await run(['login', '--url', url], { env, input: key })).code).toBe(0);
  expect(readFileSync(victim, 'utf8')).toBe('before');
  expect([lstatSync(credentials).isFile(), modeOf(credentials)]).toEqual([true, '600']);
  expect(readdirSync(directory).filter((name) => name.endsWith('.portcullis-new'))).toEqual([]);
});

test.each([null, [], 'text', 7, {}, { organizations: null }, { organizations: [null] }, { organizations: {} }, { data: {} }])(
  'whoami and login call the answer %j unusable',
  async (body) => {
    const env = { PORTCULLIS_CONFIG_DIR: temporaryFolder(), PORTCULLIS_API_KEY: 'a-valid-key' };
    const url = await answering(() => ({ body }));
    for (const args of [['whoami'], ['login']]) {
      const { code, value } = await runJson([...args, '--url', url], { env, input: 'a-valid-key' });
      expect([args, code, value.error?.code]).toEqual([args, 8, 'INVALID_RESPONSE']);
    }
  },
);

const proven = { valid: true };
const listed = { organizations: [{ slug: 'acme', name: 'Acme' }] };
const withoutList = 'The key is valid and stored. The service does not list its organizations.\n';
const withList = 'The key is valid and stored. Organizations: acme\n';

// Each answer is a status and a body; the first is of the validation, the second of the list of organizations.
test.each<[validation: unknown, list: unknown, code: number, printed: string | undefined, error?: string]>([
  [proven, listed, 0, withList],
  [{ kind: 'user', valid: 'true' }, listed, 0, withList],
  [proven, { organizations: [] }, 0, 'The key is valid and stored. Organizations: none\n'],
  [proven, [403, {}], 0, withoutList],
  [proven, [404, {}], 0, withoutList],
  [proven, [503, {}], 0, withoutList],
  [proven, 'nothing usable', 0, withoutList],
  [proven, { message: 'Forbidden' }, 0, withoutList],
  [proven, [401, {}], 2, undefined, 'UNAUTHORIZED'],
  [proven, { code: 'UNAUTHORIZED', message: 'no' }, 2, undefined, 'UNAUTHORIZED'],
  [proven, 'reset', 8, undefined, 'NETWORK'],
  [{ valid: false }, listed, 2, undefined, 'UNAUTHORIZED'],
  [{ kind: 'user', valid: 'false' }, listed, 2, undefined, 'UNAUTHORIZED'],
  [{ kind: 'user', valid: 0 }, listed, 2, undefined, 'UNAUTHORIZED'],
  [[401, {}], listed, 2, undefined, 'UNAUTHORIZED'],
  [[403, {}], listed, 5, undefined, 'FORBIDDEN'],
  [[503, {}], listed, 8, undefined, 'INTERNAL_SERVER_ERROR'],
  [{ code: 'UNAUTHORIZED', message: 'no' }, listed, 2, undefined, 'UNAUTHORIZED'],
  [{ error: 'Later.' }, listed, 8, undefined, 'INVALID_RESPONSE'],
  [{ kind: 'user', valid: 'true' }, { organizations: [] }, 8, undefined, 'INVALID_RESPONSE'],
  [{ kind: 'user', valid: 'no' }, [403, {}], 8, undefined, 'INVALID_RESPONSE'],
  [{ kind: 'user' }, [404, {}], 8, undefined, 'INVALID_RESPONSE'],
  [{ status: 401, title: 'Unauthorized' }, { status: 401, title: 'Unauthorized' }, 8, undefined, 'INVALID_RESPONSE'],
])('login after the answers %j and %j ends with %i', async (validation, list, code, printed, error) => {
  const { directory, credentials, env } = await place();
  const server = await serve(({ url }) => {
    const answer = url.includes('validate') ? validation : list;
    if (answer === 'reset') return { fault: 'reset' };
    const [status, body] = Array.isArray(answer) ? answer : [200, answer];
    // A wait that is too long for a retry.
    return { status, body, headers: { 'retry-after': '60' } };
  });
  const ran = await run(['login', '--url', server.origin], { env, input: 'a-valid-key' });
  expect([ran.code, ran.stdout, existsSync(credentials), existsSync(join(directory, 'config.json'))]).toEqual([
    code,
    printed ?? '',
    code === 0,
    code === 0,
  ]);
  expect(ran.stderr).toContain(error === undefined ? '' : `[${error}]`);
});

test('--org is stored only after the service has accepted it', async () => {
  const { directory, env } = await place();
  const args = ['whoami', '--org', 'bogus', '--url', 'http://127.0.0.1:9'];
  expect((await run(args, { env: { ...env, PORTCULLIS_API_KEY: 'key-example-user' } })).code).toBe(8);
  expect(existsSync(join(directory, 'config.json'))).toBe(false);
});

test('--org is not stored after a call that does not name it, or if the key does not reach it', async () => {
  const { url, env, key, directory } = await place();
  const own = { ...env, PORTCULLIS_API_KEY: key };
  expect((await run(['api', 'assetCheck', '--content', 'example.com', '--org', 'bogus', '--url', url], { env: own })).code).toBe(
    0,
  );
  const other = ['api', 'takedownsList', '--slug', 'example-wallet', '--org', 'bogus', '--url', url];
  expect((await run(other, { env: own })).code).toBe(0);
  expect((await run(['whoami', '--org', 'bogus', '--url', url], { env: own })).code).toBe(0);
  expect(existsSync(join(directory, 'config.json'))).toBe(false);
});

test('--org is refused where the call would act for another organization, the one of the key', async () => {
  const { url, env, key } = await place();
  const args = ['api', 'organizationAssetsAdd', '--assets', '[{"content":"oops.example"}]', '--org', 'example-exchange', '--yes'];
  const { code, stderr } = await run([...args, '--url', url], { env: { ...env, PORTCULLIS_API_KEY: key } });
  expect([code, stderr]).toEqual([
    3,
    expect.stringContaining('organizationAssetsAdd takes no organization: it acts for the one of the key'),
  ]);
});

test('logout deletes the key, can run twice, and also deletes a file that cannot be parsed', async () => {
  const { url, credentials, env, key } = await place();
  await run(['login', '--url', url], { input: key, env });
  expect((await runJson(['logout'], { env })).value).toEqual({ status: 'ok', removed: true });
  expect(existsSync(credentials)).toBe(false);
  expect((await runJson(['logout'], { env })).value).toEqual({ status: 'ok', removed: false });
  expect((await run(['whoami'], { env })).stdout).toContain(url);
  writeFileSync(credentials, '{"apiKey": "half');
  expect((await run(['whoami'], { env })).code).toBe(3);
  expect((await runJson(['logout'], { env: { ...env, PORTCULLIS_API_KEY: 'x' } })).stderr).toContain(
    'PORTCULLIS_API_KEY is still set',
  );
  expect(existsSync(credentials)).toBe(false);
});
