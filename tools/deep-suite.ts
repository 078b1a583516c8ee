/**
 * Runs the deep tests. With `--minutes` it runs a part of them, for about so long: this commit's share of all files, then the files
 * that the change touches, the nearest first. It prints the seed, what runs and what is left out, and repeats a failure's command.
 *
 *   npm run test:deep -- [--minutes 6] [file …]
 */
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { createVitest } from 'vitest/node';
import { readChange } from './deep-suite/change.js';
import { chooseDeepFiles, shareCount } from './deep-suite/choose.js';
import { fileGraph } from './file-graph.js';

const { minutes, positionals } = argumentsOf(process.argv.slice(2));
const isPart = Number.isFinite(minutes);
const deadlineMs = Date.now() + minutes * 60_000;

/** New cases in every run, unless a seed is given. */
process.env['PORTCULLIS_SEED'] ||= String(Math.floor(Math.random() * 0x7fff_ffff));
/** A part of the suite runs often, each time with new cases, so each run may be shorter than the whole suite's. */
if (isPart) process.env['PORTCULLIS_RUNS'] ||= '1000';
/** Between two batches the deadline is checked; larger ones keep the workers busier. */
const batchSize = 6;
/** Enough for a counterexample, and short enough to read. */
const maxFailureLength = 4_000;
const maxFailures = 5;

const vitest = await createVitest('test', { project: ['deep'], watch: false, run: true }, {});
// Starts the reporters; no test runs yet.
await vitest.standalone();
const specifications = await vitest.globTestSpecifications([...positionals]);
const nameOf = ({ moduleId }: { readonly moduleId: string }): string => relative('.', moduleId).replaceAll('\\', '/');
const byName = new Map(specifications.map((specification) => [nameOf(specification), specification]));
const failed = new Set<string>();
/** Repeated at the end, because logs of long runs are often cut. */
const failures: string[] = [];
const leftOut: string[] = [];
let testCount = 0;

say(`seed ${process.env['PORTCULLIS_SEED']}`);
if (isPart) await runPart();
else await runFiles([...byName.keys()]);
await vitest.close();
report();

function argumentsOf(args: readonly string[]): { readonly minutes: number; readonly positionals: readonly string[] } {
  try {
    // npm keeps an option for itself that comes before `--`, and passes on its value alone.
    if (process.env['npm_config_minutes'] !== undefined) throw new Error('options come after --');
    const { values, positionals: names } = parseArgs({
      args: [...args],
      options: { minutes: { type: 'string' } },
      allowPositionals: true,
    });
    const given = values.minutes === undefined ? Number.POSITIVE_INFINITY : Number(values.minutes);
    if (!(given > 0)) throw new Error('--minutes must be a positive number');
    return { minutes: given, positionals: names };
  } catch (error) {
    console.error(`${(error as Error).message}\nusage: npm run test:deep -- [--minutes 6] [file …]`);
    process.exit(2);
  }
}

async function runPart(): Promise<void> {
  const { commitCount, since, allFiles } = readChange();
  const { share, touched } = chooseDeepFiles([...byName.keys()], commitCount, since?.files ?? null, fileGraph(allFiles));
  const change =
    since === null ? 'no history: every file counts as touched' : `${since.files.size} files differ from ${since.base}`;
  say(`commit ${commitCount}; ${change}`);
  list(`this commit's share, one file in ${shareCount}`, share);
  list('touched by the change, the nearest first', touched);
  await runFiles(share);
  for (let at = 0; at < touched.length; at += batchSize) {
    const batch = touched.slice(at, at + batchSize);
    if (Date.now() < deadlineMs) await runFiles(batch);
    else leftOut.push(...batch);
  }
}

async function runFiles(names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(names.map((name) => byName.get(name)!));
  for (const module of testModules) {
    const tests = [...module.children.allTests()];
    testCount += tests.length;
    if (module.ok()) continue;
    failed.add(nameOf(module));
    for (const one of [module, ...tests]) {
      const errors = one.type === 'module' ? one.errors() : (one.result().errors ?? []);
      for (const error of errors) failures.push(failureText(one.type === 'module' ? '' : one.fullName, error));
    }
  }
  // Outside a test; which file it belongs to is not always known.
  for (const error of unhandledErrors) failures.push(failureText('outside a test', error as Error));
  if (unhandledErrors.length > 0 && !names.some((name) => failed.has(name))) for (const name of names) failed.add(name);
}

function failureText(
  name: string,
  { stack = '', message, diff = '' }: { stack?: string; message: string; diff?: string },
): string {
  const places = stack.split('\n').filter((line) => /^\s*at /.test(line) && !line.includes('node_modules'));
  return [name, message, diff, ...places]
    .filter((part) => part !== '')
    .join('\n')
    .slice(0, maxFailureLength);
}

function report(): void {
  if (leftOut.length > 0) list(`left out, because ${minutes} minutes are over; the scheduled run has them`, leftOut);
  if (testCount === 0) {
    say('no test ran');
    process.exitCode = 1;
  }
  if (failed.size === 0) return;
  const runs = process.env['PORTCULLIS_RUNS'] === undefined ? '' : ` PORTCULLIS_RUNS=${process.env['PORTCULLIS_RUNS']}`;
  for (const failure of failures.slice(0, maxFailures)) say(failure.replaceAll('\n', '\n        '));
  say('failed; to repeat it:');
  say(`  PORTCULLIS_SEED=${process.env['PORTCULLIS_SEED']}${runs} npm run test:deep -- ${[...failed].join(' ')}`);
  process.exitCode = 1;
}

function list(title: string, names: readonly string[]): void {
  say(`${title}: ${names.length === 0 ? 'none' : `${names.length} files`}`);
  for (const name of names) console.log(`        ${name}`);
}

function say(text: string): void {
  console.log(`deep    ${text}`);
}
