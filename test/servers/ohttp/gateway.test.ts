import { type KEM, KEM_DHKEM_X25519_HKDF_SHA256 } from 'hpke';
import { openMetrics } from 'portcullis/middleware';
import {
  type GatewayEvent,
  generateGatewayKeys,
  type ObliviousGateway,
  type ObliviousGatewayOptions,
  type OpenedHandler,
  obliviousGateway,
} from 'portcullis/ohttp';
import { expect, test } from 'vitest';
import { readKeyList } from '../../../src/core/ohttp/key-list.js';
import { readOpenMetrics } from '../../support/open-metrics-reader.js';
import { ask, confirm, hashFor, listening, relayed as relayOver, v2Confirm } from '../relay/relay-harness.js';
import { type Asked, askSealed, confirmation, messageOf, relayed, sealedTo, textOf, through } from './sealed-client.js';

interface Running {
  readonly gateway: ObliviousGateway;
  readonly clock: { nowMs: number };
  readonly events: GatewayEvent[];
  /** How often a private key was used. */
  keyUses(): number;
}

const startMs = 1_800_000_000_000;

async function gatewayOf(options: Partial<ObliviousGatewayOptions> = {}): Promise<Running> {
  const clock = { nowMs: startMs };
  const events: GatewayEvent[] = [];
  let uses = 0;
  const kem = (): KEM => {
    const own = KEM_DHKEM_X25519_HKDF_SHA256() as KEM;
    const Decap: KEM['Decap'] = (...args) => {
      uses++;
      return own.Decap(...args);
    };
    return new Proxy(own, { get: (target, name) => (name === 'Decap' ? Decap : Reflect.get(target, name)) });
  };
  const now = () => clock.nowMs;
  const { keys } = await generateGatewayKeys({ now });
  const gateway = await obliviousGateway({ keys, kem, now, onEvent: (event) => events.push(event), ...options });
  const before = uses;
  return { gateway, clock, events, keyUses: () => uses - before };
}

const hello: OpenedHandler = () =>
  new Response('hello', { headers: { 'content-type': 'text/plain', etag: '"1"', 'x-more': 'no' } });

test('a relay answers a sealed confirmation as it answers a direct one', async () => {
  const { gateway } = await gatewayOf();
  const { origin, asked } = await listening({ ohttp: gateway });
  const listed = await fetch(`${origin}/some/mount/ohttp`);
  expect([listed.status, listed.headers.get('content-type'), listed.headers.get('cache-control')]).toEqual([
    200,
    'application/ohttp-keys',
    'no-store',
  ]);
  const keyList = new Uint8Array(await listed.arrayBuffer());
  expect(keyList).toEqual(gateway.keyList());
  expect(keyList.length).toBe(43);
  const send = (request: Request) => fetch(`${origin}/some/mount/ohttp`, request);
  const { outer, outerBytes, inner } = await askSealed(send, keyList, confirmation('a0000001', 'b0000002'));
  expect([outer.headers.get('content-type'), outer.headers.get('cache-control')]).toEqual(['message/ohttp-res', 'no-store']);
  expect(outerBytes).toBe(4_096 + 32);
  expect(inner).toMatchObject({ status: 200, fields: [['content-type', 'application/json']] });
  expect(JSON.parse(textOf(inner))).toEqual({ hashes: { a0000001: [hashFor('a0000001')], b0000002: [] } });
  expect(asked('/v2/asset/blocklist/confirm').length).toBe(1);
  // Its own metrics, and not those of the relay's clients.
  const text = await (await fetch(`${origin}/metrics`)).text();
  expect(text).toContain('portcullis_ohttp_responses_total{sealed="yes",status="200"} 1\n');
  expect(text).toContain('portcullis_relay_responses_total{route="confirm",status="200"} 1\n');
});

