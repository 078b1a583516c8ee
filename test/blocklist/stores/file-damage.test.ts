import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBlocklist } from 'portcullis';
import { textSource } from 'portcullis/sources';
import { fileStore, findDamagedValues } from 'portcullis/stores/file';
import { expect, onTestFinished, test } from 'vitest';
import { decodeJsonRecord, encodeJsonRecord, encodeRecord } from '../../../src/blocklist/formats/record.js';
import { away, heard } from '../engine/harness.js';
import { ownSource } from '../engine/own-source.js';

async function storedList(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'portcullis-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const sources = [textSource({ id: 'mine', text: 'evil.example\n' })];
  const blocklist = createBlocklist({ sources, store: fileStore({ directory }), pollMs: 0 });
  await blocklist.sync();
  await blocklist.close();
  return directory;
}

test('finds no damage in a stored list, and none in an empty folder', async () => {
  expect(await findDamagedValues({ directory: await storedList() })).toEqual([]);
  const empty = mkdtempSync(join(tmpdir(), 'portcullis-'));
  onTestFinished(() => rmSync(empty, { recursive: true, force: true }));
  expect(await findDamagedValues({ directory: empty })).toEqual([]);
});

test('names damaged values of the current list, and ignores others', async () => {
  const directory = await storedList();
  writeFileSync(join(directory, 'value-mine+base+0-orphan.bin'), 'nothing');
  expect(await findDamagedValues({ directory })).toEqual([]);
  const base = readdirSync(directory).find((name) => /^value-mine\+base/.test(name) && !name.includes('orphan'))!;
  writeFileSync(join(directory, base), 'nothing');
  expect(await findDamagedValues({ directory })).toEqual([base.slice('value-'.length, -'.bin'.length).replaceAll('+', '/')]);
  for (const head of readdirSync(directory).filter((name) => name.startsWith('head-mine'))) {
    writeFileSync(join(directory, head), 'nothing');
  }
  expect(await findDamagedValues({ directory })).toEqual(['mine/head']);
});

test('reports a folder that cannot be read', async () => {
  const directory = join(await storedList(), 'file');
  writeFileSync(directory, '');
  await expect(findDamagedValues({ directory })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
});

const listed = Array.from({ length: 40 }, (_, at) => `evil-${at}.example`);
/** Bytes of a record before its set: the frame, and the SHA-256 of the set. */
const setAt = 24 + 32;

/** The files of a list whose source is away. */
async function storedHosts() {
  const directory = mkdtempSync(join(tmpdir(), 'portcullis-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const open = (before?: typeof away) => {
    const source = Object.assign(ownSource({ snapshot: listed }), before && { before });
    return createBlocklist({ sources: [source], store: fileStore({ directory }), pollMs: 0 });
  };
  const blocklist = open();
  await blocklist.ready();
  await blocklist.close();
  const fileOf = (part: string): string => join(directory, readdirSync(directory).find((name) => name.includes(part))!);
  return { base: fileOf('+base+'), head: fileOf('head-own'), reopen: () => open(away) };
}

test('a listed host is never clear, whichever byte of its set or of the head is damaged', async () => {
  const { base, head, reopen } = await storedHosts();
  for (const file of [base, head]) {
    const whole = readFileSync(file);
    for (let at = 0; at < whole.length; at += whole.length > 500 ? 5 : 3) {
      writeFileSync(file, whole.with(at, whole[at]! ^ (1 << (at & 7))));
      const blocklist = reopen();
      await blocklist.ready().catch(() => {});
      for (const host of [listed[0]!, listed[at % 40]!]) expect(blocklist.test(host).status, `byte ${at}`).not.toBe('clear');
      await blocklist.close();
    }
    writeFileSync(file, whole);
  }
  const blocklist = reopen();
  await blocklist.ready();
  expect(blocklist.test('fine.example').status).toBe('clear');
  await blocklist.close();
});

test('a set that its writer stored out of order answers nothing, although its hash is right', async () => {
  const { base, head, reopen } = await storedHosts();
  const set = readFileSync(base).subarray(setAt);
  // The two last values change places.
  set.set(Buffer.concat([set.subarray(-4), set.subarray(-8, -4)]), set.length - 8);
  const sha256 = createHash('sha256').update(set).digest();
  writeFileSync(base, encodeRecord('named-set', Buffer.concat([sha256, set])));
  const record = decodeJsonRecord('head', readFileSync(head)) as { sets: { base: { sha256: string } } };
  record.sets.base.sha256 = sha256.toString('hex');
  writeFileSync(head, encodeJsonRecord('head', record));
  const blocklist = reopen();
  const damages = heard(blocklist, 'damaged');
  await blocklist.ready();
  expect(damages).toMatchObject([{ name: 'own/head' }]);
  expect(blocklist.test('fine.example')).toMatchObject({ status: 'unknown', reason: 'no-list' });
  await blocklist.close();
});
