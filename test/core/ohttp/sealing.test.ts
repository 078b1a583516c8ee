import { Aes128Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from '@hpke/core';
import * as noble from '@panva/hpke-noble';
import { KEM_DHKEM_X25519_HKDF_SHA256, type KEMFactory } from 'hpke';
import { describe, expect, test } from 'vitest';
import {
  createGatewayPair,
  keyFor,
  openingKey,
  openRequest,
  requestOverhead,
  responseOverhead,
  sealRequest,
} from '../../../src/core/ohttp/sealing.js';
import * as rfc from '../../support/ohttp-vectors.js';

/** A key exchange whose next key is this one instead of a random one. */
function withKey(kem: KEMFactory, pair: typeof rfc.clientPair): KEMFactory {
  const real = kem();
  const GenerateKeyPair = async () => ({
    privateKey: await real.DeserializePrivateKey(pair.privateKey, true),
    publicKey: await real.DeserializePublicKey(pair.publicKey),
  });
  return () => Object.assign(Object.create(Object.getPrototypeOf(real)), real, { GenerateKeyPair });
}

describe.each<[string, KEMFactory]>([
  ['Web Crypto', KEM_DHKEM_X25519_HKDF_SHA256],
  ['JavaScript', noble.KEM_DHKEM_X25519_HKDF_SHA256 as KEMFactory],
])('with the key exchange of %s', (_, kem) => {
  test('a gateway opens and answers the request of RFC 9458 appendix A', async () => {
    const key = await openingKey(1, rfc.gatewayPair, kem);
    expect(keyFor(rfc.sealedRequest, [key])).toBe(key);
    const opened = (await openRequest(rfc.sealedRequest, key))!;
    expect(opened.message).toEqual(rfc.request);
    expect(await opened.seal(rfc.response, rfc.responseNonce)).toEqual(rfc.sealedResponse);
  });

  test('a client seals that request and opens that response', async () => {
    const key = { id: 1, publicKey: rfc.gatewayPair.publicKey };
    const { sealed, open } = await sealRequest(key, rfc.request, withKey(kem, rfc.clientPair));
    expect(sealed).toEqual(rfc.sealedRequest);
    expect(await open(rfc.sealedResponse)).toEqual(rfc.response);
  });

  test('no changed byte opens, in either direction', async () => {
    const key = await openingKey(7, await createGatewayPair(kem), kem);
    const { sealed, open } = await sealRequest(key, rfc.request, kem);
    expect(sealed).toHaveLength(rfc.request.length + requestOverhead);
    for (let at = 0; at < sealed.length; at += 3) {
      const changed = sealed.slice();
      changed[at]! ^= 0x80;
      expect(await openRequest(changed, key), `byte ${at}`).toBe(null);
    }
    const opened = (await openRequest(sealed, key))!;
    const answer = await opened.seal(rfc.response, crypto.getRandomValues(new Uint8Array(16)));
    expect(answer).toHaveLength(rfc.response.length + responseOverhead);
    for (let at = 0; at < answer.length; at++) {
      const changed = answer.slice();
      changed[at]! ^= 1;
      expect(await open(changed), `byte ${at}`).toBe(null);
    }
    for (const length of [0, 1, 16, 31, 32, answer.length - 1]) expect(await open(answer.subarray(0, length))).toBe(null);
    expect(await open(answer)).toEqual(rfc.response);
  });

  test('a response opens only for the request that it answers', async () => {
    const key = await openingKey(7, await createGatewayPair(kem), kem);
    const [first, second] = await Promise.all([sealRequest(key, rfc.request, kem), sealRequest(key, rfc.request, kem)]);
    expect(first.sealed).not.toEqual(second.sealed);
    const answer = await (await openRequest(first.sealed, key))!.seal(rfc.response, rfc.responseNonce);
    expect(await second.open(answer)).toBe(null);
    expect(await first.open(answer)).toEqual(rfc.response);
  });

  test('refuses a public key of low order, which would fix the secret', async () => {
    await expect(sealRequest({ id: 1, publicKey: new Uint8Array(32) }, rfc.request, kem)).rejects.toThrow();
    const key = await openingKey(7, await createGatewayPair(kem), kem);
    const { sealed } = await sealRequest(key, rfc.request, kem);
    sealed.fill(0, 7, 39);
    expect(await openRequest(sealed, key)).toBe(null);
  });
});

test('interoperates with @hpke/core, both ways', async () => {
  const suite = new CipherSuite({ kem: new DhkemX25519HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes128Gcm() });
  const recipientKey = await suite.kem.importKey('raw', toBuffer(rfc.gatewayPair.privateKey), false);
  const publicKey = await suite.kem.importKey('raw', toBuffer(rfc.gatewayPair.publicKey), true);
  const head = rfc.bytesOf('01002000010001');
  const info = toBuffer(Buffer.concat([Buffer.from('message/bhttp request\0'), head]));
  for (let run = 0; run < 20; run++) {
    const message = crypto.getRandomValues(new Uint8Array(1024));
    const { sealed } = await sealRequest({ id: 1, publicKey: rfc.gatewayPair.publicKey }, message);
    const context = await suite.createRecipientContext({ recipientKey, enc: toBuffer(sealed.slice(7, 39)), info });
    expect(new Uint8Array(await context.open(toBuffer(sealed.slice(39))))).toEqual(message);
    const sender = await suite.createSenderContext({ recipientPublicKey: publicKey, info });
    const theirs = Buffer.concat([head, Buffer.from(sender.enc), Buffer.from(await sender.seal(toBuffer(message)))]);
    const key = await openingKey(1, rfc.gatewayPair);
    expect((await openRequest(new Uint8Array(theirs), key))?.message).toEqual(message);
  }
});

test('finds the key of a request by its first bytes alone', async () => {
  const keys = [
    { id: 1, publicKey: rfc.gatewayPair.publicKey },
    { id: 2, publicKey: rfc.clientPair.publicKey },
  ];
  const { sealed } = await sealRequest(keys[1]!, new Uint8Array());
  expect(sealed).toHaveLength(requestOverhead);
  expect(keyFor(sealed, keys)).toBe(keys[1]);
  expect(keyFor(sealed, keys.slice(0, 1))).toBe(null);
  expect(keyFor(sealed.subarray(0, -1), keys)).toBe(null);
  for (const at of [0, 1, 2, 3, 4, 5, 6]) {
    const other = sealed.slice();
    other[at]! ^= 0x10;
    expect(keyFor(other, keys), `byte ${at}`).toBe(null);
  }
});

test('refuses a pair whose halves do not belong together, and keys of another length', async () => {
  const { publicKey } = rfc.clientPair;
  await expect(openingKey(1, { ...rfc.gatewayPair, publicKey })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  const short = { ...rfc.gatewayPair, privateKey: new Uint8Array(31) };
  await expect(openingKey(1, short)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});

function toBuffer(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}
