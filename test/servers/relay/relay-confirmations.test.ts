import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { readConfirm } from '../../../src/blocklist/formats/confirm-answer.js';
import { listen } from '../../support/listen.js';
import type { Answer, Recorded } from '../../support/scripted-server.js';
import {
  confirm,
  confirmationOf,
  confirmPath,
  expectRefused,
  get,
  hashFor,
  key,
  prefixesOf,
  relayed,
  relayOf,
  upstreamOf,
  v2Confirm,
  v2Version,
  versionFrom,
} from './relay-harness.js';

const sizeOf = (request: Recorded): number => prefixesOf(request).length;

test('asks the service only for prefixes that are not cached', async () => {
  const { answers, asked, relay, clock, publish } = await relayed();
  publish({ algoVersion: 4 });
  await versionFrom(relay);
  answers.delete(v2Version);
  clock.nowMs += 61_000;
  await versionFrom(relay);
  await confirm(relay, ['a0000001', 'b0000001']);
  const answer = await confirm(relay, ['a0000001', 'b0000001', 'a0000002', 'A0000002', 'b0000003']);
  expect(await answer.json()).toEqual({
    hashes: { a0000001: [hashFor('a0000001')], b0000001: [], a0000002: [hashFor('a0000002')], b0000003: [] },
  });
  expect(asked(v2Confirm).map(prefixesOf)).toEqual([
    ['a0000001', 'b0000001'],
    ['a0000002', 'b0000003'],
  ]);
  // Another algoVersion is cached separately.
  await confirm(relay, ['a0000001'], 4);
  expect(asked(v2Confirm)).toHaveLength(3);
  clock.nowMs += 60_000;
  await confirm(relay, ['a0000001', 'b0000001']);
  expect(asked(v2Confirm)).toHaveLength(4);
});

test('asks for an empty prefix again after the list has changed', async () => {
  const { answers, relay, clock, publish } = await relayed({ confirmTtlMs: 3_600_000 });
  await versionFrom(relay);
  expect(await (await confirm(relay, ['b0000001'])).json()).toEqual({ hashes: { b0000001: [] } });
  answers.set(v2Confirm, { body: { hashes: { b0000001: [hashFor('b0000001')] } } });
  expect(await (await confirm(relay, ['b0000001'])).json()).toEqual({ hashes: { b0000001: [] } });
  publish({ recent: { token: 'r2' } });
  clock.nowMs += 61_000;
  await versionFrom(relay);
  expect(await (await confirm(relay, ['b0000001'])).json()).toEqual({ hashes: { b0000001: [hashFor('b0000001')] } });
});

test('asks for an empty prefix again after five seconds, because another instance may have a newer list', async () => {
  const { server, answers, asked, publish } = await upstreamOf();
  const [mine, other] = [relayOf(server.origin), relayOf(server.origin)];
  await versionFrom(mine.relay);
  expect(await (await confirm(mine.relay, ['a0000001', 'b0000001'])).json()).toMatchObject({ hashes: { b0000001: [] } });
  publish({ recent: { token: 'r2' } });
  answers.set(v2Confirm, { body: { hashes: { b0000001: [hashFor('b0000001')] } } });
  // A client may get the new list from the other instance and its confirmation from this one.
  await versionFrom(other.relay);
  mine.clock.nowMs += 4_999;
  expect(await (await confirm(mine.relay, ['b0000001'])).json()).toEqual({ hashes: { b0000001: [] } });
  mine.clock.nowMs += 1;
  expect(await (await confirm(mine.relay, ['a0000001', 'b0000001'])).json()).toEqual({
    hashes: { a0000001: [hashFor('a0000001')], b0000001: [hashFor('b0000001')] },
  });
  expect(asked(v2Confirm).map(prefixesOf)).toEqual([['a0000001', 'b0000001'], ['b0000001']]);
});

