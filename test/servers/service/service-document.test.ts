import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allOperations, createClient, inputSchemaOf, openApi, operationGroups } from 'portcullis/client';
import { describe, expect, test } from 'vitest';
import { ask, Harness, headersWith, recorder, start } from './harness.js';

/** docs/service-document.md: each statement about the service, and what shows it. */
const page = readFileSync('docs/service-document.md', 'utf8');
const tables = [...page.matchAll(/^\| (.*) \|$/gm)].map(([, cells = '']) => cells.split(' | '));
const files = new Map(
  tables.flatMap(([name = '', file = '']) => (/^`.*`$/.test(file) ? [[name, file.slice(1, -1)] as const] : [])),
);
const statements = tables.flatMap(([number = '', statement = '', source = '', state = '', shown = '']) =>
  /^\d+$/.test(number) ? [{ number: Number(number), statement, source, state, shown }] : [],
);
const summary = tables.filter(([state, count, ...rest]) => rest.length === 1 && /^\d+$/.test(count ?? '') && !/^\d/.test(state!));

describe("the table of the service's document", () => {
  test('numbers its statements, each once', () => {
    expect(statements.length).toBeGreaterThan(217);
    expect(statements.map(({ number }) => number)).toEqual(statements.map((_, at) => at + 1));
    expect(new Set(statements.map(({ statement }) => statement)).size).toBe(statements.length);
    expect(page).toContain(`same ${statements.length} statements`);
  });

  test('counts them by state', () => {
    const counts = summary.map(([state, count]) => [state, Number(count)]);
    expect(counts.map(([state]) => state)).toEqual(['done', 'provisional', 'partly', 'not possible']);
    expect(counts).toEqual(counts.map(([state]) => [state, statements.filter((one) => one.state === state).length]));
    expect(new Set(statements.map(({ source }) => source))).toEqual(new Set(['document', 'public', 'draft', 'none']));
  });

  test('shows each statement that is met by a test or code that exists, and gives a reason for each other', () => {
    for (const [, file] of files) expect([file, existsSync(file)]).toEqual([file, true]);
    for (const { number, state, shown } of statements) {
      const quotes = [...shown.matchAll(/(\w+): "(.*?)"(?=; |$)/g)].filter(([, name = '']) => files.has(name));
      for (const [, name = '', part = ''] of quotes) {
        const isThere = readFileSync(files.get(name)!, 'utf8').includes(part);
        expect([number, name, part, isThere]).toEqual([number, name, part, true]);
      }
      const code = [...shown.matchAll(/`((?:src|apps)\/[\w/.-]+)`/g)].map(([, file = '']) => file);
      for (const file of code) expect([number, file, existsSync(file)]).toEqual([number, file, true]);
      if (state === 'done' || state === 'provisional') expect([number, quotes.length + code.length > 0]).toEqual([number, true]);
      else expect([number, shown.length > 0]).toEqual([number, true]);
    }
  });
});

const source = 'src/servers/service';
const code = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(source, name), 'utf8'))
  .join('');
const neverSends = (...texts: string[]) => expect(texts.filter((text) => code.includes(text))).toEqual([]);

