// Checks and packs the extension for the stores: node pack.mjs <address of the list> [folder]
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildExtension, checkTypes, listAddress } from './build.mjs';
import { storeProblems } from './store-rules.mjs';
import { zip } from './zip.mjs';

/** Builds the extension into `folder/<browser>`, and packs it as `folder/<browser>.zip`. */
export async function packExtension(listUrl, browser, folder, more = {}) {
  const built = join(folder, browser);
  const names = await buildExtension(listUrl, browser, built, more);
  // Only what was built now: the folder may hold other files.
  const files = new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(built, name))])));
  const problems = storeProblems(files);
  if (problems.length > 0) throw new Error(`the store would refuse the package for ${browser}:\n  ${problems.join('\n  ')}`);
  await writeFile(`${built}.zip`, zip(files));
  return { path: `${built}.zip`, files };
}

/** The command. `more` has further options of esbuild. */
export async function packForStores([listUrl, folder = 'packed'], more, check = () => {}) {
  const address = listUrl === undefined ? '' : listAddress(listUrl);
  if (!address.startsWith('https:')) {
    console.error('usage: node pack.mjs <address of the list, with https:, without a user name, query or fragment> [folder]');
    process.exitCode = 2;
    return;
  }
  check();
  for (const browser of ['chromium', 'firefox']) console.log((await packExtension(address, browser, folder, more)).path);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await packForStores(process.argv.slice(2), {}, checkTypes);
