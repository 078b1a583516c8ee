import { stat } from 'node:fs/promises';
import { UsageError } from '../errors/usage.js';

/**
 * A verdict about the name of a file would be taken for one about its content. A folder may have the name of the site that was saved in it.
 *
 * @param next What to do with a file
 * @throws UsageError if an argument is the name of a file
 */
export async function refuseFiles(texts: readonly string[], next: (file: string) => string): Promise<void> {
  for (const text of texts) {
    if (await isFile(text))
      throw new UsageError(`${text} is a file, whose name would be read instead of its content`, next(text));
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return !(await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
