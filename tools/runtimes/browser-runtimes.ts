import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page, type Worker } from 'playwright';
import { listen } from 'portcullis/testing';
import { findChromium } from '../find-chromium.js';
import { buildSuite, entriesSource } from './consumer.js';
import type { RuntimeName } from './entry-table.js';
import type { CheckResult } from './suite.js';
import type { PartOptions, SuiteRuntime } from './suite-session.js';

/** A start of Chromium takes a second, a part of the suite two. */
const browserTimeoutMs = 60_000;

/** The suite as a global function of a page or worker. */
const sourceFor = (name: RuntimeName): string => `
  import { indexedDbStore } from 'portcullis/stores/indexeddb';
  globalThis.runPart = ({ stopUrl, ...config }) => runSuite({
    ...config,
    entries: ${entriesSource(name)},
    store: indexedDbStore({ openTimeoutMs: 20_000 }),
    stopRelay: async () => { await fetch(stopUrl); },
  });`;

const conditions = ['browser'];

export const pageRuntime: SuiteRuntime = {
  name: 'page',
  storage: 'IndexedDB',
  async open(consumer, scratch) {
    const script = await buildSuite(consumer, 'page/suite.js', sourceFor('page'), conditions);
    const { readFile } = await import('node:fs/promises');
    const bytes = await readFile(script);
    // One origin for both parts: the second one finds what the first one stored.
    const server = await listen(
      async (request) =>
        new URL(request.url).pathname === '/suite.js'
          ? new Response(new Uint8Array(bytes), { headers: { 'content-type': 'text/javascript' } })
          : new Response('<!doctype html><title>suite</title><script type="module" src="suite.js"></script>', {
              headers: { 'content-type': 'text/html' },
            }),
      { port: 0, host: '127.0.0.1' },
    );
    const profile = join(scratch, 'profile');
    return {
      version: await chromiumVersion(scratch),
      run: (options) =>
        inBrowser(profile, [], async (context) => {
          const page = context.pages()[0] ?? (await context.newPage());
          await page.goto(server.url);
          return evaluatePart(page, options);
        }),
      close: () => server.close(),
    };
  },
};

export const extensionRuntime: SuiteRuntime = {
  name: 'extension',
  storage: 'IndexedDB',
  async open(consumer, scratch) {
    const folder = join(consumer, 'extension');
    await buildSuite(consumer, 'extension/worker.js', sourceFor('extension'), conditions);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
    const profile = join(scratch, 'profile');
    const args = [`--disable-extensions-except=${folder}`, `--load-extension=${folder}`];
    return {
      version: await chromiumVersion(scratch),
      run: (options) =>
        inBrowser(profile, args, async (context) => {
          const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
          return evaluatePart(worker, options);
        }),
      close: async () => {},
    };
  },
};

const manifest = {
  manifest_version: 3,
  name: 'Suite',
  version: '1.0',
  background: { service_worker: 'worker.js', type: 'module' },
  permissions: ['storage', 'unlimitedStorage'],
  host_permissions: ['http://127.0.0.1/*'],
  content_security_policy: { extension_pages: "default-src 'none'; script-src 'self'; connect-src http://127.0.0.1:*" },
};

async function evaluatePart(place: Page | Worker, options: PartOptions): Promise<CheckResult[]> {
  const run = (each: PartOptions): Promise<CheckResult[]> =>
    (globalThis as unknown as { runPart(options: PartOptions): Promise<CheckResult[]> }).runPart(each);
  // Playwright types the evaluation of pages and of workers apart.
  return 'goto' in place ? place.evaluate(run, options) : place.evaluate(run, options);
}

/** A browser of its own for each part, on one profile. */
async function inBrowser<T>(profile: string, args: readonly string[], use: (context: BrowserContext) => Promise<T>): Promise<T> {
  const context = await launch(profile, args);
  const timer = setTimeout(() => void context.close().catch(() => {}), browserTimeoutMs);
  try {
    return await use(context);
  } finally {
    clearTimeout(timer);
    await context.close();
  }
}

function launch(profile: string, args: readonly string[]): Promise<BrowserContext> {
  const executablePath = findChromium();
  if (executablePath === undefined)
    throw new Error('Chromium is missing; npx tsx tools/find-chromium.ts installs it or says how');
  return chromium.launchPersistentContext(profile, {
    headless: false,
    executablePath,
    timeout: browserTimeoutMs,
    ignoreDefaultArgs: ['--disable-extensions'],
    args: [
      ...['--headless=new', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
      ...['--disable-component-update', '--disable-sync'],
      // Chromium's sandbox refuses to run as root.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ...args,
    ],
  });
}

async function chromiumVersion(scratch: string): Promise<string> {
  return inBrowser(join(scratch, 'version'), [], async (context) => context.browser()?.version() ?? 'unknown');
}
