import fc from 'fast-check';
import { type BuiltList, type LoggedList, logList, readLogPolicy, refreshLog } from 'portcullis/publish';
import { expect, test } from 'vitest';
import { createWitness } from '../../../examples/witness/witness.js';
import { temporaryFolder } from '../../apps/cli/in-process.js';
import { originOf } from '../../support/listen.js';
import { serve } from '../../support/scripted-server.js';
import { Killed, type MemoryLog, memoryLog, type Publisher, publisher, witnesses } from './log-harness.js';
import { filesOf, keyOf, leafOf, openNote, pathOf, readProof, rootOf } from './log-reference.js';

const textOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();

const proofIn = (list: BuiltList): string => textOf([...list.files].find(({ name }) => name === 'version.proof')?.bytes);

/** Everything that a log of these entries must have, by another implementation. */
function requireLog(log: MemoryLog, entries: readonly Uint8Array[], { vkey }: Publisher): void {
  const { size, root, signedBy, origin } = openNote(textOf(log.files.get('checkpoint')), [keyOf(vkey)]);
  expect([origin, size, signedBy]).toEqual([keyOf(vkey).name, entries.length, [origin]]);
  expect(root.equals(rootOf(entries.map(leafOf)))).toBe(true);
  for (const [path, bytes] of filesOf(entries))
    expect([path, bytes.equals(log.files.get(path) ?? Buffer.alloc(0))]).toEqual([path, true]);
}

test('writes the tiles and bundles that another implementation computes, and proofs that it accepts', async () => {
  const own = await publisher();
  const log = memoryLog();
  const entries: Uint8Array[] = [];
  for (let size = 1; size <= 10; size++) {
    const list = await own.list(`h${size}.example`);
    const logged = await logList(list, { signer: own.signer, storage: log });
    entries.push(own.payloadOf(list));
    requireLog(log, entries, own);
    expect(logged.log).toEqual({ index: size - 1, size, cosigned: [], missing: [] });
    const names = [...logged.files].map(({ name }) => name);
    expect([names.slice(-2), logged.files.count]).toEqual([['version.proof', 'version.json'], names.length]);
    const proof = readProof(proofIn(logged));
    const leaves = entries.map(leafOf);
    expect(proof.index).toBe(size - 1);
    expect(proof.hashes.map(String)).toEqual(pathOf(size - 1, leaves).map(String));
    expect(proof.note).toBe(textOf(log.files.get('checkpoint')));
  }
});

test('passes the ends of tiles, and removes the shorter forms of a full one', async () => {
  const own = await publisher();
  const log = memoryLog();
  const list = await own.list();
  const payload = own.payloadOf(list);
  // The same version each time: what is logged does not matter here.
  for (let size = 1; size <= 514; size++) {
    await logList(list, { signer: own.signer, storage: log });
    if ([1, 255, 256, 257, 511, 512, 513].includes(size)) requireLog(log, new Array(size).fill(payload), own);
  }
  const folders = new Set([...log.files.keys()].map((path) => path.replace(/[^/]+$/, '')));
  expect([...folders].sort()).toEqual(
    ['', 'tile/0/', 'tile/0/002.p/', 'tile/1/000.p/', 'tile/entries/', 'tile/entries/002.p/'].sort(),
  );
});

test('a publisher that is killed at any change leaves a log that the next one continues', async () => {
  const own = await publisher();
  const lists = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => own.list(`${name}.example`)));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 5 }), async (kills) => {
      const log = memoryLog();
      let previousProof: string | undefined;
      let sizeBefore = 0;
      for (const [at, list] of lists.entries()) {
        let left = kills[at] ?? Number.POSITIVE_INFINITY;
        log.onChange = () => {
          if (--left === 0) throw new Killed();
        };
        const before = new Map(log.files);
        try {
          const logged = await logList(list, { signer: own.signer, storage: log, previousProof });
          previousProof = proofIn(logged);
        } catch (error) {
          expect(error).toBeInstanceOf(Killed);
        }
        for (const [path, bytes] of before) if (path !== 'checkpoint') expect(log.files.get(path)).toEqual(bytes);
        const { size } = log.files.has('checkpoint')
          ? openNote(textOf(log.files.get('checkpoint')), [keyOf(own.vkey)])
          : { size: 0 };
        expect(size).toBeGreaterThanOrEqual(sizeBefore);
        sizeBefore = size;
      }
      log.onChange = () => {};
      const last = await own.list('last.example');
      const { log: report } = await logList(last, { signer: own.signer, storage: log, previousProof });
      // Every version that was begun is there once, at most, and those that were published all are.
      const entries = entriesIn(log, report.size);
      requireLog(log, entries, own);
      const payloads = [...lists, last].map((list) => Buffer.from(own.payloadOf(list)).toString());
      const places = entries.map((entry) => payloads.indexOf(Buffer.from(entry).toString()));
      expect(places).toEqual([...places].sort((a, b) => a - b));
      expect(new Set(places).size).toBe(places.length);
      expect(places.at(-1)).toBe(lists.length);
    }),
    { numRuns: 40 },
  );
});

