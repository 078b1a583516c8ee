import fc from 'fast-check';
import { type ClientEvent, type ClientOptions, createClient, createPartialClient, type WatchOptions } from 'portcullis/client';
import { assets, reports } from 'portcullis/operations';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Answer, serve } from '../../support/scripted-server.js';

type Subject = 'reports' | 'threats' | 'takedowns' | 'changelog';
type Watched = AsyncGenerator<{ id: number }, void, void>;
type Watch = (watched: string, input?: object, options?: WatchOptions) => Watched;

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

interface Watching {
  readonly service: Service;
  readonly events: ClientEvent[];
  readonly watch: Watch;
  readonly client: ReturnType<typeof createClient>;
}

/** A client of the service, without a network. */
function connect(subject: Subject, options: Partial<ClientOptions> = {}): Watching {
  const service = new Service(subject);
  const events: ClientEvent[] = [];
  const client = createClient({
    baseUrl: 'https://api.example',
    apiKey: 'k',
    retry: false,
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
  onTestFinished(() => client.close().catch(() => {}));
  return { service, events, client, watch: client.watch as unknown as Watch };
}

const poll = { pollMs: 1 };

const until = (holds: () => boolean, what: string): Promise<void> =>
  vi.waitFor(() => expect(holds(), `waited for ${what}`).toBe(true), { timeout: 30_000, interval: 1 });

/** Waits for a poll that begins after this call. */
const looked = (service: Service): Promise<void> => {
  const { looks } = service;
  return until(() => service.looks >= looks + 2, 'two looks');
};

/** Collects all items in the background. */
function reading(watched: Watched): { got: { id: number }[]; end: Promise<unknown> } {
  const got: { id: number }[] = [];
  const end = (async () => {
    for await (const item of watched) got.push(item);
    return 'ended';
  })().catch((error: unknown) => error);
  return { got, end };
}

const idsOf = (items: readonly { id: number }[]): number[] => items.map(({ id }) => id);

describe.each(names)('%s', (subject) => {
  const { maxPageSize } = subjects[subject];
  /** The changelog has no times and no pages. */
  const testPaged = subject === 'changelog' ? (): void => {} : test;

  test('that exist at the first poll are skipped, and later ones are yielded once, oldest first', async () => {
    const { service, watch, events } = connect(subject);
    for (let count = 0; count < 45; count++) service.next();
    const { got } = reading(watch(subject, {}, poll));
    await looked(service);
    expect(got).toEqual([]);
    const first = [service.next(), service.next(), service.next()];
    await looked(service);
    expect(got).toEqual(first.map((item) => service.record(item)));
    const second = [service.next(60_000)];
    await looked(service);
    await looked(service);
    expect(idsOf(got)).toEqual(idsOf([...first, ...second]));
    expect(events).toEqual([]);
  });

  test('of an empty service are yielded from the first one on', async () => {
    const { service, watch } = connect(subject);
    const { got } = reading(watch(subject, {}, poll));
    await looked(service);
    const items = [service.next(), service.next()];
    await looked(service);
    expect(idsOf(got)).toEqual(idsOf(items));
  });

  testPaged('newer than since are yielded with the first poll', async () => {
    for (const since of [new Date(startMs + 5_500), new Date(startMs + 5_500).toISOString()]) {
      const { service, watch } = connect(subject);
      for (let count = 1; count <= 150; count++) service.add(startMs + count * 1_000);
      const { got } = reading(watch(subject, {}, { ...poll, since }));
      await looked(service);
      await looked(service);
      expect(idsOf(got)).toEqual(Array.from({ length: 145 }, (_, at) => at + 6));
      service.next();
      await looked(service);
      expect(got).toHaveLength(146);
    }
  });

  test('of more than one page are all yielded, in order', async () => {
    const { service, watch } = connect(subject);
    for (let count = 0; count < 5; count++) service.next();
    const { got } = reading(watch(subject, {}, poll));
    await looked(service);
    const count = Number.isFinite(maxPageSize) ? 3 * maxPageSize + 1 : 250;
    const items = Array.from({ length: count }, () => service.next());
    await looked(service);
    await looked(service);
    expect(idsOf(got)).toEqual(idsOf(items));
  });

  test('with the same time are all yielded', async () => {
    const { service, watch } = connect(subject);
    service.next();
    const { got } = reading(watch(subject, {}, poll));
    await looked(service);
    const items = Array.from({ length: 130 }, () => service.add(startMs + 5_000));
    await looked(service);
    await looked(service);
    expect(idsOf(got)).toEqual(idsOf(items));
  });

  test.each(['network', 401, 500, 'html'] as const)(
    'missed by a failed poll (%s) come with the next one, and the failure is an event',
    async (fault) => {
      const { service, watch, events } = connect(subject);
      service.next();
      const { got } = reading(watch(subject, {}, poll));
      await looked(service);
      const items = Array.from({ length: 25 }, () => service.next());
      service.faults.push(fault, fault);
      await looked(service);
      await looked(service);
      await looked(service);
      expect(idsOf(got)).toEqual(idsOf(items));
      const code = { network: 'NETWORK', 401: 'UNAUTHORIZED', 500: 'INTERNAL_SERVER_ERROR', html: 'INVALID_RESPONSE' }[fault];
      expect(events).toMatchObject(Array(2).fill({ type: 'watch-error', watched: subject, delayMs: 1, error: { code } }));
    },
  );

  testPaged('of a poll that fails between pages are yielded once', async () => {
    const { service, watch, events } = connect(subject);
    service.next();
    const { got } = reading(watch(subject, {}, poll));
    await looked(service);
    // The next request may pass, the one after it fails: with more than a page to read, that is in the middle of a poll or between two.
    const items = Array.from({ length: 2 * maxPageSize + 3 }, () => service.next());
    const { requests } = service;
    await until(() => service.requests > requests, 'a request');
    service.faults.push(500);
    await looked(service);
    await looked(service);
    expect(idsOf(got)).toEqual(idsOf(items));
    expect(events).toHaveLength(1);
  });

  test('end with the signal, at once and without an error', async () => {
    const { service, watch, events } = connect(subject);
    service.next();
    const controller = new AbortController();
    const { got, end } = reading(watch(subject, {}, { pollMs: 2 ** 31 - 1, signal: controller.signal }));
    await until(() => service.looks === 1, 'a look');
    await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    expect(await end).toBe('ended');
    expect([got, events]).toEqual([[], []]);
    expect(service.looks).toBe(1);
  });

  test('end with the client, at once and without an error', async () => {
    const { service, watch, client, events } = connect(subject);
    const { end } = reading(watch(subject, {}, { pollMs: 2 ** 31 - 1 }));
    await until(() => service.looks === 1, 'a look');
    await client.close();
    expect(await end).toBe('ended');
    expect(events).toEqual([]);
    expect(service.looks).toBe(1);
  });

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
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(service.requests).toBe(requests);
  });

  test.each([20, -20])('are the same if the clock is %i years off', async (years) => {
    const off = years * 365 * 86_400_000;
    const dates = vi.spyOn(Date, 'now').mockReturnValue(startMs + off);
    onTestFinished(() => dates.mockRestore());
    const { service, watch, events } = connect(subject, { now: () => startMs + off });
    service.next();
    const { got } = reading(watch(subject, {}, poll));
    await looked(service);
    const items = [service.next(), service.next(86_400_000)];
    await looked(service);
    expect(idsOf(got)).toEqual(idsOf(items));
    expect(events).toEqual([]);
  });
});

