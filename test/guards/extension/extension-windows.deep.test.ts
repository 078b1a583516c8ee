import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, CDPSession, Page } from 'playwright';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { listedPlace, listedRules } from '../../../src/guards/extension/listed-rules.js';
import { blockedTitle as blocked, buildExample, type ExtensionSite, leaves, shows, startSite } from './extension-site.js';
import { extensionUrl, startChromium, untilBlocked } from './guarded-chromium.js';

const listed = ['scam.example', 'scam.example.com'];
let folder: string;
let extension: string;
let site: ExtensionSite;
let context: BrowserContext | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gate-windows-'));
  extension = join(folder, 'extension');
  site = await startSite();
  await buildExample(site.listUrl, 'chromium', extension);
  await site.publish(listed);
  return () => {
    site.close();
    rmSync(folder, { recursive: true, force: true });
  };
});

beforeEach(() => {
  site.requests.length = 0;
});

afterEach(async () => {
  await context?.close().catch(() => {});
  context = undefined;
});

const scams = (): string[] => site.seen().filter((line) => line.includes(' scam.example'));

/** A page of the extension, which may use its API. */
async function ownPage(browser: BrowserContext): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(extensionUrl(browser, 'options.html'));
  return page;
}

test('a site without HTTPS opens although the browser tries HTTPS first, and a listed one receives no request', async () => {
  // The browser upgrades only registrable domains. The last flag of a name counts, so this one turns the upgrades on.
  const hosts = ['*.example', '*.example.com'].map((name) => `MAP ${name} 127.0.0.1:${site.port}`).join(', ');
  context = await startChromium(join(folder, 'upgrades'), extension, site.port, {
    args: [`--host-resolver-rules=${hosts}`, '--disable-features=none'],
  });
  await untilBlocked(context, blocked);
  const page = await context.newPage();
  for (const name of ['typed.example.com', 'linked.example.com']) {
    site.requests.length = 0;
    const before = site.tlsCount();
    if (name.startsWith('typed')) await page.goto(`http://${name}/`).catch(() => {});
    else await leaves(page.evaluate((url) => void location.assign(url), `http://${name}/`));
    await shows(page, `${name}/`);
    expect(page.url()).toBe(`http://${name}/`);
    expect(site.tlsCount()).toBeGreaterThan(before);
    expect(site.seen()).toEqual([`GET ${name}/`]);
  }
  await page.goto('http://scam.example.com/').catch(() => {});
  await shows(page, blocked);
  expect(site.seen().filter((line) => line.includes('scam'))).toEqual([]);
  await page.click('#once');
  await shows(page, 'scam.example.com/');
});

test('in incognito windows clean pages open, and a listed one receives no request', async () => {
  context = await startChromium(join(folder, 'incognito'), extension, site.port);
  await untilBlocked(context, blocked);
  // The page can be blocked before the driver knows of the worker.
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  const settings = await context.newPage();
  await settings.goto('chrome://extensions');
  await settings.evaluate((id) => {
    const { developerPrivate } = (
      globalThis as unknown as { chrome: { developerPrivate: { updateExtensionConfiguration(change: object): Promise<void> } } }
    ).chrome;
    return developerPrivate.updateExtensionConfiguration({ extensionId: id, incognitoAccess: true });
  }, new URL(worker.url()).host);
  // The browser starts the extension again, and leaves it disabled if a page opens meanwhile.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const own = await ownPage(context);
  const session = await context.newCDPSession(own);
  const open = (url: string): Promise<void> =>
    own.evaluate((link) => {
      const { windows } = (globalThis as unknown as { chrome: { windows: { create(options: object): void } } }).chrome;
      windows.create({ incognito: true, url: link });
    }, url);
  await open('http://good.example/private');
  await expect.poll(() => titles(session), { timeout: 20_000 }).toContain('good.example/private');
  // Its worker fetches a list of its own.
  const warnings = async (): Promise<number> => (await titles(session)).filter((title) => title === blocked).length;
  await expect
    .poll(
      async () => {
        await open('http://scam.example/early');
        await new Promise((resolve) => setTimeout(resolve, 500));
        return warnings();
      },
      { timeout: 30_000 },
    )
    .toBeGreaterThan(0);
  const before = await warnings();
  site.requests.length = 0;
  await open('http://scam.example/private');
  await expect.poll(warnings, { timeout: 20_000 }).toBeGreaterThan(before);
  await open('http://other.example/private');
  await expect.poll(() => titles(session), { timeout: 20_000 }).toContain('other.example/private');
  expect(site.seen()).toEqual(['GET other.example/private']);
});

