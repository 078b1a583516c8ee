import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run, temporaryFolder } from './in-process.js';

function fileOf(text: string): string {
  const file = join(temporaryFolder(), 'table.csv');
  writeFileSync(file, text);
  return file;
}

const rows = Array.from({ length: 1_100 }, (_, at) => `${at},"row, number ${at}",https://h${at}.example/a`);
const table = ['id,note,link', ...rows, '9,"two\nlines",https://scam-mint.example/b'].join('\r\n');

// 100,000 rows of CSV had 100,001 answers "unknown, allow": every file in a test had one link per line.
test('stops before the first answer if nearly nothing can be read, and says what to do', async () => {
  const file = fileOf(Array.from({ length: 1_103 }, (_, at) => `note ${at}`).join('\n'));
  const { code, stdout, stderr } = await run(['screen', '--local', file]);
  expect([code, stdout]).toEqual([3, '']);
  expect(stderr).toMatch(
    /only 0 of the first 1000 lines are links.*\[UNREADABLE_INPUT\]\n.*--column.*--type.*--allow-unreadable/,
  );
  const insisted = await run(['screen', '--local', file, '--allow-unreadable', '--quiet']);
  expect([insisted.code, insisted.stdout.trim().split('\n').length]).toEqual([7, 1_103]);
});

test.each(['link', '3'])('checks the column %s of a CSV', async (column) => {
  const { code, stdout } = await run(['screen', '--local', '--column', column, '--only', 'blocked', '--summary', fileOf(table)]);
  const [blocked, summary] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(blocked).toMatchObject({ line: 1_102, input: 'https://scam-mint.example/b', status: 'blocked' });
  // By its number, the row with the names is read as well.
  expect(summary.summary).toMatchObject({ checked: column === 'link' ? 1_101 : 1_102, blocked: 1, clear: 1_100, bad: 0 });
  expect(code).toBe(column === 'link' ? 0 : 7);
});

test('goes on if one line of a hundred can be read', async () => {
  const lines = Array.from({ length: 1_200 }, (_, at) => (at % 100 === 0 ? `h${at}.example` : `note ${at}`));
  const { code, stdout } = await run(['screen', '--local', '--quiet', fileOf(lines.join('\n'))]);
  expect([code, stdout.trim().split('\n').length]).toEqual([7, 1_200]);
  // A few lines are answered, whatever they are.
  expect((await run(['screen', '--local', '--quiet', fileOf('a b\n'.repeat(9))])).code).toBe(7);
});

// 900 lines of a CSV had 900 answers "unknown".
test.each([10, 900])('stops before the first answer in a file of %d lines that cannot be read', async (count) => {
  const text = Array.from({ length: count }, (_, at) => `row ${at} h${at}.example x`).join('\n');
  const stopped = await run(['screen', '--local', fileOf(text)]);
  expect([stopped.code, stopped.stdout]).toEqual([3, '']);
  expect(stopped.stderr).toContain(`only 0 of the ${count} lines are links`);
  // A pipe may stay open, so its lines are answered as they arrive.
  const piped = await run(['screen', '--local', '-'], { input: text });
  expect([piped.code, piped.stdout.trim().split('\n').length]).toEqual([7, count]);
  expect(piped.stderr).toMatch(/warning: only 0 of the .* --column/);
});

test('counts the lines of an empty file, and rejects a --skip past the end', async () => {
  expect(await run(['screen', '--local', fileOf('')])).toEqual({
    code: 0,
    stdout: '',
    stderr: expect.stringMatching(/^warning: the input is empty, so nothing was checked\n0 lines in /),
  });
  expect((await run(['screen', '--local', '--quiet', fileOf('')])).stderr).toBe(
    'warning: the input is empty, so nothing was checked\n',
  );
  const lines = fileOf('a.example\n\nb.example');
  expect((await run(['screen', '--local', '--skip', '3', lines])).code).toBe(0);
  const { code, stderr } = await run(['screen', '--local', '--skip', '4', lines]);
  expect([code, stderr]).toEqual([3, expect.stringContaining('--skip 4 is past the end: the input has 3 lines')]);
});

test('the column of a list has an option of its own', async () => {
  const list = fileOf('name,site\nx,evil.example\n');
  const input = fileOf('id,url\n1,https://evil.example/\n');
  const { code, stdout } = await run(['screen', '--list', list, '--list-column', 'site', '--column', 'url', '--quiet', input]);
  expect([code, JSON.parse(stdout).status]).toEqual([0, 'blocked']);
});

test.each([
  [['--column', 'ulr'], 'did you mean --column url?'],
  [['--column', 'nope'], 'no column "nope" in the first row\n  pass the number'],
  [['--column', 'url', '--ndjson'], '--column and --ndjson cannot be combined'],
])('rejects %j', async (args, message) => {
  const { code, stdout, stderr } = await run(['screen', '--local', ...args, fileOf('id,url\n1,a.example\n')]);
  expect([code, stdout, stderr]).toEqual([3, '', expect.stringContaining(message)]);
});

