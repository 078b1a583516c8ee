/** An event of the browser. */
export interface BrowserEvent<Listener> {
  /** Adds a listener. */
  addListener(listener: Listener): void;
}

/** A navigation, as `webNavigation` describes it. */
export interface Navigation {
  readonly tabId: number;
  readonly frameId: number;
  readonly url: string;
  /** How the navigation began, once it has committed: `typed`, `link`. */
  readonly transitionType?: string | undefined;
  /** `prerender` for a page that is loaded ahead and not shown yet. */
  readonly documentLifecycle?: string | undefined;
  /** Why it failed. */
  readonly error?: string | undefined;
}

/** A rule of `declarativeNetRequest`, with the fields that the guard uses. */
export interface GateRule {
  readonly id: number;
  readonly priority: number;
  readonly action: { readonly type: string; readonly redirect?: { readonly regexSubstitution: string } };
  readonly condition: {
    readonly regexFilter?: string;
    readonly urlFilter?: string;
    readonly isUrlFilterCaseSensitive?: boolean;
    readonly requestDomains?: string[];
    readonly domainType?: string;
    readonly tabIds?: number[];
    readonly requestMethods?: string[];
    readonly resourceTypes: string[];
  };
}

/** A change of rules. */
export interface RuleUpdate {
  readonly removeRuleIds: number[];
  readonly addRules: GateRule[];
}

/** A request that the browser is about to send. */
export interface BrowserRequest {
  readonly tabId: number;
  readonly url: string;
  /** `main_frame`, `sub_frame`, or `object` for what `<object>` and `<embed>` show. */
  readonly type: string;
}

/** The sender of a message. */
export interface MessageSender {
  readonly id?: string | undefined;
  readonly url?: string | undefined;
  readonly frameId?: number | undefined;
  readonly tab?: { readonly id?: number | undefined; readonly incognito?: boolean | undefined } | undefined;
}

/** The part of `chrome` that the guard uses. */
export interface ExtensionBrowser {
  readonly alarms: {
    /** The alarm of this name. */
    get(name: string): Promise<unknown>;
    /** Creates an alarm, or replaces it. */
    create(name: string, options: { periodInMinutes: number }): unknown;
    /** An alarm went off. */
    readonly onAlarm: BrowserEvent<(alarm: { readonly name: string }) => void>;
  };
  /** Tells whether this worker is the one for incognito windows, in split mode. */
  readonly extension?: { readonly inIncognitoContext?: boolean | undefined } | undefined;
  /** Chromium's gate. Not used if there is `webRequest`. */
  readonly declarativeNetRequest?:
    | {
        /** The rules that outlive the browser. */
        getDynamicRules(): Promise<readonly unknown[]>;
        /** Changes rules that outlive the browser. */
        updateDynamicRules(update: RuleUpdate): Promise<unknown>;
        /** The rules of this session. */
        getSessionRules(): Promise<readonly { readonly id: number }[]>;
        /** Changes rules of this session. */
        updateSessionRules(update: RuleUpdate): Promise<unknown>;
      }
    | undefined;
  /** Firefox's gate, which needs the permission `webRequestBlocking`. */
  readonly webRequest?:
    | {
        /** The browser is about to send a request, and waits for the listener. */
        readonly onBeforeRequest: {
          /** Adds a listener. */
          addListener(
            listener: (request: BrowserRequest) => Promise<{ cancel?: boolean }>,
            filter: { urls: string[]; types: string[] },
            options: string[],
          ): void;
        };
      }
    | undefined;
  readonly runtime: {
    readonly id: string;
    /** The address of a file of the extension. */
    getURL(path: string): string;
    /** A page of the extension sent a message. */
    readonly onMessage: BrowserEvent<
      (message: unknown, sender: MessageSender, respond: (answer: unknown) => void) => boolean | undefined
    >;
  };
  readonly storage: {
    readonly session: {
      /** Reads a value. */
      get(key: string): Promise<Record<string, unknown>>;
      /** Stores values. */
      set(values: Record<string, unknown>): Promise<unknown>;
    };
  };
  readonly tabs: {
    /** The tabs that match. */
    query(filter: { url: string[] }): Promise<readonly { readonly id?: number | undefined; readonly url?: string | undefined }[]>;
    /** A tab: the address that it shows, the one that it navigates to, and `loading` while it does. */
    get(tabId: number): Promise<{
      readonly status?: string | undefined;
      readonly url?: string | undefined;
      readonly pendingUrl?: string | undefined;
      readonly incognito?: boolean | undefined;
    }>;
    /** Navigates a tab. */
    update(tabId: number, change: { url: string; loadReplace?: boolean }): Promise<unknown>;
    /** Loads the page of a tab again. */
    reload(tabId: number): Promise<unknown>;
    /** Frees the page of a tab. In some versions of Chromium the tab has another id afterwards. */
    discard(tabId: number): Promise<{ readonly id?: number | undefined } | undefined>;
    /** Closes a tab. */
    remove(tabId: number): Promise<unknown>;
    /** A tab was closed. */
    readonly onRemoved: BrowserEvent<(tabId: number) => void>;
    /** A tab has another id. Chromium gives it one when it discards the page. */
    readonly onReplaced?: BrowserEvent<(addedTabId: number, removedTabId: number) => void>;
  };
  readonly webNavigation: {
    /** A navigation begins. */
    readonly onBeforeNavigate: BrowserEvent<(navigation: Navigation) => void>;
    /** A navigation has replaced the page. */
    readonly onCommitted: BrowserEvent<(navigation: Navigation) => void>;
    /** A navigation failed. */
    readonly onErrorOccurred: BrowserEvent<(navigation: Navigation) => void>;
    /** The frames of a tab, the page itself among them. Without it, frames are checked as they load only. */
    getAllFrames?(tab: {
      tabId: number;
    }): Promise<
      | readonly { readonly frameId: number; readonly url: string; readonly documentLifecycle?: string | undefined }[]
      | null
      | undefined
    >;
    /** A page changed its address without loading another. */
    readonly onHistoryStateUpdated: BrowserEvent<(navigation: Navigation) => void>;
    /** The fragment of an address changed. */
    readonly onReferenceFragmentUpdated: BrowserEvent<(navigation: Navigation) => void>;
  };
}
