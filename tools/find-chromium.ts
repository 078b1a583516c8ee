import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome', 'microsoft-edge'];

const places = [
  '/usr/lib/chromium/chromium',
  '/opt/google/chrome/chrome',
  '/snap/bin/chromium',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  ...['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].flatMap((folder) => {
    const root = process.env[folder];
    return root === undefined
      ? []
      : [
          join(root, 'Google/Chrome/Application/chrome.exe'),
          join(root, 'Chromium/Application/chrome.exe'),
          join(root, 'Microsoft/Edge/Application/msedge.exe'),
        ];
  }),
];

const install = 'apt-get update && apt-get install -y --no-install-recommends chromium';

/** The browser for the tests: the one in `CHROMIUM_PATH` if that is set, otherwise the first one found. */
export function findChromium(): string | undefined {
  const given = process.env['CHROMIUM_PATH'];
  if (given !== undefined && given !== '') return isProgram(given) ? given : undefined;
  const folders = [...new Set([...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/local/bin'])].filter(
    (folder) => folder !== '',
  );
  const onPath = names.flatMap((name) =>
    folders.map((folder) => join(folder, process.platform === 'win32' ? `${name}.exe` : name)),
  );
  return [...onPath, ...places].find(isProgram);
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Finds or installs a browser. Returns instructions for the user if neither works. */
function ensureChromium(): string | undefined {
  if (findChromium() !== undefined) return undefined;
  const given = process.env['CHROMIUM_PATH'];
  if (given !== undefined && given !== '') return `CHROMIUM_PATH is not an executable file: ${given}`;
  const isDebian = existsSync('/etc/debian_version');
  if (isDebian && process.getuid?.() === 0) {
    spawnSync('sh', ['-c', install], { stdio: 'inherit' });
    return findChromium() === undefined ? `Chromium could not be installed. Run:\n  ${install}` : undefined;
  }
  if (isDebian) return `the tests need Chromium. Run:\n  sudo sh -c '${install}'`;
  if (process.platform === 'darwin') return 'the tests need Chromium. Run:\n  brew install --cask chromium';
  if (process.platform === 'win32') return 'the tests need Chromium. Run:\n  winget install Google.Chrome';
  return 'the tests need Chromium. Install it and pass its path:\n  CHROMIUM_PATH=/path/to/chromium npm test';
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const message = ensureChromium();
  if (message !== undefined) {
    console.error(message);
    process.exitCode = 1;
  }
}
