import { defaultPollMs } from '../../../blocklist/checks/blocklist-options.js';
import type { Verdict } from '../../../blocklist/verdict.js';
import { similarTo } from '../arguments/similar.js';
import type { Call, Command } from '../command.js';
import { type ExitCode, exitCodes } from '../errors/exit.js';
import { UsageError } from '../errors/usage.js';
import { type Line, lineBatchesOf } from '../lists/input-lines.js';
import { readingOf, readingOptions } from '../lists/inputs.js';
import { listOptions, load, type OpenList, openList, type Tuning } from '../lists/open-list.js';
import { requireList } from '../lists/require-list.js';
import { type Asked, answerOf, gathered, LineReader } from '../lists/screening.js';
import { Tally } from '../lists/verdict-lines.js';
import { type OpenFile, openFile } from '../operation/upload-files.js';
import { countText, timeText } from '../terminal/unit-text.js';

/** Lines looked up together: they and their answers are all that is held. */
const batchLines = 16_384;

/** Nobody waits at a page, and the whole file is meant to be asked about: patience and a budget for that. Input without an end needs rounds. */
const tuning: Tuning = {
  pollMs: defaultPollMs,
  deadlineMs: 60_000,
  confirm: { prefixesPerMinute: 1_000_000, maxPrefixes: 500, timeoutMs: 30_000, maxCount: 100_000 },
};

const statuses: readonly Verdict['status'][] = ['blocked', 'allowed', 'clear', 'unconfirmed', 'unknown', 'not-listable'];

export const screen: Command = {
  summary:
    'Check any number of lines, and write a line of JSON for each. Holds a few thousand of them at a time, whatever their number.',
  positionals: '<file|->',
  examples: [
    ['screen --local links.txt', 'A link, an address or another asset a line'],
    ['screen --relay https://relay.example/blocklist --only blocked - < links.txt', 'What is blocked of standard input'],
    ['screen --list my-list.txt --ndjson assets.ndjson', 'Objects with content, type and chain'],
  ],
  options: {
    ndjson: { text: 'Lines are JSON; without it they are if the first begins with {' },
    only: { value: 'statuses', text: `Write only these, with commas between: ${statuses.join(', ')}` },
    'fail-on-block': { text: 'End with 6 if something is blocked' },
    summary: { text: 'Write the counts too, as the last line' },
    ...readingOptions,
    ...listOptions,
  },
  notes:
    'A line that cannot be read is answered with its number and an error: too-long, not-utf8, not-json, no-content, type-unknown, chain-unknown.\nExit codes: 0 all is said, 7 something could not be read or said, 6 something is blocked (with --fail-on-block, and before 7), 8 there is no list and none could be fetched; 2, 4 where its key is refused or its file is not there.',

  async run(call) {
    const { output, options } = call;
    if (output.format === 'csv' || output.format === 'markdown')
      throw new UsageError('screen writes a line of JSON for each line');
    const place = placeOf(call);
    const screening = new Screening(call);
    const list = await openList(call, tuning);
    const startMs = performance.now();
    try {
      await load(list, call);
      requireList(list);
      await screenAll(await openFile(place, call), list, screening, call);
      if (options.has('summary')) await output.raw(`${JSON.stringify({ summary: screening.summary() })}\n`);
      return screening.exitCode();
    } finally {
      if (screening.lines > 0) output.note(screening.text(performance.now() - startMs));
      await list.close();
    }
  },
};

async function screenAll(
  { pieces, bytes }: OpenFile,
  list: OpenList,
  screening: Screening,
  { output, signal }: Call,
): Promise<void> {
  const progress = output.progress('screening');
  const startMs = performance.now();
  let done = 0;
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const piece of gathered(pieces)) {
      yield piece;
      done += piece.length;
    }
  };
  try {
    for await (const lines of lineBatchesOf(counted())) {
      for (let from = 0; from < lines.length; from += batchLines) {
        const text = await screening.answer(lines.slice(from, from + batchLines), list);
        if (text !== '') await output.raw(text);
        signal.throwIfAborted();
      }
      const pace = `${paceText(screening.lines, performance.now() - startMs)} a second`;
      if (bytes === null) progress.update(screening.lines, null, `lines, ${pace}`);
      else progress.update(done, bytes, `${screening.lines.toLocaleString('en')} lines, ${pace}`);
    }
  } finally {
    progress.end();
  }
}

