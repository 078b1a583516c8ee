/** An incoming request. */
export interface LoggedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** The operation it was routed to. */
  readonly operation: string | null;
  /** `null` while there is no response. */
  readonly status: number | null;
  /** When it arrived. */
  readonly atMs: number;
  /** Why it was answered with a 500; the response itself does not say. */
  readonly error?: unknown;
}

type Entry = { -readonly [Name in keyof LoggedRequest]: LoggedRequest[Name] };

/** The latest requests, oldest first. */
export class RequestLog {
  private readonly entries: Entry[] = [];
  private readonly maxEntries: number;

  constructor(maxEntries: number) {
    this.maxEntries = maxEntries;
  }

  /** The entry, to be completed once there is a response. */
  add(request: Omit<LoggedRequest, 'status'>): Entry {
    const entry = { ...request, status: null };
    this.entries.push(entry);
    if (this.entries.length > this.maxEntries) this.entries.shift();
    return entry;
  }

  clear(): void {
    this.entries.length = 0;
  }

  all(): LoggedRequest[] {
    return this.entries.map((entry) => ({ ...entry }));
  }
}
