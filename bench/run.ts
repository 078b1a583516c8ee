import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { findChromium } from '../tools/find-chromium.js';
import { compileChild, compilePage, measured, resultsFolder } from './harness.js';
import type { Question, Results, Row, Settings } from './question.js';
import { questions } from './questions.js';
import { table, verdict } from './report.js';

const quickRemark = 'A quick run only shows that everything runs. Its figures mean nothing, and no budget is checked.';
const usage = 'npm run bench -- [--only has,kernel,…] [--quick] [--rounds N] [--json FILE] [--no-fail]';

try {
  process.exitCode = await main();
} catch (error) {
  // A TypeError is about the options. A child process has already printed its own error.
  process.stderr.write(`${error instanceof Error ? error.message : error}\n${error instanceof TypeError ? usage : ''}\n`);
  process.exitCode = 2;
}

interface Options {
  settings: Settings;
  asked: Question[];
  /** The result file; its default name is the time. */
  file: string | undefined;
  /** Whether a missed budget ends in exit code 1. */
  strict: boolean;
}

interface Report {
  question: Question;
  results: Results;
  rows: Row[];
}

/** Returns the exit code: 0 if every budget is met, otherwise 1. */
async function main(): Promise<number> {
  const options = readOptions();
  const { settings } = options;
  const startedAt = new Date().toISOString();
  await compileChild();
  await compilePage();
  const reports: Report[] = [];
  for (const question of options.asked) {
    const results = await measured(question, settings, showProgress);
    showProgress('');
    const report = { question, results, rows: question.rows(results, settings) };
    reports.push(report);
    process.stdout.write(table(question, report.rows, !settings.quick));
  }
  await rm(settings.scratch, { recursive: true, force: true });

  const file = options.file ?? join(resultsFolder, `${startedAt.slice(0, 19).replaceAll(':', '-')}.json`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(resultFile(reports, settings, startedAt), null, 2)}\n`);
  const missed = reports.flatMap(({ rows }) => rows.filter((row) => row.budget && !row.budget.met));
  process.stdout.write(`\n${settings.quick ? quickRemark : verdict(missed)}\nWritten to ${file}\n`);
  return missed.length > 0 && options.strict ? 1 : 0;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      json: { type: 'string' },
      'no-fail': { type: 'boolean', default: false },
    },
  });
  const rounds = roundsOf(values.rounds, values.quick ? 1 : 5);
  return {
    settings: { quick: values.quick, rounds, scratch: join(resultsFolder, '.scratch'), chromium: findChromium() },
    asked: questionsNamed(values.only),
    file: values.json,
    strict: !values.quick && !values['no-fail'],
  };
}

function roundsOf(text: string | undefined, otherwise: number): number {
  const rounds = text === undefined ? otherwise : Number(text);
  if (!Number.isInteger(rounds) || rounds < 1) throw new TypeError(`--rounds ${text}: must be a whole number of at least 1`);
  return rounds;
}

function questionsNamed(names: string | undefined): Question[] {
  if (names === undefined) return questions;
  return names.split(',').map((name) => {
    const question = questions.find((candidate) => candidate.name === name.trim());
    if (question) return question;
    throw new TypeError(`--only ${name}: unknown question; use ${questions.map((known) => known.name).join(', ')}`);
  });
}

function showProgress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`);
}

function resultFile(reports: Report[], settings: Settings, startedAt: string): unknown {
  return {
    startedAt,
    machine: {
      node: process.version,
      v8: process.versions.v8,
      platform: `${process.platform} ${process.arch}`,
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      memoryBytes: totalmem(),
    },
    commit: commit(),
    settings: { quick: settings.quick, rounds: settings.rounds },
    questions: reports.map(({ question, results, rows }) => ({
      name: question.name,
      title: question.title,
      rows,
      samples: results,
    })),
  };
}

/** The measured commit; `null` outside a repository. */
function commit(): string | null {
  try {
    const quietly: ExecFileSyncOptionsWithStringEncoding = {
      cwd: resultsFolder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    };
    return execFileSync('git', ['describe', '--always', '--dirty'], quietly).trim();
  } catch {
    return null;
  }
}
