import { type CheckInput, screen as screenInputs, type Verdict } from 'portcullis';
import { similarTo } from '../arguments/similar.js';
import type { Call, Command } from '../command.js';
import { type ExitCode, exitCodes } from '../errors/exit-codes.js';
import { UsageError } from '../errors/usage.js';
import { columnLines } from '../lists/csv-lines.js';
import { type Line, lineBatchesOf } from '../lists/input-lines.js';
import { readingOf, readingOptions } from '../lists/inputs.js';
import { listOptions } from '../lists/list-options.js';
import { type OpenFile, openFile } from '../lists/open-file.js';
import { confirmFailure, type OpenList, type Tuning, withList } from '../lists/open-list.js';
import { readableOnly } from '../lists/readable-lines.js';
import { type Asked, answerOf, gathered, type LineReader, lineReaderOf } from '../lists/screening.js';
import { Tally } from '../lists/verdict-lines.js';
import type { Output } from '../terminal/output.js';
import { countText, timeText } from '../terminal/unit-text.js';

/** Lines that are checked together. Only they and their answers are held in memory. */
const batchLines = 16_384;

/** No page waits for the answers, and the user wants the whole file checked, so waits and budgets exceed the defaults. */
const tuning: Tuning = {
  // The default: the input may last long enough for the list to change.
  pollMs: undefined,
  deadlineMs: 60_000,
  confirm: { prefixesPerMinute: 1_000_000, maxPrefixes: 500, timeoutMs: 30_000, maxCount: 100_000 },
};

const statuses: readonly Verdict['status'][] = ['blocked', 'allowed', 'clear', 'unconfirmed', 'unknown', 'not-listable'];

/** `--column` is that of the input. */
const { column: _, ...otherListOptions } = listOptions;

export const screen: Command = {
  summary: 'Check any number of lines, and write a line of JSON for each. Holds only a few thousand lines in memory.',
  positionals: '<file|->',
  examples: [
    ['screen --local links.txt', 'Checks one asset per line'],
    ['screen --relay https://relay.example/blocklist --only blocked - < links.txt', 'Prints the blocked lines of standard input'],
    ['screen --local --column url links.csv', 'Checks a column of a CSV'],
    ['screen --list my-list.txt --ndjson assets.ndjson', 'Reads objects with content, type and chain'],
  ],
  options: {
    column: { value: 'name', text: 'Read a CSV, and check this column: its name in the first row, or its number from 1' },
    ndjson: { text: 'Read lines as JSON; the default if the first line begins with {' },
    only: { value: 'statuses', text: `Write only these verdicts, separated by commas: ${statuses.join(', ')}` },
    skip: { value: 'lines', text: 'Skip this many lines, to continue an interrupted run; their numbers stay' },
    'fail-on-block': { text: 'Exit with 6 if something is blocked' },
    summary: { text: 'Write the counts as the last line' },
    'allow-unreadable': { text: 'Go on even if nearly none of the first 1,000 lines are links, addresses or other assets' },
    ...readingOptions,
    ...otherListOptions,
    'list-column': { value: 'name', text: 'With --list: the column of a list that is a CSV' },
  },
  notes:
    'A line that cannot be read gets its number and an error: too-long, not-utf8, not-json, no-content, type-unknown, chain-unknown.\nExit codes: 0 every line has a verdict; 7 some lines could not be read or decided; 6 something is blocked (with --fail-on-block; overrides 7). Without a list: 2 the key was rejected; 4 the file was not found; 8 the list could not be fetched.',

  async run(call) {
    const { output, options } = call;
    if (output.format === 'csv' || output.format === 'markdown')
      throw new UsageError('screen writes only lines of JSON', 'omit --output');
    const place = placeOf(call);
    const screening = new Screening(call);
    const startMs = performance.now();
    try {
      return await withList(listCallOf(call), tuning, async (list) => {
        await screenAll(await openFile(place, call), list, screening, call);
        if (options.has('summary')) await output.json(`${JSON.stringify({ summary: screening.summary() })}\n`);
        return screening.exitCode();
      });
    } finally {
      if (screening.lines > 0) output.note(screening.text(performance.now() - startMs));
    }
  },
};

