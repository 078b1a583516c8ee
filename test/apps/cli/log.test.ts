import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBlocklist } from 'portcullis';
import { transparencyLog } from 'portcullis/log';
import { ed25519, publishedSource } from 'portcullis/sources';
import { expect, test } from 'vitest';
import { keyOf, openNote, readProof } from '../../servers/log/log-reference.js';
import { listen } from '../../support/listen.js';
import { run, runJson, start, temporaryFolder } from './in-process.js';
import { loggedList } from './logged-list.js';

test('keygen makes the keys of a log, which publish logs with and witnesses cosign', async () => {
  const list = await loggedList();
  expect(statSync(join(list.folder, 'log.key')).mode & 0o777).toBe(0o600);
  expect(readFileSync(list.key, 'utf8').trim()).toBe(list.vkey);
  const first = await list.publish(3);
  expect([first.code, first.value.log]).toEqual([
    0,
    { index: 0, size: 1, cosigned: ['w0', 'w1', 'w2'], missing: [], isNew: true },
  ]);
  expect(first.stderr).toContain(`a new log begins in ${list.log}; if a log of this key exists elsewhere`);
  const second = await list.publish(4);
  expect(second.value.log).toMatchObject({ index: 1, size: 2, isNew: false });
  expect(second.stderr).not.toContain('new log');
  const { note } = readProof(readFileSync(join(list.out, 'version.proof'), 'utf8'));
  expect(openNote(note, [list.vkey, ...list.set.vkeys].map(keyOf)).signedBy).toHaveLength(4);
  expect(readdirSync(list.log).sort()).toEqual(['.lock', 'checkpoint', 'tile']);
  const human = await run([
    'publish',
    join(list.folder, 'list.txt'),
    '--out',
    list.out,
    ...['--sign', join(list.folder, 'list.key')],
    ...['--log', list.log, '--log-key', join(list.folder, 'log.key'), '--yes'],
  ]);
  expect(human.stdout).toContain('\n  logged   as version 2 of 3\n');

  list.set.close('w0');
  const third = await list.publish(4);
  expect([third.code, third.stderr]).toEqual([0, expect.stringContaining('no cosignature by w0: ')]);
  list.set.close('w1');
  const before = readFileSync(join(list.out, 'version.json'));
  const refused = await list.publish(4);
  expect([refused.code, refused.value.error]).toMatchObject([
    8,
    { code: 'LOG_NOT_WITNESSED', message: expect.stringContaining('1 of 3'), next: expect.stringContaining('clients keep') },
  ]);
  expect(readFileSync(join(list.out, 'version.json'))).toEqual(before);
});

