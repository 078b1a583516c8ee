import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Store } from 'portcullis/stores/key-value';
import { beforeEach, describe, expect, test } from 'vitest';
import { storeContract } from '../../../src/blocklist/stores/store-contract.js';
import { guideBlock } from '../../../tools/guide-blocks.js';
import { overPlaces } from './rows.js';

const standIn = (name: string): string => fileURLToPath(new URL(`../../support/react-native/${name}.ts`, import.meta.url));

/** What a stand-in shares with the test. */
interface GuideModule {
  readonly make: (place: string) => Store;
  readonly rows: Map<string, unknown>;
}

/** The code of the guide, with stand-ins for the native modules. */
async function guideModule(file: string, names: { make: string; rows: string; native: string }): Promise<GuideModule> {
  const result = await build({
    stdin: {
      contents: `${guideBlock('docs/react-native.md', file)}
        export { ${names.make} as make };
        export { ${names.rows} as rows } from '${names.native}';`,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    alias: {
      'react-native-mmkv': standIn('mmkv'),
      '@react-native-async-storage/async-storage': standIn('async-storage'),
      'portcullis/stores/key-value': fileURLToPath(new URL('../../../src/entry/store-key-value.ts', import.meta.url)),
    },
    bundle: true,
    format: 'esm',
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(result.outputFiles[0]!.contents).toString('base64')}`);
}

const mmkv = await guideModule('mmkv-store.js', { make: 'mmkvStore', rows: 'mmkvRows', native: 'react-native-mmkv' });
const asyncStorage = await guideModule('async-storage-store.js', {
  make: 'asyncStorageStore',
  rows: 'asyncStorageRows',
  native: '@react-native-async-storage/async-storage',
});

beforeEach(() => {
  mmkv.rows.clear();
  asyncStorage.rows.clear();
});

describe.each([
  { title: 'MMKV', module: mmkv, isAtomic: true },
  { title: 'AsyncStorage', module: asyncStorage, isAtomic: false },
])('the store of the guide over $title', ({ module, isAtomic }) => {
  let count = 0;
  const { over, again } = overPlaces(module.make);
  storeContract({ test, make: () => over(`store-${++count}`), again, isAtomic, lock: 'object', watch: 'object' });

  test('reads after a restart what it wrote, in rows that the storage can read', async () => {
    const bytes = Uint8Array.from({ length: 2_300_000 }, (_, at) => at * 31);
    const store = over('lists');
    await store.open();
    await store.write('list', bytes);
    await store.close();
    const next = again(store);
    await next.open();
    const read = await next.read('list');
    await next.close();
    expect(Buffer.compare(read!, bytes)).toBe(0);
  });
});

test('reports a full AsyncStorage as STORE_FULL and keeps what was stored before', async () => {
  const store = asyncStorage.make('lists');
  await store.open();
  await store.write('list', Uint8Array.of(1, 2, 3));
  await expect(store.write('list', new Uint8Array(6_000_000))).rejects.toMatchObject({ code: 'STORE_FULL' });
  expect(await store.read('list')).toEqual(Uint8Array.of(1, 2, 3));
  await store.close();
});
