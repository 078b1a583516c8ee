import {
  allOperations,
  type assets,
  attachments,
  blocklist,
  type Client,
  createClient,
  createPartialClient,
  type InputOf,
  type OperationGroups,
  type OutputOf,
  type PartialClient,
  type Proposal,
  type Report,
  type reports,
  type ServiceAsset,
  type Takedown,
  type takedowns,
  type UploadSource,
  watch,
} from 'portcullis/client';
import { describe, expect, expectTypeOf, onTestFinished, test } from 'vitest';
import { createClient as createWebClient } from '../../../src/entry/client.js';

const options = {
  baseUrl: 'https://api.example',
  apiKey: 'k',
  fetch: async () => new Response('{}'),
} as const;

/** This code is compiled but not run. */
function compiled(_calls: (client: Client) => unknown): void {}

describe('an input', () => {
  test('does not compile with a missing or an unknown field', () => {
    compiled((client) => [
      client.assets.check({ content: 'a' }),
      // @ts-expect-error content is missing
      client.assets.check({}),
      // @ts-expect-error the whole input is missing
      client.assets.check(),
      // @ts-expect-error a field that does not exist
      client.assets.check({ content: 'a', typ: 'URL' }),
      // @ts-expect-error another kind of value
      client.assets.check({ content: 5 }),
      // @ts-expect-error limit is needed for one page
      client.reports.list({}),
      // @ts-expect-error limit is needed for one page
      client.reports.list(),
      // @ts-expect-error an item without content
      client.reports.create({ assets: [{ status: 'BLOCKED' }] }),
      // @ts-expect-error an item with a field that does not exist
      client.reports.create({ assets: [{ content: 'a', contents: 'b' }] }),
      // @ts-expect-error a time is a Date or a text
      client.detections.threatsList({ startDate: 5 }),
      // @ts-expect-error an id is a number
      client.organization.assetsRemove({ assetId: '5' }),
      // @ts-expect-error only some fields can be cleared
      client.organization.assetsUpdate({ assetId: 5, name: null }),
      // @ts-expect-error known fields of a loose input are checked
      client.takedowns.list({ per_page: '5' }),
    ]);
  });

  test('has no fields for an operation without input', () => {
    type Nothing = InputOf<(typeof blocklist)['version']>;
    expectTypeOf<Record<never, never>>().toExtend<Nothing>();
    expectTypeOf<{ slug: string }>().not.toExtend<Nothing>();
    compiled((client) => [
      // @ts-expect-error it takes nothing
      client.account.validate({ nope: 1 }),
    ]);
  });

  test('does not compile with a value that is not in its list', () => {
    compiled((client) => [
      client.assets.list({ type: 'URL', status: 'ALLOWED' }),
      // @ts-expect-error not an asset type
      client.assets.list({ type: 'url' }),
      // @ts-expect-error not an asset status
      client.assets.list({ type: 'URL', status: 'GONE' }),
      // @ts-expect-error not a report status
      client.reports.list({ limit: 1, status: 'OPEN' }),
      // @ts-expect-error not a review filter
      client.reports.list({ limit: 1, reviewStatuses: ['APPROVED'] }),
      // @ts-expect-error not a decision
      client.reports.proposalsReview({ proposalId: 1, assetId: 2, decision: 'SKIP' }),
      // @ts-expect-error not a label
      client.reports.proposalsReview({ proposalId: 1, assetId: 2, decision: 'APPROVE', label: 'Phishing' }),
      // @ts-expect-error not a sort key
      client.detections.threatsList({ sorting: [{ key: 'updatedAt', direction: 'asc' }] }),
      // @ts-expect-error not a sort direction
      client.takedowns.list({ sorting: [{ key: 'updatedAt', direction: 'down' }] }),
      // @ts-expect-error not an event
      client.webhooks.config({ events: ['debug.test'] }),
    ]);
  });

  test('accepts any string if the list is known to be incomplete', () => {
    compiled((client) => [
      client.takedowns.list({ takedownStatus: ['TODO', 'NEW_ONE'] }),
      client.detections.configsCreate({ source: 'telegram_channels_search' }),
      client.detections.list({ slug: 's', filters: [{ property: 'country', operator: 'in', value: ['DE'] }] }),
    ]);
  });

  test('accepts unknown fields only if it is loose', () => {
    compiled((client) => [
      client.account.userOrgs({ anything: 1 }),
      client.takedowns.list({ anything: 1 }),
      client.metrics.found({ slug: 's', anything: 1 }),
      client.metrics.blockedByFirstReportSource({ anything: 1 }),
      // @ts-expect-error a strict input
      client.detections.threatsList({ anything: 1 }),
    ]);
  });

  test('accepts a Date or a string as a time', () => {
    type Threats = InputOf<OperationGroups['detections']['threatsList']>;
    expectTypeOf<Threats['startDate']>().toEqualTypeOf<Date | string | undefined>();
    expectTypeOf<InputOf<(typeof reports)['list']>['startDate']>().toEqualTypeOf<Date | string | undefined>();
  });

  test('does not need a slug, because the client may have one', () => {
    compiled((client) => [
      client.account.userOrgsGet(),
      client.account.userOrgsGet({ slug: 's' }),
      client.metrics.takedownTime(),
      client.metrics.takedownTimeTrend({ months: 3 }),
      client.detections.list(),
      client.deprecated.getOrganizationMetrics(),
      client.deprecated.getOrganizationReports({ limit: 5 }),
      // @ts-expect-error but a slug is a text
      client.account.userOrgsGet({ slug: 5 }),
      // @ts-expect-error and goes by the name the operation has for it
      client.assets.submit({ assets: ['a'], slug: 's' }),
      client.assets.submit({ assets: ['a'], organizationSlug: 's' }, { slug: 't' }),
    ]);
    type Metrics = InputOf<OperationGroups['deprecated']['getOrganizationMetrics']>;
    expectTypeOf<Metrics['organizationSlug']>().toEqualTypeOf<string | undefined>();
  });

  test('accepts bytes in any form for an upload', () => {
    compiled((client) => [
      client.attachments.upload({ file: new Uint8Array(1), fileName: 'a' }),
      client.attachments.upload({ files: [{ file: { path: '/a' } }, { file: new Blob([]), fileName: 'b' }] }),
      // @ts-expect-error a text is not a file
      client.attachments.upload({ file: 'a', fileName: 'a' }),
      // @ts-expect-error a path is a text
      client.attachments.upload({ file: { path: 5 } }),
    ]);
    expectTypeOf<Buffer>().toExtend<UploadSource>();
    expectTypeOf<ReadableStream<Uint8Array>>().toExtend<UploadSource>();
    expectTypeOf<AsyncGenerator<Uint8Array>>().toExtend<UploadSource>();
    expectTypeOf<DataView>().toExtend<UploadSource>();
    expectTypeOf<string>().not.toExtend<UploadSource>();
  });
});

