import { once } from 'node:events';
import axe, { type AxeResults } from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright';
import { afterAll, expect, onTestFinished } from 'vitest';
import { findChromium } from '../../../tools/find-chromium.js';
import { type Served, servePlayground } from './harness.js';

/** Longer than any step takes on a busy machine. */
const waitMs = 60_000;

/** One for all files of a worker, which ends it. Every test has a context of its own, or the shared one of its file. */
let launched: Promise<Browser> | undefined;

const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: findChromium() ?? 'chromium',
    args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-gpu', '--disable-background-networking'],
  });

/** Each file of page tests calls this, because without isolation a worker loads this module only once. */
export function usePages(): void {
  afterAll(async () => {
    const ending = shared;
    shared = undefined;
    await (await ending)?.close();
  });
}

interface Shared {
  readonly url: string;
  readonly page: Page;
  close(): Promise<void>;
}

let shared: Promise<Shared> | undefined;

/** Most tests share a server, a context and a page, because a new context and its first page cost more than most tests. */
async function createShared(): Promise<Shared> {
  // The pages of other servers are at the root.
  const { served, close } = await servePlayground({ path: '/tools/play/', isQuick: true });
  const page = await newPage({}, { 250: 0, 700: 250, 1000: 200 });
  return {
    url: served.url,
    page,
    close: async () => {
      await page.context().close();
      await close();
    },
  };
}

/** What a user would have opened, for tests that are not about the folds. */
const openFolds = 'fold-journey fold-change fold-list fold-log';

/**
 * @param pauses Pauses of the page's timers and what replaces them, in milliseconds
 * @param folds The ids of the folds that the tab remembers as open
 */
async function newPage(
  options: BrowserContextOptions,
  pauses: Readonly<Record<number, number>>,
  folds = openFolds,
): Promise<Page> {
  launched ??= launch();
  const browser = await launched;
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  await context.addInitScript((replaced) => {
    const { setTimeout, setInterval } = globalThis;
    const quick = (set: (handler: TimerHandler, ms?: number) => unknown) => (handler: TimerHandler, ms?: number) =>
      set(handler, replaced[ms ?? 0] ?? ms);
    Object.assign(globalThis, { setTimeout: quick(setTimeout), setInterval: quick(setInterval) });
  }, pauses);
  await context.addInitScript((opened) => {
    const name = 'portcullis-playground-open';
    // Not in an empty document, which has no storage.
    if (location.protocol === 'http:' && sessionStorage.getItem(name) === null) sessionStorage.setItem(name, opened);
  }, folds);
  const page = await context.newPage();
  page.setDefaultTimeout(waitMs);
  return page;
}

interface OpenOptions extends BrowserContextOptions {
  /** Requests may fail; any other error on the console still fails the test. */
  readonly mayFail?: boolean;
  readonly before?: (page: Page) => Promise<unknown>;
  /** All are open unless it is set. */
  readonly isFolded?: boolean;
}

/** A server of this test's own, whose list nothing else changes. */
export async function serve(options: Parameters<typeof servePlayground>[0] = {}): Promise<Served> {
  const { served, close } = await servePlayground(options);
  onTestFinished(close);
  return served;
}

/** The shared page, loaded again with nothing stored. Only its service keeps what other tests blocked, so use another host for that. */
export async function openShared({ mayFail = false } = {}): Promise<Page> {
  shared ??= createShared();
  const { page, url } = await shared;
  await page.setViewportSize({ width: 1280, height: 800 });
  // Another document of the origin, in which no database is open.
  await page.goto(`${url}config.json`);
  await page.evaluate(async () => {
    sessionStorage.clear();
    // Otherwise the page would load its first example.
    sessionStorage.setItem('portcullis-playground-text', '');
    for (const { name = '' } of await indexedDB.databases()) {
      await new Promise((resolve, reject) => {
        const deleting = indexedDB.deleteDatabase(name);
        deleting.onsuccess = resolve;
        deleting.onerror = reject;
      });
    }
  });
  const faults = watched(page, url, mayFail);
  await page.goto(url);
  await listIsThere(page);
  onTestFinished(async () => {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    expect(faults()).toEqual([]);
  });
  return page;
}

/** A page in a context of its own. The test fails if the page contacts another origin or reports an error. */
export async function open(
  url: string,
  { mayFail = false, isFolded = false, before, ...options }: OpenOptions = {},
): Promise<Page> {
  // Waits for pauses in typing, unlike the shared page.
  const page = await newPage(options, { 1000: 200 }, isFolded ? '' : openFolds);
  const faults = watched(page, url, mayFail);
  await before?.(page);
  await page.goto(url);
  onTestFinished(async () => {
    // First, because the end of the page cuts its requests off, which the console reports.
    const found = faults();
    await page.context().close();
    expect(found).toEqual([]);
  });
  return page;
}

