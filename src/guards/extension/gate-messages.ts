import type { Advisory } from '../../blocklist/model/verdict.js';

/** What the gate page asks the worker. `decide`: may this link open? `once`: the user opens it anyway. `leave`: the user goes back. `close`: there is nothing to go back to, unless the tab is loading. */
export interface GateQuestion {
  readonly portcullis: 'decide' | 'once' | 'leave' | 'close';
  readonly url: string;
}

/** The worker's answer. */
export interface GateAnswer {
  /** The worker opens the link. */
  readonly opens: boolean;
  /** Why the link does not open: the status of the verdict. */
  readonly status: string;
  /** History steps from the warning to the page before the listed one: 2 if the listed page was loaded. */
  readonly steps: number;
  /** What the list that decided wants to be shown. */
  readonly advisory?: Advisory | undefined;
}

/** If the worker fails, nothing opens. */
export const unanswered: GateAnswer = { opens: false, status: 'unknown', steps: 1 };

const names: readonly unknown[] = ['decide', 'once', 'leave', 'close'];

/** Longest link that a gate page may ask about: Chromium's longest URL. */
const maxUrlLength = 2 * 1024 * 1024;

export function isGateQuestion(message: unknown): message is GateQuestion {
  if (typeof message !== 'object' || message === null) return false;
  const { portcullis, url } = message as Partial<Record<string, unknown>>;
  if (!names.includes(portcullis) || typeof url !== 'string' || url.length > maxUrlLength) return false;
  // A forged address of the gate page, without a link, can still be left.
  return portcullis === 'close' || originOf(url) !== null;
}

/** What a page may show of an advisory: only texts, and only a link to the web that is encrypted. */
export function shownAdvisory(given: unknown): Advisory | undefined {
  const { text, link, attribution } = Object(given) as Partial<Record<string, unknown>>;
  const isOne = typeof text === 'string' && typeof attribution === 'string' && typeof link === 'string';
  return isOne && originOf(link)?.startsWith('https:') ? { text, link, attribution } : undefined;
}

/** The origin of a web page; `null` for any other text. */
export function originOf(url: string): string | null {
  try {
    const { protocol, origin } = new URL(url);
    return protocol === 'http:' || protocol === 'https:' ? origin : null;
  } catch {
    return null;
  }
}
