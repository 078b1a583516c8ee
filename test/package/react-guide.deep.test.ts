import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { chromium } from 'playwright';
import ts from 'typescript';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { findChromium } from '../../tools/find-chromium.js';
import { guideBlock } from '../../tools/guide-blocks.js';

/** Where `npm run pretest:deep` installs React. */
const modules = resolve('tools/site/node_modules');

/** An app over the files of the guide, whose list the test changes. */
const app = `
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { SafeLink } from './safe-link';
import { blocklist } from './scam-check';

function App() {
  const [href, setHref] = useState('https://evil.example/');
  return <><input aria-label="Link" value={href} onChange={({ target }) => setHref(target.value)} /><SafeLink href={href}>a link</SafeLink></>;
}
const root = createRoot(document.querySelector('#root')!);
root.render(<StrictMode><App /></StrictMode>);
Object.assign(globalThis, { blocklist, unmount: () => root.unmount() });
`;

/** Instead of the guide's, which needs a relay. It counts listeners, which must all be removed. */
const listOfTest = `
import { createBlocklist } from 'portcullis';
import { textSource } from 'portcullis/sources';

let text = 'other.example';
export const blocklist = createBlocklist({ sources: [textSource({ id: 'test', read: async () => text })], pollMs: 0 });
let listeners = 0;
const { on } = blocklist;
blocklist.on = ((...args: Parameters<typeof on>) => {
  listeners++;
  const stop = on.apply(blocklist, args);
  return () => { listeners--; stop(); };
}) as typeof on;
Object.assign(globalThis, { listen: () => listeners, list: (next: string) => { text = next; return blocklist.sync(); } });
void blocklist.ready();
`;

let folder: string;

beforeAll(() => {
  // Not below node_modules, where esbuild ignores the names of tsconfig.tools.json.
  folder = mkdtempSync(join(tmpdir(), 'portcullis-react-'));
  for (const file of ['scam-check.ts', 'use-verdict.ts', 'safe-link.tsx'])
    writeFileSync(join(folder, file), guideBlock('docs/react.md', file));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the files of the guide compile against the types of React', () => {
  writeFileSync(
    join(folder, 'wrong.tsx'),
    "import { useVerdict } from './use-verdict';\nexport const wrong = <a href={useVerdict('evil.example')}>a</a>;\n",
  );
  const { config } = ts.readConfigFile('tsconfig.tools.json', ts.sys.readFile) as {
    config: { compilerOptions: { paths: Record<string, string[]> } };
  };
  const ours = Object.entries(config.compilerOptions.paths).map(([name, files]) => [name, files.map((file) => resolve(file))]);
  const program = ts.createProgram(
    ['safe-link.tsx', 'scam-check.ts', 'wrong.tsx'].map((file) => join(folder, file)),
    {
      strict: true,
      // The sources of the package are compiled too.
      exactOptionalPropertyTypes: true,
      noEmit: true,
      jsx: ts.JsxEmit.ReactJSX,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      skipLibCheck: true,
      types: ['node'],
      paths: {
        ...Object.fromEntries(ours),
        react: [join(modules, '@types/react')],
        'react/*': [join(modules, '@types/react/*')],
      },
    },
  );
  const faults = ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => ({
    file: file?.fileName.slice(folder.length + 1),
    text: ts.flattenDiagnosticMessageText(messageText, '\n'),
  }));
  expect(faults.filter(({ file }) => file !== 'wrong.tsx')).toEqual([]);
  // Otherwise the check proves nothing.
  expect(faults).not.toEqual([]);
});

test('a link becomes blocked when the list changes, also in strict mode, and no listener stays', async () => {
  writeFileSync(join(folder, 'app.tsx'), app);
  writeFileSync(join(folder, 'scam-check.ts'), listOfTest);
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'app.tsx')],
    bundle: true,
    write: false,
    format: 'iife',
    jsx: 'automatic',
    nodePaths: [modules],
    define: { 'process.env.NODE_ENV': '"development"' },
    tsconfig: 'tsconfig.tools.json',
  });
  const browser = await chromium.launch({
    executablePath: findChromium() ?? 'chromium',
    args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-gpu'],
  });
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const faults: string[] = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(String(error)));
  await page.setContent('<div id="root"></div>');
  await page.addScriptTag({ content: outputFiles[0]!.text });

  await page.locator('a[href="https://evil.example/"]').waitFor();
  await page.evaluate("list('evil.example')");
  await page.locator('s[title="known scam: listed"]').waitFor();
  await page.getByLabel('Link').fill('https://good.example/');
  await page.locator('a[href="https://good.example/"]').waitFor();
  await page.getByLabel('Link').fill('login.evil.example');
  await page.locator('s').waitFor();
  await page.evaluate("list('other.example')");
  await page.locator('a[href="login.evil.example"]').waitFor();
  expect(await page.evaluate('listen()')).toBe(2);
  await page.evaluate('unmount()');
  expect(await page.evaluate('listen()')).toBe(0);
  expect(faults).toEqual([]);
});
