import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchFirefox } from '../../../tools/deep/firefox.js';
import { isFirefoxWaived } from '../../../tools/find-firefox.js';
import { type PackFiles, packExample, zip } from '../../../tools/pack-extension.js';
import { blockedTitle, type ExtensionSite, startSite } from './extension-site.js';
import { extensionUrl, startChromium, untilBlocked } from './guarded-chromium.js';

const folder = mkdtempSync(join(tmpdir(), 'packed-'));
let site: ExtensionSite;

beforeAll(async () => {
  site = await startSite();
  await site.publish(['scam.example']);
});
afterAll(() => {
  site.close();
  rmSync(folder, { recursive: true, force: true });
});

function run(command: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status === null || error !== undefined) throw new Error(`${command} did not run: ${error?.message}${stderr}`);
  return stdout;
}

/** Prints each name with its bytes, after it has compared every checksum. */
const reader = `
import base64, json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as read:
    assert read.testzip() is None
    assert all(info.date_time == (1980, 1, 1, 0, 0, 0) for info in read.infolist())
    print(json.dumps([[name, base64.b64encode(read.read(name)).decode()] for name in read.namelist()]))
`;

const contents = (files: PackFiles): [string, string][] =>
  [...files].map(([name, bytes]): [string, string] => [name, Buffer.from(bytes).toString('base64')]).sort();

test.each(['chromium', 'firefox'] as const)(
  'Python reads every file of the package for %s, with its checksum',
  async (browser) => {
    const { path, files } = await packExample('https://list.example', browser, folder);
    expect((JSON.parse(run('python3', ['-c', reader, path])) as [string, string][]).sort()).toEqual(contents(files));
  },
);

test('Python reads what a zip of any files was made of', () => {
  const name = fc.stringMatching(/^[a-z0-9é_-]{1,20}(\/[a-z0-9.]{1,20})?$/);
  const path = join(folder, 'any.zip');
  fc.assert(
    fc.property(fc.array(fc.tuple(name, fc.uint8Array({ maxLength: 300 })), { maxLength: 20 }), (entries) => {
      const files = new Map(entries);
      writeFileSync(path, zip(files));
      expect((JSON.parse(run('python3', ['-c', reader, path])) as [string, string][]).sort()).toEqual(contents(files));
    }),
    { numRuns: 50 },
  );
});

interface LintReport {
  readonly errors: { readonly code: string }[];
  readonly warnings: { readonly code: string }[];
  readonly notices: { readonly code: string }[];
}

const lint = (path: string): LintReport => {
  const script = resolve('tools/deep/node_modules/web-ext/bin/web-ext.js');
  return JSON.parse(
    run(process.execPath, [script, 'lint', '--no-input', '--source-dir', path, '--output', 'json']),
  ) as LintReport;
};

test("Mozilla's linter finds nothing in the package for Firefox, and something in one that does not say what it sends", async () => {
  const { path } = await packExample('https://list.example', 'firefox', folder);
  expect(lint(path)).toMatchObject({ errors: [], warnings: [], notices: [] });

  const manifestPath = join(folder, 'firefox/manifest.json');
  const manifest = JSON.parse(readFileSync(manifestPath, 'utf8')) as {
    browser_specific_settings: { gecko: { data_collection_permissions?: object } };
  };
  delete manifest.browser_specific_settings.gecko.data_collection_permissions;
  writeFileSync(manifestPath, JSON.stringify(manifest));
  const { errors, warnings, notices } = lint(join(folder, 'firefox'));
  expect([...errors, ...warnings, ...notices].map(({ code }) => code)).toEqual(['MISSING_DATA_COLLECTION_PERMISSIONS']);
});

test('the package for Chromium, unpacked, blocks a listed page, and Chromium reports no problem with it', async () => {
  const { path } = await packExample(site.listUrl, 'chromium', folder);
  const unpacked = join(folder, 'unpacked');
  run('python3', ['-m', 'zipfile', '-e', path, unpacked]);
  const context = await startChromium(join(folder, 'profile'), unpacked, site.port);
  try {
    await untilBlocked(context, blockedTitle);
    const page = await context.newPage();
    await page.goto('chrome://extensions/');
    // The page of the browser has this API; what it reports are unknown keys, permissions and errors of the manifest.
    const found = await page.evaluate(
      async (id) => {
        const { developerPrivate } = (globalThis as unknown as { chrome: { developerPrivate: DeveloperPrivate } }).chrome;
        const { name, manifestErrors, installWarnings, iconUrl } = await developerPrivate.getExtensionInfo(id);
        return { name, problems: [...manifestErrors, ...installWarnings], icon: iconUrl.slice(0, 22) };
      },
      new URL(extensionUrl(context, '/')).host,
    );
    expect(found).toEqual({ name: 'Scam page blocker', problems: [], icon: 'data:image/png;base64,' });
  } finally {
    await context.close();
  }
});

interface DeveloperPrivate {
  getExtensionInfo(id: string): Promise<{
    readonly name: string;
    readonly manifestErrors: readonly unknown[];
    readonly installWarnings: readonly unknown[];
    readonly iconUrl: string;
  }>;
}

describe.skipIf(isFirefoxWaived)('in Firefox', () => {
  test('the package, as a file, blocks a listed page', async () => {
    const { path } = await packExample(site.listUrl, 'firefox', folder);
    const browser = await launchFirefox(site.port, { 'network.proxy.no_proxies_on': '127.0.0.1' });
    try {
      await browser.installExtension(path);
      const page = await browser.newPage();
      await expect
        .poll(
          async () => {
            await page.goto('http://scam.example/').catch(() => {});
            return page.title().catch(() => '');
          },
          { timeout: 60_000, interval: 200 },
        )
        .toBe(blockedTitle);
    } finally {
      await browser.close();
    }
  });
});
