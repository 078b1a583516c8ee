import { createClient } from 'portcullis/client';
import { describe, expect, test } from 'vitest';
import type { Source } from '../../../src/blocklist/model/source.js';
import { type ListSourceReport, listSource } from '../../../src/blocklist/sources/list-source.js';
import { sleep } from '../../../src/core/http/bounded.js';
import { HashSet } from '../../../src/core/prefixes/hash-set.js';
import { type Answer, serve } from '../../support/scripted-server.js';
import { codeOf, dayMs, errorOf, hexOf, key, listedBy, listening, readAll } from './harness.js';
import { answering, entryOf, noWait, type Question, type Row, source, testListFaults } from './list-operation.js';

describe('against the embedded service', () => {
  test('reads blocked and allowed assets, then changes', async () => {
    const { url } = await listening();
    const calls = createClient({ baseUrl: url, apiKey: key });
    const reports: ListSourceReport[] = [];
    const list = listSource({ baseUrl: url, apiKey: key, maxCallsPerSecond: 1_000, onReport: (report) => reports.push(report) });
    const first = await readAll(list);
    const base = first.snapshot.entries as HashSet;
    expect(hexOf(base).sort()).toEqual(
      [
        'scam-mint.example',
        'claim-airdrop.example',
        'wallet-support.test',
        'pages.example/giveaway',
        'address:0x52908400098527886e0f7030069857d2e4169ee7',
      ]
        .map(entryOf)
        .sort(),
    );
    expect(hexOf(first.snapshot.allow!).sort()).toEqual(['example.com', 'example.org'].map(entryOf).sort());
    expect(first.version).toMatchObject({
      algoVersion: 'portcullis-1',
      snapshot: { token: expect.stringMatching(/^\d{4}-\d\d-\d\d-[0-9a-f]{8}$/) },
    });

    await calls.assets.unblock({ content: 'scam-mint.example' } as never);
    const after = await readAll(listSource({ baseUrl: url, apiKey: key, maxCallsPerSecond: 1_000 }));
    expect(after.version.snapshot.token).toBe(first.version.snapshot.token);
    expect(after.version.recent!.token).not.toBe(first.version.recent!.token);
    expect(listedBy(base, after.recent!).has(entryOf('scam-mint.example'))).toBe(false);
    expect(listedBy(base, after.recent!).size).toBe(4);
    expect(reports.map(({ part, calls: count, listed, allowed }) => [part, count, listed, allowed])).toEqual([
      ['recent', 9, 5, 2],
      ['snapshot', 6, 5, 2],
    ]);
    await calls.close();
  });

  // Snapshots are read the same way: sources-faults.deep.test.ts.
  testListFaults('recent');

  test('reads JSON even if the content type is different', async () => {
    const { service, url } = await listening();
    service.faults.add({ kind: 'wrong-type', on: '/asset/list', times: 100 });
    const list = listSource({ baseUrl: url, apiKey: key, maxCallsPerSecond: 1_000 });
    expect((await readAll(list)).snapshot.entries.size).toBe(5);
  });

  test('passes on a Retry-After that is too long to wait for', async () => {
    const { service, url } = await listening();
    service.faults.add({ kind: 'rate-limit', on: '/asset/list', retryAfter: '90' });
    const error = await errorOf(listSource({ baseUrl: url, apiKey: key, sleep: noWait }).version({}));
    expect([error.code, error.retryAfterMs]).toEqual(['TOO_MANY_REQUESTS', 90_000]);
  });
});

describe('tokens', () => {
  const startMs = Date.UTC(2026, 4, 15, 12);
  const row = (content: string, status: string, updatedAtMs: number, type = 'URL'): Row => ({
    content,
    type,
    status,
    updatedAtMs,
  });

  test('stay the same after a restart, and change a day later', async () => {
    let nowMs = startMs;
    const rows = [row('a.example', 'BLOCKED', startMs - 30 * dayMs), row('b.example', 'BLOCKED', startMs - 1_000)];
    const fetch = answering(() => rows);
    const made = (): Source => source({ fetch, now: () => nowMs });
    const first = await made().version({});
    nowMs += 6 * 3_600_000;
    expect(await made().version({})).toEqual(first);
    nowMs += 6 * 3_600_000;
    const next = await made().version({});
    expect(next.snapshot.token).not.toBe(first.snapshot.token);
    expect(await source({ fetch, now: () => nowMs, types: ['URL'] }).version({})).not.toEqual(next);
  });

  test('a poll right after its artifact is answered without a request, the next one is not', async () => {
    const calls: Question[] = [];
    const rows = [row('a.example', 'BLOCKED', startMs)];
    const list = source({ fetch: answering(() => rows, calls), now: () => startMs });
    const version = await list.version({});
    await list.artifact('recent', version, {});
    const count = calls.length;
    expect(await list.version({})).toBe(version);
    expect(calls.length).toBe(count);
    rows.push(row('b.example', 'BLOCKED', startMs));
    expect((await list.version({})).recent!.token).not.toBe(version.recent!.token);
  });

  test('the recent feed starts a day before the snapshot, so that clocks may differ', async () => {
    const calls: Question[] = [];
    await readAll(source({ fetch: answering(() => [], calls), now: () => startMs, types: ['URL'] }));
    expect(calls.map(({ status, startDate }) => `${status} ${startDate}`)).toEqual([
      'BLOCKED 2026-05-14',
      'ALLOWED 2026-05-14',
      'UNKNOWN 2026-05-14',
      'BLOCKED 2000-01-01',
      'ALLOWED 2000-01-01',
    ]);
  });

  test('days without changes give the same empty feed', async () => {
    const empty = await readAll(source({ fetch: answering(() => []), now: () => startMs }));
    expect([empty.snapshot.entries.size, empty.recent!.entries.size, empty.version.recent!.count]).toEqual([0, 0, 0]);
    const later = await source({ fetch: answering(() => []), now: () => startMs + dayMs }).version({});
    expect(later.recent).toEqual(empty.version.recent);
  });
});

