import { inTurn } from '../../core/in-turn.js';
import { readOptions } from '../../core/options/read-options.js';
import { answerGate } from './gate-answers.js';
import { setGateRule } from './gate-rule.js';
import {
  type ExtensionGuard,
  type ExtensionGuardOptions,
  type GuardedBlocklist,
  guardKinds,
  settingKinds,
} from './guard-options.js';
import { type GuardParts, isKnownListed } from './guard-parts.js';
import { keepState, without, withTabId } from './guard-state.js';
import { findInList } from './list-finder.js';
import { watchPages } from './page-watch.js';
import { holdRequests } from './request-gate.js';
import { keepRules } from './rule-keeper.js';
import { keepTabNotes } from './tab-notes.js';
import { keepWarnings } from './warnings.js';

/** A browser stops a worker 30 seconds after the last event, even during a download. A call of the browser counts as one. */
const awakeMs = 20_000;

const alarmName = 'portcullis';

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
  const usesRules = browser.declarativeNetRequest !== undefined && browser.webRequest === undefined;
  const state = keepState(browser, gateUrl, now);
  const { current, settled, change, dropPrivate } = state;
  const tabs = keepTabNotes();
  const finder = findInList(loadWaitMs);
  const rules = keepRules(state, { now, skipMs, onceMs, usesRules });
  const warnings = keepWarnings(browser, gateUrl, state, tabs, now);
  const parts: GuardParts = { browser, gateUrl, state, tabs, finder, rules, warnings };
  let stopListening = (): void => {};
  let isGateRefused = false;
  /** Checks of all open pages, one after another: two at a time would warn twice. */
  const oneByOne = inTurn();
  let isRecheckWaiting = false;
  /** Changes of the settings. What was checked by those of before does not count. */
  let updates = 0;

  answerGate(parts, scope);
  const { scan, recheck } = watchPages(parts);
  holdRequests(parts);

  browser.tabs.onRemoved.addListener((tabId) => {
    tabs.forget(tabId);
    void change(({ passes, blocks }) => ({
      passes: without(passes, (pass) => pass.tabId === tabId),
      blocks: without(blocks, (block) => block.tabId === tabId),
    })).catch(() => {});
  });

  browser.tabs.onReplaced?.addListener((added, removed) => {
    tabs.forget(removed);
    void change((before) => withTabId(before, removed, added)).catch(() => {});
  });

  /** Recents come every few minutes, so only what is no longer true ends. Pages below an origin with a pass are checked as they load. */
  async function onListChanged(list: GuardedBlocklist, generation: number): Promise<void> {
    await settled();
    const turn = updates;
    // A worker that starts reads the same list again.
    if (current().generation === generation) return;
    await review(list);
    await scan();
    // Last, so that a worker that starts goes on if this one ended in between.
    if (turn === updates) await change(() => ({ generation }));
  }

  async function review(list: GuardedBlocklist): Promise<void> {
    const isGate = (await finder.mode()) === 'gate';
    await rules.review((url) => {
      const { status, action, reason } = list.test(url, { isPasted: false });
      const mayStay = action === 'allow' && status !== 'unknown';
      // A policy may allow hits that are not confirmed.
      const isClean = mayStay && status !== 'unconfirmed';
      return { isClean: isClean || !isGate, endsPass: !mayStay && reason !== 'loading' };
    });
  }

  /**
   * Every minute, because a worker may end in the middle of a check, settings may change while there is none, and a list that cannot be stored
   * has no generation to go by.
   */
  async function onAlarm(): Promise<void> {
    await (await finder.list()).sync().catch(() => {});
    // With many open pages one may take longer than a minute.
    if (isRecheckWaiting) return;
    isRecheckWaiting = true;
    await oneByOne(async () => {
      isRecheckWaiting = false;
      await settled();
      await review(await finder.list());
      await recheck();
    });
  }

  /** A page that listens to `beforeunload` lets the user keep it, and the warning is given up. The next alarm tries again. */
  async function insist(): Promise<void> {
    await settled();
    if ((await finder.mode()) === 'observe') return;
    await warnings.insist(async (tabId, url) => {
      return !rules.isOnce(tabId, new URL(url).origin) && (await isKnownListed(parts, url));
    });
  }

  browser.alarms.onAlarm.addListener(({ name }) => {
    if (name !== alarmName) return;
    void insist().catch(() => {});
    if (isGateRefused) void placeGate().catch(() => {});
    void rules.dropEnded().catch(() => {});
    void dropPrivate(Math.max(skipMs, onceMs)).catch(() => {});
    void keepAwake(onAlarm()).catch(() => {});
  });

  async function keepAwake(work: Promise<unknown>): Promise<void> {
    const timer = setInterval(() => void browser.alarms.get(alarmName).catch(() => {}), awakeMs);
    await work.finally(() => clearInterval(timer));
  }

  async function placeGate(): Promise<void> {
    const isWanted = usesRules && (await finder.mode()) === 'gate';
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
    const opening = finder.list().then((list) => {
      stopListening = list.on('changed', ({ generation }) => {
        oneByOne(() => onListChanged(list, generation)).catch(() => {});
      });
      return list.ready();
    });
    const loading = keepAwake(opening);
    loading.catch(() => {});
    const placing = placeGate();
    await placing.catch(() => {});
    // Created again, it would start over each time the worker does.
    if (((await browser.alarms.get(alarmName)) ?? null) === null) browser.alarms.create(alarmName, { periodInMinutes: 1 });
    await loading;
    await oneByOne(async () => {
      if (current().generation === -1) await scan();
    });
    await placing;
  }

  finder.use(given);
  let starting = start();
  starting.catch(() => {});
  return {
    ready: () => starting,
    async status() {
      const [mode] = await Promise.all([finder.mode(), settled()]);
      const { blockedCount, lastBlock } = current();
      return { mode, blockedCount, lastBlock, isGateRefused };
    },
    async update(settings) {
      updates++;
      finder.use(readOptions('update', settingKinds(), settings));
      await rules.startOver();
      starting = start();
      await starting;
    },
  };
}
