import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createService, type ServedService, type ServerOptions } from 'portcullis/service';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { addDelivery, addScan, logMax } from '../../../src/servers/service/delivery/delivery-log.js';
import { type Journal, serviceOf } from '../../../src/servers/service/service.js';
import { fileJournal } from '../../../src/servers/service/state/file-journal.js';
import { JobClock } from '../../../src/servers/service/state/service-clock.js';
import { State } from '../../../src/servers/service/state/state.js';
import type { DeliveryRecord } from '../../../src/servers/service/state/state-tables.js';

const startMs = Date.UTC(2026, 4, 15, 12);

function start(options: ServerOptions = {}): ServedService {
  const service = createService({ now: () => startMs, ...options });
  onTestFinished(() => service.close().catch(() => {}));
  return service;
}

type Asked = Pick<ServedService, 'fetch' | 'key'>;

async function ask(service: Asked, path: string, body: object, init: RequestInit = {}) {
  const headers = { 'x-api-key': service.key };
  const response = await service.fetch(`http://localhost${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    ...init,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Something a webhook at this address hears of. */
async function happen(service: Asked, url: string): Promise<void> {
  await ask(service, '/webhook/config', { url });
  await ask(service, '/organization/assets', { assets: [{ content: 'https://mine.example/' }] });
}

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'fine',
    (error: unknown) => error,
  );

describe('closing', () => {
  // A receiver may take 15 seconds.
  test('waits for no receiver, also over a real connection', async () => {
    let asked = 0;
    const receiver = createServer(() => asked++);
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      receiver.closeAllConnections();
      receiver.close();
    });
    const service = start({ now: Date.now, allowPrivateTargets: true });
    await happen(service, `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`);
    await vi.waitFor(() => expect(asked).toBe(1), 5_000);
    const beforeMs = performance.now();
    await service.close();
    expect(performance.now() - beforeMs).toBeLessThan(3_000);
    // Not answered, so that whoever goes on from here sends it again.
    expect(service.deliveries()).toMatchObject([{ status: 'IN_PROGRESS', attempts: [], dueMs: expect.any(Number) }]);
  });

  test('waits for no post of one’s own, whatever that makes of its signal', async () => {
    let signal: AbortSignal | undefined;
    const service = start({
      now: Date.now,
      post: (_url, _headers, _body, ending) => {
        signal = ending;
        return new Promise(() => {});
      },
    });
    await happen(service, 'https://hook.example/');
    await vi.waitFor(() => expect(signal?.aborted).toBe(false), 5_000);
    await service.close();
    expect(signal?.aborted).toBe(true);
  });

  test.each(['clear', 'close'] as const)('and %s end what hangs or waits in this process', async (how) => {
    const service = start();
    service.faults.add({ kind: 'hang' });
    service.faults.add({ kind: 'delay', delayMs: 60_000 });
    const calls = ['/validate', '/validate'].map((path) => errorOf(service.fetch(`http://localhost${path}`)));
    await vi.waitFor(() => expect(service.requests()).toHaveLength(2));
    if (how === 'clear') service.faults.clear();
    else await service.close();
    for (const error of await Promise.all(calls)) expect(error).toMatchObject({ message: 'fetch failed' });
  });

  test('keeps everybody from listening after it', async () => {
    const service = start();
    await service.close();
    expect(await errorOf(service.listen())).toMatchObject({ code: 'CLOSED' });
  });
});

