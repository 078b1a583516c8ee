import * as noble from '@panva/hpke-noble';
import { createBlocklist, prefixOf } from 'portcullis';
import { lightPublishedSource, lightRelaySource, type lightStore } from 'portcullis/light';
import { transparencyLog } from 'portcullis/log';
import { type Kem, oblivious } from 'portcullis/ohttp';
import { publishedSource, serviceSource } from 'portcullis/sources';
import { createService } from 'portcullis/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { decodeJsonRecord, encodeJsonRecord } from '../../../src/blocklist/formats/record.js';
import type { Source } from '../../../src/blocklist/model/source.js';
import { payloadType, publicKeyOf, signedBytesOf, writeSignature } from '../../../src/blocklist/signatures/envelope.js';
import { memoryStore } from '../../../src/blocklist/stores/memory-store.js';
import { logSigner } from '../../support/note-keys.js';
import { testGateway, testRelay } from '../../support/test-gateway.js';
import { payloadOf, TestLog } from '../../support/test-log.js';
import { lightBlocklist } from '../light/engines.js';
import { codeOf, errorOf, filesOf, key, listening, relaying } from './harness.js';
import { unseenList } from './oblivious-harness.js';

const kem = noble.KEM_DHKEM_X25519_HKDF_SHA256 as Kem;
const algoVersion = 'portcullis-1';
const evil = prefixOf('evil.example');

/** Both engines over one source, each with a store that outlives it. */
const engines = {
  full(source: Source, store = memoryStore()) {
    const blocklist = createBlocklist({ sources: [source], store: { ...store, close: async () => {} }, pollMs: 0 });
    onTestFinished(() => blocklist.close());
    return { blocklist, store };
  },
  light(source: Source, store = memoryStore()) {
    const lent = { ...store, close: async () => {} } as unknown as ReturnType<typeof lightStore>;
    const blocklist = lightBlocklist({ source, store: lent, pollMs: 0 });
    onTestFinished(() => blocklist.close());
    return { blocklist, store };
  },
};
const sourceOf = { full: publishedSource, light: lightPublishedSource };

