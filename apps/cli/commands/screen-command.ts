import { type Blocklist, type CheckInput, screen as screenInputs, type Verdict } from 'portcullis';
import { nearestName } from '../../../src/core/options/nearest-name.js';
import type { Command, CommandCall } from '../command.js';
import { type ExitCode, exitCodes } from '../errors/exit-codes.js';
import { UsageError } from '../errors/usage.js';
import { textPieces } from '../lists/binary-input.js';
import { answersOf, type BlockAnswers, completed, type LinePlan, type OpenLine } from '../lists/block-answers.js';
import { type BlockWorkers, startBlockWorkers, WorkerEnded } from '../lists/block-workers.js';
import { columnLines } from '../lists/csv-lines.js';
import { type Block, blocksOf } from '../lists/input-lines.js';
import { hintsOf, readingOf, readingOptions } from '../lists/inputs.js';
import { listOptions } from '../lists/list-options.js';
import { type OpenFile, openFile } from '../lists/open-file.js';
import { confirmFailure, type OpenList, type Tuning, withList } from '../lists/open-list.js';
import { readableOnly } from '../lists/readable-lines.js';
import { answerOf, gathered, isJsonIn } from '../lists/screening.js';
import { refuseTable } from '../lists/table-input.js';
import { Tally } from '../lists/verdict-lines.js';
import { countText, numberText, timeText } from '../terminal/unit-text.js';

/** Each needs a core, and the machines with more than this have no use for it. */
const maxWorkers = 64;

/** Blocks in memory without workers: the questions about one are out while the next is read. */
const blocksAlone = 2;

/** Blocks in memory for each worker: one in work, one that waits for it, and one that waits to be written. */
const blocksPerWorker = 3;

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
    ['screen --list my-list.txt links.txt', 'Checks one asset per line against your own list'],
    ['screen --relay https://relay.example/blocklist --only blocked - < links.txt', 'Prints the blocked lines of standard input'],
    ['screen --local --column url links.csv', 'Checks a column of a CSV'],
    ['screen --list my-list.txt --ndjson assets.ndjson', 'Reads objects with content, type and chain'],
  ],
  options: {
    column: { value: 'name', text: 'Read a CSV, and check this column: its name in the first row, or its number from 1' },
    ndjson: { text: 'Read lines as JSON; the default if the first line begins with {' },
    only: { value: 'statuses', text: `Write only these verdicts, separated by commas: ${statuses.join(', ')}` },
    skip: { value: 'lines', text: 'Skip this many lines, to continue an interrupted run; their numbers stay' },
    workers: {
      value: 'count',
      text: `Check in this many threads as well, from 0 (the default) to ${maxWorkers}, for large files; the order of the output stays`,
    },
    'fail-on-block': { text: 'Exit with 6 if something is blocked' },
    summary: { text: 'Write the counts as the last line' },
    'allow-unreadable': {
      text: 'Go on even if the input looks like a table or is not a text, or if nearly none of its first lines are links or other assets',
    },
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
    let isComplete = false;
    try {
      return await withList(listCallOf(call), tuning, async (list) => {
        try {
          await screenAll(await openFile(place, call), list, screening, call);
          screening.requireLines();
          isComplete = true;
        } finally {
          await screening.close();
        }
        if (options.has('summary')) await output.json(`${JSON.stringify({ summary: screening.summary() })}\n`);
        return screening.exitCode();
      });
    } finally {
      if (isComplete || screening.lines > 0) output.note(screening.text(performance.now() - startMs));
    }
  },
};

async function screenAll({ pieces, bytes }: OpenFile, list: OpenList, screening: Screening, call: CommandCall): Promise<void> {
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
    for await (const answers of inOrder(blocksOf(linesIn(counted(), bytes !== null, list, call)), screening.maxBlocks, (block) =>
      screening.answer(block, list),
    )) {
      if (answers.length > 0) await output.json(answers);
      signal.throwIfAborted();
      const pace = `${paceText(screening.lines, performance.now() - startMs)} per second`;
      if (bytes === null) progress.update(screening.lines, null, `lines, ${pace}`);
      else progress.update(done, bytes, `${numberText(screening.lines)} lines, ${pace}`);
    }
  } finally {
    progress.end();
  }
}

