import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright';
import { describe, expect, test } from 'vitest';
import { launchFirefox } from '../../../tools/deep/firefox.js';
import { isFirefoxWaived } from '../../../tools/find-firefox.js';
import { blockedTitle, buildExample, type ExtensionSite, startSite } from './extension-site.js';
import { startChromium, stopWorker, untilBlocked } from './guarded-chromium.js';
import { type Cell, cellsOf, type DrivenPage, follow, redirects } from './navigations.js';

/** Tabs that navigate at a time. With 1 the times are those of a user, and the table takes ten minutes. */
const tabsAtOnce = Number(process.env['PORTCULLIS_TABS_AT_ONCE'] ?? 10);

/** A browser with the extension. */
interface Driver {
  newTab(): Promise<DrivenPage>;
  tabs(): Promise<readonly DrivenPage[]>;
  closeTabs(): Promise<void>;
  /** Until the next event of the browser there is no worker. */
  stopWorker(): Promise<void>;
  end(): Promise<void>;
}

type Launch = (site: ExtensionSite, folder: string) => Promise<Driver>;

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** Has the worker of a built extension tell the site that it starts, so that the test knows that it was stopped. */
function tellStarts(site: ExtensionSite, extension: string): void {
  const worker = join(extension, 'worker.js');
  writeFileSync(worker, `fetch('${site.listUrl}/started');${readFileSync(worker, 'utf8')}`);
}

const launchChromium: Launch = async (site, folder) => {
  await buildExample(site.listUrl, 'chromium', join(folder, 'extension'));
  tellStarts(site, join(folder, 'extension'));
  const context: BrowserContext = await startChromium(join(folder, 'profile'), join(folder, 'extension'), site.port);
  await untilBlocked(context, blockedTitle);
  const [first] = context.pages();
  return {
    newTab: async () => (await context.newPage()) as unknown as DrivenPage,
    tabs: async () => context.pages() as unknown as DrivenPage[],
    closeTabs: async () =>
      void (await Promise.all(context.pages().map((page) => page !== first && page.close().catch(() => {})))),
    stopWorker: () => stopWorker(context, first!),
    end: () => context.close(),
  };
};

const launchFirefoxWithGate: Launch = async (site, folder) => {
  const extension = join(folder, 'firefox');
  await buildExample(site.listUrl, 'firefox', extension);
  const idleMs = 300;
  const browser = await launchFirefox(site.port, {
    'network.proxy.no_proxies_on': '127.0.0.1',
    'extensions.background.idle.timeout': idleMs,
  });
  tellStarts(site, extension);
  await browser.installExtension(extension);
  const first = await browser.newPage();
  while ((await first.title().catch(() => '')) !== blockedTitle) {
    await first.goto('http://scam.example/').catch(() => {});
    await pause(200);
  }
  return {
    newTab: async () => (await browser.newPage()) as unknown as DrivenPage,
    tabs: async () => (await browser.pages()) as unknown as DrivenPage[],
    closeTabs: async () => {
      await Promise.all((await browser.pages()).map((page) => page !== first && page.close().catch(() => {})));
    },
    stopWorker: () => pause(4 * idleMs),
    end: () => browser.close(),
  };
};

/** A part of the suite takes every sixth cell, others with each seed; the whole suite takes all. */
const [step, first] = process.env['PORTCULLIS_RUNS'] === undefined ? [1, 0] : [6, Number(process.env['PORTCULLIS_SEED']) % 6];

interface Seen {
  readonly isWarned: boolean;
  readonly count: number;
  readonly ms: number;
}

