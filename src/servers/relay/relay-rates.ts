import type { RelayContext, Settings } from './relay-options.js';

/** Who may ask how often. */
export interface Rates {
  /** Takes a request's cost from a client's share, less what it paid already; how long to wait first, in milliseconds, or 0. */
  client(name: string, cost: number, paid?: number): number;
  /** Takes one request to the service from what all clients share. */
  upstream(): number;
  readonly clients: number;
}

/** Clients whose share is remembered: 2 MB. The one seen longest ago is forgotten, and has its whole share again. */
const clientsMax = 10_000;

/** Characters of a client's name. */
const nameLengthMax = 64;

/** Between two events about refused requests, in milliseconds. */
const eventMs = 60_000;

/** All requests that come from nobody known. */
export const nobody = '';

interface Bucket {
  tokens: number;
  atMs: number;
}

export function createRates({ clientPerMinute, sharedPerMinute, upstreamPerMinute, now, emit }: Settings): Rates {
  const buckets = new Map<string, Bucket>();
  const shared = { tokens: sharedPerMinute, atMs: now() };
  const all = { tokens: upstreamPerMinute, atMs: now() };
  const refusedOf = {
    client: { count: 0, toldMs: Number.NEGATIVE_INFINITY },
    upstream: { count: 0, toldMs: Number.NEGATIVE_INFINITY },
  };

  function bucketOf(name: string): Bucket {
    if (name === nobody) return shared;
    const bucket = buckets.get(name) ?? { tokens: clientPerMinute, atMs: now() };
    buckets.delete(name);
    buckets.set(name, bucket);
    if (buckets.size > clientsMax) buckets.delete(buckets.keys().next().value as string);
    return bucket;
  }

  function take(bucket: Bucket, perMinute: number, cost: number, scope: 'client' | 'upstream'): number {
    const nowMs = now();
    const perMs = perMinute / 60_000;
    bucket.tokens = Math.min(perMinute, bucket.tokens + Math.max(0, nowMs - bucket.atMs) * perMs);
    bucket.atMs = nowMs;
    if (bucket.tokens >= cost) {
      bucket.tokens -= cost;
      return 0;
    }
    const refused = refusedOf[scope];
    refused.count++;
    if (Math.abs(nowMs - refused.toldMs) >= eventMs) {
      emit({ type: 'rate-limited', scope, count: refused.count });
      refused.count = 0;
      refused.toldMs = nowMs;
    }
    return Math.ceil((cost - bucket.tokens) / perMs);
  }

  return {
    client(name, cost, paid = 0) {
      const perMinute = name === nobody ? sharedPerMinute : clientPerMinute;
      // What is larger than the whole share costs the whole share, or it could never pass.
      return take(bucketOf(name), perMinute, Math.min(cost, perMinute) - paid, 'client');
    },
    upstream: () => take(all, upstreamPerMinute, 1, 'upstream'),
    get clients() {
      return buckets.size;
    },
  };
}

/** The client a request is counted for. A header is believed only where the operator says who writes it. */
export function clientOf(request: Request, context: RelayContext, settings: Settings): string {
  if (settings.clientOf !== undefined) {
    let name: unknown;
    try {
      name = settings.clientOf(request, context);
    } catch {
      // Counted with all others nobody knows.
    }
    return typeof name === 'string' ? name.slice(0, nameLengthMax) : nobody;
  }
  const { trustForwardedFor } = settings;
  if (trustForwardedFor === undefined) return typeof context.address === 'string' ? networkOf(context.address) : nobody;
  const entries = (request.headers.get('x-forwarded-for') ?? '').split(',');
  return networkOf((entries[entries.length - trustForwardedFor] ?? '').trim());
}

/** The address without a port. Of IPv6 the first 64 bits: the others are the client's to choose. */
export function networkOf(address: string): string {
  const text = address
    .replace(/^\[(.*)\](?::\d+)?$/, '$1')
    .slice(0, nameLengthMax)
    .toLowerCase();
  const version4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)(?::\d+)?$/.exec(text);
  if (version4 !== null) return version4[1]!;
  if (!text.includes(':')) return text;
  const [head = '', tail] = text.replace(/%.*$/, '').split('::');
  const groupsOf = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const first = groupsOf(head);
  const last = groupsOf(tail ?? '');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  const groups = [...first, ...Array<string>(zeros).fill('0'), ...last].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`;
}
