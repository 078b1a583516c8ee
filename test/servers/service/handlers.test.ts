import { describe, expect, test } from 'vitest';
import { dayMs, Harness, hourMs, startMs } from './harness.js';

const events = (h: Harness): string[] => h.state.all('deliveries').map(({ event }) => event);

function withWebhook(h: Harness, names: string[]): Harness {
  h.state.add('webhooks', {
    organizationId: h.acme.id,
    url: 'https://example.com/',
    description: null,
    events: names,
    secret: 's',
  });
  return h;
}

describe('the allowlist', () => {
  test('allows an asset at once and notifies the webhooks', () => {
    const h = withWebhook(new Harness(), ['asset.status-updated']);
    const { results, successCount, errorCount } = h.ask('organizationAssetsAdd', {
      assets: [{ content: 'https://acme.example/' }],
    });
    expect([successCount, errorCount]).toEqual([1, 0]);
    expect(h.state.get('assets', results[0]!.id!)).toMatchObject({ content: 'acme.example', status: 'ALLOWED' });
    expect(events(h)).toEqual(['asset.status-updated']);
    expect(h.ask('assetCheck', { content: 'https://login.acme.example/' }).status).toBe('ALLOWED');
  });

  test('accepts 1 to 1,000 items and rejects unknown groups', () => {
    const h = new Harness();
    const foreign = h.ask('organizationAssetGroupsCreate', { name: 'theirs' }, 'other').id;
    const [a, b] = [{ content: 'https://a.example/' }, { content: 'https://b.example/' }];
    for (const [assets, status] of [
      [[], 400],
      [Array.from({ length: 1_001 }, (_, at) => ({ content: `https://a${at}.example/` })), 400],
      [[a, { ...b, groupId: 999 }], 404],
      [[{ ...a, groupId: foreign }], 403],
    ] as const)
      expect(h.refusal('organizationAssetsAdd', { assets })).toBe(status);
    expect(h.state.all('assets')).toEqual([]);
  });

  test('lists by type, group and text, in pages', () => {
    const h = new Harness();
    const group = h.ask('organizationAssetGroupsCreate', { name: 'Sites' });
    h.ask('organizationAssetsAdd', {
      assets: [
        { content: 'https://one.example/', name: 'The Shop' },
        { content: 'https://two.example/', groupId: group.id, description: 'Where we blog' },
        { content: '0x52908400098527886E0F7030069857D2E4169EE7' },
      ],
    });
    const contents = (input: object): string[] => h.ask('organizationAssetsList', input).assets.map(({ content }) => content);
    expect(contents({})).toHaveLength(3);
    expect(contents({ type: 'ADDRESS' })).toEqual(['0x52908400098527886e0f7030069857d2e4169ee7']);
    expect(contents({ groupId: group.id })).toEqual(['two.example']);
    expect(contents({ groupId: -1 })).toHaveLength(2);
    expect(contents({ query: 'shop' })).toEqual(['one.example']);
    expect(contents({ query: 'BLOG' })).toEqual(['two.example']);
    expect(contents({ query: 'ONE.ex' })).toEqual(['one.example']);
    const first = h.ask('organizationAssetsList', { per_page: 2 });
    expect(first.assets[1]).toMatchObject({ status: 'ALLOWED', name: null, description: 'Where we blog', group });
    const second = h.ask('organizationAssetsList', { per_page: 2, next_page: first.next_page as string });
    expect([first.assets.length, second.assets.length, second.next_page]).toEqual([2, 1, null]);
    expect(h.ask('organizationAssetsList', {}, 'other').assets).toEqual([]);
    expect(h.refusal('organizationAssetsList', { next_page: 'x' })).toBe(400);
    expect(h.refusal('organizationAssetsList', { type: 'BOAT' })).toBe(400);
    expect(h.refusal('organizationAssetsList', {}, 'both')).toBe(401);
  });

  test('updates only the given fields, and clears those that are null', () => {
    const h = new Harness();
    const group = h.ask('organizationAssetGroupsCreate', { name: 'Sites' });
    const item = { content: 'https://one.example/', name: 'One', description: 'First', groupId: group.id };
    const assetId = h.ask('organizationAssetsAdd', { assets: [item] }).results[0]!.id!;
    const cleared = h.ask('organizationAssetsUpdate', { assetId, description: null, groupId: null });
    expect(cleared).toEqual({ id: assetId, content: 'one.example', name: 'One', description: null, groupId: null });
    expect(h.ask('organizationAssetsUpdate', { assetId, groupId: group.id })).toMatchObject({ name: 'One', groupId: group.id });
    expect(h.refusal('organizationAssetsUpdate', { assetId })).toBe(400);
    expect(h.refusal('organizationAssetsUpdate', { assetId, groupId: 999 })).toBe(404);
    expect(h.refusal('organizationAssetsUpdate', { assetId: 999, name: 'x' })).toBe(404);
    expect(h.refusal('organizationAssetsUpdate', { assetId, name: 'x' }, 'other')).toBe(403);
  });

  test('rejects a second group with the same name in one organization, case-sensitively', () => {
    const h = new Harness();
    const { id } = h.ask('organizationAssetGroupsCreate', { name: 'Sites' });
    expect(h.refusal('organizationAssetGroupsCreate', { name: 'Sites' })).toBe(409);
    const lower = h.ask('organizationAssetGroupsCreate', { name: 'sites' });
    h.ask('organizationAssetGroupsCreate', { name: 'Sites' }, 'other');
    expect(h.refusal('organizationAssetGroupsUpdate', { groupId: lower.id, name: 'Sites' })).toBe(409);
    expect(h.ask('organizationAssetGroupsUpdate', { groupId: id, name: 'Sites' })).toEqual({ id, name: 'Sites' });
    expect(h.ask('organizationAssetGroupsUpdate', { groupId: id, name: 'Pages' })).toEqual({ id, name: 'Pages' });
  });

  test('accepts group names of 1 to 255 characters', () => {
    const h = new Harness();
    for (const name of ['', 'x'.repeat(256)]) expect(h.refusal('organizationAssetGroupsCreate', { name })).toBe(400);
    expect(h.ask('organizationAssetGroupsCreate', { name: 'x'.repeat(255) }).name).toHaveLength(255);
  });

  test('ungroups the assets of a deleted group', () => {
    const h = new Harness();
    const { id } = h.ask('organizationAssetGroupsCreate', { name: 'Sites' });
    h.ask('organizationAssetsAdd', { assets: ['a', 'b'].map((name) => ({ content: `https://${name}.example/`, groupId: id })) });
    expect(h.ask('organizationAssetGroupsList').groups).toEqual([{ id, name: 'Sites', assetCount: 2 }]);
    expect(h.refusal('organizationAssetGroupsDelete', { groupId: id }, 'other')).toBe(403);
    expect(h.ask('organizationAssetGroupsDelete', { groupId: id })).toEqual({ success: true, id, unassignedAssetCount: 2 });
    expect(h.ask('organizationAssetsList', { groupId: -1 }).assets).toHaveLength(2);
    expect(h.refusal('organizationAssetGroupsDelete', { groupId: id })).toBe(404);
    expect(h.refusal('organizationAssetGroupsUpdate', { groupId: id, name: 'x' })).toBe(404);
  });
});

