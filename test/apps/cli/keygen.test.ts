import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { listen } from '../../support/listen.js';
import { run, runJson, temporaryFolder } from './in-process.js';

afterEach(() => void vi.useRealTimers());

test('makes keys that sign a list, and checks against it accept only what they signed', async () => {
  const folder = temporaryFolder();
  const [key, other, list, out] = ['list.key', 'other.key', 'list.txt', 'out'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ];
  const made = await runJson(['keygen', key]);
  expect(made.code).toBe(0);
  expect(statSync(key).mode & 0o777).toBe(0o600);
  expect(readFileSync(`${key}.pub`, 'utf8').trim()).toBe(made.value.publicKey);
  expect(JSON.stringify(made)).not.toContain(readFileSync(key, 'utf8').split('\n')[1]);
  await run(['keygen', other]);

  writeFileSync(list, 'evil.example\n');
  const published = await runJson(['publish', list, '--out', out, '--sign', key, '--valid-days', '7']);
  expect(published.code).toBe(0);
  expect(published.value.signedBy).toHaveLength(1);
  expect(published.value.expiresAtMs - published.value.sequence).toBe(7 * 86_400_000);

  const url = await listen({
    fetch: async (request: Request) => new Response(readFileSync(join(out, new URL(request.url).pathname))),
  });
  const verdict = async (publicKey: string) =>
    run(['check', 'evil.example', '--published', url, '--public-key', publicKey, '--no-store']);
  expect((await verdict(`${key}.pub`)).stdout).toContain('blocked');
  expect((await verdict(made.value.publicKey)).stdout).toContain('blocked');
  const refused = await verdict(`${other}.pub`);
  expect(refused.code).toBe(8);
  expect(refused.stderr).toContain('SIGNATURE_UNTRUSTED');
  expect(refused.stderr).toContain('--public-key');

  // Clients with the key would not accept an unsigned one.
  for (const more of [[], ['--fresh']]) {
    const unsigned = await run(['publish', list, '--out', out, ...more]);
    expect(unsigned.code).toBe(3);
    expect(unsigned.stderr).toContain('the published list is signed, and the new one is not');
  }
  chmodSync(key, 0o644);
  expect((await run(['publish', list, '--out', out, '--sign', key])).stderr).toContain(`chmod 600 ${key}`);
  const nowhere = await run(['keygen', join(folder, 'missing', 'x.key')]);
  expect([nowhere.code, nowhere.stderr]).toEqual([3, expect.stringContaining('choose a file in a folder that exists')]);
  expect((await run(['publish', list, '--out', out, '--yes'])).code).toBe(0);
});

test('status and doctor show the order, signature and expiry of a list, and a rejected rollback', async () => {
  const folder = temporaryFolder();
  const [key, list, out, store] = ['list.key', 'list.txt', 'out', 'store'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ];
  await run(['keygen', key]);
  writeFileSync(list, 'evil.example\n');
  const publish = () => runJson(['publish', list, '--out', out, '--sign', key, '--valid-days', '1']);
  const { value } = await publish();
  const url = await listen({
    fetch: async (request: Request) => new Response(readFileSync(join(out, new URL(request.url).pathname))),
  });
  const on = (command: string) => run([command, '--published', url, '--public-key', `${key}.pub`, '--store', store]);
  await on('sync');
  const fresh = (await on('status')).stdout;
  expect(fresh).toContain(
    `  sequence     ${value.sequence}\n  signed by    ${value.signedBy[0]}\n  expiry       expires in 23 hours\n`,
  );
  expect(fresh).not.toContain('rollback');
  expect((await on('doctor')).stdout).toMatch(/ok {3}list published: 1 entry, .* old, expires in 23 hours\n/);

  const version = readFileSync(join(out, 'version.json'));
  writeFileSync(list, 'evil.example\nother.example\n');
  await publish();
  await on('sync');
  writeFileSync(join(out, 'version.json'), version);
  await on('sync');
  expect((await on('doctor')).stdout).toContain('the source offers an older list, which is rejected');
  expect((await on('status')).stdout).toMatch(/ {2}rollback {5}the source offered an older list .* ago; it was rejected\n/);

  const next = join(folder, 'next.key');
  expect((await run(['keygen', next])).stdout).toContain(`also in ${next}.pub`);
  const withNext = (file: string) => run(['check', 'evil.example', '--published', url, '--public-key', file, '--store', store]);
  expect((await withNext(`${next}.pub`)).stderr).toContain('was not signed with the given keys');
  expect((await withNext(next)).stderr).toContain('--public-key has a private key\n  give the file that ends in .pub');

  vi.setSystemTime(value.expiresAtMs - 3_600_000);
  expect((await on('doctor')).stdout).toMatch(/warn list published: .* expires in 1 hour\n/);
  vi.setSystemTime(value.expiresAtMs + 3_600_000);
  const expired = await on('doctor');
  expect(expired.code).toBe(7);
  expect(expired.stdout).toMatch(/fail list published: .* expired 59 minutes ago; stale/);
});

test('keeps to the name of a list, says what to do about another one, and takes the one it is told', async () => {
  const folder = temporaryFolder();
  const [list, out, store] = ['list.txt', 'out', 'store'].map((name) => join(folder, name)) as [string, string, string];
  writeFileSync(list, 'evil.example\n');
  const publish = (name: string) => run(['publish', list, '--out', out, '--list-name', name, '--yes']);
  await publish('mine');
  const url = await listen({
    fetch: async (request: Request) => new Response(readFileSync(join(out, new URL(request.url).pathname))),
  });
  const sync = (...more: string[]) => runJson(['sync', '--published', url, '--store', store, ...more]);
  expect((await sync('--list-name', 'others')).code).toBe(8);
  expect((await sync()).code).toBe(0);
  expect((await run(['status', '--published', url, '--store', store])).stdout).toContain('  named        mine\n');
  writeFileSync(list, 'evil.example\nnew.example\n');
  await publish('others');
  const refused = await run(['sync', '--published', url, '--store', store]);
  expect([refused.code, refused.stdout + refused.stderr]).toEqual([8, expect.stringMatching(/OTHER_LIST.*--list-name/s)]);
  expect((await sync('--list-name', 'others')).code).toBe(0);
  expect((await run(['sync', '--list', list, '--list-name', 'mine'])).stderr).toContain('--list-name needs --published');
});

test('never replaces a key', async () => {
  const key = join(temporaryFolder(), 'list.key');
  await run(['keygen', key]);
  const before = readFileSync(key, 'utf8');
  const again = await run(['keygen', key]);
  expect(again.code).toBe(3);
  expect(again.stderr).toContain('exists already');
  expect(readFileSync(key, 'utf8')).toBe(before);
});

test.each([
  ['a key that is not one', ['--sign', 'package.json'], 'cannot be used as a key'],
  ['a key that is missing', ['--sign', 'no-such.key'], 'cannot be used as a key'],
  ['a lifetime without a key', ['--valid-days', '1'], '--valid-days needs --sign'],
])('publish refuses %s', async (_, args, message) => {
  const folder = temporaryFolder();
  const list = join(folder, 'list.txt');
  writeFileSync(list, 'evil.example\n');
  const { code, stderr } = await run(['publish', list, '--out', join(folder, 'out'), ...args]);
  expect(code).toBe(3);
  expect(stderr).toContain(message);
});
