import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shardCounts } from '../../../src/blocklist/formats/shards.js';
import { type PackFiles, packExample, storeProblems } from '../../../tools/pack-extension.js';

type Json = Record<string, unknown>;

const folder = mkdtempSync(join(tmpdir(), 'store-'));
const packed: Record<'chromium' | 'firefox', PackFiles> = { chromium: new Map(), firefox: new Map() };

beforeAll(async () => {
  for (const browser of ['chromium', 'firefox'] as const) {
    mkdirSync(join(folder, browser), { recursive: true });
    // What a build with source maps has left behind.
    writeFileSync(join(folder, browser, 'worker.js.map'), '{}');
    writeFileSync(join(folder, browser, 'notes.txt'), 'private');
    packed[browser] = (await packExample('https://list.example', browser, folder)).files;
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a package has the files of the extension and nothing else', () => {
  const common = [
    ...['_locales/de/messages.json', '_locales/en/messages.json', 'gate.html', 'gate.js'],
    ...['icons/128.png', 'icons/16.png', 'icons/32.png', 'icons/48.png', 'manifest.json'],
    ...['options.html', 'options.js', 'popup.html', 'popup.js', 'style.css', 'worker.js'],
  ];
  expect([...packed.firefox.keys()].sort()).toEqual(common);
  expect([...packed.chromium.keys()].sort()).toEqual([...common, 'managed-schema.json'].sort());
  for (const [name, bytes] of packed.chromium) {
    expect(Buffer.from(bytes).equals(readFileSync(join(folder, 'chromium', name)))).toBe(true);
    expect(Buffer.from(bytes).includes('sourceMappingURL')).toBe(false);
  }
});

test('the same input gives the same bytes in another folder', async () => {
  const { path: again } = await packExample('https://list.example', 'firefox', join(folder, 'again'));
  expect(readFileSync(again).equals(readFileSync(join(folder, 'firefox.zip')))).toBe(true);
});

test.each(['chromium', 'firefox'] as const)('the stores have nothing to refuse in the package for %s', (browser) => {
  expect(storeProblems(packed[browser])).toEqual([]);
});

/** The package with another manifest. */
function withManifest(browser: 'chromium' | 'firefox', change: Json): PackFiles {
  const manifest = JSON.parse(Buffer.from(packed[browser].get('manifest.json')!).toString()) as Json;
  return new Map(packed[browser]).set('manifest.json', Buffer.from(JSON.stringify({ ...manifest, ...change })));
}

const csp = (extension_pages: string): Json => ({ content_security_policy: { extension_pages } });
const gecko = (settings: Json): Json => ({ browser_specific_settings: { gecko: settings } });
const goodGecko = { id: 'me@mine.org', strict_min_version: '142.0', data_collection_permissions: { required: ['none'] } };

const changes: [browser: 'chromium' | 'firefox', change: Json, problem: RegExp | null][] = [
  ['chromium', { manifest_version: 2 }, /manifest_version/],
  ['chromium', { name: 'n'.repeat(75) }, null],
  ['chromium', { name: 'n'.repeat(76) }, /name in de has 76 characters/],
  ['chromium', { name: '__MSG_absent__' }, /name in de has 0 characters/],
  ['chromium', { description: 'd'.repeat(132) }, null],
  ['chromium', { description: 'd'.repeat(133) }, /description in de has 133/],
  ['chromium', { default_locale: 'fr' }, /default_locale, fr/],
  ['chromium', { version: '65535.0.10.1' }, null],
  ...['1.0.0.0.0', '65536', '1.02', '1.0-beta', '', '1.'].map((version): ['chromium', Json, RegExp] => [
    'chromium',
    { version },
    /^version .* must be/,
  ]),
  ['chromium', { minimum_chrome_version: undefined }, /minimum_chrome_version/],
  ['chromium', { icons: { 16: 'icons/16.png', 48: 'icons/48.png' } }, /icon of 128/],
  ['chromium', { icons: { 16: 'icons/16.png', 48: 'icons/48.png', 128: 'icons/48.png' } }, /PNG of 128/],
  ['chromium', { icons: { 16: 'icons/16.png', 48: 'icons/48.png', 128: 'gate.html' } }, /PNG of 128/],
  ['chromium', { background: { service_worker: 'absent.js' } }, /absent.js is not in the package/],
  ['chromium', { options_ui: { page: 'absent.html' } }, /absent.html is not in the package/],
  ['chromium', csp("script-src 'self' https://cdn.example"), /allows scripts of https:\/\/cdn.example/],
  ['chromium', csp("default-src 'self' 'unsafe-eval'"), /allows scripts of 'unsafe-eval'/],
  ['chromium', csp("style-src 'self'"), /says nothing about scripts/],
  ['firefox', gecko(goodGecko), null],
  ['firefox', gecko({ ...goodGecko, id: 'mine' }), /ID mine/],
  ['firefox', gecko({ ...goodGecko, strict_min_version: '139.0' }), /strict_min_version/],
  ['firefox', gecko({ ...goodGecko, data_collection_permissions: { required: [] } }), /data_collection_permissions/],
];

test.each(
  changes.map(([browser, change, problem], at) => ({ browser, change, problem, title: `${Object.keys(change)} (${at})` })),
)('with another $title, a package for $browser has the problem $problem', ({ browser, change, problem }) => {
  const problems = storeProblems(withManifest(browser, change));
  if (problem === null) expect(problems).toEqual([]);
  else expect(problems.join('\n')).toMatch(problem);
});

test('a script from elsewhere and a source map are problems', () => {
  const files = new Map(packed.chromium).set('popup.html', Buffer.from('<script src="https://cdn.example/a.js"></script>'));
  expect(storeProblems(files)).toEqual(['https://cdn.example/a.js is not in the package']);
  const map = new Map(packed.chromium).set('worker.js.map', Buffer.from('{}'));
  expect(storeProblems(map)).toEqual(['worker.js.map does not belong into the package']);
});

test.each(['http://127.0.0.1:8080', 'http://list.example', 'https://list.example/?x', 'nothing'])(
  'a list at %s is not packed for a store',
  (address) => {
    const args = [resolve('examples/extension/pack.mjs'), address, join(folder, 'refused')];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('usage: node pack.mjs') });
  },
);