describe('the account', () => {
  test('changes the name of a user and rejects other fields', () => {
    const h = new Harness();
    h.ask('userMeUpdate', { fullName: 'Robin Sample' }, 'both');
    expect(h.ask('userMe', {}, 'both')).toMatchObject({ user: { fullName: 'Robin Sample' } });
    expect(h.refusal('userMeUpdate', { fullName: 'x', role: 'SUPERUSER' }, 'both')).toBe(400);
    expect(h.refusal('userMeUpdate', { fullName: ' ' }, 'both')).toBe(400);
    expect(h.refusal('userMeUpdate', {}, 'both')).toBe(400);
    expect(h.refusal('userMeUpdate', { fullName: 'x' }, 'acme')).toBe(403);
    expect(h.state.all('users')[0]).toMatchObject({ fullName: 'Robin Sample', role: 'CUSTOMER' });
  });

  test.each([
    [{}, ['acme', 'other']],
    [{ query: 'OTH' }, ['other']],
    [{ subscriptionStatus: 'POC' }, ['acme']],
    [{ subscriptionStatus: ['POC', 'ACTIVE'] }, ['acme', 'other']],
    [{ subscriptionStatus: [] }, ['acme', 'other']],
    [{ services: 'takedowns' }, ['other']],
    [{ services: ['takedowns', 'detection'] }, ['other']],
    [{ services: { takedowns: false } }, ['acme']],
    [{ obligatoryAdminApproval: true }, ['acme']],
    [{ obligatoryAdminApproval: false }, ['other']],
  ])('lists the organizations of a user by %j', (input, slugs) => {
    const services = { ...new Harness().acme.services, takedowns: false, detection: true };
    const h = new Harness({ subscriptionStatus: 'POC', services, obligatoryAdminApproval: true });
    expect(h.ask('userOrgs', input, 'both').organizations.map(({ slug }) => slug)).toEqual(slugs);
  });

  test('rejects filters of an unknown shape', () => {
    const h = new Harness();
    expect(h.refusal('userOrgs', { services: ['boats'] })).toBe(400);
    expect(h.refusal('userOrgs', { services: { takedowns: 'yes' } })).toBe(400);
    expect(h.refusal('userOrgs', { subscriptionStatus: 3 })).toBe(400);
  });

  test('shows the key of an organization only that organization, with its services and integrations', () => {
    const h = new Harness({ discordGuildIds: ['1'], telegramGroupIds: ['2', '3'], takedownsAutomated: false });
    const [organization, second] = h.ask('userOrgs').organizations;
    expect(second).toBeUndefined();
    expect(organization).toMatchObject({
      slug: 'acme',
      services: { takedowns: { active: true, automated: false } },
      integrations: { discord: true, slack: false, telegram: { connected: true, groupCount: 2 } },
    });
  });

  test('never shows an inactive organization', () => {
    const h = new Harness({ subscriptionStatus: 'INACTIVE' });
    expect(h.ask('userOrgs', {}, 'both').organizations.map(({ slug }) => slug)).toEqual(['other']);
    expect(h.ask('userOrgs', { subscriptionStatus: 'INACTIVE' }, 'both').organizations).toEqual([]);
    expect(h.refusal('userOrgsGet', { slug: 'acme' }, 'both')).toBe(404);
  });
});

