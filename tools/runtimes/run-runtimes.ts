/**
 * Runs one suite against the packed package in every runtime, and compares docs/runtimes.md with the result.
 *
 *   npm run test:runtimes -- [--only node22,deno] [--json] [--write]
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { killAll } from './bounded-process.js';
import { extensionRuntime, pageRuntime } from './browser-runtimes.js';
import { installPacked } from './consumer.js';
import { runtimeNames, runtimeTitles } from './entry-table.js';
import { hermesRuntime } from './hermes-runtime.js';
import { jsrFault } from './jsr-check.js';
import { relayExampleFault } from './relay-example.js';
import { type RuntimeResult, rowOf, statedRows, updatePages } from './runtime-pages.js';
import { denoProgram, serverRuntimes } from './server-runtimes.js';
import { startSuiteRelay } from './suite-relay.js';
import type { SuiteRuntime } from './suite-session.js';
import { workerdRuntime } from './workerd-runtime.js';

const runtimes: readonly SuiteRuntime[] = [...serverRuntimes, workerdRuntime, pageRuntime, extensionRuntime, hermesRuntime];

/** A run takes about a minute after the install. A hang in a part that has no limit of its own ends here. */
const totalTimeoutMs = 900_000;

const { values } = parseArgs({
  options: { only: { type: 'string' }, json: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
});
const say = (text: string): void => void process.stderr.write(`${text}\n`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    killAll();
    process.exit(130);
  });
}
process.once('exit', killAll);
setTimeout(() => {
  say(`the suite did not end within ${totalTimeoutMs} ms`);
  process.exit(1);
}, totalTimeoutMs).unref();

if (process.platform === 'linux' && process.arch === 'x64') await main(chosen());
else say(`skipped all runtimes: their packages are those for Linux x64, and this is ${process.platform} ${process.arch}`);

function chosen(): readonly SuiteRuntime[] {
  if (values.only === undefined) return runtimes;
  const names = values.only.split(',');
  for (const name of names) {
    if (!runtimeNames.some((each) => each === name)) {
      throw new Error(`unknown runtime ${JSON.stringify(name)}; the runtimes are ${runtimeNames.join(', ')}`);
    }
  }
  return runtimes.filter(({ name }) => names.includes(name));
}

/** The runtime that runs this file is the only one that is not installed. */
function skipReason({ name }: SuiteRuntime): string | undefined {
  return name === 'node20' && !process.version.startsWith('v20.') ? `this process runs on Node ${process.version}` : undefined;
}

async function main(wanted: readonly SuiteRuntime[]): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'portcullis-runtimes-')));
  try {
    say('packing the package and installing the tarball');
    const consumer = join(folder, 'consumer');
    mkdirSync(consumer);
    await installPacked(consumer);
    const results: RuntimeResult[] = [];
    for (const runtime of wanted) {
      const reason = skipReason(runtime);
      if (reason !== undefined) {
        say(`skip  ${runtimeTitles[runtime.name]}: ${reason}`);
        continue;
      }
      const result = await runRuntime(runtime, consumer, join(folder, runtime.name));
      results.push(result);
      sayResult(result);
    }
    report(results, wanted);
    if (wanted.some(({ name }) => name === 'workerd')) {
      const fault = await relayExampleFault(join(folder, 'relay-example'));
      say(fault === '' ? 'pass  examples/ohttp-relay in workerd' : `FAIL  examples/ohttp-relay in workerd: ${fault}`);
      if (fault !== '') process.exitCode = 1;
    }
    if (wanted.some(({ name }) => name === 'deno')) {
      const fault = await jsrFault(consumer, join(folder, 'jsr'), denoProgram);
      say(fault === '' ? 'pass  JSR would accept the package' : `FAIL  JSR would not accept the package:\n${fault}`);
      if (fault !== '') process.exitCode = 1;
    }
  } finally {
    killAll();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function runRuntime(runtime: SuiteRuntime, consumer: string, scratch: string): Promise<RuntimeResult> {
  const startedMs = performance.now();
  const { name, storage, notes } = runtime;
  const done = (version: string, checks: RuntimeResult['checks']): RuntimeResult => ({
    name,
    storage,
    notes,
    version,
    checks,
    tookMs: Math.round(performance.now() - startedMs),
  });
  mkdirSync(scratch);
  const relay = await startSuiteRelay();
  let version = 'unknown';
  try {
    const session = await runtime.open(consumer, scratch);
    version = session.version;
    try {
      const { relayUrl, stopUrl } = relay;
      const first = await session.run({ part: 'first', relayUrl, stopUrl });
      const requests = relay.requestCount();
      // The list, its files and the confirmation. Fewer would mean that the runtime did not use the network.
      if (requests < 3) first.push({ check: 'sync', fault: `the relay received only ${requests} requests` });
      const restart = await session.run({ part: 'restart', relayUrl, stopUrl });
      return done(version, [...first, ...restart]);
    } finally {
      await session.close();
    }
  } catch (error) {
    return done(version, [{ check: 'run', fault: error instanceof Error ? error.message : String(error) }]);
  } finally {
    await relay.close();
  }
}

function sayResult({ name, version, checks, tookMs }: RuntimeResult): void {
  const faults = checks.filter(({ fault }) => fault !== undefined);
  say(`${faults.length === 0 ? 'pass' : 'FAIL'}  ${runtimeTitles[name]} ${version}  ${checks.length} checks  ${tookMs} ms`);
  for (const { check, fault } of faults) say(`      ${check}: ${fault?.replaceAll('\n', '\n        ')}`);
}

function report(results: readonly RuntimeResult[], wanted: readonly SuiteRuntime[]): void {
  const rows = results.map(rowOf);
  if (values.json) process.stdout.write(`${JSON.stringify({ results, rows }, null, 2)}\n`);
  else process.stdout.write(`${statedRows(rows)}\n`);
  const isFaulty = results.some(({ checks }) => checks.some(({ fault }) => fault !== undefined));
  if (isFaulty) process.exitCode = 1;
  const differences = updatePages(rows, values.write);
  if (values.write) {
    if (wanted.length < runtimes.length) say('wrote the rows of the chosen runtimes only');
    return;
  }
  for (const difference of differences) say(difference);
  if (differences.length > 0) {
    say('run: npm run docs:runtimes');
    process.exitCode = 1;
  }
}