test('whatever the answer inside is, the one outside is a 200 of the same length', async () => {
  const { gateway } = await gatewayOf();
  const { relay } = await relayOver({ ohttp: gateway });
  const send = (request: Request) => relay.fetch(request);
  const statuses: number[] = [];
  const asked: (Asked | Uint8Array)[] = [
    confirmation('a0000001'),
    confirmation('nothing'),
    { ...confirmation('a0000001'), method: 'GET' },
    { path: '/list/asset/check' },
    { path: '/ohttp' },
    { path: '/metrics' },
    { method: 'DELETE', path: '/list/asset/blocklist/version' },
    { method: 'HEAD', path: '/list/asset/blocklist/version' },
    { path: '/list/asset/blocklist/version', fields: [['expect', '100-continue']] },
    { path: 'relative' },
    { path: '' },
    new Uint8Array(1_024),
    Uint8Array.of(0, 3),
  ];
  for (const one of asked) {
    const { outerBytes, inner } = await askSealed(send, gateway.keyList(), one);
    statuses.push(inner.status);
    expect(outerBytes).toBe(4_128);
    if (inner.status !== 200)
      expect(JSON.parse(textOf(inner))).toEqual({ message: expect.any(String), code: expect.any(String) });
  }
  expect(statuses).toEqual([200, 400, 405, 404, 404, 404, 405, 200, 417, 400, 400, 400, 400]);
});

test('answers of more than 4,096 bytes have the next size, and too large ones are refused', async () => {
  const { gateway } = await gatewayOf();
  const lengthOf = async (bytes: number): Promise<[number, number]> => {
    const send = through(gateway, () => new Response(new Uint8Array(bytes)));
    const { outerBytes, inner } = await askSealed(send, gateway.keyList(), {});
    return [inner.status, outerBytes - 32];
  };
  expect(await lengthOf(4_000)).toEqual([200, 4_096]);
  expect(await lengthOf(4_096)).toEqual([200, 16_384]);
  expect(await lengthOf(2 * 1_024 * 1_024)).toEqual([200, 4 * 1_024 * 1_024]);
  expect(await lengthOf(4_000_000)).toEqual([200, 4 * 1_024 * 1_024]);
  expect(await lengthOf(4_000_001)).toEqual([502, 4_096]);
});

test('refuses what it cannot open in the clear, before it uses a key where that can be seen', async () => {
  const { gateway, keyUses } = await gatewayOf();
  const { sealed } = await sealedTo(gateway.keyList(), messageOf({}));
  const changed = (at: number): Uint8Array => sealed.map((byte, index) => (index === at ? byte ^ 1 : byte));
  const answer = (request: Request) => gateway.answer(request, hello);
  const refused: readonly (readonly [Request, number])[] = [
    [new Request('https://gateway.example/ohttp', { method: 'PUT' }), 405],
    [new Request('https://gateway.example/ohttp', { method: 'OPTIONS' }), 405],
    [relayed(sealed, { 'content-type': 'application/json' }), 415],
    [relayed(new Uint8Array(65 * 1_024 + 1)), 413],
    [relayed(new Uint8Array()), 422],
    [relayed(sealed.subarray(0, 54)), 422],
    // Key id, key exchange, and the rest of the suite.
    ...[0, 1, 2, 3, 4, 5, 6].map((at) => [relayed(changed(at)), 422] as const),
  ];
  for (const [request, status] of refused) {
    const response = await answer(request);
    expect([response.status, response.headers.get('cache-control')]).toEqual([status, 'no-store']);
  }
  expect(keyUses()).toBe(0);
  for (const body of [changed(7), changed(60), sealed.subarray(0, -1), new Uint8Array([...sealed, 0])]) {
    const response = await answer(relayed(body));
    expect([response.status, response.headers.get('content-type')]).toEqual([422, 'application/problem+json']);
    expect(await response.json()).toMatchObject({ type: 'https://iana.org/assignments/http-problem-types#ohttp-key' });
  }
  expect(keyUses()).toBe(4);
});

