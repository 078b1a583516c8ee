import { sha256 } from '@noble/hashes/sha2.js';
import { toHex } from '../../core/bytes.js';
import { refuse, requireString } from '../../core/errors.js';
import { clock, type Filled, type KindsOf, number, optional, readOptions, whole } from '../../core/options/read-options.js';
import { rawBytes } from './webhook-body.js';

/** SHA-256 of the raw body, in hex. It identifies repeated deliveries that have no id. */
export function webhookFingerprint(body: Uint8Array | string): string {
  return fingerprintOf(rawBytes(body));
}

export function fingerprintOf(body: Uint8Array): string {
  return toHex(sha256(body));
}

/** How much a duplicate filter remembers. */
export interface DuplicateFilterOptions {
  /** The maximum number of remembered deliveries; the oldest is forgotten first. @default 10_000, about 2 MB */
  readonly max?: number | undefined;
  /**
   * How long it remembers a delivery, in milliseconds. @default 86_400_000, a day, longer than a few repeats with growing delays
   */
  readonly ttlMs?: number | undefined;
  /** The clock. @default Date.now */
  readonly now?: (() => number) | undefined;
}

export const duplicateKinds = (): KindsOf<Filled<DuplicateFilterOptions>> => ({
  max: optional(whole(1, maxRemembered), 10_000),
  ttlMs: optional(number(Number.MIN_VALUE, Number.POSITIVE_INFINITY), 86_400_000),
  now: clock,
});

/** Remembers deliveries in the memory of one process. Several processes need a shared store with the same keys. */
export interface DuplicateFilter {
  /** Whether this fingerprint (or id) was seen before; remembers it. */
  seen(fingerprint: string): boolean;
  /**
   * Forgets it again. Call it when handling failed; otherwise the repeated delivery counts as a duplicate and the event is lost.
   */
  forget(fingerprint: string): void;
  /** The number of remembered deliveries. */
  readonly size: number;
}

/** Makes a filter that recognizes repeated deliveries by fingerprint or id. */
export function createDuplicateFilter(options?: DuplicateFilterOptions): DuplicateFilter {
  const { max, ttlMs, now } = readOptions('createDuplicateFilter', duplicateKinds(), options);

  /** When each was first seen. A `Map` keeps the order of insertion, so the first entry is the oldest. */
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
      // The time is not renewed, or a delivery that is repeated often would be remembered forever.
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

/** About 200 MB; more belongs in a store. */
const maxRemembered: number = 2 ** 20;

/** A fingerprint has 64 characters, an id of the scheme `standard` at most this many. */
const maxKeyLength = 256;

function requireKey(fingerprint: string): void {
  requireString(fingerprint, 'fingerprint');
  if (fingerprint === '' || fingerprint.length > maxKeyLength) {
    refuse(`fingerprint must have 1 to ${maxKeyLength} characters`);
  }
}
