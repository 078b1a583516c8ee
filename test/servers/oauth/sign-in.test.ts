import { createClient } from 'portcullis/client';
import { createToolServer } from 'portcullis/mcp';
import { createService, listen, type ServedService } from 'portcullis/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { getBy } from '../../../src/servers/service/delivery/targets.js';
import { serve } from '../../support/scripted-server.js';
import {
  ask,
  codeOf,
  cookieOf,
  decide,
  exchange,
  origin,
  pageOf,
  question,
  redirect,
  refresh,
  register,
  send,
  sendForm,
  sentTo,
  signIn,
  startService,
  verifier,
} from './sign-in-harness.js';

const tools = `${origin}/mcp`;
const dayMs = 86_400_000;

test('the metadata name every address under the origin of the request', async () => {
  const service = startService();
  const { json } = await send(service, '/.well-known/oauth-authorization-server');
  expect(json).toMatchObject({
    issuer: origin,
    code_challenge_methods_supported: ['S256'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  });
  for (const path of ['', '/mcp']) {
    const { json: resource, headers } = await send(service, `/.well-known/oauth-protected-resource${path}`);
    expect(resource).toMatchObject({ resource: tools, authorization_servers: [origin] });
    expect(headers.get('access-control-allow-origin')).toBe('*');
  }
});

test('without the option there is no sign-in, and on another host it needs the issuer', async () => {
  const plain = createService();
  expect((await send(plain, '/.well-known/oauth-authorization-server')).status).toBe(404);
  await plain.close();
  const there = 'https://tools.example/.well-known/oauth-authorization-server';
  expect((await send(startService(), there)).status).toBe(403);
  const named = startService({ oauth: { issuer: 'https://tools.example' } });
  expect((await send(named, '/.well-known/oauth-authorization-server')).json.issuer).toBe('https://tools.example');
});

test.each([
  [1, 'true, false or an object'],
  [{ issuer: 'http://tools.example' }, 'https'],
  [{ issuer: 'https://tools.example/' }, 'look like'],
  [{ issuer: 'https://tools.example', other: 1 }, 'other'],
])('the option %j is refused', (oauth, text) => {
  expect(() => createService({ oauth: oauth as never })).toThrow(text);
});

describe('a connection', () => {
  test('gives tokens that act as the user, for the tools only', async () => {
    const service = startService();
    const { access } = await signIn(service, { resource: `${tools}/` });
    expect(await service.verifyToken(access, tools)).toBe(service.key);
    expect(await service.verifyToken(access, origin)).toBeNull();
    expect(await service.verifyToken(`${access}x`, tools)).toBeNull();
    expect(await service.verifyToken(service.key, tools)).toBe(service.key);
    const orgs = (key: string) => send(service, '/user/orgs/example-wallet', { headers: { 'x-api-key': key } });
    expect((await orgs(access)).status).toBe(401);
    const { access: forApi } = await signIn(service, { resource: origin });
    expect((await orgs(forApi)).status).toBe((await orgs(service.key)).status);
  });

  test('gives tokens for one address, whichever header carries them', async () => {
    const service = startService();
    const { fetch } = createToolServer({
      clientFor: (apiKey) => createClient({ baseUrl: origin, apiKey, fetch: service.fetch }),
      verifyToken: service.verifyToken,
    });
    const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'user_orgs', arguments: {} } });
    const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const statusOf = async (header: Record<string, string>): Promise<number> =>
      (await fetch(new Request(tools, { method: 'POST', body: call, headers: { ...json, ...header } }))).status;
    const { access: forTools } = await signIn(service);
    const { access: forApi } = await signIn(service, { resource: origin });
    for (const [credential, status] of [
      [forTools, 200],
      [service.key, 200],
      [forApi, 401],
      ['unknown', 401],
    ] as const) {
      expect(await statusOf({ authorization: `Bearer ${credential}` })).toBe(status);
      expect(await statusOf({ 'x-api-key': credential })).toBe(status);
    }
  });

  test('gives tokens for the address of the issuer, as it is seen behind proxies that end TLS', async () => {
    const service = startService({ oauth: { issuer: 'https://tools.example' } });
    const { access } = await signIn(service);
    const { access: forApi } = await signIn(service, { resource: 'https://tools.example' });
    for (const [from, isIssuer] of [
      ['https://tools.example', true],
      // The proxy keeps the host, or replaces it by that of its own connection.
      ['http://tools.example', true],
      ['http://tools.example:4040', true],
      ['http://localhost:4040', true],
      ['http://127.0.0.1:4040', true],
      ['https://other.example', false],
      ['http://other.example', false],
      ['https://tools.example:8443', false],
      ['https://tools.example.evil.example', false],
      ['https://mcp.tools.example', false],
      ['http://10.0.0.7:4040', false],
    ] as const) {
      const key = isIssuer ? service.key : null;
      expect([from, await service.verifyToken(access, `${from}/mcp`)]).toEqual([from, key]);
      expect([from, await service.verifyToken(access, `${from}/other`)]).toEqual([from, null]);
      const headers = { 'x-api-key': forApi };
      const { status } = await send(service, `${from}/user/orgs/example-wallet`, { headers });
      expect([from, status === 401]).toEqual([from, !isIssuer]);
    }
    const local = startService();
    const { access: here } = await signIn(local);
    expect(await local.verifyToken(here, 'http://127.0.0.1:4040/mcp')).toBeNull();
  });

  test('is asked for with what is accepted, and says "invalid token" only of a token', async () => {
    const service = startService();
    const server = createToolServer({ clientFor: () => ({ request: async () => ({}) }), verifyToken: service.verifyToken });
    const refusal = async (headers: Record<string, string>) => {
      const response = await server.fetch(new Request(tools, { method: 'POST', headers }));
      const { error } = (await response.json()) as { error: { message: string } };
      return [response.status, response.headers.get('www-authenticate'), error.message];
    };
    const accepted = 'send a key or a token in the header x-api-key, or as authorization: Bearer';
    expect(await refusal({})).toEqual([401, 'Bearer', `credentials are missing; ${accepted}`]);
    expect(await refusal({ 'x-api-key': 'k\u00e9y' })).toEqual([401, 'Bearer', `the key is malformed; ${accepted}`]);
    const invalid = `the key or token is invalid or has expired; ${accepted}`;
    expect(await refusal({ 'x-api-key': 'unknown' })).toEqual([401, 'Bearer', invalid]);
    expect(await refusal({ authorization: 'Bearer unknown' })).toEqual([401, 'Bearer error="invalid_token"', invalid]);
  });

  test('is answered with the state and the issuer, also when it is denied or wrong', async () => {
    const service = startService();
    const clientId = (await register(service)).json.client_id;
    const allowed = await decide(service, await ask(service, question(clientId)));
    expect([allowed.status, sentTo(allowed)]).toEqual([303, { code: expect.any(String), state: 'xyz', iss: origin }]);
    const denied = await decide(service, await ask(service, question(clientId)), { decision: 'deny', key: '' });
    expect(sentTo(denied)).toEqual({ error: 'access_denied', state: 'xyz', iss: origin });
    for (const [change, error] of [
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ code_challenge_method: undefined }, 'invalid_request'],
      [{ code_challenge: undefined }, 'invalid_request'],
      [{ code_challenge: 'short' }, 'invalid_request'],
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
    ] as const) {
      const headers = { cookie: cookieOf(allowed) };
      const answer = await send(service, question(clientId, change), { headers });
      expect(sentTo(answer)).toMatchObject({ error, state: 'xyz', iss: origin });
    }
  });

  test('sends nothing to an address that the application did not register', async () => {
    const service = startService();
    const clientId = (await register(service)).json.client_id;
    for (const given of ['https://evil.example/', `${redirect}/more`, `${redirect}#x`, 'javascript:alert(1)']) {
      const { status, headers } = await send(service, question(clientId, { redirect_uri: given }));
      expect([given, status, headers.get('location')]).toEqual([given, 400, null]);
    }
    const { status, text } = await send(service, `${question(clientId)}&redirect_uri=https%3A%2F%2Fevil.example`);
    expect([status, text]).toEqual([400, expect.stringContaining('twice')]);
    expect((await send(service, question('unknown'))).text).toContain('not registered');
    // A program on this device may get another port each time.
    for (const other of [redirect.replace('9999', '1234'), redirect.replace(':9999', '')]) {
      expect((await send(service, question(clientId, { redirect_uri: other }))).status).toBe(200);
    }
  });

  test.each([
    redirect.replace('http', 'HTTP'),
    redirect.replace('127.0.0.1', '2130706433'),
    redirect.replace('127.0.0.1', '127.1'),
    redirect.replace('callback', '%63allback'),
    redirect.replace('callback', 'x/../callback'),
    redirect.replace('http://', 'http:'),
    redirect.replace('9999', '9999\n'),
    redirect.replace(':9999', ':9999@127.0.0.1'),
    redirect.replace('9999', '99999999'),
    `${redirect}?`,
    ` ${redirect}`,
  ])('is not sent to %j, which is another text than the registered one', async (given) => {
    const service = startService();
    const clientId = (await register(service)).json.client_id;
    expect((await send(service, question(clientId, { redirect_uri: given }))).status).toBe(400);
  });

  test.each([
    ['https://app.example/cb?x=a%20b', 'https://app.example/cb?x=a%20b&code='],
    ['https://APP.example/a/../cb', 'https://APP.example/a/../cb?code='],
    ['https://app.example/cb?', 'https://app.example/cb?code='],
  ])('is answered at %s as it was registered', async (registered, start) => {
    const service = startService();
    const clientId = (await register(service, { redirect_uris: [registered] })).json.client_id;
    const page = await ask(service, question(clientId, { redirect_uri: registered }));
    expect((await decide(service, page)).headers.get('location')?.slice(0, start.length)).toBe(start);
  });

  test('can leave out its only redirect, and then also for the code', async () => {
    const service = startService();
    const clientId: string = (await register(service)).json.client_id;
    const code = async (change: object) => sentTo(await decide(service, await ask(service, question(clientId, { ...change }))));
    const fields = { grant_type: 'authorization_code', client_id: clientId, code_verifier: verifier };
    const exchanged = async (change: object, more: object) =>
      (await sendForm(service, '/oauth/token', { ...fields, code: (await code(change))['code']!, ...more })).status;
    const without = { redirect_uri: undefined };
    expect(await exchanged(without, {})).toBe(200);
    expect(await exchanged(without, { redirect_uri: redirect })).toBe(200);
    expect(await exchanged(without, { redirect_uri: 'https://other.example/' })).toBe(400);
    expect(await exchanged({}, {})).toBe(400);
  });

  test('shows what the application says of itself as text, and cannot be framed', async () => {
    const service = startService();
    const name = '<script>alert("1")</script>\u202e\u0000 Bank';
    const clientId = (await register(service, { client_name: name, redirect_uris: ['https://xn--bcher-kva.example/x'] })).json
      .client_id;
    const page = await ask(service, question(clientId, { redirect_uri: undefined }));
    expect(page.text).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; Bank');
    expect(page.text).not.toMatch(/<script|\u202e/);
    expect(page.text).toContain('<strong>xn--bcher-kva.example</strong>');
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(page.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Lax/);
  });

  test.each([
    ['a filler of Hangul', '\u3164', 'An application without a name'],
    ['other characters without a shape', '\u115f\u2800\ufe0f\u{1d159}\u00a0', 'An application without a name'],
    ['marks alone', '\u0301\u3164\u0336', 'An application without a name'],
    ['a name with many marks', `e${'\u0301'.repeat(40)}vil`, `\u00e9${'\u0301'.repeat(6)}vil`],
    ['hidden letters in a name', 'My\u3164\u2800\u034fBank', 'My Bank'],
    ['a name of a script with several marks', 'မြို့', 'မြို့'],
  ])('shows of %s what is visible', async (_, given, shown) => {
    const service = startService();
    const { client_id, client_name } = (await register(service, { client_name: given, redirect_uris: [redirect] })).json;
    expect(client_name).toBe(shown);
    expect((await ask(service, question(client_id))).text).toContain(`>${shown}</span>`);
  });

  test('is answered once, by the browser that saw the page, and not from another page', async () => {
    const service = startService();
    const clientId = (await register(service)).json.client_id;
    const page = await ask(service, question(clientId));
    const other = await ask(service, question(clientId));
    for (const [headers, given] of [
      [{ origin: 'https://evil.example' }, page],
      [{ origin: 'null' }, page],
      [{ 'sec-fetch-site': 'cross-site' }, page],
      [{}, { ...page, cookie: '' }],
      [{}, { ...page, cookie: other.cookie }],
      [{}, { ...page, nonce: 'forged' }],
    ] as const) {
      const { status, headers: sent } = await decide(service, given, {}, headers);
      expect([status >= 400, sent.get('location')]).toEqual([true, null]);
    }
    expect((await decide(service, page)).status).toBe(303);
    expect((await decide(service, page)).text).toContain('answered or has expired');
    await service.clock.advance(700_000);
    expect((await decide(service, other)).text).toContain('answered or has expired');
  });

  test('asks again for a wrong key with another nonce, five times', async () => {
    const service = startService();
    const clientId = (await register(service)).json.client_id;
    let page = await ask(service, question(clientId));
    for (let attempt = 1; attempt < 5; attempt++) {
      const next = pageOf(await decide(service, page, { key: `wrong${attempt}` }));
      expect([next.status, next.text.includes('role="alert"'), next.text.includes(`wrong${attempt}`)]).toEqual([
        400,
        true,
        false,
      ]);
      expect(next.nonce).not.toBe(page.nonce);
      page = next;
    }
    expect(sentTo(await decide(service, page, { key: 'wrong' }))).toMatchObject({ error: 'access_denied' });
    expect((await decide(service, page)).status).toBe(400);
  });

  test('beyond the limit of wrong keys keeps the request of the user, whose right key always passes', async () => {
    const service = startService();
    const clientId = (await register(service)).json.client_id;
    const statuses: number[] = [];
    for (let request = 0; request < 3; request++) {
      let page = await ask(service, question(clientId));
      for (let attempt = 1; attempt <= 5; attempt++) {
        page = pageOf(await decide(service, page, { key: `guess ${request} ${attempt}` }));
        statuses.push(page.status);
      }
    }
    expect(statuses).toEqual([...Array(2).fill([400, 400, 400, 400, 303]).flat(), ...Array(5).fill(429)]);
    const limited = pageOf(await decide(service, await ask(service, question(clientId)), { key: 'wrong' }));
    expect([limited.status, limited.headers.get('location')]).toEqual([429, null]);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(limited.text).toMatch(/role="alert".*Too many wrong keys/);
    expect((await decide(service, limited)).status).toBe(303);
  });

  test('wrong keys from many networks stop nobody at another one, nor the right key at their own', async () => {
    const service = startService();
    const clientId = (await register(service)).json.client_id;
    const tryKey = async (address: string, key = 'wrong') =>
      (await decide(service, await ask(service, question(clientId)), { key }, {}, address)).status;
    for (let network = 0; network < 50; network++) {
      for (let guess = 0; guess < 10; guess++) expect(await tryKey(`2001:db8:0:${network}::${guess}`)).toBe(400);
    }
    // One network has many IPv6 addresses.
    expect(await tryKey('2001:db8:0:7::ffff')).toBe(429);
    expect(await tryKey('2001:db8:0:7::ffff', service.key)).toBe(303);
    expect(await tryKey('192.0.2.1')).toBe(400);
    expect(await tryKey('192.0.2.1', service.key)).toBe(303);
  });

  test('10,000 other requests do not displace one that waits', async () => {
    const service = startService();
    const clientId = (await register(service)).json.client_id;
    const page = await ask(service, question(clientId));
    for (let other = 0; other < 10_000; other++) await service.fetch(`${origin}${question(clientId)}`);
    expect((await decide(service, page)).status).toBe(303);
    expect((await decide(service, page)).text).toContain('answered or has expired');
  });

  test('is asked for only by a page that the user opens', async () => {
    const service = startService();
    const clientId = (await register(service)).json.client_id;
    for (const [from, status] of [
      ['document', 200],
      ['image', 403],
      ['iframe', 403],
      ['empty', 403],
    ] as const) {
      expect((await send(service, question(clientId), { headers: { 'sec-fetch-dest': from } })).status).toBe(status);
    }
  });

  test('takes no answer that was changed in the page', async () => {
    const service = startService();
    const clientId = (await register(service)).json.client_id;
    const page = await ask(service, question(clientId));
    for (let at = 0; at < page.nonce.length; at += 7) {
      const changed = page.nonce[at] === 'A' ? 'B' : 'A';
      const nonce = page.nonce.slice(0, at) + changed + page.nonce.slice(at + 1);
      expect((await decide(service, { ...page, nonce })).status).toBe(400);
    }
    expect((await decide(service, page)).status).toBe(303);
  });

  test('with the longest values can be answered', async () => {
    const service = startService();
    const long = `https://app.example/${"'".repeat(980)}`;
    const clientId = (await register(service, { client_name: '\u{1f600}'.repeat(80), redirect_uris: [long] })).json.client_id;
    const page = await ask(service, question(clientId, { redirect_uri: long, state: '"'.repeat(2_048) }));
    const answer = await decide(service, page);
    expect(sentTo(answer)['state']).toBe('"'.repeat(2_048));
    const headers = { cookie: cookieOf(answer) };
    // OAuth allows no other characters.
    expect((await send(service, question(clientId, { redirect_uri: long, state: 'a\nb' }), { headers })).status).toBe(303);
    const longer = await register(service, { redirect_uris: [`${long}/`] });
    expect([longer.status, longer.json.error]).toEqual([400, 'invalid_redirect_uri']);
  });

  test('two can wait in one browser', async () => {
    const service = startService();
    const clientId = (await register(service)).json.client_id;
    const one = await ask(service, question(clientId));
    const two = pageOf(await send(service, question(clientId), { headers: { cookie: one.cookie } }));
    expect(two.cookie).toBe(one.cookie);
    expect((await decide(service, one)).status).toBe(303);
    expect((await decide(service, two)).status).toBe(303);
  });
});