test('rejects an unknown algoVersion without using the shared rate', async () => {
  const { asked, relay } = await relayed({ upstreamPerMinute: 2 });
  await confirm(relay, ['a0000001']);
  for (const made of ['4', 4, 'other', 3.5, '3 ', '__proto__']) {
    await expectRefused(await confirm(relay, ['a0000001'], made), 400, 'BAD_REQUEST');
  }
  expect((await confirm(relay, ['a0000002'], '3')).status).toBe(200);
  expect(asked(v2Confirm)).toHaveLength(2);
  expect(asked(v2Version)).toHaveLength(1);
});

test('accepts the algoVersion of another instance after refreshing the version', async () => {
  const { asked, relay, clock, publish } = await relayed();
  await versionFrom(relay);
  publish({ algoVersion: 4 });
  clock.nowMs += 9_999;
  await expectRefused(await confirm(relay, ['a0000001'], 4), 400, 'BAD_REQUEST');
  clock.nowMs += 1;
  expect((await confirm(relay, ['a0000001'], 4)).status).toBe(200);
  expect(asked(v2Version)).toHaveLength(2);
});

test('accepts an earlier algoVersion however often the list changes', async () => {
  const { relay, clock, publish } = await relayed();
  await versionFrom(relay);
  for (let at = 0; at < 10; at++) {
    publish({ algoVersion: 4, recent: { token: `r${at}` } });
    clock.nowMs += 61_000;
    await versionFrom(relay);
  }
  expect((await confirm(relay, ['a0000001'], 3)).status).toBe(200);
});

test('joins overlapping questions while they are pending', async () => {
  const { answers, asked, relay } = await relayed();
  answers.set(v2Confirm, (request) => ({ body: confirmationOf(request), delayMs: 100 }));
  const questions = [['a0000001', 'b0000001'], ['a0000001', 'a0000002'], ['b0000001'], ['a0000002', 'a0000001']];
  const found = await Promise.all(questions.map(async (prefixes) => (await confirm(relay, prefixes)).json()));
  questions.forEach((prefixes, at) => {
    const confirmed = readConfirm(
      found[at],
      prefixes.map((prefix) => Number.parseInt(prefix, 16)),
    );
    for (const prefix of prefixes)
      expect(confirmed.get(Number.parseInt(prefix, 16))).toHaveLength(prefix.startsWith('a') ? 1 : 0);
  });
  const sent = asked(v2Confirm).flatMap(prefixesOf);
  expect(sent.sort()).toEqual(['a0000001', 'a0000002', 'b0000001']);
});

test.each([400, 413])('splits a request that the service rejects with %i, and remembers the size', async (status) => {
  const { answers, asked, relay, events } = await relayed();
  answers.set(v2Confirm, (request) =>
    sizeOf(request) > 30 ? { status, body: { message: 'too many', code: 'BAD_REQUEST' } } : { body: confirmationOf(request) },
  );
  const prefixes = Array.from({ length: 100 }, (_, at) => `a00000${String(at).padStart(2, '0')}`);
  const answer = await confirm(relay, prefixes);
  const { hashes } = (await answer.json()) as { hashes: Record<string, string[]> };
  expect(Object.keys(hashes)).toEqual(prefixes);
  expect(Object.values(hashes).every((group) => group.length === 1)).toBe(true);
  expect(asked(v2Confirm).map(sizeOf)).toEqual([100, 50, 25, 25, 25, 25]);
  const others = prefixes.map((prefix) => prefix.replace('a', 'b'));
  await confirm(relay, others);
  expect(asked(v2Confirm).slice(6).map(sizeOf)).toEqual([25, 25, 25, 25]);
  expect(events.filter(({ type }) => type === 'upstream-error')).toEqual([]);
});

test('rejects a question that the service rejects at every size', async () => {
  const { answers, asked, relay, events } = await relayed();
  answers.set(v2Confirm, { status: 400, body: { message: `unknown algoVersion, ${key}`, code: 'BAD_REQUEST' } });
  const prefixes = Array.from({ length: 1_000 }, (_, at) => at.toString(16).padStart(8, '0'));
  const answer = await confirm(relay, prefixes);
  await expectRefused(answer, 400, 'BAD_REQUEST');
  expect(asked(v2Confirm)).toHaveLength(10);
  expect(events.slice(1)).toEqual([{ type: 'upstream-error', route: 'confirm', code: 'BAD_REQUEST', status: 400, pauseMs: 0 }]);
  // A rejected question does not pause other clients.
  answers.delete(v2Confirm);
  expect((await confirm(relay, prefixes)).status).toBe(200);
  expect(asked(v2Confirm)).toHaveLength(11);
});

