import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBlocklist } from 'portcullis';
import { generateGatewayKeys, oblivious } from 'portcullis/ohttp';
import { ed25519, publishedSource } from 'portcullis/sources';
import { expect, onTestFinished, test, vi } from 'vitest';
import { toBase64 } from '../../../src/core/base64.js';
import { readKeyList } from '../../../src/core/ohttp/key-list.js';
import { startExampleRelay } from '../../servers/ohttp/example-relay.js';
import { type Asked, askSealed, confirmation, textOf } from '../../servers/ohttp/sealed-client.js';
import { readOpenMetrics } from '../../support/open-metrics-reader.js';
import { serveHere } from './harness.js';
import { run, runJson, temporaryFolder } from './in-process.js';

const modeOf = (file: string): number => statSync(file).mode & 0o777;
const listOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'));
const ask = (url: string, keyList: string, asked: Asked) => askSealed((request) => fetch(url, request), listOf(keyList), asked);

async function publishedFolder(): Promise<string> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'list.txt'), 'evil.example\n');
  const out = join(folder, 'out');
  expect((await run(['publish', join(folder, 'list.txt'), '--out', out])).code).toBe(0);
  return out;
}

test('keygen --ohttp makes a key that only its user can read, and a later call rotates it', async () => {
  const file = join(temporaryFolder(), 'gateway.key');
  const made = await runJson(['keygen', '--ohttp', file]);
  expect(made.code).toBe(0);
  expect([modeOf(file), modeOf(`${file}.pub`)]).toEqual([0o600, 0o644]);
  const [key] = JSON.parse(readFileSync(file, 'utf8')).keys;
  expect(JSON.stringify(made)).not.toContain(key.privateKey);
  expect(readFileSync(`${file}.pub`, 'utf8')).toBe(`${made.value.keyList}\n`);
  expect(readKeyList(listOf(made.value.keyList))?.map(({ id }) => id)).toEqual([key.id]);
  expect(made.value).toMatchObject({ id: key.id, older: [] });

  const again = await runJson(['keygen', '--ohttp', file, '--overlap-days', '2']);
  expect(again.value.id).not.toBe(key.id);
  expect(again.value.older).toEqual([{ id: key.id, notAfterMs: expect.any(Number) }]);
  expect((again.value.older[0].notAfterMs - Date.now()) / 86_400_000).toBeCloseTo(2, 1);
  expect([modeOf(file), readFileSync(`${file}.pub`, 'utf8').trim()]).toEqual([0o600, again.value.keyList]);
  const third = await run(['keygen', '--ohttp', file]);
  expect(third.stdout).toMatch(/key list +\S{60}\n.*\.pub\nkey \d+ +opens requests until 20.*\nkey \d+ +opens requests until 20/);
});

test('keygen --ohttp leaves a file as it is that others can read, or that holds something else', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'gateway.key');
  await run(['keygen', '--ohttp', file]);
  chmodSync(file, 0o640);
  const open = await run(['keygen', '--ohttp', file]);
  expect([open.code, open.stderr]).toEqual([3, expect.stringContaining(`chmod 600 ${file}`)]);
  const serving = await run(['serve', '--published', await publishedFolder(), '--ohttp', file, '--port', '0']);
  expect([serving.code, serving.stderr]).toEqual([3, expect.stringContaining('other users can read')]);

  const other = join(folder, 'list.key');
  await run(['keygen', other]);
  const before = readFileSync(other, 'utf8');
  const refused = await run(['keygen', '--ohttp', other]);
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('was left as it is: it has no keys of a gateway')]);
  expect(readFileSync(other, 'utf8')).toBe(before);
  expect((await run(['keygen', '--ohttp', `${file}.pub`])).stderr).toContain('it has the list for clients');
  const nowhere = await run(['keygen', '--ohttp', join(folder, 'missing', 'x.key')]);
  expect([nowhere.code, nowhere.stderr]).toEqual([3, expect.stringContaining('choose a file in a folder that exists')]);
  expect((await run(['keygen', other, '--overlap-days', '3'])).stderr).toContain('--overlap-days needs --ohttp');
});

test('two rotations at once keep the keys of both, and the list has the newest', async () => {
  const file = join(temporaryFolder(), 'gateway.key');
  const made = await Promise.all(Array.from({ length: 4 }, () => runJson(['keygen', '--ohttp', file])));
  const { keys } = JSON.parse(readFileSync(file, 'utf8'));
  const idsOf = (all: readonly { readonly id: number }[]): number[] => all.map(({ id }) => id).sort();
  expect(idsOf(keys)).toEqual(idsOf(made.map(({ value }) => value)));
  expect(readKeyList(listOf(readFileSync(`${file}.pub`, 'utf8').trim()))![0]!.id).toBe(keys[0].id);
});

