import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serviceSource } from 'portcullis/sources';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { guideBlock } from '../../tools/guide-blocks.js';
import { runningService, startServer } from '../apps/cli/harness.js';
import { temporaryFolder } from '../apps/cli/in-process.js';

const container = guideBlock('docs/deploying-the-relay.md', 'Containerfile');
const unit = guideBlock('docs/deploying-the-relay.md', 'portcullis-relay.service');

/** The arguments of an instruction in its JSON form. */
const argumentsOf = (instruction: string): string[] =>
  JSON.parse(new RegExp(`^(?:HEALTHCHECK .*)?${instruction} (\\[.*\\])$`, 'm').exec(container)?.[1] ?? '[]') as string[];

test('the command of the container serves clients without a key, and its health check tells whether it can', async () => {
  const { env } = await runningService();
  expect(argumentsOf('ENTRYPOINT')).toEqual(['node', `node_modules/portcullis/${packageJson.bin.portcullis}`]);
  expect(container).toContain(`COPY portcullis-${packageJson.version}.tgz ./\n`);
  const [, port = ''] = /^EXPOSE (\d+)$/m.exec(container) ?? [];
  const command = [...container.matchAll(/^CMD (\[.*\])$/gm)].flatMap(([, json = '']) => JSON.parse(json) as string[]);
  expect(command).toContain(port);
  const relay = await startServer(
    command.map((argument) => (argument === port ? '0' : argument)),
    { env },
  );
  const listening = new URL(relay.listening).port;
  const source = serviceSource({ baseUrl: `http://127.0.0.1:${listening}` });
  expect((await source.version({})).snapshot.count).toBe(5);

  const [program = '', ...rest] = argumentsOf('HEALTHCHECK --interval=30s --timeout=5s CMD');
  expect(program).toBe('node');
  const isHealthy = (): Promise<boolean> =>
    promisify(execFile)(
      process.execPath,
      rest.map((argument) => argument.replace(`:${port}/`, `:${listening}/`)),
    ).then(
      () => true,
      () => false,
    );
  expect(await isHealthy()).toBe(true);
  expect(await relay.interrupt()).toBe(0);
  expect(await isHealthy()).toBe(false);
});

test('the command of the unit answers under the public name that the proxy passes on', async () => {
  const { env } = await runningService();
  const [, path, options = ''] = /^ExecStart=\/usr\/bin\/node (\S+) (.+)$/m.exec(unit) ?? [];
  expect(path).toBe(`/opt/portcullis/node_modules/portcullis/${packageJson.bin.portcullis}`);
  const relay = await startServer(options.replace(/--port \d+/, '--port 0').split(' '), { env });
  const headers = { host: 'relay.example', 'x-forwarded-for': '192.0.2.1' };
  const status = await new Promise((settle, reject) => {
    get(`${relay.listening}/healthz`, { headers }, (response) => settle(response.resume().statusCode)).on('error', reject);
  });
  expect(status).toBe(200);
  expect(relay.url).toBe('https://relay.example');
});

test.skipIf(spawnSync('systemd-analyze', ['--version']).error !== undefined)(
  'systemd reads the unit without a complaint, and rates it as well protected',
  () => {
    const file = join(temporaryFolder(), 'portcullis-relay.service');
    writeFileSync(file, unit.replace('/usr/bin/node', process.execPath));
    const verified = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
    expect([verified.status, verified.stderr]).toEqual([0, '']);
    // In tenths of the exposure level, of which 10 is the worst.
    const rated = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', '--no-pager', file], {
      encoding: 'utf8',
    });
    expect(rated.status, rated.stdout).toBe(0);
  },
);
