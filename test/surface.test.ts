import { readFileSync } from 'node:fs';
import * as root from 'portcullis';
import * as assets from 'portcullis/assets';
import { ALGORITHM_NAMES } from 'portcullis/assets';
import * as core from 'portcullis/core';
import * as prefixes from 'portcullis/prefixes';
import { expect, test } from 'vitest';

/** What users hold on to. A change here is a change for them: CHANGELOG, and UPGRADING once there is a release. */
const assetNames = [
  'ALGORITHM_NAMES',
  'ASSET_TYPES',
  'PortcullisError',
  'canonicalizeUrl',
  'detectAssets',
  'expressionsOf',
  'hashOf',
  'isPortcullisError',
  'normalizeAsset',
  'prefixOf',
];
const prefixNames = ['HashSet', 'PortcullisError', 'PrefixSet', 'decodeArtifact', 'encodeArtifact', 'isPortcullisError'];

test.each([
  ['assets', assets, assetNames],
  ['prefixes', prefixes, prefixNames],
  ['root', root, [...new Set([...assetNames, ...prefixNames])].sort()],
  [
    'core',
    core,
    ['PortcullisError', 'PrefixSet', 'createAssets', 'evm', 'hashOf', 'isPortcullisError', 'prefixOf', 'safeBrowsing4'],
  ],
] as const)('%s exports what is written here and nothing else', (_, entry, names) => {
  expect(Object.keys(entry).sort()).toEqual([...names]);
});

test('one error class and one set class stand behind all entries', () => {
  expect(root.PortcullisError).toBe(core.PortcullisError);
  expect(prefixes.PrefixSet).toBe(core.PrefixSet);
});

test('the algorithms have the names lists announce', () => {
  expect(ALGORITHM_NAMES).toEqual(['portcullis-1', 'safe-browsing-4']);
});

test('the export map is the one documented', () => {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: object };
  expect(Object.keys(exports)).toEqual(['.', './core', './assets', './prefixes', './package.json']);
});
