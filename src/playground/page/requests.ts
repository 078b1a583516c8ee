import type { FetchLike } from 'portcullis/sources';

export type RequestKind = 'page' | 'version' | 'list' | 'confirm' | 'action';

export interface LoggedRequest {
  readonly kind: RequestKind;
  readonly method: string;
  /** Relative to the page. */
  readonly path: string;
  readonly sentBytes: number;
  readonly prefixes: readonly string[];
  receivedBytes: number;
  /** `refused` by the switch, `failed` on the way, or the status of the answer. */
  outcome: number | 'pending' | 'refused' | 'failed';
  durationMs: number;
  /** Full hashes that came back, by prefix. */
  answered: Readonly<Record<string, readonly string[]>> | null;
  /** Resolves when all of the answer is there. */
  done: Promise<void>;
}

/** Older ones are forgotten. */
const keptMax = 200;

/** Every request of the page: lets none out while the switch is on, and writes down what went and came. */
export class Requests {
  readonly log: LoggedRequest[] = [];
  /** Requests so far, also those that are forgotten. */
  count = 0;
  sentBytes = 0;
  receivedBytes = 0;
  isOffline = false;
  onChange: () => void = () => {};

  /** For the library and the buttons. */
  readonly fetch: FetchLike = (url: string, init?: RequestInit): Promise<Response> => this.send(url, init, this.isOffline);

  /** For a part of the page itself, which comes from its server whatever the switch says. */
  fetchOfPage(url: string): Promise<Response> {
    return this.send(url, {}, false);
  }

  private async send(url: string, init: RequestInit = {}, isRefused: boolean): Promise<Response> {
    const { method = 'GET', body } = init;
    const sent = typeof body === 'string' ? body : '';
    const startedMs = performance.now();
    const request: LoggedRequest = {
      kind: kindOf(url),
      method,
      path: pathOf(url),
      sentBytes: isRefused ? 0 : new TextEncoder().encode(sent).length,
      prefixes: prefixesOf(sent),
      receivedBytes: 0,
      outcome: isRefused ? 'refused' : 'pending',
      durationMs: 0,
      answered: null,
      done: Promise.resolve(),
    };
    this.log.unshift(request);
    this.log.length = Math.min(this.log.length, keptMax);
    this.count++;
    this.sentBytes += request.sentBytes;
    this.onChange();
    if (isRefused) throw new TypeError('the page is switched offline');
    try {
      const response = await fetch(url, init);
      request.outcome = response.status;
      request.done = this.read(request, response.clone(), startedMs);
      return response;
    } catch (error) {
      request.outcome = 'failed';
      throw error;
    } finally {
      request.durationMs = performance.now() - startedMs;
      this.onChange();
    }
  }

  private async read(request: LoggedRequest, copy: Response, startedMs: number): Promise<void> {
    try {
      const bytes = await copy.arrayBuffer();
      request.receivedBytes = bytes.byteLength;
      this.receivedBytes += bytes.byteLength;
      request.durationMs = performance.now() - startedMs;
      if (request.prefixes.length > 0) request.answered = JSON.parse(new TextDecoder().decode(bytes)).hashes ?? null;
    } catch {
      // Broken off, or no JSON: the library says what it makes of that.
    }
    this.onChange();
  }
}

function kindOf(url: string): RequestKind {
  if (/\/config\.json$/.test(url)) return 'page';
  if (/\/actions\/\w+$/.test(url)) return 'action';
  if (/\/version(\.json)?$/.test(url)) return 'version';
  return /\/confirm(\/[0-9a-f]+\.bin)?$/.test(url) ? 'confirm' : 'list';
}

function pathOf(url: string): string {
  const folder = new URL('.', document.baseURI).href;
  return url.startsWith(folder) ? url.slice(folder.length) : url;
}

function prefixesOf(body: string): readonly string[] {
  if (!body.includes('"prefixes"')) return [];
  const { prefixes } = JSON.parse(body) as { prefixes?: unknown };
  return Array.isArray(prefixes) ? prefixes.filter((prefix) => typeof prefix === 'string') : [];
}
