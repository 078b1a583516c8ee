import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';

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
