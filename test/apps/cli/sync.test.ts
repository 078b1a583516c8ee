import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answering, type RunningService, runningService } from './harness.js';
import { run, runJson, start, temporaryFolder } from './in-process.js';

const folderIn = (env: Record<string, string>): string => {
  const cache = join(env['HOME']!, 'cache/portcullis');
  return join(cache, readdirSync(cache)[0]!);
};

test('sync stores a list, and status shows the copy without a request', async () => {
  const { service, env } = await runningService();
  const first = await runJson(['sync'], { env });
  expect([first.code, first.stderr]).toEqual([0, '']);
  expect(first.value).toEqual({
    outcome: 'updated',
    ms: expect.any(Number),
    sources: [
      {
        source: 'service',
        outcome: 'updated',
        count: 5,
        recentCount: 0,
        snapshotToken: expect.any(String),
        recentToken: expect.any(String),
        bytes: expect.any(Number),
      },
    ],
  });
  expect(first.value.sources[0].bytes).toBeGreaterThan(50);
  expect((await runJson(['sync'], { env })).value.outcome).toBe('unchanged');

  const asked = service.requests().length;
  const status = await runJson(['status'], { env });
  expect(service.requests().length).toBe(asked);
  expect(status.code).toBe(0);
  expect(status.value).toEqual({
    from: 'service',
    directory: folderIn(env),
    exists: true,
    files: expect.any(Number),
    bytes: expect.any(Number),
    overrides: 0,
    damaged: [],
    sources: [
      {
        source: 'service',
        list: {
          generation: 2,
          algoVersion: expect.any(String),
          algorithm: 'portcullis-1',
          snapshotToken: first.value.sources[0].snapshotToken,
          recentToken: first.value.sources[0].recentToken,
          count: 5,
          recentCount: 0,
          byteLength: expect.any(Number),
          ageMs: expect.any(Number),
          isStale: false,
          listName: null,
          sequence: null,
          expiresAtMs: null,
          signedBy: null,
          calibration: { outcome: 'skipped', samples: expect.any(Number), found: expect.any(Number) },
        },
        failures: 0,
        nextSyncAtMs: expect.any(Number),
        heldUntilMs: 0,
        olderAtMs: null,
        remembered: 0,
      },
    ],
  });
});

test('status reports that nothing is stored, and creates no folder', async () => {
  const { env } = await runningService();
  const { code, stdout } = await run(['status'], { env });
  expect(code).toBe(4);
  expect(stdout).toContain('no copy is stored; fetch it with: portcullis sync');
  expect(existsSync(join(env['HOME']!, 'cache'))).toBe(false);
  const url = 'http://127.0.0.1:1';
  for (const name of ['status', 'doctor'])
    expect((await run([name, '--published', url, '--no-input'])).stdout).toContain(`portcullis sync --published ${url}\n`);
  expect((await run(['status', '--local'])).code).toBe(3);
  expect((await run(['sync', '--local'])).stderr).toContain('no copy is stored');
});

test('sync reports the cause of a failure in its exit code', async () => {
  const { service, env } = await runningService();
  expect((await run(['sync'], { env: { ...env, PORTCULLIS_API_KEY: 'unknown-key' } })).code).toBe(2);
  service.faults.add({ kind: 'reset', times: 100 });
  const down = await runJson(['sync'], { env });
  expect([down.code, down.value.sources[0].error.code]).toEqual([8, 'NETWORK']);
});

/** Finds the file of the current snapshot. */
async function snapshotPath({ service, url }: RunningService): Promise<string> {
  const answer = await fetch(`${url}/asset/blocklist/version`, { headers: { 'x-api-key': service.key } });
  const { snapshot } = (await answer.json()) as { snapshot: { url: string } };
  return new URL(snapshot.url, url).pathname;
}

test.each(['version', 'snapshot'] as const)(
  'Ctrl-C during the wait for the %s ends sync, and the old list stays in use',
  async (what) => {
    const here = await runningService();
    const { service, env } = here;
    await run(['sync'], { env });
    const before = await runJson(['status'], { env });
    const version = '/asset/blocklist/version';
    const on = what === 'version' ? version : await snapshotPath(here);
    if (what === 'snapshot') service.faults.add({ kind: 'moving-token', times: 100, on: version });
    service.faults.add({ kind: 'hang', times: 100, on });
    const seen = service.requests().length;
    const running = start(['sync'], { env });
    const isAsked = (): boolean =>
      service
        .requests()
        .slice(seen)
        .some(({ url }) => url.startsWith(on));
    await expect.poll(isAsked, { timeout: 60_000 }).toBe(true);
    running.interrupt();
    expect(await running.ended).toBe(130);
    expect(running.stderr()).toBe('portcullis: interrupted [INTERRUPTED]\n');
    service.faults.clear();
    const after = await runJson(['status'], { env });
    expect(after.value.sources[0].list.snapshotToken).toBe(before.value.sources[0].list.snapshotToken);
    expect((await run(['check', 'scam-mint.example'], { env })).code).toBe(6);
  },
);

