import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createBlocklist } from 'portcullis';
import { blocklistMetrics, openMetrics, readiness, webhookReceiver } from 'portcullis/middleware';
import { createRelay } from 'portcullis/relay';
import { textSource } from 'portcullis/sources';
import { createService, type ServedService } from 'portcullis/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../support/listen.js';
import { type ReadMetric, readOpenMetrics } from '../../support/open-metrics-reader.js';

const stateOf = async (handler: ReturnType<typeof readiness>, method = 'GET') => {
  const answer = await handler(new Request('http://any.example/healthz', { method }), {});
  return { status: answer.status, body: method === 'GET' ? await answer.json() : await answer.text() };
};
const read = async (handler: (request: Request, context: object) => Response | Promise<Response>) => {
  const answer = await handler(new Request('http://any.example/metrics'), {});
  expect(answer.headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  const text = await answer.text();
  return { text, metrics: readOpenMetrics(text) };
};
const value = (all: Map<string, ReadMetric>, name: string, labels: Record<string, string> = {}): number | undefined =>
  all.get(name)?.samples.find((sample) => JSON.stringify(sample.labels) === JSON.stringify(labels))?.value;

const mine = (text: string, more = {}) => createBlocklist({ sources: [textSource({ id: 'mine', text })], pollMs: 0, ...more });

function embedded(): { service: ServedService; blocklist: ReturnType<typeof createBlocklist> } {
  const service = createService();
  const blocklist = createBlocklist({ baseUrl: 'http://localhost', apiKey: service.key, fetch: service.fetch, pollMs: 0 });
  onTestFinished(async () => {
    await blocklist.close();
    await service.close();
  });
  return { service, blocklist };
}

describe('readiness', () => {
  test('goes from loading to ready, and says stale, stopping and closed', async () => {
    let nowMs = Date.now();
    let isStopping = false;
    const blocklist = mine('evil.example\n', { now: () => nowMs });
    const handler = readiness(blocklist, { isStopping: () => isStopping });
    expect(await stateOf(handler)).toMatchObject({ status: 503, body: { ready: false, status: 'loading' } });
    await blocklist.ready();
    expect(await stateOf(handler)).toEqual({
      status: 200,
      body: {
        ready: true,
        status: 'ready',
        sources: [{ source: 'mine', status: 'ready', entries: 1, ageSeconds: 0, lastError: null }],
      },
    });
    nowMs += 400 * 86_400_000;
    expect(await stateOf(handler)).toMatchObject({ status: 503, body: { status: 'stale' } });
    nowMs -= 400 * 86_400_000;
    isStopping = true;
    expect(await stateOf(handler)).toMatchObject({ status: 503, body: { ready: false, status: 'stopping' } });
    await blocklist.close();
    expect(await stateOf(handler)).toMatchObject({ status: 503, body: { status: 'closed' } });
  });

  test('is no-list if no round succeeds, with the code of the error and nothing else of it', async () => {
    const broken = textSource({ id: 'mine', read: () => Promise.reject(new Error('https://user:pass@secret.example')) });
    const blocklist = createBlocklist({ sources: [broken], pollMs: 0 });
    onTestFinished(() => blocklist.close());
    await blocklist.ready();
    const { status, body } = await stateOf(readiness(blocklist));
    expect([status, body]).toMatchObject([503, { status: 'no-list', sources: [{ entries: 0, ageSeconds: null }] }]);
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  test('one list that is missing makes all of it not ready', async () => {
    const broken = textSource({ id: 'other', read: () => Promise.reject(new Error('gone')) });
    const blocklist = createBlocklist({ sources: [textSource({ id: 'mine', text: 'evil.example\n' }), broken], pollMs: 0 });
    onTestFinished(() => blocklist.close());
    await blocklist.ready();
    const { status, body } = await stateOf(readiness(blocklist));
    expect([status, body]).toMatchObject([503, { status: 'no-list', sources: [{ status: 'ready' }, { status: 'no-list' }] }]);
  });

  test('allows GET and HEAD only', async () => {
    const blocklist = mine('evil.example\n');
    onTestFinished(() => blocklist.close());
    expect(await stateOf(readiness(blocklist), 'HEAD')).toEqual({ status: 503, body: '' });
    const answer = await readiness(blocklist)(new Request('http://a.example', { method: 'POST' }), {});
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(() => readiness({} as never)).toThrow(TypeError);
  });

  test('throws for a request of Node, which toNodeHandler was to read', () => {
    const blocklist = mine('evil.example\n');
    onTestFinished(() => blocklist.close());
    const ofNode = { method: 'GET', url: '/', headers: {} } as never;
    const handlers = [readiness(blocklist), blocklistMetrics(blocklist), webhookReceiver(blocklist, { secrets: 'the-secret' })];
    for (const handler of handlers) expect(() => handler(ofNode, {})).toThrow('with toNodeHandler()');
  });
});

describe('metrics', () => {
  test('count checks by verdict and describe each list, without a word of what was checked', async () => {
    const blocklist = mine('evil.example\n');
    onTestFinished(() => blocklist.close());
    const handler = blocklistMetrics(blocklist);
    expect(value((await read(handler)).metrics, 'portcullis_list_loaded', { source: 'mine' })).toBe(0);
    expect((await read(handler)).metrics.get('portcullis_list_age_seconds')?.samples).toEqual([]);
    await blocklist.ready();
    await blocklist.check('https://evil.example/secret-path');
    await blocklist.checkMany(['https://good.example', 'https://good.example/2']);
    blocklist.test('no link at all');
    await blocklist.block('https://own.example');
    // A second endpoint for the same list must not count twice.
    blocklistMetrics(blocklist);
    await blocklist.check('https://own.example');
    const { text, metrics: all } = await read(handler);
    const checks = (verdict: string): number | undefined => value(all, 'portcullis_checks', { verdict });
    expect([checks('blocked'), checks('clear'), checks('unknown'), checks('unconfirmed')]).toEqual([2, 2, 1, 0]);
    expect(value(all, 'portcullis_list_entries', { source: 'mine' })).toBe(1);
    expect(value(all, 'portcullis_overrides')).toBe(1);
    expect(value(all, 'portcullis_process_memory_bytes')).toBeGreaterThan(1e6);
    expect(text).not.toMatch(/evil|good|own\.example|secret|no link/);
  });

  test('are named in the guide', async () => {
    const blocklist = mine('evil.example\n');
    onTestFinished(() => blocklist.close());
    const { metrics: all } = await read(blocklistMetrics(blocklist));
    const page = readFileSync('docs/node-service.md', 'utf8');
    for (const [name, { type }] of all)
      expect(page).toMatch(new RegExp(`\`${name.replace('portcullis_', '')}${type === 'counter' ? '_total' : ''}[{\`]`));
  });

  test('count confirmations, failed rounds and the open breaker', async () => {
    const { service, blocklist } = embedded();
    const handler = blocklistMetrics(blocklist);
    await blocklist.ready();
    await blocklist.check('https://scam-mint.example/');
    const source = blocklist.status().sources[0]!.source;
    const before = (await read(handler)).metrics;
    expect(value(before, 'portcullis_confirmations', { source, outcome: 'answered' })).toBe(1);
    expect(value(before, 'portcullis_confirmed_prefixes', { source })).toBeGreaterThanOrEqual(1);
    expect(value(before, 'portcullis_confirm_paused', { source })).toBe(0);
    service.faults.add({ kind: 'status', status: 500, times: 100 });
    await blocklist.sync();
    await blocklist.check('https://login.fake-support.example/');
    const after = (await read(handler)).metrics;
    expect(value(after, 'portcullis_sync_failed_rounds', { source })).toBe(1);
    expect(value(after, 'portcullis_sync_consecutive_failures', { source })).toBe(1);
  });

  test('escape labels and help as the format demands', async () => {
    const help = 'a "quoted" \\ text\nof two lines';
    const { metrics: all } = await read(() =>
      openMetrics([
        {
          name: 'a',
          type: 'gauge',
          help,
          samples: [
            [{ source: 'x\\"\n,}={' }, 0.5],
            [{}, Number.NaN],
          ],
        },
      ]),
    );
    expect(all.get('a')).toMatchObject({
      help,
      samples: [{ labels: { source: 'x\\"\n,}={' }, value: 0.5 }, { value: Number.NaN }],
    });
  });

  test.each([0, -1.5, 1e21, 1e-7, Number.MAX_VALUE, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN])(
    'write the number %d as the format demands',
    async (number) => {
      const { metrics: all } = await read(() => openMetrics([{ name: 'a', type: 'gauge', help: 'a', samples: [[{}, number]] }]));
      expect(value(all, 'a')).toBe(number);
    },
  );

  test('keep the same series however many inputs were checked', async () => {
    const blocklist = mine('evil.example\n');
    onTestFinished(() => blocklist.close());
    await blocklist.ready();
    const handler = blocklistMetrics(blocklist);
    const seriesOf = (all: Map<string, ReadMetric>): number =>
      [...all.values()].reduce((sum, { samples }) => sum + samples.length, 0);
    const before = seriesOf((await read(handler)).metrics);
    await blocklist.checkMany(Array.from({ length: 2_000 }, (_, at) => `https://host-${at}.example/`));
    expect(seriesOf((await read(handler)).metrics)).toBe(before);
  });
});

test.each([
  ['no end', '# TYPE a gauge\na 1\n'],
  ['a counter without _total', '# TYPE a counter\na 1\n# EOF\n'],
  ['an unescaped quote', '# TYPE a gauge\na{b="c"d"} 1\n# EOF\n'],
  ['a repeated series', '# TYPE a gauge\na 1\na 2\n# EOF\n'],
  ['a name without its unit', '# TYPE a gauge\n# UNIT a seconds\na 1\n# EOF\n'],
  ['an interleaved family', '# TYPE a gauge\na 1\n# TYPE b gauge\nb 1\n# HELP a x\n# EOF\n'],
  ['a value that is no number', '# TYPE a gauge\na Infinity\n# EOF\n'],
])('the reader of the tests rejects: %s', (_, text) => expect(() => readOpenMetrics(text)).toThrow());

describe('a relay', () => {
  test('answers /healthz and /metrics below any path, without the key and without a rate', async () => {
    const service = createService();
    const relay = createRelay({
      baseUrl: 'http://localhost',
      apiKey: service.key,
      publicUrl: 'https://relay.example/list',
      fetch: service.fetch,
      clientPerMinute: 1,
      sharedPerMinute: 1,
    });
    onTestFinished(async () => {
      await relay.close();
      await service.close();
    });
    const origin = await listen(relay);
    for (let at = 0; at < 3; at++) {
      const health = await fetch(`${origin}/list/healthz`);
      expect([health.status, await health.json()]).toMatchObject([200, { ready: true, status: 'ready' }]);
    }
    await fetch(`${origin}/list/asset/blocklist/version`);
    await fetch(`${origin}/list/asset/blocklist/version`);
    await fetch(`${origin}/list/${'a'.repeat(100)}`);
    const { text, metrics: all } = await read(() => fetch(`${origin}/metrics`));
    const responses = (route: string, status: string) => value(all, 'portcullis_relay_responses', { route, status });
    expect([responses('version', '200'), responses('version', '429'), responses('other', '404')]).toEqual([1, 1, 1]);
    expect(text).not.toContain(service.key);
    expect(text).not.toContain('aaaa');
    expect((await fetch(`${origin}/healthz`, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(`${origin}/healthz`, { method: 'POST' })).status).toBe(405);
    for (const path of ['/healthz?x=1', '/list/healthz/', '/metrics?name[]=a#b'])
      expect([path, (await fetch(origin + path)).status]).toEqual([path, 200]);
    for (const path of ['/healthz/x', '/healthzx', '/healthz%2f', '//healthz', '/a//metrics'])
      expect([path, (await fetch(origin + path)).status]).toEqual([path, 404]);
  });

  test('is not ready while the service is down, and counts its failures', async () => {
    const fetchDown = async (): Promise<Response> => new Response('{}', { status: 500 });
    const relay = createRelay({
      baseUrl: 'https://a.example',
      apiKey: 'k',
      publicUrl: 'https://relay.example',
      fetch: fetchDown,
    });
    onTestFinished(() => relay.close());
    const health = await relay.fetch(new Request('https://relay.example/healthz'));
    expect([health.status, await health.json()]).toEqual([503, { ready: false, status: 'no-list' }]);
    const { metrics: all } = await read((request) => relay.fetch(new Request(request.url)));
    expect(value(all, 'portcullis_relay_upstream_failures', { route: 'version' })).toBe(1);
  });
});

describe('a webhook receiver', () => {
  const secrets = 'the-secret';
  const body = JSON.stringify({
    type: 'asset.status-updated',
    created_at: '2026-03-01T12:00:00Z',
    data: { asset_id: 7, type: 'URL', content: 'https://fresh-scam.example/', status: 'BLOCKED' },
  });
  const signed = (text: string) => ({
    'x-service-signature': `sha256=${createHmac('sha256', secrets).update(text).digest('hex')}`,
  });
  const deliver = (origin: string, text = body, headers: Record<string, string> = signed(text)) =>
    fetch(origin, { method: 'POST', body: text, headers });

  test('blocks at once, syncs, and answers a repeated delivery without doing it again', async () => {
    const { blocklist } = embedded();
    await blocklist.ready();
    const events: string[] = [];
    const handler = webhookReceiver(blocklist, { secrets, onEvent: ({ type }) => void events.push(type) });
    const origin = await listen({ fetch: async (request, context) => handler(request, context) });
    expect(blocklist.test('https://fresh-scam.example/').status).toBe('clear');
    expect([(await deliver(origin)).status, (await deliver(origin)).status]).toEqual([204, 204]);
    expect(events).toEqual(['asset.status-updated']);
    expect(blocklist.test('https://fresh-scam.example/').status).toBe('unconfirmed');
  });

  test('rejects what is not signed, changed, no event, too large or no POST', async () => {
    const { blocklist } = embedded();
    const handler = webhookReceiver(blocklist, { secrets });
    const origin = await listen({ fetch: async (request, context) => handler(request, context) });
    const large = JSON.stringify({ type: 'debug.test', pad: 'x'.repeat(1_100_000) });
    const answers = [
      await deliver(origin, body, {}),
      await deliver(origin, `${body} `, signed(body)),
      await deliver(origin, '[]'),
      await deliver(origin, large),
      await fetch(origin),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 400, 413, 405]);
    expect(await answers[1]!.json()).toEqual({ message: 'the signature was not accepted', code: 'SIGNATURE_INVALID' });
  });

  test('answers 500 if the event could not be handled, and takes the next delivery', async () => {
    const { blocklist } = embedded();
    await blocklist.ready();
    let tries = 0;
    const handler = webhookReceiver(blocklist, {
      secrets,
      onEvent() {
        if (++tries === 1) throw new Error('the database is down');
      },
    });
    const origin = await listen({ fetch: async (request, context) => handler(request, context) });
    expect([(await deliver(origin)).status, (await deliver(origin)).status, tries]).toEqual([500, 204, 2]);
  });

  test.each([
    {},
    { secrets: undefined },
    { secrets: '' },
    { secrets: [] },
    { secrets: ['a', ''] },
    { secrets: ' a' },
    { secrets: 5 },
    { secrets, header: 'a b' },
    { secrets, header: 5 },
    { secrets, scheme: 'other' },
    { secrets, scheme: 'standard' },
    { secrets, toleranceMs: -1 },
    undefined,
  ])('rejects the options %j before the first delivery', (options) => {
    const { blocklist } = embedded();
    expect(() => webhookReceiver(blocklist, options as never)).toThrow(/secret|header|scheme|toleranceMs|options/);
    expect(() => webhookReceiver({} as never, { secrets })).toThrow(TypeError);
  });

  test('a body that was read before is a 500 and not a wrong signature', async () => {
    const { blocklist } = embedded();
    const handler = webhookReceiver(blocklist, { secrets });
    const request = new Request('http://a.example', { method: 'POST', body, headers: signed(body) });
    await request.text();
    expect((await handler(request, {})).status).toBe(500);
  });
});
