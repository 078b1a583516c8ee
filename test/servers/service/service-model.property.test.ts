import fc from 'fast-check';
import { type ArtifactEncoding, decodeArtifact, expressionsOf, hashOf, isPortcullisError, PrefixSet, prefixOf } from 'portcullis';
import { type Client, createClient } from 'portcullis/client';
import { createService, type Service, type Snapshot } from 'portcullis/testing';
import { expect, test } from 'vitest';
import { isDeep, propertyRuns } from '../../support/setup.js';
import { Step } from '../../support/step.js';
import { checkedFetch } from './checked-fetch.js';
import { dayMs, hourMs, startMs } from './harness.js';

/**
 * The service beside a model. After each step everything a caller can see is compared: statuses, lists and artifacts,
 * confirmations, reports with their totals, and the changelog.
 */

const organizations = ['example-wallet', 'example-exchange'] as const;
type Org = (typeof organizations)[number];
type Status = 'UNKNOWN' | 'ALLOWED' | 'BLOCKED';

/** The assets of the steps: sites, a subdomain and pages below one of them, a page on a shared host, and an address. */
const items = [
  { text: 'https://a.example/', type: 'URL', content: 'a.example' },
  { text: 'https://b.example/', type: 'URL', content: 'b.example' },
  { text: 'https://login.b.example/', type: 'URL', content: 'login.b.example' },
  { text: 'https://b.example/mint', type: 'PAGE', content: 'b.example/mint' },
  { text: 'https://b.example/mint/now', type: 'PAGE', content: 'b.example/mint/now' },
  { text: 'https://linktr.ee/example_giveaway', type: 'PAGE', content: 'linktr.ee/example_giveaway' },
  {
    text: '0x52908400098527886E0F7030069857D2E4169EE7',
    type: 'ADDRESS',
    content: '0x52908400098527886e0f7030069857d2e4169ee7',
  },
] as const;
type Item = (typeof items)[number];

/** The listed expressions of these assets. */
const expressions = new Map<string, string>(items.map(({ content, text }) => [content, expressionsOf(text)[0] ?? '']));
/** The parents of an asset, nearest first; the first one with a status decides. */
const above: Readonly<Record<string, readonly string[]>> = {
  'login.b.example': ['b.example'],
  'b.example/mint': ['b.example'],
  'b.example/mint/now': ['b.example/mint', 'b.example'],
};

const reviewsPerDay = 4;

interface ModelAsset {
  readonly id: number;
  readonly type: string;
  status: Status;
  watch: 'ENABLED' | 'DISABLED';
  owner: Org | null;
  updatedAtMs: number;
}

interface ModelProposal {
  readonly id: number;
  readonly reportId: number;
  readonly org: Org;
  readonly content: string;
  readonly wanted: Status;
  status: 'PENDING' | 'APPROVED' | 'REJECTED';
}

/** The part of the model that a snapshot restores. */
interface Data {
  assets: Map<string, ModelAsset>;
  proposals: ModelProposal[];
  members: { org: Org; content: string }[];
  /** An asset id with an e-mail address, or with an organization that asked for an unblock. */
  disputes: string[];
  reviews: { org: Org; atMs: number }[];
  changes: { content: string; from: Status; to: Status; atMs: number }[];
  list: { snapshot: string[]; recent: string[] } | null;
}

interface Model {
  data: Data;
  nowMs: number;
  saved: { data: Data; snapshot: Snapshot } | null;
  /** Ids that exist or existed since the last restore; none is used twice. */
  readonly ids: Set<number>;
}

interface Real {
  readonly service: Service;
  /** The state at the last comparison. */
  compared: string;
  /** Traffic that does not match the OpenAPI document. */
  readonly wrong: readonly string[];
  readonly clients: Readonly<Record<Org, Client>>;
  readonly encoding: ArtifactEncoding;
  /** Digests by part and content, and contents by token, of the whole run. */
  readonly tokens: Map<string, string>;
  readonly contents: Map<string, string>;
}

/** Actions change exactly the named asset. */
const find = ({ assets }: Data, { content }: Item): [string, ModelAsset] | undefined => {
  const asset = assets.get(content);
  return asset === undefined ? undefined : [content, asset];
};