test('a flood is refused before a key is used, and does not use up the rate of another sender', async () => {
  const { gateway, clock, keyUses } = await gatewayOf({ perMinute: 5 });
  const { sealed } = await sealedTo(gateway.keyList(), messageOf({}));
  const statuses = async (sender: string): Promise<number[]> =>
    (await Promise.all(Array.from({ length: 20 }, () => gateway.answer(relayed(sealed), hello, sender)))).map(
      ({ status }) => status,
    );
  const first = await statuses('192.0.2.1');
  expect([first.filter((status) => status === 200).length, first.filter((status) => status === 429).length]).toEqual([5, 15]);
  expect(keyUses()).toBe(5);
  expect((await gateway.answer(relayed(sealed), hello, '192.0.2.1')).headers.get('retry-after')).toBe('12');
  expect((await statuses('192.0.2.2')).filter((status) => status === 200).length).toBe(5);
  clock.nowMs += 12_000;
  expect((await gateway.answer(relayed(sealed), hello, '192.0.2.1')).status).toBe(200);
});

test('limits how many requests it answers at the same time, and how long each may take', async () => {
  const { gateway, events } = await gatewayOf({ maxConcurrent: 2, timeoutMs: 300 });
  const send = through(gateway, () => new Promise(() => {}));
  const slow = [askSealed(send, gateway.keyList(), {}), askSealed(send, gateway.keyList(), {})];
  await expect
    .poll(
      async () =>
        readOpenMetrics(await openMetrics(gateway.metrics()).text()).get('portcullis_ohttp_requests_open')?.samples[0]?.value,
    )
    .toBe(2);
  const { sealed } = await sealedTo(gateway.keyList(), messageOf({}));
  const refused = await gateway.answer(relayed(sealed), hello);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  for (const { inner } of await Promise.all(slow)) expect(inner.status).toBe(504);
  expect((await askSealed(through(gateway, hello), gateway.keyList(), {})).inner.status).toBe(200);
  expect(events).toEqual([]);
});

test('reads requests of indeterminate length', async () => {
  const { gateway } = await gatewayOf();
  const block = (text: string): number[] => [text.length, ...new TextEncoder().encode(text)];
  const control = ['POST', 'https', 'list.example', '/a?b=c'].flatMap(block);
  const fields = [...block('content-type'), ...block('text/plain'), 0];
  const content = [...block('first '), ...block('second'), 0];
  const message = Uint8Array.from([2, ...control, ...fields, ...content, 0, 0, 0]);
  const send = through(gateway, async (request) => new Response(`${request.method} ${request.url} ${await request.text()}`));
  const { inner } = await askSealed(send, gateway.keyList(), message);
  expect([inner.status, textOf(inner)]).toEqual([200, 'POST http://oblivious.invalid/a?b=c first second']);
});

test('a request that is sent twice gets the same answer, sealed anew', async () => {
  const { gateway } = await gatewayOf();
  const { sealed, open } = await sealedTo(gateway.keyList(), messageOf({}));
  const bodies: Uint8Array[] = [];
  for (let i = 0; i < 2; i++) bodies.push(new Uint8Array(await (await gateway.answer(relayed(sealed), hello)).arrayBuffer()));
  const [first, second] = bodies as [Uint8Array, Uint8Array];
  expect(Buffer.from(first.subarray(16)).equals(second.subarray(16))).toBe(false);
  expect(await open(first)).toEqual(await open(second));
});

test('each sealed confirmation asks the service, and cached answers are neither read nor filled', async () => {
  const { gateway } = await gatewayOf();
  const { relay, asked } = await relayOver({ ohttp: gateway });
  const cached = async (): Promise<number | undefined> =>
    readOpenMetrics(await (await ask(relay, '/metrics')).text()).get('portcullis_relay_confirmations_cached')?.samples[0]?.value;
  const { sealed, open } = await sealedTo(gateway.keyList(), messageOf(confirmation('a0000001', 'b0000002')));
  const replay = async () => open(new Uint8Array(await (await relay.fetch(relayed(sealed))).arrayBuffer()));
  const first = await replay();
  expect(first).not.toBe(null);
  expect(await replay()).toEqual(first);
  expect([asked(v2Confirm).length, await cached()]).toEqual([2, 0]);

  // What a sealed question was told is not told faster to a direct one, and the other way round.
  for (let i = 0; i < 2; i++) expect((await confirm(relay, ['a0000001', 'b0000002'])).status).toBe(200);
  expect([asked(v2Confirm).length, await cached()]).toEqual([3, 2]);
  expect(await replay()).toEqual(first);
  expect([asked(v2Confirm).length, await cached()]).toEqual([4, 2]);

  // No question waits for the request of another.
  const all = await Promise.all([replay(), replay(), confirm(relay, ['a0000003']), replay(), confirm(relay, ['a0000003'])]);
  expect([all[0], all[1], all[3]]).toEqual([first, first, first]);
  expect([asked(v2Confirm).length, await cached()]).toEqual([8, 3]);
  const { sealed: same } = await sealedTo(gateway.keyList(), messageOf(confirmation('a0000004')));
  await Promise.all([confirm(relay, ['a0000004']), relay.fetch(relayed(same)), relay.fetch(relayed(same))]);
  expect(asked(v2Confirm).length).toBe(11);
});

