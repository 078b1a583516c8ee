import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Api, makeApi } from '../../tools/site/api-pages.js';

describe('the API reference', () => {
  let api: Api;

  beforeAll(async () => {
    api = await makeApi();
  });

  test('has a page for each entry of the package', () => {
    const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, unknown> };
    const entries = Object.keys(exports).filter((path) => path !== './package.json');
    expect(api.pages.size).toBe(entries.length + 1);
  });

  test('has a comment for every export and no broken link', () => {
    expect(api.warnings).toEqual([]);
  });

  test('has no section that only says where an export comes from', () => {
    for (const [name, text] of api.pages) expect(text, name).not.toMatch(/Re-exports|^## References/m);
    expect(api.pages.get('assets.md')).toContain(
      '| [`canonicalizeUrl`](portcullis.md#canonicalizeurl-1) | The canonical host, path',
    );
  });

  test('contains no path of the machine it was made on', () => {
    for (const text of api.pages.values()) expect(text).not.toMatch(/\/(tmp|home|Users)\/|src\/entry/);
  });
});
