import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  blockedTitle as blocked,
  buildExample,
  type ExtensionSite,
  leaves,
  shows as showsOn,
  startSite,
} from './extension-site.js';
import { extensionUrl, killBrowser, startChromium, stopWorker as stop, untilBlocked } from './guarded-chromium.js';

const folder = mkdtempSync(join(tmpdir(), 'gate-'));
const extension = join(folder, 'extension');
const profile = join(folder, 'profile');
const listed = [
  'scam.example',
  'mixed.example/bad',
  ...['alive', 'stopped'].flatMap((worker) => [`writes-${worker}.example`, `framed-${worker}.example`]),
];
let site: ExtensionSite;
let context: BrowserContext;
let page: Page;

const start = async (): Promise<void> => {
  context = await startChromium(profile, extension, site.port);
};

beforeAll(async () => {
  site = await startSite();
  await buildExample(site.listUrl, 'chromium', extension);
  await site.publish(listed);
  await start();
  await untilBlocked(context, blocked);
}, 120_000);

beforeEach(async () => {
  site.requests.length = 0;
  page = await context.newPage();
});

afterEach(async () => {
  await page.close().catch(() => {});
});

afterAll(async () => {
  await context?.close();
  site?.close();
  rmSync(folder, { recursive: true, force: true });
});

const seen = (): string[] => site.seen();
const scams = (): string[] => seen().filter((line) => line.includes(' scam.example'));
const shows = (title: string): Promise<void> => showsOn(page, title);
const stopWorker = (): Promise<void> => stop(context, page);

/** Opens a link as if it were typed. */
async function open(url: string, title: string): Promise<void> {
  await page.goto(url).catch(() => {});
  await shows(title);
}

/** Clicks a link to another page. */
async function click(url: string, attributes: object = {}): Promise<void> {
  await page.evaluate(
    ([href, more]) => {
      const link = Object.assign(document.createElement('a'), { href, id: 'added', textContent: 'added' }, more);
      document.querySelector('#added')?.remove();
      document.body.prepend(link);
    },
    [url, attributes] as const,
  );
  await page.click('#added');
}

/** Sends the form of the page to another place. */
const post = (action: string): Promise<void> =>
  page.evaluate((to) => {
    const form = document.forms[0]!;
    form.action = to;
    form.submit();
  }, action);

/** Playwright waits for events that do not come if the page is in the back-forward cache. */
const goBack = (): Promise<void> => leaves(page.evaluate(() => history.back()));