describe.each(['full', 'light'] as const)('a published list in the %s engine', (engine) => {
  test.each<[string, Kem | undefined]>([
    ['Web Crypto', undefined],
    ['JavaScript', kem],
  ])('confirms hits unseen, with the key exchange of %s', async (_, exchange) => {
    const { origin, signatures, ohttp, direct, relay, gateway } = await unseenList();
    const source = sourceOf[engine]({ url: origin, ...signatures, ohttp: ohttp({ kem: exchange }) });
    const { blocklist } = engines[engine](source);
    await blocklist.ready();
    const before = direct();
    expect((await blocklist.check('https://evil.example/')).status).toBe('blocked');
    expect((await blocklist.check('https://login.evil.example/a?b')).status).toBe('blocked');
    // The list came directly, the rest did not.
    expect(direct()).toEqual(before);
    expect(gateway.asked.map(({ line }) => line.replace(/-[\da-f]{16}/, '-…'))).toEqual([
      'GET /version.json',
      'GET /sums-….bin',
      'GET /sums-….bin',
      expect.stringMatching(/^GET \/confirm\/[\da-f]{3}-….bin$/),
    ]);
    // One size for every question, and for every answer of a small list.
    expect([...new Set(relay.requests.map(({ body, answerBytes }) => `${body.length} ${answerBytes}`))]).toEqual(['1079 4128']);
    expect(new Set(gateway.asked.map(({ size }) => size))).toEqual(new Set([1024]));
  });

  test('shows the relay nothing but bytes, and the gateway nothing but the question', async () => {
    const { origin, signatures, ohttp, relay, gateway } = await unseenList();
    const { blocklist } = engines[engine](sourceOf[engine]({ url: origin, ...signatures, ohttp: ohttp() }));
    await blocklist.ready();
    await blocklist.check('https://evil.example/');
    for (const { headers, method, body } of relay.requests) {
      expect([method, headers['content-type']]).toEqual(['POST', 'message/ohttp-req']);
      const known =
        /^(host|connection|content-type|content-length|accept|accept-language|sec-fetch-mode|user-agent|accept-encoding|cache-control|pragma)$/;
      expect(Object.keys(headers).filter((name) => !known.test(name))).toEqual([]);
      expect(body.includes('sums-') || body.includes('confirm')).toBe(false);
    }
    for (const { headers } of gateway.asked) expect(Object.keys(headers).filter((name) => name !== 'accept')).toEqual([]);
    // Each question has a key of its own.
    expect(new Set(relay.requests.map(({ body }) => body.subarray(7, 39).toString('hex'))).size).toBe(relay.requests.length);
  });

  test('asks after a restart with the keys that were stored with the list', async () => {
    const { origin, signatures, ohttp, direct, relay } = await unseenList();
    const options = { url: origin, ...signatures, ohttp: ohttp() };
    const { blocklist, store } = engines[engine](sourceOf[engine](options));
    await blocklist.ready();
    await blocklist.close();
    const before = direct();
    const again = engines[engine](sourceOf[engine](options), store);
    await again.blocklist.ready();
    expect((await again.blocklist.check('https://evil.example/')).status).toBe('blocked');
    expect(direct()).toEqual(before);
    // The version, two files of sums and a shard.
    expect(relay.requests).toHaveLength(4);
  });

  test('needs no signatures if the app pins the keys', async () => {
    const { origin, ohttp, gateway, direct } = await unseenList({ names: false });
    const { blocklist } = engines[engine](sourceOf[engine]({ url: origin, ohttp: ohttp({ keys: gateway.keyList }) }));
    await blocklist.ready();
    const before = direct();
    expect((await blocklist.check('https://evil.example/')).status).toBe('blocked');
    expect(direct()).toEqual(before);
  });
});

test('serviceSource asks a service unseen, with its key inside', async () => {
  const { url } = await listening();
  const gateway = await testGateway((path) => url + path);
  const relay = await testRelay(gateway.url);
  const ohttp = oblivious({ relay: relay.url, keys: Buffer.from(gateway.keyList).toString('base64') });
  const source = serviceSource({ baseUrl: url, apiKey: key, ohttp });
  const { blocklist } = engines.full(source);
  await blocklist.ready();
  expect((await blocklist.check('https://scam-mint.example/')).status).toBe('blocked');
  expect(gateway.asked.map(({ line }) => line)).toEqual(['POST /asset/blocklist/confirm']);
  expect(gateway.asked[0]!.headers['x-api-key']).toBe(key);
  expect(relay.requests.map(({ body }) => body.length)).toEqual([1079]);
  expect(relay.requests.some(({ headers, body }) => JSON.stringify(headers).includes(key) || body.includes(key))).toBe(false);
});

test.each(['full', 'light'] as const)('a relay of the service is asked unseen by the %s engine', async (engine) => {
  const { url } = await listening();
  const baseUrl = await relaying(url);
  const gateway = await testGateway((path) => new URL(path, baseUrl).href);
  const relay = await testRelay(gateway.url);
  const ohttp = oblivious({ relay: relay.url, keys: gateway.keyList });
  const source = engine === 'full' ? serviceSource({ baseUrl, ohttp }) : lightRelaySource({ baseUrl, ohttp });
  const { blocklist } = engines[engine](source);
  await blocklist.ready();
  expect((await blocklist.check('https://scam-mint.example/')).status).toBe('blocked');
  expect((await blocklist.check('https://example.org/')).status).toBe('clear');
  expect(gateway.asked.map(({ line }) => line)).toEqual(['POST /list/asset/blocklist/confirm']);
});

