import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogMonitor } from 'portcullis/publish';
import { expect, test } from 'vitest';
import { runProcess } from './harness.js';
import { runJson, temporaryFolder } from './in-process.js';

/** A folder with keys, and the arguments that publish and log in it. */
async function logFolder() {
  const folder = temporaryFolder();
  const at = (name: string): string => join(folder, name);
  await runJson(['keygen', at('list.key')]);
  const { value } = await runJson(['keygen', at('log.key'), '--log', 'lists.example/scam']);
  const log = at('out/log');
  const args = (name: string, host: string): string[] => {
    writeFileSync(at(name), `${host}\n`);
    return [
      'publish',
      at(name),
      '--out',
      at('out'),
      '--sign',
      at('list.key'),
      '--log',
      log,
      '--log-key',
      at('log.key'),
      '--json',
    ];
  };
  const monitor = createLogMonitor({
    key: value.publicKey,
    read: async (path) => (existsSync(join(log, path)) ? new Uint8Array(readFileSync(join(log, path))) : null),
  });
  return { folder, out: at('out'), log, args, monitor, vkey: value.publicKey as string };
}

test('whenever a publisher is killed, the log goes on, and a monitor sees no fork', async () => {
  const { out, log, args, monitor, vkey } = await logFolder();
  expect((await runProcess(args('a.txt', 'first.example'))).code).toBe(0);
  let killed = 0;
  for (let changes = 1; changes <= 24; changes++) {
    const { code } = await runProcess(args('a.txt', `h${changes}.example`), {
      onStart: (child) => {
        let seen = 0;
        const count = (): void => {
          if (++seen === changes) child.kill('SIGKILL');
        };
        const folders = [out, log, join(log, 'tile/entries/000.p'), join(log, 'tile/0/000.p')];
        const watchers = folders.map((folder) => watch(folder, count));
        child.once('close', () => {
          for (const watcher of watchers) watcher.close();
        });
      },
    });
    if (code === null) killed++;
    else expect(code).toBe(0);
    await monitor.read();
    const version: unknown = JSON.parse(readFileSync(join(out, 'version.json'), 'utf8'));
    expect(monitor.indexOf(version)).toBeGreaterThanOrEqual(0);
  }
  expect(killed).toBeGreaterThan(8);
  expect((await runProcess(args('a.txt', 'last.example'))).code).toBe(0);
  const { size } = await monitor.read();
  const version: unknown = JSON.parse(readFileSync(join(out, 'version.json'), 'utf8'));
  expect(monitor.indexOf(version)).toBe(size - 1);
  await monitor.verifyProof(readFileSync(join(out, 'version.proof'), 'utf8'), version);
  expect(secondReading(log, out, vkey)).toMatchObject({ size, index: size - 1 });
}, 240_000);

test('publishers at once wait for each other: each version is logged once, in the order of its sequence', async () => {
  const { out, log, args, monitor, vkey } = await logFolder();
  const names = ['a', 'b', 'c', 'd', 'e'];
  const ran = await Promise.all(names.map((name) => runProcess(args(`${name}.txt`, `${name}.example`))));
  expect(ran.map(({ code }) => code)).toEqual(names.map(() => 0));
  const { size, versions } = await monitor.read();
  expect(size).toBe(names.length);
  const sequences = versions.map(({ sequence }) => sequence!);
  expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
  expect(monitor.indexOf(JSON.parse(readFileSync(join(out, 'version.json'), 'utf8')))).toBe(size - 1);
  expect(secondReading(log, out, vkey)).toMatchObject({ size });
}, 120_000);

/** What the Python script says, which uses nothing of the package. */
function secondReading(log: string, out: string, vkey: string): object {
  return JSON.parse(execFileSync('python3', ['test/support/log/verify_log.py', log, out, vkey], { encoding: 'utf8' })) as object;
}
