import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { copyFile, type FileHandle, mkdir, open, readFile, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { isPortcullisError } from 'portcullis';
import { type Client, createClient } from 'portcullis/client';
import { createService, type ServedService } from 'portcullis/service';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'state-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Also of tests that end early. */
const services: ServedService[] = [];
afterEach(() => Promise.allSettled(services.splice(0).map((service) => service.close())));

let files = 0;
const newFile = (): string => join(folder, String(++files), 'state.json');
const journalOf = (file: string): string => `${file}.journal`;

interface Running {
  readonly service: ServedService;
  readonly client: Client;
  readonly close: () => Promise<void>;
}

/** Not before it has read its file. */
async function started(file: string): Promise<Running> {
  const service = createService({ state: { file } });
  services.push(service);
  const client = createClient({
    baseUrl: 'https://service.test',
    apiKey: service.key,
    retry: false,
    fetch: (url, init) => service.fetch(url, init as RequestInit),
  });
  await client.account.validate();
  return { service, client, close: () => service.close() };
}

const submit = async ({ client }: Running, name: string): Promise<number> =>
  (await client.assets.submit({ assets: [`https://${name}.example/`] })).submittedAssets[0]!.assetId;

const has = ({ service }: Running, name: string): boolean =>
  service.snapshot().tables.assets!.some(({ content }) => content === `${name}.example`);

/** A new file with these writes behind it, as it is when the process dies right after the last. */
async function fileWith(...names: string[]): Promise<string> {
  const file = newFile();
  const running = await started(file);
  for (const name of names) await submit(running, name);
  await running.close();
  return file;
}

/** Which of the writes a restart finds; it must also take another, and keep that. */
async function foundIn(file: string, names: readonly string[]): Promise<string[]> {
  const running = await started(file);
  const found = names.filter((name) => has(running, name));
  const further = `further-${++files}`;
  await submit(running, further);
  await running.close();
  const again = await started(file);
  expect([...found, further].filter((name) => !has(again, name))).toEqual([]);
  await again.close();
  return found;
}

/** What a start fails with; `null` if it does not. */
async function failureOf(file: string): Promise<unknown> {
  const service = createService({ state: { file } });
  const failure = await service.fetch('https://service.test/asset/blocklist/version').then(
    () => null,
    (error: unknown) => error,
  );
  await service.close();
  return failure;
}

async function flip(file: string, at: number): Promise<void> {
  const bytes = await readFile(file);
  bytes[at] = bytes[at]! ^ 1;
  await writeFile(file, bytes);
}

describe('a process that is killed', () => {
  interface Acknowledged {
    readonly kind: string;
    readonly name: string;
    readonly ids: readonly number[];
  }

  const bundle = build({
    entryPoints: [fileURLToPath(new URL('./file-state-child.ts', import.meta.url))],
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['undici', 'zod'],
    write: false,
  });

  async function startChild(file: string, round: string, descriptionBytes: number): Promise<ChildProcess> {
    const code = (await bundle).outputFiles[0]?.text;
    const args = ['--input-type=module', '-', file, round, String(descriptionBytes)];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    // It may be dead before it has read all of it.
    child.stdin?.on('error', () => {});
    child.stdin?.end(code);
    return child;
  }

  /** When the time until a death begins: with the process, with its first write, or with a fold while it writes. */
  type From = 'start' | 'ready' | 'fold';

  /** Lets a child write, and kills it. */
  async function killed(file: string, round: string, from: From, delayMs: number, descriptionBytes: number) {
    const child = await startChild(file, round, descriptionBytes);
    const acknowledged: Acknowledged[] = [];
    let rest = '';
    let ready = (): void => {};
    const isReady = new Promise<void>((resolve) => {
      ready = resolve;
    });
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        const one = JSON.parse(line) as Acknowledged;
        if (one.kind === 'ready') ready();
        else acknowledged.push(one);
      }
    });
    const closed = once(child, 'close');
    if (from !== 'start') await Promise.race([isReady, closed]);
    // The new base is written beside the old one. If none comes, the child is killed all the same.
    for (const untilMs = Date.now() + 5_000; from === 'fold' && Date.now() < untilMs && child.exitCode === null; ) {
      if (existsSync(`${file}.new`)) break;
      await setImmediate();
    }
    await sleep(delayMs);
    child.kill('SIGKILL');
    const [, signal] = (await closed) as [number | null, string | null];
    expect(signal, 'the child ended by itself').toBe('SIGKILL');
    return acknowledged;
  }

  /** All that was acknowledged is there, and nothing is there by half. */
  function verify({ service }: Running, acknowledged: readonly Acknowledged[]): void {
    const { tables, nextId } = service.snapshot();
    const contents = new Map(tables.assets!.map((asset) => [asset.content, asset]));
    const reports = new Map(tables.reports!.map((report) => [report.id, report]));
    const groups = new Map(tables.groups!.map((group) => [group.name, group.id]));
    const members = new Set(tables.memberships!.map(({ assetId }) => assetId));
    const gone = new Set(acknowledged.filter(({ kind }) => kind === 'ungrouped').map(({ name }) => name));
    for (const { kind, name, ids } of acknowledged) {
      if (kind === 'submitted') expect(['a', 'b', 'c'].map((part) => contents.get(`${name}-${part}.example`)?.id)).toEqual(ids);
      if (kind === 'reported') expect(reports.get(ids[0]!)?.title).toBe(name);
      if (kind === 'allowed') {
        expect(contents.get(`${name}.example`)).toMatchObject({ id: ids[0], status: 'ALLOWED' });
        expect(members.has(ids[0]!)).toBe(true);
      }
      // Not acknowledged to be gone, it may be gone all the same.
      if (kind === 'grouped' && !gone.has(name)) expect([ids[0], undefined]).toContain(groups.get(name));
      if (kind === 'ungrouped') expect(groups.has(name)).toBe(false);
    }
    const numbers = acknowledged.filter(({ kind }) => kind === 'described').map(({ name }) => Number(name));
    const described = tables.memberships!.find(({ description }) => /^\d+ x/.test(description ?? ''))?.description;
    expect(Number(/^\d+/.exec(described ?? '0')![0])).toBeGreaterThanOrEqual(Math.max(0, ...numbers));

    // Of a request's records all are there or none.
    const assetIds = new Set(tables.assets!.map(({ id }) => id));
    for (const [content] of contents) {
      const [, name] = /^(s.+)-[abc]\.example$/.exec(content) ?? [];
      if (name !== undefined) expect(['a', 'b', 'c'].filter((part) => contents.has(`${name}-${part}.example`))).toHaveLength(3);
    }
    for (const { id } of reports.values()) expect(tables.proposals!.filter(({ reportId }) => reportId === id)).toHaveLength(2);
    for (const { assetId } of [...tables.proposals!, ...tables.memberships!, ...tables.changes!, ...tables.scans!])
      expect(assetIds.has(assetId)).toBe(true);
    const ids = Object.values(tables).flatMap((records) => records.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
    expect(nextId).toBeGreaterThan(Math.max(...ids));
    expect(contents.size).toBe(tables.assets!.length);
  }

  /** Round after round on one file. */
  async function killAgainAndAgain(rounds: number, usual: From, descriptionBytes: number): Promise<Acknowledged[]> {
    const file = newFile();
    const first = await started(file);
    await first.client.organization.assetsAdd({ assets: [{ content: 'https://described.example/' }] });
    await first.close();
    const acknowledged: Acknowledged[] = [];
    for (let round = 0; round < rounds; round++) {
      // Every fourth dies while it starts, which is when the file is read and written anew.
      const from = round % 4 === 3 ? 'start' : usual;
      const delayMs = Math.random() * { start: 300, ready: 150, fold: 15 }[from];
      const before = acknowledged.flatMap(({ kind, ids }) => (kind === 'ungrouped' ? [] : ids));
      const added = await killed(file, `${files}x${round}`, from, delayMs, descriptionBytes);
      const again = added.flatMap(({ kind, ids }) => (kind === 'ungrouped' ? [] : ids));
      expect(again.filter((id) => before.includes(id))).toEqual([]);
      acknowledged.push(...added);
      const running = await started(file);
      verify(running, acknowledged);
      const id = await submit(running, `after-${files}x${round}`);
      expect(id).toBeGreaterThan(Math.max(0, ...acknowledged.flatMap(({ ids }) => ids)));
      acknowledged.push({ kind: 'after', name: '', ids: [id] });
      await running.close();
      for (const path of [file, journalOf(file)]) expect(statSync(path).mode & 0o777).toBe(0o600);
    }
    return acknowledged;
  }

  test('loses nothing that it acknowledged, whenever that happens', async () => {
    const told = await Promise.all([killAgainAndAgain(12, 'ready', 0), killAgainAndAgain(12, 'ready', 0)]);
    // Otherwise nothing was shown.
    for (const acknowledged of told) expect(acknowledged.length).toBeGreaterThan(24);
  });

  test('loses nothing while its journal is folded into its base', async () => {
    // More than half of what a journal may hold, so that every other write folds it.
    const acknowledged = await killAgainAndAgain(8, 'fold', 2_300_000);
    expect(acknowledged.some(({ kind }) => kind === 'described')).toBe(true);
  });

  test('before a new service wrote what it begins with begins with it all the same', async () => {
    const file = await fileWith();
    await endJournal(file, 1);
    const running = await started(file);
    expect(running.service.snapshot().tables.organizations).toHaveLength(2);
    await running.close();
  });
});

