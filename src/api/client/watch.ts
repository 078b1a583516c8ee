import { isPortcullisError, PortcullisError } from '../../core/errors.js';
import { sleep } from '../../core/http/bounded.js';

/** Five minutes. */
export const pollMsDefault = 300_000;

/** Items of one look, and keys remembered, the oldest forgotten first: more than any day brings. */
const itemsMax = 100_000;

/** The longest wait a service may ask for, an hour: a wrong `Retry-After` must not end a watch. */
const waitMsMax = 3_600_000;

/** How far behind the newest item a look begins: the service may write two items in the other order. */
const overlapMs = 3_600_000;

type Item = Readonly<Record<string, unknown>>;

interface Subject {
  readonly operation: string;
  /** The time that says what is new, by the service's clock. */
  readonly time?: string;
  /** A look can ask for what is newer than a time. */
  readonly isDated?: true;
  /** Asks for the newest first, so that a look can end at what was seen. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly keyOf: (item: Item) => string;
}

const newest = (key: string): { sorting: unknown } => ({ sorting: [{ key, direction: 'desc' }] });
const idOf = ({ id }: Item): string => String(id);

export const subjects: ReadonlyMap<string, Subject> = new Map<string, Subject>([
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

export interface Watch {
  readonly subject: Subject;
  /** Items from a time on, newest first. */
  readonly look: (from: Date | undefined) => AsyncIterable<unknown>;
  readonly now: () => number;
  readonly sinceMs: number | undefined;
  readonly pollMs: number;
  readonly signal: AbortSignal;
  readonly onError: (delayMs: number, error: PortcullisError) => void;
}

/** What is new since the last look, oldest first. Nothing of a look that fails is given or remembered, so the next one finds it. */
export async function* changesOf({
  subject,
  look,
  now,
  sinceMs,
  pollMs,
  signal,
  onError,
}: Watch): AsyncGenerator<unknown, void, void> {
  const seen = new Set<string>();
  let newestMs: number | undefined;
  let first = true;
  for (;;) {
    let delayMs = pollMs;
    let news: Item[] = [];
    try {
      const found = await unseen();
      for (const key of found.keys()) remember(key);
      // Without a time to begin from, the first look only finds out where now is.
      if (!first || sinceMs !== undefined) news = [...found.values()].reverse();
      first = false;
    } catch (error) {
      if (signal.aborted) return;
      // What no time heals; a key that has worked may work again.
      if (!isPortcullisError(error) || /^(INVALID_INPUT|PATH_UNKNOWN)$/.test(error.code)) throw error;
      if (first && /^(UNAUTHORIZED|FORBIDDEN)$/.test(error.code)) throw error;
      delayMs = Math.max(pollMs, Math.min(error.retryAfterMs ?? 0, waitMsMax));
      onError(delayMs, error);
    }
    yield* news;
    try {
      await sleep(delayMs, signal);
    } catch {
      return;
    }
  }

  async function unseen(): Promise<Map<string, Item>> {
    const fromMs = newestMs === undefined ? sinceMs : newestMs - overlapMs;
    const found = new Map<string, Item>();
    let latestMs = newestMs ?? 0;
    let count = 0;
    for await (const item of look(
      fromMs === undefined || !subject.isDated ? undefined : new Date(fromMs),
    ) as AsyncIterable<Item>) {
      if (item === null) continue;
      if (++count > itemsMax) throw new PortcullisError('LIMIT_EXCEEDED', `more than ${itemsMax} items at once`);
      // Entries of the changelog may be of any kind.
      const fields = Object(item) as Item;
      const key = subject.keyOf(fields);
      const timeMs = Date.parse(String(fields[subject.time ?? '']));
      // An item from the future must not hide what comes before it.
      latestMs = Math.max(latestMs, Math.min(timeMs, now() + overlapMs) || 0);
      // The newest come first, so what follows is older still. The first look only wants to know where now is.
      if (timeMs < (fromMs ?? (first ? latestMs - overlapMs : 0))) break;
      if (!seen.has(key) && !(timeMs < (sinceMs ?? 0))) found.set(key, item);
    }
    if (latestMs > 0) newestMs = latestMs;
    return found;
  }

  function remember(key: string): void {
    seen.add(key);
    if (seen.size > itemsMax) for (const oldest of seen) return void seen.delete(oldest);
  }
}

/** The entries of a changelog, whose shape is not published: the answer itself, or the first list in it. */
export function entriesOf(answer: unknown): unknown[] {
  if (Array.isArray(answer)) return answer;
  return Object.values((answer ?? {}) as object).find(Array.isArray) ?? [];
}
