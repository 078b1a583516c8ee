import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Running, run, runJson, start, temporaryFolder } from './in-process.js';

const secret = 'whs_the secret with a space';
const env = { PORTCULLIS_WEBHOOK_SECRET: secret };
const body =
  '{"type":"asset.status-updated","created_at":"2026-03-01T12:00:00Z","data":{"asset_id":7,"type":"URL","content":"evil.example","status":"BLOCKED"}}';
const signatureOf = (text: string, key = secret): string => `sha256=${createHmac('sha256', key).update(text).digest('hex')}`;

test('verify prints the event of a signed webhook', async () => {
  const { code, value, stderr } = await runJson(['webhook', 'verify', '--signature', signatureOf(body)], { input: body, env });
  expect([code, stderr]).toEqual([0, '']);
  expect(value).toEqual({
    type: 'asset.status-updated',
    name: 'asset.status-updated',
    createdAt: '2026-03-01T12:00:00.000Z',
    id: null,
    fingerprint: expect.stringMatching(/^[\da-f]{64}$/),
    data: { asset_id: 7, type: 'URL', content: 'evil.example', status: 'BLOCKED' },
  });
  const human = await run(['webhook', 'verify', '--signature', signatureOf(body)], { input: body, env });
  expect(human.stdout).toContain('asset.status-updated  2026-03-01T12:00:00.000Z  {"asset_id":7');
});

test('verify reads body, headers and secrets from files', async () => {
  const folder = temporaryFolder();
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const secrets = file('secrets', 'the-new-one\r\nthe-old-one\n');
  const args = ['webhook', 'verify', '--body', file('body', body), '--secret-file', secrets];
  const lines = file(
    'headers',
    `POST /hook HTTP/1.1\r\nHost: x\r\nX-Service-Signature: ${signatureOf(body, 'the-old-one')}\r\n\r\n`,
  );
  expect((await run([...args, '--headers', lines])).code).toBe(0);
  const object = file('headers.json', JSON.stringify({ 'x-service-signature': signatureOf(body, 'the-new-one') }));
  expect((await run([...args, '--headers', object])).code).toBe(0);
  expect((await run([...args, '--headers', file('bad.json', '{')])).code).toBe(3);
  const none = await run([...args, '--headers', '/nowhere']);
  expect([none.code, none.stderr]).toEqual([3, 'portcullis: the file for --headers cannot be read [ENOENT]\n']);
});

test('verify checks id and timestamp of a Standard Webhooks signature', async () => {
  const key = Buffer.alloc(24, 'k');
  const seconds = Math.floor(Date.now() / 1000);
  const signed = (id: string, at: number) => [
    `--signature=v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`,
    `--timestamp=${at}`,
    `--id=${id}`,
  ];
  const args = ['webhook', 'verify', '--scheme=standard'];
  const standard = { env: { PORTCULLIS_WEBHOOK_SECRET: `whsec_${key.toString('base64')}` }, input: body };
  expect((await runJson([...args, ...signed('msg_1', seconds)], standard)).value.id).toBe('msg_1');
  const late = await runJson([...args, ...signed('msg_1', seconds - 600)], standard);
  expect([late.code, late.value.error.code]).toEqual([2, 'TIMESTAMP_OUT_OF_RANGE']);
  expect((await run([...args, ...signed('msg_1', seconds - 600), '--tolerance=3600'], standard)).code).toBe(0);
});

test.each<[string, string[], string | Uint8Array, number, string]>([
  ['a wrong signature', ['--signature', signatureOf(`${body} `)], body, 2, 'SIGNATURE_INVALID'],
  ['a missing signature', [], body, 2, 'SIGNATURE_MISSING'],
  ['a body that is not an event', ['--signature', signatureOf('[]')], '[]', 3, 'INVALID_WEBHOOK'],
  ['a large body', ['--signature', signatureOf('x')], 'x'.repeat(2_000_000), 3, 'LIMIT_EXCEEDED'],
  ['an endless body', ['--body', '/dev/zero', '--signature', signatureOf('x')], '', 3, 'USAGE'],
  ['a body that is not text', ['--signature', signatureOf('x')], new Uint8Array([0, 255]), 2, 'SIGNATURE_INVALID'],
])('verify rejects %s', async (_, args, input, code, name) => {
  const found = await runJson(['webhook', 'verify', ...args], { input, env });
  expect([found.code, found.value.error.code]).toEqual([code, name]);
  expect(JSON.stringify(found)).not.toContain(secret);
});

/** Starts a listener. */
async function listening(...args: string[]): Promise<Running & { readonly url: string }> {
  const running = start(['webhook', 'listen', ...args], { env });
  const [, url] = await running.until(/listening on (\S+)/);
  return { ...running, url: url! };
}

const post = async (url: string, sent: string, signature = signatureOf(sent)): Promise<number> =>
  (await fetch(url, { method: 'POST', body: sent, headers: { 'x-service-signature': signature } })).status;

test('listen prints verified events, marks duplicates, rejects the rest, and ends after --count events', async () => {
  const { url, ended, stdout, stderr } = await listening('--count', '3', '--json');
  const statuses = [
    await post(url, body),
    await post(url, body, signatureOf('other')),
    await post(url, '[]'),
    (await fetch(url)).status,
    await post(url, 'x'.repeat(1_100_000)),
    await post(url, body),
    await post(url, '{"event":"debug.test","data":{}}'),
  ];
  expect(statuses).toEqual([204, 401, 400, 405, 413, 204, 204]);
  expect(await ended).toBe(0);
  const events = stdout()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events.map(({ type, duplicate }) => [type, duplicate])).toEqual([
    ['asset.status-updated', false],
    ['asset.status-updated', true],
    ['debug.test', false],
  ]);
  expect(stderr()).toContain('rejected: ');
  expect(stdout() + stderr()).not.toContain(secret);
});

test('listen prints no control characters, and ends on Ctrl-C', async () => {
  const { url, ended, stdout, interrupt } = await listening();
  await post(url, '{"event":"made.up\\u001b[31m","data":{}}');
  interrupt();
  expect(await ended).toBe(130);
  expect(stdout()).toContain('made.up\\u{1b}[31m (unknown event)');
  expect(stdout()).not.toContain('\u001b');
});

test('listen reports a port that is in use', async () => {
  const { url } = await listening();
  const second = await run(['webhook', 'listen', '--port', new URL(url).port], { env });
  expect([second.code, second.stderr]).toEqual([8, expect.stringContaining('the port is in use')]);
  expect((await run(['webhook', 'listen', '--port', '70000'], { env })).code).toBe(3);
});
