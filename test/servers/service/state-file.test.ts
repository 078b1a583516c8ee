import { existsSync, readdirSync, statSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isPortcullisError } from 'portcullis';
import { createService } from 'portcullis/testing';
import { describe, expect, test } from 'vitest';
import { type Call, systemError, watchedFileSystem } from '../../blocklist/stores/watched-file-system.js';
import { foundIn, has, killRepeatedly, newFile, type Running, started, stateFiles, submit } from './state-file-harness.js';

stateFiles();

/** A file with these assets, after its service was closed. */
async function fileWith(...names: string[]): Promise<string> {
  const file = newFile();
  const running = await started(file);
  for (const name of names) await submit(running, name);
  await running.close();
  return file;
}

/** A service that was started on a damaged or unusable file; it fails every call with the same error. */
async function failureOf(file: string): Promise<{ code: string; message: string }> {
  const failure: unknown = await started(file).then(
    () => null,
    (error: unknown) => error,
  );
  if (!isPortcullisError(failure)) throw new Error(`started, or failed with ${String(failure)}`);
  return failure;
}

describe('a process that dies', () => {
  test('loses nothing it acknowledged when it is really killed', async () => {
    expect((await killRepeatedly(2, 50_000)).length).toBeGreaterThan(2);
  });

  /**
   * Everything stops at the call of the file system with this number; a write in progress wrote half. Returns the number of calls.
   */
  async function diesAt(number: number, origin: string): Promise<number> {
    const file = newFile();
    await mkdir(dirname(file), { recursive: true });
    await copyFile(origin, file);
    let calls = 0;
    let die = (): void => {};
    const dead = new Promise<void>((resolve) => {
      die = resolve;
    });
    let bury = (): void => {};
    const buried = new Promise<never>((_, reject) => {
      bury = () => reject(systemError('EIO'));
    });
    buried.catch(() => {});
    const around = async (call: Call): Promise<unknown> => {
      if (call.name === 'close' || calls++ < number) return call.run();
      if (call.name === 'writeFile') await call.runHalf();
      die();
      return buried;
    };
    const acknowledged = ['old'];
    const work = async (): Promise<void> => {
      const running = await started(file, { fileSystem: watchedFileSystem(around), lockStaleMs: 60_000 });
      for (const name of ['one', 'two']) {
        await submit(running, name);
        acknowledged.push(name);
      }
    };
    const working = work();
    await Promise.race([working, dead]);
    const running = await started(file, { lockStaleMs: 20 });
    expect(
      acknowledged.filter((name) => !has(running, name)),
      `dies at call ${number}`,
    ).toEqual([]);
    await running.close();
    bury();
    await working.catch(() => {});
    return calls;
  }

  test('loses nothing it acknowledged at any call of the file system', async () => {
    const origin = await fileWith('old');
    const calls = await diesAt(Number.POSITIVE_INFINITY, origin);
    expect(calls).toBeGreaterThan(20);
    await Promise.all(Array.from({ length: calls }, (_, number) => diesAt(number, origin)));
  });
});

describe('a failing file system', () => {
  test('fails the write at any call, but keeps acknowledged writes and accepts later ones', async () => {
    for (let failsAt = 0, isReached = true; isReached; failsAt++) {
      let isFailing = false;
      let calls = 0;
      const around = async (call: Call): Promise<unknown> => {
        if (!isFailing || calls++ !== failsAt) return call.run();
        if (call.name === 'writeFile') await call.runHalf();
        if (call.name === 'close') await call.run();
        throw systemError('ENOSPC');
      };
      const file = newFile();
      // The lock has no heartbeat here, because its calls would be counted.
      const running = await started(file, { fileSystem: watchedFileSystem(around), lockStaleMs: 3_600_000 });
      await submit(running, 'old');
      isFailing = true;
      const isRefused = await submit(running, 'refused').then(
        () => false,
        () => true,
      );
      isReached = calls > failsAt;
      isFailing = false;
      expect(has(running, 'refused')).toBe(!isRefused);
      await submit(running, 'new');
      await running.close();
      const names = ['old', 'new', ...(isRefused ? [] : ['refused'])];
      expect(await foundIn(file, names), `fails at call ${failsAt}`).toEqual(names);
    }
  });

  test('is reported at the start if it cannot hold the file, and the service can be closed', async () => {
    const file = newFile();
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, 'a file, not a folder');
    const below = join(file, 'state.json');
    expect(await failureOf(below)).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining(below) });
    const service = createService({ state: { file: below } });
    const ask = () => service.fetch('https://service.test/asset/blocklist/version');
    await expect(ask()).rejects.toThrow(/EEXIST|ENOTDIR/);
    await expect(service.publish()).rejects.toThrow(/EEXIST|ENOTDIR/);
    await expect(service.listen()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await service.close();
  });
});

