import type { ChildProcess } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, utimesSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBlocklist } from 'portcullis';
import { publishedSource } from 'portcullis/sources';
import { expect, test } from 'vitest';
import { run, runInTerminal, runJson, temporaryFolder } from './harness.js';

interface Place {
  readonly out: string;
  /** A file with these lines. */
  file(name: string, text: string): string;
}

function place(): Place {
  const folder = temporaryFolder();
  return {
    out: join(folder, 'out'),
    file: (name, text) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    },
  };
}

/** Reads the folder as a host serves it. */
async function verdictsIn(out: string, inputs: readonly string[]): Promise<string[]> {
  const fetch = async (url: string): Promise<Response> => {
    try {
      return new Response(readFileSync(join(out, new URL(url).pathname)));
    } catch {
      return new Response(null, { status: 404 });
    }
  };
  const sources = [publishedSource({ url: 'https://lists.example', fetch })];
  const blocklist = createBlocklist({ sources, pollMs: 0, deadlineMs: 60_000 });
  try {
    await blocklist.ready();
    return (await blocklist.checkMany(inputs)).map(({ status }) => status);
  } finally {
    await blocklist.close();
  }
}

test('publish makes a folder that readers understand, and goes on with it', async () => {
  const { out, file } = place();
  const list = file('mine.txt', 'a.example\nb.example\n');
  const first = await runJson(['publish', list, '--out', out]);
  expect([first.code, first.stderr]).toEqual([0, '']);
  expect(first.value).toEqual({
    out,
    isDryRun: false,
    listed: 2,
    snapshot: { token: expect.any(String), count: 2, cause: 'first' },
    recent: { token: expect.any(String), count: 0 },
    files: { written: 4099, unchanged: 0, removed: 0 },
    report: {
      entries: 2,
      listed: 2,
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
  expect(second.value.files).toEqual({ written: 4, unchanged: 4095, removed: 0 });
  expect(await verdictsIn(out, ['a.example', 'b.example', 'c.example'])).toEqual(['blocked', 'clear', 'blocked']);
});

test('lines that are refused are named by number, and not repeated', async () => {
  const { out, file } = place();
  const secret = 'ab'.repeat(32);
  const { code, stdout, stderr } = await run([
    'publish',
    file('a.txt', `a.example\nbit.ly\n${secret}\n`),
    file('b.csv', 'url,status\nb.example,blocked\nc.example,allowed\n'),
    '--out',
    out,
  ]);
  expect(code).toBe(7);
  expect(stderr).toContain('a.txt:2: shared-host bit.ly');
  expect(stderr).toContain('a.txt:3: secret');
  expect(stderr).toContain('b.csv:3: not-blocked');
  expect(stdout + stderr).not.toContain(secret);
  expect(await verdictsIn(out, ['a.example', 'b.example', 'c.example'])).toEqual(['blocked', 'blocked', 'clear']);
});

test('--dry-run writes nothing, and a list of nothing is not published', async () => {
  const { out, file } = place();
  const dry = await runJson(['publish', file('a.txt', 'a.example\n'), '--out', out, '--dry-run']);
  expect([dry.code, dry.value.isDryRun, dry.value.files]).toEqual([0, true, null]);
  expect(() => readdirSync(out)).toThrow();
  const empty = await run(['publish', file('b.txt', '# nothing\n'), '--out', out]);
  expect(empty.code).toBe(3);
  expect(empty.stderr).toContain('nothing is published');
  expect(() => readdirSync(out)).toThrow();
  expect((await run(['publish', file('b.txt', ''), '--out', out, '--allow-empty'])).code).toBe(0);
});

test.each([
  [['publish', '--out', '/nowhere'], 3, 'nothing to publish'],
  [['publish', 'list.txt'], 3, '--out is missing'],
  [['publish', '/nowhere/list.txt', '--out', '/nowhere/out'], 4, 'no such file'],
  [['publish', '-', '--out', '/nowhere/out', '--encoding', 'portcullis-rise'], 3, 'did you mean --encoding=portcullis-rice?'],
])('%j is refused', async (args, exitCode, words) => {
  const { code, stdout, stderr } = await run(args);
  expect(stderr).toContain(words);
  expect([code, stdout]).toEqual([exitCode, '']);
});

test('another algorithm, or what cannot be read, is not published over', async () => {
  const { out, file } = place();
  const list = file('a.txt', 'a.example\n');
  await run(['publish', list, '--out', out]);
  const other = await run(['publish', list, '--out', out, '--algorithm', 'safe-browsing-4']);
  expect([other.code, other.stderr]).toEqual([3, expect.stringContaining('another folder')]);
  writeFileSync(join(out, 'version.json'), '{');
  expect((await run(['publish', list, '--out', out])).stderr).toContain('--fresh');
  expect((await run(['publish', list, '--out', out, '--fresh'])).code).toBe(0);
});

test('a list that lost more than half is published only if that is meant', async () => {
  const { out, file } = place();
  const hosts = Array.from({ length: 101 }, (_, at) => `h${at}.example`);
  await run(['publish', file('a.txt', hosts.join('\n')), '--out', out]);
  const cut = file('a.txt', hosts.slice(0, 50).join('\n'));
  const refused = await run(['publish', cut, '--out', out]);
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('101 entries, and this one 50')]);
  expect(await verdictsIn(out, ['h100.example'])).toEqual(['blocked']);
  expect((await run(['publish', cut, '--out', out, '--yes'])).code).toBe(0);
});

test('an artifact goes two days after it was replaced, and not before', async () => {
  const { out, file } = place();
  const list = file('a.txt', 'a.example\n');
  await run(['publish', list, '--out', out]);
  const [old] = readdirSync(out).filter((name) => name.startsWith('snapshot-'));
  // It was made long ago, and counted until now.
  utimesSync(join(out, old!), 1_000, 1_000);
  file('a.txt', 'b.example\n');
  await run(['publish', list, '--out', out, '--new-snapshot']);
  await run(['publish', list, '--out', out]);
  expect(readdirSync(out)).toContain(old);
  utimesSync(join(out, old!), 1_000, 1_000);
  const { value } = await runJson(['publish', list, '--out', out]);
  expect(value.files.removed).toBe(1);
  expect(readdirSync(out)).not.toContain(old);
});

/** Ends a child when so many changes were seen in the folder. */
function killAfter(changes: number, signal: 'SIGKILL' | 'SIGINT', out: string) {
  return (child: ChildProcess): void => {
    let seen = 0;
    const count = (): void => {
      if (++seen === changes) child.kill(signal);
    };
    const watchers = [watch(out, count), watch(join(out, 'confirm'), count)];
    child.once('close', () => {
      for (const watcher of watchers) watcher.close();
    });
  };
}

test('whenever it is killed, readers see the list before or the new one', async () => {
  const { out, file } = place();
  const both = Array.from({ length: 200 }, (_, at) => `both${at}.example`);
  const [old, young] = ['old', 'young'].map((name) => Array.from({ length: 200 }, (_, at) => `${name}${at}.example`));
  const texts = [old!, young!].map((more) => [...both, ...more].join('\n'));
  await run(['publish', file('a.txt', texts[0]!), '--out', out]);
  let ended = 0;
  for (const [attempt, changes] of [1, 40, 200, 500, 900, 1_300, 1_600].entries()) {
    const list = file('a.txt', texts[(attempt + 1) % 2]!);
    const onStart = killAfter(changes, attempt % 2 === 0 ? 'SIGKILL' : 'SIGINT', out);
    const { code } = await run(['publish', list, '--out', out, '--new-snapshot'], { onStart });
    if (code !== 0) ended++;
    expect([0, 130, null]).toContain(code);
    const verdicts = await verdictsIn(out, [...both, 'none.example']);
    expect(verdicts.slice(0, both.length).every((status) => status === 'blocked')).toBe(true);
    expect(verdicts.at(-1)).toBe('clear');
    // It is one of the two lists, and not a part of one.
    expect(JSON.parse(readFileSync(join(out, 'version.json'), 'utf8')).snapshot.count).toBe(400);
  }
  expect(ended).toBeGreaterThan(2);
  expect((await run(['publish', file('a.txt', texts[0]!), '--out', out, '--new-snapshot'])).code).toBe(0);
  expect(new Set(await verdictsIn(out, [...both, ...old!]))).toEqual(new Set(['blocked']));
});

test('what a killed one left goes after an hour', async () => {
  const { out, file } = place();
  const list = file('a.txt', 'a.example\n');
  await run(['publish', list, '--out', out]);
  mkdirSync(join(out, 'confirm'), { recursive: true });
  for (const name of ['.version.json.1.portcullis-new', 'confirm/.00a.bin.1.portcullis-new'])
    writeFileSync(join(out, name), 'half');
  utimesSync(join(out, '.version.json.1.portcullis-new'), 1_000, 1_000);
  await run(['publish', list, '--out', out]);
  expect(readdirSync(out)).not.toContain('.version.json.1.portcullis-new');
  expect(readdirSync(join(out, 'confirm'))).toContain('.00a.bin.1.portcullis-new');
});

test('a terminal sees how far it is', async () => {
  const { out, file } = place();
  const terminal = await runInTerminal(['publish', file('a.txt', 'a.example\n'), '--out', out]);
  expect(await terminal.ended).toBe(0);
  expect(terminal.text()).toMatch(/publishing █*░* +\d+ % write/);
});

test('publish --page puts a page beside the list, which reads the folder above', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'mine.txt'), 'evil.example\n');
  expect((await run(['publish', 'mine.txt', '--out', 'public', '--page'], { cwd })).code).toBe(0);
  expect(readdirSync(join(cwd, 'public/playground')).sort()).toEqual(['config.json', 'index.html', 'page.css', 'page.js']);
  const config = JSON.parse(readFileSync(join(cwd, 'public/playground/config.json'), 'utf8'));
  expect(config).toEqual({ kind: 'published', url: '../', examples: [] });
});