describe('a code', () => {
  test('works once; the second use ends the sign-in of the first', async () => {
    const service = startService();
    const { clientId, code, access } = await signIn(service);
    expect(await service.verifyToken(access, tools)).toBe(service.key);
    expect((await exchange(service, code, clientId)).json.error).toBe('invalid_grant');
    expect(await service.verifyToken(access, tools)).toBeNull();
  });

  test('that was used ends the sign-in only for what could have used it, until ten minutes later', async () => {
    const service = startService();
    const { clientId, code, access } = await signIn(service);
    const other = (await register(service)).json.client_id;
    for (const [id, change, error] of [
      ['nobody', {}, 'invalid_grant'],
      [other, {}, 'invalid_grant'],
      [clientId, { code_verifier: 'w'.repeat(43) }, 'invalid_grant'],
      [clientId, { redirect_uri: 'http://127.0.0.1:1/callback' }, 'invalid_grant'],
      [clientId, { resource: 'https://other.example' }, 'invalid_target'],
    ] as const) {
      expect((await exchange(service, code, id, change)).json.error).toBe(error);
      expect(await service.verifyToken(access, tools)).toBe(service.key);
    }
    await service.clock.advance(599_000);
    expect((await exchange(service, code, clientId)).json.error_description).toContain('used before');
    expect(await service.verifyToken(access, tools)).toBeNull();
  });

  test('needs its verifier, application, redirect and resource, and ends after a minute', async () => {
    const service = startService();
    const { clientId, code } = await codeOf(service);
    const other = (await register(service)).json.client_id;
    for (const [id, change, error] of [
      [clientId, { code_verifier: 'w'.repeat(43) }, 'invalid_grant'],
      [clientId, { code_verifier: 'short' }, 'invalid_grant'],
      [clientId, { redirect_uri: 'http://127.0.0.1:1/callback' }, 'invalid_grant'],
      [clientId, { resource: 'https://other.example' }, 'invalid_target'],
      [clientId, { grant_type: 'password' }, 'unsupported_grant_type'],
      [other, {}, 'invalid_grant'],
    ] as const) {
      const { status, json, headers } = await exchange(service, code, id, change);
      expect([status, json.error, headers.get('cache-control')]).toEqual([400, error, 'no-store']);
    }
    expect((await exchange(service, code, clientId)).status).toBe(200);
    const late = await codeOf(service);
    await service.clock.advance(60_000);
    expect((await exchange(service, late.code, late.clientId)).json.error).toBe('invalid_grant');
  });
});

