import type { Issue, PortcullisError } from '../../core/errors.js';
import type { FetchLike } from '../../core/http/fetch.js';
import type { RetryOptions } from '../../core/http/retry.js';
import type { Method as HttpMethod, Operation, Paging } from '../operations/operation.js';
import type { OperationGroups, RowNamed, RowsOf } from '../operations/operation-groups.js';
import type * as z from '../operations/zod.js';

/** Where the API is, and how to call it. */
export interface ClientOptions {
  /** The API's address, with its version if it has one: `https://api.example/api/v2`. Used as given. */
  readonly baseUrl: string;
  /**
   * The key, or a function that returns it, called for each call. It is sent to `baseUrl` only and appears in no error and no
   * event. A relay needs none; the service answers `UNAUTHORIZED` without one.
   */
  readonly apiKey?: string | (() => string | Promise<string>);
  /** The organization, for operations that take one when the input names none. */
  readonly slug?: string;
  /** Any function in the shape of `fetch`. @default an undici agent on Node, the platform's `fetch` elsewhere */
  readonly fetch?: FetchLike;
  /** Longest time of one attempt, in milliseconds. On Node, the wait for one of the pool's connections does not count. @default 30_000 */
  readonly timeoutMs?: number;
  /** Longest time of a call with all its attempts and waits, in milliseconds. @default 120_000 */
  readonly deadlineMs?: number;
  /** How operations that are safe to repeat are retried; `false` turns retries off. @default { maxRetries: 2, delayMs: 500, maxDelayMs: 20_000 } */
  readonly retry?: RetryOptions | false;
  /** Sent with every request, in addition to the client's own. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Other routes for operations, by id: `{ metricsBlockedByFirstReportSource: 'POST /some/path' }`. A path alone keeps the method.
   */
  readonly paths?: Readonly<Record<string, string>>;
  /**
   * Which page sizes the list of reports takes. The service's document says 1 to 20 in its schema, and 1 to 100 in its text, which also
   * makes `limit` optional. @default 'schema'
   */
  readonly limits?: 'schema' | 'prose';
  /** Called with each event, for conditions worth knowing that do not fail a call. Errors it throws are ignored. */
  readonly onEvent?: (event: ClientEvent) => void;
  /** Send the key over plain `http:` to another machine. @default false */
  readonly allowInsecureHttp?: boolean;
  /** Settings of the connection pool on Node; ignored elsewhere, and if `fetch` is set. @default { maxConnections: 16, keepAliveMs: 10_000 } */
  readonly agent?: AgentOptions;
  /** The clock, in epoch milliseconds. @default Date.now */
  readonly now?: () => number;
  /** Varies the delays; returns a number from 0 to 1. @default Math.random */
  readonly random?: () => number;
}

/** The connection pool on Node. */
export interface AgentOptions {
  /** Open connections; further calls wait for one. @default 16 */
  readonly maxConnections?: number;
  /** How long an idle connection is kept, in milliseconds. @default 10_000 */
  readonly keepAliveMs?: number;
  /** Use the proxy that `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` configure. @default false */
  readonly proxyFromEnvironment?: boolean;
}

/** Options of one call. They override the client's. */
export interface CallOptions {
  /** Aborts the call, which then fails with `ABORTED`. */
  readonly signal?: AbortSignal;
  /** Longest time of one attempt, in milliseconds. */
  readonly timeoutMs?: number;
  /** Longest time of the call with all its attempts, in milliseconds. */
  readonly deadlineMs?: number;
  /**
   * Retries a write too, which the client's own `retry` does not. The service may have done what a failed attempt asked for, so a retry
   * may do it twice.
   */
  readonly retry?: RetryOptions | false;
  /** Sent in addition to the client's own. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The organization, if the input names none. */
  readonly slug?: string;
  /** Fields that the table does not know, sent unchecked with those of the input. They cannot replace one of it. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Called with the status and headers of each response, also of one that is retried. Errors it throws are ignored. */
  readonly onResponse?: (response: ResponseMeta) => void;
}

/** What a response has besides its content. Errors of a response have it too. */
export interface ResponseMeta {
  /** The HTTP status. */
  readonly status: number;
  /** By lower-case name; without cookies, and without secrets that the service repeats. */
  readonly headers: Readonly<Record<string, string>>;
  /** The header `x-request-id`, by which a service finds a request in its log. */
  readonly requestId?: string;
}