test('gives up after 32 requests for one question', async () => {
  const { answers, asked, relay } = await relayed();
  answers.set(v2Confirm, (request) => (sizeOf(request) > 1 ? { status: 413 } : { body: confirmationOf(request) }));
  const prefixes = Array.from({ length: 1_000 }, (_, at) => at.toString(16).padStart(8, '0'));
  await expectRefused(await confirm(relay, prefixes), 502, 'BAD_GATEWAY');
  expect(asked(v2Confirm).length).toBeLessThanOrEqual(32);
});

test.each<[string, Answer]>([
  ['an HTML page', { body: '<html></html>', headers: { 'content-type': 'text/html' } }],
  ['an empty object', { body: {} }],
  ['an empty body', { body: '' }],
  ['an error with status 200', { body: { message: 'no', code: 'INTERNAL_SERVER_ERROR' } }],
  ['204', { status: 204 }],
  ['500', { status: 500, body: { message: 'no', code: 'INTERNAL_SERVER_ERROR' } }],
  ['401', { status: 401, body: { message: `no ${key}`, code: 'UNAUTHORIZED' } }],
  ['404', { status: 404, body: { message: 'no', code: 'NOT_FOUND' } }],
  ['429', { status: 429, body: {} }],
  ['a redirect', { status: 302, headers: { location: '/elsewhere' } }],
  ['a truncated body', { fault: 'cut', body: { hashes: {} } }],
  ['too many bytes', { body: { hashes: { a0000001: ['x'.repeat(2 * 1024 * 1024)] } } }],
])('treats %s as an error, never as "not listed"', async (_, bad) => {
  const { answers, relay, clock, events } = await relayed();
  answers.set(v2Confirm, bad);
  // The response must not be partial, even if one of the prefixes could be answered.
  const answer = await confirm(relay, ['a0000001', 'b0000001']);
  expect([502, 503]).toContain(answer.status);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  const envelope = await answer.json();
  expect(envelope).toEqual({ message: expect.any(String), code: expect.stringMatching(/^(BAD_GATEWAY|SERVICE_UNAVAILABLE)$/) });
  expect(() => readConfirm(envelope, [0xa0000001])).toThrow();
  expect(JSON.stringify([envelope, events])).not.toContain(key);
  answers.delete(v2Confirm);
  clock.nowMs += 1_000;
  expect(await (await confirm(relay, ['a0000001', 'b0000001'])).json()).toEqual({
    hashes: { a0000001: [hashFor('a0000001')], b0000001: [] },
  });
});

/** An upstream that answers only about some prefixes if asked about several. */
async function forgetful(isAnswered: (prefix: string, asked: readonly string[]) => boolean) {
  const upstream = await relayed();
  upstream.answers.set(v2Confirm, (request) => {
    const { hashes } = confirmationOf(request) as { hashes: object };
    const asked = prefixesOf(request);
    return { body: { hashes: Object.fromEntries(Object.entries(hashes).filter(([prefix]) => isAnswered(prefix, asked))) } };
  });
  return upstream;
}

test('asks again, alone, for what half an answer leaves out', async () => {
  const { asked, relay } = await forgetful((prefix, all) => prefix === all[0]);
  expect(await (await confirm(relay, ['a0000001', 'a0000002', 'b0000001'])).json()).toEqual({
    hashes: { a0000001: [hashFor('a0000001')], a0000002: [hashFor('a0000002')], b0000001: [] },
  });
  expect(asked(v2Confirm).map(prefixesOf)).toEqual([['a0000001', 'a0000002', 'b0000001'], ['a0000002'], ['b0000001']]);
});