/** The asset that decides: itself, or the nearest above it with a status. */
const deciding = ({ assets }: Data, content: string): string =>
  [content, ...(above[content] ?? [])].find((name) => (assets.get(name)?.status ?? 'UNKNOWN') !== 'UNKNOWN') ?? content;

/** Whether an asset, or the one that decides about it, is on an allowlist. */
const isCovered = (data: Data, content: string): boolean => {
  const by = deciding(data, content);
  return isMember(data, content) || (data.assets.get(by)?.status === 'ALLOWED' && isMember(data, by));
};

/** Whether another organization blocked the asset that decides. */
const isBlockOfOthers = (data: Data, content: string, org: Org): boolean => {
  const by = data.assets.get(deciding(data, content));
  return by?.status === 'BLOCKED' && by.owner !== org;
};

const isMember = ({ members }: Data, content: string, org?: Org): boolean =>
  members.some((one) => one.content === content && (org === undefined || one.org === org));

function ensured({ data, nowMs, ids }: Model, { content, type }: Item, id: number): ModelAsset {
  const known = data.assets.get(content);
  if (known !== undefined) {
    expect(id).toBe(known.id);
    return known;
  }
  expect(ids.has(id), `id ${id} must not be used again`).toBe(false);
  ids.add(id);
  const added: ModelAsset = { id, type, status: 'UNKNOWN', watch: 'DISABLED', owner: null, updatedAtMs: nowMs };
  data.assets.set(content, added);
  return added;
}

function becomes({ data, nowMs }: Model, content: string, to: Status, org: Org): void {
  const asset = data.assets.get(content)!;
  if (asset.status === to) return;
  data.changes.push({ content, from: asset.status, to, atMs: nowMs });
  asset.status = to;
  asset.owner = to === 'UNKNOWN' ? null : org;
  asset.updatedAtMs = nowMs;
  if (to === 'ALLOWED') asset.watch = 'DISABLED';
  const { list } = data;
  if (to === 'BLOCKED' && list !== null && ![...list.snapshot, ...list.recent].includes(content)) list.recent.push(content);
}

/** The result of a call, or the status of its rejection. */
async function outcome<T>(call: Promise<T>): Promise<T | number> {
  try {
    return await call;
  } catch (error) {
    if (isPortcullisError(error) && error.status !== undefined) return error.status;
    throw error;
  }
}

type Act = (model: Model, real: Real) => Promise<void>;

type ModelStep = Step<Model, Real>;

const step = (name: string, of: readonly unknown[], act: Act): ModelStep =>
  new Step(`${name}(${of.map(String).join(', ')})`, act, compare);

const submit = (org: Org, chosen: readonly Item[]): ModelStep =>
  step('submit', [org, ...chosen.map(({ content }) => content)], async (model, { clients }) => {
    const { submittedAssets } = await clients[org].assets.submit({ assets: chosen.map(({ text }) => text) });
    expect(submittedAssets).toHaveLength(chosen.length);
    for (const [at, item] of chosen.entries()) ensured(model, item, submittedAssets[at]!.assetId);
  });

const report = (org: Org, chosen: readonly Item[], wanted: Status): ModelStep =>
  step('report', [org, wanted, ...chosen.map(({ content }) => content)], async (model, { clients }) => {
    const { data } = model;
    const reasons = chosen.flatMap((item) => reasonAgainst(data, item, org, wanted) ?? []);
    const assets = chosen.map(({ text }) => ({ content: text, status: wanted }));
    const filing = clients[org].reports.create({ organizationSlug: org, assets });
    if (reasons.length > 0) {
      const error = await filing.then(
        () => null,
        (refused: { assets?: { errorType: string }[]; status?: number }) => refused,
      );
      expect(error?.status).toBe(422);
      expect(error?.assets?.map(({ errorType }) => errorType)).toEqual(reasons);
      return;
    }
    const { id } = await filing;
    const { reports } = await clients[org].reports.list({ slug: org, limit: 1 });
    expect(reports[0]?.id).toBe(id);
    for (const [at, item] of chosen.entries()) {
      const proposal = reports[0]!.proposals[at]!;
      ensured(model, item, proposal.asset.id);
      data.proposals.push({ id: proposal.id, reportId: id, org, content: item.content, wanted, status: 'PENDING' });
    }
  });

