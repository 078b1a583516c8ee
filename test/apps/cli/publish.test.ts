import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { run, runJson, start, temporaryFolder } from './in-process.js';
import { publishFolder, verdictsIn } from './published.js';

const many = Array.from({ length: 101 }, (_, at) => `h${at}.example`);

/** The tests below share one published list. */
const shared = mkdtempSync(join(tmpdir(), 'portcullis-'));
const published = publishFolder(shared);
afterAll(() => rmSync(shared, { recursive: true, force: true, maxRetries: 10 }));

test('publishes a list of many entries', async () => {
  const { code, stdout } = await run(['publish', published.file('a.txt', many.join('\n')), '--out', published.out]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^101 entries published in .*\n {2}named .*\n {2}snapshot .* \(new: first\)\n/),
  ]);
});

test('publishes a folder that clients can read, and updates it', async () => {
  const { out, file } = publishFolder();
  const list = file('mine.txt', 'a.example\nb.example\n');
  const first = await runJson(['publish', list, '--out', out]);
  expect([first.code, first.stderr]).toEqual([
    0,
    expect.stringMatching(/^the list has a new name, list-[0-9a-f]{16}; .*--list-name.*\n$/),
  ]);
  expect(first.value).toEqual({
    out,
    isDryRun: false,
    listName: expect.stringMatching(/^list-[0-9a-f]{16}$/),
    listed: 2,
    sequence: expect.any(Number),
    expiresAtMs: null,
    signedBy: [],
    snapshot: { token: expect.any(String), count: 2, covers: 0, cause: 'first' },
    recent: { token: expect.any(String), count: 0 },
    hot: { count: 0 },
    files: { written: 5, unchanged: 0, removed: 0 },
    report: {
      formats: [{ source: list, format: 'lines' }],
      ignored: 0,
      excepted: 0,
      entries: 2,
      listed: 2,
      accounts: 0,
      byType: { URL: 2, PAGE: 0, ADDRESS: 0 },
      refused: [],
      refusedBy: {},
      warnings: [],
      warningsBy: {},
    },
  });
  expect(await verdictsIn(out, ['a.example', 'b.example', 'c.example'])).toEqual(['blocked', 'blocked', 'clear']);

  file('mine.txt', 'a.example\nc.example\n');
  const second = await runJson(['publish', list, '--out', out]);
  expect(second.value.snapshot).toMatchObject({ token: first.value.snapshot.token, cause: null });
  expect(second.value.recent.count).toBe(1);
  expect(second.value.files).toEqual({ written: 5, unchanged: 1, removed: 0 });
  expect(await verdictsIn(out, ['a.example', 'b.example', 'c.example'])).toEqual(['blocked', 'clear', 'blocked']);
});

test('names the newest entries, also those before the present snapshot, unless their file is lost', async () => {
  const { out, file } = publishFolder();
  const published = async (hosts: string, ...more: string[]): Promise<number> => {
    const list = file('mine.txt', hosts.replaceAll(/\w/g, '$&.example\n'));
    const { code, value } = await runJson(['publish', list, '--out', out, ...more]);
    expect(code).toBe(0);
    return value.hot.count;
  };
  expect(await published('a')).toBe(0);
  expect(await published('ab')).toBe(1);
  expect(await published('abc', '--new-snapshot')).toBe(2);
  expect(await published('abcd')).toBe(3);
  expect(await published('abcde', '--hot-entries', '2')).toBe(2);
  const name = readdirSync(out).filter((one) => one.startsWith('hot-'));
  expect(name.length).toBeGreaterThan(1);
  for (const one of name) writeFileSync(join(out, one), 'damaged');
  expect(await published('abcdef')).toBe(3);
  expect((await run(['publish', file('mine.txt', 'a.example'), '--out', out, '--hot-entries', '4097'])).code).toBe(3);
});

