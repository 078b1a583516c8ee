import { isPortcullisError, type ListStatus, type PortcullisError } from 'portcullis';
import { findDamagedValues } from 'portcullis/stores/file';
import { errorText } from '../errors/error-text.js';
import { type ExitCode, exitCodes } from '../errors/exit-codes.js';
import { exitCodeOf, failureOf, listNext } from '../errors/failure.js';
import { isReadableByOthers } from '../lists/file-mode.js';
import { readText } from '../lists/list-file.js';
import type { ListOrigin } from '../lists/list-options.js';
import type { OpenList, Remote } from '../lists/open-list.js';
import { canBeCreated, type Folder, freeBytes, tryWriting } from '../lists/store-folder.js';
import { bytesText, calibrationText, countText, expiryText, timeText } from '../terminal/unit-text.js';

export interface DoctorCheck {
  readonly name: string;
  readonly outcome: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do about it. */
  readonly next?: string;
  /** The exit code of the process, if this is the first failure. */
  readonly exitCode?: ExitCode;
}

export function ok(name: string, detail: string): DoctorCheck {
  return { name, outcome: 'ok', detail };
}

export function warn(name: string, detail: string, next?: string): DoctorCheck {
  return { name, outcome: 'warn', detail, ...(next !== undefined && { next }) };
}

export function fail(name: string, detail: string, exitCode: ExitCode, next?: string): DoctorCheck {
  return { name, outcome: 'fail', detail, ...(next !== undefined && { next }), exitCode };
}

/** A check that failed with an error; `otherwise` is the advice if the error has none. */
export function failed(name: string, error: unknown, otherwise?: string): DoctorCheck {
  const { message, code, next } = failureOf(error).error;
  // The advice for a network error is to run doctor, which does not help here.
  const advice = exitCodeOf(error) === exitCodes.network ? otherwise : (next ?? otherwise);
  return fail(name, `${message} [${code}]`, exitCodeOf(error), advice);
}

/** With a larger difference, the timestamps of lists and of the service cannot be compared. */
const maxClockSkewMs = 300_000;

export async function* connectionChecks(remote: Remote, origin: ListOrigin, signal: AbortSignal): AsyncGenerator<DoctorCheck> {
  const { apiKey } = remote;
  const { error, ms, clockAheadMs } = await reach(remote, signal);
  const isKeyRefused = error?.code === 'UNAUTHORIZED' || error?.code === 'FORBIDDEN';
  if (error !== null && !isKeyRefused)
    yield failed('connection', error, listNext(error) ?? 'check the URL, and whether the service is running');
  else yield ok('connection', `answered within ${Math.max(1, Math.round(ms))} ms`);
  if (isKeyRefused) {
    const detail = apiKey === undefined ? 'the service requires a key, and none is set' : `the key was rejected [${error.code}]`;
    yield { ...failed('key', error), detail };
  } else if (origin === 'service' && error === null) {
    yield apiKey === undefined
      ? warn('key', 'none; the service answered without one', 'portcullis login')
      : ok('key', 'accepted');
  }
  if (clockAheadMs !== null) yield clockCheck(clockAheadMs);
}

function clockCheck(aheadMs: number): DoctorCheck {
  const skewMs = Math.abs(aheadMs);
  if (skewMs <= maxClockSkewMs) return ok('clock', 'in step with the server’s clock');
  const detail = `${timeText(skewMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} the server’s clock`;
  return warn('clock', detail, 'set the clock of this machine');
}

export function* listChecks(
  { blocklist, origin, directory, reports, nameOf }: OpenList,
  syncCommand: string,
): Generator<DoctorCheck> {
  for (const { source, list, lastError, olderAtMs } of blocklist.status().sources) {
    if (list !== null) {
      yield* checksOf(source, list, syncCommand);
      // A later round that succeeds makes the list younger.
      if (olderAtMs !== null && olderAtMs >= Date.now() - list.ageMs)
        yield warn(`order ${source}`, 'the source offers an older list, which is rejected', olderAdvice);
    } else if (directory !== null) yield warn(`list ${source}`, 'no copy is stored yet', syncCommand);
    else {
      const next =
        origin === 'list' ? 'check the path and its permissions' : 'fix the failed checks above, then run doctor again';
      const what = lastError === null ? 'no list is available' : errorText(lastError, nameOf(source));
      yield fail(`list ${source}`, what, exitCodes.partial, next);
    }
  }
  for (const [file, report] of reports) {
    if (report.refused.length > 0) yield warn(`lines of ${file}`, readText(report));
  }
}