test('the type of options rejects wrong options', () => {
  compiled((client) => [
    client.assets.check(
      { content: 'a' },
      { timeoutMs: 5, retry: false, slug: 's', signal: AbortSignal.abort(), headers: { a: 'b' } },
    ),
    // @ts-expect-error unknown option
    client.assets.check({ content: 'a' }, { timeout: 5 }),
    () => createClient({ baseUrl: 'https://relay.example' }),
    // @ts-expect-error a key must be a string or a function
    () => createClient({ baseUrl: 'https://relay.example', apiKey: undefined }),
    // @ts-expect-error the address is needed
    () => createClient({ apiKey: 'k' }),
    // @ts-expect-error pollMs is for watching
    client.assets.check({ content: 'a' }, { pollMs: 5 }),
  ]);
});

test('a response has the documented type', () => {
  expectTypeOf<OutputOf<(typeof assets)['search']>['asset']>().toBeNullable();
  compiled(async (client) => {
    const checked = await client.assets.check({ content: 'a' });
    expectTypeOf(checked.source).toExtend<string>();
    expectTypeOf(checked.message).toEqualTypeOf<string | undefined>();
    expectTypeOf<'BLOCKED'>().toExtend<typeof checked.status>();
    expectTypeOf<string>().toExtend<typeof checked.status>();
    // @ts-expect-error a field that does not exist
    checked.score;
    // Provisional: every field may be missing, and there may be others.
    expectTypeOf((await client.account.validate()).valid).toEqualTypeOf<boolean | undefined>();
    expectTypeOf((await client.webhooks.config()).secret).toEqualTypeOf<string | undefined>();
    expectTypeOf((await client.assets.scanResult()).output).toExtend<{ riskScore: number } | null | undefined>();
    expectTypeOf((await client.queues.snapshot())['anything']).toBeUnknown();
    expectTypeOf((await client.assets.changelog()).changes?.[0]?.assetId).toEqualTypeOf<number | undefined>();
    expectTypeOf((await client.disputes.create({ content: 'a' })).id).toBeString();
    expectTypeOf((await client.reports.list({ limit: 1 })).nextCursor).toEqualTypeOf<number | string | null | undefined>();
    expectTypeOf((await client.organization.assetsRemove({ assetId: 1 })).success).toBeBoolean();
    const parsed = await client.assets.parse({ content: 'a' });
    // @ts-expect-error it may be null
    parsed.type;
    expectTypeOf((await client.metrics.list()).metrics.reports).toEqualTypeOf<number | null>();
    expectTypeOf((await client.attachments.upload({ file: new Blob([]) })).attachments[0]!.sizeBytes).toBeNumber();
  });
});