test('nothing inside a request names its client, or leads to another host', async () => {
  const { gateway } = await gatewayOf();
  const seen: Request[] = [];
  const send = through(gateway, (request) => {
    seen.push(request);
    return hello(request);
  });
  const fields = [
    ['accept', 'application/json'],
    ['authorization', 'Bearer x'],
    ['content-type', 'text/plain'],
    ['cookie', 'id=1'],
    ['host', 'evil.example'],
    ['if-none-match', '"1"'],
    ['user-agent', 'Wallet/1'],
    ['x-api-key', 'secret'],
    ['x-forwarded-for', '192.0.2.1'],
  ] as const;
  for (const path of ['/a', '//evil.example/a', '/../a', '/a?b#c', '/a\\b'])
    await askSealed(send, gateway.keyList(), { authority: 'evil.example', path, fields });
  // A path with a fragment is refused.
  expect(seen.map(({ url }) => url)).toEqual(
    ['a', '//evil.example/a', 'a', 'a/b'].map((path) => `http://oblivious.invalid/${path.replace(/^\//, '')}`),
  );
  for (const { headers } of seen)
    expect(Object.fromEntries(headers)).toEqual({ accept: 'application/json', 'content-type': 'text/plain' });
  const { inner } = await askSealed(send, gateway.keyList(), {});
  expect(inner.fields).toEqual([['content-type', 'text/plain']]);
});

test('a relay charges what was opened to the rate that all share, whatever the request says', async () => {
  const { gateway } = await gatewayOf();
  const named = { clientOf: ({ headers }: Request) => headers.get('x-forwarded-for'), trustForwardedFor: 1 };
  const { relay } = await relayOver({ ohttp: gateway, ...named, sharedPerMinute: 3 });
  const statuses: number[] = [];
  for (let i = 0; i < 5; i++) {
    const asked = { path: '/asset/blocklist/version', fields: [['x-forwarded-for', `192.0.2.${i}`]] } as const;
    statuses.push(
      (await askSealed((request) => relay.fetch(request, { address: `198.51.100.${i}` }), gateway.keyList(), asked)).inner.status,
    );
  }
  expect(statuses).toEqual([200, 200, 200, 429, 429]);
});

