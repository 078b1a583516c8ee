import type { MessageSender } from './extension-browser.js';
import { type GateAnswer, type GateQuestion, isGateQuestion, originOf, unanswered } from './gate-messages.js';
import { asQuery, exactLinkOf, type GateScope, redirectFromGate } from './gate-redirect.js';
import { findAndLearn, type GuardParts } from './guard-parts.js';
import type { Finding } from './list-finder.js';

/** Answers what the browser and the gate page ask: may this link open? */
export function answerGate(parts: GuardParts, scope: GateScope): void {
  const { browser, gateUrl, state, tabs, finder, rules, warnings } = parts;

  /** Whether a link opens. If so, its origin gets a pass. */
  async function judge(link: string): Promise<Pick<Finding, 'status' | 'advisory'> & { readonly opens: boolean }> {
    const [{ status, action, advisory }, mode] = await Promise.all([findAndLearn(parts, link), finder.mode(), state.settled()]);
    const opens = action === 'allow' || mode === 'observe';
    if (opens) await rules.letPast(link, action === 'allow' && status !== 'unknown');
    return { opens, status, advisory };
  }

  redirectFromGate(
    scope,
    gateUrl,
    (link) => exactLinkOf(tabs.all(), link),
    async (link) => {
      const query = asQuery(link);
      const reopened = [...tabs.all()].find(({ reopening }) => reopening === query);
      if (reopened === undefined) return (await judge(link)).opens;
      reopened.reopening = undefined;
      return true;
    },
  );

  /** The browser repeats the navigation that led to the gate page, so whoever began that one decides about cookies. */
  async function reopen(tabId: number, url: string): Promise<boolean> {
    const note = tabs.of(tabId);
    // The gate page has loaded again, because the browser did not ask. Another try would end the same.
    const hasFailed = note.reopening === url;
    if (browser.webRequest !== undefined) await browser.tabs.update(tabId, { url, loadReplace: true });
    else {
      note.reopening = hasFailed ? undefined : url;
      if (!hasFailed) await browser.tabs.reload(tabId);
    }
    return !hasFailed;
  }

  async function decide(tabId: number, url: string, isPrivate: boolean): Promise<GateAnswer> {
    const { opens, status, advisory } = await judge(url);
    if ((opens || rules.isOnce(tabId, originOf(url)!)) && (await reopen(tabId, url))) return { opens: true, status, steps: 1 };
    void warnings.count(url, status, isPrivate).catch(() => {});
    return { opens: false, status, steps: warnings.stepsOf(tabId, url), advisory };
  }

  async function answer({ portcullis, url }: GateQuestion, tabId: number, isPrivate: boolean): Promise<GateAnswer> {
    if (portcullis === 'close') {
      if ((await browser.tabs.get(tabId)).status !== 'loading') await browser.tabs.remove(tabId);
      return { ...unanswered, steps: 0 };
    }
    if (portcullis === 'leave') {
      await state.settled();
      return { ...unanswered, steps: warnings.stepsOf(tabId, url) };
    }
    if (portcullis === 'once') await rules.openOnce(tabId, originOf(url)!);
    return decide(tabId, url, isPrivate);
  }

  const isGatePage = ({ id, url, frameId }: MessageSender): boolean =>
    id === browser.runtime.id && frameId === 0 && (url === gateUrl || url?.startsWith(`${gateUrl}?`) === true);
  browser.runtime.onMessage.addListener((message, sender, respond) => {
    const tabId = sender.tab?.id;
    if (!isGateQuestion(message) || !isGatePage(sender) || tabId === undefined) return undefined;
    answer(message, tabId, sender.tab?.incognito === true).then(respond, () => respond(unanswered));
    return true;
  });
}
