/**
 * The rules of the service's document that a program meets only with the real service if its simulation is lenient. Each test quotes its
 * rule; docs/service-document.md has all of them.
 */
import { connect } from 'node:net';
import { allOperations, createClient } from 'portcullis/client';
import { listen, type ServerOptions, type Snapshot, sampleKeys } from 'portcullis/testing';
import { expect, onTestFinished, test } from 'vitest';
import { ask, dayMs, Harness, headersWith, hourMs, recorder, start, startMs } from './harness.js';

type Started = ReturnType<typeof start>;
/** A service, and a client of it. */
function withClient(options: ServerOptions = {}) {
  const service = start(options);
  const client = createClient({ baseUrl: 'http://localhost', apiKey: service.key, fetch: service.fetch, retry: false });
  onTestFinished(() => client.close());
  return { service, client };
}

type Issues = { message: string }[];

/** Sends exactly this to the service. */
async function send(service: Started, path: string, headers: Record<string, string>, body?: string) {
  const response = await service.fetch(`http://localhost${path}`, {
    headers,
    ...(body !== undefined && { method: 'POST', body }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

test('"Every endpoint needs the key in the X-API-KEY header": no other place is read', async () => {
  const service = start();
  const { key } = service;
  const basic = `Basic ${btoa(`${key}:`)}`;
  for (const headers of [
    { authorization: `Bearer ${key}` },
    { authorization: key },
    { authorization: basic },
    { 'api-key': key },
    { cookie: `x-api-key=${key}` },
  ] as Record<string, string>[]) {
    const { status, body } = await send(service, `/validate?x-api-key=${key}`, headers);
    expect([headers, status, body['code']]).toEqual([headers, 401, 'UNAUTHORIZED']);
  }
  expect((await send(service, '/validate', { 'X-Api-Key': key })).status).toBe(200);
});

test('"The body is application/json": the same bytes with another type are a 400 that names the header', async () => {
  const service = start();
  const body = '{"content":"https://example.com/"}';
  const typed = (type: string) => send(service, '/asset/check', { 'x-api-key': service.key, 'content-type': type }, body);
  for (const type of [
    'text/plain',
    'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'text/json',
  ]) {
    const answer = await typed(type);
    const issues = [{ message: expect.stringContaining('Content-Type') }];
    expect([type, answer]).toEqual([type, { status: 400, body: { code: 'BAD_REQUEST', message: 'Invalid input data', issues } }]);
  }
  // RFC 9110 §8.3.1: names of types and parameters are case-insensitive.
  for (const type of [
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json ;charset="utf-8"',
  ])
    expect([type, (await typed(type)).status]).toEqual([type, 200]);
  // `fetch` sends a string as text/plain.
  expect((await send(service, '/asset/check', { 'x-api-key': service.key }, body)).status).toBe(400);
  expect((await send(service, '/user/me', { 'x-api-key': service.key }, '')).status).toBe(200);
});

test('every operation with a JSON body demands its content type', async () => {
  const service = start();
  const rows = allOperations.filter(({ method, upload }) => method !== null && method !== 'GET' && !upload);
  expect(rows.length).toBeGreaterThan(40);
  for (const { name, method, path } of rows) {
    const init = { method: method!, headers: { 'x-api-key': service.key, 'content-type': 'text/plain' }, body: '{}' };
    const response = await service.fetch(`http://localhost${path!.replace(/\{\w+\}/g, '1')}`, init);
    expect([name, response.status, await response.text()]).toEqual([name, 400, expect.stringContaining('Content-Type')]);
  }
});

test('"The base path is /api/v2": operations, files, faults and the OpenAPI document are found below it', async () => {
  const service = start();
  const { url } = await service.listen();
  const client = createClient({ baseUrl: `${url}/api/v2`, apiKey: service.key, retry: false });
  onTestFinished(() => client.close());
  expect((await client.assets.check({ content: 'https://scam-mint.example/' })).status).toBe('BLOCKED');
  const { attachments } = await client.attachments.upload({ file: new Uint8Array(1), fileName: 'a' });
  const { pathname } = new URL(attachments[0]!.url);
  for (const path of [pathname, `/api/v2${pathname}`, '/api/v2/openapi.json', '/openapi.json'])
    expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
  for (const path of ['/api/v2', '/api/v1/validate', '/api/validate', '/api/v2/api/v2/validate', '/api/v22/validate'])
    expect([path, (await fetch(url + path, { headers: headersWith(service.key) })).status]).toEqual([path, 404]);
  for (const on of ['/validate', '/api/v2/validate']) {
    service.faults.add({ kind: 'status', on, status: 503, times: 2 });
    for (const base of ['', '/api/v2'])
      expect((await fetch(`${url}${base}/validate`, { headers: headersWith(service.key) })).status).toBe(503);
  }
  expect(service.requests().at(-1)).toMatchObject({ url: '/api/v2/validate', operation: 'validate' });
});

test('"An error has a default message and its code": the reason is among the issues, never in the message', async () => {
  const service = start();
  const json = headersWith(service.key);
  const cases: [string, Record<string, string>, string | undefined, number, string, string][] = [
    ['/asset/check', json, '{"content":5}', 400, 'BAD_REQUEST', 'Invalid input data'],
    [
      '/asset/list',
      json,
      '{"type":"URL","startDate":"2026-02-02","endDate":"2026-02-01"}',
      400,
      'BAD_REQUEST',
      'Invalid input data',
    ],
    ['/validate', {}, undefined, 401, 'UNAUTHORIZED', 'Authorization not provided'],
    ['/validate', headersWith('wrong'), undefined, 401, 'UNAUTHORIZED', 'Authorization not provided'],
    ['/user/orgs/example-exchange', json, undefined, 403, 'FORBIDDEN', 'Insufficient access'],
    ['/user/orgs/nobody', json, undefined, 404, 'NOT_FOUND', 'Not found'],
    ['/nowhere', json, undefined, 404, 'NOT_FOUND', 'Not found'],
  ];
  for (const [path, headers, sent, status, code, message] of cases) {
    const answer = await send(service, path, headers, sent);
    expect(answer).toEqual({ status, body: { code, message, issues: [{ message: expect.stringMatching(/./) }] } });
  }
});

test('"issues names each field": a missing field is called missing, whatever its type', async () => {
  const service = start();
  const issuesOf = async (path: string, body: object) => (await ask(service, path, body)).body['issues'] as unknown as Issues;
  expect(await issuesOf('/report/create', {})).toEqual([{ message: 'assets is missing' }]);
  expect(await issuesOf('/report/create', { assets: [{}] })).toEqual([{ message: 'assets.0.content is missing' }]);
  expect(await issuesOf('/report/create', { assets: 'a' })).toEqual([{ message: 'assets must be an array' }]);
  expect(await issuesOf('/report/create', { assets: ['a'] })).toEqual([{ message: 'assets.0 must be an object' }]);
  expect(await issuesOf('/asset/check', {})).toEqual([{ message: 'content is missing' }]);
  expect(await issuesOf('/reports/search', { assetContents: null })).toEqual([{ message: 'assetContents must be an array' }]);
  // The class of the defect: no operation answers with a message of the schema library.
  for (const { name, method, path, upload } of allOperations) {
    if (method === null || method === 'GET' || upload) continue;
    const init = { method, headers: headersWith(service.key), body: '{"assets":1,"slug":[],"brandIds":{},"filters":0}' };
    const text = await (await service.fetch(`http://localhost${path!.replace(/\{\w+\}/g, '1')}`, init)).text();
    expect([name, text]).toEqual([name, expect.not.stringMatching(/Invalid input(?! data)|undefined/)]);
  }
});

test('"2 assets cannot be reported": the 422 counts them, and suggests to find and escalate an existing report', async () => {
  const service = start();
  const report = (...contents: string[]) => ask(service, '/report/create', { assets: contents.map((content) => ({ content })) });
  expect((await report('https://first.example/', 'https://second.example/')).status).toBe(200);
  const both = await report('https://first.example/', 'https://second.example/', 'https://third.example/');
  expect(both).toMatchObject({ status: 422, body: { code: 'UNPROCESSABLE_CONTENT', message: '2 assets cannot be reported' } });
  const { errors } = both.body['data'] as unknown as { errors: Record<string, string>[] };
  expect(errors.map(({ asset, errorType }) => [asset, errorType])).toEqual([
    ['https://first.example/', 'REPORT_ALREADY_EXISTS'],
    ['https://second.example/', 'REPORT_ALREADY_EXISTS'],
  ]);
  for (const { suggestion } of errors) expect(suggestion).toMatch(/find .*escalate/i);
  expect((await report('https://first.example/')).body['message']).toBe('1 asset cannot be reported');
  // Nothing is created.
  expect((await report('https://third.example/')).status).toBe(200);
});

test('"discordGuildId and telegramGroupId name the linked organization": any chat can be linked by an option', async () => {
  const chats = {
    'example-exchange': { discordGuildIds: ['424242'], telegramGroupIds: ['-100500'] },
    'new-organization': { discordGuildIds: ['7'] },
  };
  const service = start({ chats, keys: { third: ['new-organization'] } });
  let count = 0;
  const report = async (fields: object, key: string = sampleKeys.user) => {
    const assets = [{ content: `https://chat-${++count}.example/` }];
    const { status, body } = await ask(service, '/report/create', { assets, ...fields }, { key });
    return (body['organization'] as unknown as { slug: string } | undefined)?.slug ?? status;
  };
  const check = async () => {
    expect(await report({ discordGuildId: '424242' })).toBe('example-exchange');
    expect(await report({ telegramGroupId: '-100500' })).toBe('example-exchange');
    expect(await report({ discordGuildId: '7' }, 'third')).toBe('new-organization');
    expect(await report({ discordGuildId: '100000000000000001' })).toBe('example-wallet');
    expect(await report({ discordGuildId: '7' })).toBe(403);
    expect(await report({ discordGuildId: '424243' })).toBe(404);
  };
  await check();
  const { body } = await ask(service, '/user/orgs/example-exchange', undefined, { key: sampleKeys.user });
  expect(body).toMatchObject({ integrations: { discord: true, telegram: { connected: true, groupCount: 1 } } });
  // A restored state keeps the chats of the options.
  await service.restore(start().snapshot());
  await check();
  // Two names of one organization are one; names of two are refused, not one of them ignored.
  expect(await report({ organizationSlug: 'example-exchange', discordGuildId: '424242' })).toBe('example-exchange');
  expect(await report({ organizationSlug: 'example-wallet', discordGuildId: '424242' })).toBe(400);
  expect(await report({ discordGuildId: '100000000000000001', telegramGroupId: '-100500' })).toBe(400);
  expect(await report({ organizationSlug: 'nobody', discordGuildId: '424242' })).toBe(400);
});

test('"slaDueAt is when a report is due": a time for organizations with the reviewing service, else null', () => {
  const due = (h: Harness) => h.ask('organizationReportsList', { limit: 1 }).reports[0]!.slaDueAt;
  const promised = new Harness();
  promised.report(['https://due.example/']);
  expect(due(promised)).toBe(new Date(startMs + 24 * hourMs).toISOString());
  const { id, assetId } = promised.state.all('proposals')[0]!;
  promised.ask('organizationProposalsReview', { proposalId: id, assetId, decision: 'REJECT', rejectReason: 'irrelevant' });
  expect(due(promised)).toBe(new Date(startMs + 24 * hourMs).toISOString());
  const none = new Harness({ services: { ...promised.acme.services, reviewing: false } });
  none.report(['https://due.example/']);
  expect(due(none)).toBeNull();
});

test('"The queue snapshot has SLA and age buckets": both add up to the queue', async () => {
  const { body } = await ask(start(), '/operations/queues/snapshot', {});
  const { reviewing, takedowns } = body as unknown as Record<string, Record<string, never>>;
  for (const queue of [reviewing!, takedowns!['todo']!, takedowns!['inProgress']!] as Record<string, never>[])
    for (const buckets of ['ages', 'sla']) {
      const counts = (queue[buckets] as unknown as { count: number }[]).map(({ count }) => count);
      expect([buckets, counts.reduce((a, b) => a + b)]).toEqual([buckets, queue['count']]);
    }
});

// The oldest entry used to be months older than its bucket.
test.each([startMs, startMs + 200 * dayMs])('the oldest entry of a queue has the age of its bucket', async (nowMs) => {
  const { body } = await ask(start({ now: () => nowMs }), '/operations/queues/snapshot', {});
  const { takenAt, reviewing } = body as unknown as { takenAt: string; reviewing: { oldestSince: string; ages: object[] } };
  expect(takenAt).toBe(new Date(nowMs).toISOString());
  expect(reviewing.ages[0]).toEqual({ name: 'UNDER_1_DAY', count: 1 });
  const ageMs = Date.parse(takenAt) - Date.parse(reviewing.oldestSince);
  expect(ageMs).toBeGreaterThan(0);
  expect(ageMs).toBeLessThan(dayMs);
});

/** The shortest files of each kind that its readers accept as one. */
const images: readonly (readonly [string, Buffer])[] = [
  [
    'image/png',
    Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64'),
  ],
  ['image/gif', Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')],
  ['image/jpeg', Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex')],
  ['image/webp', Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64')],
];

test('files are told apart by their extension: images are served as such, and "all other files are evidence"', async () => {
  const service = start();
  const served = async (fileName: string, type: string, bytes: string | Buffer) => {
    const init = { method: 'POST', headers: { 'x-api-key': service.key, 'content-type': type }, body: bytes };
    const answer = await service.fetch(`http://localhost/attachment/upload?fileName=${fileName}`, init as RequestInit);
    const { attachments } = (await answer.json()) as { attachments: [{ url: string }] };
    const { headers } = await service.fetch(attachments[0].url);
    // A browser that trusts an extension must not run what the file has.
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain('sandbox');
    return [headers.get('content-type'), headers.get('content-disposition')];
  };
  for (const [type, bytes] of images) {
    const extension = type.replace('image/', '').replace('jpeg', 'JPG');
    const name = `shot.${extension}`;
    expect(await served(name, type, bytes)).toEqual([type, `inline; filename*=UTF-8''${name}`]);
    // Neither the declared type nor the bytes decide.
    expect(await served(name, 'text/html', '<script>alert(1)</script>')).toEqual([type, `inline; filename*=UTF-8''${name}`]);
    expect(await served('shot', type, bytes)).toEqual(['application/octet-stream', expect.stringMatching(/^attachment;/)]);
  }
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  for (const name of ['a.svg', 'a.html', 'a.png.html', 'png', 'a.pngx'])
    expect(await served(name, 'image/svg+xml', svg)).toEqual(['application/octet-stream', expect.stringMatching(/^attachment;/)]);
});

const content = 'https://new-scam.example/';
test.each([
  ['attachmentUrls.1', (url: string) => ({ assets: [{ content }], attachmentUrls: ['https://a.example/x.png', url] })],
  ['externalSubmissionLink', (url: string) => ({ assets: [{ content }], externalSubmissionLink: url })],
  ['externalReporter.avatarUrl', (url: string) => ({ assets: [{ content }], externalReporter: { avatarUrl: url } })],
  ['assets.0.screenshot.url', (url: string) => ({ assets: [{ content, screenshot: { url } }] })],
])('%s is an absolute URL of http or https', async (path, reportWith) => {
  const { client } = withClient();
  for (const url of [
    'not a url',
    'javascript:alert(1)',
    'data:text/html,x',
    '/attachments/1/2',
    'ftp://a.example/',
    '',
    'https:a',
    'https:///a.example/',
    ' https://a.example/x',
    'https://a.example/x\n',
    'https://a.exa\tmple/',
    'http://user:pw@a.example/',
    'https://user@a.example',
    'https://a b/',
    'https://[1/',
  ])
    await expect(client.reports.create(reportWith(url)), url).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      issues: [{ message: `${path} must be an absolute URL of http or https, without a user name or spaces` }],
    });
  expect(await client.reports.create(reportWith('HTTPS://files.example:8443/a@b/proof.png?x=@#y'))).toMatchObject({
    id: expect.any(Number),
  });
});

test('externalSubmissionLink and externalReporter are kept and shown, except for the platformIdentifier', async () => {
  const { client } = withClient({ data: 'empty' });
  const externalSubmissionLink = 'https://forum.example/t/1';
  const reporter = { displayName: 'Sam Finder', platform: 'forum', avatarUrl: 'https://forum.example/sam.png' };
  const externalReporter = { ...reporter, platformIdentifier: 'sam-42' };
  await client.reports.create({ assets: [{ content }], externalSubmissionLink, externalReporter });
  const { reports } = await client.reports.list({ limit: 1 });
  expect(reports).toMatchObject([{ externalSubmissionLink, externalReporter: { id: expect.any(Number), ...reporter } }]);
  expect(JSON.stringify(reports)).not.toContain('sam-42');
});

test('one organization cannot use up the room for uploads of another', async () => {
  const { client, service } = withClient({ keys: { exchange: ['example-exchange'] } });
  const other = createClient({ baseUrl: 'http://localhost', apiKey: 'exchange', fetch: service.fetch });
  onTestFinished(() => other.close());
  const file = new Blob([new Uint8Array(3_900_000)]);
  const upload = (by = client) => by.attachments.upload({ file, fileName: 'a.bin' });
  for (let count = 0; count < 3; count++) await upload();
  await expect(upload()).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    issues: [{ message: expect.stringMatching(/uploads of the organization .* 12 MB/) }],
  });
  expect((await upload(other)).attachments).toHaveLength(1);
  // States that were stored before do not say who uploaded a file.
  const kept = service.snapshot();
  const attachments = kept.tables.attachments!.map(({ organizationId: _, ...attachment }) => attachment);
  await service.restore({ ...kept, tables: { ...kept.tables, attachments } } as Snapshot);
  expect((await upload()).attachments).toHaveLength(1);
});

test('"Attachments go with a takedown under their uploaded name": those of the reports about its asset', async () => {
  const service = start();
  const upload = async (fileName: string) => {
    const init = { method: 'POST', headers: { 'x-api-key': service.key }, body: fileName };
    const answer = await service.fetch(`http://localhost/attachment/upload?fileName=${encodeURIComponent(fileName)}`, init);
    return ((await answer.json()) as { attachments: [{ url: string }] }).attachments[0].url;
  };
  const [shot, page, other] = await Promise.all(['Beweis 1 (ä).png', 'page.html', 'other.txt'].map(upload));
  const content = 'https://taken-down.example/';
  const attachmentUrls = [shot, page, shot, 'https://elsewhere.example/shot.png', `${page!.slice(0, -1)}x`];
  await ask(service, '/report/create', { assets: [{ content }], attachmentUrls });
  const { reports } = (await ask(service, '/organization/reports?limit=1')).body as never as {
    reports: [{ proposals: [{ id: number; asset: { id: number } }] }];
  };
  const [{ id, asset }] = reports[0].proposals;
  const decision = { assetId: asset.id, decision: 'APPROVE', label: 'General Phishing' };
  expect((await ask(service, `/organization/proposals/${id}/review`, decision)).status).toBe(200);
  // Neither a report about another asset nor one of another organization adds to it.
  await ask(service, '/report/create', { assets: [{ content: 'https://b.example/' }], attachmentUrls: [other] });
  const attachments = [
    { fileName: 'Beweis 1 (ä).png', url: shot },
    { fileName: 'page.html', url: page },
  ];
  expect((await ask(service, '/asset/search', { content })).body).toMatchObject({ takedown: { attachments } });
  expect((await ask(service, '/takedowns/list', {})).body).toMatchObject({ takedowns: [{ attachments }] });
});

test('evidence of another organization is not shown with a takedown', () => {
  const h = new Harness();
  const upload = { fileName: 'mine.png', type: 'image/png', bytes: '', token: '0'.repeat(32), organizationId: null };
  const { id } = h.state.add('attachments', upload);
  const attachmentUrls = [`http://localhost/attachments/${id}/${upload.token}`];
  h.ask('reportCreate', { organizationSlug: 'other', assets: [{ content: 'https://shared.example/' }], attachmentUrls }, 'other');
  h.block('https://mine.example/');
  const asset = h.asset('https://shared.example/', 'BLOCKED');
  h.state.add('takedowns', {
    organizationId: h.acme.id,
    assetId: asset.id,
    brandId: null,
    automated: true,
    createdAtMs: startMs,
    releasedAtMs: null,
  });
  expect(h.ask('takedownsList').takedowns.flatMap(({ attachments }) => attachments)).toEqual([]);
});

test('"A takedown has tasks": one for the hosting provider, which moves on with the takedown', async () => {
  const h = new Harness();
  const asset = h.block('https://task.example/');
  const task = () => h.ask('assetSearch', { assetId: asset.id }).takedown!.tasks;
  const first = { type: 'HOSTING_PROVIDER', retractionStatus: 'NOT_RETRACTED', takedownProvider: { name: 'Example Hosting' } };
  expect(task()).toMatchObject([{ ...first, status: 'TODO', submittedAt: null }]);
  await h.clock.advance(hourMs);
  expect(task()).toMatchObject([{ ...first, status: 'SUBMITTED', submittedAt: new Date(startMs + hourMs).toISOString() }]);
  await h.clock.advance(23 * hourMs);
  expect(task()).toMatchObject([{ ...first, status: 'APPROVED', lastResponseAt: new Date(startMs + 24 * hourMs).toISOString() }]);
});

test('"Reports are filtered by registrar, country, MX records and threat actor": each filter finds some and leaves some out', () => {
  const h = new Harness();
  const contents = [
    'https://a.example/',
    'https://mail.b.test/x',
    'https://drainer.net/',
    '0x52908400098527886E0F7030069857D2E4169EE7',
  ];
  const ids = contents.map((content) => h.report([content]));
  const found = (filter: object) =>
    h.ask('organizationReportsList', { limit: 20, ...filter }).reports.map(({ id }) => ids.indexOf(Number(id)));
  expect(found({ registrars: ['Example Registrar'] })).toEqual([0]);
  expect(found({ registrars: ['Test Registrar', 'Other Registrar'] })).toEqual([2, 1]);
  expect(found({ registrars: ['Nobody'] })).toEqual([]);
  expect(found({ registrars: [] })).toEqual([3, 2, 1, 0]);
  expect(found({ countryCodes: ['US'] })).toEqual([0]);
  expect(found({ countryCodes: ['de', 'SG'] })).toEqual([2, 1]);
  expect(found({ countryCodes: ['ZZ'] })).toEqual([]);
  expect(found({ hasMxRecords: true })).toEqual([1]);
  expect(found({ hasMxRecords: false })).toEqual([3, 2, 0]);
  expect(found({ threatActorIds: [1, 2] })).toEqual([2]);
  expect(found({ threatActorIds: [2] })).toEqual([]);
  expect(found({ threatActorIds: [0] })).toEqual([]);
  expect(found({ registrars: ['Other Registrar'], threatActorIds: [1], countryCodes: ['SG'], hasMxRecords: false })).toEqual([2]);
  const [first] = h.ask('organizationReportsList', { limit: 20, threatActorIds: [1] }).reports;
  expect(first!.threatActor).toEqual({ id: 1, name: 'Example Drainer' });
});

test('a takedown names the registrar that the filter finds', () => {
  const h = new Harness();
  h.block('https://a.example/');
  expect(h.ask('takedownsList').takedowns[0]).toMatchObject({
    domainRegistrar: { name: 'Example Registrar' },
    hostingProvider: { name: 'Example Hosting' },
  });
});

/** Sends a beginning of a request, and resolves to all that comes back. */
async function startOf(url: string, text: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.setEncoding('utf8').write(text);
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  return answer;
}

const head = `POST /asset/parse HTTP/1.1\r\nHost: localhost:PORT\r\nX-API-KEY: ${sampleKeys.organization}\r\nContent-Type: application/json\r\n`;

test('a body or headers that do not end are answered with 408 and lose their connection; a slow answer does not', async () => {
  const service = start();
  const { url } = await service.listen({ maxRequestMs: 100 });
  const client = createClient({ baseUrl: url, apiKey: service.key, retry: false });
  onTestFinished(() => client.close());
  service.faults.add({ kind: 'delay', on: 'assetCheck', delayMs: 300 });
  const slow = client.assets.check({ content: 'example.com' });
  const unfinished = ['Content-Length: 10\r\n\r\n{', 'Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n', ''];
  const answers = await Promise.all(unfinished.map((rest) => startOf(url, head.replace('PORT', new URL(url).port) + rest)));
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  expect((await slow).status).toBe('ALLOWED');
});

test.each([0, -1, 1.5, Number.NaN])('a maxRequestMs of %s is rejected', async (maxRequestMs) => {
  await expect(listen(async () => new Response(), { maxRequestMs })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});

test('"The watchlist drops an asset that stays UNKNOWN for 30 days, becomes ALLOWED, or is taken down"', async () => {
  const h = new Harness();
  const watch = (content: string) => {
    const id = h.report([content]);
    const proposal = h.state.all('proposals').find(({ reportId }) => reportId === id)!;
    const decision = { decision: 'WATCHLIST', watchlistReason: 'PARKING' };
    h.ask('organizationProposalsReview', { proposalId: proposal.id, assetId: proposal.assetId, ...decision });
    return proposal.assetId;
  };
  const status = (assetId: number) => h.ask('assetSearch', { assetId }).asset!.watchStatus;
  const [undecided, allowed, blocked] = ['https://u.example/', 'https://a.example/', 'https://b.example/'].map(watch) as [
    number,
    number,
    number,
  ];
  expect([undecided, allowed, blocked].map(status)).toEqual(['ENABLED', 'ENABLED', 'ENABLED']);
  h.ask('organizationAssetsAdd', { assets: [{ content: 'https://a.example/' }] });
  h.block('https://b.example/');
  expect([undecided, allowed, blocked].map(status)).toEqual(['ENABLED', 'DISABLED', 'ENABLED']);
  await h.clock.advance(24 * hourMs);
  expect([undecided, allowed, blocked].map(status)).toEqual(['ENABLED', 'DISABLED', 'DISABLED']);
  await h.clock.advance(29 * 24 * hourMs - 1);
  expect(status(undecided)).toBe('ENABLED');
  await h.clock.advance(1);
  expect(status(undecided)).toBe('DISABLED');
});

test('"Brands have colors, terms, tickers and legal documents", and organizations their portal', () => {
  const h = new Harness();
  h.brand('Acme Wallet');
  const documents = { letterOfAuthorization: { present: false }, powerOfAttorney: { present: false } };
  expect(h.ask('organizationBrands').brands).toMatchObject([
    {
      name: 'Acme Wallet',
      includedTerms: ['acme wallet'],
      excludedTerms: [],
      tickers: [],
      brandColors: [],
      legalDocuments: documents,
    },
  ]);
  const [organization] = h.ask('userOrgs').organizations;
  expect(organization).toMatchObject({
    portalVisibility: 'DISABLED',
    reportVisibility: 'PRIVATE',
    metricsVisibility: 'DISABLED',
    portalCustomization: { useCustomDetails: false, slug: null },
  });
});

test('"Global-only sources are refused, cron is for scheduled sources, config is checked against configSchema"', () => {
  const h = new Harness();
  const create = (input: object) => h.ask('detectionConfigsCreate', input) as { config: { id: number; cron: string | null } };
  expect(h.refusal('detectionConfigsCreate', { source: 'GUESTBOOK' })).toBe(400);
  expect(h.refusal('detectionConfigsCreate', { source: 'EXTERNAL', cron: '0 0 * * *' })).toBe(400);
  expect(h.refusal('detectionConfigsCreate', { source: 'CERTSTREAM', config: { terms: 'acme' } })).toBe(400);
  expect(h.refusal('detectionConfigsCreate', { source: 'CERTSTREAM', config: { terms: [1] } })).toBe(400);
  expect(create({ source: 'CERTSTREAM', config: {} }).config.cron).toBe('0 * * * *');
  const { id, cron } = create({ source: 'EXTERNAL' }).config;
  expect(cron).toBeNull();
  expect(h.refusal('detectionConfigsUpdate', { configId: id, cron: '0 0 * * *' })).toBe(400);
  expect(h.refusal('detectionConfigsUpdate', { configId: id, config: { terms: {} } })).toBe(400);
});

test('"With brandSlug threatsWatchlisted is 0"', () => {
  const h = new Harness();
  h.brand('rocket');
  expect(h.ask('organizationMetricsList').metrics.threatsWatchlisted).toBeGreaterThan(0);
  expect(h.ask('organizationMetricsList', { brandSlug: 'rocket' }).metrics.threatsWatchlisted).toBe(0);
  expect(h.ask('organizationMetricsList', { brandSlug: 'rocket', include: ['reports'] }).metrics.threatsWatchlisted).toBeNull();
});

test('"An input that cannot be read is a 200 with a code": parse-error, or internal-scheme for pages of the browser', async () => {
  const service = start();
  const check = async (content: string) => {
    const { status, body } = await ask(service, '/asset/check', { content });
    return [status, body['status'], body['code']];
  };
  expect(await check('not an asset at all')).toEqual([200, 'UNKNOWN', 'parse-error']);
  expect(await check('')).toEqual([200, 'UNKNOWN', 'parse-error']);
  expect(await check('chrome://settings')).toEqual([200, 'UNKNOWN', 'internal-scheme']);
});

test('"A scan is PENDING, IN_PROGRESS, COMPLETED or FAILED": a host that cannot be reached fails', async () => {
  const h = new Harness();
  const scan = (content: string) => (h.ask('assetScan', { content }) as { scanId: number }).scanId;
  const status = (scanId: number) => h.ask('scanResult', { scanId }) as { status: string; output: object | null };
  const [good, bad] = ['https://reached.example/', 'https://unreachable.example/x'].map(scan) as [number, number];
  expect([status(good).status, status(bad).status]).toEqual(['PENDING', 'PENDING']);
  await h.clock.advance(3_000);
  expect(status(good)).toMatchObject({ status: 'COMPLETED', output: { riskScore: 0 } });
  expect(status(bad)).toMatchObject({ status: 'FAILED', output: null });
});

test('"duplicateOfId names an earlier report": the first one about all of the same assets, of the same organization', () => {
  const h = new Harness();
  const report = (contents: string[], as: 'acme' | 'other' = 'acme') => {
    const assets = contents.map((content) => ({ content }));
    const { id } = h.ask('reportCreate', { organizationSlug: as, assets }, as);
    for (const proposal of h.state.where('proposals', 'reportId', id)) {
      const decision = { assetId: proposal.assetId, decision: 'REJECT', rejectReason: 'decayed' };
      h.ask('organizationProposalsReview', { proposalId: proposal.id, ...decision }, as);
    }
    return id;
  };
  const [a, b, c] = ['https://a.example/', 'https://b.example/', 'https://c.example/'] as const;
  const foreign = report([a], 'other');
  const both = report([a, b]);
  const [again, other, more, third] = [report([b]), report([c]), report([b, c]), report([b, a])];
  const { reports } = h.ask('organizationReportsList', { limit: 20 });
  expect(reports.map(({ id, duplicateOfId }) => [id, duplicateOfId])).toEqual([
    [third, both],
    [more, null],
    [other, null],
    [again, both],
    [both, null],
  ]);
  expect(h.ask('organizationReportsList', { limit: 20 }, 'other').reports).toMatchObject([{ id: foreign, duplicateOfId: null }]);
});

test('the callback of a scan that failed says so', async () => {
  const { sent, post } = recorder();
  const service = start({ post });
  await ask(service, '/asset/scan', { content: 'https://unreachable.example/', callbackUrl: 'https://hook.example/scan' });
  await service.clock.advance(3_000);
  expect(sent.map(({ body }) => JSON.parse(body))).toMatchObject([
    { status: 'FAILED', scan: { status: 'FAILED', output: null } },
  ]);
});

test('"The status is BLOCKED by default": a report without one asks for a block', () => {
  expect(new Harness().block('https://plain.example/').status).toBe('BLOCKED');
});

test('"Proposals show the scans of their asset"', async () => {
  const service = start();
  const content = 'https://scanned.example/';
  const { scanId } = (await ask(service, '/asset/scan', { content })).body;
  // A report starts a second one.
  await ask(service, '/report/create', { assets: [{ content }] });
  expect((await ask(service, '/organization/reports?limit=1')).body).toMatchObject({
    reports: [{ proposals: [{ asset: { content: 'scanned.example', scans: [{ id: scanId, status: 'PENDING' }, {}] } }] }],
  });
});
