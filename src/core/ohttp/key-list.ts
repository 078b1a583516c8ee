import { fromBase64 } from '../base64.js';
import { joined } from '../bytes.js';
import { isBytes, refuse } from '../errors.js';
import type { Kind } from '../options/read-options.js';

/**
 * Key configurations of a gateway (RFC 9458 §3), as `application/ohttp-keys` lists them. One suite is supported: X25519, HKDF-SHA256 and
 * AES-128-GCM. A second one would tell clients apart.
 */

/** The key of a gateway that requests are sealed to. */
export interface GatewayKey {
  /** 0 to 255. Names the key in requests. */
  readonly id: number;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
}

export const mediaTypes = {
  keys: 'application/ohttp-keys',
  request: 'message/ohttp-req',
  response: 'message/ohttp-res',
} as const;

/** Types of problem documents (RFC 9458 §5.2 and §6.5). */
export const problemTypes = {
  key: 'https://iana.org/assignments/http-problem-types#ohttp-key',
  date: 'https://iana.org/assignments/http-problem-types#date',
} as const;

/** DHKEM(X25519, HKDF-SHA256). */
const kemId = 0x0020;

/** KDF HKDF-SHA256 and AEAD AES-128-GCM. */
export const symmetricIds = [0, 1, 0, 1] as const;

export const publicKeyBytes = 32;

/** Of the identifiers before a public key: its own, and that of the KEM. */
const headBytes = 3;

/** Bytes of a list: dozens of keys. A rotation needs two. */
export const maxKeyListBytes = 4_096;

/** The identifiers that a sealed request begins with. */
export function requestHead({ id }: GatewayKey): Uint8Array {
  return Uint8Array.of(id, kemId >> 8, kemId & 0xff, ...symmetricIds);
}

/** @throws PortcullisError `INVALID_INPUT` */
export function writeKeyList(keys: readonly GatewayKey[]): Uint8Array {
  if (new Set(keys.map(({ id }) => id)).size !== keys.length) refuse('each key of a gateway must have an id of its own');
  const configurations = keys.map((key) => {
    const { id, publicKey } = key;
    if (!Number.isInteger(id) || id < 0 || id > 255) refuse('the id of a key must be a whole number from 0 to 255');
    if (!isBytes(publicKey) || publicKey.length !== publicKeyBytes) refuse(`a public key must have ${publicKeyBytes} bytes`);
    const configuration = [...requestHead(key).subarray(0, headBytes), ...publicKey, 0, symmetricIds.length, ...symmetricIds];
    return Uint8Array.of(0, configuration.length, ...configuration);
  });
  const length = configurations.reduce((sum, one) => sum + one.length, 0);
  if (length === 0 || length > maxKeyListBytes) refuse('a list of keys must have at least one key and at most 4,096 bytes');
  return joined(configurations, length);
}

/**
 * The supported keys of a list, in its order; `null` if the list is malformed, empty, or names two keys alike. Keys of other algorithms are
 * skipped by their length.
 */
export function readKeyList(bytes: Uint8Array): readonly GatewayKey[] | null {
  if (bytes.length === 0 || bytes.length > maxKeyListBytes) return null;
  const keys: GatewayKey[] = [];
  const ids = new Set<number>();
  for (let at = 0; at < bytes.length; ) {
    const start = at + 2;
    at = start + u16(bytes, at);
    const configuration = bytes.subarray(start, at);
    // The second compares with nothing if the length itself is cut off.
    if (!(at <= bytes.length) || configuration.length < headBytes || ids.has(configuration[0]!)) return null;
    const id = configuration[0]!;
    ids.add(id);
    if (u16(configuration, 1) !== kemId) continue;
    const pairs = configuration.subarray(headBytes + publicKeyBytes);
    const pairsLength = u16(pairs, 0);
    if (!(pairsLength >= 4) || pairsLength % 4 !== 0 || pairsLength !== pairs.length - 2) return null;
    for (let pair = 2; pair < pairs.length; pair += 4) {
      if (symmetricIds.some((value, index) => pairs[pair + index] !== value)) continue;
      keys.push({ id, publicKey: configuration.slice(headBytes, headBytes + publicKeyBytes) });
      break;
    }
  }
  return keys;
}

/** A list of keys, as bytes or in base64, with one at least that is supported. */
export const keyList: Kind<Uint8Array> = (value, path) => {
  const bytes = typeof value === 'string' ? fromBase64(value.trim()) : value;
  const keys = isBytes(bytes) ? readKeyList(bytes) : null;
  if (keys === null) refuse(`${path} must be the bytes of a gateway's application/ohttp-keys, or base64 of them`);
  if (keys.length === 0) refuse(`${path} must have a key with X25519, HKDF-SHA256 and AES-128-GCM`);
  return bytes as Uint8Array;
};

/** Not a number past the end. */
function u16(bytes: Uint8Array, at: number): number {
  return bytes[at]! * 256 + bytes[at + 1]!;
}
