import { createLogMonitor, type LogMonitorOptions, logList, versionFindings } from 'portcullis/publish';
import { expect, test, vi } from 'vitest';
import { type MemoryLog, memoryLog, type Publisher, publisher, witnesses } from './log-harness.js';

const hosts = (count: number): string[] => Array.from({ length: count }, (_, at) => `h${at}.example`);

/** A monitor of whatever is in `shown.log` at the time. */
function monitorOf(own: Publisher, shown: { log: MemoryLog }, more: Partial<LogMonitorOptions> = {}) {
  return createLogMonitor({ key: own.vkey, read: (path) => shown.log.read(path), ...more });
}

async function published(own: Publisher, log: MemoryLog, counts: readonly number[], more: object = {}): Promise<string[]> {
  const proofs: string[] = [];
  for (const count of counts) {
    const logged = await logList(await own.list(...hosts(count)), { signer: own.signer, storage: log, ...more });
    proofs.push(Buffer.from([...logged.files].find(({ name }) => name === 'version.proof')!.bytes).toString());
  }
  return proofs;
}

test('reads every version with its counts, and then only what was appended', async () => {
  const own = await publisher();
  const shown = { log: memoryLog() };
  await published(own, shown.log, [1, 5, 3]);
  const monitor = monitorOf(own, shown);
  const first = await monitor.read();
  expect(first.size).toBe(3);
  expect(first.versions.map(({ index, count, listName }) => [index, count, listName])).toEqual([
    [0, 1, 'scam'],
    [1, 5, 'scam'],
    [2, 3, 'scam'],
  ]);
  const list = await own.list('next.example');
  expect(monitor.indexOf(list.version)).toBe(-1);
  const logged = await logList(list, { signer: own.signer, storage: shown.log });
  const second = await monitor.read();
  expect(second.versions.map(({ index }) => index)).toEqual([3]);
  expect((await monitor.read()).versions).toEqual([]);
  expect(monitor.indexOf(logged.version)).toBe(3);
});

test.each([
  ['a fork', (_: MemoryLog, other: MemoryLog) => other],
  ['a fork that is longer', (_: MemoryLog, __: MemoryLog, longer: MemoryLog) => longer],
  ['a fork that is shorter', (_: MemoryLog, __: MemoryLog, ___: MemoryLog, shorter: MemoryLog) => shorter],
])('sees %s, with both checkpoints', async (_, attack) => {
  const own = await publisher();
  const log = memoryLog();
  await published(own, log, [1, 2]);
  await published(own, log, [3]);
  const other = memoryLog();
  await published(own, other, [1, 2]);
  const shorter = memoryLog(new Map(other.files));
  await published(own, other, [4]);
  const longer = memoryLog(new Map(other.files));
  await published(own, longer, [5, 6]);
  const shown = { log };
  const monitor = monitorOf(own, shown);
  const { note } = await monitor.read();
  shown.log = attack(log, other, longer, shorter);
  const seen = Buffer.from(shown.log.files.get('checkpoint')!).toString();
  await expect(monitor.read()).rejects.toMatchObject({ code: 'LOG_FORKED', checkpoints: [note, seen] });
  // It keeps to what it has seen.
  shown.log = log;
  expect((await monitor.read()).versions).toEqual([]);
});

test('an old checkpoint again is no fork, and is seen; so is a damaged file of what was read before', async () => {
  const own = await publisher();
  const log = memoryLog();
  await published(own, log, [1, 2]);
  const older = memoryLog(new Map(log.files));
  await published(own, log, [3]);
  const shown = { log };
  const monitor = monitorOf(own, shown);
  await monitor.read();
  shown.log = older;
  await expect(monitor.read()).rejects.toMatchObject({ code: 'OLDER_LIST' });
  await published(own, log, [4]);
  const path = 'tile/entries/000.p/4';
  for (const at of [5, log.files.get(path)!.length - 2]) {
    const changed = log.files.get(path)!.slice();
    changed[at]! ^= 1;
    shown.log = memoryLog(new Map(log.files).set(path, changed));
    await expect(monitor.read(), String(at)).rejects.toMatchObject({ code: 'LOG_PROOF_INVALID' });
  }
  shown.log = log;
  expect((await monitor.read()).versions.map(({ index }) => index)).toEqual([3]);
});

