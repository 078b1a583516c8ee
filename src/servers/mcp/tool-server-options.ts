import type { Blocklist } from '../../blocklist/checks/blocklist-interface.js';
import { refuse } from '../../core/errors.js';
import { maxTimerMs } from '../../core/http/bounded.js';

/** What the tools need of a client: `createClient` makes one. */
export interface ToolClient {
  /** Calls an operation by its id. `never` admits a client whose types tie each input to its operation; any id and input are passed. */
  request(operation: never, input: never, options: { readonly signal: AbortSignal }): Promise<unknown>;
  /** Called after the request that the client was made for. */
  close?(): Promise<void>;
}

/** Options of `createToolServer`. Without `client` and `clientFor` it has only local tools. */
export interface ToolServerOptions {
  /** The client of one user, for `connect` over standard input and output. */
  readonly client?: ToolClient | undefined;
  /** Makes the client of one HTTP request with the credentials of that request. */
  readonly clientFor?: ((apiKey: string) => ToolClient) | undefined;
  /** The list of the local tools. */
  readonly blocklist?: Blocklist | undefined;
  /** Names of tools or groups, as a list or separated by commas. Narrows what is offered; it is not access control. @default all */
  readonly tools?: string | readonly string[] | undefined;
  /** Offers no tool that writes, whatever `tools` names. @default false */
  readonly readOnly?: boolean | undefined;
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
  /** The longest request body. @default 4,194,304 */
  readonly maxBodyBytes?: number | undefined;
  /** The longest time for one request, in milliseconds. @default 60,000 */
  readonly timeoutMs?: number | undefined;
  /** The longest JSON of one result; whole items beyond it are left out. @default 100,000 */
  readonly maxResultChars?: number | undefined;
}

/** Checked options, with their defaults. */
export interface ToolServerSettings extends ToolServerOptions {
  readonly origins: readonly string[];
  readonly hosts: readonly string[];
  readonly onError: (error: unknown) => void;
  readonly maxBodyBytes: number;
  readonly timeoutMs: number;
  readonly maxResultChars: number;
}

/** Ten files as base64 fit in no request; one screenshot does. */
const defaultMaxBodyBytes = 4 * 1024 * 1024;
/** As long as the slowest operation takes with a retry. */
const defaultTimeoutMs = 60_000;
/** The limit that the service documents for its own tool server. */
const defaultMaxResultChars = 100_000;

const numbers = {
  maxBodyBytes: [1_024, 64 * 1024 * 1024],
  timeoutMs: [1, maxTimerMs],
  maxResultChars: [2_000, 10_000_000],
} as const;

const types: Readonly<Record<keyof ToolServerOptions, string>> = {
  client: 'object',
  clientFor: 'function',
  blocklist: 'object',
  tools: 'string or list',
  readOnly: 'boolean',
  verifyToken: 'function',
  resourceMetadataUrl: 'string',
  origins: 'list',
  hosts: 'list',
  onError: 'function',
  maxBodyBytes: 'number',
  timeoutMs: 'number',
  maxResultChars: 'number',
};

/** @throws TypeError, PortcullisError `INVALID_INPUT` */
export function toolServerSettings(options: ToolServerOptions): ToolServerSettings {
  if (typeof options !== 'object' || options === null) throw new TypeError('createToolServer needs an object of options');
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(types, name)) refuse(`unknown option ${name}`);
    if (value === undefined) continue;
    const wanted = types[name as keyof ToolServerOptions];
    const type = value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;
    if (!wanted.split(' or ').includes(type)) throw new TypeError(`${name} must be a ${wanted}, not ${type}`);
  }
  for (const name of ['tools', 'origins', 'hosts'] as const) {
    const list = options[name];
    if (Array.isArray(list) && !list.every((one) => typeof one === 'string'))
      throw new TypeError(`${name} must be a list of strings`);
  }
  if (options.client !== undefined && typeof options.client.request !== 'function') {
    throw new TypeError('client must have a function request; createClient makes one');
  }
  if (options.blocklist !== undefined && typeof options.blocklist.check !== 'function') {
    throw new TypeError('blocklist must have a function check; createBlocklist makes one');
  }
  for (const [name, [least, most]] of Object.entries(numbers)) {
    const value = options[name as keyof typeof numbers];
    if (value !== undefined && !(Number.isInteger(value) && value >= least && value <= most)) {
      refuse(`${name} must be a whole number from ${least} to ${most}`);
    }
  }
  const { origins = [], hosts = loopbackNames, resourceMetadataUrl } = options;
  for (const origin of origins)
    if (!/^https?:\/\/[^/?#@\s]+$/.test(origin)) refuse("origins must look like 'https://app.example'");
  if (resourceMetadataUrl !== undefined && !/^(https?:\/)?\/[!#-[\]-~]+$/.test(resourceMetadataUrl)) {
    refuse('resourceMetadataUrl must be a URL or a path');
  }
  return {
    ...options,
    origins: origins.map((origin) => origin.toLowerCase()),
    hosts: hosts.map((host) => host.toLowerCase()),
    onError: (error) => {
      try {
        options.onError?.(error);
      } catch {
        // A listener that throws must not change the answer.
      }
    },
    maxBodyBytes: options.maxBodyBytes ?? defaultMaxBodyBytes,
    timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
    maxResultChars: options.maxResultChars ?? defaultMaxResultChars,
  };
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];
