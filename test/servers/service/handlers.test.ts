import { describe, expect, test } from 'vitest';
import { takedownNow } from '../../../src/servers/service/records/takedown-records.js';
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
  test('allows an asset at once, and says so to the webhooks', () => {
    const h = withWebhook(new Harness(), ['asset.status-updated']);
    const { results, successCount, errorCount } = h.ask('organizationAssetsAdd', {
      assets: [{ content: 'https://acme.example/' }],
    });
    expect([successCount, errorCount]).toEqual([1, 0]);
    expect(h.state.get('assets', results[0]!.id!)).toMatchObject({ content: 'acme.example', status: 'ALLOWED' });
    expect(events(h)).toEqual(['asset.status-updated']);
    expect(h.ask('assetCheck', { content: 'https://login.acme.example/' }).status).toBe('ALLOWED');
  });

  test('lets each item succeed or fail by itself', () => {
    const h = new Harness();
    h.asset('https://stolen.example/', 'BLOCKED', h.other);
    h.asset('https://mistake.example/', 'BLOCKED', h.acme);
    const contents = [
      'https://a.example/',
      'http://A.example',
      'javascript:alert(1)',
      'https://stolen.example/',
      'https://mistake.example/',
    ];
    const answer = h.ask('organizationAssetsAdd', { assets: contents.map((content) => ({ content })) });
    expect(answer.results.map(({ content }) => content)).toEqual(contents);
    expect(answer.results.map(({ success }) => success)).toEqual([true, false, false, false, true]);
    expect(answer.results.map(({ error }) => error)).toEqual([
      undefined,
      expect.stringContaining('already'),
      expect.stringContaining('not recognized'),
      expect.stringContaining('blocked'),
      undefined,
    ]);
    expect([answer.successCount, answer.errorCount]).toEqual([2, 3]);
    expect(h.ask('assetCheck', { content: 'https://stolen.example/' }).status).toBe('BLOCKED');
  });

  test('lifts no block of another organization by what lies below it', () => {
    const h = new Harness();
    h.asset('https://stolen.example/', 'BLOCKED', h.other);
    h.asset('https://pages.example/mint', 'BLOCKED', h.other);
    const below = ['https://login.stolen.example/', 'https://stolen.example/a', 'https://pages.example/mint/now'];
    const { results } = h.ask('organizationAssetsAdd', { assets: below.map((content) => ({ content })) });
    expect(results.map(({ error }) => error)).toEqual(below.map(() => expect.stringContaining('blocked')));
    for (const content of below) expect(h.ask('assetCheck', { content }).status).toBe('BLOCKED');
    // Whoever blocked it may make an exception.
    const mine = { assets: [{ content: below[0]! }] };
    expect(h.ask('organizationAssetsAdd', mine, 'other').successCount).toBe(1);
    expect(h.ask('assetCheck', { content: below[0]! }).status).toBe('ALLOWED');
  });

  test('keeps reports away from what lies below it', () => {
    const h = new Harness();
    h.ask('organizationAssetsAdd', { assets: [{ content: 'https://mine.example/' }] });
    for (const content of ['https://login.mine.example/', 'https://mine.example/a']) {
      expect(() => h.report([content])).toThrow(
        expect.objectContaining({ assets: [expect.objectContaining({ errorType: 'DOMAIN_NOT_ALLOWED' })] }),
      );
    }
  });

  test('takes 1 to 1,000 items, and none of a group that is not there', () => {
    const h = new Harness();
    const foreign = h.ask('organizationAssetGroupsCreate', { name: 'theirs' }, 'other').id;
    expect(h.refusal('organizationAssetsAdd', { assets: [] })).toBe(400);
    expect(
      h.refusal('organizationAssetsAdd', {
        assets: Array.from({ length: 1_001 }, (_, at) => ({ content: `https://a${at}.example/` })),
      }),
    ).toBe(400);
    expect(
      h.refusal('organizationAssetsAdd', {
        assets: [{ content: 'https://a.example/' }, { content: 'https://b.example/', groupId: 999 }],
      }),
    ).toBe(404);
    expect(h.refusal('organizationAssetsAdd', { assets: [{ content: 'https://a.example/', groupId: foreign }] })).toBe(403);
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
    expect(h.refusal('organizationAssetsList', { next_page: 'behind the moon' })).toBe(400);
    expect(h.refusal('organizationAssetsList', { type: 'BOAT' })).toBe(400);
    expect(h.refusal('organizationAssetsList', {}, 'both')).toBe(401);
  });

  test('changes what is given and leaves the rest; null clears', () => {
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

  test('detaches an asset, which is unknown from then on and can be added again', () => {
    const h = new Harness();
    const add = () => h.ask('organizationAssetsAdd', { assets: [{ content: 'https://one.example/' }] }).results[0]!;
    const assetId = add().id!;
    expect(h.refusal('organizationAssetsRemove', { assetId }, 'other')).toBe(403);
    expect(h.ask('organizationAssetsRemove', { assetId })).toEqual({ success: true, id: assetId });
    expect(h.state.get('assets', assetId)!.status).toBe('UNKNOWN');
    expect(h.refusal('organizationAssetsRemove', { assetId })).toBe(404);
    expect(add()).toMatchObject({ success: true, id: assetId });
  });

  test('keeps an asset allowed while another organization vouches for it', () => {
    const h = new Harness();
    const item = { assets: [{ content: 'https://shared.example/' }] };
    const assetId = h.ask('organizationAssetsAdd', item).results[0]!.id!;
    h.ask('organizationAssetsAdd', item, 'other');
    h.ask('organizationAssetsRemove', { assetId });
    expect(h.state.get('assets', assetId)!.status).toBe('ALLOWED');
    h.ask('organizationAssetsRemove', { assetId }, 'other');
    expect(h.state.get('assets', assetId)!.status).toBe('UNKNOWN');
  });

  test('refuses a group name twice in one organization, capitals counting', () => {
    const h = new Harness();
    const { id } = h.ask('organizationAssetGroupsCreate', { name: 'Sites' });
    expect(h.refusal('organizationAssetGroupsCreate', { name: 'Sites' })).toBe(409);
    const lower = h.ask('organizationAssetGroupsCreate', { name: 'sites' });
    h.ask('organizationAssetGroupsCreate', { name: 'Sites' }, 'other');
    expect(h.refusal('organizationAssetGroupsUpdate', { groupId: lower.id, name: 'Sites' })).toBe(409);
    expect(h.ask('organizationAssetGroupsUpdate', { groupId: id, name: 'Sites' })).toEqual({ id, name: 'Sites' });
    expect(h.ask('organizationAssetGroupsUpdate', { groupId: id, name: 'Pages' })).toEqual({ id, name: 'Pages' });
  });

  test.each([
    ['', 400],
    ['x'.repeat(256), 400],
  ])('refuses the group name %j', (name, status) => {
    expect(new Harness().refusal('organizationAssetGroupsCreate', { name })).toBe(status);
  });

  test('takes a group name of 255 characters', () => {
    expect(new Harness().ask('organizationAssetGroupsCreate', { name: 'x'.repeat(255) }).name).toHaveLength(255);
  });

  test('leaves the assets of a deleted group, ungrouped', () => {
    const h = new Harness();
    const { id } = h.ask('organizationAssetGroupsCreate', { name: 'Sites' });
    h.ask('organizationAssetsAdd', {
      assets: [
        { content: 'https://a.example/', groupId: id },
        { content: 'https://b.example/', groupId: id },
      ],
    });
    expect(h.ask('organizationAssetGroupsList').groups).toEqual([{ id, name: 'Sites', assetCount: 2 }]);
    expect(h.refusal('organizationAssetGroupsDelete', { groupId: id }, 'other')).toBe(403);
    expect(h.ask('organizationAssetGroupsDelete', { groupId: id })).toEqual({ success: true, id, unassignedAssetCount: 2 });
    expect(h.ask('organizationAssetsList', { groupId: -1 }).assets).toHaveLength(2);
    expect(h.refusal('organizationAssetGroupsDelete', { groupId: id })).toBe(404);
    expect(h.refusal('organizationAssetGroupsUpdate', { groupId: id, name: 'x' })).toBe(404);
  });

  test("lists the organization's own brands", () => {
    const h = new Harness();
    const id = h.brand('Acme');
    h.brand('Other', h.other);
    expect(h.ask('organizationBrands').brands).toEqual([
      expect.objectContaining({ id, name: 'Acme', slug: 'acme', type: 'PRODUCT' }),
    ]);
  });
});

