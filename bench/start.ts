import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** How long does a command take that does hardly any work? */
export const start: Question = { name: 'start', title: 'The command line: from the start of a process to its end', groups, rows };

const bareNode = 'node -e 0';

/** Each command, and how many times as long as `bareNode` it may take. */
const commands: readonly { readonly line: string; readonly ratio?: number }[] = [
  { line: '--help', ratio: 4 },
  { line: 'serve --help', ratio: 4 },
  { line: 'check --list list.txt evil.example', ratio: 4 },
  // This command loads the schemas of all operations:
  { line: 'check --local evil.example' },
  { line: 'completions bash' },
];

function groups(settings: Settings): Group[] {
  return commands.map(({ line }) => ({
    name: `portcullis ${line}`,
    variants: [
      { name: 'portcullis', measure: () => timeStart([join(process.cwd(), 'dist/cli.js'), ...line.split(' ')], settings) },
      { name: bareNode, measure: () => timeStart(['-e', '0'], settings) },
    ],
  }));
}

function rows(results: Results, settings: Settings): Row[] {
  return groups(settings).flatMap((group, at) => {
    const { ratio } = commands[at]!;
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
