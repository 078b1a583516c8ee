import { readFileSync } from 'node:fs';

/** The version of the package that contains this file, built or not. */
export function version(): string {
  for (const up of ['../package.json', '../../package.json', '../../../package.json']) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(up, import.meta.url), 'utf8')) as {
        name?: string;
        version: string;
      };
      if (name === 'portcullis') return version;
    } catch {
      // Tries the next folder.
    }
  }
  return 'unknown';
}
