import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createService, sampleKeys } from 'portcullis/service';
import { expect, onTestFinished, test } from 'vitest';
import { builtCli, run, runInTerminal, runJson, temporaryFolder } from './harness.js';

/** A service over HTTP, whose key goes into the environment. */
async function served(): Promise<{ url: string; env: Record<string, string>; requests: () => readonly unknown[] }> {
  const service = createService();
  const { url } = await service.listen();
  onTestFinished(() => service.close());
  return { url, env: { PORTCULLIS_API_URL: url, PORTCULLIS_API_KEY: service.key }, requests: () => service.requests() };
}

/** A server of one answer. */
async function answering(answer: (url: string) => { status?: number; body: unknown }): Promise<string> {
  const server = createServer((request, response) => {
    const { status = 200, body } = answer(request.url ?? '/');
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const unblock = ['api', 'assetUnblock', '--content', 'https://scam-mint.example/'];

test('an operation goes by its id, its tool, and its group and verb; BLOCKED is an answer and no failure', async () => {
  for (const name of ['assetCheck', 'asset_check', 'assets.check']) {
    const { code, value, stderr } = await runJson(['api', name, '--local', '--content', 'https://scam-mint.example/']);
    expect([code, stderr]).toEqual([0, '']);
    expect(value).toEqual({ status: 'BLOCKED', source: 'portcullis', sources: [{ source: 'portcullis', status: 'BLOCKED' }] });
  }
  const { stdout } = await run(['api', 'assetCheck', '--local', '--content', 'https://scam-mint.example/']);
  expect(stdout).toBe('status  BLOCKED\nsource  portcullis\n\nsources\nsource      status\nportcullis  BLOCKED\n');
});

test('all operations are listed, with and without --list', async () => {
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
  const plain = await run(['api']);
  expect(plain.stdout).toContain('assetUnblock\n  POST /asset/unblock, writes for good, public\n');
  expect((await run(['api', '--output=csv'])).stdout.split('\r\n')).toHaveLength(67);
});

test('the help of an operation has the line first, then its fields', async () => {
  const { stdout } = await run(['api', 'assetUnblock', '--help']);
  expect(stdout).toMatchInlineSnapshot(`
    "Unblock an asset of your own organization; for somebody else's it opens a
    dispute.

    Examples
      portcullis api assetUnblock --local --content https://scam-mint.example/
          With the sample data
      portcullis api assetUnblock --dry-run …
          The request that would be sent

    Usage
      portcullis api assetUnblock [options]

    Options
          --content <text>  provisional
          --slug <text>     the organization; without it that of --org; provisional
          --input <json>    The whole input, or as @file or - for standard input;
                            options of fields go over it
          --local           The embedded service with its sample data; nothing
                            leaves this machine
          --state <file>    With --local: keep its state in this file
          --url <url>       Where the API is; otherwise PORTCULLIS_API_URL, then the
                            stored one
          --org <slug>      The organization to act for; kept for later calls

    Common options
          --json             One JSON document on standard output; one a line where
                             a command streams
          --output <format>  How results are written: human, json, markdown, csv
      -q, --quiet            Nothing but results and errors
          --no-color         No colours; NO_COLOR does the same
          --no-input         Never ask; fail where an answer would be needed
          --dry-run          Say what would be changed, and change nothing
      -y, --yes              Do what cannot be undone without asking
      -h, --help             This help

    POST /asset/unblock; as a tool asset_unblock; of the client assets.unblock.
    How sure it is: name provisional, route public, input provisional, answer
    provisional.
    It cannot be undone: it asks on a terminal, and needs --yes elsewhere.
    "
  `);
  expect((await run(['help', 'api', 'assetUnblock'])).stdout).toBe(stdout);
});

test.each([
  [['api', 'asetCheck'], 'did you mean: portcullis api assetCheck'],
  [['api', '__proto__'], 'there is no such operation'],
  [['api', 'constructor'], 'there is no such operation'],
  [['api', 'assetCheck', '--__proto__=x'], 'there is no such option'],
  [['api', 'assetCheck', '--constructor', 'x'], 'there is no such option'],
  [['api', 'assetCheck', '--contnet', 'x'], 'did you mean --content?'],
  [['api', 'assetCheck', '--local'], '--content: is missing'],
  [['api', 'assetList', '--type', 'TWITER', '--local'], 'did you mean --type=TWITTER?'],
  [['api', 'assetList', '--type', 'URL', '--per-page', '0', '--local'], '--per-page: must be a whole number from 1 to 10000'],
  [['api', 'assetList', '--type', 'URL', '--per-page', 'ten', '--local'], '--per-page must be a number'],
  [['api', 'scanResult', '--local', '--scan-id=1.5'], '--scan-id: must be a whole number'],
  [['api', 'reportCreate', '--local', '--assets', 'example.com'], '--assets must be JSON'],
  [['api', 'reportCreate', '--local', '--assets', '{"content":5}'], '--assets[0].content: must be a string'],
  [['api', 'organizationReportsList', '--local', '--has-mx-records', 'false'], 'of a switch write --name=false'],
  [['api', 'organizationReportsList', '--local', '--has-mx-records=no'], 'takes no value but true and false'],
  [['api', 'assetCheck', '--local', '--input', '[1]'], '--input must be a JSON object'],
  [['api', 'assetCheck', '--local', '--input', '@/nowhere/input.json'], 'the file of --input cannot be read [ENOENT]'],
  [['api', 'assetCheck', '--local', '--input', '@/dev/zero'], 'the file of --input is larger than'],
  [['api', 'attachmentUpload', '--local', '--file', '/dev/zero'], 'an upload has at most 4194304 bytes'],
  [['api', 'assetCheck', '--local', '--dry-run', '--content', 'x'], '--dry-run means nothing'],
  [['api', 'assetList', '--local', '--type', 'URL', '--limit-items', '0'], '--limit-items must be a whole number from 1'],
  [['api', 'assetCheck', '--state', 'x', '--content', 'x'], '--state belongs to --local'],
  [['api', 'metricsBlockedByFirstReportSource', '--local'], "--route 'POST /some/path'"],
  [['api', 'attachmentUpload', '--local', '--file=a', '--file=b', '--file-name=c'], '--file-name belongs to a single --file'],
  [['api', 'attachmentUpload', '--local'], 'give either file or files'],
  [[...unblock, '--local'], 'give --yes if it is meant'],
  [['openapi', '--output=csv'], 'is JSON, and no csv'],
  [['completions', 'bsh'], 'did you mean: portcullis completions bash'],
  [['webhook', 'listne'], 'did you mean: portcullis webhook listen'],
  [['webhook', 'verify'], 'set PORTCULLIS_WEBHOOK_SECRET'],
])('%j is refused with what to do', async (args, words) => {
  const { code, stdout, stderr } = await run(args);
  expect(stderr).toContain(words);
  expect([code, stdout]).toEqual([3, '']);
});

test.each(['--api-key', '--key', '--token', '--apiKey', '--secret'])(
  '%s is refused, and what stands behind it never repeated',
  async (flag) => {
    for (const args of [[flag, 'hunter2-hunter2'], [`${flag}=hunter2-hunter2`]]) {
      for (const more of [[], ['--json']]) {
        const { code, stdout, stderr } = await run(['api', 'assetCheck', ...args, ...more]);
        expect(code).toBe(3);
        expect(stdout + stderr).toContain('PORTCULLIS_API_KEY');
        expect(stdout + stderr).not.toContain('hunter2');
      }
    }
  },
);

test('a field can be written as the service does, a switch be turned off, and a whole input come from a file or a pipe', async () => {
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

test('a dry run says what would be sent, sends nothing, and knows no key', async () => {
  const { env, requests } = await served();
  const { code, value, stderr } = await runJson(
    [
      'api',
      'organizationAssetsUpdate',
      '--asset-id',
      '7',
      '--name',
      'Ours',
      '--group-id',
      'null',
      '--org',
      'example-wallet',
      '--dry-run',
    ],
    { env },
  );
  expect(code).toBe(0);
  expect(value).toEqual({
    operation: 'organizationAssetsUpdate',
    method: 'PATCH',
    url: `${env['PORTCULLIS_API_URL']}/organization/assets/7`,
    path: '/organization/assets/7',
    query: {},
    body: { assetId: 7, name: 'Ours', groupId: null },
  });
  expect(stderr).toContain('nothing was sent');
  expect(requests()).toEqual([]);
  expect(JSON.stringify(value) + stderr).not.toContain(env['PORTCULLIS_API_KEY']!);
  const upload = await runJson(['api', 'attachmentUpload', '--local', '--file', 'LICENSE', '--dry-run']);
  expect(upload.value).toMatchObject({ query: { fileName: ['LICENSE'] }, body: { type: 'application/octet-stream' } });
  expect((await run([...unblock, '--local', '--dry-run'])).stdout).toBe(
    'POST http://localhost/asset/unblock\n{\n  "content": "https://scam-mint.example/"\n}\n',
  );
});

test('files are uploaded, one or several', async () => {
  const one = await runJson(['api', 'attachmentUpload', '--local', '--file', 'LICENSE', '--file-name', 'terms.txt']);
  expect(one.value.attachments).toMatchObject([{ fileName: 'terms.txt' }]);
  const two = await runJson(['api', 'attachmentUpload', '--local', '--file', 'LICENSE', '--file', 'README.md']);
  expect(two.value.attachments.map(({ fileName }: { fileName: string }) => fileName)).toEqual(['LICENSE', 'README.md']);
  expect((await run(['api', 'attachmentUpload', '--local', '--file', '/nowhere'])).code).toBe(3);
});

test('a list gives its first page, and where the next one is; --all gives every item', async () => {
  const args = ['api', 'assetList', '--local', '--type', 'url'];
  const first = await runJson([...args, '--per-page', '2']);
  expect(first.value.assets).toHaveLength(2);
  expect(first.stderr).toContain(`there is more: api assetList --next-page=${first.value.next_page}, or --all`);
  const lines = (text: string) => text.trim().split('\n');
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

test('a long list comes as tables of one shape, a page at a time, and ends with Ctrl-C', async () => {
  let pages = 0;
  const url = await answering(() => {
    const assets = Array.from({ length: 150 }, (_, at) => ({ id: pages * 150 + at, ...(pages > 0 && { late: 1 }) }));
    return { body: { assets, next_page: String(++pages) } };
  });
  const env = { PORTCULLIS_API_URL: url, PORTCULLIS_API_KEY: 'k' };
  const csv = await run(['api', 'assetList', '--type=URL', '--limit-items=350', '--output=csv'], { env });
  expect(csv.stdout.split('\r\n').slice(0, 2)).toEqual(['id', '0']);
  expect(csv.stdout.split('\r\n').slice(-2)).toEqual(['349', '']);
  expect(csv.stdout.match(/id/g)).toHaveLength(1);
  // Nobody reads: no more is fetched than fits into pipes.
  const ended = await run(['api', 'assetList', '--type=URL', '--all', '--json'], {
    env,
    onStart: (child) => {
      setTimeout(() => {
        const before = pages;
        setTimeout(() => {
          expect(pages - before).toBeLessThan(3);
          child.stdout?.resume();
          child.kill('SIGINT');
        }, 300);
      }, 1_500);
      setImmediate(() => child.stdout?.pause());
    },
  });
  expect(ended.code).toBe(130);
  expect(JSON.parse(ended.stdout.trim().split('\n').at(-1)!)).toMatchObject({ error: { code: 'INTERRUPTED' }, exitCode: 130 });
});

test('writes persist where a state is kept', async () => {
  const state = join(temporaryFolder(), 'state');
  const args = ['--local', '--state', state];
  expect((await run([...unblock, ...args, '--yes'])).code).toBe(0);
  const { value } = await runJson(['api', 'assetCheck', '--content', 'https://scam-mint.example/', ...args]);
  expect(value.status).toBe('UNKNOWN');
});

test('exit codes tell how a call went', async () => {
  const { env } = await served();
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
});

test('an answer that is not as documented is handed on, with a warning', async () => {
  const url = await answering(() => ({ body: { status: 5, '\u001b[31mx': 1 } }));
  const { code, stdout, stderr } = await run(['api', 'assetCheck', '--content=x', '--url', url]);
  expect(code).toBe(0);
  expect(stderr).toContain('warning: the answer is not as documented: status must be a string');
  expect(stdout + stderr).not.toContain('\u001b');
});

test('a deprecated operation names what took its place', async () => {
  const { code, stderr } = await run(['api', 'assetDetails', '--local', '--content', 'example.com']);
  expect(code).toBe(0);
  expect(stderr).toContain('warning: assetDetails is deprecated: use assetCheck or assetSearch');
});

test.each(['key-with-"quotes"', 'k'.repeat(300), 'key with spaces', 'kéy', 'key\nline', '\u001b[31mkey'])(
  'the key %j is in no output',
  async (key) => {
    const { env } = await served();
    const echo = await answering(() => ({ status: 500, body: { message: `bad key ${key}` } }));
    for (const url of [env['PORTCULLIS_API_URL'], 'http://127.0.0.1:9', echo]) {
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

test('a pipe that is closed early is no failure', async () => {
  const cli = builtCli();
  const { stdout, stderr } = spawnSync(
    'bash',
    ['-c', `"${process.execPath}" "${cli}" api --list | head -1; echo "\${PIPESTATUS[0]}"`],
    { encoding: 'utf8' },
  );
  expect([stdout, stderr]).toEqual(['assetCheck\n0\n', '']);
});

test('on a terminal what cannot be undone is asked for, and no is the default', async () => {
  for (const [keys, code, words] of [
    ['y\r', 0, 'UNBLOCKED'],
    ['yes\r', 0, 'UNBLOCKED'],
    ['\r', 3, 'nothing was done'],
    ['n\r', 3, 'nothing was done'],
    ['\u0004', 3, 'nothing was done'],
    ['\u0003', 130, 'interrupted'],
  ] as const) {
    const terminal = await runInTerminal([...unblock, '--local']);
    await expect.poll(terminal.text, { timeout: 10_000 }).toContain('Go on? [y/N] ');
    terminal.write(keys);
    expect([keys, await terminal.ended]).toEqual([keys, code]);
    expect(terminal.text()).toContain(words);
  }
  const unasked = await runInTerminal([...unblock, '--local', '--no-input']);
  expect(await unasked.ended).toBe(3);
  expect(unasked.text()).toContain('give --yes');
});

test('in a terminal of 40 columns no line is longer, where words allow it', async () => {
  for (const args of [
    ['api', '--list'],
    ['api', 'organizationReportsList', '--help'],
    ['api', 'assetList', '--help'],
    ['webhook', 'listen', '--help'],
  ]) {
    const terminal = await runInTerminal(args, { columns: 40, env: { NO_COLOR: '1' } });
    expect(await terminal.ended).toBe(0);
    const long = terminal
      .text()
      .split(/\r?\n/)
      .filter((line) => line.length > 40 && line.trim().includes(' ') && !/^ {2}(portcullis|-|POST|GET)/.test(line));
    // What remains is one long word.
    expect(long.filter((line) => line.trim().split(/\s+/).length > 1)).toEqual([]);
  }
});

test('a key of two organizations has to say which', async () => {
  const { env } = await served();
  const user = { ...env, PORTCULLIS_API_KEY: sampleKeys.user };
  expect((await run(['api', 'organizationBrands'], { env: user })).code).toBe(2);
  expect((await run(['api', 'takedownsList', '--org=example-exchange'], { env: user })).code).toBe(0);
});

test('the OpenAPI document goes into a pipe as a whole', async () => {
  const { code, stdout, stderr } = await run(['openapi']);
  expect([code, stderr]).toEqual([0, '']);
  expect(Object.keys(JSON.parse(stdout).paths).length).toBeGreaterThan(50);
  expect((await run(['openapi', '--json'])).stdout).toBe(stdout);
});

test('what waits ends with Ctrl-C: for an answer, for input, for a key', async () => {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cli = builtCli();
  for (const args of [
    ['api', 'assetCheck', '--content=x', '--url', url],
    ['api', 'assetCheck', '--input', '-', '--url', url],
    ['login', '--url', url],
  ]) {
    const child = spawn(process.execPath, [cli, ...args], { env: { HOME: temporaryFolder() }, stdio: 'pipe' });
    const ended = new Promise((resolve) => child.on('close', resolve));
    setTimeout(() => child.kill('SIGINT'), 1_500);
    expect([args, await ended]).toEqual([args, 130]);
  }
});

test('a stream whose reader has gone ends, and is no failure', async () => {
  let pages = 0;
  const url = await answering(() => {
    pages++;
    return { body: { assets: [{ id: pages }], next_page: String(pages) } };
  });
  const child = spawn(
    'bash',
    [
      '-c',
      `"${process.execPath}" "${builtCli()}" api assetList --type=URL --all --json --url ${url} | head -2; echo "\${PIPESTATUS[0]}"`,
    ],
    {
      env: { PATH: process.env['PATH'], HOME: temporaryFolder() },
    },
  );
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  await new Promise((resolve) => child.on('close', resolve));
  expect(stdout).toBe('{"id":1}\n{"id":2}\n0\n');
});