/** The entries of a log with less than 256, by another implementation. */
function entriesIn(log: MemoryLog, size: number): Uint8Array[] {
  const bundle = Buffer.from(log.files.get(`tile/entries/000.p/${size}`)!);
  const entries: Uint8Array[] = [];
  for (let at = 0; at < bundle.length; ) {
    const end = at + 2 + bundle.readUInt16BE(at);
    entries.push(new Uint8Array(bundle.subarray(at + 2, end)));
    at = end;
  }
  return entries;
}

test('of two publishers at once without a lock, at most one takes each place, and nothing is written twice', async () => {
  const own = await publisher();
  const lists = await Promise.all(Array.from({ length: 6 }, (_, at) => own.list(`h${at}.example`)));
  let conflicts = 0;
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.integer({ min: 0, max: 3 })), async (waits) => {
      const log = memoryLog();
      log.onChange = async () => {
        for (let ticks = waits.next().value as number; ticks > 0; ticks--) await new Promise(setImmediate);
      };
      const publish = async (some: readonly BuiltList[]): Promise<void> => {
        for (const list of some) {
          await logList(list, { signer: own.signer, storage: log }).catch((error: { code?: string }) => {
            expect(error.code).toBe('CONFLICT');
            conflicts++;
          });
        }
      };
      await Promise.all([publish(lists.slice(0, 3)), publish(lists.slice(3))]);
      log.onChange = () => {};
      const { log: report } = await logList(lists[0]!, { signer: own.signer, storage: log });
      requireLog(log, entriesIn(log, report.size), own);
    }),
    { numRuns: 30 },
  );
  expect(conflicts).toBeGreaterThan(0);
});

test('collects the cosignatures of the policy, and continues with one witness less', async () => {
  const own = await publisher();
  const log = memoryLog();
  const set = await witnesses(own.vkey, 3, 2);
  const keys = [own.vkey, ...set.vkeys].map(keyOf);
  const publish = async (): Promise<LoggedList> =>
    logList(await own.list(), { signer: own.signer, storage: log, policy: set.policy, timeoutMs: 2_000 });
  const first = await publish();
  expect(first.log).toEqual({ index: 0, size: 1, cosigned: ['w0', 'w1', 'w2'], missing: [] });
  expect(openNote(readProof(proofIn(first)).note, keys).signedBy).toHaveLength(4);
  expect(textOf(log.files.get('checkpoint'))).toBe(readProof(proofIn(first)).note);
  await publish();
  set.close('w1');
  const third = await publish();
  expect(third.log).toMatchObject({
    index: 2,
    cosigned: ['w0', 'w2'],
    missing: [{ name: 'w1', problem: expect.stringMatching(/./) }],
  });
  set.close('w2');
  const before = new Map(log.files);
  // Found before anything is signed.
  await expect(publish()).rejects.toMatchObject({
    code: 'LOG_NOT_WITNESSED',
    message: expect.stringMatching(/nothing was signed: 1 of 3.*w1: /),
  });
  expect(log.files).toEqual(before);
});

test('a witness that was away gets a proof from where it is', async () => {
  const own = await publisher();
  const log = memoryLog();
  const set = await witnesses(own.vkey, 2, 1);
  const [one, both] = ['w0', 'g'].map((quorum) =>
    readLogPolicy(
      quorum === 'w0'
        ? set.text.replace(/^witness w1.*\n|^group.*\n/gm, '').replace('quorum all-of-them', 'quorum w0')
        : set.text,
    ),
  ) as [typeof set.policy, typeof set.policy];
  for (let at = 0; at < 5; at++) await logList(await own.list(), { signer: own.signer, storage: log, policy: one });
  const { log: report } = await logList(await own.list(), { signer: own.signer, storage: log, policy: both });
  expect(report).toMatchObject({ index: 5, cosigned: ['w0', 'w1'] });
});

