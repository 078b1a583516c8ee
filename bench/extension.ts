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

const guarded = 'with the extension';
const bare = 'without it';

/** Each way to open a page, and the most that the gate may add in milliseconds. */
const ways = {
  seen: { what: 'a host seen before', most: 15 },
  typed: { what: 'a new host, typed, warm worker', most: 80 },
  clicked: { what: 'a new host, from a link on another site, warm worker', most: 80 },
  killed: { what: 'a new host, stopped worker', most: 250 },
} as const;
type Way = keyof typeof ways;

const sizesOf = ({ quick }: Settings): number[] => (quick ? [10_000] : [200_000, 1_000_000]);

function groups(settings: Settings): Group[] {
  return sizesOf(settings).map((count, at) => ({
    name: countName(count),
    variants: [
      { name: guarded, measure: () => measureGuarded(count, at === 0, settings) },
      ...(at === 0 ? [{ name: bare, measure: () => measureBare(settings) }] : []),
    ],
  }));
}

function rows(results: Results, settings: Settings): Row[] {
  const [first] = groups(settings);
  const added = (way: Way): Spread => {
    const with_ = results.spread(first!.name, guarded, way).samples;
    return spreadOf(results.spread(first!.name, bare, way).samples.map((value, round) => with_[round]! - value));
  };
  return [
    ...(Object.keys(ways) as Way[]).flatMap((way) => [
      { what: `${ways[way].what}, without the extension`, unit: 'ms' as const, value: results.spread(first!.name, bare, way) },
      limited(`added to ${ways[way].what}`, 'ms', added(way), ways[way].most, `≤ ${ways[way].most} ms`),
    ]),
    ...groups(settings).map(({ name }) => ({
      what: `from a stopped worker to its first verdict, list of ${name}`,
      unit: 'ms' as const,
      value: results.spread(name, guarded, 'wake'),
    })),
  ];
}

const measureBare = (settings: Settings): Promise<Figures> =>
  withSite(0, async (site) => {
    const context = await launch(settings, site.port, 'bare', []);
    try {
      return await timeNavigations(context, site, settings);
    } finally {
      await context.close();
    }
  });

const measureGuarded = (count: number, navigates: boolean, settings: Settings): Promise<Figures> =>
  withSite(count, async (site) => {
    const folder = join(settings.scratch, `extension-${count}`);
    const script = pathToFileURL(resolve('examples/extension/build.mjs')).href;
    const { buildExtension } = (await import(script)) as {
      buildExtension(listUrl: string, browser: string, outdir: string, more: object): Promise<void>;
    };
    await buildExtension(`http://127.0.0.1:${site.port}`, 'chromium', folder, { tsconfig: resolve('tsconfig.tools.json') });
    const flags = [`--disable-extensions-except=${folder}`, `--load-extension=${folder}`];
    const context = await launch(settings, site.port, `guarded-${count}`, flags);
    try {
      const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
      const popup = await context.newPage();
      await popup.goto(new URL('popup.html', worker.url()).href);
      while ((await ask(popup)).status !== 'clear') await pause(200);
      const wake = await timeWakes(context, popup, settings);
      await popup.close();
      return { wake, ...(navigates && (await timeNavigations(context, site, settings))) };
    } finally {
      await context.close();
    }
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

async function timeNavigations(context: BrowserContext, site: Site, settings: Settings): Promise<Figures> {
  const page = await context.newPage();
  await site.open(page, 'http://seen.example/0');
  await site.open(page, 'http://start.example/0');
  const times: Record<Way, number[]> = { seen: [], typed: [], clicked: [], killed: [] };
  // The ways take turns, so that a busy moment of the machine does not hit one of them alone.
  for (let run = 1; run <= repeats(settings); run++) {
    times.seen.push(await site.open(page, `http://seen.example/${run}`));
    await site.open(page, `http://start.example/a${run}`);
    times.typed.push(await site.open(page, `http://typed${run}.example/`));
    await site.open(page, `http://start.example/b${run}`);
    times.clicked.push(await site.open(page, `http://clicked${run}.example/`, true));
    await site.open(page, `http://start.example/c${run}`);
    await stopWorker(context, page);
    times.killed.push(await site.open(page, `http://killed${run}.example/`));
    await site.open(page, `http://start.example/d${run}`);
  }
  return Object.fromEntries(Object.entries(times).map(([way, all]) => [way, spreadOf(all).median]));
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

async function launch(settings: Settings, port: number, profile: string, flags: string[]): Promise<BrowserContext> {
  if (settings.chromium === undefined) throw new Error('Chromium was not found; set CHROMIUM_PATH');
  const { rm } = await import('node:fs/promises');
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
      ...flags,
    ],
  });
}
