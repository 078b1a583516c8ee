import type { Navigation } from './extension-browser.js';

/** How navigations begin that only the user or the browser can begin. */
const ownTransitions: readonly unknown[] = [
  'typed',
  'auto_bookmark',
  'generated',
  'keyword',
  'keyword_generated',
  'start_page',
  'auto_toplevel',
];

/**
 * Tells whether the gate page may open a link in its own name. The browser would send `SameSite=Strict` cookies with that navigation, so it
 * must not be one that another site began. In memory only: a worker that was stopped in between answers no.
 */
export interface GateArrivals {
  began(navigation: Navigation): void;
  committed(navigation: Navigation): void;
  isOwn(tabId: number, link: string): boolean;
  ended(tabId: number): void;
}

export function createGateArrivals(warningUrl: (link: string) => string): GateArrivals {
  const begun = new Map<number, string>();
  const own = new Map<number, string>();
  return {
    began: ({ tabId, url }) => begun.set(tabId, url),
    committed({ tabId, url, transitionType }) {
      own.delete(tabId);
      const from = begun.get(tabId);
      // A page can reload itself into a redirect to another site.
      const isReload = transitionType === 'reload' && from !== undefined && url === warningUrl(from);
      if (isReload || ownTransitions.includes(transitionType)) own.set(tabId, url);
    },
    isOwn: (tabId, link) => own.get(tabId) === warningUrl(link),
    ended(tabId) {
      begun.delete(tabId);
      own.delete(tabId);
    },
  };
}
