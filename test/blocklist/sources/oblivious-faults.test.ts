import { createBlocklist, prefixOf } from 'portcullis';
import { lightPublishedSource } from 'portcullis/light';
import { generateGatewayKeys, obliviousGateway } from 'portcullis/ohttp';
import { buildList } from 'portcullis/publish';
import { publishedSource } from 'portcullis/sources';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../support/listen.js';
import type { InnerAnswer, RelayAnswer } from '../../support/test-gateway.js';
import { lightBlocklist } from '../light/engines.js';
import { errorOf, expectAborted } from './harness.js';
import { unseenList } from './oblivious-harness.js';

const evil = prefixOf('evil.example');
const algoVersion = 'portcullis-1';

let world: Awaited<ReturnType<typeof unseenList>>;
beforeEach(async () => {
  world = await unseenList();
});

const sources = {
  full: (more = {}) => publishedSource({ url: world.origin, ...world.signatures, ohttp: world.ohttp(more) }),
  light: (more = {}) => lightPublishedSource({ url: world.origin, ...world.signatures, ohttp: world.ohttp(more) }),
};

/** What the relay does to an answer. */
const relayFaults: Readonly<
  Record<string, readonly [change: (honest: RelayAnswer) => RelayAnswer | null, code: string, words?: RegExp]>
> = {
  'changes the nonce': [flip(0), 'INVALID_RESPONSE', /not sealed by the gateway/],
  'changes the ciphertext': [flip(100), 'INVALID_RESPONSE', /not sealed by the gateway/],
  'changes the tag': [flip(-1), 'INVALID_RESPONSE', /not sealed by the gateway/],
  'cuts the answer off': [(honest) => ({ ...honest, body: honest.body.subarray(0, -1) }), 'INVALID_RESPONSE'],
  'leaves only the nonce': [(honest) => ({ ...honest, body: honest.body.subarray(0, 16) }), 'INVALID_RESPONSE'],
  'leaves nothing': [(honest) => ({ ...honest, body: Buffer.alloc(0) }), 'INVALID_RESPONSE'],
  'adds a byte': [(honest) => ({ ...honest, body: Buffer.concat([honest.body, Buffer.alloc(1)]) }), 'INVALID_RESPONSE'],
  'makes an answer up': [(honest) => ({ ...honest, body: Buffer.alloc(4128, 7) }), 'INVALID_RESPONSE'],
  'sends another media type': [
    (honest) => ({ ...honest, headers: { 'content-type': 'application/octet-stream' } }),
    'INVALID_RESPONSE',
    /message\/ohttp-res/,
  ],
  'sends no media type': [(honest) => ({ ...honest, headers: {} }), 'INVALID_RESPONSE'],
  'sends a page': [
    () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: Buffer.from('<!doctype html>') }),
    'INVALID_RESPONSE',
  ],
  'redirects to the list': [
    () => ({ status: 307, headers: { location: `${world.origin}/version.json` }, body: Buffer.alloc(0) }),
    'REDIRECTED',
  ],
  'answers 201': [(honest) => ({ ...honest, status: 201 }), 'UNEXPECTED_STATUS'],
  'answers 400': [() => ({ status: 400, headers: {}, body: Buffer.alloc(0) }), 'UNEXPECTED_STATUS'],
  'answers 404': [() => ({ status: 404, headers: {}, body: Buffer.alloc(0) }), 'UNEXPECTED_STATUS', /answered 404/],
  'answers 429': [() => ({ status: 429, headers: { 'retry-after': '7' }, body: Buffer.alloc(0) }), 'TOO_MANY_REQUESTS'],
  'answers 500': [(honest) => ({ ...honest, status: 500 }), 'INTERNAL_SERVER_ERROR'],
  'answers 422': [() => ({ status: 422, headers: {}, body: Buffer.alloc(0) }), 'GATEWAY_KEY_UNKNOWN'],
  'says with 400 that the key is unknown': [problem(400, 'ohttp-key'), 'GATEWAY_KEY_UNKNOWN'],
  'says with 400 something else about it': [problem(400, 'date'), 'UNEXPECTED_STATUS'],
  'sends more than any answer has': [(honest) => ({ ...honest, body: Buffer.alloc(9_000_000) }), 'LIMIT_EXCEEDED'],
  'breaks the connection': [() => null, 'NETWORK'],
};

function flip(at: number): (honest: RelayAnswer) => RelayAnswer {
  return (honest) => {
    const body = Buffer.from(honest.body);
    body[at < 0 ? body.length + at : at]! ^= 1;
    return { ...honest, body };
  };
}

function problem(status: number, name: string): () => RelayAnswer {
  const body = Buffer.from(JSON.stringify({ type: `https://iana.org/assignments/http-problem-types#${name}`, title: 'no' }));
  return () => ({ status, headers: { 'content-type': 'application/problem+json; charset=utf-8' }, body });
}