describe('a page of a blocked site', () => {
  test('is blocked in lookups, and can be reported separately', () => {
    const h = new Harness();
    h.block('https://evil.example/');
    const page = 'https://evil.example/login';
    expect(h.ask('assetSearch', { content: page }).asset).toMatchObject({ content: 'evil.example', status: 'BLOCKED' });
    expect(h.ask('assetDetails', { content: page })).toMatchObject({ status: 'BLOCKED', reason: 'report' });
    expect(h.report([page])).toBeGreaterThan(0);
  });

  test('shows its reports only to the organization that made them', () => {
    const h = new Harness();
    const id = h.report(['https://evil.example/']);
    const search = (as: 'acme' | 'other' | 'both') => h.ask('assetSearch', { content: 'https://evil.example/' }, as);
    expect(search('acme').reports).toMatchObject([{ id }]);
    expect(search('both').reports).toMatchObject([{ id }]);
    expect(search('other')).toMatchObject({ asset: { content: 'evil.example' }, reports: [] });
  });
});

test('a dispute needs an e-mail address unless the key belongs to a user with one', () => {
  const h = new Harness();
  h.asset('https://fine.example/', 'BLOCKED');
  expect(h.refusal('disputeCreate', { content: 'https://fine.example/' })).toBe(400);
  expect(h.refusal('disputeCreate', { content: 'https://fine.example/', email: 'nobody' })).toBe(400);
  h.ask('disputeCreate', { content: 'https://fine.example/' }, 'both');
  expect(h.state.all('disputes')[0]!.email).toBe('robin@example.com');
});

