import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { startProcess } from './harness.js';

async function write(stdin: Writable, piece: Buffer): Promise<void> {
  if (!stdin.write(piece)) await once(stdin, 'drain');
}

test('screens two hundred megabytes in little memory', async () => {
  const { process: child, ended } = startProcess(['screen', '--local', '--only', 'blocked', '-']);
  // A few long lines are enough, because the number of bytes matters.
  const megabyte = Buffer.from(`https://example.com/${'a'.repeat(1_000)}\n`.repeat(1_000));
  let maxKilobytes = 0;
  for (let written = 0; written < 200; written++) {
    await write(child.stdin!, megabyte);
    const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
    maxKilobytes = Math.max(maxKilobytes, Number(kilobytes));
  }
  child.stdin!.end();
  expect(await ended).toBe(0);
  expect(maxKilobytes).toBeLessThan(350_000);
});

test('an endless line does not fill memory', async () => {
  const { process: child, ended, stdout } = startProcess(['screen', '--local', '-']);
  const piece = Buffer.alloc(1_000_000, 'a');
  for (let written = 0; written < 50; written++) await write(child.stdin!, piece);
  child.stdin!.end('\nexample.com\n');
  expect(await ended).toBe(7);
  const answers = stdout().trim().split('\n');
  expect(answers.map((line) => JSON.parse(line))).toMatchObject([
    { line: 1, error: 'too-long' },
    { line: 2, status: 'clear' },
  ]);
});
