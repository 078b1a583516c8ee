import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { links, listedHosts, ownSiteLinks } from './inputs.js';
import { countName, type Figures, type Group, type Question, type Results, type Row, type Settings } from './question.js';

/** How long does it take to screen a file of links on the command line, from the start of the process to its end? */
export const screen: Question = { name: 'screen', title: 'A file of links against a list, on the command line', groups, rows };

const all = 'portcullis screen, an answer for each line';
const threaded = 'portcullis screen --workers 2';
const own = 'portcullis screen, links to hosts with a site of their own';
const some = 'portcullis screen --only blocked';
const reading = 'readline, counting lines';
const grep = 'grep -F -f, a plain list of hosts';

/** One line in this many has a listed host. */
const hitEvery = 1_000;

function sizes({ quick }: Settings): { lines: number; listed: number } {
  return quick ? { lines: 10_000, listed: 10_000 } : { lines: 1_000_000, listed: 1_000_000 };
}

function groups(settings: Settings): Group[] {
  const { lines, listed } = sizes(settings);
  const measured = {
    [all]: screenAll,
    [own]: screenOwn,
    [threaded]: screenThreaded,
    [some]: screenSome,
    [reading]: readLines,
    [grep]: grepHosts,
  };
  return [
    {
      name: `${countName(lines)} lines, ${countName(listed)} listed`,
      prepare: () => prepare(settings),
      variants: Object.entries(measured).map(([name, measure]) => ({ name, measure: () => measure(settings) })),
    },
  ];
}

function rows(results: Results, settings: Settings): Row[] {
  const [{ name } = { name: '' }] = groups(settings);
  const value = (variant: string): Row => ({
    what: `${name}: ${variant}`,
    unit: 'ms',
    value: results.spread(name, variant, 'ms'),
    ...(variant !== all && { ratio: results.ratio(name, all, variant, 'ms') }),
  });
  const perSecond = (variant: string): Row => ({
    what: `${name}: ${variant}: lines a second`,
    unit: '' as const,
    value: results.spread(name, variant, 'perSecond'),
  });
  const isGrepThere = results.spread(name, grep, 'ms').median > 0;
  return [
    value(all),
    perSecond(all),
    value(own),
    perSecond(own),
    value(threaded),
    perSecond(threaded),
    value(some),
    value(reading),
    ...(isGrepThere ? [value(grep)] : []),
  ];
}

interface Places {
  readonly lines: string;
  readonly ownLines: string;
  readonly hosts: string;
  readonly published: string;
  readonly store: string;
}

function placesOf({ scratch }: Settings): Places {
  const folder = join(scratch, 'screen');
  return {
    lines: join(folder, 'lines.txt'),
    ownLines: join(folder, 'own-lines.txt'),
    hosts: join(folder, 'hosts.txt'),
    published: join(folder, 'published'),
    store: join(folder, 'store'),
  };
}

/** Writes both files, publishes the list, and syncs it once, so that it is stored as on a device. */
async function prepare(settings: Settings): Promise<Figures> {
  const places = placesOf(settings);
  const { lines, listed } = sizes(settings);
  rmSync(join(settings.scratch, 'screen'), { recursive: true, force: true });
  mkdirSync(places.published, { recursive: true });
  const hosts = listedHosts(listed);
  const write = (file: string, texts: readonly string[]): void => {
    const some = texts.map((text, at) => (at % hitEvery === 0 ? `https://${hosts[at % listed]}/login` : text));
    writeFileSync(file, `${some.join('\n')}\n`);
  };
  writeFileSync(places.hosts, `${hosts.join('\n')}\n`);
  write(places.lines, links(lines));
  write(places.ownLines, ownSiteLinks(lines));
  await portcullis(['publish', places.hosts, '--out', places.published], [0]);
  await withServer(places, (from) => portcullis(['sync', ...from], [0]));
  return {};
}

function screenAll(settings: Settings): Promise<Figures> {
  return screenLines(settings, placesOf(settings).lines, []);
}

function screenOwn(settings: Settings): Promise<Figures> {
  return screenLines(settings, placesOf(settings).ownLines, []);
}

/** Two threads check, and one reads and writes. */
function screenThreaded(settings: Settings): Promise<Figures> {
  return screenLines(settings, placesOf(settings).lines, ['--workers', '2']);
}

async function screenLines(settings: Settings, file: string, extra: readonly string[]): Promise<Figures> {
  const args = ['screen', file, '--fail-on-block', ...extra];
  const { ms } = await withServer(placesOf(settings), (from) => portcullis([...args, ...from], [6]));
  return { ms, perSecond: Math.round((sizes(settings).lines / ms) * 1_000) };
}

async function screenSome(settings: Settings): Promise<Figures> {
  const places = placesOf(settings);
  const args = ['screen', places.lines, '--only', 'blocked', '--summary'];
  const { ms, output } = await withServer(places, (from) => portcullis([...args, ...from], [0], true));
  requireCount(settings, JSON.parse(output.trimEnd().split('\n').at(-1)!).summary.blocked);
  return { ms };
}

async function readLines(settings: Settings): Promise<Figures> {
  const script = `let count = 0;
    const input = require('node:fs').createReadStream(process.argv[1]);
    require('node:readline').createInterface({ input }).on('line', () => count++).on('close', () => console.log(count));`;
  const { ms, output } = await timedProcess(process.execPath, ['-e', script, placesOf(settings).lines], [0], true);
  if (Number(output) !== sizes(settings).lines) throw new Error('readline returned a different count');
  return { ms };
}

/** It finds hosts anywhere in a line, which makes no difference for these links. 0 without grep. */
async function grepHosts(settings: Settings): Promise<Figures> {
  const { hosts, lines } = placesOf(settings);
  try {
    const { ms, output } = await timedProcess('grep', ['-c', '-F', '-f', hosts, lines], [0], true);
    requireCount(settings, Number(output));
    return { ms };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return { ms: 0 };
  }
}

function requireCount(settings: Settings, count: number): void {
  if (count !== sizes(settings).lines / hitEvery) throw new Error(`unexpected number of lines found: ${count}`);
}

/** Runs the built command. */
function portcullis(args: readonly string[], codes: readonly number[], isRead = false): Promise<Ran> {
  return timedProcess(process.execPath, ['dist/cli.js', ...args], codes, isRead);
}

interface Ran {
  readonly ms: number;
  readonly output: string;
}

/** Times a process from its start to its end. Output that is not needed is discarded. */
async function timedProcess(file: string, args: readonly string[], codes: readonly number[], isRead: boolean): Promise<Ran> {
  const startMs = performance.now();
  const child = spawn(file, args, { stdio: ['ignore', isRead ? 'pipe' : 'ignore', 'ignore'] });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  const ms = performance.now() - startMs;
  if (code === null || !codes.includes(code))
    throw new Error(`${file} ${args.slice(0, 2).join(' ')} failed with exit code ${code}`);
  return { ms, output };
}

/** The server of the list also confirms its hits. */
async function withServer<T>({ published, store }: Places, run: (from: readonly string[]) => Promise<T>): Promise<T> {
  const server = createServer(async ({ url = '' }, response) => {
    try {
      response.end(await readFile(join(published, url)));
    } catch {
      response.writeHead(404).end();
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    return await run(['--published', `http://127.0.0.1:${port}`, '--store', store]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