describe('the account', () => {
  test('tells a key of a user from one of an organization', () => {
    const h = new Harness();
    expect(h.ask('validate')).toMatchObject({
      valid: true,
      kind: 'organization',
      userId: null,
      organizations: [{ slug: 'acme' }],
    });
    expect(h.ask('validate', {}, 'both')).toMatchObject({ valid: true, kind: 'user' });
    expect(h.ask('userMe')).toMatchObject({ user: null });
    expect(h.ask('userMe', {}, 'both')).toMatchObject({ user: { fullName: 'Robin Example', email: 'robin@example.com' } });
  });

  test("changes a user's name and nothing else", () => {
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
    const services = {
      reporting: true,
      reviewing: true,
      protection: true,
      takedowns: false,
      detection: true,
      darkWebMonitoring: false,
    };
    const h = new Harness({ subscriptionStatus: 'POC', services, obligatoryAdminApproval: true });
    expect(h.ask('userOrgs', input, 'both').organizations.map(({ slug }) => slug)).toEqual(slugs);
  });

  test('refuses filters of a shape nobody knows', () => {
    const h = new Harness();
    expect(h.refusal('userOrgs', { services: ['boats'] })).toBe(400);
    expect(h.refusal('userOrgs', { services: { takedowns: 'yes' } })).toBe(400);
    expect(h.refusal('userOrgs', { subscriptionStatus: 3 })).toBe(400);
  });

  test('gives a key of an organization its single one, with what is known of it', () => {
    const h = new Harness({ discordGuildIds: ['1'], telegramGroupIds: ['2', '3'], takedownsAutomated: false });
    const [organization, second] = h.ask('userOrgs').organizations;
    expect(second).toBeUndefined();
    expect(organization).toMatchObject({
      slug: 'acme',
      services: { takedowns: { active: true, automated: false } },
      integrations: { discord: true, slack: false, telegram: { connected: true, groupCount: 2 } },
    });
  });

  test('never shows an organization that is inactive', () => {
    const h = new Harness({ subscriptionStatus: 'INACTIVE' });
    expect(h.ask('userOrgs', {}, 'both').organizations.map(({ slug }) => slug)).toEqual(['other']);
    expect(h.ask('userOrgs', { subscriptionStatus: 'INACTIVE' }, 'both').organizations).toEqual([]);
    expect(h.refusal('userOrgsGet', { slug: 'acme' }, 'both')).toBe(404);
  });

  test('gives one organization by its slug', () => {
    const h = new Harness();
    expect(h.ask('userOrgsGet', { slug: 'acme' }).name).toBe('Acme');
    expect(h.refusal('userOrgsGet', { slug: 'nobody' })).toBe(404);
    expect(h.refusal('userOrgsGet', { slug: 'other' })).toBe(403);
  });
});

describe('a review', () => {
  const decide = (h: Harness, report: number): number | object => {
    const { id: proposalId, assetId } = h.state.all('proposals').find(({ reportId }) => reportId === report)!;
    const review = { proposalId, assetId, decision: 'APPROVE', label: 'General Phishing' };
    try {
      return h.ask('organizationProposalsReview', review);
    } catch (error) {
      return (error as { status: number }).status;
    }
  };

  test('lifts no block of another organization by what lies below it', () => {
    const h = new Harness();
    h.asset('https://stolen.example/', 'BLOCKED', h.other);
    h.asset('https://login.stolen.example/');
    expect(decide(h, h.report(['https://login.stolen.example/'], { status: 'ALLOWED' }))).toBe(403);
    expect(h.ask('assetCheck', { content: 'https://login.stolen.example/' }).status).toBe('BLOCKED');
  });

  test('blocks nothing below what was allowlisted after the report', () => {
    const h = new Harness();
    const report = h.report(['https://login.theirs.example/']);
    h.ask('organizationAssetsAdd', { assets: [{ content: 'https://theirs.example/' }] }, 'other');
    expect(decide(h, report)).toBe(403);
    expect(h.ask('assetCheck', { content: 'https://login.theirs.example/' }).status).toBe('ALLOWED');
  });
});

describe('what a text names', () => {
  test('is acted upon exactly, and looked at with what is above it', () => {
    const h = new Harness();
    h.block('https://evil.example/');
    const page = 'https://evil.example/login';
    expect(h.refusal('assetUnblock', { content: page })).toBe(404);
    expect(h.refusal('disputeCreate', { content: page, email: 'a@b.example' })).toBe(404);
    expect(h.ask('assetSearch', { content: page }).asset).toMatchObject({ content: 'evil.example', status: 'BLOCKED' });
    expect(h.ask('assetDetails', { content: page })).toMatchObject({ status: 'BLOCKED', reason: 'report' });
    // A page of a site that is blocked can be reported by itself.
    expect(h.report([page])).toBeGreaterThan(0);
  });

  test('is shown to everybody, and its reports to those who made them', () => {
    const h = new Harness();
    const id = h.report(['https://evil.example/']);
    const search = (as: 'acme' | 'other' | 'both') => h.ask('assetSearch', { content: 'https://evil.example/' }, as);
    expect(search('acme').reports).toMatchObject([{ id }]);
    expect(search('both').reports).toMatchObject([{ id }]);
    expect(search('other')).toMatchObject({ asset: { content: 'evil.example' }, reports: [] });
  });
});

