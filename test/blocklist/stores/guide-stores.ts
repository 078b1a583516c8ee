import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { Store } from 'portcullis/stores';
import { guideBlock } from '../../../tools/guide-blocks.js';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** A store of docs/react-native.md over a stand-in for its native module. */
export interface GuideStores<StandIn> {
  make(place: string): Store;
  readonly standIn: StandIn;
}

export const mmkvStores = (): Promise<GuideStores<typeof import('../../support/react-native/mmkv.js')>> =>
  load('mmkv-store.js', 'mmkvStore', 'react-native-mmkv');

export const asyncStorageStores = (): Promise<GuideStores<typeof import('../../support/react-native/async-storage.js')>> =>
  load('async-storage-store.js', 'asyncStorageStore', '@react-native-async-storage/async-storage');

async function load<StandIn>(file: string, make: string, native: string): Promise<GuideStores<StandIn>> {
  const folder = mkdtempSync(join(tmpdir(), 'guide-stores-'));
  try {
    const outfile = join(folder, 'stores.mjs');
    await build({
      stdin: {
        contents: `${guideBlock('docs/react-native.md', file)}
          export { ${make} as make };
          export * as standIn from '${native}';`,
        resolveDir: path('.'),
      },
      alias: {
        'react-native-mmkv': path('../../support/react-native/mmkv.ts'),
        '@react-native-async-storage/async-storage': path('../../support/react-native/async-storage.ts'),
        'portcullis/stores': path('../../../src/entry/stores.ts'),
      },
      bundle: true,
      format: 'esm',
      outfile,
    });
    return await import(/* @vite-ignore */ pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
