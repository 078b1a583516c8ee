import { allOperations, type FullOperation, openApi, operationGroups, queues } from 'portcullis/client';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';

/**
 * What the service's document and its public pages say, copied by hand: group, name, route, effect, provenance of name,
 * route, input and output, paging, and replacement.
 */
const rows = `
assets | assetCheck | POST /asset/check | read repeatable | public public public public
assets | assetList | POST /asset/list | read repeatable | provisional public public public | next_page assets 10000
assets | assetChangelog | POST /asset/changelog | read repeatable | public public public provisional
assets | assetSearch | POST /asset/search | read repeatable | public public public public
assets | assetSubmit | POST /asset/submit | write | provisional public public public
assets | assetUnblock | POST /asset/unblock | write destructive org | provisional public provisional provisional
assets | assetParse | POST /asset/parse | read repeatable | public public public public
assets | assetScan | POST /asset/scan | write | provisional public provisional provisional
assets | scanResult | POST /scan/result | read repeatable | provisional public provisional provisional
blocklist | assetBlocklistVersion | GET /asset/blocklist/version | read repeatable | provisional public - public
blocklist | assetBlocklistConfirm | POST /asset/blocklist/confirm | read repeatable | provisional public public provisional
reports | reportCreate | POST /report/create | write org | provisional seed public seed
reports | reportsSearch | POST /reports/search | read org repeatable | provisional seed provisional draft
reports | organizationReportsList | GET /organization/reports | read org repeatable | provisional seed seed seed | cursor reports 20
reports | organizationProposalsReview | POST /organization/proposals/{proposalId}/review | write destructive org | provisional seed public public
attachments | attachmentUpload | POST /attachment/upload | write | provisional seed seed seed
disputes | disputeCreate | POST /dispute/create | write | provisional public public public
webhooks | webhookConfig | POST /webhook/config | write org | provisional public provisional provisional
organization | organizationBrands | GET /organization/brands | read org repeatable | provisional public provisional public
organization | organizationAssetsList | GET /organization/assets | read org repeatable | provisional public public public | next_page assets 1000
organization | organizationAssetsAdd | POST /organization/assets | write org | provisional public public public
organization | organizationAssetsUpdate | PATCH /organization/assets/{assetId} | write org repeatable | provisional public public public
organization | organizationAssetsRemove | DELETE /organization/assets/{assetId} | write org | provisional public public public
organization | organizationAssetGroupsList | GET /organization/asset-groups | read org repeatable | provisional public - public
organization | organizationAssetGroupsCreate | POST /organization/asset-groups | write org | provisional public public public
organization | organizationAssetGroupsUpdate | PATCH /organization/asset-groups/{groupId} | write org repeatable | provisional public public public
organization | organizationAssetGroupsDelete | DELETE /organization/asset-groups/{groupId} | write destructive org | provisional public public public
detections | detectionList | POST /detection/list | read org repeatable | provisional public public public | cursor detections 100
detections | detectionSourcesList | GET /detection/sources | read org repeatable | provisional public - provisional
detections | detectionConfigsList | POST /detection/configs/list | read org repeatable | provisional public provisional provisional
detections | detectionConfigsCreate | POST /detection/configs/create | write org | provisional public public provisional
detections | detectionConfigsUpdate | POST /detection/configs/update | write org | provisional public provisional provisional
detections | detectionConfigsDelete | POST /detection/configs/delete | write destructive org | provisional public public provisional
detections | detectionConfigsRun | POST /detection/configs/run | write org | provisional public provisional provisional
detections | detectionConfigsValidate | POST /detection/configs/validate | write org | provisional public provisional provisional
detections | detectionDrift | POST /detection/drift | read org repeatable | provisional public provisional provisional
detections | threatsList | POST /threats/list | read org repeatable | provisional public public public | next_page threats 100
takedowns | takedownsList | POST /takedowns/list | read org repeatable | provisional public public public | next_page takedowns 100
metrics | metricsSummary | POST /metrics/summary | read org repeatable | provisional public provisional provisional
metrics | metricsBreakdown | POST /metrics/breakdown | read org repeatable | provisional public provisional provisional
metrics | metricsFound | POST /metrics/found | read org repeatable | provisional public provisional provisional
metrics | metricsBlockedByFirstReportSource | - | read org repeatable | provisional provisional provisional provisional
metrics | organizationMetricsList | GET /organization/metrics | read org repeatable | provisional seed provisional public
metrics | metricsTakedownTime | POST /metrics/takedown-time | read org repeatable draft | provisional draft draft draft
metrics | metricsTakedownTimeTrend | POST /metrics/takedown-time/trend | read org repeatable draft | provisional draft draft draft
account | validate | GET /validate | read repeatable | provisional public - provisional
account | userMe | POST /user/me | read repeatable | provisional public - provisional
account | userMeUpdate | POST /user/me/update | write | provisional public provisional provisional
account | userOrgs | POST /user/orgs | read repeatable | provisional public public draft
account | userOrgsGet | GET /user/orgs/{slug} | read org repeatable | provisional public - draft
queues | operationsQueuesSnapshot | POST /operations/queues/snapshot | read org repeatable | provisional public provisional provisional
healthchecks | healthchecksList | POST /healthchecks/list | read repeatable | provisional public - public
healthchecks | healthchecksDetectionsSilentConfigs | POST /healthchecks/detections/silent-configs | read org repeatable | provisional public provisional public
healthchecks | healthchecksReviewingBacklog | POST /healthchecks/reviewing/backlog | read org repeatable | provisional public provisional public
healthchecks | healthchecksReviewingOldProposals | POST /healthchecks/reviewing/old-proposals | read org repeatable | provisional public provisional public
healthchecks | healthchecksTakedownsTodoVolume | POST /healthchecks/takedowns/todo-volume | read org repeatable | provisional public provisional public
healthchecks | healthchecksTakedownsInProgressVolume | POST /healthchecks/takedowns/in-progress-volume | read org repeatable | provisional public provisional public
healthchecks | healthchecksTakedownsStaleInProgress | POST /healthchecks/takedowns/stale-in-progress | read org repeatable | provisional public provisional public
healthchecks | healthchecksTakedownsCancelledCount | POST /healthchecks/takedowns/cancelled-count | read org repeatable | provisional public provisional public
healthchecks | healthchecksTakedownsAutomationOff | POST /healthchecks/takedowns/automation-off | read org repeatable | provisional public provisional public
healthchecks | healthchecksAssetsDeadAssetSpike | POST /healthchecks/assets/dead-asset-spike | read org repeatable | provisional public provisional public
healthchecks | healthchecksOrganizationMissingContactUrl | POST /healthchecks/organization/missing-contact-url | read org repeatable | provisional public provisional public
deprecated | assetDetails | POST /asset/details | read repeatable | provisional seed public public |  | assetCheck assetSearch
deprecated | getOrganizationReports | POST /public/getOrganizationReports | read org repeatable | public seed public provisional | cursor reports 20 | organizationReportsList
deprecated | getOrganizationMetrics | POST /public/getOrganizationMetrics | read org repeatable | provisional seed public public |  | organizationMetricsList
`
  .trim()
  .split('\n')
  .map(
    (line) => line.split(' | ') as [group: string, name: string, route: string, flags: string, marks: string, ...rest: string[]],
  );

