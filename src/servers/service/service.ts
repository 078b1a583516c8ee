import * as z from 'zod/mini';
import type { FullOperation } from '../../api/operations/all-operations.js';
import { maxUploadFiles } from '../../api/operations/attachments.js';
import { isPortcullisError, PortcullisError, refuse } from '../../core/errors.js';
import { Deliveries } from './delivery/deliveries.js';
import { postBy } from './delivery/targets.js';
import { asFetchShowsIt, Faults, faulty } from './faults/faults.js';
import { storeFiles } from './handlers/attachment-handlers.js';
import type { Call, Context } from './handlers/handler-context.js';
import { handlers } from './handlers/handlers.js';
import { keyOf, organizationFor } from './http/access.js';
import { fieldsOfPath, fieldsOfQuery } from './http/decode.js';
import { Problem } from './http/problem.js';
import { fieldsOfBody, filesOf } from './http/read-body.js';
import { type Match, routeTo } from './http/router.js';
import * as answers from './http/service-answer.js';
import { fileAt } from './records/file-records.js';
import { listingFor, publishSnapshot } from './records/service-lists.js';
import { checked, type ServiceOptions } from './service-options.js';
import { sample, sampleKeys } from './state/sample.js';
import { type Clock, JobClock } from './state/service-clock.js';
import { setKeys } from './state/set-keys.js';
import { type DeliveryRecord, type Edit, type Snapshot, State } from './state/state.js';

export type { ServiceLimits, ServiceOptions } from './service-options.js';

/** What became of the blocked assets in a new snapshot. */
export interface Published {
  readonly listed: number;
  /** Blocked, and not listed: `type-without-rule`, `public-suffix`, `shared-host` … */
  readonly refused: readonly { readonly type: string; readonly content: string; readonly reason: string }[];
}

/** A request that came in. */
export interface LoggedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** The operation it was routed to. */
  readonly operation: string | null;
  /** `null`: not answered, or not yet. */
  readonly status: number | null;
  /** When it came. */
  readonly atMs: number;
  /** Why it was answered with a 500, which the answer itself does not tell. */
  readonly error?: unknown;
}

/** The service in this process, and what tests want to see of it. */
export interface Service {
  /** Answers a request as the service would, in this process. */
  fetch(request: Request | string, init?: RequestInit): Promise<Response>;
  /** Makes a new snapshot of the blocklist out of all that is blocked now. */
  publish(): Promise<Published>;
  /** The whole state as JSON, to be kept or compared. */
  snapshot(): Snapshot;
  /** Takes over a state that was kept. */
  restore(snapshot: Snapshot): Promise<void>;
  /** Back to how it began. */
  reset(): Promise<void>;
  /** The latest requests, oldest first. */
  requests(): readonly LoggedRequest[];
  /** Webhook deliveries with their attempts, oldest first. */
  deliveries(): readonly DeliveryRecord[];
  /** Sends a delivery again, as a new one. */
  replay(deliveryId: number): Promise<void>;
  readonly faults: Pick<Faults, 'add' | 'clear'>;
  readonly clock: Clock;
  /** A key that is valid, of one organization; see the sample data for others. */
  readonly key: string;
  /** Ends what is under way and keeps the state; what no receiver answered is sent again by whoever goes on from it. */
  close(): Promise<void>;
}

/** For a server of its own. */
export interface Serving {
  /** Resolves when the state is there, and rejects with why it cannot be: over HTTP nobody would be told. */
  readonly ready: Promise<void>;
  /** Answers whose broken connections are still to be broken. */
  serve(request: Request): Promise<Response>;
}

/** Where changed records go before an answer is given. */
export interface Journal {
  /** Resolves when the records are safe. */
  write(edits: readonly Edit[], state: State): Promise<void>;
  /** Reads what was written earlier into the state; false where nothing was. */
  read(state: State): Promise<boolean>;
  /** Writes all of the state, in place of what was written before. */
  fold(state: State): Promise<void>;
  close(): Promise<void>;
}

