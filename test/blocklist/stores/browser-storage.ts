import { openDB } from 'idb';
import { afterEach, expect } from 'vitest';
import { cdp } from 'vitest/browser';

/** A command of the browser's own protocol. */
const command = (method: string, parameters: object): Promise<unknown> =>
  (cdp() as unknown as { send(method: string, parameters: object): Promise<unknown> }).send(method, parameters);

/** Does what a user does to clear the data of a site. */
export const clearStorage = async (): Promise<void> => {
  await command('Storage.clearDataForOrigin', { origin: location.origin, storageTypes: 'indexeddb' });
};

/**
 * Limits the site to this much space, and waits until the limit applies: the browser remembers for half a minute how much there was, unless
 * it forgets the whole site.
 */
export async function limitQuota(bytes: number): Promise<void> {
  const isLimited = async (): Promise<boolean> => {
    await clearStorage();
    await command('Storage.overrideQuotaForOrigin', { origin: location.origin, quotaSize: bytes });
    const database = await openDB('quota', 1, { upgrade: (opened) => void opened.createObjectStore('values') });
    try {
      await database.put('values', new Uint8Array(2 * bytes), 'large');
      return false;
    } catch (error) {
      return (error as Error).name === 'QuotaExceededError';
    } finally {
      database.close();
    }
  };
  await expect.poll(isLimited, { timeout: 20_000 }).toBe(true);
}

/** Restores the original space. */
export const liftQuota = async (): Promise<void> => {
  await command('Storage.overrideQuotaForOrigin', { origin: location.origin });
};

export function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error));
  });
}

const databases: string[] = [];

/** The name of a database that is deleted when the test has ended. */
export const newName = (): string => {
  const name = `test-${crypto.randomUUID()}`;
  databases.push(name);
  return name;
};

/** What a test opens, closed before its databases are deleted. */
export const opens: { close(): Promise<void> }[] = [];
export const workers: Worker[] = [];

afterEach(async () => {
  for (const worker of workers.splice(0)) worker.terminate();
  await Promise.all(opens.splice(0).map((each) => each.close()));
  await Promise.all(databases.splice(0).map((name) => settled(indexedDB.deleteDatabase(name))));
});