/** Collects requests to other origins and errors, until the returned function takes them. */
function watched(page: Page, url: string, mayFail: boolean): () => string[] {
  const faults: string[] = [];
  const { origin } = new URL(url);
  const onRequest = (request: { url(): string }): void => {
    if (new URL(request.url()).origin !== origin && !/^(data|about):/.test(request.url())) faults.push(request.url());
  };
  const onConsole = (message: { type(): string; text(): string }): void => {
    if (message.type() !== 'error' || (mayFail && message.text().startsWith('Failed to load resource'))) return;
    faults.push(message.text());
  };
  const onError = (error: Error): void => void faults.push(String(error));
  page.on('request', onRequest).on('console', onConsole).on('pageerror', onError);
  return () => {
    page.off('request', onRequest).off('console', onConsole).off('pageerror', onError);
    return faults;
  };
}

export const type = (page: Page, text: string): Promise<void> => page.getByRole('textbox').fill(text);

/** Through the dialog, by its plain name. */
export async function chooseType(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^Type: / }).click();
  await page.getByRole('radio', { name }).click();
}

/** What is said about a check that sent one request, which has ended. */
export const sentOne: RegExp = /^The check sent 1 request about it \(\d+ m?s\)\.$/;

/** Sets the whole text at once; typing a megabyte would take minutes. */
export const paste = (page: Page, text: string): Promise<void> =>
  page.getByRole('textbox').evaluate((box: HTMLTextAreaElement, pasted) => {
    box.value = pasted;
    box.dispatchEvent(new Event('input'));
  }, text);

/** A failure says what the page shows instead. */
export async function verdict(page: Page, status: string, reason: string): Promise<void> {
  try {
    await page.locator(`#verdict[data-status="${status}"][data-reason="${reason}"]`).waitFor();
  } catch (cause) {
    const shown = await page.evaluate(`JSON.stringify([
      { ...document.getElementById('verdict').dataset }, document.getElementById('text').value,
      document.getElementById('notices').textContent, document.getElementById('log').textContent, Date.now()])`);
    throw new Error(`not ${status}/${reason}: ${shown}`, { cause });
  }
}

/** Any verdict, or a failed check. */
export const judged = (page: Page): Promise<void> =>
  page.locator('#verdict:not([data-status="none"]):not([data-status="checking"])').waitFor();

export const text = async (page: Page, id: string): Promise<string> => (await page.locator(`#${id}`).textContent()) ?? '';

/** Waits for the list, and for the states of the servers behind it. */
export async function listIsThere(page: Page): Promise<void> {
  const there = { state: 'attached' } as const;
  await page.locator('#list-storage', { hasText: 'IndexedDB, stored' }).waitFor(there);
  await page.locator('#list-relay:not(:text("not asked yet")), #list-host:not(:text("not asked yet"))').waitFor(there);
}

/** Checks that a hostile text is shown as text and breaks nothing. */
export async function judgeHostile(page: Page, hostile: string): Promise<void> {
  await paste(page, hostile);
  await judged(page);
  expect(await page.title()).toBe('Portcullis playground');
  expect(await page.locator('main img, main script').count()).toBe(0);
  const journey = await text(page, 'journey');
  expect(journey).not.toMatch(/[\0\u202e\u2066\u200b\u3164\u2800\u00a0\ue000]/);
  expect(journey).not.toMatch(/\p{M}{7}/u);
  expect(journey.length).toBeLessThan(40_000);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(page.viewportSize()!.width);
}

const wcag = ['wcag2a', 'wcag2aa'];
const everyRule = [...wcag, 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** A page in which axe can run, which the page's policy would not allow. */
export async function openForAxe(colorScheme: 'light' | 'dark', width: number, file = ''): Promise<Page> {
  const { url } = await serve();
  const page = await open(url + file, {
    colorScheme,
    viewport: { width, height: 800 },
    bypassCSP: true,
    reducedMotion: 'reduce',
  });
  if (file === '') await listIsThere(page);
  await page.evaluate(axe.source);
  return page;
}

export async function checkAccess(page: Page, rules: readonly string[] = everyRule): Promise<void> {
  const { violations } = (await page.evaluate(`axe.run({ runOnly: ${JSON.stringify(rules)} })`)) as AxeResults;
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(page.viewportSize()!.width);
}

/** Presses the button of an example, which may be behind "More examples". */
export async function tryExample(page: Page, name: string): Promise<void> {
  const example = page.getByRole('button', { name });
  if (!(await example.isVisible())) await page.locator('summary', { hasText: 'More examples' }).click();
  await example.click();
}

export async function checkExample(page: Page, name: string, status: string): Promise<void> {
  await tryExample(page, name);
  await page.locator(`#verdict[data-status="${status}"]`).waitFor();
  await checkAccess(page);
}

/** Holds every matching request back until the returned function is called. */
export async function held(page: Page, pattern: string): Promise<() => void> {
  const gate = new EventTarget();
  const released = once(gate, 'release');
  await page.route(pattern, (route) => released.then(() => route.continue()).catch(() => {}));
  return () => void gate.dispatchEvent(new Event('release'));
}
