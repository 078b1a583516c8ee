import { ASSET_TYPES } from 'portcullis';
import { expect, test } from 'vitest';
import { plainTypeName, typeGroups } from '../../../apps/playground/asset-type-names.js';
import { checkAccess, openForAxe, openShared, text, type, usePages, verdict } from './page-harness.js';

usePages();

test('every asset type is in one group, under a plain name of its own', () => {
  const named = typeGroups.flatMap(({ types }) => types);
  expect(named.map((one) => one.type).sort()).toEqual([...ASSET_TYPES].sort());
  expect(new Set(named.map(({ name }) => name.toLowerCase())).size).toBe(ASSET_TYPES.length);
  for (const { name, host } of named) {
    expect(name).not.toMatch(/_|\b[A-Z]{5,}\b|\b(\w+) \1\b|^\s|\s$/);
    expect(host).toMatch(/^(?:[a-z\d-]+(?:\.[a-z\d-]+)+)?$/);
  }
  const plain = (['TELEGRAM', 'NPM', 'EMAIL', 'GOOGLE_APP_STORE', 'DISCORD_USER', 'META_AD'] as const).map(plainTypeName);
  expect(plain).toEqual([
    'Telegram user name',
    'npm package',
    'Email address',
    'Google Play app',
    'Discord user name',
    'Meta Ad',
  ]);
});

test('a type is chosen with the keyboard alone: by its name, its group or its code', async () => {
  const page = await openShared();
  await type(page, '@example_user');
  await verdict(page, 'unknown', 'unreadable');
  const button = page.getByRole('button', { name: /^Type: / });
  const dialog = page.getByRole('dialog', { name: 'What did you enter?' });
  const radios = dialog.getByRole('radio');
  const focused = () => page.evaluate('document.activeElement.id || document.activeElement.value');
  await button.press('Enter');
  expect(await focused()).toBe('types-search');
  expect(await radios.count()).toBe(ASSET_TYPES.length + 1);
  for (const [words, values] of [
    ['telegram user', ['TELEGRAM']],
    ['t.me', ['TELEGRAM']],
    ['google_ad', ['GOOGLE_AD']],
    ['ADVERTISEMENTS', ['META_AD', 'GOOGLE_AD', 'BING_AD']],
    ['bitcoin', ['ADDRESS']],
    // Neither finds the row "Detected from the text".
    ['x (tw', ['TWITTER']],
    ['detect', []],
    ['no such platform', []],
  ] as const) {
    await page.getByRole('searchbox').fill(words);
    expect(await radios.evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value)), words).toEqual(values);
  }
  expect(await text(page, 'types-found')).toBe('No type has this name.');
  await page.keyboard.press('Enter');
  expect(await dialog.isVisible()).toBe(true);
  await page.getByRole('searchbox').fill('telegram');
  await page.keyboard.press('Enter');
  await verdict(page, 'clear', 'not-listed');
  expect(await button.textContent()).toBe('Type: Telegram user name');
  expect(await button.evaluate((made) => made === document.activeElement)).toBe(true);

  // Arrows move the mark, and nothing is checked before Enter.
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  expect(await focused()).toBe('TELEGRAM');
  await page.keyboard.press('ArrowDown');
  expect(await focused()).toBe('WHATSAPP');
  await page.keyboard.press('Escape');
  expect(await dialog.isVisible()).toBe(false);
  expect(await button.textContent()).toBe('Type: Telegram user name');
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.locator('#journey', { hasText: 'Discord user name @example_user' }).waitFor();
  expect(await button.textContent()).toBe('Type: Discord user name');
  // An example is detected again.
  await page.getByRole('button', { name: 'Not listed' }).click();
  expect(await button.textContent()).toBe('Type: detected');
});

test('the dialog passes axe on a phone, and in the dark', async () => {
  const page = await openForAxe('light', 320);
  await page.getByRole('button', { name: 'Type: detected' }).click();
  await checkAccess(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('searchbox').fill('store');
  await checkAccess(page);
});
