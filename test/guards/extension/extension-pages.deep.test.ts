import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { findChromium } from '../../../tools/find-chromium.js';
import { blockedTitle, buildExample, type ExtensionSite, shows, startSite } from './extension-site.js';
import { chromiumFlags, extensionUrl, startChromium, untilBlocked } from './guarded-chromium.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'gate-pages-'));
const extension = join(folder, 'extension');
/** Set to a folder to look at the pages. */
const pictures = process.env['PORTCULLIS_PICTURES'];
let site: ExtensionSite;

beforeAll(async () => {
  site = await startSite();
  await buildExample(site.listUrl, 'chromium', extension);
  await site.publish(['scam.example', 'other.example']);
});

afterAll(() => {
  site?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(['light', 'dark'] as const)('in the %s scheme', (colorScheme) => {
  let context: BrowserContext;

  beforeAll(async () => {
    context = await startChromium(join(folder, colorScheme), extension, site.port, { colorScheme });
    await untilBlocked(context, blockedTitle);
  });

  afterAll(() => context?.close());

  async function open(path: string, title: string, size: { width: number; height: number }): Promise<Page> {
    const page = await context.newPage();
    await page.setViewportSize(size);
    await page.goto(path.startsWith('http') ? path : extensionUrl(context, path)).catch(() => {});
    await shows(page, title);
    return page;
  }

  async function inspect(page: Page, name: string): Promise<void> {
    await page.waitForTimeout(300);
    if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}-${colorScheme}.png`) });
    // The CDP session evaluates it in spite of the page's policy.
    await page.evaluate(axe);
    const faults = await page.evaluate(async () => {
      const { violations } = await (globalThis as unknown as { axe: { run(): Promise<{ violations: AxeFault[] }> } }).axe.run();
      return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
    });
    expect(faults).toEqual([]);
    await page.close();
  }

  test('the warning is accessible', async () => {
    const page = await open('http://scam.example/a/very/long/path?with=a&long=query', blockedTitle, { width: 1000, height: 700 });
    await page.waitForSelector('#warning:not([hidden])');
    await inspect(page, 'warning');
  });

  test('the popup shows the list, counts, the last warning, and checks what is entered', async () => {
    const page = await open('popup.html', 'Scam page blocker', { width: 400, height: 480 });
    await expect.poll(() => page.textContent('#list')).toMatch(/^Entries: 2, current /);
    expect(Number(await page.textContent('#blocked'))).toBeGreaterThan(0);
    expect(await page.textContent('#last')).toContain('http://scam.example/');
    for (const [text, result] of [
      ['https://other.example/x', 'This is a known scam.'],
      ['https://clean.example', 'Not on the list.'],
      ['<b>', 'Could not be checked.'],
    ] as const) {
      await page.fill('#text', text);
      await page.click('button');
      await expect.poll(() => page.textContent('#result')).toBe(result);
    }
    await page.fill('#text', 'https://other.example/x');
    await page.click('button');
    await expect.poll(() => page.textContent('#result')).toBe('This is a known scam.');
    await inspect(page, 'popup');
  });

  test('the options take effect at once, and refuse an unusable address', async () => {
    const page = await open('options.html', 'Settings', { width: 800, height: 760 });
    await expect.poll(() => page.inputValue('#url')).toBe(site.listUrl);
    await page.fill('#reportUrl', 'javascript:alert(1)');
    await page.click('button');
    await expect.poll(() => page.textContent('#saved')).toMatch(/^Not saved/);
    await page.fill('#reportUrl', '');
    for (const unusable of [
      'https://list.example/?x=1',
      'https://list.example/#f',
      'https://u:p@list.example/',
      'http://list.example/',
    ]) {
      await page.fill('#url', site.listUrl);
      await page.click('button');
      await expect.poll(() => page.textContent('#saved')).toBe('Saved.');
      await page.fill('#url', unusable);
      await page.click('button');
      await expect.poll(() => page.textContent('#saved')).toMatch(/^Not saved/);
    }
    await page.fill('#url', site.listUrl);
    await page.fill('#reportUrl', 'https://report.example/?page={url}');
    await page.selectOption('#mode', 'observe');
    await page.click('button');
    await expect.poll(() => page.textContent('#saved')).toBe('Saved.');
    const other = await context.newPage();
    // Observed: it opens, and is counted.
    await expect
      .poll(
        async () => {
          await other.goto('http://scam.example/observed').catch(() => {});
          return other.title().catch(() => '');
        },
        { timeout: 20_000 },
      )
      .toBe('scam.example/observed');
    await page.selectOption('#mode', 'gate');
    await page.click('button');
    // The page that is open is replaced, and offers the report.
    await shows(other, blockedTitle);
    await expect
      .poll(() => other.getAttribute('#report', 'href'))
      .toBe('https://report.example/?page=http%3A%2F%2Fscam.example%2Fobserved');
    await other.close();
    await inspect(page, 'options');
  });
});

test('the popup says that a worker that did not start does not answer', async () => {
  const broken = join(folder, 'broken');
  await buildExample(site.listUrl, 'chromium', broken);
  writeFileSync(join(broken, 'worker.js'), "throw new Error('an option with a typo')");
  const context = await chromium.launchPersistentContext(join(folder, 'broken-profile'), {
    headless: false,
    executablePath: findChromium() ?? 'chromium',
    ignoreDefaultArgs: ['--disable-extensions'],
    args: chromiumFlags(broken, site.port),
  });
  onTestFinished(() => context.close());
  // Without a worker, nothing else names the extension. Chromium makes its ID from the path.
  const hash = createHash('sha256').update(broken).digest('hex').slice(0, 32);
  const id = hash.replace(/./g, (digit) => 'abcdefghijklmnop'[Number.parseInt(digit, 16)]!);
  const page = await context.newPage();
  await page.goto(`chrome-extension://${id}/popup.html`);
  await expect
    .poll(() => page.textContent('#mode'), { timeout: 20_000 })
    .toBe('The extension does not answer. Scam pages are not stopped.');
});

interface AxeFault {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

describe('a list with an advisory', () => {
  const advisory = { text: '<b>This may be wrong.</b>', link: 'https://terms.example/', attribution: 'A publisher' };
  const messages = JSON.parse(readFileSync('examples/extension/_locales/en/messages.json', 'utf8')) as Record<
    string,
    { message: string }
  >;
  let browser: Browser;

  beforeAll(async () => {
    const executablePath = findChromium();
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    browser = await chromium.launch({ ...(executablePath !== undefined && { executablePath }), args });
  });

  afterAll(() => browser?.close());

  /** A page of the example outside an extension, with a worker that answers this. */
  async function open(name: string, answer: object): Promise<Page> {
    const page = await browser.newPage();
    await page.route('http://pages.example/**', (route) =>
      route.fulfill({ path: join(extension, new URL(route.request().url()).pathname) }),
    );
    await page.addInitScript(
      ([texts, reply]) => {
        const getMessage = (key: string): string => texts[key]?.message ?? '';
        const value = {
          i18n: { getMessage, getUILanguage: () => 'en' },
          runtime: { sendMessage: async () => reply },
          storage: { local: { get: async () => ({}) }, managed: { get: async () => ({}) } },
        };
        Object.defineProperty(globalThis, 'chrome', { value });
      },
      [messages, answer] as const,
    );
    await page.goto(`http://pages.example/${name}`);
    return page;
  }

  const shownIn = (page: Page): Promise<unknown> =>
    page.evaluate(() => {
      const link = document.querySelector<HTMLAnchorElement>('#advisory a');
      const place = document.querySelector<HTMLElement>('#advisory')!;
      return {
        isHidden: place.hidden,
        text: place.textContent,
        bold: place.querySelector('b'),
        href: link?.href,
        rel: link?.rel,
      };
    });
  const expected = {
    isHidden: false,
    text: '<b>This may be wrong.</b> A publisher',
    bold: null,
    href: 'https://terms.example/',
    rel: 'noopener noreferrer',
  };

  test('shows it with the warning, which calls nothing certain', async () => {
    const page = await open('gate.html?http://scam.example/', { opens: false, status: 'blocked', steps: 1, advisory });
    await page.waitForSelector('#warning:not([hidden])');
    expect(await shownIn(page)).toEqual(expected);
    expect(await page.textContent('#warning')).not.toContain('known scam');
    expect(await page.title()).toBe('This page may be unsafe');
    await page.close();
  });

  test.each([
    ['none', undefined],
    ['one with a script as its link', { ...advisory, link: 'javascript:alert(1)' }],
  ])('is shown no advisory for %s', async (_, other) => {
    const page = await open('gate.html?http://scam.example/', { opens: false, status: 'blocked', steps: 1, advisory: other });
    await page.waitForSelector('#warning:not([hidden])');
    expect(await shownIn(page)).toMatchObject({ isHidden: true, text: '' });
    expect(await page.title()).toBe(blockedTitle);
    await page.close();
  });

  test('shows it in the popup', async () => {
    const page = await open('popup.html', { status: 'blocked', advisory });
    await page.fill('#text', 'http://scam.example/');
    await page.click('button');
    await expect.poll(() => page.textContent('#result')).toBe('This may be unsafe.');
    expect(await shownIn(page)).toEqual(expected);
    await page.close();
  });
});
