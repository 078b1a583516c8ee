import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sampleKeys } from 'portcullis/testing';
import { describe, expect, test } from 'vitest';
import type { Answer } from '../../support/scripted-server.js';
import { answering, runningService } from './harness.js';
import { run, runJson, start, temporaryFolder } from './in-process.js';

const unblock = ['api', 'assetUnblock', '--content', 'https://scam-mint.example/'];
const lines = (text: string): string[] => text.trim().split('\n');

test('an operation has three names, and a BLOCKED result exits with 0', async () => {
  for (const name of ['assetCheck', 'asset_check', 'assets.check']) {
    const { code, value, stderr } = await runJson(['api', name, '--local', '--content', 'https://scam-mint.example/']);
    expect([code, stderr]).toEqual([0, '']);
    expect(value).toEqual({ status: 'BLOCKED', source: 'portcullis', sources: [{ source: 'portcullis', status: 'BLOCKED' }] });
  }
  const { stdout } = await run(['api', 'assetCheck', '--local', '--content', 'https://scam-mint.example/']);
  expect(stdout).toBe('status  BLOCKED\nsource  portcullis\n\nsources\nsource      status\nportcullis  BLOCKED\n');
});

test('api lists all operations', async () => {
  const { code, value } = await runJson(['api', '--list']);
  expect(code).toBe(0);
  expect(value.operations).toHaveLength(65);
  expect(value.operations[0]).toEqual({
    name: 'assetCheck',
    tool: 'asset_check',
    group: 'assets',
    verb: 'check',
    method: 'POST',
    path: '/asset/check',
    write: false,
    destructive: false,
    paged: false,
    deprecated: false,
    replacement: [],
    provenance: { name: 'public', route: 'public', input: 'public', output: 'public' },
    summary: expect.stringContaining('whether an asset is blocked'),
  });
  expect((await run(['api'])).stdout).toContain('assetUnblock\n  POST /asset/unblock, cannot be undone, public\n');
  expect((await run(['api', '--output=csv'])).stdout.split('\r\n')).toHaveLength(67);
});

test('the help of an operation begins with lines to copy, then lists its fields', async () => {
  const { stdout } = await run(['api', 'assetUnblock', '--help']);
  await expect(stdout).toMatchFileSnapshot('help/api-asset-unblock.txt');
  expect((await run(['help', 'api', 'assetUnblock'])).stdout).toBe(stdout);
});

test('fields can have the names of the API, switches can be off, and the input can be a file or a pipe', async () => {
  const body = async (...args: string[]) => {
    const { value } = await runJson(['api', 'detectionConfigsUpdate', '--local', '--dry-run', ...args]);
    return value.body;
  };
  expect(await body('--configId=1', '--mergeConfig', '--config={"a":[1]}')).toEqual({
    configId: 1,
    mergeConfig: true,
    config: { a: [1] },
  });
  expect(await body('--config-id', '1', '--merge-config=false')).toEqual({ configId: 1, mergeConfig: false });
  const file = join(temporaryFolder(), 'input.json');
  writeFileSync(file, '{"configId":1,"title":"a","more":true}');
  expect(await body('--input', `@${file}`, '--title', 'b')).toEqual({ configId: 1, title: 'b', more: true });
  const piped = await runJson(['api', 'assetCheck', '--local', '--input', '-'], { input: '{"content":"example.com"}' });
  expect(piped.value.status).toBe('ALLOWED');
  expect((await run(['api', 'assetCheck', '--local', '--input', '-'], { input: new Uint8Array([0, 255, 1]) })).code).toBe(3);
});

