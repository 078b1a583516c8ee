import { networkOf } from '../../core/assets/web/network-of.js';
import { TokenBucket } from '../../core/token-bucket.js';
import { ExpiringMap } from './expiring-map.js';
import { oauthError } from './oauth-error.js';

/** Networks with a remembered rate: about 2 MB. The least recently seen one starts anew. */
const maxNetworks = 10_000;
/** A bucket that is unused for this long is full again. */
const refillMs = 60_000;

export interface Rates {
  readonly each: number;
  readonly total: number;
}

/** How often a minute one network may do something, and all together. Senders whose address is unknown share the total only. */
export class AddressRates {
  private readonly networks: ExpiringMap<TokenBucket>;
  private readonly all: TokenBucket;
  private readonly perMinute: Rates;
  private readonly now: () => number;

  constructor(perMinute: Rates, now: () => number) {
    this.perMinute = perMinute;
    this.now = now;
    this.networks = new ExpiringMap(maxNetworks, refillMs, now);
    this.all = new TokenBucket(perMinute.total, { refillsOnClockBack: true });
  }

  /**
   * Takes one. What one network is denied does not count for the others.
   *
   * @param group Senders of one network that have a rate of their own
   * @throws HttpRefusal with the time to wait
   */
  take(sender: string | undefined, message: string, group = ''): void {
    const own = this.bucketOf(sender, group);
    const waitMs = own?.take(1, this.now()) || this.all.take(1, this.now());
    if (waitMs > 0)
      throw oauthError('temporarily_unavailable', `${message} Try again later.`, { status: 429, retryAfterMs: waitMs });
  }

  /** Gives back what was just taken. */
  giveBack(sender: string | undefined): void {
    // A negative cost adds.
    this.bucketOf(sender, '')?.take(-1, this.now());
    this.all.take(-1, this.now());
  }

  private bucketOf(sender: string | undefined, group: string): TokenBucket | undefined {
    if (sender === undefined) return undefined;
    const name = networkOf(sender) + group;
    const bucket = this.networks.get(name) ?? new TokenBucket(this.perMinute.each, { refillsOnClockBack: true });
    this.networks.set(name, bucket);
    return bucket;
  }
}
