import { coveredHostReader, coverPrefixOf } from '../../core/sure-miss/covers.js';

/** More would take 100 MB while a list is built. */
const maxCovers = 4_000_000;

/** Collects the covers of a list (docs/formats.md §10) while its entries are read. */
export class CoverCollector {
  private readonly found = new Set<number>();
  private readonly coveredHost = coveredHostReader();

  add(expression: string): void {
    const host = this.coveredHost(expression);
    if (host !== null && this.found.size <= maxCovers) this.found.add(coverPrefixOf(host));
  }

  /**
   * The covers in ascending order; `null` if there are so many that they would cost clients more bytes than they save them time.
   *
   * @param hadCovers Whether the version before had them. Then more are kept, so that a list near the limit does not change each time.
   */
  finish(entryCount: number, hadCovers: boolean): Uint32Array | null {
    const most = entryCount * (hadCovers ? maxKeptShare : maxShare);
    return this.found.size > Math.min(most, maxCovers) ? null : Uint32Array.from(this.found).sort();
  }
}

/** Covers for each entry. A list of hosts has 0.05 to 0.1 of them, a list of pages on compromised sites up to 1 (decision 0082). */
const maxShare = 0.25;
const maxKeptShare = 0.35;

/** Both in ascending order, as one. */
export function joined(entries: Uint32Array, covers: Uint32Array): Uint32Array {
  const all = new Uint32Array(entries.length + covers.length);
  let count = 0;
  for (let a = 0, b = 0; a < entries.length || b < covers.length; ) {
    const isFirst = b === covers.length || (a < entries.length && entries[a]! <= covers[b]!);
    const next = isFirst ? entries[a++]! : covers[b++]!;
    if (count === 0 || all[count - 1] !== next) all[count++] = next;
  }
  return all.subarray(0, count);
}
