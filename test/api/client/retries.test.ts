import * as node from 'portcullis/client';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Answer, type ScriptedServer, serve } from '../../support/scripted-server.js';
import { connect, type Entry, enough, failed, found, platforms, promptMs, type Script, thrownBy } from './client-harness.js';

type Options = Partial<node.ClientOptions>;
type RetryEvent = Extract<node.ClientEvent, { type: 'retry' }>;

const good: Answer = { body: found };
const overloaded: Answer = { status: 503, body: { code: 'INTERNAL_SERVER_ERROR', message: 'overloaded' } };

/** Retry options without delays. */
const soon: node.RetryOptions = { maxRetries: 2, delayMs: 1 };

interface Scene {
  readonly client: node.Client;
  readonly server: ScriptedServer;
  readonly retries: RetryEvent[];
}

async function scene(entry: Entry, script: Script, options: Options = {}): Promise<Scene> {
  const { client, server, events } = await connect(entry, script, { retry: soon, ...options });
  return {
    client,
    server,
    get retries() {
      return events.filter((event): event is RetryEvent => event.type === 'retry');
    },
  };
}

const check = ({ client }: Scene, options?: node.CallOptions): Promise<unknown> =>
  client.assets.check({ content: 'scam.example' }, options);
const submit = ({ client }: Scene, options?: node.CallOptions): Promise<unknown> =>
  client.assets.submit({ assets: ['scam.example'] }, options);

async function errorOf(call: Promise<unknown>): Promise<node.PortcullisError> {
  const error = await thrownBy(() => call);
  expect(node.isPortcullisError(error)).toBe(true);
  return error;
}

/** The retry event; the call is aborted instead of waiting. */
async function announced(entry: Entry, answer: Answer, options: Options = {}): Promise<RetryEvent | undefined> {
  const ending = new AbortController();
  const events: RetryEvent[] = [];
  const made = await scene(entry, [answer, good], {
    ...options,
    onEvent: (event) => {
      if (event.type !== 'retry') return;
      events.push(event);
      ending.abort();
    },
  });
  await check(made, { signal: ending.signal }).catch(() => {});
  return events[0];
}

/** A signal that counts its listeners. */
function countedSignal(): { controller: AbortController; listeners: () => number; added: () => number } {
  const controller = new AbortController();
  const add = vi.spyOn(controller.signal, 'addEventListener');
  const remove = vi.spyOn(controller.signal, 'removeEventListener');
  const ours = ([, listener]: unknown[]): boolean => add.mock.calls.some(([, known]) => known === listener);
  return {
    controller,
    added: () => add.mock.calls.length,
    listeners: () =>
      new Set(add.mock.calls.map(([, listener]) => listener)).size -
      new Set(remove.mock.calls.filter(ours).map(([, listener]) => listener)).size,
  };
}

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const passing: [string, Answer, node.ErrorCode][] = [
  ['a connection that is reset', { fault: 'reset' }, 'NETWORK'],
  ['a response that is cut', { body: found, fault: 'cut' }, 'NETWORK'],
  ['a timeout', { fault: 'hang' }, 'TIMEOUT'],
  ['a response that stalls', { body: found, fault: 'stall' }, 'TIMEOUT'],
  ['429', { status: 429 }, 'TOO_MANY_REQUESTS'],
  ...[500, 502, 503, 504, 520].map((status): [string, Answer, node.ErrorCode] => [
    String(status),
    { status, body: '<html>' },
    'INTERNAL_SERVER_ERROR',
  ]),
];

