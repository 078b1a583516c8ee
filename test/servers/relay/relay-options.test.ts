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
  [{ staleMaxMs: 0, confirmTtlMs: 0 }],
  [{ trustForwardedFor: 1, onEvent: undefined, fetch: undefined }],
])('accepts %j', (options) => {
  expect(codeOf({ ...good, ...options })).toBe('none');
});

test.each<[object, string]>([
  [{ baseUrl: undefined }, 'TypeError'],
  [{ publicUrl: undefined }, 'TypeError'],
  [{ apiKey: undefined }, 'TypeError'],
  [{ apiKey: 7 }, 'TypeError'],
  [{ origins: 'https://a.example' }, 'TypeError'],
  [{ origins: [7] }, 'TypeError'],
  [{ clientOf: 'ip' }, 'TypeError'],
  [{ fetch: 1 }, 'TypeError'],
  [{ now: 1 }, 'TypeError'],
  [{ onEvent: {} }, 'TypeError'],
  [{ versionTtlMs: '60000' }, 'TypeError'],
  [{ trustForwardedFor: true }, 'TypeError'],
  [{ baseUrl: 'api.example' }, 'INVALID_INPUT'],
  [{ baseUrl: 'http://api.example' }, 'INVALID_INPUT'],
  [{ baseUrl: `https://${key}@api.example` }, 'INVALID_INPUT'],
  [{ baseUrl: `https://api.example/?key=${key}` }, 'INVALID_INPUT'],
  [{ publicUrl: 'http://relay.example' }, 'INVALID_INPUT'],
  [{ publicUrl: '/list' }, 'INVALID_INPUT'],
  [{ publicUrl: 'https://relay.example/my%20list' }, 'INVALID_INPUT'],
  [{ publicUrl: 'https://relay.example//x' }, 'INVALID_INPUT'],
  [{ publicUrl: 'https://relay.example/a/../b' }, 'INVALID_INPUT'],
  [{ publicUrl: 'https://relay.example/#a' }, 'INVALID_INPUT'],
  [{ apiKey: '' }, 'INVALID_INPUT'],
  [{ apiKey: `${key}\n` }, 'INVALID_INPUT'],
  [{ origins: ['*'] }, 'INVALID_INPUT'],
  [{ origins: ['null'] }, 'INVALID_INPUT'],
  [{ origins: ['https://a.example/'] }, 'INVALID_INPUT'],
  [{ versionTtlMs: 999 }, 'INVALID_INPUT'],
  [{ versionTtlMs: Number.NaN }, 'INVALID_INPUT'],
  [{ staleMaxMs: 86_400_001 }, 'INVALID_INPUT'],
  [{ confirmTtlMs: -1 }, 'INVALID_INPUT'],
  [{ timeoutMs: 0 }, 'INVALID_INPUT'],
  [{ artifactTimeoutMs: 2 ** 31 }, 'INVALID_INPUT'],
  [{ cacheBytesMax: 0 }, 'INVALID_INPUT'],
  [{ prefixesMax: 2_001 }, 'INVALID_INPUT'],
  [{ clientPerMinute: 0 }, 'INVALID_INPUT'],
  [{ trustForwardedFor: 0 }, 'INVALID_INPUT'],
  [{ trustForwardedFor: 1.5 }, 'INVALID_INPUT'],
  [{ trustForwardedFor: 11 }, 'INVALID_INPUT'],
])('rejects %j with %s', (options, code) => {
  expect(codeOf({ ...good, ...options })).toBe(code);
});

test('rejects options that are not an object', () => {
  for (const none of [undefined, null, 7]) expect(codeOf(none)).toBe('TypeError');
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
  const core = ['algorithms', 'assets', 'bytes', 'errors', 'hashing', 'http', 'limits', 'prefixes', 'slices', 'token-bucket'];
  const blocklist = ['formats', 'generation', 'sources', 'sync'];
  expect(own).toEqual([
    ...blocklist.map((part) => `blocklist/${part}`),
    ...core.map((part) => `core/${part}`),
    'entry/relay',
    'servers/relay',
  ]);
  expect(outputFiles[0]?.text).not.toMatch(/console\.|process\.|require\(/);
});
