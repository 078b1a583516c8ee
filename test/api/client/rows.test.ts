import { type ClientEvent, type ClientOptions, createClient, createPartialClient } from 'portcullis/client';
import { allOperations, assets } from 'portcullis/operations';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient as createWebClient } from '../../../src/entry/client.js';
import { type Answer, type Recorded, type ScriptedServer, serve } from '../../support/scripted-server.js';

const entries = [
  ['Node', createClient],
  ['browsers', createWebClient],
] as const;

type Call = (input?: object, options?: object) => Promise<unknown>;
type Loose = Record<string, Record<string, Call>> & {
  request: (name: string, input?: object, options?: object) => Promise<unknown>;
};
type Script = readonly Answer[] | ((request: Recorded) => Answer);

/** A client before a real server, and everything that passes between them. */
async function connect(
  script: Script,
  options: Partial<ClientOptions> = {},
  create: typeof createClient = createClient,
): Promise<{ client: ReturnType<typeof createClient>; loose: Loose; server: ScriptedServer; events: ClientEvent[] }> {
  const server = await serve(script);
  const events: ClientEvent[] = [];
  const client = create({
    baseUrl: `${server.origin}/v2`,
    apiKey: 'key-of-the-test',
    retry: false,
    onEvent: (event) => events.push(event),
    ...options,
  });
  onTestFinished(() => client.close());
  return { client, loose: client as unknown as Loose, server, events };
}

const jsonOf = ({ body }: Recorded): unknown => JSON.parse(body.toString());

const time = '2026-03-04T05:06:07.890Z';
const brand = { id: 8, name: 'Acme', slug: 'acme' };
const asset = { id: 5, type: 'URL', content: 'evil.example', status: 'BLOCKED' };
const report = {
  id: 1,
  title: 'A scam',
  description: '',
  imageDisplay: 'BLUR',
  favoritedAt: null,
  status: null,
  reportedByCustomer: false,
  slaDueAt: null,
  externalSubmissionLink: null,
  duplicateOfId: null,
  threatActor: null,
  createdAt: time,
  updatedAt: time,
  attachments: [{ id: 3, url: 'https://files.example/3' }],
  proposals: [
    {
      id: 4,
      reviewStatus: 'PENDING',
      asset: {
        ...asset,
        scans: [
          {
            id: 6,
            status: 'COMPLETED',
            output: null,
            createdAt: time,
            enrichments: [{ id: 1, type: 'dns', output: {}, status: 'COMPLETED' }],
          },
        ],
      },
    },
  ],
  reporter: { id: 7, role: 'SYSTEM', fullName: 'A bot', avatarUrl: null },
  externalReporter: null,
  source: 'API',
  sourceMetadata: null,
};
const reportPage = { reports: [report], nextCursor: null, totalCount: 1 };
const task = {
  id: 2,
  type: 'HOSTING_PROVIDER',
  status: 'TODO',
  retractionStatus: 'NOT_RETRACTED',
  submittedAt: null,
  createdAt: time,
  updatedAt: time,
  takedownProvider: { name: 'A host' },
};
const figures = {
  metrics: {
    reports: 1,
    newThreats: 2,
    threatsWatchlisted: null,
    takedownsFiled: 3,
    takedownsCompleted: 4,
    domainThreats: 5,
    twitterThreats: 6,
    telegramThreats: 7,
    otherThreats: 8,
  },
  blockedByType: [{ type: 'URL', count: 2 }],
  blockedByDay: [{ date: '2026-03-04', count: 2 }],
};
const median = { medianTakedownMinutes: 60, medianTakedownHours: 1, medianTakedownDays: null, count: 3 };
const active = { active: true };
const document = { present: false, fileName: null, fileUrl: null };
const organization = {
  id: 9,
  name: 'Acme',
  slug: 'acme',
  avatarUrl: null,
  subscriptionStatus: 'ACTIVE',
  brandMetadata: { websiteUrl: null, twitterHandle: null, securityContactEmail: null, industry: null },
  services: {
    reporting: active,
    reviewing: active,
    protection: active,
    takedowns: { active: true, automated: false },
    detection: active,
    darkWebMonitoring: active,
  },
  obligatoryAdminApproval: false,
  integrations: {
    slack: false,
    discord: false,
    telegram: { connected: true, groupCount: 2 },
    vercel: false,
    intercom: false,
    moderation: false,
  },
  legalDocuments: { letterOfAuthorization: document, powerOfAttorney: document },
  trademarkRegistrations: [{ office: 'EU' }],
};
const checked = {
  id: 'reviewing.backlog',
  severity: 'warn',
  observed: 12,
  threshold: { warn: 10 },
  findings: [],
  suggestedAction: 'review',
};
const anything = { anything: ['goes', 1, null] };

interface Sample {
  readonly call: `${string}.${string}`;
  readonly name: string;
  readonly input?: object;
  /** What stands on the wire. */
  readonly route: string;
  readonly body?: unknown;
  readonly answer: unknown;
}

const health = (verb: string, name: string, path: string, more: object = {}): Sample => ({
  call: `healthchecks.${verb}`,
  name,
  input: { slug: 'acme', ...more },
  route: `POST /healthchecks/${path}`,
  body: { slug: 'acme', ...more },
  answer: checked,
});

