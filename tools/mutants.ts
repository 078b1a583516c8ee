/**
 * Changes the sources in one place at a time and runs the tests on each change; a change that no test notices is a gap in the
 * tests. The files stay untouched: a mutant lives in the memory of the process that tests it. Results are kept, so a run that was
 * stopped continues where it ended.
 *
 * tsx tools/mutants.ts [--area checker] [--sample 200 | --each 60] [--seed 1] [--minutes 30] [--fresh]
 */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Area, allAreas } from './mutants/areas.js';
import { type Mutant, mutantsOf } from './mutants/mutate.js';
import type { Job, JobResult } from './mutants/session.js';

type Outcome = 'killed' | 'survived' | 'timeout';

const { values } = parseArgs({
  options: {
    area: { type: 'string' },
    sample: { type: 'string' },
    each: { type: 'string' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '30' },
    fresh: { type: 'boolean', default: false },
  },
});
const deadlineMs = Date.now() + Number(values.minutes) * 60_000;
const folder = 'node_modules/.cache/portcullis';
const resultFile = `${folder}/mutants.json`;
/** A mutant may be slower than the original, and the machine may be busy. */
const slackFactor = 4;
const slackMs = 20_000;

const areas = allAreas().filter(({ name }) => values.area === undefined || name === values.area);
if (areas.length === 0)
  throw new Error(
    `unknown area; known are ${allAreas()
      .map(({ name }) => name)
      .join(', ')}`,
  );

mkdirSync(folder, { recursive: true });
if (values.fresh) rmSync(resultFile, { force: true });
const outcomes = new Map<string, Outcome>(Object.entries(readResults()));

/** Mutants that were not tested because the time ran out. */
let left = 0;
for (const area of areas) await testArea(area);
report();

function readResults(): Record<string, Outcome> {
  try {
    return JSON.parse(readFileSync(resultFile, 'utf8')) as Record<string, Outcome>;
  } catch {
    return {};
  }
}

function chosen(area: Area): Mutant[] {
  const all = area.files.flatMap((file) => mutantsOf(file, readFileSync(file, 'utf8')));
  if (values.each !== undefined) return shuffled(all).slice(0, Number(values.each));
  if (values.sample === undefined) return all;
  // A sample with the same share of each area, in an order that depends on the seed.
  const whole = areas.flatMap(({ files }) => files.flatMap((file) => mutantsOf(file, readFileSync(file, 'utf8')))).length;
  const count = Math.ceil((Number(values.sample) * all.length) / whole);
  return shuffled(all).slice(0, count);
}

/** By a hash of the seed and the mutant, so that a change elsewhere does not change the sample. */
function shuffled(mutants: readonly Mutant[]): Mutant[] {
  const keyOf = ({ id }: Mutant): number => {
    let hash = 2_166_136_261 ^ Number(values.seed);
    for (const character of id) hash = Math.imul(hash ^ character.charCodeAt(0), 16_777_619);
    return hash >>> 0;
  };
  return [...mutants].sort((a, b) => keyOf(a) - keyOf(b));
}

async function testArea(area: Area): Promise<void> {
  const todo = chosen(area).filter(({ id }) => !outcomes.has(id));
  if (todo.length === 0) return;
  let session = await startSession();
  try {
    const startedMs = performance.now();
    const plain = await session.run({ mutant: null, tests: area.tests }, Number.POSITIVE_INFINITY);
    const { failures, durations } = plain!;
    if (failures.length > 0) {
      process.stdout.write(`${area.name}: skipped, because its tests fail without a mutant:\n  ${failures.join('\n  ')}\n`);
      process.exitCode = 1;
      return;
    }
    const plainMs = performance.now() - startedMs;
    const tests = [...area.tests].sort((a, b) => (durations[a] ?? 0) - (durations[b] ?? 0));
    process.stdout.write(`${area.name}: ${todo.length} mutants, ${(plainMs / 1_000).toFixed(1)} s for all tests\n`);
    for (const [at, mutant] of todo.entries()) {
      if (Date.now() > deadlineMs) {
        left += todo.length - at;
        return;
      }
      const result = await session.run({ mutant, tests }, plainMs * slackFactor + slackMs);
      if (result === null) session = await startSession();
      keep(mutant, result === null ? 'timeout' : result.failures.length > 0 ? 'killed' : 'survived');
    }
  } finally {
    session.end();
  }
}

function keep(mutant: Mutant, outcome: Outcome): void {
  outcomes.set(mutant.id, outcome);
  writeFileSync(resultFile, JSON.stringify(Object.fromEntries(outcomes)));
  if (outcome === 'survived') {
    const line = readFileSync(mutant.file, 'utf8').split('\n')[mutant.line - 1] ?? '';
    process.stdout.write(
      `survived  ${mutant.file}:${mutant.line}  ${flat(line)}\n  - ${flat(mutant.before)}\n  + ${flat(mutant.after)}\n`,
    );
  }
}

function flat(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 160);
}

interface Session {
  /** `null` if the time ran out and the session was ended. */
  run(job: Job, limitMs: number): Promise<JobResult | null>;
  end(): void;
}

async function startSession(): Promise<Session> {
  // It has its own process group, because its workers must end with it.
  const child = fork(fileURLToPath(new URL('./mutants/session.ts', import.meta.url)), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    detached: true,
  });
  const end = (): void => {
    process.off('exit', end);
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // The process has ended.
    }
  };
  process.on('exit', end);
  await messageOf(child, 120_000);
  return {
    run: async (job, limitMs) => {
      const answer = messageOf(child, limitMs);
      child.send(job);
      const result = (await answer) as JobResult | null;
      if (result === null) end();
      return result;
    },
    end,
  };
}

function messageOf(child: ChildProcess, limitMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = Number.isFinite(limitMs) ? setTimeout(() => settle(null), limitMs) : undefined;
    const settle = (value: unknown): void => {
      clearTimeout(timer);
      child.off('message', settle).off('exit', failed);
      resolve(value);
    };
    const failed = (code: number | null): void => reject(new Error(`the test process exited with code ${code}`));
    child.once('message', settle).once('exit', failed);
  });
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

function report(): void {
  const rows = areas.flatMap(({ files }) => files.map((file) => rowOf(file)));
  const total = { killed: 0, timeout: 0, survived: 0 };
  for (const { file, counts } of rows) {
    for (const outcome of Object.keys(total) as Outcome[]) total[outcome] += counts[outcome];
    if (counts.killed + counts.timeout + counts.survived > 0) print(file, counts);
  }
  print('all', total);
  if (left > 0) process.stdout.write(`${left} mutants are left; run the same command again\n`);
}

function rowOf(file: string): { file: string; counts: Record<Outcome, number> } {
  const counts = { killed: 0, timeout: 0, survived: 0 };
  for (const { id } of mutantsOf(file, readFileSync(file, 'utf8'))) {
    const outcome = outcomes.get(id);
    if (outcome !== undefined) counts[outcome]++;
  }
  return { file, counts };
}

function print(name: string, { killed, timeout, survived }: Record<Outcome, number>): void {
  const all = killed + timeout + survived;
  const score = all === 0 ? '-' : `${(((killed + timeout) * 100) / all).toFixed(1)} %`;
  process.stdout.write(`${name.padEnd(40)} ${score.padStart(8)}  ${killed} killed, ${timeout} timed out, ${survived} survived\n`);
}
