import * as node from 'portcullis/client';
import { allOperations } from 'portcullis/client';
import { describe, expect, test, vi } from 'vitest';
import type { Answer, Recorded, ScriptedServer } from '../../support/scripted-server.js';
import { connect as connectClient, type Entry, enough, platforms, type Scene, type Script } from './client-harness.js';

type All = (input?: object, options?: node.CallOptions) => AsyncGenerator<unknown, void, void>;

interface Style {
  readonly list: string;
  readonly input: object;
  readonly size: 'limit' | 'per_page';
  readonly next: 'cursor' | 'next_page';
  readonly maxPageSize: number;
  /** The field of the response with the cursor of the next page, as documented. */
  readonly answer: 'nextCursor' | 'next_page';
  /** The field of the response with the items. */
  readonly items: string;
  readonly query: boolean;
}

const cursor = { size: 'limit', next: 'cursor', answer: 'nextCursor' } as const;
const nextPage = { size: 'per_page', next: 'next_page', answer: 'next_page' } as const;

/** Every operation with pages. */
const styles: readonly Style[] = [
  { list: 'reports.list', input: {}, ...cursor, maxPageSize: 20, items: 'reports', query: true },
  { list: 'detections.list', input: { slug: 's' }, ...cursor, maxPageSize: 100, items: 'detections', query: false },
  { list: 'deprecated.getOrganizationReports', input: { slug: 's' }, ...cursor, maxPageSize: 20, items: 'reports', query: false },
  { list: 'assets.list', input: { type: 'URL' }, ...nextPage, maxPageSize: 10_000, items: 'assets', query: false },
  { list: 'organization.assetsList', input: {}, ...nextPage, maxPageSize: 1_000, items: 'assets', query: true },
  { list: 'detections.threatsList', input: {}, ...nextPage, maxPageSize: 100, items: 'threats', query: false },
  { list: 'takedowns.list', input: {}, ...nextPage, maxPageSize: 100, items: 'takedowns', query: false },
];

async function connect(
  script: Script,
  options: Partial<node.ClientOptions> = {},
  entry: Entry = node,
): Promise<Scene & { allOf: (list: string) => All }> {
  const scene = await connectClient(entry, script, options);
  const groups = scene.client as unknown as Record<string, Record<string, All>>;
  const allOf = (list: string): All => {
    const [group = '', verb = ''] = list.split('.');
    return (...given) => idsOf(groups[group]![`${verb}All`]!(...given));
  };
  return { ...scene, allOf };
}

/** Items of a list are records; these tests write their ids alone. */
const recordsOf = (ids: readonly unknown[]): object[] => ids.map((id) => ({ id }));

async function* idsOf(items: AsyncIterable<unknown>): AsyncGenerator<unknown, void, void> {
  for await (const item of items) yield (item as { id: unknown }).id;
}

async function collect(source: AsyncIterable<unknown>, items: unknown[] = []): Promise<unknown[]> {
  for await (const item of source) items.push(item);
  return items;
}

/** What a request asks for, whether in its query or in its body. */
function askedIn({ url, body }: Recorded): Record<string, unknown> {
  return body.length > 0
    ? (JSON.parse(body.toString()) as Record<string, unknown>)
    : Object.fromEntries(new URL(url, 'http://h').searchParams);
}