test('a list keeps its name, which another one replaces only if that is meant', async () => {
  const { out, file } = publishFolder();
  const list = file('mine.txt', 'a.example\n');
  const nameAfter = async (...more: string[]) => {
    const { code, value } = await runJson(['publish', list, '--out', out, ...more]);
    return code === 0 ? value.listName : value.error.code;
  };
  const name = await nameAfter();
  expect(await nameAfter()).toBe(name);
  expect(await nameAfter('--list-name', 'other')).toBe('RENAMED_LIST');
  expect(await nameAfter('--list-name', 'other', '--yes')).toBe('other');
  unlinkSync(join(out, readdirSync(out).find((file) => file.startsWith('snapshot-'))!));
  expect(await nameAfter('--fresh')).toBe('other');
  const { listName, ...earlier } = JSON.parse(readFileSync(join(out, 'version.json'), 'utf8'));
  expect(listName).toBe('other');
  writeFileSync(join(out, 'version.json'), JSON.stringify(earlier));
  expect(await nameAfter()).toMatch(/^list-[0-9a-f]{16}$/);
  expect(await nameAfter('--list-name', 'No Name', '--yes')).toBe('INVALID_INPUT');
});

test('names rejected lines by number without repeating them, and publishes the rest', async () => {
  const { out, file } = published;
  const secret = 'ab'.repeat(32);
  const { code, stdout, stderr } = await run([
    'publish',
    file('b.txt', `a.example\nbit.ly\n${secret}\nco.uk\n`),
    file('b.csv', 'url,status\nb.example,blocked\nc.example,allowed\n'),
    '--out',
    out,
    '--dry-run',
  ]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^2 entries would be published in /);
  expect(stderr).toContain(
    'b.txt:2: shared-host bit.ly; write the page or the subdomain; to list all of it: --allow-shared bit.ly\n',
  );
  expect(stderr).toContain('b.txt:3: secret; remove it and treat it as compromised');
  expect(stderr).toContain('b.txt:4: public-suffix co.uk; write the host below it');
  expect(stderr).toContain('b.csv:3: not-blocked');
  expect(stdout + stderr).not.toContain(secret);
});

test('says what to write instead of a line with two readings or several targets', async () => {
  const { out, file } = published;
  const lines = 'a.example\nb.example/a/..%2Fc\nhttps://href.li/?https://b.example\n';
  const { stderr } = await run(['publish', file('d.txt', lines), '--out', out, '--dry-run']);
  expect(stderr).toContain('d.txt:2: two-readings b.example; write the page as the address bar of a browser shows it');
  expect(stderr).toContain('d.txt:3: several-targets; write the link inside it, one link per line');
});

test('--dry-run writes nothing', async () => {
  const { out } = publishFolder();
  const dry = await runJson(['publish', published.file('c.txt', 'a.example\n'), '--out', out, '--dry-run']);
  const would = { written: 5, unchanged: 0, removed: 0 };
  expect([dry.code, dry.value.isDryRun, dry.value.files]).toEqual([0, true, would]);
  expect(() => readdirSync(out)).toThrow();
  const { stdout } = await run(['publish', published.file('c.txt', 'a.example\n'), '--out', out, '--dry-run']);
  expect(stdout).toMatch(/\n {2}5 files would be written, 0 unchanged, 0 old would be removed\n$/);
});

test('--dry-run counts the files that publishing then writes', async () => {
  const { out, file } = publishFolder();
  await run(['publish', file('a.txt', many.join('\n')), '--out', out]);
  for (const text of [many.join('\n'), [...many, 'b.example'].join('\n')]) {
    const args = ['publish', file('a.txt', text), '--out', out];
    const before = readdirSync(out, { recursive: true });
    const dry = await runJson([...args, '--dry-run']);
    expect(readdirSync(out, { recursive: true })).toEqual(before);
    expect((await runJson(args)).value.files).toEqual(dry.value.files);
  }
});