test('a list with a log is not published without, and a dry run logs nothing', async () => {
  const list = await loggedList(1, 1);
  const dry = await list.publish(2, '--dry-run');
  expect([dry.code, existsSync(list.out)]).toEqual([0, false]);
  await list.publish(2);
  const args = ['publish', join(list.folder, 'list.txt'), '--out', list.out, '--sign', join(list.folder, 'list.key')];
  const refused = await runJson(args);
  expect([refused.code, refused.value.error.code]).toEqual([3, 'UNLOGGED_LIST']);
  const confirmed = await runJson([...args, '--yes']);
  expect([confirmed.code, confirmed.stderr]).toEqual([0, expect.stringContaining('has a log, and the new version would not be')]);
  // It would be the proof of another version.
  expect(existsSync(join(list.out, 'version.proof'))).toBe(false);
  expect((await list.publish(2)).value.log).toMatchObject({ index: 1 });
  const alone = [...args, '--log', list.log, '--log-key', join(list.folder, 'log.key')];
  const uncosigned = await runJson(alone);
  expect([uncosigned.code, uncosigned.value.error]).toEqual([
    3,
    {
      code: 'UNCOSIGNED_LIST',
      message: 'the published version is cosigned by w0.example, and none of them would be asked for the new one',
      next: 'name them with --log-policy, or confirm with --yes',
    },
  ]);
  expect((await runJson([...alone, '--dry-run'])).code).toBe(0);
  const meant = await runJson([...alone, '--yes']);
  expect([meant.code, meant.stderr]).toEqual([0, expect.stringContaining('cosigned by w0.example, and none')]);
  for (const [more, message] of [
    [['--log', list.log], '--log needs --log-key'],
    [['--log-key', 'x'], '--log-key needs --log'],
    [['--log', list.log, '--log-key', list.key], 'cannot be used as the key of a log'],
    [['--log', list.log, '--log-key', join(list.folder, 'log.key'), '--log-policy', list.key], 'line 1 of the policy'],
  ] as const)
    expect((await run([...args, ...more])).stderr).toContain(message);
  const unsigned = await run([...args.slice(0, 4), '--log', list.log, '--log-key', join(list.folder, 'log.key')]);
  expect([unsigned.code, unsigned.stderr]).toEqual([3, expect.stringContaining('--log needs --sign')]);
  // Another log, that clients do not know.
  await run(['keygen', join(list.folder, 'other.key'), '--log', 'other.example/list']);
  const other = [...args, '--log', join(list.folder, 'other'), '--log-key', join(list.folder, 'other.key')];
  expect((await run(other)).stderr).toContain('is not of this log');
  const otherwise = await run([...other, '--yes']);
  expect([otherwise.code, otherwise.stderr]).toEqual([0, expect.stringContaining('list is in another log')]);
});

test('log verify shows every version, from a folder and from a host', async () => {
  const list = await loggedList();
  // Removed entries leave the counts of a version with its snapshot.
  for (const hosts of [150, 160, 70]) await list.publish(hosts, '--yes', '--new-snapshot');
  const url = await listen({
    fetch: async (request: Request) => {
      const file = join(list.out, new URL(request.url).pathname);
      return existsSync(file) && statSync(file).isFile() ? new Response(readFileSync(file)) : new Response(null, { status: 404 });
    },
  });
  for (const place of [list.out, url]) {
    const { code, value } = await list.verify(place, '--log-policy', list.policy);
    // The list has halved.
    expect([code, value.size, value.listed]).toEqual([7, 3, 2]);
    const shown = value.versions.map((one: Record<string, unknown>) => [
      one['index'],
      one['count'],
      one['change'],
      one['findings'],
    ]);
    expect(shown).toEqual([
      [0, 150, null, []],
      [1, 160, 10, []],
      [2, 70, -90, ['shrunk']],
    ]);
    expect(value.alerts).toEqual([{ code: 'SHRUNK', message: expect.stringContaining('version 2 has less than half') }]);
  }
  const human = await run(['log', 'verify', list.log, '--list', list.out, '--key', list.vkey]);
  expect([human.code, human.stdout]).toEqual([
    7,
    expect.stringMatching(
      /log: 3 versions\n +0 {2}\d{4}-.*150 entries, 0 recent\n.*160 entries \(\+10\).*\n.*70 entries \(-90\).* shrunk\nthe list is version 2\nALERT /,
    ),
  ]);
  const csv = await run(['log', 'verify', list.out, '--key', list.vkey, '--output', 'csv']);
  expect(csv.stdout).toMatch(/^index,sequence,listName,count,recentCount,change,findings\r\n0,/);
});