/** Of the pages of all windows. Playwright does not see incognito ones. */
async function titles(session: CDPSession): Promise<string[]> {
  const { targetInfos } = await session.send('Target.getTargets');
  return targetInfos.filter(({ type }) => type === 'page').map(({ title }) => title);
}

test('the texts are those of the language of the browser', async () => {
  const before = process.env['LANGUAGE'];
  process.env['LANGUAGE'] = 'de';
  try {
    context = await startChromium(join(folder, 'german'), extension, site.port, { args: ['--lang=de'] });
    await untilBlocked(context, 'Diese Seite ist als Betrug bekannt');
  } finally {
    if (before === undefined) delete process.env['LANGUAGE'];
    else process.env['LANGUAGE'] = before;
  }
  const page = await context.newPage();
  await page.goto('http://scam.example/').catch(() => {});
  await page.waitForSelector('#warning:not([hidden])');
  expect(await page.getAttribute('html', 'lang')).toBe('de');
  expect(await page.textContent('#back')).toBe('Zurück');
});

test.each(['observe', 'replace'])('in the mode %s a listed page receives its request', async (mode) => {
  context = await startChromium(join(folder, mode), extension, site.port);
  await untilBlocked(context, blocked);
  const options = await ownPage(context);
  await expect.poll(() => options.inputValue('#url')).toBe(site.listUrl);
  await options.selectOption('#mode', mode);
  await options.click('button');
  await expect.poll(() => options.textContent('#saved')).toBe('Saved.');
  const page = await context.newPage();
  site.requests.length = 0;
  const title = mode === 'observe' ? `scam.example/${mode}` : blocked;
  await expect
    .poll(
      async () => {
        await page.goto(`http://scam.example/${mode}`).catch(() => {});
        await new Promise((resolve) => setTimeout(resolve, 500));
        return scams().length > 0 && (await page.title().catch(() => ''));
      },
      { timeout: 20_000 },
    )
    .toBe(title);
});

test('the context menu opens a window that checks the link', async () => {
  context = await startChromium(join(folder, 'menu'), extension, site.port);
  await untilBlocked(context, blocked);
  const [popup] = await Promise.all([
    context.waitForEvent('page'),
    context.serviceWorkers()[0]!.evaluate(() => {
      const { contextMenus } = (
        globalThis as unknown as { chrome: { contextMenus: { onClicked: { dispatch(click: object): void } } } }
      ).chrome;
      contextMenus.onClicked.dispatch({ menuItemId: 'check', linkUrl: 'http://scam.example/?a=b#c' });
    }),
  ]);
  await expect.poll(() => popup.inputValue('#text')).toBe('http://scam.example/?a=b#c');
  await expect.poll(() => popup.textContent('#result')).toBe('This is a known scam.');
});

test('offline, a listed page warns and a clean one fails as without the extension', async () => {
  context = await startChromium(join(folder, 'offline'), extension, site.port);
  await untilBlocked(context, blocked);
  const page = await context.newPage();
  site.requests.length = 0;
  await context.setOffline(true);
  await page.goto('http://scam.example/offline').catch(() => {});
  await shows(page, blocked);
  const failure = await page.goto('http://clean.example/').catch((error: Error) => error.message);
  expect(failure).toContain('ERR_INTERNET_DISCONNECTED');
  expect(scams()).toEqual([]);
});