describe.each(platforms)('%s', (platform, entry) => {
  // The platforms differ in the way of a request alone, which one operation shows.
  describe.each(platform === platforms[0]![0] ? styles : styles.slice(0, 1))(
    '$list',
    ({ list, input, size, next, maxPageSize, answer, items, query }) => {
      const page = (found: unknown[], more?: unknown): Answer => ({
        body: { [items]: recordsOf(found), ...(more !== undefined && { [answer]: more }) },
      });
      /** As sent in the request: a query is text, and so is a next_page. */
      const sent = (value: unknown): unknown => (query || next === 'next_page' ? String(value) : value);
      const operation = allOperations.find(({ group, verb }) => `${group}.${verb}` === list)!.name;
      const asked = (server: ScriptedServer): unknown[] => server.requests.map((request) => askedIn(request)[next]);

      test.each<[string, Answer[], unknown[], unknown[]]>([
        ['all pages in order', [page([1, 2], 'a'), page([3], 'b'), page([4, 5], null)], [1, 2, 3, 4, 5], [undefined, 'a', 'b']],
        ['one page without a cursor', [page([1])], [1], [undefined]],
        [
          'pages with numbers and strings as cursors',
          [page([1], 7), page([2], '8'), page([3], 0), page([4], null)],
          [1, 2, 3, 4],
          [undefined, sent(7), '8', sent(0)],
        ],
        ['a page after empty pages', [page([], 'a'), page([], 'b'), page([1], null)], [1], [undefined, 'a', 'b']],
        ['an empty list', [page([], null)], [], [undefined]],
      ])('yields the items of %s, requesting the largest pages', async (__, pages, expected, cursors) => {
        const { allOf, server } = await connect(pages, {}, entry);
        expect(await collect(allOf(list)(input))).toEqual(expected);
        expect(asked(server)).toEqual(cursors);
        for (const request of server.requests) {
          expect(askedIn(request)).toMatchObject({ ...input, [size]: query ? String(maxPageSize) : maxPageSize });
        }
      });

      test('uses the page size and the start of the input, and does not change it', async () => {
        const { allOf, server } = await connect([page([1], 'b'), page([2], null)], {}, entry);
        const given = Object.freeze({ ...input, [size]: 3, [next]: 'a' });
        expect(await collect(allOf(list)(given))).toEqual([1, 2]);
        expect(given).toEqual({ ...input, [size]: 3, [next]: 'a' });
        expect(server.requests.map((request) => [askedIn(request)[size], askedIn(request)[next]])).toEqual([
          [query ? '3' : 3, 'a'],
          [query ? '3' : 3, 'b'],
        ]);
      });

      test('rejects a repeated cursor after yielding the earlier items', async () => {
        const { allOf, server } = await connect([page([1], 'a'), page([2], 'b'), page([3], 'a')], {}, entry);
        const got: unknown[] = [];
        await expect(collect(allOf(list)(input), got)).rejects.toMatchObject({
          name: 'PortcullisError',
          code: 'INVALID_RESPONSE',
        });
        expect(got).toEqual([1, 2, 3]);
        expect(server.requests).toHaveLength(3);
      });

      test.each([
        { body: {} },
        { body: { [items]: null } },
        { body: { [items]: { 0: 1 } } },
        { body: [] },
        { body: 'null' },
        { body: { items: [{ id: 1 }] } },
        { body: { [items]: [1] } },
      ])('rejects a page without its list: %j', async (answered) => {
        const { allOf } = await connect([page([1], 'a'), answered], {}, entry);
        const run = allOf(list)(input);
        expect(await run.next()).toEqual({ done: false, value: 1 });
        await expect(run.next()).rejects.toMatchObject({ name: 'PortcullisError', code: 'INVALID_RESPONSE', operation });
        expect(await run.next()).toEqual({ done: true, value: undefined });
      });

      test('requests nothing before it is iterated, and nothing after a break', async () => {
        const { allOf, server } = await connect([page([1, 2, 3], 'a')], {}, entry);
        const run = allOf(list)(input);
        await new Promise((resolve) => setTimeout(resolve, 10));
        expect(server.requests).toHaveLength(0);
        for await (const item of run) if (item === 2) break;
        await new Promise((resolve) => setTimeout(resolve, 10));
        expect(server.requests).toHaveLength(1);
      });

      test('requests the next page only after the last item of this one', async () => {
        const { allOf, server } = await connect([page([1, 2], 'a'), page([3], null)], {}, entry);
        const run = allOf(list)(input);
        await run.next();
        await run.next();
        expect(server.requests).toHaveLength(1);
        expect(await run.next()).toEqual({ done: false, value: 3 });
        expect(server.requests).toHaveLength(2);
      });

      test('ends with the signal, even between pages', async () => {
        const { allOf, server } = await connect([page([1], 'a'), page([2], 'b')], {}, entry);
        const controller = new AbortController();
        const got: unknown[] = [];
        const run = async (): Promise<void> => {
          for await (const item of allOf(list)(input, { signal: controller.signal })) {
            got.push(item);
            controller.abort(new Error('enough'));
          }
        };
        await expect(run()).rejects.toMatchObject({ code: 'ABORTED', cause: new Error('enough') });
        expect(got).toEqual([1]);
        expect(server.requests).toHaveLength(1);
      });
    },
  );
});

describe('a cursor', () => {
  const reports = (...pages: object[]): Answer[] => pages.map((body) => ({ body }));

  test('is read from nextCursor, or from cursor as in older documentation', async () => {
    const { client, server } = await connect(
      reports(
        { reports: recordsOf([1]), cursor: 'a' },
        { reports: recordsOf([2]), nextCursor: null, cursor: 'b' },
        { reports: recordsOf([3]), nextCursor: 'c', cursor: 'x' },
        { reports: [], cursor: null },
      ),
    );
    expect(await collect(idsOf(client.reports.listAll()))).toEqual([1, 2, 3]);
    expect(server.requests.map((request) => askedIn(request)['cursor'])).toEqual([undefined, 'a', 'b', 'c']);
  });

  test('is sent with the type it had', async () => {
    const { client, server } = await connect(
      reports(
        { detections: recordsOf([1]), nextCursor: 5 },
        { detections: recordsOf([2]), nextCursor: '5' },
        { detections: recordsOf([3]) },
      ),
    );
    expect(await collect(idsOf(client.detections.listAll({ slug: 's' })))).toEqual([1, 2, 3]);
    expect(server.requests.map((request) => askedIn(request)['cursor'])).toEqual([undefined, 5, '5']);
  });

  // Regression: two equal objects were not recognized as a repeated cursor.
  test.each([[{ after: 5 }], [{}], [{ toString: 1, valueOf: 1 }], [true], [[1]], [[5]]])(
    'is INVALID_RESPONSE if it is neither a string nor a number: %j',
    async (more) => {
      const body = { reports: recordsOf([1]), nextCursor: more, threats: recordsOf([1]), next_page: more };
      const { client, server } = await connect(() => (server.requests.length > 20 ? { status: 418 } : { body }));
      await expect(collect(idsOf(client.reports.listAll()))).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
      await expect(collect(idsOf(client.detections.threatsListAll()))).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
    },
  );

  test.each([{ meta: { nextCursor: 2 } }, { pagination: { cursor: 'a', more: true } }])(
    'elsewhere does not end the list silently: %j',
    async (beside) => {
      const { client } = await connect([{ body: { reports: recordsOf([1]), ...beside } }]);
      const items: unknown[] = [];
      await expect(collect(idsOf(client.reports.listAll()), items)).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
      expect(items).toEqual([1]);
    },
  );
});