test('clients that demand the log accept what publish wrote, and no version outside it', async () => {
  const list = await loggedList(4, 3);
  await list.publish(1);
  const served = start(['serve', '--published', list.out, '--port', '0', '--json']);
  const [, url = ''] = await served.until(/"listening":\s*"([^"]+)"/);
  const log = transparencyLog({ key: list.vkey, witnesses: list.set.vkeys });
  const alone = transparencyLog({ key: list.vkey });
  const publicKeys = [readFileSync(join(list.folder, 'list.key.pub'), 'utf8').trim()];
  const blocklists = [log, alone].map((one) =>
    createBlocklist({ sources: [publishedSource({ url, publicKeys, verifier: ed25519, log: one })], pollMs: 0 }),
  );
  const outcomes = async (): Promise<string[]> =>
    Promise.all(
      blocklists.map(async (blocklist) => {
        const { sources } = await blocklist.sync();
        return sources[0]!.error?.code ?? sources[0]!.outcome;
      }),
    );
  try {
    expect(await outcomes()).toEqual(['updated', 'updated']);
    expect((await blocklists[0]!.check('h0.example')).status).toBe('blocked');
    list.set.close('w3');
    await list.publish(2);
    expect(await outcomes()).toEqual(['updated', 'updated']);
    const args = ['publish', join(list.folder, 'list.txt'), '--out', list.out, '--sign', join(list.folder, 'list.key'), '--yes'];
    expect((await run(args)).code).toBe(0);
    expect(await outcomes()).toEqual(['LOG_PROOF_MISSING', 'LOG_PROOF_MISSING']);
    expect((await list.publish(3)).code).toBe(0);
    expect(await outcomes()).toEqual(['updated', 'updated']);
  } finally {
    for (const blocklist of blocklists) await blocklist.close();
  }
});

test('serve --published serves the log of a list as a static host does', async () => {
  const list = await loggedList(1, 1);
  await list.publish(1);
  const served = start(['serve', '--published', list.out, '--port', '0', '--json']);
  const [, url = ''] = await served.until(/"listening":\s*"([^"]+)"/);
  const answer = (name: string): Promise<Response> => fetch(new URL(name, url));
  const kinds = async (name: string) => {
    const { status, headers } = await answer(name);
    return [status, headers.get('content-type'), headers.get('cache-control'), headers.get('access-control-allow-origin')];
  };
  const text = [200, 'text/plain; charset=utf-8', 'max-age=5', '*'];
  const tile = [200, 'application/octet-stream', 'max-age=31536000, immutable', '*'];
  expect(await Promise.all(['/log/checkpoint', '/version.proof', '/version.proof?00'].map(kinds))).toEqual([text, text, text]);
  expect(await Promise.all(['/log/tile/0/000.p/1', '/log/tile/entries/000.p/1'].map(kinds))).toEqual([tile, tile]);
  for (const name of ['/log/.lock/', '/log/tile/0/000', '/log/tile/0/000.p/0', '/log/tile/../checkpoint/x', '/log/'])
    expect([name, (await answer(name)).status]).toEqual([name, 404]);
  expect((await list.verify(url.replace(/\/$/, ''))).code).toBe(0);
});

test('log verify sees a version that is not in the log, a changed tile, and a missing file', async () => {
  const list = await loggedList(1, 1);
  await list.publish(1);
  await list.publish(2);
  const copy = (): string => {
    const folder = temporaryFolder();
    cpSync(list.out, folder, { recursive: true });
    return folder;
  };
  const outside = copy();
  writeFileSync(join(list.folder, 'one.txt'), 'for-one-reader.example\n');
  await run(['publish', join(list.folder, 'one.txt'), '--out', outside, '--sign', join(list.folder, 'list.key'), '--yes']);
  const hidden = await list.verify(outside);
  expect([hidden.code, hidden.value.alerts]).toEqual([
    2,
    [{ code: 'LOG_PROOF_INVALID', message: expect.stringContaining('not in the log') }],
  ]);
  const changed = copy();
  const tile = join(changed, 'log/tile/0/000.p/2');
  const bytes = readFileSync(tile);
  bytes[40]! ^= 1;
  writeFileSync(tile, bytes);
  expect(await list.verify(changed)).toMatchObject({ code: 2, value: { alerts: [{ code: 'LOG_PROOF_INVALID' }] } });
  const unproven = copy();
  rmSync(join(unproven, 'version.proof'));
  expect(await list.verify(unproven)).toMatchObject({ code: 2, value: { alerts: [{ code: 'LOG_PROOF_MISSING' }] } });
  const cut = copy();
  rmSync(join(cut, 'log/tile/entries/000.p/2'));
  expect(await list.verify(cut)).toMatchObject({ code: 8, value: { alerts: [{ code: 'NOT_FOUND' }] } });
  const gone = await run(['log', 'verify', list.folder, '--key', list.key]);
  expect([gone.code, gone.stderr]).toEqual([8, expect.stringMatching(/has no checkpoint \[NOT_FOUND\]\n +check the address/)]);
  const wrongKey = await run(['log', 'verify', list.out, '--key', join(list.folder, 'list.key.pub')]);
  expect([wrongKey.code, wrongKey.stderr]).toEqual([3, expect.stringMatching(/^portcullis: key must be the vkey of a log/)]);
  expect((await run(['log', 'verify', list.out])).stderr).toContain('--key is missing');
  expect((await run(['log', 'verify', list.out, '--key', join(list.folder, 'log.key')])).stderr).toContain('has a private key');
});

