import { build } from 'esbuild';
import { isPortcullisError } from 'portcullis';
import { createRelay, type RelayOptions } from 'portcullis/relay';
import { expect, test } from 'vitest';
import { key, publicUrl, relayed, versionFrom } from './relay-harness.js';

const good: RelayOptions = { baseUrl: 'https://api.example/v2', apiKey: key, publicUrl };
const codeOf = (options: unknown): string => {
  try {
    createRelay(options as RelayOptions);
    return 'none';
  } catch (error) {
    expect(String(error)).not.toContain(key);
    if (isPortcullisError(error)) return error.code;
    expect(error).toBeInstanceOf(TypeError);
    return 'TypeError';
  }
};

test.each([
  [{ baseUrl: 'http://localhost:1/' }],
  [{ publicUrl: 'http://127.0.0.1:1/list/' }],
  [{ publicUrl: 'HTTPS://Relay.example:8443/Some/v1.0/List' }],
  [{ baseUrl: 'http://api.internal', allowInsecureHttp: true }],
  [{ origins: [] }],
  [{ maxStaleMs: 0, confirmTtlMs: 0 }],
  [{ trustForwardedFor: 1, onEvent: undefined, fetch: undefined }],
])('accepts %j', (options) => {
  expect(codeOf({ ...good, ...options })).toBe('none');
});

const invalid = {
  baseUrl: [undefined, 'api.example', 'http://api.example', `https://${key}@api.example`, `https://api.example/?key=${key}`],
  publicUrl: [
    undefined,
    'http://relay.example',
    '/list',
    ...['my%20list', '/x', 'a/../b', '#a'].map((end) => `https://relay.example/${end}`),
  ],
  apiKey: [undefined, 7, '', `${key}\n`],
  origins: ['https://a.example', [7], ['*'], ['null'], ['https://a.example/']],
  clientOf: ['ip'],
  fetch: [1],
  now: [1],
  onEvent: [{}],
  versionTtlMs: ['60000', 999, Number.NaN],
  maxStaleMs: [86_400_001],
  confirmTtlMs: [-1],
  timeoutMs: [0],
  artifactTimeoutMs: [2 ** 31],
  maxCacheBytes: [0],
  maxPrefixes: [2_001, 1.5],
  clientPerMinute: [0],
  trustForwardedFor: [true, 0, 1.5, 11],
};

test.each(Object.entries(invalid).flatMap(([name, values]) => values.map((value: unknown) => [name, value] as const)))(
  'rejects %s: %j',
  (name, value) => {
    expect(codeOf({ ...good, [name]: value })).toBe('INVALID_INPUT');
  },
);

test('rejects options that are not an object', () => {
  for (const none of [undefined, null, 7]) expect(codeOf(none)).toBe('INVALID_INPUT');
});

test('ignores a listener that throws', async () => {
  const onEvent = (): never => {
    throw new Error('listener');
  };
  const { relay } = await relayed({ onEvent });
  await versionFrom(relay);
});

test('a bundle contains neither the API client nor zod, undici or platform code', async () => {
  const { metafile, outputFiles } = await build({
    entryPoints: ['src/entry/relay.ts'],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    metafile: true,
    write: false,
  });
  const parts = new Set(Object.keys(metafile.inputs).map((path) => /^src\/([\w-]+\/[\w-]+)/.exec(path)?.[1] ?? path));
  const own = [...parts].filter((part) => !/^node_modules\/@(?:noble\/hashes|scure\/base)\//.test(part)).sort();
  const core = [
    'algorithms',
    'assets',
    'base64',
    'bytes',
    'errors',
    'hashing',
    'http',
    'limits',
    'options',
    'prefixes',
    'slices',
    'token-bucket',
    'weighted-map',
  ];
  const blocklist = ['ask', 'formats', 'model', 'rules', 'sources', 'sync'];
  expect(own).toEqual([
    ...blocklist.map((part) => `blocklist/${part}`),
    ...core.map((part) => `core/${part}`),
    'entry/relay',
    'servers/http',
    'servers/relay',
  ]);
  expect(outputFiles[0]?.text).not.toMatch(/console\.|process\.|require\(/);
});
