import type { Advisory } from '../../blocklist/model/verdict.js';
import { func, type KindsOf, readOptions, that } from '../../core/options/read-options.js';
import { type GateAnswer, type GateQuestion, originOf, shownAdvisory, unanswered } from './gate-messages.js';

/** Options of `startGatePage`. */
export interface GatePageOptions {
  /** `chrome`. */
  readonly browser: {
    readonly runtime: {
      /** Sends a message to the worker. */
      sendMessage(message: unknown): Promise<unknown>;
    };
  };
  /** Shows the warning. Put `url` on the page as text only: a hostile site chooses it. */
  readonly warn: (warning: GateWarning) => void;
}

export const gatePageKinds = (): KindsOf<GatePageOptions> => ({
  browser: that('chrome or browser', (value: Partial<GatePageOptions['browser']> | null) => typeof value?.runtime === 'object'),
  warn: func,
});

/** A page that does not open, and what the user can do. */
export interface GateWarning {
  /** The link. */
  readonly url: string;
  /** The status of its verdict: `blocked`, `unconfirmed` or `unknown`; `invalid` if the address of the gate holds no link to a web page. */
  readonly status: string;
  /**
   * What the list that decided wants to be shown with the warning, as text and a link. Its `link` begins with `https:`. Do not call the page
   * a known scam then: it may be one.
   */
  readonly advisory?: Advisory | undefined;
  /**
   * Opens it once, in this tab. Does nothing until the page was visible and had the focus for a second: a site could place the button under
   * the second click of two.
   */
  openOnce(): Promise<void>;
  /** Calls back with whether `openOnce` does something, now and whenever that changes, so that the button can show it. */
  onOpenable(listener: (isOpenable: boolean) => void): void;
  /** Goes back to the page before it, or closes the tab if there is none. */
  goBack(): Promise<void>;
}

/** Time for the browser to begin a navigation. A tab that is loading is not closed, so a slow server has longer. */
const leaveMs = 500;

/** Browsers disable the buttons of their own questions for about as long. */
const lookMs = 1_000;

/** Whether the page was visible and had the focus for long enough, from now on and after each time that it had not. */
function watchLook(): { isOpenable(): boolean; onChange(listener: (isOpenable: boolean) => void): void } {
  const listeners: ((isOpenable: boolean) => void)[] = [];
  let isOpenable = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const become = (next: boolean): void => {
    if (next !== isOpenable) for (const listener of listeners) listener(next);
    isOpenable = next;
  };
  const look = (): void => {
    clearTimeout(timer);
    become(false);
    if (document.visibilityState === 'visible' && document.hasFocus()) timer = setTimeout(become, lookMs, true);
  };
  for (const name of ['focus', 'blur', 'pageshow']) addEventListener(name, look);
  document.addEventListener('visibilitychange', look);
  look();
  return {
    isOpenable: () => isOpenable,
    onChange(listener) {
      listeners.push(listener);
      listener(isOpenable);
    },
  };
}

/** Whether the page goes away. */
function leavesBy(navigate: () => void): Promise<boolean> {
  return new Promise((resolve) => {
    addEventListener('pagehide', () => resolve(true), { once: true });
    setTimeout(resolve, leaveMs, false);
    navigate();
  });
}

/** Asks the worker about the link in the address of the gate page, and warns unless the worker opens it. */
export async function startGatePage(options: GatePageOptions): Promise<void> {
  const { browser, warn } = readOptions('startGatePage', gatePageKinds(), options);
  // The browser hands the fragment on. A link that contains one stands whole in the address.
  const url = location.search.slice(1) + location.hash;
  const ask = async (portcullis: GateQuestion['portcullis']): Promise<GateAnswer> => {
    const reply = browser.runtime.sendMessage({ portcullis, url } satisfies GateQuestion).catch(() => unanswered);
    return ((await reply) as GateAnswer | undefined) ?? unanswered;
  };

  const { opens, status, advisory } = originOf(url) === null ? { ...unanswered, status: 'invalid' } : await ask('decide');
  if (opens) return;
  const look = watchLook();
  warn({
    url,
    status,
    advisory: shownAdvisory(advisory),
    openOnce: async () => void (look.isOpenable() && (await ask('once'))),
    onOpenable: look.onChange,
    async goBack() {
      const { steps } = await ask('leave');
      // Its length counts entries ahead too, so there may be nothing to go back to. A frozen page must not close its tab later.
      if (history.length > steps && (await leavesBy(() => history.go(-steps)))) return;
      // A script may not close a tab that it did not open, so the worker does.
      await ask('close');
    },
  });
}