interface Check {
  readonly name: string;
  readonly outcome: string;
  readonly detail: string;
}

const named = (value: { checks: Check[] }, outcome: string): string[] =>
  value.checks.filter((check) => check.outcome === outcome).map(({ name }) => name);

test('doctor passes every check on a working service, and does not print the key', async () => {
  const { env, service } = await runningService();
  await run(['sync'], { env });
  const { code, value } = await runJson(['doctor'], { env });
  expect([code, value.ok]).toEqual([0, true]);
  expect(value.checks.map(({ name, outcome }: Check) => `${outcome} ${name}`)).toEqual([
    'ok node',
    'ok configuration',
    'ok self-test',
    'ok connection',
    'ok key',
    'ok clock',
    'ok list service',
    'ok calibration service',
    'ok store',
    'ok space',
  ]);
  expect(JSON.stringify(value)).not.toContain(service.key);
});

test('doctor fails on a wrong key, a broken connection, and a missing configuration', async () => {
  const { service, env } = await runningService();
  const refused = await runJson(['doctor'], { env: { ...env, PORTCULLIS_API_KEY: 'unknown-key' } });
  expect([refused.code, named(refused.value, 'fail')]).toEqual([2, ['key']]);
  expect(JSON.stringify(refused.value)).not.toContain('unknown-key');

  service.faults.add({ kind: 'reset', times: 1 });
  const down = await runJson(['doctor'], { env });
  expect([down.code, named(down.value, 'fail')]).toEqual([8, ['connection']]);

  const nowhere = await runJson(['doctor']);
  expect([nowhere.code, named(nowhere.value, 'fail')]).toEqual([3, ['configuration']]);
});

test.each([
  [503, 'INTERNAL_SERVER_ERROR', 8],
  [404, 'NOT_FOUND', 4],
  [429, 'TOO_MANY_REQUESTS', 8],
  [418, 'UNEXPECTED_STATUS', 8],
])('doctor reports the status %i like every other command', async (status, name, exitCode) => {
  const url = await answering(() => ({ status }));
  const { code, value } = await runJson(['doctor', '--url', url]);
  expect([code, named(value, 'fail')]).toEqual([exitCode, ['connection']]);
  expect(value.checks.find((check: Check) => check.name === 'connection').detail).toContain(`[${name}]`);
});

// The status used to decide, and such an answer was called a failed connection.
test.each([
  [{ body: { code: 'UNAUTHORIZED', message: 'no' } }, 'UNAUTHORIZED', 2],
  [{ body: { error: { code: 'FORBIDDEN', message: 'no' } } }, 'FORBIDDEN', 5],
  [{ status: 401 }, 'UNAUTHORIZED', 2],
  [{ status: 403 }, 'FORBIDDEN', 5],
])('doctor takes the answer %j for a rejected key', async (answer, name, exitCode) => {
  const url = await answering(() => answer);
  const { code, value } = await runJson(['doctor', '--url', url], { env: { PORTCULLIS_API_KEY: 'a-valid-key' } });
  expect([code, named(value, 'fail')]).toEqual([exitCode, ['key']]);
  expect(value.checks.find((check: Check) => check.name === 'key').detail).toBe(`the key was rejected [${name}]`);
});

test('a list of a server that cannot be read is an error of the service, with advice', async () => {
  const url = await answering(() => ({ body: '{"assets":["evil.example",\n}' }));
  const failed = await run(['check', '--list', `${url}/list.json`, 'a.example']);
  expect([failed.code, failed.stderr]).toEqual([8, expect.stringMatching(/\[INVALID_ARTIFACT\]\n {2}try again later; .*\n$/)]);
});

test('a key that cannot be sent has one message', async () => {
  const env = { PORTCULLIS_API_KEY: 'not a key' };
  for (const args of [
    ['check', 'a.example'],
    ['api', 'userMe'],
    ['serve', '--relay', '--port', '0'],
  ]) {
    const { code, stderr } = await run([...args, '--url', 'http://127.0.0.1:9'], { env });
    expect([args, code, stderr]).toEqual([
      args,
      3,
      expect.stringContaining('PORTCULLIS_API_KEY must be visible ASCII without spaces [INVALID_INPUT]'),
    ]);
  }
});

