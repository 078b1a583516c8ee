import { expect, test } from 'vitest';
import { bundledPackages, noticesOf, sbomOf } from '../../tools/bundled-packages.js';

const output = (inputs: Record<string, number>) => ({
  inputs: {},
  outputs: {
    'dist/x.js': {
      bytes: 1,
      imports: [],
      exports: [],
      inputs: Object.fromEntries(Object.entries(inputs).map(([file, bytesInOutput]) => [file, { bytesInOutput }])),
    },
  },
});

test('names each package whose code is in a bundle, once, and none whose code was left out', async () => {
  const packages = await bundledPackages({
    'cli.js': output({ 'src/a.ts': 9, 'node_modules/@noble/hashes/sha2.js': 5, 'node_modules/zod/v4/core.js': 0 }),
    'page.js': output({ 'node_modules/idb/build/index.js': 1, 'node_modules/@noble/hashes/utils.js': 5 }),
  });
  expect(packages.map(({ name, files }) => [name, files])).toEqual([
    ['@noble/hashes', ['cli.js', 'page.js']],
    ['idb', ['page.js']],
  ]);
  const notices = noticesOf(packages);
  expect(notices).toContain('Copyright (c) 2022 Paul Miller');
  expect(notices).toContain('Jake Archibald');
  expect(sbomOf(packages, '1.2.3')).toMatchObject({
    bomFormat: 'CycloneDX',
    metadata: { component: { purl: 'pkg:npm/portcullis@1.2.3' } },
    components: [
      { purl: expect.stringMatching(/^pkg:npm\/%40noble\/hashes@\d/), licenses: [{ license: { id: 'MIT' } }] },
      { purl: expect.stringMatching(/^pkg:npm\/idb@\d/), licenses: [{ license: { id: 'ISC' } }] },
    ],
  });
});

test('says that a bundle contains the Public Suffix List, which has a license of its own', async () => {
  const packages = await bundledPackages({ 'cli.js': output({ 'node_modules/tldts/dist/es6/index.js': 1 }) });
  expect(noticesOf(packages)).toMatch(/tldts [\d.]+ .*\n\n.*Mozilla Public License 2\.0/);
});
