import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium } from 'playwright';
import { launchFirefox } from '../../tools/deep/firefox.js';
import { findChromium } from '../../tools/find-chromium.js';

/** A page in a real browser that can connect only to the proxy of the test. */
export interface BrowserPage {
  readonly version: string;
  /** Runs an expression in the page, which must give a string. */
  evaluate(expression: string): Promise<string>;
  close(): Promise<void>;
}

/** The host of the page itself, which a relative link opens. */
export const pageHost = 'page-of-the-test.example';

/** A proxy that answers every request itself with the requested host and target. */
export async function startEcho(): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server: Server = createServer((request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/html', 'access-control-allow-origin': '*', 'cache-control': 'no-store' });
    response.end(request.url?.startsWith(`http://${pageHost}/page`) ? '<!doctype html><title>page</title>' : request.url);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export async function openChromium(proxyPort: number): Promise<BrowserPage> {
  const browser = await chromium.launch({
    executablePath: findChromium() ?? 'chromium',
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ...['--disable-gpu', '--disable-background-networking', '--disable-component-update', '--no-first-run'],
      ...[`--proxy-server=http://127.0.0.1:${proxyPort}`, '--proxy-bypass-list=<-loopback>', '--disable-features=HttpsUpgrades'],
    ],
  });
  const page = await browser.newPage();
  await page.goto(`http://${pageHost}/page`);
  return {
    version: `Chromium ${browser.version()}`,
    evaluate: (expression) => page.evaluate<string>(expression),
    close: () => browser.close(),
  };
}

export async function openFirefox(proxyPort: number): Promise<BrowserPage> {
  const browser = await launchFirefox(proxyPort);
  const page = await browser.newPage();
  await page.goto(`http://${pageHost}/page`);
  return {
    version: await browser.version(),
    evaluate: async (expression) => String(await page.evaluate(expression)),
    close: () => browser.close(),
  };
}

/** One URL that a browser makes of a text. */
export type Opened = readonly [scheme: string, host: string, target: string];

const escapeUnicode = (json: string): string =>
  json.replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** `new URL` hides the links that depend on the page, so each text is also the `href` of an anchor on pages of both schemes. */
const parse = `
  const anchors = ['http', 'https'].map((scheme) => {
    const page = document.implementation.createHTMLDocument('');
    const base = page.createElement('base');
    base.href = scheme + '://${pageHost}/folder/page';
    page.head.append(base);
    return page.body.appendChild(page.createElement('a'));
  });
  const read = ({ protocol, hostname, pathname, search }) => [protocol, hostname, pathname + search];
  const all = texts.map((text) => {
    const found = new Map();
    const add = (url) => found.set(url.join(' '), url);
    for (const anchor of anchors) {
      anchor.setAttribute('href', text);
      add(read(anchor));
    }
    try { add(read(new URL(text))); } catch {}
    return [...found.values()].filter(([protocol, host]) => /^(https?|wss?|ftp):$/.test(protocol) && host !== '' && host !== '${pageHost}');
  });
`;

/** What a page makes of each text. */
export async function openedBy(page: BrowserPage, texts: readonly string[]): Promise<readonly (readonly Opened[])[]> {
  const list = escapeUnicode(JSON.stringify(texts));
  return JSON.parse(
    await page.evaluate(`(() => { const texts = ${list}; ${parse} return JSON.stringify(all); })()`),
  ) as Opened[][];
}

/** The absolute address that a server receives for each text, or \`null\` if the page sends no request. */
export async function requestedBy(page: BrowserPage, texts: readonly string[]): Promise<readonly (string | null)[]> {
  const list = escapeUnicode(JSON.stringify(texts));
  const request = `(async () => {
    const texts = ${list};
    const received = new Array(texts.length).fill(null);
    let next = 0;
    const work = async () => {
      for (let at = next++; at < texts.length; at = next++) {
        try { received[at] = await (await fetch(texts[at], { credentials: 'omit' })).text(); } catch {}
      }
    };
    await Promise.all(Array.from({ length: 16 }, work));
    return JSON.stringify(received);
  })()`;
  return JSON.parse(await page.evaluate(request)) as (string | null)[];
}