test('doctor finds a damaged list, status reports it, and sync replaces it', async () => {
  const { env } = await runningService();
  await run(['sync'], { env });
  const folder = folderIn(env);
  const base = join(folder, readdirSync(folder).find((name) => name.includes('base'))!);
  const bytes = readFileSync(base);
  bytes[bytes.length - 1]! ^= 1;
  writeFileSync(base, bytes);
  const orphan = join(folder, 'value-service+base+0-orphan.bin');
  writeFileSync(orphan, 'nothing');
  const damaged = await runJson(['doctor'], { env });
  expect([damaged.code, named(damaged.value, 'fail')]).toEqual([1, ['store']]);
  const status = await runJson(['status'], { env });
  expect(status.code).toBe(7);
  expect(status.value.damaged).not.toEqual([]);
  expect((await run(['sync'], { env })).code).toBe(0);
  expect((await run(['check', 'scam-mint.example'], { env })).code).toBe(6);
  // Values that the current list does not refer to may be damaged.
  await run(['sync'], { env });
  writeFileSync(orphan, 'nothing');
  const repaired = await runJson(['doctor'], { env });
  expect([repaired.code, named(repaired.value, 'fail')]).toEqual([0, []]);
});

test.each([
  ['confirmed', 'check', 'scam-mint.example'],
  ['retry', 'sync'],
])('doctor finds a damaged %s value, and the next %s replaces it', async (what, ...args) => {
  const { env } = await runningService();
  await run(['sync'], { env });
  await run(['check', 'scam-mint.example'], { env });
  writeFileSync(join(folderIn(env), `value-service+${what}.bin`), 'nothing');
  const damaged = await runJson(['doctor'], { env });
  expect(named(damaged.value, 'fail')).toEqual(['store']);
  await run(args, { env });
  expect((await runJson(['doctor'], { env })).code).toBe(0);
});

test('doctor and status report a store that is not a folder', async () => {
  const { env } = await runningService();
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  for (const store of [file, join(file, 'below')]) {
    const { code, value } = await runJson(['doctor', '--store', store], { env });
    expect([code, named(value, 'fail')]).toEqual([1, ['store']]);
    expect(named(value, 'ok')).toContain('connection');
    const status = await runJson(['status', '--store', store], { env });
    expect([status.code, status.value.error.code]).toEqual([1, 'ENOTDIR']);
    expect(status.value.error.message).toContain('is not a folder');
  }
});

test('doctor fails if the store cannot be created or written', async (context) => {
  const { env } = await runningService();
  const folder = temporaryFolder();
  chmodSync(folder, 0o500);
  try {
    writeFileSync(join(folder, 'probe'), '');
    context.skip('this user, such as root, may write everywhere');
  } catch {
    for (const store of [folder, join(folder, 'a/b')]) {
      const { code, value } = await runJson(['doctor', '--store', store], { env });
      expect([code, named(value, 'fail')]).toEqual([1, ['store']]);
    }
  }
});

test('doctor warns about a clock that differs from the server’s', async () => {
  const url = await answering(() => ({ status: 401, headers: { date: new Date(Date.now() - 3_600_000).toUTCString() } }));
  const { code, value } = await runJson(['doctor', '--url', url]);
  expect([code, named(value, 'fail')]).toEqual([2, ['key']]);
  expect(value.checks.find(({ name }: Check) => name === 'clock')).toMatchObject({
    outcome: 'warn',
    detail: expect.stringMatching(/^(1 hour|59 minutes) ahead of the server’s clock$/),
  });
});

test('doctor warns about a folder that other users can read', async () => {
  const { env } = await runningService();
  await run(['sync'], { env });
  chmodSync(folderIn(env), 0o755);
  const { code, value } = await runJson(['doctor'], { env });
  expect([code, named(value, 'warn')]).toEqual([0, ['permissions']]);
});

test('doctor checks lists in files and the embedded service', async () => {
  const file = join(temporaryFolder(), 'mine.txt');
  writeFileSync(file, 'evil.example\nbit.ly\n');
  const own = await run(['doctor', '--list', file]);
  expect(own.code).toBe(0);
  expect(own.stdout).toContain('1 line cannot be listed: line 2 (shared-host)');
  expect((await run(['doctor', '--local'])).code).toBe(0);
  const none = await run(['doctor', '--list', join(temporaryFolder(), 'none.txt')]);
  expect([none.code, none.stdout]).toEqual([7, expect.stringContaining('check the path')]);
});
