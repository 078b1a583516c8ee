import type { BrowserRequest } from './extension-browser.js';
import { originOf } from './gate-messages.js';
import type { GuardParts } from './guard-parts.js';

const filter = { urls: ['http://*/*', 'https://*/*'], types: ['main_frame', 'sub_frame', 'object'] };

/** Firefox's gate: it waits for the answer before it sends the request, also when it has to start the worker for it. */
export function holdRequests({ browser, state, tabs, finder, rules, warnings }: GuardParts): void {
  async function onRequest({ tabId, url, type }: BrowserRequest): Promise<{ cancel?: boolean }> {
    const note = tabs.of(tabId);
    if (type === 'main_frame') note.requested = url;
    const isNear = tabs.stayNear(tabId);
    const shownBefore = warnings.shownIn(tabId);
    if ((await finder.mode()) !== 'gate') return {};
    await state.settled();
    const origin = originOf(url);
    if (origin === null || rules.isOnce(tabId, origin) || (await finder.find(url)).action === 'allow') return {};
    // A request of no tab can be stopped, but there is nothing to warn in.
    if (tabId < 0) return { cancel: true };
    if (type !== 'main_frame') {
      if (isNear()) await warnings.replaceAround(tabId, url, shownBefore);
    } else if (note.requested === url) await warnings.show(tabId, url);
    return { cancel: true };
  }
  browser.webRequest?.onBeforeRequest.addListener((request) => onRequest(request).catch(() => ({ cancel: true })), filter, [
    'blocking',
  ]);
}