describe('detections', () => {
  const create = (h: Harness, more: object = {}): number =>
    (h.ask('detectionConfigsCreate', { source: 'CERTSTREAM', ...more }) as { config: { id: number } }).config.id;
  const submitted = ['https://one.example/', 'https://two.example/', '0x52908400098527886E0F7030069857D2E4169EE7'];

  test('have sources with a schema for their settings', () => {
    const { sources } = new Harness().ask('detectionSourcesList') as { sources: object[] };
    for (const source of sources) expect(source).toMatchObject({ configSchema: { type: 'object' } });
  });

  test('have configs that can be created, listed, changed and deleted', () => {
    const h = new Harness();
    const brandId = h.brand('Rocket');
    const id = create(h, { source: 'certstream', title: 'One', config: { terms: ['acme'] }, brandId });
    const listed = (as?: 'other') => h.ask('detectionConfigsList', {}, as);
    expect(listed()).toMatchObject({
      sources: [{ source: 'CERTSTREAM', configs: [{ id, title: 'One', status: 'ENABLED', brandId, lastRunAt: null }] }],
    });
    expect(listed('other')).toEqual({ sources: [] });
    const update = (more: object) => (h.ask('detectionConfigsUpdate', { configId: id, ...more }) as { config: object }).config;
    expect(update({ config: { more: 1 }, cron: '5 * * * *' })).toMatchObject({
      config: { terms: ['acme'], more: 1 },
      cron: '5 * * * *',
    });
    expect(update({ config: {}, mergeConfig: false, status: 'DISABLED' })).toMatchObject({ config: {}, status: 'DISABLED' });
    for (const name of ['detectionConfigsUpdate', 'detectionConfigsDelete'] as const) {
      expect(h.refusal(name, { configId: 999 })).toBe(404);
      expect(h.refusal(name, { configId: id }, 'other')).toBe(403);
    }
    h.ask('detectionConfigsDelete', { configId: id });
    expect(listed()).toEqual({ sources: [] });
    expect(h.refusal('detectionConfigsDelete', { configId: id })).toBe(404);
  });

  test('are created by a run, once for each undecided asset of the right type, and sent to the webhooks', () => {
    const h = withWebhook(new Harness(), ['organization.threat-detection-added']);
    h.asset('https://allowed.example/', 'ALLOWED');
    h.asset('https://blocked.example/', 'BLOCKED');
    h.ask('assetSubmit', { assets: submitted });
    const configId = create(h);
    const run = (input: object = { configId }) => h.ask('detectionConfigsRun', input) as { runs: object[] };
    expect(run()).toEqual({ runs: [{ configId, source: 'CERTSTREAM', status: 'COMPLETED', newDetections: 2 }] });
    expect(events(h)).toHaveLength(2);
    expect(run()).toMatchObject({ runs: [{ newDetections: 0 }] });
    h.ask('assetSubmit', { assets: ['https://three.example/'] });
    h.ask('detectionConfigsUpdate', { configId, status: 'DISABLED' });
    expect(run()).toMatchObject({ runs: [{ status: 'SKIPPED' }] });
    expect(run({ source: 'certstream', includeDisabled: true })).toMatchObject({ runs: [{ newDetections: 1 }] });
    const { detections } = h.ask('detectionList', { slug: 'acme' });
    expect(detections.map(({ threatContent }) => threatContent)).toEqual(['three.example', 'two.example', 'one.example']);
    expect(h.ask('detectionList', { slug: 'other' }, 'other').detections).toEqual([]);
    expect(run({ source: 'URLSCAN' })).toEqual({ runs: [] });
    for (const [input, status, as] of [
      [{ configId: 999 }, 404, 'acme'],
      [{ source: 'TELEPATHY' }, 400, 'acme'],
      [{ configId }, 403, 'other'],
    ] as const)
      expect(h.refusal('detectionConfigsRun', input, as)).toBe(status);
  });

  const both = ['two.example', 'one.example'];
  test.each([
    [{ filters: [{ property: 'confidence', operator: 'in', value: ['LOW', 'medium', 'high'] }] }, both],
    [{ filters: [{ property: 'confidence', operator: 'notIn', value: ['low', 'medium', 'high'] }] }, []],
    [{ filters: [{ property: 'assetType', operator: 'in', value: ['ADDRESS', 'PAGE'] }] }, []],
    [{ filters: [{ property: 'assetStatus', operator: 'in', value: ['unknown'] }] }, both],
    [{ filters: [{ property: 'source', operator: 'in', value: ['certstream'] }], query: 'TWO' }, ['two.example']],
    [{ startDate: '2026-05-15', endDate: '2026-05-15' }, both],
    [{ startDate: '2026-05-16' }, []],
    [{ endDate: '2026-05-14' }, []],
    [{ startDate: new Date(startMs), endDate: new Date(startMs) }, both],
  ])('are listed by %j', (input, contents) => {
    const h = new Harness();
    h.ask('assetSubmit', { assets: submitted });
    create(h);
    h.ask('detectionConfigsRun');
    const { detections } = h.ask('detectionList', { slug: 'acme', ...input });
    expect(detections.map(({ threatContent }) => threatContent)).toEqual(contents);
  });

  test('are listed in pages, with the time of a report and the brand of the config', async () => {
    const h = new Harness();
    const brandId = h.brand('Rocket');
    h.ask('assetSubmit', { assets: submitted });
    create(h, { brandId });
    h.ask('detectionConfigsRun');
    await h.clock.advance(hourMs);
    h.report(['https://two.example/']);
    const first = h.ask('detectionList', { slug: 'acme', limit: 1 });
    const second = h.ask('detectionList', { slug: 'acme', limit: 1, cursor: first.nextCursor });
    expect(first.detections[0]).toMatchObject({
      reportStatus: 'REPORTED',
      reportedAt: new Date(startMs + hourMs).toISOString(),
      brands: [{ id: brandId, name: 'Rocket', slug: 'rocket' }],
    });
    expect(second.detections[0]).toMatchObject({ reportStatus: 'NOT_REPORTED', reportedAt: null });
    expect(second.nextCursor).toBeNull();
    expect(h.refusal('detectionList', { slug: 'acme', filters: [{ property: 'mood', operator: 'in', value: ['x'] }] })).toBe(400);
    expect(h.refusal('detectionList', { slug: 'acme', limit: 101 })).toBe(400);
    expect(h.refusal('detectionList', { slug: 'nobody' })).toBe(404);
    expect(h.refusal('detectionList', { slug: 'other' })).toBe(403);
  });

  test('let a validation pass, and never drift', () => {
    const h = new Harness();
    h.ask('assetSubmit', { assets: submitted });
    const configId = create(h);
    const failing = (input: object = {}): number[] =>
      (h.ask('detectionConfigsValidate', input) as { failures: { configId: number }[] }).failures.map((one) => one.configId);
    expect(failing()).toEqual([configId]);
    expect(failing({ run: true })).toEqual([]);
    expect(failing({ minResults: 3 })).toEqual([configId]);
    expect(h.ask('detectionDrift')).toEqual({ lookbackHours: 168, checked: 1, signals: [] });
    expect(h.refusal('detectionDrift', { configId: 999 })).toBe(404);
  });
});