test('a log that was restored from a backup, or lost, signs nothing', async () => {
  const own = await publisher();
  const log = memoryLog();
  const set = await witnesses(own.vkey, 1, 1);
  const publish = async (storage: MemoryLog, previousProof?: string): Promise<LoggedList> =>
    logList(await own.list(), { signer: own.signer, storage, policy: set.policy, previousProof });
  await publish(log);
  const backup = memoryLog(new Map(log.files));
  const proof = proofIn(await publish(log));
  for (const storage of [backup, memoryLog()]) {
    const before = new Map(storage.files);
    await expect(publish(storage)).rejects.toMatchObject({
      code: 'LOG_FORKED',
      checkpoints: [expect.stringContaining(keyOf(own.vkey).name)],
    });
    expect(storage.files).toEqual(before);
    // Without witnesses, the proof that clients have tells it.
    const alone = { signer: own.signer, storage, previousProof: proof };
    await expect(logList(await own.list(), alone)).rejects.toMatchObject({ code: 'LOG_FORKED' });
    expect(storage.files).toEqual(before);
  }
  // Another history of the same length.
  const other = memoryLog();
  for (let at = 0; at < 2; at++) await logList(await own.list(), { signer: own.signer, storage: other });
  await expect(publish(other)).rejects.toMatchObject({ code: 'LOG_FORKED', message: expect.stringContaining('another tree') });
  await expect(logList(await own.list(), { signer: own.signer, storage: other, previousProof: proof })).rejects.toMatchObject({
    code: 'LOG_FORKED',
  });
});

test.each([
  ['before its checkpoint', 1],
  ['before it adds the cosignatures', 2],
])('a publisher that slept %s takes nothing back that another has published meanwhile', async (_, place) => {
  const own = await publisher();
  const log = memoryLog();
  const set = await witnesses(own.vkey, 3, 2);
  const options = { signer: own.signer, storage: log, policy: set.policy };
  const proof = proofIn(await logList(await own.list(), options));
  let wake = (): void => {};
  const asleep = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const isAsleep = new Promise<void>((resolve) => {
    let left = place;
    const read = log.read;
    // It reads the checkpoint once to open the log, and again before each time that it replaces it.
    log.read = async (path) => {
      const bytes = await read(path);
      if (path === 'checkpoint' && left-- === 0) {
        resolve();
        log.read = read;
        await asleep;
        return read(path);
      }
      return bytes;
    };
  });
  const slow = logList(await own.list('slow.example'), { ...options, previousProof: proof });
  await isAsleep;
  const fast = await logList(await own.list('fast.example'), { ...options, previousProof: proof });
  expect(fast.log).toMatchObject({ index: 2, cosigned: ['w0', 'w1', 'w2'] });
  wake();
  await expect(slow).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(textOf(log.files.get('checkpoint'))).toBe(readProof(proofIn(fast)).note);
  const next = await logList(await own.list('next.example'), { ...options, previousProof: proofIn(fast) });
  expect(next.log).toMatchObject({ index: 3, size: 4 });
});

test('goes on from the proof that clients have if the checkpoint is an older one, or missing', async () => {
  const own = await publisher();
  const log = memoryLog();
  const set = await witnesses(own.vkey, 1, 1);
  const options = { signer: own.signer, storage: log, policy: set.policy };
  const older: (Uint8Array | undefined)[] = [undefined];
  let previousProof = '';
  const entries: Uint8Array[] = [];
  for (let size = 1; size <= 3; size++) {
    const list = await own.list(`h${size}.example`);
    previousProof = proofIn(await logList(list, options));
    older.push(log.files.get('checkpoint'));
    entries.push(own.payloadOf(list));
  }
  for (const checkpoint of older.slice(0, 3)) {
    if (checkpoint === undefined) log.files.delete('checkpoint');
    else log.files.set('checkpoint', checkpoint);
    const list = await own.list(`n${entries.length}.example`);
    const logged = await logList(list, { ...options, previousProof });
    previousProof = proofIn(logged);
    entries.push(own.payloadOf(list));
    expect(logged.log.index).toBe(entries.length - 1);
    log.files.set('checkpoint', new Uint8Array(Buffer.from(readProof(previousProof).note)));
  }
  const { root } = openNote(readProof(previousProof).note, [own.vkey].map(keyOf));
  expect(root.equals(rootOf(entries.map(leafOf)))).toBe(true);
  // Nothing is left to go on from.
  const lost = { signer: own.signer, storage: memoryLog(), previousProof };
  await expect(logList(await own.list(), lost)).rejects.toMatchObject({
    code: 'LOG_FORKED',
    message: expect.stringMatching(/"checkpoint" is missing; copy the folder/),
  });
});

