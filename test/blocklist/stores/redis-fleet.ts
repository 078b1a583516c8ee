import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type BuiltList, buildList } from '../../../src/servers/publish/build-list.js';
import { originOf } from '../../support/listen.js';
import { type RedisServer, startRedis } from '../../support/redis-server.js';
import { clients } from './redis-clients.js';

/** A process of a fleet. */
export interface FleetTask {
  readonly client: keyof typeof clients;
  readonly socket: string;
  readonly url: string;
  readonly pollMs: number;
  /** How far its clock is ahead. */
  readonly skewMs: number;
  readonly leaseMs: number;
  /** Dies before this write to the store's rows. */
  readonly dieAtWrite?: number;
}

export interface Member {
  readonly process: ChildProcess;
  readonly lines: readonly string[];
  /** The exit code of the process, or its signal. */
  readonly ended: Promise<number | string>;
  /** Resolves when a line matches that was printed after the one that matched before. */
  said(pattern: RegExp): Promise<string>;
  ask(command: string, answer: RegExp): Promise<string>;
}

export interface Fleet {
  readonly redis: RedisServer;
  /** Requests by the kind of file since the last call. */
  requests(): Record<string, number>;
  /** Publishes these hosts beside the many of the base list. */
  publish(hosts: readonly string[]): Promise<void>;
  /** While it holds, snapshots are not sent. */
  holdSnapshots(): () => void;
  start(task?: Partial<FleetTask>, script?: 'current' | 'next'): Member;
  /** Starts some, over each kind of client in turn, and waits until they are ready. */
  startReady(count: number, task?: Partial<FleetTask>): Promise<Member[]>;
}

/** Enough that a set takes several chunks. */
const baseHosts: readonly string[] = Array.from({ length: 200_000 }, (_, at) => `host-${at}.example`);
export const listedHost = 'host-7.example';
const kinds = Object.keys(clients) as (keyof typeof clients)[];

const scripts = { current: '', next: '' };
let folder: string;
let base: BuiltList;

/** Builds the member's script, also as a later release would be: with another layout of rows and another version of records. */
export function fleetScripts(): void {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fleet-'));
    for (const kind of ['current', 'next'] as const) {
      scripts[kind] = join(folder, `${kind}.mjs`);
      await build({
        entryPoints: [fileURLToPath(new URL('./redis-fleet-child.ts', import.meta.url))],
        outfile: scripts[kind],
        bundle: true,
        format: 'esm',
        platform: 'node',
        target: 'node20',
        banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
        plugins: kind === 'current' ? [] : [laterRelease],
      });
    }
    base = await buildList(baseHosts, { differences: false });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
}

const laterRelease = {
  name: 'a later release',
  setup(builder: import('esbuild').PluginBuild) {
    builder.onLoad({ filter: /formats\/record\.ts$/ }, ({ path }) => {
      const contents = readFileSync(path, 'utf8').replace('recordVersion = 1;', 'recordVersion = 2;');
      if (!contents.includes('recordVersion = 2;')) throw new Error('the version of records was not found');
      return { contents, loader: 'ts' };
    });
  },
};

export async function newFleet(...redisOptions: string[]): Promise<Fleet> {
  const redis = await startRedis(...redisOptions);
  const members = new Set<ChildProcess>();
  let counts: Record<string, number> = {};
  let current = base;
  let files = filesOf(base);
  let held: Promise<void> | undefined;

  const server = createServer(async ({ url = '/' }, answer) => {
    const name = url.slice(1);
    const kind = /^[a-z]+/.exec(name)?.[0] ?? '';
    counts[kind] = (counts[kind] ?? 0) + 1;
    if (kind === 'snapshot') await held;
    const bytes = files.get(name);
    answer.writeHead(bytes === undefined ? 404 : 200).end(bytes);
  });
  const url = await originOf(server);
  onTestFinished(async () => {
    for (const child of members) child.kill('SIGKILL');
    await redis.end();
  });

  const fleet: Fleet = {
    redis,
    requests() {
      const all = counts;
      counts = {};
      return all;
    },
    async publish(hosts) {
      const version = current.version as never;
      current = await buildList([...baseHosts, ...hosts], {
        differences: false,
        previous: { version, snapshot: files.get(current.version.snapshot.url)! },
        now: () => Date.now() + 1,
      });
      const before = files;
      files = new Map([...before, ...filesOf(current)]);
    },
    holdSnapshots() {
      let release = (): void => {};
      held = new Promise((resolve) => {
        release = resolve;
      });
      return () => {
        held = undefined;
        release();
      };
    },
    start(task = {}, script = 'current') {
      const whole: FleetTask = {
        client: 'ioredis',
        socket: redis.socket,
        url,
        pollMs: 2_000,
        skewMs: 0,
        leaseMs: 5_000,
        ...task,
      };
      const child = spawn(process.execPath, [scripts[script], JSON.stringify(whole)], { stdio: ['pipe', 'pipe', 'inherit'] });
      members.add(child);
      child.stdin.on('error', () => {});
      return memberOf(child);
    },
    async startReady(count, task = {}) {
      const all = Array.from({ length: count }, (_, at) => fleet.start({ client: kinds[at % kinds.length]!, ...task }));
      await Promise.all(all.map((member) => member.said(/^ready$/)));
      return all;
    },
  };
  return fleet;
}

function filesOf(list: BuiltList): Map<string, Uint8Array> {
  return new Map([...list.files].map(({ name, bytes }) => [name, bytes]));
}

function memberOf(child: ChildProcess): Member {
  const lines: string[] = [];
  let rest = '';
  let read = 0;
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    const all = (rest + text).split('\n');
    rest = all.pop() ?? '';
    lines.push(...all);
  });
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  const member: Member = {
    process: child,
    lines,
    ended,
    async said(pattern) {
      for (const endMs = Date.now() + 60_000; Date.now() < endMs; await sleep(10)) {
        const at = lines.findIndex((line, index) => index >= read && pattern.test(line));
        if (at === -1) continue;
        read = at + 1;
        return lines[at]!;
      }
      throw new Error(`no line ${pattern} in:\n${lines.join('\n')}`);
    },
    ask(command, answer) {
      child.stdin!.write(`${command}\n`);
      return member.said(answer);
    },
  };
  return member;
}
