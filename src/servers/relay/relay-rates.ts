import { networkOf } from '../../core/assets/web/network-of.js';
import { TokenBucket } from '../../core/token-bucket.js';
import { WeightedMap } from '../../core/weighted-map.js';
import { forwardedFor } from '../http/forwarded-for.js';
import type { RelayContext, Settings } from './relay-options.js';

/** Rate limits of clients and of the relay itself. */
export interface Rates {
  /**
   * Takes a request's cost, less what the client has paid already. Returns how long the client must wait, in milliseconds, or 0.
   */
  client(name: string, cost: number, paid?: number): number;
  /** Takes one request to the service from the rate that all clients share. */
  upstream(): number;
  readonly clients: number;
}

/** Clients with a remembered rate: 2 MB. The least recently seen client is dropped and starts anew. */
const maxClients = 10_000;

/** The maximum length of a client's name, in characters. */
const maxNameLength = 64;

/** Minimum time between two events about rejected requests, in milliseconds. */
const eventMs = 60_000;

/** The name shared by all clients that cannot be identified. */
export const unidentified = '';

type Scope = 'client' | 'upstream';

export function createRates({ clientPerMinute, sharedPerMinute, upstreamPerMinute, now, emit }: Settings): Rates {
  const buckets = new WeightedMap<TokenBucket>(maxClients);
  const shared = new TokenBucket(sharedPerMinute);
  const upstream = new TokenBucket(upstreamPerMinute);
  const rejected = {
    client: { count: 0, emittedMs: Number.NEGATIVE_INFINITY },
    upstream: { count: 0, emittedMs: Number.NEGATIVE_INFINITY },
  };

  function bucketOf(name: string): TokenBucket {
    if (name === unidentified) return shared;
    const bucket = buckets.get(name) ?? new TokenBucket(clientPerMinute);
    buckets.set(name, bucket);
    return bucket;
  }

  function take(bucket: TokenBucket, cost: number, scope: Scope): number {
    const nowMs = now();
    const waitMs = bucket.take(cost, nowMs);
    if (waitMs === 0) return 0;
    const rejections = rejected[scope];
    rejections.count++;
    if (Math.abs(nowMs - rejections.emittedMs) >= eventMs) {
      emit({ type: 'rate-limited', scope, count: rejections.count });
      rejections.count = 0;
      rejections.emittedMs = nowMs;
    }
    return waitMs;
  }

  return {
    client(name, cost, paid = 0) {
      const perMinute = name === unidentified ? sharedPerMinute : clientPerMinute;
      // A request that exceeds the whole rate costs all of it; otherwise it could never pass.
      return take(bucketOf(name), Math.min(cost, perMinute) - paid, 'client');
    },
    upstream: () => take(upstream, 1, 'upstream'),
    get clients() {
      return buckets.size;
    },
  };
}

/** The client that a request is charged to. A header is trusted only if the operator has named its writer. */
export function clientOf(request: Request, context: RelayContext, settings: Settings): string {
  const { address } = context;
  return (
    namedClient(request, context, settings) ||
    forwardedFor(request, settings.trustForwardedFor) ||
    (typeof address === 'string' ? networkOf(address) : unidentified)
  );
}

function namedClient(request: Request, context: RelayContext, settings: Settings): string {
  try {
    const name: unknown = settings.clientOf?.(request, context);
    return typeof name === 'string' ? name.slice(0, maxNameLength) : unidentified;
  } catch {
    return unidentified;
  }
}