function reasonAgainst(data: Data, item: Item, org: Org, wanted: Status): string | null {
  const { content } = item;
  const asset = data.assets.get(content);
  if (asset === undefined && wanted !== 'BLOCKED') return 'ASSET_NOT_FOUND';
  if (asset?.status === wanted) return 'ASSET_ALREADY_CORRECT';
  if (wanted === 'BLOCKED' && isCovered(data, content)) return 'DOMAIN_NOT_ALLOWED';
  const pending = data.proposals.filter((one) => one.content === content && one.status === 'PENDING');
  if (pending.some((one) => one.org === org)) return 'REPORT_ALREADY_EXISTS';
  return pending.length > 0 ? 'ALREADY_PENDING_REVIEW' : null;
}

const decisions = {
  approve: { decision: 'APPROVE', label: 'General Phishing' },
  'approve as a mistake': { decision: 'APPROVE', label: 'False Positive' },
  reject: { decision: 'REJECT', rejectReason: 'irrelevant' },
  watchlist: { decision: 'WATCHLIST', watchlistReason: 'PARKING' },
} as const;
type Decision = keyof typeof decisions;

const review = (org: Org, number: number, latest: boolean, decision: Decision): ModelStep =>
  step('review', [org, number, latest ? 'of those that wait' : 'of all', decision], async (model, { clients }) => {
    const { data, nowMs } = model;
    const choice = latest ? data.proposals.filter(({ status }) => status === 'PENDING') : data.proposals;
    const proposal = choice[number % choice.length];
    if (proposal === undefined) return;
    const asset = data.assets.get(proposal.content)!;
    const approved = decisions[decision].decision === 'APPROVE';
    const recent = data.reviews.filter((one) => one.org === org && one.atMs > nowMs - dayMs);
    const refused =
      proposal.org !== org
        ? 404
        : proposal.status !== 'PENDING'
          ? 409
          : approved &&
              (proposal.wanted === 'BLOCKED'
                ? asset.status === 'ALLOWED' || isCovered(data, proposal.content)
                : isBlockOfOthers(data, proposal.content, org))
            ? 403
            : recent.length >= reviewsPerDay
              ? 429
              : null;
    const input = { proposalId: proposal.id, assetId: asset.id, slug: org, ...decisions[decision] };
    const answer = await outcome(clients[org].reports.proposalsReview(input));
    if (refused !== null) {
      expect(answer).toBe(refused);
      return;
    }
    data.reviews.push({ org, atMs: nowMs });
    proposal.status = approved ? 'APPROVED' : 'REJECTED';
    if (decision === 'watchlist') Object.assign(asset, { watch: 'ENABLED', updatedAtMs: nowMs });
    if (decision === 'approve') becomes(model, proposal.content, proposal.wanted, org);
    expect(answer).toMatchObject({
      proposal: { id: proposal.id, reviewStatus: proposal.status, asset: { id: asset.id, status: asset.status } },
      watchlisted: decision === 'watchlist',
    });
  });

const unblock = (org: Org, item: Item): ModelStep =>
  step('unblock', [org, item.content], async (model, { clients }) => {
    const found = find(model.data, item);
    const answer = await outcome(clients[org].assets.unblock({ content: item.text, slug: org }));
    if (found === undefined || found[1].status !== 'BLOCKED') {
      expect(answer).toBe(found === undefined ? 404 : 400);
      return;
    }
    const [content, { id, owner }] = found;
    const key = `${id} ${org}`;
    if (owner !== org && model.data.disputes.includes(key)) {
      expect(answer).toBe(400);
      return;
    }
    expect(answer).toMatchObject({ outcome: owner === org ? 'UNBLOCKED' : 'DISPUTED', assetId: id });
    if (owner === org) becomes(model, content, 'UNKNOWN', org);
    else model.data.disputes.push(key);
  });

