import { type GateAnswer, type GateQuestion, originOf, unanswered } from './gate-messages.js';

/** Options of `startGatePage`. */
export interface GatePageOptions {
  /** `chrome`. */
  readonly browser: {
    readonly runtime: {
      /** The address of a file of the extension. */
      getURL(path: string): string;
      /** Sends a message to the worker. */
      sendMessage(message: unknown): Promise<unknown>;
    };
  };
  /** Path of the script that calls `openFromGate`. @default 'gate-open.js' */
  readonly openScript?: string | undefined;
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

/** Asks the worker about the link in the address of the gate page, then opens it or warns. If the worker does not answer, it warns. */
export async function startGatePage({ browser, openScript = 'gate-open.js', warn }: GatePageOptions): Promise<void> {
  // The browser hands the fragment on. A link that contains one stands whole in the address.
  const url = location.search.slice(1) + location.hash;
  if (originOf(url) === null) return;

  const ask = async (portcullis: GateQuestion['portcullis']): Promise<GateAnswer> => {
    const reply = browser.runtime.sendMessage({ portcullis, url } satisfies GateQuestion).catch(() => unanswered);
    return ((await reply) as GateAnswer | undefined) ?? unanswered;
  };
  const makeFrame = (): ((link: string) => void) => openingFrame(browser.runtime.getURL(openScript));
  // Most links tell where they are. The frame for them loads while the worker answers.
  const early = document.referrer === '' ? undefined : makeFrame();
  const open = ({ isOwn }: GateAnswer): void => {
    // In place of the gate page, so that the back button does not return to it.
    if (isOwn) location.replace(url);
    else (early ?? makeFrame())(url);
  };

  const first = await ask('decide');
  if (first.opens) return open(first);
  warn({
    url,
    status: first.status,
    async openOnce() {
      const answer = await ask('once');
      if (answer.opens) open(answer);
    },
    async goBack() {
      const { steps } = await ask('leave');
      // A script may not close a tab that it did not open, so the worker does.
      if (history.length > steps) history.go(-steps);
      else await ask('close');
    },
  });
}

/**
 * Opens a link as another site would. The browser counts a navigation of the extension as one of the link's own site, and would send
 * `SameSite=Strict` cookies after a click on a hostile site. A sandboxed frame belongs to no site.
 */
function openingFrame(script: string): (url: string) => void {
  const frame = document.createElement('iframe');
  const loaded = new Promise<unknown>((resolve) => {
    frame.onload = resolve;
  });
  frame.setAttribute('sandbox', 'allow-scripts allow-top-navigation');
  frame.hidden = true;
  frame.srcdoc = `<script src="${script}"></script>`;
  document.documentElement.append(frame);
  // A sandboxed frame has no origin that could be named.
  return (url) => void loaded.then(() => frame.contentWindow?.postMessage(url, '*'));
}

/** The script of the frame that opens a link for the gate page. Call it in the file named by `openScript`. */
export function openFromGate(): void {
  addEventListener('message', ({ source, data }) => {
    if (source === parent && parent !== self && typeof data === 'string' && originOf(data) !== null)
      parent.location.replace(data);
  });
}
