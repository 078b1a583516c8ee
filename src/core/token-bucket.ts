/** Tokens that refill evenly: as many a minute as the bucket holds. It starts full. */
export class TokenBucket {
  private readonly perMinute: number;
  private readonly refillsOnClockBack: boolean;
  private tokens: number;
  private atMs = 0;

  /** `refillsOnClockBack`: a clock that goes back fills the bucket; otherwise it adds nothing. */
  constructor(perMinute: number, { refillsOnClockBack = false }: { readonly refillsOnClockBack?: boolean } = {}) {
    this.perMinute = perMinute;
    this.refillsOnClockBack = refillsOnClockBack;
    this.tokens = perMinute;
  }

  /** Takes all of `cost`, or nothing. Returns how long to wait until they are available, in milliseconds: 0 if they were taken. */
  take(cost: number, nowMs: number): number {
    this.refill(nowMs);
    if (this.tokens < cost) return Math.ceil(((cost - this.tokens) * 60_000) / this.perMinute);
    this.tokens -= cost;
    return 0;
  }

  /** Takes as many whole tokens as there are, at most `count`, and returns how many. */
  takeUpTo(count: number, nowMs: number): number {
    this.refill(nowMs);
    const taken = Math.min(count, Math.floor(this.tokens));
    this.tokens -= taken;
    return taken;
  }

  private refill(nowMs: number): void {
    const passedMs = nowMs - this.atMs;
    const isFull = passedMs < 0 && this.refillsOnClockBack;
    const refill = isFull ? this.perMinute : (Math.max(0, passedMs) * this.perMinute) / 60_000;
    this.tokens = Math.min(this.perMinute, this.tokens + refill);
    this.atMs = nowMs;
  }
}