test('a source of a service learns unseen how the algorithm is spelled', async () => {
  const service = createService({ keys: { [key]: ['example-wallet'] } });
  onTestFinished(() => service.close());
  const { url } = await service.listen();
  const gateway = await testGateway((path) => url + path);
  const relay = await testRelay(gateway.url);
  const ohttp = oblivious({ relay: relay.url, keys: gateway.keyList });
  const sources = [
    serviceSource({ baseUrl: url, apiKey: key, ohttp, fetch: () => Promise.reject(new Error('a direct request')) }),
    lightRelaySource({ baseUrl: url, ohttp, fetch: () => Promise.reject(new Error('a direct request')) }),
  ];
  for (const source of sources) await source.confirm!([evil], { algoVersion: '3' }).catch(() => {});
  expect(gateway.asked.map(({ line }) => line)).toContain('GET /asset/blocklist/version');
  expect(gateway.asked.every(({ line }) => /version$|confirm$/.test(line))).toBe(true);
});

describe('what the host gives one client alone is not sent through the gateway', () => {
  test('neither the tag of a document that came directly', async () => {
    const { origin, signatures, ohttp, gateway } = await unseenList();
    let nowMs = Date.now();
    const source = publishedSource({ url: origin, ...signatures, ohttp: ohttp(), now: () => nowMs });
    const { ohttpKeys } = await source.version({});
    // The version must be asked for again.
    nowMs += 301_000;
    await source.confirm!([evil], { algoVersion, ohttpKeys });
    const [version] = gateway.asked;
    expect(version!.line).toBe('GET /version.json');
    expect(version!.headers['if-none-match']).toBe(undefined);
  });

  test('nor the tag that came through the gateway, directly', async () => {
    const { origin, signatures, ohttp, gateway, requests } = await unseenList();
    const source = publishedSource({ url: origin, ...signatures, ohttp: ohttp() });
    await source.confirm!([evil], { algoVersion, ohttpKeys: Buffer.from(gateway.keyList).toString('base64') });
    expect(gateway.asked[0]!.line).toBe('GET /version.json');
    await source.version({});
    expect(requests[requests.length - 1]!.headers['if-none-match']).toBe(undefined);
  });

  test('and the next direct request does not show that something was asked', async () => {
    const { origin, signatures, ohttp, gateway, requests } = await unseenList();
    let nowMs = Date.now();
    const source = publishedSource({ url: origin, ...signatures, ohttp: ohttp(), now: () => nowMs });
    const { ohttpKeys } = await source.version({});
    nowMs += 301_000;
    await source.confirm!([evil], { algoVersion, ohttpKeys });
    expect(gateway.asked[0]!.line).toBe('GET /version.json');
    await source.version({});
    expect(requests[requests.length - 1]!.headers['if-none-match']).toMatch(/"/);
  });

  test('nor an address in the part of the document that is not signed', async () => {
    const { origin, signatures, ohttp, files, gateway } = await unseenList();
    const document = JSON.parse(Buffer.from(files.get('version.json')!).toString());
    const sums = document.confirm.url;
    files.set(`client-4711/${sums}`, files.get(sums)!);
    files.set(
      'version.json',
      Buffer.from(JSON.stringify({ ...document, confirm: { ...document.confirm, url: `client-4711/${sums}` } })),
    );
    const source = publishedSource({ url: origin, ...signatures, ohttp: ohttp() });
    const { ohttpKeys } = await source.version({});
    expect((await source.confirm!([evil], { algoVersion, ohttpKeys })).hashes.get(evil)).toHaveLength(1);
    expect(gateway.asked.some(({ line }) => line.includes('4711'))).toBe(false);
  });
});

test.each(['full', 'light'] as const)(
  'which version the host shows one client is not sent through the gateway: %s',
  async (engine) => {
    const { origin, signatures, ohttp, files, gateway, publish } = await unseenList({ shards: 1 });
    const older = filesOf(await publish(gateway.keyList, ['evil.example', 'one.example']));
    const newest = filesOf(await publish(gateway.keyList, ['evil.example', 'two.example']));
    const serve = (version: ReadonlyMap<string, Uint8Array>): void => {
      for (const [name, bytes] of [...older, ...newest, ...version]) files.set(name, bytes);
    };
    // Both are signed, and the host holds the newer one back.
    serve(older);
    const { blocklist } = engines[engine](sourceOf[engine]({ url: origin, ...signatures, ohttp: ohttp() }));
    await blocklist.ready();
    serve(newest);
    expect((await blocklist.check('https://evil.example/')).status).toBe('blocked');
    const { confirm } = JSON.parse(Buffer.from(newest.get('version.json')!).toString());
    expect(gateway.asked.map(({ line }) => line).slice(0, 2)).toEqual(['GET /version.json', `GET /${confirm.url}`]);
  },
);

test.each(['full', 'light'] as const)(
  'with a log, a poll fetches the same after a question as without one: %s',
  async (engine) => {
    const own = logSigner('lists.example/hosts', 1);
    const polled: string[][] = [];
    for (const asks of [false, true]) {
      const { origin, signatures, ohttp, files, direct } = await unseenList();
      const version = new Map(files);
      for (const [name, bytes] of await new TestLog(own).published(version, [payloadOf(version)])) files.set(name, bytes);
      const source = () =>
        sourceOf[engine]({ url: origin, ...signatures, ohttp: ohttp(), log: transparencyLog({ key: own.vkey }) });
      const first = engines[engine](source());
      await first.blocklist.ready();
      await first.blocklist.close();
      const { blocklist } = engines[engine](source(), first.store as never);
      await blocklist.ready();
      if (asks) expect((await blocklist.check('https://evil.example/')).status).toBe('blocked');
      const before = direct().length;
      await blocklist.sync();
      polled.push(
        direct()
          .slice(before)
          .map((url) => url.split('?')[0]!),
      );
    }
    expect(polled[0]).toContain('/version.proof');
    expect(polled[1]).toEqual(polled[0]);
  },
);

describe('what cannot work is refused', () => {
  const url = 'https://list.example';

  test('a relay at the origin of the list or service', async () => {
    const keys = (await testGateway((path) => url + path)).keyList;
    const ohttp = oblivious({ relay: 'https://LIST.example/ohttp', keys });
    const sources = [
      () => publishedSource({ url, ohttp }),
      () => lightPublishedSource({ url, ohttp }),
      () => serviceSource({ baseUrl: url, ohttp }),
      () => lightRelaySource({ baseUrl: url, ohttp }),
    ];
    for (const source of sources) expect(source).toThrow('a relay that somebody else runs');
  });

  test('a log in another place than the list', async () => {
    const { origin, signatures, ohttp } = await unseenList();
    const { vkey } = logSigner('lists.example/hosts', 1);
    const log = transparencyLog({ key: vkey, url: 'https://log.example/log' });
    expect(() => publishedSource({ url: origin, ...signatures, ohttp: ohttp(), log })).toThrow(
      'must be in the folder of the list',
    );
    expect(() => publishedSource({ url: origin, ...signatures, log })).not.toThrow();
  });

  test('an ohttp of your own that returns nothing never asks directly', async () => {
    const { url: baseUrl } = await listening();
    const asked: string[] = [];
    const fetch = (async (target: string, init?: RequestInit) => {
      asked.push(`${init?.method ?? 'GET'} ${new URL(target).pathname}`);
      return globalThis.fetch(target, init);
    }) as never;
    const source = lightRelaySource({ baseUrl, fetch, ohttp: { confirmWith: () => undefined } as never });
    expect(source.confirm).toBe(undefined);
    expect(asked).toEqual([]);
  });
});

describe('the keys', () => {
  test('come only with a verified signature', async () => {
    const { origin, signatures, files, gateway, publish } = await unseenList({ names: false });
    const other = Buffer.from(gateway.keyList).toString('base64');
    const document = JSON.parse(Buffer.from(files.get('version.json')!).toString());
    files.set('version.json', Buffer.from(JSON.stringify({ ...document, ohttpKeys: other })));
    expect((await publishedSource({ url: origin, ...signatures }).version({})).ohttpKeys).toBe(undefined);
    expect((await publishedSource({ url: origin }).version({})).ohttpKeys).toBe(undefined);
    await publish(gateway.keyList);
    expect((await publishedSource({ url: origin, ...signatures }).version({})).ohttpKeys).toBe(other);
    expect((await publishedSource({ url: origin }).version({})).ohttpKeys).toBe(undefined);
  });

  test('are missing until a signed list names them: nothing is sent', async () => {
    const { origin, signatures, ohttp, relay, direct } = await unseenList({ names: false });
    const source = publishedSource({ url: origin, ...signatures, ohttp: ohttp() });
    expect(await codeOf(source.confirm!([evil], { algoVersion }))).toBe('GATEWAY_KEY_UNKNOWN');
    expect([relay.requests, direct()]).toEqual([[], []]);
  });

  test('of a list that expired more than a week ago are not used: they may have been stolen since', async () => {
    const { origin, signatures, relay, direct, gateway } = await unseenList();
    let nowMs = Date.now();
    const ohttp = oblivious({ relay: relay.url, now: () => nowMs });
    const started = () => publishedSource({ url: origin, ...signatures, ohttp });
    const { ohttpKeys, expiresAtMs } = await started().version({});
    nowMs = expiresAtMs! + 7 * 86_400_000;
    const before = direct();
    const ask = () => started().confirm!([evil], { algoVersion, ohttpKeys, expiresAtMs });
    expect((await ask()).hashes.get(evil)).toHaveLength(1);
    const asked = gateway.asked.length;
    nowMs++;
    const error = await errorOf(ask());
    expect([error.code, error.message]).toEqual(['GATEWAY_KEY_UNKNOWN', expect.stringContaining('expired')]);
    expect([gateway.asked.length, direct()]).toEqual([asked, before]);
  });

  test.each(['full', 'light'] as const)('expire with their list: the %s engine', async (engine) => {
    const { origin, signatures, relay, gateway } = await unseenList();
    const ohttp = oblivious({ relay: relay.url, now: () => Date.now() + 11 * 86_400_000 });
    const { blocklist } = engines[engine](sourceOf[engine]({ url: origin, ...signatures, ohttp }));
    const messages: string[] = [];
    blocklist.on('error', ({ error }) => void messages.push(`${error.code}: ${error.message}`));
    await blocklist.ready();
    expect((await blocklist.check('https://evil.example/')).status).toBe('unconfirmed');
    expect(messages).toContainEqual(expect.stringMatching(/^GATEWAY_KEY_UNKNOWN: .*expired/));
    expect(gateway.asked).toEqual([]);
  });

  test('are an error if the list names others than the app pins', async () => {
    const { origin, signatures, ohttp, relay } = await unseenList();
    const { keyList } = await testGateway(() => origin);
    const source = publishedSource({ url: origin, ...signatures, ohttp: ohttp({ keys: keyList }) });
    const { ohttpKeys } = await source.version({});
    const error = await errorOf(source.confirm!([evil], { algoVersion, ohttpKeys }));
    expect([error.code, error.message]).toEqual([
      'GATEWAY_KEY_UNKNOWN',
      expect.stringContaining('not those that the signed list names'),
    ]);
    expect(relay.requests).toEqual([]);
  });

  test.each(['full', 'light'] as const)('are replaced by the next version: the %s engine', async (engine) => {
    const { origin, signatures, ohttp, relay, publish, gateway } = await unseenList();
    const { blocklist } = engines[engine](sourceOf[engine]({ url: origin, ...signatures, ohttp: ohttp() }));
    const codes: string[] = [];
    blocklist.on('error', ({ error }) => void codes.push(error.code));
    await blocklist.ready();
    const next = await testGateway((path) => origin + path, 8);
    relay.gatewayUrl = next.url;
    const { status, reason } = await blocklist.check('https://evil.example/');
    expect([status, reason, codes]).toEqual(['unconfirmed', expect.any(String), ['GATEWAY_KEY_UNKNOWN']]);
    await publish(new Uint8Array([...next.keyList, ...gateway.keyList]));
    await blocklist.sync();
    // A source that failed is left alone for a second.
    const isBlocked = async () => expect((await blocklist.check('https://scam.example/')).status).toBe('blocked');
    await vi.waitFor(isBlocked, { timeout: 10_000, interval: 300 });
    expect(next.asked.length).toBeGreaterThan(0);
  });

  test.each([
    ['is no base64', 'a!'],
    ['is no text', 5],
    ['is too long', 'A'.repeat(5_468)],
  ])('are an error of the question if the field of a signed document %s', async (_, ohttpKeys) => {
    const { origin, signatures, ohttp, files, publish, signer, relay, direct } = await unseenList();
    const { signed: __, ...version } = (await publish(undefined)).version;
    const payload = Buffer.from(JSON.stringify({ ...version, ohttpKeys }));
    const signature = writeSignature(publicKeyOf(signer.publicKey), await signer.sign(signedBytesOf(payload)));
    const signed = { payloadType, payload: payload.toString('base64'), signatures: [signature] };
    files.set('version.json', Buffer.from(JSON.stringify({ ...version, signed })));
    const source = publishedSource({ url: origin, ...signatures, ohttp: ohttp() });
    const named = await source.version({});
    const directly = direct().length;
    expect(await codeOf(source.confirm!([evil], { algoVersion, ohttpKeys: named.ohttpKeys }))).toBe('INVALID_RESPONSE');
    expect([relay.requests, direct().length]).toEqual([[], directly]);
  });

  test('in a store that others can write to do not count: those that were signed do', async () => {
    const { origin, signatures, ohttp, gateway } = await unseenList();
    const options = { url: origin, ...signatures, ohttp: ohttp() };
    const { blocklist, store } = engines.full(publishedSource(options));
    await blocklist.ready();
    await blocklist.close();
    const { keyList } = await testGateway(() => origin);
    const [newest] = await store.heads('published/head');
    const head = decodeJsonRecord('head', newest!.bytes) as { order: { ohttpKeys: string } };
    expect(head.order.ohttpKeys).toBe(Buffer.from(gateway.keyList).toString('base64'));
    head.order.ohttpKeys = Buffer.from(keyList).toString('base64');
    await store.commit('published/head', encodeJsonRecord('head', head), newest!.sequence);
    const again = engines.full(publishedSource(options), store);
    await again.blocklist.ready();
    expect((await again.blocklist.check('https://evil.example/')).status).toBe('blocked');
    expect(gateway.asked.length).toBeGreaterThan(0);
  });

  test('must be pinned, or come with a signed list', () => {
    const relay = 'https://relay.example/';
    const url = 'https://list.example';
    const unpinned = oblivious({ relay });
    expect(() => publishedSource({ url, ohttp: unpinned })).toThrow('ohttp needs keys in oblivious');
    expect(() => lightPublishedSource({ url, ohttp: unpinned })).toThrow('ohttp needs keys in oblivious');
    expect(() => serviceSource({ baseUrl: url, ohttp: unpinned })).toThrow('ohttp needs keys in oblivious');
    expect(() => lightRelaySource({ baseUrl: url, ohttp: unpinned })).toThrow('ohttp needs keys in oblivious');
  });

  test.each(['', 'AAAA', 'no base64', new Uint8Array(3), new Uint8Array()])('refuses %j as the keys of oblivious', (keys) => {
    expect(() => oblivious({ relay: 'https://relay.example/', keys })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT' }),
    );
  });
});

test.each(['http://relay.example/', 'https://user@relay.example/', 'relay.example', '/relay'])(
  'refuses the relay %s',
  (relay) => {
    expect(() => oblivious({ relay })).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  },
);
