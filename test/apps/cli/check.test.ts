import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runningService } from './harness.js';
import { run, runJson, start, temporaryFolder } from './in-process.js';

/** Writes a list file and returns its path. */
function listFile(text: string, name = 'mine.txt'): string {
  const file = join(temporaryFolder(), name);
  writeFileSync(file, text);
  return file;
}

test('names the reason if a source does not answer about a hit', async () => {
  const { service, env } = await runningService();
  await run(['sync'], { env });
  service.faults.add({ kind: 'rate-limit', retryAfter: '60', times: 100, on: '/asset/blocklist/confirm' });
  const { stdout, stderr } = await run(['check', 'scam-mint.example'], { env });
  expect(stdout).toContain('offline');
  expect(stderr).toMatch(/^warning: the service at .*\[TOO_MANY_REQUESTS\]; hits without an answer are unconfirmed\n/);
});

test('check prints verdicts, and exits with 6 if something is blocked', async () => {
  const { code, stdout, stderr } = await run(['check', '--local', 'https://login.scam-mint.example/a', 'example.com']);
  expect([code, stderr]).toEqual([6, '']);
  expect(stdout.split('\n')).toEqual([
    'blocked      confirmed          https://login.scam-mint.example/a  scam-mint.example',
    'clear        not-listed         example.com',
    '',
  ]);
});

test('check prints one object for one input, and results with a summary for several', async () => {
  const one = await runJson(['check', '--local', 'example.com']);
  expect(one.code).toBe(0);
  expect(one.value).toMatchObject({ input: 'example.com', verdict: { status: 'clear', reason: 'not-listed', action: 'allow' } });
  const lines = await runJson(['check', '--local', '-'], { input: 'example.com\n\nscam-mint.example\r\n' });
  expect(lines.code).toBe(6);
  expect(lines.value.results.map(({ input }: { input: string }) => input)).toEqual(['example.com', 'scam-mint.example']);
  expect(lines.value.summary).toEqual({
    checked: 2,
    blocked: 1,
    allowed: 0,
    clear: 1,
    unconfirmed: 0,
    unknown: 0,
    notListable: 0,
  });
});

test('check uses a list in a file, and a given type', async () => {
  const file = listFile('evil.example\n');
  const { code, value } = await runJson(['check', '--list', file, 'https://a.evil.example/']);
  expect([code, value.verdict.reason]).toEqual([6, 'listed']);
  expect((await run(['check', '--list', file, '--type', 'twitter', '@example'])).stdout).toContain('clear');
});

test('check reads a list from standard input', async () => {
  const { code, stderr } = await run(['check', '--list', '-', 'scam.example'], { input: 'scam.example\n' });
  expect([code, stderr]).toEqual([6, '']);
});

test('explain names each expression, and where it is listed', async () => {
  const { code, stdout } = await run(['explain', '--list', listFile('evil.example\n'), 'https://a.evil.example/x']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^blocked +listed +https:\/\/a\.evil\.example\/x/);
  expect(stdout).toMatch(/ evil\.example +on the list\n/);
  expect(stdout).toMatch(/ a\.evil\.example\/x +not on the list\n/);
  expect(stdout).toMatch(/\n {2}Blocked: evil\.example is on the list from .*mine\.txt\.\n$/);
});

/** The first words of the sentence at the end, by the status of the verdict. */
const sentences: Readonly<Record<string, RegExp>> = {
  blocked: /^ {2}Blocked: \S+ is on/,
  clear: /^ {2}Clear: /,
  unconfirmed: /^ {2}Not decided: an entry of .* --confirm/,
  unknown: /^ {2}Not decided: /,
  'not-listable': /^ {2}(No list can have it: |Not looked up: )/,
};

// `check` said blocked and `explain` unconfirmed, and no test had compared them.
test.each(['https://login.scam-mint.example/a', 'example.com', 'http://localhost/', 'xyz', 'ab'.repeat(32)])(
  'explain --confirm has the verdict of check, and ends with a sentence about it: %s',
  async (input) => {
    const checked = await runJson(['check', '--local', input]);
    const explained = await runJson(['explain', '--local', '--confirm', input]);
    const of = ({ value }: typeof checked): unknown => ({ input: value.input, verdict: { ...value.verdict, ageMs: null } });
    expect(of(explained)).toEqual(of(checked));
    for (const more of [['--confirm'], []]) {
      const { value } = await runJson(['explain', '--local', ...more, input]);
      const running = start(['explain', '--local', ...more, input], { columns: 200, env: { NO_COLOR: '1' } });
      await running.ended;
      expect(running.stdout().trimEnd().split('\n').at(-1)).toMatch(sentences[value.verdict.status]!);
      expect(running.stdout()).not.toMatch(/in base/);
    }
  },
);

