import type * as z from 'zod/mini';
import type { Issue, PortcullisError } from '../../core/errors.js';
import type { FetchLike } from '../../core/http/fetch.js';
import type { RetryOptions } from '../../core/http/retry.js';
import type { Operation, Paging } from '../operations/operation.js';

/** Where the API is, and how it is called. */
export interface ClientOptions {
  /** Where the API is, with its version if it has one: `https://api.example/api/v2`. Used as given. */
  readonly baseUrl: string;
  /**
   * The key, or a function that gives it for each call. It is sent to `baseUrl` only and appears in no error and no event. A relay needs
   * none; a service answers `UNAUTHORIZED` without.
   */
  readonly apiKey?: string | (() => string | Promise<string>);
  /** The organization calls are about, where an operation takes one and the input names none. */
  readonly slug?: string;
  /** @default the platform's: an undici agent on Node, `fetch` elsewhere */
  readonly fetch?: FetchLike;
  /** Longest time of one attempt, in milliseconds. @default 30_000 */
  readonly timeoutMs?: number;
  /** Longest time of a call with all its attempts, in milliseconds. @default 120_000 */
  readonly deadlineMs?: number;
  /** How operations that are safe to repeat are tried again; `false`: not at all. */
  readonly retry?: RetryOptions | false;
  /** Sent with every request, besides what the client sends itself. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Other routes for operations, by name: `{ metricsBlockedByFirstReportSource: 'POST /some/path' }`. A path alone keeps the verb. */
  readonly paths?: Readonly<Record<string, string>>;
  /** Called with what is worth knowing and is no error of the call. What it throws is dropped. */
  readonly onEvent?: (event: ClientEvent) => void;
  /** Send the key over plain `http:` to another machine. @default false */
  readonly allowInsecureHttp?: boolean;
  /** Settings of the agent on Node; without effect elsewhere, and with `fetch`. */
  readonly agent?: AgentOptions;
  /** @default Date.now */
  readonly now?: () => number;
  /** @default Math.random */
  readonly random?: () => number;
}

/** Connections on Node. */
export interface AgentOptions {
  /** Connections at once; further calls wait for one. @default 16 */
  readonly connectionsMax?: number;
  /** How long an idle connection is kept, in milliseconds. @default 10_000 */
  readonly keepAliveMs?: number;
  /** Go through the proxy that `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` name. @default false */
  readonly proxyFromEnvironment?: boolean;
}

/** Settings of one call, in place of the client's. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly deadlineMs?: number;
  readonly retry?: RetryOptions | false;
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of the client's. */
  readonly slug?: string;
}

/** What is worth knowing and is no error of a call. */
export type ClientEvent =
  /** An attempt failed and another follows after `delayMs`. */
  | {
      readonly type: 'retry';
      readonly operation: string;
      readonly attempt: number;
      readonly delayMs: number;
      readonly error: PortcullisError;
    }
  /** An answer is not of the documented shape. It was handed on as it came. */
  | { readonly type: 'response-mismatch'; readonly operation: string; readonly issues: readonly Issue[] }
  /** The table calls the operation deprecated. Told once. */
  | { readonly type: 'deprecated'; readonly operation: string; readonly replacement: readonly string[] }
  /** The service announced the end of an operation in a header. Told once for each operation. */
  | {
      readonly type: 'deprecation-header';
      readonly operation: string;
      /** The headers' values as sent; RFC 9745 and RFC 8594. */
      readonly deprecation: string | null;
      readonly sunset: string | null;
    }
  /** A look of `watch` failed; the next follows after `delayMs`. */
  | { readonly type: 'watch-error'; readonly watched: string; readonly delayMs: number; readonly error: PortcullisError };

/** Groups of rows, as `operations` has them. */
export type Groups = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** The keys that are written down; a loose object has all others besides. */
type Known<T> = { [Key in keyof T as string extends Key ? never : Key]: T[Key] };
type Loose<T> = string extends keyof T
  ? [T[string]] extends [never]
    ? Record<string, never>
    : { [key: string]: unknown }
  : unknown;
