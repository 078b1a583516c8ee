import type { Blocklist } from '../../blocklist/model/blocklist-interface.js';
import type { CheckInput } from '../../blocklist/model/question.js';
import type { Verdict } from '../../blocklist/model/verdict.js';
import type { AssetType } from '../../core/assets/asset-types.js';
import { refuse, type SignalLike, throwIfAborted } from '../../core/errors.js';
import { findAssets } from '../../core/find/find-all.js';
import { bounded } from '../../core/http/bounded.js';
import { HttpRefusal } from '../../core/http/http-refusal.js';
import { type Filled, type KindsOf, nested, number, oneOf, optional } from '../../core/options/read-options.js';

/**
 * What a request brings: one text, or texts to search for links and addresses, and assets that are one each. The object has `texts`,
 * `assets` or both, and nothing else; an empty list says that there is nothing.
 */
export type Picked =
  | string
  | { readonly texts: readonly string[]; readonly assets?: readonly CheckInput[] }
  | { readonly texts?: readonly string[]; readonly assets: readonly CheckInput[] };

/**
 * `listed`: a link or an address is blocked. `unreadable`: something cannot be read: it is no text, too long, no asset, or a secret, or
 * `pick` failed, took too long, or returned anything but a `Picked`. `undecided`: of something it is not known. `clear`: everything is
 * clear or allowed, or there is nothing that a list could hold.
 */
export type ScreeningStatus = 'listed' | 'unreadable' | 'undecided' | 'clear';

/** A link or an address, and what the list says about it. */
export interface ScreenedContent {
  /** As it was sent; empty for a secret. */
  readonly content: string;
  readonly verdict: Verdict;
}

/** What was found in a request. */
export interface Screening {
  /** The worst of all. */
  readonly status: ScreeningStatus;
  /** Every status that something has, worst first. */
  readonly statuses: readonly ScreeningStatus[];
  /** Everything that is not clear. Empty if nothing could be checked. */
  readonly found: readonly ScreenedContent[];
}

/** `reject`: the client gets a refusal. `pass`: the handler runs, and `screeningOf(request)` says what was found. */
export type ScreenRule = 'reject' | 'pass';

/** What happens to a request that is not clear. */
export interface ScreenPolicy {
  /** Answered with 422 and `CONTENT_LISTED`. @default 'reject' */
  readonly listed?: ScreenRule | undefined;
  /** Answered with 422 and `CONTENT_UNREADABLE`. With `pass` a client can switch the screen off. @default 'reject' */
  readonly unreadable?: ScreenRule | undefined;
  /** Answered with 503 and `CONTENT_UNDECIDED`. @default 'reject' */
  readonly undecided?: ScreenRule | undefined;
}

/** Options of a screen. */
export interface ScreeningOptions {
  readonly policy?: ScreenPolicy | undefined;
  /**
   * Longest wait for the list, in milliseconds; what is not known by then is undecided. `pick` has the same time, and what it has not
   * picked by then is unreadable. @default 5_000
   */
  readonly deadlineMs?: number | undefined;
}

/** Validated options. */
export type ScreenSettings = { readonly policy: Filled<ScreenPolicy>; readonly deadlineMs: number };

/** The longest deadline of a blocklist's check is above this. */
const maxDeadlineMs = 60_000;

export const screeningKinds = (): KindsOf<ScreenSettings> => {
  const rule = optional(oneOf<ScreenRule>('reject', 'pass'), 'reject');
  return {
    policy: nested<ScreenSettings['policy']>({ listed: rule, unreadable: rule, undecided: rule }),
    deadlineMs: optional(number(1, maxDeadlineMs), 5_000),
  };
};

/** Assets and texts of one request: a page of chat messages. More is no message. */
const maxPicked = 1_000;

/** Lets the blocklist's own deadline come first, because it says what is known about the rest. */
const deadlineGraceMs = 100;