test('--dry-run prints the request without a key, and sends nothing', async () => {
  const { service, url, env } = await runningService();
  const fields = ['--asset-id', '7', '--name', 'Ours', '--group-id', 'null'];
  const { code, value, stderr } = await runJson(['api', 'organizationAssetsUpdate', ...fields, '--dry-run'], { env });
  expect(code).toBe(0);
  expect(value).toEqual({
    operation: 'organizationAssetsUpdate',
    method: 'PATCH',
    url: `${url}/organization/assets/7`,
    path: '/organization/assets/7',
    query: {},
    body: { assetId: 7, name: 'Ours', groupId: null },
  });
  expect(stderr).toContain('nothing was sent');
  expect(service.requests()).toEqual([]);
  expect(JSON.stringify(value) + stderr).not.toContain(service.key);
  const upload = await runJson(['api', 'attachmentUpload', '--local', '--file', 'LICENSE', '--dry-run']);
  expect(upload.value).toMatchObject({ query: { fileName: ['LICENSE'] }, body: { type: 'application/octet-stream' } });
  expect((await run([...unblock, '--local', '--dry-run'])).stdout).toBe(
    'POST http://localhost/asset/unblock\n{\n  "content": "https://scam-mint.example/"\n}\n',
  );
});

test('uploads one file or several', async () => {
  const one = await runJson(['api', 'attachmentUpload', '--local', '--file', 'LICENSE', '--file-name', 'terms.txt']);
  expect(one.value.attachments).toMatchObject([{ fileName: 'terms.txt' }]);
  const two = await runJson(['api', 'attachmentUpload', '--local', '--file', 'LICENSE', '--file', 'README.md']);
  expect(two.value.attachments.map(({ fileName }: { fileName: string }) => fileName)).toEqual(['LICENSE', 'README.md']);
});

test('a list prints its first page and how to get the next; --all prints every item', async () => {
  const args = ['api', 'assetList', '--local', '--type', 'url'];
  const first = await runJson([...args, '--per-page', '2']);
  expect(first.value.assets).toHaveLength(2);
  expect(first.stderr).toContain(`more items follow: api assetList --next-page=${first.value.next_page}, or --all`);
  const all = await run([...args, '--per-page', '1', '--all', '--json']);
  expect([all.code, lines(all.stdout).map((line) => JSON.parse(line).content)]).toEqual([
    0,
    ['scam-mint.example', 'claim-airdrop.example', 'wallet-support.test'],
  ]);
  expect(lines((await run([...args, '--limit-items', '2', '--json'])).stdout)).toHaveLength(2);
  expect(lines((await run([...args, '--limit-items', '2', '--output', 'csv'])).stdout)).toHaveLength(3);
  expect(lines((await run([...args, '--all', '--output', 'markdown'])).stdout)).toHaveLength(5);
  expect(lines((await run([...args, '--output', 'csv'])).stdout)).toHaveLength(4);
});

test('a long list prints tables with the columns of the first page, and waits for its reader', async () => {
  let pages = 0;
  let more = {};
  const url = await answering(() => {
    const assets = Array.from({ length: 150 }, (_, at) => ({ id: pages * 150 + at, ...(pages > 0 && { late: 1 }), ...more }));
    return { body: { assets, next_page: String(++pages) } };
  });
  const env = { PORTCULLIS_API_URL: url, PORTCULLIS_API_KEY: 'k' };
  const csv = await run(['api', 'assetList', '--type=URL', '--limit-items=350', '--output=csv'], { env });
  expect(csv.stdout.split('\r\n').slice(0, 2)).toEqual(['id', '0']);
  expect(csv.stdout.split('\r\n').slice(-2)).toEqual(['349', '']);
  expect(csv.stdout.match(/id/g)).toHaveLength(1);
  pages = 0;
  // A page exceeds the output buffers.
  more = { content: 'x'.repeat(1_000) };
  const running = start(['api', 'assetList', '--type=URL', '--all', '--json'], { env, isPaused: true });
  await expect.poll(() => pages, { timeout: 60_000 }).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(pages).toBe(1);
  running.interrupt();
  running.resume();
  expect(await running.ended).toBe(130);
  expect(JSON.parse(lines(running.stdout()).at(-1)!)).toMatchObject({ error: { code: 'INTERRUPTED' }, exitCode: 130 });
});

