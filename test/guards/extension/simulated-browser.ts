import type { Scheduler } from 'fast-check';
import type { ExtensionBrowser, GateRule, RuleUpdate } from 'portcullis/extension';

const extension = 'chrome-extension://own/';
export const gateUrl = `${extension}gate.html`;

/** A navigation: the links that redirects lead through, in a tab or in a frame of its page. */
export interface Visit {
  readonly tabId: number;
  /** 0 for the page itself. */
  readonly frameId: number;
  readonly hops: readonly string[];
  readonly isPost: boolean;
}

interface Tab {
  url: string;
  pendingUrl?: string | undefined;
  /** Counts navigations, so that a later one cancels those before it. */
  turn: number;
  /** Counts pages, because a frame ends with its page. */
  pages: number;
  readonly frames: Map<number, string>;
  /** Its page asks the user before it closes, who keeps it: only the user's own links replace it. */
  isKept: boolean;
  /** For each origin of its pages, the origins that they and their frames came from and led through: a page may reload itself to hide a frame. */
  readonly origins: Map<string, Set<string>>;
  /** Those of the page that it goes to, or went to until a warning came first. */
  heading: Set<string>;
}

/** A request that left the browser. */
export interface SentRequest extends Pick<Visit, 'tabId' | 'frameId' | 'isPost'> {
  readonly url: string;
  /** Whether the page that began the navigation is of another site. */
  readonly isThirdParty: boolean;
}

/**
 * What the guard uses of Chromium, without a browser: tabs with frames, redirects, rules, and a worker that may end at any time. The scheduler decides
 * in which order answers and events come.
 */
export class SimulatedBrowser {
  readonly tabs = new Map<number, Tab>();
  readonly sent: SentRequest[] = [];
  /** Pages that the worker replaced or discarded although it had nothing against them. */
  readonly astray: string[] = [];
  readonly session = new Map<number, GateRule>();
  /** A discarded tab gets another id, as in Chromium 156. */
  replacesDiscarded = false;
  private dynamic = new Map<number, GateRule>();
  private stored: Record<string, unknown> = {};
  private sets = 0;
  private lastSet = 0;
  private listeners = new Map<string, (...values: never[]) => unknown>();
  /** The worker that runs. What an earlier one still asks for is never answered. */
  private worker = 0;
  private workerEnd: Promise<null> = new Promise(() => {});
  private endWorker = (): void => {};
  private startWorker: (browser: ExtensionBrowser, scope: object) => void = () => {};