function paceText(lines: number, ms: number): string {
  return Math.round((lines / Math.max(ms, 1)) * 1_000).toLocaleString('en');
}

function placeOf({ positionals, options }: Call): string {
  const [place, more] = positionals;
  if (place === undefined) throw new UsageError('nothing to screen', 'portcullis screen <file|->');
  if (more !== undefined) throw new UsageError('screen reads one file', 'join several: cat *.txt | portcullis screen -');
  if (place === '-' && options.all('list').includes('-')) throw new UsageError('standard input is either the list or the lines');
  return place;
}

/** What was screened so far. */
class Screening {
  lines = 0;
  private bad = 0;
  private readonly tally = new Tally();
  private readonly reader: LineReader;
  private readonly only: ReadonlySet<string>;
  private readonly failsOnBlock: boolean;
  private readonly signal: AbortSignal;

  constructor(call: Call) {
    const { options } = call;
    this.reader = new LineReader(readingOf(call), options.has('ndjson') ? true : undefined);
    this.only = onlyOf(options.text('only'));
    this.failsOnBlock = options.has('fail-on-block');
    this.signal = call.signal;
  }

  /** What is written about these lines. */
  async answer(lines: readonly Line[], { blocklist }: OpenList): Promise<string> {
    const asked = lines.flatMap((line) => this.reader.read(line) ?? []);
    // Nearly all are answered from memory; what an answer could change is asked about together.
    const verdicts = asked.map((one) => (one.error === undefined ? blocklist.test(one.input) : null));
    const open = asked.flatMap((one, at) => (one.error === undefined && isOpen(verdicts[at]!) ? [{ at, input: one.input }] : []));
    const answers = await blocklist.checkMany(
      open.map(({ input }) => input),
      { signal: this.signal },
    );
    for (const [place, { at }] of open.entries()) verdicts[at] = answers[place]!;
    this.lines += lines.length;
    return asked.map((one, at) => this.lineOf(one, verdicts[at]!)).join('');
  }

  private lineOf(one: Asked, verdict: Verdict | null): string {
    if (one.error !== undefined || verdict === null) {
      this.bad++;
      return `${JSON.stringify(one)}\n`;
    }
    this.tally.add(verdict);
    return this.only.has(verdict.status) ? `${answerOf(one.line, one.input, verdict)}\n` : '';
  }

  summary() {
    return { lines: this.lines, ...this.tally.summary(), bad: this.bad };
  }

  text(ms: number): string {
    const { lines, blocked, unconfirmed, unknown, bad } = this.summary();
    const found = [
      `${blocked} blocked`,
      ...(unconfirmed > 0 ? [`${unconfirmed} unconfirmed`] : []),
      ...(unknown > 0 ? [`${unknown} unknown`] : []),
      ...(bad > 0 ? [`${bad} could not be read`] : []),
    ];
    return `${countText(lines, 'line')} in ${timeText(ms)}: ${found.join(', ')}`;
  }

  exitCode(): ExitCode {
    const { blocked, unconfirmed, unknown } = this.tally.summary();
    if (this.failsOnBlock && blocked > 0) return exitCodes.blocked;
    return unconfirmed + unknown + this.bad > 0 ? exitCodes.partial : exitCodes.ok;
  }
}

function isOpen({ status, reason }: Verdict): boolean {
  return status === 'unconfirmed' || reason === 'confirmed-earlier';
}

function onlyOf(given: string | undefined): ReadonlySet<string> {
  const names = given === undefined ? statuses : given.split(',').map((name) => name.trim());
  for (const name of names) {
    if ((statuses as readonly string[]).includes(name)) continue;
    const similar = similarTo(name, statuses);
    throw new UsageError(`--only takes ${statuses.join(', ')}`, similar && `did you mean ${similar}?`);
  }
  return new Set(names);
}
