import fc from 'fast-check';
import * as node from 'portcullis/client';
import { assets, reports } from 'portcullis/client';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Answer } from '../../support/scripted-server.js';
import { clientAt, connect as connectOver } from './client-harness.js';

type Subject = 'reports' | 'threats' | 'takedowns' | 'changelog';
type Watched = AsyncGenerator<{ id: number }, void, void>;
type Watch = (watched: string, input?: object, options?: node.WatchOptions) => Watched;

/** For each subject its path, its list, its time field and its page size. */
const subjects = {
  reports: { path: '/organization/reports', key: 'reports', time: 'createdAt', maxPageSize: 20 },
  threats: { path: '/threats/list', key: 'threats', time: 'blockedAt', maxPageSize: 100 },
  takedowns: { path: '/takedowns/list', key: 'takedowns', time: 'updatedAt', maxPageSize: 100 },
  changelog: { path: '/asset/changelog', key: 'entries', time: 'changedAt', maxPageSize: Number.POSITIVE_INFINITY },
} as const;
const names = Object.keys(subjects) as Subject[];

const startMs = Date.parse('2026-03-01T12:00:00.000Z');

interface Item {
  readonly id: number;
  readonly atMs: number;
}

/** The service as documented: lists from a time or a day on, newest first if requested. */
class Service {
  items: Item[] = [];
  /** Failures of the next requests. */
  readonly faults: ('network' | 401 | 500 | 'html')[] = [];
  looks = 0;
  requests = 0;
  #id = 0;

  readonly subject: Subject;

  constructor(subject: Subject) {
    this.subject = subject;
  }

