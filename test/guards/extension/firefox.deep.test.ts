import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expressionsOf } from 'portcullis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Browser, launchFirefox, type Page } from '../../../tools/deep/firefox.js';
import { isFirefoxWaived } from '../../../tools/find-firefox.js';
import {
  blockedTitle as blocked,
  buildExample,
  type ExtensionSite,
  leaves,
  shows as showsOn,
  startSite,
} from './extension-site.js';

const folder = mkdtempSync(join(tmpdir(), 'gate-firefox-'));
let site: ExtensionSite;
let browser: Browser;
let page: Page;

const seen = (): string[] => site.seen();
const scams = (): string[] => seen().filter((line) => line.includes(' scam.example'));
const shows = (title: string): Promise<void> => showsOn(page, title);

async function open(url: string, title: string): Promise<void> {
  // The gate cancels the navigation that is waited for.
  await page.goto(url).catch(() => {});
  await shows(title);
}

describe.skipIf(isFirefoxWaived)('the example in Firefox', () => {
  beforeAll(async () => {
    site = await startSite();
    await site.publish(['scam.example']);
    await buildExample(site.listUrl, 'firefox', folder);
    const worker = join(folder, 'worker.js');
    // Firefox has no shortest period.
    writeFileSync(worker, readFileSync(worker, 'utf8').replace('periodInMinutes:1', 'periodInMinutes:.05'));
    browser = await launchFirefox(site.port, { 'network.proxy.no_proxies_on': '127.0.0.1' });
    await browser.installExtension(folder);
    page = await browser.newPage();
    while ((await page.title().catch(() => '')) !== blocked) {
      await page.goto('http://scam.example/').catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    await page.close();
  }, 180_000);

  beforeEach(async () => {
    site.requests.length = 0;
    page = await browser.newPage();
  });

  afterEach(async () => {
    await page.close().catch(() => {});
  });

  afterAll(async () => {
    await browser?.close();
    site?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('a listed page shows a warning and receives no request, and "go back" returns', async () => {
    await open('http://good.example/a', 'good.example/a');
    await page.click('a');
    await shows(blocked);
    expect(await page.$eval('#url', (element) => element.textContent)).toBe('http://scam.example/');
    await page.click('#back');
    await shows('good.example/a');
    expect(scams()).toEqual([]);
  });

  test('a redirect, a POST and a frame that lead to a listed page send it nothing', async () => {
    await open('http://good.example/?to=http://scam.example/end', blocked);
    await open('http://good.example/form', 'good.example/form');
    await page.click('button');
    await shows(blocked);
    await open('http://good.example/around', 'good.example/around');
    await page.evaluate(() =>
      document.body.append(Object.assign(document.createElement('iframe'), { src: 'http://scam.example/framed' })),
    );
    await shows(blocked);
    expect(scams()).toEqual([]);
  });

  test.each(['object', 'embed'])('a listed page in <%s> receives no request, and the warning replaces the page', async (name) => {
    await open('http://good.example/around', 'good.example/around');
    await page.evaluate((tag) => {
      const shown = document.createElement(tag);
      shown.setAttribute(tag === 'object' ? 'data' : 'src', 'http://scam.example/shown');
      document.body.append(shown);
    }, name);
    await shows(blocked);
    expect(scams()).toEqual([]);
  });

  test('a clean page is untouched: its referrer, its cookies, its history and the body of a POST', async () => {
    await open('http://cookies.example/', 'cookies.example/');
    await open('http://good.example/', 'good.example/');
    await leaves(page.evaluate(() => void location.assign('http://cookies.example/linked?a=%2F#b')));
    await shows('cookies.example/linked?a=%2F');
    expect(await page.$eval('#cookie', (element) => element.textContent)).toBe('lax=1');
    expect(await page.$eval('#referer', (element) => element.textContent)).toBe('http://good.example/');
    await leaves(page.evaluate(() => history.back()));
    await shows('good.example/');
    await leaves(
      page.evaluate(() => {
        const form = document.forms[0]!;
        form.action = 'http://posted.example/';
        form.submit();
      }),
    );
    await shows('posted.example/');
    expect(seen()).toContain('POST posted.example/');
  });

  test('a listed page that the user keeps when it asks makes Firefox ask again at each alarm, until the user agrees', async () => {
    await open('http://stays.example/', 'stays.example/');
    await page.evaluate(() => addEventListener('beforeunload', (event) => event.preventDefault()));
    await page.mouse.click(300, 300);
    let dialogs = 0;
    const isClosed = new Promise((resolve) => page.once('close', resolve));
    page.on('dialog', (dialog) => {
      dialogs++;
      void (dialogs < 4 ? dialog.dismiss() : dialog.accept()).catch(() => {});
    });
    await site.publish(['scam.example', 'stays.example']);
    await isClosed;
    expect(dialogs).toBe(4);
    await site.publish(['scam.example']);
  }, 90_000);

  test('"open once" opens the page in this tab only', async () => {
    await open('http://scam.example/once', blocked);
    await page.waitForSelector('#once:not([disabled])');
    await page.click('#once');
    await shows('scam.example/once');
    const first = page;
    page = await browser.newPage();
    await open('http://scam.example/once', blocked);
    await first.close();
    expect(scams()).toEqual(['GET scam.example/once']);
  });

  test('no file of the profile has the hash of a hit, because private windows share the worker', async () => {
    await open('http://scam.example/', blocked);
    // The worker saves what it has met some seconds later.
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    const words = browser.process()!.spawnargs;
    const profile = words[words.indexOf('--profile') + 1]!;
    const files = readdirSync(profile, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    expect(files.filter(({ parentPath }) => parentPath.includes('moz-extension')).length).toBeGreaterThan(0);
    const hash = createHash('sha256').update(expressionsOf('scam.example')[0]!).digest();
    for (const { parentPath, name } of files)
      expect(readFileSync(join(parentPath, name)).includes(hash.subarray(4)), name).toBe(false);
  });
});
