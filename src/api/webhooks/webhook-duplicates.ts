import { toHex } from '../../core/bytes.js';
import { PortcullisError, requireString } from '../../core/errors.js';
import { createDigest } from '../../core/hashing/sha256.js';
import { rawBytes } from './webhook-body.js';

/** SHA-256 of the raw body, in hex: what repeated deliveries have in common where they carry no id. */
export function webhookFingerprint(body: Uint8Array | string): string {
  return fingerprintOf(rawBytes(body));
}

export function fingerprintOf(body: Uint8Array): string {
  const digest = createDigest();
  digest.update(body);
  return toHex(digest.digest());
}

/** How much a filter remembers. */
export interface DuplicateFilterOptions {
  /** Deliveries remembered; the oldest is forgotten first. @default 10_000, about 2 MB */
  readonly max?: number | undefined;
  /** How long one is remembered, in milliseconds. @default 86_400_000, a day, which outlasts a few repeats with growing pauses */
  readonly ttlMs?: number | undefined;
  /** The clock. @default Date.now */
  readonly now?: (() => number) | undefined;
}

/** Remembers deliveries in the memory of one process. Several processes need a store they share, with the same keys. */
export interface DuplicateFilter {
  /** Whether this fingerprint (or id) was seen before; from now on it was. */
  seen(fingerprint: string): boolean;
  /** Takes it back. Call it when handling failed, or the repeated delivery is taken for a duplicate and the event is lost. */
  forget(fingerprint: string): void;
  /** Deliveries remembered now. */
  readonly size: number;
}

/** Makes a filter that knows a repeated delivery by its fingerprint or id. */
export function createDuplicateFilter(options: DuplicateFilterOptions = {}): DuplicateFilter {
  const { max = 10_000, ttlMs = 24 * 60 * 60 * 1000, now = Date.now } = options;
  if (typeof max !== 'number' || typeof ttlMs !== 'number') throw new TypeError('max and ttlMs must be numbers');
  if (typeof now !== 'function') throw new TypeError('now must be a function');
  if (!(Number.isInteger(max) && max >= 1 && max <= rememberedMax)) {
    throw new PortcullisError('INVALID_INPUT', `max must be a whole number from 1 to ${rememberedMax}`);
  }
  if (!(ttlMs > 0)) throw new PortcullisError('INVALID_INPUT', 'ttlMs must be more than 0');

  /** When each was first seen; a Map keeps the order, so the first entry is the oldest. */
  const firstSeenMs = new Map<string, number>();

  function forgetOld(nowMs: number): void {
    for (const [fingerprint, seenMs] of firstSeenMs) {
      if (nowMs - seenMs < ttlMs) return;
      firstSeenMs.delete(fingerprint);
    }
  }

  return {
    seen(fingerprint: string): boolean {
      requireKey(fingerprint);
      const nowMs = now();
      forgetOld(nowMs);
      // Its time stays the first one: repeating a delivery must not keep it remembered for ever.
      if (firstSeenMs.has(fingerprint)) return true;
      if (firstSeenMs.size >= max) firstSeenMs.delete(firstSeenMs.keys().next().value as string);
      firstSeenMs.set(fingerprint, nowMs);
      return false;
    },
    forget(fingerprint: string): void {
      requireKey(fingerprint);
      firstSeenMs.delete(fingerprint);
    },
    get size(): number {
      return firstSeenMs.size;
    },
  };
}

/** Sixteen times what is usual would be 200 MB at this many; more belongs in a store. */
const rememberedMax: number = 2 ** 20;

/** Characters of a key: a fingerprint has 64, an id of the scheme `standard` at most this many. */
const keyLengthMax = 256;

function requireKey(fingerprint: string): void {
  requireString(fingerprint, 'fingerprint');
  if (fingerprint === '' || fingerprint.length > keyLengthMax) {
    throw new PortcullisError('INVALID_INPUT', `a fingerprint has 1 to ${keyLengthMax} characters`);
  }
}
