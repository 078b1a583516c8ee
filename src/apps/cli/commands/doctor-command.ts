import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Call, Command } from '../command.js';
import { type ExitCode, exitCodeOf, exitCodes } from '../errors/exit.js';
import { failureOf } from '../errors/failure.js';
import { listOptions, type OpenList, openList, refusedText } from '../lists/open-list.js';
import { canBeMade, damagedIn, type Folder, folderOf, freeBytes, loadStored, tryWriting } from '../lists/stored.js';
import { configDirectory } from '../service/cli-config.js';
import { reach, refusalOf } from '../service/reach.js';
import type { Output } from '../terminal/output.js';
import { printable } from '../terminal/terminal.js';
import { bytesText, calibrationText, countText, timeText } from '../terminal/unit-text.js';

/** Beyond this, times of lists and of the service say nothing about each other. */
const clockSkewMaxMs = 300_000;

/** Three lists of a million entries, which is what a change of lists needs for a moment. */
const freeBytesMin = 32_000_000;

const loadWaitMs = 60_000;

interface Check {
  readonly name: string;
  readonly outcome: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do about it. */
  readonly next?: string;
  /** What the process ends with, if this is the first that fails. */
  readonly exitCode?: ExitCode;
}

export const doctor: Command = {
  summary:
    'See whether all is well: configuration, connection, key, clock, list, store and this engine itself. Changes nothing, and never shows the key.',
  positionals: '',
  examples: [
    ['doctor --local', 'With the embedded service'],
    ['doctor --relay https://relay.example/blocklist', 'With a relay'],
    ['doctor --json', 'With the service that is configured, for a script'],
  ],
  options: listOptions,
  notes:
    'Exit codes: 0 nothing fails; else that of the first failure: 1 engine or store, 2 the key is refused, 3 configuration, 5 forbidden, 7 the list, 8 network.',

  async run(call) {
    const { output } = call;
    const progress = output.progress('checks');
    const checks: Check[] = [];
    try {
      for await (const check of checksOf(call)) {
        checks.push(check);
        progress.update(checks.length, null, check.name);
      }
    } finally {
      progress.end();
    }
    const result = {
      checks: checks.map(({ exitCode, ...check }) => check),
      ok: checks.every(({ outcome }) => outcome !== 'fail'),
    };
    await output.result(result, () =>
      output.format === 'human' ? checks.map((check) => lineOf(check, output)).join('\n') : result.checks,
    );
    return checks.find(({ outcome }) => outcome === 'fail')?.exitCode ?? exitCodes.ok;
  },
};

async function* checksOf(call: Call): AsyncGenerator<Check> {
  yield { name: 'node', outcome: 'ok', detail: `${process.version} on ${process.platform} ${process.arch}` };
  let list: OpenList;
  try {
    list = await openList(call, { loadWaitMs });
  } catch (error) {
    yield failed('configuration', error);
    return;
  }
  try {
    yield await configurationCheck(list, call);
    const { isSound } = list.blocklist.status();
    yield isSound
      ? { name: 'self-test', outcome: 'ok', detail: 'this engine computes what every other does' }
      : fail(
          'self-test',
          'this engine computes wrong hashes: every verdict is unknown',
          exitCodes.unexpected,
          'use another version of Node',
        );
    yield* connectionChecks(list, call);
    // Lists that are kept nowhere are read now; of a stored one the copy is what counts.
    if (list.directory === null) {
      await list.blocklist.ready({ signal: call.signal });
      yield* listChecks(list);
      return;
    }
    let folder: Folder;
    try {
      folder = await folderOf(list.directory);
    } catch (error) {
      yield failed('store', error);
      return;
    }
    const damaged = folder.exists ? await loadStored(list) : [];
    yield* listChecks(list);
    yield* storeChecks(list.directory, folder, damaged);
  } finally {
    await list.close();
  }
}

async function configurationCheck({ from, asked }: OpenList, { env, options }: Call): Promise<Check> {
  const name = 'configuration';
  if (from === 'list') return { name, outcome: 'ok', detail: countText(options.all('list').length, 'list') };
  if (from !== 'service') return { name, outcome: 'ok', detail: from === 'local' ? 'the embedded service' : asked!.url };
  const url = options.has('url') ? '--url' : env['PORTCULLIS_API_URL'] ? 'PORTCULLIS_API_URL' : 'the stored configuration';
  const key = asked?.apiKey === undefined ? 'no key' : env['PORTCULLIS_API_KEY'] ? 'key from PORTCULLIS_API_KEY' : 'stored key';
  const detail = `address from ${url}, ${key}`;
  const file = join(configDirectory(env), 'credentials.json');
  if (process.platform !== 'win32' && (await isForOthers(file)))
    return { name, outcome: 'warn', detail: `${detail}; others can read it`, next: `chmod 600 ${file}` };
  return { name, outcome: 'ok', detail };
}

/** Group or others may read it. */
async function isForOthers(path: string): Promise<boolean> {
  try {
    return ((await stat(path)).mode & 0o077) !== 0;
  } catch {
    return false;
  }
}

