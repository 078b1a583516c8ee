import {
  AEAD_AES_128_GCM,
  CipherSuite,
  KDF_HKDF_SHA256,
  KEM_DHKEM_X25519_HKDF_SHA256,
  type KEMFactory,
  type KeyPair,
} from 'hpke';
import { concat, equalBytes, utf8 } from '../bytes.js';
import { isBytes, refuse } from '../errors.js';
import { type GatewayKey, publicKeyBytes, requestHead } from './key-list.js';

/** Sealed requests and responses (RFC 9458 §4). */

/** The key exchange of a suite: that of `hpke`, or another with the same interface. */
export type Kem = KEMFactory;

/** Random bytes before a sealed response: the longer of key and nonce of AES-128-GCM. */
export const nonceBytes = 16;

const tagBytes = 16;

/** What a sealed request adds to its message: identifiers, the client's public key, and the tag. */
export const requestOverhead: number = 7 + publicKeyBytes + tagBytes;

/** What a sealed response adds. */
export const responseOverhead: number = nonceBytes + tagBytes;

export interface SealedRequest {
  readonly sealed: Uint8Array;
  /** The message of the response; `null` if the holder of the key did not seal it for this request. */
  open(answer: Uint8Array): Promise<Uint8Array | null>;
}

/**
 * Seals a message to a gateway's key. Each request has a key of its own: a message that is sent twice must be sealed twice.
 *
 * @throws what the platform throws that has no X25519, and for a public key that is no point
 */
export async function sealRequest(key: GatewayKey, message: Uint8Array, kem?: Kem): Promise<SealedRequest> {
  const suite = suiteOf(kem);
  const head = requestHead(key);
  const publicKey = await suite.DeserializePublicKey(key.publicKey);
  const { encapsulatedSecret, ctx } = await suite.SetupSender(publicKey, { info: infoOf(head) });
  const ciphertext = await ctx.Seal(message);
  return {
    sealed: concat([head, encapsulatedSecret, ciphertext]),
    async open(answer) {
      if (answer.length < responseOverhead) return null;
      const { key: secret, iv } = await responseKey(ctx, encapsulatedSecret, answer.subarray(0, nonceBytes));
      return orNull(() => aead.Open(secret, iv, new Uint8Array(), answer.subarray(nonceBytes)));
    },
  };
}

/** A key of a gateway that opens requests. */
export interface OpeningKey extends GatewayKey {
  /** Opens with this key: its secret is not readable. */
  readonly pair: KeyPair;
  readonly suite: CipherSuite;
}

/** A new pair of keys, of 32 bytes each. */
export async function createGatewayPair(kem?: Kem): Promise<{ readonly privateKey: Uint8Array; readonly publicKey: Uint8Array }> {
  const suite = suiteOf(kem);
  const pair = await suite.GenerateKeyPair(true);
  return {
    privateKey: await suite.SerializePrivateKey(pair.privateKey),
    publicKey: await suite.SerializePublicKey(pair.publicKey),
  };
}

/** @throws PortcullisError `INVALID_INPUT` for bytes of another length, or a public key that does not belong to the private one */
export async function openingKey(
  id: number,
  { privateKey, publicKey }: { readonly privateKey: Uint8Array; readonly publicKey: Uint8Array },
  kem?: Kem,
): Promise<OpeningKey> {
  for (const part of [privateKey, publicKey]) {
    if (!isBytes(part) || part.length !== publicKeyBytes) refuse(`a key of a gateway must have ${publicKeyBytes} bytes`);
  }
  const suite = suiteOf(kem);
  const pair = {
    privateKey: await suite.DeserializePrivateKey(privateKey, false),
    publicKey: await suite.DeserializePublicKey(publicKey),
  };
  const key: OpeningKey = { id, publicKey, pair, suite };
  const trial = await openRequest((await sealRequest(key, new Uint8Array(1), kem)).sealed, key);
  if (trial === null) refuse('the public key does not belong to the private key');
  return key;
}

/**
 * The key that a request is sealed to, by what it begins with: without any work on keys. `null` if it is too short, names a key that is not
 * there, or another suite.
 */
export function keyFor<Key extends GatewayKey>(sealed: Uint8Array, keys: readonly Key[]): Key | null {
  if (sealed.length < requestOverhead) return null;
  const key = keys.find(({ id }) => id === sealed[0]);
  return key !== undefined && equalBytes(requestHead(key), sealed.subarray(0, 7)) ? key : null;
}

export interface OpenedRequest {
  readonly message: Uint8Array;
  /** Seals the response, with 16 random bytes that are never used again. */
  seal(answer: Uint8Array, nonce: Uint8Array): Promise<Uint8Array>;
}

/** @returns `null` if the request was not sealed to this key, or was changed */
export async function openRequest(sealed: Uint8Array, { pair, suite }: OpeningKey): Promise<OpenedRequest | null> {
  const head = sealed.subarray(0, 7);
  const encapsulated = sealed.slice(7, 7 + publicKeyBytes);
  return orNull(async () => {
    const context = await suite.SetupRecipient(pair, encapsulated, { info: infoOf(head) });
    const message = await context.Open(sealed.subarray(7 + publicKeyBytes));
    return {
      message,
      async seal(answer: Uint8Array, nonce: Uint8Array) {
        const { key, iv } = await responseKey(context, encapsulated, nonce);
        return concat([nonce, await aead.Seal(key, iv, new Uint8Array(), answer)]);
      },
    };
  });
}

const kdf = /* @__PURE__ */ KDF_HKDF_SHA256();
const aead = /* @__PURE__ */ AEAD_AES_128_GCM();

function suiteOf(kem: Kem = KEM_DHKEM_X25519_HKDF_SHA256): CipherSuite {
  return new CipherSuite(kem, KDF_HKDF_SHA256, AEAD_AES_128_GCM);
}

function infoOf(head: Uint8Array): Uint8Array {
  return concat([utf8('message/bhttp request\0'), head]);
}

/** RFC 9458 §4.4. HKDF is the plain one here, not the labeled one of HPKE. */
async function responseKey(
  context: { Export(name: Uint8Array, length: number): Promise<Uint8Array> },
  encapsulated: Uint8Array,
  nonce: Uint8Array,
): Promise<{ readonly key: Uint8Array; readonly iv: Uint8Array }> {
  const secret = await context.Export(utf8('message/bhttp response'), nonceBytes);
  const pseudorandom = await kdf.Extract(concat([encapsulated, nonce]), secret);
  return {
    key: await kdf.Expand(pseudorandom, utf8('key'), aead.Nk),
    iv: await kdf.Expand(pseudorandom, utf8('nonce'), aead.Nn),
  };
}

/** A message that does not open is no error of this side, whatever the library throws for it. */
async function orNull<Value>(work: () => Promise<Value>): Promise<Value | null> {
  try {
    return await work();
  } catch {
    return null;
  }
}
