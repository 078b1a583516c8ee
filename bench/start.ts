import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  compared,
  type Figures,
  type Group,
  type Limits,
  type Question,
  type Results,
  type Row,
  type Settings,
  spreadOf,
} from './question.js';

/** How long does a command take that does hardly any work, and the import of the client? */
export const start: Question = { name: 'start', title: 'The command line: from the start of a process to its end', groups, rows };

const bareNode = 'node -e 0';

const cli = (line: string) => ({ name: `portcullis ${line}`, args: [join(process.cwd(), 'dist/cli.js'), ...line.split(' ')] });

/** Each start, and how many times as long as `bareNode` it may take. */
const starts: readonly { readonly name: string; readonly args: readonly string[]; readonly ratio?: number }[] = [
  { ...cli('--help'), ratio: 2 },
  { ...cli('serve --help'), ratio: 4 },
  { ...cli('check --list list.txt evil.example'), ratio: 3 },
  { ...cli('check --local evil.example'), ratio: 4 },
  cli('completions bash'),
  {
    name: "import 'portcullis/client'",
    args: ['--import', pathToFileURL(resolve('dist/client-node.js')).href, '-e', '0'],
    ratio: 2,
  },
];

function groups(settings: Settings): Group[] {
  return starts.map(({ name, args }) => ({
    name,
    variants: [
      { name: 'portcullis', measure: () => timeStart(args, settings) },
      { name: bareNode, measure: () => timeStart(['-e', '0'], settings) },
    ],
  }));
}

function rows(results: Results, settings: Settings): Row[] {
  return groups(settings).flatMap((group, at) => {
    const { ratio } = starts[at]!;
    const limits: Limits | undefined = ratio === undefined ? undefined : { [bareNode]: { ratio, limit: `≤ ${ratio} ×` } };
    return compared(results, group, 'ms', 'ms', limits);
  });
}

function timeStart(args: readonly string[], { quick, scratch }: Settings): Figures {
  const home = join(scratch, 'start');
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'list.txt'), 'evil.example\n');
  const env = { PATH: process.env['PATH'], HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home };
  const times = Array.from({ length: quick ? 2 : 12 }, () => {
    const startMs = performance.now();
    const { error } = spawnSync(process.execPath, args, { cwd: home, env, stdio: 'ignore' });
    if (error) throw error;
    return performance.now() - startMs;
  });
  return { ms: spreadOf(times).median };
}