async function* connectionChecks({ asked, from }: OpenList, { signal }: Call): AsyncGenerator<Check> {
  if (asked === null) return;
  let reached: Awaited<ReturnType<typeof reach>>;
  try {
    reached = await reach(asked, signal);
  } catch (error) {
    signal.throwIfAborted();
    yield failed('connection', error, 'is the address right, and the service up?');
    return;
  }
  const { answer, ms, clockAheadMs } = reached;
  const refusal = refusalOf(answer);
  const isKey = answer.status === 401 || answer.status === 403;
  const detail = `answered within ${Math.max(1, Math.round(ms))} ms`;
  if (refusal !== null && !isKey) yield failed('connection', refusal);
  else yield { name: 'connection', outcome: 'ok', detail };
  if (isKey) {
    const what = asked.apiKey === undefined ? 'a key is needed, and there is none' : `the key is refused (${answer.status})`;
    yield { ...failed('key', refusal), detail: what };
  } else if (from === 'service' && refusal === null) {
    yield asked.apiKey === undefined
      ? { name: 'key', outcome: 'warn', detail: 'none; the version was told without one', next: 'portcullis login' }
      : { name: 'key', outcome: 'ok', detail: 'accepted' };
  }
  if (clockAheadMs !== null) yield clockCheck(clockAheadMs);
}

function clockCheck(aheadMs: number): Check {
  const name = 'clock';
  const skewMs = Math.abs(aheadMs);
  if (skewMs <= clockSkewMaxMs) return { name, outcome: 'ok', detail: 'as the service’s' };
  const detail = `${timeText(skewMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} the service’s`;
  return { name, outcome: 'warn', detail, next: 'set the clock of this machine' };
}

const nextWithout = {
  file: 'is the path right, and may this user read it?',
  other: 'mend what fails above, and look again',
} as const;

function* listChecks({ blocklist, from, directory, reports }: OpenList): Generator<Check> {
  for (const { source, list, lastError } of blocklist.status().sources) {
    const name = `list ${source}`;
    if (list === null) {
      yield directory === null
        ? fail(name, lastError?.message ?? 'there is none', exitCodes.partial, nextWithout[from === 'list' ? 'file' : 'other'])
        : { name, outcome: 'warn', detail: 'none is stored yet', next: 'portcullis sync' };
      continue;
    }
    const { count, recentCount, ageMs, isStale, calibration } = list;
    const detail = `${countText(count + recentCount, 'entry')}, ${timeText(ageMs)} old`;
    yield isStale
      ? fail(name, `${detail}: too old to say what is not on it`, exitCodes.partial, 'portcullis sync')
      : { name, outcome: 'ok', detail };
    if (calibration.outcome === 'failed') {
      const next = 'the service may use another algorithm now: look for a newer version of portcullis';
      yield fail(`calibration ${source}`, calibrationText(calibration), exitCodes.partial, next);
    } else yield { name: `calibration ${source}`, outcome: 'ok', detail: calibrationText(calibration) };
  }
  for (const [file, report] of reports) {
    const detail = refusedText(report);
    if (detail !== null) yield { name: `lines of ${file}`, outcome: 'warn', detail };
  }
}

async function* storeChecks(
  directory: string,
  { exists, files, bytes }: Folder,
  damagedAtLoad: readonly string[],
): AsyncGenerator<Check> {
  const name = 'store';
  const mayWrite = `may this user write to ${directory}?`;
  if (!exists) {
    yield (await canBeMade(directory))
      ? { name, outcome: 'warn', detail: `${directory} is not there yet`, next: 'portcullis sync' }
      : fail(name, `${directory} is not there, and cannot be made`, exitCodes.unexpected, mayWrite);
    return;
  }
  try {
    const damaged = [...new Set([...damagedAtLoad, ...(await damagedIn(directory))])];
    await tryWriting(directory);
    yield damaged.length > 0
      ? fail(name, `damaged: ${damaged.join(', ')}`, exitCodes.unexpected, 'portcullis sync fetches it again')
      : { name, outcome: 'ok', detail: `${countText(files, 'file')}, ${bytesText(bytes)}, all whole; it can be written` };
  } catch (error) {
    yield { ...failed(name, error, mayWrite), exitCode: exitCodes.unexpected };
  }
  yield* spaceChecks(directory);
  if (process.platform !== 'win32' && (await isForOthers(directory)))
    yield { name: 'permissions', outcome: 'warn', detail: `others can read ${directory}`, next: `chmod 700 ${directory}` };
}

async function* spaceChecks(directory: string): AsyncGenerator<Check> {
  const free = await freeBytes(directory).catch(() => null);
  if (free === null) return;
  const [name, detail] = ['space', `${bytesText(free)} free`];
  yield free < freeBytesMin
    ? { name, outcome: 'warn', detail, next: 'make room, or name another folder with --store' }
    : { name, outcome: 'ok', detail };
}

function fail(name: string, detail: string, exitCode: ExitCode, next?: string): Check {
  return { name, outcome: 'fail', detail, ...(next !== undefined && { next }), exitCode };
}

function failed(name: string, error: unknown, otherwise?: string): Check {
  const { message, code, next } = failureOf(error).error;
  // It is what was called already.
  const hint = exitCodeOf(error) === exitCodes.network ? otherwise : (next ?? otherwise);
  return fail(name, `${message} [${code}]`, exitCodeOf(error), hint);
}

function lineOf({ name, outcome, detail, next }: Check, { paint }: Output): string {
  const mark = { ok: paint('green', 'ok  '), warn: paint('yellow', 'warn'), fail: paint('red', 'fail') }[outcome];
  return `${mark} ${printable(name)}: ${printable(detail)}${next === undefined ? '' : `\n     ${paint('cyan', printable(next))}`}`;
}
