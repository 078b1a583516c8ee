import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { logList } from 'portcullis/publish';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../apps/cli/in-process.js';
import { memoryLog, publisher, witnesses } from './log-harness.js';

const hasPython = spawnSync('python3', ['--version']).status === 0;

test.runIf(hasPython)(
  'a Python program that follows the specifications accepts the log and the proof, and no changed file',
  async () => {
    const own = await publisher();
    const log = memoryLog();
    const set = await witnesses(own.vkey, 2, 2);
    const first = await own.list();
    for (let size = 1; size < 300; size++) await logList(first, { signer: own.signer, storage: log });
    const list = await logList(await own.list('last.example'), { signer: own.signer, storage: log, policy: set.policy });
    const folder = temporaryFolder();
    const write = (name: string, bytes: Uint8Array): void => {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), bytes);
    };
    for (const [path, bytes] of log.files) write(`log/${path}`, bytes);
    for (const { name, bytes } of list.files) write(name, bytes);
    const args = ['test/support/log/verify_log.py', join(folder, 'log'), folder, own.vkey, ...set.vkeys];
    const said = JSON.parse(execFileSync('python3', args, { encoding: 'utf8' })) as object;
    expect(said).toMatchObject({ size: 300, index: 299, proofSize: 300, cosigned: ['w0.example', 'w1.example'] });
    for (const path of ['tile/entries/000', 'tile/entries/001.p/44', 'tile/0/000', 'tile/0/001.p/44', 'tile/1/000.p/1']) {
      const bytes = log.files.get(path)!.slice();
      bytes[bytes.length - 1]! ^= 1;
      write(`log/${path}`, bytes);
      expect([path, spawnSync('python3', args).status]).toEqual([path, 1]);
      write(`log/${path}`, log.files.get(path)!);
    }
  },
  60_000,
);
