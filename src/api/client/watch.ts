import { isPortcullisError, PortcullisError, refuse } from '../../core/errors.js';
import { sleep } from '../../core/http/bounded.js';
import type { Operation } from '../operations/operation.js';
import { checkNumbers } from './client-options.js';
import type { CallOptions, WatchOptions } from './client-types.js';

const defaultPollMs = 300_000;

/** Limit for the items of one poll and for remembered keys (the oldest are forgotten first): more than any day produces. */
const maxItems = 100_000;

/** The longest delay a service may ask for, so that a wrong `Retry-After` does not end a watch. */
const maxWaitMs = 3_600_000;

/** How far before the newest item a poll starts, because the service may write items out of order. */
const overlapMs = 3_600_000;

type Item = Readonly<Record<string, unknown>>;

interface Subject {
  readonly operation: string;
  /** The timestamp field by which the service orders items. */
  readonly time?: string;
  /** The operation takes a `startDate`. */
  readonly isDated?: true;
  /** Sorts the newest first, so that a poll can stop at the first known item. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly keyOf: (item: Item) => string;
}

const newest = (key: string): { sorting: unknown } => ({ sorting: [{ key, direction: 'desc' }] });
const idOf = ({ id }: Item): string => String(id);

const subjects: ReadonlyMap<string, Subject> = new Map<string, Subject>([
  ['reports', { operation: 'organizationReportsList', time: 'createdAt', isDated: true, input: {}, keyOf: idOf }],
  ['threats', { operation: 'threatsList', time: 'blockedAt', isDated: true, input: newest('blockedAt'), keyOf: idOf }],
  [
    'takedowns',
    {
      operation: 'takedownsList',
      time: 'updatedAt',
      input: newest('updatedAt'),
      keyOf: ({ id, updatedAt }) => `${id} ${updatedAt}`,
    },
  ],
  ['changelog', { operation: 'assetChangelog', input: {}, keyOf: (item) => JSON.stringify(item) }],
]);

interface Plan {
  readonly subject: Subject;
  readonly row: Operation;
  readonly perCall: CallOptions;
  readonly pollMs: number;
  readonly sinceMs: number | undefined;
}

/** The validated subject and options of a watch. */
export function planOf(
  watched: string,
  { pollMs = defaultPollMs, since, ...perCall }: WatchOptions,
  rows: ReadonlyMap<string, Operation>,
): Plan {
  const subject = subjects.get(watched);
  const row = rows.get(subject?.operation ?? '');
  if (!subject || !row)
    refuse('only reports, threats, takedowns and changelog can be watched, and only if the client has their groups');
  checkNumbers({ pollMs, ...perCall });
  const sinceMs = since ? new Date(since).getTime() : undefined;
  if (Number.isNaN(sinceMs)) refuse('since must be a Date or ISO 8601');
  return { subject, row, perCall, pollMs, sinceMs };
}

export interface Watch extends Pick<Plan, 'subject' | 'pollMs' | 'sinceMs'> {
  /** Items since a time, newest first. */
  readonly look: (from: Date | undefined) => AsyncIterable<unknown>;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly onError: (delayMs: number, error: PortcullisError) => void;
}

/** Items that are new since the last poll, oldest first. A failed poll yields and remembers nothing, so the next one returns its items. */
export async function* changesOf(watch: Watch): AsyncGenerator<unknown, void, void> {
  const { sinceMs, pollMs, signal, onError } = watch;
  const seen = new Set<string>();
  let newestMs: number | undefined;
  let isFirst = true;
  for (;;) {
    let delayMs = pollMs;
    let news: Item[] = [];
    try {
      const fromMs = newestMs === undefined ? sinceMs : newestMs - overlapMs;
      const [found, latestMs] = await lookOnce(watch, fromMs, newestMs, isFirst, seen);
      if (latestMs > 0) newestMs = latestMs;
      for (const key of found.keys()) remember(seen, key);
      // Without `since`, the first poll only finds the newest item.
      if (!isFirst || sinceMs !== undefined) news = [...found.values()].reverse();
      isFirst = false;
    } catch (error) {
      if (signal.aborted) return;
      if (!isPortcullisError(error) || isFinal(error, isFirst)) throw error;
      delayMs = Math.max(pollMs, Math.min(error.retryAfterMs ?? 0, maxWaitMs));
      onError(delayMs, error);
    }
    yield* news;
    try {
      await sleep(delayMs, signal);
    } catch {
      return;
    }
  }
}

/** Whether later polls would fail too. A key that was accepted once may be accepted again. */
function isFinal({ code }: PortcullisError, isFirst: boolean): boolean {
  return /^(INVALID_INPUT|PATH_UNKNOWN)$/.test(code) || (isFirst && /^(UNAUTHORIZED|FORBIDDEN)$/.test(code));
}

/** The unseen items of one poll by key, newest first, and the time of the newest item of all polls. */
async function lookOnce(
  { subject, look, now, sinceMs = 0 }: Watch,
  fromMs: number | undefined,
  newestMs = 0,
  isFirst: boolean,
  seen: ReadonlySet<string>,
): Promise<readonly [found: Map<string, Item>, latestMs: number]> {
  const found = new Map<string, Item>();
  let latestMs = newestMs;
  let count = 0;
  const from = fromMs === undefined || !subject.isDated ? undefined : new Date(fromMs);
  for await (const item of look(from) as AsyncIterable<Item>) {
    if (item === null) continue;
    if (++count > maxItems) throw new PortcullisError('LIMIT_EXCEEDED', `more than ${maxItems} new items in one poll`);
    // Entries of the changelog may have any type.
    const fields = Object(item) as Item;
    const key = subject.keyOf(fields);
    const timeMs = Date.parse(String(fields[subject.time ?? '']));
    // An item with a future time must not hide items that arrive before that time.
    latestMs = Math.max(latestMs, Math.min(timeMs, now() + overlapMs) || 0);
    // Items are newest first, so all later ones are older.
    if (timeMs < (fromMs ?? (isFirst ? latestMs - overlapMs : 0))) break;
    if (!seen.has(key) && !(timeMs < sinceMs)) found.set(key, item);
  }
  return [found, latestMs];
}

function remember(seen: Set<string>, key: string): void {
  seen.add(key);
  if (seen.size > maxItems) for (const oldest of seen) return void seen.delete(oldest);
}

/** The entries of a changelog, whose shape is not published: the answer itself, or the first list in it. */
export async function* entriesOf(ask: () => Promise<unknown>): AsyncGenerator<unknown, void, void> {
  const answer = await ask();
  yield* Array.isArray(answer) ? answer : (Object.values((answer ?? {}) as object).find(Array.isArray) ?? []);
}