describe('threats', () => {
  test('are the assets blocked for the organization, on the last day by default', async () => {
    const h = new Harness();
    const old = h.block('https://old.example/');
    await h.clock.advance(2 * dayMs);
    const fresh = h.block('https://fresh.example/');
    h.asset('https://theirs.example/', 'BLOCKED', h.other);
    const found = (input: object = {}) => h.ask('threatsList', input).threats.map(({ id }) => id);
    expect(found()).toEqual([fresh.id]);
    expect(found({ startDate: '2026-05-15' })).toEqual([old.id, fresh.id]);
    expect(found({ startDate: '2026-05-15', endDate: '2026-05-15' })).toEqual([old.id]);
    // An end alone cannot be before a start.
    expect(found({ endDate: '2026-05-01' })).toEqual([]);
    expect(found({ query: 'FRESH' })).toEqual([fresh.id]);
    expect(found({ assetType: ['ADDRESS'] })).toEqual([]);
    h.ask('assetUnblock', { content: 'https://fresh.example/' });
    expect(found()).toEqual([]);
    expect(h.refusal('threatsList', { startDate: '2026-05-15', endDate: '2026-05-14' })).toBe(400);
    expect(h.refusal('threatsList', { per_page: 101 })).toBe(400);
    expect(h.refusal('threatsList', {}, 'both')).toBe(401);
  });

  test('are sorted and paged, even when one is unblocked between two pages', () => {
    const h = new Harness();
    for (const name of ['b', 'd', 'a', 'c']) h.block(`https://${name}.example/`);
    const sorting = [{ key: 'content', direction: 'desc' }];
    const first = h.ask('threatsList', { sorting, per_page: 2 });
    h.ask('assetUnblock', { content: 'https://c.example/' });
    const second = h.ask('threatsList', { sorting, per_page: 2, next_page: first.next_page as string });
    const contents = [...first.threats, ...second.threats].map(({ content }) => content);
    expect(contents).toEqual(['d.example', 'c.example', 'b.example', 'a.example']);
    expect(second.next_page).toBeNull();
    expect(h.refusal('threatsList', { next_page: '999999' })).toBe(400);
  });
});