const allow = (org: Org, chosen: readonly Item[]): ModelStep =>
  step('allow', [org, ...chosen.map(({ content }) => content)], async (model, { clients }) => {
    const { data } = model;
    const { results, successCount, errorCount } = await clients[org].organization.assetsAdd({
      assets: chosen.map(({ text }) => ({ content: text })),
    });
    expect([successCount + errorCount, results.length]).toEqual([chosen.length, chosen.length]);
    expect(results.filter(({ success }) => success)).toHaveLength(successCount);
    for (const [at, item] of chosen.entries()) {
      const isOthers = isBlockOfOthers(data, item.content, org);
      expect(results[at]?.success).toBe(!isMember(data, item.content, org) && !isOthers);
      if (!results[at]?.success) continue;
      ensured(model, item, results[at].id!);
      data.members.push({ org, content: item.content });
      becomes(model, item.content, 'ALLOWED', org);
    }
  });

const disallow = (org: Org, item: Item): ModelStep =>
  step('disallow', [org, item.content], async (model, { clients }) => {
    const { data } = model;
    const { content } = item;
    const asset = data.assets.get(content);
    const answer = await outcome(clients[org].organization.assetsRemove({ assetId: asset?.id ?? 999_999 }));
    if (!isMember(data, content, org)) {
      expect(answer).toBe(isMember(data, content) ? 403 : 404);
      return;
    }
    data.members = data.members.filter((one) => one.org !== org || one.content !== content);
    if (asset!.status === 'ALLOWED' && !isMember(data, content)) becomes(model, content, 'UNKNOWN', org);
    expect(answer).toEqual({ success: true, id: asset!.id });
  });

const dispute = (org: Org, item: Item, email: string | undefined): ModelStep =>
  step('dispute', [org, item.content, email], async ({ data }, { clients }) => {
    const found = find(data, item);
    const answer = await outcome(
      clients[org].disputes.create({ content: item.text, ...(email !== undefined && { email, description: 'It is mine.' }) }),
    );
    const key = `${found?.[1].id} ${email?.toLowerCase()}`;
    // The key of an organization has no user with an address.
    const refused = found === undefined ? 404 : email === undefined || data.disputes.includes(key) ? 400 : null;
    if (refused === null) {
      expect(answer).toMatchObject({ content: found?.[0] });
      data.disputes.push(key);
    } else expect(answer).toBe(refused);
  });

const blockedIn = ({ assets }: Data): string[] =>
  [...assets].filter(([, { status }]) => status === 'BLOCKED').map(([name]) => name);

const publish = (): ModelStep =>
  step('publish', [], async ({ data }, { service }) => {
    await service.publish();
    data.list = { snapshot: blockedIn(data), recent: [] };
  });

/** The first request for the version publishes a snapshot. */
const look = (): ModelStep =>
  step('look', [], async ({ data }, { clients }) => {
    await clients['example-wallet'].blocklist.version();
    data.list ??= { snapshot: blockedIn(data), recent: [] };
  });

const advance = (ms: number): ModelStep =>
  step('advance', [ms], async (model, { service }) => {
    await service.clock.advance(ms);
    model.nowMs += ms;
    expect(service.clock.now()).toBe(model.nowMs);
  });

const save = (): ModelStep =>
  step('save', [], async (model, { service }) => {
    model.saved = { data: structuredClone(model.data), snapshot: JSON.parse(JSON.stringify(service.snapshot())) as Snapshot };
  });

const restore = (): ModelStep =>
  step('restore', [], async (model, { service }) => {
    if (model.saved === null) return;
    await service.restore(model.saved.snapshot);
    const restored = service.snapshot();
    expect(restored.tables).toEqual(model.saved.snapshot.tables);
    expect(restored.nextId).toBe(model.saved.snapshot.nextId);
    // Later records are gone, so their ids are free again.
    for (const id of model.ids) if (id >= restored.nextId) model.ids.delete(id);
    model.data = structuredClone(model.saved.data);
  });

/** Compares everything a caller can see with the model, unless the step changed neither. */
async function compare(model: Model, real: Real): Promise<void> {
  const { data, nowMs } = model;
  const state = JSON.stringify([real.service.snapshot(), data, [...data.assets], nowMs]);
  if (state === real.compared) return expect(real.wrong).toEqual([]);
  real.compared = state;
  await compareAssets(model, real);
  await compareReports(model, real);
  await compareList(model, real);
  expect(real.wrong).toEqual([]);
}

