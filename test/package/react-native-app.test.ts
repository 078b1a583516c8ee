import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { guideBlock } from '../../tools/guide-blocks.js';

/** State without a renderer: `begin` before each rendering. */
const react = `
const states = [];
let at = 0;
export const begin = () => { at = 0; };
export const useEffect = () => {};
export function useState(first) {
  const own = at++;
  if (!(own in states)) states[own] = first;
  return [states[own], (next) => { states[own] = next; }];
}
export const jsx = (type, props) => ({ type, props });
export const jsxs = jsx;
`;

interface Shown {
  readonly type: string;
  readonly props: {
    readonly children?: Shown[] | string;
    readonly onChangeText?: (text: string) => void;
    readonly onPress?: () => Promise<void>;
  };
}

/** The app of the guide with the list of its own that the guide shows. */
async function openApp(): Promise<{ answerTo(text: string): Promise<unknown> }> {
  // Not below node_modules, where esbuild ignores the names of tsconfig.tools.json.
  const folder = mkdtempSync(join(tmpdir(), 'native-app-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const page = 'docs/react-native.md';
  const [own = ''] = /^ +sources: \[textSource\(.+\)\],$/m.exec(readFileSync(page, 'utf8')) ?? [];
  const list = guideBlock(page, 'scam-check.js').replace(/^ +baseUrl: .+$/m, own);
  const files = {
    'react.js': react,
    'react-native.js': `export const AppState = {}, Button = 'Button', Text = 'Text', TextInput = 'TextInput', View = 'View';`,
    'mmkv-store.js': guideBlock(page, 'mmkv-store.js'),
    'scam-check.js': `import { textSource } from 'portcullis/sources';\n${list}`,
    'App.tsx': guideBlock(page, 'App.tsx'),
    'entry.ts': `export { default as App } from './App';\nexport { begin } from 'react';\nexport { blocklist } from './scam-check';`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  await build({
    entryPoints: [join(folder, 'entry.ts')],
    alias: {
      react: join(folder, 'react.js'),
      'react/jsx-runtime': join(folder, 'react.js'),
      'react-native': join(folder, 'react-native.js'),
      'react-native-mmkv': resolve('test/support/react-native/mmkv.ts'),
    },
    jsx: 'automatic',
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: join(folder, 'app.mjs'),
    tsconfig: 'tsconfig.tools.json',
  });
  const { App, begin, blocklist } = (await import(/* @vite-ignore */ pathToFileURL(join(folder, 'app.mjs')).href)) as {
    App(): Shown;
    begin(): void;
    blocklist: { ready(): Promise<void>; close(): Promise<void> };
  };
  onTestFinished(() => blocklist.close());
  await blocklist.ready();
  function part(type: string): Shown['props'] {
    begin();
    return (App().props.children as Shown[]).find((each) => each.type === type)!.props;
  }
  return {
    async answerTo(text) {
      part('TextInput').onChangeText!(text);
      await part('Button').onPress!();
      return part('Text').children;
    },
  };
}

test('the app of the guide calls a recipient clear only if it is an address that the list does not have', async () => {
  const { answerTo } = await openApp();
  const clean = '0x52908400098527886e0f7030069857d2e4169ee7';
  const listed = '0xbad0000000000000000000000000000000000bad';
  expect(await answerTo(clean)).toBe(`${clean}: clear`);
  expect(await answerTo(listed)).toBe(`${listed}: listed`);
  for (const text of ['', 'hello', 'vitalik.eth', clean.slice(0, -1), `https://pay.example/${clean}`])
    expect(await answerTo(text)).toBe(`${text}: undecided`);
});
