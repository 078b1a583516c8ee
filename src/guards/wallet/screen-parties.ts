import type { LightBlocklist } from '../../blocklist/light/light-options.js';
import type { Verdict } from '../../blocklist/model/verdict.js';
import { requireIterable, requireString } from '../../core/errors.js';
import { bounded, maxTimerMs } from '../../core/http/bounded.js';
import { type Filled, having, type Kind, type KindsOf, number, optional, readOptions } from '../../core/options/read-options.js';
import { type AddressBook, type AddressFacts, isAccount } from './address-book.js';
import { type Found, type NamedParty, type Party, type TransactionReading, wordRole } from './reading.js';

/** A party and what the list says about it; and of an address, if there are known ones, what these say. They never change a status. */
export interface ScreenedParty extends Party, Partial<AddressFacts> {
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
  /** The addresses that the user has paid or saved, from `createAddressBook`. A recipient that looks like one of them has `imitates`. */
  readonly knownAddresses?: Pick<AddressBook, 'factsOf'> | undefined;
}

export const recipientKinds = (): KindsOf<Filled<ScreenRecipientsOptions, 'knownAddresses'>> => ({
  deadlineMs: optional(number(1, maxTimerMs), 10_000),
  knownAddresses: optional(addressBook()),
});

export function addressBook(): Kind<Pick<AddressBook, 'factsOf'>> {
  return having<Pick<AddressBook, 'factsOf'>>('an address book', 'factsOf');
}

/**
 * Screens addresses that a wallet already has, of any chain that the blocklist reads: `portcullis` reads all, `portcullis/light` EVM only.
 * The status is `undecided` without an address, and for what is no address that it can read: a name such as `vitalik.eth`, or a link.
 *
 * @throws TypeError for an address that is not a string
 */
export async function screenRecipients(
  blocklist: Pick<LightBlocklist, 'check'>,
  recipients: readonly string[] | TransactionReading,
  options?: ScreenRecipientsOptions,
): Promise<PartiesScreened> {
  const { deadlineMs, knownAddresses } = readOptions('screenRecipients', recipientKinds(), options);
  const { parties, unreadable } = readingOf(recipients);
  const named = parties.map(({ role, content }) => ({ role, content, isWord: false }));
  const isCut = unreadable.length > 0 || !parties.every(({ content }) => isAccount(content));
  return screenParties(blocklist, { parties: named, isCut }, deadlineMs, knownAddresses);
}

function readingOf(recipients: readonly string[] | TransactionReading): TransactionReading {
  if (typeof recipients !== 'object' || recipients === null || !('parties' in recipients)) {
    requireIterable(recipients, 'recipients');
    const parties = [...recipients].map((content) => ({ role: 'recipient', content }));
    for (const { content } of parties) requireString(content, 'each recipient');
    return { parties, unreadable: [] };
  }
  const { parties, unreadable } = recipients;
  requireIterable(parties, 'recipients.parties');
  // Without it, a reading that someone else made could look whole.
  requireIterable(unreadable, 'recipients.unreadable');
  for (const party of parties) {
    requireString(Object(party).role, 'the role of each party');
    requireString(Object(party).content, 'the content of each party');
  }
  return { parties: [...parties], unreadable: [...unreadable] };
}

export async function screenParties(
  blocklist: Pick<LightBlocklist, 'check'>,
  { parties: named, isCut }: Pick<Found, 'parties' | 'isCut'>,
  deadlineMs: number,
  known?: Pick<AddressBook, 'factsOf'>,
): Promise<PartiesScreened> {
  const verdicts = named.map((): Verdict => ({ status: 'unconfirmed', action: 'warn', reason: 'deadline' }));
  const ask = async ({ content }: NamedParty, at: number): Promise<void> => {
    try {
      verdicts[at] = await blocklist.check(content);
    } catch {
      verdicts[at] = { status: 'unknown', action: 'warn', reason: 'no-list' };
    }
  };
  // One time limit for all, because a timer for each would take as long as its check. What has come by then counts.
  await bounded(deadlineMs, undefined, () => Promise.all(named.map(ask)), false, true).catch(() => {});
  const parties: ScreenedParty[] = [];
  let undecidedWords = 0;
  for (const [at, { role, content, isWord }] of named.entries()) {
    const verdict = verdicts[at]!;
    const party = { ...known?.factsOf(content), role, content, verdict };
    // Hundreds of clear words tell nothing, and neither do hundreds of which nothing is known.
    const isShown =
      role === wordRole
        ? verdict.status === 'blocked' || party.imitates || (!isClear(party) && ++undecidedWords <= maxUndecidedWords)
        : !(isWord && isNone(verdict));
    if (isShown) parties.push(party);
  }
  const isListed = parties.some(({ verdict }) => verdict.status === 'blocked');
  const isAllClear = !isCut && parties.length > 0 && parties.every(isClear);
  return { status: isListed ? 'listed' : isAllClear ? 'clear' : 'undecided', parties };
}

/** As many as a dialog can show. */
const maxUndecidedWords = 8;

/** A word of a text that is nothing a list could hold. */
function isNone({ status, reason }: Verdict): boolean {
  return status === 'not-listable' || reason === 'unreadable';
}

/** By status, because a policy may let pass what is unknown. A local page cannot be listed; an address always can. */
function isClear({ content, verdict: { status } }: ScreenedParty): boolean {
  return status === 'clear' || status === 'allowed' || (status === 'not-listable' && content.includes('://'));
}
