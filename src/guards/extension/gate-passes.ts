import type { GateRule } from './extension-browser.js';
import { subresources } from './listed-rules.js';

/** Passes at a time. Chromium allows 5,000 session rules, which the app may want to share; the oldest pass goes first. */
export const maxPasses = 1_000;

/**
 * Lets one origin past the gate. `clean`: it was checked, and its pages are still checked as they load. `unknown`: the policy lets it
 * open, without knowing. `once`: the user opened it in this tab although it is listed.
 */
export interface GatePass {
  readonly kind: 'clean' | 'unknown' | 'once';
  readonly id: number;
  readonly origin: string;
  /** `null` for every tab. */
  readonly tabId: number | null;
  readonly untilMs: number;
}

/**
 * The session rules of a pass. The filter is anchored at the origin, because a filter by domain would let subdomains past too. What the
 * user opened also loads what it needs from its own listed host, but no page of a subdomain.
 */
export function passRules({ kind, id, origin, tabId }: GatePass): GateRule[] {
  const tab = tabId === null ? {} : { tabIds: [tabId] };
  const action = { type: 'allow' };
  const page = { urlFilter: `|${origin}/`, resourceTypes: ['main_frame'], ...tab };
  if (kind !== 'once') return [{ id, priority: 2, action, condition: page }];
  const rest = { requestDomains: [new URL(origin).hostname], resourceTypes: [...subresources], ...tab };
  return [
    { id, priority: 4, action, condition: page },
    { id: id + secondId, priority: 4, action, condition: rest },
  ];
}

/** From the id of a pass to that of its second rule. */
const secondId = 500_000_000;

/**
 * Incognito windows have a worker of their own, which shares the session rules and nothing else. Ids below belong to the other worker; rules
 * have ids of 31 bits.
 */
export const firstPrivateId = 1_000_000_000;

/** Adds a pass, and removes the one it replaces, those that have ended, and the oldest beyond the limit. */
export function addPass(
  passes: readonly GatePass[],
  pass: Omit<GatePass, 'id'>,
  nowMs: number,
  firstId = 1,
): readonly GatePass[] {
  const isSame = ({ origin, tabId, kind }: GatePass): boolean =>
    origin === pass.origin && tabId === pass.tabId && kind === pass.kind;
  const others = passes.filter((other) => !isSame(other) && other.untilMs > nowMs).slice(-(maxPasses - 1));
  // An id is used again only after its rule is gone.
  const id = passes.reduce((next, other) => Math.max(next, other.id + 1), firstId);
  return [...others, { ...pass, id }];
}

/** The pass that lets this origin past the gate in this tab, or in every tab. What the user decided counts most. */
export function findPass(passes: readonly GatePass[], origin: string, tabId: number | null, nowMs: number): GatePass | undefined {
  const fitting = passes.filter(
    (pass) => pass.origin === origin && (pass.tabId === null || pass.tabId === tabId) && pass.untilMs > nowMs,
  );
  return fitting.find(({ kind }) => kind === 'once') ?? fitting[0];
}
