import { stat } from 'node:fs/promises';

/** Whether the group or others have any permission. Windows has no such modes. */
export async function isReadableByOthers(path: string): Promise<boolean> {
  if (process.platform === 'win32') return false;
  try {
    return ((await stat(path)).mode & 0o077) !== 0;
  } catch {
    return false;
  }
}
