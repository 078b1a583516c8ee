import { stat } from 'node:fs/promises';
import { findDamagedValues } from 'portcullis/stores/file';
import { exitCodes } from '../errors/exit-codes.js';
import { canBeCreated, type Folder, freeBytes, tryWriting } from '../lists/store-folder.js';
import { bytesText, countText } from '../terminal/unit-text.js';
import { type DoctorCheck, fail, failed, ok, warn } from './doctor-check.js';

/** Three lists of a million entries, which replacing a list needs for a moment. */
const minFreeBytes = 32_000_000;

/** @param damagedAtLoad Names of values that were found damaged while loading */
export async function* storeChecks(
  directory: string,
  { exists, files, bytes }: Folder,
  damagedAtLoad: readonly string[],
): AsyncGenerator<DoctorCheck> {
  const name = 'store';
  const advice = `check the permissions of ${directory}`;
  if (!exists) {
    yield (await canBeCreated(directory))
      ? warn(name, `${directory} does not exist yet`, 'portcullis sync')
      : fail(name, `${directory} does not exist and cannot be created`, exitCodes.unexpected, advice);
    return;
  }
  try {
    const damaged = [...new Set([...damagedAtLoad, ...(await findDamagedValues({ directory }))])];
    await tryWriting(directory);
    yield damaged.length > 0
      ? fail(name, `damaged: ${damaged.join(', ')}`, exitCodes.unexpected, 'fetch it again with: portcullis sync')
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

/** Whether the group or others have any permission. Windows has no such modes. */
export async function isReadableByOthers(path: string): Promise<boolean> {
  if (process.platform === 'win32') return false;
  try {
    return ((await stat(path)).mode & 0o077) !== 0;
  } catch {
    return false;
  }
}