test('Chromium takes the rule of the longest path that gets one', async () => {
  context = await startChromium(join(folder, 'paths'), extension, site.port);
  const regexes = [79, 80].map((length) => {
    const place = listedPlace('http://paths.example/', `paths.example/${'aB3.-_~'.repeat(12).slice(0, length)}`, 0);
    return listedRules(place === null ? [] : [place], 'chrome-extension://own/gate.html', 1)[0]?.condition.regexFilter;
  });
  expect(regexes[1]).toBeUndefined();
  const isSupported = await context.serviceWorkers()[0]!.evaluate(async (regex) => {
    const { chrome } = globalThis as unknown as {
      chrome: { declarativeNetRequest: { isRegexSupported(options: object): Promise<{ isSupported: boolean }> } };
    };
    return (await chrome.declarativeNetRequest.isRegexSupported({ regex, isCaseSensitive: true })).isSupported;
  }, regexes[0]);
  expect(isSupported).toBe(true);
});

/** Chromium needs about 20 MB for each. */
const tabCount = Number(process.env['PORTCULLIS_TABS'] ?? 60);

test('of many open tabs, those that a new list names are replaced', async () => {
  await site.publish(['other.example']);
  context = await startChromium(join(folder, 'tabs'), extension, site.port);
  const own = await ownPage(context);
  const session = await context.newCDPSession(own);
  await own.evaluate(async (count) => {
    const { tabs } = (globalThis as unknown as { chrome: { tabs: { create(tab: object): Promise<void> } } }).chrome;
    for (let at = 0; at < count; at++) {
      const host = at % 10 === 0 ? 'scam.example' : `tab${at}.example`;
      await tabs.create({ url: `http://${host}/${at}`, active: false });
    }
  }, tabCount);
  const loaded = async (): Promise<number> => (await titles(session)).filter((title) => title.includes('.example/')).length;
  await expect.poll(loaded, { timeout: 120_000 }).toBe(tabCount);
  await site.publish(listed);
  await own.evaluate(() => {
    const { alarms } = (globalThis as unknown as { chrome: { alarms: { create(name: string, info: object): void } } }).chrome;
    alarms.create('portcullis', { when: Date.now(), periodInMinutes: 1 });
  });
  const warned = async (): Promise<number> => (await titles(session)).filter((title) => title === blocked).length;
  await expect.poll(warned, { timeout: 60_000 }).toBe(tabCount / 10);
  expect(await loaded()).toBe(tabCount - tabCount / 10);
}, 240_000);

test('a site loads its own page ahead, and a listed page receives no request', async () => {
  context = await startChromium(join(folder, 'ahead'), extension, site.port, {
    // Pages are loaded ahead over HTTPS only.
    args: ['--unsafely-treat-insecure-origin-as-secure=http://good.example,http://scam.example'],
  });
  await untilBlocked(context, blocked);
  const page = await context.newPage();
  await page.goto('http://good.example/ahead');
  const before = scams();
  await page.evaluate(() => {
    const urls = ['http://scam.example/ahead', 'http://good.example/next'];
    const rule = { urls, eagerness: 'immediate' };
    const script = Object.assign(document.createElement('script'), {
      type: 'speculationrules',
      textContent: JSON.stringify({ prerender: [rule], prefetch: [rule] }),
    });
    document.head.append(script);
  });
  await expect.poll(site.seen, { timeout: 10_000 }).toContain('GET good.example/next');
  await page.waitForTimeout(1_000);
  expect(scams()).toEqual(before);
  expect(await page.title()).toBe('good.example/ahead');
});

test('a site with a service worker that became listed may send requests until the warning replaces its page', async () => {
  context = await startChromium(join(folder, 'worker'), extension, site.port, {
    // Service workers need HTTPS otherwise.
    args: ['--unsafely-treat-insecure-origin-as-secure=http://worker.example'],
  });
  await untilBlocked(context, blocked);
  const page = await context.newPage();
  await page.goto('http://worker.example/');
  await page.evaluate(async () => {
    await navigator.serviceWorker.register('/sw.js');
    await navigator.serviceWorker.ready;
  });
  await page.goto('http://worker.example/');
  await shows(page, 'from the worker');
  await page.goto('about:blank');
  await site.publish([...listed, 'worker.example']);
  await context
    .serviceWorkers()
    .find((worker) => worker.url().startsWith('chrome-extension:'))!
    .evaluate(() => {
      const { alarms } = (globalThis as unknown as { chrome: { alarms: { create(name: string, info: object): void } } }).chrome;
      alarms.create('portcullis', { when: Date.now(), periodInMinutes: 1 });
    });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  site.requests.length = 0;
  await page.goto('http://worker.example/').catch(() => {});
  await shows(page, blocked);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(site.seen()).not.toContain('GET worker.example/');
  await site.publish(listed);
});

