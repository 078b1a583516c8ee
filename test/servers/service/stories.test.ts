import { createHash } from 'node:crypto';
import { decodeArtifact, expressionsOf, prefixOf } from 'portcullis';
import { createClient } from 'portcullis/client';
import { createService, type ServerOptions, type Snapshot, sampleKeys } from 'portcullis/testing';
import { verifyWebhook } from 'portcullis/webhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serve } from '../../support/scripted-server.js';
import { checkedFetch } from './checked-fetch.js';
import { dayMs, headersWith, hourMs, startMs } from './harness.js';

const slug = 'example-wallet';

/** A service over HTTP, and clients whose calls are checked against the OpenAPI document. */
async function begin(options: ServerOptions = {}) {
  const service = createService({ now: () => startMs, ...options });
  const { url } = await service.listen();
  await service.clock.advance(0);
  const wrong: string[] = [];
  const connect = (apiKey: string, of?: string) =>
    createClient({
      baseUrl: url,
      apiKey,
      ...(of !== undefined && { slug: of }),
      retry: false,
      fetch: checkedFetch(wrong, { mayBeRefused: true }),
      onEvent: (event) => !event.type.startsWith('deprecat') && wrong.push(event.type),
    });
  onTestFinished(async () => {
    await service.close();
    expect(wrong).toEqual([]);
  });
  const client = connect(sampleKeys.organization, slug);
  /** The user's key, for the other organization. */
  const exchange = connect(sampleKeys.user, 'example-exchange');
  const robin = connect(sampleKeys.user, slug);

  const report = async (...contents: string[]) => {
    const { id } = await client.reports.create({ assets: contents.map((content) => ({ content })) });
    const [found] = (await client.reports.list({ limit: 1, searchQuery: String(id) })).reports;
    return { id, proposals: found!.proposals.map((proposal) => ({ proposalId: proposal.id, assetId: proposal.asset.id })) };
  };
  const block = async (content: string) => {
    const { id, proposals } = await report(content);
    const answer = await client.reports.proposalsReview({ ...proposals[0]!, decision: 'APPROVE', label: 'General Phishing' });
    return { id, assetId: answer.proposal.asset.id };
  };
  const check = async (content: string) => (await client.assets.check({ content })).status;
  return { service, url, client, exchange, robin, report, block, check };
}
type Begun = Awaited<ReturnType<typeof begin>>;

/** Whether a link is in the snapshot, in the recent feed, and confirmed. */
async function listed({ client }: Begun, content: string) {
  const version = (await client.blocklist.version()) as Record<'snapshot' | 'recent', { url: string; count: number }> & {
    algoVersion: string;
  };
  const expression = expressionsOf(content)[0]!;
  const hash = createHash('sha256').update(expression).digest('hex');
  const isIn = async (part: 'snapshot' | 'recent') => {
    const { url, count } = version[part];
    const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
    return (await decodeArtifact(bytes, { count, algorithm: 'portcullis-1' })).has(prefixOf(expression));
  };
  const prefix = hash.slice(0, 8);
  const { hashes } = (await client.blocklist.confirm({ algoVersion: version.algoVersion, prefixes: [prefix, '00000000'] })) as {
    hashes: Record<string, string[]>;
  };
  expect(hashes['00000000']).toEqual([]);
  expect([[], [hash]]).toContainEqual(hashes[prefix]);
  return [await isIn('snapshot'), await isIn('recent'), hashes[prefix]!.length === 1];
}

