import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { type BrowserContext, chromium, type Page } from 'playwright';
import { findChromium } from '../../../tools/find-chromium.js';

/** It reaches only the port of the tests. */
export const chromiumFlags = (extension: string, port: number): string[] => [
  ...['--headless=new', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--lang=en'],
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  `--host-resolver-rules=MAP *.example 127.0.0.1:${port}`,
  '--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable',
  `--disable-extensions-except=${extension}`,
  `--load-extension=${extension}`,
];

/** Starts Chromium with an unpacked extension. */
export async function startChromium(
  profile: string,
  extension: string,
  port: number,
  more: { readonly args?: readonly string[]; readonly colorScheme?: 'light' | 'dark' } = {},
): Promise<BrowserContext> {
  const executablePath = findChromium();
  const context = await chromium.launchPersistentContext(profile, {
    headless: false,
    ...(executablePath === undefined ? {} : { executablePath }),
    colorScheme: more.colorScheme ?? 'light',
    ignoreDefaultArgs: ['--disable-extensions', '--disable-back-forward-cache'],
    args: [...chromiumFlags(extension, port), ...(more.args ?? [])],
  });
  if (context.serviceWorkers().length === 0) await context.waitForEvent('serviceworker');
  return context;
}

/** A listed page is opened until the gate stops it: then the rule and the list are in place. */
export async function untilBlocked(context: BrowserContext, title: string): Promise<void> {
  const page = await context.newPage();
  while ((await page.title().catch(() => '')) !== title) {
    await page.goto('http://scam.example/').catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await page.close();
}

export const extensionUrl = (context: BrowserContext, path: string): string =>
  new URL(path, context.serviceWorkers()[0]!.url()).href;

export async function stopWorker(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send('ServiceWorker.enable');
  await session.send('ServiceWorker.stopAllWorkers');
  await session.detach();
}

/** Kills the browser without a chance to save anything. Works on Linux. */
export async function killBrowser(context: BrowserContext, profile: string): Promise<void> {
  const closed = new Promise((resolve) => context.once('close', resolve));
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const words = commandLine(pid);
    const isOurs = words.includes(`--user-data-dir=${profile}`) && !words.some((word) => word.startsWith('--type='));
    if (isOurs) process.kill(Number(pid), 'SIGKILL');
  }
  await closed;
  rmSync(`${profile}/SingletonLock`, { force: true });
}

/** Empty for a process that has ended. */
function commandLine(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
