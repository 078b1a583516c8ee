import type { LightBlocklist } from '../../blocklist/light/light-options.js';
import type { Verdict } from '../../blocklist/verdict.js';
import { requireNumber, requireString } from '../../core/errors.js';
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
  const verdicts = named.map((): Verdict => ({ status: 'unconfirmed', action: 'warn', reason: 'deadline' }));
  const ask = async ({ content }: Party, at: number): Promise<void> => {
    try {
      verdicts[at] = await blocklist.check(content);
    } catch {
      verdicts[at] = { status: 'unknown', action: 'warn', reason: 'no-list' };
    }
  };
  // One time limit for all, because a timer for each would take as long as its check. What has come by then counts.
  await bounded(deadlineMs, undefined, () => Promise.all(named.map(ask)), false, true).catch(() => {});
  const parties = named.map((party, at) => ({ ...party, verdict: verdicts[at]! }));
  const isListed = parties.some(({ verdict }) => verdict.status === 'blocked');
  return { status: isListed ? 'listed' : parties.every(isClear) ? 'clear' : 'undecided', parties };
}

/** By status, because a policy may let pass what is unknown. A local page cannot be listed; an address always can. */
function isClear({ content, verdict: { status } }: ScreenedParty): boolean {
  return status === 'clear' || status === 'allowed' || (status === 'not-listable' && content.includes('://'));
}
