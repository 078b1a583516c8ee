import type { LightBlocklist } from '../../blocklist/light/light-options.js';
import type { Verdict } from '../../blocklist/verdict.js';
import { hasCode, requireNumber, requireString } from '../../core/errors.js';
import { bounded, maxTimerMs } from '../../core/http/bounded.js';
import type { Party } from './reading.js';

/** A party and what the list says about it. */
export interface ScreenedParty extends Party {
  /** Of a check that failed, `unknown` with the reason `no-list`; of one that took too long, `unconfirmed` with `deadline`. */
  readonly verdict: Verdict;
}

/** What the list says about all parties together. */
export interface PartiesScreened {
  /** `listed`: a party is blocked. `undecided`: of a party it is not known. `clear`: every party is clear or allowed. */
  readonly status: 'listed' | 'undecided' | 'clear';
  /** In the order in which they were given or found. */
  readonly parties: readonly ScreenedParty[];
}

/** Options of `screenRecipients`. */
export interface ScreenRecipientsOptions {
  /** Longest wait for a verdict, in milliseconds. @default 10_000 */
  readonly deadlineMs?: number | undefined;
}

/**
 * Screens addresses that a wallet already has, of any chain that the blocklist reads: `portcullis` reads all, `portcullis/light` EVM only.
 * An address that it cannot read is undecided.
 *
 * @throws TypeError for an address that is not a string
 */
export async function screenRecipients(
  blocklist: Pick<LightBlocklist, 'check'>,
  addresses: readonly string[],
  { deadlineMs = 10_000 }: ScreenRecipientsOptions = {},
): Promise<PartiesScreened> {
  requireNumber(deadlineMs, 'deadlineMs', 1, maxTimerMs);
  for (const address of addresses) requireString(address, 'each address');
  return screenParties(
    blocklist,
    addresses.map((content) => ({ role: 'recipient', content })),
    deadlineMs,
  );
}

export async function screenParties(
  blocklist: Pick<LightBlocklist, 'check'>,
  named: readonly Party[],
  deadlineMs: number,
): Promise<PartiesScreened> {
  const parties = await Promise.all(
    named.map(async (party) => ({ ...party, verdict: await verdictOf(blocklist, party.content, deadlineMs) })),
  );
  const isListed = parties.some(({ verdict }) => verdict.status === 'blocked');
  return { status: isListed ? 'listed' : parties.every(isClear) ? 'clear' : 'undecided', parties };
}

/** By status, because a policy may let pass what is unknown. A local page cannot be listed; an address always can. */
function isClear({ content, verdict: { status } }: ScreenedParty): boolean {
  return status === 'clear' || status === 'allowed' || (status === 'not-listable' && content.includes('://'));
}

async function verdictOf(blocklist: Pick<LightBlocklist, 'check'>, content: string, deadlineMs: number): Promise<Verdict> {
  try {
    // The blocklist takes any signal.
    return await bounded(deadlineMs, undefined, (signal) => blocklist.check(content, { signal }), false, true);
  } catch (error) {
    if (hasCode(error, 'TIMEOUT')) return { status: 'unconfirmed', action: 'warn', reason: 'deadline' };
    return { status: 'unknown', action: 'warn', reason: 'no-list' };
  }
}