test('sees every byte that is changed in a checkpoint, a tile or a bundle', async () => {
  const own = await publisher();
  const log = memoryLog();
  await published(own, log, [1, 2, 3]);
  for (const path of ['checkpoint', 'tile/0/000.p/3', 'tile/entries/000.p/3']) {
    const bytes = log.files.get(path)!;
    for (const at of [0, Math.floor(bytes.length / 2), bytes.length - 2]) {
      const changed = bytes.slice();
      changed[at]! ^= 1;
      const files = new Map(log.files).set(path, changed);
      await expect(monitorOf(own, { log: memoryLog(files) }).read(), `${path} ${at}`).rejects.toMatchObject({
        code: 'LOG_PROOF_INVALID',
      });
    }
    const without = memoryLog(new Map(log.files));
    without.files.delete(path);
    await expect(monitorOf(own, { log: without }).read()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  }
});

test('sees a version that is not in the log, and a proof of another one', async () => {
  const own = await publisher();
  const shown = { log: memoryLog() };
  const lists = await Promise.all([own.list('a.example'), own.list('b.example')]);
  const proofs: string[] = [];
  for (const list of lists) {
    const logged = await logList(list, { signer: own.signer, storage: shown.log });
    proofs.push(Buffer.from([...logged.files].find(({ name }) => name === 'version.proof')!.bytes).toString());
  }
  const monitor = monitorOf(own, shown);
  await monitor.read();
  for (const [at, { version }] of lists.entries()) await monitor.verifyProof(proofs[at]!, version);
  const hidden = await own.list('for-one-reader.example');
  expect(monitor.indexOf(hidden.version)).toBe(-1);
  await expect(monitor.verifyProof(proofs[1]!, hidden.version)).rejects.toMatchObject({ code: 'LOG_PROOF_INVALID' });
  // The proof of a later version is uploaded first; that of an earlier one is no proof.
  await monitor.verifyProof(proofs[1]!, lists[0]!.version);
  await expect(monitor.verifyProof(proofs[0]!, lists[1]!.version)).rejects.toMatchObject({ code: 'LOG_PROOF_INVALID' });
  const wrong = proofs[1]!.replace('index 1', 'index 0');
  await expect(monitor.verifyProof(wrong, lists[0]!.version)).rejects.toMatchObject({
    code: 'LOG_PROOF_INVALID',
    checkpoints: [proofs[1]!.slice(proofs[1]!.indexOf('\n\n') + 2)],
  });
  // Signed by the log, for one reader only.
  const secret = memoryLog();
  const logged = await logList(hidden, { signer: own.signer, storage: secret });
  const proof = Buffer.from([...logged.files].find(({ name }) => name === 'version.proof')!.bytes).toString();
  await expect(monitor.verifyProof(proof, hidden.version)).rejects.toMatchObject({ code: 'LOG_FORKED' });
});

test('versions in another order are seen, and a list whose size jumps or whose name changes', async () => {
  const version = (index: number, sequence: number, count: number, listName = 'scam') => ({ index, sequence, count, listName });
  const findings = (before: [number, number, string?], after: [number, number, string?]) =>
    versionFindings(version(1, ...after), version(0, ...before));
  expect(findings([5, 10], [6, 11])).toEqual([]);
  expect(findings([5, 10], [5, 10])).toEqual(['older-sequence']);
  expect(findings([5, 10], [6, 10, 'other'])).toEqual(['other-name']);
  expect(findings([5, 101], [6, 51])).toEqual([]);
  expect(findings([5, 101], [6, 50])).toEqual(['shrunk']);
  expect(findings([5, 100], [6, 0])).toEqual([]);
  expect(findings([5, 101], [6, 203])).toEqual(['grown']);
  expect(findings([5, 100], [6, 1_000])).toEqual([]);
  expect(findings([5, 0], [6, 1_001])).toEqual(['grown']);
  // Entries that a publisher calls covers.
  const covered = (index: number, snapshotCount: number) => ({ ...version(index, index, 100), snapshotCount });
  expect(versionFindings(covered(1, 100_000), covered(0, 130))).toEqual(['grown']);
  expect(versionFindings(covered(1, 130), covered(0, 100_000))).toEqual(['shrunk']);
  expect(versionFindings(covered(1, 130), covered(0, 125))).toEqual([]);
  // A new snapshot takes over what was recent.
  const before = { ...covered(0, 300), recentCount: 543 };
  expect(versionFindings({ ...covered(1, 919), recentCount: 0 }, before)).toEqual([]);
  expect(versionFindings({ index: 0 }, undefined)).toEqual(['not-a-version']);
  expect(versionFindings(version(1, 6, 1), { index: 0 })).toEqual([]);
});

test('compares with witnesses: a fork that was shown to others, a longer log, and one that is silent', async () => {
  const own = await publisher();
  const log = memoryLog();
  const set = await witnesses(own.vkey, 3, 2);
  const [proof] = (await published(own, log, [1, 2], { policy: set.policy })).slice(-1);
  const shown = { log };
  const monitor = monitorOf(own, shown, { policy: set.policy, timeoutMs: 2_000 });
  const { cosigned } = await monitor.read();
  expect([...cosigned.keys()]).toEqual(['w0', 'w1', 'w2']);
  expect(Date.now() - cosigned.get('w0')!).toBeLessThan(60_000);
  expect(await monitor.askWitnesses()).toEqual(['w0', 'w1', 'w2'].map((name) => ({ name, size: 2 })));
  set.close('w2');
  expect((await monitor.askWitnesses()).at(-1)).toEqual({ name: 'w2', problem: expect.stringMatching(/./) });
  const list = await own.list(...hosts(2));
  await expect(monitor.verifyProof(proof!, list.version)).rejects.toMatchObject({ code: 'LOG_PROOF_INVALID' });

  // Another history of the same length, shown to this monitor only.
  const fork = memoryLog();
  await published(own, fork, [1, 9]);
  const lied = monitorOf(own, { log: fork }, { policy: set.policy, timeoutMs: 2_000 });
  await lied.read();
  await expect(lied.askWitnesses()).rejects.toMatchObject({
    code: 'LOG_FORKED',
    checkpoints: [expect.any(String), expect.any(String)],
  });
  const logged = await logList(await own.list(), { signer: own.signer, storage: fork });
  const uncosigned = Buffer.from([...logged.files].find(({ name }) => name === 'version.proof')!.bytes).toString();
  await lied.read();
  await expect(lied.verifyProof(uncosigned, logged.version)).rejects.toMatchObject({ code: 'LOG_NOT_WITNESSED' });

  // The log of yesterday, while the witnesses have that of today.
  const old = memoryLog(new Map(log.files));
  await published(own, log, [3], { policy: set.policy, timeoutMs: 2_000 });
  const view = { log: old };
  const late = monitorOf(own, view, { policy: set.policy, timeoutMs: 2_000 });
  await late.read();
  const views = await late.askWitnesses();
  expect(views.slice(0, 2)).toEqual(['w0', 'w1'].map((name) => ({ name, size: 3, isAhead: true })));
  // The upload ended after the log was read.
  view.log = log;
  expect((await late.askWitnesses())[0]).toEqual({ name: 'w0', size: 3 });
  expect(late.takeReading()).toMatchObject({ size: 3, versions: [{ index: 2 }] });
  expect([late.takeReading(), (await late.read()).versions]).toEqual([null, []]);
});

test('a version that comes while the proof is verified is handed out once, and in order', async () => {
  const own = await publisher();
  const log = memoryLog();
  await published(own, log, [1]);
  const list = await own.list(...hosts(2));
  await logList(list, { signer: own.signer, storage: log });
  const old = memoryLog(new Map(log.files));
  const [proof] = await published(own, log, [3]);
  const shown = { log: old };
  const monitor = monitorOf(own, shown);
  expect((await monitor.read()).versions.map(({ index }) => index)).toEqual([0, 1]);
  // An older log is shown than that of the proof.
  await expect(monitor.verifyProof(proof!, list.version)).rejects.toMatchObject({ code: 'OLDER_LIST' });
  expect(monitor.takeReading()).toBeNull();
  shown.log = log;
  await monitor.verifyProof(proof!, list.version);
  await published(own, log, [4]);
  expect((await monitor.read()).versions.map(({ index }) => index)).toEqual([2, 3]);
});

test('reads the full tile and bundle of a checkpoint whose partial ones were removed', async () => {
  const own = await publisher();
  const log = memoryLog();
  const list = await own.list();
  let cached: Uint8Array | undefined;
  for (let size = 1; size <= 256; size++) {
    await logList(list, { signer: own.signer, storage: log });
    if (size === 255) cached = log.files.get('checkpoint')!.slice();
  }
  const old = memoryLog(new Map(log.files).set('checkpoint', cached!));
  const shown = { log: old };
  const monitor = monitorOf(own, shown);
  expect((await monitor.read()).size).toBe(255);
  shown.log = log;
  expect((await monitor.read()).versions.map(({ index }) => index)).toEqual([255]);
});

test('a fork whose tiles are withheld leaves both signed checkpoints', async () => {
  const own = await publisher();
  const log = memoryLog();
  await published(own, log, [1, 2]);
  const other = memoryLog();
  await published(own, other, [1, 3, 4]);
  const shown = { log };
  const monitor = monitorOf(own, shown);
  const { note } = await monitor.read();
  const forked = Buffer.from(other.files.get('checkpoint')!).toString();
  for (const withheld of [/^tile\/0\//, /^tile\/entries/]) {
    const paths = [...other.files].filter(([path]) => !withheld.test(path));
    shown.log = memoryLog(new Map(paths));
    await expect(monitor.read()).rejects.toMatchObject({
      code: withheld.source.includes('entries') ? 'NOT_FOUND' : 'LOG_PROOF_INVALID',
      checkpoints: [note, forked],
    });
  }
});

test('a cosignature that clients refuse for its time does not count', async () => {
  const own = await publisher();
  const log = memoryLog();
  const set = await witnesses(own.vkey, 1, 1);
  const list = await own.list();
  const logged = await logList(list, { signer: own.signer, storage: log, policy: set.policy });
  const proof = Buffer.from([...logged.files].find(({ name }) => name === 'version.proof')!.bytes).toString();
  const monitor = monitorOf(own, { log }, { policy: set.policy });
  expect([...(await monitor.read()).cosigned.keys()]).toEqual(['w0']);
  await monitor.verifyProof(proof, list.version);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 7 * 86_400_000 + 60_000 });
  try {
    expect((await monitor.read()).cosigned.size).toBe(0);
    await expect(monitor.verifyProof(proof, list.version)).rejects.toMatchObject({ code: 'LOG_NOT_WITNESSED' });
  } finally {
    vi.useRealTimers();
  }
});

test('an entry that is no version is shown as such', async () => {
  const own = await publisher();
  const log = memoryLog();
  const list = await own.list();
  const other = { ...list.version, signed: { ...list.version.signed!, payload: Buffer.from('hello').toString('base64') } };
  await logList({ ...list, version: other }, { signer: own.signer, storage: log });
  expect((await monitorOf(own, { log }).read()).versions).toEqual([{ index: 0 }]);
});
