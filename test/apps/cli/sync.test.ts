import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createService, type ServedService } from 'portcullis/service';
import { expect, onTestFinished, test } from 'vitest';
import { run, runInTerminal, runJson, temporaryFolder } from './harness.js';

interface Served {
  readonly service: ServedService;
  readonly url: string;
  readonly env: Record<string, string>;
}

/** A service that listens, and the environment of who uses it. */
async function served(): Promise<Served> {
  const service = createService();
  onTestFinished(() => service.close());
  const { url } = await service.listen();
  const env = { HOME: temporaryFolder(), PORTCULLIS_API_URL: url, PORTCULLIS_API_KEY: service.key };
  return { service, url, env };
}

const folderIn = (env: Record<string, string>): string => {
  const cache = join(env['HOME']!, 'cache/portcullis');
  return join(cache, readdirSync(cache)[0]!);
};

test('sync fetches a list, status shows the copy without asking anybody', async () => {
  const { service, env } = await served();
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
          calibration: { outcome: 'skipped', samples: expect.any(Number), found: expect.any(Number) },
        },
        failures: 0,
        nextSyncAtMs: expect.any(Number),
        heldUntilMs: 0,
        remembered: 0,
      },
    ],
  });
});

test('status says that nothing is stored, and makes nothing', async () => {
  const { env } = await served();
  const { code, stdout } = await run(['status'], { env });
  expect(code).toBe(4);
  expect(stdout).toContain('nothing is stored; fetch it with: portcullis sync');
  expect(existsSync(join(env['HOME']!, 'cache'))).toBe(false);
  expect((await run(['status', '--local'])).code).toBe(3);
  expect((await run(['sync', '--local'])).stderr).toContain('no copy of this list is kept');
});

test('sync says by its code what went wrong, and the copy stays', async () => {
  const { service, env } = await served();
  expect((await run(['sync'], { env: { ...env, PORTCULLIS_API_KEY: 'key-of-nobody' } })).code).toBe(2);
  expect((await run(['sync'], { env: { ...env, HOME: temporaryFolder() } })).code).toBe(0);
  await run(['sync', '--store', folderIn(env)], { env });
  service.faults.add({ kind: 'reset', times: 100 });
  const down = await runJson(['sync', '--store', join(env['HOME']!, 'b')], { env });
  expect([down.code, down.value.sources[0].error.code]).toEqual([8, 'NETWORK']);
});

/** Where the snapshot of now is fetched from, as a path. */
async function snapshotPath({ service, url }: Served): Promise<string> {
  const answer = await fetch(`${url}/asset/blocklist/version`, { headers: { 'x-api-key': service.key } });
  const { snapshot } = (await answer.json()) as { snapshot: { url: string } };
  return new URL(snapshot.url, url).pathname;
}

test.each(['version', 'snapshot'] as const)(
  'Ctrl-C while the %s does not come ends sync, and the list of before answers',
  async (what) => {
    const here = await served();
    const { service, env } = here;
    await run(['sync'], { env });
    const before = await runJson(['status'], { env });
    const version = '/asset/blocklist/version';
    const on = what === 'version' ? version : await snapshotPath(here);
    if (what === 'snapshot') service.faults.add({ kind: 'moving-token', times: 100, on: version });
    service.faults.add({ kind: 'hang', times: 100, on });
    const seen = service.requests().length;
    const stopped = await run(['sync'], {
      env,
      onStart: (child) => {
        const watch = setInterval(() => {
          const asked = service.requests().slice(seen);
          if (!asked.some(({ url }) => url.startsWith(on))) return;
          // Once: a second one would not wait for words.
          clearInterval(watch);
          child.kill('SIGINT');
        }, 10);
        child.once('close', () => clearInterval(watch));
      },
    });
    expect(stopped.stderr).toBe('portcullis: interrupted [INTERRUPTED]\n');
    expect(stopped.code).toBe(130);
    service.faults.clear();
    const after = await runJson(['status'], { env });
    expect(after.value.sources[0].list.snapshotToken).toBe(before.value.sources[0].list.snapshotToken);
    expect((await run(['check', 'scam-mint.example'], { env })).code).toBe(6);
  },
);

test('sync shows how far it is on a terminal, and leaves nothing of that', async () => {
  const { env } = await served();
  const terminal = await runInTerminal(['sync'], { env });
  expect(await terminal.ended).toBe(0);
  expect(terminal.text()).toContain('\r\u001b[K');
  expect(terminal.text()).toMatch(/5 entries, 0 since\r\n$/);
});