test('answers for a service that leaves out what has no hashes', async () => {
  const { relay } = await forgetful((prefix) => prefix.startsWith('a'));
  expect(await (await confirm(relay, ['a0000001', 'b0000001'])).json()).toEqual({
    hashes: { a0000001: [hashFor('a0000001')], b0000001: [] },
  });
});

test('fails only the questions about prefixes that stay unanswered', async () => {
  const { asked, relay } = await forgetful((prefix) => prefix.startsWith('a'));
  const many = Array.from({ length: 100 }, (_, at) => `b00000${String(at).padStart(2, '0')}`);
  const [good, bad] = await Promise.all([confirm(relay, ['a0000001']), confirm(relay, many)]);
  expect(await good!.json()).toEqual({ hashes: { a0000001: [hashFor('a0000001')] } });
  await expectRefused(bad!, 502, 'BAD_GATEWAY');
  expect(asked(v2Confirm)).toHaveLength(32);
});

test('asks for the prefixes of two hundred concurrent clients in a few requests', async () => {
  const warnings: string[] = [];
  const warn = (warning: Error): unknown => warnings.push(warning.name);
  process.on('warning', warn);
  onTestFinished(() => {
    process.off('warning', warn);
  });
  const { answers, asked, relay } = await relayed();
  answers.set(v2Confirm, (request) => ({ body: confirmationOf(request), delayMs: 200 }));
  const prefixes = Array.from({ length: 200 }, (_, at) => (0xa0000000 + at).toString(16));
  // This calls the handler directly, because the speed of connections depends on the machine.
  const found = await Promise.all(prefixes.map((prefix) => confirm(relay, [prefix])));
  for (const [at, prefix] of prefixes.entries())
    expect([found[at]!.status, await found[at]!.json()]).toEqual([200, { hashes: { [prefix]: [hashFor(prefix)] } }]);
  expect(asked(v2Confirm).length).toBeLessThan(32);
  expect(asked(v2Confirm).flatMap(prefixesOf)).toHaveLength(200);
  expect(warnings).toEqual([]);
});

test('joins questions up to the size of one request', async () => {
  const { asked, relay } = await relayed({ maxPrefixes: 10 });
  await versionFrom(relay);
  const questions = [4, 4, 4, 10, 1].map((count, question) =>
    Array.from({ length: count }, (_, at) => (0xa0000000 + question * 16 + at).toString(16)),
  );
  const found = await Promise.all(questions.map((prefixes) => confirm(relay, prefixes)));
  for (const { status } of found) expect(status).toBe(200);
  const sizes = asked(v2Confirm).map(sizeOf);
  expect(sizes.sort((a, b) => a - b)).toEqual([3, 10, 10]);
});

test.each([
  [400, 400, 'BAD_REQUEST'],
  [404, 502, 'BAD_GATEWAY'],
  [409, 502, 'BAD_GATEWAY'],
  [413, 502, 'BAD_GATEWAY'],
  [422, 400, 'BAD_REQUEST'],
])('a question that the service rejects with %i does not block others', async (refusal, status, code) => {
  const { answers, relay } = await relayed();
  answers.set(v2Confirm, (request) =>
    prefixesOf(request).includes('a0000666') ? { status: refusal, body: {} } : { body: confirmationOf(request) },
  );
  await expectRefused(await confirm(relay, ['a0000666']), status, code);
  expect((await confirm(relay, ['a0000001'])).status).toBe(200);
});

test('completes a shared question after its first client disconnects', async () => {
  const { answers, asked, relay } = await relayed();
  answers.set(v2Confirm, (request) => ({ body: confirmationOf(request), delayMs: 150 }));
  const origin = await listen(relay);
  const body = JSON.stringify({ algoVersion: 3, prefixes: ['a0000001'] });
  const first = new AbortController();
  const gone = fetch(origin + confirmPath, { method: 'POST', body, signal: first.signal }).catch((error: Error) => error.name);
  await sleep(50);
  const second = get(origin, confirmPath, { method: 'POST', body });
  await sleep(20);
  first.abort();
  expect(await gone).toBe('AbortError');
  expect((await second).status).toBe(200);
  expect(asked(v2Confirm)).toHaveLength(1);
});
