import { spawnSync } from 'node:child_process';
import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createWitness } from '../../../examples/witness/witness.js';
import { temporaryFolder } from '../../apps/cli/in-process.js';
import { originOf } from '../../support/listen.js';
import { litewitnessLogKey, litewitnessOrigin, litewitnessRequests } from './litewitness.js';

const sha256 = (...parts: readonly (Buffer | string)[]): Buffer =>
  createHash('sha256')
    .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
    .digest();

const vkeyOf = (name: string, key: Buffer): string => {
  const typed = Buffer.concat([Buffer.of(1), key]);
  return `${name}+${sha256(`${name}\n`, typed).toString('hex', 0, 4)}+${typed.toString('base64')}`;
};

const add = (url: string, body: string): Promise<Response> => fetch(`${url}/add-checkpoint`, { method: 'POST', body });

test('answers the requests of litewitness as it does', async () => {
  const folder = temporaryFolder();
  const vkey = vkeyOf(litewitnessOrigin, Buffer.from(litewitnessLogKey, 'hex'));
  const url = await originOf(createWitness(folder, 'witness.example/w', [vkey]).server);
  for (const [what, body, status, size] of litewitnessRequests) {
    const answer = await add(url, body);
    const text = await answer.text();
    expect([what, answer.status]).toEqual([what, status]);
    if (status === 200) expect(text).toMatch(/^\u2014 witness\.example\/w \S+\n$/);
    if (size === undefined) continue;
    expect([text, answer.headers.get('content-type')]).toEqual([`${size}\n`, 'text/x.tlog.size']);
  }
});