describe('codes of one key', () => {
  test('displace none of another', async () => {
    const service = startService({ keys: { other: ['example-wallet'] } });
    const clientId = (await register(service)).json.client_id;
    const codeFor = async (key: string) =>
      sentTo(await decide(service, await ask(service, question(clientId)), { key }))['code']!;
    const [others, first] = [await codeFor('other'), await codeFor(service.key)];
    for (let more = 1; more < 100; more++) await codeFor(service.key);
    const last = await codeFor(service.key);
    expect((await exchange(service, first, clientId)).json.error).toBe('invalid_grant');
    for (const code of [others, last]) expect((await exchange(service, code, clientId)).status).toBe(200);
  });
});

describe('tokens', () => {
  test('are renewed, and a refresh token that comes back ends the sign-in', async () => {
    const service = startService();
    const { clientId, access, refreshToken } = await signIn(service);
    const { json } = await refresh(service, refreshToken, clientId);
    // A call that is under way keeps its token.
    for (const token of [access, json.access_token]) expect(await service.verifyToken(token, tools)).toBe(service.key);
    expect((await refresh(service, json.refresh_token, 'other')).json.error).toBe('invalid_grant');
    await service.clock.advance(10_000);
    expect((await refresh(service, refreshToken, clientId)).json.error_description).toContain('used before');
    expect((await refresh(service, json.refresh_token, clientId)).json.error).toBe('invalid_grant');
    expect(await service.verifyToken(json.access_token, tools)).toBeNull();
  });

  test('are the same for two refreshes at once, and the sign-in goes on', async () => {
    const service = startService();
    const { clientId, refreshToken } = await signIn(service);
    const { json: one } = await refresh(service, refreshToken, clientId);
    await service.clock.advance(9_000);
    const { json: two } = await refresh(service, refreshToken, clientId);
    // A second may end between them.
    expect([3_590, 3_591]).toContain(two.expires_in);
    expect(two).toEqual({ ...one, expires_in: two.expires_in });
    const { json: next } = await refresh(service, two.refresh_token, clientId);
    expect(await service.verifyToken(next.access_token, tools)).toBe(service.key);
  });

  test('are the current ones for a late retry, until ten seconds after that refresh token was replaced', async () => {
    const service = startService();
    const { clientId, refreshToken } = await signIn(service);
    const { json: one } = await refresh(service, refreshToken, clientId);
    await service.clock.advance(5_000);
    const { json: two } = await refresh(service, one.refresh_token, clientId);
    await service.clock.advance(4_000);
    const { json: late } = await refresh(service, refreshToken, clientId);
    expect([late.access_token, late.refresh_token]).toEqual([two.access_token, two.refresh_token]);
    await service.clock.advance(2_000);
    expect((await refresh(service, one.refresh_token, clientId)).json.access_token).toBe(two.access_token);
    expect((await refresh(service, refreshToken, clientId)).json.error_description).toContain('used before');
    expect((await refresh(service, two.refresh_token, clientId)).json.error).toBe('invalid_grant');
  });

  test('end: an access token after an hour, a sign-in after a month without use', async () => {
    const service = startService();
    const { clientId, access, refreshToken } = await signIn(service);
    await service.clock.advance(3_600_000);
    expect(await service.verifyToken(access, tools)).toBeNull();
    await service.clock.advance(28 * dayMs);
    const { json } = await refresh(service, refreshToken, clientId);
    await service.clock.advance(30 * dayMs);
    expect((await refresh(service, json.refresh_token, clientId)).json.error).toBe('invalid_grant');
  });

  test.each(['access', 'refreshToken'] as const)('are revoked by the %s, and only by their application', async (kind) => {
    const service = startService();
    const signedIn = await signIn(service);
    const revoke = (clientId: string) => sendForm(service, '/oauth/revoke', { token: signedIn[kind], client_id: clientId });
    expect((await revoke('other')).status).toBe(200);
    expect(await service.verifyToken(signedIn.access, tools)).toBe(service.key);
    expect((await revoke(signedIn.clientId)).status).toBe(200);
    expect(await service.verifyToken(signedIn.access, tools)).toBeNull();
  });

  test('with a secret that was never given do nothing', async () => {
    const service = startService();
    const { clientId, access, refreshToken } = await signIn(service);
    for (const token of [access, refreshToken]) {
      const forged = token.replace(/[^.]+$/, 'A'.repeat(43));
      await sendForm(service, '/oauth/revoke', { token: forged, client_id: clientId });
      expect((await refresh(service, forged, clientId)).json.error).toBe('invalid_grant');
      expect(await service.verifyToken(forged, tools)).toBeNull();
    }
    expect(await service.verifyToken(access, tools)).toBe(service.key);
    expect((await refresh(service, refreshToken, clientId)).status).toBe(200);
  });

  test('a refresh token of long ago ends the sign-in, too', async () => {
    const service = startService({ now: () => 0 });
    const { clientId, refreshToken } = await signIn(service);
    let newest = refreshToken;
    for (let time = 0; time < 100; time++) newest = (await refresh(service, newest, clientId)).json.refresh_token;
    expect((await refresh(service, refreshToken, clientId)).json.error_description).toContain('used before');
    expect((await refresh(service, newest, clientId)).json.error).toBe('invalid_grant');
  });

  test('of one key are a hundred at most, of which the one that was unused the longest ends; those of others stay', async () => {
    const service = startService({ keys: { other: ['example-wallet'] } });
    const clientId = (await register(service)).json.client_id;
    const signedIn = async (key: string) => {
      const { code } = sentTo(await decide(service, await ask(service, question(clientId)), { key }));
      return (await exchange(service, code!, clientId)).json;
    };
    const others = await signedIn('other');
    const [first, second] = [await signedIn(service.key), await signedIn(service.key)];
    for (let more = 2; more < 100; more++) await signedIn(service.key);
    expect(await service.verifyToken(first.access_token, tools)).toBe(service.key);
    const renewed = (await refresh(service, first.refresh_token, clientId)).json;
    const last = await signedIn(service.key);
    expect(await service.verifyToken(second.access_token, tools)).toBeNull();
    for (const { access_token } of [renewed, last]) expect(await service.verifyToken(access_token, tools)).toBe(service.key);
    expect(await service.verifyToken(others.access_token, tools)).toBe('other');
  });

  test('are gone after a reset', async () => {
    const service = startService();
    const { access } = await signIn(service);
    await service.reset();
    expect(await service.verifyToken(access, tools)).toBeNull();
  });
});

