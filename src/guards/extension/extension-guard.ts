import type { LightBlocklist } from '../../blocklist/light/light-options.js';
import type { Verdict } from '../../blocklist/verdict.js';
import { requireNumber } from '../../core/errors.js';
import type { ExtensionBrowser, MessageSender, Navigation } from './extension-browser.js';
import { type GateAnswer, type GateQuestion, isGateQuestion, originOf } from './gate-messages.js';
import { addPass, findPass, type GatePass, passRule } from './gate-passes.js';

/** Options of `createExtensionGuard`. Times are in milliseconds. */
export interface ExtensionGuardOptions {
  /** `chrome`. */
  readonly browser: ExtensionBrowser;
  /** The list to check against. The guard makes it ready and polls it with an alarm, so create it with `pollMs: 0`. */
  readonly blocklist: Pick<LightBlocklist, 'ready' | 'check' | 'sync' | 'on'>;
  /** Path of the page that calls `startGatePage`. @default 'gate.html' */
  readonly gatePage?: string | undefined;
  /** How long a clean origin skips the gate. A change of the list ends it. @default 1_800_000 */
  readonly skipMs?: number | undefined;
  /** How long "open once" lasts, for that origin in that tab. @default 300_000 */
  readonly onceMs?: number | undefined;
  /** Current epoch time. @default Date.now */
  readonly now?: (() => number) | undefined;
}

/** Blocks listed pages in an extension. */
export interface ExtensionGuard {
  /** Resolves once the gate is in place and open tabs are checked. */
  ready(): Promise<void>;
}

/** A listed page that got past the gate in a tab, until the tab shows another page than its warning. */
interface BlockRecord {
  readonly tabId: number;
  readonly url: string;
  /** It was loaded, so it is a step of the tab's history. */
  readonly isCommitted: boolean;
  /** The warning has been shown since it was loaded. */
  readonly isReplaced: boolean;
}

interface GuardState {
  readonly passes: readonly GatePass[];
  readonly blocks: readonly BlockRecord[];
}

/** Blocks kept, the latest of each tab: more than anyone has open with a warning. */
const maxBlocks = 200;

/** Long enough for the gate page to open what the policy lets through without knowing. */
const unknownPassMs = 10_000;

const alarmName = 'portcullis';
const stateKey = 'portcullis';
const dayMs = 86_400_000;