describe.each(['full', 'light'] as const)('a %s source', (kind) => {
  test.each(Object.entries(relayFaults))('fails if the relay %s, and asks in no other way', async (_, [change, code, words]) => {
    const source = sources[kind]();
    const { ohttpKeys } = await source.version({});
    const before = world.direct();
    world.relay.change = change;
    const error = await errorOf(source.confirm!([evil], { algoVersion, ohttpKeys }));
    expect(error.code).toBe(code);
    if (words !== undefined) expect(error.message).toMatch(words);
    if (code === 'TOO_MANY_REQUESTS') expect(error.retryAfterMs).toBe(7_000);
    // No question is repeated: the files that lead to the shard are asked for one after the other.
    expect(world.relay.requests).toHaveLength(1);
    expect(world.direct()).toEqual(before);
    world.relay.change = undefined;
    expect((await source.confirm!([evil], { algoVersion, ohttpKeys })).hashes.get(evil)).toHaveLength(1);
    expect(world.direct()).toEqual(before);
  });
});

/** What comes out of the seal. */
const innerFaults: Readonly<
  Record<string, readonly [change: (honest: InnerAnswer) => InnerAnswer, code: string, words?: RegExp]>
> = {
  'a redirect': [(honest) => ({ ...honest, status: 302, headers: { location: 'https://elsewhere.example/' } }), 'REDIRECTED'],
  'a 304 that was not asked for': [(honest) => ({ ...honest, status: 304, body: Buffer.alloc(0) }), 'REDIRECTED'],
  'a 404': [(honest) => ({ ...honest, status: 404 }), 'NOT_FOUND'],
  'a 503': [(honest) => ({ ...honest, status: 503, headers: { 'retry-after': '9' } }), 'INTERNAL_SERVER_ERROR'],
  'another file': [(honest) => ({ ...honest, headers: {}, body: Buffer.from('something else') }), 'INVALID_RESPONSE'],
  'a problem with the date': [
    (honest) => ({
      ...honest,
      status: 400,
      headers: { 'content-type': 'application/problem+json' },
      body: Buffer.from('{"type":"https://iana.org/assignments/http-problem-types#date"}'),
    }),
    'BAD_REQUEST',
    /time of the request/,
  ],
  'a file that announces more bytes': [
    (honest) => ({ ...honest, headers: { ...honest.headers, 'content-length': '999999' } }),
    // Either says that it is not the file.
    'LIMIT_EXCEEDED',
  ],
  'a file that is too large': [(honest) => ({ ...honest, headers: {}, body: Buffer.alloc(70_000) }), 'LIMIT_EXCEEDED'],
};

test.each(Object.entries(innerFaults))('fails if the gateway seals %s', async (_, [change, code, words]) => {
  for (const kind of ['full', 'light'] as const) {
    const source = sources[kind]();
    const { ohttpKeys } = await source.version({});
    const before = world.direct();
    world.gateway.change = change;
    const error = await errorOf(source.confirm!([evil], { algoVersion, ohttpKeys }));
    expect(error.code, kind).toBe(code);
    if (words !== undefined) expect(error.message).toMatch(words);
    expect(world.direct()).toEqual(before);
  }
});

test.each<[string, (bytes: Buffer) => Buffer]>([
  ['no binary HTTP', () => Buffer.from('HTTP/1.1 200 OK\r\n\r\n')],
  ['a request', () => Buffer.from('00034745540568747470730b6578616d706c652e636f6d012f', 'hex')],
  ['padding that is not zero', (bytes) => Buffer.concat([bytes.subarray(0, -1), Buffer.from([1])])],
  ['a message that is cut off', (bytes) => bytes.subarray(0, 200)],
  ['nothing', () => Buffer.alloc(0)],
])('fails if what the gateway sealed is %s', async (_, message) => {
  const source = sources.full();
  const { ohttpKeys } = await source.version({});
  world.gateway.message = message;
  const error = await errorOf(source.confirm!([evil], { algoVersion, ohttpKeys }));
  expect([error.code, error.message]).toEqual(['INVALID_RESPONSE', expect.stringContaining('binary HTTP')]);
});

test('fails if the answer was sealed with another secret than that of the request', async () => {
  const source = sources.full();
  const { ohttpKeys } = await source.version({});
  world.gateway.exporter = 'message/bhttp request';
  const error = await errorOf(source.confirm!([evil], { algoVersion, ohttpKeys }));
  expect(error.message).toMatch(/not sealed by the gateway/);
});

