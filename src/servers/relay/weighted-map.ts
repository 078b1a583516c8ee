/** A map with a maximum total weight. Exceeding it evicts the entries that were set longest ago. */
export class WeightedMap<Value> {
  private readonly maxWeight: number;
  private readonly weightOf: (value: Value) => number;
  private readonly entries = new Map<string, Value>();
  private total = 0;

  constructor(maxWeight: number, weightOf: (value: Value) => number = () => 1) {
    this.maxWeight = maxWeight;
    this.weightOf = weightOf;
  }

  get size(): number {
    return this.entries.size;
  }

  get weight(): number {
    return this.total;
  }

  get(key: string): Value | undefined {
    return this.entries.get(key);
  }

  keys(): string[] {
    return [...this.entries.keys()];
  }

  set(key: string, value: Value): void {
    this.delete(key);
    this.entries.set(key, value);
    this.total += this.weightOf(value);
    for (const oldest of this.entries.keys()) {
      if (this.total <= this.maxWeight) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const value = this.entries.get(key);
    if (value === undefined) return;
    this.total -= this.weightOf(value);
    this.entries.delete(key);
  }

  clear(): void {
    this.entries.clear();
    this.total = 0;
  }
}