/** Keeps the first lines of a journal and a part of the next. */
async function endJournal(file: string, lines: number, more = 0): Promise<void> {
  const text = await readFile(journalOf(file), 'utf8');
  const kept = text
    .split('\n')
    .slice(0, lines)
    .map((line) => `${line}\n`)
    .join('');
  await truncate(journalOf(file), Buffer.byteLength(kept) + more);
}

describe('what a death leaves behind', () => {
  /** All of the state in a new base, and nothing in its journal. */
  const fold = ({ service }: Running): Promise<void> => service.restore(service.snapshot());

  test('a new base beside the journal of the old one, whole or cut', async () => {
    const file = await fileWith('one', 'two');
    const journal = await readFile(journalOf(file));
    const running = await started(file);
    await fold(running);
    await running.close();
    const base = await readFile(file);
    for (const left of [journal, journal.subarray(0, journal.length - 40)]) {
      await writeFile(file, base);
      await writeFile(journalOf(file), left);
      expect(await foundIn(file, ['one', 'two'])).toEqual(['one', 'two']);
    }
  });

  test('a journal of an older base, which says nothing any more', async () => {
    const file = newFile();
    const running = await started(file);
    const { id: groupId } = await running.client.organization.assetGroupsCreate({ name: 'old' });
    const journal = await readFile(journalOf(file));
    await running.client.organization.assetGroupsUpdate({ groupId, name: 'new' });
    await fold(running);
    await running.close();
    await writeFile(journalOf(file), journal);
    const { client } = await started(file);
    expect((await client.organization.assetGroupsList()).groups).toMatchObject([{ name: 'new' }]);
  });

  test('a base that was not whole yet', async () => {
    const file = await fileWith('one');
    await writeFile(`${file}.new`, (await readFile(file)).subarray(0, 100));
    expect(await foundIn(file, ['one'])).toEqual(['one']);
    expect(existsSync(`${file}.new`)).toBe(false);
  });

  test('a last line that is cut anywhere', async () => {
    const file = await fileWith('one', 'two', 'three');
    const [base, journal] = await Promise.all([readFile(file), readFile(journalOf(file))]);
    const begin = journal.lastIndexOf('\n', journal.length - 2) + 1;
    for (const length of [0, 1, 15, 16, 17, 18, 60, journal.length - begin - 2]) {
      await writeFile(file, base);
      await writeFile(journalOf(file), journal.subarray(0, begin + length));
      expect(await foundIn(file, ['one', 'two', 'three']), `${length} bytes of it`).toEqual(['one', 'two']);
    }
  });

  test('a last line whose middle is lost', async () => {
    const file = await fileWith('one', 'two', 'three');
    const journal = await readFile(journalOf(file));
    journal.fill(0, journal.length - 60, journal.length - 30);
    await writeFile(journalOf(file), journal);
    expect(await foundIn(file, ['one', 'two', 'three'])).toEqual(['one', 'two']);
  });
});

