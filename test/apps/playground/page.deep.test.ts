import { test } from 'vitest';
import { checkAccess, checkExample, judgeHostile, openForAxe, openShared, usePages } from './page-harness.js';

usePages();

const megabyte = 1 << 20;

test.each([
  ['letters', 'a'.repeat(megabyte)],
  ['links', 'https://a.example/ '.repeat(megabyte / 19)],
])('a megabyte of %s is shown as text and stays in its frame', async (_, hostile) => {
  const page = await openShared();
  await page.setViewportSize({ width: 320, height: 640 });
  await judgeHostile(page, hostile);
});

test.each([
  ['light', 320],
  ['light', 768],
  ['light', 1280],
  ['dark', 320],
  ['dark', 768],
  ['dark', 1280],
] as const)('the page passes axe in %s, %i pixels wide', async (colorScheme, width) => {
  const page = await openForAxe(colorScheme, width);
  await checkExample(page, 'A listed link', 'blocked');
  await checkExample(page, 'Not listed', 'clear');
  await checkExample(page, 'A private key', 'not-listable');
  await checkExample(page, 'A message', 'blocked');
  await page.getByRole('switch').click();
  await checkAccess(page, ['wcag2a', 'wcag2aa']);
});
