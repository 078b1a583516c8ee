import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exitCodes } from '../../../apps/cli/errors/exit-codes.js';
import { runProcess } from './harness.js';
import { temporaryFolder } from './in-process.js';

/** Three blocks: lines that are long, so that few are checked. */
function filesOf(): { links: string; list: string; folder: string } {
  const folder = temporaryFolder();
  const [links, list] = [join(folder, 'links.txt'), join(folder, 'list.txt')];
  const special = ['evil.example', '', 'not an asset', 'ab'.repeat(32), '"quoted"\u0085', '192.168.1.1'];
  const lines = Array.from({ length: 3_200 }, (_, at) => special[at % 400] ?? `https://host-${at}.example/${'a'.repeat(1_000)}`);
  writeFileSync(links, Buffer.concat([Buffer.from(`${lines.join('\n')}\n`), Uint8Array.of(0xff, 10, 0x61)]));
  writeFileSync(list, 'evil.example\n');
  return { links, list, folder };
}

test('with --workers the output and the exit code are the same', async () => {
  const { links, list } = filesOf();
  for (const extra of [[], ['--only', 'blocked,unknown', '--fail-on-block', '--skip', '399', '--summary']]) {
    const args = ['screen', links, '--list', list, '--quiet', ...extra];
    const [alone, threaded] = await Promise.all([runProcess(args), runProcess([...args, '--workers', '2'])]);
    expect(threaded).toEqual(alone);
    expect(alone.code).toBe(extra.length === 0 ? exitCodes.partial : exitCodes.blocked);
    expect(alone.stdout.split('\n').length).toBeGreaterThan(8);
  }
});

test('a worker that ends early fails the command after every finished block, and --skip continues it', async () => {
  const { links, list, folder } = filesOf();
  const preload = join(folder, 'preload.cjs');
  writeFileSync(
    preload,
    `const { isMainThread, parentPort } = require('node:worker_threads');
    if (!isMainThread) {
      const post = parentPort.postMessage.bind(parentPort);
      let answers = 0;
      parentPort.postMessage = (...message) => (++answers === 2 ? process.exit(9) : post(...message));
    }`,
  );
  const args = ['screen', links, '--list', list, '--quiet'];
  const failed = await runProcess([...args, '--workers', '1'], { env: { NODE_OPTIONS: `--require ${preload}` } });
  expect(failed.code).toBe(exitCodes.unexpected);
  expect(failed.stderr).toMatch(/a worker ended: exit code 9[\s\S]*--skip \d+/);
  const [, skipped = ''] = /--skip (\d+)/.exec(failed.stderr) ?? [];
  expect(Number(skipped)).toBeGreaterThan(500);
  const rest = await runProcess([...args, '--skip', skipped]);
  expect(failed.stdout + rest.stdout).toBe((await runProcess(args)).stdout);
});