describe('a disk that lies', () => {
  test('a base with another byte is refused with a code and stays as it is, and so does its journal', async () => {
    const file = await fileWith('one');
    const [base, journal] = await Promise.all([readFile(file), readFile(journalOf(file))]);
    for (const at of [0, 15, 17, 40, base.length >> 1, base.length - 2, base.length - 1]) {
      await writeFile(file, base);
      await flip(file, at);
      const damaged = await readFile(file);
      const failure = await failureOf(file);
      expect(isPortcullisError(failure) && failure.code, `byte ${at}`).toBe('INVALID_ARTIFACT');
      expect((failure as Error).message).toContain(file);
      expect(await readFile(file)).toEqual(damaged);
      expect(await readFile(journalOf(file))).toEqual(journal);
    }
    await writeFile(file, '');
    expect(isPortcullisError(await failureOf(file))).toBe(true);
  });

  // Only the last line can have been cut by a death. What follows an earlier one was acknowledged.
  test.each([
    ['the first line', 0],
    ['a line in the middle', 2],
  ])('a journal with another byte in %s is refused, or loses nothing behind it', async (_, line) => {
    const file = await fileWith('one', 'two', 'three');
    const text = await readFile(journalOf(file), 'utf8');
    await flip(journalOf(file), text.split('\n').slice(0, line).join('\n').length + 20 * Math.sign(line));
    const failure = await failureOf(file);
    if (failure !== null) expect(isPortcullisError(failure) && failure.code).toBe('INVALID_ARTIFACT');
    else expect(await foundIn(file, ['two', 'three'])).toEqual(['two', 'three']);
  });

  test('a place where no file can be is refused with a code', async () => {
    const file = newFile();
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, 'a file, and no folder');
    expect(isPortcullisError(await failureOf(join(file, 'state.json')))).toBe(true);
  });

  test('a place where no file can be fails every call, and the service can still be closed', async () => {
    const file = newFile();
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, 'a file, and no folder');
    const service = createService({ state: { file: join(file, 'state.json') } });
    const ask = () => service.fetch('https://service.test/asset/blocklist/version');
    await expect(ask()).rejects.toThrow(/EEXIST|ENOTDIR/);
    await expect(ask()).rejects.toThrow();
    await expect(service.publish()).rejects.toThrow();
    await service.close();
  });

  describe('and fails', () => {
    afterEach(() => vi.restoreAllMocks());

    type Handle = Pick<FileHandle, 'appendFile' | 'sync'>;

    async function handles(): Promise<Handle> {
      const handle = await open(join(folder, 'any'), 'w');
      await handle.close();
      return Object.getPrototypeOf(handle) as Handle;
    }

    const noSpace = (): Error => Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });

    /** One line of which half is written when the disk is full; then there is room again. */
    async function failOnce(): Promise<void> {
      const prototype = await handles();
      const { appendFile } = prototype;
      vi.spyOn(prototype, 'appendFile').mockImplementationOnce(async function (this: FileHandle, data) {
        const line = String(data);
        await appendFile.call(this, line.slice(0, line.length >> 1));
        throw noSpace();
      });
    }

    test('keeps what it acknowledges after a write that failed', async () => {
      const file = await fileWith('one');
      const running = await started(file);
      await failOnce();
      await expect(submit(running, 'two')).rejects.toThrow();
      const acknowledged = await submit(running, 'three').then(
        () => ['three'],
        () => [],
      );
      await running.close();
      expect(await foundIn(file, ['one', ...acknowledged])).toEqual(['one', ...acknowledged]);
    });

    test('shows nothing of a write that failed', async () => {
      const running = await started(await fileWith('one'));
      await failOnce();
      await expect(submit(running, 'two')).rejects.toThrow();
      expect(has(running, 'two')).toBe(false);
      await running.close();
    });

    // The base is the new one by then, and the journal that of the old one.
    test('keeps what it acknowledges after a fold whose last step failed', async () => {
      const file = newFile();
      const running = await started(file);
      const add = { assets: [{ content: 'https://described.example/' }] };
      const [added] = (await running.client.organization.assetsAdd(add)).results;
      const prototype = await handles();
      const { sync } = prototype;
      // The base itself, then its folder.
      vi.spyOn(prototype, 'sync')
        .mockImplementationOnce(function (this: FileHandle) {
          return sync.call(this);
        })
        .mockRejectedValueOnce(noSpace());
      const description = 'x'.repeat(4_300_000);
      await running.client.organization.assetsUpdate({ assetId: added!.id!, description }).catch(() => {});
      const acknowledged = await submit(running, 'one').then(
        () => ['one'],
        () => [],
      );
      await running.close();
      expect(await foundIn(file, acknowledged)).toEqual(acknowledged);
    });
  });
});

