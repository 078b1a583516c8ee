/** A count that refills within a minute: a page with a thousand crafted hits must not drain what all pages share. */
export class Budget {
  private readonly perMinute: number;
  private left: number;
  private atMs = 0;

  constructor(perMinute: number) {
    this.perMinute = perMinute;
    this.left = perMinute;
  }

  /** How many of `count` may go now; they are spent. */
  take(count: number, nowMs: number): number {
    const passedMs = nowMs - this.atMs;
    // After a clock change in either direction it is as after a minute.
    const refill = passedMs >= 0 ? (passedMs * this.perMinute) / 60_000 : this.perMinute;
    this.left = Math.min(this.perMinute, this.left + refill);
    this.atMs = nowMs;
    const taken = Math.min(count, Math.floor(this.left));
    this.left -= taken;
    return taken;
  }
}
