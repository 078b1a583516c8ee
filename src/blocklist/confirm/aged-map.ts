/** A map by number that knows its oldest key. Each step takes constant time: the first key of a `Map` comes after all deleted ones. */
export class AgedMap<Value> {
  private readonly values = new Map<number, Value>();
  private keys: Iterator<number> = this.values.keys();
  /** The key the iterator has stopped at. */
  private first: number | undefined;

  get size(): number {
    return this.values.size;
  }

  get(key: number): Value | undefined {
    return this.values.get(key);
  }

  /** Adds a key that is not in the map. */
  add(key: number, value: Value): void {
    this.values.set(key, value);
  }

  delete(key: number): boolean {
    if (key === this.first) this.first = undefined;
    return this.values.delete(key);
  }

  oldest(): number | undefined {
    if (this.first !== undefined || this.size === 0) return this.first;
    let step = this.keys.next();
    if (step.done) {
      // An iterator that has ended does not see what is added later.
      this.keys = this.values.keys();
      step = this.keys.next();
    }
    this.first = step.value as number;
    return this.first;
  }

  [Symbol.iterator](): Iterator<[number, Value]> {
    return this.values.entries();
  }
}
