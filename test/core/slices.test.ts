import { decodeArtifact, encodeArtifact, HashSet, PrefixSet } from 'portcullis/assets';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { entriesPerSlice } from '../../src/core/limits.js';
import { decodeRaw, encodeRaw } from '../../src/core/prefixes/raw-codec.js';
import { runNow } from '../../src/core/slices.js';
import { ORACLE_ENCODINGS, seededNumbers } from '../support/oracle/artifact.js';

const size = 300_000;
const numbers = Uint32Array.from({ length: size }, seededNumbers(11));
const set = PrefixSet.from(numbers);

function* hashes(count: number): Generator<Uint8Array> {
  const next = seededNumbers(12);
  for (let i = 0; i < count; i++) {
    const hash = new DataView(new ArrayBuffer(8));
    hash.setUint32(0, next());
    hash.setUint32(4, next());
    yield new Uint8Array(hash.buffer);
  }
}

/** How many turns of the event loop other tasks got during the work. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let done = false;
  const turn = (): void => {
    turns++;
    if (!done) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  done = true;
  return turns;
}

/** Yields the values and reports each one when it is taken. */
function* counted<T>(values: Iterable<T>, onTake: () => void): Generator<T> {
  for (const value of values) {
    onTake();
    yield value;
  }
}

describe('long work', () => {
  test.each(ORACLE_ENCODINGS)('lets other tasks run while it reads a list as %s', async (encoding) => {
    const bytes = encodeArtifact(set, { encoding });
    expect(await turnsDuring(() => decodeArtifact(bytes, { encoding, count: size }))).toBeGreaterThanOrEqual(5);
  });

  test('lets other tasks run while it builds a set', async () => {
    expect(await turnsDuring(() => PrefixSet.build(numbers))).toBeGreaterThanOrEqual(10);
    expect(await turnsDuring(() => HashSet.build(hashes(150_000)))).toBeGreaterThanOrEqual(10);
  });

  test('lets other tasks run while it checks a SHA-256, before it decodes anything', async () => {
    // These are not hex lines, so reading them would fail at once and all turns belong to the checksum.
    const bytes = new Uint8Array(8 * 1024 * 1024);
    const wrong = () => expect(decodeArtifact(bytes, { encoding: 'hex', sha256: '0'.repeat(64) })).rejects.toThrow(/checksum/);
    expect(await turnsDuring(wrong)).toBeGreaterThanOrEqual(7);
  });

  test.each<[string, (onTake: () => void) => Promise<unknown>]>([
    ['PrefixSet', (onTake) => PrefixSet.build(counted(numbers, onTake))],
    ['HashSet', (onTake) => HashSet.build(counted(hashes(150_000), onTake))],
  ])('takes at most a slice of its source between two turns of other tasks: %s', async (_, build) => {
    let taken = 0;
    let most = 0;
    let done = false;
    const turn = (): void => {
      most = Math.max(most, taken);
      taken = 0;
      if (!done) setImmediate(turn);
    };
    setImmediate(turn);
    await build(() => taken++);
    done = true;
    turn();
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(entriesPerSlice);
  });

  test('pauses while it reads raw entries, and while it checks their order', () => {
    const count = 2 * entriesPerSlice;
    const raw = runNow(encodeRaw({ high: Uint32Array.from({ length: count }, (_, at) => at), low: null }));
    const work = decodeRaw(raw, count, 4);
    let pauses = 0;
    while (!work.next().done) pauses++;
    expect(pauses).toBe(3);
  });

  test('takes few turns for a small set', async () => {
    expect(await turnsDuring(() => PrefixSet.build([3, 1, 2]))).toBeLessThan(50);
  });

  test('is not affected by other work at the same time', async () => {
    const lists = [1, 2, 3, 4, 5].map((seed) =>
      PrefixSet.from(Uint32Array.from({ length: 100_000 + seed }, seededNumbers(seed))),
    );
    const read = lists.flatMap((list) =>
      ORACLE_ENCODINGS.map(async (encoding) => {
        const again = await decodeArtifact(encodeArtifact(list, { encoding }), { encoding, count: list.size });
        return Buffer.compare(again.toBytes(), list.toBytes());
      }),
    );
    const built = lists.map(async (list) => Buffer.compare((await PrefixSet.build(list)).toBytes(), list.toBytes()));
    // Synchronous work between the slices of the other tasks.
    const between = (async () => {
      for (let i = 0; i < 5; i++) await new Promise(setImmediate);
      return Buffer.compare(PrefixSet.from(numbers).toBytes(), set.toBytes());
    })();
    expect(new Set(await Promise.all([...read, ...built, between]))).toEqual(new Set([0]));
  });
});

