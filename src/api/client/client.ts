import { PortcullisError, refuse } from '../../core/errors.js';
import type { Operation } from '../operations/operation.js';
import { type CallContext, call, type Input } from './client-call.js';
import { createEvents } from './client-events.js';
import { checkOptions } from './client-options.js';
import type { PlatformMaker } from './client-platform.js';
import type { AnyGroups, CallOptions, ClientOptions, PartialClient, WatchOptions } from './client-types.js';
import { itemsOf } from './pages.js';
import { changesOf, entriesOf, planOf } from './watch.js';

type Items = AsyncGenerator<unknown, void, void>;

/** How the methods of a client call an operation: once, or page after page. */
interface Caller {
  run(row: Operation, input?: Input, perCall?: CallOptions): Promise<unknown>;
  pages(row: Operation, input?: Input, perCall?: CallOptions): Items;
}

/** A client of the groups given. */
export function makeClient<Groups extends AnyGroups>(
  groups: Groups,
  given: ClientOptions,
  platformOf: PlatformMaker,
): PartialClient<Groups> {
  const rows = new Map(Object.values(groups).flatMap((group) => Object.values(group).map((row) => [row.name, row])));
  const settings = checkOptions(given, rows);
  const platform = platformOf(settings.agent ?? {});
  const events = createEvents(settings.onEvent);
  const context: CallContext = { settings, platform, fetch: settings.fetch ?? platform.fetch, events };
  const underWay = new Set<Promise<unknown>>();
  const watches = new Set<AbortController>();
  let closing: Promise<void> | undefined;

  const caller: Caller = {
    run(row, input = {}, perCall = {}) {
      const work = closing ? Promise.reject(closed(row)) : call(row, input, perCall, context);
      underWay.add(work);
      const done = (): unknown => underWay.delete(work);
      work.then(done, done);
      return work;
    },
    pages: (row, input = {}, perCall = {}) => itemsOf(row, input, (page) => caller.run(row, page, perCall)),
  };

  async function* watch(watched: string, input: Input = {}, options: WatchOptions = {}): Items {
    const { row, perCall, ...plan } = planOf(watched, options, rows);
    const stop = new AbortController();
    const abort = (): void => stop.abort();
    perCall.signal?.addEventListener('abort', abort);
    watches.add(stop);
    if (closing || perCall.signal?.aborted) abort();
    const lookOptions = { ...perCall, signal: stop.signal };
    try {
      yield* changesOf({
        ...plan,
        look(from) {
          const asked = { ...input, ...plan.subject.input, ...(from && { startDate: from }) };
          return row.paging ? caller.pages(row, asked, lookOptions) : entriesOf(() => caller.run(row, asked, lookOptions));
        },
        now: settings.now,
        signal: stop.signal,
        onError: (delayMs, error) => events.emit({ type: 'watch-error', watched, delayMs, error }),
      });
    } finally {
      perCall.signal?.removeEventListener('abort', abort);
      watches.delete(stop);
    }
  }

  return {
    ...methodsOf(groups, caller),
    request: async (name: string, input?: Input, perCall?: CallOptions) =>
      caller.run(rows.get(name) ?? refuse('unknown operation; portcullis/operations lists all of them'), input, perCall),
    watch,
    close: () => {
      for (const stop of watches) stop.abort();
      closing ??= Promise.allSettled(underWay).then(() => platform.close());
      return closing;
    },
  } as PartialClient<Groups>;
}

function closed({ name }: Operation): PortcullisError {
  return new PortcullisError('CLOSED', 'the client is closed', { operation: name });
}

type AnyMethod = (input?: Input, perCall?: CallOptions) => unknown;

/** For each row a method, and for each row with pages a second one that reads all of them. */
function methodsOf(groups: AnyGroups, { run, pages }: Caller): Record<string, Record<string, AnyMethod>> {
  return mapValues(groups, (group) => ({
    ...mapValues(
      group,
      (row): AnyMethod =>
        (input, perCall) =>
          run(row, input, perCall),
    ),
    ...Object.fromEntries(
      Object.entries(group).flatMap(([verb, row]) =>
        row.paging ? [[`${verb}All`, ((input, perCall) => pages(row, input, perCall)) as AnyMethod]] : [],
      ),
    ),
  }));
}

function mapValues<From, To>(object: Readonly<Record<string, From>>, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}
