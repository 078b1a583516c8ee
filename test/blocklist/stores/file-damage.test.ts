import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBlocklist } from 'portcullis';
import { textSource } from 'portcullis/sources';
import { fileStore, findDamagedValues } from 'portcullis/stores/file';
import { expect, onTestFinished, test } from 'vitest';

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
