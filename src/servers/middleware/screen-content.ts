import type { Blocklist } from '../../blocklist/checks/blocklist-interface.js';
import type { CheckInput } from '../../blocklist/checks/question.js';
import type { Verdict } from '../../blocklist/verdict.js';
import { refuse, requireNumber, type SignalLike, throwIfAborted } from '../../core/errors.js';
import { findAssets } from '../../core/find/find-all.js';
import { bounded } from '../../core/http/bounded.js';
import type { HttpRefusal } from '../http/http-refusal.js';

/** What a request brings: one text, or texts to search for links and addresses, and assets that are one each. */
export type Picked =
  | string
  | { readonly texts?: readonly string[] | undefined; readonly assets?: readonly CheckInput[] | undefined };

/**
 * `listed`: a link or an address is blocked. `unreadable`: something cannot be read: it is no text, too long, no asset, or a secret.
 * `undecided`: of something it is not known. `clear`: everything is clear or allowed, or there is nothing that a list could hold.
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
  /** Answered with 422 and `CONTENT_UNREADABLE`. @default 'reject' */
  readonly unreadable?: ScreenRule | undefined;
  /** Answered with 503 and `CONTENT_UNDECIDED`. @default 'reject' */
  readonly undecided?: ScreenRule | undefined;
}

/** Options of a screen. */
export interface ScreenOptions {
  readonly policy?: ScreenPolicy | undefined;
  /** Longest wait for everything, in milliseconds; what is not known by then is undecided. @default 5_000 */
  readonly deadlineMs?: number | undefined;
}

/** Validated options. */
export type ScreenSettings = { readonly policy: Required<ScreenPolicy>; readonly deadlineMs: number };

/** The longest deadline of a blocklist's check is above this. */
const maxDeadlineMs = 60_000;

export function screenSettingsOf({ policy = {}, deadlineMs = 5_000 }: ScreenOptions = {}): ScreenSettings {
  const { listed = 'reject', unreadable = 'reject', undecided = 'reject' } = policy;
  for (const rule of [listed, unreadable, undecided]) {
    if (rule !== 'reject' && rule !== 'pass') refuse("a rule of the policy must be 'reject' or 'pass'");
  }
  requireNumber(deadlineMs, 'deadlineMs', 1, maxDeadlineMs);
  return { policy: { listed, unreadable, undecided }, deadlineMs };
}

/** Assets and texts of one request: a page of chat messages. More is no message. */
const maxPicked = 1_000;

/** Lets the blocklist's own deadline come first, because it says what is known about the rest. */
const deadlineGraceMs = 100;

/**
 * Screens what `pick` returns. A `pick` that throws or returns nothing makes the request unreadable: a body that was not parsed must not
 * pass unseen.
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
  try {
    const work = async (own: SignalLike): Promise<Screening> => {
      const inputs = await inputsOf(pick);
      if (inputs === null) return unreadable;
      if (inputs.length === 0) return clear;
      return screeningFor(
        inputs,
        await blocklist.checkMany(
          inputs.map(({ input }) => input),
          { deadlineMs, signal: own },
        ),
      );
    };
    return await bounded(deadlineMs + deadlineGraceMs, signal, work);
  } catch {
    throwIfAborted(signal);
    // A list that is closed or fails says nothing about the request.
    return { status: 'undecided', statuses: ['undecided'], found: [] };
  }
}

const clear: Screening = { status: 'clear', statuses: [], found: [] };
const unreadable: Screening = { status: 'unreadable', statuses: ['unreadable'], found: [] };

interface Input {
  readonly input: CheckInput;
  /** Whether the client said that it is an asset; what was found in a text is one. */
  readonly isGiven: boolean;
}

/** `null` if something cannot be read. */
async function inputsOf(pick: () => unknown): Promise<readonly Input[] | null> {
  try {
    const picked = await pick();
    if (typeof picked !== 'string' && (typeof picked !== 'object' || picked === null)) return null;
    const { texts = [], assets = [] } = typeof picked === 'string' ? { texts: [picked] } : (picked as Exclude<Picked, string>);
    if (!Array.isArray(texts) || !Array.isArray(assets) || texts.length + assets.length > maxPicked) return null;
    if (!assets.every(isInput)) return null;
    const found = texts.flatMap((text) => findAssets(text));
    const inputs = found.flatMap(({ plain, shorter }) => (shorter === undefined ? [plain] : [plain, shorter]));
    return [...assets.map((input) => ({ input, isGiven: true })), ...inputs.map((input) => ({ input, isGiven: false }))];
  } catch {
    return null;
  }
}

const isInput = (input: unknown): input is CheckInput =>
  typeof input === 'string' ||
  (typeof input === 'object' && typeof (input as { content?: unknown } | null)?.content === 'string');

/** Worst first. */
const order: readonly ScreeningStatus[] = ['listed', 'unreadable', 'undecided'];

function screeningFor(inputs: readonly Input[], verdicts: readonly Verdict[]): Screening {
  const found: ScreenedContent[] = [];
  const seen = new Set<ScreeningStatus>();
  for (const [at, verdict] of verdicts.entries()) {
    const { input, isGiven } = inputs[at]!;
    const status = statusOf(verdict, isGiven);
    if (status === 'clear') continue;
    seen.add(status);
    const content = typeof input === 'string' ? input : input.content;
    found.push({ content: verdict.reason === 'secret' ? '' : content, verdict });
  }
  const statuses = order.filter((status) => seen.has(status));
  return { status: statuses[0] ?? 'clear', statuses, found };
}

/** By status, because the blocklist's own policy may let pass what is unknown. */
function statusOf({ status, reason }: Verdict, isGiven: boolean): ScreeningStatus {
  if (status === 'blocked') return 'listed';
  if (reason === 'secret' || reason === 'unreadable') return isGiven ? 'unreadable' : 'undecided';
  return status === 'unconfirmed' || status === 'unknown' ? 'undecided' : 'clear';
}

/** The refusal that the policy demands; `null` if the request may pass. */
export function refusalFor({ statuses }: Screening, policy: Required<ScreenPolicy>): HttpRefusal | null {
  const rejected = statuses.find((status) => status !== 'clear' && policy[status] === 'reject');
  return rejected === undefined || rejected === 'clear' ? null : refusals[rejected];
}

/** They repeat nothing of the request. */
const refusals: Readonly<Record<Exclude<ScreeningStatus, 'clear'>, HttpRefusal>> = {
  listed: { status: 422, code: 'CONTENT_LISTED', message: 'the request contains a link or an address that is a known scam' },
  unreadable: {
    status: 422,
    code: 'CONTENT_UNREADABLE',
    message: 'the request contains a text, a link or an address that cannot be read',
  },
  undecided: {
    status: 503,
    code: 'CONTENT_UNDECIDED',
    message: 'the request could not be checked now; try again later',
    headers: { 'retry-after': '5' },
  },
};

const screenings = /* @__PURE__ */ new WeakMap<object, Screening>();

export function keepScreening(request: object, screening: Screening): void {
  screenings.set(request, screening);
}

/**
 * What a screen found in this request: pass Express's and Fastify's `request`, and Hono's context.
 *
 * @throws PortcullisError `INVALID_INPUT` if no screen ran for it, so that a route without one does not take it for clear
 */
export function screeningOf(request: object): Screening {
  const screening = screenings.get(request);
  if (screening === undefined) refuse('no screen ran for this request; add one in front of this handler');
  return screening;
}
