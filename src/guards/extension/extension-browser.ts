/** An event of the browser. */
export interface BrowserEvent<Listener> {
  addListener(listener: Listener): void;
}

/** A navigation, as `webNavigation` describes it. */
export interface Navigation {
  readonly tabId: number;
  readonly frameId: number;
  readonly url: string;
}

/** A rule of `declarativeNetRequest`, with the fields that the guard uses. */
export interface GateRule {
  readonly id: number;
  readonly priority: number;
  readonly action: { readonly type: string; readonly redirect?: { readonly regexSubstitution: string } };
  readonly condition: {
    readonly regexFilter?: string;
    readonly urlFilter?: string;
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

/** The sender of a message. */
export interface MessageSender {
  readonly id?: string | undefined;
  readonly url?: string | undefined;
  readonly frameId?: number | undefined;
  readonly tab?: { readonly id?: number | undefined } | undefined;
}

/** The part of `chrome` that the guard uses. */
export interface ExtensionBrowser {
  readonly alarms: {
    create(name: string, options: { periodInMinutes: number }): unknown;
    readonly onAlarm: BrowserEvent<(alarm: { readonly name: string }) => void>;
  };
  readonly declarativeNetRequest: {
    updateDynamicRules(update: RuleUpdate): Promise<unknown>;
    getSessionRules(): Promise<readonly { readonly id: number }[]>;
    updateSessionRules(update: RuleUpdate): Promise<unknown>;
  };
  readonly runtime: {
    readonly id: string;
    getURL(path: string): string;
    readonly onMessage: BrowserEvent<
      (message: unknown, sender: MessageSender, respond: (answer: unknown) => void) => boolean | undefined
    >;
  };
  readonly storage: {
    readonly session: {
      get(key: string): Promise<Record<string, unknown>>;
      set(values: Record<string, unknown>): Promise<unknown>;
    };
  };
  readonly tabs: {
    query(filter: { url: string[] }): Promise<readonly { readonly id?: number | undefined; readonly url?: string | undefined }[]>;
    update(tabId: number, change: { url: string }): Promise<unknown>;
    readonly onRemoved: BrowserEvent<(tabId: number) => void>;
  };
  readonly webNavigation: {
    readonly onBeforeNavigate: BrowserEvent<(navigation: Navigation) => void>;
    readonly onCommitted: BrowserEvent<(navigation: Navigation) => void>;
    readonly onHistoryStateUpdated: BrowserEvent<(navigation: Navigation) => void>;
    readonly onReferenceFragmentUpdated: BrowserEvent<(navigation: Navigation) => void>;
  };
}