describe('what cannot be written down', () => {
  /** A service whose journal fails when it is told to. */
  async function failing(post: () => Promise<number>) {
    const journal = { isFailing: false, tries: 0 };
    const file: Journal = {
      read: async () => false,
      fold: async () => {},
      close: async () => {},
      write: async () => {
        journal.tries++;
        if (journal.isFailing) throw new Error('EFBIG: file too large, write /home/robin/state');
      },
    };
    const service = serviceOf({ now: () => startMs, post }, file);
    onTestFinished(() => service.close());
    return { service, journal };
  }

  test('is tried again after a pause, and never in a circle', async () => {
    let posts = 0;
    const { service, journal } = await failing(async () => {
      posts++;
      return 204;
    });
    await happen(service, 'https://hook.example/');
    journal.isFailing = true;
    journal.tries = 0;
    await service.clock.advance(0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([journal.tries, posts]).toEqual([1, 0]);
    await service.clock.advance(5_000);
    expect([journal.tries, posts]).toEqual([6, 0]);
    journal.isFailing = false;
    await service.clock.advance(1_000);
    expect(posts).toBe(1);
    expect(service.deliveries()).toMatchObject([{ status: 'SUCCESS' }]);
  });

  test('is a 500 that says no more, and tells the reason to whoever has the service', async () => {
    const { service, journal } = await failing(async () => 204);
    await ask(service, '/asset/check', { content: 'https://a.example/' });
    journal.isFailing = true;
    const envelope = { message: 'The service failed.', code: 'INTERNAL_SERVER_ERROR' };
    expect(await ask(service, '/asset/submit', { assets: ['https://a.example/'] })).toEqual({ status: 500, body: envelope });
    expect(await ask(service, '/organization/asset-groups', { name: 'a' })).toEqual({ status: 500, body: { error: envelope } });
    expect(service.requests().at(-1)).toMatchObject({ status: 500, error: { message: expect.stringContaining('EFBIG') } });
    journal.isFailing = false;
    expect((await ask(service, '/asset/submit', { assets: ['https://a.example/'] })).status).toBe(200);
  });
});

test('what fails here is the same envelope over HTTP, without a word of why', async () => {
  const service = start({ random: () => 5 });
  const { url } = await service.listen();
  const response = await fetch(`${url}/webhook/config`, {
    method: 'POST',
    headers: { 'x-api-key': service.key },
    body: JSON.stringify({ url: 'https://hook.example/' }),
  });
  expect([response.status, await response.json()]).toEqual([
    500,
    { message: 'The service failed.', code: 'INTERNAL_SERVER_ERROR' },
  ]);
  expect(service.requests().at(-1)?.error).toBeInstanceOf(TypeError);
});

describe('a request that was given up', () => {
  test('before it came changes nothing, and is rejected with the reason', async () => {
    const service = start();
    const signal = AbortSignal.abort(new Error('never mind'));
    const before = service.snapshot();
    const work = ask(service, '/asset/submit', { assets: ['https://late.example/'] }, { signal });
    expect(await errorOf(work)).toMatchObject({ message: 'never mind' });
    expect(service.snapshot()).toEqual(before);
  });

  test('while it waited for its turn changes nothing', async () => {
    const service = start();
    await service.clock.advance(0);
    const before = service.snapshot();
    const leave = new AbortController();
    let give = (): void => {};
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        give = () => {
          controller.enqueue(new TextEncoder().encode('{"assets":["https://late.example/"]}'));
          controller.close();
        };
      },
    });
    const init = { method: 'POST', headers: { 'x-api-key': service.key }, body, duplex: 'half', signal: leave.signal };
    const work = errorOf(service.fetch('http://localhost/asset/submit', init as RequestInit));
    await vi.waitFor(() => expect(service.requests()).toMatchObject([{ status: null }]));
    give();
    leave.abort(new Error('never mind'));
    expect(await work).toMatchObject({ message: 'never mind' });
    expect(service.snapshot()).toEqual(before);
  });
});

test('requests are told of from their arrival on, answered or not', async () => {
  const service = start();
  service.faults.add({ kind: 'hang' });
  void errorOf(service.fetch('http://localhost/validate'));
  await vi.waitFor(() => expect(service.requests()).toHaveLength(1));
  expect(service.requests()).toEqual([{ method: 'GET', url: '/validate', operation: 'validate', status: null, atMs: startMs }]);
});