async function compareAssets({ data, nowMs }: Model, { service, clients }: Real): Promise<void> {
  const client = clients['example-wallet'];
  const { tables } = service.snapshot();
  const slugs = new Map(tables.organizations?.map(({ id, slug }) => [id, slug]));
  const shown = tables.assets?.map(({ id, type, content, status, watchStatus, organizationId, updatedAtMs, blockedAtMs }) => {
    expect(blockedAtMs === null).toBe(status !== 'BLOCKED');
    const owner = organizationId === null ? null : slugs.get(organizationId);
    return [content, { id, type, status, watch: watchStatus, owner, updatedAtMs }];
  });
  expect(shown).toEqual([...data.assets]);

  for (const item of items) {
    const { status } = await client.assets.check({ content: item.text });
    expect(status, item.text).toBe(data.assets.get(deciding(data, item.content))?.status ?? 'UNKNOWN');
  }

  const { changes } = (await client.assets.changelog({})) as { changes: Record<string, unknown>[] };
  const expected = data.changes.map(({ content, from, to, atMs }) => {
    const { id, type } = data.assets.get(content)!;
    return { assetId: id, type, content, previousStatus: from, status: to, changedAt: new Date(atMs).toISOString() };
  });
  expect(changes).toEqual(expected.slice(-100).reverse());
  // The last change of an asset is its status; one without changes is UNKNOWN.
  for (const [content, { status }] of data.assets)
    expect(data.changes.findLast((change) => change.content === content)?.to ?? 'UNKNOWN').toBe(status);

  const range = { startDate: new Date(startMs), endDate: new Date(nowMs) };
  for (const status of ['BLOCKED', 'UNKNOWN'] as const) {
    const wanted = [...data.assets.values()].filter((asset) => asset.type === 'URL' && asset.status === status);
    const paged: number[] = [];
    for (let cursor: string | null = null; ; ) {
      const page = await client.assets.list({ type: 'URL', status, ...range, per_page: 1, next_page: cursor });
      expect(page.assets.length).toBeLessThanOrEqual(1);
      paged.push(...page.assets.map(({ id }) => id!));
      cursor = (page.next_page ?? null) as string | null;
      if (cursor === null) break;
    }
    expect(paged).toEqual(wanted.map(({ id }) => id));
  }

  for (const org of organizations) {
    const listed = await all(clients[org].organization.assetsListAll({}));
    expect(listed.map(({ content }) => content)).toEqual(
      data.members.filter((one) => one.org === org).map(({ content }) => content),
    );
  }
}

async function compareReports({ data }: Model, { clients }: Real): Promise<void> {
  for (const org of organizations) {
    const own = data.proposals.filter((proposal) => proposal.org === org);
    const ids = [...new Set(own.map(({ reportId }) => reportId))].reverse();
    const wanted = ids.map((id) => {
      const proposals = own.filter(({ reportId }) => reportId === id);
      const open = proposals.filter(({ status }) => status === 'PENDING').length;
      const status = open === 0 ? 'CLOSED' : open === proposals.length ? 'TODO' : 'IN_PROGRESS';
      return { id, status, proposals: proposals.map((one) => [one.id, one.status, data.assets.get(one.content)!.status]) };
    });
    const reports = await all(clients[org].reports.listAll({ slug: org }));
    const shown = reports.map(({ id, status, proposals }) => {
      return { id, status, proposals: proposals.map((one) => [one.id, one.reviewStatus, one.asset.status]) };
    });
    expect(shown).toEqual(wanted);
    for (const status of ['TODO', 'IN_PROGRESS', 'CLOSED'] as const) {
      const { totalCount } = await clients[org].reports.list({ slug: org, limit: 1, status });
      expect(totalCount).toBe(wanted.filter((one) => one.status === status).length);
    }
  }
}