test('a list of all pages yields items and does not need a page size', () => {
  compiled((client) => {
    type Report = OutputOf<(typeof reports)['list']>['reports'][number];
    expectTypeOf(client.reports.listAll()).toEqualTypeOf<AsyncGenerator<Report, void, void>>();
    expectTypeOf(client.reports.listAll({ limit: 5, status: 'TODO' })).toEqualTypeOf<AsyncGenerator<Report, void, void>>();
    type Takedown = OutputOf<(typeof takedowns)['list']>['takedowns'][number];
    expectTypeOf(client.takedowns.listAll()).toEqualTypeOf<AsyncGenerator<Takedown, void, void>>();
    return [
      client.assets.listAll({ type: 'URL', per_page: 5 }),
      client.detections.listAll(),
      client.detections.threatsListAll(),
      client.deprecated.getOrganizationReportsAll(),
      client.organization.assetsListAll(),
      // @ts-expect-error the type of the assets is needed all the same
      client.assets.listAll({}),
      // @ts-expect-error not in the value list
      client.reports.listAll({ status: 'OPEN' }),
      // @ts-expect-error no pages
      client.reports.searchAll,
      // @ts-expect-error no pages
      client.organization.brandsAll,
    ];
  });
});

test('a call by name has the types of its operation', () => {
  compiled(async (client) => {
    expectTypeOf(await client.request('assetCheck', { content: 'a' })).toEqualTypeOf<OutputOf<(typeof assets)['check']>>();
    expectTypeOf(await client.request('validate')).toEqualTypeOf<Awaited<ReturnType<Client['account']['validate']>>>();
    return [
      client.request('userOrgsGet'),
      client.request('organizationReportsList', { limit: 5 }, { slug: 's' }),
      // @ts-expect-error unknown operation
      client.request('assetChek', { content: 'a' }),
      // @ts-expect-error the name of the operation, not of the method
      client.request('check', { content: 'a' }),
      // @ts-expect-error the input is missing
      client.request('assetCheck'),
      // @ts-expect-error the input of another operation
      client.request('assetCheck', { limit: 5 }),
    ];
  });
});

