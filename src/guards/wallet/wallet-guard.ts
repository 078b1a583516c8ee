import type { LightBlocklist } from '../../blocklist/light/light-options.js';
import { PortcullisError, requireObject, type SignalLike } from '../../core/errors.js';
import { bounded, maxTimerMs } from '../../core/http/bounded.js';
import {
  boolean,
  type Filled,
  func,
  having,
  type Kind,
  type KindsOf,
  nested,
  number,
  oneOf,
  optional,
  readOptions,
  text,
} from '../../core/options/read-options.js';
import type { AddressBook } from './address-book.js';
import { doubtsOf } from './code-check.js';
import { isHarmless } from './harmless-methods.js';
import { type PlainValue, thawed } from './plain-copy.js';
import { type GuardedProvider, guardedMembers, type ProviderRequest, type WalletProvider } from './provider-members.js';
import { copyOfParams, readRequest } from './request-reader.js';
import { addressBook, type PartiesScreened, type ScreenedParty, screenParties } from './screen-parties.js';

/** What becomes of a request. */
export type WalletDecision = 'allow' | 'reject';

/** What the policy does: pass it on, reject it, or call `decide`. */
export type WalletRule = WalletDecision | 'ask';

/** A rule for each reason for which a request is not clear. If several apply, `reject` goes before `ask` and `ask` before `allow`. */
export interface WalletPolicy {
  /** A party is on a list. @default 'ask' */
  readonly listed?: WalletRule | undefined;
  /** Of a party it is not known whether it is on a list. @default 'ask' */
  readonly undecided?: WalletRule | undefined;
  /** A part of the request cannot be read. @default 'ask' */
  readonly unreadable?: WalletRule | undefined;
  /**
   * A call of an unknown function: every address in it was looked up, and what else it does is not known. A call that sends value, has a hash
   * or a very large number in it, or whose target is not known to be a contract, is unreadable too.
   *
   * @default 'allow'
   */
  readonly notUnderstood?: WalletRule | undefined;
  /** A party looks like one of `knownAddresses` and is another. @default 'ask' */
  readonly lookAlike?: WalletRule | undefined;
}

/** A request that is not clear. */
export interface ScreenedRequest extends Omit<PartiesScreened, 'status'> {
  /** As of all parties together; `screened` instead of `clear` if something was screened but not understood. */
  readonly status: PartiesScreened['status'] | 'screened';
  readonly method: string;
  /** A frozen copy of the parameters. Exactly this is forwarded. */
  readonly params: PlainValue;
  readonly origin: string;
  /** The origin, and the addresses and links that the request names as a party. Access lists name none. */
  readonly parties: readonly ScreenedParty[];
  /** What cannot be read, as sentences for the user. Empty if all was read. */
  readonly unreadable: readonly string[];
  /** What was screened but not understood, as sentences for the user. */
  readonly notUnderstood: readonly string[];
}

/** Options of `guardProvider`. */
export interface WalletGuardOptions {
  /** The list to check against, made ready by the app. */
  readonly blocklist: Pick<LightBlocklist, 'check'>;
  /** Origin of the site that uses this provider, as the browser names it: `https://app.example`. It is screened too. */
  readonly origin: string;
  /** Asks the user about a request that is not clear. The signal ends the question: the deadline has passed, and the request is rejected. */
  readonly decide?: ((request: ScreenedRequest, signal: SignalLike) => WalletDecision | Promise<WalletDecision>) | undefined;
  readonly policy?: WalletPolicy | undefined;
  /** The addresses that the user has paid or saved, from `createAddressBook`. A party that looks like one of them has `imitates`, and the user is asked about it. */
  readonly knownAddresses?: Pick<AddressBook, 'factsOf'> | undefined;
  /** Longest wait for a verdict, and then for `decide`, in milliseconds. Without an answer of `decide` the request is rejected. @default 120_000 */
  readonly deadlineMs?: number | undefined;
  /**
   * Looks up 20 bytes at every position of data that is not understood, for addresses that are packed between other values. Without it, they
   * are looked up where encoders of the ABI write them.
   *
   * @default false
   */
  readonly screensPacked?: boolean | undefined;
}

export const walletKinds = (): KindsOf<WalletValues> => {
  const ruleElse = (usual: WalletRule): Kind<WalletRule> => optional(oneOf<WalletRule>('reject', 'ask', 'allow'), usual);
  const rule = ruleElse('ask');
  // No `URL`, which React Native has in part only.
  const origin = text('a scheme and a host, such as https://app.example', /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\]+$/i);
  return {
    blocklist: having<WalletGuardOptions['blocklist']>('a blocklist, such as createLightBlocklist makes', 'check'),
    origin: (value, path) => origin(value, path).toLowerCase(),
    decide: optional(func),
    policy: nested<WalletValues['policy']>({
      listed: rule,
      undecided: rule,
      unreadable: rule,
      notUnderstood: ruleElse('allow'),
      lookAlike: rule,
    }),
    knownAddresses: optional(addressBook()),
    deadlineMs: optional(number(1, maxTimerMs), 120_000),
    screensPacked: optional(boolean, false),
  };
};

