import { createLogMonitor, logList } from 'portcullis/publish';
import { expect, test } from 'vitest';
import { consistencyProof } from '../../../src/core/tlog/merkle.js';
import { tileNodes } from '../../../src/core/tlog/tiles.js';
import { memoryLog, publisher, witnesses } from './log-harness.js';
import { filesOf, leafOf, rootOf } from './log-reference.js';

const versions = 10_000;

test('what a log of 10,000 versions costs its host, its clients and its monitors', async () => {
  const own = await publisher();
  const list = await own.list(...Array.from({ length: 2_000 }, (_, at) => `h${at}.example`));
  const payload = own.payloadOf(list);
  // Written by the other implementation: appending them one by one takes minutes.
  const entries: Uint8Array[] = new Array(versions).fill(payload);
  const [name = '', id = ''] = own.vkey.split('+');
  const text = `${name}\n${versions}\n${rootOf(entries.map(leafOf)).toString('base64')}\n`;
  const signature = Buffer.concat([Buffer.from(id, 'hex'), await own.signer.sign(new Uint8Array(Buffer.from(text)))]);
  const files = new Map<string, Uint8Array>(filesOf(entries));
  files.set('checkpoint', new Uint8Array(Buffer.from(`${text}\n\u2014 ${name} ${signature.toString('base64')}\n`)));
  const log = memoryLog(files);
  const stored = [...files.values()].reduce((sum, { length }) => sum + length, 0);

  /** The way from the newest entry has a hash for each one among the binary digits of its index. */
  const hashesOf = (index: number): number => index.toString(2).replaceAll('0', '').length;
  const counts = Array.from({ length: versions }, (_, index) => hashesOf(index));
  const mean = counts.reduce((sum, count) => sum + count, 0) / versions;
  const proofOf = async (more: object): Promise<{ typical: number; atMost: number }> => {
    const logged = await logList(list, { signer: own.signer, storage: memoryLog(new Map(files)), ...more });
    const { length } = [...logged.files].find((file) => file.name === 'version.proof')!.bytes;
    // Base64 of 32 bytes, in a line.
    const rest = length - 45 * hashesOf(versions);
    return { typical: Math.round(rest + 45 * mean), atMost: rest + 45 * Math.max(...counts) };
  };
  const set = await witnesses(own.vkey, 5, 4);

  const read = { files: 0, bytes: 0 };
  const counted = async (path: string): Promise<Uint8Array | null> => {
    const bytes = await log.read(path);
    read.files += bytes === null ? 0 : 1;
    read.bytes += bytes?.length ?? 0;
    return bytes;
  };
  const fetched = async (work: () => Promise<unknown>) => {
    Object.assign(read, { files: 0, bytes: 0 });
    await work();
    return { ...read };
  };
  const grownFrom = (size: number) => fetched(() => consistencyProof(size, versions, tileNodes(versions, counted)));
  // Of the entries and of their hashes; those of the levels above are few.
  const shorterForms = (255 * 254 * (payload.length + 2 + 32)) / 2;
  const costs = {
    payload: payload.length,
    stored,
    files: files.size,
    /** On top, just before a tile is full. */
    shorterForms,
    proof: await proofOf({}),
    proofWithFiveWitnesses: await proofOf({ policy: set.policy }),
    grownByOne: await grownFrom(versions - 1),
    grownByAHundred: await grownFrom(versions - 100),
    grownFromTheFirst: await grownFrom(1),
    monitor: await fetched(() => createLogMonitor({ key: own.vkey, read: counted }).read()),
  };
  console.log(JSON.stringify(costs));
  // docs/same-list.md and decisions 0089 and 0090 have these figures, rounded.
  expect(costs.proof.typical).toBeLessThan(550);
  expect(costs.proof.atMost).toBeLessThan(850);
  expect(costs.proofWithFiveWitnesses.typical).toBeLessThan(1_150);
  expect(costs.proofWithFiveWitnesses.atMost).toBeLessThan(1_450);
  expect(costs.grownByOne.bytes).toBeLessThan(1_850);
  expect(costs.grownFromTheFirst.bytes).toBeLessThan(10_500);
  expect(costs.shorterForms).toBeLessThan(20_650_000);
  expect(costs.monitor.bytes).toBeLessThan(versions * (payload.length + 40));
  expect(costs.stored).toBeLessThan(versions * (payload.length + 40));
});
