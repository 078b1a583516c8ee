import { createPrivateKey, createPublicKey, generateKeyPairSync, sign as nodeSign, verify as nodeVerify } from 'node:crypto';
import { ed25519 as noble } from '@noble/curves/ed25519';
import { type BuiltList, buildList, signList } from 'portcullis/publish';
import {
  ed25519,
  generateKeys,
  isPortcullisError,
  publishedSource,
  type Signer,
  serviceSource,
  signerOf,
  type Verifier,
  verifierOf,
} from 'portcullis/sources';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { relayOf } from '../servers/relay/relay-harness.js';
import { listen } from '../support/listen.js';
import { serve } from '../support/scripted-server.js';
import { errorOf, filesOf, hosting, readAll } from './sources/harness.js';

const now = (): number => Date.UTC(2026, 0, 5);
let list: BuiltList;
beforeAll(async () => {
  list = await buildList(['evil.example'], { listName: 'evil', now, isPublicSuffix: () => false });
});

/** Another implementation of the same signatures. */
const byNode: Verifier = verifierOf((signature, message, publicKey) => {
  const key = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') },
    format: 'jwk',
  });
  return nodeVerify(null, message, key, signature);
});
const byNoble = verifierOf(noble.verify);

async function signedBy(...signers: readonly Signer[]): Promise<string> {
  const { origin } = await hosting(filesOf(await signList(list, { signers, now })));
  return origin;
}

async function newKey(): Promise<Signer> {
  return signerOf((await generateKeys()).privateKey);
}

test.each([
  ['the platform', ed25519],
  ['Node', byNode],
  ['noble', byNoble],
])('%s verifies what the package signs, and rejects what another key signed', async (_, verifier) => {
  const signer = await newKey();
  const url = await signedBy(signer);
  const { version } = await readAll(publishedSource({ url, publicKeys: [signer.publicKey], verifier }));
  expect(version).toMatchObject({ sequence: now(), expiresAtMs: now() + 3 * 86_400_000 });
  const other = publishedSource({ url, publicKeys: [(await newKey()).publicKey], verifier });
  expect((await errorOf(other.version({}))).code).toBe('SIGNATURE_UNTRUSTED');
});

test('accepts what another implementation signed with a key of its own', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url').toString('base64');
  const url = await signedBy({ publicKey: raw, sign: (message) => nodeSign(null, message, privateKey) });
  await publishedSource({ url, publicKeys: [raw], verifier: ed25519 }).version({});
  // And its key file is one for us.
  const signer = await signerOf(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
  expect(signer.publicKey).toBe(raw);
});

test('writes keys that other programs read', async () => {
  const { privateKey, publicKey } = await generateKeys();
  const key = createPrivateKey(privateKey);
  expect(key.asymmetricKeyType).toBe('ed25519');
  expect(Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x!, 'base64url').toString('base64')).toBe(publicKey);
});