/** The lines of the input, or of a column of it, unless it is not a text, a table, or nearly none can be read. */
function linesIn(
  pieces: AsyncIterable<Uint8Array>,
  canWait: boolean,
  { blocklist }: OpenList,
  call: CommandCall,
): AsyncIterable<Uint8Array> {
  const { options, output, positionals } = call;
  if (options.has('allow-unreadable')) return columnIn(pieces, options.text('column'));
  const texts = textPieces(pieces, positionals[0] === '-' ? 'the input' : positionals[0]!);
  const column = options.text('column');
  const reading = readingOf(call);
  const isTable = column === undefined && !options.has('ndjson');
  const lines = isTable ? withoutTable(texts, blocklist, reading) : columnIn(texts, column);
  return readableOnly(lines, { blocklist, canWait, reading, warn: output.warn });
}

function columnIn(pieces: AsyncIterable<Uint8Array>, column: string | undefined): AsyncIterable<Uint8Array> {
  return column === undefined ? pieces : columnLines(pieces, column);
}

/** Passes pieces on unless the first is the beginning of a table, whose rows would be checked as if each were a link. */
async function* withoutTable(
  pieces: AsyncIterable<Uint8Array>,
  blocklist: Blocklist,
  reading: (content: string) => CheckInput,
): AsyncGenerator<Uint8Array> {
  const isAsset = (cell: string): boolean => cell !== '' && blocklist.test(reading(cell)).reason !== 'unreadable';
  const next = (option: string): string => `check a column with ${option}; to check each line as it is, add --allow-unreadable`;
  let isFirst = true;
  for await (const piece of pieces) {
    if (isFirst) refuseTable(new TextDecoder().decode(piece.subarray(0, maxStart)), isAsset, next);
    isFirst = false;
    yield piece;
  }
}

/** What shows whether a file is a table. */
const maxStart = 262_144;

/** The call as the list sees it, whose column has another option here. */
function listCallOf(call: CommandCall): CommandCall {
  const nameOf = (name: string): string => (name === 'column' ? 'list-column' : name);
  const { options } = call;
  return {
    ...call,
    options: { ...options, has: (name) => options.has(nameOf(name)), text: (name) => options.text(nameOf(name)) },
  };
}

function paceText(lines: number, ms: number): string {
  return numberText(Math.round((lines / Math.max(ms, 1)) * 1_000));
}

