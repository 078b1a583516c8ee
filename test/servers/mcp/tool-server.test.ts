import { ASSET_TYPES, createBlocklist, PortcullisError } from 'portcullis';
import { createToolServer } from 'portcullis/mcp';
import { textSource } from 'portcullis/sources';
import { sampleKeys } from 'portcullis/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Answer, callEveryTool } from './every-tool.js';
import { malformed } from './malformed-messages.js';
import { address, callOf, connect, eras, post, startTools } from './tools-harness.js';

describe.each(eras)('an official client of the %s era', (era) => {
  test('calls every tool, and each answers or says what to do', async () => {
    const tools = startTools();
    const client = await connect(tools, era);
    await callEveryTool(client);
  });

  test('checks a message offline, looks up the organization and files a report', async () => {
    const tools = startTools();
    const client = await connect(tools, era);
    const before = tools.keys.length;
    const text = 'Claim at hxxps://login[.]scam-mint[.]example/a today';
    const local = (await client.callTool({ name: 'local_check_text', arguments: { text, confirm: true } })) as Answer;
    expect(local.structuredContent).toMatchObject({ action: 'block', pieces: [{ verdict: { status: 'blocked' } }] });
    const { structuredContent: mine } = (await client.callTool({ name: 'user_orgs', arguments: {} })) as Answer;
    const [{ slug }] = mine!['organizations'] as [{ slug: string }];
    // A model that writes the list as JSON in a string.
    const assets = JSON.stringify([{ content: 'https://fresh-scam.example/' }]);
    const report = (await client.callTool({
      name: 'report_create',
      arguments: { assets, organizationSlug: slug },
    })) as Answer;
    expect(report.structuredContent).toMatchObject({ id: expect.any(Number), organization: { slug } });
    expect(tools.keys.slice(before).every((key) => key === tools.service.key)).toBe(true);
  });

  test('reads every resource and gets every prompt', async () => {
    const client = await connect(startTools(), era);
    const { resources } = await client.listResources();
    for (const { uri } of resources) {
      const { contents } = await client.readResource({ uri });
      expect((contents[0] as { text: string }).text.length, uri).toBeGreaterThan(50);
    }
    const types = await client.readResource({ uri: 'portcullis://values/assetType' });
    expect(JSON.parse((types.contents[0] as { text: string }).text)).toHaveLength(ASSET_TYPES.length);
    const algorithm = await client.readResource({ uri: 'portcullis://guides/algorithm' });
    expect((algorithm.contents[0] as { text: string }).text).toContain('portcullis-1');
    await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toMatchObject({ code: -32602 });
    const { prompts } = await client.listPrompts();
    expect(prompts).toHaveLength(3);
    const { messages } = await client.getPrompt({
      name: 'trend_search',
      arguments: { topic: 'mints', organization: 'example-wallet' },
    });
    expect((messages[0]!.content as { text: string }).text).toMatch(/"mints"[\s\S]*"example-wallet"/);
    await expect(client.getPrompt({ name: 'trend_search' })).rejects.toMatchObject({ code: -32602, message: /topic is missing/ });
  });

  test('is told of an unknown tool, also one that every object has', async () => {
    const client = await connect(startTools(), era);
    for (const name of ['asset_chekc', '__proto__', 'constructor', 'toString', 'x'.repeat(10_000)]) {
      await expect(client.callTool({ name, arguments: {} }), name.slice(0, 20)).rejects.toMatchObject({ code: -32602 });
    }
    await expect(client.callTool({ name: 'asset_chekc', arguments: {} })).rejects.toThrow('did you mean asset_check?');
  });
});