test('keygen --ohttp changes neither file if it cannot write the list', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'gateway.key');
  mkdirSync(`${file}.pub`);
  const first = await run(['keygen', '--ohttp', file]);
  expect([first.code, first.stderr]).toEqual([3, expect.stringContaining('gateway.key or a file beside it cannot be written')]);
  expect(existsSync(file)).toBe(false);

  rmdirSync(`${file}.pub`);
  expect((await run(['keygen', '--ohttp', file])).code).toBe(0);
  const before = readFileSync(file, 'utf8');
  rmSync(`${file}.pub`);
  mkdirSync(`${file}.pub`);
  expect((await run(['keygen', '--ohttp', file])).code).toBe(3);
  expect([readFileSync(file, 'utf8'), modeOf(file)]).toEqual([before, 0o600]);
  writeFileSync(join(folder, 'other.key.lock'), '');
  expect((await run(['keygen', '--ohttp', join(folder, 'other.key')])).stderr).toContain('a file beside it cannot be written');
  expect(
    readdirSync(folder)
      .filter((name) => !name.startsWith('other'))
      .sort(),
  ).toEqual(['gateway.key', 'gateway.key.lock', 'gateway.key.pub']);
});

test('serve --published --ohttp answers sealed questions about the folder, and nothing else', async () => {
  const folder = await publishedFolder();
  const file = join(temporaryFolder(), 'gateway.key');
  const { value } = await runJson(['keygen', '--ohttp', file]);
  const served = await serveHere(['--port', '0', '--published', folder, '--ohttp', file]);
  const { url, ohttp, ohttpKeys } = served as typeof served & Record<'ohttp' | 'ohttpKeys', string>;
  expect([ohttp, ohttpKeys]).toEqual([`${url}/ohttp`, value.keyList]);
  const listed = await fetch(ohttp);
  expect(Buffer.from(await listed.arrayBuffer()).toString('base64')).toBe(value.keyList);

  const { inner, outerBytes } = await ask(ohttp, ohttpKeys, { path: '/version.json' });
  expect([inner.status, outerBytes]).toEqual([200, 4_128]);
  expect(textOf(inner)).toBe(await (await fetch(`${url}/version.json`)).text());
  const statuses: number[] = [];
  for (const path of ['/list.txt', '/ohttp', '/metrics', '/playground/', '//example.com/version.json'])
    statuses.push((await ask(ohttp, ohttpKeys, { path })).inner.status);
  expect(statuses).toEqual([404, 404, 404, 404, 404]);
  const samples = readOpenMetrics(await (await fetch(`${url}/metrics`)).text()).get('portcullis_ohttp_responses')?.samples;
  expect(samples?.map(({ labels, value }) => [labels['sealed'], labels['status'], value])).toEqual([
    ['yes', '200', 1],
    ['yes', '404', 5],
  ]);
});

test('serve takes the newer key of a rotation while it runs, and still opens what the older one sealed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const file = join(temporaryFolder(), 'gateway.key');
  const first = await runJson(['keygen', '--ohttp', file]);
  const served = await serveHere(['--port', '0', '--published', await publishedFolder(), '--ohttp', file]);
  const url = `${served.url}/ohttp`;
  const current = async (): Promise<string> => Buffer.from(await (await fetch(url)).arrayBuffer()).toString('base64');
  const second = await runJson(['keygen', '--ohttp', file]);
  const rotated = await generateGatewayKeys({ previous: readFileSync(file, 'utf8') });
  expect(await current()).toBe(first.value.keyList);
  vi.advanceTimersByTime(60_000);
  await expect.poll(current).toBe(second.value.keyList);
  for (const { value } of [first, second])
    expect((await ask(url, value.keyList, { path: '/version.json' })).inner.status).toBe(200);
  expect(served.output()).toContain('have changed');

  const alarms = () => served.output().split('the gateway keeps its keys').length - 1;
  writeFileSync(file, '{}');
  for (let minutes = 1; minutes <= 2; minutes++) {
    vi.advanceTimersByTime(60_000);
    await expect.poll(alarms).toBe(minutes);
  }
  expect(await current()).toBe(second.value.keyList);

  // As some tools copy it: first with a mode that shows it to others.
  writeFileSync(file, JSON.stringify(rotated.keys));
  chmodSync(file, 0o644);
  vi.advanceTimersByTime(60_000);
  await expect.poll(alarms).toBe(3);
  expect(served.output()).toContain('other users can read');
  expect(await current()).toBe(second.value.keyList);
  chmodSync(file, 0o600);
  vi.advanceTimersByTime(60_000);
  await expect.poll(current).toBe(toBase64(rotated.keyList));
  vi.useRealTimers();
});

test('serve --relay --ohttp answers sealed confirmations', async () => {
  const upstream = await serveHere(['--port', '0']);
  const file = join(temporaryFolder(), 'gateway.key');
  const { value } = await runJson(['keygen', '--ohttp', file]);
  const env = { PORTCULLIS_API_KEY: upstream.key! };
  const relay = await serveHere(['--port', '0', '--relay', '--url', upstream.url, '--ohttp', file], { env });
  const version = await (await fetch(`${relay.relay}/asset/blocklist/version`)).json();
  const { algoVersion } = version as { algoVersion: string };
  const content = JSON.stringify({ algoVersion, prefixes: ['00000000'] });
  const { inner } = await ask(`${relay.url}/ohttp`, value.keyList, {
    ...confirmation(),
    path: '/asset/blocklist/confirm',
    content,
  });
  expect([inner.status, textOf(inner)]).toEqual([200, '{"hashes":{"00000000":[]}}']);
});

