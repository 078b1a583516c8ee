import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { listAddress } from '../../../examples/extension/list-address.js';
import { openSource } from '../../../examples/extension/list-source.js';

const folder = mkdtempSync(join(tmpdir(), 'example-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  'notanurl',
  'https://list.example/?x=1',
  'https://list.example/#f',
  'https://u:p@list.example/',
  'http://list.example/',
])('the build of the example refuses %s as the address of a list', (address) => {
  const outdir = join(folder, 'built');
  const { status, stderr } = spawnSync(process.execPath, [resolve('examples/extension/build.mjs'), address, 'chromium', outdir], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(`${address} is not the address of a list`) });
  expect(readdirSync(folder)).not.toContain('built');
});

test('the server of the example outlives a request for //', async () => {
  writeFileSync(join(folder, 'version.json'), '{}');
  const server = spawn(process.execPath, [resolve('examples/extension/serve-list.mjs'), folder, '0']);
  try {
    const [line] = (await once(server.stdout, 'data')) as [Buffer];
    const address = line.toString().trim();
    const get = async (path: string): Promise<string> => {
      const socket = connect(Number(new URL(address).port), '127.0.0.1');
      socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n`);
      let answer = '';
      for await (const bytes of socket) answer += bytes;
      return answer;
    };
    expect(await get('//')).toMatch(/^HTTP\/1.1 404/);
    expect(await get('/version.json')).toMatch(/^HTTP\/1.1 200/);
  } finally {
    server.kill();
  }
});

test.each([
  ['a folder without a list', () => join(folder, 'none'), '0', 2, /none is not a published list: .* npx portcullis publish/],
  ['a port that is in use', () => folder, 'taken', 1, /^port \d+ is in use; pass another one here and to build\.mjs\n$/],
] as const)('the server of the example refuses %s in one sentence', async (_, served, port, code, text) => {
  writeFileSync(join(folder, 'version.json'), '{}');
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const taken = `${(other.address() as AddressInfo).port}`;
  const { status, stderr } = spawnSync(
    process.execPath,
    [resolve('examples/extension/serve-list.mjs'), served(), port === 'taken' ? taken : port],
    { encoding: 'utf8' },
  );
  other.close();
  expect({ status, stderr }).toEqual({ status: code, stderr: expect.stringMatching(text) });
});

test('settings do not wait for an administrator who was read before, and follow what is decided later', async () => {
  Object.assign(globalThis, { LIST_URL: 'https://list.example' });
  const { readSettings } = await import('../../../examples/extension/settings.js');
  const stored: Record<string, unknown> = { mode: 'replace' };
  let answer: () => Promise<object> = () => new Promise(() => {});
  const storage = {
    local: { get: async () => ({ ...stored }), set: async (values: object) => void Object.assign(stored, values) },
    managed: { get: () => answer() },
    onChanged: { addListener() {} },
  };
  const read = async (): Promise<{ mode: string; ms: number }> => {
    const startMs = performance.now();
    const { settings } = await readSettings(storage);
    return { mode: settings.mode, ms: performance.now() - startMs };
  };
  const first = await read();
  expect(first.mode).toBe('replace');
  expect(first.ms).toBeGreaterThan(900);
  // Chromium still does not answer.
  expect(await read()).toMatchObject({ mode: 'replace', ms: expect.closeTo(0, -2.5) });
  answer = async () => ({ mode: 'observe' });
  await read();
  await expect.poll(() => stored['policy']).toEqual({ mode: 'observe' });
  expect((await readSettings(storage)).managed).toEqual(['mode']);
  answer = async () => ({});
  await read();
  await expect.poll(async () => (await read()).mode).toBe('replace');
});

test('what an administrator sets that is no text is not stored again and again', async () => {
  const { readSettings } = await import('../../../examples/extension/settings.js');
  const stored: Record<string, unknown> = {};
  let writes = 0;
  const storage = {
    local: {
      get: async () => structuredClone(stored),
      set: async (values: object) => {
        writes++;
        Object.assign(stored, structuredClone(values));
      },
    },
    managed: { get: async () => ({ mode: { value: 'gate' }, source: 'relay' }) as never },
    onChanged: { addListener() {} },
  };
  for (let reading = 0; reading < 3; reading++) expect(await readSettings(storage)).toMatchObject({ managed: ['source'] });
  expect(writes).toBe(1);
});

test.each([
  'https://list.example/?',
  'https://list.example/#',
  'https://user@list.example/',
  'http://list.example/',
  'javascript:alert(1)',
  'list.example',
  '',
])('%j is no address of a list', (text) => {
  expect(listAddress(text)).toBe('');
});

test.each([
  ['https://list.example/a/', 'https://list.example/a/'],
  ['http://127.0.0.1/a', 'http://127.0.0.1/a'],
  ['http://127.1:80/a', 'http://127.0.0.1/a'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/'],
  [' HTTPS://list.example/a b', 'https://list.example/a%20b'],
  ['https:///list.example/a/../b', 'https://list.example/b'],
])('a list can be at %j', (text, address) => {
  expect(listAddress(text)).toBe(address);
});

test('whatever the settings take for the address of a list, every source takes too', () => {
  const part = fc.oneof(
    fc.webUrl(),
    fc.constantFrom('https:', '//', '/', '\\', '%2e', '..', ' ', 'ö', '[::1]', ':8080', '127.1', 'a.example'),
  );
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
      const url = listAddress(parts.join(''));
      fc.pre(url !== '');
      for (const source of ['published', 'relay'] as const) expect(openSource({ source, url })).toHaveProperty('id');
    }),
    { numRuns: 1_000 },
  );
});
