import { isPortcullisError, PortcullisError, refuse } from '../../core/errors.js';
import { bounded } from '../../core/http/bounded.js';
import { checkedHeaders } from '../../core/http/checked-headers.js';
import { keyHeader, plainCause, redactor } from '../../core/http/redact.js';
import { withRetries } from '../../core/http/retry.js';
import { send } from '../../core/http/send.js';
import { unshown } from '../operations/kinds.js';
import type { Operation } from '../operations/operation.js';
import { errorOf, resultOf } from './client-answer.js';
import { checkNumbers, checkOptions, keyOf } from './client-options.js';
import type { PlatformMaker } from './client-platform.js';
import { requestOf } from './client-request.js';
import type { CallOptions, ClientEvent, ClientOf, ClientOptions, Groups, WatchOptions } from './client-types.js';
import { mismatchesOf } from './mismatch.js';
import { itemsOf } from './pages.js';
import { changesOf, entriesOf, pollMsDefault, subjects } from './watch.js';

/** Bytes of one answer, decompressed: ten times the largest documented page, 10,000 assets. */
const answerBytesMax = 32 * 1024 * 1024;

type Input = Readonly<Record<string, unknown>>;

/** A client of the groups given. */
export function clientOf<Table extends Groups>(groups: Table, given: ClientOptions, platformOf: PlatformMaker): ClientOf<Table> {
  const rows = new Map(Object.values(groups).flatMap((group) => Object.values(group).map((row) => [row.name, row])));
  const options = checkOptions(given, rows);
  const { baseUrl, timeoutMs = 30_000, deadlineMs = 120_000, now = Date.now, random = Math.random } = options;
  const platform = platformOf(options.agent ?? {});
  const fetch = options.fetch ?? platform.fetch;
  const underWay = new Set<Promise<unknown>>();
  const watches = new Set<AbortController>();
  const told = new Set<string>();
  let closing: Promise<void> | undefined;

  function emit(event: ClientEvent): void {
    try {
      options.onEvent?.(event);
    } catch {
      // A listener is not part of the call.
    }
  }

  function emitOnce(event: ClientEvent & { operation: string }): void {
    const key = `${event.type} ${event.operation}`;
    if (!told.has(key)) {
      told.add(key);
      emit(event);
    }
  }

  function withSlug(row: Operation, input: Input, slug = options.slug): Input {
    const { slugAs } = row;
    // Several organizations named by the input stand for themselves.
    if (slugAs === null || slug === undefined || input[slugAs] !== undefined || (input['slugs'] as unknown[] | undefined)?.length)
      return input;
    return { ...input, [slugAs]: slug };
  }

  async function call(row: Operation, input: Input = {}, perCall: CallOptions = {}): Promise<unknown> {
    const headers: Record<string, string> = { accept: 'application/json', ...options.headers };
    if (typeof options.apiKey === 'string') headers[keyHeader] = options.apiKey;
    try {
      if (closing) throw new PortcullisError('CLOSED', 'the client is closed');
      if (typeof input !== 'object' || input === null) throw new TypeError('an input must be an object');
      if (perCall.signal && !perCall.signal.addEventListener) throw new TypeError('signal must be an AbortSignal');
      checkNumbers(perCall);
      Object.assign(headers, checkedHeaders(perCall.headers));
      const { signal, retry = options.retry ?? {}, deadlineMs: endMs = deadlineMs } = perCall;
      const startMs = now();
      // A file that does not come and a key that is not given must not keep the call either.
      const request = await bounded(endMs, signal, async (ended) => {
        const made = await requestOf(
          row,
          options.paths?.[row.name],
          baseUrl,
          withSlug(row, input, perCall.slug),
          platform,
          ended,
        );
        if (typeof options.apiKey === 'function') headers[keyHeader] = await keyOf(options.apiKey);
        return made;
      });
      if (row.deprecated) emitOnce({ type: 'deprecated', operation: row.name, replacement: row.replacement });
      const answer = await withRetries(
        async (attemptMs) => {
          const sent = { ...request, headers: { ...headers, ...request.headers } };
          const found = await send(sent, { fetch, timeoutMs: attemptMs, bytesMax: answerBytesMax, signal });
          if (found.status < 200 || found.status > 299) throw errorOf(found, now());
          return found;
        },
        {
          retry: retry === false || !row.repeatSafe ? { retriesMax: 0 } : retry,
          timeoutMs: perCall.timeoutMs ?? timeoutMs,
          deadlineMs: endMs - (now() - startMs),
          signal,
          now,
          random,
          onRetry: (attempt, delayMs, error) =>
            emit({ type: 'retry', operation: row.name, attempt, delayMs, error: finished(error, row, headers) }),
        },
      );
      const headerOf = (name: string): string | null => {
        const value = answer.headers.get(name);
        return value && redactor(headers)(value);
      };
      const deprecation = headerOf('deprecation');
      const sunset = headerOf('sunset');
      if ((deprecation ?? sunset) !== null) {
        emitOnce({ type: 'deprecation-header', operation: row.name, deprecation, sunset });
      }
      const value = resultOf(answer, row.output === unshown);
      const issues = options.onEvent ? mismatchesOf(row, value) : [];
      if (issues.length > 0) emit({ type: 'response-mismatch', operation: row.name, issues });
      return value;
    } catch (error) {
      throw isPortcullisError(error) ? finished(error, row, headers) : error;
    }
  }

  /** With the operation's name, and without a secret: services and libraries repeat what they were sent. */
  function finished(error: PortcullisError, row: Operation, headers: Record<string, string>): PortcullisError {
    const redact = redactor(headers);
    const { code, status, retryAfterMs, issues, assets, cause } = error;
    const each = <Item extends object>(items: readonly Item[]): Item[] =>
      items.map((item) => Object.fromEntries(Object.entries(item).map(([key, text]) => [key, redact(text)])) as Item);
    return new PortcullisError(code, redact(error.message), {
      operation: row.name,
      ...(status !== undefined && { status }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(issues && { issues: each(issues) }),
      ...(assets && { assets: each(assets) }),
      // What the caller's own signal, file and key function gave is the caller's.
      ...(cause !== undefined && {
        cause: /^(ABORTED|INVALID_INPUT|KEY_UNAVAILABLE)$/.test(code) ? cause : plainCause(cause, redact),
      }),
    });
  }

  function run(row: Operation, input?: Input, perCall?: CallOptions): Promise<unknown> {
    const work = call(row, input, perCall);
    underWay.add(work);
    const done = (): unknown => underWay.delete(work);
    work.then(done, done);
    return work;
  }

  function pages(row: Operation, input: Input = {}, perCall?: CallOptions): AsyncGenerator<unknown, void, void> {
    return itemsOf(row, input, (page) => run(row, page, perCall));
  }

  async function* watch(
    watched: string,
    input: Input = {},
    { pollMs = pollMsDefault, since, ...perCall }: WatchOptions = {},
  ): AsyncGenerator<unknown, void, void> {
    const subject = subjects.get(watched);
    const row = rows.get(subject?.operation ?? '');
    if (!subject || !row) refuse('it cannot be watched');
    checkNumbers({ pollMs, ...perCall });
    const sinceMs = since ? new Date(since).getTime() : undefined;
    if (Number.isNaN(sinceMs)) refuse('since is no time');
    const stop = new AbortController();
    const abort = (): void => stop.abort();
    perCall.signal?.addEventListener('abort', abort);
    watches.add(stop);
    if (closing || perCall.signal?.aborted) abort();
    const options = { ...perCall, signal: stop.signal };
    try {
      yield* changesOf({
        subject,
        look: async function* (from) {
          const asked = { ...input, ...subject.input, ...(from && { startDate: from }) };
          if (row.paging) yield* pages(row, asked, options);
          else yield* entriesOf(await run(row, asked, options));
        },
        now,
        sinceMs,
        pollMs,
        signal: stop.signal,
        onError: (delayMs, error) => emit({ type: 'watch-error', watched, delayMs, error }),
      });
    } finally {
      perCall.signal?.removeEventListener('abort', abort);
      watches.delete(stop);
    }
  }

  const methods = Object.entries(groups).map(([name, group]) => [
    name,
    Object.fromEntries(
      Object.entries(group).flatMap(([verb, row]) => [
        [verb, (input?: Input, perCall?: CallOptions) => run(row, input, perCall)] as const,
        ...(row.paging ? [[`${verb}All`, (input?: Input, perCall?: CallOptions) => pages(row, input, perCall)] as const] : []),
      ]),
    ),
  ]);
  return {
    ...Object.fromEntries(methods),
    request: async (name: string, input?: Input, perCall?: CallOptions) => {
      return run(rows.get(name) ?? refuse('no such operation'), input, perCall);
    },
    watch,
    close: () => {
      for (const stop of watches) stop.abort();
      closing ??= Promise.allSettled(underWay).then(() => platform.close());
      return closing;
    },
  } as ClientOf<Table>;
}
