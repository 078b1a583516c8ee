import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Ran, run, runJson, temporaryFolder } from './harness.js';

const secret = 'whs_the secret with a space';
const env = { PORTCULLIS_WEBHOOK_SECRET: secret };
const body =
  '{"type":"asset.status-updated","created_at":"2026-03-01T12:00:00Z","data":{"asset_id":7,"type":"URL","content":"evil.example","status":"BLOCKED"}}';
const signatureOf = (text: string, key = secret): string => `sha256=${createHmac('sha256', key).update(text).digest('hex')}`;

test('a delivery that is real gives its event', async () => {
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

test('body, headers and secrets can be files', async () => {
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
  expect([none.code, none.stderr]).toEqual([3, 'portcullis: the file of --headers cannot be read [ENOENT]\n']);
});

test('a delivery of Standard Webhooks is verified with its id and its time', async () => {
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
  ['no signature', [], body, 2, 'SIGNATURE_MISSING'],
  ['no event', ['--signature', signatureOf('[]')], '[]', 3, 'INVALID_WEBHOOK'],
  ['too much', ['--signature', signatureOf('x')], 'x'.repeat(2_000_000), 3, 'USAGE'],
  ['bytes', ['--signature', signatureOf('x')], new Uint8Array([0, 255]), 2, 'SIGNATURE_INVALID'],
])('%s is refused', async (_, args, input, code, name) => {
  const found = await runJson(['webhook', 'verify', ...args], { input, env });
  expect([found.code, found.value.error.code]).toEqual([code, name]);
  expect(JSON.stringify(found)).not.toContain(secret);
});

/** Starts a listener, and does something with its address. */
async function listening(
  args: readonly string[],
  act: (url: string, kill: (signal: NodeJS.Signals) => void) => Promise<void>,
): Promise<Ran> {
  let acting: Promise<void> | undefined;
  const ran = await run(['webhook', 'listen', ...args], {
    env,
    onStart: (child) => {
      let told = '';
      child.stderr?.on('data', (text) => {
        told += text;
        const [, url] = /listening on (\S+)/.exec(told) ?? [];
        if (url !== undefined) acting ??= act(url, (signal) => child.kill(signal));
      });
    },
  });
  await acting;
  return ran;
}

const post = async (url: string, sent: string, signature = signatureOf(sent)): Promise<number> =>
  (await fetch(url, { method: 'POST', body: sent, headers: { 'x-service-signature': signature } })).status;

test('a listener prints what is real, marks what came twice, refuses the rest, and ends when it has enough', async () => {
  const statuses: number[] = [];
  const { code, stdout, stderr } = await listening(['--count', '3', '--json'], async (url) => {
    statuses.push(
      await post(url, body),
      await post(url, body, signatureOf('other')),
      await post(url, '[]'),
      (await fetch(url)).status,
      await post(url, 'x'.repeat(1_100_000)),
      await post(url, body),
      await post(url, '{"event":"debug.test","data":{}}'),
    );
  });
  expect(statuses).toEqual([204, 401, 400, 405, 413, 204, 204]);
  expect(code).toBe(0);
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events.map(({ type, duplicate }) => [type, duplicate])).toEqual([
    ['asset.status-updated', false],
    ['asset.status-updated', true],
    ['debug.test', false],
  ]);
  expect(stderr).toContain('refused: ');
  expect(stdout + stderr).not.toContain(secret);
});

test('a listener ends with Ctrl-C', async () => {
  const { code, stdout } = await listening([], async (url, kill) => {
    await post(url, '{"event":"made.up\\u001b[31m","data":{}}');
    kill('SIGINT');
  });
  expect(code).toBe(130);
  expect(stdout).toContain('made.up\\u{1b}[31m (not known here)');
  expect(stdout).not.toContain('\u001b');
});

test('a port that is taken is said', async () => {
  await listening(['--count', '1'], async (url) => {
    const second = await run(['webhook', 'listen', '--port', new URL(url).port], { env });
    expect([second.code, second.stderr.includes('cannot listen')]).toEqual([8, true]);
    await post(url, body);
  });
  expect((await run(['webhook', 'listen', '--port', '70000'], { env })).code).toBe(3);
});
