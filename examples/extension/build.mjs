// Bundles the extension: node build.mjs https://list.example [chromium|firefox] [folder]
import { copyFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const [listUrl, browser = 'chromium', outdir = browser] = process.argv.slice(2);
if (listUrl === undefined || !['chromium', 'firefox'].includes(browser)) {
  console.error('usage: node build.mjs <address of the list> [chromium|firefox] [folder]');
  process.exit(2);
}
const source = dirname(fileURLToPath(import.meta.url));
const scripts = ['worker', 'gate', 'gate-open', 'popup', 'options'];

await mkdir(outdir, { recursive: true });
await build({
  entryPoints: scripts.map((name) => join(source, `${name}.ts`)),
  outdir,
  bundle: true,
  minify: true,
  // Classic scripts: they start sooner than modules, and the sandboxed frame of the gate may load only such a one.
  format: 'iife',
  define: { LIST_URL: JSON.stringify(listUrl) },
});
for (const name of ['gate.html', 'popup.html', 'options.html', 'style.css', 'managed-schema.json']) {
  await copyFile(join(source, name), join(outdir, name));
}
await cp(join(source, '_locales'), join(outdir, '_locales'), { recursive: true });

const manifest = JSON.parse(await readFile(join(source, 'manifest.json'), 'utf8'));
if (browser === 'firefox') {
  // Firefox lets the worker hold a request back, so the gate needs no page that sites can open, and no rules.
  const chromiumOnly = ['declarativeNetRequestWithHostAccess'];
  manifest.permissions = manifest.permissions.filter((name) => !chromiumOnly.includes(name));
  manifest.permissions.push('webRequest', 'webRequestBlocking');
  manifest.background = { scripts: ['worker.js'] };
  manifest.browser_specific_settings = { gecko: { id: 'scam-page-blocker@example.com', strict_min_version: '128.0' } };
  for (const name of ['minimum_chrome_version', 'storage', 'web_accessible_resources']) delete manifest[name];
}
await writeFile(join(outdir, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
