import { PortcullisError, refuse } from '../../core/errors.js';
import { createAuthorizationServer } from '../oauth/authorization-server.js';
import type { FetchDocument } from '../oauth/oauth-clients.js';
import { Deliveries } from './delivery/deliveries.js';
import { getBy, postBy } from './delivery/targets.js';
import { asFetchShowsIt } from './faults/fault-answers.js';
import { Faults } from './faults/faults.js';
import type { Context } from './handlers/handler-context.js';
import { keyWith } from './http/access.js';
import { answerRequest } from './http/answer-request.js';
import { provisionalPaths } from './http/router.js';
import { withoutBody } from './http/service-answer.js';
import { listingFor, publishSnapshot } from './records/service-lists.js';
import { type LoggedRequest, RequestLog } from './request-log.js';
import { type ServiceValues, setOptions, settingsOf } from './service-options.js';
import { Commits, type Storage } from './state/commits.js';
import { sample, sampleKeys } from './state/sample.js';
import { type Clock, JobClock } from './state/service-clock.js';
import { State } from './state/state.js';
import type { DeliveryRecord, Snapshot } from './state/state-tables.js';

export type { LoggedRequest } from './request-log.js';
export type { Chats, OAuthOptions, ServiceLimits, ServiceOptions } from './service-options.js';

/** How a new snapshot handled the blocked assets. */
export interface Published {
  readonly listed: number;
  /** Assets that are blocked but cannot be listed, with the reason: `type-without-rule`, `public-suffix`, `shared-host` … */
  readonly refused: readonly { readonly type: string; readonly content: string; readonly reason: string }[];
}

/** What `fetch` takes beside a request. */
export interface ServiceRequestInit extends RequestInit {
  /** The address of the client, which the sign-in limits. `listen` passes it. */
  readonly address?: string | undefined;
}

/** The service in this process, with what tests need to see and control. */
export interface Service {
  /** Answers a request in this process, as the service would over HTTP. */
  fetch(request: Request | string, init?: ServiceRequestInit): Promise<Response>;
  /** Publishes a new snapshot of the blocklist with everything that is blocked now. */
  publish(): Promise<Published>;
  /** The whole state as plain JSON, to keep or to compare. */
  snapshot(): Snapshot;
  /** Replaces the state by a snapshot. */
  restore(snapshot: Snapshot): Promise<void>;
  /** Returns to the initial state. */
  reset(): Promise<void>;
  /** The latest requests, oldest first. */
  requests(): readonly LoggedRequest[];
  /** Webhook deliveries with their attempts, oldest first. */
  deliveries(): readonly DeliveryRecord[];
  /** Sends a delivery again, as a new one. */
  replay(deliveryId: number): Promise<void>;
  readonly faults: Pick<Faults, 'add' | 'clear'>;
  readonly clock: Clock;
  /**
   * Resolves to the key behind an access token for the resource at this URL, or to `null`. A valid key is its own token. With `oauth.issuer`
   * the URL may be that of a proxy's connection: `http` with the issuer's host, or a name of this machine. An option of `createToolServer`.
   */
  verifyToken(token: string, url: string): Promise<string | null>;
  /** Routes of operations that nobody published, as proposed here: the option `paths` of a client and of a tool server. */
  readonly paths: Readonly<Record<string, string>>;
  /** A valid key of one organization; `sampleKeys` has others. */
  readonly key: string;
  /** Stops running work and keeps the state. Deliveries without a response are sent again by a service that continues from it. */
  close(): Promise<void>;
}

/** The parts of the service that a server needs. */
export interface Serving {
  /** Resolves when the state has been read, and rejects with the reason it cannot be. */
  readonly ready: Promise<void>;
  /** Responses with a socket fault that the server must carry out. */
  serve(request: Request, sender: string | undefined): Promise<Response>;
}

/** Where tools are served beside the API, so that tokens can be for them. */
const toolsPath = '/mcp';

