import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run, runJson, temporaryFolder } from './harness.js';

test('parse finds what is in a text, with its places', async () => {
  const { code, value } = await runJson(['parse', 'see hxxps://evil[.]example/a or a@b.example']);
  expect(code).toBe(0);
  expect(value).toEqual({
    length: 43,
    found: [
      {
        start: 4,
        end: 27,
        text: 'hxxps://evil[.]example/a',
        assets: expect.arrayContaining([{ type: 'PAGE', canonical: 'evil.example/a' }]),
      },
      { start: 31, end: 42, text: 'a@b.example', assets: [{ type: 'EMAIL', canonical: 'a@b.example' }] },
    ].map((piece) => ({ ...piece, start: expect.any(Number), end: expect.any(Number), assets: expect.any(Array) })),
  });
  const text = 'see hxxps://evil[.]example/a or a@b.example';
  for (const { start, end, text: piece } of value.found) expect(text.slice(start, end)).toBe(piece);
});

test('parse reads a file and standard input', async () => {
  const file = join(temporaryFolder(), 'mail.txt');
  writeFileSync(file, 'go to evil.example now\n');
  expect((await run(['parse', '--file', file])).stdout).toContain('evil.example');
  expect((await run(['parse', '-'], { input: 'go to evil.example' })).stdout).toContain('URL');
  expect((await run(['parse', 'nothing here'])).stdout).toBe('');
});

test.each([
  [['parse'], '', 3, 'nothing to read'],
  [['parse', '-', 'x'], 'text', 3, 'not from two'],
  [['parse', '-'], 'x'.repeat(4_194_305), 3, 'LIMIT_EXCEEDED'],
  [['parse', '-'], 'x'.repeat(13_000_000), 3, 'larger than'],
  [['parse', '-'], Uint8Array.of(0xff, 0xfe, 0), 3, 'no UTF-8'],
  [['parse', '--file', '/nowhere/mail.txt'], '', 4, 'no such file'],
  [['parse', '--max', '1', 'a.example b.example'], '', 3, 'LIMIT_EXCEEDED'],
])('%j is refused', async (args, input, exitCode, words) => {
  const { code, stdout, stderr } = await run(args, { input });
  expect(stderr).toContain(words);
  expect([code, stdout]).toEqual([exitCode, '']);
});

test('a secret is not found, and not repeated', async () => {
  const { stdout, stderr } = await run(['parse', `my key is ${'ab'.repeat(32)}`]);
  expect(stdout + stderr).not.toContain('abab');
});
