import type { ChildProcess } from 'node:child_process';
import { readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProcess } from './harness.js';
import { publishFolder, verdictsIn } from './published.js';

/** Ends a process after a number of changes in the folder. */
function killAfter(changes: number, signal: 'SIGKILL' | 'SIGINT', out: string) {
  return (child: ChildProcess): void => {
    let seen = 0;
    const count = (): void => {
      if (++seen === changes) child.kill(signal);
    };
    const watchers = [watch(out, count), watch(join(out, 'confirm'), count)];
    child.once('close', () => {
      for (const watcher of watchers) watcher.close();
    });
  };
}

test('whenever publish is killed, readers see the old list or the new one', async () => {
  const { out, file } = publishFolder();
  const both = Array.from({ length: 200 }, (_, at) => `both${at}.example`);
  const [old, young] = ['old', 'young'].map((name) => Array.from({ length: 200 }, (_, at) => `${name}${at}.example`));
  const texts = [old!, young!].map((more) => [...both, ...more].join('\n'));
  await runProcess(['publish', file('a.txt', texts[0]!), '--out', out, '--shards', '4096']);
  let ended = 0;
  for (const [attempt, changes] of [1, 40, 200, 500, 900, 1_300, 1_600].entries()) {
    const list = file('a.txt', texts[(attempt + 1) % 2]!);
    const onStart = killAfter(changes, attempt % 2 === 0 ? 'SIGKILL' : 'SIGINT', out);
    const { code } = await runProcess(['publish', list, '--out', out, '--shards', '4096', '--new-snapshot'], { onStart });
    if (code !== 0) ended++;
    expect([0, 130, null]).toContain(code);
    const verdicts = await verdictsIn(out, [...both, 'none.example']);
    expect(verdicts.slice(0, both.length).every((status) => status === 'blocked')).toBe(true);
    expect(verdicts.at(-1)).toBe('clear');
    // Readers never see a mixture of both lists.
    expect(JSON.parse(readFileSync(join(out, 'version.json'), 'utf8')).snapshot.count).toBe(400);
  }
  expect(ended).toBeGreaterThan(2);
  expect((await runProcess(['publish', file('a.txt', texts[0]!), '--out', out, '--shards', '4096', '--new-snapshot'])).code).toBe(
    0,
  );
  expect(new Set(await verdictsIn(out, [...both, ...old!]))).toEqual(new Set(['blocked']));
});
