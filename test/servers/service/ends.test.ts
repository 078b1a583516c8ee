import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { readOptions } from '../../../src/core/options/read-options.js';
import { addDelivery, addScan, maxLogged } from '../../../src/servers/service/delivery/delivery-log.js';
import { serviceOf } from '../../../src/servers/service/service.js';
import { serviceKinds } from '../../../src/servers/service/service-options.js';
import type { Storage } from '../../../src/servers/service/state/commits.js';
import { JobClock } from '../../../src/servers/service/state/service-clock.js';
import { State } from '../../../src/servers/service/state/state.js';
import type { DeliveryRecord } from '../../../src/servers/service/state/state-tables.js';
import { serve } from '../../support/scripted-server.js';
import { ask, happen, headersWith, recorder, start, startMs } from './harness.js';

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'fine',
    (error: unknown) => error,
  );

describe('closing', () => {
  test('does not wait for a receiver that does not answer', async () => {
    const receiver = await serve([{ fault: 'hang' }]);
    const service = start({ now: Date.now, allowPrivateTargets: true });
    await happen(service, receiver.origin);
    await vi.waitFor(() => expect(receiver.requests).toHaveLength(1), 5_000);
    const beforeMs = performance.now();
    await service.close();
    expect(performance.now() - beforeMs).toBeLessThan(3_000);
    // A service that continues from here sends it again.
    expect(service.deliveries()).toMatchObject([{ status: 'IN_PROGRESS', attempts: [], dueMs: expect.any(Number) }]);
  });

  test('does not wait for a post option that ignores its signal', async () => {
    let signal: AbortSignal | undefined;
    const service = start({
      now: Date.now,
      post: (_url, _headers, _body, ending) => {
        signal = ending;
        return new Promise(() => {});
      },
    });
    await happen(service);
    await vi.waitFor(() => expect(signal?.aborted).toBe(false), 5_000);
    await service.close();
    expect(signal?.aborted).toBe(true);
  });

  test.each(['clear', 'close'] as const)('ends hanging and waiting requests, as does faults.clear(): %s', async (how) => {
    const service = start();
    service.faults.add({ kind: 'hang' });
    service.faults.add({ kind: 'delay', delayMs: 60_000 });
    const calls = ['/validate', '/validate'].map((path) => errorOf(service.fetch(`http://localhost${path}`)));
    await vi.waitFor(() => expect(service.requests()).toHaveLength(2));
    if (how === 'clear') service.faults.clear();
    else await service.close();
    for (const error of await Promise.all(calls)) expect(error).toMatchObject({ message: 'fetch failed' });
  });
});

