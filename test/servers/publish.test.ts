import { createHash } from 'node:crypto';
import { decodeArtifact, hashOf, prefixOf } from 'portcullis/assets';
import { type BuildOptions, type BuiltList, buildList } from 'portcullis/publish';
import { describe, expect, test } from 'vitest';
import { readVersion } from '../../src/blocklist/formats/version-document.js';
import { shardsFor } from '../../src/servers/publish/list-files.js';
import { build, dayMs, digestOf, fileOf, hashesIn, hex, names, now, quiet } from './publish-harness.js';

describe('files', () => {
  test('contains all shards, both artifacts and, last, the version document', async () => {
    const list = await build(['evil.example', 'b.example/a', '0x52908400098527886e0f7030069857d2e4169ee7']);
    const files = [...list.files];
    expect(list.files.count).toBe(files.length);
    const { snapshot, recent } = list.version;
    const { confirm } = list.version;
    const sums = hex(fileOf(list, confirm.url)!.bytes);
    expect(createHash('sha256').update(Buffer.from(sums, 'hex')).digest('hex')).toBe(confirm.sha256);
    // Three entries made 4,099 files, 17 MB on most disks.
    expect(files.map(({ name, isImmutable }) => [name, isImmutable])).toEqual([
      [`confirm/all-${sums.slice(0, 16)}.bin`, true],
      [confirm.url, true],
      [`snapshot-${snapshot.token}.bin`, true],
      [`recent-${recent.token}.bin`, true],
      ['version.json', false],
    ]);
    for (const ref of [snapshot, recent]) {
      const bytes = fileOf(list, ref.url)!.bytes;
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(ref.sha256);
      expect((await decodeArtifact(bytes, { ...ref, algorithm: 'portcullis-1' })).size).toBe(ref.count);
    }
    const expressions = ['evil.example', 'b.example/a', 'address:0x52908400098527886e0f7030069857d2e4169ee7'];
    expect(hashesIn(list)).toEqual(expressions.map((expression) => hex(hashOf(expression))).sort());
    expect([...list.snapshot]).toEqual(expressions.map(prefixOf).sort((a, b) => a - b));
    expect(list.report.byType).toEqual({ URL: 1, PAGE: 1, ADDRESS: 1 });
  });

  test.each([
    [1, 1],
    [16, 1],
    [256, 5],
    [4096, 65],
  ] as const)('names the sums of %d shards, in %d files', async (shards, count) => {
    const list = await build(names(4_000), { shards });
    const sumOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();
    const contentOf = (sha256: string): Buffer => {
      const bytes = fileOf(list, `sums-${sha256.slice(0, 16)}.bin`)!.bytes;
      expect(sumOf(bytes).toString('hex')).toBe(sha256);
      return Buffer.from(bytes);
    };
    const { url, sha256 } = list.version.confirm;
    expect(url).toBe(`sums-${sha256.slice(0, 16)}.bin`);
    const top = contentOf(sha256);
    const groups = top.toString('hex').match(/.{64}/g)!;
    const sums = shards <= 64 ? top : Buffer.concat(groups.map(contentOf));
    const files = [...list.files];
    expect(sums.equals(Buffer.concat(files.slice(0, shards).map(({ bytes }) => sumOf(bytes))))).toBe(true);
    const named = files.filter(({ name, isImmutable }) => /^sums-[0-9a-f]{16}\.bin$/.test(name) && isImmutable);
    expect(named.length).toBe(count);
    expect(files.length).toBe(list.files.count);
  });

  test.each([
    [0, 1],
    [512, 1],
    [513, 16],
    [8_192, 16],
    [8_193, 256],
    [131_072, 256],
    [131_073, 4096],
    [10_000_000, 4096],
  ])('divides %d hashes into %d shards, of at most 16 kB where the number allows it', (count, shards) => {
    expect(shardsFor(count, undefined)).toBe(shards);
  });

  test('keeps the number of shards while a list grows to twice its length, and while a shard has 32 hashes on average', () => {
    expect([shardsFor(1_024, 1), shardsFor(1_025, 1), shardsFor(512, 16), shardsFor(511, 16)]).toEqual([1, 16, 16, 1]);
    expect([shardsFor(16_384, 16), shardsFor(16_385, 16), shardsFor(8_192, 256), shardsFor(8_191, 256)]).toEqual([
      16, 256, 256, 16,
    ]);
    expect([shardsFor(131_072, 4096), shardsFor(131_071, 4096)]).toEqual([4096, 256]);
  });

  test.each([1, 16, 256, 4096] as const)('names %d shards by their first hex digits and their SHA-256', async (shards) => {
    const list = await build(names(100), { shards });
    const digits = Math.log2(shards) / 4;
    const expected = [...list.files].slice(0, shards).map(({ bytes }, at) => {
      const sum = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
      return `confirm/${digits === 0 ? 'all' : at.toString(16).padStart(digits, '0')}-${sum}.bin`;
    });
    expect([...list.files].slice(0, shards).map(({ name }) => name)).toEqual(expected);
    expect(list.version.shards).toBe(shards);
    expect(hashesIn(list)).toEqual(
      names(100)
        .map((name) => hex(hashOf(name)))
        .sort(),
    );
    await expect(build([], { shards: 2 as never })).rejects.toThrow('shards must be one of 1, 16, 256, 4096');
  });

  test('has a version document with relative or absolute URLs', async () => {
    const list = await build(['evil.example'], { minWaitMs: 60_000 });
    const document = JSON.parse(Buffer.from(fileOf(list, 'version.json')!.bytes).toString()) as unknown;
    expect(document).toEqual(list.version);
    const { snapshot, ...rest } = readVersion(document, 'https://cdn.example/list/');
    expect(snapshot.url).toBe(`https://cdn.example/list/snapshot-${snapshot.token}.bin`);
    expect(rest).toMatchObject({ algoVersion: 'portcullis-1', minWaitMs: 60_000, recent: { count: 0 } });

    const absolute = await build(['evil.example'], { urlBase: 'https://cdn.example/x//' });
    expect(readVersion(absolute.version).recent.url).toBe(`https://cdn.example/x/recent-${absolute.version.recent.token}.bin`);
  });

  test('an empty list has files only if that is meant', async () => {
    const unmeant = await build([]);
    expect(() => [...unmeant.files]).toThrow(/no usable entries.*allowEmpty/);
    const list = await build([], { allowEmpty: true });
    expect([list.snapshot.size, list.recent.size, hashesIn(list).length]).toEqual([0, 0, 0]);
    expect((await decodeArtifact(fileOf(list, list.version.snapshot.url)!.bytes, { count: 0 })).size).toBe(0);
  });

  test('contains no part of a refused entry', async () => {
    const secret = 'abandon ability able about above absent absorb abstract absurd abuse access accident';
    const list = await build(['bit.ly', 'co.uk', secret, 'localhost', 'evil.example/a'], {
      isPublicSuffix: (host) => host === 'co.uk',
    });
    expect(list.report.refused.map(({ reason }) => reason)).toEqual(['shared-host', 'public-suffix', 'secret', 'not-a-host']);
    expect(hashesIn(list)).toEqual([hex(hashOf('evil.example/a'))]);
    expect([...list.snapshot]).toEqual([prefixOf('evil.example/a')]);
  });

  test.each(['raw', 'hex', 'json', 'portcullis', 'portcullis-rice'] as const)('encodes the snapshot as %s', async (encoding) => {
    const list = await build(names(500), { encoding });
    const { snapshot } = list.version;
    const bytes = fileOf(list, snapshot.url)!.bytes;
    expect([...(await decodeArtifact(bytes, { ...snapshot, encoding }))]).toEqual([...list.snapshot]);
  });
});

