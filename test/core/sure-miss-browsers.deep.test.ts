import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { links } from '../../bench/inputs.js';
import { isFirefoxWaived } from '../../tools/find-firefox.js';
import { edited } from '../support/arbitraries.js';
import { LINK_CLASSES } from '../support/browser-links.js';
import { type BrowserPage, openChromium, openFirefox, startEcho } from '../support/browser-pages.js';

const seed = Number(process.env['PORTCULLIS_SEED'] ?? Date.now() % 1_000_000);
const linkCount = 40_000;
const batchSize = 2_000;

/** What the page runs: which texts the fast path is sure of, and whether it looked up what the full path does. */
const program = `
  import { createSureMiss } from './core/sure-miss/sure-miss.js';
  import { portcullis1 } from './core/algorithms/portcullis-1.js';
  import { allFamilies } from './core/assets/all-families.js';
  import { prefixOf } from './core/hashing/prefix.js';
  const isSureMiss = createSureMiss(allFamilies);
  const { subjectsOf, carriedIn } = portcullis1(allFamilies);
  globalThis.differences = (texts) => {
    const different = [];
    let sure = 0;
    for (const text of texts) {
      const asked = [];
      if (!isSureMiss(text, (prefix) => asked.push(prefix) === 0, false)) continue;
      sure++;
      const full = [text, ...carriedIn(text)].flatMap((link) => subjectsOf(link).flat()).map(prefixOf);
      if (full.sort().join() !== asked.sort().join()) different.push(text);
    }
    return JSON.stringify({ sure, different });
  };
`;

describe.each([
  ['Chromium', openChromium, false],
  ['Firefox', openFirefox, isFirefoxWaived],
] as const)('the fast path in %s', (name, open, isWaived) => {
  let echo: Awaited<ReturnType<typeof startEcho>>;
  let page: BrowserPage;

  beforeAll(async () => {
    if (isWaived) return;
    echo = await startEcho();
    page = await open(echo.port);
    const { outputFiles } = await build({
      stdin: { contents: program, resolveDir: fileURLToPath(new URL('../../src', import.meta.url)) },
      bundle: true,
      write: false,
      format: 'iife',
      target: 'es2020',
    });
    await page.evaluate(`(() => { ${outputFiles[0]!.text}; return 'ready'; })()`);
  }, 60_000);

  afterAll(async () => {
    await page?.close();
    await echo?.close();
  });

  test.skipIf(isWaived)(
    `looks up what the full path does: ${linkCount} links, seed ${seed}`,
    async () => {
      const texts = fc.sample(fc.oneof(edited(fc.constantFrom(...links(2_000))), ...LINK_CLASSES.map(([, , some]) => some)), {
        numRuns: linkCount,
        seed,
      });
      let sure = 0;
      for (let at = 0; at < texts.length; at += batchSize) {
        const batch = JSON.stringify(texts.slice(at, at + batchSize));
        const found = JSON.parse(await page.evaluate(`differences(${batch})`)) as { sure: number; different: string[] };
        expect(found.different).toEqual([]);
        sure += found.sure;
      }
      expect(sure, name).toBeGreaterThan(linkCount / 20);
    },
    120_000,
  );
});
