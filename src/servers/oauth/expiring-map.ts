import { WeightedMap } from '../../core/weighted-map.js';

/** More applications than one user connects, or a team that shares a key; a hundredth of the largest map, so no owner fills it. */
const maxOfOwner = 100;

/**
 * A map whose entries end, with a maximum count. Exceeding it evicts the entry that was set longest ago. If entries have owners, one that
 * exceeds its own maximum loses the entry that it set longest ago.
 */
export class ExpiringMap<Value> {
  private readonly entries: WeightedMap<{ readonly value: Value; readonly untilMs: number }>;
  private readonly lifeMs: number;
  private readonly now: () => number;
  private readonly ownerOf: ((value: Value) => string) | undefined;

  /** @param ownerOf Who owns an entry, so that no owner displaces the entries of others */
  constructor(maxCount: number, lifeMs: number, now: () => number, ownerOf?: (value: Value) => string) {
    this.entries = new WeightedMap(maxCount);
    this.lifeMs = lifeMs;
    this.now = now;
    this.ownerOf = ownerOf;
  }

  get(key: string): Value | undefined {
    const entry = this.entries.get(key);
    return entry !== undefined && this.now() < entry.untilMs ? entry.value : undefined;
  }

  /** Sets an entry, or lets one live on. */
  set(key: string, value: Value): void {
    if (this.ownerOf !== undefined && this.get(key) === undefined) this.makeRoom(this.ownerOf, value);
    this.entries.set(key, { value, untilMs: this.now() + this.lifeMs });
  }

  delete(key: string): void {
    this.entries.delete(key);
  }

  clear(): void {
    this.entries.clear();
  }

  private makeRoom(ownerOf: (value: Value) => string, added: Value): void {
    const owner = ownerOf(added);
    const [oldest, ...others] = [...this.entries].filter(([, { value }]) => ownerOf(value) === owner);
    if (oldest !== undefined && others.length + 1 >= maxOfOwner) this.entries.delete(oldest[0]);
  }
}