async function screenAll({ pieces, bytes }: OpenFile, list: OpenList, screening: Screening, call: Call): Promise<void> {
  const { output, signal } = call;
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
    for await (const lines of lineBatchesOf(linesIn(counted(), list, call))) {
      for (let from = 0; from < lines.length; from += batchLines) {
        const text = await screening.answer(lines.slice(from, from + batchLines), list);
        if (text !== '') await output.json(text);
        signal.throwIfAborted();
      }
      const pace = `${paceText(screening.lines, performance.now() - startMs)} per second`;
      if (bytes === null) progress.update(screening.lines, null, `lines, ${pace}`);
      else progress.update(done, bytes, `${screening.lines.toLocaleString('en')} lines, ${pace}`);
    }
  } finally {
    progress.end();
  }
}

/** The lines of the input, or of a column of it, unless nearly none can be read. */
function linesIn(pieces: AsyncIterable<Uint8Array>, { blocklist }: OpenList, call: Call): AsyncIterable<Uint8Array> {
  const column = call.options.text('column');
  const lines = column === undefined ? pieces : columnLines(pieces, column);
  return call.options.has('allow-unreadable') ? lines : readableOnly(lines, blocklist, readingOf(call));
}

/** The call as the list sees it, whose column has another option here. */
function listCallOf(call: Call): Call {
  const nameOf = (name: string): string => (name === 'column' ? 'list-column' : name);
  const { options } = call;
  return {
    ...call,
    options: { ...options, has: (name) => options.has(nameOf(name)), text: (name) => options.text(nameOf(name)) },
  };
}

function paceText(lines: number, ms: number): string {
  return Math.round((lines / Math.max(ms, 1)) * 1_000).toLocaleString('en');
}

function placeOf({ positionals, options }: Call): string {
  const [place, more] = positionals;
  if (place === undefined) throw new UsageError('nothing to screen', 'portcullis screen <file|->');
  if (more !== undefined)
    throw new UsageError('screen reads a single file', 'join several with: cat *.txt | portcullis screen -');
  if (place === '-' && options.all('list').includes('-'))
    throw new UsageError('standard input cannot be both the list and the lines');
  if (options.has('column') && options.has('ndjson')) throw new UsageError('--column and --ndjson cannot be combined');
  return place;
}

/** The lines screened so far, and their counts. */
class Screening {
  lines = 0;
  private bad = 0;
  /** The number of the last line that an earlier run answered. */
  private readonly skipped: number;
  private readonly tally = new Tally();
  private readonly read: LineReader;
  private readonly only: ReadonlySet<string>;
  private readonly failsOnBlock: boolean;
  private readonly signal: AbortSignal;
  private readonly output: Output;

  constructor(call: Call) {
    const { options } = call;
    this.read = lineReaderOf(readingOf(call), options.has('column') ? false : options.has('ndjson') || undefined);
    this.only = onlyOf(options.text('only'));
    this.skipped = options.number('skip', 0, Number.MAX_SAFE_INTEGER) ?? 0;
    this.failsOnBlock = options.has('fail-on-block');
    this.signal = call.signal;
    this.output = call.output;
  }

  /** The output for these lines. */
  async answer(lines: readonly Line[], list: OpenList): Promise<string> {
    const { blocklist } = list;
    const asked: Asked[] = [];
    const verdicts: (Verdict | null)[] = [];
    const open: { readonly at: number; readonly input: CheckInput }[] = [];
    // Nearly all are decided in memory. The rest is confirmed together.
    for (const line of lines) {
      const one = this.read(line);
      if (line.number <= this.skipped) continue;
      this.lines++;
      if (one === null) continue;
      const verdict = one.error === undefined ? blocklist.test(one.input) : null;
      if (one.error === undefined && isOpen(verdict!)) open.push({ at: asked.length, input: one.input });
      asked.push(one);
      verdicts.push(verdict);
    }
    const answers =
      open.length === 0
        ? []
        : await blocklist.checkMany(
            open.map(({ input }) => input),
            { signal: this.signal },
          );
    for (const [place, { at }] of open.entries()) verdicts[at] = answers[place]!;
    // Asked again after a pause of the source.
    const left = open.filter(({ at }) => verdicts[at]!.reason === 'offline');
    if (left.length > 0) this.output.note(`${confirmFailure(list) ?? 'a source does not answer'}; waiting for it`);
    const inputs = left.map(({ input }) => input);
    for await (const { index, verdict } of screenInputs(blocklist, inputs, { signal: this.signal }))
      verdicts[left[index]!.at] = verdict;
    let text = '';
    for (let at = 0; at < asked.length; at++) text += this.lineOf(asked[at]!, verdicts[at]!);
    return text;
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
    throw new UsageError(`--only must be one or more of ${statuses.join(', ')}`, similar && `did you mean ${similar}?`);
  }
  return new Set(names);
}