  private readonly scheduler: Scheduler;

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler;
  }

  /** Starts a worker, in place of the one before. */
  start(startWorker: (browser: ExtensionBrowser, scope: object) => void): void {
    this.startWorker = startWorker;
    this.restart();
  }

  restart(): void {
    this.worker++;
    this.endWorker();
    this.workerEnd = new Promise((resolve) => {
      this.endWorker = () => resolve(null);
    });
    this.listeners = new Map();
    this.startWorker(this.api(this.worker), {
      addEventListener: (name: string, listener: (event: never) => unknown) => this.listeners.set(name, listener),
      fetch: async () => new Response('the gate page'),
    });
  }

  open(tabId: number): void {
    this.tabs.set(tabId, {
      ...{ url: 'about:blank', turn: 0, pages: 0, frames: new Map(), isKept: false },
      ...{ origins: new Map(), heading: new Set() },
    });
  }

  close(tabId: number): void {
    if (this.tabs.delete(tabId)) this.fire('removed', tabId);
  }

  /** The page of a tab changes its address, which loads nothing. */
  pushState(tabId: number): void {
    const url = this.tabs.get(tabId)?.url;
    if (url?.startsWith('http')) this.fire('history', { tabId, frameId: 0, url });
  }

  /** A script of the page of a tab writes another page, and goes to it. */
  goToBlob(tabId: number): void {
    const tab = this.tabs.get(tabId);
    if (tab === undefined || !tab.url.startsWith('http') || tab.isKept) return;
    tab.turn++;
    tab.heading = new Set([new URL(tab.url).origin]);
    this.commit(tab, tabId, 0, `blob:${new URL(tab.url).origin}/1-2`);
  }

  /** The tabs that the worker has stored warnings of. */
  get warnedTabs(): readonly number[] {
    const { blocks = [] } = Object(this.stored['portcullis']) as { readonly blocks?: readonly { readonly tabId: number }[] };
    return blocks.map(({ tabId }) => tabId);
  }

  /** The page of a tab asks the worker, as the gate page does. */
  ask(tabId: number, portcullis: string): Promise<unknown> {
    const { url } = this.tabs.get(tabId)!;
    const sender = { id: 'own', url, frameId: 0, tab: { id: tabId } };
    return new Promise((resolve) => this.fire('message', { portcullis, url: url.slice(gateUrl.length + 1) }, sender, resolve));
  }

  fire(name: string, ...values: unknown[]): unknown {
    return this.listeners.get(name)?.(...(values as never[]));
  }

  private wait<Value>(value: Value): Promise<Value> {
    return this.scheduler.schedule(Promise.resolve(value));
  }

  async visit({ tabId, frameId, hops, isPost }: Visit): Promise<void> {
    const tab = this.tabs.get(tabId);
    if (tab === undefined) return;
    const { url: page, pages } = tab;
    const turn = frameId === 0 ? ++tab.turn : tab.turn;
    const isOver = (): boolean => this.tabs.get(tabId) !== tab || (frameId === 0 ? tab.turn !== turn : tab.pages !== pages);
    const origins = hops.map((hop) => new URL(hop).origin);
    if (frameId === 0) Object.assign(tab, { pendingUrl: hops[0], heading: new Set(origins) });
    else addOrigins(tab, page, origins);
    this.fire('before', { tabId, frameId, url: hops[0] });
    let method = isPost ? 'post' : 'get';
    for (const [at, hop] of hops.entries()) {
      // What the gate redirects to meets the rules again.
      for (let url = hop, left = 20; ; left--) {
        if (left === 0) throw new Error('too many redirects');
        const isThirdParty = siteOf(page) !== siteOf(url);
        const rule = this.ruleFor({ url, method, tabId, isFrame: frameId !== 0, isThirdParty });
        if (rule?.action.type === 'block') return;
        if (rule?.action.type === 'redirect') {
          await this.wait(null);
          if (isOver()) return;
          const link = await this.askWorker(`${gateUrl}?${url}`);
          if (isOver()) return;
          if (link === null) return this.commit(tab, tabId, 0, `${gateUrl}?${url}`);
          url = link;
          continue;
        }
        this.sent.push({ tabId, frameId, isPost: method === 'post', url, isThirdParty });
        break;
      }
      await this.wait(null);
      if (isOver()) return;
      // As a redirect with status 302.
      if (at + 1 < hops.length) method = 'get';
    }
    this.commit(tab, tabId, frameId, hops.at(-1)!);
  }

  private commit(tab: Tab, tabId: number, frameId: number, url: string): void {
    if (frameId === 0) {
      addOrigins(tab, url, tab.heading);
      tab.heading = new Set();
      tab.url = url;
      tab.pendingUrl = undefined;
      tab.pages++;
      tab.frames.clear();
      tab.isKept = false;
    } else tab.frames.set(frameId, url);
    this.fire('committed', { tabId, frameId, url });
    if (frameId === 0 && url.startsWith(gateUrl)) void this.ask(tabId, 'decide').catch(() => {});
  }

  /** The link that the worker redirects to; `null` if the gate page loads. */
  private async askWorker(url: string): Promise<string | null> {
    let answer: Promise<Response> | undefined;
    this.fire('fetch', {
      request: { url, destination: 'document' },
      respondWith(response: Promise<Response>) {
        answer = response;
      },
    });
    // A worker that ends never answers, and the browser loads the file.
    const response = await Promise.race([answer, this.workerEnd]);
    return response?.headers.get('location') ?? null;
  }

  private noteAstray(tabId: number, url: string): void {
    const tab = this.tabs.get(tabId);
    if (tab === undefined || !tab.url.startsWith('http') || !url.startsWith(`${gateUrl}?http`)) return;
    const { origin } = new URL(url.slice(gateUrl.length + 1));
    if (tab.origins.get(new URL(tab.url).origin)?.has(origin) !== true && !tab.heading.has(origin)) this.astray.push(tab.url);
  }

  private ruleFor(request: {
    url: string;
    method: string;
    tabId: number;
    isFrame: boolean;
    isThirdParty: boolean;
  }): GateRule | undefined {
    const { hostname } = new URL(request.url);
    const fits = ({ condition }: GateRule): boolean => {
      const { regexFilter, urlFilter, domainType, tabIds, requestMethods, requestDomains, resourceTypes } = condition;
      return (
        resourceTypes.includes(request.isFrame ? 'sub_frame' : 'main_frame') &&
        (regexFilter === undefined || new RegExp(regexFilter).test(request.url)) &&
        (urlFilter === undefined || request.url.startsWith(urlFilter.slice(1))) &&
        (domainType === undefined || request.isThirdParty) &&
        (tabIds === undefined || tabIds.includes(request.tabId)) &&
        (requestMethods === undefined || requestMethods.includes(request.method)) &&
        (requestDomains === undefined || requestDomains.some((host) => hostname === host || hostname.endsWith(`.${host}`)))
      );
    };
    const order = ['allow', 'block', 'redirect'];
    return [...this.dynamic.values(), ...this.session.values()]
      .filter(fits)
      .sort((a, b) => b.priority - a.priority || order.indexOf(a.action.type) - order.indexOf(b.action.type))[0];
  }

  private api(worker: number): ExtensionBrowser {
    const { tabs } = this;
    /** A call of the worker, whose effect comes at once and whose answer later. A worker that has ended has neither. */
    const call = async <Value>(act: () => Value): Promise<Value> => {
      await this.wait(null);
      if (this.worker !== worker) return new Promise(() => {});
      const value = act();
      return this.wait(value);
    };
    const change = (rules: Map<number, GateRule>, { removeRuleIds, addRules }: RuleUpdate): void => {
      for (const id of removeRuleIds) rules.delete(id);
      for (const rule of addRules) {
        if (rules.has(rule.id)) throw new Error(`duplicate id ${rule.id}`);
        rules.set(rule.id, structuredClone(rule));
      }
    };
    const event = (name: string) => ({
      addListener: (listener: (...values: never[]) => unknown) => void this.listeners.set(name, listener),
    });
    const tabOf = (tabId: number): Tab => {
      const tab = tabs.get(tabId);
      if (tab === undefined) throw new Error(`no tab ${tabId}`);
      return tab;
    };
    return {
      alarms: { get: () => call(() => ({})), create() {}, onAlarm: event('alarm') },
      declarativeNetRequest: {
        getDynamicRules: () => call(() => [...this.dynamic.values()]),
        updateDynamicRules: (update) => call(() => change(this.dynamic, update)),
        getSessionRules: () => call(() => [...this.session.values()]),
        updateSessionRules: (update) => call(() => change(this.session, update)),
      },
      runtime: { id: 'own', getURL: (path) => extension + path, onMessage: event('message') },
      storage: {
        session: {
          get: () => call(() => structuredClone(this.stored)),
          set: (values) => {
            const copy = structuredClone(values);
            const order = ++this.sets;
            // Browsers write in the order of the calls.
            return call(() => {
              if (order > this.lastSet) [this.stored, this.lastSet] = [{ ...this.stored, ...copy }, order];
            });
          },
        },
      },
      tabs: {
        query: () => call(() => [...tabs].map(([id, { url }]) => ({ id, url })).filter(({ url }) => url.startsWith('http'))),
        get: (tabId) => call(() => ({ ...tabOf(tabId), frames: undefined })),
        update: (tabId, { url }) => {
          if (this.worker === worker) this.noteAstray(tabId, url);
          return call(() => {
            const tab = tabOf(tabId);
            if (tab.isKept) return;
            const turn = ++tab.turn;
            tab.pendingUrl = url;
            this.fire('before', { tabId, frameId: 0, url });
            void this.wait(null).then(() => {
              if (tabs.get(tabId) === tab && tab.turn === turn) this.commit(tab, tabId, 0, url);
            });
          });
        },
        reload: (tabId) =>
          call(() => {
            const { url } = tabOf(tabId);
            const link = url.startsWith(`${gateUrl}?`) ? url.slice(gateUrl.length + 1) : url;
            // A reload of the gate page repeats the navigation that led to it.
            void this.visit({ tabId, frameId: 0, hops: [link], isPost: false });
          }),
        discard: (tabId) => {
          const { url: before, isKept } = tabOf(tabId);
          if (this.worker === worker && !isKept && before.startsWith('http')) this.astray.push(before);
          return call(() => {
            const tab = tabOf(tabId);
            tab.isKept = false;
            if (!this.replacesDiscarded) return { id: tabId };
            const id = tabId + 100;
            tabs.delete(tabId);
            tabs.set(id, tab);
            this.fire('replaced', id, tabId);
            return { id };
          });
        },
        remove: (tabId) => call(() => void tabs.delete(tabId)),
        onRemoved: event('removed'),
        onReplaced: event('replaced'),
      },
      webNavigation: {
        ...navigationEvents(event),
        getAllFrames: ({ tabId }) => call(() => [...(tabs.get(tabId)?.frames ?? [])].map(([frameId, url]) => ({ frameId, url }))),
      },
    };
  }
}

function addOrigins({ origins }: Tab, page: string, more: Iterable<string>): void {
  const { origin } = new URL(page);
  origins.set(origin, new Set([...(origins.get(origin) ?? []), ...more]));
}

const siteOf = (url: string): string => (url.startsWith('http') ? new URL(url).hostname.split('.').slice(-2).join('.') : '');

/** The events of `webNavigation`, by short names. */
export const navigationEvents = <Event>(event: (name: string) => Event) => ({
  onBeforeNavigate: event('before'),
  onCommitted: event('committed'),
  onErrorOccurred: event('failed'),
  onHistoryStateUpdated: event('history'),
  onReferenceFragmentUpdated: event('fragment'),
});