/** A log of two entries, `one` and `two`, and a signer. */
function smallLog(name = 'log.example/a') {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const vkey = vkeyOf(name, publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
  const [first, second] = ['one', 'two'].map((entry) => sha256('\0', entry)) as [Buffer, Buffer];
  const roots = [sha256(''), first, sha256('\x01', first, second)];
  const noteOf = (size: number, root = roots[size]!, extra = ''): string => {
    const text = `${name}\n${size}\n${root.toString('base64')}\n${extra}`;
    const id = Buffer.from(vkey.split('+')[1]!, 'hex');
    return `${text}\n\u2014 ${name} ${Buffer.concat([id, sign(null, Buffer.from(text), privateKey)]).toString('base64')}\n`;
  };
  return { name, vkey, noteOf, second: second.toString('base64'), first: first.toString('base64') };
}

test('cosigns growth, gives a fresh time for the same size, and keeps its key and the size over a restart', async () => {
  const folder = temporaryFolder();
  const log = smallLog();
  let nowMs = 1_700_000_000_999;
  const started = () => createWitness(folder, 'witness.example/w', [log.vkey], () => nowMs);
  const first = started();
  const url = await originOf(first.server);
  const key = /^[^+]+\+[^+]+\+(.+)$/.exec(first.vkey)![1]!;
  const bytes = Buffer.from(key, 'base64');
  const publicKey = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: bytes.subarray(1).toString('base64url') },
    format: 'jwk',
  });
  const cosigned = async (at: string, body: string): Promise<number> => {
    const line = await (await add(at, body)).text();
    const data = Buffer.from(line.trim().split(' ')[2]!, 'base64');
    const text = body.slice(body.indexOf('\n\n') + 2).split('\n\n')[0]!;
    const seconds = data.readBigUInt64BE(4);
    expect(verify(null, Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}\n`), publicKey, data.subarray(12))).toBe(true);
    return Number(seconds);
  };
  expect(await cosigned(url, `old 0\n\n${log.noteOf(0)}`)).toBe(1_700_000_000);
  await cosigned(url, `old 0\n\n${log.noteOf(1)}`);
  await cosigned(url, `old 1\n${log.second}\n\n${log.noteOf(2)}`);
  nowMs += 60_000;
  expect(await cosigned(url, `old 2\n\n${log.noteOf(2)}`)).toBe(1_700_000_060);
  const monitored = `/${sha256(log.name).toString('hex')}/checkpoint`;
  const shown = await (await fetch(url + monitored)).text();
  expect(shown.startsWith(log.noteOf(2))).toBe(true);
  expect(shown.match(/^\u2014 /gm)).toHaveLength(2);
  expect(statSync(join(folder, 'key')).mode & 0o777).toBe(0o600);

  const again = started();
  expect(again.vkey).toBe(first.vkey);
  const next = await originOf(again.server);
  expect((await add(next, `old 0\n\n${log.noteOf(1)}`)).status).toBe(409);
  expect((await fetch(next + monitored)).status).toBe(200);
  expect((await fetch(`${next}/${'0'.repeat(64)}/checkpoint`)).status).toBe(404);
  expect((await fetch(`${next}/../key`)).status).toBe(404);
  expect(readdirSync(folder)).toHaveLength(2);
});

test('never cosigns a fork, also if requests come at once', async () => {
  const log = smallLog();
  const { server } = createWitness(temporaryFolder(), 'witness.example/w', [log.vkey]);
  const url = await originOf(server);
  const other = sha256('another tree');
  expect((await add(url, `old 0\n\n${log.noteOf(0, other)}`)).status).toBe(422);
  const racing = [log.noteOf(2), log.noteOf(1), log.noteOf(2, other), log.noteOf(1, other)].map((note) =>
    add(url, `old 0\n\n${note}`),
  );
  const statuses = (await Promise.all(racing)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  const asked = await add(url, `old 0\n\n${log.noteOf(1)}`);
  expect(asked.status).toBe(409);
  const size = Number(await asked.text());
  const statusesOfForks = await Promise.all(
    [other, sha256('a third')].map(async (root) => (await add(url, `old ${size}\n\n${log.noteOf(size, root)}`)).status),
  );
  expect(statusesOfForks.filter((status) => status === 422).length).toBeGreaterThanOrEqual(1);
});

test.each([
  ['no old size', (note: string) => `\n\n${note}`, 400],
  ['a leading zero', (note: string) => `old 00\n\n${note}`, 400],
  ['a size above the checkpoint', (note: string) => `old 3\n\n${note}`, 400],
  ['64 hashes', (note: string) => `old 0\n${`${'A'.repeat(43)}=\n`.repeat(64)}\n${note}`, 400],
  ['a hash of 31 bytes', (note: string) => `old 0\n${'A'.repeat(42)}==\n\n${note}`, 400],
  ['a proof from nothing', (note: string) => `old 0\n${'A'.repeat(43)}=\n\n${note}`, 422],
  ['too many bytes', (note: string) => `old 0\n\n${note}${' '.repeat(140_000)}`, 413],
  [
    'another key with the same name',
    (note: string) =>
      `old 0\n\n${note.replace(/(\u2014 \S+ )\S+/, (_, start) => `${start}${Buffer.alloc(68).toString('base64')}`)}`,
    403,
  ],
])('refuses %s', async (_, bodyOf, status) => {
  const log = smallLog();
  const url = await originOf(createWitness(temporaryFolder(), 'witness.example/w', [log.vkey]).server);
  expect((await add(url, bodyOf(log.noteOf(2)))).status).toBe(status);
});

test.each([
  ['no log', (_: string) => [], 'witness.example/w'],
  ['an empty key', () => [''], 'witness.example/w'],
  ['a changed key', (vkey: string) => [vkey.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))], 'witness.example/w'],
  ['the key of a witness', (vkey: string) => [vkey.replace(/\+AT?[Q-Za-f]/, '+BA')], 'witness.example/w'],
  ['a name with a space', (vkey: string) => [vkey], 'a b'],
  ['no name', (vkey: string) => [vkey], ''],
])('does not start with %s', (_, keysOf, name) => {
  const folder = temporaryFolder();
  expect(() => createWitness(folder, name, keysOf(smallLog().vkey))).toThrow(/is not the vkey of a log|no log, or a name/);
  expect(readdirSync(folder)).toEqual([]);
});

test('its command prints how to use it', () => {
  const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', 'examples/witness/witness.ts'], {
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^Error: no log, .*\nusage: witness.ts <folder> .*\n$/)]);
});