/** A service with its state in memory, and in the storage if there is one. */
export function serviceOf(options: ServiceValues, storage?: Storage, get?: FetchDocument): Service & Serving {
  const { seed, now, data, keys, chats, random, limits, post, oauth: signIn } = options;
  const settings = settingsOf(options);
  const state = new State();
  const clock = new JobClock(now);
  const faults = new Faults();
  const log = new RequestLog(limits.requestsKept);
  const oauth =
    signIn &&
    createAuthorizationServer({
      issuer: signIn.issuer,
      trustForwardedFor: signIn.trustForwardedFor,
      resourcePaths: [toolsPath, '/'],
      isValidKey: (key) => keyWith(state, key) !== undefined,
      now: () => clock.now(),
      fetchDocument: signIn.fetchDocument ?? get ?? getBy(settings.allowPrivateTargets),
    });
  const context: Context = {
    state,
    clock,
    random: random ?? (() => state.draw()),
    settings,
    keyBehind: (text, origin) => oauth?.keyFor(text, origin) ?? text,
  };
  const commits = new Commits(state, storage, (edits) => deliveries.wake(edits));
  const deliveries = new Deliveries(context, post ?? postBy(settings.allowPrivateTargets), commit);
  let closing: Promise<void> | undefined;
  const desk = { context, commit, faults, log, isClosing: () => closing !== undefined };

  const ready = storage === undefined ? Promise.resolve(begin()) : open(storage);
  // The first caller gets the error.
  ready.catch(() => {});

  function begin(): void {
    state.seed(seed);
    sample(context, data);
    setOptions(context, { keys, chats });
  }

  async function open(kept: Storage): Promise<void> {
    if (await kept.read(state)) setOptions(context, { keys, chats });
    else begin();
    await kept.write(state).catch(async (error) => {
      await kept.close();
      throw error;
    });
    deliveries.wakeAll();
  }

  function requireOpen(): void {
    if (closing !== undefined) throw new PortcullisError('CLOSED', 'the service is closed');
  }

  async function commit<T>(work: () => T): Promise<T> {
    requireOpen();
    return commits.run(() => state.transact(work));
  }

  /** Replaces the state as a whole. */
  async function replace(change: () => void): Promise<void> {
    await ready;
    requireOpen();
    try {
      await commits.run(() => {
        const before = state.snapshot();
        change();
        clock.clear();
        deliveries.forget();
        return { result: undefined, edits: [], isChange: true, undo: () => state.restore(before) };
      });
    } finally {
      deliveries.wakeAll();
    }
  }

  async function end(): Promise<void> {
    deliveries.end();
    faults.clear();
    await ready.catch(() => {});
    await commits.settled();
    await clock.close();
    await storage?.close();
  }

  async function serve(request: Request, sender: string | undefined): Promise<Response> {
    requireOpen();
    request.signal.throwIfAborted();
    await ready;
    const response = (await oauth?.fetch(request, sender)) ?? (await answerRequest(desk, request));
    return request.method === 'HEAD' ? withoutBody(response) : response;
  }

  return {
    ready,
    serve,
    close() {
      closing ??= end();
      return closing;
    },
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
    async fetch(input, init) {
      const request = input instanceof Request && init === undefined ? input : new Request(input, init);
      // Some platforms pass an object of their own here, whose address is something else.
      const address: unknown = init?.address;
      return asFetchShowsIt(await serve(request, typeof address === 'string' ? address : undefined));
    },
    snapshot: () => state.snapshot(),
    restore: (snapshot) =>
      replace(() => {
        state.restore(snapshot);
        setOptions(context, { keys, chats });
      }),
    reset: () =>
      replace(() => {
        clock.reset();
        faults.clear();
        oauth?.clear();
        log.clear();
        state.clear();
        begin();
      }),
    requests: () => log.all(),
    deliveries: () => structuredClone(state.all('deliveries')),
    async replay(id) {
      await ready;
      if (state.get('deliveries', id) === undefined) refuse(`there is no delivery ${id}`);
      await deliveries.replay(id);
    },
    faults: { add: (fault) => faults.add(fault), clear: () => faults.clear() },
    clock: {
      now: () => clock.now(),
      async advance(ms) {
        await ready;
        await clock.advance(ms);
      },
    },
    key: sampleKeys.organization,
    paths: provisionalPaths,
    async verifyToken(token, url) {
      await ready;
      const key = oauth?.keyFor(token, url) ?? token;
      return keyWith(state, key) === undefined ? null : key;
    },
  };
}
