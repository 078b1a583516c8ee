import type { Verdict } from '../../blocklist/model/verdict.js';
import { readOptions } from '../../core/options/read-options.js';
import type { BrowserRequest, MessageSender, Navigation } from './extension-browser.js';
import { type GateAnswer, type GateQuestion, isGateQuestion, originOf, unanswered } from './gate-messages.js';
import { addPass, findPass, type GatePass } from './gate-passes.js';
import { asQuery, continueLongChains, keepExactLinks, redirectFromGate } from './gate-redirect.js';
import { maySkipGate, setGateRule } from './gate-rule.js';
import {
  type ExtensionGuard,
  type ExtensionGuardOptions,
  type GuardedBlocklist,
  type GuardMode,
  type GuardSettings,
  guardKinds,
  guardMode,
  settingKinds,
} from './guard-options.js';
import { type BlockRecord, keepState, maxStoredLink, withBlock, without } from './guard-state.js';

/** Long enough to follow the redirect to a page that the policy lets through without knowing. */
const unknownPassMs = 10_000;

/** A browser stops a worker 30 seconds after the last event, even during a download. A call of the browser counts as one. */
const awakeMs = 20_000;

const alarmName = 'portcullis';
const webPages = ['http://*/*', 'https://*/*'];

type Finding = Pick<Verdict, 'status' | 'action' | 'advisory'>;

