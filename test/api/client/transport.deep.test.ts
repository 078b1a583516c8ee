import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Answer } from '../../support/scripted-server.js';
import { connect, type Entry, failed, found, platforms } from './client-harness.js';
import { maxAnswerBytes, testHangUps } from './hang-ups.js';

async function checkOf(entry: Entry, answer: Answer): Promise<unknown> {
  const { client } = await connect(entry, [answer], { timeoutMs: 60_000 });
  return client.assets.check({ content: 'scam.example' });
}

describe.each(platforms)('%s', (_, entry) => {
  testHangUps(entry);

  test('reads a response as large as the limit, and rejects one byte more', async () => {
    const head = '{"status":"BLOCKED","source":"global","sources":[],"message":"';
    const largest = Buffer.from(`${head}${'x'.repeat(maxAnswerBytes - head.length - 2)}"}`);
    expect(largest.length).toBe(maxAnswerBytes);
    expect(await checkOf(entry, { body: largest })).toMatchObject(found);
    const coded = { 'content-encoding': 'gzip' };
    const larger = gzipSync(Buffer.concat([largest, Buffer.from(' ')]), { level: 1 });
    await expect(checkOf(entry, { headers: coded, body: larger })).rejects.toEqual(failed('LIMIT_EXCEEDED'));
  });

  test.each([
    ['gzip', gzipSync],
    ['br', (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } })],
  ])('limits the decompressed size of %s', async (encoding, pack) => {
    const bomb = pack(Buffer.alloc(2 * maxAnswerBytes, 0x20));
    expect(bomb.length).toBeLessThan(100_000);
    await expect(checkOf(entry, { headers: { 'content-encoding': encoding }, body: bomb })).rejects.toEqual(
      failed('LIMIT_EXCEEDED'),
    );
  });
});