test('--state keeps what a write changed', async () => {
  const args = ['--local', '--state', join(temporaryFolder(), 'state')];
  expect((await run([...unblock, ...args, '--yes'])).code).toBe(0);
  const { value } = await runJson(['api', 'assetCheck', '--content', 'https://scam-mint.example/', ...args]);
  expect(value.status).toBe('UNKNOWN');
});

test('the exit code reports the outcome of a call', async () => {
  const { env } = await runningService();
  const code = async (args: string[], more: object = {}) => (await run(['api', ...args], { env: { ...env, ...more } })).code;
  expect(await code(['assetCheck', '--content=example.com'])).toBe(0);
  expect(await code(['assetCheck', '--content=example.com'], { PORTCULLIS_API_KEY: 'no-such-key' })).toBe(2);
  expect(await code(['assetCheck', '--content=example.com'], { PORTCULLIS_API_KEY: '' })).toBe(2);
  expect(await code(['scanResult', '--scan-id=99'])).toBe(4);
  expect(await code(['organizationReportsList', '--slug=example-exchange'])).toBe(5);
  expect(await code(['organizationReportsList', '--org=nobody'])).toBe(4);
  expect(await code(['assetCheck', '--content=example.com'], { PORTCULLIS_API_URL: 'http://127.0.0.1:9' })).toBe(8);
  const mixed = `[{"content":"https://wallet.example/"},{"content":"javascript:alert(1)"}]`;
  expect(await code(['organizationAssetsAdd', '--assets', mixed])).toBe(7);
  const user = { PORTCULLIS_API_KEY: sampleKeys.user };
  expect(await code(['organizationBrands'], user)).toBe(2);
  expect(await code(['takedownsList', '--org=example-exchange'], user)).toBe(0);
});

test('prints a response that differs from its documentation, with a warning', async () => {
  const url = await answering(() => ({ body: { status: 'BLOCKED', source: 5, '\u001b[31mx': 1 } }));
  const { code, stdout, stderr } = await run(['api', 'assetCheck', '--content=x', '--url', url]);
  expect(code).toBe(0);
  expect(stderr).toContain('warning: the response differs from its documentation: source must be a string');
  expect(stdout + stderr).not.toContain('\u001b');
});

test('a deprecated operation names its replacement', async () => {
  const { code, stderr } = await run(['api', 'assetDetails', '--local', '--content', 'example.com']);
  expect(code).toBe(0);
  expect(stderr).toContain('warning: assetDetails is deprecated; use assetCheck or assetSearch');
});

test.each(['key-with-"quotes"', 'k'.repeat(300), 'key with spaces', 'kéy', 'key\nline', '\u001b[31mkey'])(
  'the key %j appears in no output',
  async (key) => {
    const { url: own } = await runningService();
    const echo = await answering(() => ({ status: 500, body: { message: `bad key ${key}` } }));
    for (const url of [own, 'http://127.0.0.1:9', echo]) {
      for (const format of [[], ['--json']]) {
        const { code, stdout, stderr } = await run(['api', 'reportCreate', '--assets={"content":"x"}', ...format], {
          env: { PORTCULLIS_API_URL: url, PORTCULLIS_API_KEY: key },
        });
        expect([2, 3, 8]).toContain(code);
        expect(stdout + stderr).not.toContain(key);
      }
    }
  },
);

test.each([
  ['yes\n', 0, 'UNBLOCKED'],
  ['y\n', 0, 'UNBLOCKED'],
  ['\n', 3, 'nothing was changed'],
  ['n\n', 3, 'nothing was changed'],
])('asks for confirmation on a terminal before an irreversible call, and %j ends with %i', async (keys, code, message) => {
  const running = start([...unblock, '--local'], { columns: 80 });
  await running.until(/Continue\? \[y\/N\] /);
  running.write(keys);
  expect(await running.ended).toBe(code);
  expect(running.stdout() + running.stderr()).toContain(message);
});

test('--no-input does not ask', async () => {
  const running = start([...unblock, '--local', '--no-input'], { columns: 80 });
  expect(await running.ended).toBe(3);
  expect(running.stderr()).toContain('confirm with --yes');
});