test('a watch yields items of the watched type', () => {
  compiled((client) => {
    type Report = OutputOf<(typeof reports)['list']>['reports'][number];
    expectTypeOf(watch(client, 'reports')).toEqualTypeOf<AsyncGenerator<Report, void, void>>();
    expectTypeOf(watch(client, 'changelog', { type: 'URL' })).toEqualTypeOf<AsyncGenerator<unknown, void, void>>();
    return [
      watch(client, 'threats', { assetType: ['URL'] }, { pollMs: 5, since: new Date() }),
      // @ts-expect-error cannot be watched
      watch(client, 'assets'),
      // @ts-expect-error the input of another
      watch(client, 'threats', { status: 'TODO' }),
      // @ts-expect-error since is a time
      watch(client, 'threats', {}, { since: 5 }),
    ];
  });
});

describe('a partial client', () => {
  test('has its groups and no others', () => {
    const client = createPartialClient({ blocklist, attachments }, options);
    onTestFinished(() => client.close());
    expect(Object.keys(client).sort()).toEqual(['attachments', 'blocklist', 'close', 'request', 'slug']);
    type Some = PartialClient<{ blocklist: typeof blocklist; attachments: typeof attachments }>;
    expectTypeOf(client).toEqualTypeOf<Some>();
    expectTypeOf<keyof Some>().toEqualTypeOf<'attachments' | 'blocklist' | 'close' | 'request' | 'slug'>();
    const calls = (): unknown => [
      // @ts-expect-error a group it does not have
      client.assets,
      // @ts-expect-error an operation it does not have
      client.request('assetCheck', { content: 'a' }),
      // @ts-expect-error none of its operations can be watched
      watch(client, 'reports'),
      client.request('assetBlocklistVersion'),
    ];
    expect(calls).toBeTypeOf('function');
  });

  test('is a subset of the full client, whose type is the same in both entries', () => {
    expectTypeOf<Client['blocklist']>().toEqualTypeOf<PartialClient<{ blocklist: typeof blocklist }>['blocklist']>();
    expectTypeOf(createClient).toEqualTypeOf(createWebClient);
    const client = createWebClient(options);
    onTestFinished(() => client.close());
    expectTypeOf(client).toEqualTypeOf<Client>();
    expect(Object.keys(client)).toHaveLength(17);
  });
});

test('every operation can be called by a name that is known only at run time', () => {
  compiled((client) => allOperations.map(({ name }) => client.request(name, {})));
});

describe('the types of records and operations', () => {
  test('have the names that one calls', () => {
    expectTypeOf<InputOf<'reports.create'>>().toEqualTypeOf<InputOf<(typeof reports)['create']>>();
    expectTypeOf<InputOf<'reportCreate'>>().toEqualTypeOf<InputOf<'reports.create'>>();
    expectTypeOf<OutputOf<'assets.check'>>().toEqualTypeOf<OutputOf<'assetCheck'>>();
    expectTypeOf<Report>().toExtend<OutputOf<'reports.list'>['reports'][number]>();
    expectTypeOf<Proposal>().toEqualTypeOf<Report['proposals'][number]>();
    expectTypeOf<ServiceAsset['status']>().toExtend<string>();
    expectTypeOf<Takedown>().toExtend<{ id: number; asset: { content: string } }>();
    // @ts-expect-error unknown operation
    expectTypeOf<InputOf<'reports.make'>>().toBeNever();
    // @ts-expect-error unknown operation
    expectTypeOf<OutputOf<'reportMake'>>().toBeNever();
  });

  test('accept readonly lists at any depth', () => {
    const assets = [{ content: 'a', enrichments: [{ type: 'content_and_metadata' }] }] as const;
    const files: readonly { readonly file: Blob }[] = [];
    compiled((client) => [
      client.reports.create({ assets, attachmentUrls: ['a'] as const }),
      client.assets.submit({ assets: ['a'] as readonly string[] }),
      client.attachments.upload({ files }),
      client.detections.list({ filters: [{ property: 'source', operator: 'in', value: ['a'] as const }] as const }),
      client.request('assetSubmit', { assets: ['a'] as const }),
      client.reports.listAll({ reviewStatuses: ['APPROVE'] as const }),
      // @ts-expect-error not a list
      client.assets.submit({ assets: 'a' }),
    ]);
  });
});