describe('skipped assets', () => {
  const rows = (contents: readonly [content: string, status: string, type?: string][]): Row[] =>
    contents.map(([content, status, type = 'URL']) => ({ content, status, type, updatedAtMs: Date.now() }));

  test('counts secrets, unreadable contents and shared hosts without repeating them', async () => {
    const secret = `L${'1'.repeat(51)}`;
    const reports: ListSourceReport[] = [];
    const { snapshot } = await readAll(
      source({
        fetch: answering(() =>
          rows([
            ['evil.example', 'BLOCKED'],
            [`${'abandon '.repeat(11)}about`, 'BLOCKED'],
            ['localhost', 'BLOCKED'],
            ['bit.ly', 'BLOCKED'],
            ['co.uk', 'BLOCKED'],
            ['bit.ly', 'ALLOWED'],
            ['', 'BLOCKED'],
            [secret, 'BLOCKED', 'EMAIL'],
          ]),
        ),
        isPublicSuffix: (host) => host === 'co.uk',
        types: ['URL', 'EMAIL'],
        onReport: (report) => {
          reports.push(report);
          throw new Error('a listener of no use');
        },
      }),
    );
    expect(hexOf(snapshot.entries as HashSet)).toEqual([entryOf('evil.example')]);
    expect(hexOf(snapshot.allow!)).toEqual([entryOf('bit.ly')]);
    const { skippedBy } = reports.find(({ part }) => part === 'snapshot')!;
    expect(skippedBy).toMatchObject({ secret: 2, 'shared-host': 1, 'public-suffix': 1 });
    expect(Object.values(skippedBy).reduce((sum, count) => sum + count, 0)).toBe(6);
    expect(JSON.stringify(reports)).not.toMatch(/abandon|L1111/);
  });

  test('a submission in another spelling does not lift a block', async () => {
    const blocked = rows([['linktr.ee/evil', 'BLOCKED', 'PAGE']]);
    const submitted = rows([
      ['https://linktr.ee/evil/', 'UNKNOWN', 'PAGE'],
      ['linktr.ee/evil/', 'UNKNOWN', 'PAGE'],
      ['www.linktr.ee/evil', 'UNKNOWN', 'PAGE'],
    ]);
    const { recent } = await readAll(source({ fetch: answering(() => submitted) }));
    expect(recent!.remove!.size).toBe(0);
    const all = await readAll(source({ fetch: answering(() => [...blocked, ...rows([['linktr.ee/evil', 'UNKNOWN', 'PAGE']])]) }));
    expect(listedBy(all.snapshot.entries as HashSet, all.recent!).size).toBe(1);
  });

  test("uses an asset's own type and status if the service ignores the filter, and counts a status it does not know", async () => {
    const assets = [
      { content: 'evil.example', type: 'URL', status: 'BLOCKED', updatedAt: '' },
      { content: 'good.example', type: 'URL', status: 'ALLOWED', updatedAt: '' },
      { content: 'x.example', type: 'PHONE_NUMBER', status: 'BLOCKED', updatedAt: '' },
      { content: 'y.example', type: 'URL', status: 'SOMETHING', updatedAt: '' },
      null,
      7,
    ];
    const reports: ListSourceReport[] = [];
    const onReport = (report: ListSourceReport): void => void reports.push(report);
    const types = ['URL'] as const;
    const { snapshot, recent } = await readAll(source({ fetch: async () => Response.json({ assets }), types, onReport }));
    expect(hexOf(snapshot.entries as HashSet)).toEqual([entryOf('evil.example')]);
    // Asked for twice: as BLOCKED and as ALLOWED.
    expect(reports.find(({ part }) => part === 'snapshot')!.skippedBy['unknown-status']).toBe(2);
    expect(listedBy(snapshot.entries as HashSet, recent!)).toEqual(new Set([entryOf('evil.example')]));
  });
});

