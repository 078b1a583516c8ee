import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createService, listen } from 'portcullis/testing';
import { expect, onTestFinished, test } from 'vitest';
import { approveSignIn } from '../../../tools/approve-sign-in.js';
import { serve } from '../../support/scripted-server.js';
import { runProcess } from './harness.js';
import { run, runJson, start, temporaryFolder } from './in-process.js';

const hourMs = 3_600_000;

async function place() {
  const service = createService({ oauth: true });
  onTestFinished(() => service.close());
  const { url } = await service.listen();
  const directory = join(temporaryFolder(), 'portcullis');
  const file = join(directory, 'credentials.json');
  const stored = () => JSON.parse(readFileSync(file, 'utf8'));
  // A program that does nothing stands for the browser; the test does what a user does in it.
  const env = { PORTCULLIS_CONFIG_DIR: directory, PORTCULLIS_API_URL: url, BROWSER: 'true' };
  return { service, url, file, env, stored };
}

async function signIn({ service, env }: Awaited<ReturnType<typeof place>>): Promise<void> {
  const running = start(['login', '--browser'], { env });
  const [address] = await running.until(/^http\S+authorize\S+$/m);
  expect((await fetch(await approveSignIn(address, service.key))).status).toBe(200);
  expect(await running.ended).toBe(0);
  expect(running.stderr()).not.toContain('\\u{');
}

const makesExpired = ({ file, stored }: Awaited<ReturnType<typeof place>>): void => {
  const all = stored();
  writeFileSync(file, JSON.stringify({ ...all, signIn: { ...all.signIn, expiresAtMs: 0 } }));
};

test('login --browser stores tokens for their owner alone, and later calls use them', async () => {
  const here = await place();
  await signIn(here);
  const { signIn: tokens, apiUrl, apiKey } = here.stored();
  expect([apiUrl, apiKey, tokens.resource]).toEqual([here.url, undefined, here.url]);
  expect((statSync(here.file).mode & 0o777).toString(8)).toBe('600');
  expect((await runJson(['api', 'assetCheck', '--content', 'example.com'], { env: here.env })).value.status).toBe('ALLOWED');
  const { stdout } = await run(['whoami'], { env: here.env });
  expect(stdout).toContain('example-wallet');
  expect(stdout).not.toContain(tokens.accessToken);
});

test('with --json it prints one object for each step', async () => {
  const { service, env } = await place();
  const running = start(['login', '--browser', '--json'], { env });
  await running.until(/\n/);
  const step = JSON.parse(running.stdout());
  expect(step).toEqual({ action: 'open_url', url: expect.stringContaining('code_challenge_method=S256'), expires_in: 600 });
  await fetch(await approveSignIn(step.url, service.key));
  expect(await running.ended).toBe(0);
  expect(JSON.parse(running.stdout().slice(running.stdout().indexOf('\n')))).toMatchObject({ status: 'ok', verified: true });
});

test('a denial, Ctrl-C and an answer that is not ours store nothing', async () => {
  const { service, env, stored } = await place();
  const denied = start(['login', '--browser'], { env });
  const [address] = await denied.until(/http\S+authorize\S+/);
  const callback = new URL(new URL(address).searchParams.get('redirect_uri')!);
  for (const path of ['/callback?code=x&state=forged', '/callback', '/other']) {
    expect((await fetch(new URL(path, callback))).status).toBe(400);
  }
  await fetch(await approveSignIn(address, service.key, 'deny'));
  expect([await denied.ended, denied.stderr()]).toEqual([2, expect.stringContaining('denied')]);
  const stopped = start(['login', '--browser'], { env });
  await stopped.until(/http\S+authorize\S+/);
  stopped.interrupt();
  expect(await stopped.ended).toBe(130);
  expect(stored).toThrow('ENOENT');
});

test('an access token that is about to end is renewed once, by many processes at the same time', async () => {
  const here = await place();
  await signIn(here);
  const before = here.stored().signIn;
  await here.service.clock.advance(hourMs);
  makesExpired(here);
  const calls = Array.from({ length: 5 }, () => runProcess(['api', 'assetCheck', '--content', 'example.com'], { env: here.env }));
  for (const { code, stderr } of await Promise.all(calls)) expect([code, stderr]).toEqual([0, '']);
  expect(here.stored().signIn.refreshToken).not.toBe(before.refreshToken);
});