async function compareList({ data }: Model, real: Real): Promise<void> {
  const client = real.clients['example-wallet'];
  const blocked = blockedIn(data);
  // Confirmations follow blocks and unblocks at once.
  const prefixes = [...expressions.values()].map((expression) => hexOf(prefixOf(expression)));
  const { hashes } = (await client.blocklist.confirm({ algoVersion: 'portcullis-1', prefixes })) as {
    hashes: Record<string, string[]>;
  };
  const confirmed = [...expressions].map(([content, expression]) => [
    hexOf(prefixOf(expression)),
    blocked.includes(content) ? [Buffer.from(hashOf(expression)).toString('hex')] : [],
  ]);
  expect(hashes).toEqual(Object.fromEntries(confirmed));

  if (data.list === null) return;
  const version = (await client.blocklist.version()) as unknown as Record<
    'snapshot' | 'recent',
    { token: string; count: number; url: string }
  >;
  const found = new Set<string>();
  for (const part of ['snapshot', 'recent'] as const) {
    const { token, count, url } = version[part];
    const response = await real.service.fetch(url);
    expect(response.status).toBe(200);
    const { encoding } = real;
    const set = await decodeArtifact(new Uint8Array(await response.arrayBuffer()), { encoding, count });
    const wanted = PrefixSet.from(data.list[part].map((content) => prefixOf(expressions.get(content)!)));
    const content = Buffer.from(set.toBytes()).toString('hex');
    expect(content, part).toBe(Buffer.from(wanted.toBytes()).toString('hex'));
    // A token has one content, whose digest it begins with.
    const digest = token.split('-')[0]!;
    expect(real.tokens.get(`${part} ${content}`) ?? digest).toBe(digest);
    expect(real.contents.get(token) ?? `${part} ${content}`).toBe(`${part} ${content}`);
    real.tokens.set(`${part} ${content}`, digest);
    real.contents.set(token, `${part} ${content}`);
    for (const name of blocked) if (set.has(prefixOf(expressions.get(name)!))) found.add(name);
  }
  expect([...found].sort()).toEqual([...blocked].sort());
}

async function all<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of pages) found.push(one);
  return found;
}

const hexOf = (prefix: number): string => prefix.toString(16).padStart(8, '0');

function begin(encoding: ArtifactEncoding): { model: Model; real: Real } {
  const service = createService({
    data: 'empty',
    now: () => startMs,
    encoding,
    keys: { 'key-example-exchange': ['example-exchange'] },
    limits: { reviewsPerDay },
  });
  const wrong: string[] = [];
  const clientOf = (apiKey: string): Client =>
    createClient({
      baseUrl: 'https://service.test',
      apiKey,
      retry: false,
      fetch: checkedFetch(wrong, { send: (url, init) => service.fetch(url, init), mayBeRefused: true }),
    });
  return {
    model: {
      data: { assets: new Map(), proposals: [], members: [], disputes: [], reviews: [], changes: [], list: null },
      nowMs: startMs,
      saved: null,
      ids: new Set(),
    },
    real: {
      service,
      compared: '',
      wrong,
      clients: { 'example-wallet': clientOf(service.key), 'example-exchange': clientOf('key-example-exchange') },
      encoding,
      tokens: new Map(),
      contents: new Map(),
    },
  };
}

const anyOrg = fc.constantFrom(...organizations);
const anyItem = fc.constantFrom<Item>(...items);
const someItems = fc.uniqueArray(anyItem, { minLength: 1, maxLength: 3 });
const anyDecision = fc.constantFrom<Decision>('approve', 'approve', 'approve as a mistake', 'reject', 'watchlist');
const anyWanted = fc.constantFrom<Status>('BLOCKED', 'BLOCKED', 'BLOCKED', 'ALLOWED', 'UNKNOWN');
const anyEmail = fc.constantFrom('robin@example.com', 'Robin@Example.com', undefined);

const anySteps = fc.commands(
  [
    fc.tuple(anyOrg, someItems).map((of) => submit(...of)),
    fc.tuple(anyOrg, someItems, anyWanted).map((of) => report(...of)),
    fc.tuple(anyOrg, someItems, fc.constant<Status>('BLOCKED')).map((of) => report(...of)),
    fc.tuple(anyOrg, fc.nat({ max: 7 }), fc.constant(true), anyDecision).map((of) => review(...of)),
    fc.tuple(anyOrg, fc.nat({ max: 7 }), fc.constant(true), fc.constant<Decision>('approve')).map((of) => review(...of)),
    fc.tuple(anyOrg, fc.nat({ max: 7 }), fc.boolean(), anyDecision).map((of) => review(...of)),
    fc.tuple(anyOrg, anyItem).map((of) => unblock(...of)),
    fc.tuple(anyOrg, someItems).map((of) => allow(...of)),
    fc.tuple(anyOrg, anyItem).map((of) => disallow(...of)),
    fc.tuple(anyOrg, anyItem, anyEmail).map((of) => dispute(...of)),
    fc.constant(publish()),
    fc.constant(look()),
    fc.constantFrom(1, hourMs, dayMs - 1, dayMs).map(advance),
    fc.constant(save()),
    fc.constant(restore()),
  ],
  { maxCommands: 40, size: '+1' },
);

