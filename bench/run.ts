import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findChromium } from '../tools/find-chromium.js';
import { compileChild, compilePage, measured, resultsFolder } from './harness.js';
import { ratiosOf, readHistory, slowerText, slowerThan, writeHistory } from './history.js';
import { historyChart } from './history-chart.js';
import { Progress } from './progress.js';
import type { Question, Results, Row, Settings } from './question.js';
import { questions } from './questions.js';
import { table, verdict } from './report.js';

const historyFile = fileURLToPath(new URL('history.json', import.meta.url));
const chartFile = fileURLToPath(new URL('../docs/pictures/ratios.svg', import.meta.url));
/** Leaves a minute of ten for the build and for the last round of each question. */
const defaultMinutes = 9;
const quickRemark = 'A quick run only shows that everything runs. Its figures mean nothing, and no budget is checked.';
const usage =
  'npm run bench -- [--only has,kernel,…] [--quick | --full] [--rounds N] [--minutes N] [--record] [--json FILE] [--no-fail]';

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
  /** No further rounds begin if the run would take longer. */
  minutes: number;
  /** Whether the ratios are added to the history. */
  isRecorded: boolean;
}

interface Report {
  question: Question;
  results: Results;
  rows: Row[];
}

/** Returns the exit code: 0 if every budget is met, 1 if one is not, 2 if a question failed. */
async function main(): Promise<number> {
  const options = readOptions();
  const { settings } = options;
  const startedAt = new Date().toISOString();
  const startedMs = performance.now();
  await compileChild();
  await compilePage();
  const reports: Report[] = [];
  const failed: string[] = [];
  for (const [place, question] of options.asked.entries()) {
    const progress = new Progress(process.stderr, `${place + 1} of ${options.asked.length}`);
    const leftMs = options.minutes * 60_000 - (performance.now() - startedMs);
    try {
      const results = await measured(question, settings, leftMs / (options.asked.length - place), progress);
      const report = { question, results, rows: question.rows(results, settings) };
      reports.push(report);
      progress.end();
      process.stdout.write(table(question, report.rows, !settings.quick, progress.elapsedMs()));
    } catch (error) {
      // The other questions still get their answers.
      progress.end();
      failed.push(question.name);
      process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    }
  }
  await rm(settings.scratch, { recursive: true, force: true });

  const file = options.file ?? join(resultsFolder, `${startedAt.slice(0, 19).replaceAll(':', '-')}.json`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(resultFile(reports, settings, startedAt), null, 2)}\n`);
  const missed = reports.flatMap(({ rows }) => rows.filter((row) => row.budget && !row.budget.met));
  const history = readHistory(historyFile);
  const ratios = Object.assign({}, ...reports.map(({ question, rows }) => ratiosOf(question.name, rows)));
  if (!settings.quick) process.stdout.write(slowerText(slowerThan(history, ratios)));
  if (options.isRecorded && failed.length === 0) {
    const records = [...history, { date: startedAt, commit: commit(), ratios }];
    writeHistory(historyFile, records);
    await writeFile(chartFile, historyChart(records));
  }
  const minutes = ((performance.now() - startedMs) / 60_000).toFixed(1);
  process.stdout.write(`\n${settings.quick ? quickRemark : verdict(missed)}\n${minutes} minutes. Written to ${file}\n`);
  if (failed.length > 0) {
    process.stdout.write(`Failed: ${failed.join(', ')}\n`);
    return 2;
  }
  return missed.length > 0 && options.strict ? 1 : 0;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      minutes: { type: 'string' },
      json: { type: 'string' },
      record: { type: 'boolean', default: false },
      'no-fail': { type: 'boolean', default: false },
    },
  });
  if (values.quick && values.record) throw new TypeError('--record needs a full run; omit --quick');
  const { quick, full } = values;
  if (quick && full) throw new TypeError('--quick and --full exclude each other; omit one');
  const rounds = countOf('--rounds', values.rounds, quick ? 1 : 5);
  // Rounds that were asked for, and all of a full run, are worth any time.
  const isOpenEnded = full || values.rounds !== undefined;
  const minutes = countOf('--minutes', values.minutes, isOpenEnded ? Number.POSITIVE_INFINITY : defaultMinutes);
  return {
    settings: { quick, full, rounds, scratch: join(resultsFolder, '.scratch'), chromium: findChromium() },
    asked: questionsNamed(values.only),
    file: values.json,
    minutes,
    strict: !values.quick && !values['no-fail'],
    isRecorded: values.record,
  };
}

function countOf(option: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new TypeError(`${option} ${text}: must be a whole number of at least 1`);
  return count;
}

function questionsNamed(names: string | undefined): Question[] {
  if (names === undefined) return questions;
  return names.split(',').map((name) => {
    const question = questions.find((candidate) => candidate.name === name.trim());
    if (question) return question;
    throw new TypeError(`--only ${name}: unknown question; use ${questions.map((known) => known.name).join(', ')}`);
  });
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