describe('disputes', () => {
  test('are kept once for an address and an asset', () => {
    const h = new Harness();
    h.asset('https://fine.example/', 'BLOCKED');
    const { id, content } = h.ask('disputeCreate', { content: 'https://fine.example/', email: 'a@example.com' });
    expect([typeof id, content]).toEqual(['string', 'fine.example']);
    expect(h.refusal('disputeCreate', { content: 'fine.example', email: 'A@example.com' })).toBe(400);
    h.ask('disputeCreate', { content: 'fine.example', email: 'b@example.com', description: 'ours' });
    expect(h.state.all('disputes')).toHaveLength(2);
  });

  test('need an address, but for a user who has one', () => {
    const h = new Harness();
    h.asset('https://fine.example/', 'BLOCKED');
    expect(h.refusal('disputeCreate', { content: 'https://fine.example/' })).toBe(400);
    expect(h.refusal('disputeCreate', { content: 'https://fine.example/', email: 'nobody' })).toBe(400);
    h.ask('disputeCreate', { content: 'https://fine.example/' }, 'both');
    expect(h.state.all('disputes')[0]!.email).toBe('robin@example.com');
  });

  test('are about an asset that is known', () => {
    expect(new Harness().refusal('disputeCreate', { content: 'https://new.example/', email: 'a@example.com' })).toBe(404);
  });
});

describe('detection configs', () => {
  const create = (h: Harness, more: object = {}): { id: number; cron: string; config: object } =>
    (h.ask('detectionConfigsCreate', { source: 'CERTSTREAM', config: { terms: ['acme'] }, ...more }) as { config: never }).config;

  test('have sources with a schema each, and every source takes empty settings', () => {
    const h = new Harness();
    const { sources } = h.ask('detectionSourcesList') as { sources: { source: string; configSchema: object }[] };
    expect(sources.map(({ source }) => source)).toEqual(['ASSET_CHECK', 'CERTSTREAM', 'URLSCAN', 'DNS_TWIST']);
    for (const { source, configSchema } of sources) {
      expect(configSchema).toMatchObject({ type: 'object', additionalProperties: false });
      create(h, { source, config: {} });
    }
    const { sources: listed } = h.ask('detectionConfigsList') as { sources: { source: string; configs: object[] }[] };
    expect(listed.map(({ configs }) => configs.length)).toEqual([1, 1, 1, 1]);
    expect(h.ask('detectionConfigsList', {}, 'other')).toEqual({ sources: [] });
  });

  test.each([
    ['a source that cannot be set up', { source: 'TELEPATHY' }, 400],
    ['settings the source does not have', { config: { domains: ['acme.example'] } }, 400],
    ['a term of two characters', { config: { terms: ['ab'] } }, 400],
    ['a term longer than any domain', { config: { terms: ['a'.repeat(254)] } }, 400],
    ['no term', { config: { terms: [] } }, 400],
    ['a schedule of four fields', { cron: '* * * *' }, 400],
    ['a brand that is not there', { brandId: 999 }, 404],
  ])('refuse %s', (_, more, status) => {
    expect(new Harness().refusal('detectionConfigsCreate', { source: 'CERTSTREAM', ...more })).toBe(status);
  });

  test('take a source in lower case, as samples write it', () => {
    expect(create(new Harness(), { source: 'certstream' })).toMatchObject({
      source: 'CERTSTREAM',
      cron: '0 * * * *',
      lastRunAt: null,
    });
  });

  test('merge settings unless they are told not to', () => {
    const h = new Harness();
    const { id } = create(h, { title: 'One' });
    const update = (more: object) => (h.ask('detectionConfigsUpdate', { configId: id, ...more }) as { config: object }).config;
    expect(update({ config: {} })).toMatchObject({ title: 'One', config: { terms: ['acme'] } });
    expect(update({ config: {}, mergeConfig: false, cron: '5 * * * *' })).toMatchObject({ config: {}, cron: '5 * * * *' });
    expect(update({ status: 'DISABLED' })).toMatchObject({ status: 'DISABLED', config: {} });
    expect(h.refusal('detectionConfigsUpdate', { configId: id, config: { boats: 1 } })).toBe(400);
    expect(h.refusal('detectionConfigsUpdate', { configId: id, status: 'OFF' })).toBe(400);
    expect(h.refusal('detectionConfigsUpdate', { configId: 999 })).toBe(404);
    expect(h.refusal('detectionConfigsUpdate', { configId: id }, 'other')).toBe(403);
  });

  test('are gone once deleted; what they found stays', () => {
    const h = new Harness();
    h.ask('assetSubmit', { assets: ['https://acme-login.example/'] });
    const { id } = create(h);
    h.ask('detectionConfigsRun', { configId: id });
    expect(h.refusal('detectionConfigsDelete', { configId: id }, 'other')).toBe(403);
    h.ask('detectionConfigsDelete', { configId: id });
    expect(h.refusal('detectionConfigsDelete', { configId: id })).toBe(404);
    expect(h.ask('detectionConfigsList')).toEqual({ sources: [] });
    expect(h.refusal('detectionConfigsRun', { configId: id })).toBe(404);
    expect(h.ask('detectionList', { slug: 'acme' }).detections).toHaveLength(1);
  });
});

