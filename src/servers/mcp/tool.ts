import type { Json } from './tool-json.js';

/** What a tool does, for the host that decides whether to ask its user. All four, because the defaults of hosts are pessimistic. */
export interface ToolHints {
  /** Changes nothing. */
  readonly readOnlyHint: boolean;
  /** Does more than add: it changes or removes what is there, or cannot be taken back. */
  readonly destructiveHint: boolean;
  /** Repeating it has no further effect. */
  readonly idempotentHint: boolean;
  /** Can reach a service. */
  readonly openWorldHint: boolean;
}

/** One tool as a host sees it. */
export interface ToolDescription {
  /** Its name, such as `asset_check`. */
  readonly name: string;
  /** What it does, and when to call it. */
  readonly description: string;
  /** The JSON Schema of its arguments: an object without alternatives at its top. */
  readonly inputSchema: Json;
  /** What it does to its surroundings. */
  readonly annotations: ToolHints;
}

/** What a call can use. */
export interface ToolContext {
  /** Calls one operation with the credentials of this request. */
  readonly request: ((operation: string, input: Json, signal: AbortSignal) => Promise<unknown>) | undefined;
  /** The organization of calls that name none. */
  readonly slug: string | undefined;
  /** Aborted when the client is gone or the time is up. */
  readonly signal: AbortSignal;
}

/** A tool with its implementation. */
export interface Tool {
  readonly description: ToolDescription;
  /** The group of the table, or `local`. */
  readonly group: string;
  /**
   * The arguments as they are used: a model may have written a list as JSON in a text.
   *
   * @param slug The organization of a call that names none
   * @throws PortcullisError
   */
  read(given: unknown, slug?: string): Json;
  /** What a user who agrees to a call sees of its arguments. @default all */
  shown?(input: Json): unknown;
  /** @throws PortcullisError, TypeError for unusable arguments */
  run(input: Json, context: ToolContext): Promise<unknown>;
}