function placeOf({ positionals, options }: CommandCall): string {
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
  /** Those that an earlier run answered included. */
  private read = 0;
  readonly maxBlocks: number;
  private bad = 0;
  private readonly tally = new Tally();
  private readonly plan: Omit<LinePlan, 'isJson'>;
  /** Unknown until the first line with a text. */
  private isJson: boolean | undefined;
  private readonly workerCount: number;
  private workers: BlockWorkers | undefined;
  private readonly failsOnBlock: boolean;
  private readonly call: CommandCall;

  constructor(call: CommandCall) {
    const { options } = call;
    const skipped = options.number('skip', 0, Number.MAX_SAFE_INTEGER) ?? 0;
    this.plan = { ...hintsOf(call), only: onlyOf(options.text('only')), skipped };
    this.isJson = options.has('column') ? false : options.has('ndjson') || undefined;
    this.workerCount = options.number('workers', 0, maxWorkers) ?? 0;
    this.maxBlocks = Math.max(blocksAlone, blocksPerWorker * this.workerCount);
    this.failsOnBlock = options.has('fail-on-block');
    this.call = call;
  }

  /** The output for these lines. Nearly all are decided in memory. The rest is confirmed together. */
  async answer(block: Block, list: OpenList): Promise<Uint8Array> {
    this.read = block.first + block.lines - 1;
    this.isJson ??= isJsonIn(block);
    const plan = { ...this.plan, isJson: this.isJson ?? false };
    // The threads get the final plan.
    if (this.workerCount > 0 && this.isJson !== undefined)
      this.workers ??= startBlockWorkers(this.workerCount, list.blocklist, plan);
    const answers = await this.firstAnswers(block, plan, list.blocklist);
    const verdicts = answers.open.length === 0 ? [] : await this.confirm(answers.open, list);
    this.lines += answers.lines;
    this.bad += answers.bad;
    for (const [status, count] of answers.counts) this.tally.add({ status }, count);
    const texts = answers.open.map(({ line, input }, at) => {
      const verdict = verdicts[at]!;
      this.tally.add(verdict);
      return this.plan.only.has(verdict.status) ? `${answerOf(line, input, verdict)}\n` : '';
    });
    return completed(answers, texts);
  }

  private async firstAnswers(block: Block, plan: LinePlan, blocklist: Blocklist): Promise<BlockAnswers> {
    if (this.workers === undefined) return answersOf(block, plan, (input) => knownOf(blocklist.test(input)));
    try {
      return await this.workers.answer(block);
    } catch (error) {
      if (!(error instanceof WorkerEnded)) throw error;
      // Every line before the block is answered when this is reported.
      const next = `continue with: --skip ${block.first - 1}, and fewer --workers if memory was short`;
      throw new UsageError(error.message, next, { code: 'WORKER_ENDED', exitCode: exitCodes.unexpected });
    }
  }

  private async confirm(open: readonly OpenLine[], list: OpenList): Promise<readonly Verdict[]> {
    const { blocklist } = list;
    const { signal, output } = this.call;
    const inputs = open.map(({ input }) => input);
    const verdicts = await blocklist.checkMany(inputs, { signal });
    // Asked again after a pause of the source.
    const left = [...verdicts.keys()].filter((at) => verdicts[at]!.reason === 'offline');
    if (left.length > 0) output.note(`${confirmFailure(list) ?? 'a source does not answer'}; waiting for it`);
    const again = left.map((at): CheckInput => inputs[at]!);
    for await (const { index, verdict } of screenInputs(blocklist, again, { signal })) verdicts[left[index]!] = verdict;
    return verdicts;
  }

  /** @throws UsageError if `--skip` is not a number of lines of this input */
  requireLines(): void {
    // No exit code, because a file that a job appends to is empty at first.
    if (this.tally.summary().checked + this.bad === 0) this.call.output.alarm('the input is empty, so nothing was checked');
    if (this.plan.skipped <= this.read) return;
    throw new UsageError(
      `--skip ${this.plan.skipped} is past the end: the input has ${countText(this.read, 'line')}`,
      'pass the number of the last line of the earlier output',
    );
  }

  close(): Promise<void> | undefined {
    return this.workers?.close();
  }

  summary() {
    return { lines: this.lines, ...this.tally.summary(), bad: this.bad };
  }

  text(ms: number): string {
    const { lines, blocked, unconfirmed, unknown, bad } = this.summary();
    const found = [
      `${numberText(blocked)} blocked`,
      ...(unconfirmed > 0 ? [`${numberText(unconfirmed)} unconfirmed`] : []),
      ...(unknown > 0 ? [`${numberText(unknown)} unknown`] : []),
      ...(bad > 0 ? [`${numberText(bad)} could not be read`] : []),
    ];
    return `${countText(lines, 'line')} in ${timeText(ms)}: ${found.join(', ')}`;
  }

  exitCode(): ExitCode {
    const { blocked, unconfirmed, unknown } = this.tally.summary();
    if (this.failsOnBlock && blocked > 0) return exitCodes.blocked;
    return unconfirmed + unknown + this.bad > 0 ? exitCodes.partial : exitCodes.ok;
  }
}

/** `null` if the source must be asked. */
function knownOf(verdict: Verdict): Verdict | null {
  return verdict.status === 'unconfirmed' || verdict.reason === 'confirmed-earlier' ? null : verdict;
}

function onlyOf(given: string | undefined): ReadonlySet<Verdict['status']> {
  const names = given === undefined ? statuses : given.split(',').map((name) => name.trim());
  for (const name of names) {
    if ((statuses as readonly string[]).includes(name)) continue;
    const similar = nearestName(name, statuses);
    throw new UsageError(`--only must be one or more of ${statuses.join(', ')}`, similar && `did you mean ${similar}?`);
  }
  return new Set(names as Verdict['status'][]);
}

/**
 * Maps items with up to `max` pieces of work at a time, and yields the results in the order of the items. Reads no further ahead, so that a
 * slow consumer slows the source. A failure arrives in its turn, after every earlier result.
 */
export async function* inOrder<From, To>(
  items: AsyncIterable<From>,
  max: number,
  work: (item: From) => Promise<To>,
): AsyncGenerator<To> {
  const iterator = items[Symbol.asyncIterator]();
  const running: Promise<To>[] = [];
  let reading: Promise<IteratorResult<From>> | null = null;
  try {
    for (let isEnded = false; !isEnded || running.length > 0; ) {
      const [first] = running;
      if (!isEnded && running.length < max) {
        reading ??= iterator.next();
        reading.catch(() => {});
        const step = await (first === undefined ? reading : Promise.race([first.then(nothing, nothing), reading.catch(nothing)]));
        if (step !== null) {
          reading = null;
          if (step.done) isEnded = true;
          else running.push(handled(work(step.value)));
          continue;
        }
      }
      // A read that failed is awaited again when nothing runs.
      yield await running.shift()!;
    }
  } finally {
    // Not awaited, because the input may never end.
    void iterator.return?.().catch(() => {});
  }
}

function nothing(): null {
  return null;
}

/** A rejection is reported in its turn. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
