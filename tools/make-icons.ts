/** Makes the icons of the extension from its drawing: npm run docs:icons */
import { readFileSync, writeFileSync } from 'node:fs';
import { chromium } from 'playwright';
import { findChromium } from './find-chromium.js';

const folder = 'examples/extension/icons';
const drawing = readFileSync(`${folder}/icon.svg`, 'utf8');
const executablePath = findChromium();
const browser = await chromium.launch({
  ...(executablePath === undefined ? {} : { executablePath }),
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
const page = await browser.newPage();
for (const size of [16, 32, 48, 128]) {
  // The Chrome Web Store wants 96 pixels with a margin of 16: https://developer.chrome.com/docs/webstore/images
  const margin = size === 128 ? 16 : 0;
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(`<style>body { margin: ${margin}px } svg { display: block }</style>${drawing}`);
  writeFileSync(`${folder}/${size}.png`, await page.screenshot({ omitBackground: true }));
}
await browser.close();
