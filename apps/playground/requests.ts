import { jsonIn } from '../shared/json-text.js';

export type RequestKind = 'page' | 'health' | 'version' | 'list' | 'confirm' | 'action';

/** Full hashes by prefix. */
export type Answered = Readonly<Record<string, readonly string[]>>;

export interface LoggedRequest {
  readonly kind: RequestKind;
  readonly method: string;
  /** The URL, relative to the page or to its origin. */
  readonly path: string;
  readonly sentBytes: number;
  readonly prefixes: readonly string[];
  receivedBytes: number;
  /** `refused` while offline is simulated, `failed` without an answer, or the status of the answer. */
  outcome: number | 'pending' | 'refused' | 'failed';
  durationMs: number;
  /** Epoch time in milliseconds; 0 until then. */
  endedAtMs: number;
  /** The answer about prefixes; `null` if it is missing or malformed. */
  answered: Answered | null;
  isDone: boolean;
  /** Resolves when the whole answer has arrived or the request has failed. */
  readonly done: Promise<void>;
}

export const okStatus = 200;

/** The digits that all hashes in the requested shard start with; none for a list with one shard. */
export function shardDigitsOf(path: string): string | undefined {
  return /\/([0-9a-f]+)-[0-9a-f]+\.bin$/.exec(path)?.[1];
}

/** Older requests are dropped from the log. */
const maxKept = 200;

/** A page would have to be open for days. */
const maxQuestions = 10_000;

/** Enough for six hundred full hashes; an answer usually has one or two. */
const maxAnswerBytes = 64 * 1024;

/** Sends and logs every request of the page; refuses them while offline is simulated. */
export class Requests {
  readonly log: LoggedRequest[] = [];
  /** Those that confirm hits, the newest first. They are kept longer, because they say what a shown check has sent. */
  readonly questions: LoggedRequest[] = [];
  /** All requests so far, including those dropped from the log. */
  count = 0;
  sentBytes = 0;
  receivedBytes = 0;
  isOffline = false;
  onChange: () => void = () => {};

  /** The `fetch` for the library and the buttons. */
  readonly fetch = (url: string, init?: RequestInit): Promise<Response> => this.send(url, init, this.isOffline);

  /** For the page's own files, which the switch does not affect. */
  fetchOfPage(url: string): Promise<Response> {
    return this.send(url, {}, false);
  }

  private async send(url: string, init: RequestInit = {}, isRefused: boolean): Promise<Response> {
    const { method = 'GET', body } = init;
    const sent = typeof body === 'string' ? body : '';
    const startedMs = performance.now();
    let setDone = (): void => {};
    const done = new Promise<void>((resolve) => {
      setDone = resolve;
    });
    const request: LoggedRequest = {
      kind: kindOf(url),
      method,
      path: pathOf(url),
      sentBytes: isRefused ? 0 : new TextEncoder().encode(sent).length,
      prefixes: prefixesOf(sent),
      receivedBytes: 0,
      outcome: isRefused ? 'refused' : 'pending',
      durationMs: 0,
      endedAtMs: 0,
      answered: null,
      isDone: false,
      done,
    };
    const end = (): void => {
      request.isDone = true;
      request.durationMs = performance.now() - startedMs;
      request.endedAtMs = Date.now();
      setDone();
      this.onChange();
    };
    this.log.unshift(request);
    this.log.length = Math.min(this.log.length, maxKept);
    if (request.kind === 'confirm') this.questions.unshift(request);
    this.questions.length = Math.min(this.questions.length, maxQuestions);
    this.count++;
    this.sentBytes += request.sentBytes;
    if (isRefused) {
      end();
      throw new TypeError('offline is simulated');
    }
    this.onChange();
    try {
      const response = await fetch(url, init);
      request.outcome = response.status;
      if (response.body === null) {
        end();
        return response;
      }
      this.onChange();
      const { status, statusText, headers } = response;
      return new Response(this.counted(request, response.body, end), { status, statusText, headers });
    } catch (error) {
      request.outcome = 'failed';
      end();
      throw error;
    }
  }

  /** Passes the body on and counts its bytes, at the consumer's pace. */
  private counted(request: LoggedRequest, body: ReadableStream<Uint8Array>, end: () => void): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    const kept: Uint8Array<ArrayBuffer>[] = [];
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (done) {
            if (request.prefixes.length > 0) request.answered = await answeredIn(kept);
            end();
            controller.close();
            return;
          }
          request.receivedBytes += value.length;
          this.receivedBytes += value.length;
          if (request.prefixes.length > 0 && request.receivedBytes <= maxAnswerBytes) kept.push(new Uint8Array(value));
          controller.enqueue(value);
        } catch (error) {
          end();
          controller.error(error);
        }
      },
      cancel: (reason) => {
        end();
        return reader.cancel(reason);
      },
    });
  }
}

/** Reads only the format of the service and the relay. The library accepts others too, but the page cannot show them. */
async function answeredIn(chunks: readonly Uint8Array<ArrayBuffer>[]): Promise<Answered | null> {
  const { hashes } = Object(jsonIn(await new Blob([...chunks]).text())) as { hashes?: unknown };
  if (typeof hashes !== 'object' || hashes === null || Array.isArray(hashes)) return null;
  const isHashes = (group: unknown): boolean => Array.isArray(group) && group.every((hash) => typeof hash === 'string');
  return Object.values(hashes).every(isHashes) ? (hashes as Answered) : null;
}

function kindOf(url: string): RequestKind {
  if (/\/config\.json$/.test(url)) return 'page';
  if (/\/healthz$/.test(url)) return 'health';
  if (/\/actions\/\w+$/.test(url)) return 'action';
  if (/\/version(\.json)?$/.test(url)) return 'version';
  return /\/confirm(\/(all|[0-9a-f]+)-[0-9a-f]+\.bin)?$/.test(url) ? 'confirm' : 'list';
}

function pathOf(url: string): string {
  const folder = new URL('.', document.baseURI).href;
  if (url.startsWith(folder)) return url.slice(folder.length);
  return url.startsWith(`${location.origin}/`) ? url.slice(location.origin.length) : url;
}

function prefixesOf(body: string): readonly string[] {
  if (!body.includes('"prefixes"')) return [];
  const { prefixes } = JSON.parse(body) as { prefixes?: unknown };
  return Array.isArray(prefixes) ? prefixes.filter((prefix) => typeof prefix === 'string') : [];
}
