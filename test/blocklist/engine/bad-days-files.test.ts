import { setTimeout as sleep } from 'node:timers/promises';
import { createBlocklist } from 'portcullis';
import { serviceSource } from 'portcullis/sources';
import { fileStore } from 'portcullis/stores/file';
import { expect, test } from 'vitest';
import { isDeep } from '../../support/setup.js';
import { folders } from '../stores/processes.js';
import { isHit, newWorld, noStrayRejections, oldNames } from './bad-days-harness.js';
import { fast, recentOf, shared, type Task } from './bad-days-tasks.js';
import { away, heard } from './harness.js';
import { type OwnSource, ownSource } from './own-source.js';

noStrayRejections();

const { next, start } = folders<Task>(new URL('./bad-days-child.ts', import.meta.url));

/** The source of a stored list, and no network: by default of a list without an address. */
const awaySource = (baseUrl?: string): OwnSource => {
  const source = ownSource({ id: 'service', ...(baseUrl !== undefined && { origin: serviceSource({ baseUrl }).origin! }) });
  return Object.assign(source, { before: away });
};

test('a killed process keeps everything it acknowledged, even if processes on one folder are killed repeatedly at any moment', async () => {
  const own = await newWorld();
  const directory = next();
  const listed = [...oldNames];
  const rounds = isDeep ? 12 : 2;
  let stored = 0;
  for (let round = 0; round < rounds; round++) {
    const child = start(directory, { kind: 'rounds', url: own.url, key: own.service.key });
    await child.printed(2);
    // The list changes while it is read and written.
    for (let more = 0; more < 3; more++) {
      const name = `moved-${round}-${more}.example`;
      await own.block(name);
      listed.push(name);
      if (more === 1 && round % 3 === 0) await own.service.publish();
      await sleep(Math.random() * 20);
    }
    child.process.kill('SIGKILL');
    expect(await child.ended).toBe('SIGKILL');
    const said = child.lines.filter((line) => line.endsWith('true'));
    const blocklist = createBlocklist({ sources: [awaySource(own.url)], store: fileStore({ directory, ...fast }), pollMs: 0 });
    const damages = heard(blocklist, 'damaged', 'error');
    await blocklist.ready();
    const { list } = blocklist.status().sources[0]!;
    expect(list).not.toBe(null);
    const held = listed.filter((name) => isHit(blocklist.test(name)));
    // Nothing stored is lost, and only the newest entries may be missing.
    expect(held).toEqual(listed.slice(0, held.length));
    expect(held.length).toBeGreaterThanOrEqual(Math.max(stored, listed.length - 3));
    stored = held.length;
    expect(damages).toEqual([]);
    // The last acknowledged list is there, or a later one.
    const found = said.lastIndexOf(`list ${list!.snapshotToken} ${list!.recentToken} true`);
    expect([-1, said.length - 1]).toContain(found);
    await blocklist.close();
  }
  await own.service.close();
});

test('several processes on one folder lose no recents if theirs differ under one snapshot', async () => {
  const directory = next();
  const rounds = isDeep ? 25 : 5;
  const children = [1, 2, 3].map((id) => start(directory, { kind: 'recents', id, rounds }));
  for (const child of children) expect(await child.ended).toBe(0);
  const blocklist = createBlocklist({ sources: [awaySource()], store: fileStore({ directory, ...fast }), pollMs: 0 });
  const events = heard(blocklist, 'damaged', 'error');
  await blocklist.ready();
  expect(events).toEqual([]);
  const lost: string[] = [];
  for (const [at, child] of children.entries()) {
    expect(child.lines).toHaveLength(rounds);
    for (let round = 1; round <= rounds; round++) {
      const name = recentOf(at + 1, round);
      if (!isHit(blocklist.test(name))) lost.push(name);
      if (round % 5 === 0) expect(blocklist.test(`${at + 1}-${round}.override.example`)).toMatchObject({ reason: 'override' });
    }
  }
  expect(lost).toEqual([]);
  expect(isHit(blocklist.test(shared))).toBe(true);
  await blocklist.close();
});
