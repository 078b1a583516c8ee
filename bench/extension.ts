import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BrowserContext, Page } from 'playwright';
import {
  countName,
  type Figures,
  type Group,
  limited,
  type Question,
  type Results,
  type Row,
  type Settings,
  type Spread,
  spreadOf,
} from './question.js';

/** What does the gate of an extension add to a navigation, and how soon does its worker answer after it was stopped? */
export const extension: Question = { name: 'extension', title: 'The gate of the extension, in Chromium', groups, rows };

const guarded = 'the extension';

/** Each way to open a page, and the most that the gate may add in milliseconds. */
const ways = {
  seen: { what: 'a host seen before', most: 15 },
  typed: { what: 'a new host, typed, warm worker', most: 60 },
  clicked: { what: 'a new host, from a link on another site, warm worker', most: 60 },
  killed: { what: 'a new host, stopped worker', most: 150 },
} as const;
type Way = keyof typeof ways;
const names = Object.keys(ways) as Way[];

/** A gate that needs a page: it only opens the link, without a list, a worker or a check. */
const rivalWays: readonly Way[] = ['typed', 'clicked'];

const sizesOf = ({ quick }: Settings): number[] => (quick ? [10_000] : [200_000, 1_000_000]);

function groups(settings: Settings): Group[] {
  return sizesOf(settings).map((count, at) => ({
    name: countName(count),
    variants: [{ name: guarded, measure: () => measureGuarded(count, at === 0, settings) }],
  }));
}

function rows(results: Results, settings: Settings): Row[] {
  const [first] = groups(settings);
  const of = (figure: string): Spread => results.spread(first!.name, guarded, figure);
  return [
    ...names.flatMap((way) => [
      { what: `${ways[way].what}, without the extension`, unit: 'ms' as const, value: of(way) },
      limited(`added to ${ways[way].what}`, 'ms', of(`${way}-added`), ways[way].most, `≤ ${ways[way].most} ms`),
      { what: 'the same, 95th of a hundred', unit: 'ms' as const, value: of(`${way}-slow`) },
      ...(rivalWays.includes(way)
        ? [{ what: 'the same, by an extension page that only opens the link', unit: 'ms' as const, value: of(`${way}-page`) }]
        : []),
    ]),
    ...groups(settings).map(({ name }) => ({
      what: `from a stopped worker to its first verdict, list of ${name}`,
      unit: 'ms' as const,
      value: results.spread(name, guarded, 'wake'),
    })),
  ];
}

const measureGuarded = (count: number, navigates: boolean, settings: Settings): Promise<Figures> =>
  withSite(count, async (site) => {
    const folder = join(settings.scratch, `extension-${count}`);
    const script = pathToFileURL(resolve('examples/extension/build.mjs')).href;
    const { buildExtension } = (await import(script)) as {
      buildExtension(listUrl: string, browser: string, outdir: string, more: object): Promise<void>;
    };
    await buildExtension(`http://127.0.0.1:${site.port}`, 'chromium', folder, { tsconfig: resolve('tsconfig.tools.json') });
    const context = await launch(settings, site.port, `guarded-${count}`, folder);
    try {
      const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
      const popup = await context.newPage();
      await popup.goto(new URL('popup.html', worker.url()).href);
      // A worker that is stopped before it has stored its list fetches it again.
      while (!(await isStored(popup))) await pause(200);
      const wake = await timeWakes(context, popup, settings);
      await popup.close();
      return { wake, ...(navigates && (await timeNavigations(context, site, settings))) };
    } finally {
      await context.close();
    }
  });

const isStored = (popup: Page): Promise<boolean> =>
  popup.evaluate(async () => {
    const [first] = await indexedDB.databases();
    if (first?.name === undefined) return false;
    const result = <Value>(request: IDBRequest<Value>): Promise<Value> =>
      new Promise((done, failed) => {
        request.onsuccess = () => done(request.result);
        request.onerror = () => failed(request.error);
      });
    const database = await result(indexedDB.open(first.name));
    const keys = await result(database.transaction('values').objectStore('values').getAllKeys());
    database.close();
    return keys.some((key) => String(key).endsWith('/light'));
  });

const ask = (popup: Page): Promise<{ status?: string; ms: number }> =>
  popup.evaluate(async () => {
    const { runtime } = (globalThis as unknown as { chrome: { runtime: { sendMessage(message: object): Promise<object> } } })
      .chrome;
    const startMs = performance.now();
    const answer = await runtime.sendMessage({ ask: 'check', text: 'https://clean.example/' });
    return { ...answer, ms: performance.now() - startMs };
  });

async function timeWakes(context: BrowserContext, popup: Page, settings: Settings): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < repeats(settings); run++) {
    await stopWorker(context, popup);
    const { status, ms } = await ask(popup);
    if (status !== 'clear') throw new Error(`the worker answered ${status}`);
    times.push(ms);
  }
  return spreadOf(times).median;
}

