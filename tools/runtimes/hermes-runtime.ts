import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hermesBinary, hermesCompilerBinary } from '../checks/engine-gate/engines.js';
import { guideBlock } from '../guide-blocks.js';
import { runProcess } from './bounded-process.js';
import { entriesFor } from './entry-table.js';
import { checkGuideTypes } from './guide-types.js';
import { metroBundle } from './metro-bundle.js';
import type { CheckResult } from './suite.js';
import { type PartOptions, resultsIn, resultsMark, type SuiteRuntime } from './suite-session.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const standIn = (name: string): string => join(here, '../../test/support/react-native', `${name}.ts`);

/** Each run sends the requests that the one before it lacked. The suite has about a dozen that wait for each other. */
const maxRuns = 40;

/** Promises with a queue of their own, as in React Native's new architecture: the binary's timers run at once. */
// Without optimization a start takes a quarter of the time, and there are dozens.
const flags = ['-w', '-O0', '-enable-eval=false', '-Xmicrotask-queue'];

/** A request of the suite, and what came back. */
interface Exchange {
  readonly key: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly hex?: string;
  readonly failure?: string;
}

/** A React Native app with the stores of the guide: bundled by Metro, run in Hermes 0.12, compiled for Hermes 1.0. */
export const hermesRuntime: SuiteRuntime = {
  name: 'hermes',
  storage: 'MMKV, a stand-in',
  notes: { sync: "with the app's `fetch`", restart: 'from rows that the app keeps' },
  async open(consumer, scratch) {
    const { bundle, isSame } = await bundleApp(consumer);
    await compile(bundle, scratch);
    checkGuideTypes(appFolder(consumer), storeFiles);
    const { output } = await runProcess(hermesBinary(), ['--version'], { cwd: scratch });
    let rows = '[]';
    return {
      version: /release version: ([\d.]+)/.exec(output)?.[1] ?? 'unknown',
      async run(options) {
        const ran = await runPart(bundle, scratch, options, rows);
        rows = ran.rows;
        if (options.part === 'restart') return ran.results;
        const other = { check: 'Metro without package exports', ...(!isSame && { fault: 'the bundle differs' }) };
        return [...ran.results, other];
      },
      close: async () => {},
    };
  },
};

const appFolder = (consumer: string): string => join(consumer, 'react-native');
const storeFiles = ['mmkv-store.js', 'async-storage-store.js'];

/** Writes the app into the consumer's project and bundles it with and without package exports. */
async function bundleApp(consumer: string): Promise<{ bundle: string; isSame: boolean }> {
  const app = appFolder(consumer);
  mkdirSync(app, { recursive: true });
  for (const file of [...storeFiles, 'scam-check.js']) {
    writeFileSync(join(app, file), guideBlock('docs/react-native.md', file));
  }
  copyFileSync(join(here, 'suite.ts'), join(app, 'suite.ts'));
  copyFileSync(join(here, 'hermes-host.js'), join(app, 'hermes-host.js'));
  const entry = join(app, 'index.js');
  writeFileSync(entry, appSource);
  const options = {
    project: consumer,
    entry,
    standIns: {
      'react-native-mmkv': standIn('mmkv'),
      '@react-native-async-storage/async-storage': standIn('async-storage'),
    },
  };
  const bundle = await metroBundle({ ...options, isUsingExports: true });
  return { bundle, isSame: (await metroBundle({ ...options, isUsingExports: false })) === bundle };
}