/** Each value list, in the order of the documents; values are separated by spaces, or by bars where a value contains spaces. */
const values: Readonly<Record<string, string>> = {
  AssetType:
    'URL PAGE ADDRESS DISCORD LINKEDIN TWITTER FACEBOOK YOUTUBE REDDIT TELEGRAM GOOGLE_APP_STORE APPLE_APP_STORE AMAZON_APP_STORE MICROSOFT_APP_STORE TIKTOK INSTAGRAM THREADS MEDIUM CHROME_WEB_STORE MOZILLA_ADDONS OPERA_ADDONS EMAIL PATREON OPENSEA FARCASTER IPFS GOOGLE_FORM WHATSAPP DISCORD_USER QUORA GITHUB TEACHABLE SUBSTACK DEBANK TAWK_TO JOTFORM PRIMAL BLUESKY SNAPCHAT DESO PINTEREST FLICKR GALXE VELOG NPM PYPI HEX DOCKER_HUB VOCAL_MEDIA TECKFINE TENDERLY HACKMD ETSY ZAZZLE BASENAME BILIBILI_TV VIMEO DAILYMOTION PHONE_NUMBER SLACK CALENDLY NGROK RARIBLE RUST_PACKAGE FLATHUB VIDLII VEVIOZ ISSUU SOUNDCLOUD ZAPPER REDNOTE SAMSUNG_APP_STORE HUAWEI_APP_STORE XIAOMI_APP_STORE TENCENT_APP_STORE OPPO_APP_STORE VIVO_APP_STORE F_DROID GOOGLE_AD BING_AD TWITCH BEHANCE ZORA META_AD SIGNAL DEVIANTART BANDCAMP ARCHIVE_ORG FIVE_HUNDRED_PX LUMA SMARTMONEYMATCH APK_GOLD',
  AssetStatus: 'UNKNOWN ALLOWED BLOCKED',
  WatchStatus: 'ENABLED DISABLED',
  LivenessStatus: 'ALIVE DEAD UNKNOWN',
  ReportStatus: 'TODO IN_PROGRESS CLOSED',
  ImageDisplay: 'VISIBLE BLUR HIDDEN',
  ReportSource: 'APP API CANARY_TOKEN AUTO_DETECTION ASSET_MANAGEMENT',
  ReporterRole: 'SUPERUSER SYSTEM CUSTOMER SUPPORT REVIEWER REPORTER MANAGER READ_ONLY',
  ActorKind: 'human automation',
  ReviewFilter: 'APPROVE REJECT SKIP ESCALATE',
  ProposalStatus: 'PENDING APPROVED REJECTED',
  ScanStatus: 'PENDING IN_PROGRESS COMPLETED FAILED',
  ReviewDecision: 'APPROVE REJECT WATCHLIST',
  BlockLabel:
    'Brand Impersonation|Employee Impersonation|Fake Employee|Targeting Org Users|General Phishing|C2 Server|False Positive',
  RejectReason: 'irrelevant no_malicious_activity insufficient_evidence not_targeting_org decayed',
  WatchlistReason: 'DEAD PARKING NOT_ENOUGH_EVIDENCE OTHER',
  CheckSource: 'eth-phishing-detect phishfort seal polkadot-phishing',
  CheckReason: 'not-found unsupported-type source-error parent-domain hosting-domain',
  CheckCode: 'parse-error internal-scheme internal-error',
  TakedownStatus:
    'TODO IN_PROGRESS COMPLETED CANCELLED PENDING_INPUT PENDING_RETRACTION RETRACTION_SENT RETRACTED PENDING_EVIDENCE',
  TakedownTaskType: 'HOSTING_PROVIDER',
  TakedownTaskStatus: 'TODO',
  RetractionStatus: 'NOT_RETRACTED',
  TakedownSortKey: 'updatedAt createdAt takedownStatus takedownUpdatedAt assigneeId brandId',
  SortDirection: 'asc desc',
  ThreatSortKey: 'id blockedAt content type',
  DetectionConfidence: 'none low medium high',
  DetectionReported: 'REPORTED NOT_REPORTED',
  DetectionProperty: 'source assetStatus confidence assetType',
  DetectionOperator: 'in notIn',
  DetectionSource:
    'ASSET_CHECK BING_SEARCH CERTSTREAM DNS_TWIST DUCK_DUCK_GO_SEARCH EXTERNAL GOOGLE_SEARCH GUESTBOOK MEDIUM_TAG_RSS MOZILLA_ADDON_SEARCH REDDIT_SUBREDDIT_SEARCH TWITTER TWITTER_POST_SEARCH TWITTER_SEARCH URLSCAN YAHOO_SEARCH YOUTUBE_SEARCH',
  DetectionConfigStatus: 'ENABLED DISABLED',
  BrandType: 'ORGANIZATION INDIVIDUAL PRODUCT',
  SubscriptionStatus: 'PROSPECT POC ACTIVE INTEGRATION INACTIVE',
  Visibility: 'PUBLIC PRIVATE DISABLED',
  ReportVisibility: 'PUBLIC PRIVATE',
  MetricsInclude:
    'reports newThreats threatsWatchlisted takedownsFiled takedownsCompleted domainThreats twitterThreats telegramThreats otherThreats blockedByType blockedByDay',
  BreakdownAxis: 'day type brand',
  HealthcheckSeverity: 'ok warn fail',
  HealthcheckId:
    'detections.silent-configs reviewing.backlog reviewing.old-proposals takedowns.todo-volume takedowns.in-progress-volume takedowns.stale-in-progress takedowns.cancelled-count takedowns.automation-off assets.dead-asset-spike organization.missing-contact-url',
  WebhookEvent: 'asset.status-updated asset.status-escalated organization.threat-detection-added',
  TrendDirection: 'improved worsened unchanged',
  ReporterConfidence: 'HIGH',
  EnrichmentType: 'content_and_metadata',
};

