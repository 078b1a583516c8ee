import type { ExtensionBrowser } from './extension-browser.js';
import { originOf } from './gate-messages.js';
import type { TabNote, TabNotes } from './tab-notes.js';

/** A request of the browser for a file of the extension. */
export interface GateRequest {
  readonly request: Request;
  /** Answers it in place of the file. */
  respondWith(response: Promise<Response>): void;
}

/** The part of a service worker's global scope that the guard uses. */
export interface GateScope {
  /** Adds a listener. Without it the gate page asks by message. */
  addEventListener?(type: 'fetch', listener: (event: GateRequest) => void): void;
  /** Loads a file of the extension. */
  fetch(request: Request): Promise<Response>;
}

/**
 * A link as the address of the gate page holds it: a browser encodes an apostrophe in a query, and the link is one there. In a path a browser
 * leaves it.
 */
export const asQuery = (link: string): string => link.replace(/^[^#]*/, (head) => head.replaceAll("'", '%27'));

const headOf = (link: string): string => link.split('#', 1)[0]!;

/** Notes the link that a tab navigates to if the address of the gate page changes it; `null` once the navigation is over. */
export function noteExactLink(note: TabNote, link: string | null): void {
  const head = link === null ? '' : headOf(link);
  note.exactHead = head === asQuery(head) ? undefined : head;
}

/** The link that a tab asked for, given the one in the address of the gate page. */
export function exactLinkOf(notes: Iterable<TabNote>, link: string): string {
  const head = headOf(link);
  for (const { exactHead } of notes)
    if (exactHead !== undefined && asQuery(exactHead) === head) return exactHead + link.slice(head.length);
  return link;
}

/**
 * Sends a link that opens on before the gate page has loaded. To the browser it is one navigation with redirects, so its cookies, its
 * referrer and the history are those of the link.
 */
export function redirectFromGate(
  scope: GateScope,
  gateUrl: string,
  exact: (link: string) => string,
  opens: (link: string) => Promise<boolean>,
): void {
  scope.addEventListener?.('fetch', (event) => {
    const { request } = event;
    const link = exact(request.url.slice(gateUrl.length + 1));
    // A site could otherwise frame a link through the gate.
    if (request.destination !== 'document' || !request.url.startsWith(`${gateUrl}?`) || originOf(link) === null) return;
    const answer = async (): Promise<Response> =>
      (await opens(link)) ? Response.redirect(withoutPassword(link), 307) : scope.fetch(request);
    event.respondWith(answer().catch(() => scope.fetch(request)));
  });
}

/** The rule of a pass cannot match an address with a name and a password, so it would lead to the gate again. */
function withoutPassword(link: string): string {
  const url = new URL(link);
  url.username = '';
  url.password = '';
  return url.href;
}

/** The browser follows 20 redirects, and the gate makes three of one. These suffice for 20 hosts that are all new. */
const maxContinuations = 3;

/** The gate adds redirects, so a chain over many new hosts exceeds the browser's limit. It goes on from the last one, now with passes. */
export function continueLongChains({ webNavigation, tabs }: ExtensionBrowser, notes: TabNotes): void {
  webNavigation.onErrorOccurred.addListener(({ tabId, frameId, error }) => {
    const note = notes.of(tabId);
    const count = note.continuations ?? 0;
    if (frameId !== 0 || error !== 'net::ERR_TOO_MANY_REDIRECTS' || count === maxContinuations) return;
    note.continuations = count + 1;
    void tabs.reload(tabId).catch(() => {});
  });
}
