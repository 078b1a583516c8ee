import type { Blocklist } from '../../blocklist/model/blocklist-interface.js';
import { maxTimerMs } from '../../core/http/bounded.js';
import {
  boolean,
  type Filled,
  func,
  having,
  type Kind,
  type KindsOf,
  listOf,
  optional,
  readOptions,
  recordOf,
  text,
  whole,
} from '../../core/options/read-options.js';
import { quietly } from '../http/quiet-listener.js';
import { defaultMaxBytes } from './message-bytes.js';
import type { ToolContext } from './tool.js';

/** What the tools need of a client: `createClient` makes one. */
export interface ToolClient {
  /** Calls an operation by its id. `never` admits a client whose types tie each input to its operation; any id and input are passed. */
  request(operation: never, input: never, options: { readonly signal: AbortSignal }): Promise<unknown>;
  /** The organization of calls that name none. A user who is asked about a write sees it. */
  readonly slug?: string | undefined;
  /** Called after the request that the client was made for. */
  close?(): Promise<void>;
}

/** How tools call operations by a client. */
export function contextOf(client: ToolClient | undefined): Omit<ToolContext, 'signal'> {
  const request: ToolContext['request'] =
    client && ((operation, input, signal) => client.request(operation as never, input as never, { signal }));
  return { request, slug: client?.slug };
}

/** Options of `createToolServer`. Without `client` and `clientFor` it has only local tools. */
export interface ToolServerOptions {
  /** The client of one user, for `connect` over standard input and output. */
  readonly client?: ToolClient | undefined;
  /** Makes the client of one HTTP request with the credentials of that request. */
  readonly clientFor?: ((apiKey: string) => ToolClient) | undefined;
  /** The list of the local tools. */
  readonly blocklist?: Blocklist | undefined;
  /**
   * Operations without a published route that the client has one for, as in its option `paths`. The tools of others are not offered, because they cannot work.
   */
  readonly paths?: Readonly<Record<string, string>> | undefined;
  /** Names of tools or groups, as a list or separated by commas. Narrows what is offered; it is not access control. @default all */
  readonly tools?: string | readonly string[] | undefined;
  /** Offers no tool that writes, whatever `tools` names. @default false */
  readonly readOnly?: boolean | undefined;
  /**
   * Asks the user before every write, by the host that called it; a host that cannot ask gets an error, and over HTTP every write does.
   * @default false
   */
  readonly confirmWrites?: boolean | undefined;
  /**
   * Resolves to the API key behind the credentials of a request, or to `null` if they are invalid, expired, or were issued for another
   * address than this one. It gets what is in `x-api-key` as well as bearer tokens, so it must return keys that it accepts. Without it,
   * either is taken for an API key.
   */
  readonly verifyToken?: ((token: string, url: string) => Promise<string | null>) | undefined;
  /** The address of the metadata that say where to get a token; sent with every 401. A path is one of the address that the client uses. */
  readonly resourceMetadataUrl?: string | undefined;
  /** Origins of pages that may call: `['https://app.example']`. @default none */
  readonly origins?: readonly string[] | undefined;
  /** Host names under which clients reach the server. @default the loopback names */
  readonly hosts?: readonly string[] | undefined;
  /** Gets the error behind an answer 500, which says nothing about it. It may contain what a request sent. @default none */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** The longest request body. @default 10,485,760 */
  readonly maxBodyBytes?: number | undefined;
  /** The longest time for one request, in milliseconds. @default 60,000 */
  readonly timeoutMs?: number | undefined;
  /** The longest JSON of one result, which has its value as text and as structure; whole items beyond it are left out. @default 100,000 */
  readonly maxResultChars?: number | undefined;
}

/** As long as the slowest operation takes with a retry. */
const defaultTimeoutMs = 60_000;
/** The limit that the service documents for its own tool server. */
const defaultMaxResultChars = 100_000;

type Open = 'client' | 'clientFor' | 'blocklist' | 'paths' | 'verifyToken' | 'resourceMetadataUrl';

/** Checked options, with their defaults. */
export type ToolServerSettings = Filled<ToolServerOptions, Open>;

const lowerCase = (kind: Kind<readonly string[]>): Kind<readonly string[]> => {
  return (value, path) => kind(value, path).map((one) => one.toLowerCase());
};

export const toolServerKinds = (): KindsOf<ToolServerSettings> => ({
  client: optional(having<ToolClient>('a client, such as createClient makes', 'request')),
  clientFor: optional(func),
  blocklist: optional(having<Blocklist>('a blocklist, such as createBlocklist makes', 'check')),
  paths: optional(recordOf(text("a route like 'POST /path'"))),
  tools: (value = '', path) =>
    Array.isArray(value) ? listOf(text())(value, path) : text('a string or an array of strings')(value, path),
  readOnly: optional(boolean, false),
  confirmWrites: optional(boolean, false),
  verifyToken: optional(func),
  resourceMetadataUrl: optional(text('a URL or a path', /^(https?:\/)?\/[!#-[\]-~]+$/)),
  origins: optional(lowerCase(listOf(text('an origin such as https://app.example', /^https?:\/\/[^/?#@\s]+$/))), []),
  hosts: optional(lowerCase(listOf(text())), loopbackNames),
  onError: optional(func, () => {}),
  maxBodyBytes: optional(whole(1_024, 64 * 1024 * 1024), defaultMaxBytes),
  timeoutMs: optional(whole(1, maxTimerMs), defaultTimeoutMs),
  maxResultChars: optional(whole(2_000, 10_000_000), defaultMaxResultChars),
});

/** @throws PortcullisError `INVALID_INPUT` */
export function toolServerSettings(options: ToolServerOptions): ToolServerSettings {
  const values = readOptions('createToolServer', toolServerKinds(), options);
  return { ...values, onError: quietly(values.onError) };
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];