const guide = readFileSync('docs/extension.md', 'utf8');

test('the guide says the sizes of the worker and the packages, and the versions that the manifests require', () => {
  const kB = Number(guide.match(/the worker is (\d+) kB with gzip/)![1]);
  expect(Math.abs(gzipSync(packed.chromium.get('worker.js')!).length / 1000 - kB)).toBeLessThanOrEqual(1);
  const maxBytes = Number(guide.match(/Packages are under (\d+) kB/)![1]) * 1_000;
  for (const browser of ['chromium', 'firefox'])
    expect(readFileSync(join(folder, `${browser}.zip`)).length).toBeLessThan(maxBytes);
  const [, chromium, firefox] = guide.match(/Chromium (\d+) or newer and Firefox (\d+) or newer/)!;
  const manifestOf = (browser: 'chromium' | 'firefox') => Buffer.from(packed[browser].get('manifest.json')!).toString();
  expect(manifestOf('chromium')).toContain(`"minimum_chrome_version": "${chromium}"`);
  expect(manifestOf('firefox')).toContain(`"strict_min_version": "${firefox}.0"`);
});

test('the guide gives a reason for every permission that a package asks for', () => {
  const asked = Object.values(packed).flatMap((files) => {
    const { permissions } = JSON.parse(Buffer.from(files.get('manifest.json')!).toString()) as { permissions: string[] };
    return permissions;
  });
  const section = guide.slice(guide.indexOf('## Permissions'));
  for (const permission of new Set(asked)) expect(section).toContain(`\`${permission}\``);
});

/** Runs the command of the guide in a copy of the example. Returns the zips. */
function packCopy(name: string): Buffer[] {
  const [, command] = guide.slice(guide.indexOf('## Publish it in the stores')).match(/```sh\n(.*)\n```/)!;
  const copy = join(folder, name);
  cpSync('examples/extension', copy, { recursive: true });
  mkdirSync(join(copy, 'node_modules'));
  symlinkSync(resolve('node_modules/esbuild'), join(copy, 'node_modules/esbuild'));
  // In place of the compiler, which the tutorial's test runs.
  mkdirSync(join(copy, 'node_modules/typescript/bin'), { recursive: true });
  for (const [name, text] of [
    ['package.json', '{}'],
    ['bin/tsc', ''],
  ] as const)
    writeFileSync(join(copy, 'node_modules/typescript', name), text);
  // In place of the installed package: the sources.
  writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify({ extends: resolve('tsconfig.tools.json') }));
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command!], { cwd: copy, encoding: 'utf8' });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'packed/chromium.zip\npacked/firefox.zip\n', stderr: '' });
  return ['chromium', 'firefox'].map((browser) => readFileSync(join(copy, `packed/${browser}.zip`)));
}

test('the command of the guide packs a copied folder, with the same bytes wherever it is', () => {
  const zips = packCopy('copy');
  expect(zips.every((zip) => zip.length > 100_000)).toBe(true);
  expect(packCopy('deeper/other/copy').map((zip, at) => zip.equals(zips[at]!))).toEqual([true, true]);
});

test('the privacy statement says the times and sizes of the code', () => {
  const statement = readFileSync('examples/extension/privacy-statement.md', 'utf8').replace(/\s+/g, ' ');
  const defaultIn = (page: string, option: string): number => {
    const row = readFileSync(`docs/${page}.md`, 'utf8').match(new RegExp(`\\| \`${option}\` \\|[^|]*\\| ([\\d,]+) \\|`))!;
    return Number(row[1]!.replaceAll(',', ''));
  };
  expect(statement).toContain(`in the last ${defaultIn('extension', 'skipMs') / 60_000} minutes`);
  expect(statement).toContain(`in the last ${defaultIn('sync', 'confirm.earlierMs') / 86_400_000} days`);
  expect(statement).toContain(`up to ${Math.max(...shardCounts).toLocaleString('en')} files`);
  const bits = shardCounts.map(Math.log2).join(', ');
  expect(statement).toContain(`first ${bits.replace(/, (\d+)$/, ' or $1')} bits`);
});
