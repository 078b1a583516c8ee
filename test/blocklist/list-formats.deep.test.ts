import { createServer } from 'node:http';
import { textSource } from 'portcullis/sources';
import { expect, test } from 'vitest';
import { allFormats } from '../../src/blocklist/lists/formats.js';
import { readList } from '../../src/blocklist/lists/read-list.js';
import { originOf } from '../support/listen.js';

test('assets JSON keeps only the known fields of an item in memory', async () => {
  const field = `"${'x'.repeat(60_000)}"`;
  const items = function* (): Generator<string> {
    yield '[{"content":"a.example"';
    for (let at = 0; at < 3_000; at++) yield `,"field ${at}":${field}`;
    yield '}]';
  };
  const before = process.memoryUsage().heapUsed;
  let most = 0;
  const reading = readList(
    { format: 'json', data: items() },
    () => {
      most = process.memoryUsage().heapUsed - before;
    },
    { formats: allFormats },
  );
  await reading;
  // All fields together are 180 MB.
  expect(most).toBeLessThan(120_000_000);
  expect(most).not.toBe(0);
});

test('a list at a URL is read as it arrives, without holding it', async () => {
  const line = `||host.example^\n${`! ${'x'.repeat(1_000)}\n`.repeat(63)}`;
  const megabytes = 300;
  const server = createServer(({ method }, response) => {
    response.setHeader('etag', '"1"');
    if (method === 'HEAD') return void response.end();
    let sent = 0;
    const more = (): void => {
      for (; sent < megabytes * 16; sent++) {
        if (!response.write(line.replace('host', `n${sent}`))) {
          sent++;
          response.once('drain', more);
          return;
        }
      }
      response.end();
    };
    more();
  });
  const url = await originOf(server);
  let most = 0;
  const memory = (): number => {
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const before = memory();
  const source = textSource({ id: 'large', url, format: 'auto', maxBytes: 2 ** 30 });
  const onProgress = (): void => {
    most = Math.max(most, memory() - before);
  };
  const { entries } = await source.artifact('snapshot', await source.version({}), { onProgress });
  expect(entries.size).toBe(megabytes * 16);
  expect(most).toBeLessThan(150_000_000);
}, 120_000);