test('signs the bytes that DSSE says, with the payload as it is served', async () => {
  const signer = await newKey();
  const { signed } = (await signList(list, { signers: [signer], now })).version;
  const payload = Buffer.from(signed!.payload, 'base64');
  const type = 'application/vnd.portcullis.version+json';
  const message = Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} ${payload.length} `), payload]);
  expect(signed!.payloadType).toBe(type);
  expect(noble.verify(Buffer.from(signed!.signatures[0]!.sig, 'base64'), message, Buffer.from(signer.publicKey, 'base64'))).toBe(
    true,
  );
  expect(JSON.parse(payload.toString())).toMatchObject({ algoVersion: 'portcullis-1', confirm: list.version.confirm });
});

describe('a rotation of keys', () => {
  test('clients with the old key, the new key or both accept a list that both signed', async () => {
    const [old, fresh] = await Promise.all([newKey(), newKey()]);
    const url = await signedBy(old, fresh);
    for (const publicKeys of [[old.publicKey], [fresh.publicKey], [old.publicKey, fresh.publicKey]]) {
      await publishedSource({ url, publicKeys, verifier: ed25519 }).version({});
    }
  });

  test('one valid signature is enough, and a valid one of a foreign key is none', async () => {
    const [own, foreign] = await Promise.all([newKey(), newKey()]);
    const broken: Signer = { publicKey: own.publicKey, sign: () => new Uint8Array(64) };
    const url = await signedBy(foreign, broken);
    const source = publishedSource({ url, publicKeys: [own.publicKey], verifier: ed25519 });
    expect((await errorOf(source.version({}))).code).toBe('SIGNATURE_INVALID');
  });
});

describe('a signed document', () => {
  const without = (change: object): BuiltList => ({ ...list, version: { ...list.version, ...change } });
  test.each([
    ['the SHA-256 of its snapshot', () => without({ snapshot: { ...list.version.snapshot, sha256: undefined } })],
    ['the SHA-256 of its recent feed', () => without({ recent: { ...list.version.recent, sha256: undefined } })],
    ['the sums of its shards', () => without({ confirm: undefined })],
  ])('is refused without %s', async (_, make) => {
    const signer = await newKey();
    const { origin: url } = await hosting(filesOf(await signList(make(), { signers: [signer], now })));
    const source = publishedSource({ url, publicKeys: [signer.publicKey], verifier: ed25519 });
    expect((await errorOf(source.version({}))).code).toMatch(/^SIGNATURE_INVALID$|^INVALID_RESPONSE$/);
  });
});

describe('options', () => {
  const anyKey = `${'A'.repeat(43)}=`;
  const url = 'https://list.example';
  test.each<[string, object, string]>([
    ['keys without a verifier', { publicKeys: ['x'] }, 'verifier must be given'],
    ['a verifier without keys', { verifier: ed25519 }, 'verifier must be given'],
    ['no key', { publicKeys: [], verifier: ed25519 }, 'publicKeys must be a'],
    ['a key that is too short', { publicKeys: ['AAAA'], verifier: ed25519 }, 'base64 of 32 bytes'],
    ['a key that is not text', { publicKeys: [1], verifier: ed25519 }, 'must be a string'],
    ['one key as text', { publicKeys: 'AAAA', verifier: ed25519 }, 'must be an array'],
  ])('are refused: %s', (_, options, message) => {
    expect(() => publishedSource({ url, ...options })).toThrow(message);
    expect(() => serviceSource({ baseUrl: url, ...options })).toThrow(message);
  });

  test.each([
    ['no signer', { signers: [] }],
    ['a lifetime of a second', { signers: [{ publicKey: anyKey, sign: () => new Uint8Array(64) }], lifetimeMs: 1_000 }],
    ['a signer that returns something else', { signers: [{ publicKey: anyKey, sign: () => new Uint8Array(63) }] }],
  ])('of signList are refused: %s', async (_, options) => {
    expect((await errorOf(signList(list, options))).code).toBe('INVALID_INPUT');
  });

  test.each([
    ['no PEM', 'secret'],
    ['a public key', generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }) as string],
    ['a key of another algorithm', generateKeyPairSync('x25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string],
  ])('of signerOf are refused, and not repeated: %s', async (_, text) => {
    const { code, message } = await errorOf(signerOf(text));
    expect(code).toBe('INVALID_INPUT');
    expect(message).not.toContain(text.slice(0, 20));
  });
});

describe('a platform without Ed25519', () => {
  test.each([
    ['has no Web Crypto', undefined],
    ['has an older one', { subtle: { importKey: () => Promise.reject(new Error('NotSupportedError')) } }],
  ])('%s: says what to do, and another implementation works', async (_, crypto) => {
    const signer = await newKey();
    const url = await signedBy(signer);
    vi.stubGlobal('crypto', crypto);
    onTestFinished(() => void vi.unstubAllGlobals());
    const publicKeys = [signer.publicKey];
    const error = await errorOf(publishedSource({ url, publicKeys, verifier: ed25519 }).version({}));
    expect(error.code).toBe('SIGNATURE_UNSUPPORTED');
    expect(error.message).toContain('verifierOf');
    await publishedSource({ url, publicKeys, verifier: byNoble }).version({});
  });

  test.each([
    ['undefined', () => undefined],
    ['1', () => 1],
    ['a string', () => 'true'],
  ])('a verify function that returns %s verifies nothing', async (_, verify) => {
    const signer = await newKey();
    const url = await signedBy(signer);
    const verifier = verifierOf(verify as unknown as () => boolean);
    const error = await errorOf(publishedSource({ url, publicKeys: [signer.publicKey], verifier }).version({}));
    expect(error.code).toBe('SIGNATURE_INVALID');
  });

  test('a verify function that throws verifies nothing', async () => {
    const signer = await newKey();
    const url = await signedBy(signer);
    const verifier = verifierOf(() => {
      throw new Error('no');
    });
    const error = await errorOf(publishedSource({ url, publicKeys: [signer.publicKey], verifier }).version({}));
    expect([error.code, isPortcullisError(error)]).toEqual(['SIGNATURE_INVALID', true]);
  });
});

test('a relay passes signatures on, and its clients verify them', async () => {
  const signer = await newKey();
  const files = filesOf(await signList(list, { signers: [signer], now }));
  let forged: object = {};
  const { origin } = await serve(({ url }) => {
    const name = url.replace(/^\/(v2\/)?/, '').replace(/\?.*$/, '');
    if (!name.endsWith('blocklist/version')) return { body: Buffer.from(files.get(name)!) };
    const version = JSON.parse(Buffer.from(files.get('version.json')!).toString()) as Record<string, Record<string, unknown>>;
    for (const part of ['snapshot', 'recent']) version[part]!['url'] = `${origin}/${version[part]!['url']}`;
    delete version['confirm'];
    return { body: { ...version, ...forged } };
  });
  const url = await listen({ fetch: (request: Request) => relay.fetch(request) });
  const running = relayOf(origin, { publicUrl: url, versionTtlMs: 1_000, calibrate: false });
  const { relay, clock } = running;
  const source = serviceSource({ baseUrl: url, publicKeys: [signer.publicKey], verifier: ed25519 });
  const { version, snapshot } = await readAll(source);
  expect(version).toMatchObject({ sequence: now(), signedBy: expect.any(String) });
  expect([snapshot.entries.size, snapshot.isProven]).toEqual([1, true]);
  // What the service says outside of the signature does not count.
  forged = { sequence: 9e14, expiresAtMs: 9e14 };
  clock.nowMs += 2_000;
  expect(await source.version({})).toMatchObject({ sequence: now() });
  forged = { signed: undefined };
  clock.nowMs += 2_000;
  expect((await errorOf(source.version({}))).code).toBe('SIGNATURE_MISSING');
});