test('lists a line that is repeated thousands of times once', async () => {
  const list = await build([...new Array(40_000).fill('evil.example'), ...names(100), ...new Array(60).fill('b.example')]);
  expect([list.report.listed, list.report.warningsBy.duplicate]).toEqual([102, 40_058]);
  expect(list.report.warnings[0]).toEqual({ line: 1, code: 'duplicate', firstLine: 0 });
  expect(hashesIn(list).length).toBe(102);
});

describe('the next build', () => {
  test('puts additions into the recent feed and keeps the snapshot', async () => {
    const first = await build(names(100));
    const second = await build([...names(100), 'new.example'], { previous: first });
    expect(second.version.snapshot).toEqual(first.version.snapshot);
    expect(second.newSnapshot).toBeNull();
    expect([...second.recent]).toEqual([prefixOf('new.example')]);
    expect(second.version.recent.token).not.toBe(first.version.recent.token);
    expect(hex(fileOf(second, second.version.snapshot.url)!.bytes)).toBe(hex(fileOf(first, first.version.snapshot.url)!.bytes));
  });

  test('drops removals from shards and recent feed at once, and from the next snapshot', async () => {
    const first = await build(['a.example', 'b.example']);
    const second = await build(['a.example', 'b.example', 'c.example'], { previous: first });
    const third = await build(['a.example'], { previous: second });
    expect(hashesIn(third)).toEqual([hex(hashOf('a.example'))]);
    expect(third.version.snapshot.token).toBe(first.version.snapshot.token);
    expect([third.snapshot.has(prefixOf('b.example')), third.recent.size]).toEqual([true, 0]);
    const fourth = await build(['a.example'], { previous: third, snapshot: 'new' });
    expect([fourth.newSnapshot, [...fourth.snapshot]]).toEqual(['asked', [prefixOf('a.example')]]);
  });

  test('changes no byte for the same list', async () => {
    const first = await build(names(100));
    const later = { now: () => now() + 30 * dayMs };
    expect(digestOf(await build(names(100)))).toBe(digestOf(first));
    for (const options of [{}, later, { snapshot: 'new' } as const, { ...later, snapshot: 'new' } as const]) {
      const again = await build([...names(100)].reverse(), { previous: first, ...options });
      expect(again.newSnapshot).toBeNull();
      expect(digestOf(again)).toBe(digestOf(first));
    }
  });

  test.each<[string | null, BuildOptions, readonly string[]]>([
    ['asked', { snapshot: 'new' }, names(101)],
    ['aged', { now: () => now() + dayMs / 2 + 1 }, names(101)],
    ['aged', { now: () => now() + 7 * dayMs + 1, differences: false }, names(101)],
    ['aged', { maxSnapshotAgeMs: 10, now: () => now() + 11 }, names(101)],
    ['grown', {}, names(1_101)],
    ['grown', { maxRecentShare: 0 }, names(1_101)],
    ['format', { algorithm: 'safe-browsing-4' }, names(100)],
    ['format', { encoding: 'raw' }, names(100)],
    // Up to its age, up to a thousand, and with a clock that went back.
    [null, { now: () => now() + dayMs / 2 }, names(101)],
    [null, { now: () => now() + 7 * dayMs, differences: false }, names(101)],
    [null, {}, names(1_100)],
    [null, { now: () => now() - dayMs }, names(101)],
  ])('makes a new snapshot because it is %s, or keeps it: %j', async (cause, options, assets) => {
    const first = await build(names(100));
    const second = await build(assets, { previous: first, ...options });
    expect(second.newSnapshot).toBe(cause);
    if (cause === null) return expect(second.version.snapshot.token).toBe(first.version.snapshot.token);
    expect([second.snapshot.size, second.recent.size]).toEqual([assets.length, 0]);
    expect(second.version.snapshot.token).not.toBe(first.version.snapshot.token);
    expect(second.version.snapshot.createdAtMs).toBe((options.now ?? now)());
  });

  test('keeps the snapshot up to a share of additions or removals', async () => {
    const first = await build(names(2_200));
    const made = async (assets: readonly string[]) => (await build(assets, { previous: first, maxRecentShare: 0.5 })).newSnapshot;
    expect(await made(names(3_300))).toBeNull();
    expect(await made(names(3_301))).toBe('grown');
    expect(await made(names(1_100))).toBeNull();
    expect(await made(names(1_099))).toBe('grown');
  });

  test('continues from the files of the previous build', async () => {
    const first = await build(names(100));
    const version = JSON.parse(Buffer.from(fileOf(first, 'version.json')!.bytes).toString()) as unknown;
    const snapshot = fileOf(first, first.version.snapshot.url)!.bytes;
    const assets = [...names(99), 'new.example'];
    const fromFiles = await build(assets, { previous: { version, snapshot } });
    expect(digestOf(fromFiles)).toBe(digestOf(await build(assets, { previous: first })));
  });

  test('rejects files that do not belong together', async () => {
    const first = await build(names(100));
    const other = await build(names(100, 'other'));
    const { version } = first;
    const refused = (snapshot: Uint8Array | BuiltList['snapshot'], what: unknown = version) =>
      build([], { previous: { version: what, snapshot } });
    const file = fileOf(other, other.version.snapshot.url)!.bytes;
    await expect(refused(file)).rejects.toMatchObject({ code: 'INVALID_ARTIFACT' });
    await expect(refused(file.subarray(1))).rejects.toMatchObject({ code: 'INVALID_ARTIFACT' });
    await expect(refused((await build(names(99))).snapshot)).rejects.toMatchObject({ code: 'INVALID_ARTIFACT' });
    await expect(refused(other.snapshot)).rejects.toMatchObject({ code: 'INVALID_ARTIFACT' });
    for (const none of [null, 7, 'x']) {
      await expect(build([], { previous: none as unknown as BuiltList })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    }
    await expect(refused(first.snapshot, {})).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
    await expect(refused('x' as unknown as Uint8Array)).rejects.toThrow('previous.snapshot must be a Uint8Array');
  });

  test.each(['raw', 'hex', 'json', 'portcullis', 'portcullis-rice'] as const)(
    'accepts the set of a list that was encoded as %s',
    async (encoding) => {
      for (const algorithm of ['portcullis-1', 'safe-browsing-4']) {
        const first = await build(names(100), { encoding, algorithm });
        const second = await build(names(101), { previous: first });
        expect(second.newSnapshot).toBe(encoding === 'portcullis-rice' && algorithm === 'portcullis-1' ? null : 'format');
      }
    },
  );

  test('makes a new snapshot after another publisher, with its own tokens and no checksum', async () => {
    const { version, snapshot } = await build(names(100));
    const theirs = { ...version, snapshot: { ...version.snapshot, token: 'v7', sha256: undefined } };
    const second = await build(names(100), { previous: { version: theirs, snapshot } });
    expect([second.newSnapshot, second.version.snapshot.token]).toEqual(['format', version.snapshot.token]);
  });

  test('refuses a previous version from far ahead, unless its publisher says which of the two clocks is right', async () => {
    const first = await build(names(100), { now: () => now() + 3 * dayMs });
    const build2 = (options: BuildOptions): Promise<BuiltList> => build(names(101), { previous: first, ...options });
    await expect(build2({})).rejects.toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining('set the clock') });
    expect((await build2({ minSequence: now() })).version.sequence).toBe(now());
    expect((await build2({ now: () => now() + 2 * dayMs })).version.sequence).toBe(first.version.sequence + 1);
  });

  test('an emptied list has a new snapshot, so that its clients see that it is empty', async () => {
    const first = await build(names(5));
    const second = await build([], { previous: first, allowEmpty: true });
    expect([second.newSnapshot, second.version.snapshot.count, second.version.recent.count]).toEqual(['grown', 0, 0]);
  });

  test('lets a snapshot with a future date age from now on', async () => {
    const first = await build(names(100), { now: () => now() + dayMs });
    const second = await build(names(101), { previous: first });
    expect([second.newSnapshot, second.version.snapshot.createdAtMs]).toEqual([null, now()]);
    const third = await build(names(101), { previous: second, now: () => now() + 7 * dayMs + 1 });
    expect(third.newSnapshot).toBe('aged');
  });
});