test('a takedown is yielded again whenever it was updated', async () => {
  const { service, watch } = connect('takedowns');
  const old = [service.next(), service.next()];
  const { got } = reading(watch('takedowns', {}, poll));
  await looked(service);
  const expected = [service.update(old[0]!.id)];
  await looked(service);
  expected.push(service.next(), service.update(old[1]!.id));
  await looked(service);
  expected.push(service.update(old[0]!.id));
  await looked(service);
  await looked(service);
  expect(got).toEqual(expected.map((item) => service.record(item)));
});

test('two watches of one client are independent', async () => {
  const { service, watch } = connect('threats');
  const one = reading(watch('threats', {}, poll));
  const two = reading(watch('threats', {}, poll));
  await looked(service);
  await looked(service);
  const items = [service.next(), service.next()];
  await until(() => one.got.length >= 2 && two.got.length >= 2, 'both');
  await looked(service);
  await looked(service);
  expect(idsOf(one.got)).toEqual(idsOf(items));
  expect(idsOf(two.got)).toEqual(idsOf(items));
});

test('a slow consumer misses nothing', async () => {
  const { service, watch } = connect('reports');
  const watched = watch('reports', {}, poll);
  const first = watched.next();
  await looked(service);
  const items = [service.next(), service.next()];
  expect((await first).value).toEqual(service.record(items[0]!));
  for (let count = 0; count < 40; count++) items.push(service.next());
  await new Promise((resolve) => setTimeout(resolve, 10));
  for (const item of items.slice(1)) expect((await watched.next()).value).toEqual(service.record(item));
  await watched.return();
});