test('two services on one file: the second is refused, or neither loses anything', async () => {
  const file = newFile();
  const first = await started(file);
  await submit(first, 'early');
  const acknowledged = ['early'];
  const second = await started(file).catch((error: unknown) => {
    expect(isPortcullisError(error)).toBe(true);
    return null;
  });
  for (const [running, names] of [
    [first, ['one', 'two', 'three']],
    [second, ['four', 'five']],
  ] as const) {
    for (const name of names) if (running !== null && (await submit(running, name).catch(() => 0)) !== 0) acknowledged.push(name);
  }
  await first.close();
  await second?.close();
  expect(await foundIn(file, acknowledged)).toEqual(acknowledged);
});

test('a file is for its owner only, and its folder is made', async () => {
  const file = join(folder, 'deep', 'deeper', 'state.json');
  const running = await started(file);
  await submit(running, 'one');
  for (const path of [file, journalOf(file)]) expect(statSync(path).mode & 0o777).toBe(0o600);
  await running.close();
  expect(existsSync(`${file}.new`)).toBe(false);
});

test('a copy of the files is a copy of the state', async () => {
  const file = await fileWith('one', 'two');
  const copy = newFile();
  await mkdir(join(copy, '..'));
  await Promise.all([copyFile(file, copy), copyFile(journalOf(file), journalOf(copy))]);
  const [running, other] = [await started(file), await started(copy)];
  expect(other.service.snapshot()).toEqual(running.service.snapshot());
  await Promise.all([running.close(), other.close()]);
});

