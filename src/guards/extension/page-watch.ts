import type { Navigation } from './extension-browser.js';
import { originOf } from './gate-messages.js';
import { continueLongChains, noteExactLink } from './gate-redirect.js';
import { maySkipGate } from './gate-rule.js';
import { findAndLearn, type GuardParts, isKnownListed } from './guard-parts.js';

const webPages = ['http://*/*', 'https://*/*'];

/** `before`: the navigation begins. `same-page`: the page changed its address. */
type Phase = 'before' | 'committed' | 'same-page';

/** Checks the pages and frames of tabs that the gate does not see, and warns in place of those that are listed. */
export interface PageWatch {
  /** Checks what all tabs show, and their frames, after a change. */
  scan(): Promise<void>;
  /** Looks for open pages that are listed. What cannot be checked now was checked when it opened, so it stays. */
  recheck(): Promise<void>;
}

/** The address of a page; of one that a script wrote, that of the site whose script it was. */
const madeBy = (url: string): string => url.replace(/^blob:(https?:\/\/[^/]+\/).*$/s, '$1');

/** Whether a page or a frame must go. */
type Judge = (url: string) => Promise<boolean>;

export function watchPages(parts: GuardParts): PageWatch {
  const { browser, state, tabs, finder, rules, warnings } = parts;
  const holdsRequests = browser.webRequest !== undefined;

  const isWarnedAbout: Judge = async (url) => (await findAndLearn(parts, url)).action !== 'allow';
  const isConfirmed: Judge = (url) => isKnownListed(parts, url);

  async function onPage(tabId: number, url: string, phase: Phase): Promise<void> {
    const isBefore = phase === 'before';
    const shownBefore = warnings.shownIn(tabId);
    const isStill = isBefore ? tabs.stay(tabId, true) : tabs.stayNear(tabId);
    // Before any wait, so that records change in the order of the events.
    if (isBefore) await state.settled();
    else await warnings.committed(tabId, url, phase === 'same-page');
    const origin = originOf(url);
    if (origin === null || rules.isOnce(tabId, origin)) return;
    const mode = await finder.mode();
    // Firefox's gate sees every request.
    if (isBefore && (mode === 'observe' || holdsRequests)) return;
    // By the rules of before the check.
    const isStopped = isBefore && mode === 'gate' && rules.isStopped(url);
    const { status, action } = await findAndLearn(parts, url);
    if (action === 'allow') {
      // The browser's request for the gate page follows, and changes nothing then.
      if (isBefore && mode === 'gate') await rules.letPast(url, status !== 'unknown');
      if (phase === 'committed') await checkFrames(tabId);
      return;
    }
    if (mode === 'observe') {
      const { incognito = false } = await browser.tabs.get(tabId);
      return warnings.count(url, status, incognito);
    }
    if (isBefore && mode === 'gate' && (isStopped || (await meetsGate(tabId, url, origin)))) return;
    // A page that has loaded meanwhile has a check of its own. One that keeps reloading stays on its origin, so it cannot delay the warning.
    if (!isStill()) return;
    await warnings.replacePage(tabId, url, !isBefore, shownBefore, isBefore ? isStill : tabs.stay(tabId));
  }

  /** A POST also skips the gate. It is replaced once it commits. */
  async function meetsGate(tabId: number, url: string, origin: string): Promise<boolean> {
    if (rules.isPast(tabId, origin)) return false;
    return !maySkipGate((await browser.tabs.get(tabId)).url, url);
  }

  /** @returns whether it warns */
  async function onFrame(tabId: number, url: string, isListed: Judge = isWarnedAbout): Promise<boolean> {
    const isNear = tabs.stayNear(tabId);
    const shownBefore = warnings.shownIn(tabId);
    await state.settled();
    const origin = originOf(url);
    if (origin === null || rules.isOnce(tabId, origin) || (await finder.mode()) === 'observe') return false;
    const warns = (await isListed(url)) && isNear();
    if (warns) await warnings.replaceAround(tabId, url, shownBefore);
    return warns;
  }

  /** A page that returns from the back-forward cache, or that was loaded ahead, brings frames that no event names. */
  async function checkFrames(tabId: number, isListed?: Judge): Promise<void> {
    const isHere = tabs.stay(tabId);
    const frames = (await browser.webNavigation.getAllFrames?.({ tabId })) ?? [];
    for (const { frameId, url, documentLifecycle = 'active' } of frames) {
      const isOwn = frameId !== 0 && documentLifecycle === 'active' && isHere();
      if (isOwn && (await onFrame(tabId, madeBy(url), isListed))) return;
    }
  }

  continueLongChains(browser, tabs);
  function onNavigation({ tabId, frameId, url: given, documentLifecycle = 'active' }: Navigation, phase: Phase): void {
    const url = madeBy(given);
    if (frameId !== 0) {
      // A redirect leads a frame elsewhere after it began, and Firefox's gate saw that request too.
      if (!holdsRequests && documentLifecycle === 'active') void onFrame(tabId, url).catch(() => {});
      return;
    }
    const note = tabs.of(tabId);
    if (phase === 'before') note.starts = (note.starts ?? 0) + 1;
    if (phase === 'committed') note.commits = (note.commits ?? 0) + 1;
    if (phase !== 'before') {
      note.shown = originOf(url);
      note.continuations = 0;
    }
    // The gate page itself is still on the way to its link.
    if (originOf(url) !== null) noteExactLink(note, phase === 'before' ? url : null);
    void onPage(tabId, url, phase).catch(() => {});
  }
  const events = browser.webNavigation;
  events.onBeforeNavigate.addListener((navigation) => onNavigation(navigation, 'before'));
  events.onCommitted.addListener((navigation) => onNavigation(navigation, 'committed'));
  events.onHistoryStateUpdated.addListener((navigation) => onNavigation(navigation, 'same-page'));
  events.onReferenceFragmentUpdated.addListener((navigation) => onNavigation(navigation, 'same-page'));

  async function eachPage(visit: (tabId: number, url: string, isHere: () => boolean) => Promise<void>): Promise<void> {
    for (const { id } of await browser.tabs.query({ url: webPages })) {
      if (id === undefined) continue;
      const isHere = tabs.stay(id);
      // Others are checked before it, and it may have gone on to another page meanwhile.
      const { url } = await browser.tabs.get(id).catch(() => ({ url: undefined }));
      if (url !== undefined && isHere()) await visit(id, url, isHere).catch(() => {});
    }
  }

  async function recheckPage(tabId: number, url: string, isHere: () => boolean): Promise<void> {
    const origin = originOf(url);
    const kept = warnings.keptIn(tabId);
    if (origin === null || rules.isOnce(tabId, origin) || (kept !== undefined && (await isConfirmed(kept)))) return;
    const shownBefore = warnings.shownIn(tabId);
    if (!(await isConfirmed(url))) return checkFrames(tabId, isConfirmed);
    if (isHere()) await warnings.replacePage(tabId, url, true, shownBefore, isHere);
  }

  return {
    scan: () =>
      eachPage(async (tabId, url) => {
        await onPage(tabId, url, 'same-page').catch(() => {});
        await checkFrames(tabId);
      }),
    async recheck() {
      if ((await finder.mode()) !== 'observe') await eachPage(recheckPage);
    },
  };
}