describe('a build', () => {
  test('reports progress', async () => {
    const steps: [string, number, number | undefined][] = [];
    await build(names(5_000), { onProgress: ({ step, done, total }) => steps.push([step, done, total]) });
    const read = steps.filter(([step]) => step === 'read');
    expect(read.length).toBeGreaterThan(2);
    expect(read.map(([, done]) => done)).toEqual(read.map(([, done]) => done).sort((a, b) => a - b));
    expect(steps.slice(read.length)).toEqual([
      ['sort', 0, 5_000],
      ['sort', 5_000, 5_000],
      ['encode', 0, 2],
      ['encode', 2, 2],
    ]);
  });

  test('lets other work run', async () => {
    let turns = 0;
    let isRunning = true;
    const turn = (): void => {
      turns++;
      if (isRunning) setImmediate(turn);
    };
    setImmediate(turn);
    await build(names(20_000));
    isRunning = false;
    expect(turns).toBeGreaterThan(20);
  });

  test('aborts at any point and closes its input', async () => {
    const parts = names(400).map((name) => `${name}${' '.repeat(1_000)}\n`);
    let checks = 0;
    await build([], { signal: counting(() => checks++) });
    const attempt = async (endAt: number): Promise<{ code: string; isClosed: boolean; isStarted: boolean }> => {
      let isClosed = false;
      let isStarted = false;
      const data = (async function* () {
        isStarted = true;
        try {
          yield* parts;
        } finally {
          isClosed = true;
        }
      })();
      let seen = 0;
      const signal = counting(() => seen++ >= endAt);
      const result = await buildList({ format: 'lines', data }, { ...quiet, signal }).then(
        () => 'done',
        (error: { code: string }) => error.code,
      );
      return { code: result, isClosed, isStarted };
    };
    let ended = 0;
    for (let endAt = 0; ; endAt += 7) {
      const { code, isClosed, isStarted } = await attempt(endAt);
      expect(isClosed || !isStarted).toBe(true);
      if (code === 'done') break;
      expect(code).toBe('ABORTED');
      ended++;
    }
    expect(ended).toBeGreaterThan(40);
  });

  test('aborts while its input is idle and closes it', async () => {
    const silent = new Promise<never>(() => {});
    const said: string[] = [];
    const iterator = {
      next: () => silent,
      return: async () => {
        said.push('closed');
        return { done: true as const, value: undefined };
      },
    };
    const data = { [Symbol.asyncIterator]: () => iterator };
    const generator = (async function* () {
      yield 'a.example';
      await silent;
    })();
    for (const input of [data, { format: 'lines' as const, data }, generator]) {
      const controller = new AbortController();
      const work = buildList(input, { ...quiet, signal: controller.signal });
      setTimeout(() => controller.abort('enough'), 20);
      await expect(work).rejects.toMatchObject({ code: 'ABORTED', cause: 'enough' });
    }
    expect(said).toEqual(['closed', 'closed']);
  });

  test('leaves no listener on the signal', async () => {
    const { signal } = new AbortController();
    let count = 0;
    const counted = { aborted: false, addEventListener: () => count++, removeEventListener: () => count-- };
    const later = async function* () {
      yield* names(100);
    };
    await buildList(later(), { ...quiet, signal: counted });
    expect(count).toBe(0);
    expect((await buildList(later(), { ...quiet, signal })).report.listed).toBe(100);
  });

  /** A signal whose `aborted` calls a function. */
  function counting(isEnded: () => unknown): { readonly aborted: boolean; readonly reason: unknown } {
    return {
      get aborted() {
        return isEnded() === true;
      },
      reason: 'enough',
    };
  }

  test('passes on errors of its input and functions, and closes the input', async () => {
    let isClosed = false;
    const data = (function* () {
      try {
        for (const name of names(10)) yield name;
      } finally {
        isClosed = true;
      }
    })();
    const failing = () => {
      throw new Error('no suffixes today');
    };
    await expect(buildList(data, { isPublicSuffix: failing })).rejects.toThrow('no suffixes today');
    expect(isClosed).toBe(true);
    const broken = (async function* () {
      yield 'a.example';
      throw new Error('the database is away');
    })();
    await expect(buildList(broken, quiet)).rejects.toThrow('the database is away');
  });

  test.each<[string, object, object]>([
    ['algorithm', { algorithm: 'none' }, { code: 'ALGORITHM_UNKNOWN' }],
    ['encoding', { encoding: 'zip' }, { code: 'INVALID_INPUT' }],
    ['snapshot', { snapshot: 'old' }, { code: 'INVALID_INPUT' }],
    ['urlBase', { urlBase: 'cdn' }, { code: 'INVALID_INPUT' }],
    ['urlBase with a key', { urlBase: 'https://user@cdn.example' }, { code: 'INVALID_INPUT' }],
    ['a negative age', { maxSnapshotAgeMs: -1 }, { code: 'INVALID_INPUT' }],
    ['a share that is not a number', { maxRecentShare: Number.NaN }, { code: 'INVALID_INPUT' }],
    ['an infinite time', { now: () => Number.POSITIVE_INFINITY }, { code: 'INVALID_INPUT' }],
    ['an infinite wait', { minWaitMs: Number.POSITIVE_INFINITY }, { code: 'INVALID_INPUT' }],
    ['maxReportEntries', { maxReportEntries: '7' }, { code: 'INVALID_INPUT' }],
    ['isPublicSuffix', { isPublicSuffix: /co.uk/ }, { code: 'INVALID_INPUT' }],
  ])('rejects an invalid option: %s', async (_, options, error) => {
    await expect(buildList('', options as BuildOptions)).rejects.toMatchObject(error);
  });
});
