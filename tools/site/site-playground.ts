import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildList } from 'portcullis/publish';
import { pageFiles } from '../../apps/cli/playground/page-files.js';
import { sampleExamples } from '../../apps/shared/playground-config.js';
import { buildPage } from '../build-page.js';

/** What the examples need: the sample list of the embedded service. Reserved names only. */
const entries = [
  'https://scam-mint.example/',
  'https://claim-airdrop.example/',
  'https://wallet-support.test/',
  'https://pages.example/giveaway',
  '0x52908400098527886E0F7030069857D2E4169EE7',
];

/**
 * Writes the playground into a folder of the site, with a published list beside it. It needs no server: the list and the answers about
 * hits are static files, and the buttons set overrides in the browser.
 */
export async function buildSitePlayground(folder: string, base: string): Promise<void> {
  await buildPage(folder);
  const { files } = await buildList(entries.join('\n'));
  for (const { name, bytes } of files) write(join(folder, 'list', name), bytes);
  const config = { kind: 'published', url: 'list/', examples: sampleExamples } as const;
  for (const [name, bytes] of await pageFiles(config, pathToFileURL(`${folder}/`))) write(join(folder, name), bytes);
  const page = join(folder, 'index.html');
  const back = `<p class="small"><a href="${base}">Portcullis documentation</a>, <a href="${base}playground.html">about this page</a></p>`;
  writeFileSync(page, readFileSync(page, 'utf8').replace(/<\/footer>/, `${back}</footer>`));
}

function write(file: string, bytes: Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
}
