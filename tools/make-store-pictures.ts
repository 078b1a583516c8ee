/** Makes the pictures that the stores show, from the extension in Chromium: npm run docs:store -- [folder] */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildList } from 'portcullis/publish';
import { extensionUrl, startChromium, untilBlocked } from '../test/guards/extension/guarded-chromium.js';
import { packExample } from './pack-extension.js';

const [folder = 'store-pictures'] = process.argv.slice(2);
// https://developer.chrome.com/docs/webstore/images
const size = { width: 1_280, height: 800 };
const entries = ['scam.example', ...Array.from({ length: 20_000 }, (_, at) => `scam-${at}.example`)];
const { files } = await buildList(entries, { isPublicSuffix: () => false });
const list = new Map([...files].map(({ name, bytes }) => [`/${name}`, bytes]));

const server = createServer(({ url = '' }, response) => {
  const bytes = list.get(url);
  response.writeHead(bytes === undefined ? 404 : 200, { 'access-control-allow-origin': '*' }).end(bytes);
});
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
const { port } = server.address() as AddressInfo;
const work = mkdtempSync(join(tmpdir(), 'store-pictures-'));
mkdirSync(folder, { recursive: true });
try {
  await packExample(`http://127.0.0.1:${port}`, 'chromium', work);
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await startChromium(join(work, colorScheme), join(work, 'chromium'), port, { colorScheme });
    await untilBlocked(context, 'This page is a known scam');
    const page = await context.newPage();
    await page.setViewportSize(size);
    const shoot = async (name: string): Promise<void> => {
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
    };
    await page.goto('http://scam.example/claim-your-reward').catch(() => {});
    await page.locator('#warning').waitFor();
    await shoot('warning');
    await page.goto(extensionUrl(context, 'options.html'));
    const address = page.locator('#url');
    while ((await address.inputValue()) === '') await page.waitForTimeout(50);
    await address.fill('https://lists.example/scams');
    await shoot('options');
    await page.goto(extensionUrl(context, `popup.html#${encodeURIComponent('https://scam.example/claim-your-reward')}`));
    await page.locator('#result.blocked').waitFor();
    // The popup is a small window. In the middle of a page and larger, it can be read.
    await page.evaluate(() => {
      Object.assign(document.body.style, { display: 'grid', placeContent: 'center', minHeight: '100vh' });
      Object.assign(document.querySelector('main')!.style, { zoom: '1.5', outline: '1px solid #8a8f99' });
    });
    await shoot('popup');
    await context.close();
  }
} finally {
  server.close();
  server.closeAllConnections();
  rmSync(work, { recursive: true, force: true });
}