test('a scam is reported, blocked, listed, announced, disputed, unblocked and delisted', async () => {
  const receiver = await serve([{ status: 204 }]);
  const story = await begin({ allowPrivateTargets: true });
  const { service, client, exchange, check } = story;
  const content = 'https://new-mint.example/claim';
  const asset = 'https://new-mint.example/';
  const { secret } = (await client.webhooks.config({ url: receiver.origin })) as { secret: string };
  expect(await listed(story, asset)).toEqual([false, false, false]);

  const { proposals, id } = await story.report(asset);
  expect(await check(content)).toBe('UNKNOWN');
  expect((await client.reports.list({ limit: 20 })).reports).toMatchObject([{ id, status: 'TODO' }]);
  const reviewed = await client.reports.proposalsReview({ ...proposals[0]!, decision: 'APPROVE', label: 'General Phishing' });
  expect(reviewed).toMatchObject({
    proposal: { reviewStatus: 'APPROVED', asset: { content: 'new-mint.example', status: 'BLOCKED' } },
    review: { decision: 'APPROVE', label: 'General Phishing', brandId: null },
    watchlisted: false,
  });
  expect((await client.reports.list({ limit: 20 })).reports).toMatchObject([{ id, status: 'CLOSED' }]);
  expect([await check(asset), await check('https://a.b.new-mint.example/x')]).toEqual(['BLOCKED', 'BLOCKED']);
  expect((await client.assets.check({ content: 'https://a.new-mint.example/' })).reason).toBe('parent-domain');
  expect(await listed(story, asset)).toEqual([false, true, true]);

  await service.clock.advance(0);
  const events = receiver.requests.map(({ body, headers }) => verifyWebhook(body, headers, { secrets: secret }));
  expect(events).toMatchObject([
    { type: 'asset.status-escalated', data: { content: 'new-mint.example', type: 'URL', proposal_id: proposals[0]!.proposalId } },
    { type: 'asset.status-updated', data: { asset_id: proposals[0]!.assetId, content: 'new-mint.example', status: 'BLOCKED' } },
  ]);

  await service.publish();
  expect(await listed(story, asset)).toEqual([true, false, true]);

  await client.disputes.create({ content: asset, email: 'owner@new-mint.example', description: 'It is a shop.' });
  expect(await check(asset)).toBe('BLOCKED');
  expect(await exchange.assets.unblock({ content: asset })).toMatchObject({ outcome: 'DISPUTED' });
  expect(await check(asset)).toBe('BLOCKED');
  expect(await client.assets.unblock({ content: asset })).toMatchObject({ outcome: 'UNBLOCKED' });
  expect(await check(asset)).toBe('UNKNOWN');
  expect(await listed(story, asset)).toEqual([true, false, false]);
  await service.publish();
  expect(await listed(story, asset)).toEqual([false, false, false]);
  await expect(client.assets.unblock({ content: asset })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
});

test('a public suffix can be blocked but is never listed, and does not block the sites below it', async () => {
  const story = await begin({ data: 'empty', isPublicSuffix: (host) => host === 'sites.example' });
  const [suffix, site] = ['https://sites.example/', 'https://scam.sites.example/'];
  for (const content of [suffix, site]) await story.block(content);
  expect(await listed(story, suffix)).toEqual([false, false, false]);
  expect(await listed(story, site)).toEqual([true, false, true]);
  expect(await story.service.publish()).toEqual({
    listed: 1,
    refused: [{ type: 'URL', content: 'sites.example', reason: 'public-suffix' }],
  });
  expect(await story.check(suffix)).toBe('BLOCKED');
  expect(await story.check('https://somebody.sites.example/')).toBe('UNKNOWN');
});

test('the files of the last eight versions can be fetched', async () => {
  const { service, client, block } = await begin({ limits: { reviewsPerDay: 100 } });
  const urls: string[] = [];
  for (let at = 0; at < 10; at++) {
    const { recent } = (await client.blocklist.version()) as unknown as { recent: { url: string } };
    urls.push(recent.url);
    await block(`https://scam-${at}.example/`);
    if (at === 4) await service.publish();
  }
  const statuses = await Promise.all(urls.map(async (url) => (await fetch(url)).status));
  expect(statuses.slice(-8)).toEqual(Array(8).fill(200));
  // After a snapshot, the version document names the empty feed again.
  expect([urls[5], statuses[0], statuses[1]]).toEqual([urls[0], 200, 404]);
});

describe('a review', () => {
  test('with the decision WATCHLIST enables watching and does not change the status', async () => {
    const { client, report, check } = await begin();
    const { id, proposals } = await report('https://parked.example/');
    const answer = await client.reports.proposalsReview({
      ...proposals[0]!,
      decision: 'WATCHLIST',
      watchlistReason: 'OTHER',
      note: 'Nothing there yet.',
    });
    expect(answer).toMatchObject({
      proposal: { reviewStatus: 'REJECTED', asset: { status: 'UNKNOWN' } },
      review: { decision: 'REJECT', comment: 'OTHER: Nothing there yet.' },
      watchlisted: true,
    });
    const search = () => client.assets.search({ content: 'https://parked.example/' });
    expect(await search()).toMatchObject({
      asset: { watchStatus: 'ENABLED', status: 'UNKNOWN' },
      reports: [{ id, status: 'CLOSED' }],
    });
    expect(await check('https://parked.example/')).toBe('UNKNOWN');
    await client.organization.assetsAdd({ assets: [{ content: 'https://parked.example/' }] });
    expect(await search()).toMatchObject({ asset: { watchStatus: 'DISABLED', status: 'ALLOWED' } });
  });

  test('is a 409 for another asset or a decided proposal', async () => {
    const { service, client, robin, report } = await begin();
    const { proposals } = await report('https://one.example/', 'https://two.example/');
    const [one, two] = proposals as [(typeof proposals)[0], (typeof proposals)[0]];
    const approve = { decision: 'APPROVE', label: 'General Phishing' } as const;
    const before = service.snapshot();
    await expect(client.reports.proposalsReview({ ...one, assetId: two.assetId, ...approve })).rejects.toMatchObject({
      code: 'CONFLICT',
      status: 409,
    });
    expect(service.snapshot()).toEqual(before);
    const both = await Promise.allSettled([
      client.reports.proposalsReview({ ...one, ...approve }),
      robin.reports.proposalsReview({ ...one, decision: 'REJECT', rejectReason: 'decayed' }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'CONFLICT' } });
    expect(service.snapshot().tables.reviews).toHaveLength(1);
  });

  test('is a 404 for a brand that does not exist or belongs to another organization', async () => {
    const { client, exchange, report } = await begin();
    const { proposals } = await report('https://one.example/');
    const brand = (await client.organization.brands()).brands[0]!.id!;
    const { id } = await exchange.reports.create({ assets: [{ content: 'https://theirs.example/' }] });
    const [theirs] = (await exchange.reports.list({ limit: 1, searchQuery: String(id) })).reports[0]!.proposals;
    const foreign = { proposalId: theirs!.id, assetId: theirs!.asset.id };
    for (const [by, input, brandId] of [
      [client, proposals[0]!, brand + 1],
      [exchange, foreign, brand],
    ] as const)
      await expect(
        by.reports.proposalsReview({ ...input, decision: 'APPROVE', label: 'Brand Impersonation', brandId }),
      ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test.each([
    { decision: 'APPROVE' },
    { decision: 'APPROVE', label: 'Brand Impersonation' },
    { decision: 'APPROVE', label: 'Employee Impersonation' },
    { decision: 'REJECT' },
    { decision: 'WATCHLIST' },
    { decision: 'WATCHLIST', watchlistReason: 'OTHER' },
    { decision: 'WATCHLIST', watchlistReason: 'OTHER', note: '' },
  ])('is a 400 without the fields that its decision needs: %j', async (input) => {
    const { service, url } = await begin();
    const before = service.snapshot();
    const answer = await fetch(`${url}/organization/proposals/1/review`, {
      method: 'POST',
      headers: headersWith(service.key),
      body: JSON.stringify({ assetId: 1, ...input }),
    });
    expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'BAD_REQUEST', issues: [{}] }]);
    expect(service.snapshot()).toEqual(before);
  });

  test('is limited for an organization over all its keys, and rejected without a change', async () => {
    const { service, client, robin, report } = await begin({ limits: { reviewsPerDay: 2 } });
    const { proposals } = await report(...[1, 2, 3].map((at) => `https://b${at}.example/`));
    const review = (by: typeof client, at: number) =>
      by.reports.proposalsReview({ ...proposals[at]!, decision: 'REJECT', rejectReason: 'decayed' });
    await review(client, 0);
    await review(robin, 1);
    const before = service.snapshot();
    for (const by of [client, robin])
      await expect(review(by, 2)).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS', status: 429 });
    expect(service.snapshot()).toEqual(before);
  });

  test('is limited to ten a day by default', async () => {
    const { client, report } = await begin();
    const { proposals } = await report(...Array.from({ length: 11 }, (_, at) => `https://t${at}.example/`));
    const review = (at: number) =>
      client.reports.proposalsReview({ ...proposals[at]!, decision: 'REJECT', rejectReason: 'decayed' });
    for (let at = 0; at < 10; at++) await review(at);
    await expect(review(10)).rejects.toMatchObject({ status: 429 });
  });
});

describe('an attachment', () => {
  const html = new TextEncoder().encode('<script>alert(1)</script>');

  test('is served without a key, as a file that no browser runs', async () => {
    const { client, url } = await begin();
    const fileName = `Beweis "ä"\r\n; x=y\u{1f4b0}, it's (a) 100 % *star*.html`;
    const raw = await client.attachments.upload({ file: html, fileName });
    const form = await client.attachments.upload({
      files: [
        { file: new Blob([html], { type: 'text/html' }), fileName: 'a.html' },
        { file: new Uint8Array([0, 255, 128]), fileName: 'b' },
      ],
    });
    const all = [...raw.attachments, ...form.attachments];
    expect(all.map(({ sizeBytes }) => sizeBytes)).toEqual([html.length, html.length, 3]);
    expect(new Set(all.map((one) => one.url)).size).toBe(3);
    for (const [at, one] of all.entries()) {
      expect(one.url).toMatch(new RegExp(`^${url}/attachments/\\d+/[0-9a-f]{32}$`));
      const answer = await fetch(one.url);
      expect(answer.status).toBe(200);
      expect(new Uint8Array(await answer.arrayBuffer())).toEqual(at < 2 ? html : new Uint8Array([0, 255, 128]));
      expect(answer.headers.get('content-type')).toBe('application/octet-stream');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('content-security-policy')).toMatch(/\bsandbox\b.*default-src 'none'/);
      const disposition = answer.headers.get('content-disposition') ?? '';
      // RFC 8187 §3.2.1 leaves these characters unescaped.
      expect(disposition).toMatch(/^attachment; filename\*=UTF-8''(?:[\w!#$&+.^`|~-]|%[0-9A-F]{2})+$/);
      if (at === 0) expect(decodeURIComponent(disposition.split("''")[1]!)).toBe(fileName);
    }
  });

  test('is a 404 for another token or id, and a 405 for another method', async () => {
    const { client } = await begin();
    const { attachments } = await client.attachments.upload({ files: ['a', 'b'].map((fileName) => ({ file: html, fileName })) });
    const [a, b] = attachments.map(({ url }) => url) as [string, string];
    const other = a.slice(0, -1) + (a.endsWith('0') ? '1' : '0');
    const crossed = a.replace(/[0-9a-f]{32}$/, b.slice(-32));
    const unknown = [other, crossed, a.slice(0, -1), `${a}0`, a.replace(/\d+\/(?=[0-9a-f]{32}$)/, '999/')];
    for (const url of [...unknown, a.toUpperCase().replace('HTTP', 'http')])
      expect([url, (await fetch(url)).status]).toEqual([url, 404]);
    expect((await fetch(a, { method: 'DELETE' })).status).toBe(405);
    expect((await fetch(a)).status).toBe(200);
  });
});

test('a report that lists an asset in another case and with a trailing slash has one proposal for it', async () => {
  const { client, report } = await begin();
  const { id, proposals } = await report('https://twice.example/', 'https://TWICE.example');
  expect(proposals).toHaveLength(1);
  expect((await client.reports.list({ limit: 1 })).reports).toMatchObject([{ id, status: 'TODO' }]);
});

describe('a report', () => {
  /** The reason for each rejected asset; nothing may have changed. */
  async function refused({ service, client }: Begun, assets: object[], by = client) {
    const before = service.snapshot();
    const error = await by.reports.create({ assets: assets as never }).then(
      () => ({ code: 'none', status: 200, assets: [] }),
      (cause: {
        code: string;
        status: number;
        assets: { asset: string; errorType: string; message: string; suggestion: string }[];
      }) => cause,
    );
    expect([error.code, error.status]).toEqual(['UNPROCESSABLE_CONTENT', 422]);
    for (const { message, suggestion } of error.assets)
      expect([message, suggestion]).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
    expect(service.snapshot()).toEqual(before);
    return error.assets.map(({ asset, errorType }) => [asset, errorType]);
  }
  const good = { content: 'https://good.example/' };

  const other = { content: 'https://other.example/' };
  const wallet = { content: 'https://GOOD.example', brandSlug: slug };
  const decided = [
    { content: 'https://scam-mint.example/', status: 'BLOCKED' },
    { content: 'https://example.com/', status: 'ALLOWED' },
    { content: 'https://new-mint.example/', status: 'UNKNOWN' },
  ];
  test.each<[string, object[], string[][]]>([
    ...['', 'javascript:alert(1)', 'https://localhost/', 'no words'].map((content): [string, object[], string[][]] => [
      `that ${JSON.stringify(content)} cannot be parsed`,
      [good, { content }],
      [[content, 'INVALID_FORMAT']],
    ]),
    ['each repetition of an asset', [good, good, other, good], Array(2).fill([good.content, 'DUPLICATE_ASSETS'])],
    ['a different spelling', [good, { content: 'http://www.good.example/' }], [['http://www.good.example/', 'DUPLICATE_ASSETS']]],
    ['another case for another brand', [good, wallet], [[wallet.content, 'DUPLICATE_ASSETS']]],
    ['an unknown brand', [good, { ...other, brandSlug: 'nobody' }], [[other.content, 'VALIDATION_ERROR']]],
    ['an unknown asset to allow', [good, { ...other, status: 'ALLOWED' }], [[other.content, 'ASSET_NOT_FOUND']]],
    ['an unknown asset to forget', [good, { ...other, status: 'UNKNOWN' }], [[other.content, 'ASSET_NOT_FOUND']]],
    ['a status it has', [...decided, good], decided.map(({ content }) => [content, 'ASSET_ALREADY_CORRECT'])],
    [
      'several reasons, in the order of the assets',
      [{ content: 'no words' }, good, decided[0]!, good, { ...other, brandSlug: 'nobody' }],
      [
        ['no words', 'INVALID_FORMAT'],
        [decided[0]!.content, 'ASSET_ALREADY_CORRECT'],
        [good.content, 'DUPLICATE_ASSETS'],
        [other.content, 'VALIDATION_ERROR'],
      ],
    ],
  ])('is rejected as a whole for %s', async (_, assets, reasons) => {
    const story = await begin();
    expect(await refused(story, assets)).toEqual(reasons);
    await story.client.reports.create({ assets: [good] });
  });

  test('is rejected as a whole for rules that depend on the organization: brands, waiting reviews and allowlists', async () => {
    const story = await begin();
    const { client, exchange } = story;
    expect(await refused(story, [{ ...good, brandSlug: slug }], exchange)).toEqual([[good.content, 'VALIDATION_ERROR']]);
    await story.report(other.content);
    expect(await refused(story, [good, { content: 'https://OTHER.example' }])).toEqual([
      ['https://OTHER.example', 'REPORT_ALREADY_EXISTS'],
    ]);
    expect(await refused(story, [good, other], exchange)).toEqual([[other.content, 'ALREADY_PENDING_REVIEW']]);
    await client.organization.assetsAdd({ assets: [{ content: 'https://shop.example/' }] });
    expect(await refused(story, [{ content: 'https://shop.example/' }])).toEqual([
      ['https://shop.example/', 'DOMAIN_NOT_ALLOWED'],
    ]);
  });
});

describe('the list of reports', () => {
  /** Six reports an hour apart; a restore sets fields that no call can: favorites and other sources. */
  async function six() {
    const story = await begin();
    const { client, robin, service } = story;
    const ids: number[] = [];
    const address = '0x00000000219ab540356cBB839Cbe05303d7705Fa';
    const contents = ['https://a.example/', 'https://b.example/', 'https://bit.ly/c', address, 'e.example', 'f.example'];
    for (const [at, content] of contents.entries()) {
      const { id } = await (at % 2 === 0 ? client : robin).reports.create({
        assets: [{ content, ...(at === 4 && { brandSlug: slug }) }],
        title: `Number ${at}`,
        description: at === 5 ? 'With a Needle in it' : 'Hay',
        ...(at === 2 && { externalReporter: { displayName: 'Sam Finder', platform: 'forum' } }),
      });
      ids.push(id);
      await service.clock.advance(hourMs);
    }
    const proposalOf = async (at: number) => {
      const { proposals } = (await client.reports.list({ limit: 1, searchQuery: `Number ${at}` })).reports[0]!;
      return { proposalId: proposals[0]!.id, assetId: proposals[0]!.asset.id };
    };
    await robin.reports.proposalsReview({ ...(await proposalOf(0)), decision: 'APPROVE', label: 'General Phishing' });
    await client.reports.proposalsReview({ ...(await proposalOf(1)), decision: 'REJECT', rejectReason: 'decayed' });
    const kept = service.snapshot();
    const reports = kept.tables.reports!.map((report) => ({
      ...report,
      ...(report.id === ids[3] && { favoritedAtMs: startMs }),
      ...(report.id === ids[5] && { source: 'AUTO_DETECTION', reportedByCustomer: false }),
    }));
    await service.restore({ ...kept, tables: { ...kept.tables, reports } } as Snapshot);
    const users = kept.tables.users!.map(({ id }) => id);
    const brandIds = (await client.organization.brands()).brands.map(({ id }) => id!);
    /** Returns which of the six reports are found. */
    const found = async (filter: object) => {
      const { reports: page, totalCount, nextCursor } = await client.reports.list({ limit: 20, ...filter });
      expect([totalCount, nextCursor]).toEqual([page.length, null]);
      return page.map(({ id }) => ids.indexOf(Number(id)));
    };
    return { ...story, ids, users, brandIds, found };
  }

  test('has every documented filter', async () => {
    const { found, users, brandIds, exchange } = await six();
    const all = [5, 4, 3, 2, 1, 0];
    const at = (hours: number) => new Date(startMs + hours * hourMs).toISOString();
    const cases: [object, number[]][] = [
      [{}, all],
      [{ status: 'TODO' }, [5, 4, 3, 2]],
      [{ status: 'CLOSED' }, [1, 0]],
      [{ status: 'IN_PROGRESS' }, []],
      [{ searchQuery: 'needle' }, [5]],
      [{ searchQuery: 'NUMBER 3' }, [3]],
      [{ searchQuery: 'bit.ly' }, [2]],
      [{ reporterQuery: 'robin' }, [5, 3, 1]],
      [{ reporterQuery: 'sam f' }, [2]],
      [{ reporterKind: 'automation' }, [5]],
      [{ reporterKind: 'human' }, [4, 3, 2, 1, 0]],
      [{ excludeAutomation: true }, [4, 3, 2, 1, 0]],
      [{ excludeAutomation: false }, all],
      [{ reviewerKind: 'human' }, [1, 0]],
      [{ reviewerKind: 'automation' }, []],
      [{ reviewedByUserId: users[0]! }, [0]],
      [{ reviewedByUserId: 999_999 }, []],
      [{ startDate: at(3) }, [5, 4]],
      [{ endDate: at(3) }, [2, 1, 0]],
      [{ startDate: '2026-05-16' }, []],
      [{ startDate: '2026-05-15', endDate: '2026-05-15' }, all],
      [{ updatedAtStartDate: at(6) }, [1, 0]],
      [{ updatedAtEndDate: at(2) }, [2]],
      [{ registrars: ['A registrar'] }, []],
      [{ hasMxRecords: true }, []],
      [{ hasMxRecords: false }, all],
      [{ countryCodes: ['DE'] }, []],
      [{ threatActorIds: [1] }, []],
      [{ onlyRejected: true }, [1]],
      [{ onlyRejected: false }, all],
      [{ onlyFavorited: true }, [3]],
      [{ reportedByCustomer: true }, [4, 3, 2, 1, 0]],
      [{ reportedByCustomer: false }, [5]],
      [{ needsCustomerReview: true }, [5, 4, 3, 2]],
      [{ needsCustomerReview: false }, [1, 0]],
      [{ reviewStatuses: ['APPROVE'] }, [0]],
      [{ reviewStatuses: ['REJECT', 'APPROVE'] }, [1, 0]],
      [{ reviewStatuses: ['SKIP', 'ESCALATE'] }, []],
      [{ assetTypes: ['ADDRESS'] }, [3]],
      [{ assetTypes: ['PAGE', 'ADDRESS'] }, [3, 2]],
      [{ brandIds }, [4]],
      [{ brandIds: [999_999] }, []],
      [{ sources: ['AUTO_DETECTION'] }, [5]],
      [{ sources: ['API', 'AUTO_DETECTION'] }, all],
      [{ sources: ['CANARY_TOKEN'] }, []],
      [{ status: 'TODO', assetTypes: ['URL'], excludeAutomation: true }, [4]],
    ];
    for (const [filter, expected] of cases) expect([filter, await found(filter)]).toEqual([filter, expected]);
    expect(await exchange.reports.list({ limit: 20 })).toEqual({ reports: [], nextCursor: null, totalCount: 0 });
  });

  test('includes both ends of a range of days, and rejects a range that ends before it starts', async () => {
    const { client, service } = await begin({ data: 'empty', now: () => Date.UTC(2026, 4, 15) });
    for (const [name, ms] of [
      ['first', dayMs - 1],
      ['last', 0],
    ] as const) {
      await client.reports.create({ assets: [{ content: `https://${name}.example/` }] });
      await service.clock.advance(ms);
    }
    const count = async (start: string, end: string, names = ['startDate', 'endDate']) =>
      (await client.reports.list({ limit: 20, [names[0]!]: start, [names[1]!]: end })).totalCount;
    const updated = ['updatedAtStartDate', 'updatedAtEndDate'];
    for (const names of [undefined, updated]) {
      expect(await count('2026-05-15', '2026-05-15', names)).toBe(2);
      expect(await count('2026-05-14', '2026-05-14', names)).toBe(0);
      await expect(count('2026-05-16', '2026-05-14', names)).rejects.toMatchObject({
        code: 'BAD_REQUEST',
        issues: [{ message: `${names?.[1] ?? 'endDate'} is before ${names?.[0] ?? 'startDate'}.` }],
      });
    }
    // The document says "created after" and "created before" of a time, and nothing of a change.
    const [first, last] = ['2026-05-15T00:00:00.000Z', '2026-05-15T23:59:59.999Z'];
    expect(await count(first, last)).toBe(0);
    expect(await count(first, last, updated)).toBe(2);
  });

  test('has pages of one to twenty, newest first, with the total count', async () => {
    const { client, url, ids, service } = await six();
    for (const limit of [1, 2, 3, 4, 5, 6, 20]) {
      const seen: unknown[] = [];
      let cursor: number | string | null | undefined;
      do {
        const page = await client.reports.list({ limit, ...(cursor != null && { cursor }) });
        expect(page.totalCount).toBe(6);
        expect(page.reports.length).toBeLessThanOrEqual(limit);
        seen.push(...page.reports.map(({ id }) => id));
        cursor = page.nextCursor;
      } while (cursor !== null);
      expect(seen).toEqual([...ids].reverse());
    }
    const all: unknown[] = [];
    for await (const { id } of client.reports.listAll()) all.push(id);
    expect(all).toEqual([...ids].reverse());
    const cursors = ['x', '-1', '', '1e5'].map((wrong) => `limit=1&cursor=${wrong}`);
    for (const query of ['', ...['0', '21', '1.5', 'x', ''].map((wrong) => `limit=${wrong}`), ...cursors]) {
      const { status } = await fetch(`${url}/organization/reports?${query}`, { headers: headersWith(service.key) });
      expect([query, status]).toEqual([query, 400]);
    }
  });

  test('continues at the right place when a report is added between two pages', async () => {
    const { client, ids, report } = await six();
    const first = await client.reports.list({ limit: 2 });
    await report('https://late.example/');
    const second = await client.reports.list({ limit: 2, cursor: first.nextCursor! });
    expect([...first.reports, ...second.reports].map(({ id }) => id)).toEqual([...ids].reverse().slice(0, 4));
    expect(second.totalCount).toBe(7);
  });
});

test("a list of reports by the document's text has 50 of 1 to 100 reports, and needs no limit", async () => {
  const service = createService({ pageLimits: 'prose' });
  onTestFinished(() => service.close());
  const headers = headersWith(service.key);
  for (let at = 0; at < 101; at++) {
    const body = JSON.stringify({ assets: [{ content: `https://n${at}.example/` }] });
    await service.fetch('http://localhost/report/create', { method: 'POST', headers, body });
  }
  const list = async (query: string) => {
    const answer = await service.fetch(`http://localhost/organization/reports${query}`, { headers });
    return [answer.status, ((await answer.json()) as { reports?: unknown[] }).reports?.length];
  };
  expect(await list('')).toEqual([200, 50]);
  expect(await list('?limit=100')).toEqual([200, 100]);
  expect(await list('?limit=101')).toEqual([400, undefined]);
  // The list that it replaced has the same page sizes, and says so in the same words.
  const { url } = await service.listen();
  const old = async (body: object, at = url, key = service.key) => {
    const init = { method: 'POST', headers: headersWith(key), body: JSON.stringify({ slug: 'example-wallet', ...body }) };
    return (await (await fetch(`${at}/public/getOrganizationReports`, init)).json()) as { reports?: unknown[]; issues?: unknown };
  };
  expect((await old({})).reports).toHaveLength(50);
  expect((await old({ limit: 100 })).reports).toHaveLength(100);
  expect((await old({ limit: 101 })).issues).toEqual([{ message: 'limit must be a whole number from 1 to 100' }]);
  const bySchema = createService();
  onTestFinished(() => bySchema.close());
  const { url: other } = await bySchema.listen();
  expect((await old({ limit: 21 }, other)).issues).toEqual([{ message: 'limit must be a whole number from 1 to 20' }]);
  const client = createClient({ baseUrl: 'http://localhost', apiKey: service.key, fetch: service.fetch, limits: 'prose' });
  onTestFinished(() => client.close());
  let count = 0;
  for await (const _ of client.reports.listAll({})) count++;
  expect(count).toBe(101);
});

describe('the list of assets', () => {
  /** Assets at the first and last millisecond of UTC days. */
  async function days() {
    const story = await begin({ data: 'empty', now: () => Date.UTC(2026, 4, 10) });
    const { client, service } = story;
    const moves = [0, dayMs - 1, 1, dayMs - 1, 1];
    for (const [at, ms] of moves.entries()) {
      await service.clock.advance(ms);
      await client.organization.assetsAdd({ assets: [{ content: `https://d${at}.example/` }] });
    }
    const found = async (filter: object) =>
      (await client.assets.list({ type: 'URL', status: 'ALLOWED', ...filter })).assets.map(({ content }) => content.slice(0, 2));
    return { ...story, found };
  }

  test('filters by whole days in UTC, by default the last one', async () => {
    const { found } = await days();
    const cases: [object, string[]][] = [
      [{ startDate: '2026-05-10', endDate: '2026-05-10' }, ['d0', 'd1']],
      [{ startDate: '2026-05-11', endDate: '2026-05-11' }, ['d2', 'd3']],
      [{ startDate: '2026-05-12', endDate: '2026-05-12' }, ['d4']],
      [{ startDate: '2026-05-10', endDate: '2026-05-12' }, ['d0', 'd1', 'd2', 'd3', 'd4']],
      [{ startDate: '2026-05-11T23:00:00+02:00' }, ['d2', 'd3', 'd4']],
      [{ startDate: '2026-05-12T01:00:00+02:00', endDate: '2026-05-11' }, ['d2', 'd3']],
      [{ startDate: '2026-05-10' }, ['d0', 'd1', 'd2', 'd3', 'd4']],
      [{ startDate: '2026-05-13', endDate: '2027-01-01' }, []],
      [{ endDate: '2026-05-10' }, ['d0', 'd1']],
      [{}, ['d2', 'd3', 'd4']],
      [{ type: 'ADDRESS', startDate: '2026-05-01' }, []],
      [{ status: 'BLOCKED', startDate: '2026-05-01' }, []],
    ];
    for (const [filter, expected] of cases) expect([filter, await found(filter)]).toEqual([filter, expected]);
  });

  test('has pages with each asset once', async () => {
    const { client } = await days();
    const all = { type: 'URL', status: 'ALLOWED', startDate: '2026-05-01' } as const;
    const seen: string[] = [];
    let next: string | undefined;
    do {
      const page = await client.assets.list({ ...all, per_page: 2, ...(next !== undefined && { next_page: next }) });
      seen.push(...page.assets.map(({ content }) => content));
      next = (page.next_page as string | null) ?? undefined;
    } while (next !== undefined);
    expect(seen).toEqual([0, 1, 2, 3, 4].map((at) => `d${at}.example`));
    expect((await client.assets.list({ ...all, next_page: null })).assets).toHaveLength(5);
  });

  test.each([
    ...['x', '', '0', '-1', '1.5', '99999999999999999999', 1].map((next_page) => ({ next_page })),
    ...[0, 10_001].map((per_page) => ({ per_page })),
    ...['yesterday', '2026-02-30'].map((startDate) => ({ startDate })),
    { startDate: '2026-05-11', endDate: '2026-05-10' },
    { status: 'GONE' },
    { type: 'url' },
  ])('rejects %j', async (filter) => {
    const { url, service } = await begin();
    const body = JSON.stringify({ type: 'URL', ...filter });
    expect((await fetch(`${url}/asset/list`, { method: 'POST', headers: headersWith(service.key), body })).status).toBe(400);
  });
});
