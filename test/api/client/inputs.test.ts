import { describe, expect, onTestFinished, test } from 'vitest';
import { enough } from './client-harness.js';
import { connectLoose as connect, jsonOf } from './loose-client.js';
import { checked, figures, report, reportPage, time } from './operation-samples.js';

/** Expects that the operation rejects the input, before anything is sent. */
async function expectRefused(name: string, input: object, more: object = {}): Promise<void> {
  const { loose, server } = await connect([{ body: enough }], { slug: 's' });
  const error = { name: 'PortcullisError', code: 'INVALID_INPUT', operation: name, ...more };
  await expect(loose.request(name, input)).rejects.toMatchObject(error);
  expect(server.requests).toHaveLength(0);
}

describe('times', () => {
  const sent = async (startDate: unknown, row: 'day' | 'instant'): Promise<unknown> => {
    const { loose, server } = await connect([{ body: enough }], { slug: 's' });
    await loose.request(row === 'day' ? 'threatsList' : 'detectionList', { startDate });
    return (jsonOf(server.requests[0]!) as { startDate: unknown }).startDate;
  };

  test.each<[unknown, 'day' | 'instant', string]>([
    [new Date('2026-03-01T23:59:59.999Z'), 'day', '2026-03-01'],
    [new Date('2026-03-01T00:00:00+14:00'), 'day', '2026-02-28'],
    ['2026-03-01', 'day', '2026-03-01'],
    ['2026-03-01T22:00:00-03:00', 'day', '2026-03-02'],
    ['2026-03-01T23:59:59Z', 'day', '2026-03-01'],
    ['2024-02-29T01:00:00+02:00', 'day', '2024-02-28'],
    [new Date('2026-03-01T23:59:59.999Z'), 'instant', '2026-03-01T23:59:59.999Z'],
    ['2026-03-01', 'instant', '2026-03-01'],
    ['2026-03-01T22:00:00-03:00', 'instant', '2026-03-01T22:00:00-03:00'],
    ['2026-03-01T22:00:00.123Z', 'instant', '2026-03-01T22:00:00.123Z'],
  ])('%s becomes the %s %s', async (given, row, written) => {
    expect(await sent(given, row)).toBe(written);
  });

  test.each([
    ...['', 'yesterday', '2026-13-01', '2026-00-10', '2026-3-1', '03/04/2026', '2026-03-01T25:00:00Z', 'Wed, 04 Mar 2026'],
    ...[' 2026-03-01', new Date(Number.NaN), 1_772_000_000_000, null, true, {}],
    // Regression: the engine reads 30 February as 1 March.
    ...['2026-02-30', '2026-04-31T10:00:00Z', '2025-02-29'],
    // Regression: as days, these were sent as "+010000-01" and "-000001-1".
    ...[new Date('+010000-01-01T00:00:00Z'), new Date('-000001-12-31T00:00:00Z')],
  ])('%s is rejected', async (startDate) => {
    for (const name of ['threatsList', 'detectionList']) await expectRefused(name, { startDate });
    await expectRefused('organizationReportsList', { startDate, limit: 1 });
  });

  // Regression: it was read as local time, and became the day before east of Greenwich.
  test('a time without a zone is rejected, or means the same day on every machine', async () => {
    const zone = process.env['TZ'];
    onTestFinished(() => {
      if (zone === undefined) delete process.env['TZ'];
      else process.env['TZ'] = zone;
    });
    const days = new Set<unknown>();
    for (const one of ['UTC', 'Pacific/Auckland', 'America/Los_Angeles']) {
      process.env['TZ'] = one;
      for (const time of ['2026-03-01T05:00', '2026-03-01T20:00:00']) {
        days.add(await sent(time, 'day').catch((error: { code?: string }) => error.code));
      }
    }
    expect(days.size).toBe(1);
  });

  // Regression: a RangeError was thrown, because unknown fields are not checked.
  test('an invalid Date in an unknown field is rejected too', () =>
    expectRefused('userOrgs', { createdAfter: new Date(Number.NaN) }));
});

describe('queries', () => {
  test('repeat the name of a list field, write booleans as true or false, and omit null, undefined and empty lists', async () => {
    const { client, server } = await connect([{ body: reportPage }]);
    await client.reports.list({
      limit: 1,
      cursor: null,
      registrars: ['a,b', 'c&d', ''],
      brandIds: [],
      onlyRejected: false,
      reportedByCustomer: true,
      searchQuery: undefined,
      reviewedByUserId: null,
    });
    expect(server.requests[0]!.url).toBe(
      '/v2/organization/reports?limit=1&registrars=a%2Cb&registrars=c%26d&registrars=&onlyRejected=false&reportedByCustomer=true',
    );
  });

  test.each(['\ud800', 'a\udc00b'])('reject a lone surrogate', async (text) => {
    await expectRefused('organizationAssetsList', { query: text }, { issues: [{ path: 'query' }] });
    await expectRefused('userOrgsGet', { slug: text }, { issues: [{ path: 'slug' }] });
  });

  // Regression: it was sent as "[object Object]".
  test('reject an object', () => expectRefused('organizationMetricsList', { filter: { by: 'day' } }));

  // Regression: it was sent in the format of `Date.prototype.toString`.
  test('write times in a list as ISO 8601 too', async () => {
    const { client, server } = await connect([{ body: figures }]);
    await client.metrics.list({ days: [new Date(time)] });
    expect(decodeURIComponent(server.requests[0]!.url)).toContain(`days=${time}`);
  });
});

