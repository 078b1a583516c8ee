import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProcess } from './harness.js';
import { temporaryFolder } from './in-process.js';

test('workers read NDJSON too, if the first line with a text begins with {', async () => {
  const list = join(temporaryFolder(), 'list.txt');
  writeFileSync(list, 'evil.example\n');
  const input = `\n\n{"content":"evil.example"}\n"good.example"\n`;
  const args = ['screen', '-', '--list', list, '--quiet'];
  const threaded = await runProcess([...args, '--workers', '1'], { input });
  expect(threaded).toEqual(await runProcess(args, { input }));
  expect(threaded.stdout).toMatch(/"line":3,.*"blocked".*\n.*"line":4,.*"clear"/);
});
