/** A map with a maximum total weight. Exceeding it evicts the entries that were set longest ago. */
export class WeightedMap<Value> extends Map<string, Value> {
  weight = 0;
  private readonly maxWeight: number;
  private readonly weightOf: (value: Value) => number;

  constructor(maxWeight: number, weightOf: (value: Value) => number = () => 1) {
    super();
    this.maxWeight = maxWeight;
    this.weightOf = weightOf;
  }

  override set(key: string, value: Value): this {
    this.delete(key);
    super.set(key, value);
    this.weight += this.weightOf(value);
    for (const oldest of this.keys()) {
      if (this.weight <= this.maxWeight) break;
      this.delete(oldest);
    }
    return this;
  }

  override delete(key: string): boolean {
    const value = this.get(key);
    if (value !== undefined) this.weight -= this.weightOf(value);
    return super.delete(key);
  }

  override clear(): void {
    super.clear();
    this.weight = 0;
  }
}