  add(atMs: number): Item {
    const item = { id: ++this.#id, atMs };
    this.items.push(item);
    return item;
  }

  /** Adds an item that is `afterMs` newer than all others. */
  next(afterMs = 1): Item {
    return this.add(Math.max(startMs, ...this.items.map(({ atMs }) => atMs)) + afterMs);
  }

  many(count: number, afterMs = 1): Item[] {
    return Array.from({ length: count }, () => this.next(afterMs));
  }

  update(id: number): Item {
    const item = { id, atMs: Math.max(...this.items.map(({ atMs }) => atMs)) + 1 };
    this.items = [...this.items.filter((other) => other.id !== id), item];
    return item;
  }

  answer(url: string, body: string): Answer {
    const { path, key, time } = subjects[this.subject];
    const { pathname, searchParams } = new URL(url);
    if (pathname !== path) return { status: 404 };
    const asked = (body === '' ? Object.fromEntries(searchParams) : JSON.parse(body)) as Record<string, string | undefined> & {
      sorting?: unknown;
    };
    this.requests++;
    const offset = Number(asked['cursor'] ?? asked['next_page'] ?? 0);
    if (offset === 0) this.looks++;
    const fault = this.faults.shift();
    if (fault === 'network') return { fault: 'reset' };
    if (fault === 'html') return { body: '<html>' };
    if (fault !== undefined) return { status: fault };
    const size = this.subject === 'changelog' ? this.items.length : Number(asked['limit'] ?? asked['per_page'] ?? 10);
    const fromMs = asked['startDate'] === undefined ? Number.NEGATIVE_INFINITY : Date.parse(asked['startDate']);
    const [sorting] = (asked.sorting ?? [{ key: this.subject === 'threats' ? 'id' : time, direction: 'desc' }]) as {
      key: string;
      direction: string;
    }[];
    const found = this.items
      .filter(({ atMs }) => atMs >= fromMs)
      .sort((a, b) => (sorting!.direction === 'asc' ? -1 : 1) * (b.atMs - a.atMs || b.id - a.id));
    const more = offset + size < found.length ? offset + size : null;
    const page = found.slice(offset, offset + size).map((item) => this.record(item));
    return {
      body: {
        [key]: page,
        ...(this.subject === 'reports' ? { nextCursor: more } : { next_page: more === null ? null : String(more) }),
      },
    };
  }

  record({ id, atMs }: Item): { id: number } {
    return { id, [subjects[this.subject].time]: new Date(atMs).toISOString() };
  }
}

type Fault = Service['faults'][number];

const watchOf = (client: object): Watch =>
  ((...given: unknown[]) => (node.watch as (...args: unknown[]) => unknown)(client, ...given)) as Watch;

/** A client of the service, without a network. */
function connect(subject: Subject, options: Partial<node.ClientOptions> = {}) {
  const service = new Service(subject);
  const events: node.ClientEvent[] = [];
  const { client } = clientAt(node, 'https://api.example', {
    onEvent: (event) => {
      if (event.type !== 'response-mismatch') events.push(event);
    },
    fetch: async (url: string, init?: { body?: unknown }) => {
      const { status = 200, body, fault } = service.answer(url, String(init?.body ?? ''));
      if (fault === 'reset') throw new Error('reset');
      return new Response(typeof body === 'string' ? body : JSON.stringify(body ?? {}), { status });
    },
    ...options,
  });
  return { service, events, client, watch: watchOf(client) };
}

const poll = { pollMs: 1 };
const never = { pollMs: 2 ** 31 - 1 };

const until = (holds: () => boolean, what: string): Promise<void> =>
  vi.waitFor(() => expect(holds(), `waited for ${what}`).toBe(true), { timeout: 30_000, interval: 1 });

/** Waits for polls that begin after this call. */
const looked = (service: Service, polls = 1): Promise<void> => {
  const { looks } = service;
  return until(() => service.looks > looks + polls, 'more looks');
};

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Collects all items in the background. */
function reading(watched: Watched): { got: { id: number }[]; end: Promise<unknown> } {
  const got: { id: number }[] = [];
  const end = (async () => {
    for await (const item of watched) got.push(item);
    return 'ended';
  })().catch((error: unknown) => error);
  return { got, end };
}

interface Begun {
  /** The items of the service at the first poll. */
  readonly existing?: (service: Service) => unknown;
  readonly input?: object;
  readonly watch?: node.WatchOptions;
  readonly client?: Partial<node.ClientOptions>;
}

const oneItem = (service: Service): unknown => service.next();

/** A watch that has polled once. */
async function begin(subject: Subject, { existing = oneItem, input = {}, watch = {}, client = {} }: Begun = {}) {
  const made = connect(subject, client);
  const { service } = made;
  existing(service);
  const read = reading(made.watch(subject, input, { ...poll, ...watch }));
  await looked(service);
  /** Waits for two polls, so that a repeated item would be noticed. */
  const expectYielded = async (items: readonly Item[]): Promise<void> => {
    await looked(service, 2);
    expect(read.got).toEqual(items.map((item) => service.record(item)));
  };
  return { ...made, ...read, expectYielded };
}

/** Adds items and returns them. */
type Step = (service: Service, before: readonly Item[]) => readonly Item[];

/** Expects exactly the items of the steps, which are a poll apart. */
async function expectAll(subject: Subject, steps: readonly Step[], options?: Begun): Promise<void> {
  const { service, events, got, expectYielded } = await begin(subject, options);
  expect(got).toEqual([]);
  const items: Item[] = [];
  for (const step of steps) {
    items.push(...step(service, items));
    await looked(service);
  }
  await expectYielded(items);
  expect(events).toEqual([]);
}

describe.each(names)('%s', (subject) => {
  const { maxPageSize } = subjects[subject];
  /** The changelog has no times and no pages. */
  const testPaged = subject === 'changelog' ? (): void => {} : test;

  test.each<[string, readonly Step[], Begun['existing']?]>([
    [
      'added after the first poll',
      [(service) => service.many(3), (service) => [service.next(60_000)]],
      (service) => service.many(45),
    ],
    ['of an empty service', [(service) => service.many(2)], () => {}],
    [
      'of more than one page',
      [(service) => service.many(Number.isFinite(maxPageSize) ? 3 * maxPageSize + 1 : 250)],
      (service) => service.many(5),
    ],
    ['with the same time', [(service) => Array.from({ length: 130 }, () => service.add(startMs + 5_000))]],
  ])('%s are all yielded, once and oldest first', (_, steps, existing = oneItem) => expectAll(subject, steps, { existing }));

  testPaged('newer than since are yielded with the first poll', async () => {
    for (const since of [new Date(startMs + 5_500), new Date(startMs + 5_500).toISOString()]) {
      const existing = (service: Service): unknown => service.many(150, 1_000);
      const { service, expectYielded } = await begin(subject, { existing, watch: { since } });
      const items = service.items.slice(5);
      await expectYielded(items);
      await expectYielded([...items, service.next()]);
    }
  });

  test.each(['network', 401, 500, 'html'] as const)(
    'missed by a failed poll (%s) come with the next one, and the failure is an event',
    async (fault) => {
      const { service, events, expectYielded } = await begin(subject);
      const items = service.many(25);
      service.faults.push(fault, fault);
      await looked(service);
      await expectYielded(items);
      const code = { network: 'NETWORK', 401: 'UNAUTHORIZED', 500: 'INTERNAL_SERVER_ERROR', html: 'INVALID_RESPONSE' }[fault];
      expect(events).toMatchObject(Array(2).fill({ type: 'watch-error', watched: subject, delayMs: 1, error: { code } }));
    },
  );

  testPaged('of a look that fails between pages are yielded once', async () => {
    const { service, events, expectYielded } = await begin(subject);
    // The next request may pass, the one after it fails: with more than a page to read, that is in the middle of a poll or between
    // two.
    const items = service.many(2 * maxPageSize + 3);
    const { requests } = service;
    await until(() => service.requests > requests, 'a request');
    service.faults.push(500);
    await expectYielded(items);
    expect(events).toHaveLength(1);
  });

  test.each([
    ['signal', (_, controller) => controller.abort()],
    ['client', (client) => client.close()],
  ] as [string, (client: node.Client, controller: AbortController) => unknown][])(
    'end with the %s, at once and without an error',
    async (_, stop) => {
      const { service, watch, client, events } = connect(subject);
      service.next();
      const controller = new AbortController();
      const { got, end } = reading(watch(subject, {}, { ...never, signal: controller.signal }));
      await until(() => service.looks === 1, 'a look');
      await rest(5);
      await stop(client, controller);
      expect(await end).toBe('ended');
      expect([got, events, service.looks]).toEqual([[], [], 1]);
    },
  );

  test('are not requested after a break', async () => {
    const { service, watch } = connect(subject);
    const watched = watch(subject, {}, poll);
    const run = (async () => {
      for await (const _ of watched) break;
    })();
    await looked(service);
    service.next();
    await run;
    const { requests } = service;
    await rest(20);
    expect(service.requests).toBe(requests);
  });

  test.each([20, -20])('are the same if the clock is %i years off', async (years) => {
    const nowMs = startMs + years * 365 * 86_400_000;
    const dates = vi.spyOn(Date, 'now').mockReturnValue(nowMs);
    onTestFinished(() => dates.mockRestore());
    await expectAll(subject, [(service) => [service.next(), service.next(86_400_000)]], { client: { now: () => nowMs } });
  });
});

test('a takedown is yielded again whenever it is updated', () =>
  expectAll(
    'takedowns',
    [(service) => [service.update(1)], (service) => [service.next(), service.update(2)], (service) => [service.update(1)]],
    { existing: (service) => service.many(2) },
  ));

test('two watches of one client are independent', async () => {
  const { service, watch, expectYielded } = await begin('threats', { existing: () => {} });
  const { got } = reading(watch('threats', {}, poll));
  await looked(service, 3);
  const items = service.many(2);
  await until(() => got.length >= 2, 'both');
  await looked(service, 3);
  await expectYielded(items);
  expect(got).toEqual(items.map((item) => service.record(item)));
});

test('a slow consumer misses nothing', async () => {
  const { service, watch } = connect('reports');
  const watched = watch('reports', {}, poll);
  const first = watched.next();
  await looked(service);
  const items = service.many(2);
  expect((await first).value).toEqual(service.record(items[0]!));
  items.push(...service.many(40));
  await rest(10);
  for (const item of items.slice(1)) expect((await watched.next()).value).toEqual(service.record(item));
  await watched.return();
});

describe('any sequence of additions and failures', () => {
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ add: fc.integer({ min: 1, max: 30 }), apartMs: fc.constantFrom(0, 1, 1_000, 4_000_000) }),
    },
    { weight: 2, arbitrary: fc.constantFrom<Fault[]>('network', 401, 500, 'html').map((fault) => ({ fault })) },
    { weight: 3, arbitrary: fc.constant({ look: true }) },
  );

  test.each(names)('yields all %s added after the first poll, in order and once', async (subject) => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 45 }), fc.array(step, { maxLength: 6 }), async (before, steps) => {
        const { service, client, got, end } = await begin(subject, { existing: (empty) => empty.many(before) });
        const expected: Item[] = [];
        for (const one of steps) {
          // Times never go back, and those of one batch may be the same.
          if ('add' in one)
            for (let count = 0; count < one.add; count++) expected.push(service.next(count === 0 ? 1 : one.apartMs));
          else if ('fault' in one) service.faults.push(one.fault);
          else await looked(service);
        }
        await until(() => service.faults.length === 0, 'the faults');
        await looked(service);
        await until(() => got.length >= expected.length, `${expected.length} items, not ${got.length}`);
        await looked(service);
        await client.close();
        expect(await end).toBe('ended');
        expect(got).toEqual(expected.map((item) => service.record(item)));
      }),
      { numRuns: Math.ceil((fc.readConfigureGlobal().numRuns ?? 300) / 6) },
    );
  });
});

