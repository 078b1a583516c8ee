import { allOperations, assets, type ClientOptions, createPartialClient } from 'portcullis/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { clientAt, enough, failed, platforms } from './client-harness.js';
import { connectLoose as connect, jsonOf, type Loose } from './loose-client.js';
import { anything, figures, samples, time } from './operation-samples.js';

const withRoute = allOperations.filter(({ path }) => path !== null);
const routeOf = (name: keyof typeof samples): string => {
  const { method, path } = withRoute.find((row) => row.name === name)!;
  return (samples[name]!.route ?? `${method} ${path}`).replace(' ', ' /v2');
};

test('every operation with a route has a sample', () => {
  expect(Object.keys(samples).sort()).toEqual(withRoute.map(({ name }) => name).sort());
});

test.each(platforms)('text of any script is sent and received unchanged: %s', async (_, entry) => {
  const content = 'päypal.example/\u{1f4b0} "quoted" \\ \u2028 \ud83d';
  const { client, server } = await connect([{ body: { id: 'd', content: '\u{1f4b0}ü' } }], {}, entry);
  expect(await client.disputes.create({ content })).toEqual({ id: 'd', content: '\u{1f4b0}ü' });
  expect(jsonOf(server.requests[0]!)).toEqual({ content });
});

describe('the slug', () => {
  const ofClient = { slug: 'of-client' };
  const ofCall = { slug: 'of-call' };

  test.each<[string, string, object?]>([
    ['metricsFound', '/metrics/found {"slug":"of-client"}'],
    ['assetSubmit', '/asset/submit {"assets":["a"],"organizationSlug":"of-client"}', { assets: ['a'] }],
    [
      'reportCreate',
      '/report/create {"assets":[{"content":"a"}],"organizationSlug":"of-client"}',
      { assets: [{ content: 'a' }] },
    ],
    ['getOrganizationMetrics', '/public/getOrganizationMetrics {"organizationSlug":"of-client"}'],
    ['detectionSourcesList', '/detection/sources?slug=of-client '],
    ['userOrgsGet', '/user/orgs/of-client '],
    // The organizations of the input replace it.
    ['organizationMetricsList', '/organization/metrics?slugs=a&slugs=b ', { slugs: ['a', 'b'] }],
  ])('is sent under the field name that %s uses: %s', async (name, sent, input = {}) => {
    const { loose, server } = await connect([{ body: enough }], ofClient);
    await loose.request(name, Object.freeze(input));
    expect(server.requests.map(({ url, body }) => `${url} ${body.toString()}`)).toEqual([`/v2${sent}`]);
  });

  test.each<[string, object, object, Partial<ClientOptions>]>([
    ['of-call', {}, ofCall, ofClient],
    ['of-input', { slug: 'of-input' }, ofCall, ofClient],
    ['of-call', { slug: undefined }, ofCall, ofClient],
    ['of-call', {}, ofCall, {}],
  ])('is %s for the input %j, the call %j and the client %j', async (slug, input, call, options) => {
    const { loose, server } = await connect([{ body: enough }], options);
    await loose['metrics']!['found']!(input, call);
    await loose.request('metricsFound', input, call);
    expect(server.requests.map(jsonOf)).toEqual([{ slug }, { slug }]);
  });

  test.each(allOperations.filter((row) => row.slugAs === null && row.path !== null).map(({ name }) => name))(
    'is not sent with %s, which takes none',
    async (name) => {
      const { loose, server } = await connect([{ body: enough }], ofClient);
      await loose.request(name, samples[name]!.input, ofCall);
      expect(`${server.requests[0]!.method} ${server.requests[0]!.url}`).toBe(routeOf(name));
      expect(server.requests[0]!.body.toString()).not.toMatch(/of-client|of-call/);
    },
  );

  test('is named in the error if it is required and missing', async () => {
    const { client, server } = await connect([{ body: enough }]);
    await expect(client.detections.list()).rejects.toMatchObject({ code: 'INVALID_INPUT', issues: [{ path: 'slug' }] });
    expect(server.requests).toHaveLength(0);
  });
});