/** What runs says of the gaps: each fails as soon as the reason in its row is no longer true. */
const gaps: Record<number, () => unknown> = {
  3: () => expect(67 - allOperations.length).toBe(2),
  16: async () => {
    const seen: string[] = [];
    const { client } = clientOf({ seen });
    await client.reports.create({ assets: [{ content: 'https://a.example/' }] }, { retry: { maxRetries: 1 } });
    expect(seen.filter((name) => /idempot/i.test(name))).toEqual([]);
    expect(seen).toContain('x-api-key');
  },
  18: async () => {
    const service = start();
    const init = { method: 'POST', headers: headersWith(service.key), body: '{"content":"https://a.example/"}' };
    const { headers } = await service.fetch('http://localhost/asset/details', init);
    expect([headers.get('deprecation'), headers.get('sunset')]).toEqual(['true', null]);
  },
  22: async () => {
    const seen: string[] = [];
    await clientOf({ seen, headers: { authorization: 'Bearer x' } }).client.account.validate();
    expect(seen).toContain('authorization');
  },
  24: () => expect(openApi()['security']).toEqual([{ key: [] }]),
  51: async () => {
    const service = start();
    const check = async () => (await ask(service, '/asset/check', { content: 'https://a.example/' })).status;
    for (let call = 0; call < 30; call++) expect(await check()).toBe(200);
    service.faults.add({ kind: 'rate-limit', on: '/asset/check' });
    const init = { method: 'POST', headers: headersWith(service.key), body: '{"content":"a"}' };
    expect((await service.fetch('http://localhost/asset/check', init)).status).toBe(429);
  },
  67: async () => {
    const { body } = await ask(start(), '/asset/check', { content: 'https://scam-mint.example/' });
    expect((body['sources'] as unknown as { source: string }[]).map(({ source: name }) => name)).toEqual([body['source']]);
  },
  72: () => neverSends('unsupported-type', 'source-error'),
  83: async () => {
    const { body } = await ask(start(), '/asset/search', { content: 'https://scam-mint.example/' });
    expect(body).toMatchObject({ asset: { status: 'BLOCKED' }, blockedBy: [] });
  },
  92: async () => {
    const { post, sent } = recorder();
    const service = start({ post });
    const content = 'https://example-wallet.example/';
    const outputs = await Promise.all(
      [{ content }, { content, slug: 'example-wallet' }].map(async (input) => {
        const { scanId } = (await ask(service, '/asset/scan', input)).body;
        await service.clock.advance(10_000);
        return (await ask(service, '/scan/result', { scanId })).body['output'];
      }),
    );
    expect(outputs[0]).toMatchObject({ labels: [] });
    expect([outputs[1], sent]).toEqual([outputs[0], []]);
  },
  138: () => neverSends('PROCESSING_FAILED'),
  152: async () => {
    const decisions = inputSchemaOf(rowOf('organizationProposalsReview')).properties!['decision']!.enum!;
    expect(decisions.filter((decision) => ['SKIP', 'ESCALATE'].includes(decision))).toEqual([]);
    const { body } = await ask(await reported(), '/organization/reports?limit=20&reviewStatuses=SKIP&reviewStatuses=ESCALATE');
    expect(body['totalCount']).toBe(0);
  },
  155: async () => expect((await reports()).map(({ imageDisplay }) => imageDisplay)).toEqual(['VISIBLE']),
  161: async () => expect((await reports()).map(({ sourceMetadata }) => sourceMetadata)).toEqual([null]),
  180: () => expect(new Harness({ obligatoryAdminApproval: true }).block('https://a.example/').status).toBe('BLOCKED'),
  195: () => expect(Object.keys(operationGroups.disputes)).toEqual(['create']),
  199: () =>
    expect(Object.keys(inputSchemaOf(rowOf('webhookConfig')).properties!)).toEqual(['slug', 'url', 'description', 'events']),
  201: () => neverSends('debug.test'),
  235: () => {
    const h = new Harness();
    const { config } = h.ask('detectionConfigsCreate', { source: 'ASSET_CHECK' });
    h.ask('detectionConfigsDelete', { configId: config!.id });
    expect(h.ask('detectionConfigsList')).toEqual({ sources: [] });
  },
  243: () => neverSends('PENDING_INPUT', 'PENDING_EVIDENCE', 'RETRACTION_SENT', "'RETRACTED'", 'PENDING_RETRACTION'),
  246: () => {
    const h = new Harness();
    h.block('https://a.example/');
    expect(h.ask('takedownsList').takedowns).toMatchObject([{ assignee: null }]);
  },
  294: async () => {
    const response = await start({ oauth: true }).fetch('http://localhost/.well-known/oauth-authorization-server');
    const { grant_types_supported: kinds } = (await response.json()) as { grant_types_supported: string[] };
    expect(kinds).toEqual(['authorization_code', 'refresh_token']);
  },
};

/** Says that something is absent for which the service's documents have no name, so nothing could be looked for. */
const nameless = [172, 173, 178, 258];

describe('a gap in the table', () => {
  test('has a check that its reason is true', () => {
    const numbers = statements.flatMap(({ number, state }) => (['partly', 'not possible'].includes(state) ? [number] : []));
    expect([...Object.keys(gaps).map(Number), ...nameless].sort((a, b) => a - b)).toEqual(numbers);
  });

  test.each(Object.entries(gaps))('is as row %s says', async (_, isSo) => {
    await isSo();
  });
});

const rowOf = (name: string) => allOperations.find((row) => row.name === name)!;

/** A client of a new service, which notes the names of the headers that it sends. */
function clientOf({ seen = [], ...options }: { seen?: string[]; headers?: Record<string, string>; limits?: 'prose' }) {
  const service = start();
  const fetch = (url: string, init?: RequestInit) => {
    seen.push(...new Headers(init?.headers).keys());
    return service.fetch(url, init);
  };
  return { client: createClient({ baseUrl: 'http://localhost', apiKey: service.key, fetch: fetch as never, ...options }) };
}

async function reported() {
  const service = start({ data: 'empty' });
  await ask(service, '/report/create', { assets: [{ content: 'https://a.example/' }] });
  return service;
}

async function reports() {
  const { body } = await ask(await reported(), '/organization/reports?limit=20');
  return body['reports'] as unknown as { imageDisplay: string; sourceMetadata: unknown }[];
}