/**
 * Screens what `pick` returns. Whatever a client can bring about makes the request unreadable and not undecided, because a server may let
 * pass what is undecided while it has no list.
 *
 * @throws ABORTED
 */
export async function screenContent(
  blocklist: Pick<Blocklist, 'checkMany'>,
  pick: () => unknown,
  { deadlineMs }: Pick<ScreenSettings, 'deadlineMs'>,
  signal?: SignalLike,
): Promise<Screening> {
  throwIfAborted(signal);
  let inputs: readonly Input[] | null;
  try {
    const picked = pick();
    inputs = inputsIn(isPromise(picked) ? await bounded(deadlineMs, signal, async () => picked, false, true) : picked);
  } catch {
    throwIfAborted(signal);
    return unreadable;
  }
  if (inputs === null) return unreadable;
  if (inputs.length === 0) return clear;
  const contents = inputs.map(({ input }) => input);
  try {
    const check = (own: SignalLike) => blocklist.checkMany(contents, { deadlineMs, signal: own });
    return screeningFor(inputs, await bounded(deadlineMs + deadlineGraceMs, signal, check, false, true));
  } catch (error) {
    throwIfAborted(signal);
    // An invalid hint is the request's fault. A closed or failing list is not.
    return error instanceof TypeError ? unreadable : { status: 'undecided', statuses: ['undecided'], found: [] };
  }
}

const isPromise = (picked: unknown): boolean => typeof (picked as Partial<Promise<unknown>> | undefined)?.then === 'function';

const clear: Screening = { status: 'clear', statuses: [], found: [] };
const unreadable: Screening = { status: 'unreadable', statuses: ['unreadable'], found: [] };

interface Input {
  readonly input: CheckInput;
  /** What it means that the input cannot be read. */
  readonly ifUnreadable: Exclude<ScreeningStatus, 'listed'>;
}

/**
 * Everything in it, or `null` if a part cannot be read. `pick` may return what a client sent, so that only an object of exactly the
 * documented shape is read: a key that is skipped would be a way past the screen.
 */
function inputsIn(picked: unknown): readonly Input[] | null {
  const parts = partsOf(typeof picked === 'string' ? { texts: [picked] } : picked, ['texts', 'assets']);
  if (parts === null) return null;
  const texts = 'texts' in parts ? parts.texts : [];
  const assets = 'assets' in parts ? parts.assets : [];
  if (!Array.isArray(texts) || !Array.isArray(assets) || texts.length + assets.length > maxPicked) return null;
  const inputs: Input[] = [];
  // Not with array methods, which skip holes.
  for (const asset of assets) {
    const own = partsOf(typeof asset === 'string' ? { content: asset } : asset, assetParts);
    if (own === null) return null;
    const { content, type, chain } = own;
    if (typeof content !== 'string' || !isHint(type) || !isHint(chain)) return null;
    if (type === undefined && chain === undefined) {
      inputs.push({ input: content, ifUnreadable: 'unreadable' });
      continue;
    }
    inputs.push({ input: { content, type: type as AssetType | undefined, chain }, ifUnreadable: 'unreadable' });
    // The client may have chosen the hint, and a host is a valid name on some platforms.
    inputs.push({ input: content, ifUnreadable: 'clear' });
  }
  for (const text of texts) {
    if (typeof text !== 'string') return null;
    for (const { plain, shorter } of findAssets(text)) {
      inputs.push({ input: plain, ifUnreadable: 'undecided' });
      if (shorter !== undefined) inputs.push({ input: shorter, ifUnreadable: 'undecided' });
    }
  }
  return inputs;
}

const assetParts = ['content', 'type', 'chain'] as const;

const isHint = (hint: unknown): hint is string | undefined => hint === undefined || typeof hint === 'string';