const byName = new Map<string, FullOperation>(allOperations.map((row) => [row.name, row]));

/** The documented rule for verbs. */
function verbOf(group: string, name: string): string {
  const words = name.split(/(?=[A-Z])/);
  const at = words.findIndex((word) => [group, group.replace(/s$/, '')].includes(word.toLowerCase()));
  const rest = at >= 0 && at < words.length - 1 ? words.slice(at + 1) : words[0] === 'organization' ? words.slice(1) : words;
  const joined = rest.join('');
  return joined.charAt(0).toLowerCase() + joined.slice(1);
}

describe('the operations', () => {
  test('are the 63 in the service’s document and the two in a draft', () => {
    expect(allOperations).toHaveLength(65);
    expect(rows).toHaveLength(65);
    expect(allOperations.filter(({ provenance }) => provenance.route === 'draft').map(({ name }) => name)).toEqual([
      'metricsTakedownTime',
      'metricsTakedownTimeTrend',
    ]);
    expect([...byName.keys()].sort()).toEqual(rows.map(([, name]) => name).sort());
  });

  test('have unique names, tools, methods and routes', () => {
    expect(byName.size).toBe(65);
    expect(new Set(allOperations.map(({ tool }) => tool)).size).toBe(65);
    expect(new Set(allOperations.map(({ group, verb }) => `${group}.${verb}`)).size).toBe(65);
    const routes = allOperations.flatMap(({ method, path }) => (path === null ? [] : [`${method} ${path}`]));
    expect(new Set(routes).size).toBe(64);
  });

  test('have a known route, except one', () => {
    expect(allOperations.filter(({ path, method }) => path === null || method === null)).toMatchObject([
      { name: 'metricsBlockedByFirstReportSource', path: null, method: null },
    ]);
  });

  test.each(rows)('%s: %s is %s, %s', (group, name, route, flags, marks, paging = '', replacement = '') => {
    const row = byName.get(name)!;
    const has = new Set(flags.split(' '));
    const [nameMark, routeMark, inputMark, outputMark] = marks.split(' ');
    const [style, items, maxPageSize] = paging.split(' ');
    expect(row).toMatchObject({
      group,
      verb: verbOf(group, name),
      method: route === '-' ? null : route.split(' ')[0],
      path: route === '-' ? null : route.split(' ')[1],
      write: has.has('write'),
      destructive: has.has('destructive'),
      scoped: has.has('org') ? 'org' : 'none',
      repeatSafe: has.has('repeatable'),
      deprecated: replacement !== '',
      replacement: replacement === '' ? [] : replacement.split(' '),
      provenance: { name: nameMark, route: routeMark, input: inputMark === '-' ? null : inputMark, output: outputMark },
      paging: paging === '' ? null : { style, items, maxPageSize: Number(maxPageSize) },
      tool: expect.stringMatching(/^[a-z]+(_[a-z]+)*$/),
    });
    // The tool is the name in snake case.
    expect(row.tool.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())).toBe(name);
  });

  test('have the tool names that the service’s document uses', () => {
    const tools = new Set(allOperations.map(({ tool }) => tool));
    for (const tool of ['asset_check', 'reports_search', 'user_orgs']) expect(tools).toContain(tool);
  });

  test('have verbs that follow the naming rule', () => {
    expect(verbOf('reports', 'organizationReportsList')).toBe('list');
    expect(verbOf('blocklist', 'assetBlocklistVersion')).toBe('version');
    expect(verbOf('metrics', 'organizationMetricsList')).toBe('list');
    expect(verbOf('reports', 'organizationProposalsReview')).toBe('proposalsReview');
    expect(verbOf('account', 'userOrgs')).toBe('userOrgs');
  });

  test('have a field for the slug only if their input has it', () => {
    const keys = Object.fromEntries(
      allOperations.filter(({ slugAs }) => slugAs !== null).map(({ name, slugAs }) => [name, slugAs]),
    );
    const organizationSlug = Object.keys(keys).filter((name) => keys[name] === 'organizationSlug');
    expect(organizationSlug).toEqual(['assetSubmit', 'reportCreate', 'getOrganizationMetrics']);
    for (const row of allOperations) {
      const properties = Object.keys(shapeOf(row.input));
      if (row.slugAs !== null) expect(properties, row.name).toContain(row.slugAs);
    }
  });

  test('are destructive only if they write, and are replaced by operations that are not deprecated', () => {
    for (const row of allOperations) {
      if (row.destructive) expect(row.write, row.name).toBe(true);
      for (const name of row.replacement) expect(byName.get(name), row.name).toMatchObject({ deprecated: false });
    }
  });

  test('have distinct summaries of one or two sentences', () => {
    const summaries = allOperations.map(({ summary }) => summary);
    expect(new Set(summaries).size).toBe(65);
    for (const summary of summaries) expect(summary).toMatch(/^.{10,200}[.?]$/);
  });

  test('are grouped as exported', () => {
    expect(operationGroups.queues).toBe(queues);
    expect(Object.values(operationGroups).flatMap((group) => Object.keys(group))).toHaveLength(65);
  });
});