/** A call of each operation, what it is on the wire and what may come back. */
const samples: readonly Sample[] = [
  {
    call: 'assets.check',
    name: 'assetCheck',
    input: { content: 'evil.example' },
    route: 'POST /asset/check',
    body: { content: 'evil.example' },
    answer: { status: 'BLOCKED', source: 'seal', sources: [{ source: 'seal', status: 'BLOCKED' }], reason: 'parent-domain' },
  },
  {
    call: 'assets.list',
    name: 'assetList',
    input: {
      type: 'URL',
      status: 'ALLOWED',
      startDate: '2026-03-01',
      endDate: new Date('2026-03-04T23:59:59.999Z'),
      per_page: 10_000,
    },
    route: 'POST /asset/list',
    body: { type: 'URL', status: 'ALLOWED', startDate: '2026-03-01', endDate: '2026-03-04', per_page: 10_000 },
    answer: {
      assets: [
        { content: 'a.example', type: 'URL', status: 'ALLOWED', watchStatus: 'DISABLED', updatedAt: time, blockedAt: null },
      ],
      next_page: null,
    },
  },
  {
    call: 'assets.changelog',
    name: 'assetChangelog',
    input: { type: 'ADDRESS' },
    route: 'POST /asset/changelog',
    body: { type: 'ADDRESS' },
    answer: anything,
  },
  {
    call: 'assets.search',
    name: 'assetSearch',
    input: { assetId: 5 },
    route: 'POST /asset/search',
    body: { assetId: 5 },
    answer: {
      asset: { ...asset, watchStatus: 'ENABLED', createdAt: time, updatedAt: time, livenessStatus: null },
      reports: [{ id: 1, title: 'A scam', status: 'CLOSED', createdAt: time }],
      takedown: { id: 2, status: 'TODO', createdAt: time, updatedAt: time, tasks: [task] },
      blockedBy: [{ consumer: 'wallet', name: 'A wallet', consumedAt: time }],
    },
  },
  {
    call: 'assets.submit',
    name: 'assetSubmit',
    input: { assets: ['a.example', 'b.example'], organizationSlug: 'acme' },
    route: 'POST /asset/submit',
    body: { assets: ['a.example', 'b.example'], organizationSlug: 'acme' },
    answer: {
      submittedAssets: [
        { asset: 'a.example', assetId: 1, scanId: 2 },
        { asset: 'b.example', assetId: 3 },
      ],
    },
  },
  {
    call: 'assets.unblock',
    name: 'assetUnblock',
    input: { content: 'a.example', slug: 'acme' },
    route: 'POST /asset/unblock',
    body: { content: 'a.example', slug: 'acme' },
    answer: anything,
  },
  {
    call: 'assets.parse',
    name: 'assetParse',
    input: { content: 'HTTPS://A.example/' },
    route: 'POST /asset/parse',
    body: { content: 'HTTPS://A.example/' },
    answer: { content: 'a.example', submittedContent: 'HTTPS://A.example/', type: 'URL' },
  },
  {
    call: 'assets.scan',
    name: 'assetScan',
    input: { content: 'a.example', callbackUrl: 'https://hook.example' },
    route: 'POST /asset/scan',
    body: { content: 'a.example', callbackUrl: 'https://hook.example' },
    answer: { scanId: 77 },
  },
  {
    call: 'assets.scanResult',
    name: 'scanResult',
    input: { scanId: 77 },
    route: 'POST /scan/result',
    body: { scanId: 77 },
    answer: anything,
  },
  {
    call: 'blocklist.version',
    name: 'assetBlocklistVersion',
    route: 'GET /asset/blocklist/version',
    answer: { algoVersion: 1, snapshot: { token: 'a', count: 2, url: 'https://files.example/a' } },
  },
  {
    call: 'blocklist.confirm',
    name: 'assetBlocklistConfirm',
    input: { algoVersion: 'portcullis-1', prefixes: ['70ab53a7'] },
    route: 'POST /asset/blocklist/confirm',
    body: { algoVersion: 'portcullis-1', prefixes: ['70ab53a7'] },
    answer: anything,
  },
  {
    call: 'reports.create',
    name: 'reportCreate',
    input: {
      assets: [
        {
          content: 'evil.example',
          status: 'BLOCKED',
          reporterConfidence: 'HIGH',
          enrichments: [{ type: 'content_and_metadata', output: { depth: [1] } }],
          screenshot: { url: 'https://files.example/3' },
        },
      ],
      title: 'A scam',
      organizationSlug: 'acme',
      externalReporter: { platform: 'forum' },
    },
    route: 'POST /report/create',
    body: {
      assets: [
        {
          content: 'evil.example',
          status: 'BLOCKED',
          reporterConfidence: 'HIGH',
          enrichments: [{ type: 'content_and_metadata', output: { depth: [1] } }],
          screenshot: { url: 'https://files.example/3' },
        },
      ],
      title: 'A scam',
      organizationSlug: 'acme',
      externalReporter: { platform: 'forum' },
    },
    answer: { id: 1, createdAt: time, organization: { id: 9, slug: 'acme', name: 'Acme' } },
  },
  {
    call: 'reports.search',
    name: 'reportsSearch',
    input: { slug: 'acme', assetContents: ['evil.example'], reportedByCustomer: true, limit: 100 },
    route: 'POST /reports/search',
    body: { slug: 'acme', assetContents: ['evil.example'], reportedByCustomer: true, limit: 100 },
    answer: { reports: [{ id: 1, status: 'TODO', assets: ['evil.example'] }] },
  },
  {
    call: 'reports.list',
    name: 'organizationReportsList',
    input: {
      slug: 'acme',
      limit: 20,
      cursor: 40,
      status: 'IN_PROGRESS',
      searchQuery: 'a b&c=d',
      startDate: new Date('2026-03-01T10:20:30.456Z'),
      updatedAtEndDate: '2026-03-04',
      hasMxRecords: false,
      onlyFavorited: true,
      reviewStatuses: ['APPROVE', 'SKIP'],
      brandIds: [1, 2],
      countryCodes: ['DE'],
    },
    route:
      'GET /organization/reports?limit=20&cursor=40&status=IN_PROGRESS&searchQuery=a%20b%26c%3Dd&startDate=2026-03-01T10%3A20%3A30.456Z&updatedAtEndDate=2026-03-04&hasMxRecords=false&slug=acme&onlyFavorited=true&reviewStatuses=APPROVE&reviewStatuses=SKIP&brandIds=1&brandIds=2&countryCodes=DE',
    answer: reportPage,
  },
  {
    call: 'reports.proposalsReview',
    name: 'organizationProposalsReview',
    input: { proposalId: 4, assetId: 5, decision: 'APPROVE', label: 'Brand Impersonation', brandId: 8, slug: 'acme' },
    route: 'POST /organization/proposals/4/review',
    body: { assetId: 5, decision: 'APPROVE', label: 'Brand Impersonation', brandId: 8, slug: 'acme' },
    answer: {
      proposal: { id: 4, reviewStatus: 'APPROVED', asset },
      review: { id: 1, decision: 'APPROVE', label: 'Brand Impersonation', brandId: 8, comment: '', createdAt: time },
      watchlisted: false,
    },
  },
  {
    call: 'attachments.upload',
    name: 'attachmentUpload',
    input: { file: new Uint8Array([1, 2, 3]), fileName: 'a b.png' },
    route: 'POST /attachment/upload?fileName=a%20b.png',
    body: Buffer.from([1, 2, 3]),
    answer: { attachments: [{ url: 'https://files.example/1', fileName: 'a b.png', sizeBytes: 3 }] },
  },
  {
    call: 'disputes.create',
    name: 'disputeCreate',
    input: { content: 'a.example', email: 'me@a.example' },
    route: 'POST /dispute/create',
    body: { content: 'a.example', email: 'me@a.example' },
    answer: { id: 'd-1', content: 'a.example' },
  },
  {
    call: 'webhooks.config',
    name: 'webhookConfig',
    input: { slug: 'acme', url: 'https://hook.example', events: ['asset.status-updated'] },
    route: 'POST /webhook/config',
    body: { slug: 'acme', url: 'https://hook.example', events: ['asset.status-updated'] },
    answer: anything,
  },
  {
    call: 'organization.brands',
    name: 'organizationBrands',
    route: 'GET /organization/brands',
    answer: { brands: [{ id: 8, name: 'Acme', type: 'PRODUCT', avatarUrl: null, tickers: ['ACM'] }] },
  },
  {
    call: 'organization.assetsList',
    name: 'organizationAssetsList',
    input: { type: 'URL', groupId: -1, per_page: 1000, next_page: 'x/y', slug: 'acme' },
    route: 'GET /organization/assets?type=URL&groupId=-1&per_page=1000&next_page=x%2Fy&slug=acme',
    answer: {
      assets: [{ ...asset, name: null, description: null, group: { id: 2, name: 'Sites' }, createdAt: time, updatedAt: time }],
      next_page: null,
    },
  },
  {
    call: 'organization.assetsAdd',
    name: 'organizationAssetsAdd',
    input: { assets: [{ content: 'a.example', groupId: 2 }] },
    route: 'POST /organization/assets',
    body: { assets: [{ content: 'a.example', groupId: 2 }] },
    answer: { results: [{ content: 'a.example', success: false, error: 'exists' }], successCount: 0, errorCount: 1 },
  },
  {
    call: 'organization.assetsUpdate',
    name: 'organizationAssetsUpdate',
    input: { assetId: 5, description: null, groupId: null },
    route: 'PATCH /organization/assets/5',
    body: { assetId: 5, description: null, groupId: null },
    answer: { id: 5, content: 'a.example', name: null, description: null, groupId: null },
  },
  {
    call: 'organization.assetsRemove',
    name: 'organizationAssetsRemove',
    input: { assetId: 5 },
    route: 'DELETE /organization/assets/5',
    body: { assetId: 5 },
    answer: { success: true, id: 5 },
  },
  {
    call: 'organization.assetGroupsList',
    name: 'organizationAssetGroupsList',
    route: 'GET /organization/asset-groups',
    answer: { groups: [{ id: 2, name: 'Sites', assetCount: 0 }] },
  },
  {
    call: 'organization.assetGroupsCreate',
    name: 'organizationAssetGroupsCreate',
    input: { name: 'Sites' },
    route: 'POST /organization/asset-groups',
    body: { name: 'Sites' },
    answer: { id: 2, name: 'Sites' },
  },
  {
    call: 'organization.assetGroupsUpdate',
    name: 'organizationAssetGroupsUpdate',
    input: { groupId: 2, name: 'Pages' },
    route: 'PATCH /organization/asset-groups/2',
    body: { groupId: 2, name: 'Pages' },
    answer: { id: 2, name: 'Pages' },
  },
  {
    call: 'organization.assetGroupsDelete',
    name: 'organizationAssetGroupsDelete',
    input: { groupId: 2 },
    route: 'DELETE /organization/asset-groups/2',
    body: { groupId: 2 },
    answer: { success: true, id: 2, unassignedAssetCount: 4 },
  },
  {
    call: 'detections.list',
    name: 'detectionList',
    input: {
      slug: 'acme',
      cursor: null,
      limit: 100,
      filters: [{ property: 'country', operator: 'notIn', value: ['DE'] }],
      startDate: '2026-03-01T00:00:00+02:00',
    },
    route: 'POST /detection/list',
    body: {
      slug: 'acme',
      cursor: null,
      limit: 100,
      filters: [{ property: 'country', operator: 'notIn', value: ['DE'] }],
      startDate: '2026-03-01T00:00:00+02:00',
    },
    answer: {
      detections: [
        {
          id: 1,
          threatContent: 'evil.example',
          source: 'google_search',
          createdAt: time,
          confidence: 'high',
          reportStatus: 'REPORTED',
          asset,
          brands: [brand],
        },
      ],
      nextCursor: null,
    },
  },
  {
    call: 'detections.sourcesList',
    name: 'detectionSourcesList',
    input: { slug: 'a/b' },
    route: 'GET /detection/sources?slug=a%2Fb',
    answer: anything,
  },
  {
    call: 'detections.configsList',
    name: 'detectionConfigsList',
    input: { slug: 'acme' },
    route: 'POST /detection/configs/list',
    body: { slug: 'acme' },
    answer: anything,
  },
  {
    call: 'detections.configsCreate',
    name: 'detectionConfigsCreate',
    input: { slug: 'acme', source: 'telegram_channels_search', config: { any: [{ thing: 1 }] }, brandId: 8 },
    route: 'POST /detection/configs/create',
    body: { slug: 'acme', source: 'telegram_channels_search', config: { any: [{ thing: 1 }] }, brandId: 8 },
    answer: anything,
  },
  {
    call: 'detections.configsUpdate',
    name: 'detectionConfigsUpdate',
    input: { slug: 'acme', configId: 3, status: 'DISABLED', mergeConfig: false },
    route: 'POST /detection/configs/update',
    body: { slug: 'acme', configId: 3, status: 'DISABLED', mergeConfig: false },
    answer: anything,
  },
  {
    call: 'detections.configsDelete',
    name: 'detectionConfigsDelete',
    input: { slug: 'acme', configId: 3 },
    route: 'POST /detection/configs/delete',
    body: { slug: 'acme', configId: 3 },
    answer: anything,
  },
  {
    call: 'detections.configsRun',
    name: 'detectionConfigsRun',
    input: { slug: 'acme', includeDisabled: true },
    route: 'POST /detection/configs/run',
    body: { slug: 'acme', includeDisabled: true },
    answer: anything,
  },
  {
    call: 'detections.configsValidate',
    name: 'detectionConfigsValidate',
    input: { slug: 'acme', minResults: 1, lookbackHours: 24, run: false },
    route: 'POST /detection/configs/validate',
    body: { slug: 'acme', minResults: 1, lookbackHours: 24, run: false },
    answer: anything,
  },
  {
    call: 'detections.drift',
    name: 'detectionDrift',
    input: { slug: 'acme', configId: 3, source: 'urlscan' },
    route: 'POST /detection/drift',
    body: { slug: 'acme', configId: 3, source: 'urlscan' },
    answer: anything,
  },
  {
    call: 'detections.threatsList',
    name: 'threatsList',
    input: {
      startDate: '2026-03-01T23:30:00-01:00',
      assetType: ['URL'],
      sorting: [{ key: 'blockedAt', direction: 'desc' }],
      next_page: '2',
    },
    route: 'POST /threats/list',
    body: { startDate: '2026-03-02', assetType: ['URL'], sorting: [{ key: 'blockedAt', direction: 'desc' }], next_page: '2' },
    answer: {
      threats: [{ id: 1, content: 'evil.example', type: 'URL', blockedAt: time, livenessStatus: 'ALIVE' }],
      next_page: null,
    },
  },
  {
    call: 'takedowns.list',
    name: 'takedownsList',
    input: { slug: 'acme', endDate: '2026-03-04', takedownStatus: ['RETRACTED', 'NEW_ONE'], livenessStatus: ['DEAD'] },
    route: 'POST /takedowns/list',
    body: { slug: 'acme', endDate: '2026-03-04', takedownStatus: ['RETRACTED', 'NEW_ONE'], livenessStatus: ['DEAD'] },
    answer: {
      takedowns: [
        {
          id: 1,
          status: 'IN_PROGRESS',
          createdAt: time,
          updatedAt: time,
          asset: { id: 5, content: 'evil.example', type: 'URL', livenessStatus: null },
          assignee: null,
          brand,
        },
      ],
      next_page: null,
    },
  },
  {
    call: 'metrics.summary',
    name: 'metricsSummary',
    input: { slug: 'acme', brandIds: [8] },
    route: 'POST /metrics/summary',
    body: { slug: 'acme', brandIds: [8] },
    answer: anything,
  },
  {
    call: 'metrics.breakdown',
    name: 'metricsBreakdown',
    input: { slug: 'acme', by: 'brand', startDate: new Date(0) },
    route: 'POST /metrics/breakdown',
    body: { slug: 'acme', by: 'brand', startDate: '1970-01-01T00:00:00.000Z' },
    answer: anything,
  },
  {
    call: 'metrics.found',
    name: 'metricsFound',
    input: { slug: 'acme' },
    route: 'POST /metrics/found',
    body: { slug: 'acme' },
    answer: anything,
  },
  {
    call: 'metrics.list',
    name: 'organizationMetricsList',
    input: { slugs: ['acme', 'other'], include: ['reports', 'blockedByDay'], brandSlug: 'b' },
    route: 'GET /organization/metrics?brandSlug=b&slugs=acme&slugs=other&include=reports&include=blockedByDay',
    answer: figures,
  },
  {
    call: 'metrics.takedownTime',
    name: 'metricsTakedownTime',
    input: { slug: 'acme', blockLabel: 'C2 Server', brandType: 'INDIVIDUAL', countryCodes: ['DE'] },
    route: 'POST /metrics/takedown-time',
    body: { slug: 'acme', blockLabel: 'C2 Server', brandType: 'INDIVIDUAL', countryCodes: ['DE'] },
    answer: { byAssetType: [{ assetType: 'URL', ...median }] },
  },
  {
    call: 'metrics.takedownTimeTrend',
    name: 'metricsTakedownTimeTrend',
    input: { slug: 'acme', months: 36, assetTypes: ['URL', 'PAGE', 'EMAIL', 'TWITTER', 'TELEGRAM'] },
    route: 'POST /metrics/takedown-time/trend',
    body: { slug: 'acme', months: 36, assetTypes: ['URL', 'PAGE', 'EMAIL', 'TWITTER', 'TELEGRAM'] },
    answer: {
      months: 2,
      periods: ['2026-02', '2026-03'],
      series: [
        {
          assetType: null,
          points: [{ period: '2026-02', ...median }],
          change: { latest: { period: '2026-02', ...median }, previous: null, percentChange: null, direction: 'improved' },
        },
      ],
    },
  },
  { call: 'account.validate', name: 'validate', route: 'GET /validate', answer: anything },
  { call: 'account.userMe', name: 'userMe', route: 'POST /user/me', body: {}, answer: anything },
  {
    call: 'account.userMeUpdate',
    name: 'userMeUpdate',
    input: { theme: 'dark', nested: { list: [1, { a: null }] } },
    route: 'POST /user/me/update',
    body: { theme: 'dark', nested: { list: [1, { a: null }] } },
    answer: anything,
  },
  {
    call: 'account.userOrgs',
    name: 'userOrgs',
    input: { subscriptionStatus: ['ACTIVE'], obligatoryAdminApproval: false, query: 'ac' },
    route: 'POST /user/orgs',
    body: { subscriptionStatus: ['ACTIVE'], obligatoryAdminApproval: false, query: 'ac' },
    answer: { organizations: [organization] },
  },
  {
    call: 'account.userOrgsGet',
    name: 'userOrgsGet',
    input: { slug: 'a c/m?e' },
    route: 'GET /user/orgs/a%20c%2Fm%3Fe',
    answer: organization,
  },
  {
    call: 'queues.snapshot',
    name: 'operationsQueuesSnapshot',
    input: { slug: 'acme', windowHours: 4.5 },
    route: 'POST /operations/queues/snapshot',
    body: { slug: 'acme', windowHours: 4.5 },
    answer: anything,
  },
  {
    call: 'healthchecks.list',
    name: 'healthchecksList',
    route: 'POST /healthchecks/list',
    body: {},
    answer: { checks: [{ id: 'reviewing.backlog', implemented: false, notImplementedReason: 'later' }] },
  },
  health('detectionsSilentConfigs', 'healthchecksDetectionsSilentConfigs', 'detections/silent-configs', {
    minResults: 2,
    lookbackHours: 48,
  }),
  health('reviewingBacklog', 'healthchecksReviewingBacklog', 'reviewing/backlog'),
  health('reviewingOldProposals', 'healthchecksReviewingOldProposals', 'reviewing/old-proposals'),
  health('takedownsTodoVolume', 'healthchecksTakedownsTodoVolume', 'takedowns/todo-volume'),
  health('takedownsInProgressVolume', 'healthchecksTakedownsInProgressVolume', 'takedowns/in-progress-volume'),
  health('takedownsStaleInProgress', 'healthchecksTakedownsStaleInProgress', 'takedowns/stale-in-progress'),
  health('takedownsCancelledCount', 'healthchecksTakedownsCancelledCount', 'takedowns/cancelled-count'),
  health('takedownsAutomationOff', 'healthchecksTakedownsAutomationOff', 'takedowns/automation-off'),
  health('assetsDeadAssetSpike', 'healthchecksAssetsDeadAssetSpike', 'assets/dead-asset-spike', {
    baselineDays: 14,
    minSpikeCount: 5,
  }),
  health('organizationMissingContactUrl', 'healthchecksOrganizationMissingContactUrl', 'organization/missing-contact-url'),
  {
    call: 'deprecated.assetDetails',
    name: 'assetDetails',
    input: { content: 'evil.example' },
    route: 'POST /asset/details',
    body: { content: 'evil.example' },
    answer: { status: 'BLOCKED', reportId: 1, reportUrl: 'https://app.example/1' },
  },
  {
    call: 'deprecated.getOrganizationReports',
    name: 'getOrganizationReports',
    input: { slug: 'acme', cursor: 'abc', startDate: '2026-03-01', endDate: new Date(time) },
    route: 'POST /public/getOrganizationReports',
    body: { slug: 'acme', cursor: 'abc', startDate: '2026-03-01', endDate: time },
    answer: reportPage,
  },
  {
    call: 'deprecated.getOrganizationMetrics',
    name: 'getOrganizationMetrics',
    input: { organizationSlug: 'acme' },
    route: 'POST /public/getOrganizationMetrics',
    body: { organizationSlug: 'acme' },
    answer: figures,
  },
];

