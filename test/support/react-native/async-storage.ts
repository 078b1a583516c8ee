/** The rows of the stand-in, so that a test can look at them and hand them to the next process. */
export const asyncStorageRows = new Map<string, string>();

/** A row and its key must fit a cursor window of 2 MB. Longer rows can be written, but never read again. */
const maxWindowLength = 2 * 1024 * 1024;
/** `AsyncStorage_db_size_in_MB`. */
export const asyncStorageSize = { maxMegabytes: 6 };

/** Every call crosses to the native side and back. */
const crossing = (): Promise<void> => Promise.resolve();

/** Stands in for `@react-native-async-storage/async-storage`, with its limits on Android. */
const AsyncStorage = {
  async getItem(key: string): Promise<string | null> {
    await crossing();
    const text = asyncStorageRows.get(key);
    if (text !== undefined && key.length + text.length > maxWindowLength) {
      throw new Error('Row too big to fit into CursorWindow requiredPos=0, totalRows=1');
    }
    return text ?? null;
  },
  async setItem(key: string, value: string): Promise<void> {
    if (typeof value !== 'string') throw new Error('[AsyncStorage] Passing an unsupported type as value');
    await crossing();
    let total = key.length + value.length;
    asyncStorageRows.forEach((text, other) => {
      if (other !== key) total += other.length + text.length;
    });
    if (total > asyncStorageSize.maxMegabytes * 1024 * 1024) throw new Error('database or disk is full (code 13 SQLITE_FULL)');
    asyncStorageRows.set(key, value);
  },
  async removeItem(key: string): Promise<void> {
    await crossing();
    asyncStorageRows.delete(key);
  },
  async getAllKeys(): Promise<readonly string[]> {
    await crossing();
    return Array.from(asyncStorageRows.keys());
  },
};

/** @public The guide's code imports it. */
export default AsyncStorage;
