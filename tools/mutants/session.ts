/** A child of tools/mutants.ts: keeps Vitest loaded and runs the tests of an area for one mutant after another. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createVitest } from 'vitest/node';
import { sourceAlias } from '../source-alias.js';
import { applied, type Mutant } from './mutate.js';

/** Without a mutant the tests run on the unchanged sources. */
export interface Job {
  readonly mutant: Mutant | null;
  readonly tests: readonly string[];
}

export interface JobResult {
  /** Tests that failed, and errors outside tests; the run ends at the first. */
  readonly failures: readonly string[];
  /** Milliseconds of each test file that ran. */
  readonly durations: Readonly<Record<string, number>>;
}

let mutant: Mutant | null = null;

const vitest = await createVitest(
  'test',
  {
    config: false,
    root: process.cwd(),
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/setup.ts'],
    bail: 1,
    maxWorkers: 1,
    // As in vitest.config.ts. Each run starts a new worker, so that no module of another mutant stays.
    isolate: false,
    restoreMocks: true,
    unstubGlobals: true,
    unstubEnvs: true,
    // As in vitest.config.ts; the parent ends a mutant that takes too long before that.
    testTimeout: 120_000,
    watch: false,
    reporters: [{}],
  },
  {
    resolve: { alias: sourceAlias },
    plugins: [
      {
        name: 'mutant',
        enforce: 'pre',
        // The file itself is not changed.
        load(id) {
          if (mutant === null || id !== resolve(mutant.file)) return null;
          return applied(readFileSync(id, 'utf8'), mutant);
        },
      },
    ],
  },
);

process.on('message', (job: Job) => void run(job).then((result) => process.send?.(result)));
process.send?.('ready');

async function run({ mutant: next, tests }: Job): Promise<JobResult> {
  for (const changed of [mutant, next]) if (changed !== null) vitest.invalidateFile(resolve(changed.file));
  mutant = next;
  const specifications = await vitest.globTestSpecifications([...tests]);
  // Runs the files in the given order, the quickest first.
  const order = tests.map((file) => resolve(file));
  specifications.sort((a, b) => order.indexOf(a.moduleId) - order.indexOf(b.moduleId));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  const failures = [
    ...unhandledErrors.map(String),
    ...testModules.flatMap((module) => [...module.children.allTests('failed')].map(({ fullName }) => fullName)),
    ...testModules.filter((module) => !module.ok() || module.errors().length > 0).map(({ relativeModuleId }) => relativeModuleId),
    ...(testModules.length === 0 ? ['no tests ran'] : []),
  ];
  const durations = Object.fromEntries(testModules.map((module) => [module.relativeModuleId, module.diagnostic().duration]));
  return { failures, durations };
}
