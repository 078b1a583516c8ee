import { createHash } from 'node:crypto';
import { expressionsOf } from 'portcullis';
import { allOperations, type ClientEvent, createClient } from 'portcullis/client';
import { createService, type Listening, sampleKeys } from 'portcullis/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { dayMs, recorder, startMs } from './harness.js';

const slug = 'example-wallet';

const isAnyRow = expect.any(Number);

interface Way {
  /** A server between the client and the service. */
  readonly through?: (url: string) => Promise<{ readonly url: string; close(): Promise<unknown> }>;
  readonly fetch?: typeof globalThis.fetch;
  /** Differences from the OpenAPI document that the way found. */
  readonly wrong?: readonly string[];
}

/** Tells the story of two organizations, in which every operation is called once and answers. To be called in a `describe`. */
export function everyOperation({ through, fetch: send, wrong = [] }: Way = {}): void {
  const events: ClientEvent[] = [];
  const { sent, post } = recorder();
  let service: ReturnType<typeof createService>;
  let listening: Listening;
  let between: { readonly url: string; close(): Promise<unknown> } | undefined;
  let client: ReturnType<typeof createClient>;
  let robin: ReturnType<typeof createClient>;

  beforeAll(async () => {
    service = createService({ now: () => startMs, limits: { requestsKept: 10_000 }, post });
    listening = await service.listen();
    between = await through?.(listening.url);
    const connect = (apiKey: string) =>
      createClient({
        baseUrl: between?.url ?? listening.url,
        apiKey,
        slug,
        retry: false,
        paths: service.paths,
        onEvent: (event) => events.push(event),
        ...(send && { fetch: send }),
      });
    client = connect(sampleKeys.organization);
    robin = connect(sampleKeys.user);
  });

  afterEach(() => {
    expect(wrong).toEqual([]);
    expect(events.filter(({ type }) => !type.startsWith('deprecat'))).toEqual([]);
  });

  afterAll(async () => {
    await Promise.all([client.close(), robin.close(), between?.close()]);
    await service.close();
  });

  test('a submitted asset can be searched by id and content, parsed and checked', async () => {
    const content = 'https://Fresh-Mint.example:443/?a=b';
    const { submittedAssets } = await client.assets.submit({ assets: [content, '0x00000000219ab540356cBB839Cbe05303d7705Fa'] });
    expect(submittedAssets).toEqual([
      { asset: content, assetId: isAnyRow, scanId: isAnyRow },
      { asset: '0x00000000219ab540356cBB839Cbe05303d7705Fa', assetId: isAnyRow, scanId: isAnyRow },
    ]);
    const { assetId, scanId } = submittedAssets[0]!;
    const found = await client.assets.search({ assetId });
    const parsed = await client.assets.parse({ content });
    expect(parsed).toEqual({ content: 'fresh-mint.example', submittedContent: content, type: 'URL' });
    expect(found).toMatchObject({ asset: { id: assetId, content: parsed!.content, type: 'URL', status: 'UNKNOWN' } });
    expect(found.scans).toEqual([{ id: scanId, createdAt: new Date(startMs).toISOString() }]);
    expect(await client.assets.search({ content })).toEqual(found);
    expect(await client.assets.check({ content })).toMatchObject({
      status: 'UNKNOWN',
      reason: 'not-found',
      source: 'portcullis',
    });
    expect((await client.assets.list({ type: 'URL', status: 'UNKNOWN' })).assets.map(({ id }) => id)).toContain(assetId);
    expect(await client.assets.search({ content: 'https://never-seen.example/' })).toMatchObject({ asset: null, reports: [] });
    expect(await client.assets.parse({ content: 'javascript:alert(1)' })).toBeNull();
  });

  test('a scan can be started and read', async () => {
    const { scanId, ...rest } = (await client.assets.scan({ content: 'https://scam-mint.example/', slug })) as {
      scanId: number;
    };
    expect(rest).toEqual({ status: 'PENDING' });
    expect(await client.assets.scanResult({ scanId })).toMatchObject({ id: scanId, status: 'PENDING', output: null });
    await service.clock.advance(3_000);
    expect(await client.assets.scanResult({ scanId })).toMatchObject({
      id: scanId,
      status: 'COMPLETED',
      output: { riskScore: 1 },
    });
    const { scans } = await client.assets.search({ content: 'https://scam-mint.example/' });
    expect(scans?.map(({ id }) => id)).toContain(scanId);
  });

  test('an unblock appears in check, lists, changelog and confirmation', async () => {
    const content = 'https://claim-airdrop.example/';
    const { algoVersion, snapshot } = await client.blocklist.version();
    expect(snapshot).toMatchObject({ count: 5, url: expect.stringContaining(listening.url) });
    const hash = createHash('sha256').update(expressionsOf(content)[0]!).digest('hex');
    const prefixes = [hash.slice(0, 8)];
    expect(await client.blocklist.confirm({ algoVersion, prefixes })).toEqual({ hashes: { [prefixes[0]!]: [hash] } });
    const blocked = (await client.assets.list({ type: 'URL' })).assets.map((asset) => asset.content);
    expect(blocked).toContain('claim-airdrop.example');
    expect(await client.assets.check({ content })).toMatchObject({ status: 'BLOCKED' });
    expect(await client.assets.unblock({ content, slug })).toMatchObject({ outcome: 'UNBLOCKED' });
    expect(await client.assets.check({ content })).toMatchObject({ status: 'UNKNOWN' });
    expect((await client.assets.list({ type: 'URL' })).assets.map((asset) => asset.content)).not.toContain(
      'claim-airdrop.example',
    );
    const { changes } = (await client.assets.changelog({ type: 'URL' })) as { changes: object[] };
    expect(changes[0]).toMatchObject({ content: 'claim-airdrop.example', previousStatus: 'BLOCKED', status: 'UNKNOWN' });
    expect(await client.blocklist.confirm({ algoVersion, prefixes })).toEqual({ hashes: { [prefixes[0]!]: [] } });
    const all: string[] = [];
    for await (const asset of client.assets.listAll({ type: 'URL', status: 'BLOCKED', per_page: 1 })) all.push(asset.content);
    expect(all).toEqual(blocked.filter((one) => one !== 'claim-airdrop.example'));
  });

  test('a report with an attachment can be listed, searched and reviewed', async () => {
    const upload = await client.attachments.upload({ file: new TextEncoder().encode('proof'), fileName: 'a page.txt' });
    expect(upload).toEqual({
      attachments: [{ url: expect.stringContaining(listening.url), fileName: 'a page.txt', sizeBytes: 5 }],
    });
    const { url } = upload.attachments[0]!;
    expect(await (await fetch(url)).text()).toBe('proof');
    const content = 'https://fresh-mint.example/';
    const created = await robin.reports.create({
      assets: [
        {
          content,
          status: 'BLOCKED',
          brandSlug: slug,
          reporterConfidence: 'HIGH',
          enrichments: [{ type: 'content_and_metadata', output: { depth: [1] } }],
          screenshot: { url },
        },
        { content: 'https://wallet.example/drain' },
      ],
      title: 'A drainer',
      attachmentUrls: [url],
      externalReporter: { platform: 'forum' },
    });
    expect(created).toEqual({
      id: isAnyRow,
      createdAt: new Date(startMs + 3_000).toISOString(),
      organization: { id: isAnyRow, slug, name: 'Example Wallet' },
    });
    const list = () => client.reports.list({ limit: 20, searchQuery: 'drainer' });
    const [report] = (await list()).reports;
    expect(report).toMatchObject({
      id: created.id,
      status: 'TODO',
      title: 'A drainer',
      attachments: [{ url }],
      reporter: { fullName: 'Robin Example' },
      externalReporter: { platform: 'forum' },
    });
    expect(await client.reports.search({ assetContents: [content] })).toEqual({
      reports: [{ id: created.id, status: 'TODO', assets: ['fresh-mint.example', 'wallet.example/drain'] }],
      totalCount: 1,
    });
    expect(await client.deprecated.getOrganizationReports({ limit: 20 })).toEqual(await list());
    const { brands } = await client.organization.brands();
    expect(brands).toMatchObject([{ slug }]);
    const [proposal] = report!.proposals;
    const review = await robin.reports.proposalsReview({
      proposalId: proposal!.id,
      assetId: proposal!.asset.id,
      decision: 'APPROVE',
      label: 'Brand Impersonation',
      brandId: brands[0]!.id!,
    });
    expect(review).toMatchObject({ proposal: { reviewStatus: 'APPROVED', asset: { status: 'BLOCKED' } }, watchlisted: false });
    expect((await list()).reports[0]).toMatchObject({ status: 'IN_PROGRESS', proposals: [{ reviewStatus: 'APPROVED' }, {}] });
    expect(await client.assets.search({ content })).toMatchObject({
      asset: { status: 'BLOCKED' },
      reports: [{ id: created.id, title: 'A drainer' }],
      takedown: { status: 'TODO' },
    });
    expect(await client.deprecated.assetDetails({ content })).toMatchObject({ status: 'BLOCKED', reportId: created.id });
    expect((await client.detections.threatsList({ query: 'fresh' })).threats).toMatchObject([{ content: 'fresh-mint.example' }]);
  });

  test('a second dispute from the same address is rejected', async () => {
    const input = { content: 'https://scam-mint.example/', email: 'me@scam-mint.example', description: 'It is mine.' };
    const dispute = await client.disputes.create(input);
    expect(dispute).toMatchObject({ id: expect.stringMatching(/^\d+$/), content: 'scam-mint.example' });
    await expect(client.disputes.create(input)).rejects.toMatchObject({ code: 'BAD_REQUEST', status: 400 });
  });

  test('a webhook receives later events', async () => {
    const webhook = (await client.webhooks.config({
      url: 'https://hook.example/',
      events: ['asset.status-updated'],
    })) as object;
    expect(webhook).toMatchObject({ url: 'https://hook.example/', secret: expect.stringMatching(/^whs_[0-9a-f]{48}$/) });
    await client.organization.assetsAdd({ assets: [{ content: 'https://heard.example/' }] });
    await service.clock.advance(0);
    expect(service.deliveries().map(({ event, status }) => [event, status])).toEqual([['asset.status-updated', 'SUCCESS']]);
    expect(JSON.parse(sent.at(-1)!.body)).toMatchObject({ type: 'asset.status-updated', data: { content: 'heard.example' } });
  });

  test('groups and allowlisted assets can be added, changed and removed', async () => {
    const { id: groupId } = await client.organization.assetGroupsCreate({ name: 'Sites' });
    const added = await client.organization.assetsAdd({
      assets: [{ content: 'https://mine.example/', name: 'Mine', description: 'A shop', groupId }, { content: 'javascript:1' }],
    });
    expect(added).toMatchObject({ successCount: 1, errorCount: 1, results: [{ success: true }, { success: false }] });
    const assetId = added.results[0]!.id!;
    const list = async () => (await client.organization.assetsList({ query: 'mine' })).assets;
    expect(await list()).toMatchObject([{ id: assetId, name: 'Mine', status: 'ALLOWED', group: { id: groupId, name: 'Sites' } }]);
    expect(await client.assets.check({ content: 'https://shop.mine.example/' })).toMatchObject({
      status: 'ALLOWED',
      reason: 'parent-domain',
    });
    expect(await client.organization.assetsUpdate({ assetId, name: 'Ours', description: null })).toEqual({
      id: assetId,
      content: 'mine.example',
      name: 'Ours',
      description: null,
      groupId,
    });
    expect(await list()).toMatchObject([{ name: 'Ours', description: null }]);
    expect(await client.organization.assetGroupsUpdate({ groupId, name: 'Pages' })).toEqual({ id: groupId, name: 'Pages' });
    expect(await client.organization.assetGroupsList()).toEqual({ groups: [{ id: groupId, name: 'Pages', assetCount: 1 }] });
    expect(await client.organization.assetGroupsDelete({ groupId })).toEqual({
      success: true,
      id: groupId,
      unassignedAssetCount: 1,
    });
    expect(await client.organization.assetGroupsList()).toEqual({ groups: [] });
    expect(await list()).toMatchObject([{ group: null }]);
    expect(await client.organization.assetsRemove({ assetId })).toEqual({ success: true, id: assetId });
    expect(await list()).toEqual([]);
    expect(await client.assets.check({ content: 'https://mine.example/' })).toMatchObject({ status: 'UNKNOWN' });
  });

  test('a detection config can be created, run, validated, changed and deleted', async () => {
    const { sources } = (await client.detections.sourcesList()) as { sources: { source: string }[] };
    expect(sources.map(({ source }) => source)).toContain('CERTSTREAM');
    const { config } = (await client.detections.configsCreate({ source: 'CERTSTREAM', title: 'Baits' })) as {
      config: { id: number };
    };
    const configId = config.id;
    const listed = async () =>
      ((await client.detections.configsList()) as { sources: { configs: { id: number }[] }[] }).sources
        .flatMap(({ configs }) => configs)
        .find(({ id }) => id === configId);
    expect(await client.detections.drift()).toMatchObject({ checked: 2, signals: [] });
    await client.assets.submit({ assets: ['https://bait.example/'] });
    expect(await client.detections.configsRun({ configId })).toMatchObject({ runs: [{ configId, status: 'COMPLETED' }] });
    const { detections } = await client.detections.list({ query: 'bait' });
    expect(detections).toMatchObject([{ threatContent: 'bait.example', configId, reportStatus: 'NOT_REPORTED' }]);
    expect(await client.detections.configsValidate({ minResults: 100 })).toMatchObject({ failures: [{}, { configId }] });
    await client.detections.configsUpdate({ configId, status: 'DISABLED', title: 'Old' });
    expect(await listed()).toMatchObject({ status: 'DISABLED', title: 'Old' });
    await client.detections.configsDelete({ configId });
    expect(await listed()).toBeUndefined();
  });

  test('takedowns and figures can be read', async () => {
    await service.clock.advance(3 * dayMs);
    const { takedowns } = await client.takedowns.list({ query: 'fresh' });
    expect(takedowns).toMatchObject([{ status: 'COMPLETED', asset: { content: 'fresh-mint.example', livenessStatus: 'DEAD' } }]);
    expect(await client.metrics.summary()).toMatchObject({ metrics: { newThreats: 12 } });
    expect(await client.metrics.breakdown({ by: 'type' })).toMatchObject({ by: 'type', totalCount: 12 });
    expect(await client.metrics.found()).toMatchObject({ found: 12 });
    expect(await client.metrics.blockedByFirstReportSource()).toMatchObject({ totalCount: 12 });
    const figures = await client.metrics.list({ include: ['reports'] });
    expect(figures.metrics).toMatchObject({ reports: 9, takedownsFiled: null });
    expect((await client.deprecated.getOrganizationMetrics()).metrics).toMatchObject({ reports: 9 });
    expect((await client.metrics.takedownTime({ blockLabel: 'Brand Impersonation' })).byAssetType).toHaveLength(2);
    const trend = await client.metrics.takedownTimeTrend({ months: 2, assetTypes: ['URL'] });
    expect(trend).toMatchObject({ months: 2, periods: ['2026-04', '2026-05'], series: [{ assetType: 'URL' }] });
    expect(await client.queues.snapshot({ windowHours: 4.5 })).toMatchObject({ reviewing: { count: 1 } });
  });

  test('each health check has the id that the list gives it', async () => {
    const { list, ...checks } = client.healthchecks;
    const { checks: known } = await list();
    const answers = await Promise.all(Object.values(checks).map((check) => check({ slug })));
    expect(answers.map(({ id }) => id).sort()).toEqual(known.flatMap(({ id, implemented }) => (implemented ? [id] : [])).sort());
    for (const { severity } of answers) expect(['ok', 'warn', 'fail']).toContain(severity);
  });

  test('a user can change the name and read the organizations', async () => {
    const one = { id: isAnyRow, slug, name: 'Example Wallet' };
    const both = [one, { id: isAnyRow, slug: 'example-exchange', name: 'Example Exchange' }];
    expect(await client.account.validate()).toEqual({ valid: true, kind: 'organization', userId: null, organizations: [one] });
    expect(await robin.account.validate()).toMatchObject({ valid: true, kind: 'user', organizations: both });
    expect(await robin.account.userMe()).toMatchObject({
      user: { fullName: 'Robin Example', email: 'robin@example.com' },
      organizations: both,
    });
    expect(await client.account.userMe()).toMatchObject({ user: null });
    await robin.account.userMeUpdate({ fullName: 'Kim Example' });
    expect(await robin.account.userMe()).toMatchObject({ user: { fullName: 'Kim Example' } });
    const { organizations } = await robin.account.userOrgs({ query: 'EXCHANGE', services: ['takedowns'] });
    expect(organizations.map((organization) => organization.slug)).toEqual(['example-exchange']);
    expect(await robin.account.userOrgsGet({ slug: 'example-exchange' })).toEqual(organizations[0]);
  });

  // The tests above called every operation.
  test('every operation was answered', () => {
    const answered = new Set(service.requests().flatMap(({ status, operation }) => (status === 200 ? [operation] : [])));
    expect(allOperations.map(({ name }) => name).filter((name) => !answered.has(name))).toEqual([]);
    expect(allOperations).toHaveLength(65);
    expect(events.filter(({ type }) => type === 'response-mismatch')).toEqual([]);
    expect(new Set(events.map(({ type, operation }: { type: string; operation?: string }) => `${type} ${operation}`))).toEqual(
      new Set(
        ['assetDetails', 'getOrganizationReports', 'getOrganizationMetrics'].flatMap((name) => [
          `deprecated ${name}`,
          `deprecation-header ${name}`,
        ]),
      ),
    );
  });
}