test('any sequence of calls is answered as the model says', async () => {
  const anyEncoding = fc.constantFrom<ArtifactEncoding>('raw', 'hex', 'json', 'portcullis', 'portcullis-rice');
  await fc.assert(
    fc.asyncProperty(anySteps, anyEncoding, async (steps, encoding) => {
      const started = begin(encoding);
      try {
        await fc.asyncModelRun(() => started, steps);
      } finally {
        await started.real.service.close();
      }
    }),
    // A run compares hundreds of responses, which takes a fifth of a second.
    { numRuns: Math.ceil(propertyRuns / (isDeep ? 20 : 4)) },
  );
});

const [scam, site, login, page, below] = items;
const wallet = 'example-wallet';
const exchange = 'example-exchange';
const rejected = Array.from({ length: reviewsPerDay }, () => review(wallet, 0, true, 'reject'));
const approved = review(wallet, 0, true, 'approve');
/** Blocks an asset for one organization. */
const block = (item: Item): ModelStep[] => [report(wallet, [item], 'BLOCKED'), approved];
const blocked = block(scam);
const foreignApproved = review(exchange, 0, true, 'approve');
const again = review(wallet, 0, false, 'reject');

test.each<[string, readonly ModelStep[]]>([
  ['a report that asks to allow what others block', [...blocked, report(exchange, [scam], 'ALLOWED'), foreignApproved]],
  ['a report that asks to forget what others block', [...blocked, report(exchange, [scam], 'UNKNOWN'), foreignApproved]],
  [
    'a report that asks to allow what is below a block of others',
    [submit(exchange, [login]), ...block(site), report(exchange, [login], 'ALLOWED'), foreignApproved],
  ],
  [
    'a report of what is below an allowlisted site',
    [allow(wallet, [site]), report(wallet, [login], 'BLOCKED'), report(exchange, [page], 'BLOCKED')],
  ],
  [
    'a review of what is below a site that was allowlisted after the report',
    [report(wallet, [login], 'BLOCKED'), allow(exchange, [site]), approved],
  ],
  [
    'an allowlist entry below a block, which only the organization that blocked it may add,',
    [...block(page), allow(exchange, [below]), ...block(site), allow(exchange, [login, below]), allow(wallet, [login])],
  ],
  [
    'a page of a blocked site, which can only be unblocked or disputed by itself,',
    [...block(site), unblock(wallet, page), dispute(wallet, page, 'robin@example.com')],
  ],
  [
    'a second dispute from the same address in another case',
    [...blocked, ...['robin@example.com', 'Robin@Example.com', 'kim@example.com'].map((email) => dispute(wallet, scam, email))],
  ],
  [
    'a review of a foreign, an open and a decided proposal',
    [report(wallet, [scam], 'BLOCKED'), foreignApproved, approved, again],
  ],
  [
    'a second unblock of what others block',
    [...blocked, unblock(exchange, scam), unblock(exchange, scam), unblock(wallet, scam)],
  ],
  ['a first list after a block', [...blocked, look()]],
  ['a block, unblock and block between two snapshots', [look(), ...blocked, unblock(wallet, scam), ...blocked, publish()]],
  [
    'a limit of reviews, which is reached for a day and for one organization,',
    [
      ...[report(wallet, items.slice(1), 'BLOCKED'), report(exchange, [scam], 'BLOCKED'), ...rejected],
      ...[review(exchange, 2, true, 'approve'), advance(dayMs - 1), approved, advance(1), approved],
    ],
  ],
])('%s is answered as the model says', async (_, steps) => {
  const { model, real } = begin('raw');
  for (const step of steps) await step.run(model, real);
  await real.service.close();
});