describe('a response', () => {
  test('keeps unknown fields at any depth, without an event', async () => {
    const answer = {
      status: 'BLOCKED',
      source: 'seal',
      sources: [{ source: 'seal', status: 'BLOCKED', since: time }],
      score: { of: [1, 2] },
    };
    const { client, events } = await connect([{ body: answer }]);
    expect(await client.assets.check({ content: 'a' })).toEqual(answer);
    expect(events).toEqual([]);
  });

  test.each([
    { status: 'BLOCKED' },
    { status: 'ALLOWED', source: null, sources: 'none' },
    { status: 'BLOCKED', source: 'seal', sources: [{ source: 1 }, { status: 2 }] },
  ])('is returned unchanged, with one event, if its shape is unexpected: %j', async (answer) => {
    const { client, events } = await connect([{ body: JSON.stringify(answer) }]);
    expect(await client.assets.check({ content: 'a' })).toEqual(answer);
    expect(events).toMatchObject([{ type: 'response-mismatch', operation: 'assetCheck' }]);
    const { issues } = events[0] as unknown as { issues: { path: string; message: string }[] };
    expect(issues.length).toBeGreaterThan(0);
    for (const issue of issues) expect(issue).toEqual({ path: expect.any(String), message: expect.stringMatching(/./) });
  });

  test('emits an event for each new value of the field by which the caller decides', async () => {
    const { client, events } = await connect([
      { body: { status: 'BLOCKLISTED', source: 'seal', sources: [] } },
      { body: { status: 'WARNED key-of-the-tests', source: 'seal', sources: [] } },
      { body: { status: 'BLOCKED', source: 'new-feed', sources: [] } },
      { body: { asset: { id: 5, status: 'BLOCKLISTED' }, reports: [] } },
    ]);
    for (const content of ['a', 'b', 'c']) await client.assets.check({ content });
    await client.assets.search({ assetId: 5 });
    expect(events.filter(({ type }) => type === 'unknown-value')).toEqual([
      { type: 'unknown-value', operation: 'assetCheck', field: 'status', value: 'BLOCKLISTED' },
      { type: 'unknown-value', operation: 'assetCheck', field: 'status', value: 'WARNED [key]' },
      { type: 'unknown-value', operation: 'assetSearch', field: 'asset.status', value: 'BLOCKLISTED' },
    ]);
  });

  test('emits one event for each operation and field whose shape is unexpected', async () => {
    const wrong = { status: 'BLOCKED', sources: [{ source: 1, status: 'BLOCKED' }] };
    const { client, events } = await connect([
      { body: wrong },
      { body: wrong },
      { body: { ...wrong, sources: [...wrong.sources, { source: 2, status: 3 }] } },
      { body: { status: 'UNKNOWN', reportId: 'five' } },
    ]);
    for (const content of ['a', 'b', 'c']) await client.assets.check({ content });
    await client.deprecated.assetDetails({ content: 'd' });
    const found = events.flatMap((event) =>
      event.type === 'response-mismatch' ? [[event.operation, ...event.issues.map(({ path }) => path)]] : [],
    );
    expect(found).toEqual([
      ['assetCheck', 'source', 'sources[0].source'],
      ['assetCheck', 'sources[1].status'],
      ['assetDetails', 'reportId'],
    ]);
  });

  test('may be null for an unknown asset', async () => {
    const { client, events } = await connect([{ body: 'null' }]);
    expect(await client.assets.parse({ content: 'a' })).toBeNull();
    expect(events).toEqual([]);
  });
});

describe('deprecation', () => {
  test('emits one event per operation and client, with the replacement', async () => {
    const { client, events } = await connect(({ url }) => ({ body: url.endsWith('details') ? { status: 'UNKNOWN' } : figures }));
    for (let count = 0; count < 3; count++) {
      await client.deprecated.assetDetails({ content: 'a' });
      await client.request('getOrganizationMetrics', { organizationSlug: 'a' });
    }
    expect(events).toEqual([
      { type: 'deprecated', operation: 'assetDetails', replacement: ['assetCheck', 'assetSearch'] },
      { type: 'deprecated', operation: 'getOrganizationMetrics', replacement: ['organizationMetricsList'] },
    ]);
    const other = await connect([{ body: { status: 'UNKNOWN' } }]);
    await other.client.deprecated.assetDetails({ content: 'a' });
    expect(other.events).toHaveLength(1);
  });

  test.each([
    [{ Deprecation: '@1767225600', Sunset: 'Wed, 31 Mar 2027 00:00:00 GMT' }, '@1767225600', 'Wed, 31 Mar 2027 00:00:00 GMT'],
    [{ deprecation: 'true' }, 'true', null],
    [{ sunset: 'soon' }, null, 'soon'],
  ])('emits one event per operation for response headers: %j', async (headers, deprecation, sunset) => {
    const { client, events } = await connect([{ headers: headers as Record<string, string>, body: anything }]);
    await client.account.validate();
    await client.account.validate();
    await client.account.userMe();
    expect(events).toEqual([
      { type: 'deprecation-header', operation: 'validate', deprecation, sunset },
      { type: 'deprecation-header', operation: 'userMe', deprecation, sunset },
    ]);
  });

  test('emits one event for concurrent calls', async () => {
    const { client, events } = await connect([{ headers: { deprecation: 'true' }, body: { status: 'UNKNOWN' } }]);
    await Promise.all([1, 2, 3].map(() => client.deprecated.assetDetails({ content: 'a' })));
    expect(events.map(({ type }) => type).sort()).toEqual(['deprecated', 'deprecation-header']);
  });

  test('does not fail a call, even if onEvent throws', async () => {
    const { client } = await connect([{ body: { status: 'UNKNOWN' } }], {
      onEvent: () => {
        throw new Error('listener');
      },
    });
    expect(await client.deprecated.assetDetails({ content: 'a' })).toEqual({ status: 'UNKNOWN' });
  });
});

