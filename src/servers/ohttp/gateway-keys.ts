import { fromBase64, toBase64 } from '../../core/base64.js';
import { isRecord, refuse } from '../../core/errors.js';
import { publicKeyBytes, writeKeyList } from '../../core/ohttp/key-list.js';
import { createGatewayPair, type Kem, type OpeningKey, openingKey } from '../../core/ohttp/sealing.js';
import {
  clock,
  type Filled,
  func,
  type Kind,
  type KindsOf,
  number,
  optional,
  readOptions,
} from '../../core/options/read-options.js';

/** The keys of a gateway, as JSON for a file that only the gateway can read. */
export interface GatewayKeys {
  readonly format: 'portcullis-ohttp-keys-1';
  /** The newest first. Clients use that one; the gateway also opens what was sealed to the others. */
  readonly keys: readonly GatewayKeyRecord[];
}

/** A key of a gateway. */
export interface GatewayKeyRecord {
  /** 0 to 255; requests name it. */
  readonly id: number;
  /** Base64 of the 32 bytes of an X25519 key. Secret. */
  readonly privateKey: string;
  /** The same for the public key. */
  readonly publicKey: string;
  /** In epoch milliseconds. */
  readonly createdAtMs: number;
  /** Until when the gateway opens what was sealed to this key, in epoch milliseconds; `null` if that is not decided yet. */
  readonly notAfterMs: number | null;
}

/** What `generateGatewayKeys` returns. */
export interface GeneratedGatewayKeys {
  /** For the gateway's file. */
  readonly keys: GatewayKeys;
  /** The list of the newest key, as `application/ohttp-keys`: for clients, and for the signed document of a list. */
  readonly keyList: Uint8Array;
}

/** Options of `generateGatewayKeys`. */
export interface GatewayKeysOptions {
  /** The present keys, or the text of their file, for a rotation. They stay until `overlapMs` has passed. */
  readonly previous?: GatewayKeys | string | undefined;
  /**
   * How long previous keys are opened after a rotation, in milliseconds: until every client has a newer list, whose document lives for three
   * days by default. @default 7 days
   */
  readonly overlapMs?: number | undefined;
  /** The key exchange of a package such as `@panva/hpke-noble`, for a platform without X25519. @default the platform's own */
  readonly kem?: Kem | undefined;
  /** The clock, in epoch milliseconds. @default Date.now */
  readonly now?: (() => number) | undefined;
}

const format = 'portcullis-ohttp-keys-1';
const dayMs = 86_400_000;

/** Each rotation splits clients by the age of their list, so there is no good reason for many at a time. */
const maxKeys = 8;

/** The keys, or the text of their file. No message contains any of it. */
export const gatewayKeys: Kind<GatewayKeys> = (value, path) => {
  const given = typeof value === 'string' ? parsed(value) : value;
  const keys = isRecord(given) && given['format'] === format ? given['keys'] : undefined;
  if (!Array.isArray(keys) || keys.length === 0) refuse(`${path} must be keys of generateGatewayKeys, or the text of their file`);
  if (keys.length > maxKeys) refuse(`${path} has more than ${maxKeys} keys; remove those that have expired`);
  const read = keys.map((key, at) => recordOf(key) ?? refuse(`${path}.keys[${at}] is malformed`));
  if (new Set(read.map(({ id }) => id)).size < read.length) refuse(`${path} has two keys of one id`);
  return { format, keys: read };
};

type Values = Filled<GatewayKeysOptions, 'previous' | 'kem'> & { readonly previous: GatewayKeys | undefined };

export const gatewayKeysKinds = (): KindsOf<Values> => ({
  previous: optional(gatewayKeys),
  overlapMs: optional(number(0, 365 * dayMs), 7 * dayMs),
  kem: optional(func),
  now: clock,
});

/**
 * Makes a key for `obliviousGateway`. With `previous` it is a rotation, which drops the keys that have expired. Rotate seldom: until all
 * clients have the new key, the one that they use tells the gateway how old their list is.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export async function generateGatewayKeys(options?: GatewayKeysOptions): Promise<GeneratedGatewayKeys> {
  const { previous, overlapMs, kem, now } = readOptions('generateGatewayKeys', gatewayKeysKinds(), options);
  const nowMs = Math.floor(now());
  const older = (previous?.keys ?? [])
    .filter((key) => isOpen(key, nowMs))
    .map((key) => ({ ...key, notAfterMs: key.notAfterMs ?? nowMs + overlapMs }));
  if (older.length >= maxKeys) refuse(`previous has ${maxKeys} keys that are still in use; wait until one has expired`);
  const { privateKey, publicKey } = await createGatewayPair(kem);
  const id = nextId(previous?.keys ?? []);
  const pair = { privateKey: toBase64(privateKey), publicKey: toBase64(publicKey) };
  const record = { id, ...pair, createdAtMs: nowMs, notAfterMs: null };
  return { keys: { format, keys: [record, ...older] }, keyList: writeKeyList([{ id, publicKey }]) };
}

/** Another one than before, so that a request with an old key is told apart from one that was damaged. */
function nextId(keys: readonly GatewayKeyRecord[]): number {
  const [newest] = keys;
  const first = newest === undefined ? crypto.getRandomValues(new Uint8Array(1))[0]! : newest.id + 1;
  const isUsed = (id: number): boolean => keys.some((key) => key.id === id);
  let id = first & 0xff;
  while (isUsed(id)) id = (id + 1) & 0xff;
  return id;
}

export const isOpen = ({ notAfterMs }: Pick<GatewayKeyRecord, 'notAfterMs'>, nowMs: number): boolean =>
  notAfterMs === null || nowMs < notAfterMs;

/** A key that a gateway can use. */
export type UsableKey = OpeningKey & Pick<GatewayKeyRecord, 'createdAtMs' | 'notAfterMs'>;

export function usableKeys({ keys }: GatewayKeys, kem: Kem | undefined): Promise<UsableKey[]> {
  return Promise.all(
    keys.map(async ({ id, createdAtMs, notAfterMs, ...pair }) => {
      const bytes = { privateKey: fromBase64(pair.privateKey)!, publicKey: fromBase64(pair.publicKey)! };
      return { ...(await openingKey(id, bytes, kem)), createdAtMs, notAfterMs };
    }),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function recordOf(value: unknown): GatewayKeyRecord | null {
  if (!isRecord(value)) return null;
  const { id, privateKey, publicKey, createdAtMs, notAfterMs } = value as Partial<Record<keyof GatewayKeyRecord, unknown>>;
  if (!isId(id) || !isKey(privateKey) || !isKey(publicKey) || !isTime(createdAtMs)) return null;
  return notAfterMs === null || isTime(notAfterMs) ? { id, privateKey, publicKey, createdAtMs, notAfterMs } : null;
}

const isId = (value: unknown): value is number => isTime(value) && value <= 0xff;
const isKey = (value: unknown): value is string => typeof value === 'string' && fromBase64(value)?.length === publicKeyBytes;
const isTime = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