/** What a plain object has, if it has one of these keys and no other; else `null`. */
function partsOf<Name extends string>(value: unknown, names: readonly Name[]): { readonly [Key in Name]?: unknown } | null {
  if (typeof value !== 'object' || value === null) return null;
  const prototype: unknown = Object.getPrototypeOf(value);
  // The plain objects of another realm are plain too.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return null;
  const keys = Reflect.ownKeys(value) as Name[];
  if (keys.length === 0 || !keys.every((key) => names.includes(key))) return null;
  const parts: { [Key in Name]?: unknown } = Object.create(null);
  for (const key of keys) parts[key] = (value as Readonly<Record<Name, unknown>>)[key];
  return parts;
}

/** Worst first. */
const order: readonly ScreeningStatus[] = ['listed', 'unreadable', 'undecided'];

function screeningFor(inputs: readonly Input[], verdicts: readonly Verdict[]): Screening {
  const found: ScreenedContent[] = [];
  const seen = new Set<ScreeningStatus>();
  for (const [at, verdict] of verdicts.entries()) {
    const { input, ifUnreadable } = inputs[at]!;
    const status = statusOf(verdict, ifUnreadable);
    if (status === 'clear') continue;
    const content = typeof input === 'string' ? input : input.content;
    // Without its hint, an asset often has the same verdict again.
    if (ifUnreadable === 'clear' && seen.has(status) && found.at(-1)?.content === content) continue;
    seen.add(status);
    found.push({ content: verdict.reason === 'secret' ? '' : content, verdict });
  }
  const statuses = order.filter((status) => seen.has(status));
  return { status: statuses[0] ?? 'clear', statuses, found };
}

/** By status, because the blocklist's own policy may let pass what is unknown. */
function statusOf({ status, reason }: Verdict, ifUnreadable: Input['ifUnreadable']): ScreeningStatus {
  if (status === 'blocked') return 'listed';
  if (reason === 'secret' || reason === 'unreadable') return ifUnreadable;
  return status === 'unconfirmed' || status === 'unknown' ? 'undecided' : 'clear';
}

/** The refusal that the policy demands; `null` if the request may pass. */
export function refusalFor({ statuses }: Screening, policy: Required<ScreenPolicy>): HttpRefusal | null {
  const rejected = statuses.find((status) => status !== 'clear' && policy[status] === 'reject');
  return rejected === undefined || rejected === 'clear' ? null : refusals[rejected];
}

/** They repeat nothing of the request. */
const refusals: Readonly<Record<Exclude<ScreeningStatus, 'clear'>, HttpRefusal>> = {
  listed: /* @__PURE__ */ new HttpRefusal(
    422,
    'CONTENT_LISTED',
    'the request contains a link or an address that is a known scam',
  ),
  unreadable: /* @__PURE__ */ new HttpRefusal(
    422,
    'CONTENT_UNREADABLE',
    'the request contains a text, a link or an address that cannot be read',
  ),
  undecided: /* @__PURE__ */ new HttpRefusal(503, 'CONTENT_UNDECIDED', 'the request could not be checked now; try again later', {
    retryAfterMs: 5_000,
  }),
};

const screenings = /* @__PURE__ */ new WeakMap<object, Screening>();

/** A request may pass several screens, and the worst of them counts. */
export function keepScreening(request: object, screening: Screening): void {
  const before = screenings.get(request);
  screenings.set(request, before === undefined ? screening : merged(before, screening));
}

function merged(before: Screening, { statuses: added, found }: Screening): Screening {
  const statuses = order.filter((status) => before.statuses.includes(status) || added.includes(status));
  return { status: statuses[0] ?? 'clear', statuses, found: [...before.found, ...found] };
}

/**
 * What the screens found in this request: pass Express's and Fastify's `request`, and Hono's context.
 *
 * @throws PortcullisError `INVALID_INPUT` if no screen ran for it, so that a route without one does not take it for clear
 */
export function screeningOf(request: object): Screening {
  const screening = screenings.get(request);
  if (screening === undefined) refuse('no screen ran for this request; add one in front of this handler');
  return screening;
}