/** `T` with some of its fields optional. */
type Optionally<T, Key> = Omit<Known<T>, Key & string> & Partial<Pick<Known<T>, Key & keyof Known<T>>> & Loose<T>;

type Flat<T> = { [Key in keyof T]: T[Key] };

/** What a call takes: the row's input, its slug optional because the client may have one. */
export type InputOf<Row extends Operation> = Flat<Optionally<z.input<Row['input']>, Row['slugAs']>>;
/** What a call gives. */
export type OutputOf<Row extends Operation> = z.output<Row['output']>;

type PageInput<Row extends Operation> = Flat<Optionally<z.input<Row['input']>, Row['slugAs'] | 'limit' | 'per_page'>>;
type ItemOf<Row extends Operation> = Row['paging'] extends Paging
  ? OutputOf<Row> extends Record<Row['paging']['items'], readonly (infer Item)[]>
    ? Item
    : never
  : never;

type Arguments<Input, Options> =
  Record<never, never> extends Input ? [input?: Input, options?: Options] : [input: Input, options?: Options];

export type Method<Row extends Operation> = (...args: Arguments<InputOf<Row>, CallOptions>) => Promise<OutputOf<Row>>;
export type PagedMethod<Row extends Operation> = (
  ...args: Arguments<PageInput<Row>, CallOptions>
) => AsyncGenerator<ItemOf<Row>, void, void>;

type GroupMethods<Rows> = { readonly [Verb in keyof Rows]: Rows[Verb] extends Operation ? Method<Rows[Verb]> : never } & {
  readonly [Verb in keyof Rows as Rows[Verb] extends { readonly paging: Paging }
    ? `${Verb & string}All`
    : never]: Rows[Verb] extends Operation ? PagedMethod<Rows[Verb]> : never;
};

/** The rows of all groups. */
type RowsOf<Table> = { [Group in keyof Table]: Table[Group][keyof Table[Group]] }[keyof Table] & Operation;
export type RowNamed<Table, Name> = Extract<RowsOf<Table>, { readonly name: Name }>;

/** Settings of one watch. */
export interface WatchOptions extends CallOptions {
  /** Between two looks, in milliseconds. @default 300_000 */
  readonly pollMs?: number;
  /** Begin with what is newer than this. @default what comes after the first look */
  readonly since?: Date | string;
}

/** What can be watched, and the operation that is asked. */
export interface Watchable {
  reports: 'organizationReportsList';
  threats: 'threatsList';
  takedowns: 'takedownsList';
  changelog: 'assetChangelog';
}

/** An entry of the changelog; its shape is not published. */
type WatchItem<Table, Watched extends keyof Watchable> = Watched extends 'changelog'
  ? unknown
  : ItemOf<RowNamed<Table, Watchable[Watched]>>;
type WatchInput<Table, Watched extends keyof Watchable> = PageInput<RowNamed<Table, Watchable[Watched]>>;

interface ClientCore<Table> {
  /** Any operation by its name, for callers that are generic themselves. */
  request<Name extends RowsOf<Table>['name']>(
    name: Name,
    ...args: Arguments<InputOf<RowNamed<Table, Name>>, CallOptions>
  ): Promise<OutputOf<RowNamed<Table, Name>>>;
  /**
   * New reports, threats, takedowns or changelog entries, as they come, each once; a takedown comes again when it was updated. A look that fails is an event, and the next
   * one finds what it missed. Ends when the signal is aborted or the client closed.
   */
  watch<Watched extends WatchableIn<Table>>(
    watched: Watched,
    input?: WatchInput<Table, Watched>,
    options?: WatchOptions,
  ): AsyncGenerator<WatchItem<Table, Watched>, void, void>;
  /** Waits for the calls under way, ends watches and refuses further calls. */
  close(): Promise<void>;
}

/** What can be watched with the groups at hand. */
export type WatchableIn<Table> = {
  [Watched in keyof Watchable]: [RowNamed<Table, Watchable[Watched]>] extends [never] ? never : Watched;
}[keyof Watchable];

/** A client of the groups at hand: a method for each row, and one more for each row that comes in pages. */
export type ClientOf<Table> = { readonly [Group in keyof Table]: GroupMethods<Table[Group]> } & ClientCore<Table>;