describe('takedowns', () => {
  const statuses = (h: Harness) => h.ask('takedownsList').takedowns.map(({ status }) => status);

  test('progress with the clock: begun after an hour, completed after a day', async () => {
    const h = new Harness();
    h.block('https://scam.example/');
    const seen: string[] = [];
    for (const ms of [0, hourMs - 1, 1, 23 * hourMs - 1, 1]) {
      await h.clock.advance(ms);
      seen.push(...statuses(h));
    }
    expect(seen).toEqual(['TODO', 'TODO', 'IN_PROGRESS', 'IN_PROGRESS', 'COMPLETED']);
    expect(h.ask('takedownsList').takedowns[0]).toMatchObject({
      createdAt: new Date(startMs).toISOString(),
      updatedAt: new Date(startMs + dayMs).toISOString(),
      asset: { livenessStatus: 'DEAD' },
    });
  });

  test('are cancelled by an unblock unless they were completed before', async () => {
    const h = new Harness();
    h.block('https://one.example/');
    await h.clock.advance(2 * hourMs);
    h.ask('assetUnblock', { content: 'https://one.example/' });
    await h.clock.advance(2 * dayMs);
    expect(h.ask('takedownsList').takedowns).toMatchObject([
      { status: 'CANCELLED', updatedAt: new Date(startMs + 2 * hourMs).toISOString(), asset: { livenessStatus: null } },
    ]);
    h.block('https://two.example/');
    await h.clock.advance(2 * dayMs);
    h.ask('assetUnblock', { content: 'https://two.example/' });
    expect(h.ask('takedownsList').takedowns[0]).toMatchObject({ status: 'COMPLETED', asset: { livenessStatus: null } });
  });

  test('start again when the asset is blocked again, and it is no longer dead', async () => {
    const h = new Harness();
    const asset = h.block('https://back.example/');
    await h.clock.advance(2 * dayMs);
    h.ask('assetUnblock', { content: 'https://back.example/' });
    await h.clock.advance(dayMs);
    h.block('https://back.example/');
    expect(statuses(h)).toEqual(['TODO', 'COMPLETED']);
    expect(h.ask('takedownsList').takedowns[0]!.asset).toMatchObject({ id: asset.id, livenessStatus: null });
  });

  test('are opened only for hosted types, and only if the organization has the service', () => {
    const services = { ...new Harness().acme.services, takedowns: false };
    const without = new Harness({ services });
    without.block('https://scam.example/');
    expect(statuses(without)).toEqual([]);
    const h = new Harness();
    h.block('0x52908400098527886E0F7030069857D2E4169EE7');
    for (const content of ['https://pages.example/giveaway', 'https://scam.example/']) h.block(content);
    expect(h.ask('takedownsList').takedowns.map(({ asset }) => asset.type)).toEqual(['URL', 'PAGE']);
  });

  test('are listed by each filter and order', async () => {
    const h = new Harness();
    const brandId = h.brand('Acme');
    h.block('https://old.example/', { label: 'Brand Impersonation', brandId });
    await h.clock.advance(5 * dayMs);
    h.block('https://pages.example/giveaway');
    const contents = (input: object): string[] => h.ask('takedownsList', input).takedowns.map(({ asset }) => asset.content);
    const [page, domain] = ['pages.example/giveaway', 'old.example'];
    const { next_page } = h.ask('takedownsList', { per_page: 1 });
    const cases: [object, string[]][] = [
      [{}, [page, domain]],
      [{ query: 'OLD' }, [domain]],
      [{ assetType: ['PAGE'] }, [page]],
      [{ takedownStatus: ['TODO', 'IN_PROGRESS'] }, [page]],
      [{ livenessStatus: ['DEAD'] }, [domain]],
      [{ brandIds: [brandId] }, [domain]],
      [{ brandIds: [] }, [page, domain]],
      [{ assigneeIds: [1] }, []],
      [{ hideAutomatedTakedowns: true }, []],
      [{ hideAutomatedLivenessChecks: true }, [page, domain]],
      // The last step of the first takedown was a day after it was opened.
      [{ startDate: '2026-05-16', endDate: '2026-05-16' }, [domain]],
      [{ startDate: '2026-05-17' }, [page]],
      [{ sorting: [{ key: 'takedownStatus', direction: 'asc' }] }, [domain, page]],
      [{ sorting: [{ key: 'brandId', direction: 'desc' }] }, [domain, page]],
      [{ per_page: 1, next_page }, [domain]],
    ];
    for (const [input, expected] of cases) expect([input, contents(input)]).toEqual([input, expected]);
    const brands = h.ask('takedownsList').takedowns.map(({ brand }) => brand);
    expect(brands).toEqual([null, { id: brandId, name: 'Acme', slug: 'acme' }]);
    expect(h.ask('takedownsList', {}, 'other').takedowns).toEqual([]);
    expect(h.refusal('takedownsList', { next_page: 'x' })).toBe(400);
    expect(h.refusal('takedownsList', { slug: 'nobody' })).toBe(404);
  });
});

