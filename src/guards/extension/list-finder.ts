import type { Verdict } from '../../blocklist/model/verdict.js';
import { type GuardedBlocklist, type GuardMode, type GuardSettings, guardMode } from './guard-options.js';

/** What the guard needs of a verdict. */
export type Finding = Pick<Verdict, 'status' | 'action' | 'advisory' | 'expression'>;

/** The settings of now, and what the list says about a link. */
export interface ListFinder {
  use(settings: GuardSettings): void;
  /** Rejects if the settings or the list cannot be had. */
  list(): Promise<GuardedBlocklist>;
  /** Strict if the settings cannot be read. */
  mode(): Promise<GuardMode>;
  /** Never rejects: what cannot be checked is unknown, and warns. */
  find(url: string): Promise<Finding>;
}

export function findInList(loadWaitMs: number): ListFinder {
  let blocklist: Promise<GuardedBlocklist>;
  let mode: Promise<GuardMode>;
  return {
    use(settings) {
      blocklist = Promise.resolve(settings.blocklist);
      mode = Promise.resolve(settings.mode ?? 'gate').then((later) => guardMode(later, 'createExtensionGuard: mode'));
      mode.catch(() => {});
      blocklist.catch(() => {});
    },
    list: () => blocklist,
    mode: () => mode.catch(() => 'gate'),
    async find(url) {
      try {
        const list = await blocklist;
        const found = await list.check(url, { isPasted: false });
        return found.reason === 'loading' ? await list.check(url, { isPasted: false, deadlineMs: loadWaitMs }) : found;
      } catch {
        return { status: 'unknown', action: 'warn' };
      }
    },
  };
}