test('Ctrl-C ends the wait for an input', async () => {
  const running = start(['api', 'assetCheck', '--input', '-', '--local']);
  setImmediate(() => running.interrupt());
  expect(await running.ended).toBe(130);
});

test('openapi prints the same document with --json', async () => {
  const { code, stdout } = await run(['openapi']);
  expect(code).toBe(0);
  expect((await run(['openapi', '--json'])).stdout).toBe(stdout);
});

describe('a successful response that is none', () => {
  const envelope = { message: 'The list is down.', code: 'INTERNAL_SERVER_ERROR' };
  const blocked = { status: 'BLOCKED', source: 'seal', sources: [] };
  const refused = { asset: 'a', errorType: 'DUPLICATE_ASSETS', message: 'Twice.', suggestion: 'Once.' };
  const org = ['--org', 'acme'];
  const ways: readonly (readonly [way: string, args: readonly string[], answer: Answer, code: number, shown: string])[] = [
    ['an error', ['api', 'assetCheck', '--content=a'], { body: envelope }, 8, 'The list is down.'],
    ['an error under error', ['api', 'assetCheck', '--content=a'], { body: { error: envelope } }, 8, 'The list is down.'],
    ['a rejected key', ['api', 'assetCheck', '--content=a'], { body: { code: 'UNAUTHORIZED', message: 'No.' } }, 2, 'No.'],
    ['a missing permission', ['api', 'assetCheck', '--content=a'], { body: { code: 'FORBIDDEN', message: 'No.' } }, 5, 'No.'],
    ['null', ['api', 'assetCheck', '--content=a'], { body: 'null' }, 8, 'without a usable status'],
    ['an error for a new report', ['api', 'reportCreate', '--assets={"content":"a"}', ...org], { body: envelope }, 8, 'down'],
    [
      'rejected assets',
      ['api', 'reportCreate', '--assets={"content":"a"}', ...org],
      { body: { code: 'UNPROCESSABLE_CONTENT', message: 'No.', data: { errors: [refused] } } },
      3,
      'Twice.',
    ],
    ['no list', ['api', 'organizationReportsList', ...org], { body: {} }, 8, 'without a usable reports'],
    ['no list, for all pages', ['api', 'organizationReportsList', '--all', ...org], { body: {} }, 8, 'without a usable reports'],
    ['organizations that are null', ['whoami'], { body: { organizations: [null] } }, 8, 'organizations.slug'],
    ['an error instead of organizations', ['whoami'], { body: { error: 'Later.' } }, 8, 'Later.'],
    ['the answer in data', ['api', 'assetCheck', '--content=a'], { body: { data: blocked } }, 0, 'BLOCKED'],
  ];

  test.each(ways)('%s: %j', async (_, args, answer, code, shown) => {
    const url = await answering(() => answer);
    const env = { PORTCULLIS_API_URL: url, PORTCULLIS_API_KEY: 'key-of-the-tests' };
    const ran = await run(args, { env });
    expect(ran).toMatchObject({ code });
    expect(ran.stdout + ran.stderr).toContain(shown);
    expect(ran.stdout + ran.stderr).not.toMatch(/TypeError|undefined/);
  });
});

test.each([
  [{ results: [], successCount: 1, errorCount: 0 }, 0],
  [{ results: [{ success: true }], successCount: 1, errorCount: '0' }, 0],
  [{ results: [{ success: true }], successCount: 0, errorCount: 1 }, 7],
  [{ results: [{ success: true }], successCount: 0, errorCount: '1' }, 7],
  [{ results: [{ success: true }, { success: false }], successCount: 1 }, 7],
])('a batch write that answers %j ends with %i', async (body, code) => {
  const url = await answering(() => ({ body }));
  const args = ['api', 'organizationAssetsAdd', '--assets', '{"content":"a.example"}', '--url', url];
  expect((await run(args, { env: { PORTCULLIS_API_KEY: 'a-valid-key' } })).code).toBe(code);
});