describe('time', () => {
  test('ends where no date is later', async () => {
    const service = start();
    for (const ms of [Number.POSITIVE_INFINITY, 8.64e15])
      expect(await errorOf(service.clock.advance(ms))).toMatchObject({ code: 'INVALID_INPUT' });
    expect((await ask(service, '/asset/list', { type: 'URL' })).status).toBe(200);
  });

  test('does what is planned in its order, and what is due at once in that of planning', async () => {
    const clock = new JobClock(() => startMs);
    const done: string[] = [];
    for (const [ms, name] of [
      [5, 'c'],
      [1, 'a'],
      [9, 'e'],
      [5, 'd'],
      [1, 'b'],
    ] as const)
      clock.after(ms, () => void done.push(name));
    await clock.advance(9);
    expect(done.join('')).toBe('abcde');
  });
});

test('a state that would become too large to be kept takes no more, and all else goes on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'state-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const service = serviceOf({ data: 'empty' }, fileJournal(join(folder, 'state'), { lengthMax: 10_000 }));
  onTestFinished(() => service.close());
  const add = (name: string) => ask(service, '/organization/assets', { assets: [{ content: 'https://mine.example/', name }] });
  expect(await add('x'.repeat(20_000))).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining('10000') } },
  });
  expect(service.snapshot().tables.assets).toEqual([]);
  expect((await add('mine')).body).toMatchObject({ successCount: 1 });
});

describe('records by a field', () => {
  test('are those there are now, in the order of their ids', () => {
    const state = new State();
    const group = (organizationId: number) => state.add('groups', { organizationId, name: 'a' }).id;
    const ids = () => state.where('groups', 'organizationId', 1).map(({ id }) => id);
    const [a, , b] = [group(1), group(2), group(1)];
    expect(ids()).toEqual([a, b]);
    const { undo } = state.transact(() => {
      state.remove('groups', a);
      state.change('groups', b, { organizationId: 2 });
    });
    expect(ids()).toEqual([]);
    undo();
    expect(ids()).toEqual([a, b]);
  });

  // Otherwise a page costs as many steps as there are reports times proposals.
  test('spare a page of reports the look at all proposals for each', async () => {
    const service = start({ data: 'empty' });
    const names = Array.from({ length: 30 }, (_, at) => `https://scam-${at}.example/`);
    for (const content of names) await ask(service, '/report/create', { assets: [{ content }] });
    const all = vi.spyOn(State.prototype, 'all');
    onTestFinished(() => all.mockRestore());
    await service.fetch('http://localhost/organization/reports?limit=20', { headers: { 'x-api-key': service.key } });
    expect(all.mock.calls.filter(([table]) => ['proposals', 'reviews', 'scans'].includes(table))).toEqual([]);
  });
});

describe('changes of records', () => {
  test('are handed on of a transaction only, and not of what happens between two', () => {
    const state = new State();
    const { edits } = state.transact(() => state.add('groups', { organizationId: 1, name: 'a' }));
    state.add('groups', { organizationId: 1, name: 'b' });
    expect(edits).toMatchObject([['groups', 1, { name: 'a' }]]);
  });
});

describe('the log of deliveries and scans', () => {
  const delivery = (dueMs: number | null): Omit<DeliveryRecord, 'id'> => ({
    webhookId: 1,
    event: 'debug.test',
    body: '{}',
    status: dueMs === null ? 'SUCCESS' : 'PENDING',
    attempts: [],
    dueMs,
  });

  test('keeps the last ones', () => {
    const state = new State();
    for (let count = 0; count < logMax + 5; count++) {
      addDelivery(state, delivery(null));
      addScan(state, { assetId: 1, createdAtMs: 0, callbackUrl: null, reported: true });
    }
    expect([state.count('deliveries'), state.count('scans')]).toEqual([logMax, logMax]);
    expect(state.first('deliveries')!.id).toBeGreaterThan(1);
  });

  test('forgets nothing that is still to be done', () => {
    const state = new State();
    const waiting = addDelivery(state, delivery(5));
    for (let count = 0; count < logMax + 5; count++) addDelivery(state, delivery(null));
    expect(state.get('deliveries', waiting.id)).toEqual(waiting);
  });

  test('is told as a copy', async () => {
    const service = start({ post: async () => 204 });
    await happen(service, 'https://hook.example/');
    const [told] = service.deliveries() as unknown as { status: string }[];
    told!.status = 'FAILURE';
    expect(service.deliveries()[0]!.status).toBe('PENDING');
  });
});