test('ids of records that are gone are not given again after restarts and folds', async () => {
  const file = newFile();
  const given: number[] = [];
  for (let round = 0; round < 4; round++) {
    const running = await started(file);
    const { id } = await running.client.organization.assetGroupsCreate({ name: 'short-lived' });
    await running.client.organization.assetGroupsDelete({ groupId: id });
    given.push(id);
    await running.close();
  }
  expect(given).toEqual([...new Set(given)].sort((a, b) => a - b));
});

test('ids of records that were gone before a snapshot are not given again after it was restored and read', async () => {
  const origin = await started(newFile());
  const { id } = await origin.client.organization.assetGroupsCreate({ name: 'short-lived' });
  await origin.client.organization.assetGroupsDelete({ groupId: id });
  const file = newFile();
  const running = await started(file);
  await running.service.restore(origin.service.snapshot());
  await Promise.all([origin.close(), running.close()]);
  const again = await started(file);
  expect((await again.client.organization.assetGroupsCreate({ name: 'next' })).id).toBeGreaterThan(id);
  await again.close();
});

test('a request that comes in while the service is closed is refused as any after it', async () => {
  const running = await started(newFile());
  let send = (): void => {};
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      send = () => {
        controller.enqueue(new TextEncoder().encode('{"assets":["https://late.example/"]}'));
        controller.close();
      };
    },
  });
  const headers = { 'x-api-key': running.service.key, 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
  const late = running.service.fetch('https://service.test/asset/submit', init).catch((error: unknown) => error);
  await sleep(20);
  await running.close();
  send();
  const failure = await late;
  expect(isPortcullisError(failure) && failure.code).toBe('CLOSED');
});