describe('value lists', () => {
  const schemas = (openApi()['components'] as { schemas: Record<string, { enum?: readonly string[] }> }).schemas;

  test('are exactly the documented ones', () => {
    expect(Object.keys(schemas).sort()).toEqual([...Object.keys(values), 'Error'].sort());
  });

  test.each(Object.entries(values))('%s has the documented values', (name, list) => {
    const documented = list.split(list.includes('|') ? '|' : ' ');
    expect(schemas[name]?.enum, 'the code has these values; `values` of this test copies them from the documents').toEqual(
      documented,
    );
  });

  test('include 92 asset types', () => {
    expect(schemas['AssetType']?.enum).toHaveLength(92);
  });
});

describe('limits', () => {
  const paths = openApi()['paths'] as Record<string, Record<string, unknown>>;

  /** The schema of one field of an input, wherever it is sent. */
  function fieldOf(name: string, field: string): Record<string, unknown> {
    const { path, method } = byName.get(name)!;
    const operation = paths[path!]![method!.toLowerCase()] as {
      parameters?: { name: string; schema: Record<string, unknown> }[];
      requestBody?: { content: Record<string, { schema: { properties: Record<string, Record<string, unknown>> } }> };
    };
    const inBody = operation.requestBody?.content['application/json']?.schema.properties[field];
    return inBody ?? operation.parameters!.find((parameter) => parameter.name === field)!.schema;
  }

  test.each([
    ['organizationReportsList', 'limit', { minimum: 1, maximum: 20 }],
    ['detectionList', 'limit', { minimum: 1, maximum: 100 }],
    ['reportsSearch', 'limit', { minimum: 1, maximum: 100 }],
    ['assetList', 'per_page', { minimum: 1, maximum: 10_000 }],
    ['organizationAssetsList', 'per_page', { minimum: 1, maximum: 1_000 }],
    ['threatsList', 'per_page', { minimum: 1, maximum: 100 }],
    ['takedownsList', 'per_page', { minimum: 1, maximum: 100 }],
    ['assetSubmit', 'assets', { maxItems: 100 }],
    ['organizationAssetsAdd', 'assets', { minItems: 1, maxItems: 1_000 }],
    ['organizationAssetGroupsCreate', 'name', { minLength: 1, maxLength: 255 }],
    ['organizationAssetGroupsUpdate', 'name', { minLength: 1, maxLength: 255 }],
    ['assetParse', 'content', { minLength: 1 }],
    ['reportCreate', 'title', { minLength: 3 }],
    ['organizationMetricsList', 'slugs', { maxItems: 500 }],
    ['metricsTakedownTimeTrend', 'months', { minimum: 2, maximum: 36 }],
    ['metricsTakedownTimeTrend', 'assetTypes', { maxItems: 5 }],
  ])('%s bounds %s', (name, field, bounds) => {
    expect(fieldOf(name, field)).toMatchObject(bounds);
  });

  test.each([
    ['assetList', 'type'],
    ['organizationReportsList', 'limit'],
    ['organizationProposalsReview', 'proposalId assetId decision'],
    ['reportCreate', 'assets'],
    ['reportsSearch', 'assetContents'],
    ['detectionList', ''],
    ['metricsTakedownTime', ''],
    ['organizationAssetsUpdate', 'assetId'],
    ['organizationAssetGroupsUpdate', 'groupId name'],
    ['detectionConfigsCreate', 'source'],
    ['detectionConfigsUpdate', 'configId'],
    ['detectionConfigsDelete', 'configId'],
    ['disputeCreate', 'content'],
    ['assetBlocklistConfirm', 'algoVersion'],
    ['threatsList', ''],
    ['takedownsList', ''],
    ['userOrgs', ''],
  ])('%s requires: %s', (name, fields) => {
    const { input, slugAs } = byName.get(name)!;
    const shape = shapeOf(input);
    const needed = Object.keys(shape).filter((field) => field !== slugAs && !z.safeParse(shape[field]!, undefined).success);
    expect(needed).toEqual(fields === '' ? [] : fields.split(' '));
  });
});

/** The fields of a schema. */
function shapeOf({ _zod }: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> {
  return (_zod.def as unknown as { shape: Readonly<Record<string, z.core.$ZodType>> }).shape;
}