/** What listed hosts of their own receive when they are opened one after another at once. */
async function receivedBy(browser: BrowserContext, hosts: readonly string[]): Promise<number[]> {
  const counts: number[] = [];
  for (const host of hosts) {
    const page = await browser.newPage();
    await page.goto(`http://${host}/`).catch(() => {});
    counts.push(site.received(host).count);
    await page.close();
  }
  return counts;
}

test('after an update of the extension and after a reload, the first listed pages receive no request', async () => {
  const [profile, updated] = [join(folder, 'update'), join(folder, 'updated')];
  cpSync(extension, updated, { recursive: true });
  const hosts = Array.from({ length: 16 }, (_, at) => `update${at}.example`);
  await site.publish([...listed, ...hosts]);
  const change = (file: string, make: (before: { extensions?: object }) => object): void =>
    writeFileSync(file, JSON.stringify(make(JSON.parse(readFileSync(file, 'utf8')))));
  context = await startChromium(profile, updated, site.port);
  await untilBlocked(context, blocked);
  await context.close();
  change(join(updated, 'manifest.json'), (manifest) => ({ ...manifest, version: '1.0.1' }));
  // Without it, Chromium turns an unpacked extension off that loads again.
  change(join(profile, 'Default/Preferences'), ({ extensions, ...rest }) => ({
    ...rest,
    extensions: { ...extensions, ui: { developer_mode: true } },
  }));
  context = await startChromium(profile, updated, site.port);
  expect(await receivedBy(context, hosts.slice(0, 6))).toEqual(Array(6).fill(0));
  const reload = (): void => (globalThis as unknown as { chrome: { runtime: { reload(): void } } }).chrome.runtime.reload();
  await context
    .serviceWorkers()[0]!
    .evaluate(reload)
    .catch(() => {});
  expect(await receivedBy(context, hosts.slice(6))).toEqual(Array(10).fill(0));
  await site.publish(listed);
});

test('a listed link of a million characters is stopped, and a clean one opens', async () => {
  context = await startChromium(join(folder, 'long'), extension, site.port);
  await untilBlocked(context, blocked);
  const page = await context.newPage();
  await page.goto('http://good.example/');
  const go = (start: string): Promise<void> =>
    leaves(page.evaluate((before) => void location.assign(before + 'x'.repeat(1_000_000)), start));
  const before = scams();
  // On two busy cores Chromium alone takes 8 seconds for such a navigation, and the gate makes several.
  await go('http://scam.example/');
  await shows(page, blocked, 90_000);
  expect(scams()).toEqual(before);
  await go('http://clean.example/#');
  await shows(page, 'clean.example/', 90_000);
});

test('two extensions with a gate do not disturb each other', async () => {
  const other = join(folder, 'other');
  cpSync(extension, other, { recursive: true });
  context = await startChromium(join(folder, 'two'), `${extension},${other}`, site.port);
  await untilBlocked(context, blocked);
  await expect.poll(() => context!.serviceWorkers().length).toBe(2);
  const page = await context.newPage();
  for (const name of ['first', 'second', 'first']) {
    await page.goto(`http://${name}.example/`).catch(() => {});
    await shows(page, `${name}.example/`);
  }
  const before = scams();
  await page.goto('http://scam.example/two').catch(() => {});
  await shows(page, blocked);
  expect(scams()).toEqual(before);
  expect(site.seen().filter((line) => line.includes('first.example'))).toHaveLength(2);
});
