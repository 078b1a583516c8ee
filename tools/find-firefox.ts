import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isProgram } from './find-chromium.js';

const names = ['firefox-esr', 'firefox'];

const places = [
  '/usr/lib/firefox-esr/firefox-esr',
  '/usr/lib/firefox/firefox',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
  'C:\\Program Files\\Mozilla Firefox\\firefox.exe',
];

const install = 'apt-get update && apt-get install -y --no-install-recommends firefox-esr';

/** Set to run the deep tests without Firefox. Ignored in CI, where a missing browser is a failure. */
export const isFirefoxWaived: boolean = process.env['PORTCULLIS_WITHOUT_FIREFOX'] === '1' && !process.env['CI'];

/** The Firefox of the deep tests: the one in `FIREFOX_PATH` if that is set, otherwise the first one found. */
export function findFirefox(): string | undefined {
  const given = process.env['FIREFOX_PATH'];
  if (given !== undefined && given !== '') return isProgram(given) ? given : undefined;
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/local/bin'].filter(
    (folder) => folder !== '',
  );
  return [...names.flatMap((name) => folders.map((folder) => join(folder, name))), ...places].find(isProgram);
}

/** Finds or installs Firefox. Returns instructions for the user if neither works. */
function ensureFirefox(): string | undefined {
  if (isFirefoxWaived || findFirefox() !== undefined) return undefined;
  if (existsSync('/etc/debian_version') && process.getuid?.() === 0) {
    spawnSync('sh', ['-c', install], { stdio: 'inherit' });
    return findFirefox() === undefined ? `Firefox could not be installed. Run:\n  ${install}` : undefined;
  }
  return (
    'the deep tests need Firefox. Install it (on Debian: firefox-esr), pass its path in FIREFOX_PATH, ' +
    'or set PORTCULLIS_WITHOUT_FIREFOX=1 to leave it out'
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const message = ensureFirefox();
  if (message !== undefined) {
    console.error(message);
    process.exitCode = 1;
  }
}