test('opens requests to an older key until its time is over, and refuses them then', async () => {
  const { gateway, clock } = await gatewayOf();
  const now = () => clock.nowMs;
  const first = await generateGatewayKeys({ now });
  await gateway.update(JSON.stringify(first.keys));
  const second = await generateGatewayKeys({ now, previous: JSON.stringify(first.keys), overlapMs: 60_000 });
  await gateway.update(second.keys);
  expect(gateway.keyList()).toEqual(second.keyList);
  const ask = (keyList: Uint8Array) => askSealed(through(gateway, hello), keyList, {});
  for (const list of [first.keyList, second.keyList]) expect((await ask(list)).inner.status).toBe(200);
  clock.nowMs += 60_000;
  await expect(ask(first.keyList)).rejects.toThrow('422');
  expect((await ask(second.keyList)).inner.status).toBe(200);

  await expect(gateway.update('{}')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  expect((await ask(second.keyList)).inner.status).toBe(200);
});

test('without a key that is valid it has no list, and says so', async () => {
  const { gateway, clock } = await gatewayOf();
  const { keys } = await generateGatewayKeys({ now: () => clock.nowMs });
  const [key] = keys.keys;
  const ending = { ...keys, keys: [{ ...key!, notAfterMs: clock.nowMs + 1 }] };
  await gateway.update(ending);
  clock.nowMs += 1;
  const expired = { code: 'INVALID_INPUT', message: expect.stringContaining('all keys have expired') };
  await expect(obliviousGateway({ keys: ending, now: () => clock.nowMs })).rejects.toMatchObject(expired);
  await expect(gateway.update(ending)).rejects.toMatchObject(expired);
  expect((await gateway.answer(new Request('https://gateway.example/ohttp'), hello)).status).toBe(503);
  expect((await gateway.answer(relayed(new Uint8Array(1_079)), hello)).status).toBe(422);
  expect(() => gateway.keyList()).toThrow('expired');
});

test('only sealed requests use up the rate of a sender', async () => {
  const { gateway, clock } = await gatewayOf({ perMinute: 1 });
  const outer = (init: RequestInit) => gateway.answer(new Request('https://gateway.example/ohttp', init), hello, '192.0.2.1');
  for (let i = 0; i < 3; i++) {
    expect((await outer({})).status).toBe(200);
    expect((await outer({ method: 'HEAD' })).status).toBe(200);
    expect((await outer({ method: 'PUT' })).status).toBe(405);
    expect((await outer({ method: 'POST', body: 'x' })).status).toBe(415);
  }
  expect((await askSealed(through(gateway, hello, '192.0.2.1'), gateway.keyList(), {})).inner.status).toBe(200);
  expect((await gateway.answer(relayed(new Uint8Array()), hello, '192.0.2.1')).status).toBe(429);
  expect((await outer({})).status).toBe(200);
  clock.nowMs += 60_000;
  expect((await gateway.answer(relayed(new Uint8Array()), hello, '192.0.2.1')).status).toBe(422);
});

test('wraps a handler, of which only one path is its own', async () => {
  const { gateway } = await gatewayOf({ perMinute: 1 });
  const fetch = gateway.wrap((request, { address }) => new Response(`${new URL(request.url).pathname} ${address}`));
  const context = { address: '192.0.2.1' };
  const text = async (path: string): Promise<string> => (await fetch(new Request(`https://list.example${path}`), context)).text();
  expect(await text('/version.json')).toBe('/version.json 192.0.2.1');
  expect(await text('/x/ohttp')).toBe('/x/ohttp 192.0.2.1');
  const head = await fetch(new Request('https://list.example/ohttp', { method: 'HEAD' }), context);
  expect([head.status, await head.text(), head.headers.get('access-control-allow-origin')]).toEqual([200, '', '*']);
  const list = new Uint8Array(await (await fetch(new Request('https://list.example/ohttp'), context)).arrayBuffer());
  expect(readKeyList(list)?.length).toBe(1);
  const { inner } = await askSealed(async (request) => fetch(request, context), list, { path: '/ohttp' });
  expect(textOf(inner)).toBe('/ohttp undefined');
  expect((await fetch(relayed(new Uint8Array()), context)).status).toBe(429);
  expect((await fetch(relayed(new Uint8Array()), { address: '192.0.2.2' })).status).toBe(422);
});

test('no event, metric or unsealed answer names what was asked', async () => {
  const { gateway, events } = await gatewayOf();
  const { sealed, open } = await sealedTo(gateway.keyList(), messageOf(confirmation('a1b2c3d4')));
  const faulty: OpenedHandler = async (request) => {
    throw new TypeError(`cannot read ${await request.text()}`);
  };
  const response = await gateway.answer(relayed(sealed), faulty);
  const opened = await open(new Uint8Array(await response.arrayBuffer()));
  const texts = [JSON.stringify(events), await openMetrics(gateway.metrics()).text(), new TextDecoder('latin1').decode(opened!)];
  for (const damaged of [sealed.subarray(0, 70), sealed.map((byte) => byte ^ 1)])
    texts.push(await (await gateway.answer(relayed(damaged), faulty)).text());
  expect(events).toEqual([{ type: 'internal-error', name: 'TypeError' }]);
  for (const text of texts) expect(text).not.toMatch(/a1b2|confirm/);
});