describe('empty pages', () => {
  /** A client whose service returns ever new cursors; every page that `isFull` accepts has an item. */
  function endless(isFull: (count: number) => boolean) {
    let count = 0;
    const fetch = async () => {
      count++;
      return Response.json({ reports: isFull(count) ? [{ id: count }] : [], nextCursor: count, totalCount: 0 });
    };
    const events: node.ClientEvent[] = [];
    const onEvent = (event: node.ClientEvent) => events.push(event);
    const client = node.createClient({ baseUrl: 'https://api.example', apiKey: 'k', fetch, retry: false, onEvent });
    return { client, events, count: () => count };
  }

  // Both went on forever, as fast as the service answered.
  test('end a list after 1,000 in a row', async () => {
    const { client, count } = endless(() => false);
    await expect(collect(client.reports.listAll())).rejects.toMatchObject({
      code: 'INVALID_RESPONSE',
      operation: 'organizationReportsList',
    });
    expect(count()).toBe(1_001);
  });

  test('end a poll of a watch, which then waits for the next one', async () => {
    const { client, events, count } = endless(() => false);
    const watching = collect(node.watch(client, 'reports', {}, { pollMs: 60_000 }));
    await vi.waitFor(() => expect(events.at(-1)).toMatchObject({ type: 'watch-error', error: { code: 'INVALID_RESPONSE' } }));
    await client.close();
    expect(await watching).toEqual([]);
    expect(count()).toBe(1_001);
  });

  test('between others are no reason to end', async () => {
    const { client } = endless((count) => count % 800 === 0);
    const list = client.reports.listAll();
    expect(await list.next()).toMatchObject({ value: { id: 800 } });
    expect(await list.next()).toMatchObject({ value: { id: 1_600 } });
  });
});

describe('pages', () => {
  test('use the slug, headers and retries of the call', async () => {
    const { client, server } = await connect(
      ({ headers }) =>
        server.requests.length === 2
          ? { status: 503 }
          : { body: { reports: recordsOf([headers['x-trace']]), nextCursor: server.requests.length < 3 ? 'a' : null } },
      { slug: 'of-client', retry: { delayMs: 1 } },
    );
    const items = await collect(idsOf(client.reports.listAll({}, { slug: 'of-call', headers: { 'x-trace': 't' } })));
    expect(items).toEqual(['t', 't']);
    expect(server.requests.map((request) => askedIn(request)['slug'])).toEqual(['of-call', 'of-call', 'of-call']);
  });

  test('throw their error after yielding the earlier items', async () => {
    const { client } = await connect([
      { body: { reports: recordsOf([1]), nextCursor: 'a' } },
      { status: 403, body: { message: 'no' } },
    ]);
    const run = client.reports.listAll();
    expect(await run.next()).toMatchObject({ value: { id: 1 } });
    await expect(run.next()).rejects.toMatchObject({ code: 'FORBIDDEN', operation: 'organizationReportsList' });
  });

  test('are rejected when the client is closed', async () => {
    const { client } = await connect([{ body: { reports: recordsOf([1]), nextCursor: 'a' } }]);
    const run = client.reports.listAll();
    await run.next();
    await client.close();
    await expect(run.next()).rejects.toMatchObject({ code: 'CLOSED' });
  });

  test.each([0, 21, 1.5, '5', Number.NaN])('cannot have a size of %j', async (limit) => {
    const { client, server } = await connect([{ body: enough }]);
    await expect(client.reports.listAll({ limit: limit as number }).next()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(server.requests).toHaveLength(0);
  });
});

test('only the paged operations have a second method that reads all pages', async () => {
  const { client } = await connect([{ body: enough }]);
  const groups = client as unknown as Record<string, Record<string, unknown>>;
  const methods = allOperations.flatMap(({ group }) => Object.keys(groups[group]!).map((verb) => `${group}.${verb}`));
  const all = [...new Set(methods)].filter((method) => method.endsWith('All')).sort();
  expect(all).toEqual(styles.map(({ list }) => `${list}All`).sort());
  expect(new Set(methods).size).toBe(65 + styles.length);
});
