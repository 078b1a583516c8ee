import { type GateAnswer, type GateQuestion, originOf, unanswered } from './gate-messages.js';

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

/** A page that does not open, and what the user can do. */
export interface GateWarning {
  /** The link. */
  readonly url: string;
  /** The status of its verdict: `blocked`, `unconfirmed` or `unknown`. */
  readonly status: string;
  /** Opens it once, in this tab. */
  openOnce(): Promise<void>;
  /** Goes back to the page before it, or closes the tab if there is none. */
  goBack(): Promise<void>;
}

/** Asks the worker about the link in the address of the gate page, and warns unless the worker opens it. */
export async function startGatePage({ browser, warn }: GatePageOptions): Promise<void> {
  // The browser hands the fragment on. A link that contains one stands whole in the address.
  const url = location.search.slice(1) + location.hash;
  if (originOf(url) === null) return;

  const ask = async (portcullis: GateQuestion['portcullis']): Promise<GateAnswer> => {
    const reply = browser.runtime.sendMessage({ portcullis, url } satisfies GateQuestion).catch(() => unanswered);
    return ((await reply) as GateAnswer | undefined) ?? unanswered;
  };

  const { opens, status } = await ask('decide');
  if (opens) return;
  warn({
    url,
    status,
    openOnce: async () => void (await ask('once')),
    async goBack() {
      const { steps } = await ask('leave');
      // A script may not close a tab that it did not open, so the worker does.
      if (history.length > steps) history.go(-steps);
      else await ask('close');
    },
  });
}