const lasting: [string, Answer, node.ErrorCode][] = [
  ...(
    [
      [400, 'BAD_REQUEST'],
      [401, 'UNAUTHORIZED'],
      [403, 'FORBIDDEN'],
      [404, 'NOT_FOUND'],
      [408, 'UNEXPECTED_STATUS'],
      [409, 'CONFLICT'],
      [418, 'UNEXPECTED_STATUS'],
      [422, 'UNPROCESSABLE_CONTENT'],
    ] as const
  ).map(([status, code]): [string, Answer, node.ErrorCode] => [
    String(status),
    { status, headers: { 'retry-after': '0' } },
    code,
  ]),
  ['a redirect', { status: 302, headers: { location: '/' } }, 'REDIRECTED'],
  ['an empty response', { body: '' }, 'INVALID_RESPONSE'],
  ['HTML', { body: '<!doctype html>' }, 'INVALID_RESPONSE'],
  ['a response too large', { headers: { 'content-length': '99999999' }, body: found, fault: 'stall' }, 'LIMIT_EXCEEDED'],
];

/**
 * Lets the first attempt time out as soon as the server has its request, if its answer never completes. A short time limit would also end
 * attempts that a busy machine answers late.
 */
async function firstTimingOut<T>(answer: Answer, { server }: Scene, call: () => Promise<T>): Promise<T> {
  if (answer.fault !== 'hang' && answer.fault !== 'stall') return call();
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => void timers.mockRestore());
  const called = call();
  called.catch(() => {});
  await vi.waitFor(() => expect(server.requests).toHaveLength(1), promptMs);
  if (answer.fault === 'stall') {
    await vi.waitFor(() => expect(server.bytesSent()).toBeGreaterThan(0), promptMs);
    // Usually enough for the half of the response to arrive; nothing depends on it.
    await rest(20);
  }
  const limit = timers.mock.calls.find(([, delayMs]) => delayMs === attemptMs);
  timers.mockRestore();
  (limit![0] as () => void)();
  return called;
}

/** A time limit that no other timer has, and that never passes. */
const attemptMs = 61_007;