describe('a run', () => {
  const submitted = [
    'https://acme-login.example/',
    'https://superacme.example/',
    'https://unrelated.example/',
    '0x52908400098527886E0F7030069857D2E4169EE7',
  ];
  const config = (h: Harness, source: string, settings: object, more: object = {}): number =>
    (h.ask('detectionConfigsCreate', { source, config: settings, ...more }) as { config: { id: number } }).config.id;

  test('finds what was submitted and holds a term, once, and tells the webhooks', () => {
    const h = withWebhook(new Harness(), ['organization.threat-detection-added']);
    h.ask('assetSubmit', { assets: submitted });
    const configId = config(h, 'CERTSTREAM', { terms: ['acme'] });
    expect(h.ask('detectionConfigsRun', { configId })).toEqual({
      runs: [{ configId, source: 'CERTSTREAM', status: 'COMPLETED', newDetections: 2 }],
    });
    expect(events(h)).toHaveLength(2);
    expect(h.ask('detectionConfigsRun', { configId })).toMatchObject({ runs: [{ newDetections: 0 }] });
    h.ask('assetSubmit', { assets: ['https://my-acme.example/'] });
    expect(h.ask('detectionConfigsRun', { configId })).toMatchObject({ runs: [{ newDetections: 1 }] });
    const { detections } = h.ask('detectionList', { slug: 'acme' });
    expect(detections.map(({ threatContent, confidence }) => [threatContent, confidence])).toEqual([
      ['my-acme.example', 'high'],
      ['superacme.example', 'medium'],
      ['acme-login.example', 'high'],
    ]);
    expect(h.ask('detectionList', { slug: 'other' }, 'other').detections).toEqual([]);
  });

  test('leaves out what is allowed or blocked already', () => {
    const h = new Harness();
    h.asset('https://acme-one.example/', 'ALLOWED');
    h.asset('https://acme-two.example/', 'BLOCKED');
    config(h, 'ASSET_CHECK', { terms: ['acme'] });
    expect(h.ask('detectionConfigsRun')).toMatchObject({ runs: [{ newDetections: 0 }] });
  });

  test("looks for the organization's own names without settings, and for names like its domains", () => {
    const h = new Harness();
    h.brand('Rocket');
    h.ask('organizationAssetsAdd', { assets: [{ content: 'https://rocketshop.example/' }] });
    h.ask('assetSubmit', {
      assets: ['https://the-rocket.example/', 'https://acme.test/', 'https://rocketsh0p.example/', 'https://rocketshop.test/'],
    });
    config(h, 'CERTSTREAM', {});
    config(h, 'DNS_TWIST', {});
    h.ask('detectionConfigsRun');
    const of = (source: string) =>
      h
        .ask('detectionList', { slug: 'acme', filters: [{ property: 'source', operator: 'in', value: [source] }] })
        .detections.map(({ threatContent }) => threatContent)
        .sort();
    expect(of('CERTSTREAM')).toEqual(['acme.test', 'rocketsh0p.example', 'rocketshop.test', 'the-rocket.example']);
    expect(of('DNS_TWIST')).toEqual(['rocketsh0p.example', 'rocketshop.test']);
  });

  test('skips what is disabled unless it is asked for', () => {
    const h = new Harness();
    const configId = config(h, 'CERTSTREAM', {});
    h.ask('detectionConfigsUpdate', { configId, status: 'DISABLED' });
    expect(h.ask('detectionConfigsRun', { configId })).toMatchObject({ runs: [{ status: 'SKIPPED' }] });
    expect(h.ask('detectionConfigsRun', { configId, includeDisabled: true })).toMatchObject({ runs: [{ status: 'COMPLETED' }] });
    expect(h.ask('detectionConfigsRun', { source: 'URLSCAN' })).toEqual({ runs: [] });
    expect(h.refusal('detectionConfigsRun', { configId: 999 })).toBe(404);
    expect(h.refusal('detectionConfigsRun', { source: 'TELEPATHY' })).toBe(400);
    expect(h.refusal('detectionConfigsRun', { configId }, 'other')).toBe(403);
  });

  test.each([
    [{ filters: [{ property: 'confidence', operator: 'in', value: ['high'] }] }, ['acme-login.example']],
    [{ filters: [{ property: 'confidence', operator: 'notIn', value: ['high'] }] }, ['superacme.example']],
    [{ filters: [{ property: 'assetType', operator: 'in', value: ['ADDRESS', 'PAGE'] }] }, []],
    [{ filters: [{ property: 'assetStatus', operator: 'in', value: ['unknown'] }] }, ['superacme.example', 'acme-login.example']],
    [{ filters: [{ property: 'source', operator: 'in', value: ['certstream'] }], query: 'SUPER' }, ['superacme.example']],
    [{ startDate: '2026-05-15', endDate: '2026-05-15' }, ['superacme.example', 'acme-login.example']],
    [{ startDate: '2026-05-16' }, []],
    [{ endDate: '2026-05-14' }, []],
    [{ startDate: new Date(startMs), endDate: new Date(startMs) }, ['superacme.example', 'acme-login.example']],
  ])('is listed by %j', (input, contents) => {
    const h = new Harness();
    h.ask('assetSubmit', { assets: submitted });
    config(h, 'CERTSTREAM', { terms: ['acme'] });
    h.ask('detectionConfigsRun');
    expect(h.ask('detectionList', { slug: 'acme', ...input }).detections.map(({ threatContent }) => threatContent)).toEqual(
      contents,
    );
  });

  test('is listed in pages, with what was reported since and the brand of the config', async () => {
    const h = new Harness();
    const brandId = h.brand('Rocket');
    h.ask('assetSubmit', { assets: submitted });
    config(h, 'CERTSTREAM', { terms: ['acme'] }, { brandId });
    h.ask('detectionConfigsRun');
    await h.clock.advance(hourMs);
    h.report(['https://superacme.example/']);
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

  test('makes a validation pass, which fails again when its results have grown old', async () => {
    const h = new Harness();
    h.ask('assetSubmit', { assets: submitted });
    const configId = config(h, 'CERTSTREAM', { terms: ['acme'] });
    const silent = config(h, 'CERTSTREAM', { terms: ['nothing like it'] });
    const failing = (input: object = {}): number[] =>
      (h.ask('detectionConfigsValidate', input) as { failures: { configId: number }[] }).failures.map((one) => one.configId);
    expect(failing()).toEqual([configId, silent]);
    expect(failing({ run: true })).toEqual([silent]);
    expect(failing({ minResults: 3 })).toEqual([configId, silent]);
    await h.clock.advance(30 * hourMs);
    expect(failing({ lookbackHours: 24 })).toEqual([configId, silent]);
    expect(failing({ lookbackHours: 48 })).toEqual([silent]);
    h.ask('detectionConfigsUpdate', { configId: silent, status: 'DISABLED' });
    expect(failing()).toEqual([]);
    expect(failing({ includeDisabled: true })).toEqual([silent]);
  });

  test('drifts: never found, found long ago, found too much', async () => {
    const h = new Harness();
    h.ask('assetSubmit', { assets: Array.from({ length: 10 }, (_, at) => `https://acme-${at}.example/`) });
    const never = config(h, 'URLSCAN', { terms: ['nothing like it'] });
    const loud = config(h, 'CERTSTREAM', { terms: ['acme'] });
    h.ask('detectionConfigsRun');
    const signals = (input: object = {}) =>
      (h.ask('detectionDrift', input) as { signals: { signal: string; configId: number | null; source: string }[] }).signals.map(
        ({ signal, configId, source }) => [signal, configId ?? source],
      );
    expect(signals()).toEqual([
      ['NO_RESULTS', never],
      ['NOISY_SOURCE', 'CERTSTREAM'],
    ]);
    expect(signals({ configId: never })).toEqual([['NO_RESULTS', never]]);
    h.report(['https://acme-0.example/', 'https://acme-1.example/']);
    expect(signals({ source: 'CERTSTREAM' })).toEqual([]);
    await h.clock.advance(8 * dayMs);
    expect(signals()).toEqual([
      ['NO_RESULTS', never],
      ['STALE_QUERY', loud],
    ]);
    expect(signals({ lookbackHours: 24 * 9 })).toEqual([['NO_RESULTS', never]]);
  });
});

describe('threats', () => {
  test('are what is blocked on the account of the organization, of the last day by default', async () => {
    const h = new Harness();
    const old = h.block('https://old.example/');
    await h.clock.advance(2 * dayMs);
    const fresh = h.block('https://fresh.example/');
    h.asset('https://theirs.example/', 'BLOCKED', h.other);
    const contents = (input: object = {}) => h.ask('threatsList', input).threats.map(({ id }) => id);
    expect(contents()).toEqual([fresh.id]);
    expect(contents({ startDate: '2026-05-15' })).toEqual([old.id, fresh.id]);
    expect(contents({ startDate: '2026-05-15', endDate: '2026-05-15' })).toEqual([old.id]);
    expect(contents({ query: 'FRESH' })).toEqual([fresh.id]);
    expect(contents({ assetType: ['ADDRESS'] })).toEqual([]);
    h.ask('assetUnblock', { content: 'https://fresh.example/' });
    expect(contents()).toEqual([]);
    expect(h.refusal('threatsList', { startDate: '2026-05-15', endDate: '2026-05-14' })).toBe(400);
    expect(h.refusal('threatsList', { per_page: 101 })).toBe(400);
    expect(h.refusal('threatsList', {}, 'both')).toBe(401);
  });

  test('come sorted and in pages, also when one is let go between two of them', () => {
    const h = new Harness();
    for (const name of ['b', 'd', 'a', 'c']) h.block(`https://${name}.example/`);
    const sorting = [{ key: 'content', direction: 'desc' }];
    const first = h.ask('threatsList', { sorting, per_page: 2 });
    h.ask('assetUnblock', { content: 'https://c.example/' });
    const second = h.ask('threatsList', { sorting, per_page: 2, next_page: first.next_page as string });
    expect([...first.threats, ...second.threats].map(({ content }) => content)).toEqual([
      'd.example',
      'c.example',
      'b.example',
      'a.example',
    ]);
    expect(second.next_page).toBeNull();
    expect(h.refusal('threatsList', { next_page: '999999' })).toBe(400);
  });
});

describe('takedowns', () => {
  test('move by the clock and keep their history', async () => {
    const h = new Harness();
    const asset = h.block('https://scam.example/');
    const takedown = h.state.all('takedowns').find(({ assetId }) => assetId === asset.id)!;
    const status = () => takedownNow(h.context, takedown).status;
    expect(status()).toBe('TODO');
    await h.clock.advance(hourMs - 1);
    expect(status()).toBe('TODO');
    await h.clock.advance(1);
    expect(status()).toBe('IN_PROGRESS');
    await h.clock.advance(23 * hourMs);
    expect(takedownNow(h.context, takedown)).toMatchObject({
      status: 'COMPLETED',
      updatedAtMs: startMs + 24 * hourMs,
      history: [
        { status: 'TODO', atMs: startMs },
        { status: 'IN_PROGRESS', atMs: startMs + hourMs },
        { status: 'COMPLETED', atMs: startMs + 24 * hourMs },
      ],
      planned: [],
    });
    expect(h.ask('takedownsList').takedowns[0]!.asset.livenessStatus).toBe('DEAD');
  });

  test('take longer by hand', async () => {
    const h = new Harness({ takedownsAutomated: false });
    h.block('https://scam.example/');
    await h.clock.advance(71 * hourMs);
    expect(h.ask('takedownsList').takedowns[0]!.status).toBe('IN_PROGRESS');
    await h.clock.advance(hourMs);
    expect(h.ask('takedownsList').takedowns[0]!.status).toBe('COMPLETED');
  });

  test('are cancelled when the asset is let go, and not when they were complete before', async () => {
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
    expect(h.ask('takedownsList').takedowns[0]).toMatchObject({ status: 'COMPLETED' });
  });

  test('begin anew when the asset is blocked again, which is not dead any more', async () => {
    const h = new Harness();
    const asset = h.block('https://back.example/');
    await h.clock.advance(2 * dayMs);
    h.ask('assetUnblock', { content: 'https://back.example/' });
    await h.clock.advance(dayMs);
    h.block('https://back.example/');
    const { takedowns } = h.ask('takedownsList');
    expect(takedowns.map(({ status }) => status)).toEqual(['TODO', 'COMPLETED']);
    expect(takedowns[0]!.asset).toMatchObject({ id: asset.id, livenessStatus: null });
  });

  test('are opened for what somebody hosts, once at a time, and where the service is active', () => {
    const off = {
      reporting: true,
      reviewing: true,
      protection: true,
      takedowns: false,
      detection: true,
      darkWebMonitoring: false,
    };
    const without = new Harness({ services: off });
    without.block('https://scam.example/');
    expect(without.ask('takedownsList').takedowns).toEqual([]);
    const h = new Harness();
    h.block('0x52908400098527886E0F7030069857D2E4169EE7');
    expect(h.ask('takedownsList').takedowns).toEqual([]);
    h.block('https://pages.example/giveaway');
    h.block('https://scam.example/');
    expect(h.ask('takedownsList').takedowns.map(({ asset }) => asset.type)).toEqual(['URL', 'PAGE']);
  });

  test('are listed by every filter there is', async () => {
    const h = new Harness();
    const brandId = h.brand('Acme');
    h.block('https://old.example/', { label: 'Brand Impersonation', brandId });
    await h.clock.advance(5 * dayMs);
    h.block('https://pages.example/giveaway');
    const contents = (input: object): string[] => h.ask('takedownsList', input).takedowns.map(({ asset }) => asset.content);
    const [page, domain] = contents({});
    expect(domain).toBe('old.example');
    expect(contents({ query: 'OLD' })).toEqual([domain]);
    expect(contents({ assetType: ['PAGE'] })).toEqual([page]);
    expect(contents({ takedownStatus: ['TODO', 'IN_PROGRESS'] })).toEqual([page]);
    expect(contents({ livenessStatus: ['DEAD'] })).toEqual([domain]);
    expect(contents({ brandIds: [brandId] })).toEqual([domain]);
    expect(contents({ brandIds: [] })).toHaveLength(2);
    expect(contents({ assigneeIds: [1] })).toEqual([]);
    expect(contents({ hideAutomatedTakedowns: true })).toEqual([]);
    expect(contents({ hideAutomatedLivenessChecks: true })).toHaveLength(2);
    // By its last step, which was a day after its first.
    expect(contents({ startDate: '2026-05-16', endDate: '2026-05-16' })).toEqual([domain]);
    expect(contents({ startDate: '2026-05-17' })).toEqual([page]);
    expect(contents({ sorting: [{ key: 'takedownStatus', direction: 'asc' }] })).toEqual([domain, page]);
    expect(contents({ sorting: [{ key: 'brandId', direction: 'desc' }] })).toEqual([domain, page]);
    const first = h.ask('takedownsList', { per_page: 1 });
    expect(first.takedowns[0]).toMatchObject({ assignee: null, brand: null });
    expect(contents({ per_page: 1, next_page: first.next_page })).toEqual([domain]);
    expect(h.ask('takedownsList', { brandIds: [brandId] }).takedowns[0]!.brand).toEqual({
      id: brandId,
      name: 'Acme',
      slug: 'acme',
    });
    expect(h.ask('takedownsList', {}, 'other').takedowns).toEqual([]);
    expect(h.refusal('takedownsList', { next_page: 'x' })).toBe(400);
    expect(h.refusal('takedownsList', { slug: 'nobody' })).toBe(404);
  });
});

describe('metrics', () => {
  async function lively(): Promise<{ h: Harness; brandId: number }> {
    const h = new Harness();
    const brandId = h.brand('Acme');
    h.block('https://one.example/', { label: 'Brand Impersonation', brandId });
    h.block('0x52908400098527886E0F7030069857D2E4169EE7');
    await h.clock.advance(2 * dayMs);
    h.block('https://two.example/');
    const watched = h.report(['https://three.example/']);
    const proposal = h.state.all('proposals').find(({ reportId }) => reportId === watched)!;
    h.ask('organizationProposalsReview', {
      proposalId: proposal.id,
      assetId: proposal.assetId,
      decision: 'WATCHLIST',
      watchlistReason: 'DEAD',
    });
    return { h, brandId };
  }

  const all = {
    reports: 4,
    newThreats: 3,
    threatsWatchlisted: 1,
    takedownsFiled: 1,
    takedownsCompleted: 1,
    domainThreats: 2,
    twitterThreats: 0,
    telegramThreats: 0,
    otherThreats: 1,
  };

  test('add up what happened', async () => {
    const { h } = await lively();
    expect(h.ask('organizationMetricsList')).toEqual({
      metrics: all,
      blockedByType: [
        { type: 'URL', count: 2 },
        { type: 'ADDRESS', count: 1 },
      ],
      blockedByDay: [
        { date: '2026-05-15', count: 2 },
        { date: '2026-05-17', count: 1 },
      ],
    });
    expect(h.ask('getOrganizationMetrics', { organizationSlug: 'acme' })).toEqual(h.ask('organizationMetricsList'));
    await h.clock.advance(2 * dayMs);
    expect(h.ask('organizationMetricsList').metrics).toEqual({ ...all, takedownsFiled: 2, takedownsCompleted: 2 });
    h.ask('assetUnblock', { content: 'https://two.example/' });
    expect(h.ask('organizationMetricsList').metrics).toMatchObject({ newThreats: 2, takedownsCompleted: 2 });
  });

  test('are empty for an organization that did nothing', async () => {
    const { h } = await lively();
    const { metrics, blockedByType } = h.ask('organizationMetricsList', {}, 'other');
    expect(Object.values(metrics)).toEqual(Array.from({ length: 9 }, () => 0));
    expect(blockedByType).toEqual([]);
  });

  test('follow days, brand and what is to be included', async () => {
    const { h } = await lively();
    const day = { startDate: '2026-05-15', endDate: '2026-05-15' };
    expect(h.ask('organizationMetricsList', day).metrics).toMatchObject({
      reports: 2,
      newThreats: 2,
      threatsWatchlisted: 0,
      takedownsFiled: 1,
      takedownsCompleted: 0,
    });
    // One report over an asset of the brand; the review named the brand, not the report.
    expect(h.ask('organizationMetricsList', { brandSlug: 'acme' }).metrics).toMatchObject({
      newThreats: 1,
      threatsWatchlisted: 0,
      takedownsFiled: 1,
    });
    const some = h.ask('organizationMetricsList', { include: ['reports', 'blockedByDay'] });
    expect(some.metrics).toMatchObject({ reports: 4, newThreats: null, otherThreats: null });
    expect([some.blockedByType, some.blockedByDay?.length]).toEqual([null, 2]);
    expect(h.refusal('organizationMetricsList', { brandSlug: 'nobody' })).toBe(404);
    expect(h.refusal('organizationMetricsList', { startDate: 'yesterday' })).toBe(400);
    expect(h.refusal('organizationMetricsList', { startDate: '2026-05-15', endDate: '2026-05-01' })).toBe(400);
    expect(h.refusal('getOrganizationMetrics', { organizationSlug: 'other' })).toBe(403);
  });

  test('of several organizations are their sum', async () => {
    const { h } = await lively();
    h.asset('https://theirs.example/', 'BLOCKED', h.other);
    expect(h.ask('organizationMetricsList', { slug: 'acme', slugs: ['acme', 'other'] }, 'both').metrics.newThreats).toBe(4);
    expect(h.refusal('organizationMetricsList', { slugs: ['acme', 'other'] })).toBe(403);
    expect(h.refusal('organizationMetricsList', { slugs: ['nobody'] })).toBe(404);
    expect(h.refusal('organizationMetricsList', { slugs: ['acme', 'other'], slug: 'acme', brandSlug: 'acme' }, 'both')).toBe(400);
  });

  test('are summed up over three months', async () => {
    const { h, brandId } = await lively();
    expect(h.ask('metricsSummary')).toMatchObject({
      startDate: '2026-02-17T12:00:00.000Z',
      endDate: '2026-05-17T12:00:00.000Z',
      metrics: all,
      blockedByBrand: [
        { brand: null, count: 2 },
        { brand: { id: brandId, slug: 'acme' }, count: 1 },
      ],
    });
    expect(h.ask('metricsSummary', { brandIds: [brandId] })).toMatchObject({ metrics: { newThreats: 1 } });
    expect(h.refusal('metricsSummary', { brandIds: [999] })).toBe(404);
  });

  test.each([
    [
      'day',
      [
        { key: '2026-05-15', count: 2 },
        { key: '2026-05-17', count: 1 },
      ],
    ],
    [
      'type',
      [
        { key: 'URL', count: 2 },
        { key: 'ADDRESS', count: 1 },
      ],
    ],
    [
      'brand',
      [
        { key: null, count: 2 },
        { key: 'acme', count: 1 },
      ],
    ],
  ])('break down by %s', async (by, groups) => {
    const { h } = await lively();
    expect(h.ask('metricsBreakdown', { by })).toMatchObject({ by, totalCount: 3, groups });
  });

  test('do not break down by nothing', async () => {
    const { h } = await lively();
    expect(h.refusal('metricsBreakdown', {})).toBe(400);
    expect(h.refusal('metricsBreakdown', { by: 'moon' })).toBe(400);
  });

  test('count a threat as found the first time it is named', async () => {
    const { h } = await lively();
    h.ask('assetSubmit', { assets: ['https://acme-late.example/'] });
    h.ask('detectionConfigsCreate', { source: 'CERTSTREAM', config: { terms: ['acme'] } });
    h.ask('detectionConfigsRun');
    h.report(['https://acme-late.example/']);
    expect(h.ask('metricsFound')).toMatchObject({
      found: 5,
      foundBy: { reports: 4, detections: 1 },
      foundByDay: [
        { date: '2026-05-15', count: 2 },
        { date: '2026-05-17', count: 3 },
      ],
    });
    expect(h.ask('metricsFound', { endDate: '2026-05-15' })).toMatchObject({ found: 2 });
  });

  test('name who reported a threat first', async () => {
    const { h } = await lively();
    h.asset('https://seeded.example/', 'BLOCKED');
    expect(h.ask('metricsBlockedByFirstReportSource')).toEqual({
      totalCount: 4,
      sources: [
        { source: 'API', count: 3 },
        { source: null, count: 1 },
      ],
    });
  });
});

describe('the time a takedown takes', () => {
  test('is the median for each type, quickest first, in the range of its end', async () => {
    const h = new Harness();
    const brandId = h.brand('Acme');
    h.block('https://one.example/', { label: 'Brand Impersonation', brandId });
    h.block('https://pages.example/giveaway');
    const slow = {
      ...h.state.all('takedowns')[0]!,
      planned: [{ status: 'COMPLETED', atMs: startMs + 48 * hourMs }],
      brandId: null,
    };
    h.state.add('takedowns', { ...slow, id: undefined } as never);
    await h.clock.advance(3 * dayMs);
    const of = (more: object = {}) => h.ask('metricsTakedownTime', { slug: 'acme', ...more }).byAssetType;
    expect(of()).toEqual([
      { assetType: 'PAGE', medianTakedownMinutes: 1_440, medianTakedownHours: 24, medianTakedownDays: 1, count: 1 },
      { assetType: 'URL', medianTakedownMinutes: 2_160, medianTakedownHours: 36, medianTakedownDays: 1.5, count: 2 },
    ]);
    expect(of({ endDate: '2026-05-16' }).map(({ count }) => count)).toEqual([1, 1]);
    expect(of({ blockLabel: 'General Phishing' }).map(({ assetType }) => assetType)).toEqual(['PAGE']);
    expect(of({ brandType: 'PRODUCT' })).toMatchObject([{ assetType: 'URL', count: 1 }]);
    expect(of({ brandIds: [brandId] })).toMatchObject([{ assetType: 'URL', count: 1 }]);
    expect(of({ countryCodes: ['DE'] })).toEqual([]);
    expect(h.refusal('metricsTakedownTime', { slug: 'nobody' })).toBe(404);
    expect(h.refusal('metricsTakedownTime', { slug: 'acme', brandIds: [999] })).toBe(404);
  });

  test('leaves out what took more than forty days', async () => {
    const h = new Harness();
    h.block('https://one.example/');
    const [takedown] = h.state.all('takedowns');
    h.state.change('takedowns', takedown!.id, { planned: [{ status: 'COMPLETED', atMs: startMs + 40 * dayMs + 1 }] });
    await h.clock.advance(41 * dayMs);
    expect(h.ask('metricsTakedownTime', { slug: 'acme' }).byAssetType).toEqual([]);
    h.state.change('takedowns', takedown!.id, { planned: [{ status: 'COMPLETED', atMs: startMs + 40 * dayMs }] });
    expect(h.ask('metricsTakedownTime', { slug: 'acme' }).byAssetType).toHaveLength(1);
  });

  test('has a trend by month, with the latest change', async () => {
    const h = new Harness();
    h.block('https://one.example/');
    await h.clock.advance(60 * dayMs);
    h.block('https://two.example/');
    const [, second] = h.state.all('takedowns');
    h.state.change('takedowns', second!.id, { planned: [{ status: 'COMPLETED', atMs: h.clock.now() + 12 * hourMs }] });
    await h.clock.advance(dayMs);
    const { months, periods, series } = h.ask('metricsTakedownTimeTrend', { slug: 'acme', months: 3 });
    expect([months, periods]).toEqual([3, ['2026-05', '2026-06', '2026-07']]);
    expect(series).toHaveLength(1);
    expect(series[0]!.points.map(({ count, medianTakedownHours }) => [count, medianTakedownHours])).toEqual([
      [1, 24],
      [0, null],
      [1, 12],
    ]);
    expect(series[0]!.change).toMatchObject({
      latest: { period: '2026-07' },
      previous: { period: '2026-05' },
      percentChange: -50,
      direction: 'improved',
    });
    const typed = h.ask('metricsTakedownTimeTrend', { slug: 'acme', assetTypes: ['URL', 'PAGE'] });
    expect(typed.periods).toHaveLength(12);
    expect(typed.periods[0]).toBe('2025-08');
    expect(typed.series.map(({ assetType, change }) => [assetType, change.direction])).toEqual([
      ['URL', 'improved'],
      ['PAGE', null],
    ]);
    expect(h.refusal('metricsTakedownTimeTrend', { slug: 'acme', months: 1 })).toBe(400);
    expect(
      h.refusal('metricsTakedownTimeTrend', {
        slug: 'acme',
        assetTypes: ['URL', 'PAGE', 'ADDRESS', 'EMAIL', 'TWITTER', 'SLACK'],
      }),
    ).toBe(400);
  });
});

describe('healthchecks', () => {
  test('are all implemented, and each answers under its id', () => {
    const h = new Harness();
    const { checks } = h.ask('healthchecksList');
    expect(checks).toHaveLength(10);
    expect(checks.every(({ implemented }) => implemented)).toBe(true);
    const names = checks.map(
      ({ id }) => `healthchecks${id.replace(/(^|[.-])(\w)/g, (_, __, letter: string) => letter.toUpperCase())}`,
    );
    for (const [at, name] of names.entries()) {
      const result = h.ask(name as 'healthchecksReviewingBacklog', { slug: 'acme' });
      expect(Object.keys(result).sort()).toEqual(['findings', 'id', 'observed', 'severity', 'suggestedAction', 'threshold']);
      expect(result.id).toBe(checks[at]!.id);
      expect(h.refusal(name as 'healthchecksReviewingBacklog', { slug: 'nobody' })).toBe(404);
      expect(h.refusal(name as 'healthchecksReviewingBacklog', {}, 'both')).toBe(401);
    }
  });

  test('name silent configs', () => {
    const h = new Harness();
    const { config } = h.ask('detectionConfigsCreate', { source: 'CERTSTREAM', config: { terms: ['acme'] }, title: 'One' }) as {
      config: { id: number };
    };
    const check = (more: object = {}) => h.ask('healthchecksDetectionsSilentConfigs', more);
    expect(check()).toMatchObject({ severity: 'warn', observed: 1, findings: [{ id: config.id, title: 'One', resultCount: 0 }] });
    h.ask('assetSubmit', { assets: ['https://acme-login.example/'] });
    h.ask('detectionConfigsRun');
    expect(check()).toMatchObject({ severity: 'ok', observed: 0, findings: [], suggestedAction: null });
    expect(check({ minResults: 2 })).toMatchObject({ severity: 'warn' });
    expect(h.refusal('healthchecksDetectionsSilentConfigs', { minResults: -1 })).toBe(400);
  });

  test.each([
    [{ warnCount: 3, failCount: 4 }, 'ok'],
    [{ warnCount: 2, failCount: 3 }, 'warn'],
    [{ warnCount: 1, failCount: 2 }, 'fail'],
  ])('weigh two waiting proposals by %j as %s', (levels, severity) => {
    const h = new Harness();
    h.report(['https://a.example/', 'https://b.example/']);
    expect(h.ask('healthchecksReviewingBacklog', levels)).toMatchObject({ severity, observed: 2, threshold: levels });
  });

  test('refuse levels that contradict each other, or are no numbers', () => {
    const h = new Harness();
    expect(h.refusal('healthchecksReviewingBacklog', { warnCount: 2, failCount: 1 })).toBe(400);
    expect(h.refusal('healthchecksReviewingBacklog', { warnCount: 'many' })).toBe(400);
    expect(h.ask('healthchecksReviewingBacklog', { warnCount: 500 }).threshold).toEqual({ warnCount: 500, failCount: 500 });
  });

  test('warn of proposals after 7 days and fail after 14, the oldest by name', async () => {
    const h = new Harness();
    h.report(['https://a.example/']);
    await h.clock.advance(7 * dayMs - 1);
    const check = (more: object = {}) => h.ask('healthchecksReviewingOldProposals', more);
    expect(check()).toMatchObject({ severity: 'ok', findings: [], threshold: { warnDays: 7, failDays: 14 } });
    await h.clock.advance(1);
    h.report(['https://b.example/']);
    expect(check()).toMatchObject({ severity: 'warn', observed: 7, findings: [{ content: 'a.example', days: 7 }] });
    await h.clock.advance(7 * dayMs);
    expect(check()).toMatchObject({
      severity: 'fail',
      observed: 14,
      findings: [{ content: 'a.example' }, { content: 'b.example' }],
    });
    expect(check({ warnDays: 20, failDays: 30 })).toMatchObject({ severity: 'ok' });
    const waiting = h.state.all('proposals');
    for (const { id, assetId } of waiting) {
      h.ask('organizationProposalsReview', { proposalId: id, assetId, decision: 'REJECT', rejectReason: 'decayed' });
    }
    expect(check()).toMatchObject({ severity: 'ok', observed: null });
  });

  test('count takedowns by status, and cancellations by when they happened', async () => {
    const h = new Harness();
    for (const name of ['a', 'b', 'c']) h.block(`https://${name}.example/`);
    const levels = { warnCount: 3, failCount: 4 };
    expect(h.ask('healthchecksTakedownsTodoVolume', levels)).toMatchObject({ severity: 'warn', observed: 3 });
    expect(h.ask('healthchecksTakedownsInProgressVolume', levels)).toMatchObject({ severity: 'ok', observed: 0 });
    await h.clock.advance(2 * hourMs);
    expect(h.ask('healthchecksTakedownsTodoVolume', levels)).toMatchObject({ severity: 'ok', observed: 0 });
    expect(h.ask('healthchecksTakedownsInProgressVolume', levels)).toMatchObject({ severity: 'warn', observed: 3 });
    for (const name of ['a', 'b', 'c']) h.ask('assetUnblock', { content: `https://${name}.example/` });
    expect(h.ask('healthchecksTakedownsCancelledCount')).toMatchObject({
      severity: 'warn',
      observed: 3,
      threshold: { warnCount: 3, failCount: 10, lookbackDays: 7 },
    });
    await h.clock.advance(8 * dayMs);
    expect(h.ask('healthchecksTakedownsCancelledCount')).toMatchObject({ severity: 'ok', observed: 0 });
    expect(h.ask('healthchecksTakedownsCancelledCount', { lookbackDays: 30 })).toMatchObject({ observed: 3 });
  });

  test('name takedowns that are under way for more than 7 days', async () => {
    const h = new Harness();
    h.block('https://slow.example/');
    const [takedown] = h.state.all('takedowns');
    h.state.change('takedowns', takedown!.id, { planned: [{ status: 'IN_PROGRESS', atMs: startMs + dayMs }] });
    await h.clock.advance(8 * dayMs);
    expect(h.ask('healthchecksTakedownsStaleInProgress')).toMatchObject({
      severity: 'warn',
      threshold: { staleDays: 7 },
      findings: [{ id: takedown!.id, content: 'slow.example', days: 7 }],
    });
    expect(h.ask('healthchecksTakedownsStaleInProgress', { staleDays: 8 })).toMatchObject({ severity: 'ok', findings: [] });
  });

  test.each([
    [{ takedownsAutomated: false }, 29, 'ok'],
    [{ takedownsAutomated: false }, 30, 'warn'],
    [{ takedownsAutomated: false }, 60, 'fail'],
    [{ takedownsAutomated: true }, 60, 'ok'],
  ])('judge %j after %d days as %s', async (organization, days, severity) => {
    const h = new Harness(organization);
    await h.clock.advance(days * dayMs);
    expect(h.ask('healthchecksTakedownsAutomationOff').severity).toBe(severity);
  });

  test('see more dead assets than usual', async () => {
    const h = new Harness();
    h.block('https://first.example/');
    await h.clock.advance(3 * dayMs);
    for (const name of ['a', 'b', 'c']) h.block(`https://${name}.example/`);
    await h.clock.advance(dayMs);
    const check = (more: object = {}) => h.ask('healthchecksAssetsDeadAssetSpike', more);
    expect(check()).toMatchObject({
      severity: 'ok',
      observed: 3,
      threshold: { baselineDays: 7, minSpikeCount: 10, baselinePerDay: 0.14 },
    });
    expect(check({ minSpikeCount: 3 })).toMatchObject({ severity: 'warn', findings: [{ content: 'a.example' }, {}, {}] });
    expect(check({ minSpikeCount: 3, baselineDays: 4, multiplier: 12 })).toMatchObject({ severity: 'ok' });
    expect(h.refusal('healthchecksAssetsDeadAssetSpike', { baselineDays: 0 })).toBe(400);
  });

  test('miss the address for contact', () => {
    expect(new Harness().ask('healthchecksOrganizationMissingContactUrl')).toMatchObject({
      severity: 'warn',
      findings: [{ slug: 'acme' }],
    });
    expect(new Harness({ contactUrl: 'https://example.com/' }).ask('healthchecksOrganizationMissingContactUrl')).toMatchObject({
      severity: 'ok',
      findings: [],
    });
  });
});

describe('the queues', () => {
  test('are counted by age', async () => {
    const h = new Harness();
    h.report(['https://a.example/']);
    await h.clock.advance(2 * dayMs);
    h.report(['https://b.example/']);
    h.block('https://c.example/');
    const snapshot = h.ask('operationsQueuesSnapshot') as {
      reviewing: { count: number; staleCount: number; ages: { name: string; count: number }[] };
      takedowns: { todo: { count: number }; inProgress: { count: number } };
    };
    expect(snapshot).toMatchObject({
      windowHours: 24,
      reviewing: { count: 2, staleCount: 1, oldestSince: new Date(startMs).toISOString() },
    });
    expect(snapshot.reviewing.ages.filter(({ count }) => count > 0)).toEqual([
      { name: 'UNDER_1_DAY', count: 1 },
      { name: 'DAYS_1_TO_3', count: 1 },
    ]);
    expect(snapshot.takedowns).toMatchObject({ todo: { count: 1 }, inProgress: { count: 0 } });
    expect(h.ask('operationsQueuesSnapshot', { windowHours: 72 })).toMatchObject({ reviewing: { staleCount: 0 } });
    expect(h.ask('operationsQueuesSnapshot', {}, 'other')).toMatchObject({ reviewing: { count: 0, oldestSince: null } });
    expect(h.refusal('operationsQueuesSnapshot', { windowHours: -1 })).toBe(400);
  });
});

describe('the old report list', () => {
  test('has the pages of the new one', () => {
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
});

test('a call that is refused changes nothing', () => {
  const h = new Harness();
  const before = JSON.stringify(h.state.snapshot());
  expect(h.refusal('organizationAssetsAdd', { assets: [{ content: 'https://a.example/', groupId: 999 }] })).toBe(404);
  expect(h.refusal('detectionConfigsCreate', { source: 'CERTSTREAM', brandId: 999 })).toBe(404);
  expect(JSON.stringify(h.state.snapshot())).toBe(before);
});