test('serve --ohttp is refused without a relay or a folder, and with a file that has no keys', async () => {
  const folder = await publishedFolder();
  const empty = join(temporaryFolder(), 'empty.key');
  writeFileSync(empty, '{}', { mode: 0o600 });
  const refusal = async (...args: string[]): Promise<string> => {
    const { code, stderr } = await run(['serve', '--port', '0', ...args]);
    expect(code).toBe(3);
    return stderr;
  };
  expect(await refusal('--ohttp', empty)).toContain('--ohttp needs --relay or --published');
  expect(await refusal('--published', folder, '--ohttp', 'no-such.key')).toContain('keygen --ohttp no-such.key');
  expect(await refusal('--published', folder, '--ohttp', empty)).toContain(
    `${empty} cannot be used: it has no keys of a gateway`,
  );

  const file = join(temporaryFolder(), 'gateway.key');
  await run(['keygen', '--ohttp', file]);
  expect(await refusal('--published', folder, '--ohttp', `${file}.pub`)).toContain('it has the list for clients');
  const { keys, ...rest } = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...rest, keys: [{ ...keys[0], notAfterMs: 1 }] }));
  expect(await refusal('--published', folder, '--ohttp', file)).toContain(`${file} cannot be used: all keys have expired`);
  writeFileSync(file, JSON.stringify({ ...rest, keys: [{ ...keys[0], privateKey: 'secret' }] }));
  const malformed = await refusal('--published', folder, '--ohttp', file);
  expect(malformed).toContain('is malformed');
  expect(malformed).not.toMatch(/obliviousGateway|secret/);
});

test('a list that names its gateway is checked against through a relay, and its hits are asked in no other way', async () => {
  const folder = temporaryFolder();
  const [list, out, key, gatewayKey] = ['list.txt', 'out', 'list.key', 'gateway.key'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ];
  writeFileSync(list, 'evil.example\n');
  const { value } = await runJson(['keygen', key]);
  await run(['keygen', '--ohttp', gatewayKey]);
  const publish = (...more: string[]) => run(['publish', list, '--out', out, '--hot-entries', '0', ...more]);
  expect((await publish('--ohttp-keys', `${gatewayKey}.pub`)).stderr).toContain('--ohttp-keys needs --sign');
  for (const [file, message] of [
    [gatewayKey, 'has private keys'],
    [key, "is not a list of a gateway's keys"],
    [`${key}.pub`, 'keys'],
  ] as const) {
    const refused = await publish('--sign', key, '--ohttp-keys', file);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining(message)]);
  }
  const published = await publish('--sign', key, '--ohttp-keys', `${gatewayKey}.pub`);
  expect([published.code, published.stderr]).toEqual([0, expect.any(String)]);

  const served = await serveHere(['--port', '0', '--published', out, '--ohttp', gatewayKey]);
  const relay = await startExampleRelay(`${served.url}/ohttp`);
  const direct: string[] = [];
  const source = publishedSource({
    url: served.url,
    publicKeys: [value.publicKey],
    verifier: ed25519,
    ohttp: oblivious({ relay: relay.url }),
    fetch: (url, init) => {
      direct.push(new URL(url).pathname);
      return fetch(url, init as RequestInit);
    },
  });
  const blocklist = createBlocklist({ sources: [source], pollMs: 0, deadlineMs: 60_000 });
  onTestFinished(() => blocklist.close());
  await blocklist.ready();
  expect(await blocklist.check('https://a.evil.example/')).toMatchObject({ status: 'blocked', reason: 'confirmed' });
  expect(direct).toContain('/version.json');
  expect(direct.filter((path) => /confirm|sums/.test(path))).toEqual([]);
  const metrics = await (await fetch(`${served.url}/metrics`)).text();
  expect(metrics).toMatch(/portcullis_ohttp_responses_total\{sealed="yes",status="200"\} [1-9]/);

  // Clients could not confirm hits with the next list.
  for (const fresh of [[], ['--fresh']]) {
    const without = await publish('--sign', key, ...fresh);
    expect([without.code, without.stderr]).toEqual([3, expect.stringContaining('names the keys of a gateway')]);
  }

  // Nor with a gateway of another key.
  expect(served.output()).not.toContain('the list names a key');
  const otherKey = join(folder, 'other.key');
  await run(['keygen', '--ohttp', otherKey]);
  const other = await serveHere(['--port', '0', '--published', out, '--ohttp', otherKey]);
  expect(other.output()).toContain(`the list names a key that ${otherKey} does not have`);
  expect((await publish('--sign', key, '--yes')).code).toBe(0);
});