describe('a damaged file', () => {
  test.each([
    ['with another byte at its start', (bytes: Buffer) => flipped(bytes, 0)],
    ['with another byte in its checksum', (bytes: Buffer) => flipped(bytes, 30)],
    ['with another byte after its checksum', (bytes: Buffer) => flipped(bytes, 85)],
    ['with another byte in the middle', (bytes: Buffer) => flipped(bytes, bytes.length >> 1)],
    ['with another byte at its end', (bytes: Buffer) => flipped(bytes, bytes.length - 1)],
    ['that is cut', (bytes: Buffer) => bytes.subarray(0, -1)],
    ['that is longer', (bytes: Buffer) => Buffer.concat([bytes, Buffer.from(' ')])],
    ['that is empty', () => Buffer.alloc(0)],
  ])('%s is rejected and left as it is', async (_, damage) => {
    const file = await fileWith('one');
    const damaged = damage(await readFile(file));
    await writeFile(file, damaged);
    expect(await failureOf(file)).toMatchObject({ code: 'INVALID_ARTIFACT', message: expect.stringContaining(file) });
    expect(await readFile(file)).toEqual(damaged);
    await rm(file);
    expect(await foundIn(file, ['one'])).toEqual([]);
  });

  function flipped(bytes: Buffer, at: number): Buffer {
    bytes[at]! ^= 1;
    return bytes;
  }
});

describe('two services on one file', () => {
  test('cannot run at the same time: the second is rejected with CONFLICT', async () => {
    const file = newFile();
    const first = await started(file);
    const names = ['one', 'two', 'three'];
    const second = failureOf(file);
    for (const name of names) await submit(first, name);
    expect(await second).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining(file) });
    await submit(first, 'four');
    await first.close();
    expect(await foundIn(file, [...names, 'four'])).toEqual([...names, 'four']);
  });

  // Its lock file no longer changes, as if the process were suspended.
  test('never overwrite each other, even if the first loses its lock', async () => {
    const file = newFile();
    const first = await started(file, { lockStaleMs: 3_600_000 });
    await submit(first, 'one');
    const second = await started(file);
    await submit(second, 'two');
    await expect(submit(first, 'three')).rejects.toMatchObject({ status: 500 });
    expect(first.service.requests().at(-1)?.error).toMatchObject({ code: 'CONFLICT' });
    expect(has(first, 'three')).toBe(false);
    await submit(second, 'four');
    await Promise.all([first.close(), second.close()]);
    expect(await foundIn(file, ['one', 'two', 'three', 'four'])).toEqual(['one', 'two', 'four']);
  });
});

test('writes that arrive together are stored together', async () => {
  let renames = 0;
  const fileSystem = watchedFileSystem((call) => {
    if (call.name === 'rename') renames++;
    return call.run();
  });
  const file = newFile();
  const running = await started(file, { fileSystem });
  renames = 0;
  const names = Array.from({ length: 50 }, (_, at) => `together-${at}`);
  await Promise.all(names.map((name) => submit(running, name)));
  expect(renames).toBeLessThan(10);
  await running.close();
  expect(await foundIn(file, names)).toEqual(names);
});