test('every operation with a route is called below', () => {
  const called = samples.map(({ name, call }) => `${name} ${call}`).sort();
  const known = allOperations.filter(({ path }) => path !== null).map(({ name, group, verb }) => `${name} ${group}.${verb}`);
  expect(called).toEqual(known.sort());
});

describe.each(entries)('for %s', (_, create) => {
  test.each(samples)(
    '$call goes to its route and gives the answer as it came',
    async ({ call, name, input, route, body, answer }) => {
      const { loose, server, events } = await connect([{ body: answer }], { headers: { 'x-trace': 'abc' } }, create);
      const [group = '', verb = ''] = call.split('.');
      expect(await loose[group]![verb]!(input)).toEqual(answer);
      expect(await loose.request(name, input)).toEqual(answer);
      expect(server.requests).toHaveLength(2);
      for (const request of server.requests) {
        expect(`${request.method} ${request.url}`).toBe(route.replace(' ', ' /v2'));
        expect(request.headers).toMatchObject({ 'x-api-key': 'key-of-the-test', accept: 'application/json', 'x-trace': 'abc' });
        if (body === undefined) {
          expect(request.body).toHaveLength(0);
          expect(request.headers).not.toHaveProperty('content-type');
        } else if (Buffer.isBuffer(body)) {
          expect(request.body).toEqual(body);
          expect(request.headers['content-type']).toBe('application/octet-stream');
        } else {
          expect(jsonOf(request)).toEqual(body);
          expect(request.headers['content-type']).toBe('application/json');
          expect(request.headers['content-length']).toBe(String(request.body.length));
        }
      }
      const deprecated = ['assetDetails', 'getOrganizationReports', 'getOrganizationMetrics'].includes(name);
      expect(events.map(({ type }) => type)).toEqual(deprecated ? ['deprecated'] : []);
    },
  );

  test('text of every script goes and comes unharmed', async () => {
    const content = 'päypal.example/\u{1f4b0} "quoted" \\ \u2028 \ud83d';
    const { client, server } = await connect([{ body: { id: 'd', content: '\u{1f4b0}ü' } }], {}, create);
    expect(await client.disputes.create({ content })).toEqual({ id: 'd', content: '\u{1f4b0}ü' });
    expect(jsonOf(server.requests[0]!)).toEqual({ content });
  });
});

