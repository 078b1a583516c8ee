import { openDB } from 'idb';
import { expect } from 'vitest';
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
