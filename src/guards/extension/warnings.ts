import type { ExtensionBrowser } from './extension-browser.js';
import { asQuery } from './gate-redirect.js';
import { type BlockRecord, maxStoredLink, type StateKeeper, withBlock } from './guard-state.js';
import type { TabNotes } from './tab-notes.js';

/** Warnings in tabs, and what the history of a tab holds of the pages that they replaced. */
export interface Warnings {
  /** A tab shows this page now. `isSamePage`: it only changed its address. */
  committed(tabId: number, url: string, isSamePage: boolean): Promise<void>;
  /** Warns in place of a page, while `isHere`. */
  replacePage(tabId: number, url: string, isCommitted: boolean, shownBefore: number, isHere: () => boolean): Promise<void>;
  /** Warns in place of a page that shows this one in a frame: it is not to be trusted either, and "go back" skips it too. */
  replaceAround(tabId: number, url: string, shownBefore: number): Promise<void>;
  /**
   * Warnings in a tab so far. Whoever checks a page notes it before, because another event of the same page is checked meanwhile, and warns once
   * for both.
   */
  shownIn(tabId: number): number;
  /** What the tab still shows although the warning was to replace it. `insist` tries again. */
  keptIn(tabId: number): string | undefined;
  /** Warns in place of a page that never loaded. */
  show(tabId: number, url: string): Promise<void>;
  /** History steps from the warning to the page before the listed one. */
  stepsOf(tabId: number, url: string): number;
  /** Counts a warning, or a page that was observed. */
  count(url: string, status: string, isPrivate: boolean): Promise<void>;
  /** Pages that a user kept although they are listed. The next call discards those that `isListed` still names. */
  insist(isListed: (tabId: number, url: string) => Promise<boolean>): Promise<void>;
}

const isKept = (block: BlockRecord): boolean => block.isCommitted && !block.isReplaced;

export function keepWarnings(
  browser: ExtensionBrowser,
  gateUrl: string,
  { current, change, settled }: StateKeeper,
  tabs: TabNotes,
  now: () => number,
): Warnings {
  const warningUrl = (url: string): string => `${gateUrl}?${asQuery(url)}`;
  const blockOf = (tabId: number, url: string): BlockRecord | undefined =>
    current().blocks.find((block) => block.tabId === tabId && asQuery(block.url) === asQuery(url));
  const changeBlock = (tabId: number, make: (block: BlockRecord | undefined) => BlockRecord | undefined): Promise<void> =>
    change(({ blocks }) => ({ blocks: withBlock(blocks, tabId, make) }));
  const shownIn = (tabId: number): number => tabs.of(tabId).warnings ?? 0;
  const show = async (tabId: number, url: string): Promise<void> => {
    tabs.of(tabId).warnings = shownIn(tabId) + 1;
    await browser.tabs.update(tabId, { url: warningUrl(url) }).catch(() => {});
  };

  /** The warning may replace a page before or after that page commits, so only the events tell whether it is a step of the history. */
  function afterCommit(block: BlockRecord | undefined, url: string): BlockRecord | undefined {
    if (block?.url === url) return { ...block, isCommitted: true, isReplaced: false };
    return block !== undefined && url === warningUrl(block.url) ? { ...block, isReplaced: true, isInsisted: false } : undefined;
  }

  /** A page that commits while its warning is on the way would otherwise get a second one, which could undo "go back". */
  async function isWarned(tabId: number, listed: string): Promise<boolean> {
    if (blockOf(tabId, listed)?.isReplaced === true) return true;
    const { url, pendingUrl } = await browser.tabs.get(tabId);
    return (pendingUrl ?? url) === warningUrl(listed);
  }

  async function replaceAround(tabId: number, url: string, shownBefore: number): Promise<void> {
    const isHere = tabs.stay(tabId);
    if (shownIn(tabId) !== shownBefore || (blockOf(tabId, url) !== undefined && (await isWarned(tabId, url)))) return;
    await changeBlock(tabId, (block) => (isHere() ? { tabId, url, isCommitted: true, isReplaced: false } : block));
    if (isHere()) await show(tabId, url);
  }

  /** Chromium asks the user before it closes such a tab too, but not before it discards the page. Firefox asks every time, as it discards no such page. */
  async function removePage({ tabId, url }: BlockRecord): Promise<void> {
    if (browser.webRequest !== undefined) return void (await browser.tabs.remove(tabId));
    const { id = tabId } = (await browser.tabs.discard(tabId)) ?? {};
    await replaceAround(id, url, shownIn(id));
  }

  async function insistIn(block: BlockRecord): Promise<void> {
    const { tabId, url, isInsisted = false } = block;
    if (isInsisted) return removePage(block);
    const isHere = tabs.stay(tabId);
    await changeBlock(tabId, (before) => (before?.url === url ? { ...before, isInsisted: true } : before));
    if (isHere()) await browser.tabs.update(tabId, { url: warningUrl(url) });
  }

  return {
    committed: (tabId, url, isSamePage) =>
      changeBlock(tabId, (block) => afterCommit(block, url) ?? (isSamePage ? block : undefined)),
    async replacePage(tabId, url, isCommitted, shownBefore, isHere) {
      const isShown = (): boolean => isCommitted && shownIn(tabId) !== shownBefore;
      await changeBlock(tabId, (block) => {
        if (block?.url === url) return { ...block, isCommitted: block.isCommitted || isCommitted };
        return isShown() || !isHere() ? block : { tabId, url, isCommitted, isReplaced: false };
      });
      const isDone = isShown() || (isCommitted && (await isWarned(tabId, url)));
      if (!isDone && isHere()) await show(tabId, url);
    },
    replaceAround,
    shownIn,
    keptIn: (tabId) => current().blocks.find((block) => block.tabId === tabId && isKept(block))?.url,
    show,
    stepsOf: (tabId, url) => (blockOf(tabId, url)?.isCommitted === true ? 2 : 1),
    count: (url, status, isPrivate) =>
      change(({ blockedCount, lastBlock }) => ({
        blockedCount: blockedCount + 1,
        lastBlock: isPrivate ? lastBlock : { url: url.slice(0, maxStoredLink), status, atMs: now() },
      })),
    async insist(isListed) {
      for (const block of current().blocks) {
        // The tab may have gone on to another page, or do so meanwhile.
        const isHere = tabs.stay(block.tabId);
        if (!isKept(block) || !(await isListed(block.tabId, block.url))) continue;
        await settled();
        const kept = blockOf(block.tabId, block.url);
        if (isHere() && kept !== undefined && isKept(kept)) await insistIn(kept).catch(() => {});
      }
    },
  };
}
