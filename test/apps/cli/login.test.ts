import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createService } from 'portcullis/service';
import { expect, onTestFinished, test } from 'vitest';
import { run, runInTerminal, runJson, temporaryFolder } from './harness.js';

/** A service, and the folder of a user who knows it. */
async function place() {
  const service = createService();
  const { url } = await service.listen();
  onTestFinished(() => service.close());
  const directory = join(temporaryFolder(), 'portcullis');
  const env = { PORTCULLIS_CONFIG_DIR: directory };
  const stored = (): unknown => JSON.parse(readFileSync(join(directory, 'credentials.json'), 'utf8'));
  return { service, url, directory, env, stored, key: service.key };
}

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

test('a key from a pipe is verified, and stored for its owner alone', async () => {
  const { url, directory, env, stored, key } = await place();
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
  expect(stored()).toMatchObject({ apiKey: key });
  expect([modeOf(join(directory, 'credentials.json')), modeOf(directory)]).toEqual(['600', '700']);
  expect(JSON.parse(readFileSync(join(directory, 'config.json'), 'utf8'))).toEqual({ apiUrl: url, defaultOrg: 'example-wallet' });
  // From now on nothing has to be named.
  expect((await runJson(['api', 'assetCheck', '--content', 'example.com'], { env })).value.status).toBe('ALLOWED');
});

test('a file that others can read is one no more', async () => {
  const { url, directory, env, key } = await place();
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'credentials.json');
  writeFileSync(file, '{"apiKey":"old"}');
  chmodSync(file, 0o644);
  expect((await run(['login', '--url', url], { input: key, env })).code).toBe(0);
  expect(modeOf(file)).toBe('600');
});

test('a key that is refused is not stored', async () => {
  const { url, directory, env } = await place();
  const { code, value } = await runJson(['login', '--url', url], { input: 'no-such-key', env });
  expect([code, value.error.code, value.exitCode]).toEqual([2, 'UNAUTHORIZED', 2]);
  expect(existsSync(join(directory, 'credentials.json'))).toBe(false);
  expect((await run(['login', '--url', 'http://127.0.0.1:9'], { input: 'some-key', env })).code).toBe(8);
  expect(existsSync(join(directory, 'credentials.json'))).toBe(false);
  const unasked = await runJson(['login', '--url', 'http://127.0.0.1:9', '--no-verify'], { input: 'some-key', env });
  expect([unasked.code, unasked.value]).toEqual([
    0,
    { status: 'ok', verified: false, apiUrl: 'http://127.0.0.1:9', organizations: null },
  ]);
});

test.each([
  ['nothing', ''],
  ['only spaces', ' \n '],
  ['bytes', new Uint8Array([0xff, 0xfe, 0, 1])],
  ['two lines', 'one-part-of-it\nanother-part'],
  ['too much', 'x'.repeat(5_000)],
  ['a control character', 'a\u001b[31mkey'],
])('%s is refused as a key, and not repeated', async (_, input) => {
  const { url, directory, env } = await place();
  const { code, stdout, stderr } = await run(['login', '--url', url], { input, env });
  expect([code, stdout]).toEqual([3, '']);
  if (typeof input === 'string' && input.trim() !== '') {
    for (const part of input.split('\n')) expect(stderr).not.toContain(part);
  }
  expect(existsSync(join(directory, 'credentials.json'))).toBe(false);
});

test('login says where the service has to be named, and takes no key on the command line', async () => {
  expect((await run(['login'], { input: 'some-key' })).stderr).toContain('give --url or PORTCULLIS_API_URL');
  const word = await run(['login', 'hunter2-hunter2'], { input: '' });
  expect([word.code, word.stderr.includes('hunter2')]).toEqual([3, false]);
  const flag = await run(['login', '--key', 'hunter2-hunter2'], { input: '' });
  expect([flag.code, flag.stderr.includes('hunter2')]).toEqual([3, false]);
});

test('on a terminal the key is asked for, and none of it is shown', async () => {
  const { url, env, stored, key } = await place();
  const terminal = await runInTerminal(['login', '--url', url], { env });
  await expect.poll(terminal.text, { timeout: 10_000 }).toContain('Key: ');
  // Forgotten letters, a line begun anew, an arrow, a typing error; then a paste.
  terminal.write('####\u0015\u001b[D%\u007f');
  terminal.write(key);
  terminal.write('\r');
  expect(await terminal.ended).toBe(0);
  expect(stored()).toMatchObject({ apiKey: key });
  const shown = terminal.text();
  expect(shown).toContain('The key is valid and stored. Organizations: example-wallet');
  expect(shown).not.toContain(key);
  expect(shown).not.toMatch(/[#%*]/);
});

test('Ctrl-C at the question ends it, and the terminal shows again what is typed', async () => {
  const { url, directory, env } = await place();
  for (const [keys, code] of [
    ['secret\u0003', 130],
    ['\u0004', 3],
    ['\r', 3],
  ] as const) {
    const terminal = await runInTerminal(['login', '--url', url], { env });
    await expect.poll(terminal.text, { timeout: 10_000 }).toContain('Key: ');
    terminal.write(keys);
    expect([keys, await terminal.ended]).toEqual([keys, code]);
    expect(terminal.text()).not.toContain('secret');
  }
  expect(existsSync(join(directory, 'credentials.json'))).toBe(false);
  const unasked = await runInTerminal(['login', '--url', url, '--no-input'], { env });
  expect(await unasked.ended).toBe(3);
});

test('whoami says where the key comes from, and never the key', async () => {
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

test('logout forgets the key, as often as it is called, and one that cannot be read too', async () => {
  const { url, directory, env, key } = await place();
  await run(['login', '--url', url], { input: key, env });
  expect((await runJson(['logout'], { env })).value).toEqual({ status: 'ok', removed: true });
  expect(existsSync(join(directory, 'credentials.json'))).toBe(false);
  expect((await runJson(['logout'], { env })).value).toEqual({ status: 'ok', removed: false });
  expect((await run(['whoami'], { env })).stdout).toContain(url);
  writeFileSync(join(directory, 'credentials.json'), '{"apiKey": "half');
  expect((await run(['whoami'], { env })).code).toBe(3);
  expect((await runJson(['logout'], { env: { ...env, PORTCULLIS_API_KEY: 'x' } })).stderr).toContain(
    'PORTCULLIS_API_KEY is still set',
  );
  expect(existsSync(join(directory, 'credentials.json'))).toBe(false);
});
