import { readFileSync } from 'node:fs';

/** Of the package this file lies in, built or not; read when it is asked for. */
export function version(): string {
  for (const up of ['../package.json', '../../package.json', '../../../package.json']) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(up, import.meta.url), 'utf8')) as {
        name?: string;
        version: string;
      };
      if (name === 'portcullis') return version;
    } catch {
      // Not there.
    }
  }
  return 'unknown';
}
