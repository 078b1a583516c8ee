import type { OperationName } from 'portcullis/client';

/** A call of each operation with a published route, and a response as documented. */

export const time = '2026-03-04T05:06:07.890Z';
const brand = { id: 8, name: 'Acme', slug: 'acme' };
const asset = { id: 5, type: 'URL', content: 'evil.example', status: 'BLOCKED' };
export const report = {
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
export const reportPage = { reports: [report], nextCursor: null, totalCount: 1 };
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
export const figures = {
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
export const checked = {
  id: 'reviewing.backlog',
  severity: 'warn',
  observed: 12,
  threshold: { warn: 10 },
  findings: [],
  suggestedAction: 'review',
};
export const anything = { anything: ['goes', 1, null] };

export interface Sample {
  readonly input?: object;
  /** Method, path and query, if they are not those of the operation's row. */
  readonly route?: string;
  /** What is sent, if it is not the input. */
  readonly body?: unknown;
  /** The response; `anything` if omitted. */
  readonly answer?: unknown;
}

export const samples: Readonly<Partial<Record<OperationName, Sample>>> = {
  assetCheck: {
    input: { content: 'evil.example' },
    answer: { status: 'BLOCKED', source: 'seal', sources: [{ source: 'seal', status: 'BLOCKED' }], reason: 'parent-domain' },
  },
  assetList: {
    input: {
      type: 'URL',
      status: 'ALLOWED',
      startDate: '2026-03-01',
      endDate: new Date('2026-03-04T23:59:59.999Z'),
      per_page: 10_000,
    },
    body: { type: 'URL', status: 'ALLOWED', startDate: '2026-03-01', endDate: '2026-03-04', per_page: 10_000 },
    answer: {
      assets: [
        { content: 'a.example', type: 'URL', status: 'ALLOWED', watchStatus: 'DISABLED', updatedAt: time, blockedAt: null },
      ],
      next_page: null,
    },
  },
  assetChangelog: { input: { type: 'ADDRESS' } },
  assetSearch: {
    input: { assetId: 5 },
    answer: {
      asset: { ...asset, watchStatus: 'ENABLED', createdAt: time, updatedAt: time, livenessStatus: null },
      reports: [{ id: 1, title: 'A scam', status: 'CLOSED', createdAt: time }],
      takedown: { id: 2, status: 'TODO', createdAt: time, updatedAt: time, tasks: [task] },
      blockedBy: [{ consumer: 'wallet', name: 'A wallet', consumedAt: time }],
    },
  },
  assetSubmit: {
    input: { assets: ['a.example', 'b.example'], organizationSlug: 'acme' },
    answer: {
      submittedAssets: [
        { asset: 'a.example', assetId: 1, scanId: 2 },
        { asset: 'b.example', assetId: 3 },
      ],
    },
  },
  assetUnblock: { input: { content: 'a.example', slug: 'acme' } },
  assetParse: {
    input: { content: 'HTTPS://A.example/' },
    answer: { content: 'a.example', submittedContent: 'HTTPS://A.example/', type: 'URL' },
  },
  assetScan: {
    input: { content: 'a.example', callbackUrl: 'https://hook.example' },
    answer: { scanId: 77 },
  },
  scanResult: { input: { scanId: 77 } },
  assetBlocklistVersion: {
    answer: { algoVersion: 1, snapshot: { token: 'a', count: 2, url: 'https://files.example/a' } },
  },
  assetBlocklistConfirm: { input: { algoVersion: 'portcullis-1', prefixes: ['70ab53a7'] } },
  reportCreate: {
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
    answer: { id: 1, createdAt: time, organization: { id: 9, slug: 'acme', name: 'Acme' } },
  },
  reportsSearch: {
    input: { slug: 'acme', assetContents: ['evil.example'], reportedByCustomer: true, limit: 100 },
    answer: { reports: [{ id: 1, status: 'TODO', assets: ['evil.example'] }] },
  },
  organizationReportsList: {
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
  organizationProposalsReview: {
    input: { proposalId: 4, assetId: 5, decision: 'APPROVE', label: 'Brand Impersonation', brandId: 8, slug: 'acme' },
    route: 'POST /organization/proposals/4/review',
    body: { assetId: 5, decision: 'APPROVE', label: 'Brand Impersonation', brandId: 8, slug: 'acme' },
    answer: {
      proposal: { id: 4, reviewStatus: 'APPROVED', asset },
      review: { id: 1, decision: 'APPROVE', label: 'Brand Impersonation', brandId: 8, comment: '', createdAt: time },
      watchlisted: false,
    },
  },
  attachmentUpload: {
    input: { file: new Uint8Array([1, 2, 3]), fileName: 'a b.png' },
    route: 'POST /attachment/upload?fileName=a%20b.png',
    body: Buffer.from([1, 2, 3]),
    answer: { attachments: [{ url: 'https://files.example/1', fileName: 'a b.png', sizeBytes: 3 }] },
  },
  disputeCreate: { input: { content: 'a.example', email: 'me@a.example' }, answer: { id: 'd-1', content: 'a.example' } },
  webhookConfig: { input: { slug: 'acme', url: 'https://hook.example', events: ['asset.status-updated'] } },
  organizationBrands: { answer: { brands: [{ id: 8, name: 'Acme', type: 'PRODUCT', avatarUrl: null, tickers: ['ACM'] }] } },
  organizationAssetsList: {
    input: { type: 'URL', groupId: -1, per_page: 1000, next_page: 'x/y', slug: 'acme' },
    route: 'GET /organization/assets?type=URL&groupId=-1&per_page=1000&next_page=x%2Fy&slug=acme',
    answer: {
      assets: [{ ...asset, name: null, description: null, group: { id: 2, name: 'Sites' }, createdAt: time, updatedAt: time }],
      next_page: null,
    },
  },
  organizationAssetsAdd: {
    input: { assets: [{ content: 'a.example', groupId: 2 }] },
    answer: { results: [{ content: 'a.example', success: false, error: 'exists' }], successCount: 0, errorCount: 1 },
  },
  organizationAssetsUpdate: {
    input: { assetId: 5, description: null, groupId: null },
    route: 'PATCH /organization/assets/5',
    answer: { id: 5, content: 'a.example', name: null, description: null, groupId: null },
  },
  organizationAssetsRemove: { input: { assetId: 5 }, route: 'DELETE /organization/assets/5', answer: { success: true, id: 5 } },
  organizationAssetGroupsList: { answer: { groups: [{ id: 2, name: 'Sites', assetCount: 0 }] } },
  organizationAssetGroupsCreate: { input: { name: 'Sites' }, answer: { id: 2, name: 'Sites' } },
  organizationAssetGroupsUpdate: {
    input: { groupId: 2, name: 'Pages' },
    route: 'PATCH /organization/asset-groups/2',
    answer: { id: 2, name: 'Pages' },
  },
  organizationAssetGroupsDelete: {
    input: { groupId: 2 },
    route: 'DELETE /organization/asset-groups/2',
    answer: { success: true, id: 2, unassignedAssetCount: 4 },
  },
  detectionList: {
    input: {
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
  detectionSourcesList: { input: { slug: 'a/b' }, route: 'GET /detection/sources?slug=a%2Fb' },
  detectionConfigsList: { input: { slug: 'acme' } },
  detectionConfigsCreate: {
    input: { slug: 'acme', source: 'telegram_channels_search', config: { any: [{ thing: 1 }] }, brandId: 8 },
  },
  detectionConfigsUpdate: { input: { slug: 'acme', configId: 3, status: 'DISABLED', mergeConfig: false } },
  detectionConfigsDelete: { input: { slug: 'acme', configId: 3 } },
  detectionConfigsRun: { input: { slug: 'acme', includeDisabled: true } },
  detectionConfigsValidate: { input: { slug: 'acme', minResults: 1, lookbackHours: 24, run: false } },
  detectionDrift: { input: { slug: 'acme', configId: 3, source: 'urlscan' } },
  threatsList: {
    input: {
      startDate: '2026-03-01T23:30:00-01:00',
      assetType: ['URL'],
      sorting: [{ key: 'blockedAt', direction: 'desc' }],
      next_page: '2',
    },
    body: { startDate: '2026-03-02', assetType: ['URL'], sorting: [{ key: 'blockedAt', direction: 'desc' }], next_page: '2' },
    answer: {
      threats: [{ id: 1, content: 'evil.example', type: 'URL', blockedAt: time, livenessStatus: 'ALIVE' }],
      next_page: null,
    },
  },
  takedownsList: {
    input: { slug: 'acme', endDate: '2026-03-04', takedownStatus: ['RETRACTED', 'NEW_ONE'], livenessStatus: ['DEAD'] },
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
  metricsSummary: { input: { slug: 'acme', brandIds: [8] } },
  metricsBreakdown: {
    input: { slug: 'acme', by: 'brand', startDate: new Date(0) },
    body: { slug: 'acme', by: 'brand', startDate: '1970-01-01T00:00:00.000Z' },
  },
  metricsFound: { input: { slug: 'acme' } },
  organizationMetricsList: {
    input: { slugs: ['acme', 'other'], include: ['reports', 'blockedByDay'], brandSlug: 'b' },
    route: 'GET /organization/metrics?brandSlug=b&slugs=acme&slugs=other&include=reports&include=blockedByDay',
    answer: figures,
  },
  metricsTakedownTime: {
    input: { slug: 'acme', blockLabel: 'C2 Server', brandType: 'INDIVIDUAL', countryCodes: ['DE'] },
    answer: { byAssetType: [{ assetType: 'URL', ...median }] },
  },
  metricsTakedownTimeTrend: {
    input: { slug: 'acme', months: 36, assetTypes: ['URL', 'PAGE', 'EMAIL', 'TWITTER', 'TELEGRAM'] },
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
  validate: {},
  userMe: {},
  userMeUpdate: { input: { theme: 'dark', nested: { list: [1, { a: null }] } } },
  userOrgs: {
    input: { subscriptionStatus: ['ACTIVE'], obligatoryAdminApproval: false, query: 'ac' },
    answer: { organizations: [organization] },
  },
  userOrgsGet: { input: { slug: 'a c/m?e' }, route: 'GET /user/orgs/a%20c%2Fm%3Fe', answer: organization },
  operationsQueuesSnapshot: { input: { slug: 'acme', windowHours: 4.5 } },
  healthchecksList: { answer: { checks: [{ id: 'reviewing.backlog', implemented: false, notImplementedReason: 'later' }] } },
  healthchecksDetectionsSilentConfigs: { input: { slug: 'acme', minResults: 2, lookbackHours: 48 }, answer: checked },
  healthchecksReviewingBacklog: { input: { slug: 'acme' }, answer: checked },
  healthchecksReviewingOldProposals: { input: { slug: 'acme' }, answer: checked },
  healthchecksTakedownsTodoVolume: { input: { slug: 'acme' }, answer: checked },
  healthchecksTakedownsInProgressVolume: { input: { slug: 'acme' }, answer: checked },
  healthchecksTakedownsStaleInProgress: { input: { slug: 'acme' }, answer: checked },
  healthchecksTakedownsCancelledCount: { input: { slug: 'acme' }, answer: checked },
  healthchecksTakedownsAutomationOff: { input: { slug: 'acme' }, answer: checked },
  healthchecksAssetsDeadAssetSpike: { input: { slug: 'acme', baselineDays: 14, minSpikeCount: 5 }, answer: checked },
  healthchecksOrganizationMissingContactUrl: { input: { slug: 'acme' }, answer: checked },
  assetDetails: {
    input: { content: 'evil.example' },
    answer: { status: 'BLOCKED', reportId: 1, reportUrl: 'https://app.example/1' },
  },
  getOrganizationReports: {
    input: { slug: 'acme', cursor: 'abc', startDate: '2026-03-01', endDate: new Date(time) },
    body: { slug: 'acme', cursor: 'abc', startDate: '2026-03-01', endDate: time },
    answer: reportPage,
  },
  getOrganizationMetrics: { input: { organizationSlug: 'acme' }, answer: figures },
};
