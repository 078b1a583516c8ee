// Checks and bundles the extension: node build.mjs <address of the list> [chromium|firefox] [folder]
import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const source = dirname(fileURLToPath(import.meta.url));

const scripts = ['worker', 'gate', 'popup', 'options'];

/** esbuild does not check types, and a worker that a wrong option stops lets every page open. */
export function checkTypes() {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  const { status } = spawnSync(process.execPath, [tsc, '--project', source], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

/** `more` has further options of esbuild. Returns the names of the files that belong to the extension. */
export async function buildExtension(listUrl, browser, outdir, more = {}) {
  await build({
    entryPoints: scripts.map((name) => join(source, `${name}.ts`)),
    outdir,
    bundle: true,
    minify: true,
    // Classic scripts start sooner than modules.
    format: 'iife',
    define: { LIST_URL: JSON.stringify(listUrl), STORES_ANSWERS: String(browser !== 'firefox') },
    ...more,
  });
  // Firefox takes the administrator's settings without a schema.
  const schema = browser === 'firefox' ? [] : ['managed-schema.json'];
  const locales = await readdir(join(source, '_locales'));
  const copied = [
    ...['gate.html', 'popup.html', 'options.html', 'style.css', ...schema],
    ...[16, 32, 48, 128].map((size) => `icons/${size}.png`),
    ...locales.map((locale) => `_locales/${locale}/messages.json`),
  ];
  for (const name of copied) {
    await mkdir(dirname(join(outdir, name)), { recursive: true });
    await copyFile(join(source, name), join(outdir, name));
  }
  const manifest = JSON.parse(await readFile(join(source, 'manifest.json'), 'utf8'));
  await writeFile(
    join(outdir, 'manifest.json'),
    JSON.stringify(browser === 'firefox' ? forFirefox(manifest) : manifest, null, 2),
  );
  return ['manifest.json', ...scripts.map((name) => `${name}.js`), ...copied];
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
    browser_specific_settings: {
      gecko: {
        id: 'scam-page-blocker@example.com',
        // Firefox 140, and 142 for Android, ask users about the data below first:
        // https://extensionworkshop.com/documentation/develop/firefox-builtin-data-consent/
        strict_min_version: '142.0',
        // After a hit, a part of the hash of its address goes to the host of the list. See privacy-statement.md.
        data_collection_permissions: { required: ['browsingActivity'] },
      },
    },
  };
}

const rule = await build({ entryPoints: [join(source, 'list-address.ts')], format: 'esm', write: false });

/** The rule for the address of a list, which is that of the settings. */
export const { listAddress } = await import(`data:text/javascript,${encodeURIComponent(rule.outputFiles[0].text)}`);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [listUrl, browser = 'chromium', outdir = browser] = process.argv.slice(2);
  if (listUrl === undefined || !['chromium', 'firefox'].includes(browser)) {
    console.error('usage: node build.mjs <address of the list> [chromium|firefox] [folder]');
    process.exitCode = 2;
  } else if (listAddress(listUrl) === '') {
    console.error(
      `${listUrl} is not the address of a list: use https: (or http://127.0.0.1), without a user name, query or fragment`,
    );
    process.exitCode = 2;
  } else {
    checkTypes();
    await buildExtension(listAddress(listUrl), browser, outdir);
  }
}