test('a cosignature with a time that clients refuse is none', async () => {
  const own = await publisher();
  const log = memoryLog();
  const day = 86_400_000;
  for (const [days, isCounted] of [
    [-8, false],
    [-6, true],
    [1, true],
    [3, false],
  ] as const) {
    const witness = createWitness(temporaryFolder(), 'w.example', [own.vkey], () => Date.now() + days * day);
    const url = await originOf(witness.server);
    const policy = readLogPolicy(`log ${own.vkey}\nwitness w ${witness.vkey} ${url}\nquorum w\n`);
    const attempt = logList(await own.list(), { signer: own.signer, storage: log, policy });
    if (isCounted) expect((await attempt).log.cosigned).toEqual(['w']);
    else
      await expect(attempt).rejects.toMatchObject({
        code: 'LOG_NOT_WITNESSED',
        message: expect.stringMatching(/w: its clock is wrong, or this one: it has signed at \d{4}-/),
      });
  }
});

test('refuses a damaged log, and what is not for it', async () => {
  const own = await publisher();
  const log = memoryLog();
  for (let at = 0; at < 3; at++) await logList(await own.list(), { signer: own.signer, storage: log });
  const list = await own.list();
  for (const path of ['checkpoint', 'tile/0/000.p/3', 'tile/entries/000.p/3']) {
    const files = new Map(log.files);
    const bytes = files.get(path)!.slice();
    bytes[bytes.length - 3]! ^= 1;
    for (const damaged of [bytes, bytes.slice(1), null]) {
      if (damaged === null) files.delete(path);
      else files.set(path, damaged);
      const attempt = logList(list, { signer: own.signer, storage: memoryLog(new Map(files)) });
      // Without its checkpoint, the entries are there to sign them again.
      if (path === 'checkpoint' && damaged === null) expect((await attempt).log).toMatchObject({ index: 3, size: 4 });
      else await expect(attempt, path).rejects.toMatchObject({ code: 'INVALID_ARTIFACT' });
    }
  }
  const full = memoryLog(new Map(log.files).set('tile/entries/000', new Uint8Array(9)));
  full.files.delete('checkpoint');
  await expect(logList(list, { signer: own.signer, storage: full })).rejects.toMatchObject({ code: 'INVALID_ARTIFACT' });
  const stranger = await publisher('other.example/list');
  await expect(logList(list, { signer: stranger.signer, storage: log })).rejects.toMatchObject({ code: 'INVALID_ARTIFACT' });
  const policy = readLogPolicy(`log ${stranger.vkey}\nquorum none\n`);
  await expect(logList(list, { signer: own.signer, storage: log, policy })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  const { signed: _, ...unsigned } = list.version;
  await expect(logList({ ...list, version: unsigned }, { signer: own.signer, storage: log })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  });
});

test('fresh cosignatures need no new version and no private key', async () => {
  const own = await publisher();
  const log = memoryLog();
  const set = await witnesses(own.vkey, 2, 2);
  const options = { signer: own.signer, storage: log, policy: set.policy };
  const first = await logList(await own.list(), options);
  await logList(await own.list(), options);
  const { proof, log: report } = await refreshLog(first.version, { key: own.vkey, storage: log, policy: set.policy });
  expect(report).toEqual({ index: 0, size: 2, cosigned: ['w0', 'w1'], missing: [] });
  const { index, note } = readProof(textOf(proof));
  expect(index).toBe(0);
  expect(openNote(note, [own.vkey, ...set.vkeys].map(keyOf))).toMatchObject({
    size: 2,
    signedBy: [expect.any(String), 'w0.example', 'w1.example'],
  });
  const stranger = await own.list('stranger.example');
  await expect(refreshLog(stranger.version, { key: own.vkey, storage: log, policy: set.policy })).rejects.toMatchObject({
    code: 'LOG_PROOF_INVALID',
  });
});

test.each([
  ['500', [{ status: 500 }], 'it answered 500'],
  ['404', [{ status: 404 }], 'does not know this log'],
  ['403', [{ status: 403 }], 'another key'],
  ['429', [{ status: 429 }], 'too many requests'],
  ['a redirect', [{ status: 302, headers: { location: 'https://other.example/' } }], 'redirect'],
  ['words', [{ body: 'hello\n' }], 'no cosignature by the key'],
  ['a 409 without a size', [{ status: 409, body: 'conflict' }], 'does not say which'],
  ['endless data', [{ body: 'x'.repeat(100_000) }], 'larger than'],
])('a witness that answers with %s does not cosign, and is named', async (_, answers, problem) => {
  const own = await publisher();
  const log = memoryLog();
  await logList(await own.list(), { signer: own.signer, storage: log });
  const set = await witnesses(own.vkey, 1, 1);
  const { origin } = await serve(() => answers[0]!);
  const policy = readLogPolicy(set.text.replace(set.urls[0]!, origin));
  await expect(logList(await own.list(), { signer: own.signer, storage: log, policy, timeoutMs: 1_000 })).rejects.toMatchObject({
    code: 'LOG_NOT_WITNESSED',
    message: expect.stringContaining(problem),
  });
});