const olderAdvice = 'ask the publisher; a cache may hold back the newest list (docs/security.md)';

/** A publisher signs again long before this; with less, one missed run makes the list stale. */
const minValidMs = 12 * 3_600_000;

function* checksOf(
  source: string,
  { count, recentCount, ageMs, isStale, expiresAtMs, calibration }: ListStatus,
  syncCommand: string,
): Generator<DoctorCheck> {
  const name = `list ${source}`;
  const expiry = expiresAtMs === null ? '' : `, ${expiryText(expiresAtMs)}`;
  const detail = `${countText(count + recentCount, 'entry')}, ${timeText(ageMs)} old${expiry}`;
  if (isStale) yield fail(name, `${detail}; stale, so it cannot prove that an input is clear`, exitCodes.partial, syncCommand);
  else if (expiresAtMs === null || expiresAtMs - Date.now() >= minValidMs) yield ok(name, detail);
  else yield warn(name, detail, `${syncCommand}; if this stays, the publisher has to sign the list again`);
  const next = 'the service may use a new algorithm; look for a newer version of portcullis';
  yield calibration.outcome === 'failed'
    ? fail(`calibration ${source}`, calibrationText(calibration), exitCodes.partial, next)
    : ok(`calibration ${source}`, calibrationText(calibration));
}

/** Space for three lists of a million entries, which replacing a list needs for a moment. */
const minFreeBytes = 32_000_000;

interface StoreState extends Folder {
  readonly directory: string;
  /** Names of values that were found damaged while loading. */
  readonly damagedAtLoad: readonly string[];
}

export async function* storeChecks(
  { directory, exists, files, bytes, damagedAtLoad }: StoreState,
  syncCommand: string,
): AsyncGenerator<DoctorCheck> {
  const name = 'store';
  const advice = `check the permissions of ${directory}`;
  if (!exists) {
    yield (await canBeCreated(directory))
      ? warn(name, `${directory} does not exist yet`, syncCommand)
      : fail(name, `${directory} does not exist and cannot be created`, exitCodes.unexpected, advice);
    return;
  }
  try {
    const damaged = [...new Set([...damagedAtLoad, ...(await findDamagedValues({ directory }))])];
    await tryWriting(directory);
    yield damaged.length > 0
      ? fail(name, `damaged: ${damaged.join(', ')}`, exitCodes.unexpected, `fetch it again with: ${syncCommand}`)
      : ok(name, `${countText(files, 'file')}, ${bytesText(bytes)}, undamaged and writable`);
  } catch (error) {
    yield { ...failed(name, error, advice), exitCode: exitCodes.unexpected };
  }
  const free = await freeBytes(directory);
  if (free !== null) {
    const detail = `${bytesText(free)} free`;
    yield free < minFreeBytes
      ? warn('space', detail, 'free some space, or name another folder with --store')
      : ok('space', detail);
  }
  if (await isReadableByOthers(directory)) {
    yield warn('permissions', `other users can read ${directory}`, `chmod 700 ${directory}`);
  }
}

/** The result of asking once for a list's version. */
interface Reached {
  /** The reason if there is no usable answer. */
  readonly error: PortcullisError | null;
  readonly ms: number;
  /** How far this machine's clock is ahead of the server's, in milliseconds; `null` if the server does not report its time. */
  readonly clockAheadMs: number | null;
}

async function reach({ source, date }: Remote, signal: AbortSignal): Promise<Reached> {
  const startMs = performance.now();
  let error: PortcullisError | null = null;
  try {
    await source.version({ signal });
  } catch (cause) {
    signal.throwIfAborted();
    if (!isPortcullisError(cause)) throw cause;
    error = cause;
  }
  const ms = performance.now() - startMs;
  const serverMs = Date.parse(date() ?? '');
  // The server wrote its time halfway between request and response, on average.
  return { error, ms, clockAheadMs: Number.isNaN(serverMs) ? null : Math.round(Date.now() - ms / 2 - serverMs) };
}
