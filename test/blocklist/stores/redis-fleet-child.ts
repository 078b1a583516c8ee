import { createInterface } from 'node:readline';
import { createBlocklist } from '../../../src/blocklist/engine/create-blocklist.js';
import { publishedSource } from '../../../src/blocklist/sources/published-source.js';
import { redisStore } from '../../../src/blocklist/stores/redis-store.js';
import { clients } from './redis-clients.js';
import type { FleetTask } from './redis-fleet.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const task = JSON.parse(process.argv[2] ?? '') as FleetTask;

// The clock of everything in this process, also of its store.
const realNow = Date.now;
Date.now = () => realNow() + task.skewMs;

const connection = clients[task.client](task.socket);
const { client } = connection;
if (task.dieAtWrite !== undefined) {
  let writes = 0;
  const method = 'call' in client ? 'call' : 'sendCommand';
  const commands = client as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  const send = commands[method]!.bind(client);
  commands[method] = (...args) => {
    const isWrite = /^(HSET|HDEL|EVAL)$/.test(String(args.flat()[0])) && String(args).includes(':rows:');
    if (isWrite && ++writes === task.dieAtWrite) process.kill(process.pid, 'SIGKILL');
    return send(...args);
  };
}

const blocklist = createBlocklist({
  sources: [publishedSource({ url: task.url })],
  store: redisStore({ client, leaseMs: task.leaseMs, watchPollMs: 400 }),
  pollMs: task.pollMs,
});
blocklist.on('error', ({ where, error }) => say(`error ${where} ${error.code}`));
blocklist.on('damaged', ({ name }) => say(`damaged ${name}`));
process.on('unhandledRejection', (error) => say(`unhandled ${String(error)}`));

const commands: Record<string, (argument: string) => Promise<string>> = {
  async check(host) {
    const { status, action } = await blocklist.check(`https://${host}/`);
    return `${host} ${status} ${action}`;
  },
  /** Checks as fast as it can for some time. Counts answers that are wrong, and the longest wait. */
  async storm(argument) {
    const [ms, listed] = argument.split(' ') as [string, string];
    const endMs = Date.now() + Number(ms);
    let [checks, wrong, worstMs] = [0, 0, 0];
    while (Date.now() < endMs) {
      const startMs = performance.now();
      // The hits were confirmed before, so memory answers.
      const [hit, miss] = await blocklist.checkMany([`https://${listed}/`, 'https://not-listed.example/']);
      worstMs = Math.max(worstMs, performance.now() - startMs);
      checks += 2;
      if (hit?.action !== 'block' || miss?.status !== 'clear') wrong++;
      if (checks % 200 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    return `storm ${checks} ${wrong} ${Math.round(worstMs)}`;
  },
  async status() {
    const [source] = blocklist.status().sources;
    return `status ${source?.isStored} ${source?.list?.count ?? 0}`;
  },
  async close() {
    await blocklist.close();
    connection.end();
    process.stdin.destroy();
    return 'closed';
  },
};

createInterface({ input: process.stdin }).on('line', async (line) => {
  const [name = '', ...rest] = line.split(' ');
  say(await commands[name]!(rest.join(' ')));
});
await blocklist.ready();
say('ready');