describe('a service that goes on later', () => {
  test('takes the keys of its options, and forgets those that are gone', async () => {
    const file = newFile();
    const statusOf = async (keys: Record<string, string[]>, key: string): Promise<number> => {
      const service = createService({ state: { file }, keys });
      const { status } = await service.fetch('https://service.test/validate', { headers: { 'x-api-key': key } });
      await service.close();
      return status;
    };
    expect(await statusOf({}, 'mine')).toBe(401);
    expect(await statusOf({ mine: ['example-wallet'] }, 'mine')).toBe(200);
    expect(await statusOf({}, 'mine')).toBe(401);
  });

  test('gives no secret twice', async () => {
    const file = newFile();
    const secrets: unknown[] = [];
    for (let round = 0; round < 3; round++) {
      const running = await started(file);
      secrets.push(((await running.client.webhooks.config({ url: 'https://hook.example/' })) as { secret?: string }).secret);
      await running.close();
    }
    expect(new Set(secrets).size).toBe(3);
  });

  test('writes no more than what changed', async () => {
    const file = await fileWith('one');
    const base = await readFile(file);
    const { size } = statSync(journalOf(file));
    const running = await started(file);
    await submit(running, 'two');
    await running.close();
    expect(await readFile(file)).toEqual(base);
    expect(statSync(journalOf(file)).size - size).toBeLessThan(1_000);
  });

  test('reads a base of many lines, none of which is all of it', async () => {
    const file = newFile();
    const running = await started(file);
    const names = Array.from({ length: 100 }, (_, at) => `https://many-${at}.example/`);
    await running.client.assets.submit({ assets: names });
    await running.service.restore(running.service.snapshot());
    const before = running.service.snapshot();
    await running.close();
    const lines = (await readFile(file, 'utf8')).split('\n');
    expect(lines.length).toBeGreaterThan(200);
    const again = await started(file);
    expect(again.service.snapshot()).toEqual(before);
    await again.close();
  });
});

describe('files that do not belong together', () => {
  /** It is refused, says what to do, and leaves everything as it is. */
  async function expectRefused(file: string, message: RegExp): Promise<void> {
    const contents = (): Promise<(Buffer | null)[]> =>
      Promise.all([file, journalOf(file)].map((path) => readFile(path).catch(() => null)));
    const before = await contents();
    const failure = await failureOf(file);
    expect(isPortcullisError(failure) && failure.code).toBe('INVALID_ARTIFACT');
    expect((failure as Error).message).toMatch(message);
    expect((failure as Error).message).toContain(file);
    expect(await contents()).toEqual(before);
  }

  test('a journal whose base is missing is refused, and without it the service begins anew', async () => {
    const file = await fileWith('one');
    rmSync(file);
    await expectRefused(file, /is missing, and its journal is there/);
    rmSync(journalOf(file));
    expect(await foundIn(file, ['one'])).toEqual([]);
  });

  test('a base whose journal is missing, empty or cut in its first line is refused', async () => {
    const file = await fileWith('one');
    const journal = await readFile(journalOf(file));
    rmSync(journalOf(file));
    await expectRefused(file, /journal .* is missing/);
    await writeFile(journalOf(file), '');
    await expectRefused(file, /journal .* is empty/);
    await writeFile(journalOf(file), journal.subarray(0, 20));
    await expectRefused(file, /damaged in line 1/);
    // What lies in it was acknowledged, and is there once it is put back.
    await writeFile(journalOf(file), journal);
    expect(await foundIn(file, ['one'])).toEqual(['one']);
  });

  test('is told to whoever would listen, since nobody who asks over HTTP is told', async () => {
    const file = await fileWith('one');
    rmSync(file);
    const service = createService({ state: { file } });
    services.push(service);
    await expect(service.listen()).rejects.toMatchObject({ code: 'INVALID_ARTIFACT', message: expect.stringContaining(file) });
  });

  test('the journal of another file is refused', async () => {
    const [file, other] = [await fileWith('one'), await fileWith('two')];
    await copyFile(journalOf(other), journalOf(file));
    await expectRefused(file, /is not the one of/);
  });
});
