import { TokenBucket } from '../../core/token-bucket.js';
import { ExpiringMap } from './expiring-map.js';
import { oauthError } from './oauth-error.js';

/** Keys with a remembered rate: about 2 MB. The least recently seen one starts anew. */
const maxKeys = 10_000;
/** A bucket that is unused for this long is full again. */
const refillMs = 60_000;

/** How often a minute one network, or one host, may do something. There is no rate for all of them, which one could use up for the others. */
export class KeyedRates {
  private readonly buckets: ExpiringMap<TokenBucket>;
  private readonly perMinute: number;
  private readonly now: () => number;

  constructor(perMinute: number, now: () => number) {
    this.perMinute = perMinute;
    this.now = now;
    this.buckets = new ExpiringMap(maxKeys, refillMs, now);
  }

  /**
   * Takes one.
   *
   * @throws HttpRefusal with the time to wait
   */
  take(key: string, message: string): void {
    const bucket = this.buckets.get(key) ?? new TokenBucket(this.perMinute, { refillsOnClockBack: true });
    this.buckets.set(key, bucket);
    const waitMs = bucket.take(1, this.now());
    if (waitMs > 0) {
      throw oauthError('temporarily_unavailable', `${message} Try again later.`, { status: 429, retryAfterMs: waitMs });
    }
  }
}