test('explain asks its source only with --confirm', async () => {
  const { service, env } = await runningService();
  await run(['sync'], { env });
  service.faults.add({ kind: 'rate-limit', retryAfter: '60', times: 100, on: '/asset/blocklist/confirm' });
  const silent = await run(['explain', 'scam-mint.example'], { env });
  expect([silent.stdout, silent.stderr]).toEqual([expect.stringContaining('not-asked'), '']);
  const asked = await run(['explain', '--confirm', 'scam-mint.example'], { env });
  expect(asked.stdout).toContain('cannot be asked now');
  expect(asked.stderr).toContain('TOO_MANY_REQUESTS');
});

// `check links.txt` printed "clear": every test had passed either links or a file that was named as one.
test.each<[string, RegExp]>([
  ['check', /portcullis screen --local \S+links\.txt; to check the name itself, add --type URL/],
  ['explain', /portcullis screen --local \S+links\.txt; to check the name itself, add --type URL/],
  ['parse', /portcullis parse --file \S+links\.txt/],
])('%s gives no answer about the name of a file', async (name, advice) => {
  const file = listFile('scam-mint.example\n', 'links.txt');
  const options = name === 'parse' ? [] : ['--local'];
  for (const args of [[file], ['example.com', file]]) {
    const { code, stdout, stderr } = await run([name, ...options, ...args]);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain(`${file} is a file`);
    expect(stderr).toMatch(advice);
  }
  if (name !== 'parse') expect((await run([name, '--local', '--type', 'URL', file])).code).not.toBe(3);
  // A folder may have the name of the site that was saved in it.
  expect((await run([name, ...options, temporaryFolder()])).code).not.toBe(3);
});

test('explain separates the targets of an input', async () => {
  const intent = 'intent://good.example/#Intent;scheme=https;S.browser_fallback_url=https://evil.example/;end';
  const { stdout } = await run(['explain', '--list', listFile('evil.example\n'), intent]);
  expect(stdout).toMatch(/ good\.example +not on the list\n +target 2, judged alone:\n.* evil\.example +on the list/);
});

test('a secret is not repeated', async () => {
  const secret = 'a'.repeat(64);
  for (const args of [
    ['check', '--local', '--json', secret],
    ['parse', `my key is ${secret}`],
  ]) {
    const { code, stdout, stderr } = await run(args);
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain(secret);
  }
});