describe('a change that cannot be stored', () => {
  /** A service whose storage fails on demand. */
  async function failing(post = recorder().post) {
    const disk = { isFailing: false, tries: 0 };
    const storage: Storage = {
      read: async () => false,
      close: async () => {},
      write: async () => {
        disk.tries++;
        if (disk.isFailing) throw new Error('EFBIG: file too large, write /home/robin/state');
      },
    };
    const service = serviceOf(readOptions('createService', serviceKinds(), { now: () => startMs, post }), storage);
    onTestFinished(() => service.close());
    return { service, disk };
  }

  test('is retried after a pause if it is the outcome of a delivery, and not in a busy loop', async () => {
    const { sent, post } = recorder();
    const { service, disk } = await failing(post);
    await happen(service);
    disk.isFailing = true;
    disk.tries = 0;
    await service.clock.advance(0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([disk.tries, sent.length]).toEqual([1, 0]);
    await service.clock.advance(5_000);
    expect([disk.tries, sent.length]).toEqual([6, 0]);
    disk.isFailing = false;
    await service.clock.advance(1_000);
    expect(sent).toHaveLength(1);
    expect(service.deliveries()).toMatchObject([{ status: 'SUCCESS' }]);
  });

  test('is answered with a 500 without the reason, which requests() reports', async () => {
    const { service, disk } = await failing();
    await ask(service, '/asset/check', { content: 'https://a.example/' });
    disk.isFailing = true;
    const envelope = { message: 'Internal server error', code: 'INTERNAL_SERVER_ERROR' };
    expect(await ask(service, '/asset/submit', { assets: ['https://a.example/'] })).toEqual({ status: 500, body: envelope });
    expect(await ask(service, '/organization/asset-groups', { name: 'a' })).toEqual({ status: 500, body: envelope });
    expect(service.requests().at(-1)).toMatchObject({ status: 500, error: { message: expect.stringContaining('EFBIG') } });
    disk.isFailing = false;
    expect((await ask(service, '/asset/submit', { assets: ['https://a.example/'] })).status).toBe(200);
  });
});

test('an internal failure is answered over HTTP with the same body, without the reason', async () => {
  const service = start({ random: () => 5 });
  const { url } = await service.listen();
  const response = await fetch(`${url}/webhook/config`, {
    method: 'POST',
    headers: headersWith(service.key),
    body: JSON.stringify({ url: 'https://hook.example/' }),
  });
  expect([response.status, await response.json()]).toEqual([
    500,
    { message: 'Internal server error', code: 'INTERNAL_SERVER_ERROR' },
  ]);
  expect(service.requests().at(-1)?.error).toBeInstanceOf(TypeError);
});

describe('an aborted request', () => {
  test('changes nothing and rejects with the reason if it was aborted before it was sent', async () => {
    const service = start();
    const signal = AbortSignal.abort(new Error('never mind'));
    const before = service.snapshot();
    const work = ask(service, '/asset/submit', { assets: ['https://late.example/'] }, { signal });
    expect(await errorOf(work)).toMatchObject({ message: 'never mind' });
    expect(service.snapshot()).toEqual(before);
  });

  test('changes nothing if it is aborted while its body is read', async () => {
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
    const init = { method: 'POST', headers: headersWith(service.key), body, duplex: 'half', signal: leave.signal };
    const work = errorOf(service.fetch('http://localhost/asset/submit', init as RequestInit));
    await vi.waitFor(() => expect(service.requests()).toMatchObject([{ status: null }]));
    give();
    leave.abort(new Error('never mind'));
    expect(await work).toMatchObject({ message: 'never mind' });
    expect(service.snapshot()).toEqual(before);
  });
});

test('requests() contains a request from its arrival on', async () => {
  const service = start();
  service.faults.add({ kind: 'hang' });
  void errorOf(service.fetch('http://localhost/validate'));
  await vi.waitFor(() => expect(service.requests()).toHaveLength(1));
  expect(service.requests()).toEqual([{ method: 'GET', url: '/validate', operation: 'validate', status: null, atMs: startMs }]);
});

describe('the clock', () => {
  test('cannot advance past the last date', async () => {
    const service = start();
    for (const ms of [Number.POSITIVE_INFINITY, 8.64e15])
      expect(await errorOf(service.clock.advance(ms))).toMatchObject({ code: 'INVALID_INPUT' });
    expect((await ask(service, '/asset/list', { type: 'URL' })).status).toBe(200);
  });

  test('runs jobs in order of time, and simultaneous jobs in the order they were planned', async () => {
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

describe('State.where', () => {
  test('returns the current records by id, even after an undo', () => {
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

  // Otherwise the cost of a page would be the number of reports times the number of proposals.
  test('is used for a page of reports instead of reading whole tables', async () => {
    const service = start({ data: 'empty' });
    const names = Array.from({ length: 30 }, (_, at) => `https://scam-${at}.example/`);
    for (const content of names) await ask(service, '/report/create', { assets: [{ content }] });
    const all = vi.spyOn(State.prototype, 'all');
    onTestFinished(() => all.mockRestore());
    await service.fetch('http://localhost/organization/reports?limit=20', { headers: headersWith(service.key) });
    expect(all.mock.calls.filter(([table]) => ['proposals', 'reviews', 'scans'].includes(table))).toEqual([]);
  });
});

test('a transaction returns its own edits only', () => {
  const state = new State();
  const { edits } = state.transact(() => state.add('groups', { organizationId: 1, name: 'a' }));
  state.add('groups', { organizationId: 1, name: 'b' });
  expect(edits).toMatchObject([['groups', 1, { name: 'a' }]]);
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

  test('keeps the latest ones', () => {
    const state = new State();
    for (let count = 0; count < maxLogged + 5; count++) {
      addDelivery(state, delivery(null));
      addScan(state, { assetId: 1, createdAtMs: 0, callbackUrl: null, reported: true });
    }
    expect([state.count('deliveries'), state.count('scans')]).toEqual([maxLogged, maxLogged]);
    expect(state.first('deliveries')!.id).toBeGreaterThan(1);
  });

  test('keeps unfinished ones, however old', () => {
    const state = new State();
    const waiting = addDelivery(state, delivery(5));
    for (let count = 0; count < maxLogged + 5; count++) addDelivery(state, delivery(null));
    expect(state.get('deliveries', waiting.id)).toEqual(waiting);
  });

  test('is returned as a copy', async () => {
    const service = start({ post: recorder().post });
    await happen(service);
    const [copy] = service.deliveries() as unknown as { status: string }[];
    copy!.status = 'FAILURE';
    expect(service.deliveries()[0]!.status).toBe('PENDING');
  });
});