/** What `client.request(method, path, …)` sends. */
export interface RawInput {
  /** Sent in the address. */
  readonly query?: Readonly<Record<string, unknown>>;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** The content and the options of `client.request(method, path, …)`. */
export interface RawOptions extends RawInput, Omit<CallOptions, 'slug' | 'extra'> {}

/** What `client.request(method, path, …)` returns. */
export interface RawResponse extends ResponseMeta {
  /** The JSON of the response; `null` if it is empty. */
  readonly data: unknown;
}

/** An event worth knowing about that does not fail a call. */
export type ClientEvent =
  /** An attempt failed; the next one follows after `delayMs`. */
  | {
      readonly type: 'retry';
      readonly operation: string;
      readonly attempt: number;
      readonly delayMs: number;
      readonly error: PortcullisError;
    }
  /** A response differs from its documentation. The call returns it all the same. Emitted once per operation and field. */
  | { readonly type: 'response-mismatch'; readonly operation: string; readonly issues: readonly Issue[] }
  /**
   * The field by which the caller decides has a value that is not on the published list of its values. The call returns it: a program
   * should take no new value for "not listed".
   */
  | { readonly type: 'unknown-value'; readonly operation: string; readonly field: string; readonly value: string }
  /** The operation is deprecated. Emitted once per operation. */
  | { readonly type: 'deprecated'; readonly operation: string; readonly replacement: readonly string[] }
  /** The service announced the end of an operation in a header. Emitted once per operation. */
  | {
      readonly type: 'deprecation-header';
      readonly operation: string;
      /** The values of the headers; RFC 9745 and RFC 8594. */
      readonly deprecation: string | null;
      readonly sunset: string | null;
    }
  /** A poll of `watch` failed; the next one follows after `delayMs`. */
  | { readonly type: 'watch-error'; readonly watched: string; readonly delayMs: number; readonly error: PortcullisError };

/** Groups of operations; `operationGroups` has all that are known. */
export type AnyGroups = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** The values that a schema accepts: as zod infers them, but lists may be readonly. */
type Accepted<Schema> =
  Schema extends z.core.$ZodOptional<infer Inner>
    ? Accepted<Inner> | undefined
    : Schema extends z.core.$ZodNullable<infer Inner>
      ? Accepted<Inner> | null
      : Schema extends z.core.$ZodArray<infer Item>
        ? readonly Accepted<Item>[]
        : Schema extends z.core.$ZodObject<infer Shape, infer Config>
          ? Flat<AcceptedFields<Shape, never> & Others<Shape, Config>>
          : z.input<Schema & z.core.$ZodType>;

type OptionalKeys<Shape> = { [Key in keyof Shape]: Shape[Key] extends z.core.$ZodOptional ? Key : never }[keyof Shape];

/** The fields of a shape, of which `Key` names more that are optional. */
type AcceptedFields<Shape, Key> = {
  [Field in keyof Omit<Shape, OptionalKeys<Shape> | (Key & string)>]: Accepted<Shape[Field & keyof Shape]>;
} & {
  [Field in keyof Pick<Shape, (OptionalKeys<Shape> | Key) & keyof Shape>]?: Accepted<Shape[Field]> | undefined;
};

/** A loose object accepts any other field as well, and one without fields accepts none. */
type Others<Shape, Config> = Config extends { readonly in: infer More }
  ? string extends keyof More
    ? { [key: string]: unknown }
    : keyof Shape extends never
      ? Record<string, never>
      : unknown
  : unknown;

type Flat<T> = { [Key in keyof T]: T[Key] };

type InputWithout<Row extends Operation, Key> =
  Row['input'] extends z.core.$ZodObject<infer Shape, infer Config>
    ? Flat<AcceptedFields<Shape, Key> & Others<Shape, Config>>
    : never;

/** The input of an operation's method; the slug is optional because the client may have one. */
export type RowInput<Row extends Operation> = InputWithout<Row, Row['slugAs']>;
/** What an operation's method returns. */
export type RowOutput<Row extends Operation> = z.output<Row['output']>;

/** An operation as it is called, `'reports.create'`, or by its id, `'reportCreate'`. */
export type CallName =
  | { [Group in keyof OperationGroups]: `${Group}.${keyof OperationGroups[Group] & string}` }[keyof OperationGroups]
  | RowsOf<OperationGroups>['name'];

type RowOf<Call extends CallName | Operation> = Call extends Operation
  ? Call
  : Call extends `${infer Group extends keyof OperationGroups}.${infer Verb}`
    ? OperationGroups[Group][Verb & keyof OperationGroups[Group]] & Operation
    : RowNamed<OperationGroups, Call>;

/** The input of an operation: `InputOf<'reports.create'>`. */
export type InputOf<Call extends CallName | Operation> = RowInput<RowOf<Call>>;
/** What an operation returns: `OutputOf<'reports.create'>`. */
export type OutputOf<Call extends CallName | Operation> = RowOutput<RowOf<Call>>;

type PageInput<Row extends Operation> = InputWithout<Row, Row['slugAs'] | 'limit' | 'per_page'>;
type ItemOf<Row extends Operation> = Row['paging'] extends Paging
  ? RowOutput<Row> extends Record<Row['paging']['items'], readonly (infer Item)[]>
    ? Item
    : never
  : never;

/** A report, as `reports.list` returns it. */
export interface Report extends ItemOf<OperationGroups['reports']['list']> {}
/** One asset of a report, and what was decided about it. */
export type Proposal = Report['proposals'][number];
/** An asset, as `assets.search` returns it. */
export type ServiceAsset = NonNullable<OutputOf<'assets.search'>['asset']>;
/** A takedown, as `takedowns.list` returns it. */
export interface Takedown extends ItemOf<OperationGroups['takedowns']['list']> {}
/** A confirmed threat, as `detections.threatsList` returns it. */
export interface Threat extends ItemOf<OperationGroups['detections']['threatsList']> {}
/** A detection, as `detections.list` returns it. */
export interface Detection extends ItemOf<OperationGroups['detections']['list']> {}
/** A brand, as `organization.brands` returns it. */
export type Brand = OutputOf<'organization.brands'>['brands'][number];
/** An organization, as `account.userOrgs` returns it. */
export type Organization = OutputOf<'account.userOrgs'>['organizations'][number];

type Arguments<Input, Options> =
  Record<never, never> extends Input ? [input?: Input, options?: Options] : [input: Input, options?: Options];

export type Method<Row extends Operation> = (...args: Arguments<RowInput<Row>, CallOptions>) => Promise<RowOutput<Row>>;
export type PagedMethod<Row extends Operation> = (
  ...args: Arguments<PageInput<Row>, CallOptions>
) => AsyncGenerator<ItemOf<Row>, void, void>;

type GroupMethods<Rows> = { readonly [Verb in keyof Rows]: Rows[Verb] extends Operation ? Method<Rows[Verb]> : never } & {
  readonly [Verb in keyof Rows as Rows[Verb] extends { readonly paging: Paging }
    ? `${Verb & string}All`
    : never]: Rows[Verb] extends Operation ? PagedMethod<Rows[Verb]> : never;
};

/** Settings of one watch. */
export interface WatchOptions extends CallOptions {
  /** Time between two polls, in milliseconds. @default 300_000 */
  readonly pollMs?: number;
  /** Start with items newer than this. @default items added after the first poll */
  readonly since?: Date | string;
}

/** What can be watched, and the operation that each poll calls. */
interface Watchable {
  reports: OperationGroups['reports']['list'];
  threats: OperationGroups['detections']['threatsList'];
  takedowns: OperationGroups['takedowns']['list'];
  changelog: OperationGroups['assets']['changelog'];
}

/** `reports`, `threats`, `takedowns` or `changelog`. */
export type Watched = keyof Watchable;

/** The groups that a client needs for a watch. */
export type WatchGroups<Subject extends Watched> = Pick<
  OperationGroups,
  { reports: 'reports'; threats: 'detections'; takedowns: 'takedowns'; changelog: 'assets' }[Subject]
>;

/** An entry of the changelog may be anything; its shape is not published. */
export type WatchItem<Subject extends Watched> = Subject extends 'changelog' ? unknown : ItemOf<Watchable[Subject]>;
/** The input of the operation that each poll calls, without its page. */
export type WatchInput<Subject extends Watched> = PageInput<Watchable[Subject]>;

interface ClientCore<Groups> {
  /** The organization of calls that name none: the option `slug`. */
  readonly slug: string | undefined;
  /** Calls any operation by its id, for generic code. */
  request<Name extends RowsOf<Groups>['name']>(
    name: Name,
    ...args: Arguments<RowInput<RowNamed<Groups, Name>>, CallOptions>
  ): Promise<RowOutput<RowNamed<Groups, Name>>>;
  /**
   * Sends a request that the table does not have. A `GET` is retried. The query and the body are not checked; the response only for an
   * error.
   */
  request(method: HttpMethod | 'PUT', path: `/${string}`, options?: RawOptions): Promise<RawResponse>;
  /** Waits for running calls, ends watches and rejects further calls. */
  close(): Promise<void>;
}

/** A client of some groups: a method for each operation, and a second one for each list that has pages. */
export type PartialClient<Groups> = { readonly [Group in keyof Groups]: GroupMethods<Groups[Group]> } & ClientCore<Groups>;