// Thirty such lines were 30 times clear, with exit code 0.
test.each([
  ['commas', 'scam-mint.example,phishing\n'.repeat(30), '2 columns', '--column 1'],
  ['semicolons and names', 'url;note\nhttps://scam-mint.example/a;x\nhttps://b.example/;y\n', '"url", "note"', '--column url'],
  ['tabs', '1\tscam-mint.example\n2\tgoogle.com\n', '2 columns', '--column 2'],
  ['quoted cells', '"https://scam-mint.example/a","phishing, new"\n"https://b.example","x"\n', '2 columns', '--column 1'],
  ['names of other languages', 'Adresse,Grund\r\nscam-mint.example,x\r\n', '"Adresse", "Grund"', '--column Adresse'],
  ['a few damaged rows', `${'a.example,x\n'.repeat(20)}b.example\n`, '2 columns', '--column 1'],
  ['its own byte order mark', '\uFEFFurl,note\nscam-mint.example/a,x\n', '"url", "note"', '--column url'],
])('a table with %s is recognized before anything is answered', async (_, text, columns, option) => {
  for (const args of [
    ['screen', '--local', fileOf(text)],
    ['screen', '--local', '-'],
    ['check', '--local', '-'],
  ]) {
    const { code, stdout, stderr } = await run(args, { input: text });
    expect([code, stdout], args.join(' ')).toEqual([3, '']);
    expect(stderr).toContain(`a table with ${columns.startsWith('"') ? 'the columns ' : ''}${columns}`);
    expect(stderr).toContain(option);
  }
  expect((await run(['screen', '--local', '--quiet', '--allow-unreadable', fileOf(text)])).stdout).not.toBe('');
});

test.each([
  ['links, some with commas', 'https://a.example/x,y\nhttps://b.example/\nhttps://c.example/a;b\n'],
  ['one line', 'https://a.example/x,y\n'],
  ['JSON', '{"content":"a.example","type":"URL"}\n{"content":"b.example","type":"URL"}\n'],
  ['mailboxes', 'a@b.example\nc@d.example\n'],
])('%s are no table', async (_, text) => {
  const { code, stdout } = await run(['screen', '--local', '--quiet', fileOf(text)]);
  expect([code, stdout.trim().split('\n').length]).toEqual([0, text.trim().split('\n').length]);
});

const random = Buffer.from(Array.from({ length: 200_000 }, (_, at) => (at * at * 2_654_435_761) >>> 13));
const executable = (): Buffer => {
  const file = openSync(process.execPath, 'r');
  const bytes = Buffer.alloc(1_048_576);
  readSync(file, bytes, 0, bytes.length, 0);
  closeSync(file);
  return bytes;
};

test.each([
  ['an executable', executable(), 'is not a text'],
  ['random bytes', random, 'is not a text'],
  ['zeros', Buffer.alloc(100), 'is not a text'],
  ['UTF-16', Buffer.from('\uFEFFhttps://scam-mint.example\n', 'utf16le'), 'is UTF-16'],
  ['UTF-16 without a mark', Buffer.from('https://scam-mint.example\n', 'utf16le'), 'is not a text'],
  ['a Cyrillic file in an old encoding', Buffer.from(Array.from({ length: 500 }, (_, at) => 0xc0 + (at % 60))), 'is not a text'],
])('%s gets one message and no answers', async (_, bytes, message) => {
  const file = join(temporaryFolder(), 'input');
  writeFileSync(file, bytes);
  const out = join(temporaryFolder(), 'out');
  for (const args of [
    ['screen', '--local', file],
    ['screen', '--local', '--column', '1', file],
    ['screen', '--local', '-'],
    ['check', '--local', '-'],
    ['check', '--list', file, 'a.example'],
    ['publish', file, '--out', out],
    ['publish', '-', '--out', out],
  ]) {
    const { code, stdout, stderr } = await run(args, { input: bytes });
    expect([code, stdout], args.join(' ')).toEqual([3, '']);
    expect(stderr).toMatch(/^portcullis: .* \[\w+\]\n {2}.*\n$/);
    expect(stderr).toContain(message);
  }
});

test('a text in a Western encoding is answered, except for the lines with other bytes', async () => {
  const file = join(temporaryFolder(), 'input');
  writeFileSync(file, Buffer.from('https://a.example/caf\u00e9\nhttps://scam-mint.example/\n', 'latin1'));
  const { code, stdout } = await run(['screen', '--local', '--quiet', file]);
  expect([code, stdout]).toEqual([7, expect.stringContaining('{"line":1,"error":"not-utf8"}\n{"line":2,')]);
});
