import { originOf } from './gate-messages.js';
import { addPass, findPass, type GatePass } from './gate-passes.js';
import { type StateKeeper, without } from './guard-state.js';
import type { Finding } from './list-finder.js';
import { addPlace, inPlace, listedPlace } from './listed-rules.js';

/** Long enough to follow the redirect to a page that the policy lets through without knowing. */
const unknownPassMs = 10_000;

/** What goes past the gate and what is stopped without the worker. */
export interface RuleKeeper {
  /** Whether the user opened this origin in this tab. */
  isOnce(tabId: number, origin: string): boolean;
  /** Whether the pages of an origin skip the gate in this tab. */
  isPast(tabId: number, origin: string): boolean;
  /** Whether the browser stops this link by a rule. */
  isStopped(url: string): boolean;
  /** The user opens an origin in a tab. */
  openOnce(tabId: number, origin: string): Promise<void>;
  /** A link opens, so its origin gets a pass. */
  letPast(url: string, isKnown: boolean): Promise<void>;
  /** Keeps what a check found to be listed, and gives up what it found not to be. */
  learn(url: string, finding: Finding): Promise<void>;
  /** Gives up what ended with a change of the list: passes of origins that are not clean, and places that are. */
  review(judge: (url: string) => { readonly isClean: boolean; readonly endsPass: boolean }): Promise<void>;
  /** Another list: what the previous one found counts no more. */
  startOver(): Promise<void>;
  dropEnded(): Promise<void>;
}

/** Chromium alone: Firefox's gate sees every request, and needs no rules. */
export function keepRules(
  { current, change, firstPassId }: StateKeeper,
  { now, skipMs, onceMs, usesRules }: { now: () => number; skipMs: number; onceMs: number; usesRules: boolean },
): RuleKeeper {
  const put = (pass: Omit<GatePass, 'id'>): Promise<void> =>
    change(({ passes }) => ({ passes: addPass(passes, pass, now(), firstPassId) }));
  const isEnded = ({ untilMs }: { readonly untilMs: number }): boolean => untilMs <= now();
  const passOf = (tabId: number | null, origin: string): GatePass | undefined => findPass(current().passes, origin, tabId, now());

  return {
    isOnce: (tabId, origin) => passOf(tabId, origin)?.kind === 'once',
    isPast: (tabId, origin) => passOf(tabId, origin) !== undefined,
    isStopped(url) {
      const isIn = inPlace(url);
      return current().listed.some((place) => !isEnded(place) && isIn(place));
    },
    async openOnce(tabId, origin) {
      const pass = { kind: 'once', tabId, untilMs: now() + onceMs } as const;
      await put({ ...pass, origin });
      // The browser may try HTTPS first, and the user would be asked again.
      if (origin.startsWith('http:')) await put({ ...pass, origin: origin.replace('http:', 'https:') });
    },
    /** A pass is not renewed while it lasts, because that would change a rule with every page. */
    async letPast(url, isKnown) {
      const origin = originOf(url)!;
      if (!usesRules || passOf(null, origin) !== undefined) return;
      const untilMs = now() + (isKnown ? skipMs : unknownPassMs);
      await put({ kind: isKnown ? 'clean' : 'unknown', origin, tabId: null, untilMs });
    },
    async learn(url, { status, action, expression }) {
      const isListed = usesRules && status === 'blocked' && expression !== undefined;
      const place = isListed ? listedPlace(url, expression, now()) : null;
      await change(({ listed }) => {
        if (place !== null) return { listed: addPlace(listed, place, now()) };
        return { listed: action === 'allow' ? without(listed, inPlace(url)) : listed };
      });
    },
    review: (judge) =>
      change(({ passes, listed }) => ({
        passes: without(passes, ({ kind, origin }) => kind !== 'once' && judge(origin).endsPass),
        listed: without(listed, ({ host, path }) => judge(`http://${host}${path ?? '/'}`).isClean),
      })),
    startOver: () =>
      change(({ passes }) => ({ generation: -1, listed: [], passes: without(passes, ({ kind }) => kind !== 'once') })),
    dropEnded: () => change(({ passes, listed }) => ({ passes: without(passes, isEnded), listed: without(listed, isEnded) })),
  };
}