test('fails if the relay answers one question with the sealed answer to another', async () => {
  const source = sources.full();
  const { ohttpKeys } = await source.version({});
  let first: RelayAnswer | undefined;
  world.relay.change = (honest) => {
    first ??= honest;
    return first;
  };
  const error = await errorOf(source.confirm!([evil], { algoVersion, ohttpKeys }));
  expect([error.code, world.relay.requests.length]).toEqual(['INVALID_RESPONSE', 2]);
});

test('a relay that does not answer is a timeout, and the signal ends the wait', async () => {
  const hang = new Promise<never>(() => {});
  const slow = sources.full({ timeoutMs: 60, fetch: () => hang });
  const { ohttpKeys } = await slow.version({});
  expect((await errorOf(slow.confirm!([evil], { algoVersion, ohttpKeys }))).code).toBe('TIMEOUT');
  const waiting = sources.full({ fetch: () => hang });
  await waiting.version({});
  await expectAborted((signal) => waiting.confirm!([evil], { algoVersion, ohttpKeys, signal }));
});

test('a platform without X25519 says what to hand in', async () => {
  const unsupported = (): never => {
    throw new Error('NotSupportedError');
  };
  const source = sources.full({ kem: unsupported });
  const { ohttpKeys } = await source.version({});
  const error = await errorOf(source.confirm!([evil], { algoVersion, ohttpKeys }));
  expect([error.code, error.message]).toEqual(['PEER_MISSING', expect.stringContaining('@panva/hpke-noble')]);
});

test.each(['full', 'light'] as const)('what cannot be confirmed unseen stays unconfirmed: the %s engine', async (kind) => {
  const source = sources[kind]();
  const blocklist = kind === 'full' ? createBlocklist({ sources: [source], pollMs: 0 }) : lightBlocklist({ source, pollMs: 0 });
  onTestFinished(() => blocklist.close());
  await blocklist.ready();
  const before = world.direct();
  const errors: string[] = [];
  blocklist.on('error', ({ where, error }) => void errors.push(`${where} ${error.code}`));
  for (const change of [() => null, problem(400, 'ohttp-key'), flip(40)]) {
    world.relay.change = change;
    expect((await blocklist.check('https://evil.example/')).status).toBe('unconfirmed');
  }
  expect((await blocklist.check('https://example.org/')).status).toBe('clear');
  expect(world.direct()).toEqual(before);
  expect(errors[0]).toBe('confirm NETWORK');
});

test('our gateway answers in few sizes, whatever is asked', async () => {
  const { keys } = await generateGatewayKeys();
  const gateway = await obliviousGateway({ keys });
  const url = await listen({
    fetch: gateway.wrap((request) => fetch(world.origin + new URL(request.url).pathname, { headers: { 'x-gateway': '1' } })),
  });
  const sizes: number[][] = [];
  for (const count of [10, 200, 400, 2_000]) {
    world = await unseenList({ shards: 1 });
    const entries = Array.from({ length: count }, (_, at) => `scam-${at}.example`);
    await world.publish(gateway.keyList(), entries);
    world.relay.gatewayUrl = `${url}/ohttp`;
    const source = sources.full();
    const asked = prefixOf('scam-3.example');
    // The version, the sums, and the shard.
    const ohttpKeys = Buffer.from(gateway.keyList()).toString('base64');
    expect((await source.confirm!([asked], { algoVersion, ohttpKeys })).hashes.get(asked)).toHaveLength(1);
    sizes.push(world.relay.requests.map(({ answerBytes }) => answerBytes - 32));
    expect(world.relay.requests.every(({ body }) => body.length === 1079)).toBe(true);
  }
  expect(sizes).toEqual([
    [4096, 4096, 4096],
    [4096, 4096, 16384],
    [4096, 4096, 16384],
    [4096, 4096, 65536],
  ]);
});

test('a list that moves its files is asked again unseen', async () => {
  const source = sources.full();
  const { ohttpKeys } = await source.version({});
  // Published again with other files; those of before are gone.
  await world.publish(world.gateway.keyList, ['evil.example', 'new.example', 'another.example']);
  const before = world.direct();
  const { hashes } = await source.confirm!([prefixOf('new.example')], { algoVersion, ohttpKeys });
  expect(hashes.get(prefixOf('new.example'))).toHaveLength(1);
  expect(world.gateway.asked.map(({ line }) => line)).toContain('GET /version.json');
  expect(world.direct()).toEqual(before);
});

test('an unsigned list without keys is confirmed directly, as before', async () => {
  const built = await buildList(['evil.example'], { shards: 1 });
  world.files.clear();
  for (const { name, bytes } of built.files) world.files.set(name, bytes);
  const source = publishedSource({ url: world.origin });
  await source.version({});
  await source.confirm!([evil], { algoVersion });
  expect(world.relay.requests).toEqual([]);
});