describe('the figures', () => {
  test('are consistent with each other in metrics', () => {
    const h = new Harness();
    const { metrics, blockedByType, blockedByDay } = h.ask('organizationMetricsList');
    const total = (rows: readonly { count: number }[] | null) => rows!.reduce((sum, { count }) => sum + count, 0);
    const { domainThreats, twitterThreats, telegramThreats, otherThreats } = metrics as Record<string, number>;
    expect(metrics.newThreats).toBe(domainThreats! + twitterThreats! + telegramThreats! + otherThreats!);
    expect([total(blockedByType), total(blockedByDay)]).toEqual([metrics.newThreats, metrics.newThreats]);
    expect(h.ask('metricsSummary')).toMatchObject({ metrics, blockedByType, blockedByDay });
    expect(h.ask('metricsFound')).toMatchObject({ found: metrics.newThreats });
    for (const by of ['day', 'type', 'brand']) {
      const answer = h.ask('metricsBreakdown', { by }) as { totalCount: number; groups: { count: number }[] };
      expect([answer.totalCount, total(answer.groups)]).toEqual([metrics.newThreats, metrics.newThreats]);
    }
    expect(h.ask('getOrganizationMetrics', { organizationSlug: 'acme' })).toEqual(h.ask('organizationMetricsList'));
  });

  test('add up several organizations in metrics, and omit the parts that are not requested', () => {
    const h = new Harness();
    const some = h.ask('organizationMetricsList', { include: ['reports', 'blockedByDay'] });
    expect(some).toMatchObject({ metrics: { reports: 9, newThreats: null }, blockedByType: null });
    expect(some.blockedByDay).not.toBeNull();
    const both = h.ask('organizationMetricsList', { slug: 'acme', slugs: ['acme', 'other'] }, 'both');
    expect(both.metrics.reports).toBe(18);
  });

  test('have one series per asset type and one point per month for takedown times', () => {
    const h = new Harness();
    expect(h.ask('metricsTakedownTime', { slug: 'acme' }).byAssetType.map(({ assetType }) => assetType)).toEqual(['PAGE', 'URL']);
    const { periods, series } = h.ask('metricsTakedownTimeTrend', { slug: 'acme', months: 3, assetTypes: ['URL', 'PAGE'] });
    expect(periods).toEqual(['2026-03', '2026-04', '2026-05']);
    expect(series.map(({ assetType }) => assetType)).toEqual(['URL', 'PAGE']);
    expect(series[0]!.points.map(({ period, count }) => [period, count])).toEqual([
      ['2026-03', 0],
      ['2026-04', 2],
      ['2026-05', 3],
    ]);
    expect(h.ask('metricsTakedownTimeTrend', { slug: 'acme' }).periods).toHaveLength(12);
  });

  test('use the ids that the list returns in health checks', () => {
    const h = new Harness();
    const { checks } = h.ask('healthchecksList');
    expect(checks).toHaveLength(11);
    // "The registry includes checks that are not implemented yet", so that a program meets one.
    expect(checks.at(-1)).toEqual({ id: 'example.planned', implemented: false, notImplementedReason: expect.any(String) });
    for (const { id, implemented } of checks.slice(0, -1)) {
      const name = `healthchecks${id.replace(/(^|[.-])(\w)/g, (_, __, letter: string) => letter.toUpperCase())}`;
      const check = name as 'healthchecksReviewingBacklog';
      const result = h.ask(check, { slug: 'acme' });
      expect([implemented, result.id]).toEqual([true, id]);
      expect(Object.keys(result).sort()).toEqual(['findings', 'id', 'observed', 'severity', 'suggestedAction', 'threshold']);
      expect(h.refusal(check, { slug: 'nobody' })).toBe(404);
      expect(h.refusal(check, {}, 'both')).toBe(401);
    }
  });

  test('warn about a missing contact URL in a health check', () => {
    const severityOf = (h: Harness) => h.ask('healthchecksOrganizationMissingContactUrl').severity;
    expect(severityOf(new Harness())).toBe('warn');
    expect(severityOf(new Harness({ contactUrl: 'https://example.com/' }))).toBe('ok');
  });

  test('require an organization for queues', () => {
    const h = new Harness();
    expect(h.ask('operationsQueuesSnapshot', { windowHours: 72 })).toMatchObject({ windowHours: 72, reviewing: { count: 1 } });
    expect(h.refusal('operationsQueuesSnapshot', {}, 'both')).toBe(401);
  });
});