describe('paging', () => {
  const nothing = (): Response => Response.json({ assets: [] });
  const asset = { content: 'evil.example', type: 'URL', status: 'BLOCKED', updatedAt: '' };

  test.each([
    ['a cursor that repeats', [{ assets: [asset], next_page: 'a' }], 'INVALID_RESPONSE'],
    ['assets that are not an array', [{ assets: 'none' }], 'INVALID_RESPONSE'],
    ['an error with status 200', [{ message: 'no' }], 'INVALID_RESPONSE'],
    ['a cursor that is an object', [{ assets: [], next_page: {} }], 'INVALID_RESPONSE'],
    ['a cursor that is too long', [{ assets: [], next_page: 'x'.repeat(5_000) }], 'INVALID_RESPONSE'],
  ] as const)('rejects %s', async (_, bodies, code) => {
    const server = await serve(bodies.map((body): Answer => ({ body })));
    expect(await codeOf(listSource({ baseUrl: server.origin, apiKey: key, sleep: noWait }).version({}))).toBe(code);
    expect(server.requests.length).toBeLessThan(5);
  });

  test('stops after maxPages pages', async () => {
    let page = 0;
    const fetch = async (): Promise<Response> => Response.json({ assets: [asset], next_page: `${++page}` });
    expect(await codeOf(source({ fetch, maxPages: 100 }).version({}))).toBe('LIMIT_EXCEEDED');
    expect(page).toBe(100);
  });

  test('spaces requests evenly and sends one at a time', async () => {
    let nowMs = 1_000_000;
    const at: number[] = [];
    let running = 0;
    const fetch = async (): Promise<Response> => {
      at.push(nowMs);
      expect(++running).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 1));
      nowMs += 30;
      running--;
      return nothing();
    };
    const sleep = async (delayMs: number): Promise<void> => {
      nowMs += delayMs;
    };
    const list = source({ fetch, sleep, now: () => nowMs });
    await Promise.all([list.version({}), list.version({})]);
    expect(at.length).toBe(18);
    expect(new Set(at.slice(1).map((time, index) => time - at[index]!))).toEqual(new Set([200]));
  });

  test('does not wait longer after the clock is set back', async () => {
    let nowMs = 1_000_000;
    const waits: number[] = [];
    const list = source({
      fetch: async () => nothing(),
      now: () => nowMs,
      sleep: async (delayMs) => void waits.push(delayMs),
    });
    await list.version({});
    nowMs -= 3_600_000;
    await list.version({});
    expect(Math.max(...waits)).toBeLessThanOrEqual(200);
  });

  test('aborts at every request', async () => {
    for (let last = 1; last <= 9; last++) {
      const stop = new AbortController();
      let calls = 0;
      const fetch = async (): Promise<Response> => {
        if (++calls === last) {
          setTimeout(() => stop.abort(), 1);
          return new Promise(() => {});
        }
        return nothing();
      };
      expect(await codeOf(source({ fetch }).version({ signal: stop.signal }))).toBe('ABORTED');
      expect(calls).toBe(last);
    }
  });

  test('aborts the wait between two requests and the wait for another caller', async () => {
    const list = source({ fetch: async () => Response.json({ assets: [] }), maxCallsPerSecond: 0.01, sleep });
    const [first, second] = [new AbortController(), new AbortController()];
    const running = codeOf(list.version({ signal: first.signal }));
    const waiting = codeOf(list.version({ signal: second.signal }));
    setTimeout(() => second.abort(), 20);
    expect(await waiting).toBe('ABORTED');
    first.abort();
    expect(await running).toBe('ABORTED');
  });

  test('an aborted caller does not affect the pace of others', async () => {
    const calls: Question[] = [];
    const list = source({ fetch: answering(() => [], calls) });
    const stop = new AbortController();
    const given = [list.version({}), list.version({ signal: stop.signal }).catch(() => null), list.version({})];
    stop.abort();
    expect((await Promise.all(given)).map((version) => version?.recent?.count)).toEqual([0, undefined, 0]);
    expect(calls.length).toBe(18);
  });
});

test('sends the key in its header only', async () => {
  const server = await serve([{ body: { assets: [] } }]);
  await listSource({ baseUrl: server.origin, apiKey: async () => key, sleep: noWait }).version({});
  expect(server.requests.length).toBe(9);
  for (const { url, headers, body } of server.requests) {
    expect([url, headers['x-api-key'], body.includes(key)]).toEqual(['/asset/list', key, false]);
  }
});

test('rejects invalid options', () => {
  expect(() => source({ types: [] })).toThrow(/types/);
  expect(() => source({ types: ['NONE' as never] })).toThrow(/types/);
  expect(() => source({ pageSize: 10_001 })).toThrow(/pageSize/);
  expect(() => source({ maxCallsPerSecond: 0 })).toThrow(/maxCallsPerSecond/);
  expect(() => source({ sharedHosts: ['//'] })).toThrow(/sharedHosts/);
});

test('rejects a version of another source', async () => {
  const version = { algoVersion: 'portcullis-1', snapshot: { token: 't' } };
  expect(await codeOf(source({}).artifact('snapshot', version, {}))).toBe('INVALID_INPUT');
  expect(HashSet.from([]).size).toBe(0);
});