describe('rules between fields', () => {
  const review = (more: object): [string, object] => ['organizationProposalsReview', { proposalId: 1, assetId: 2, ...more }];
  const many = (count: number): object[] => Array.from({ length: count }, () => ({ content: 'a' }));

  test.each<[string, string, object]>([
    ['an approval without a label', ...review({ decision: 'APPROVE' })],
    ['a label that needs a brand', ...review({ decision: 'APPROVE', label: 'Brand Impersonation' })],
    ['another label that needs a brand', ...review({ decision: 'APPROVE', label: 'Employee Impersonation' })],
    ['a rejection without a reason', ...review({ decision: 'REJECT', label: 'C2 Server' })],
    ['watchlisting without a reason', ...review({ decision: 'WATCHLIST', rejectReason: 'decayed' })],
    ['another reason without a note', ...review({ decision: 'WATCHLIST', watchlistReason: 'OTHER' })],
    ['an empty note', ...review({ decision: 'WATCHLIST', watchlistReason: 'OTHER', note: '' })],
    ['a search for nothing', 'assetSearch', {}],
    ['a search for two things', 'assetSearch', { content: 'a', assetId: 1 }],
    ['an update of nothing', 'organizationAssetsUpdate', { assetId: 1 }],
    ['an update to undefined', 'organizationAssetsUpdate', { assetId: 1, name: undefined }],
    ['a start without an end', 'getOrganizationReports', { slug: 's', startDate: '2026-03-01' }],
    ['an end without a start', 'getOrganizationReports', { slug: 's', endDate: '2026-03-01' }],
    ['no assets', 'assetSubmit', { assets: [] }],
    ['101 assets', 'assetSubmit', { assets: Array.from({ length: 101 }, String) }],
    ['a report over nothing', 'reportCreate', { assets: [] }],
    ['a title of two characters', 'reportCreate', { assets: [{ content: 'a' }], title: 'ab' }],
    ['1001 assets of an organization', 'organizationAssetsAdd', { assets: many(1001) }],
    ['a group without a name', 'organizationAssetGroupsCreate', { name: '' }],
    ['a name of 256 characters', 'organizationAssetGroupsCreate', { name: 'x'.repeat(256) }],
    ['a page size of 0', 'organizationReportsList', { limit: 0 }],
    ['a page of 21', 'organizationReportsList', { limit: 21 }],
    ['a page of one and a half', 'organizationReportsList', { limit: 1.5 }],
    ['a missing page size', 'organizationReportsList', {}],
    ['an id that is not a whole number', 'organizationAssetsRemove', { assetId: 0.5 }],
    ['an id that is text', 'organizationAssetsRemove', { assetId: '5' }],
    ['an id that a number cannot represent exactly', 'organizationAssetsRemove', { assetId: 2 ** 53 }],
    ['a country of three letters', 'organizationReportsList', { limit: 1, countryCodes: ['DEU'] }],
    ['six types of assets', 'metricsTakedownTimeTrend', { slug: 's', assetTypes: ['URL', 'URL', 'URL', 'URL', 'URL', 'URL'] }],
    ['a field that does not exist', 'assetCheck', { content: 'a', typ: 'URL' }],
    ['a field that does not exist, deep inside', 'reportCreate', { assets: [{ content: 'a', contents: 'b' }] }],
    ['a field for an operation that takes none', 'validate', { key: 'x' }],
    ['an empty text to parse', 'assetParse', { content: '' }],
    ['a prefix of seven digits', 'assetBlocklistConfirm', { algoVersion: 1, prefixes: ['70ab53a'] }],
  ])('%s: rejected by %s, and nothing is sent', (_, name, input) => expectRefused(name, input));

  test.each<[string, string, object]>([
    ['a label without a brand', ...review({ decision: 'APPROVE', label: 'False Positive' })],
    ['a rejection', ...review({ decision: 'REJECT', rejectReason: 'irrelevant' })],
    ['watchlisting', ...review({ decision: 'WATCHLIST', watchlistReason: 'PARKING' })],
    ['a note', ...review({ decision: 'WATCHLIST', watchlistReason: 'OTHER', note: 'x' })],
    ['a label that is ignored', ...review({ decision: 'REJECT', rejectReason: 'decayed', label: 'Brand Impersonation' })],
    ['both dates', 'getOrganizationReports', { slug: 's', startDate: '2026-03-01', endDate: '2026-03-02' }],
    ['neither date', 'getOrganizationReports', { slug: 's' }],
    ['100 assets', 'assetSubmit', { assets: Array.from({ length: 100 }, String) }],
    ['1000 assets of an organization', 'organizationAssetsAdd', { assets: many(1000) }],
    ['a title of three characters', 'reportCreate', { assets: [{ content: 'a' }], title: 'abc' }],
    ['a name of 255 characters', 'organizationAssetGroupsCreate', { name: 'x'.repeat(255) }],
    ['clearing a description', 'organizationAssetsUpdate', { assetId: 1, description: null }],
    [
      'a date after the other, which the service judges',
      'assetList',
      { type: 'URL', startDate: '2026-03-02', endDate: '2026-03-01' },
    ],
  ])('%s: accepted by %s', async (_, name, input) => {
    const { loose, server } = await connect([{ body: enough }]);
    await loose.request(name, input);
    expect(server.requests).toHaveLength(1);
  });

  test('an error lists everything that is wrong, with paths and without values', async () => {
    const { loose } = await connect([{ body: enough }]);
    const secret = 'hunter2hunter2';
    const error = (await loose['reports']!['create']!({
      assets: [
        { content: 5, status: secret },
        { content: 'a', screenshot: { url: 3 } },
      ],
      title: 'x',
      [secret.length]: 1,
    }).catch((cause: unknown) => cause)) as { message: string; issues: { path: string; message: string }[] };
    expect(error.issues.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['assets[0].content', 'assets[0].status', 'assets[1].screenshot.url', 'title']),
    );
    expect(JSON.stringify(error.issues) + error.message).not.toContain(secret);
  });
});

