import { WeightedMap } from '../../core/weighted-map.js';

/** A map whose entries end, with a maximum count. Exceeding it evicts the entry that was set longest ago. */
export class ExpiringMap<Value> {
  private readonly entries: WeightedMap<{ readonly value: Value; readonly untilMs: number }>;
  private readonly lifeMs: number;
  private readonly now: () => number;

  constructor(maxCount: number, lifeMs: number, now: () => number) {
    this.entries = new WeightedMap(maxCount);
    this.lifeMs = lifeMs;
    this.now = now;
  }

  get(key: string): Value | undefined {
    const entry = this.entries.get(key);
    return entry !== undefined && this.now() < entry.untilMs ? entry.value : undefined;
  }

  /** Sets an entry, or lets one live on. */
  set(key: string, value: Value): void {
    this.entries.set(key, { value, untilMs: this.now() + this.lifeMs });
  }

  delete(key: string): void {
    this.entries.delete(key);
  }

  clear(): void {
    this.entries.clear();
  }
}
