import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore } from 'portcullis/stores';
import { fileStore } from 'portcullis/stores/file';
import { expect, onTestFinished, test } from 'vitest';
import { away, heard, listing, opened } from './harness.js';
import { ownSource } from './own-source.js';

function folder(): string {
  const directory = mkdtempSync(join(tmpdir(), 'portcullis-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test('stored sets keep their contents while neither the clock nor random changes', async () => {
  const store = memoryStore();
  const source = ownSource({ whole: true, recentToken: 'r1' });
  const start = () => opened({ sources: [source], store, random: () => 0.5 }).blocklist;
  const names = ['a.example', 'b.example', 'c.example', 'd.example', 'e.example'];
  for (let round = 0; round < 5; round++) {
    const [a, b, c, d, e] = names.map((_, at) => names[(at + round) % 5]!) as [string, string, string, string, string];
    Object.assign(source.list, { snapshotToken: `s${round}`, recentToken: `r${round}` });
    Object.assign(source.list, { snapshot: [a, b, d], recent: [c, d], remove: [b], allow: [d] });
    const writer = start();
    expect((await writer.sync()).outcome).toBe('updated');
    await writer.close();
    const reader = start();
    await reader.check('localhost');
    const statuses = [a, b, c, d, e].map((name) => reader.test(name).status);
    expect(statuses).toEqual(['blocked', 'clear', 'blocked', 'allowed', 'clear']);
    await reader.close();
  }
});

test('a head that cannot be read costs only this head, and the list before it answers', async () => {
  const directory = folder();
  const { source, blocklist } = await listing({}, { store: fileStore({ directory }) });
  Object.assign(source.list, { snapshotToken: 's2', snapshot: ['evil.example', 'new.example'] });
  await blocklist.sync();
  await blocklist.close();
  const newest = readdirSync(directory)
    .filter((name) => name.startsWith('head-own'))
    .sort()
    .at(-1)!;
  rmSync(join(directory, newest));
  mkdirSync(join(directory, newest));
  source.before = away;
  const again = opened({ sources: [source], store: fileStore({ directory }) });
  const damages = heard(again.blocklist, 'damaged');
  const errors = heard(again.blocklist, 'error');
  await again.blocklist.check('localhost');
  expect(damages.map(({ name }) => name)).toEqual(['own/head']);
  expect(errors).toEqual([]);
  expect(again.blocklist.test('evil.example').status).toBe('unconfirmed');
  source.before = () => {};
  expect((await again.blocklist.sync()).outcome).toBe('updated');
  expect(again.blocklist.test('new.example').status).toBe('unconfirmed');
  expect(again.blocklist.status().sources[0]!.isStored).toBe(true);
});