test('doctor is content with a service that is well', async () => {
  const { env, service } = await served();
  await run(['sync'], { env });
  const { code, value } = await runJson(['doctor'], { env });
  expect([code, value.ok]).toEqual([0, true]);
  expect(value.checks.map(({ name, outcome }: { name: string; outcome: string }) => `${outcome} ${name}`)).toEqual([
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

const failing = (value: { checks: { name: string; outcome: string }[] }): string[] =>
  value.checks.filter(({ outcome }) => outcome === 'fail').map(({ name }) => name);

test('doctor names the key, the network, the configuration, a damaged store', async () => {
  const { service, env } = await served();
  const refused = await runJson(['doctor'], { env: { ...env, PORTCULLIS_API_KEY: 'key-of-nobody' } });
  expect([refused.code, failing(refused.value)]).toEqual([2, ['key']]);
  expect(JSON.stringify(refused.value)).not.toContain('key-of-nobody');

  service.faults.add({ kind: 'reset', times: 1 });
  const down = await runJson(['doctor'], { env });
  expect([down.code, failing(down.value)]).toEqual([8, ['connection']]);

  const nowhere = await runJson(['doctor']);
  expect([nowhere.code, failing(nowhere.value)]).toEqual([3, ['configuration']]);

  await run(['sync'], { env });
  const folder = folderIn(env);
  const file = join(folder, readdirSync(folder).find((name) => name.includes('base'))!);
  const bytes = readFileSync(file);
  bytes[bytes.length - 1]! ^= 1;
  writeFileSync(file, bytes);
  const damaged = await runJson(['doctor'], { env });
  expect([damaged.code, failing(damaged.value)]).toEqual([1, ['store']]);
  const status = await runJson(['status'], { env });
  expect(status.code).toBe(7);
  expect(status.value.damaged).not.toEqual([]);
  // The next round mends it.
  expect((await run(['sync'], { env })).code).toBe(0);
  expect((await run(['check', 'scam-mint.example'], { env })).code).toBe(6);
});

test('what no list is of any more may be damaged', async () => {
  const { env } = await served();
  await run(['sync'], { env });
  const folder = folderIn(env);
  const base = join(folder, readdirSync(folder).find((name) => name.includes('base'))!);
  writeFileSync(base, 'nothing');
  const orphan = join(folder, 'value-service+base+0-orphan.bin');
  writeFileSync(orphan, 'nothing');
  expect((await runJson(['doctor'], { env })).code).toBe(1);
  await run(['sync'], { env });
  await run(['sync'], { env });
  writeFileSync(orphan, 'nothing');
  const mended = await runJson(['doctor'], { env });
  expect([mended.code, failing(mended.value)]).toEqual([0, []]);
});

test.each([
  ['confirmed', 'check', 'scam-mint.example'],
  ['retry', 'sync'],
])('a damaged %s is named, and mended by the next %s', async (what, ...args) => {
  const { env } = await served();
  await run(['sync'], { env });
  await run(['check', 'scam-mint.example'], { env });
  writeFileSync(join(folderIn(env), `value-service+${what}.bin`), 'nothing');
  const damaged = await runJson(['doctor'], { env });
  expect(failing(damaged.value)).toEqual(['store']);
  await run(args, { env });
  expect((await runJson(['doctor'], { env })).code).toBe(0);
});

test('a store that is no folder fails one check, and status says so', async () => {
  const { env } = await served();
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  for (const store of [file, join(file, 'below')]) {
    const { code, value } = await runJson(['doctor', '--store', store], { env });
    expect([code, failing(value)]).toEqual([1, ['store']]);
    expect(value.checks.map(({ name }: { name: string }) => name)).toContain('connection');
    const status = await runJson(['status', '--store', store], { env });
    expect([status.code, status.value.error.code]).toEqual([1, 'ENOTDIR']);
    expect(status.value.error.message).toContain('is no folder');
  }
});

/** For whoever may write everywhere, as root may, nothing fails. */
function lockedFolder(): { folder: string; isLocked: boolean } {
  const folder = temporaryFolder();
  chmodSync(folder, 0o500);
  try {
    writeFileSync(join(folder, 'probe'), '');
    return { folder, isLocked: false };
  } catch {
    return { folder, isLocked: true };
  }
}

test('doctor fails where the store cannot be made, or not be written', async (context) => {
  const { env } = await served();
  const { folder, isLocked } = lockedFolder();
  if (!isLocked) context.skip('this user may write everywhere');
  for (const store of [folder, join(folder, 'a/b')]) {
    const { code, value } = await runJson(['doctor', '--store', store], { env });
    expect([code, failing(value)]).toEqual([1, ['store']]);
  }
});

test('doctor compares the clock with the service’s', async () => {
  const server = createServer((_, response) => {
    response.setHeader('date', new Date(Date.now() - 3_600_000).toUTCString());
    response.writeHead(401).end();
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const { code, value } = await runJson(['doctor', '--url', `http://127.0.0.1:${port}`]);
  expect([code, failing(value)]).toEqual([2, ['key']]);
  expect(value.checks.find(({ name }: { name: string }) => name === 'clock')).toMatchObject({
    outcome: 'warn',
    detail: expect.stringMatching(/^(1 hour|59 minutes) ahead of the service’s$/),
  });
});

test('doctor warns of a folder that others read', async () => {
  const { env } = await served();
  await run(['sync'], { env });
  chmodSync(folderIn(env), 0o755);
  const { code, value } = await runJson(['doctor'], { env });
  expect(code).toBe(0);
  const warned = value.checks.filter(({ outcome }: { outcome: string }) => outcome === 'warn');
  expect(warned.map(({ name }: { name: string }) => name)).toEqual(['permissions']);
});

test('doctor reads lists of one’s own and the embedded service', async () => {
  const file = join(temporaryFolder(), 'mine.txt');
  writeFileSync(file, 'evil.example\nbit.ly\n');
  const own = await run(['doctor', '--list', file]);
  expect(own.code).toBe(0);
  expect(own.stdout).toContain('1 of its lines cannot be listed: line 2 (shared-host)');
  expect((await run(['doctor', '--local'])).code).toBe(0);
  const none = await run(['doctor', '--list', join(temporaryFolder(), 'none.txt')]);
  expect([none.code, none.stdout]).toEqual([7, expect.stringContaining('is the path right')]);
});
