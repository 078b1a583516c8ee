import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProcess } from './bounded-process.js';
import { buildSuite, entriesSource } from './consumer.js';
import type { RuntimeName } from './entry-table.js';
import { resultsIn, resultsMark, type SuiteRuntime } from './suite-session.js';

const modules = fileURLToPath(new URL('node_modules', import.meta.url));

/**
 * A runtime with files, which runs a script with the package's own rules for imports.
 *
 * @param restartArgs Arguments for the restart alone
 */
function serverRuntime(
  name: RuntimeName,
  program: string,
  args: readonly string[] = [],
  restartArgs: readonly string[] = [],
): SuiteRuntime {
  return {
    name,
    storage: 'files',
    async open(consumer, scratch) {
      const script = await buildSuite(consumer, `suite-${name}.mjs`, sourceFor(name));
      const { output } = await runProcess(program, ['--version'], { cwd: scratch });
      return {
        version: /\d+\.\d+\.\d+/.exec(output)?.[0] ?? output.trim(),
        async run(options) {
          const config = JSON.stringify({ ...options, directory: join(scratch, 'lists') });
          const all = [...args, ...(options.part === 'restart' ? restartArgs : []), script, config];
          return resultsIn((await runProcess(program, all, { cwd: consumer })).output);
        },
        close: async () => {},
      };
    },
  };
}

/** `require` is checked beside the suite: an ES module with the types of CommonJS users. */
function sourceFor(name: RuntimeName): string {
  return `
    import { createRequire } from 'node:module';
    import process from 'node:process';
    import { fileStore } from 'portcullis/stores/file';
    const { directory, stopUrl, ...config } = JSON.parse(process.argv[2]);
    const results = await runSuite({
      ...config,
      entries: ${entriesSource(name)},
      store: fileStore({ directory }),
      stopRelay: async () => { await fetch(stopUrl); },
    });
    const isSame = createRequire(import.meta.url)('portcullis').createBlocklist === (await import('portcullis')).createBlocklist;
    results.push({ check: 'require', ...(!isSame && { fault: 'require and import return different modules' }) });
    console.log(${JSON.stringify(resultsMark)} + JSON.stringify(results));`;
}

export const denoProgram = join(modules, '@deno/linux-x64-glibc/deno');

/** The permission model of Node: no writing, and in Node 26 no network. */
const readsOnly = ['--permission', '--allow-fs-read=*'];

export const serverRuntimes: readonly SuiteRuntime[] = [
  serverRuntime('node20', process.execPath),
  serverRuntime('node22', join(modules, 'node22/bin/node'), [], readsOnly),
  serverRuntime('node24', join(modules, 'node24/bin/node'), [], readsOnly),
  serverRuntime('node26', join(modules, 'node26/bin/node'), [], readsOnly),
  serverRuntime('bun', join(modules, '@oven/bun-linux-x64/bin/bun')),
  serverRuntime('deno', denoProgram, ['run', '--quiet', '-A', '--no-lock']),
];