test.each([
  ['a wrong type', 'asset_check', { content: 7 }, 'INVALID_INPUT'],
  ['an unknown field', 'asset_check', { content: 'example.com', more: 1 }, 'INVALID_INPUT'],
  ['nothing', 'asset_check', undefined, 'INVALID_INPUT'],
  ['a list', 'asset_check', [], undefined],
  ['an unknown field of a local tool', 'local_check', { input: 'example.com', more: 1 }, 'INVALID_INPUT'],
  ['an unknown type', 'local_check', { input: 'example.com', type: 'NONE' }, 'INVALID_INPUT'],
  ['a long input', 'local_check', { input: 'x'.repeat(10_000) }, 'INVALID_INPUT'],
  ['a long message', 'local_check_text', { text: 'http://a.example '.repeat(60_000) }, 'LIMIT_EXCEEDED'],
  ['the path of a file', 'attachment_upload', { files: [{ fileName: '/etc/passwd' }] }, 'INVALID_INPUT'],
  ['malformed base64', 'attachment_upload', { files: [{ fileName: 'a', base64: '%%%' }] }, 'INVALID_INPUT'],
  ['nothing for what cannot be undone', 'asset_unblock', {}, 'INVALID_INPUT'],
  ['a text with a list of 300,000 items', 'organization_assets_add', { assets: `[${'{},'.repeat(300_000)}{}]` }, 'INVALID_INPUT'],
  [
    'a text that nests 1,500 levels',
    'detection_configs_create',
    { config: `${'{"a":'.repeat(1_500)}1${'}'.repeat(1_500)}` },
    'INVALID_INPUT',
  ],
  [
    'more fields than any tool has',
    'user_me',
    Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [at, 1])),
    'INVALID_INPUT',
  ],
])('arguments with %s give an error that says what to do', async (_, name, given, code) => {
  const { server, service } = startTools();
  const { status, body } = await post(server, callOf(name, given), { 'x-api-key': service.key });
  if (code === undefined) {
    // The protocol itself wants an object.
    expect([status, body?.error?.code]).toEqual([200, -32602]);
    return;
  }
  expect(body?.result).toMatchObject({ isError: true, structuredContent: { code, advice: expect.any(String) } });
});

describe('credentials', () => {
  test('are asked for before a body is read, and the answer names what is accepted', async () => {
    const resourceMetadataUrl = 'https://tools.example/.well-known/oauth-protected-resource/mcp';
    const { server, keys } = startTools({ resourceMetadataUrl });
    const { status, headers, body } = await post(server, 'not even JSON', { 'x-api-key': undefined });
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${resourceMetadataUrl}"`);
    expect(body).toMatchObject({ jsonrpc: '2.0', id: null, error: { message: expect.stringMatching(/x-api-key.*Bearer/) } });
    expect(keys).toEqual([]);
  });

  test('of two requests at once never mix', async () => {
    const { server, service } = startTools();
    const calls = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? sampleKeys.user : service.key));
    const answers = await Promise.all(calls.map((key, at) => post(server, callOf('user_me', {}, at), { 'x-api-key': key })));
    for (const [at, { body }] of answers.entries()) {
      expect(body).toMatchObject({ id: at });
      const { user } = body!.result!['structuredContent'] as { user: object | null };
      expect(user === null).toBe(calls[at] === service.key);
    }
  });

  test('as a bearer token are taken for a key, or given to the verifier', async () => {
    const plain = startTools();
    const asBearer = (key: string) => ({ 'x-api-key': undefined, authorization: `Bearer ${key}` });
    expect((await post(plain.server, callOf('user_me', {}), asBearer(plain.service.key))).body?.result).toMatchObject({
      structuredContent: { organizations: expect.any(Array) },
    });
    const tokens = new Map([['good-token', plain.service.key]]);
    const { server, keys } = startTools({ verifyToken: async (token) => tokens.get(token) ?? null });
    expect((await post(server, callOf('local_status', {}), asBearer('good-token'))).status).toBe(200);
    const refused = await post(server, callOf('user_me', {}), asBearer('expired-token'));
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    expect(JSON.stringify(refused.body)).not.toContain('expired-token');
    // A token that is not valid here is not sent anywhere as a key.
    expect(keys).toEqual([plain.service.key]);
  });

  test('that the service rejects give an error without the key', async () => {
    const { server } = startTools();
    const { body } = await post(server, callOf('user_me', {}), { 'x-api-key': 'wrong-key-12345' });
    expect(body?.result).toMatchObject({ isError: true, structuredContent: { code: 'UNAUTHORIZED' } });
    expect(JSON.stringify(body)).not.toContain('wrong-key');
  });

  test('with a line break are refused', async () => {
    const { server } = startTools();
    const request = new Request(address, { method: 'POST', body: '{}', headers: { authorization: 'Bearer a b' } });
    expect((await server.fetch(request)).status).toBe(401);
  });
});

