import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import axe, { type AxeResults } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { findChromium } from '../../../tools/find-chromium.js';
import { startServer } from '../../apps/cli/harness.js';

type Served = Awaited<ReturnType<typeof startServer>> & { readonly url: string; readonly key: string; readonly tools: string };

let browser: Browser;
let served: Served;
/** Where the application receives codes. */
const received: URLSearchParams[] = [];
const callback = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
  if (pathname === '/callback') received.push(searchParams);
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end(
    pathname === '/callback' ? '<title>received</title>' : `<title>frame</title><iframe src="${searchParams.get('of')}">`,
  );
});
let callbackUrl: string;

beforeAll(async () => {
  const executablePath = findChromium();
  browser = await chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  await new Promise<void>((resolve) => callback.listen(0, '127.0.0.1', resolve));
  callbackUrl = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`;
}, 60_000);

let page: Page;
beforeEach(async () => {
  received.length = 0;
  served = (await startServer(['serve', '--mcp', '--port', '0'])) as Served;
  page = await browser.newPage();
});
afterEach(() => page.close());

afterAll(async () => {
  await browser?.close();
  callback.close();
  callback.closeAllConnections();
});

/** A host of the official library, before its user has signed in. */
function startHost() {
  const kept: { client?: unknown; tokens?: unknown; verifier?: string; discovered?: unknown; asked?: URL } = {};
  const keep =
    (name: keyof typeof kept) =>
    (value: unknown): void => {
      Object.assign(kept, { [name]: value });
    };
  const provider = {
    redirectUrl: callbackUrl,
    clientMetadata: { client_name: 'Official host', redirect_uris: [callbackUrl] },
    state: () => 'some state',
    clientInformation: () => kept.client,
    saveClientInformation: keep('client'),
    tokens: () => kept.tokens,
    saveTokens: keep('tokens'),
    redirectToAuthorization: keep('asked'),
    saveCodeVerifier: keep('verifier'),
    codeVerifier: () => kept.verifier,
    saveDiscoveryState: keep('discovered'),
    discoveryState: () => kept.discovered,
  } as unknown as OAuthClientProvider;
  const transportOf = () => new StreamableHTTPClientTransport(new URL(served.tools), { authProvider: provider });
  const connect = async (): Promise<Client> => {
    const one = new Client({ name: 'host', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await one.connect(transportOf());
    onTestFinished(() => one.close());
    return one;
  };
  /** Starts without a token, which asks for the approval. */
  const question = async (): Promise<string> => {
    await expect(connect()).rejects.toThrow();
    return kept.asked!.href;
  };
  const finish = (parameters: URLSearchParams): Promise<void> => transportOf().finishAuth(parameters);
  return { question, finish, connect, kept };
}

test('a host registers, the user approves with the keyboard, and the first tool is called', async () => {
  const host = startHost();
  await page.goto(await host.question());
  expect(await page.locator('dd').allInnerTexts()).toEqual([
    expect.stringContaining('Official host'),
    `${new URL(callbackUrl).host}, a program on this device`,
    expect.stringContaining(served.tools),
  ]);
  await page.keyboard.press('Tab');
  await page.keyboard.type('wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  expect(await page.title()).toMatch(/^This key is not valid\. /);
  // The focus is where the user goes on.
  await page.keyboard.type(served.key);
  await page.keyboard.press('Tab');
  expect(await page.locator(':focus').innerText()).toBe('Allow');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.title()).toBe('received');
  await host.finish(received[0]!);
  const client = await host.connect();
  const { structuredContent } = await client.callTool({ name: 'user_orgs', arguments: {} });
  expect(JSON.stringify(structuredContent)).toContain('example-wallet');
  // An access token that has ended is renewed by the library.
  Object.assign(host.kept.tokens as object, { access_token: 'pca.old.old' });
  const again = await host.connect();
  expect((await again.listTools()).tools).toHaveLength(69);
});

test('the user denies with four key presses and no key, and no code is sent', async () => {
  const host = startHost();
  await page.goto(await host.question());
  // The key, Allow, Deny.
  for (let press = 0; press < 3; press++) await page.keyboard.press('Tab');
  expect(await page.locator(':focus').innerText()).toBe('Deny');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.title()).toBe('received');
  expect(Object.fromEntries(received[0]!)).toEqual({ error: 'access_denied', state: 'some state', iss: served.url });
  await expect(host.finish(received[0]!)).rejects.toThrow();
});

test('a click that comes with the page, or as soon as the pointer is over it, does not allow', async () => {
  const host = startHost();
  const url = await host.question();
  await page.goto(url);
  const { x, y, width, height } = (await page.getByRole('button', { name: 'Allow' }).boundingBox())!;
  const [atX, atY] = [x + width / 2, y + height / 2];
  // A password manager fills the key in.
  const key = page.getByLabel('Your API key');
  await key.fill(served.key);
  await page.mouse.click(atX, atY, { clickCount: 2, delay: 50 });
  await page.waitForTimeout(1_000);
  expect(page.url()).toBe(url);
  await page.goto(`${new URL(callbackUrl).origin}/other`);
  await page.mouse.move(atX, atY);
  await page.goto(url);
  await key.fill(served.key);
  await page.mouse.down();
  await page.mouse.up();
  await page.waitForTimeout(1_000);
  expect(page.url()).toBe(url);
  expect(received).toEqual([]);
  await page.mouse.click(atX, atY);
  await expect.poll(() => page.title()).toBe('received');
  expect(Object.fromEntries(received[0]!)).toHaveProperty('code');
});

test('a page of another site that opens a request does not end the one that waits', async () => {
  const host = startHost();
  const url = await host.question();
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const [waiting, other] = [await context.newPage(), await context.newPage()];
  await waiting.goto(url);
  await other.goto(`http://localhost:${new URL(callbackUrl).port}/other`);
  await other.evaluate(`location.href = ${JSON.stringify(url)}`);
  await other.getByLabel('Your API key').waitFor();
  await waiting.getByLabel('Your API key').fill(served.key);
  await waiting.keyboard.press('Enter');
  await expect.poll(() => waiting.title()).toBe('received');
  expect(Object.fromEntries(received[0]!)).toHaveProperty('code');
});