// A refused line had no way around it, and failed a nightly job. Each test had taken one of them for granted.
test('--allow-shared lists a shared host, and what is on it or below it, but no other', async () => {
  const { out, file } = publishFolder();
  const list = file('mine.txt', 'bit.ly\ngithub.io\nt.co\ngoogle.com\nsites.google.com\nco.uk\n');
  const publish = async (hosts: readonly string[]): Promise<string[]> => {
    const args = hosts.flatMap((host) => ['--allow-shared', host]);
    const { stderr } = await run(['publish', list, '--out', out, '--allow-empty', '--yes', ...args]);
    return [...stderr.matchAll(/mine\.txt:\d: [\w-]+ ([\w.]+)/g)].map(([, host]) => host!);
  };
  expect(await publish([])).toEqual(['bit.ly', 'github.io', 't.co', 'google.com', 'sites.google.com', 'co.uk']);
  expect(await publish(['bit.ly', 'https://www.GITHUB.io/'])).toEqual(['t.co', 'google.com', 'sites.google.com', 'co.uk']);
  expect(await verdictsIn(out, ['bit.ly/x', 'a.github.io', 't.co/x'])).toEqual(['blocked', 'blocked', 'clear']);
  expect(await publish(['google.com'])).toEqual(['bit.ly', 'github.io', 't.co', 'co.uk']);
  for (const host of ['evil.example', 'gov.uk', 'bit']) {
    const { code, stderr } = await run(['publish', list, '--out', out, '--allow-shared', host]);
    expect([code, stderr]).toEqual([3, expect.stringContaining(`${host} is not a shared host`)]);
  }
  const checked = await run(['check', '--list', list, '--allow-shared', 'bit.ly', 'https://bit.ly/x']);
  expect(checked.code).toBe(6);
  expect(checked.stderr).not.toContain('line 1 ');
});

test('a line that is refused fails a job only with --strict, and --quiet prints only errors', async () => {
  const { out, file } = publishFolder();
  const args = ['publish', file('mine.txt', 'a.example\nbit.ly\n'), '--out', out];
  expect((await run(args)).code).toBe(0);
  expect((await run([...args, '--strict'])).code).toBe(7);
  expect(await run([...args, '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await run([...args, '--quiet', '--strict'])).toEqual({
    code: 7,
    stdout: '',
    stderr: 'portcullis: 1 line was rejected (--strict)\n',
  });
  expect((await runJson([...args, '--quiet'])).value.listed).toBe(1);
  const failed = await run(['publish', '/nowhere/list.txt', '--out', out, '--quiet']);
  expect([failed.code, failed.stdout, failed.stderr]).toEqual([4, '', expect.stringContaining('file not found')]);
});

test('every line that is refused has advice of its own', async () => {
  const { out, file } = publishFolder();
  const refused = [
    'bit.ly',
    'co.uk',
    'ab'.repeat(32),
    '10.0.0.1',
    'localhost',
    'https://href.li/?https://b.example',
    'a b',
    'ev*.example',
  ];
  const { stderr } = await run(['publish', file('mine.txt', ['a.example', ...refused].join('\n')), '--out', out]);
  expect(stderr.match(/^warning: \S+mine\.txt:\d+: [\w-]+[^;]*; \w+ .*\S$/gm)).toHaveLength(refused.length);
});

test('many refused lines are counted by reason; the rare reasons are shown in full, of the others one line each', async () => {
  const { out, file } = publishFolder();
  const many = Array.from({ length: 1_200 }, () => 'bit.ly');
  const list = file('mine.txt', ['a.example', ...many, 'a b', 'co.uk', 'c d'].join('\n'));
  const { stderr } = await run(['publish', list, '--out', out, '--dry-run']);
  const warnings = stderr.split('\n').filter((line) => line.startsWith('warning: '));
  expect(warnings[0]).toBe(
    'warning: 1,203 lines cannot be listed: 1,200 shared-host, 2 unknown, 1 public-suffix; --json lists them all',
  );
  expect(warnings.slice(1).map((line) => /mine.txt:(\d+): ([\w-]+)/.exec(line)?.slice(1).join(' '))).toEqual([
    '2 shared-host',
    '1202 unknown',
    '1204 unknown',
    '1203 public-suffix',
  ]);
  expect(warnings[1]).toMatch(/\(one of 1,200\)$/);
  const { report } = (await runJson(['publish', list, '--out', out, '--dry-run'])).value;
  const countOf = (reason: string): number => report.refused.filter((one: { reason: string }) => one.reason === reason).length;
  expect(['shared-host', 'unknown', 'public-suffix'].map(countOf)).toEqual([1_200, 2, 1]);
});

test('publishes an empty list only with --allow-empty', async () => {
  const { out, file } = publishFolder();
  const args = ['publish', file('d.txt', '# nothing\n'), '--out', out, '--dry-run'];
  const empty = await run(args);
  expect([empty.code, empty.stderr]).toEqual([3, expect.stringContaining('nothing was published')]);
  expect((await run([...args, '--allow-empty'])).code).toBe(0);
});

test('rejects another algorithm for a folder with a published list', async () => {
  const { out, file } = published;
  const other = await run(['publish', file('e.txt', 'a.example\n'), '--out', out, '--algorithm', 'safe-browsing-4']);
  expect([other.code, other.stderr]).toEqual([3, expect.stringContaining('another folder')]);
});

test('publishes a list that lost more than half of its entries only with --yes', async () => {
  const { out, file } = published;
  const args = ['publish', file('f.txt', many.slice(0, 50).join('\n')), '--out', out];
  const refused = await run(args);
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('101 entries, and the new one only 50')]);
  expect(await verdictsIn(out, ['h100.example'])).toEqual(['blocked']);
  expect((await run([...args, '--yes', '--dry-run'])).code).toBe(0);
});