describe.each(platforms)('%s', (_, entry) => {
  describe('retries', () => {
    test.each(passing)('a read after %s', async (__, answer, code) => {
      const made = await scene(entry, [answer, good], { timeoutMs: attemptMs });
      expect(await firstTimingOut(answer, made, () => check(made))).toEqual(found);
      expect(made.server.requests).toHaveLength(2);
      expect(made.retries).toEqual([
        { type: 'retry', operation: 'assetCheck', attempt: 1, delayMs: expect.any(Number), error: failed(code) },
      ]);
      expect(made.retries[0]?.error.operation).toBe('assetCheck');
    });

    const quick = passing.filter(([, { fault }]) => fault !== 'hang' && fault !== 'stall');
    test.each(quick)('a write whose call asks for it, after %s', async (__, answer, code) => {
      const made = await scene(entry, [answer, { body: { submittedAssets: [] } }]);
      expect(await submit(made, { retry: { maxRetries: 1, delayMs: 1 } })).toEqual({ submittedAssets: [] });
      expect(made.server.requests).toHaveLength(2);
      const [first, second] = made.server.requests.map(({ body }) => body.toString());
      expect(first).toBe(second);
      expect(made.retries).toMatchObject([{ operation: 'assetSubmit', attempt: 1, error: failed(code) }]);
    });

    test('a read after a refused connection', async () => {
      const gone = await serve([]);
      await gone.close();
      const made = await scene(entry, [], { baseUrl: gone.origin });
      expect((await errorOf(check(made))).code).toBe('NETWORK');
      expect(made.retries).toHaveLength(2);
    });

    test('a write that is safe to repeat', async () => {
      const made = await scene(entry, [overloaded, { fault: 'reset' }, { body: enough }]);
      await made.client.organization.assetsUpdate({ assetId: 1, name: 'a' });
      expect(made.server.requests.map(({ method }) => method)).toEqual(['PATCH', 'PATCH', 'PATCH']);
    });

    test('with the same request and key, calling apiKey once', async () => {
      const apiKey = vi.fn(async () => `key-${apiKey.mock.calls.length}`);
      const made = await scene(entry, [overloaded, overloaded, good], { apiKey, headers: { 'x-trace': 'one' } });
      await check(made);
      const [first, ...others] = made.server.requests.map(({ method, url, body, headers }) => ({
        sent: [method, url, String(body)],
        headers: [headers['x-api-key'], headers['x-trace'], headers['content-type'], headers['content-length']],
      }));
      expect(first?.headers[0]).toBe('key-1');
      expect(others).toEqual([first, first]);
      expect(apiKey).toHaveBeenCalledTimes(1);
    });

    test('and then throws the error of the last attempt', async () => {
      const made = await scene(entry, [{ fault: 'reset' }, { status: 500 }, { status: 429 }, good]);
      expect(await errorOf(check(made))).toEqual(failed('TOO_MANY_REQUESTS', { status: 429, operation: 'assetCheck' }));
      expect(made.server.requests).toHaveLength(3);
    });

    test('twice by default', async () => {
      const made = await scene(entry, [overloaded], { retry: {}, random: () => 0 });
      await errorOf(check(made));
      expect(made.server.requests).toHaveLength(3);
    });

    test('each page separately', async () => {
      const page = { assets: [], next_page: '2' };
      const made = await scene(entry, [overloaded, overloaded, { body: page }, overloaded, overloaded, { body: { assets: [] } }]);
      for await (const asset of made.client.assets.listAll({ type: 'URL' })) expect.unreachable(JSON.stringify(asset));
      expect(made.server.requests).toHaveLength(6);
    });

    test('even if onEvent throws', async () => {
      const onEvent = (): void => {
        throw new Error('a listener');
      };
      expect(await check(await scene(entry, [overloaded, good], { onEvent }))).toEqual(found);
    });
  });

  describe('does not retry', () => {
    test.each(passing)('a write after %s, even if the client has retries', async (__, answer, code) => {
      const options = { timeoutMs: attemptMs, retry: { maxRetries: 5 } };
      const made = await scene(entry, [answer, { body: { submittedAssets: [] } }], options);
      const error = await firstTimingOut(answer, made, () => errorOf(submit(made)));
      expect(error).toEqual(failed(code, { operation: 'assetSubmit' }));
      expect(made.server.requests).toHaveLength(1);
      expect(made.retries).toEqual([]);
    });

    test.each(lasting)('a read after %s', async (__, answer, code) => {
      const made = await scene(entry, [answer, good]);
      expect((await errorOf(check(made))).code).toBe(code);
      expect(made.server.requests).toHaveLength(1);
      expect(made.retries).toEqual([]);
    });

    test('a deletion', async () => {
      const made = await scene(entry, [overloaded]);
      await errorOf(made.client.organization.assetsRemove({ assetId: 1 }));
      expect(made.server.requests).toHaveLength(1);
    });

    test.each<[string, number, Options, node.CallOptions?]>([
      ['if the client has retry: false', 1, { retry: false }],
      ['if the client has maxRetries: 0', 1, { retry: { maxRetries: 0 } }],
      ['if the call has retry: false', 1, {}, { retry: false }],
      ['if the call has maxRetries: 0', 1, {}, { retry: { maxRetries: 0 } }],
      ['more often than the call says, whatever the client says', 2, { retry: false }, { retry: { maxRetries: 1, delayMs: 1 } }],
    ])('%s', async (__, requests, options, perCall) => {
      const made = await scene(entry, [overloaded], options);
      await errorOf(check(made, perCall));
      expect(made.server.requests).toHaveLength(requests);
      expect(made.retries).toHaveLength(requests - 1);
    });
  });

  describe('the wait before a retry', () => {
    test.each([
      [1, [4, 8, 16, 20]],
      [0.5, [2, 4, 8, 10]],
      [0, [0, 0, 0, 0]],
    ])('is a random part (%d) of a delay that doubles', async (part, delays) => {
      const made = await scene(entry, [overloaded], { retry: { maxRetries: 4, delayMs: 4, maxDelayMs: 20 }, random: () => part });
      await errorOf(check(made));
      expect(made.retries.map(({ delayMs }) => delayMs)).toEqual(delays);
      expect(made.retries.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
    });

    test('is as long as its event says', async () => {
      const made = await scene(entry, [overloaded, good], { retry: { delayMs: 60 }, random: () => 1 });
      const startMs = performance.now();
      await check(made);
      // Timers may come a millisecond early.
      expect(performance.now() - startMs).toBeGreaterThan(55);
    });

    const date = 'Sun, 06 Nov 1994 08:49:37 GMT';
    const own = (delayMs: number, part = 1): Options => ({ retry: { delayMs }, random: () => part });

    test.each<[string, string, Options, number, number?]>([
      ['the seconds in', '7', {}, 7_000, 7_000],
      ['the date in', date, { now: () => Date.UTC(1994, 10, 6, 8, 49, 30) }, 7_000, 7_000],
      ['its own delay after the date in', date, own(100, 0.5), 50, 0],
      ['at least', '2', own(100), 2_000, 2_000],
      ['its own delay if that is longer than', '2', own(5_000), 5_000, 2_000],
      ['as long as maxDelayMs allows for', '21', { retry: { maxDelayMs: 60_000 } }, 21_000, 21_000],
      // Regression: `Date.parse` reads the last four as dates of 2001, so the retry followed at once.
      ...['soon', '', ' ', '1 s', '0x10', '-5', '1.5', '5, 10', 'in 5'].map(
        (value) => ['its own delay, as it cannot read', value, own(10), 10] as [string, string, Options, number],
      ),
    ])('is %s a Retry-After of %j', async (__, value, options, delayMs, retryAfterMs) => {
      for (const status of [429, 503]) {
        const event = await announced(entry, { status, headers: { 'retry-after': value } }, options);
        expect([event?.delayMs, event?.error.status, event?.error.retryAfterMs]).toEqual([delayMs, status, retryAfterMs]);
        expect('retryAfterMs' in event!.error).toBe(retryAfterMs !== undefined);
      }
    });

    test.each([
      ['seconds', '21', 21_000],
      ['a date', 'Sun, 06 Nov 1994 08:49:58 GMT', 21_000],
      ['an eternity', '99999999999999999999', 1e23],
    ])(
      'is skipped with the retry if Retry-After exceeds maxDelayMs, and the error includes it: %s',
      async (__, value, retryAfterMs) => {
        const now = (): number => Date.UTC(1994, 10, 6, 8, 49, 37);
        for (const status of [429, 503]) {
          const made = await scene(entry, [{ status, headers: { 'retry-after': value } }, good], { now });
          expect(await errorOf(check(made))).toMatchObject({ status, retryAfterMs });
          expect(made.server.requests).toHaveLength(1);
          expect(made.retries).toEqual([]);
        }
      },
    );

    test('does not happen for a write, but its error includes Retry-After too', async () => {
      const made = await scene(entry, [{ status: 429, headers: { 'retry-after': '3' } }]);
      expect(await errorOf(submit(made))).toMatchObject({ retryAfterMs: 3_000 });
    });
  });

  describe('deadlineMs', () => {
    test('ends a call that would be retried forever', async () => {
      const retry = { maxRetries: 1e9, delayMs: 5, maxDelayMs: 5 };
      const made = await scene(entry, [overloaded], { retry, deadlineMs: 100 });
      const startMs = performance.now();
      // The last attempt may have no time left for a response.
      expect((await errorOf(check(made))).code).toMatch(/^(?:INTERNAL_SERVER_ERROR|TIMEOUT)$/);
      expect(performance.now() - startMs).toBeLessThan(promptMs);
      const { length } = made.retries;
      await rest(50);
      // Each attempt but the first is announced. The request of the last one may have been cut off on its way.
      expect(made.retries).toHaveLength(length);
      expect(made.server.requests.length).toBeLessThanOrEqual(length + 1);
    });

    test.each<[string, Answer, Options, node.CallOptions?]>([
      ['ends the last attempt', { fault: 'hang' }, { deadlineMs: 100 }],
      ['set for a call overrides that of the client', { fault: 'hang' }, { deadlineMs: 600_000 }, { deadlineMs: 50 }],
      ['limits the wait for the key too', good, { apiKey: () => new Promise<string>(() => {}), deadlineMs: 50 }],
    ])('%s', async (__, answer, options, perCall) => {
      const made = await scene(entry, [answer], options);
      const startMs = performance.now();
      expect(await errorOf(check(made, perCall))).toEqual(failed('TIMEOUT'));
      expect(performance.now() - startMs).toBeLessThan(promptMs - 1_000);
      expect(made.server.requests.length).toBeLessThanOrEqual(answer.fault === undefined ? 0 : 1);
    });

    test('prevents a delay that would end after it', async () => {
      const made = await scene(entry, [{ status: 429, headers: { 'retry-after': '100' } }], {
        deadlineMs: 60_000,
        retry: { maxDelayMs: 600_000 },
      });
      const startMs = performance.now();
      expect(await errorOf(check(made))).toMatchObject({ retryAfterMs: 100_000 });
      expect(performance.now() - startMs).toBeLessThan(30_000);
    });

    test('leaves a later attempt only the remaining time', async () => {
      let timeMs = 0;
      const made = await scene(entry, [overloaded, { fault: 'hang' }], {
        deadlineMs: promptMs,
        timeoutMs: promptMs - 100,
        // The first attempt takes all but 50 ms.
        now: () => timeMs,
        random: () => {
          timeMs = promptMs - 50;
          return 0;
        },
      });
      const startMs = performance.now();
      expect(await errorOf(check(made))).toMatchObject({ code: 'TIMEOUT', message: expect.stringContaining('50 ms') });
      expect(performance.now() - startMs).toBeLessThan(promptMs);
    });
  });

  describe('an aborted signal', () => {
    const reason = new Error('enough');

    test('ends a call before anything is sent', async () => {
      const made = await scene(entry, [good]);
      expect(await errorOf(check(made, { signal: AbortSignal.abort(reason) }))).toEqual(
        failed('ABORTED', { operation: 'assetCheck' }),
      );
      expect(await errorOf(check(made, { signal: AbortSignal.abort(reason) }))).toHaveProperty('cause', reason);
      expect(made.server.connections()).toBe(0);
    });

    test.each([
      ['before a response', { fault: 'hang' }],
      ['in the middle of a response', { fault: 'stall', body: found }],
      ['in the middle of a slow answer', { fault: 'slow', body: 'x'.repeat(2_000) }],
    ] as [string, Answer][])('ends a request %s', async (__, answer) => {
      const made = await scene(entry, [answer, good]);
      const { controller, listeners } = countedSignal();
      const error = errorOf(check(made, { signal: controller.signal }));
      await vi.waitFor(() => expect(made.server.requests).toHaveLength(1), promptMs);
      await rest(20);
      const startMs = performance.now();
      controller.abort(reason);
      expect(await error).toEqual(failed('ABORTED', { operation: 'assetCheck' }));
      expect(performance.now() - startMs).toBeLessThan(promptMs);
      expect((await error).cause).toBe(reason);
      await vi.waitFor(() => expect(made.server.open()).toBe(0), promptMs);
      expect(made.server.requests).toHaveLength(1);
      expect(made.retries).toEqual([]);
      expect(listeners()).toBe(0);
    });

    test('ends the delay before a retry', async () => {
      const controller = new AbortController();
      const made = await scene(entry, [overloaded, good], {
        retry: { delayMs: 60_000, maxDelayMs: 60_000 },
        random: () => 1,
        onEvent: () => setTimeout(() => controller.abort(reason), 20),
      });
      const startMs = performance.now();
      const error = await errorOf(check(made, { signal: controller.signal }));
      expect(performance.now() - startMs).toBeLessThan(30_000);
      expect([error.code, error.cause, error.operation]).toEqual(['ABORTED', reason, 'assetCheck']);
      await rest(50);
      expect(made.server.requests).toHaveLength(1);
    });

    test('ends the call if aborted in onEvent', async () => {
      const controller = new AbortController();
      const made = await scene(entry, [overloaded, good], { onEvent: () => controller.abort(reason) });
      expect((await errorOf(check(made, { signal: controller.signal }))).code).toBe('ABORTED');
      await rest(20);
      expect(made.server.requests).toHaveLength(1);
    });

    test('ends a write', async () => {
      const made = await scene(entry, [{ fault: 'hang' }]);
      const controller = new AbortController();
      const error = errorOf(submit(made, { signal: controller.signal }));
      await vi.waitFor(() => expect(made.server.requests).toHaveLength(1), promptMs);
      controller.abort();
      expect((await error).cause).toBe(controller.signal.reason);
      expect((await error).code).toBe('ABORTED');
    });

    test('ends the call with ABORTED if it comes from AbortSignal.timeout', async () => {
      const made = await scene(entry, [{ fault: 'hang' }]);
      const error = await errorOf(check(made, { signal: AbortSignal.timeout(30) }));
      expect([error.code, (error.cause as Error).name]).toEqual(['ABORTED', 'TimeoutError']);
    });

    test('keeps no listener after a call, however it ended', async () => {
      const scripts: Answer[][] = [
        [good],
        [overloaded, { fault: 'reset' }, good],
        [overloaded],
        [{ status: 404 }],
        [{ fault: 'cut', body: found }],
        [{ status: 302 }],
        [{ body: '<' }],
        [{ fault: 'endless' }],
      ];
      for (const script of scripts) {
        const made = await scene(entry, script);
        const { controller, listeners, added } = countedSignal();
        await check(made, { signal: controller.signal }).catch(() => {});
        expect(added()).toBeGreaterThan(0);
        expect(listeners()).toBe(0);
        controller.abort();
      }
    });

    test('has no effect after the call', async () => {
      const made = await scene(entry, [good]);
      const controller = new AbortController();
      expect(await check(made, { signal: controller.signal })).toEqual(found);
      controller.abort();
      await rest(5);
      expect(await check(made)).toEqual(found);
      // The connection stays open too.
      expect(made.server.connections()).toBe(1);
    });

    test('ends the wait for the key', async () => {
      const made = await scene(entry, [good], { apiKey: () => new Promise<string>(() => {}) });
      const controller = new AbortController();
      const error = errorOf(check(made, { signal: controller.signal }));
      controller.abort(reason);
      expect(await error).toEqual(failed('ABORTED'));
    });
  });
});

test.each<node.CallOptions>([
  // Regression: with NaN the service was called without a pause until the deadline.
  { retry: { maxRetries: Number.NaN } },
  { retry: { maxRetries: -1 } },
  { retry: { delayMs: Number.NaN } },
  { retry: { delayMs: -1 } },
  { retry: { maxDelayMs: Number.NaN } },
  { timeoutMs: 0 },
  { timeoutMs: -1 },
  { timeoutMs: Number.NaN },
  { timeoutMs: Number.POSITIVE_INFINITY },
  { deadlineMs: 2 ** 31 },
  { deadlineMs: Number.NaN },
])('rejects the options %o, for the client and for one call', async (options) => {
  expect(() => node.createClient({ baseUrl: 'https://api.example', apiKey: 'k', ...options })).toThrow(
    expect.objectContaining({ code: 'INVALID_INPUT' }),
  );
  const client = node.createClient({ baseUrl: 'https://api.example', apiKey: 'k', fetch: () => expect.unreachable('sent') });
  await expect(client.assets.check({ content: 'a' }, options)).rejects.toEqual(failed('INVALID_INPUT'));
});