/** Time in which a request or a warning that must not come would have come. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1_000));

test('a listed page shows a warning and receives no request, and "go back" returns', async () => {
  await open('http://good.example/a', 'good.example/a');
  await page.click('text=scam');
  await shows(blocked);
  expect(await page.textContent('#url')).toBe('http://scam.example/');
  await page.click('#back');
  await shows('good.example/a');
  expect(scams()).toEqual([]);
});

test('a clean page keeps its query and fragment, is requested once, and leaves no gate in the history', async () => {
  await open('http://one.example/', 'one.example/');
  await open('http://two.example/a?b=c&d=%2F#e?f#g', 'two.example/a?b=c&d=%2F');
  expect(page.url()).toBe('http://two.example/a?b=c&d=%2F#e?f#g');
  expect(seen()).toEqual(['GET one.example/', 'GET two.example/a?b=c&d=%2F']);
  await goBack();
  await shows('one.example/');
});

test("a redirect that ends on a listed host is stopped before it, as is a killed worker's first page", async () => {
  await open('http://good.example/?to=http://scam.example/end', blocked);
  await stopWorker();
  await open('http://scam.example/again', blocked);
  expect(scams()).toEqual([]);
});

test('a typed page gets SameSite=Strict and Lax cookies through the gate, and a link on another site only Lax ones', async () => {
  await open('http://cookies.example/', 'cookies.example/');
  await open('http://good.example/', 'good.example/');
  await changePasses(1);
  await open('http://cookies.example/typed', 'cookies.example/typed');
  expect(await page.textContent('#cookie')).toBe('strict=1; lax=1');
  await changePasses(1);
  await open('http://good.example/', 'good.example/');
  await click('http://cookies.example/clicked');
  await shows('cookies.example/clicked');
  expect(await page.textContent('#cookie')).toBe('lax=1');
  // With a pass the browser decides alone: it must come to the same.
  await open('http://good.example/', 'good.example/');
  await click('http://cookies.example/clicked');
  await shows('cookies.example/clicked');
  expect(await page.textContent('#cookie')).toBe('lax=1');
});

test('a site that opens the gate page with a forged address gains nothing', async () => {
  await open('http://cookies.example/', 'cookies.example/');
  await open('http://good.example/', 'good.example/');
  const forged = (link: string): Promise<void> =>
    leaves(page.evaluate((href) => void location.assign(href), extensionUrl(context, `gate.html?${link}`)));
  await forged('http://cookies.example/forged');
  await shows('cookies.example/forged');
  expect(await page.textContent('#cookie')).toBe('lax=1');
  await open('http://good.example/', 'good.example/');
  await forged('http://scam.example/forged');
  await shows(blocked);
  await open('http://good.example/', 'good.example/');
  expect(scams()).toEqual([]);
});

test('the gate page without a link to a web page shows an error, opens nothing and can be left', async () => {
  await open('http://good.example/', 'good.example/');
  for (const link of ['javascript:alert(1)', '//scam.example/', '']) {
    await leaves(page.evaluate((href) => void location.assign(href), extensionUrl(context, `gate.html?${link}`)));
    await shows('This page could not be checked');
    expect(await page.textContent('#url')).toBe(link);
    expect(await page.isVisible('#once')).toBe(false);
    await page.click('#back');
    await shows('good.example/');
  }
  expect(scams()).toEqual([]);
});

test('an apostrophe in a path reaches the site as it is, and a warning for it appears once', async () => {
  await open("http://apostrophe.example/it's?a#it's", "apostrophe.example/it's?a");
  expect(page.url()).toBe("http://apostrophe.example/it's?a#it's");
  expect(seen()).toContain("GET apostrophe.example/it's?a");
  await open("http://mixed.example/bad's", "mixed.example/bad's");
  await open('http://good.example/form', 'good.example/form');
  await leaves(
    page.evaluate(() => {
      const form = document.forms[0]!;
      form.action = "http://scam.example/it's";
      form.submit();
    }),
  );
  await shows(blocked);
  await page.click('#back');
  await shows('good.example/form');
  await open("http://scam.example/it's", blocked);
  site.requests.length = 0;
  await page.click('#once');
  await shows("scam.example/it's");
  expect(seen()).toEqual(["GET scam.example/it's"]);
});

test('"go back" at the start of the history closes a tab that has only pages ahead, and waits for a slow page', async () => {
  await open('http://opener.example/', 'opener.example/');
  const [next] = await Promise.all([context.waitForEvent('page'), page.click('#tab')]);
  await showsOn(next, blocked);
  await next.click('#once');
  await showsOn(next, 'scam.example/tab');
  await leaves(next.evaluate(() => void location.assign('http://good.example/ahead')));
  await showsOn(next, 'good.example/ahead');
  await changePasses(1);
  await leaves(next.evaluate(() => history.back()));
  await showsOn(next, blocked);
  expect(await next.evaluate(() => history.length)).toBeGreaterThan(1);
  await Promise.all([next.waitForEvent('close'), next.click('#back')]);

  await open('http://slow.example/slow', 'slow.example/slow');
  // Keeps it out of the back-forward cache.
  await page.evaluate(() => addEventListener('unload', () => {}));
  await open('http://scam.example/after-slow', blocked);
  await page.click('#back');
  await shows('slow.example/slow');
  expect(seen().filter((line) => line.includes('slow.example'))).toHaveLength(2);
});

test('the source of a clean page is shown', async () => {
  const [source] = await Promise.all([
    context.waitForEvent('page'),
    context.serviceWorkers()[0]!.evaluate(() => {
      const { tabs } = (globalThis as unknown as { chrome: { tabs: { create(tab: object): void } } }).chrome;
      tabs.create({ url: 'view-source:http://source.example/' });
    }),
  ]);
  await expect.poll(() => source.textContent('body').catch(() => ''), { timeout: 20_000 }).toContain('<title>source.example/');
  await source.close();
});

test('a same-site link skips the gate, and keeps its referrer and its Strict cookies', async () => {
  await open('http://www.site.example/', 'www.site.example/');
  await open('http://site.example/', 'site.example/');
  await changePasses(1);
  await click('http://www.site.example/inside');
  await shows('www.site.example/inside');
  expect(await page.textContent('#cookie')).toBe('strict=1; lax=1');
  expect(await page.textContent('#referer')).toBe('http://site.example/');
});

test('a link to another site keeps its referrer', async () => {
  await open('http://good.example/', 'good.example/');
  for (const run of ['through the gate', 'with a pass']) {
    await click(`http://referred.example/${run.length}`);
    await shows(`referred.example/${run.length}`);
    expect(await page.textContent('#referer')).toBe('http://good.example/');
    await goBack();
    await shows('good.example/');
  }
});

test('redirects to another site keep the Strict cookies of a typed address and the referrer of a link', async () => {
  await open('http://target.example/', 'target.example/');
  await changePasses(0);
  await open('http://hop1.example/?to=http://target.example/x', 'target.example/x');
  expect(await page.textContent('#cookie')).toBe('strict=1; lax=1');
  await open('http://good.example/', 'good.example/');
  await click('http://hop2.example/?to=http://hop3.example/y');
  await shows('hop3.example/y');
  expect(await page.textContent('#referer')).toBe('http://good.example/');
});

test('a chain of redirects over many new sites opens, and a listed page at its end receives no request', async () => {
  const chain = (name: string, end: string): string =>
    Array.from({ length: 18 }, (_, at) => at).reduceRight(
      (to, at) => `http://${name}${at}.example/?to=${encodeURIComponent(to)}`,
      end,
    );
  await open(chain('a', 'http://end.example/'), 'end.example/');
  await open(chain('b', 'http://scam.example/end'), blocked);
  expect(scams()).toEqual([]);
});

test('an endless chain of redirects ends', async () => {
  await page.goto('http://loop.example/loop').catch(() => {});
  let before = 0;
  const isOver = async (): Promise<boolean> => {
    await settle();
    const count = seen().length;
    const isSame = count === before;
    before = count;
    return isSame;
  };
  await expect.poll(isOver, { timeout: 20_000 }).toBe(true);
  expect(before).toBeGreaterThan(20);
});

test('an address with a name and a password opens without them', async () => {
  await open('http://name:password@password.example/a', 'password.example/a');
  await open('http://name:password@password.example/b', 'password.example/b');
  expect(site.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
});

test('"open once" after a link on another site sends no Strict cookies', async () => {
  await open('http://scam.example/once', blocked);
  await page.click('#once');
  await shows('scam.example/once');
  await changePasses(1);
  await open('http://good.example/', 'good.example/');
  await click('http://scam.example/linked');
  await shows(blocked);
  await page.click('#once');
  await shows('scam.example/linked');
  expect(await page.textContent('#cookie')).toBe('lax=1');
});

test('a request for the gate page that skips the worker, as of a reload without caches, ends the same', async () => {
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setBypassServiceWorker', { bypass: true });
  await open('http://scam.example/skips', blocked);
  void page.goto('http://skips.example/').catch(() => {});
  await shows('This page could not be checked');
  expect(scams()).toEqual([]);
  await session.send('Network.setBypassServiceWorker', { bypass: false });
  await page.reload().catch(() => {});
  await shows('skips.example/');
});

test('back, forward and reload return to pages without the gate between them', async () => {
  for (const name of ['first', 'second', 'third']) await open(`http://${name}.example/`, `${name}.example/`);
  await goBack();
  await shows('second.example/');
  await goBack();
  await shows('first.example/');
  await leaves(page.evaluate(() => history.forward()));
  await shows('second.example/');
  await page.reload();
  await shows('second.example/');
  expect(seen().filter((line) => line.includes('third'))).toHaveLength(1);
});

test('a page from the back-forward cache that became listed is replaced', async () => {
  await open('http://cached.example/', 'cached.example/');
  await open('http://good.example/', 'good.example/');
  await site.publish([...listed, 'cached.example']);
  await sync();
  site.requests.length = 0;
  await goBack();
  await shows(blocked);
  expect(seen().filter((line) => line.includes('cached'))).toEqual([]);
  await site.publish(listed);
  await sync();
});

test('a listed page in a frame replaces the page around it, and "go back" skips both', async () => {
  await open('http://good.example/before', 'good.example/before');
  await open('http://around.example/', 'around.example/');
  await page.evaluate(() =>
    document.body.append(Object.assign(document.createElement('iframe'), { src: 'http://scam.example/framed' })),
  );
  await shows(blocked);
  await page.click('#back');
  await shows('good.example/before');
});

test('a POST keeps its body, and a redirect after it meets the gate', async () => {
  await open('http://good.example/form', 'good.example/form');
  await post('http://posted.example/here');
  await shows('posted.example/here');
  expect(seen()).toContain('POST posted.example/here');
  await post('http://posted.example/?to=http://scam.example/posted');
  await shows(blocked);
  expect(scams()).toEqual([]);
});

test('"open once" ends with its time, also while the worker is stopped', async () => {
  await open('http://scam.example/ends', blocked);
  await page.click('#once');
  await shows('scam.example/ends');
  expect(scams()).toHaveLength(1);
  await changePasses(1);
  await open('http://scam.example/ends', blocked);
  expect(scams()).toEqual([]);
});

test('the worker answers only pages of the extension', async () => {
  await open('http://good.example/', 'good.example/');
  const isReachable = await page.evaluate(() => 'runtime' in ((globalThis as { chrome?: object }).chrome ?? {}));
  expect(isReachable).toBe(false);
  await open(extensionUrl(context, 'options.html'), 'Settings');
  // Also a page of the extension that is not the gate: `once` from it is ignored.
  const answer = await page.evaluate(() =>
    (globalThis as unknown as { chrome: { runtime: { sendMessage(message: object): Promise<unknown> } } }).chrome.runtime
      .sendMessage({ portcullis: 'once', url: 'http://scam.example/' })
      .catch((error: Error) => error.message),
  );
  expect(answer ?? 'none').not.toMatchObject({ opens: true });
  await open('http://scam.example/', blocked);
  expect(scams()).toEqual([]);
});

test('a POST and a page listed below a skipped host are replaced, and "go back" skips them', async () => {
  await open('http://good.example/form', 'good.example/form');
  await page.click('button');
  await shows(blocked);
  await page.click('#back');
  await shows('good.example/form');
  await open('http://mixed.example/', 'mixed.example/');
  await open('http://mixed.example/bad', blocked);
  await page.click('#back');
  await shows('mixed.example/');
});

test.each(['alive', 'stopped'])(
  'a listed page that goes on to one that its script wrote is replaced, worker %s',
  async (worker) => {
    await open('http://good.example/form', 'good.example/form');
    if (worker === 'stopped') await stopWorker();
    await post(`http://writes-${worker}.example/`);
    await shows(blocked);
    await page.click('#back');
    await shows('good.example/form');
  },
);

test.each(['alive', 'stopped'])(
  'a listed frame is warned about although its page changes its address, worker %s',
  async (worker) => {
    await open('http://good.example/', 'good.example/');
    if (worker === 'stopped') await stopWorker();
    await page.evaluate((host) => {
      document.body.append(Object.assign(document.createElement('iframe'), { src: `http://${host}/` }));
      for (let at = 0; at < 20; at++) setTimeout(() => history.replaceState({}, '', `/at-${at}`), at * 10);
    }, `framed-${worker}.example`);
    await shows(blocked);
  },
);

test('"go back" closes a tab that shows nothing but the warning, and one opened on a listed page', async () => {
  await open('http://opener.example/', 'opener.example/');
  for (const link of ['#tab', '#tab-post']) {
    site.requests.length = 0;
    const [next] = await Promise.all([context.waitForEvent('page'), page.click(link)]);
    await expect.poll(() => next.title().catch(() => '')).toBe(blocked);
    // Not even the POST, because the host was confirmed before.
    expect(seen()).toEqual([]);
    await Promise.all([next.waitForEvent('close'), next.click('#back')]);
  }
});

test('a host that was confirmed as listed receives nothing from other pages, and "open once" loads what its own page needs', async () => {
  await open('http://scam.example/first', blocked);
  await open('http://good.example/', 'good.example/');
  const load = (): Promise<void> =>
    page.evaluate(async () => {
      const from = (path: string): string => `http://scam.example/${path}`;
      document.body.append(
        Object.assign(new Image(), { src: from('image') }),
        Object.assign(document.createElement('script'), { src: from('script') }),
        Object.assign(document.createElement('link'), { rel: 'stylesheet', href: from('style') }),
        Object.assign(document.createElement('link'), { rel: 'prefetch', href: from('ahead') }),
      );
      navigator.sendBeacon(from('beacon'));
      new WebSocket('ws://scam.example/socket');
      await fetch(from('fetched'), { mode: 'no-cors' }).catch(() => {});
    });
  await load();
  await settle();
  expect(scams()).toEqual([]);
  await open('http://scam.example/opened', blocked);
  await page.click('#once');
  await shows('scam.example/opened');
  await load();
  await expect
    .poll(() => scams().map((line) => line.split('/').at(-1)))
    .toEqual(expect.arrayContaining(['image', 'script', 'fetched']));
});

test('"open once" does nothing before the warning was visible and had the focus for a second', async () => {
  await open('http://scam.example/soon', blocked);
  const clickAtOnce = (): Promise<boolean> =>
    page.evaluate(() => {
      const once = document.querySelector<HTMLButtonElement>('#once')!;
      const { disabled } = once;
      // As a page would that shows the button for itself.
      once.disabled = false;
      once.click();
      once.disabled = disabled;
      return disabled;
    });
  expect(await clickAtOnce()).toBe(true);
  await expect.poll(() => page.isEnabled('#once')).toBe(true);
  expect(await page.evaluate(() => performance.now())).toBeGreaterThan(1_000);
  await page.evaluate(() => void dispatchEvent(new Event('blur')));
  expect(await clickAtOnce()).toBe(true);
  await settle();
  expect(await page.title()).toBe(blocked);
  expect(scams()).toEqual([]);
  await page.click('#once');
  await shows('scam.example/soon');
});

test('"open once" opens the page in this tab only', async () => {
  await open('http://scam.example/once', blocked);
  await page.click('#once');
  await shows('scam.example/once');
  const first = page;
  page = await context.newPage();
  await open('http://scam.example/once', blocked);
  await first.close();
  expect(seen()).toEqual(['GET scam.example/once']);
});

test('a new tab keeps its opener and downloads work', async () => {
  await open('http://opener.example/', 'opener.example/');
  const [next] = await Promise.all([context.waitForEvent('page'), page.click('text=next')]);
  await expect.poll(() => next.title()).toBe('next.example/');
  expect(await next.evaluate(() => window.opener !== null)).toBe(true);
  await next.close();
  const [download] = await Promise.all([page.waitForEvent('download'), page.goto('http://files.example/file').catch(() => {})]);
  expect(download.suggestedFilename()).toBe('file.txt');
  expect(seen().filter((line) => line.includes('/file'))).toHaveLength(1);
});

test('the first link to a site that downloads, answers with 204 or redirects to mailto: leaves the page as it is', async () => {
  await open('http://stays.example/', 'stays.example/');
  const [download] = await Promise.all([page.waitForEvent('download'), click('http://linked-files.example/file')]);
  expect(download.suggestedFilename()).toBe('file.txt');
  const [inNewTab] = await Promise.all([
    context.waitForEvent('page'),
    click('http://tab-files.example/file', { target: '_blank' }),
  ]);
  await expect.poll(() => inNewTab.isClosed()).toBe(true);
  for (const url of ['http://empty.example/none', 'http://mail.example/?to=mailto:someone@mail.example']) {
    await click(url);
    await expect.poll(() => seen().filter((line) => url.endsWith(line.split(' ')[1]!))).toHaveLength(1);
    await settle();
    expect(page.url()).toBe('http://stays.example/');
    expect(await page.title()).toBe('stays.example/');
  }
  expect(seen().filter((line) => line.includes('/file'))).toHaveLength(2);
});

test('a link with a name and no password opens once', async () => {
  await open('http://good.example/', 'good.example/');
  for (const path of ['new', 'with-a-pass']) {
    await click(`http://name@named.example/${path}`);
    await shows(`named.example/${path}`);
    await open('http://good.example/', 'good.example/');
  }
  await settle();
  expect(seen().filter((line) => line.includes('named'))).toEqual(['GET named.example/new', 'GET named.example/with-a-pass']);
});

test('a link keeps its text fragment', async () => {
  await open('http://good.example/', 'good.example/');
  await click('http://fragment.example/a#x:~:text=hello');
  await shows('fragment.example/a');
  const session = await context.newCDPSession(page);
  const { entries } = await session.send('Page.getNavigationHistory');
  expect(entries.at(-1)?.url).toBe('http://fragment.example/a#x:~:text=hello');
});

test('a page cannot frame the warning', async () => {
  await open('http://frame.example/', 'frame.example/');
  const { host } = new URL(context.serviceWorkers()[0]!.url());
  await page.evaluate((src) => {
    document.body.append(Object.assign(document.createElement('iframe'), { src }));
  }, `chrome-extension://${host}/gate.html?http://scam.example/`);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const texts = await Promise.all(
    page
      .frames()
      .slice(1)
      .map((frame) => frame.content().catch(() => '')),
  );
  expect(texts.join('')).not.toContain('gate.js');
});

/** Fires the alarm early, which fetches the list. */
async function sync(): Promise<void> {
  const worker = context.serviceWorkers()[0]!;
  await worker.evaluate(() => {
    const { alarms } = (globalThis as unknown as { chrome: { alarms: { create(name: string, info: object): void } } }).chrome;
    alarms.create('portcullis', { when: Date.now(), periodInMinutes: 1 });
  });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
}