test('the deprecated report list has the pages of the new one', () => {
  const h = new Harness();
  for (const name of ['a', 'b', 'c']) h.report([`https://${name}.example/`]);
  const first = h.ask('getOrganizationReports', { slug: 'acme', limit: 2 });
  const second = h.ask('getOrganizationReports', { slug: 'acme', limit: 2, cursor: first.nextCursor });
  expect([first.reports.length, second.reports.length, first.totalCount, second.nextCursor]).toEqual([2, 1, 3, null]);
  expect(h.ask('getOrganizationReports', { slug: 'acme', onlyRejected: true }).reports).toEqual([]);
  expect(h.ask('getOrganizationReports', { slug: 'acme', needsCustomerReview: true }).totalCount).toBe(3);
  expect(h.refusal('getOrganizationReports', { slug: 'acme', limit: 21 })).toBe(400);
  expect(h.refusal('getOrganizationReports', { slug: 'acme', startDate: '2026-05-15' })).toBe(400);
  expect(h.refusal('getOrganizationReports', { slug: 'other' })).toBe(403);
});

test.each([
  ['organizationMetricsList', { brandSlug: 'nobody' }, 404],
  ['organizationMetricsList', { startDate: 'yesterday' }, 400],
  ['organizationMetricsList', { startDate: '2026-05-15', endDate: '2026-05-01' }, 400],
  ['organizationMetricsList', { slugs: ['acme', 'other'] }, 403],
  ['organizationMetricsList', { slugs: ['nobody'] }, 404],
  ['getOrganizationMetrics', { organizationSlug: 'other' }, 403],
  ['metricsSummary', { brandIds: [999] }, 404],
  ['metricsBreakdown', {}, 400],
  ['metricsBreakdown', { by: 'moon' }, 400],
  ['metricsTakedownTime', { slug: 'nobody' }, 404],
  ['metricsTakedownTime', { slug: 'acme', brandIds: [999] }, 404],
  ['metricsTakedownTimeTrend', { slug: 'acme', months: 1 }, 400],
  ['disputeCreate', { content: 'https://nobody.example/' }, 404],
  ['reportCreate', { assets: [{ content: 'https://a.example/' }], organizationSlug: 'nobody' }, 404],
  ['organizationReportsList', { limit: 1, slug: 'nobody' }, 404],
  ['organizationProposalsReview', { proposalId: 1, assetId: 1, decision: 'REJECT', rejectReason: 'decayed' }, 404],
  ['organizationAssetsList', { slug: 'nobody' }, 403],
  ['detectionConfigsCreate', { source: 'CERTSTREAM', brandId: 999 }, 404],
  ['detectionConfigsCreate', { source: 'TELEPATHY' }, 400],
  ['assetUnblock', { content: 'https://nobody.example/' }, 404],
  ['scanResult', { scanId: 1 }, 404],
  ['reportsSearch', { assetContents: [], slug: 'nobody' }, 404],
  ['webhookConfig', { url: 'https://hook.example/', slug: 'nobody' }, 404],
  ['assetSubmit', { assets: ['https://a.example/'], organizationSlug: 'nobody' }, 404],
] as const)('%s rejects %j with %d', (name, input, status) => {
  expect(new Harness().refusal(name, input)).toBe(status);
});