describe('over a real connection', () => {
  async function connectReal(script: readonly Answer[]) {
    const scene = await connectOver(node, script);
    const controller = new AbortController();
    const begun = (): ReturnType<typeof reading> =>
      reading(watchOf(scene.client)('changelog', {}, { ...poll, signal: controller.signal }));
    return { ...scene, watch: watchOf(scene.client), controller, begun };
  }

  test('failed polls emit events, and their items are yielded later', async () => {
    const list = (...entries: number[]): Answer => ({ body: entries.map((id) => ({ id })) });
    const { watch, events, server } = await connectReal([
      list(1),
      { fault: 'reset' },
      { ...list(2, 1), fault: 'cut' },
      { status: 503, body: { message: 'later' } },
      list(4, 3, 2, 1),
    ]);
    const watched = watch('changelog', {}, poll);
    const got = [await watched.next(), await watched.next(), await watched.next()].map(({ value }) => value);
    await watched.return();
    expect(got).toEqual([{ id: 2 }, { id: 3 }, { id: 4 }]);
    expect(events.flatMap((event) => (event.type === 'watch-error' ? [event.error.code] : []))).toEqual([
      'NETWORK',
      'NETWORK',
      'INTERNAL_SERVER_ERROR',
    ]);
    expect(server.requests).toHaveLength(5);
  });

  test.each(['the signal', 'closing the client'])('%s ends a hanging poll without an error', async (how) => {
    const { events, server, client, controller, begun } = await connectReal([{ fault: 'hang' }]);
    const { end } = begun();
    await until(() => server.requests.length === 1, 'a request');
    if (how === 'the signal') controller.abort();
    else await client.close();
    expect(await end).toBe('ended');
    expect(events).toEqual([]);
  });

  // Regression: a timer beyond 2^31 - 1 ms fires at once, so the service was called without a pause.
  test.each([
    ['60', 60_000],
    ['3000000', 3_600_000],
  ])('the next poll waits for a Retry-After of %s s, up to an hour', async (seconds, delayMs) => {
    const { events, server, controller, begun } = await connectReal([{ status: 429, headers: { 'retry-after': seconds } }]);
    const { end } = begun();
    await until(() => events.length >= 1, 'an event');
    await rest(30);
    expect(server.requests).toHaveLength(1);
    expect(events).toMatchObject([{ type: 'watch-error', watched: 'changelog', delayMs }]);
    controller.abort();
    expect(await end).toBe('ended');
  });

  test('an aborted signal or a closed client sends nothing', async () => {
    const { watch, server, client, controller } = await connectReal([{ body: [] }]);
    const done = { done: true, value: undefined };
    controller.abort();
    expect(await watch('changelog', {}, { ...poll, signal: controller.signal }).next()).toEqual(done);
    const before = watch('changelog', {}, poll);
    await client.close();
    expect(await before.next()).toEqual(done);
    expect(await watch('changelog', {}, poll).next()).toEqual(done);
    expect(server.requests).toHaveLength(0);
  });

  test('a changelog is the response itself or the first list in it', async () => {
    for (const wrap of [
      (list: unknown) => list,
      (list: unknown) => ({ total: 2, changes: list, other: [9] }),
      (list: unknown) => ({ changes: list }),
    ]) {
      const { watch } = await connectReal([{ body: wrap(['a']) }, { body: wrap(['c', 'b', 'a']) }]);
      const watched = watch('changelog', {}, poll);
      expect([(await watched.next()).value, (await watched.next()).value]).toEqual(['b', 'c']);
      await watched.return();
    }
  });
});