describe('where a request comes from', () => {
  test('a name that resolves to this machine is refused', async () => {
    const { server } = startTools();
    const response = await server.fetch(new Request('http://rebound.example/mcp', { method: 'POST', body: '{}' }));
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: { message: /host not allowed/ } });
  });

  test('a page is refused, unless its origin is allowed', async () => {
    const { server, service } = startTools({ origins: ['https://app.example'] });
    const key = { 'x-api-key': service.key };
    expect((await post(server, callOf('local_status', {}), { ...key, origin: 'https://evil.example' })).status).toBe(403);
    expect((await post(server, callOf('local_status', {}), { ...key, origin: 'null' })).status).toBe(403);
    expect((await post(server, callOf('local_status', {}), { ...key, origin: 'http://localhost' })).status).toBe(200);
    const allowed = await post(server, callOf('local_status', {}), { ...key, origin: 'https://app.example' });
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([200, 'https://app.example']);
    const preflight = await server.fetch(new Request(address, { method: 'OPTIONS', headers: { origin: 'https://app.example' } }));
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([204, 'POST']);
  });

  test.each(['GET', 'DELETE', 'PUT'])('%s is not supported', async (method) => {
    const { server } = startTools();
    const response = await server.fetch(new Request(address, { method }));
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  });
});

describe('uploads', () => {
  const upload = (bytes: number): string =>
    callOf('attachment_upload', { files: [{ fileName: 'proof.png', base64: Buffer.alloc(bytes, 7).toString('base64') }] });

  test('reach the 4 MiB of the API', async () => {
    const { server, service } = startTools();
    const { status, body } = await post(server, upload(4 * 1024 * 1024), { 'x-api-key': service.key });
    expect([status, body?.result?.['isError']]).toEqual([200, undefined]);
  });

  test('of more are an error of the tool that names the limit', async () => {
    const { server, service } = startTools();
    const { status, body } = await post(server, upload(5_000_000), { 'x-api-key': service.key });
    expect(status).toBe(200);
    expect(body?.result).toMatchObject({
      isError: true,
      structuredContent: { code: 'LIMIT_EXCEEDED', message: expect.stringMatching(/4 ?MB|4,?000,?000|4,?194,?304/) },
    });
  });
});

/** As the library answers. */
const statuses: Readonly<Record<number, number>> = { [-32601]: 404, [-32602]: 200 };