test('a write that would make the state too large is rejected with 400, and no other write fails with it', async () => {
  const running = await started(newFile(), { data: 'empty', maxBytes: 20_000 });
  const add = (name: string) =>
    running.client.organization.assetsAdd({ assets: [{ content: `https://${name.slice(0, 20)}.example/`, name }] });
  const [small, large, last] = await Promise.allSettled([add('one'), add('x'.repeat(20_000)), add('two')]);
  expect(large).toMatchObject({ reason: { status: 400, issues: [{ message: expect.stringContaining('20000') }] } });
  for (const settled of [small, last]) expect(settled).toMatchObject({ value: { successCount: 1 } });
  expect(running.service.snapshot().tables.memberships!.map(({ name }) => name)).toEqual(['one', 'two']);
});

test('the file is readable by its owner only, its folder is created, and no temporary file stays', async () => {
  const file = join(dirname(newFile()), 'deep', 'deeper', 'state.json');
  const running = await started(file);
  await submit(running, 'one');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await running.close();
  expect(readdirSync(dirname(file)).sort()).toEqual(['state.json', 'state.json.lock']);
  expect(readdirSync(`${file}.lock`)).toEqual([expect.stringMatching(/^lock-\d+$/)]);
});

test('a copy of the file is a copy of the state', async () => {
  const file = await fileWith('one', 'two');
  const copy = newFile();
  await mkdir(dirname(copy), { recursive: true });
  await copyFile(file, copy);
  const [running, other] = [await started(file), await started(copy)];
  expect(other.service.snapshot()).toEqual(running.service.snapshot());
});

describe('a restarted service', () => {
  const group = async ({ client }: Running): Promise<number> => {
    const { id } = await client.organization.assetGroupsCreate({ name: 'short-lived' });
    await client.organization.assetGroupsDelete({ groupId: id });
    return id;
  };

  test('does not reuse the ids of removed records, even after a restored snapshot', async () => {
    const [file, other] = [newFile(), newFile()];
    const given: number[] = [];
    for (let round = 0; round < 3; round++) {
      const running = await started(file);
      given.push(await group(running));
      if (round === 2) {
        const restoring = await started(other);
        await restoring.service.restore(running.service.snapshot());
        await restoring.close();
      }
      await running.close();
    }
    given.push(await group(await started(other)));
    expect(given).toEqual([...new Set(given)].sort((a, b) => a - b));
  });

  test('takes the keys of its options and forgets those that are no longer there', async () => {
    const file = newFile();
    const statusOf = async (keys: Record<string, string[]>): Promise<number> => {
      const { service, close } = await started(file, { keys });
      const { status } = await service.fetch('https://service.test/validate', { headers: { 'x-api-key': 'mine' } });
      await close();
      return status;
    };
    expect([await statusOf({}), await statusOf({ mine: ['example-wallet'] }), await statusOf({})]).toEqual([401, 200, 401]);
  });

  test('does not repeat a secret', async () => {
    const file = newFile();
    const secrets: unknown[] = [];
    for (let round = 0; round < 3; round++) {
      const running = await started(file);
      secrets.push(((await running.client.webhooks.config({ url: 'https://hook.example/' })) as { secret?: string }).secret);
      await running.close();
    }
    expect(new Set(secrets).size).toBe(3);
  });
});

test('a request whose body arrives after the close is rejected', async () => {
  const running = await started(newFile());
  const { readable: body, writable } = new TransformStream<Uint8Array<ArrayBuffer>>();
  const headers = { 'x-api-key': running.service.key, 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
  const late = running.service.fetch('https://service.test/asset/submit', init).catch((error: unknown) => error);
  await sleep(20);
  await running.close();
  void new Blob(['{"assets":["https://late.example/"]}'])
    .stream()
    .pipeTo(writable)
    .catch(() => {});
  expect(await late).toMatchObject({ code: 'CLOSED' });
});

test('a reset is stored like any other change', async () => {
  const file = await fileWith('one');
  const running = await started(file);
  await running.service.reset();
  await running.close();
  expect(existsSync(file)).toBe(true);
  expect(await foundIn(file, ['one'])).toEqual([]);
});