/** Imports are written as `require`, because Metro loads `import()` as a bundle of its own. */
const appSource = `
  import { lentFetch, stopRelay } from './hermes-host';
  import { mmkvRows } from 'react-native-mmkv';
  import { asyncStorageStore } from './async-storage-store';
  import { mmkvStore } from './mmkv-store';
  import { runSuite } from './suite';
  const { rows, options } = globalThis.suiteInput;
  mmkvRows.set('suite', new Map(rows));
  const entries = { ${entriesFor('hermes')
    .map((name) => `${JSON.stringify(name)}: async () => require(${JSON.stringify(name)})`)
    .join(', ')} };
  async function checkAsyncStorage() {
    const store = asyncStorageStore('suite');
    await store.open();
    await store.write('list', Uint8Array.from({ length: 300000 }, (_, at) => at));
    const read = await store.read('list');
    await store.close();
    if (read.length !== 300000 || read[299999] !== (299999 & 255)) throw new Error('the list differs');
  }
  async function run() {
    const results = await runSuite({ ...options, entries, store: mmkvStore('suite'), fetch: lentFetch, stopRelay });
    const fault = await checkAsyncStorage().then(() => undefined, String);
    results.push({ check: 'the AsyncStorage store of the guide', fault });
    const { action, reason } = require('./scam-check').blocklist.test('0x52908400098527886E0F7030069857D2E4169EE7');
    // Its list is not loaded.
    results.push({ check: 'the app of the guide', fault: action === 'warn' ? undefined : action + ' ' + reason });
    return results;
  }
  run().then(
    (results) => {
      print('ROWS ' + JSON.stringify(Array.from(mmkvRows.get('suite'))));
      print(${JSON.stringify(resultsMark)} + JSON.stringify(results));
    },
    (error) => print(${JSON.stringify(resultsMark)} + JSON.stringify([{ check: 'run', fault: String(error && error.stack || error) }])),
  );`;

/** Fails with the compiler's message if Hermes 1.0 cannot take the bundle. */
async function compile(bundle: string, scratch: string): Promise<void> {
  const [input, output] = [join(scratch, 'app.js'), join(scratch, 'app.hbc')];
  writeFileSync(input, bundle);
  await runProcess(hermesCompilerBinary(), ['-O', '-w', '-emit-binary', '-out', output, input], { cwd: scratch });
}

interface Ran {
  readonly results: CheckResult[];
  /** The rows of the storage afterwards, as JSON. */
  readonly rows: string;
}

/** Runs the bundle again and again, each time with the answers to the requests that it printed. */
async function runPart(bundle: string, scratch: string, { part, relayUrl, stopUrl }: PartOptions, rows: string): Promise<Ran> {
  const exchanges: Exchange[] = [];
  const script = join(scratch, `${part}.js`);
  for (let runs = 0; runs < maxRuns; runs++) {
    const input = `{ options: ${JSON.stringify({ part, relayUrl })}, rows: ${rows}, exchanges: ${JSON.stringify(exchanges)} }`;
    writeFileSync(script, `globalThis.suiteInput = ${input};\n${bundle}`);
    const { output } = await runProcess(hermesBinary(), [...flags, script], { cwd: scratch });
    const lines = output.split('\n');
    const needed = lines.flatMap((line) => (line.startsWith('NEED ') ? [line.slice('NEED '.length)] : []));
    if (needed.length === 0) {
      return { results: resultsIn(output), rows: lines.find((line) => line.startsWith('ROWS '))?.slice('ROWS '.length) ?? '[]' };
    }
    for (const key of needed) exchanges.push(await exchange(key, stopUrl));
  }
  throw new Error(`the suite still asks for more after ${maxRuns} runs`);
}

/** Sends a request of the suite over real HTTP. */
async function exchange(key: string, stopUrl: string): Promise<Exchange> {
  const request = JSON.parse(key) as {
    stop?: true;
    method: string;
    url: string;
    body: string | null;
    headers: Record<string, string>;
  };
  if (request.stop === true) {
    await fetch(stopUrl);
    return { key };
  }
  const { method, url, body, headers } = request;
  try {
    const answer = await fetch(url, { method, headers, body, redirect: 'manual' });
    const bytes = Buffer.from(await answer.arrayBuffer());
    return { key, status: answer.status, headers: Object.fromEntries(answer.headers), hex: bytes.toString('hex') };
  } catch (error) {
    return { key, failure: String(error) };
  }
}
