import { isPortcullisError, PortcullisError, refuse } from '../../core/errors.js';
import { sleep } from '../../core/http/bounded.js';
import { jsonWord } from '../../core/http/failure-report.js';
import type { Operation } from '../operations/operation.js';
import { partsOf } from './client.js';
import { callOptionsOf, watchKinds } from './client-options.js';
import type { CallOptions, PartialClient, Watched, WatchGroups, WatchInput, WatchItem, WatchOptions } from './client-types.js';

const defaultPollMs = 300_000;

/**
 * Limit for the items of one poll and for the remembered keys, of which the oldest are forgotten first. No day produces this many.
 */
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
  readonly isSorted?: true;
  /** The fields that identify an item. @default all */
  readonly keys?: readonly string[];
}

const subjects: Readonly<Record<string, Subject>> = {
  reports: { operation: 'organizationReportsList', time: 'createdAt', isDated: true, keys: ['id'] },
  threats: { operation: 'threatsList', time: 'blockedAt', isDated: true, isSorted: true, keys: ['id'] },
  takedowns: { operation: 'takedownsList', time: 'updatedAt', isSorted: true, keys: ['id', 'updatedAt'] },
  changelog: { operation: 'assetChangelog' },
};

/**
 * Yields new reports, threats, takedowns or changelog entries, each once; a takedown is yielded again whenever it is updated. A
 * failed poll emits an event, and the next one returns what it missed. Ends when the signal is aborted or the client is closed.
 */
export async function* watch<Subject extends Watched>(
  client: Pick<PartialClient<WatchGroups<Subject>>, keyof WatchGroups<Subject>>,
  watched: Subject,
  input: WatchInput<Subject> = {} as WatchInput<Subject>,
  options: WatchOptions = {},
): AsyncGenerator<WatchItem<Subject>, void, void> {
  const { rows, run, pages, now, emit, watches, isClosed } = partsOf.get(client) ?? refuse('watch needs a client');
  const { row, perCall, ...plan } = planOf(watched, options, rows);
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  perCall.signal?.addEventListener('abort', abort);
  watches.add(stop);
  if (isClosed() || perCall.signal?.aborted) abort();
  const lookOptions = { ...perCall, signal: stop.signal };
  const changes = changesOf({
    ...plan,
    look(from) {
      const { isSorted, time } = plan.subject;
      const sorting = isSorted && [{ key: time, direction: 'desc' }];
      const asked = { ...input, ...(sorting && { sorting }), ...(from && { startDate: from }) };
      return row.paging ? pages(row, asked, lookOptions) : entriesOf(() => run(row, asked, lookOptions));
    },
    now,
    signal: stop.signal,
    onError: (delayMs, error) => emit({ type: 'watch-error', watched, delayMs, error }),
  });
  try {
    yield* changes as AsyncGenerator<WatchItem<Subject>, void, void>;
  } finally {
    perCall.signal?.removeEventListener('abort', abort);
    watches.delete(stop);
  }
}

interface Plan {
  readonly subject: Subject;
  readonly row: Operation;
  readonly perCall: CallOptions;
  readonly pollMs: number;
  readonly sinceMs: number | undefined;
}

/** The validated subject and options of a watch. */
function planOf(watched: string, options: WatchOptions, rows: ReadonlyMap<string, Operation>): Plan {
  const subject = subjects[watched];
  const row = rows.get(subject?.operation ?? '');
  if (!subject || !row) refuse('watch reports, threats, takedowns or changelog, with their group');
  const { pollMs = defaultPollMs, since, ...perCall } = callOptionsOf<WatchOptions>('watch', watchKinds(), options);
  const sinceMs = since === undefined ? since : Number(new Date(since));
  return { subject, row, perCall, pollMs, sinceMs };
}

interface Watch extends Pick<Plan, 'subject' | 'pollMs' | 'sinceMs'> {
  /** Items since a time, newest first. */
  readonly look: (from: Date | undefined) => AsyncIterable<unknown>;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly onError: (delayMs: number, error: PortcullisError) => void;
}

/**
 * Items that are new since the last poll, oldest first. A failed poll yields and remembers nothing, so the next one returns its
 * items.
 */
async function* changesOf({
  subject: { isDated, time = '', keys },
  look,
  now,
  sinceMs,
  pollMs,
  signal,
  onError,
}: Watch): AsyncGenerator<unknown, void, void> {
  const seen = new Set<string>();
  let newestMs: number | undefined;
  let isFirst = true;
  for (;;) {
    let delayMs = pollMs;
    let news: Item[] = [];
    try {
      const found = await unseen();
      for (const key of found.keys()) remember(key);
      // Without `since`, the first poll only finds the newest item.
      if (!isFirst || sinceMs !== undefined) news = [...found.values()].reverse();
      isFirst = false;
    } catch (error) {
      if (signal.aborted) return;
      // Later polls would fail too. A key that was accepted once may be accepted again.
      if (!isPortcullisError(error) || /^(INVALID_INPUT|PATH_UNKNOWN)$/.test(error.code)) throw error;
      if (isFirst && /^(UNAUTHORIZED|FORBIDDEN)$/.test(error.code)) throw error;
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

  /** The unseen items of one poll by key, newest first. */
  async function unseen(): Promise<Map<string, Item>> {
    const fromMs = newestMs === undefined ? sinceMs : newestMs - overlapMs;
    const found = new Map<string, Item>();
    let latestMs = newestMs ?? 0;
    let count = 0;
    const items = look(fromMs === undefined || !isDated ? undefined : new Date(fromMs)) as AsyncIterable<Item>;
    for await (const item of items) {
      if (item === null) continue;
      if (++count > maxItems) throw new PortcullisError('LIMIT_EXCEEDED', `more than ${maxItems} items at once`);
      // Entries of the changelog may have any type.
      const fields = Object(item) as Item;
      const key = keys?.map((name) => fields[name]).join(' ') ?? JSON.stringify(item);
      const timeMs = Date.parse(jsonWord(fields[time]));
      // An item with a future time must not hide items that arrive before that time.
      latestMs = Math.max(latestMs, Math.min(timeMs, now() + overlapMs) || 0);
      // Items are newest first, so all later ones are older.
      if (timeMs < (fromMs ?? (isFirst ? latestMs - overlapMs : 0))) break;
      if (!seen.has(key) && !(timeMs < (sinceMs ?? 0))) found.set(key, item);
    }
    if (latestMs > 0) newestMs = latestMs;
    return found;
  }

  function remember(key: string): void {
    seen.add(key);
    if (seen.size > maxItems) for (const oldest of seen) return void seen.delete(oldest);
  }
}

/** The entries of a changelog, whose shape is not published: the response itself, or the first list in it. */
async function* entriesOf(ask: () => Promise<unknown>): AsyncGenerator<unknown, void, void> {
  const answer = await ask();
  yield* Array.isArray(answer) ? answer : (Object.values((answer ?? {}) as object).find(Array.isArray) ?? []);
}