test('the page does not work in a frame of another page', async () => {
  const host = startHost();
  const problems: string[] = [];
  page.on('console', (message) => problems.push(message.text()));
  await page.goto(`${new URL(callbackUrl).origin}/frame?of=${encodeURIComponent(await host.question())}`);
  await expect.poll(() => problems.join()).toContain('frame-ancestors');
  expect(await page.frameLocator('iframe').locator('input[name=key]').count()).toBe(0);
});

test.each([
  ['light', 1_280],
  ['dark', 1_280],
  ['light', 320],
  ['dark', 320],
] as const)('the page passes axe in %s, %i pixels wide, and shows both choices at once', async (colorScheme, width) => {
  const host = startHost();
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 700 });
  await page.goto(await host.question());
  for (const isProblem of [false, true]) {
    if (isProblem) {
      await page.getByLabel('Your API key').fill('wrong');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').waitFor();
    }
    for (const name of ['Allow', 'Deny']) {
      const { y, height } = (await page.getByRole('button', { name }).boundingBox())!;
      expect([name, y >= 0, y + height <= 700]).toEqual([name, true, true]);
    }
    // The debugger runs this in the page, which the policy of the page does not prevent.
    await page.evaluate(axe.source);
    const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    if (process.env['PORTCULLIS_SCREENSHOTS'] !== undefined) {
      await page.screenshot({
        path: `${process.env['PORTCULLIS_SCREENSHOTS']}/approval-${colorScheme}-${width}-${isProblem}.png`,
      });
    }
  }
});
