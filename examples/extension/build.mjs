// Bundles the extension: node build.mjs <address of the list> [chromium|firefox] [folder]
import { copyFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const source = dirname(fileURLToPath(import.meta.url));

/** `more` has further options of esbuild. */
export async function buildExtension(listUrl, browser, outdir, more = {}) {
  await mkdir(outdir, { recursive: true });
  await build({
    entryPoints: ['worker', 'gate', 'popup', 'options'].map((name) => join(source, `${name}.ts`)),
    outdir,
    bundle: true,
    minify: true,
    // Classic scripts start sooner than modules.
    format: 'iife',
    define: { LIST_URL: JSON.stringify(listUrl) },
    ...more,
  });
  // Firefox takes the administrator's settings without a schema.
  const schema = browser === 'firefox' ? [] : ['managed-schema.json'];
  for (const name of ['gate.html', 'popup.html', 'options.html', 'style.css', ...schema]) {
    await copyFile(join(source, name), join(outdir, name));
  }
  await cp(join(source, '_locales'), join(outdir, '_locales'), { recursive: true });
  const manifest = JSON.parse(await readFile(join(source, 'manifest.json'), 'utf8'));
  await writeFile(
    join(outdir, 'manifest.json'),
    JSON.stringify(browser === 'firefox' ? forFirefox(manifest) : manifest, null, 2),
  );
}

/** Firefox lets the worker hold a request back, so its gate needs no rules, and no page that sites can open. */
function forFirefox({ minimum_chrome_version, storage, web_accessible_resources, permissions, ...manifest }) {
  return {
    ...manifest,
    permissions: [
      ...permissions.filter((name) => name !== 'declarativeNetRequestWithHostAccess'),
      'webRequest',
      'webRequestBlocking',
    ],
    incognito: 'spanning',
    background: { scripts: ['worker.js'] },
    browser_specific_settings: { gecko: { id: 'scam-page-blocker@example.com', strict_min_version: '128.0' } },
  };
}

/** What `settings.ts` takes. */
function isListAddress(text) {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (username + password + search + hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && hostname === '127.0.0.1');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [listUrl, browser = 'chromium', outdir = browser] = process.argv.slice(2);
  if (listUrl === undefined || !['chromium', 'firefox'].includes(browser)) {
    console.error('usage: node build.mjs <address of the list> [chromium|firefox] [folder]');
    process.exitCode = 2;
  } else if (!isListAddress(listUrl)) {
    console.error(
      `${listUrl} is not the address of a list: use https: (or http://127.0.0.1) without a name, a query and a fragment`,
    );
    process.exitCode = 2;
  } else await buildExtension(listUrl, browser, outdir);
}