/**
 * Redirects every page that opens to a gate page of the extension, and from there to the page after a check, so that a listed page
 * receives no request.
 * Call it at the top level of the worker: its listeners must exist when an event wakes the worker.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function createExtensionGuard(options: ExtensionGuardOptions): ExtensionGuard {
  const given = readOptions('createExtensionGuard', guardKinds(), options);
  const { browser, scope, gatePage, skipMs, onceMs, loadWaitMs, now } = given;
  const gateUrl = browser.runtime.getURL(gatePage);
  const warningUrl = (url: string): string => `${gateUrl}?${asQuery(url)}`;
  const { current, settled, change, firstId, dropPrivate } = keepState(browser, now);
  /** Links that the worker opens from the gate page of a tab, until the browser asks about them. */
  const reopening = new Map<number, string>();

  /** The origin that a tab shows, and the one that it shows or goes to: a verdict that arrives late is about another page. */
  const shown = new Map<number, string | null>();
  const heading = new Map<number, string | null>();

  let blocklist: Promise<GuardedBlocklist>;
  let mode: Promise<GuardMode>;
  let stopListening = (): void => {};
  let isGateRefused = false;

  function use(settings: GuardSettings): void {
    blocklist = Promise.resolve(settings.blocklist);
    mode = Promise.resolve(settings.mode ?? 'gate').then((later) => guardMode(later, 'createExtensionGuard: mode'));
    // The guard stays strict without settings.
    mode.catch(() => {});
    blocklist.catch(() => {});
  }

  const currentMode = (): Promise<GuardMode> => mode.catch(() => 'gate');

  async function verdictOf(url: string): Promise<Finding> {
    try {
      const list = await blocklist;
      const found = await list.check(url, { isPasted: false });
      return found.reason === 'loading' ? await list.check(url, { isPasted: false, deadlineMs: loadWaitMs }) : found;
    } catch {
      return { status: 'unknown', action: 'warn' };
    }
  }

  const stepsOf = (tabId: number, url: string): number => (blockOf(tabId, url)?.isCommitted === true ? 2 : 1);
  const isOnce = (tabId: number, origin: string): boolean => findPass(current().passes, origin, tabId, now())?.kind === 'once';
  const putPass = (pass: Omit<GatePass, 'id'>): Promise<void> =>
    change(({ passes }) => ({ passes: addPass(passes, pass, now(), firstId) }));

  /** A pass is not renewed while it lasts, because that would change a rule with every page. */
  async function passClean(origin: string, status: string): Promise<void> {
    if (browser.declarativeNetRequest === undefined || findPass(current().passes, origin, null, now()) !== undefined) return;
    const isKnown = status !== 'unknown';
    await putPass({
      kind: isKnown ? 'clean' : 'unknown',
      origin,
      tabId: null,
      untilMs: now() + (isKnown ? skipMs : unknownPassMs),
    });
  }

  const count = (url: string, status: string, isPrivate: boolean): Promise<void> =>
    change(({ blockedCount, lastBlock }) => ({
      blockedCount: blockedCount + 1,
      lastBlock: isPrivate ? lastBlock : { url: url.slice(0, maxStoredLink), status, atMs: now() },
    }));

  /** Whether a link opens. If so, its origin gets a pass. */
  async function judge(link: string): Promise<Pick<GateAnswer, 'opens' | 'status' | 'advisory'>> {
    const [{ status, action, advisory }, held] = await Promise.all([verdictOf(link), currentMode(), settled()]);
    const opens = action === 'allow' || held === 'observe';
    if (opens) await passClean(originOf(link)!, action === 'allow' ? status : 'unknown');
    return { opens, status, advisory };
  }

  const exactLinks = keepExactLinks();
  redirectFromGate(scope, gateUrl, exactLinks, async (link) => {
    const reopened = [...reopening].find(([, other]) => other === asQuery(link));
    if (reopened !== undefined) return reopening.delete(reopened[0]);
    return (await judge(link)).opens;
  });

  /** The browser repeats the navigation that led to the gate page, so whoever began that one decides about cookies. */
  async function reopen(tabId: number, url: string): Promise<boolean> {
    if (browser.webRequest !== undefined) await browser.tabs.update(tabId, { url, loadReplace: true });
    // The gate page has loaded again, because the browser did not ask. Another try would end the same.
    else if (reopening.get(tabId) === url) return !reopening.delete(tabId);
    else {
      reopening.set(tabId, url);
      await browser.tabs.reload(tabId);
    }
    return true;
  }

  async function decide(tabId: number, url: string, origin: string, isPrivate: boolean): Promise<GateAnswer> {
    const { opens, status, advisory } = await judge(url);
    if ((opens || isOnce(tabId, origin)) && (await reopen(tabId, url))) return { opens: true, status, steps: 1 };
    void count(url, status, isPrivate).catch(() => {});
    return { opens: false, status, steps: stepsOf(tabId, url), advisory };
  }

  async function answer({ portcullis, url }: GateQuestion, tabId: number, isPrivate: boolean): Promise<GateAnswer> {
    if (portcullis === 'close') {
      if ((await browser.tabs.get(tabId)).status !== 'loading') await browser.tabs.remove(tabId);
      return { ...unanswered, steps: 0 };
    }
    const origin = originOf(url)!;
    if (portcullis === 'once') {
      const pass = { kind: 'once', tabId, untilMs: now() + onceMs } as const;
      await putPass({ ...pass, origin });
      // The browser may try HTTPS first, and the user would be asked again.
      if (origin.startsWith('http:')) await putPass({ ...pass, origin: origin.replace('http:', 'https:') });
    }
    if (portcullis === 'leave') {
      await settled();
      return { ...unanswered, steps: stepsOf(tabId, url) };
    }
    return decide(tabId, url, origin, isPrivate);
  }

  async function onTopFrame(tabId: number, url: string, isCommitted: boolean, isSamePage = false): Promise<void> {
    // Before any wait, so that records change in the order of the events.
    if (isCommitted) await changeBlock(tabId, (block) => afterCommit(block, url) ?? (isSamePage ? block : undefined));
    else await settled();
    const origin = originOf(url);
    if (origin === null || isOnce(tabId, origin)) return;
    const held = await currentMode();
    // Firefox's gate sees every request.
    if (!isCommitted && (held === 'observe' || browser.webRequest !== undefined)) return;
    const { status, action } = await verdictOf(url);
    if (action === 'allow') {
      // The browser's request for the gate page follows, and changes nothing then.
      if (!isCommitted && held === 'gate') await passClean(origin, status);
      return;
    }
    if (held === 'observe') {
      const { incognito = false } = await browser.tabs.get(tabId);
      return count(url, status, incognito);
    }
    // A page that keeps reloading stays on its origin, so it cannot delay the warning.
    if (isElsewhere((isCommitted ? shown : heading).get(tabId), origin)) return;
    if (!isCommitted && held === 'gate' && (await meetsGate(tabId, url, origin))) return;
    await changeBlock(tabId, (block) =>
      block?.url === url
        ? { ...block, isCommitted: block.isCommitted || isCommitted }
        : { tabId, url, isCommitted, isReplaced: false },
    );
    if (isCommitted && (await isWarned(tabId, url))) return;
    await browser.tabs.update(tabId, { url: warningUrl(url) }).catch(() => {});
  }

  /** A POST also skips the gate. It is replaced once it commits. */
  async function meetsGate(tabId: number, url: string, origin: string): Promise<boolean> {
    if (findPass(current().passes, origin, tabId, now()) !== undefined) return false;
    const tab = await browser.tabs.get(tabId);
    return !maySkipGate(tab.url, url);
  }

  /** A page that shows a listed page is not to be trusted either, so the warning replaces all of it, as the browser's own would. */
  async function onFrame({ tabId, url, documentLifecycle = 'active' }: Navigation): Promise<void> {
    if (documentLifecycle !== 'active') return;
    const around = shown.get(tabId);
    await settled();
    const origin = originOf(url);
    if (origin === null || isOnce(tabId, origin) || (await currentMode()) === 'observe') return;
    if ((await verdictOf(url)).action !== 'allow' && shown.get(tabId) === around) await replaceTab(tabId, url);
  }

  /** "Go back" also skips the page that shows the frame. */
  async function replaceTab(tabId: number, url: string): Promise<void> {
    await changeBlock(tabId, () => ({ tabId, url, isCommitted: true, isReplaced: false }));
    await browser.tabs.update(tabId, { url: warningUrl(url) }).catch(() => {});
  }

  /** A page that commits while its warning is on the way would otherwise get a second one, which could undo "go back". */
  async function isWarned(tabId: number, listed: string): Promise<boolean> {
    if (blockOf(tabId, listed)?.isReplaced === true) return true;
    const { url, pendingUrl } = await browser.tabs.get(tabId);
    return (pendingUrl ?? url) === warningUrl(listed);
  }

  /** The warning may replace a page before or after that page commits, so only the events tell whether it is a step of the history. */
  function afterCommit(block: BlockRecord | undefined, url: string): BlockRecord | undefined {
    if (block?.url === url) return { ...block, isCommitted: true, isReplaced: false };
    return block !== undefined && url === warningUrl(block.url) ? { ...block, isReplaced: true, isInsisted: false } : undefined;
  }

  const blockOf = (tabId: number, url: string): BlockRecord | undefined =>
    current().blocks.find((block) => block.tabId === tabId && asQuery(block.url) === asQuery(url));

  const changeBlock = (tabId: number, make: (block: BlockRecord | undefined) => BlockRecord | undefined): Promise<void> =>
    change(({ blocks }) => ({ blocks: withBlock(blocks, tabId, make) }));

  async function scan(): Promise<void> {
    const tabs = await browser.tabs.query({ url: webPages });
    for (const { id, url } of tabs)
      if (id !== undefined && url !== undefined) await onTopFrame(id, url, true, true).catch(() => {});
  }

  const longChains = continueLongChains(browser);
  const onNavigation = (isCommitted: boolean, isSamePage: boolean) => (navigation: Navigation) => {
    const { tabId, frameId, url } = navigation;
    if (frameId === 0) {
      if (!isSamePage) heading.set(tabId, originOf(url));
      if (isCommitted) {
        shown.set(tabId, originOf(url));
        longChains.forget(tabId);
      }
      // The gate page itself is still on the way to its link.
      if (originOf(url) !== null) isCommitted ? exactLinks.forget(tabId) : exactLinks.note(tabId, url);
      void onTopFrame(tabId, url, isCommitted, isSamePage).catch(() => {});
    } else if (!isCommitted && browser.webRequest === undefined) void onFrame(navigation).catch(() => {});
  };
  browser.webNavigation.onBeforeNavigate.addListener(onNavigation(false, false));
  browser.webNavigation.onCommitted.addListener(onNavigation(true, false));
  browser.webNavigation.onHistoryStateUpdated.addListener(onNavigation(true, true));
  browser.webNavigation.onReferenceFragmentUpdated.addListener(onNavigation(true, true));

  /** The page that a tab asked for last. */
  const requested = new Map<number, string>();

  /** Firefox waits for the answer before it sends the request, also when it has to start the worker for it. */
  async function onRequest({ tabId, url, type }: BrowserRequest): Promise<{ cancel?: boolean }> {
    if (type === 'main_frame') requested.set(tabId, url);
    const around = shown.get(tabId);
    if ((await currentMode()) !== 'gate') return {};
    await settled();
    const origin = originOf(url);
    if (origin === null || isOnce(tabId, origin) || (await verdictOf(url)).action === 'allow') return {};
    if (type !== 'main_frame') {
      if (shown.get(tabId) === around) await replaceTab(tabId, url);
    } else if (tabId >= 0 && requested.get(tabId) === url)
      await browser.tabs.update(tabId, { url: warningUrl(url) }).catch(() => {});
    return { cancel: true };
  }
  const filter = { urls: webPages, types: ['main_frame', 'sub_frame', 'object'] };
  browser.webRequest?.onBeforeRequest.addListener((request) => onRequest(request).catch(() => ({ cancel: true })), filter, [
    'blocking',
  ]);

  const isGatePage = ({ id, url, frameId }: MessageSender): boolean =>
    id === browser.runtime.id && frameId === 0 && (url === gateUrl || url?.startsWith(`${gateUrl}?`) === true);
  browser.runtime.onMessage.addListener((message, sender, respond) => {
    const tabId = sender.tab?.id;
    if (!isGateQuestion(message) || !isGatePage(sender) || tabId === undefined) return undefined;
    answer(message, tabId, sender.tab?.incognito === true).then(respond, () => respond(unanswered));
    return true;
  });

  browser.tabs.onRemoved.addListener((tabId) => {
    reopening.delete(tabId);
    exactLinks.forget(tabId);
    longChains.forget(tabId);
    for (const origins of [shown, heading, requested]) origins.delete(tabId);
    void change(({ passes, blocks }) => ({
      passes: without(passes, (pass) => pass.tabId === tabId),
      blocks: without(blocks, (block) => block.tabId === tabId),
    })).catch(() => {});
  });

  const dropEnded = (): Promise<void> => change(({ passes }) => ({ passes: without(passes, ({ untilMs }) => untilMs <= now()) }));

  /** Recents come every few minutes, so a pass ends only if its origin is no longer clean. Pages below it are checked as they load. */
  async function onListChanged(list: GuardedBlocklist, generation: number): Promise<void> {
    await settled();
    // A worker that starts reads the same list again.
    if (current().generation === generation) return;
    const isClean = (origin: string): boolean => {
      const { status, action } = list.test(origin, { isPasted: false });
      return action === 'allow' && status !== 'unknown';
    };
    await change(({ passes }) => ({
      generation,
      passes: without(passes, ({ kind, origin }) => kind !== 'once' && !isClean(origin)),
    }));
    await scan();
  }

  /** A page that listens to `beforeunload` lets the user keep it, and the warning is given up. The next alarm tries again. */
  async function insist(): Promise<void> {
    await settled();
    if ((await currentMode()) === 'observe') return;
    for (const block of current().blocks) {
      if (block.isCommitted && !block.isReplaced) await insistIn(block).catch(() => {});
    }
  }

  async function insistIn(block: BlockRecord): Promise<void> {
    const { tabId, url, isInsisted = false } = block;
    if (isOnce(tabId, originOf(url)!) || (await verdictOf(url)).action === 'allow') return;
    if (isInsisted) return removePage(block);
    await changeBlock(tabId, (before) => (before?.url === url ? { ...before, isInsisted: true } : before));
    await browser.tabs.update(tabId, { url: warningUrl(url) });
  }

  /** Chromium asks the user before it closes such a tab too, but not before it discards the page. Firefox asks every time, as it discards no such page. */
  async function removePage({ tabId, url }: BlockRecord): Promise<void> {
    if (browser.webRequest !== undefined) return void (await browser.tabs.remove(tabId));
    const { id = tabId } = (await browser.tabs.discard(tabId)) ?? {};
    await replaceTab(id, url);
  }

  browser.alarms.onAlarm.addListener(({ name }) => {
    if (name !== alarmName) return;
    void insist().catch(() => {});
    if (isGateRefused) void placeGate().catch(() => {});
    void dropEnded().catch(() => {});
    void dropPrivate(Math.max(skipMs, onceMs)).catch(() => {});
    void keepAwake(blocklist.then((list) => list.sync())).catch(() => {});
  });

  async function keepAwake(work: Promise<unknown>): Promise<void> {
    const timer = setInterval(() => void browser.alarms.get(alarmName).catch(() => {}), awakeMs);
    await work.finally(() => clearInterval(timer));
  }

  async function placeGate(): Promise<void> {
    const isWanted = (await currentMode()) === 'gate' && browser.webRequest === undefined;
    try {
      await setGateRule(browser, isWanted ? gateUrl : null);
      isGateRefused = false;
    } catch (error) {
      isGateRefused = isWanted;
      throw error;
    }
  }

  async function start(): Promise<void> {
    stopListening();
    const opening = blocklist.then((list) => {
      stopListening = list.on('changed', ({ generation }) => void onListChanged(list, generation).catch(() => {}));
      return list.ready();
    });
    const loading = keepAwake(opening);
    loading.catch(() => {});
    const placing = placeGate();
    await placing.catch(() => {});
    // Created again, it would start over each time the worker does.
    if (((await browser.alarms.get(alarmName)) ?? null) === null) browser.alarms.create(alarmName, { periodInMinutes: 1 });
    await loading;
    if (current().generation === -1) await scan();
    await placing;
  }

  use(given);
  let starting = start();
  starting.catch(() => {});
  return {
    ready: () => starting,
    async status() {
      const [held] = await Promise.all([currentMode(), settled()]);
      const { blockedCount, lastBlock } = current();
      return { mode: held, blockedCount, lastBlock, isGateRefused };
    },
    async update(settings) {
      use(readOptions('update', settingKinds(), settings));
      // Another list: what the previous one found clean counts no more.
      await change(({ passes }) => ({ generation: -1, passes: without(passes, ({ kind }) => kind !== 'once') }));
      starting = start();
      await starting;
    },
  };
}

/** Unknown, because the worker has just started, is not elsewhere. */
const isElsewhere = (known: string | null | undefined, origin: string): boolean => known !== undefined && known !== origin;