type WalletValues = Omit<Filled<WalletGuardOptions, 'decide' | 'knownAddresses'>, 'policy'> & {
  readonly policy: Filled<WalletPolicy>;
};

/**
 * Wraps an EIP-1193 provider: each request that signs, sends or connects is copied, read and screened, and passed on only if everything
 * that it names is clear, or if the policy or `decide` allows it. A rejection is an EIP-1193 error with the code 4001.
 *
 * Only `request`, `send`, `sendAsync`, `enable`, events and plain values of the provider are kept, because other members could reach the wallet unscreened.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function guardProvider<Provider extends WalletProvider>(
  provider: Provider,
  options: WalletGuardOptions,
): GuardedProvider<Provider> {
  requireObject(provider, 'provider');
  const {
    blocklist,
    decide,
    policy: rules,
    knownAddresses,
    deadlineMs,
    origin,
    screensPacked,
  } = readOptions('guardProvider', walletKinds(), options);

  async function request(asked: ProviderRequest): Promise<unknown> {
    // Once each, because a getter could answer differently the second time.
    const { method, params } = Object(asked) as ProviderRequest;
    if (typeof method !== 'string') throw rpcError(-32602, 'the method must be a string');
    if (isHarmless(method)) return provider.request(params === undefined ? { method } : { method, params });
    const copy = copyFor(method, params);
    const found = readRequest(method, copy.read, origin, screensPacked);
    const { notUnderstood } = found;
    const doubts = doubtsOf(found, provider, deadlineMs);
    let screened = await screenParties(blocklist, found, deadlineMs, knownAddresses);
    const unreadable = [...found.unreadable, ...(await doubts)];
    for (;;) {
      const status = screened.status === 'clear' && notUnderstood.length > 0 ? 'screened' : screened.status;
      const described = { method, params: copy.forwarded, origin, ...screened, status, unreadable, notUnderstood } as const;
      const decision = await decisionOn(described);
      if (decision.answer !== 'allow') throw rejection(decision.why);
      if (!decision.wasAsked) break;
      // While the user read, a party may have been listed.
      const known = listedOf(screened);
      screened = await screenParties(blocklist, found, Math.min(deadlineMs, recheckMs), knownAddresses);
      if ([...listedOf(screened)].every((content) => known.has(content))) break;
    }
    return provider.request(params === undefined ? { method } : { method, params: thawed(copy.forwarded) });
  }

  async function decisionOn(screened: ScreenedRequest): Promise<{ answer: unknown; why: string; wasAsked: boolean }> {
    const { status, unreadable, notUnderstood, parties } = screened;
    const reasons = [
      status,
      unreadable.length > 0 && 'unreadable',
      notUnderstood.length > 0 && 'notUnderstood',
      parties.some((party) => party.imitates) && 'lookAlike',
    ].filter((each): each is keyof WalletPolicy => Object.hasOwn(rules, `${each}`));
    const why = reasons.join(', ');
    const rule = worstRule(reasons.map((reason) => rules[reason]));
    if (rule !== 'ask') return { answer: rule, why, wasAsked: false };
    if (decide === undefined) return { answer: 'reject', why: `${why}, and there is no decide option to ask`, wasAsked: false };
    try {
      const answer = await bounded(deadlineMs, undefined, async (signal) => decide(screened, signal));
      return { answer, why, wasAsked: true };
    } catch (cause) {
      throw rejection(`${why}, and decide failed`, cause);
    }
  }

  return guardedMembers(provider, request);
}

/** A second look mostly takes no time, and the user has waited long enough. */
const recheckMs = 2_000;

function listedOf({ parties }: PartiesScreened): ReadonlySet<string> {
  return new Set(parties.filter(({ verdict }) => verdict.status === 'blocked').map(({ content }) => content));
}

function worstRule(found: readonly WalletRule[]): WalletRule {
  return found.includes('reject') ? 'reject' : found.includes('ask') ? 'ask' : 'allow';
}

function copyFor(method: string, params: unknown): ReturnType<typeof copyOfParams> {
  try {
    return copyOfParams(method, params);
  } catch (cause) {
    throw rpcError(
      -32602,
      `the parameters were refused: ${cause instanceof Error ? cause.message : 'they cannot be read'}`,
      cause,
    );
  }
}

function rejection(why: string, cause?: unknown): Error {
  return rpcError(
    4001,
    'the request was rejected',
    new PortcullisError('REJECTED', `the request was rejected: ${why}`, { cause }),
  );
}

/** An error with a code of EIP-1193 or JSON-RPC. */
function rpcError(code: number, message: string, cause?: unknown): Error {
  return Object.assign(new Error(message), { code }, cause === undefined ? {} : { cause });
}