/** Changes the stored passes, as if time had passed, and starts another worker. */
async function changePasses(untilMs: number): Promise<void> {
  await context.serviceWorkers()[0]!.evaluate(async (ends) => {
    const { session } = (globalThis as unknown as { chrome: { storage: { session: SessionStorage } } }).chrome.storage;
    const { portcullis } = await session.get();
    for (const pass of portcullis.passes) pass.untilMs = ends;
    await session.set({ portcullis });
  }, untilMs);
  await stopWorker();
  // A page without a pass waits for the next worker, which drops what has ended.
  const host = `wakes${++wakes}.example`;
  const other = await context.newPage();
  await other.goto(`http://${host}/`).catch(() => {});
  await showsOn(other, `${host}/`);
  await other.close();
  site.requests.length = 0;
}

let wakes = 0;

interface SessionStorage {
  get(): Promise<{ portcullis: { passes: { untilMs: number }[] } }>;
  set(values: object): Promise<void>;
}

test('a block that arrives replaces an open page, and a removal opens it again', async () => {
  await open('http://later.example/', 'later.example/');
  await site.publish([...listed, 'later.example']);
  await sync();
  await shows(blocked);
  await site.publish(listed);
  await sync();
  await open('http://later.example/', 'later.example/');
});

test('a listed page that the user keeps when it asks is replaced at the second alarm without a question', async () => {
  await open('http://stays.example/', 'stays.example/');
  await page.evaluate(() => addEventListener('beforeunload', (event) => event.preventDefault()));
  await page.mouse.click(300, 300);
  await page.keyboard.press('a');
  let dialogs = 0;
  page.on('dialog', (dialog) => {
    dialogs++;
    void dialog.dismiss().catch(() => {});
  });
  await site.publish([...listed, 'stays.example']);
  await sync();
  await expect.poll(() => dialogs).toBe(1);
  expect(await page.title()).toBe('stays.example/');
  await sync();
  const titles = (): Promise<string[]> => Promise.all(context.pages().map((open) => open.title().catch(() => '')));
  expect(await titles()).toContain('stays.example/');
  await sync();
  await expect.poll(titles, { timeout: 10_000 }).toContain(blocked);
  expect(await titles()).not.toContain('stays.example/');
  for (const open of context.pages().slice(1)) await open.close();
  await site.publish(listed);
  await sync();
});

test('a change of the list keeps the pass of a host that it does not name', async () => {
  await open('http://kept.example/', 'kept.example/');
  await site.publish([...listed, 'new.example']);
  await sync();
  await open('http://good.example/', 'good.example/');
  await click('http://kept.example/');
  await shows('kept.example/');
  // The gate would have lost it.
  expect(await page.textContent('#referer')).toBe('http://good.example/');
  await site.publish(listed);
  await sync();
});

test('after a kill of the browser and without its list, the first listed page receives no request', async () => {
  await open('http://kept.example/', 'kept.example/');
  // Chromium saves the rule's checksum up to ten seconds after it was added, and drops a rule without one.
  await expect
    .poll(() => readFileSync(join(profile, 'Default/Preferences'), 'utf8'), { timeout: 30_000 })
    .toContain('dnr_dynamic_ruleset');
  await killBrowser(context, profile);
  site.loseList();
  site.requests.length = 0;
  await start();
  page = await context.newPage();
  await open('http://scam.example/restart', blocked);
  await open('http://kept.example/', 'kept.example/');
  expect(scams()).toEqual([]);
});
