import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { killGroup, runProcess, startProcess } from './bounded-process.js';
import { buildSuite, entriesSource } from './consumer.js';
import type { CheckResult } from './suite.js';
import type { PartOptions, SuiteRuntime } from './suite-session.js';

const program = fileURLToPath(new URL('node_modules/@cloudflare/workerd-linux-64/bin/workerd', import.meta.url));
const namespaceSource = fileURLToPath(new URL('key-value-namespace.js', import.meta.url));

/** Its start takes 0.1 s, a part of the suite 2 s. */
const workerdTimeoutMs = 60_000;

/** workerd with a KV namespace on disk: the binding is workerd's own, and a worker with a Durable Object answers for it. */
export const workerdRuntime: SuiteRuntime = {
  name: 'workerd',
  storage: 'KV',
  async open(consumer, scratch) {
    const suite = await buildSuite(consumer, 'suite-workerd.js', workerSource, ['workerd', 'worker', 'browser']);
    // The configuration embeds only what is beside it.
    copyFileSync(suite, join(scratch, 'suite.js'));
    copyFileSync(namespaceSource, join(scratch, 'namespace.js'));
    const disk = join(scratch, 'disk');
    mkdirSync(disk);
    const config = join(scratch, 'config.capnp');
    writeFileSync(config, configFor(disk));
    const { output } = await runProcess(program, ['--version'], { cwd: scratch });
    return {
      version: output.trim().replace(/^workerd /, ''),
      run: (options) => runPart(config, scratch, options),
      close: async () => {},
    };
  },
};

/** A KV namespace has pages of keys, and no way to compare before it writes. */
const workerSource = `
  import { keyValueStore } from 'portcullis/stores';
  const storeOver = (namespace) => keyValueStore({
    get: (key) => namespace.get(key),
    set: (key, text) => namespace.put(key, text),
    remove: (key) => namespace.delete(key),
    async keys() {
      const names = [];
      for (let cursor; ; ) {
        const page = await namespace.list({ cursor });
        for (const { name } of page.keys) names.push(name);
        if (page.list_complete) return names;
        cursor = page.cursor;
      }
    },
  });
  export default {
    async fetch(request, { LISTS }) {
      const { stopUrl, ...config } = await request.json();
      return Response.json(await runSuite({
        ...config,
        entries: ${entriesSource('workerd')},
        store: storeOver(LISTS),
        stopRelay: async () => { await (await fetch(stopUrl)).text(); },
      }));
    },
  };`;

/** Starts workerd, runs one part and kills it, as a machine that goes away does. */
function runPart(config: string, cwd: string, options: PartOptions): Promise<CheckResult[]> {
  return withWorkerd(config, cwd, async (url) => {
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(options) });
    if (!answer.ok) throw new Error(`workerd answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as CheckResult[];
  });
}

/** Starts workerd, whose socket is named `http`, and kills it after some work. */
export async function withWorkerd<Result>(config: string, cwd: string, work: (url: string) => Promise<Result>): Promise<Result> {
  const args = ['serve', config, '--socket-addr=http=127.0.0.1:0', '--control-fd=3', '--experimental'];
  const child = startProcess(program, args, { cwd, stdio: ['pipe'] });
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text.slice(0, 10_000);
  });
  const timer = setTimeout(() => killGroup(child), workerdTimeoutMs);
  try {
    return await work(`http://127.0.0.1:${await portOf(child)}/`);
  } catch (error) {
    throw new Error(`${error}\n${errors.slice(-4_000)}`, { cause: error });
  } finally {
    clearTimeout(timer);
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'close') : undefined;
    killGroup(child);
    await ended;
  }
}

/** workerd reports on its control descriptor which port it opened. */
async function portOf(child: ChildProcess): Promise<number> {
  const control = child.stdio[3] as Readable;
  let text = '';
  for await (const chunk of control.setEncoding('utf8')) {
    text += chunk;
    const port = /"event":"listen".*?"port":(\d+)/.exec(text)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error('workerd ended before it listened');
}

const configFor = (disk: string): string => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "lists", worker = .lists),
    (name = "internet", network = (allow = ["private", "public"])),
    (name = "disk", disk = (path = ${JSON.stringify(disk)}, writable = true)),
  ],
  sockets = [ (name = "http", address = "127.0.0.1:0", http = (), service = "main") ],
);
const main :Workerd.Worker = (
  modules = [ (name = "suite.js", esModule = embed "suite.js") ],
  compatibilityDate = "2026-01-01",
  bindings = [ (name = "LISTS", kvNamespace = "lists") ],
);
const lists :Workerd.Worker = (
  modules = [ (name = "namespace.js", esModule = embed "namespace.js") ],
  compatibilityDate = "2026-01-01",
  durableObjectNamespaces = [ (className = "Rows", uniqueKey = "rows", enableSql = true) ],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [ (name = "ROWS", durableObjectNamespace = "Rows") ],
);
`;
