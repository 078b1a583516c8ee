import { createClient, openApi } from 'portcullis/client';
import { describe, expect, test } from 'vitest';

const clientWith = (body: string, onEvent?: (event: { type: string; issues?: readonly unknown[] }) => void) =>
  createClient({
    baseUrl: 'https://api.example',
    apiKey: 'a-key-of-the-tests',
    retry: false,
    fetch: async () => new Response(body),
    ...(onEvent && { onEvent }),
  });

describe('a response with a million invalid values', () => {
  const wrong = (count: number): string => JSON.stringify({ assets: new Array(count).fill({}) });

  test('is returned unchanged, with one event', async () => {
    const issues: number[] = [];
    const client = clientWith(wrong(1_000_000), (event) => issues.push(event.issues?.length ?? 0));
    expect((await client.assets.list({ type: 'URL' })).assets).toHaveLength(1_000_000);
    // One for each field that is missing.
    expect(issues).toEqual([5]);
  });

  test('is not checked without onEvent', async () => {
    const body = wrong(1_000_000);
    const startedMs = performance.now();
    JSON.parse(body);
    const readMs = performance.now() - startedMs;
    const client = clientWith(body);
    const calledMs = performance.now();
    await client.assets.list({ type: 'URL' });
    // Decoding and copying take several times as long as parsing; checking every item would take thousands of times as long.
    expect(performance.now() - calledMs).toBeLessThan(100 * readMs + 1_000);
  });

  test('does not fail the call, however deeply they are nested', async () => {
    const body = `{"reports":[{"proposals":${JSON.stringify(new Array(200_000).fill({}))}}],"nextCursor":null}`;
    expect((await clientWith(body, () => {}).reports.list({ limit: 1 })).reports).toHaveLength(1);
    const nested = `{"assets":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    await expect(clientWith(nested, () => {}).assets.list({ type: 'URL' })).resolves.toBeDefined();
  });
});

test('an input with a hundred thousand invalid values is rejected', async () => {
  const assetContents = new Array(130_000).fill(1) as unknown as string[];
  await expect(clientWith('{}').reports.search({ assetContents })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});

test('an input that JSON cannot represent is rejected', async () => {
  const circle: Record<string, unknown> = {};
  circle['me'] = circle;
  const client = clientWith('{}');
  for (const value of [
    1n,
    circle,
    {
      toJSON: () => {
        throw new Error('no');
      },
    },
  ]) {
    await expect(client.account.userMeUpdate({ value })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      operation: 'userMeUpdate',
    });
  }
});

test('truncating a long message leaves no part of the key', async () => {
  const message = `${'x'.repeat(1_990)}a-key-of-the-tests`;
  const client = createClient({
    baseUrl: 'https://api.example',
    apiKey: 'a-key-of-the-tests',
    fetch: async () => Response.json({ message }, { status: 400 }),
  });
  const error = (await client.assets.check({ content: 'a' }).catch((caught: unknown) => caught)) as Error;
  expect(error.message).toBe(`${'x'.repeat(1_990)}[key]`);
});

test('a signal that is not an AbortSignal is rejected at once', async () => {
  const signal = new AbortController() as unknown as AbortSignal;
  await expect(clientWith('{}').assets.check({ content: 'a' }, { signal, deadlineMs: 20 })).rejects.toThrow(
    'signal must be an AbortSignal',
  );
  await new Promise((resolve) => setTimeout(resolve, 40));
});

test('the OpenAPI document forbids unknown fields in fully documented inputs and allows them in every response', () => {
  const { paths } = openApi() as {
    paths: Record<string, Record<string, { responses: Record<string, unknown>; requestBody?: unknown }>>;
  };
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  for (const { responses } of operations) expect(JSON.stringify(responses['200'])).not.toContain('"additionalProperties":false');
  expect(JSON.stringify(paths['/asset/check']?.['post']?.requestBody)).toContain('"additionalProperties":false');
});