test('replaces a published list that cannot be read only with --fresh', async () => {
  const { out, file } = publishFolder();
  mkdirSync(out);
  const args = ['publish', file('a.txt', 'a.example\n'), '--out', out, '--dry-run'];
  for (const version of ['{', '{}', '{"algoVersion":"portcullis-1"}']) {
    writeFileSync(join(out, 'version.json'), version);
    const { code, stderr } = await run(args);
    expect([code, stderr]).toEqual([3, expect.stringContaining('--fresh')]);
  }
  expect((await run([...args, '--fresh'])).code).toBe(0);
});

test('deletes replaced artifacts after two days, and leftovers of a killed process after an hour', async () => {
  const { out, file } = published;
  const [old] = readdirSync(out).filter((name) => name.startsWith('snapshot-'));
  const leftover = `.version.json.${randomUUID()}.portcullis-new`;
  const young = `confirm/.00a.bin.${randomUUID()}.portcullis-new`;
  for (const name of [leftover, young]) writeFileSync(join(out, name), 'half');
  // Old files: the artifact was in use until now, the leftover was not.
  for (const name of [old!, leftover]) utimesSync(join(out, name), 1_000, 1_000);
  const list = file('g.txt', [...many, 'b.example'].join('\n'));
  await run(['publish', list, '--out', out, '--new-snapshot']);
  await run(['publish', list, '--out', out]);
  expect(readdirSync(out)).toContain(old);
  expect(readdirSync(out)).not.toContain(leftover);
  expect(readdirSync(join(out, 'confirm'))).toContain(young.slice('confirm/'.length));
  utimesSync(join(out, old!), 1_000, 1_000);
  const { value } = await runJson(['publish', list, '--out', out]);
  expect(value.files.removed).toBe(1);
  expect(readdirSync(out)).not.toContain(old);
});

test('writes and deletes nothing through links, and deletes no file that it did not make', async () => {
  const { out, file } = publishFolder();
  const list = file('mine.txt', 'a.example');
  const elsewhere = temporaryFolder();
  const old = (path: string): void => utimesSync(path, 1_000, 1_000);
  // Names as of artifacts, with other content.
  const foreign = [
    'snapshot-0123456789abcdef.bin',
    'recent-0123456789abcdef.bin',
    'sums-0123456789abcdef.bin',
    'difference-0123456789abcdef-0123456789abcdef.bin',
    '.x.portcullis-new',
    '.version.json.1.portcullis-new',
  ];
  mkdirSync(out);
  for (const folder of [out, elsewhere]) {
    for (const name of foreign) {
      writeFileSync(join(folder, name), 'of another program');
      old(join(folder, name));
    }
  }
  for (const name of ['confirm', 'playground']) {
    symlinkSync(elsewhere, join(out, name));
    const { code, stderr } = await run(['publish', list, '--out', out, '--page']);
    expect([code, stderr]).toEqual([3, expect.stringContaining(`${name} is a link`)]);
    // It used to be found only after the list had been published.
    expect(existsSync(join(out, 'version.json'))).toBe(false);
    unlinkSync(join(out, name));
  }
  expect((await run(['publish', list, '--out', out])).code).toBe(0);
  expect(readdirSync(elsewhere).sort()).toEqual([...foreign].sort());
  expect(readdirSync(out)).toEqual(expect.arrayContaining(foreign));
});