describe('value lists', () => {
  test.each<[string, object]>([
    ['assetList', { type: 'NOT_A_TYPE' }],
    ['assetList', { type: 'url' }],
    ['assetList', { type: 'URL', status: 'blocked' }],
    ['organizationReportsList', { limit: 1, status: 'NEEDS_REVIEW' }],
    ['organizationReportsList', { limit: 1, reviewStatuses: ['APPROVED'] }],
    ['organizationReportsList', { limit: 1, sources: ['EMAIL'] }],
    ['organizationReportsList', { limit: 1, reporterKind: 'robot' }],
    ['organizationProposalsReview', { proposalId: 1, assetId: 1, decision: 'ESCALATE' }],
    ['organizationProposalsReview', { proposalId: 1, assetId: 1, decision: 'APPROVE', label: 'Phishing' }],
    ['detectionList', { slug: 's', filters: [{ property: 'source', operator: 'eq', value: [] }] }],
    ['threatsList', { sorting: [{ key: 'updatedAt', direction: 'asc' }] }],
    ['takedownsList', { sorting: [{ key: 'createdAt', direction: 'down' }] }],
    ['takedownsList', { livenessStatus: ['GONE'] }],
    ['organizationMetricsList', { include: ['everything'] }],
    ['metricsTakedownTime', { slug: 's', brandType: 'PERSON' }],
    ['webhookConfig', { events: ['debug.test'] }],
    ['detectionConfigsUpdate', { configId: 1, status: 'PAUSED' }],
  ])('%s rejects a value that is not in its list: %j', (name, input) => expectRefused(name, input));

  test('a response with unknown values is accepted, with an event where the caller decides by them', async () => {
    const answers: Record<string, unknown> = {
      '/v2/asset/check': { status: 'PENDING', source: 'new-feed', sources: [], reason: 'x', code: 'y' },
      '/v2/organization/reports?limit=1': {
        ...reportPage,
        reports: [{ ...report, status: 'NEEDS_REVIEW', source: 'FAX', imageDisplay: 'PREVIEW' }],
      },
      '/v2/takedowns/list': {
        takedowns: [
          {
            id: 1,
            status: 'GIVEN_UP',
            createdAt: time,
            updatedAt: time,
            asset: { id: 5, content: 'a', type: 'NEWTYPE', livenessStatus: 'SLEEPING' },
            assignee: null,
            brand: null,
          },
        ],
      },
      '/v2/healthchecks/reviewing/backlog': { ...checked, id: 'new.check', severity: 'panic' },
    };
    const { client, events } = await connect(({ url }) => ({ body: answers[url] }), { slug: 's' });
    expect(await client.assets.check({ content: 'a' })).toEqual(answers['/v2/asset/check']);
    expect(await client.takedowns.list()).toEqual(answers['/v2/takedowns/list']);
    expect(await client.healthchecks.reviewingBacklog()).toEqual(answers['/v2/healthchecks/reviewing/backlog']);
    expect(events).toMatchObject([
      { type: 'unknown-value', operation: 'assetCheck', value: 'PENDING' },
      { type: 'unknown-value', operation: 'healthchecksReviewingBacklog', value: 'panic' },
    ]);
  });
});