/** A service with its state in memory, or wherever the journal keeps it. */
export function serviceOf(options: ServiceOptions, journal?: Journal): Service & Serving {
  const { seed, now, data, keys, random, requestsKept, settings, post } = checked(options);
  const state = new State();
  const clock = new JobClock(now);
  const faults = new Faults();
  const context: Context = { state, clock, random: random ?? (() => state.draw()), settings };
  const deliveries = new Deliveries(context, post ?? postBy(settings.allowPrivateTargets), commit);
  const log: LoggedRequest[] = [];
  let tail: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | undefined;

  const ready = journal === undefined ? Promise.resolve(begin()) : open(journal);
  // Whoever calls first gets the error of it.
  ready.catch(() => {});

  async function open(file: Journal): Promise<void> {
    if (await file.read(state)) {
      const { edits } = state.transact(() => setKeys(context, keys));
      if (edits.length > 0) await file.write(edits, state);
    } else {
      begin();
      await file.fold(state);
    }
    deliveries.wakeAll();
  }

  function begin(): void {
    state.seed(seed);
    sample(context, data);
    setKeys(context, keys);
  }

  /** One after the other, so that what is written down has the order of what happened. */
  function queued<T>(work: () => Promise<T>): Promise<T> {
    if (closing !== undefined) return Promise.reject(new PortcullisError('CLOSED', 'the service is closed'));
    const run = tail.then(work);
    tail = run.catch(() => {});
    return run;
  }

  /** Runs `work` in a transaction and gives its result when its changes are safe; if they cannot be made safe, there were none. */
  function commit<T>(work: () => T): Promise<T> {
    return queued(async () => {
      const { result, edits, undo } = state.transact(work);
      try {
        if (edits.length > 0) await journal?.write(edits, state);
      } catch (error) {
        undo();
        throw error;
      }
      deliveries.wake(edits);
      return result;
    });
  }

  /** Puts another state in the place of this one. */
  async function replace(change: () => void): Promise<void> {
    await ready;
    await queued(async () => {
      const before = state.snapshot();
      change();
      try {
        await journal?.fold(state);
      } catch (error) {
        state.restore(before);
        throw error;
      }
      clock.clear();
      deliveries.forget();
      deliveries.wakeAll();
    });
  }

  async function answer(request: Request): Promise<Response> {
    const { pathname, search, origin } = new URL(request.url);
    const path = withoutSlash(pathname);
    // A HEAD is a GET whose body is left out.
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const routed = method === 'OPTIONS' ? null : routeTo(method, path);
    const match = routed !== null && 'row' in routed ? routed : null;
    const respond = async (): Promise<Response> => {
      if (request.method === 'OPTIONS') return answers.preflight();
      const file = await fileAt(context, request, path);
      if (file !== null) return file;
      if (match !== null) return operate(request, match, origin);
      if (routed !== null && 'allow' in routed) return answers.notAllowed(routed.allow);
      const nearest = routed !== null && 'nearest' in routed ? routed.nearest : '';
      return answers.refusal(new Problem(404, `There is no such operation; the nearest is ${nearest}.`), false);
    };
    const operation = match?.row.name ?? null;
    const entry: Writable<LoggedRequest> = {
      method: request.method,
      url: path + search,
      operation,
      status: null,
      atMs: clock.now(),
    };
    log.push(entry);
    if (log.length > requestsKept) log.shift();
    // A fault is for the request a page means to make, and not for the question before it.
    const fault = request.method === 'OPTIONS' ? undefined : faults.take(match?.row.name, path);
    let response: Response;
    try {
      response = await (fault === undefined ? respond() : faulty(fault, request, respond));
    } catch (error) {
      // Nobody is there to be answered.
      request.signal.throwIfAborted();
      if (closing !== undefined) throw error;
      entry.error = error;
      response = answers.failure(match !== null && isNested(match.row));
    }
    entry.status = response.status;
    return response;
  }

  async function operate(request: Request, { row, params }: Match, origin: string): Promise<Response> {
    const nested = isNested(row);
    try {
      const key = keyOf(state, request.headers);
      const query = fieldsOfQuery(row, new URL(request.url).searchParams);
      const fields = new Map<string, unknown>(row.method === 'GET' ? query : row.upload ? [] : await fieldsOfBody(request));
      for (const [name, value] of fieldsOfPath(row, params)) {
        if (fields.has(name) && fields.get(name) !== value) throw new Problem(400, `${name} differs in path and body.`);
        fields.set(name, value);
      }
      if (row.upload) return await upload(request, key, row, query.get('fileName'), origin);
      const organization = organizationFor(state, key, row, fields);
      const input = inputOf(row, fields);
      const call: Call = { ...context, key, organization, base: origin };
      const handle = handlers[row.name as keyof typeof handlers] as (call: Call, input: unknown) => unknown;
      const result = await commit(() => {
        request.signal.throwIfAborted();
        return handle(call, input);
      });
      return answers.json(result, 200, row.deprecated ? { deprecation: 'true' } : {});
    } catch (error) {
      if (error instanceof Problem) return answers.refusal(error, nested);
      // The state takes no more, which is for the caller to know and not for us to mend.
      if (isPortcullisError(error) && error.code === 'LIMIT_EXCEEDED')
        return answers.refusal(new Problem(400, `${error.message}.`), nested);
      throw error;
    }
  }

  async function upload(
    request: Request,
    key: Call['key'],
    row: FullOperation,
    fileName: unknown,
    origin: string,
  ): Promise<Response> {
    const files = await filesOf(request, typeof fileName === 'string' ? fileName : undefined);
    if (files.length > maxUploadFiles) throw new Problem(400, `At most ${maxUploadFiles} files are taken at once.`);
    const organization = organizationFor(state, key, row, new Map());
    const call: Call = { ...context, key, organization, base: origin };
    const stored = await commit(() => {
      request.signal.throwIfAborted();
      return storeFiles(call, files);
    });
    return answers.json(stored);
  }

  function inputOf(row: FullOperation, fields: ReadonlyMap<string, unknown>): unknown {
    const checked = z.safeParse(row.input, Object.fromEntries(fields));
    if (checked.success) return checked.data;
    const issues = checked.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
    throw new Problem(400, 'The input does not validate.', { issues });
  }

  async function serve(request: Request): Promise<Response> {
    if (closing !== undefined) throw new PortcullisError('CLOSED', 'the service is closed');
    request.signal.throwIfAborted();
    await ready;
    const response = await answer(request);
    return request.method === 'HEAD' ? answers.withoutBody(response) : response;
  }

  return {
    ready,
    serve,
    fetch: async (input, init) =>
      asFetchShowsIt(await serve(input instanceof Request && init === undefined ? input : new Request(input, init))),
    async publish() {
      await ready;
      const { snapshotIds } = await commit(() => publishSnapshot(context));
      const refused = snapshotIds.flatMap((id) => {
        const asset = state.get('assets', id)!;
        const listing = listingFor(context, asset);
        return 'refused' in listing ? [{ type: asset.type, content: asset.content, reason: listing.refused }] : [];
      });
      return { listed: snapshotIds.length - refused.length, refused };
    },
    snapshot: () => state.snapshot(),
    restore: (snapshot) =>
      replace(() => {
        state.restore(snapshot);
        setKeys(context, keys);
      }),
    reset: () =>
      replace(() => {
        clock.reset();
        faults.clear();
        log.length = 0;
        state.clear();
        begin();
      }),
    requests: () => log.map((entry) => ({ ...entry })),
    deliveries: () => structuredClone(state.all('deliveries')),
    replay: async (id) => {
      await ready;
      if (state.get('deliveries', id) === undefined) refuse('there is no such delivery');
      await deliveries.replay(id);
    },
    faults: { add: (fault) => faults.add(fault), clear: () => faults.clear() },
    clock: {
      now: () => clock.now(),
      advance: async (ms) => {
        await ready;
        await clock.advance(ms);
      },
    },
    key: sampleKeys.organization,
    close() {
      closing ??= (async () => {
        deliveries.end();
        faults.clear();
        await ready.catch(() => {});
        await tail;
        await clock.close();
        await journal?.close();
      })();
      return closing;
    },
  };
}

function withoutSlash(path: string): string {
  let end = path.length;
  while (end > 1 && path.charCodeAt(end - 1) === 0x2f) end--;
  return path.slice(0, end);
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** The organization's own pages nest their errors, the others do not. */
function isNested({ name, path }: FullOperation): boolean {
  const isOther = name === 'organizationProposalsReview' || name === 'organizationReportsList';
  return path?.startsWith('/organization') === true && !isOther;
}