describe('a watch', () => {
  test.each([
    ['with an input that the operation rejects', 'reports', { status: 'OPEN' }, {}],
    ['with a field that does not exist', 'threats', { typ: 'URL' }, {}],
    ['with an empty page', 'reports', { limit: 0 }, {}],
    ['of an unknown subject', 'assets', {}, {}],
    ['of a property that every object has', 'constructor', {}, {}],
    ['without time between polls', 'reports', {}, { pollMs: 0 }],
    ['with an invalid time', 'reports', {}, { pollMs: Number.NaN }],
    ['with a time no timer supports', 'reports', {}, { pollMs: 2 ** 31 }],
    ['since a text that is not a time', 'reports', {}, { since: 'yesterday' }],
    ['since an invalid Date', 'reports', {}, { since: new Date(Number.NaN) }],
  ])('is rejected at once: %s', async (_, watched, input, options) => {
    const { service, watch, events } = connect('reports');
    await expect(watch(watched, input, { ...poll, ...options }).next()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(service.requests).toBe(0);
    expect(events).toEqual([]);
  });

  test('is rejected if the client lacks the group of its subject', async () => {
    const options = { baseUrl: 'https://api.example', apiKey: 'k', fetch: async () => new Response('[]') };
    const client = node.createPartialClient({ assets, reports }, options);
    onTestFinished(() => client.close());
    const watch = watchOf(client);
    for (const other of ['threats', 'takedowns'])
      await expect(watch(other).next()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await watch('changelog', {}, { signal: AbortSignal.timeout(5) }).next()).toEqual({ done: true, value: undefined });
  });
});

describe('items out of order', () => {
  const late =
    (afterMs: number): Step =>
    (service) => [service.add(startMs + afterMs)];

  test.each<[string, readonly Step[], Begun?]>([
    ['that the service wrote late', [(service) => [service.next(10_000)], late(5_001)]],
    // Regression: a poll ended at a page of known items, even if that covered only a part of its hour.
    ['that the service wrote late, after more than a page', [(service) => service.many(25, 1_000), late(501)]],
    // Regression: the newest item of the first poll was taken as the boundary between old and new.
    ['that are older than the newest of the first poll', [late(9_000)], { existing: (service) => service.next(10_000) }],
    [
      'after many that existed before and share their time',
      [(service) => service.many(2)],
      { existing: (service) => Array.from({ length: 25 }, () => service.add(startMs)) },
    ],
    [
      'after one from the far future',
      [(service) => [service.add(Date.parse('2031-01-01T00:00:00Z'))], late(60_000)],
      { client: { now: () => startMs } },
    ],
  ])('%s are yielded', (_, steps, options) => expectAll('reports', steps, options));

  // Regression: the caller's sorting replaced that of the watch, so a poll ended before the new items.
  test('are yielded when the caller asks for another sorting', () => {
    const input = { sorting: [{ key: 'blockedAt', direction: 'asc' }] };
    return expectAll('threats', [(service) => [service.next()]], { existing: (service) => service.many(150), input });
  });
});