test('a lock of a killed process does not stop a renewal, and only one of many takes it over', async () => {
  const here = await place();
  await signIn(here);
  await here.service.clock.advance(hourMs);
  makesExpired(here);
  const lock = `${here.file}.lock`;
  mkdirSync(lock, { recursive: true });
  writeFileSync(join(lock, 'lock-1'), `${'0'.repeat(32)} ${'7'.padStart(16)}\n`);
  const calls = Array.from({ length: 5 }, () => run(['api', 'assetCheck', '--content', 'example.com'], { env: here.env }));
  for (const { code, stderr } of await Promise.all(calls)) expect([code, stderr]).toEqual([0, '']);
});

test('logout ends the sign-in at the service', async () => {
  const here = await place();
  await signIn(here);
  const { accessToken } = here.stored().signIn;
  expect(await here.service.verifyToken(accessToken, here.url)).toBe(here.service.key);
  const { code, stdout, stderr } = await run(['logout'], { env: here.env });
  expect([code, stdout, stderr]).toEqual([0, 'You are signed out. The sign-in is no longer valid.\n', '']);
  expect(await here.service.verifyToken(accessToken, here.url)).toBeNull();
  expect(existsSync(here.file)).toBe(false);
  expect((await run(['logout'], { env: here.env })).stdout).toBe('No key or sign-in was stored.\n');
});

test('logout without an answer of the service deletes the sign-in, says until when it is valid, and does not exit as if it had ended', async () => {
  const here = await place();
  await signIn(here);
  const { expiresAtMs } = here.stored().signIn;
  await here.service.close();
  const { code, value, stderr } = await runJson(['logout'], { env: here.env });
  expect([code, value]).toEqual([7, { status: 'partial', removed: true, revoked: false }]);
  expect(stderr).toContain(`valid until ${new Date(expiresAtMs).toISOString()}`);
  expect(existsSync(here.file)).toBe(false);
});

test('a sign-in that the service does not verify is ended there, and not stored', async () => {
  const { service, file, env } = await place();
  const seen: string[] = [];
  const { url, close } = await listen(async (request, context) => {
    const key = request.headers.get('x-api-key');
    if (key === null) return service.fetch(request, context);
    seen.push(key);
    return Response.json({ valid: false });
  });
  onTestFinished(() => close());
  const running = start(['login', '--browser', '--url', url], { env });
  const [address] = await running.until(/http\S+authorize\S+/);
  await fetch(await approveSignIn(address, service.key));
  expect([await running.ended, existsSync(file)]).toEqual([2, false]);
  expect(seen[0]).toMatch(/^pca\./);
  expect(await service.verifyToken(seen[0]!, url)).toBeNull();
});

test('a sign-in that has ended says how to sign in again', async () => {
  const here = await place();
  await signIn(here);
  makesExpired(here);
  await here.service.reset();
  const { code, stderr } = await run(['whoami'], { env: here.env });
  expect([code, stderr]).toEqual([2, expect.stringContaining('login --browser')]);
  expect((await runJson(['logout'], { env: here.env })).value).toEqual({ status: 'ok', removed: true, revoked: true });
});

test('the tokens go only to the service that gave them', async () => {
  const here = await place();
  await signIn(here);
  const other = await serve([{ status: 401, body: {} }]);
  const { stderr } = await run(['check', '--url', other.origin, 'example.com'], { env: here.env });
  expect(stderr).toContain('belongs to another service');
  for (const { headers } of other.requests) expect(headers['x-api-key']).toBeUndefined();
});

test.each([
  ['no sign-in', { status: 404, body: {} }, 'no sign-in'],
  ['another issuer', { body: { issuer: 'https://other.example' } }, 'metadata'],
  ['no JSON', { body: '<html>' }, 'metadata'],
  ['endless JSON', { fault: 'endless' as const }, 'metadata'],
  ['a redirect', { status: 302, headers: { location: 'https://other.example/' } }, 'does not answer'],
])('a service with %s is refused', async (_, answer, text) => {
  const server = await serve([answer]);
  const { code, stderr } = await run(['login', '--browser', '--url', server.origin], { env: { BROWSER: 'true' } });
  expect([code === 3 || code === 8, stderr]).toEqual([true, expect.stringContaining(text)]);
});

test.each([['http://service.example'], ['nonsense']])('the URL %s is refused before anything is sent', async (url) => {
  expect((await run(['login', '--browser', '--url', url])).code).toBe(3);
});
