import { createLogMonitor, logList } from 'portcullis/publish';
import { expect, test } from 'vitest';
import { consistencyProof } from '../../../src/core/tlog/merkle.js';
import { tileNodes } from '../../../src/core/tlog/tiles.js';
import { memoryLog, publisher, witnesses } from './log-harness.js';

const versions = 10_000;

test('what a log of 10,000 versions costs its host, its clients and its monitors', async () => {
  const own = await publisher();
  const log = memoryLog();
  const list = await own.list(...Array.from({ length: 2_000 }, (_, at) => `h${at}.example`));
  const payload = own.payloadOf(list);
  let mostBytes = 0;
  const stored = (): number => [...log.files.values()].reduce((sum, { length }) => sum + length, 0);
  const proofSizes: number[] = [];
  for (let size = 1; size <= versions; size++) {
    const logged = await logList(list, { signer: own.signer, storage: log });
    if (size % 256 === 255) mostBytes = Math.max(mostBytes, stored());
    if (size > versions - 100) proofSizes.push([...logged.files].find(({ name }) => name === 'version.proof')!.bytes.length);
  }
  const set = await witnesses(own.vkey, 5, 4);
  const withWitnesses = await logList(list, { signer: own.signer, storage: log, policy: set.policy });
  const cosigned = [...withWitnesses.files].find(({ name }) => name === 'version.proof')!.bytes.length;

  const read = { files: 0, bytes: 0 };
  const counted = async (path: string): Promise<Uint8Array | null> => {
    const bytes = await log.read(path);
    if (bytes === null) return null;
    read.files++;
    read.bytes += bytes.length;
    return bytes;
  };
  const fetched = async (work: () => Promise<unknown>) => {
    Object.assign(read, { files: 0, bytes: 0 });
    await work();
    return { ...read };
  };
  const now = versions + 1;
  const costs = {
    payload: payload.length,
    stored: stored(),
    files: log.files.size,
    mostBytes,
    proof: Math.max(...proofSizes),
    proofWithFiveWitnesses: cosigned,
    fromTheVersionBefore: await fetched(() => consistencyProof(now - 1, now, tileNodes(now, counted))),
    fromAHundredBefore: await fetched(() => consistencyProof(now - 100, now, tileNodes(now, counted))),
    fromTheFirst: await fetched(() => consistencyProof(1, now, tileNodes(now, counted))),
    monitor: await fetched(() => createLogMonitor({ key: own.vkey, read: counted }).read()),
  };
  console.log(JSON.stringify(costs, null, 2));
  // docs/security.md and decision 0090 have these figures, rounded.
  expect(costs.proof).toBeLessThan(1_000);
  expect(costs.proofWithFiveWitnesses).toBeLessThan(1_600);
  expect(costs.fromAHundredBefore.bytes).toBeLessThan(12_000);
  expect(costs.monitor.bytes).toBeLessThan(versions * (payload.length + 40));
}, 300_000);
