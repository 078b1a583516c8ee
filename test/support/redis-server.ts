import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'redis';
import { findRedis } from '../../tools/find-redis.js';

/** A real server with its own folder, reached by a socket in that folder, so that it needs no port. */
export interface RedisServer {
  readonly socket: string;
  readonly process: ChildProcess;
  /** Kills it, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again, with nothing or with what it had saved. */
  start(): Promise<void>;
  /** Sends one command over a connection of its own. */
  run(...args: string[]): Promise<unknown>;
  /** Ends it and removes its folder. */
  end(): Promise<void>;
}

export async function startRedis(...options: string[]): Promise<RedisServer> {
  const program = findRedis();
  if (program === undefined) throw new Error('no redis-server; run: npx tsx tools/find-redis.ts');
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  const socket = join(folder, 'socket');
  let child: ChildProcess;

  const server: RedisServer = {
    socket,
    get process() {
      return child;
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
      rmSync(socket, { force: true });
    },
    async start() {
      const settings = ['--port', '0', '--unixsocket', socket, '--dir', folder, '--save', '', '--appendonly', 'no', ...options];
      child = spawn(program, settings, { stdio: 'ignore' });
      for (let tries = 0; !existsSync(socket); tries++) {
        if (tries > 500 || child.exitCode !== null) throw new Error('redis-server did not start');
        await sleep(20);
      }
    },
    async run(...args) {
      const client = await createClient({ socket: { path: socket, tls: false } })
        .on('error', () => {})
        .connect();
      try {
        return await client.sendCommand(args);
      } finally {
        client.destroy();
      }
    },
    async end() {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}