describe('any sequence of additions and failures', () => {
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ add: fc.integer({ min: 1, max: 30 }), apartMs: fc.constantFrom(0, 1, 1_000, 4_000_000) }),
    },
    {
      weight: 2,
      arbitrary: fc
        .constantFrom('network', 401, 500, 'html')
        .map((fault) => ({ fault: fault as 'network' | 401 | 500 | 'html' })),
    },
    { weight: 3, arbitrary: fc.constant({ look: true }) },
  );

  test.each(names)('yields all %s added after the first poll, in order and once', async (subject) => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 45 }), fc.array(step, { maxLength: 6 }), async (before, steps) => {
        const { service, watch, client } = connect(subject);
        for (let count = 0; count < before; count++) service.next();
        const { got, end } = reading(watch(subject, {}, poll));
        await looked(service);
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
  async function connectOver(script: readonly Answer[] | (() => Answer), options: Partial<ClientOptions> = {}) {
    const server = await serve(script);
    const events: ClientEvent[] = [];
    const client = createClient({
      baseUrl: server.origin,
      apiKey: 'k',
      retry: false,
      onEvent: (event) => events.push(event),
      ...options,
    });
    onTestFinished(() => client.close().catch(() => {}));
    return { server, events, client, watch: client.watch as unknown as Watch };
  }
  const errors = (events: readonly ClientEvent[]): unknown[] =>
    events.flatMap((event) => (event.type === 'watch-error' ? [event.error.code] : []));

  test('failed polls emit events, and their items are yielded later', async () => {
    const list = (...entries: number[]): Answer => ({ body: entries.map((id) => ({ id })) });
    const { watch, events, server } = await connectOver([
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
    expect(errors(events)).toEqual(['NETWORK', 'NETWORK', 'INTERNAL_SERVER_ERROR']);
    expect(server.requests).toHaveLength(5);
  });

  test('the signal ends a hanging poll without an error', async () => {
    const { watch, events, server } = await connectOver([{ fault: 'hang' }]);
    const controller = new AbortController();
    const { end } = reading(watch('changelog', {}, { ...poll, signal: controller.signal }));
    await until(() => server.requests.length === 1, 'a request');
    controller.abort();
    expect(await end).toBe('ended');
    expect(events).toEqual([]);
  });

  test('closing the client ends a hanging poll without an error', async () => {
    const { watch, events, server, client } = await connectOver([{ fault: 'hang' }]);
    const { end } = reading(watch('changelog', {}, poll));
    await until(() => server.requests.length === 1, 'a request');
    await client.close();
    expect(await end).toBe('ended');
    expect(events).toEqual([]);
  });

  test('the next poll waits for Retry-After', async () => {
    const { watch, events, server } = await connectOver([{ status: 429, headers: { 'retry-after': '60' } }]);
    const controller = new AbortController();
    const { end } = reading(watch('changelog', {}, { ...poll, signal: controller.signal }));
    await until(() => events.length === 1, 'an event');
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(server.requests).toHaveLength(1);
    expect(events).toMatchObject([{ type: 'watch-error', watched: 'changelog', delayMs: 60_000 }]);
    controller.abort();
    expect(await end).toBe('ended');
  });

  // Regression: a timer beyond 2^31 - 1 ms fires at once, so the service was called without a pause.
  test('the next poll waits for a Retry-After longer than a timer supports', async () => {
    const { watch, events, server } = await connectOver([{ status: 429, headers: { 'retry-after': '3000000' } }]);
    const controller = new AbortController();
    const { end } = reading(watch('changelog', {}, { ...poll, signal: controller.signal }));
    await until(() => events.length >= 1, 'an event');
    await new Promise((resolve) => setTimeout(resolve, 30));
    controller.abort();
    await end;
    expect(server.requests).toHaveLength(1);
  });

  test('an aborted signal or a closed client sends nothing', async () => {
    const { watch, server, client } = await connectOver([{ body: [] }]);
    expect(await watch('changelog', {}, { ...poll, signal: AbortSignal.abort() }).next()).toEqual({
      done: true,
      value: undefined,
    });
    const before = watch('changelog', {}, poll);
    await client.close();
    expect(await before.next()).toEqual({ done: true, value: undefined });
    expect(await watch('changelog', {}, poll).next()).toEqual({ done: true, value: undefined });
    expect(server.requests).toHaveLength(0);
  });

  // Regression: the second call rejected with an error of the connection pool.
  test('a client may be closed twice', async () => {
    const { client } = await connectOver([{ body: [] }]);
    await client.close();
    await client.close();
  });

  test('a changelog is the response itself or the first list in it', async () => {
    for (const wrap of [
      (list: unknown) => list,
      (list: unknown) => ({ total: 2, changes: list, other: [9] }),
      (list: unknown) => ({ changes: list }),
    ]) {
      const { watch } = await connectOver([{ body: wrap(['a']) }, { body: wrap(['c', 'b', 'a']) }] as Answer[]);
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

  test('of a subject whose group the client lacks is rejected', async () => {
    const options = { baseUrl: 'https://api.example', apiKey: 'k', fetch: async () => new Response('[]') };
    const client = createPartialClient({ assets, reports }, options);
    onTestFinished(() => client.close());
    const watch = client.watch as unknown as Watch;
    await expect(watch('threats').next()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(watch('takedowns').next()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 5);
    expect(await watch('changelog', {}, { signal: controller.signal }).next()).toEqual({ done: true, value: undefined });
  });
});

describe('items out of order', () => {
  test('that the service wrote late are yielded', async () => {
    const { service, watch } = connect('reports');
    service.next();
    const { got } = reading(watch('reports', {}, poll));
    await looked(service);
    const items = [service.next(10_000)];
    await looked(service);
    items.push(service.add(items[0]!.atMs - 5_000));
    await looked(service);
    expect(idsOf(got)).toEqual(idsOf(items));
  });

  // Regression: a poll ended at a page of known items, even if that covered only a part of its hour.
  test('that the service wrote late are yielded even if more than a page was written since', async () => {
    const { service, watch } = connect('reports');
    service.next();
    const { got } = reading(watch('reports', {}, poll));
    await looked(service);
    const items = Array.from({ length: 25 }, () => service.next(1_000));
    await looked(service);
    items.push(service.add(items[0]!.atMs - 500));
    await looked(service);
    await looked(service);
    expect(idsOf(got)).toEqual(idsOf(items));
  });

  // Regression: the newest item of the first poll was taken as the boundary between old and new.
  test('that are older than the newest of the first poll, but written after it, are yielded', async () => {
    const { service, watch } = connect('reports');
    service.next(10_000);
    const { got } = reading(watch('reports', {}, poll));
    await looked(service);
    const item = service.add(startMs + 9_000);
    await looked(service);
    expect(idsOf(got)).toEqual([item.id]);
  });

  test('that existed before and share their time with many others are not yielded', async () => {
    const { service, watch } = connect('reports');
    for (let count = 0; count < 25; count++) service.add(startMs);
    const { got } = reading(watch('reports', {}, poll));
    await looked(service);
    const items = [service.next(), service.next()];
    await looked(service);
    await looked(service);
    expect(idsOf(got)).toEqual(idsOf(items));
  });

  // Regression: the caller's sorting replaced that of the watch, so a poll ended before the new items.
  test('because of another sorting are yielded, or the input is rejected', async () => {
    const { service, watch } = connect('threats');
    for (let count = 0; count < 150; count++) service.next();
    const { got, end } = reading(watch('threats', { sorting: [{ key: 'blockedAt', direction: 'asc' }] }, poll));
    await looked(service);
    await looked(service);
    const item = service.next();
    await looked(service);
    await looked(service);
    const refused = await Promise.race([end, 'goes on']);
    if (refused === 'goes on') expect(idsOf(got)).toEqual([item.id]);
    else expect(refused).toMatchObject({ code: 'INVALID_INPUT' });
  });

  test('after an item from the far future are yielded', async () => {
    const { service, watch } = connect('reports', { now: () => startMs });
    service.next();
    const { got } = reading(watch('reports', {}, poll));
    await looked(service);
    const odd = service.add(Date.parse('2031-01-01T00:00:00Z'));
    await looked(service);
    const item = service.add(startMs + 60_000);
    await looked(service);
    await looked(service);
    expect(idsOf(got)).toEqual([odd.id, item.id]);
  });
});