test('a terminal gets colors unless NO_COLOR is set', async () => {
  const args = ['check', '--list', listFile('evil.example\n'), 'evil.example'];
  const colored = start(args, { columns: 80, env: { TERM: 'xterm' } });
  expect(await colored.ended).toBe(6);
  expect(colored.stdout()).toContain('\u001b[31mblocked');
  const plain = start(args, { columns: 80, env: { NO_COLOR: '1' } });
  expect(await plain.ended).toBe(6);
  expect(plain.stdout()).not.toMatch(/\u001b\[3\dm/);
});

test('a dumb terminal gets no progress line', async () => {
  const { ended, stderr } = start(['check', '--local', 'example.com'], { columns: 0, env: { TERM: 'dumb' } });
  await ended;
  expect(stderr()).toBe('');
});

test('check, explain and screen fail in the same way without a list', async () => {
  const input = 'example.com\n';
  for (const [name, word] of [
    ['check', 'example.com'],
    ['explain', 'example.com'],
    ['screen', '-'],
  ] as const) {
    const file = await runJson([name, '--list', '/nowhere/list.txt', word], { input });
    expect([name, file.code, file.value.error.code, file.value.exitCode]).toEqual([name, 4, 'NOT_FOUND', 4]);
    const relay = await runJson([name, '--relay', 'http://127.0.0.1:1', word], { input });
    expect([name, relay.code, relay.value.error.code]).toEqual([name, 8, 'NETWORK']);
  }
});

test('one list of two is enough for an answer', async () => {
  const both = ['check', '--list', listFile('evil.example\n'), '--list', '/nowhere/list.txt'];
  expect((await run([...both, 'evil.example'])).code).toBe(6);
  expect((await run([...both, 'example.com'])).code).toBe(7);
});

test('check does not list a public suffix, because that would block the sites of others', async () => {
  const { code, stdout, stderr } = await run(['check', '--list', listFile('evil.example\nco.uk\n'), 'https://bbc.co.uk/']);
  expect([code, stderr]).toEqual([0, expect.stringContaining('line 2 (public-suffix)')]);
  expect(stdout).toContain('clear');
});

test('lines that cannot be listed are named by number, and not repeated', async () => {
  const secret = 'ab'.repeat(32);
  const { code, stdout, stderr } = await run(['check', '--list', listFile(`evil.example\nbit.ly\n${secret}\n`), 'example.com']);
  expect(code).toBe(0);
  expect(stderr).toContain(
    '2 lines cannot be listed: line 2 (shared-host), line 3 (secret); for shared-host: write the page or the subdomain, or add --allow-shared with the host; for secret: remove',
  );
  expect(stdout + stderr).not.toContain(secret);
});

test('an empty list is rejected, because every input would be clear', async () => {
  const empty = listFile('# nothing yet\n');
  for (const args of [
    ['check', '--list', empty, 'a.example'],
    ['screen', '--list', empty, listFile('a.example\n')],
  ]) {
    const { code, stdout, stderr } = await run(args);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('has no usable entries');
  }
});

test('input cannot move the cursor', async () => {
  const { stdout } = await run(['check', '--local', 'https://evil.example/\u001b[2J\u009b1m\u202e']);
  expect(stdout).toContain('\\u{1b}[2J\\u{9b}1m\\u{202e}');
  expect(stdout).not.toMatch(/[\u001b\u009b\u202e]/);
});

test('check rejects bytes that are not text, and accepts a very long argument', async () => {
  const garbage = await run(['check', '--local', '-'], { input: Uint8Array.of(0xff, 0, 0xfe, 10, 0x80) });
  expect([garbage.code, garbage.stdout, garbage.stderr]).toEqual([3, '', expect.stringContaining('not UTF-8')]);
  const { code, stdout } = await run(['check', '--local', `https://scam-mint.example/${'a'.repeat(100_000)}`]);
  expect([code, stdout.slice(0, 7)]).toEqual([6, 'blocked']);
});

test('not-listable exits with 0', async () => {
  const { code, value } = await runJson(['check', '--local', 'http://localhost/']);
  expect([code, value.verdict.status]).toEqual([0, 'not-listable']);
});

test('Ctrl-C ends the wait for standard input', async () => {
  const running = start(['check', '--local', '-'], { columns: 80 });
  await running.until(/Ctrl-D/);
  running.interrupt();
  expect(await running.ended).toBe(130);
});

test('parse finds assets with their offsets', async () => {
  const text = 'see hxxps://evil[.]example/a or a@b.example';
  const { code, value } = await runJson(['parse', text]);
  expect(code).toBe(0);
  expect(value).toEqual({
    length: 43,
    found: [
      {
        start: 4,
        end: 28,
        text: 'hxxps://evil[.]example/a',
        plain: 'https://evil.example/a',
        certainty: 'explicit',
        assets: expect.any(Array),
      },
      {
        start: 32,
        end: 43,
        text: 'a@b.example',
        plain: 'a@b.example',
        certainty: 'explicit',
        assets: [{ type: 'EMAIL', canonical: 'a@b.example' }],
      },
    ],
  });
  expect(value.found[0].assets).toContainEqual({ type: 'PAGE', canonical: 'evil.example/a' });
});

test('parse reads a file and standard input', async () => {
  const file = listFile('go to evil.example now\n', 'mail.txt');
  expect((await run(['parse', '--file', file])).stdout).toContain('evil.example');
  expect((await run(['parse', '-'], { input: 'go to evil.example' })).stdout).toContain('URL');
  expect((await run(['parse', 'nothing here'])).stdout).toBe('');
});

test.each<[what: string, input: string | Uint8Array, message: string]>([
  ['more text than the finder takes', 'x'.repeat(4_194_305), 'LIMIT_EXCEEDED'],
  ['more bytes than that text can have', 'x'.repeat(13_000_000), 'larger than'],
  ['bytes that are not UTF-8', Uint8Array.of(0xff, 0xfe, 0), 'not UTF-8'],
])('parse rejects %s', async (_, input, message) => {
  const { code, stdout, stderr } = await run(['parse', '-'], { input });
  expect(stderr).toContain(message);
  expect([code, stdout]).toEqual([3, '']);
});