async function walk(driver: Driver, site: ExtensionSite, cells: readonly Cell[], isStopped: boolean): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (let at = 0; at < cells.length; at += tabsAtOnce) {
    const batch = cells.slice(at, at + tabsAtOnce);
    const tabs = await Promise.all(
      batch.map(async ({ startUrl }) => {
        const tab = await driver.newTab();
        await tab.goto(startUrl).catch(() => {});
        await untilTrue(async () => (await tab.title()).startsWith(new URL(startUrl).host));
        return tab;
      }),
    );
    if (isStopped) await driver.stopWorker();
    const open = (tab: DrivenPage, { way, url }: Cell): Promise<unknown> =>
      way === 'typed' || way === 'below a clean page' ? tab.goto(url) : tab.evaluate(follow, { way, url });
    await Promise.all(tabs.map((tab, index) => open(tab, batch[index]!).catch(() => {})));
    const warned = batch.map(() => false);
    await untilTrue(async () => {
      const urls = await Promise.all((await driver.tabs()).map(warningIn));
      for (const [index, { host }] of batch.entries()) warned[index] ||= urls.some((url) => url.includes(host));
      return warned.every(Boolean);
    });
    // What would still come, comes.
    await pause(150);
    seen.push(
      ...batch.map(({ host, startUrl }, index) => {
        // The page that the navigation starts from may be on the same host.
        return { isWarned: warned[index]!, ...site.received(host, startUrl.includes(host) ? 1 : 0) };
      }),
    );
    await driver.closeTabs();
  }
  return seen;
}

/** The link of the warning that a tab shows. One driver does not know the address of a page that the extension opened. */
const warningIn = (tab: DrivenPage): Promise<string> =>
  tab
    .evaluate(() => (document.title === 'This page is a known scam' && document.querySelector('#url')?.textContent) || '', null)
    .catch(() => '');

async function untilTrue(isTrue: () => Promise<boolean>): Promise<void> {
  for (const endMs = Date.now() + 20_000; Date.now() < endMs; await pause(100)) if (await isTrue().catch(() => false)) return;
}

/** A row for each way, with what each redirect led to: the requests of the listed host, and over how many milliseconds. */
function printTable(title: string, cells: readonly Cell[], seen: readonly Seen[]): void {
  const lines = [...new Set(cells.map(({ way }) => way))].map((way) => {
    const row = redirects.map((redirect) => {
      const at = cells.findIndex((cell) => cell.way === way && cell.redirect === redirect);
      if (at < 0) return ''.padEnd(11);
      const { isWarned, count, ms } = seen[at]!;
      return (isWarned ? `${count} ${ms}ms` : 'NO WARNING').padEnd(11);
    });
    return `${way.padEnd(22)}${row.join('')}`;
  });
  console.log([title, ''.padEnd(22) + redirects.map((redirect) => redirect.padEnd(11)).join(''), ...lines].join('\n'));
}

const browsers: readonly (readonly [string, Launch, isWaived: boolean])[] = [
  ['Chromium', launchChromium, false],
  ['Firefox', launchFirefoxWithGate, isFirefoxWaived],
];

describe.each(browsers)('%s', (name, launch, isWaived) => {
  test.skipIf(isWaived)(
    'warns about a listed page, whatever leads to it',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'navigations-'));
      const site = await startSite();
      const tables = (['alive', 'stopped'] as const).map((worker) => ({
        worker,
        cells: cellsOf(worker).filter((_, at) => at % step === first),
      }));
      await site.publish(['scam.example', ...tables.flatMap(({ cells }) => cells.map(({ entry }) => entry))]);
      const driver = await launch(site, folder);
      try {
        for (const { worker, cells } of tables) {
          const startsBefore = site.workerStarts();
          const seen = await walk(driver, site, cells, worker === 'stopped');
          const starts = site.workerStarts() - startsBefore;
          expect(starts).toBeGreaterThanOrEqual(worker === 'stopped' ? cells.length / tabsAtOnce : 0);
          printTable(`${name}, worker ${worker}: requests of the listed host`, cells, seen);
          const nameOf = ({ way, redirect }: Cell): string => `${way}, ${redirect}`;
          const holds = ({ meetsGate }: Cell): boolean => meetsGate || name === 'Firefox';
          expect(cells.filter((_, at) => !seen[at]!.isWarned).map(nameOf)).toEqual([]);
          expect(cells.filter((cell, at) => holds(cell) && seen[at]!.count > 0).map(nameOf)).toEqual([]);
        }
      } finally {
        await driver.end();
        site.close();
        rmSync(folder, { recursive: true, force: true });
      }
    },
    900_000,
  );
});
