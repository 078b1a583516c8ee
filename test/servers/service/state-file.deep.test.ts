import { once } from 'node:events';
import { createService } from 'portcullis/testing';
import { expect, test } from 'vitest';
import { killRepeatedly, newFile, startChild, stateFiles } from './state-file-harness.js';

stateFiles();

// Half a megabyte of state makes most kills hit a write.
test.each([0, 500_000])('loses nothing it acknowledged when it is killed at any time, with %i bytes of state', async (bytes) => {
  const acknowledged = await Promise.all([killRepeatedly(16, bytes), killRepeatedly(16, bytes)]);
  // The test itself makes 16 of the writes.
  for (const one of acknowledged) expect(one.length).toBeGreaterThan(24);
});

test('a killed process leaves a lock that the next process takes over', async () => {
  const file = newFile();
  const child = await startChild(file);
  await once(child.stdout!, 'data');
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
  const service = createService({ state: { file } });
  await service.ready;
  await service.close();
});