describe('registration', () => {
  test.each([
    ['no JSON', '{', 'invalid_client_metadata'],
    ['a list', '[]', 'invalid_client_metadata'],
    ['no redirects', {}, 'invalid_redirect_uri'],
    ['too many', { redirect_uris: Array(11).fill(redirect) }, 'invalid_redirect_uri'],
    ['a script', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    ['data', { redirect_uris: ['data:text/html,x'] }, 'invalid_redirect_uri'],
    ['a program', { redirect_uris: ['myapp://callback'] }, 'invalid_redirect_uri'],
    ['a fragment', { redirect_uris: ['https://app.example/#x'] }, 'invalid_redirect_uri'],
    ['every address', { redirect_uris: ['http://0.0.0.0/cb'] }, 'invalid_redirect_uri'],
    ['http elsewhere', { redirect_uris: ['http://app.example/'] }, 'invalid_redirect_uri'],
    ['an address without slashes', { redirect_uris: ['https:app.example'] }, 'invalid_redirect_uri'],
    ['a backslash', { redirect_uris: ['http://127.0.0.1:1\\@app.example/'] }, 'invalid_redirect_uri'],
    ['a line break', { redirect_uris: ['https://app.example/\n'] }, 'invalid_redirect_uri'],
    ['a user name', { redirect_uris: ['https://a:b@app.example/'] }, 'invalid_redirect_uri'],
    ['a name that is no text', { client_name: 1, redirect_uris: [redirect] }, 'invalid_request'],
  ])('refuses %s', async (_, metadata, error) => {
    const { status, json } = await register(startService(), metadata);
    expect([status, json.error]).toEqual([400, error]);
  });

  test('refuses a long body before it is read, and other methods', async () => {
    const service = startService();
    expect((await register(service, `"${'x'.repeat(40_000)}"`)).status).toBe(413);
    const { status, headers } = await send(service, '/oauth/register');
    expect([status, headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
    expect((await send(service, '/oauth/token', { method: 'OPTIONS' })).headers.get('access-control-allow-headers')).toBe('*');
  });

  test('needs a request that a page cannot send without asking', async () => {
    const plain = await register(startService(), undefined, { headers: { 'content-type': 'text/plain' } });
    expect([plain.status, plain.json.error]).toEqual([400, 'invalid_request']);
  });

  test('takes no notice of what Bun passes beside a request', async () => {
    const beside = { address: { address: '127.0.0.1', port: 1 } } as never;
    expect((await register(startService(), undefined, beside)).status).toBe(201);
  });

  test('of 2,000 applications in a minute keeps nothing, and locks nobody out', async () => {
    const service = startService();
    const { clientId } = await codeOf(service);
    const { client_id: waiting } = (await register(service)).json;
    for (let sent = 0; sent < 2_000; sent++) expect((await register(service)).status).toBe(201);
    for (const id of [clientId, waiting]) expect((await send(service, question(id))).status).toBe(200);
    await service.clock.advance(91 * dayMs);
    expect((await send(service, question(waiting))).text).toContain('Connect it again');
  });

  test('gives each application an id of its own, which nobody can make', async () => {
    const service = startService();
    const [one, other] = [(await register(service)).json.client_id, (await register(service)).json.client_id];
    expect(one).not.toBe(other);
    for (const id of [`${one}x`, `${one}.x`, one.slice(1), 'a.b', '.', one.split('.')[0]]) {
      expect((await send(service, question(id))).text).toContain('not registered');
    }
    expect((await send(startService(), question(one))).text).toContain('not registered');
  });
});

describe('an address that no user has approved', () => {
  const stranger = 'https://phish.example/login';
  const id = 'https://phish.example/client.json';
  const fetchDocument = async () => ({ status: 200, text: JSON.stringify({ client_id: id, redirect_uris: [stranger] }) });

  test.each(['registered', 'described'])('gets no redirect: an application that is %s', async (how) => {
    const service = startService({ oauth: { issuer: origin, fetchDocument } });
    const clientId = how === 'described' ? id : (await register(service, { redirect_uris: [stranger] })).json.client_id;
    const links = [
      { response_type: undefined },
      { response_type: 'token' },
      { code_challenge: undefined },
      { resource: 'https://other.example/' },
      { state: 'a\u{1f600}' },
    ].map((change) => question(clientId, { redirect_uri: stranger, ...change }));
    for (const link of links) {
      const { status, headers } = await send(service, link);
      expect([link, status, headers.get('location')]).toEqual([link, 400, null]);
    }
    const good = question(clientId, { redirect_uri: stranger });
    const denied = await decide(service, await ask(service, good), { decision: 'deny', key: '' });
    expect([denied.status, denied.headers.get('location')]).toEqual([403, null]);
    let page = await ask(service, good);
    for (let attempt = 1; attempt <= 5; attempt++) page = pageOf(await decide(service, page, { key: 'wrong' }));
    expect([page.status, page.headers.get('location')]).toEqual([403, null]);

    // From here on this user's browser knows it.
    const approved = await decide(service, await ask(service, good));
    expect(sentTo(approved)).toMatchObject({ code: expect.any(String) });
    expect(approved.headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Lax; Max-Age=\d+$/);
    const cookie = cookieOf(approved);
    for (const link of links) {
      const headers = { cookie: `a=b; ${cookie}; c=d` };
      expect(sentTo(await send(service, link, { headers }))).toMatchObject({ error: expect.any(String), iss: origin });
    }
    const waiting = await ask(service, good);
    const later = await decide(service, { ...waiting, cookie: `${waiting.cookie}; ${cookie}` }, { decision: 'deny', key: '' });
    expect(sentTo(later)).toMatchObject({ error: 'access_denied' });

    // Nobody else's does: anyone with a key could approve a page of their own.
    for (const other of ['', 'portcullis-approved=a.b', `${cookie.slice(0, -1)}`, cookie.replace('approved', 'approval')]) {
      const { status, headers } = await send(service, links[0]!, { headers: { cookie: other } });
      expect([status, headers.get('location')]).toEqual([400, null]);
    }
    const others = await decide(service, await ask(service, good), { decision: 'deny', key: '' });
    expect([others.status, others.headers.get('location')]).toEqual([403, null]);
  });

  test('gets none because another address of the same application, or another application, is approved', async () => {
    const service = startService();
    const redirects = ['https://app.example/cb', stranger];
    const clientId = (await register(service, { redirect_uris: redirects })).json.client_id;
    const approved = await decide(service, await ask(service, question(clientId, { redirect_uri: redirects[0] })));
    const byBrowser = { headers: { cookie: cookieOf(approved) } };
    const broken = { response_type: undefined };
    const known = await send(service, question(clientId, { redirect_uri: redirects[0], ...broken }), byBrowser);
    expect(sentTo(known)).toMatchObject({ error: 'unsupported_response_type' });
    const there = await send(service, question(clientId, { redirect_uri: stranger, ...broken }), byBrowser);
    expect([there.status, there.headers.get('location')]).toEqual([400, null]);
    const twin = (await register(service, { redirect_uris: redirects })).json.client_id;
    const other = await send(service, question(twin, { redirect_uri: redirects[0], ...broken }), byBrowser);
    expect([other.status, other.headers.get('location')]).toEqual([400, null]);
  });

  test('on this device gets the denial of a user, and no error without one', async () => {
    const service = startService();
    const clientId = (await register(service)).json.client_id;
    const wrong = await send(service, question(clientId, { response_type: undefined }));
    expect([wrong.status, wrong.headers.get('location')]).toEqual([400, null]);
    const denied = await decide(service, await ask(service, question(clientId)), { decision: 'deny', key: '' });
    expect(sentTo(denied)).toMatchObject({ error: 'access_denied' });
  });
});

describe('an application whose id is the address of its description', () => {
  async function described(change: object = {}, status = 200, type = 'application/json') {
    const server = await serve(({ headers }) => ({
      status,
      headers: { location: 'http://127.0.0.1:1/', 'content-type': type },
      body: { client_id: `http://${headers.host}/client.json`, client_name: 'Described', redirect_uris: [redirect], ...change },
    }));
    return { id: `${server.origin}/client.json`, asked: server.requests };
  }

  test('is fetched once for several requests, and signs in', async () => {
    const service = startService({ allowPrivateTargets: true });
    const { id, asked } = await described();
    expect((await ask(service, question(id))).text).toContain('Described');
    const { code } = sentTo(await decide(service, await ask(service, question(id))));
    expect((await exchange(service, code!, id)).status).toBe(200);
    expect(asked).toHaveLength(1);
  });

  test.each([
    ['of another application', { client_id: 'https://other.example/client' }, 200],
    ['that is not there', {}, 404],
    ['that is elsewhere', {}, 302],
    ['with a secret', { token_endpoint_auth_method: 'private_key_jwt' }, 200],
    ['that is long', { padding: 'x'.repeat(20_000) }, 200],
    ['that redirects to a script', { redirect_uris: ['javascript:alert(1)'] }, 200],
  ])('a description %s is refused', async (_, change, status) => {
    const service = startService({ allowPrivateTargets: true });
    const { id } = await described(change, status);
    const { status: answered, headers } = await send(service, question(id));
    expect([answered, headers.get('location')]).toEqual([400, null]);
  });

  test.each([
    ['pinned', undefined],
    ['platform', getBy(true)],
  ])('is described by JSON alone, whatever the host says to others (%s fetch)', async (_, fetchDocument) => {
    const service = startService({
      allowPrivateTargets: true,
      oauth: { issuer: origin, ...(fetchDocument && { fetchDocument }) },
    });
    for (const [type, status] of [
      ['application/json', 200],
      ['Application/JSON; charset=utf-8', 200],
      ['application/client-id+json', 200],
      ['text/plain', 400],
      ['text/html', 400],
      ['application/jsonp', 400],
      ['image/x+json', 400],
      ['', 400],
    ] as const) {
      const { id } = await described({}, 200, type);
      expect([type, (await send(service, question(id))).status]).toEqual([type, status]);
    }
  });

  test('is read again when the description may have changed, however long the user took', async () => {
    let redirects = [redirect];
    const id = 'https://app.example/client.json';
    const fetchDocument = async () => ({ status: 200, text: JSON.stringify({ client_id: id, redirect_uris: redirects }) });
    const service = startService({ oauth: { issuer: origin, fetchDocument } });
    const page = await ask(service, question(id));
    await service.clock.advance(360_000);
    expect((await decide(service, page)).status).toBe(303);
    redirects = ['https://app.example/new'];
    await service.clock.advance(360_000);
    expect((await send(service, question(id))).status).toBe(400);
  });

  test('is shown with the host of the description, the only part that was checked', async () => {
    const id = 'https://app.example/client.json';
    const fetchDocument = async () => ({ status: 200, text: JSON.stringify({ client_id: id, redirect_uris: [redirect] }) });
    const service = startService({ oauth: { issuer: origin, fetchDocument } });
    expect((await ask(service, question(id))).text).toMatch(/<dt>Described by<\/dt><dd><strong>app\.example<\/strong>/);
    const { client_id } = (await register(service)).json;
    expect((await ask(service, question(client_id))).text).not.toContain('Described by');
  });

  test('is fetched ten times a minute for one network, which takes none from others, and always for those that are approved', async () => {
    const fetched: string[] = [];
    const fetchDocument = async (id: string) => {
      fetched.push(id);
      return { status: 200, text: JSON.stringify({ client_id: id, redirect_uris: [redirect] }) };
    };
    const service = startService({ oauth: { issuer: origin, fetchDocument } });
    const askFrom = async (address: string, id: string) => (await send(service, question(id), { address })).status;
    const known = 'https://app.example/client.json';
    await decide(service, await ask(service, question(known)));
    for (let network = 0; network < 20; network++) {
      for (let at = 0; at < 10; at++) {
        expect(await askFrom(`192.0.2.${network}`, `https://host-${network}.example/${at}`)).toBe(200);
      }
      expect(await askFrom(`192.0.2.${network}`, `https://host-${network}.example/more`)).toBe(429);
    }
    expect(await askFrom('198.51.100.1', 'https://new.example/client.json')).toBe(200);
    await service.clock.advance(301_000);
    for (let at = 0; at < 10; at++) await askFrom('192.0.2.1', `https://host.example/${at}`);
    expect(await askFrom('192.0.2.1', known)).toBe(200);
    fetched.length = 0;
    for (let network = 0; network < 10; network++) {
      for (let at = 0; at < 10; at++) await askFrom(`203.0.113.${network}`, `https://one.example/${network}/${at}`);
    }
    // However many strangers ask for made-up applications of a host, another user's is described.
    expect(await askFrom('198.51.100.2', 'https://one.example/client.json')).toBe(200);
    expect(fetched).toHaveLength(101);
  });

  test('is always fetched after its approval, however many another key approves', async () => {
    const fetchDocument = async (id: string) => ({
      status: 200,
      text: JSON.stringify({ client_id: id, redirect_uris: [redirect] }),
    });
    const service = startService({ keys: { other: ['example-wallet'] }, oauth: { issuer: origin, fetchDocument } });
    const approve = async (key: string, at: number) => {
      const url = question(`https://${key}.example/${at}`);
      const page = pageOf(await send(service, url, { address: `192.0.2.${Math.floor(at / 9)}` }));
      expect((await decide(service, page, { key })).status).toBe(303);
    };
    await approve('other', 0);
    for (let at = 0; at < 101; at++) await approve(service.key, at);
    await service.clock.advance(301_000);
    const askFrom = async (id: string) => (await send(service, question(id), { address: '198.51.100.1' })).status;
    for (let at = 0; at < 10; at++) expect(await askFrom(`https://unknown.example/${at}`)).toBe(200);
    expect(await askFrom(`https://${service.key}.example/0`)).toBe(429);
    for (const known of [`https://${service.key}.example/1`, 'https://other.example/0']) expect(await askFrom(known)).toBe(200);
  });

  test('that is approved is fetched once for requests at the same time, and ten times a minute while that fails', async () => {
    const id = 'https://app.example/client.json';
    let fetched = 0;
    let status = 200;
    const fetchDocument = async (client_id: string) => {
      if (client_id === id) {
        fetched++;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return { status, text: JSON.stringify({ client_id, redirect_uris: [redirect] }) };
    };
    const service = startService({ oauth: { issuer: origin, fetchDocument } });
    const askFrom = async (network: number) => (await send(service, question(id), { address: `192.0.2.${network}` })).status;
    await decide(service, await ask(service, question(id)));
    await service.clock.advance(301_000);
    fetched = 0;
    const statuses = await Promise.all(Array.from({ length: 50 }, (_, network) => askFrom(network)));
    expect([fetched, new Set(statuses)]).toEqual([1, new Set([200])]);
    // Those that strangers ask for displace others, and not this one.
    for (let other = 0; other < 1_001; other++) {
      await send(service, question(`https://other.example/${other}`), { address: `198.51.${other >> 2}.${other & 3}` });
    }
    fetched = 0;
    expect(await askFrom(0)).toBe(200);
    expect(fetched).toBe(0);
    await service.clock.advance(301_000);
    status = 500;
    for (let network = 0; network < 20; network++) await askFrom(network);
    expect(fetched).toBe(10);
    status = 200;
    await service.clock.advance(6_000);
    expect(await askFrom(0)).toBe(200);
  });

  test.each([
    ['service.listen()', (service: ServedService) => service.listen()],
    ['listen(service.fetch)', (service: ServedService) => listen(service.fetch)],
  ])('counts for the address of the connection over %s', async (_, listening) => {
    const fetchDocument = async (id: string) => ({
      status: 200,
      text: JSON.stringify({ client_id: id, redirect_uris: [redirect] }),
    });
    const service = startService({ oauth: { issuer: origin, fetchDocument } });
    const { url, close } = await listening(service);
    onTestFinished(() => close());
    const statuses: number[] = [];
    for (let at = 0; at < 11; at++) statuses.push((await fetch(`${url}${question(`https://app.example/${at}`)}`)).status);
    expect(statuses).toEqual([...Array(10).fill(200), 429]);
    const elsewhere = await send(service, question('https://app.example/other'), { address: '192.0.2.1' });
    expect(elsewhere.status).toBe(200);
  });

  test('counts behind own proxies for the client that the outermost one wrote', async () => {
    const fetchDocument = async (id: string) => ({
      status: 200,
      text: JSON.stringify({ client_id: id, redirect_uris: [redirect] }),
    });
    const service = startService({ oauth: { issuer: origin, fetchDocument, trustForwardedFor: 1 } });
    let asked = 0;
    const askBehind = async (chain: string): Promise<number> => {
      const headers = { 'x-forwarded-for': chain };
      return (await send(service, question(`https://app.example/${asked++}`), { address: '10.0.0.1', headers })).status;
    };
    for (let at = 0; at < 10; at++) expect(await askBehind('192.0.2.1')).toBe(200);
    // What a client forges comes first.
    expect(await askBehind('198.51.100.9, 192.0.2.1')).toBe(429);
    expect(await askBehind('192.0.2.2')).toBe(200);
  });

  test('nothing of a private network is fetched, and the answer does not say why', async () => {
    const service = startService();
    const { id, asked } = await described();
    for (const one of [
      id,
      'https://127.0.0.1/x',
      'https://[::1]/x',
      'https://localhost/x',
      'https://10.0.0.1/x',
      'http://example.com/x',
    ]) {
      expect((await send(service, question(one))).text).toContain('cannot be fetched');
    }
    for (const one of ['https://example.com', 'https://example.com/', 'https://example.com/a/../b', 'https://example.com/#x']) {
      expect((await send(service, question(one))).text).toContain('not registered');
    }
    expect(asked).toEqual([]);
  });
});