describe('the slug', () => {
  const slugOf = async (run: (client: Loose) => Promise<unknown>, options: Partial<ClientOptions> = { slug: 'of-client' }) => {
    const { loose, server } = await connect([{ body: {} }], options);
    await run(loose);
    const [request] = server.requests;
    return { url: request!.url, body: request!.body.length === 0 ? undefined : jsonOf(request!) };
  };

  test('of the client goes under the name the operation has for it', async () => {
    expect((await slugOf((client) => client['metrics']!['found']!())).body).toEqual({ slug: 'of-client' });
    expect((await slugOf((client) => client['assets']!['submit']!({ assets: ['a'] }))).body).toEqual({
      assets: ['a'],
      organizationSlug: 'of-client',
    });
    expect((await slugOf((client) => client['reports']!['create']!({ assets: [{ content: 'a' }] }))).body).toEqual({
      assets: [{ content: 'a' }],
      organizationSlug: 'of-client',
    });
    expect((await slugOf((client) => client['deprecated']!['getOrganizationMetrics']!())).body).toEqual({
      organizationSlug: 'of-client',
    });
    expect((await slugOf((client) => client['detections']!['sourcesList']!())).url).toBe('/v2/detection/sources?slug=of-client');
    expect((await slugOf((client) => client['account']!['userOrgsGet']!())).url).toBe('/v2/user/orgs/of-client');
  });

  test('of the input wins over that of the call, which wins over that of the client', async () => {
    expect((await slugOf((client) => client['metrics']!['found']!({}, { slug: 'of-call' }))).body).toEqual({ slug: 'of-call' });
    expect((await slugOf((client) => client['metrics']!['found']!({ slug: 'of-input' }, { slug: 'of-call' }))).body).toEqual({
      slug: 'of-input',
    });
    expect((await slugOf((client) => client['metrics']!['found']!({ slug: undefined }, { slug: 'of-call' }))).body).toEqual({
      slug: 'of-call',
    });
    expect((await slugOf((client) => client['metrics']!['found']!({}, { slug: 'of-call' }), {})).body).toEqual({
      slug: 'of-call',
    });
    expect((await slugOf((client) => client.request('metricsFound', {}, { slug: 'of-call' }))).body).toEqual({ slug: 'of-call' });
  });

  test('leaves the input as it was', async () => {
    const input = Object.freeze({ assets: Object.freeze(['a']) });
    await slugOf((client) => client['assets']!['submit']!(input));
    expect(input).toEqual({ assets: ['a'] });
  });

  test.each(allOperations.filter((row) => row.slugAs === null && row.path !== null).map(({ name }) => name))(
    'does not go with %s, which takes none',
    async (name) => {
      const { input, route } = samples.find((sample) => sample.name === name)!;
      const { loose, server } = await connect([{ body: {} }], { slug: 'of-client' });
      await loose.request(name, input, { slug: 'of-call' });
      expect(`${server.requests[0]!.method} ${server.requests[0]!.url}`).toBe(route.replace(' ', ' /v2'));
      expect(server.requests[0]!.body.toString()).not.toMatch(/of-client|of-call/);
    },
  );

  test('does not go beside several organizations', async () => {
    expect((await slugOf((client) => client['metrics']!['list']!({ slugs: ['a', 'b'] }))).url).toBe(
      '/v2/organization/metrics?slugs=a&slugs=b',
    );
  });

  test.each(['', '.', '..'])('cannot climb: %j is refused where it stands in a path', async (slug) => {
    const { client, server } = await connect([{ body: {} }]);
    await expect(client.account.userOrgsGet({ slug })).rejects.toMatchObject({ code: 'INVALID_INPUT', operation: 'userOrgsGet' });
    expect(server.requests).toHaveLength(0);
  });

  test('that is missing where the operation cannot do without is named', async () => {
    const { client, server } = await connect([{ body: {} }]);
    await expect(client.detections.list()).rejects.toMatchObject({ code: 'INVALID_INPUT', issues: [{ path: 'slug' }] });
    expect(server.requests).toHaveLength(0);
  });
});