test('log verify --follow reports each new version, and a fork with both checkpoints', async () => {
  const list = await loggedList(1, 1);
  await list.publish(1);
  const backup = temporaryFolder();
  cpSync(list.log, backup, { recursive: true });
  const monitor = start(['log', 'verify', list.out, '--key', list.key, '--follow', '--interval', '1', '--json']);
  await monitor.until(/"index":0/);
  await list.publish(2);
  await monitor.until(/"index":1/);
  // The same key, another history: without the witnesses, and over the proof that clients have.
  rmSync(list.log, { recursive: true });
  cpSync(backup, list.log, { recursive: true });
  const alone = [join(list.folder, 'list.txt'), '--out', list.out, '--sign', join(list.folder, 'list.key')];
  const forked = [...alone, '--log', list.log, '--log-key', join(list.folder, 'log.key')];
  expect(await list.publish(3, '--yes')).toMatchObject({
    code: 8,
    value: { error: { code: 'LOG_FORKED', next: expect.stringContaining('log verify') } },
  });
  expect(await runJson(['publish', ...forked, '--yes'])).toMatchObject({ code: 8, value: { error: { code: 'LOG_FORKED' } } });
  rmSync(join(list.out, 'version.proof'));
  expect((await runJson(['publish', ...forked])).code).toBe(0);
  const [line] = await monitor.until(/\{"alert":.*LOG_FORKED.*\n/);
  expect(JSON.parse(line).alert.checkpoints).toHaveLength(2);
  monitor.interrupt();
  expect(await monitor.ended).toBe(2);
});

test('log refresh collects fresh cosignatures without a version or a private key', async () => {
  const list = await loggedList(2, 2);
  await list.publish(1);
  const version = readFileSync(join(list.out, 'version.json'));
  const proof = () => readFileSync(join(list.out, 'version.proof'), 'utf8');
  const before = proof();
  rmSync(join(list.folder, 'log.key'));
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  const args = ['log', 'refresh', list.out, '--key', list.key, '--log-policy', list.policy];
  const { code, value } = await runJson(args);
  expect([code, value]).toEqual([0, { list: list.out, log: list.log, index: 0, size: 1, cosigned: ['w0', 'w1'], missing: [] }]);
  expect(proof()).not.toBe(before);
  expect(readFileSync(join(list.out, 'version.json'))).toEqual(version);
  expect((await list.verify(list.out, '--log-policy', list.policy)).code).toBe(0);
  const kept = proof();
  list.set.close('w1');
  expect(await runJson(args)).toMatchObject({ code: 8, value: { error: { code: 'LOG_NOT_WITNESSED' } } });
  expect(proof()).toBe(kept);
  // Half of the witnesses are silent, and two are needed: no hidden fork is possible.
  expect((await list.verify(list.out, '--log-policy', list.policy)).code).toBe(0);
});
