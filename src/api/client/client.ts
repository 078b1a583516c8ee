import { PortcullisError, refuse, requireObject } from '../../core/errors.js';
import type { Operation } from '../operations/operation.js';
import { type Answered, createCall } from './client-call.js';
import { createEvents } from './client-events.js';
import { callOptionsOf, clientSettingsOf, rawKinds } from './client-options.js';
import type { PlatformMaker } from './client-platform.js';
import type { Input } from './client-request.js';
import type { AnyGroups, CallOptions, ClientEvent, ClientOptions, PartialClient, RawOptions } from './client-types.js';
import { itemsOf } from './pages.js';
import { rawRow } from './raw-request.js';

type Items = AsyncGenerator<unknown, void, void>;

type AnyMethod = (input?: Input, perCall?: CallOptions) => unknown;

/** What a watch needs of its client. */
export interface ClientParts {
  readonly rows: ReadonlyMap<string, Operation>;
  run(row: Operation, input?: Input, perCall?: CallOptions): Promise<unknown>;
  pages(row: Operation, input?: Input, perCall?: CallOptions): Items;
  now(): number;
  emit(event: ClientEvent): void;
  /** Aborted when the client is closed. */
  readonly watches: Set<AbortController>;
  isClosed(): boolean;
}

/** Not properties of a client, so that a bundle without `watch` has nothing of it. */
export const partsOf: WeakMap<object, ClientParts> = /* @__PURE__ */ new WeakMap();

export function makeClient<Groups extends AnyGroups>(
  groups: Groups,
  given: ClientOptions,
  platformOf: PlatformMaker,
): PartialClient<Groups> {
  requireObject(groups, 'groups');
  const rows = new Map(Object.values(groups).flatMap((group) => Object.values(group).map((row) => [row.name, row])));
  const settings = clientSettingsOf(given, rows);
  if (settings.limits === 'prose') for (const [name, row] of rows) rows.set(name, { ...row, ...row.prose });
  const platform = platformOf(settings.agent ?? {});
  const events = createEvents(settings.onEvent);
  const call = createCall(settings, platform, events);
  // Not a set of promises: V8 keeps what is deleted from a busy set until a full collection, which took a quarter of a call.
  let running = 0;
  let onIdle = (): void => {};
  const watches = new Set<AbortController>();
  let closing: Promise<void> | undefined;

  const ended = (): void => {
    if (--running === 0) onIdle();
  };
  const start = (row: Operation, input: Input = {}, perCall?: CallOptions): Promise<Answered> => {
    if (closing) return Promise.reject(new PortcullisError('CLOSED', 'the client is closed', { operation: row.name }));
    const work = call(row, input, perCall);
    running++;
    work.then(ended, ended);
    return work;
  };
  const run = async (...given: Parameters<typeof start>): Promise<unknown> => (await start(...given)).data;
  const pages = (row: Operation, input: Input = {}, perCall?: CallOptions): Items =>
    itemsOf(row, input, (page) => run(row, page, perCall));

  /** For each row a method, and for each row with pages a second one that reads all of them. */
  const methodsOf = (group: Readonly<Record<string, Operation>>): object =>
    Object.fromEntries(
      Object.entries(group).flatMap(([verb, { name }]): [string, AnyMethod][] => {
        const row = rows.get(name)!;
        return [
          [verb, (...given) => run(row, ...given)],
          ...(row.paging ? [[`${verb}All`, (...given) => pages(row, ...given)] as [string, AnyMethod]] : []),
        ];
      }),
    );

  const client = {
    slug: settings.slug,
    ...Object.fromEntries(Object.entries(groups).map(([name, group]) => [name, methodsOf(group)])),
    request: async (name: string, given?: unknown, more?: CallOptions) => {
      const row = rows.get(name);
      if (row || typeof given !== 'string') return run(row ?? refuse('unknown operation'), given as Input, more);
      const kinds = { ...rawKinds(), body: (value: unknown) => value };
      const { body, ...perCall } = callOptionsOf<RawOptions>('request', kinds, more);
      const { data, meta } = await start(rawRow(name, given), { query: perCall.query, body }, perCall);
      return { ...meta(), data };
    },
    close: () => {
      for (const stop of watches) stop.abort();
      closing ??= new Promise<void>((resolve) => {
        if (running === 0) resolve();
        else onIdle = resolve;
      }).then(() => platform.close());
      return closing;
    },
  } as PartialClient<Groups>;
  partsOf.set(client, { rows, run, pages, now: settings.now, emit: events.emit, watches, isClosed: () => closing !== undefined });
  return client;
}
