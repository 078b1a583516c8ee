import { toHex } from '../../core/bytes.js';
import { hashOf } from '../../core/hashing/sha256.js';
import { objectOf } from '../formats/spelling.js';
import type { TokenHistory } from '../model/source.js';

/** A month of daily snapshots, and five hours of a feed that changes every five minutes: 2 kB. */
const maxSnapshots = 32;
const maxRecents = 64;

/**
 * For a source that never gives a token again after another one: remembers hashes of snapshots, and of recents under the present
 * snapshot.
 */
export const uniqueTokens: TokenHistory = {
  isBack(seen, held, offered) {
    const isSame = offered.snapshotToken === held.snapshotToken;
    const token = isSame ? offered.recentToken : offered.snapshotToken;
    if (token === null || (isSame && token === held.recentToken)) return false;
    return listIn(seen, isSame ? 'recents' : 'snapshots').includes(shortOf(token));
  },
  next(seen, before, after) {
    // After a version that came back was taken over, those that followed it may come again.
    if (uniqueTokens.isBack(seen, before, after)) return undefined;
    const [snapshots, recents] = [listIn(seen, 'snapshots'), listIn(seen, 'recents')];
    if (before.snapshotToken !== after.snapshotToken) {
      return { snapshots: add(snapshots, before.snapshotToken, maxSnapshots), recents: [] };
    }
    const { recentToken } = before;
    return recentToken === null || recentToken === after.recentToken
      ? seen
      : { snapshots, recents: add(recents, recentToken, maxRecents) };
  },
};

function listIn(seen: unknown, name: string): readonly unknown[] {
  const list = objectOf(seen)[name];
  return Array.isArray(list) ? list : [];
}

function add(list: readonly unknown[], token: string, max: number): readonly unknown[] {
  const short = shortOf(token);
  return [...list.filter((one) => one !== short), short].slice(-max);
}

function shortOf(token: string): string {
  return toHex(hashOf(token)).slice(0, 16);
}
