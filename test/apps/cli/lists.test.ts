import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBlocklist } from 'portcullis';
import { publishedSource } from 'portcullis/sources';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../../support/scripted-server.js';
import { startServer } from './harness.js';
import { run, runJson, temporaryFolder } from './in-process.js';

const filter = '! Title: x\n||evil.example^\n||b.example^$third-party\nb.example##.ad\n@@||c.example^\n';

test('sync --list fetches a list in any format, stores it, and fetches it again only if it has changed', async () => {
  const server = await serve(() => ({ body: filter, headers: { etag: '"1"' } }));
  const env = { HOME: temporaryFolder() };
  const url = `${server.origin}/list?token=secret`;
  const first = await runJson(['sync', '--list', url], { env });
  expect([first.code, first.stderr]).toEqual([0, '']);
  expect(first.value.sources).toEqual([
    expect.objectContaining({
      source: 'list-1',
      outcome: 'updated',
      count: 1,
      report: expect.objectContaining({ format: 'filter', listed: 1, allowed: 1, ignored: 1, refusedBy: { option: 1 } }),
    }),
  ]);
  expect((await runJson(['sync', '--list', url], { env })).value.outcome).toBe('unchanged');
  expect(server.requests.filter(({ method }) => method === 'GET').length).toBe(1);
  const human = await run(['check', '--list', url, 'https://login.evil.example/', 'b.example'], { env });
  expect(human.stdout).toMatch(/block.*evil\.example/);
  expect(human.code).toBe(6);
  const again = await run(['sync', '--list', url, '--store', join(env.HOME, 'other')], { env });
  expect(again.stdout).toContain('read as filter; 1 line cannot be listed: line 3 (option)');
  expect(again.stdout + again.stderr).not.toContain('secret');
});

test('a list that is redirected in a loop is reported as such', async () => {
  const server = await serve(() => ({ status: 302, headers: { location: '/again' } }));
  const { stdout, stderr } = await run(['sync', '--list', `${server.origin}/list`], { env: { HOME: temporaryFolder() } });
  expect(stdout + stderr).toContain('more than 3 redirects');
  const published = await run(['publish', 'ftp://lists.example/x', '--out', temporaryFolder()]);
  expect([published.code, published.stderr]).toEqual([3, expect.stringContaining('cannot be fetched over ftp')]);
});

test('each command says for every reason what to write instead, in the format of the list', async () => {
  const file = join(temporaryFolder(), 'list.json');
  writeFileSync(file, '{"domains":["evil.example","bit.ly","8.8"],"urls":["b.example"]}');
  const expected = [
    'domains[1] (shared-host), domains[2] (number), urls (unread-list)',
    'for shared-host: write the page',
    'for number: write an address',
    'for unread-list: rename it to blocklist',
  ];
  for (const command of [['sync'], ['check', 'x.example'], ['doctor']]) {
    const { stdout, stderr } = await run([...command, '--list', file]);
    for (const text of expected) expect(stdout + stderr).toContain(text);
  }
  const { stderr } = await run(['publish', file, file, '--out', join(temporaryFolder(), 'out')]);
  expect(stderr).toContain(`${file}: domains[1]: shared-host bit.ly; write the page`);
  expect(stderr).toContain(`${file}: urls: unread-list; rename it to blocklist`);
});

test('a list whose entries all have an unknown status is refused with the status words, not with another format', async () => {
  const file = join(temporaryFolder(), 'list.csv');
  writeFileSync(file, 'url,status\nevil.example,new\nother.example,Crypto drainer\n');
  for (const command of [
    ['check', 'x.example', '--list', file],
    ['serve', '--port', '0', '--list', file],
    ['publish', file, '--out', join(temporaryFolder(), 'out')],
  ]) {
    const { code, stderr } = await run(command);
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining(
        '[EMPTY_LIST]\n  for not-blocked: its status is not known to mean blocked; write blocked, malicious',
      ),
    ]);
    expect(stderr).not.toContain('set --format');
  }
});

test('a list of links that one rule makes a filter list says which format to set', async () => {
  const file = join(temporaryFolder(), 'list.txt');
  writeFileSync(file, 'https://evil.example/a\nhttps://other.example/b\n||third.example^\n');
  const { stderr } = await run(['publish', file, '--out', join(temporaryFolder(), 'out')]);
  expect(stderr).toContain('list.txt:1: pattern; write ||host^ without a port');
  expect(stderr).toContain('for a list of links, set the format lines');
});

test('publish reads URLs, and the column that is named', async () => {
  const server = await serve(() => ({ body: 'target,phish link\nmetamask.io,https://evil.example/x\n' }));
  const out = join(temporaryFolder(), 'out');
  const { value, code } = await runJson(['publish', `${server.origin}/feed?key=secret`, '--column', 'phish link', '--out', out]);
  expect([code, value.listed, value.report.formats]).toEqual([0, 1, [{ source: `${server.origin}/feed`, format: 'csv' }]]);
});

test('serve --list publishes lists for clients, and reads them again', async () => {
  const file = join(temporaryFolder(), 'mine.txt');
  writeFileSync(file, 'a.example\n');
  const server = await serve(() => ({ body: filter, headers: { etag: '"1"' } }));
  const served = await startServer(['serve', '--list', file, '--list', `${server.origin}/list`, '--port', '0']);
  const { url } = served;
  const blocklist = createBlocklist({ sources: [publishedSource({ url })], pollMs: 0 });
  onTestFinished(() => blocklist.close());
  await blocklist.ready();
  const statuses = await Promise.all(
    ['a.example', 'x.evil.example', 'b.example'].map(async (host) => (await blocklist.check(host)).status),
  );
  expect(statuses).toEqual(['blocked', 'blocked', 'clear']);
  expect(served.output()).toMatch(
    /mine\.txt: read as lines\n.*: read as filter\n2 entries served; 2 lines cannot be listed: .*; for option: write/,
  );
  expect((await fetch(`${url}/mine.txt`)).status).toBe(404);
  expect(await served.interrupt()).toBe(0);
});