/**
 * Sends every page that opens to a gate page of the extension, which opens it after a check, so that a listed page receives no request.
 * Call it at the top level of the worker: its listeners must exist when an event wakes the worker.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function createExtensionGuard(options: ExtensionGuardOptions): ExtensionGuard {
  const { browser, blocklist, gatePage = 'gate.html', skipMs = 1_800_000, onceMs = 300_000, now = Date.now } = options;
  requireNumber(skipMs, 'skipMs', 1_000, dayMs);
  requireNumber(onceMs, 'onceMs', 1_000, dayMs);
  const gateUrl = browser.runtime.getURL(gatePage);
  let state: GuardState = { passes: [], blocks: [] };

  /** Runs one change after another, so that rules and state agree. */
  let last: Promise<unknown> = restore();
  function change(make: (before: GuardState) => Partial<GuardState>): Promise<void> {
    const run = last.then(async () => {
      const before = state;
      const next = { ...before, ...make(before) };
      if (next.passes === before.passes && next.blocks === before.blocks) return;
      if (next.passes !== before.passes) {
        const removed = before.passes.filter((pass) => !next.passes.includes(pass));
        const added = next.passes.filter((pass) => !before.passes.includes(pass));
        await browser.declarativeNetRequest.updateSessionRules({
          removeRuleIds: removed.map(({ id }) => id),
          addRules: added.map(passRule),
        });
      }
      state = next;
      await browser.storage.session.set({ [stateKey]: next });
    });
    last = run.catch(() => {});
    return run;
  }

  /** Rules without a state, of a worker that was stopped in between, would skip the gate for ever. */
  async function restore(): Promise<void> {
    const stored = (await browser.storage.session.get(stateKey))[stateKey] as GuardState | undefined;
    if (stored !== undefined) state = stored;
    const rules = await browser.declarativeNetRequest.getSessionRules();
    const known = new Set(state.passes.map(({ id }) => id));
    const removeRuleIds = rules.map(({ id }) => id).filter((id) => !known.has(id));
    if (removeRuleIds.length > 0) await browser.declarativeNetRequest.updateSessionRules({ removeRuleIds, addRules: [] });
  }

  /** A dynamic rule outlives the browser, so the first page after a start meets the gate too. */
  function closeGate(): Promise<unknown> {
    return browser.declarativeNetRequest.updateDynamicRules({
      removeRuleIds: [1],
      addRules: [
        {
          id: 1,
          priority: 1,
          action: { type: 'redirect', redirect: { regexSubstitution: `${gateUrl}?\\0` } },
          // A redirect would lose the body of a POST.
          condition: { regexFilter: '^https?://.*', requestMethods: ['get'], resourceTypes: ['main_frame'] },
        },
      ],
    });
  }

  const dropEnded = (): Promise<void> =>
    change(({ passes }) => {
      const left = passes.filter(({ untilMs }) => untilMs > now());
      return left.length === passes.length ? {} : { passes: left };
    });

  async function verdictOf(url: string): Promise<Pick<Verdict, 'status' | 'action'>> {
    try {
      return await blocklist.check(url);
    } catch {
      return { status: 'unknown', action: 'warn' };
    }
  }

  const stepsOf = (tabId: number, url: string): number => (blockOf(tabId, url)?.isCommitted === true ? 2 : 1);

  async function decide(tabId: number, url: string, origin: string): Promise<GateAnswer> {
    const { status, action } = await verdictOf(url);
    await last;
    const isOnce = findPass(state.passes, origin, tabId, now())?.kind === 'once';
    if (action !== 'allow' && !isOnce) return { opens: false, status, steps: stepsOf(tabId, url) };
    if (!isOnce) {
      const pass =
        status === 'unknown'
          ? { kind: 'unknown' as const, origin, tabId, untilMs: now() + unknownPassMs }
          : { kind: 'clean' as const, origin, tabId: null, untilMs: now() + skipMs };
      await change(({ passes }) => ({ passes: addPass(passes, pass, now()) }));
    }
    return { opens: true, status, steps: 1 };
  }

  async function answer({ portcullis, url }: GateQuestion, tabId: number): Promise<GateAnswer> {
    const origin = originOf(url)!;
    if (portcullis === 'once') {
      const pass = { kind: 'once' as const, origin, tabId, untilMs: now() + onceMs };
      await change(({ passes }) => ({ passes: addPass(passes, pass, now()) }));
    }
    if (portcullis === 'close') {
      await browser.tabs.remove(tabId);
      return { opens: false, status: '', steps: 0 };
    }
    if (portcullis === 'leave') {
      await last;
      return { opens: false, status: '', steps: stepsOf(tabId, url) };
    }
    return decide(tabId, url, origin);
  }

  /** Puts the gate page, which shows the warning, in place of a page that got past the gate. */
  async function guard({ tabId, frameId, url }: Navigation, isCommitted: boolean): Promise<void> {
    if (frameId !== 0) return;
    // Before any wait, so that records change in the order of the events.
    if (isCommitted) await changeBlock(tabId, (block) => afterCommit(block, url));
    else await last;
    const origin = originOf(url);
    if (origin === null) return;
    const pass = findPass(state.passes, origin, tabId, now());
    if (pass?.kind === 'once') return;
    // Without a pass the request itself meets the gate; a POST does not, and is handled once it commits.
    if (!isCommitted && pass === undefined) return;
    const { action } = await verdictOf(url);
    if (action === 'allow') return;
    await changeBlock(tabId, (block) =>
      block?.url === url
        ? { ...block, isCommitted: block.isCommitted || isCommitted }
        : { tabId, url, isCommitted, isReplaced: false },
    );
    if (isCommitted && (await isWarned(tabId, url))) return;
    await browser.tabs.update(tabId, { url: warningUrl(url) }).catch(() => {});
  }

  const warningUrl = (url: string): string => `${gateUrl}?${url}`;

  /** A page that commits while its warning is on the way would otherwise get a second one, which could undo "go back". */
  async function isWarned(tabId: number, listed: string): Promise<boolean> {
    if (blockOf(tabId, listed)?.isReplaced === true) return true;
    const { url, pendingUrl } = await browser.tabs.get(tabId);
    return (pendingUrl ?? url) === warningUrl(listed);
  }

  /** The warning may replace a page before or after that page commits, so only the events tell whether it is a step of the history. */
  function afterCommit(block: BlockRecord | undefined, url: string): BlockRecord | undefined {
    if (block?.url === url) return { ...block, isCommitted: true, isReplaced: false };
    return block !== undefined && url === warningUrl(block.url) ? { ...block, isReplaced: true } : undefined;
  }

  const blockOf = (tabId: number, url: string): BlockRecord | undefined =>
    state.blocks.find((block) => block.tabId === tabId && block.url === url);

  const changeBlock = (tabId: number, make: (block: BlockRecord | undefined) => BlockRecord | undefined): Promise<void> =>
    change(({ blocks }) => {
      const before = blocks.find((block) => block.tabId === tabId);
      const after = make(before);
      if (after === before) return {};
      const others = blocks.filter((block) => block.tabId !== tabId);
      return { blocks: after === undefined ? others : [...others.slice(-(maxBlocks - 1)), after] };
    });

  async function scan(): Promise<void> {
    const tabs = await browser.tabs.query({ url: ['http://*/*', 'https://*/*'] });
    for (const { id, url } of tabs) if (id !== undefined && url !== undefined) await guard({ tabId: id, frameId: 0, url }, true);
  }

  const onNavigation = (isCommitted: boolean) => (navigation: Navigation) => void guard(navigation, isCommitted).catch(() => {});
  browser.webNavigation.onBeforeNavigate.addListener(onNavigation(false));
  browser.webNavigation.onCommitted.addListener(onNavigation(true));
  browser.webNavigation.onHistoryStateUpdated.addListener(onNavigation(true));
  browser.webNavigation.onReferenceFragmentUpdated.addListener(onNavigation(true));

  const isGatePage = ({ id, url, frameId }: MessageSender): boolean =>
    id === browser.runtime.id && frameId === 0 && (url === gateUrl || url?.startsWith(`${gateUrl}?`) === true);
  browser.runtime.onMessage.addListener((message, sender, respond) => {
    const tabId = sender.tab?.id;
    if (!isGateQuestion(message) || !isGatePage(sender) || tabId === undefined) return undefined;
    answer(message, tabId).then(respond, () => respond({ opens: false, status: 'unknown', steps: 1 }));
    return true;
  });

  browser.tabs.onRemoved.addListener((tabId) => {
    void change(({ passes, blocks }) => {
      const left = passes.filter((pass) => pass.tabId !== tabId);
      return {
        passes: left.length === passes.length ? passes : left,
        blocks: blocks.filter((block) => block.tabId !== tabId),
      };
    }).catch(() => {});
  });

  blocklist.on('changed', () => {
    void change(({ passes }) => ({ passes: passes.filter(({ kind }) => kind === 'once') }))
      .then(scan)
      .catch(() => {});
  });

  browser.alarms.onAlarm.addListener(({ name }) => {
    if (name !== alarmName) return;
    void dropEnded().catch(() => {});
    void blocklist.sync().catch(() => {});
  });

  async function start(): Promise<void> {
    await closeGate();
    browser.alarms.create(alarmName, { periodInMinutes: 1 });
    await dropEnded();
    await blocklist.ready();
    await scan();
  }
  const starting = start();
  starting.catch(() => {});
  return { ready: () => starting };
}