describe('routes', () => {
  test('fail with PATH_UNKNOWN if they are not published', async () => {
    const { client, server } = await connect([{ body: enough }]);
    await expect(client.metrics.blockedByFirstReportSource()).rejects.toMatchObject({
      code: 'PATH_UNKNOWN',
      operation: 'metricsBlockedByFirstReportSource',
    });
    expect(server.requests).toHaveLength(0);
  });

  test('can be set as method and path', async () => {
    const { client, server } = await connect([{ body: anything }], {
      paths: { metricsBlockedByFirstReportSource: 'POST /metrics/by-source' },
    });
    expect(await client.metrics.blockedByFirstReportSource({ slug: 'acme', days: 3 })).toEqual(anything);
    expect(server.requests[0]).toMatchObject({ method: 'POST', url: '/v2/metrics/by-source' });
    expect(jsonOf(server.requests[0]!)).toEqual({ slug: 'acme', days: 3 });
  });

  test('set as a path alone keep their method, and stay unknown without one', async () => {
    const { client, server } = await connect([{ body: enough }], {
      paths: { assetCheck: '/v3/check', metricsBlockedByFirstReportSource: '/metrics/by-source' },
    });
    await client.assets.check({ content: 'a' });
    expect(server.requests[0]).toMatchObject({ method: 'POST', url: '/v2/v3/check' });
    await expect(client.metrics.blockedByFirstReportSource()).rejects.toMatchObject({ code: 'PATH_UNKNOWN' });
  });

  test('may turn a body into a query and back, and move a parameter', async () => {
    const { client, server } = await connect([{ body: enough }], {
      paths: {
        assetCheck: 'GET /assets/{content}',
        userOrgsGet: 'POST /orgs/get',
        assetDetails: 'GET /details',
        organizationAssetsUpdate: 'PATCH /a/{assetId}/b',
      },
    });
    await client.assets.check({ content: 'a/b' });
    await client.account.userOrgsGet({ slug: 'acme' });
    await client.deprecated.assetDetails({ content: 'a b' });
    await client.organization.assetsUpdate({ assetId: 5, name: 'x' });
    expect(server.requests.map(({ method, url, body }) => `${method} ${url} ${body.toString()}`)).toEqual([
      'GET /v2/assets/a%2Fb ',
      'POST /v2/orgs/get {"slug":"acme"}',
      'GET /v2/details?content=a%20b ',
      'PATCH /v2/a/5/b {"assetId":5,"name":"x"}',
    ]);
  });

  const wrongPaths = [
    // These are neither a path nor a method with a path.
    ...['x', '', 'PUT /x', 'post /x', 'POST  /x', 'POST x', 'POST', ' /x', 'POST /x y', null, 5],
    // These contain characters that are invalid in a path.
    ...['/x?y', '/x#y', '/x y', '/x\r\nx-evil: 1', '/x\n', '\n/x', '/x\u0000y', '/x\u007fy', '/ü'],
    // This leads to another origin.
    ...[
      '/\\elsewhere.example',
      '/../x',
      '/x/%2E%2e',
      'https://elsewhere.example/x',
      '@elsewhere.example/x',
      '.elsewhere.example',
    ],
  ];

  test.each([{ noSuchOperation: '/x' }, { assets: '/x' }, ...wrongPaths.map((path) => ({ assetCheck: path as string }))])(
    '%j is rejected when the client is made',
    (paths) => {
      for (const [, entry] of platforms) {
        expect(() => clientAt(entry, 'https://api.example', { paths })).toThrow(failed('INVALID_INPUT'));
      }
    },
  );

  test('are rejected for groups that a partial client lacks', async () => {
    const options = { baseUrl: 'https://api.example', apiKey: 'k' };
    expect(() => createPartialClient({ assets }, { ...options, paths: { validate: '/x' } })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT' }),
    );
    const client = createPartialClient({ assets }, { ...options, paths: { assetCheck: '/x' } });
    onTestFinished(() => client.close());
    await expect((client.request as unknown as Loose['request'])('validate')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test.each(['check', 'asset_check'])('%j is not an operation', async (name) => {
    const { loose, server } = await connect([{ body: enough }]);
    await expect(loose.request(name)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(server.requests).toHaveLength(0);
  });

  test.each([null, 5, 'text', true])('%j is not an input', async (input) => {
    const { loose, server } = await connect([{ body: enough }]);
    await expect(loose['account']!['userOrgs']!(input as unknown as object)).rejects.toThrow(TypeError);
    expect(server.requests).toHaveLength(0);
  });
});
