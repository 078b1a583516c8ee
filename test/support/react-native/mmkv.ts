type Value = boolean | string | number | ArrayBuffer;

/** The rows of all instances, by id, so that a test can look at them and hand them to the next process. */
export const mmkvRows = new Map<string, Map<string, Value>>();

/**
 * Stands in for `react-native-mmkv`: synchronous, typed values, and one set of rows for each id.
 *
 * @public The guide's code imports it.
 */
export function createMMKV({ id }: { id: string }) {
  const rows = mmkvRows.get(id) ?? new Map<string, Value>();
  mmkvRows.set(id, rows);
  return {
    set(key: string, value: Value): void {
      if (key === '') throw new Error('Cannot set a value for an empty key!');
      // The native side copies buffers.
      rows.set(key, value instanceof ArrayBuffer ? value.slice(0) : value);
    },
    getString(key: string): string | undefined {
      const value = rows.get(key);
      return typeof value === 'string' ? value : undefined;
    },
    getBuffer(key: string): ArrayBuffer | undefined {
      const value = rows.get(key);
      return value instanceof ArrayBuffer ? value.slice(0) : undefined;
    },
    contains: (key: string): boolean => rows.has(key),
    remove: (key: string): boolean => rows.delete(key),
    getAllKeys: (): string[] => Array.from(rows.keys()),
  };
}