describe('malformed requests', () => {
  const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });

  test.each<[string, string, Record<string, string | undefined>, number]>([
    ['no JSON', 'hello', {}, 400],
    ['an empty body', '', {}, 400],
    ['a batch', `[${list},${list}]`, {}, 400],
    ['a number', '7', {}, 400],
    ['another content type', list, { 'content-type': 'text/plain' }, 415],
    ['an Accept without event streams', list, { accept: 'application/json' }, 406],
    ['an Accept that refuses everything', list, { accept: '*/*; q=0' }, 406],
    ['an unknown revision', list, { 'mcp-protocol-version': '1999-01-01' }, 400],
  ])('with %s are rejected', async (_, body, headers, status) => {
    const { server } = startTools();
    const answer = await post(server, body, headers);
    expect(answer.status).toBe(status);
    expect(answer.body?.error?.message).toEqual(expect.any(String));
  });

  test.each(['text/html, */*', '*/*', '*/*;q=0.8', 'application/*', ''])('with Accept %j get JSON', async (accept) => {
    const { server } = startTools();
    const answer = await post(server, list, { accept });
    expect([answer.status, answer.body?.result?.['tools']]).toEqual([200, expect.any(Array)]);
  });

  test('with a body over the limit are rejected, with the id where clients write it', async () => {
    const { server } = startTools({ maxBodyBytes: 2_000 });
    const params = { name: 'local_check_text', arguments: { text: 'x'.repeat(3_000) } };
    const first = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params });
    const last = JSON.stringify({ method: 'tools/call', params, jsonrpc: '2.0', id: 'a' });
    for (const [body, id] of [
      [first, 7],
      [last, 'a'],
      [last + ' '.repeat(400), null],
    ] as const) {
      const answer = await post(server, body);
      expect([answer.status, answer.body]).toEqual([
        413,
        { jsonrpc: '2.0', id, error: { code: -32600, message: expect.stringMatching(/^the message is longer than 2000 bytes/) } },
      ]);
    }
  });

  test.each(malformed)('with %s get the answer that stdio gives', async (_, body, refusal) => {
    const { server } = startTools();
    const answer = await post(server, body);
    expect([answer.status, answer.body]).toEqual([statuses[refusal.error.code] ?? 400, refusal]);
  });

  test('an unknown method is named, and a notification gets 202', async () => {
    const { server } = startTools();
    const { body } = await post(server, '{"jsonrpc":"2.0","id":1,"method":"tools/eat"}');
    expect(body?.error?.code).toBe(-32601);
    expect((await post(server, '{"jsonrpc":"2.0","method":"notifications/initialized"}')).status).toBe(202);
  });
});