describe('times', () => {
  const sent = async (startDate: unknown, row: 'day' | 'instant'): Promise<unknown> => {
    const { loose, server } = await connect([{ body: {} }], { slug: 's' });
    await (row === 'day' ? loose['detections']!['threatsList']!({ startDate }) : loose['detections']!['list']!({ startDate }));
    return (jsonOf(server.requests[0]!) as { startDate: unknown }).startDate;
  };

  test.each([
    [new Date('2026-03-01T23:59:59.999Z'), '2026-03-01'],
    [new Date('2026-03-01T00:00:00+14:00'), '2026-02-28'],
    ['2026-03-01', '2026-03-01'],
    ['2026-03-01T22:00:00-03:00', '2026-03-02'],
    ['2026-03-01T23:59:59Z', '2026-03-01'],
    ['2024-02-29T01:00:00+02:00', '2024-02-28'],
  ])('%s is the day it has in UTC', async (given, day) => {
    expect(await sent(given, 'day')).toBe(day);
  });

  test.each([
    [new Date('2026-03-01T23:59:59.999Z'), '2026-03-01T23:59:59.999Z'],
    ['2026-03-01', '2026-03-01'],
    ['2026-03-01T22:00:00-03:00', '2026-03-01T22:00:00-03:00'],
    ['2026-03-01T22:00:00.123Z', '2026-03-01T22:00:00.123Z'],
  ])('%s is an instant', async (given, instant) => {
    expect(await sent(given, 'instant')).toBe(instant);
  });

  const wrong = [
    '',
    'yesterday',
    '2026-13-01',
    '2026-00-10',
    '2026-3-1',
    '03/04/2026',
    '2026-03-01T25:00:00Z',
    'Wed, 04 Mar 2026',
    ' 2026-03-01',
  ];

  test.each([...wrong, new Date(Number.NaN), 1_772_000_000_000, null, true, {}])('%s is refused', async (startDate) => {
    const { loose, server } = await connect([{ body: {} }], { slug: 's' });
    for (const call of [loose['detections']!['threatsList']!, loose['detections']!['list']!, loose['reports']!['list']!]) {
      await expect(call({ startDate, limit: 1 })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    }
    expect(server.requests).toHaveLength(0);
  });

  // Once: The engine reads 30 February as 1 March: as text it goes to the service unread, with a time it becomes another day.
  test.each(['2026-02-30', '2026-04-31T10:00:00Z', '2025-02-29'])('%s is no day and refused', async (startDate) => {
    const { client, server } = await connect([{ body: {} }]);
    await expect(client.detections.threatsList({ startDate })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(server.requests).toHaveLength(0);
  });

  // Once: Sent as "+010000-01" and "-000001-1", which is no day.
  test.each([new Date('+010000-01-01T00:00:00Z'), new Date('-000001-12-31T00:00:00Z')])(
    '%s is a day no four digits can say, and refused',
    async (startDate) => {
      const { client, server } = await connect([{ body: {} }]);
      await expect(client.detections.threatsList({ startDate })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      expect(server.requests).toHaveLength(0);
    },
  );

  // Once: Without a zone it is read as the machine's own time, and becomes the day before east of Greenwich.
  test('a time without a zone is the same day on every machine, or refused', async () => {
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

  // Once: A RangeError comes out: it is no field of the table, so nothing checks it before it is written.
  test('an invalid Date in a field the table does not know is refused too', async () => {
    const { client, server } = await connect([{ body: {} }]);
    await expect(client.account.userOrgs({ createdAfter: new Date(Number.NaN) })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    expect(server.requests).toHaveLength(0);
  });
});

describe('queries', () => {
  test('repeat the name of a list, write booleans as words and leave out what is null, undefined or empty', async () => {
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

  test.each(['\ud800', 'a\udc00b'])('refuse half a character, which no address can carry', async (query) => {
    const { client, server } = await connect([{ body: {} }]);
    await expect(client.organization.assetsList({ query })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      issues: [{ path: 'query' }],
    });
    await expect(client.account.userOrgsGet({ slug: query })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      issues: [{ path: 'slug' }],
    });
    expect(server.requests).toHaveLength(0);
  });

  // Once: It is sent as "[object Object]".
  test('refuse an object, which has no place in them', async () => {
    const { client, server } = await connect([{ body: {} }]);
    await expect(client.metrics.list({ filter: { by: 'day' } })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(server.requests).toHaveLength(0);
  });

  // Once: It is sent in the words of the machine's own time zone.
  test('write times inside a list as ISO 8601 too', async () => {
    const { client, server } = await connect([{ body: figures }]);
    await client.metrics.list({ days: [new Date(time)] });
    expect(decodeURIComponent(server.requests[0]!.url)).toContain(`days=${time}`);
  });
});

describe('rules between fields', () => {
  const review = { proposalId: 1, assetId: 2 } as const;
  const refused: readonly (readonly [string, string, object])[] = [
    ['an approval without a label', 'organizationProposalsReview', { ...review, decision: 'APPROVE' }],
    [
      'a label that needs a brand',
      'organizationProposalsReview',
      { ...review, decision: 'APPROVE', label: 'Brand Impersonation' },
    ],
    [
      'another label that needs a brand',
      'organizationProposalsReview',
      { ...review, decision: 'APPROVE', label: 'Employee Impersonation' },
    ],
    ['a rejection without a reason', 'organizationProposalsReview', { ...review, decision: 'REJECT', label: 'C2 Server' }],
    [
      'watchlisting without a reason',
      'organizationProposalsReview',
      { ...review, decision: 'WATCHLIST', rejectReason: 'decayed' },
    ],
    [
      'another reason without a note',
      'organizationProposalsReview',
      { ...review, decision: 'WATCHLIST', watchlistReason: 'OTHER' },
    ],
    ['an empty note', 'organizationProposalsReview', { ...review, decision: 'WATCHLIST', watchlistReason: 'OTHER', note: '' }],
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
    [
      '1001 assets of an organization',
      'organizationAssetsAdd',
      { assets: Array.from({ length: 1001 }, () => ({ content: 'a' })) },
    ],
    ['a group without a name', 'organizationAssetGroupsCreate', { name: '' }],
    ['a name of 256 characters', 'organizationAssetGroupsCreate', { name: 'x'.repeat(256) }],
    ['a page of none', 'organizationReportsList', { limit: 0 }],
    ['a page of 21', 'organizationReportsList', { limit: 21 }],
    ['a page of one and a half', 'organizationReportsList', { limit: 1.5 }],
    ['no size of a page', 'organizationReportsList', {}],
    ['an id that is no whole number', 'organizationAssetsRemove', { assetId: 0.5 }],
    ['an id that is text', 'organizationAssetsRemove', { assetId: '5' }],
    ['an id that no number holds exactly', 'organizationAssetsRemove', { assetId: 2 ** 53 }],
    ['a country of three letters', 'organizationReportsList', { limit: 1, countryCodes: ['DEU'] }],
    ['six types of assets', 'metricsTakedownTimeTrend', { slug: 's', assetTypes: ['URL', 'URL', 'URL', 'URL', 'URL', 'URL'] }],
    ['a field that does not exist', 'assetCheck', { content: 'a', typ: 'URL' }],
    ['a field that does not exist, deep inside', 'reportCreate', { assets: [{ content: 'a', contents: 'b' }] }],
    ['a field for an operation that takes none', 'validate', { key: 'x' }],
    ['an empty text to parse', 'assetParse', { content: '' }],
    ['a prefix of seven digits', 'assetBlocklistConfirm', { algoVersion: 1, prefixes: ['70ab53a'] }],
  ];

  test.each(refused)('%s is refused by %s, and nothing is sent', async (_, name, input) => {
    const { loose, server } = await connect([{ body: {} }]);
    await expect(loose.request(name, input)).rejects.toMatchObject({
      name: 'PortcullisError',
      code: 'INVALID_INPUT',
      operation: name,
    });
    expect(server.requests).toHaveLength(0);
  });

  const allowed: readonly (readonly [string, string, object])[] = [
    ['a label without a brand', 'organizationProposalsReview', { ...review, decision: 'APPROVE', label: 'False Positive' }],
    ['a rejection', 'organizationProposalsReview', { ...review, decision: 'REJECT', rejectReason: 'irrelevant' }],
    ['watchlisting', 'organizationProposalsReview', { ...review, decision: 'WATCHLIST', watchlistReason: 'PARKING' }],
    ['a note', 'organizationProposalsReview', { ...review, decision: 'WATCHLIST', watchlistReason: 'OTHER', note: 'x' }],
    [
      'a label that is ignored',
      'organizationProposalsReview',
      { ...review, decision: 'REJECT', rejectReason: 'decayed', label: 'Brand Impersonation' },
    ],
    ['both dates', 'getOrganizationReports', { slug: 's', startDate: '2026-03-01', endDate: '2026-03-02' }],
    ['neither date', 'getOrganizationReports', { slug: 's' }],
    ['100 assets', 'assetSubmit', { assets: Array.from({ length: 100 }, String) }],
    [
      '1000 assets of an organization',
      'organizationAssetsAdd',
      { assets: Array.from({ length: 1000 }, () => ({ content: 'a' })) },
    ],
    ['a title of three characters', 'reportCreate', { assets: [{ content: 'a' }], title: 'abc' }],
    ['a name of 255 characters', 'organizationAssetGroupsCreate', { name: 'x'.repeat(255) }],
    ['clearing a description', 'organizationAssetsUpdate', { assetId: 1, description: null }],
    [
      'a date after the other, which the service judges',
      'assetList',
      { type: 'URL', startDate: '2026-03-02', endDate: '2026-03-01' },
    ],
  ];

  test.each(allowed)('%s is taken by %s', async (_, name, input) => {
    const { loose, server } = await connect([{ body: {} }]);
    await loose.request(name, input);
    expect(server.requests).toHaveLength(1);
  });

  test('all that is wrong is told at once, each with its place and none with its value', async () => {
    const { loose } = await connect([{ body: {} }]);
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
  const closed: readonly (readonly [string, object])[] = [
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
  ];

  test.each(closed)('%s refuses a value that is none of theirs', async (name, input) => {
    const { loose, server } = await connect([{ body: {} }]);
    await expect(loose.request(name, input)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(server.requests).toHaveLength(0);
  });

  test('an answer with values nobody knows yet is an answer like any other', async () => {
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
    expect(events).toEqual([]);
  });
});

describe('an answer', () => {
  test('keeps fields the table does not know, at any depth, and causes no event for them', async () => {
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
    { status: 5, source: null, sources: 'none' },
    [],
    'text',
    5,
    null,
    false,
    { status: 'BLOCKED', source: 'seal', sources: [{ source: 1 }, { status: 2 }] },
  ])('of another shape is one event and comes as it is: %j', async (answer) => {
    const { client, events } = await connect([{ body: JSON.stringify(answer) }]);
    expect(await client.assets.check({ content: 'a' })).toEqual(answer);
    expect(events).toMatchObject([{ type: 'response-mismatch', operation: 'assetCheck' }]);
    const { issues } = events[0] as unknown as { issues: { path: string; message: string }[] };
    expect(issues.length).toBeGreaterThan(0);
    for (const issue of issues) expect(issue).toEqual({ path: expect.any(String), message: expect.stringMatching(/./) });
  });

  test('that does not match is told each time it comes', async () => {
    const { client, events } = await connect([{ body: {} }]);
    await client.assets.check({ content: 'a' });
    await client.assets.check({ content: 'a' });
    expect(events.map(({ type }) => type)).toEqual(['response-mismatch', 'response-mismatch']);
  });

  test('may be null where an asset is not known', async () => {
    const { client, events } = await connect([{ body: 'null' }]);
    expect(await client.assets.parse({ content: 'a' })).toBeNull();
    expect(events).toEqual([]);
  });

  test('that is empty is null where nobody has shown its shape, and an error elsewhere', async () => {
    const { client, events } = await connect([{ status: 204, body: '' }]);
    expect(await client.account.userMe()).toBeNull();
    expect(events).toEqual([]);
    await expect(client.assets.check({ content: 'a' })).rejects.toMatchObject({
      code: 'INVALID_RESPONSE',
      operation: 'assetCheck',
    });
  });
});

describe('deprecation', () => {
  test('by the table is told once for each operation and client, with what to use instead', async () => {
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
  ])('by headers is told once: %j', async (headers, deprecation, sunset) => {
    const { client, events } = await connect([{ headers: headers as Record<string, string>, body: anything }]);
    await client.account.validate();
    await client.account.validate();
    await client.account.userMe();
    expect(events).toEqual([
      { type: 'deprecation-header', operation: 'validate', deprecation, sunset },
      { type: 'deprecation-header', operation: 'userMe', deprecation, sunset },
    ]);
  });

  test('is told once where calls run at the same time', async () => {
    const { client, events } = await connect([{ headers: { deprecation: 'true' }, body: { status: 'UNKNOWN' } }]);
    await Promise.all([1, 2, 3].map(() => client.deprecated.assetDetails({ content: 'a' })));
    expect(events.map(({ type }) => type).sort()).toEqual(['deprecated', 'deprecation-header']);
  });

  test('stops nothing, even where the listener throws', async () => {
    const { client } = await connect([{ body: { status: 'UNKNOWN' } }], {
      onEvent: () => {
        throw new Error('listener');
      },
    });
    expect(await client.deprecated.assetDetails({ content: 'a' })).toEqual({ status: 'UNKNOWN' });
  });
});

describe('routes', () => {
  test('that nobody knows are an error, until they are given', async () => {
    const { client, server } = await connect([{ body: {} }]);
    await expect(client.metrics.blockedByFirstReportSource()).rejects.toMatchObject({
      code: 'PATH_UNKNOWN',
      operation: 'metricsBlockedByFirstReportSource',
    });
    expect(server.requests).toHaveLength(0);
  });

  test('given as verb and path are used, with whatever the input has', async () => {
    const { client, server } = await connect([{ body: anything }], {
      paths: { metricsBlockedByFirstReportSource: 'POST /metrics/by-source' },
    });
    expect(await client.metrics.blockedByFirstReportSource({ slug: 'acme', days: 3 })).toEqual(anything);
    expect(server.requests[0]).toMatchObject({ method: 'POST', url: '/v2/metrics/by-source' });
    expect(jsonOf(server.requests[0]!)).toEqual({ slug: 'acme', days: 3 });
  });

  test('given as a path alone keep their verb, and stay unknown where there is none', async () => {
    const { client, server } = await connect([{ body: {} }], {
      paths: { assetCheck: '/v3/check', metricsBlockedByFirstReportSource: '/metrics/by-source' },
    });
    await client.assets.check({ content: 'a' });
    expect(server.requests[0]).toMatchObject({ method: 'POST', url: '/v2/v3/check' });
    await expect(client.metrics.blockedByFirstReportSource()).rejects.toMatchObject({ code: 'PATH_UNKNOWN' });
  });

  test('may turn a body into a query and back, and move a parameter', async () => {
    const { client, server } = await connect([{ body: {} }], {
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

  // Once: It goes to /metrics/undefined.
  test('whose parameter the input does not have are refused and not filled with a word', async () => {
    const { client, server } = await connect([{ body: {} }], { paths: { metricsSummary: 'POST /metrics/{slug}' } });
    await expect(client.metrics.summary()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(server.requests).toHaveLength(0);
  });

  test.each([
    [{ noSuchOperation: '/x' }],
    [{ assets: '/x' }],
    [{ assetCheck: 'x' }],
    [{ assetCheck: '' }],
    [{ assetCheck: 'PUT /x' }],
    [{ assetCheck: 'post /x' }],
    [{ assetCheck: 'POST  /x' }],
    [{ assetCheck: 'POST x' }],
    [{ assetCheck: 'POST' }],
    [{ assetCheck: ' /x' }],
    [{ assetCheck: '/x?y' }],
    [{ assetCheck: '/x#y' }],
    [{ assetCheck: '/x y' }],
    [{ assetCheck: '/x\r\nx-evil: 1' }],
    [{ assetCheck: 'https://elsewhere.example/x' }],
    [{ assetCheck: '@elsewhere.example/x' }],
    [{ assetCheck: null as unknown as string }],
    [{ assetCheck: 5 as unknown as string }],
  ])('%j is refused when the client is made', (paths) => {
    for (const [, create] of entries) {
      const make = (): unknown => create({ baseUrl: 'https://api.example', apiKey: 'k', paths });
      expect(make).toThrow(expect.objectContaining({ name: 'PortcullisError', code: 'INVALID_INPUT' }));
    }
  });

  // Once: Only white space, "?" and "#" are looked for; the transport then refuses the path at each call, as a NETWORK error.
  test.each(['/x\u0000y', '/x\u007fy', '/ü'])('%j cannot stand in an address and is refused when the client is made', (path) => {
    expect(() => createClient({ baseUrl: 'https://api.example', apiKey: 'k', paths: { assetCheck: path } })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT' }),
    );
  });

  test('of groups the client does not have are no operations of it', async () => {
    const options = { baseUrl: 'https://api.example', apiKey: 'k' };
    expect(() => createPartialClient({ assets }, { ...options, paths: { validate: '/x' } })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT' }),
    );
    const client = createPartialClient({ assets }, { ...options, paths: { assetCheck: '/x' } });
    onTestFinished(() => client.close());
    await expect((client.request as unknown as Loose['request'])('validate')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test.each(['toString', '__proto__', 'constructor', '', 'check', 'asset_check'])('%j is no operation', async (name) => {
    const { loose, server } = await connect([{ body: {} }]);
    await expect(loose.request(name)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(server.requests).toHaveLength(0);
  });

  test.each([null, 5, 'text', true])('%j is no input', async (input) => {
    const { loose, server } = await connect([{ body: {} }]);
    await expect(loose['account']!['userOrgs']!(input as unknown as object)).rejects.toThrow(TypeError);
    expect(server.requests).toHaveLength(0);
  });
});