test('deletes replaced shards after two hours, and differences after two months', async () => {
  const { out, file } = publishFolder();
  const names = (count: number): string => Array.from({ length: count }, (_, at) => `n${at}.example`).join('\n');
  const publish = async (count: number, ...more: string[]) => {
    await run(['publish', file('many.txt', names(count)), '--out', out, '--new-snapshot', ...more]);
  };
  const hours = (count: number): Date => new Date(Date.now() - count * 3_600_000);
  const shards = (): string[] => readdirSync(join(out, 'confirm')).map((name) => name.replace(/-[\da-f]{16}\.bin$/, ''));
  await publish(600);
  const [last] = readdirSync(join(out, 'confirm')).filter((name) => name.startsWith('f-'));
  const [sums] = readdirSync(out).filter((name) => name.startsWith('sums-'));
  const old = [join(out, 'confirm', last!), join(out, sums!)];
  // Written long ago, but in use until now.
  for (const name of old) utimesSync(name, hours(9), hours(9));
  await publish(601, '--shards', '1');
  expect(shards().length).toBe(17);
  for (const name of old) utimesSync(name, hours(1.9), hours(1.9));
  await publish(601, '--shards', '1');
  expect(shards().length).toBe(17);
  expect(readdirSync(out)).toContain(sums);
  const [difference] = readdirSync(out).filter((name) => name.startsWith('difference-'));
  const days = (count: number): Date => new Date(Date.now() - count * 86_400_000);
  for (const name of old) utimesSync(name, hours(2.1), hours(2.1));
  utimesSync(join(out, difference!), days(60), days(60));
  await publish(602, '--shards', '1');
  expect(new Set(shards())).toEqual(new Set([...'0123456789abcde', 'all']));
  expect(readdirSync(out)).not.toContain(sums);
  expect(readdirSync(out)).toContain(difference);
  utimesSync(join(out, difference!), days(65), days(65));
  await publish(602, '--shards', '1');
  expect(readdirSync(out)).not.toContain(difference);
  expect(await verdictsIn(out, ['n601.example', 'm.example'])).toEqual(['blocked', 'clear']);
});

test('--allow rejects entries by line, and --popular warns about them', async () => {
  const { out, file } = publishFolder();
  const allow = file('allow.txt', '# ours\ncoinbase.com # an exchange\n');
  const popular = file('popular.csv', '1,google.example\n2,kraken.com\n');
  const args = [
    'publish',
    file('a.txt', 'evil.example\ncoinbase.com\nkraken.com\n'),
    '--out',
    out,
    '--allow',
    allow,
    '--popular',
    popular,
  ];
  const { code, stderr } = await run(args);
  expect(code).toBe(0);
  expect(stderr).toContain('a.txt:2: allowlisted coinbase.com; write the page or the subdomain, or remove it from the allowlist');
  expect(stderr).toContain('a.txt:3: listed, although kraken.com is popular');
  expect(await verdictsIn(out, ['coinbase.com', 'kraken.com'])).toEqual(['clear', 'blocked']);
});

test('a terminal shows progress, and Ctrl-C ends it', async () => {
  const { out, file } = publishFolder();
  const args = ['publish', file('a.txt', 'a.example\n'), '--out', out, '--shards', '4096'];
  const running = start(args, { columns: 80 });
  await running.until(/publishing █*░* +\d+ % write/);
  running.interrupt();
  expect(await running.ended).toBe(130);
  expect(readdirSync(out)).not.toContain('version.json');
});

test('says how many lines name an account, because each has two entries', async () => {
  const { out, file } = publishFolder();
  const list = file('accounts.txt', 'https://x.com/Evil_Mint\nevil.example\n');
  const { value, stderr } = await runJson(['publish', list, '--out', out, '--dry-run']);
  expect(value.report).toMatchObject({ entries: 2, listed: 3, accounts: 1 });
  expect(stderr).toContain('1 line names an account, a post or a work, which is listed as well');
});