describe('work with a signal', () => {
  const works: [string, (signal: { aborted: boolean; reason?: unknown }) => Promise<unknown>][] = [
    ['PrefixSet.build', (signal) => PrefixSet.build(numbers, { signal })],
    ['HashSet.build', (signal) => HashSet.build(hashes(150_000), { signal })],
    ...ORACLE_ENCODINGS.map((encoding): (typeof works)[number] => {
      const bytes = encodeArtifact(set, { encoding });
      return [`decodeArtifact of ${encoding}`, (signal) => decodeArtifact(bytes, { encoding, count: size }, { signal })];
    }),
  ];

  test.each(works)('is aborted before it begins: %s', async (_, work) => {
    const reason = new Error('the tab is closed');
    await expect(work(AbortSignal.abort(reason))).rejects.toMatchObject({ code: 'ABORTED', cause: reason });
    // Any object with this shape works, and any reason.
    await expect(work({ aborted: true, reason: 'closed' })).rejects.toMatchObject({ code: 'ABORTED', cause: 'closed' });
    await expect(work({ aborted: true })).rejects.toMatchObject({ code: 'ABORTED' });
  });

  test.each(works)('is aborted midway: %s', async (_, work) => {
    const controller = new AbortController();
    const reason = { why: 'the tab is closed' };
    const working = work(controller.signal);
    setImmediate(() => controller.abort(reason));
    const error: unknown = await working.catch((failure: unknown) => failure);
    expect(error).toMatchObject({ name: 'PortcullisError', code: 'ABORTED' });
    expect((error as Error).cause).toBe(reason);
  });

  test.each(works)('completes if the signal is never aborted, or aborted too late: %s', async (_, work) => {
    const controller = new AbortController();
    await expect(work(controller.signal)).resolves.toHaveProperty('size');
    controller.abort();
    await expect(work({ aborted: false })).resolves.toHaveProperty('size');
  });

  test('takes nothing more of its source once aborted, and closes it', async () => {
    const controller = new AbortController();
    let taken = 0;
    let isClosed = false;
    function* source(): Generator<number> {
      try {
        yield* counted(numbers, () => taken++);
      } finally {
        isClosed = true;
      }
    }
    const working = PrefixSet.build(source(), { signal: controller.signal });
    setImmediate(() => controller.abort());
    await expect(working).rejects.toMatchObject({ code: 'ABORTED' });
    const then = taken;
    expect(then).toBeLessThan(size);
    for (let i = 0; i < 5; i++) await new Promise(setImmediate);
    expect([taken, isClosed]).toEqual([then, true]);
  });

  test('does not read its source if aborted before', async () => {
    let taken = 0;
    const source = counted(numbers, () => taken++);
    await expect(PrefixSet.build(source, { signal: { aborted: true } })).rejects.toMatchObject({ code: 'ABORTED' });
    expect(taken).toBe(0);
  });

  test('does not affect other work when aborted', async () => {
    const bytes = encodeArtifact(set, { encoding: 'portcullis-rice' });
    const controller = new AbortController();
    const ended = decodeArtifact(bytes, {}, { signal: controller.signal });
    const other = decodeArtifact(bytes, {}, { signal: new AbortController().signal });
    setImmediate(() => controller.abort());
    await expect(ended).rejects.toMatchObject({ code: 'ABORTED' });
    expect(Buffer.compare((await other).toBytes(), set.toBytes())).toBe(0);
  });
});

describe('an engine without timers', () => {
  afterEach(() => vi.unstubAllGlobals());

  test.each([['setImmediate'], ['setImmediate', 'setTimeout']])('completes long work without %s %s', async (...missing) => {
    const bytes = encodeArtifact(set, { encoding: 'portcullis-rice' });
    for (const name of missing) vi.stubGlobal(name, undefined);
    const again = await decodeArtifact(bytes);
    const built = await PrefixSet.build(numbers);
    vi.unstubAllGlobals();
    expect(Buffer.compare(again.toBytes(), set.toBytes())).toBe(0);
    expect(Buffer.compare(built.toBytes(), set.toBytes())).toBe(0);
  });

  test("pauses with the browser's scheduler, whose tasks are not delayed", async () => {
    let pauses = 0;
    const postTask = async (run: () => void): Promise<void> => {
      pauses++;
      run();
    };
    vi.stubGlobal('scheduler', { postTask });
    vi.stubGlobal('setTimeout', undefined);
    await PrefixSet.build(numbers);
    expect(pauses).toBeGreaterThan(1);
  });
});