describe('time', () => {
  test('a client that leaves aborts its call', async () => {
    let seen: AbortSignal | undefined;
    const client = {
      request: (_: string, __: object, { signal }: { signal: AbortSignal }) => {
        seen = signal;
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('gone'))));
      },
    };
    const { server } = startTools({ clientFor: () => client });
    const gone = new AbortController();
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'x-api-key': 'k' };
    const body = callOf('user_me', {});
    const answer = server.fetch(new Request(address, { method: 'POST', body, headers, signal: gone.signal }));
    await expect.poll(() => seen).toBeDefined();
    gone.abort();
    await expect.poll(() => seen!.aborted).toBe(true);
    await answer;
  });

  test('a call that takes too long ends with an error', async () => {
    const client = { request: () => new Promise(() => {}) };
    const { server } = startTools({ clientFor: () => client, timeoutMs: 50 });
    const started = performance.now();
    expect((await post(server, callOf('user_me', {}))).status).toBe(504);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

test('with a list alone it needs no credentials and offers only local tools', async () => {
  const blocklist = createBlocklist({ sources: [textSource({ id: 'mine', text: 'scam-mint.example' })], pollMs: 0 });
  onTestFinished(() => blocklist.close());
  const server = createToolServer({ blocklist });
  expect(server.tools.map(({ name }) => name)).toEqual(['local_check', 'local_check_text', 'local_explain', 'local_status']);
  const { body } = await post(server, callOf('local_check', { input: 'https://login.scam-mint.example/' }), {
    'x-api-key': undefined,
  });
  expect(body?.result).toMatchObject({ structuredContent: { status: 'blocked', reason: 'listed' } });
});

test('an operation whose route is not published has a tool only if the client has a route for it', () => {
  const client = { request: async () => ({}) };
  const names = (options: object): string[] => createToolServer({ client, ...options }).tools.map(({ name }) => name);
  const name = 'metrics_blocked_by_first_report_source';
  expect(names({})).not.toContain(name);
  expect(names({ paths: { metricsBlockedByFirstReportSource: 'POST /metrics/by-source' } })).toContain(name);
  expect(() => names({ tools: name })).toThrow(`the route of ${name} is not published; pass the client's in the option paths`);
  expect(() => names({ paths: { nothing: 'POST /x' } })).toThrow('names of operations');
  expect(() => names({ paths: { metricsBlockedByFirstReportSource: 'garbage' } })).toThrow("must look like 'POST /path'");
});

test('a client of one user is not used over HTTP, so its tools are not offered there', async () => {
  const server = createToolServer({ client: { request: async () => ({}) } });
  expect(server.tools).toHaveLength(64);
  const answer = async (method: string, params: object): Promise<unknown> =>
    (await post(server, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), { 'x-api-key': undefined })).body;
  expect(await answer('tools/list', {})).toMatchObject({ result: { tools: [] } });
  expect(await answer('tools/call', { name: 'user_me', arguments: {} })).toMatchObject({ error: { code: -32602 } });
});

describe('the error behind a 500', () => {
  const seen: unknown[] = [];
  const onError = (error: unknown): void => {
    seen.push(error);
    throw new Error('the hook fails as well');
  };

  test('is passed to the option onError, and not to the client', async () => {
    const { server } = startTools({
      onError,
      clientFor: () => {
        throw new Error('key-of-a-user');
      },
    });
    const { status, body } = await post(server, callOf('user_me', {}));
    expect([status, JSON.stringify(body)]).toEqual([500, expect.not.stringContaining('key-of-a-user')]);
    expect(seen.splice(0)).toMatchObject([{ message: 'key-of-a-user' }]);
  });

  test.each([
    ['rejects', () => Promise.reject(new Error('still open'))],
    [
      'throws',
      () => {
        throw new Error('still open');
      },
    ],
  ])('of a client whose close %s does not change the answer', async (_, close) => {
    const client = { request: async () => ({ id: 1 }), close };
    const { server } = startTools({ onError, clientFor: () => client });
    expect((await post(server, callOf('user_me', {}))).body?.result).toMatchObject({ structuredContent: { id: 1 } });
    expect(seen.splice(0)).toMatchObject([{ message: 'still open' }]);
  });
});

test('a long message of an error is cut', async () => {
  const error = new PortcullisError('BAD_REQUEST', 'x'.repeat(1_000_000));
  const { server } = startTools({ clientFor: () => ({ request: () => Promise.reject(error) }) });
  const { body } = await post(server, callOf('user_me', {}));
  expect(body?.result).toMatchObject({ isError: true, structuredContent: { code: 'BAD_REQUEST' } });
  expect(JSON.stringify(body).length).toBeLessThan(20_000);
});

test('the instructions name only tools that are offered', async () => {
  const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const instructionsWith = async (tools: string): Promise<string> => {
    const { body } = await post(
      startTools({ tools }).server,
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize }),
    );
    return body!.result!['instructions'] as string;
  };
  expect(await instructionsWith('')).toMatch(/local_check[\s\S]*user_orgs[\s\S]*Ask the user first/);
  expect(await instructionsWith('asset_check')).not.toMatch(/local_check|user_orgs|Ask the user/);
});

test('a private key in a message is not repeated', async () => {
  const { server, service } = startTools();
  const phrase = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
  for (const name of ['local_check', 'local_explain']) {
    const { body } = await post(server, callOf(name, { input: phrase }), { 'x-api-key': service.key });
    expect(JSON.stringify(body)).toContain('secret');
    expect(JSON.stringify(body)).not.toContain('abandon');
  }
});

test.each([
  [{ tools: 7 }, /tools must be a string or an array of strings/],
  [{ toolss: '' }, /no option toolss; did you mean tools\?/],
  [{ tools: [7] }, /tools\[0\] must be a string/],
  [{ hosts: [7] }, /hosts\[0\] must be a string/],
  [{ client: {} }, /client must be a client/],
  [{ blocklist: {} }, /blocklist must be a blocklist/],
  [null, /createToolServer: options must be an object/],
  [{ timeoutMs: 0 }, /timeoutMs must be a whole number/],
  [{ origins: ['app.example'] }, /origins\[0\] must be an origin/],
  [{ resourceMetadataUrl: 'here"' }, /resourceMetadataUrl must be a URL/],
])('the options %j are refused by name', (options, message) => {
  expect(() => createToolServer(options as object)).toThrow(message);
});