/** The browsers take turns with each page, and swap places, so that what is added is a difference of two pages at nearly the same time. */
async function timeNavigations(context: BrowserContext, site: Site, settings: Settings): Promise<Figures> {
  const others = [
    await launch(settings, site.port, 'bare'),
    await launch(settings, site.port, 'page', await writeRival(settings.scratch)),
  ];
  try {
    const browsers = await Promise.all([context, ...others].map(async (each) => ({ context: each, page: await each.newPage() })));
    const times = browsers.map(() => Object.fromEntries(names.map((way) => [way, [] as number[]])) as Record<Way, number[]>);
    for (const { page } of browsers) await site.open(page, 'http://seen.example/0');
    for (let run = 1; run <= repeats(settings); run++) {
      for (const way of names) {
        const order = browsers.map((browser, at) => ({ ...browser, at }));
        for (const { context: each, page, at } of run % 2 === 0 ? order : order.reverse()) {
          await site.open(page, `http://start.example/${way}${run}`);
          if (way === 'killed') await stopWorker(each, page);
          const url = way === 'seen' ? `http://seen.example/${run}` : `http://${way}${run}.example/`;
          times[at]![way].push(await site.open(page, url, way === 'clicked'));
        }
      }
    }
    const [ours, bare, rival] = times as [Record<Way, number[]>, Record<Way, number[]>, Record<Way, number[]>];
    const added = (some: Record<Way, number[]>, way: Way): number =>
      spreadOf(some[way].map((ms, run) => ms - bare[way][run]!)).median;
    const slow = (way: Way): number => {
      const all = ours[way].map((ms, run) => ms - bare[way][run]!).sort((a, b) => a - b);
      return all[Math.ceil(all.length * 0.95) - 1]!;
    };
    return {
      ...Object.fromEntries(names.map((way) => [way, spreadOf(bare[way]).median])),
      ...Object.fromEntries(names.map((way) => [`${way}-added`, added(ours, way)])),
      ...Object.fromEntries(names.map((way) => [`${way}-slow`, slow(way)])),
      ...Object.fromEntries(rivalWays.map((way) => [`${way}-page`, added(rival, way)])),
    };
  } finally {
    for (const other of others) await other.close();
  }
}

async function writeRival(scratch: string): Promise<string> {
  const folder = join(scratch, 'page-gate');
  const rules = `chrome.declarativeNetRequest.updateSessionRules({ removeRuleIds: [1, 2], addRules: [
    { id: 1, priority: 1, action: { type: 'redirect', redirect: { regexSubstitution: chrome.runtime.getURL('gate.html') + '?\\\\0' } },
      condition: { regexFilter: '^https?://.*', domainType: 'thirdParty', requestMethods: ['get'], resourceTypes: ['main_frame'] } },
    { id: 2, priority: 2, action: { type: 'allow' },
      condition: { initiatorDomains: [chrome.runtime.id], resourceTypes: ['main_frame'] } }] });`;
  const manifest = {
    manifest_version: 3,
    name: 'page gate',
    version: '1',
    permissions: ['declarativeNetRequestWithHostAccess'],
    host_permissions: ['http://*/*'],
    background: { service_worker: 'worker.js' },
    web_accessible_resources: [{ resources: ['gate.html'], matches: ['http://*/*'] }],
  };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'worker.js'), rules);
  await writeFile(join(folder, 'gate.html'), '<!doctype html><script src="gate.js"></script>');
  await writeFile(join(folder, 'gate.js'), 'location.replace(location.search.slice(1));');
  return folder;
}

const repeats = ({ quick }: Settings): number => (quick ? 3 : 50);
const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

async function stopWorker(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send('ServiceWorker.enable');
  await session.send('ServiceWorker.stopAllWorkers');
  await session.detach();
  await pause(100);
}

interface Site {
  readonly port: number;
  /** Opens a page, and returns the time until the page has run its script after its load. */
  open(page: Page, url: string, isClicked?: boolean): Promise<number>;
}

/** Serves the list and every host. Pages report that they have loaded. */
async function withSite(count: number, run: (site: Site) => Promise<Figures>): Promise<Figures> {
  const files = new Map<string, Uint8Array>();
  if (count > 0) {
    const { buildList } = await import('portcullis/publish');
    const entries = Array.from({ length: count }, (_, at) => `scam-${at}.example`);
    const list = await buildList(entries, { isPublicSuffix: () => false });
    for (const { name, bytes } of list.files) files.set(name, bytes);
  }
  const loaded = new Map<string, () => void>();
  const server = createServer((request, response) => {
    const { host = '' } = request.headers;
    const path = request.url ?? '/';
    const link = decodeURIComponent(path.replace(/^\/loaded\?/, ''));
    if (host.startsWith('127.0.0.1')) {
      const bytes = files.get(path.slice(1));
      response.writeHead(bytes === undefined ? 404 : 200, { 'access-control-allow-origin': '*' }).end(bytes);
    } else if (path.startsWith('/loaded?')) {
      loaded.get(link)?.();
      response.writeHead(204).end();
    } else {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(
        "<!doctype html><link rel=icon href=data:,><title>page</title><script>onload = () => fetch('/loaded?' + encodeURIComponent(location.href))</script>",
      );
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  try {
    return await run({
      port: (server.address() as AddressInfo).port,
      async open(page, url, isClicked = false) {
        const done = new Promise<void>((resolved) => loaded.set(url, resolved));
        const startMs = performance.now();
        // The gate aborts the navigation that Playwright waits for.
        if (isClicked) page.evaluate((href) => void location.assign(href), url).catch(() => {});
        else page.goto(url, { waitUntil: 'commit' }).catch(() => {});
        await done;
        const ms = performance.now() - startMs;
        await page.waitForLoadState();
        return ms;
      },
    });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

async function launch(settings: Settings, port: number, profile: string, extension?: string): Promise<BrowserContext> {
  if (settings.chromium === undefined) throw new Error('Chromium was not found; set CHROMIUM_PATH');
  const { chromium } = await import('playwright');
  const folder = join(settings.scratch, profile);
  await rm(folder, { recursive: true, force: true });
  return chromium.launchPersistentContext(folder, {
    headless: false,
    executablePath: settings.chromium,
    ignoreDefaultArgs: ['--disable-extensions'],
    args: [
      // Chromium's sandbox refuses to run as root.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ...['--headless=new', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
      `--host-resolver-rules=MAP *.example 127.0.0.1:${port}`,
      '--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable',
      ...(extension === undefined ? [] : [`--disable-extensions-except=${extension}`, `--load-extension=${extension}`]),
    ],
  });
}
