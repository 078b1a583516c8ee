/**
 * Prints the line and branch coverage of the library by the tests that run in one process. There is no threshold: the figure shows
 * where to look, and `npm run mutants` shows whether the tests notice a change.
 *
 *   tsx tools/coverage.ts [core blocklist api servers]
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { relative, sep } from 'node:path';

const named = process.argv.slice(2);
const wings = named.length > 0 ? named : ['core', 'blocklist', 'api', 'servers'];
/** They start processes or browsers, whose coverage is not collected, and take most of the time. */
const excluded = ['**/bad-days*', '**/*processes*', '**/*kill*', '**/chromium*'];

/** The end of Vitest's output names the failures. */
const maxOutput = 8_000;

const { status, stdout } = spawnSync(
  'npx',
  [
    ...[
      'vitest',
      'run',
      '--project=node',
      '--project=isolated',
      '--reporter=dot',
      '--coverage',
      '--coverage.reporter=json-summary',
    ],
    ...excluded.map((pattern) => `--exclude=${pattern}`),
    ...wings.map((wing) => `test/${wing}/`),
  ],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    shell: process.platform === 'win32',
    // Each further run of a property takes time and reaches hardly any new lines.
    env: { ...process.env, PORTCULLIS_RUNS: '20', NO_COLOR: '1' },
  },
);
if (status !== 0) throw new Error(`the tests fail:\n${stdout.replace(/[·]+/g, '').slice(-maxOutput)}`);

interface Counts {
  readonly total: number;
  readonly covered: number;
}
type Summary = Readonly<Record<string, { readonly lines: Counts; readonly branches: Counts }>>;

const summary = JSON.parse(readFileSync('coverage/coverage-summary.json', 'utf8')) as Summary;
const files = Object.entries(summary).filter(([file]) => file !== 'total');
const isIn = (wing: string) => (file: string) => relative('src', file).startsWith(wing + sep);

process.stdout.write(
  `coverage by the tests in ${wings.map((wing) => `test/${wing}`).join(', ')} that start no process, with 20 runs of each property\n`,
);
for (const wing of wings) print(wing, isIn(wing));
if (named.length === 0) print('all', () => true);

function print(name: string, takes: (file: string) => boolean): void {
  const taken = files.filter(([file]) => takes(file)).map(([, counts]) => counts);
  const share = (kind: 'lines' | 'branches'): string => {
    const sum = (of: keyof Counts): number => taken.reduce((before, counts) => before + counts[kind][of], 0);
    return `${((sum('covered') * 100) / sum('total')).toFixed(1).padStart(5)} % of ${String(sum('total')).padStart(6)} ${kind}`;
  };
  process.stdout.write(`${name.padEnd(10)} ${share('lines')}   ${share('branches')}\n`);
}
