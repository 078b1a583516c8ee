import { type IncomingHttpHeaders, type RequestOptions, request } from 'node:http';
import { connect } from 'node:net';
import { allOperations, openApi } from 'portcullis/client';
import { createService, type Listening, type ServedService, type ServerOptions, sampleKeys } from 'portcullis/testing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { isOurs } from '../../../src/servers/http/node-server.js';
import { headersWith } from './harness.js';

interface Heard {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const key = sampleKeys.organization;
let service: ServedService;
let listening: Listening;

async function start(options: ServerOptions = {}): Promise<{ service: ServedService; url: string }> {
  const started = createService({ data: 'sample', ...options });
  onTestFinished(() => started.close());
  return { service: started, url: (await started.listen()).url };
}

beforeAll(async () => {
  service = createService();
  listening = await service.listen();
});
afterAll(() => service.close());

/** Sends exactly this: `fetch` would normalize it. */
function send(options: RequestOptions & { body?: string | Uint8Array }, url: string = listening.url): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const { body, headers, ...rest } = options;
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const all = { ...length, ...(headers as Record<string, string>) };
    const sent = request({ host: hostname, port, agent: false, headers: all, ...rest }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      answer.on('end', () => resolve({ status: answer.statusCode!, headers: answer.headers, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Sends a text as it is, and resolves to everything that comes back. */
async function sendRaw(text: string): Promise<string> {
  const socket = connect(Number(new URL(listening.url).port), '127.0.0.1');
  socket.setEncoding('utf8').write(text);
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  return answer;
}

const withKey = headersWith(key);
const post = (path: string, body: string | Uint8Array | object, headers: object = withKey) =>
  send({
    method: 'POST',
    path,
    headers: { ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
const get = (path: string, headers: object = withKey) => send({ path, headers: { ...headers } });
const bodyOf = ({ text }: Heard) => JSON.parse(text) as Record<string, never>;

const snapshotOf = async () =>
  (bodyOf(await get('/asset/blocklist/version')) as unknown as { snapshot: { url: string; token: string } }).snapshot;
/** The URL of a new attachment. */
const upload = async () =>
  (bodyOf(await post('/attachment/upload?fileName=a', 'a')) as unknown as { attachments: [{ url: string }] }).attachments[0].url;

/** The paths of all operations, including the one without a published route. */
const routeOf = ({ name, method, path }: (typeof allOperations)[number]) =>
  name === 'metricsBlockedByFirstReportSource'
    ? ['POST', '/metrics/blocked-by-first-report-source']
    : [method!, path!.replace(/\{\w+\}/g, '1')];

describe('a key', () => {
  test('is required for each operation', async () => {
    for (const row of allOperations) {
      const [method, path] = routeOf(row) as [string, string];
      const answer = await send({ method, path });
      const body = bodyOf(answer);
      expect([row.name, answer.status, body['error'] ?? body]).toEqual([
        row.name,
        401,
        {
          code: 'UNAUTHORIZED',
          message: 'Authorization not provided',
          issues: [{ message: expect.stringContaining('X-API-KEY') }],
        },
      ]);
    }
  });

  test.each([
    [{ 'x-api-key': 'wrong' }, 401],
    [{ 'x-api-key': '' }, 401],
    [{ authorization: 'Bearer wrong' }, 401],
    [{ authorization: key }, 401],
    [{ authorization: `Bearer ${key}`, 'x-api-key': 'wrong' }, 401],
    [{ authorization: 'Bearer wrong', 'x-api-key': key }, 200],
    // "Send your API key in the X-API-KEY header": a bearer token is only for the tool server.
    [{ authorization: `Bearer ${key}` }, 401],
    [{ authorization: `Bearer ${key}`, 'x-api-key': '' }, 401],
  ])('sent as %j is answered with %i, which does not repeat it', async (headers, status) => {
    const answer = await get('/validate', headers);
    expect([answer.status, answer.text.includes('wrong')]).toEqual([status, false]);
  });

  test('is not required for files and the OpenAPI document', async () => {
    for (const url of [`${listening.url}/openapi.json`, (await snapshotOf()).url, await upload()])
      expect((await fetch(url)).status).toBe(200);
  });

  test('can be set in the options, and adds its organizations if they do not exist', async () => {
    const { service: other } = await start({ keys: { 'of-two': ['example-wallet', 'new-one'], 'of-none': [] } });
    const ask = (path: string, value: string) => other.fetch(`http://localhost${path}`, { headers: { 'x-api-key': value } });
    expect(await (await ask('/validate', 'of-two')).json()).toMatchObject({
      organizations: [{ slug: 'example-wallet' }, { slug: 'new-one', name: 'New One' }],
    });
    expect((await ask('/organization/brands', 'of-two')).status).toBe(401);
    expect((await ask('/organization/brands?slug=new-one', 'of-two')).status).toBe(200);
    expect((await ask('/organization/brands?slug=example-exchange', 'of-two')).status).toBe(403);
    expect((await ask('/organization/brands', 'of-none')).status).toBe(401);
  });
});

describe('the organization', () => {
  const user = headersWith(sampleKeys.user);
  let count = 0;
  const report = (more: object) => ({ assets: [{ content: `https://org-${++count}.example/` }], ...more });

  test.each([
    [withKey, {}, 'example-wallet'],
    [withKey, { organizationSlug: 'example-wallet' }, 'example-wallet'],
    [user, { organizationSlug: 'example-exchange' }, 'example-exchange'],
    [user, { discordGuildId: '100000000000000001' }, 'example-wallet'],
    [user, { telegramGroupId: '-1000000001' }, 'example-wallet'],
    [user, {}, 401],
    [withKey, { organizationSlug: 'example-exchange' }, 403],
    [withKey, { organizationSlug: 'nobody' }, 404],
    [user, { discordGuildId: '1' }, 404],
    [user, { telegramGroupId: '1' }, 404],
    [withKey, { organizationSlug: '' }, 404],
    [withKey, { organizationSlug: '__proto__' }, 404],
    [withKey, { organizationSlug: 'constructor' }, 404],
    [withKey, { organizationSlug: 5 }, 400],
    [withKey, { slug: 'example-wallet' }, 400],
  ])('is taken from the key %j and the fields %j of a report: %s', async (headers, more, outcome) => {
    const answer = await post('/report/create', report(more), headers);
    if (typeof outcome === 'number') expect(answer.status).toBe(outcome);
    else expect(bodyOf(answer)).toMatchObject({ organization: { slug: outcome } });
  });

  const scoped = allOperations.filter(
    ({ name, scoped: of, path, upload }) => of === 'org' && path !== null && !upload && name !== 'userOrgsGet',
  );
  test('is required by each operation with a slug: 401 without one, 403 for one out of reach, 404 for an unknown one', async () => {
    for (const row of scoped.filter(({ slugAs }) => slugAs !== null)) {
      const [method, path] = routeOf(row) as [string, string];
      const ask = async (slug: string | undefined, headers: object): Promise<number> => {
        const fields = slug === undefined ? {} : { [row.slugAs!]: slug };
        const query = method === 'GET' ? `?${new URLSearchParams(fields as Record<string, string>)}` : '';
        const body = method === 'GET' ? {} : { body: JSON.stringify(fields) };
        return (await send({ method, path: path + query, headers: { ...headers }, ...body })).status;
      };
      const statuses = [await ask(undefined, user), await ask('example-exchange', withKey), await ask('nobody', user)];
      expect([row.name, ...statuses]).toEqual([row.name, 401, 403, 404]);
      // "403 where slug and key disagree", which a key of one organization and a slug of none do too.
      const disagree = await ask('nobody', withKey);
      expect([row.name, disagree]).toEqual([row.name, row.name === 'organizationAssetsList' ? 403 : 404]);
      // An empty slug is not that of another organization.
      expect([row.name, await ask('', withKey)]).toEqual([row.name, 404]);
    }
  });

  test('is that of the key for operations without a slug; a key of several is asked for what the operation takes', async () => {
    const slugless: string[] = [];
    for (const row of scoped) {
      const [method, path] = routeOf(row) as [string, string];
      const answer = await send({ method, path, headers: user });
      const [{ message }] = (bodyOf(answer) as unknown as { issues: [{ message: string }] }).issues;
      const field = /pass the slug of one as (\w+)\.$/.exec(message)?.[1] ?? null;
      expect([row.name, answer.status, field === null]).toEqual([row.name, 401, /takes no slug; use a key of one/.test(message)]);
      const slug = { [field ?? 'slug']: 'example-wallet' };
      const query = method === 'GET' ? `?${new URLSearchParams(slug)}` : '';
      const ids = row.pathInBody ? Object.fromEntries([...row.path!.matchAll(/\{(\w+)\}/g)].map(([, id]) => [id, 1])) : {};
      const body = method === 'GET' ? {} : { body: JSON.stringify({ ...ids, ...slug }) };
      const { text } = await send({ method, path: path + query, headers: { ...user }, ...body });
      // The advice can be followed: the field is known if it is named, and only then.
      expect([row.name, /slug is not a known field/i.test(text)]).toEqual([row.name, field === null]);
      if (field === null) slugless.push(row.name);
    }
    expect(slugless).toContain('threatsList');
    const { service: other } = await start({ keys: { 'of-none': [] } });
    const none = await other.fetch('http://localhost/organization/brands', { headers: { 'x-api-key': 'of-none' } });
    expect(await none.json()).toMatchObject({ issues: [{ message: expect.stringContaining('no organization') }] });
  });

  test('is not required if slugs names several', async () => {
    const answer = await get('/organization/metrics?slugs=example-wallet&slugs=example-exchange', user);
    expect(answer.status).toBe(200);
  });
});

describe('an envelope', () => {
  const codes = { 400: 'BAD_REQUEST', 403: 'FORBIDDEN', 404: 'NOT_FOUND' };
  const messages = { 400: 'Invalid input data', 403: 'Insufficient access', 404: 'Not found' };

  test.each([
    ['GET', '/organization/assets?next_page=x', 400, 'error'],
    ['GET', '/organization/assets?type=BOAT', 400, 'error'],
    ['POST', '/organization/assets', 400, 'error'],
    ['PATCH', '/organization/assets/999', 400, 'error'],
    // "DELETE carries the id in its body too": without one the body does not match the path.
    ['DELETE', '/organization/assets/999', 400, 'error'],
    ['DELETE', '/organization/assets/999', 404, 'error', { assetId: 999 }],
    ['DELETE', '/organization/asset-groups/999', 404, 'error', { groupId: 999 }],
    ['GET', '/organization/metrics?startDate=yesterday', 400, 'error'],
    ['GET', '/organization/brands?nope=1', 400, 'error'],
    // On request, only errors of an organization page are nested.
    ['POST', '/asset/check', 400, null],
    ['POST', '/report/create', 400, null],
    ['POST', '/reports/search', 400, null],
    ['GET', '/organization/reports', 400, 'error'],
    ['POST', '/organization/proposals/1/review', 400, null],
    ['GET', '/user/orgs/nobody', 404, null],
    ['GET', '/user/orgs/example-exchange', 403, null],
    ['POST', '/scan/result', 404, null],
  ] as const)(
    'answers %s %s with the status %i at the top, on request below %s',
    async (method, path, status, field, body?: object) => {
      const request = { method, path, headers: withKey, ...(body !== undefined && { body: JSON.stringify(body) }) };
      const problem = { code: codes[status], message: messages[status] };
      const answer = await send(request);
      expect(answer.status).toBe(status);
      expect(bodyOf(answer)).toMatchObject(problem);
      const nested = await send(request, (await start({ nestedErrors: true })).url);
      expect(nested.status).toBe(status);
      if (field === null) expect(bodyOf(nested)).toMatchObject(problem);
      else expect(bodyOf(nested)).toEqual({ [field]: expect.objectContaining(problem) });
    },
  );

  test('is nested for every error below /organization/ except of reviews, also for a fault and for a path that does not exist', async () => {
    const { service: other } = await start({ nestedErrors: true });
    const fields = async (method: string, path: string) =>
      Object.keys((await (await other.fetch(`http://localhost${path}`, { method, headers: withKey })).json()) as object);
    for (const kind of ['status', 'rate-limit'] as const) {
      other.faults.add({ kind, on: '/organization/', times: 3 });
      expect(await fields('GET', '/api/v2/organization/brands')).toEqual(['error']);
      expect(await fields('POST', '/organization/proposals/1/review')).toEqual(['message', 'code']);
      expect(await fields('GET', '/organization/nothing')).toEqual(['error']);
    }
    other.faults.add({ kind: 'status', on: '/validate' });
    expect(await fields('GET', '/validate')).toEqual(['message', 'code']);
    expect(await fields('PUT', '/organization/assets')).toEqual(['error']);
    expect(await fields('GET', '/organization/nothing')).toEqual(['error']);
    expect(await fields('GET', '/organization/proposals/1/review')).toEqual(['message', 'code']);
    expect(await fields('PUT', '/asset/check')).toEqual(['message', 'code']);
    expect(await fields('GET', '/nothing')).not.toContain('error');
  });

  test('names each invalid field, and repeats no value', async () => {
    const answer = await post('/report/create', {
      assets: [{ content: 5 }, { content: 'a', status: 'hunter2' }],
      title: 'x',
      hunter3: 1,
    });
    const { issues } = bodyOf(answer) as unknown as { issues: { message: string }[] };
    const all = issues.map(({ message }) => message).join('\n');
    for (const place of ['assets.0.content', 'assets.1.status', 'title', 'hunter3']) expect(all).toContain(place);
    expect(answer.text).not.toContain('hunter2');
  });
});

describe('a path', () => {
  test.each([
    ['POST', '/asset/chek', 'POST /asset/check'],
    ['GET', '/organization/report', 'GET /organization/reports'],
    ['GET', '/valid', 'GET /validate'],
    ['POST', '/v2/asset/check', 'POST /asset/check'],
    ['POST', '//asset/check', 'POST /asset/check'],
    ['POST', '/metrics/takedown-time/trends', 'POST /metrics/takedown-time/trend'],
    ['GET', '/blocklist/snapshot/0', ''],
    ['GET', '/attachments/1/0', ''],
    ['POST', `/${'a'.repeat(8_000)}`, ''],
    ['GET', '/%ff', ''],
    ['GET', '/__proto__', ''],
  ])('is a 404 with the nearest route if it does not exist: %s %.40s', async (method, path, nearest) => {
    const answer = await send({ method, path, headers: withKey });
    expect(answer.status).toBe(404);
    const issues = [{ message: expect.stringContaining(nearest) }];
    expect(bodyOf(answer)).toEqual({ code: 'NOT_FOUND', message: 'Not found', issues });
  });

  test.each([
    ['GET', '/asset/check', 'POST'],
    ['PUT', '/asset/check', 'POST'],
    ['POST', '/validate', 'GET, HEAD'],
    ['PUT', '/organization/assets', 'GET, HEAD, POST'],
    ['GET', '/organization/assets/5', 'PATCH, DELETE'],
    ['DELETE', '/openapi.json/../validate', 'GET, HEAD'],
    ['POST', '/openapi.json', 'GET, HEAD'],
    ['DELETE', '/blocklist/snapshot/0123456789abcdef-0', 'GET, HEAD'],
  ])('is a 405 with Allow if its method is not supported: %s %s', async (method, path, allow) => {
    const answer = await send({ method, path, headers: withKey });
    expect(answer.status).toBe(405);
    expect(answer.headers['allow']).toBe(allow);
    expect(bodyOf(answer)).toMatchObject({ message: expect.stringContaining(allow) });
  });

  test('may end with a slash', async () => {
    expect((await get('/validate/')).status).toBe(200);
    expect((await get('/openapi.json//', {})).status).toBe(200);
  });

  test('may have encoded parameters', async () => {
    expect((await get('/user/orgs/example%2Dwallet')).status).toBe(200);
    expect((await get('/user/orgs/example-wallet%2F..')).status).toBe(404);
    for (const name of ['__proto__', 'constructor', 'toString']) expect((await get(`/user/orgs/${name}`)).status).toBe(404);
  });

  // RFC 9110 §9.1.
  test('allows HEAD if it allows GET', async () => {
    expect((await send({ method: 'HEAD', path: '/validate', headers: withKey })).status).toBe(200);
  });

  test('allows neither TRACE nor CONNECT', async () => {
    const traced = await send({ method: 'TRACE', path: '/validate', headers: withKey });
    expect([traced.status, traced.headers['allow']]).toEqual([405, expect.stringContaining('GET, HEAD, POST')]);
    const connected = await sendRaw('CONNECT elsewhere.example:443 HTTP/1.1\r\nHost: elsewhere.example:443\r\n\r\n');
    expect(connected).toMatch(/^HTTP\/1\.1 405 [\s\S]*\r\nAllow: GET, HEAD, POST/);
  });
});

describe('a body', () => {
  test.each([
    '{"content":',
    'content=a',
    '[]',
    '[{"content":"a"}]',
    'null',
    '5',
    '"text"',
    '\u0000',
    '{"content":"a"}{}',
    `${'['.repeat(100_000)}`,
    // These bytes are not UTF-8.
    new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]),
  ])('%.20j is a 400', async (body) => {
    const answer = await post('/asset/check', body);
    expect([answer.status, bodyOf(answer)['code']]).toEqual([400, 'BAD_REQUEST']);
  });

  test('may be missing if no field is required', async () => {
    expect((await send({ method: 'POST', path: '/user/me', headers: withKey })).status).toBe(200);
    expect((await post('/healthchecks/list', '')).status).toBe(200);
  });

  test('is a 400 beyond 5 MiB, with or without a Content-Length, and the next call is answered', async () => {
    const large = `{"content":"${'x'.repeat(5 * 1024 * 1024)}"}`;
    const announced = await fetch(`${listening.url}/asset/check`, { method: 'POST', headers: withKey, body: large });
    expect([announced.status, await announced.json()]).toMatchObject([400, { code: 'BAD_REQUEST' }]);
    const chunks = new ReadableStream({
      start(controller) {
        for (let at = 0; at < 6; at++) controller.enqueue(new Uint8Array(1024 * 1024).fill(0x20));
        controller.close();
      },
    });
    const init = { method: 'POST', headers: withKey, body: chunks, duplex: 'half' };
    expect((await fetch(`${listening.url}/asset/check`, init as RequestInit)).status).toBe(400);
    expect((await get('/validate')).status).toBe(200);
  });

  test('is accepted with 4 MiB', async () => {
    const content = `https://a.example/${'x'.repeat(4 * 1024 * 1024)}`;
    expect((await post('/asset/check', { content })).status).toBe(200);
  });

  test('is a 400 if its id differs from the path', async () => {
    const { id } = bodyOf(await post('/organization/asset-groups', { name: 'Body' })) as unknown as { id: number };
    const patch = (body: object) =>
      send({ method: 'PATCH', path: `/organization/asset-groups/${id}`, headers: withKey, body: JSON.stringify(body) });
    expect((await patch({ groupId: id + 1, name: 'Other' })).status).toBe(400);
    expect((await patch({ groupId: String(id), name: 'Other' })).status).toBe(400);
    expect((await patch({ groupId: id, name: 'Other' })).status).toBe(200);
    // "groupId: equal to the path parameter, required".
    expect((await patch({ name: 'Another' })).status).toBe(400);
    for (const [method, path] of [
      ['PATCH', '/organization/assets/7'],
      ['DELETE', '/organization/assets/7'],
      ['DELETE', '/organization/asset-groups/7'],
    ] as const) {
      const answer = await send({ method, path, headers: withKey, body: JSON.stringify({ assetId: 8, groupId: 8, name: 'x' }) });
      expect([answer.status, bodyOf(answer)]).toMatchObject([400, { code: 'BAD_REQUEST' }]);
    }
    const review = { proposalId: 2, assetId: 1, decision: 'REJECT', rejectReason: 'decayed' };
    expect((await post('/organization/proposals/1/review', review)).status).toBe(400);
  });

  test('clears the description and the group of an asset, but not its name', async () => {
    const { results } = bodyOf(
      await post('/organization/assets', { assets: [{ content: 'https://named.example/', name: 'A', description: 'B' }] }),
    ) as unknown as { results: [{ id: number }] };
    const assetId = results[0].id;
    const patch = async (fields: object) => {
      const body = JSON.stringify({ assetId, ...fields });
      return bodyOf(await send({ method: 'PATCH', path: `/organization/assets/${assetId}`, headers: withKey, body }));
    };
    expect(await patch({ name: null })).toMatchObject({ issues: [{ message: 'name must be a string' }] });
    expect(await patch({ description: null, groupId: null })).toMatchObject({ name: 'A', description: null, groupId: null });
    const { summary } = allOperations.find(({ name }) => name === 'organizationAssetsUpdate')!;
    expect(summary).toContain('clears description or group');
  });

  const ids = ['abc', '1.5', '-', '1e3', '99999999999999999999', '0x1', ' 1', '%31%20'];
  test.each(ids)('does not override the malformed id %j in the path', async (id) => {
    const path = `/organization/assets/${encodeURI(id)}`;
    const body = JSON.stringify({ assetId: decodeURIComponent(id) });
    expect((await send({ method: 'DELETE', path, headers: withKey, body })).status).toBe(400);
  });
});

describe('unknown fields', () => {
  test.each([
    ['/validate?a=1', 400],
    ['/organization/asset-groups?slug=example-wallet', 400],
    ['/organization/reports?limit=1&page=2', 400],
    ['/organization/assets?constructor=1', 400],
    ['/user/orgs/example-wallet?a=1', 400],
    // These fields are repeated but are not lists.
    ['/organization/reports?limit=1&limit=2', 400],
    ['/organization/brands?slug=example-wallet&slug=nobody', 400],
    // The documents allow unknown fields in these inputs.
    ['/detection/sources?a=1', 200],
    ['/organization/metrics?future=1', 200],
  ])('change the status of a query only if its fields are fully documented: %s is a %i', async (path, status) => {
    expect((await get(path)).status).toBe(status);
  });

  test.each([
    '{"content":"https://a.example/","__proto__":{"content":"https://b.example/"}}',
    '{"__proto__":{"content":"https://a.example/"}}',
    '{"content":"https://a.example/","constructor":{"prototype":{"polluted":1}}}',
  ])('cannot change a prototype: %s', async (body) => {
    expect([200, 400]).toContain((await post('/asset/check', body)).status);
    expect(({} as Record<string, unknown>)['content']).toBeUndefined();
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  // zod skips a field with this name.
  test('are ignored if they are named __proto__', async () => {
    const answer = await post('/user/orgs', '{"__proto__":{"query":"nobody"}}');
    expect(bodyOf(answer)).toMatchObject({ organizations: [{ slug: 'example-wallet' }] });
  });

  test('are a 400 in detection filters', async () => {
    const filters = [{ property: 'color', operator: 'in', value: ['red'] }];
    expect((await post('/detection/list', { slug: 'example-wallet', filters })).status).toBe(400);
  });

  test('may have values named like Object.prototype properties', async () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const { id } = bodyOf(await post('/organization/asset-groups', { name })) as unknown as { id: number };
      expect(id).toEqual(expect.any(Number));
    }
    const { groups } = bodyOf(await get('/organization/asset-groups')) as unknown as { groups: { name: string }[] };
    expect(groups.map(({ name }) => name)).toEqual(expect.arrayContaining(['__proto__', 'constructor', 'toString']));
    expect((await get('/validate', { 'x-api-key': '__proto__' })).status).toBe(401);
    expect((await post('/metrics/breakdown', { by: 'constructor' })).status).toBe(400);
    expect((await post('/threats/list', { sorting: [{ key: 'constructor', direction: 'asc' }] })).status).toBe(400);
    expect((await post('/detection/configs/create', { source: 'constructor' })).status).toBe(400);
  });
});

describe('the host', () => {
  test('is 127.0.0.1 by default', () => {
    expect(listening.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  // Only Linux has a second loopback address.
  test.runIf(process.platform === 'linux')('is not reachable on another address by default', async () => {
    const { port } = new URL(listening.url);
    await expect(send({ path: '/openapi.json', host: '127.0.0.2', port })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  const foreign =
    'evil.example 127.0.0.1.evil.example 127.0.0.1 localhost 0.0.0.0:PORT 127.0.0.2:PORT evil.example:PORT 127.0.0.1:1';
  test.each(foreign.split(' '))('%s is rejected with 403, against DNS rebinding', async (named) => {
    const { port } = new URL(listening.url);
    const host = named.replace('PORT', port);
    for (const path of ['/validate', '/openapi.json', '/nowhere']) {
      const answer = await send({ path, headers: { ...withKey, host } });
      expect([answer.status, bodyOf(answer)['code']]).toEqual([403, 'FORBIDDEN']);
    }
    expect((await send({ method: 'OPTIONS', path: '/validate', headers: { host } })).status).toBe(403);
  });

  test.each('127.0.0.1 localhost LOCALHOST [::1]'.split(' '))('%s with the port is accepted as this machine', async (named) => {
    const host = `${named}:${new URL(listening.url).port}`;
    expect((await send({ path: '/validate', headers: { ...withKey, host } })).status).toBe(200);
  });

  // Clients omit the default port.
  test.each([
    ['127.0.0.1', 80, true],
    ['localhost', 80, true],
    ['localhost:80', 80, true],
    ['localhost', 8080, false],
    ['evil.example', 80, false],
  ])('%s is this machine at port %i: %s', (named, port, isThis) => {
    expect(isOurs(named, '127.0.0.1', port)).toBe(isThis);
  });

  test('is used for the URLs in the response', async () => {
    const host = `localhost:${new URL(listening.url).port}`;
    const answer = bodyOf(await send({ path: '/asset/blocklist/version', headers: { ...withKey, host } }));
    expect(answer).toMatchObject({ snapshot: { url: expect.stringContaining(`http://${host}/blocklist/`) } });
  });

  test('is a 403 if it is missing', async () => {
    expect(await sendRaw('GET /openapi.json HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 403 /);
  });

  test('may be anything but malformed if the service does not listen on loopback only', async () => {
    const open = await service.listen({ host: '0.0.0.0' });
    const at = `http://127.0.0.1:${new URL(open.url).port}`;
    expect((await send({ path: '/validate', headers: { ...withKey, host: 'service.example' } }, at)).status).toBe(200);
    for (const host of ['user:word@service.example', '[', 'a:99999', '%zz', 'a/b', 'a?b', 'a#b', 'a\\b', 'a b', ':1'])
      for (const where of [at, listening.url])
        expect((await send({ path: '/validate', headers: { ...withKey, host } }, where)).status, host).toBe(400);
    await open.close();
  });

  test('is ignored in the request line', async () => {
    const answer = await send({ path: 'http://evil.example/validate', headers: withKey });
    expect([200, 404]).toContain(answer.status);
    expect(answer.text).not.toContain('evil');
  });
});

describe('another origin', () => {
  test('may send a preflight without a key to any path', async () => {
    for (const path of ['/asset/check', '/organization/assets/5', '/nowhere']) {
      const answer = await send({
        method: 'OPTIONS',
        path,
        headers: {
          origin: 'https://app.example',
          'access-control-request-method': 'PATCH',
          'access-control-request-headers': 'authorization,content-type,x-api-key,x-trace',
        },
      });
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
        'access-control-allow-headers': expect.stringMatching(/\*.*authorization/i),
      });
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  test('may read every response, which browsers neither store nor sniff', async () => {
    const answers = [
      await get('/validate'),
      await get('/validate', {}),
      await get('/nowhere'),
      await send({ method: 'PUT', path: '/validate', headers: withKey }),
      await send({ path: '/validate', headers: { host: 'evil.example' } }),
      await post('/asset/details', { content: 'https://a.example/' }),
    ];
    for (const { headers } of answers)
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-expose-headers': expect.stringContaining('Deprecation'),
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'content-type': 'application/json',
      });
    expect(answers.at(-1)!.headers['deprecation']).toBeDefined();
  });
});

describe('files', () => {
  test('have the same headers for HEAD, and no body', async () => {
    for (const url of [(await snapshotOf()).url, await upload(), `${listening.url}/openapi.json`]) {
      const path = url.slice(listening.url.length);
      const [head, whole] = [await send({ method: 'HEAD', path }), await send({ path })];
      expect([head.status, head.text, whole.status]).toEqual([200, '', 200]);
      // A server may leave out what it only learns from the body (RFC 9110 §9.3.2).
      const framing = ['date', 'connection', 'transfer-encoding', 'content-length'];
      const named = ({ headers }: Heard) => Object.entries(headers).filter(([name]) => !framing.includes(name));
      expect(named(head)).toEqual(named(whole));
    }
  });

  test('contain the OpenAPI document of the package', async () => {
    expect(bodyOf(await get('/openapi.json', {}))).toEqual(JSON.parse(JSON.stringify(openApi())));
  });

  test('are immutable in the blocklist, with an ETag for each known encoding', async () => {
    const { url, token } = await snapshotOf();
    const { pathname } = new URL(url);
    const tags = new Set<string>();
    for (const encoding of ['raw', 'hex', 'json', 'portcullis', 'portcullis-rice']) {
      const { status, headers } = await send({ path: `${pathname}?encoding=${encoding}` });
      expect([status, headers['cache-control'], headers['content-type']]).toEqual([
        200,
        'public, max-age=31536000, immutable',
        'application/octet-stream',
      ]);
      tags.add(headers['etag']!);
      const again = await send({ path: `${pathname}?encoding=${encoding}`, headers: { 'if-none-match': headers['etag']! } });
      expect([again.status, again.text]).toEqual([304, '']);
    }
    expect(tags.size).toBe(5);
    const { etag } = (await get(pathname)).headers;
    for (const named of [etag!, `W/${etag}`, `"another", ${etag}`, '*']) {
      const answer = await get(pathname, { 'if-none-match': named });
      expect([named, answer.status, answer.headers['access-control-allow-origin']]).toEqual([named, 304, '*']);
    }
    expect((await get(pathname, { 'if-none-match': '"another"' })).status).toBe(200);
    for (const encoding of ['', 'gzip', 'constructor', '__proto__'])
      expect((await send({ path: `${pathname}?encoding=${encoding}` })).status).toBe(400);
    expect((await send({ path: pathname.replace(token, '0'.repeat(16)) })).status).toBe(404);
    expect((await send({ path: pathname.replace('snapshot', 'recent') })).status).toBe(404);
  });

  test('are at most ten in an upload, and must have names', async () => {
    const form = (count: number, name = 'file') => {
      const data = new FormData();
      for (let at = 0; at < count; at++) data.append(name, new Blob([`${at}`]), `f${at}.txt`);
      return data;
    };
    const uploaded = async (body: FormData | string, path = '/attachment/upload') => {
      const answer = await fetch(listening.url + path, { method: 'POST', headers: { 'x-api-key': key }, body });
      return { status: answer.status, body: (await answer.json()) as { code?: string; attachments?: { fileName: string }[] } };
    };
    expect((await uploaded(form(10))).body.attachments).toHaveLength(10);
    for (const refused of [form(11), form(1, 'other'), form(0), 'raw'])
      expect(await uploaded(refused)).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    const text = new FormData();
    text.append('file', 'no file');
    expect((await uploaded(text)).status).toBe(400);
    expect((await uploaded('raw', '/attachment/upload?fileName=')).status).toBe(400);
    expect((await uploaded('x'.repeat(4 * 1024 * 1024), '/attachment/upload?fileName=a')).status).toBe(200);
    expect((await uploaded('x'.repeat(4 * 1024 * 1024 + 1), '/attachment/upload?fileName=a')).status).toBe(400);
    const torn = await post('/attachment/upload', '--x\r\nno form', {
      ...withKey,
      'content-type': 'multipart/form-data; boundary=x',
    });
    expect([torn.status, bodyOf(torn)['code']]).toEqual([400, 'BAD_REQUEST']);
  });
});

test.each([
  ['a'.repeat(255), 200],
  ['a'.repeat(256), 400],
  ['ä'.repeat(127), 200],
  ['ä'.repeat(128), 400],
])('the name of an uploaded file has at most 255 bytes: %.3s… is a %i', async (fileName, status) => {
  expect((await post(`/attachment/upload?fileName=${encodeURIComponent(fileName)}`, 'a')).status).toBe(status);
});

describe('listening', () => {
  test('fails with the address in the error if the port is in use', async () => {
    const { port } = new URL(listening.url);
    await expect(service.listen({ port: Number(port) })).rejects.toMatchObject({
      code: 'NETWORK',
      message: expect.stringContaining(`127.0.0.1:${port}`),
      cause: { code: 'EADDRINUSE' },
    });
    expect((await get('/validate')).status).toBe(200);
  });

  test.each([-1, 65_536, 1.5, Number.NaN])('is rejected with INVALID_INPUT for port %d', async (port) => {
    await expect(service.listen({ port })).rejects.toMatchObject({ name: 'PortcullisError', code: 'INVALID_INPUT' });
  });

  test('fails on an address of another machine', async () => {
    await expect(service.listen({ host: '192.0.2.1' })).rejects.toMatchObject({ code: 'NETWORK' });
  });

  test('works on several addresses at once, with one state', async () => {
    const { service: other, url } = await start();
    const second = await other.listen({ host: 'localhost' });
    const create = (at: string) =>
      fetch(`${at}/organization/asset-groups`, { method: 'POST', headers: withKey, body: '{"name":"One"}' });
    expect([(await create(url)).status, (await create(second.url)).status]).toEqual([200, 409]);
    await Promise.all([second.close(), second.close()]);
    await second.close();
    await expect(fetch(`${second.url}/validate`)).rejects.toThrow();
    expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
  });

  test('ends with close(), even if connections are idle', async () => {
    const other = createService();
    const { url } = await other.listen();
    const { port } = new URL(url);
    const idle = connect(Number(port), '127.0.0.1');
    await new Promise((resolve) => idle.once('connect', resolve));
    expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
    const ended = new Promise((resolve) => idle.once('close', resolve));
    idle.on('error', () => {});
    await other.close();
    await ended;
    await expect(send({ path: '/openapi.json' }, url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('survives malformed requests and clients that leave early', async () => {
    const { port } = new URL(listening.url);
    for (const text of [
      'nonsense\r\n\r\n',
      'POST /asset/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{"con',
    ]) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => {});
      await new Promise((resolve) => socket.write(text, resolve));
      socket.destroy();
    }
    expect((await get('/validate')).status).toBe(200);
  });
});
