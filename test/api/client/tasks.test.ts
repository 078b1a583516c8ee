import { PortcullisError } from 'portcullis';
import {
  createClient,
  createPartialClient,
  healthchecks,
  reportAcceptable,
  runHealthchecks,
  uploadAndReport,
  waitForScan,
} from 'portcullis/client';
import { createService } from 'portcullis/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Answer } from '../../support/scripted-server.js';
import { connect, thrownBy } from './client-harness.js';
import { checked } from './operation-samples.js';

const node = { createClient };

/** An embedded service and a client of it. */
function embedded() {
  const service = createService();
  onTestFinished(() => service.close());
  const options = {
    baseUrl: 'http://localhost',
    apiKey: service.key,
    fetch: service.fetch,
  };
  return { service, options, client: createClient(options) };
}

describe('all health checks', () => {
  test('run with one call, also on a client of their group alone', async () => {
    const { options } = embedded();
    const outcomes = await runHealthchecks(createPartialClient({ healthchecks }, options));
    const ran = outcomes.filter(({ outcome }) => outcome === 'ran');
    expect(ran).toHaveLength(10);
    for (const { id, ...outcome } of ran) expect(outcome).toMatchObject({ result: { id } });
    expect(outcomes.filter(({ outcome }) => outcome !== 'ran')).toMatchObject([{ id: 'example.planned', outcome: 'skipped' }]);
  });

  test('say which were skipped and which failed, and run the others', async () => {
    const checks = [
      { id: 'reviewing.backlog', implemented: true },
      { id: 'takedowns.todo-volume', implemented: true },
      { id: 'assets.dead-asset-spike', implemented: false, notImplementedReason: 'later' },
      { id: 'reviewing.old-proposals', implemented: false },
      { id: 'new.check', implemented: true },
      { id: 'list', implemented: true },
      { id: 'constructor', implemented: true },
    ];
    const { client, server } = await connect(
      node,
      ({ url }): Answer =>
        url.endsWith('/list')
          ? { body: { checks } }
          : url.endsWith('backlog')
            ? { body: checked }
            : { status: 403, body: { message: 'No.', code: 'FORBIDDEN' } },
    );
    const outcomes = await runHealthchecks(client, { slug: 'acme' });
    expect(outcomes.map((outcome) => Object.values(outcome).slice(0, 2))).toEqual(
      ['ran', 'failed', 'skipped', 'skipped', 'skipped', 'skipped', 'skipped'].map((outcome, at) => [checks[at]!.id, outcome]),
    );
    expect(outcomes[1]).toMatchObject({ error: { code: 'FORBIDDEN' } });
    expect(outcomes[2]).toMatchObject({ reason: 'later' });
    expect(server.requests.map(({ body }) => body.toString())).toEqual(['{}', '{"slug":"acme"}', '{"slug":"acme"}']);
  });

  test('throw if the caller aborts', async () => {
    const { client } = await connect(node, [
      { body: { checks: [{ id: 'reviewing.backlog', implemented: true }] } },
      { fault: 'hang' },
    ]);
    const controller = new AbortController();
    const running = thrownBy(() => runHealthchecks(client, {}, { signal: controller.signal }));
    setTimeout(() => controller.abort(), 30);
    expect(await running).toMatchObject({ code: 'ABORTED' });
  });
});

describe('a report of what is accepted', () => {
  test('leaves out what the service refuses', async () => {
    const { client } = embedded();
    const assets = ['https://new.example/', 'https://scam-mint.example/', 'https://new.example/', 'https://other.example/'];
    const { report, refused } = await reportAcceptable(client, {
      title: 'Scams',
      assets: assets.map((content) => ({ content })),
    });
    expect(report?.id).toBeGreaterThan(0);
    expect(refused.map(({ errorType }) => errorType).sort()).toEqual(['ASSET_ALREADY_CORRECT', 'DUPLICATE_ASSETS']);
    const [found] = (await client.reports.list({ limit: 1 })).reports;
    expect(found?.proposals.map(({ asset }) => asset.content).sort()).toEqual(['new.example', 'other.example']);
  });

  test('is none if everything is refused, which sends it once', async () => {
    const { client } = embedded();
    const { report, refused } = await reportAcceptable(client, { assets: [{ content: 'https://scam-mint.example/' }] });
    expect([report, refused.length]).toEqual([null, 1]);
  });

  const refusing = (...names: readonly string[]): Answer => ({
    status: 422,
    body: { message: 'No.', data: { errors: names.map((asset) => ({ asset, errorType: 'INVALID_FORMAT', because: 5 })) } },
  });
  const assets = [{ content: 'https://A.example/' }, { content: '0xAb' }, { content: 'b.example' }];

  test('finds assets that the service names in another form, and keeps its other fields', async () => {
    const { client, server } = await connect(node, [refusing('a.example', 'eip155:1:0xab'), { body: { id: 7 } }]);
    const { report, refused } = await reportAcceptable(client, { assets });
    expect(report).toEqual({ id: 7 });
    expect(refused).toMatchObject([{ because: 5 }, {}]);
    expect(JSON.parse(server.requests[1]!.body.toString())).toEqual({ assets: [{ content: 'b.example' }] });
  });

  test('leaves out an asset by its exact text, if the service repeats that', async () => {
    const pages = [{ content: 'https://a.example/X' }, { content: 'https://a.example/x' }];
    const { client, server } = await connect(node, [refusing('https://a.example/x'), { body: { id: 7 } }]);
    await reportAcceptable(client, { assets: pages });
    expect(JSON.parse(server.requests[1]!.body.toString())).toEqual({ assets: [pages[0]] });
  });

  const duplicates = (...assets: string[]): object => {
    const errors = assets.map((asset) => ({ asset, errorType: 'DUPLICATE_ASSETS' }));
    return { status: 422, body: { message: 'No.', data: { errors } } };
  };

  test('leaves out the later spelling of a duplicate, and no page whose path only looks alike', async () => {
    const given = ['b.example', 'https://B.example/', 'c.example/X', 'c.example/x'].map((content) => ({ content }));
    const { client, server } = await connect(node, [duplicates('b.example', 'c.example/X'), { body: { id: 7 } }]);
    await reportAcceptable(client, { assets: given });
    expect(JSON.parse(server.requests[1]!.body.toString())).toEqual({ assets: [given[0], given[2], given[3]] });
  });

  test.each([
    ['the later one', [duplicates('b.example.')], [0]],
    ['both', [duplicates('b.example', 'b.example.')], [0]],
    ['the later ones of two pairs', [duplicates('b.example.', 'c.example/?b'), duplicates('b.example.')], [0, 2]],
  ] as const)('leaves out a duplicate that only the service recognizes, which names %s', async (_, refusals, left) => {
    const given = ['b.example', 'b.example.', 'c.example/?a', 'c.example/?b'].map((content) => ({ content }));
    const assets = left.length === 1 ? given.slice(0, 2) : given;
    const { client, server } = await connect(node, [...refusals, { body: { id: 7 } }]);
    await reportAcceptable(client, { assets });
    expect(JSON.parse(server.requests.at(-1)!.body.toString())).toEqual({ assets: left.map((at) => given[at]) });
  });

  test('keeps every refusal in its error', async () => {
    const { client } = await connect(
      node,
      [0, 1, 2, 3, 4].map((at) => refusing(`x${at}`)),
    );
    const many = Array.from({ length: 9 }, (__, at) => ({ content: `x${at}` }));
    const error = await thrownBy(() => reportAcceptable(client, { assets: many }));
    expect(error.assets?.map(({ asset }) => asset)).toEqual(['x0', 'x1', 'x2', 'x3', 'x4']);
  });

  test('refuses an invalid input like the operation itself', async () => {
    const { client, server } = await connect(node, [refusing()]);
    for (const input of [null, 5, {}, { assets: 'x' }, { assets: [] }]) {
      const [error, own] = await Promise.all(
        [() => reportAcceptable(client, input as never), () => client.reports.create(input as never)].map(thrownBy),
      );
      expect([error?.name, error?.code, error?.message]).toEqual([own?.name, own?.code, own?.message]);
    }
    expect(server.requests).toHaveLength(0);
  });

  // Each refusal was compared with each asset, which took 5 seconds.
  test('takes as long as its assets are many, whatever is refused', async () => {
    const given = Array.from({ length: 20_000 }, (__, at) => ({ content: `https://a${at}.example/` }));
    const names = [...given.slice(0, 999).map(({ content }) => content.slice(8, -1)), 'https://a5.example/'];
    let round = 0;
    const create = async (input: { readonly assets: readonly unknown[] }): Promise<unknown> => {
      if (++round > 1) return { id: input.assets.length };
      throw new PortcullisError('UNPROCESSABLE_CONTENT', 'No.', {
        assets: names.map((asset) => ({ asset, errorType: 'INVALID_FORMAT', message: '', suggestion: '' })),
      });
    };
    const startMs = performance.now();
    const { report } = await reportAcceptable({ reports: { create } } as never, { assets: given });
    expect(report).toEqual({ id: 19_001 });
    expect(performance.now() - startMs).toBeLessThan(1_500);
  });

  test.each<[string, readonly Answer[], string, number]>([
    ['that names no asset of it', [refusing('c.example')], 'UNPROCESSABLE_CONTENT', 1],
    ['that names none', [refusing()], 'UNPROCESSABLE_CONTENT', 1],
    ['of another kind', [{ status: 403, body: { message: 'No.' } }], 'FORBIDDEN', 1],
    ['after five rounds', [0, 1, 2, 3, 4].map((at) => refusing(`x${at}`)), 'UNPROCESSABLE_CONTENT', 5],
  ])('fails with a refusal %s', async (_, answers, code, count) => {
    const { client, server } = await connect(node, answers);
    const many = [...assets, ...Array.from({ length: 9 }, (__, at) => ({ content: `x${at}` }))];
    expect(await thrownBy(() => reportAcceptable(client, { assets: many }))).toMatchObject({ code });
    expect(server.requests).toHaveLength(count);
  });
});

describe('waiting for a scan', () => {
  const scan = (status: string): Answer => ({ body: { id: 1, status } });

  test.each(['COMPLETED', 'FAILED', 'completed', ' Failed '])('polls until it is %s', async (status) => {
    const ongoing = ['PENDING', 'IN_PROGRESS', 'pending', 'QUEUED', 'RUNNING', 'NEW_STATUS'];
    const { client, server } = await connect(node, [...ongoing, status].map(scan));
    expect(await waitForScan(client, 1, { pollMs: 1 })).toEqual({ id: 1, status });
    expect(server.requests).toHaveLength(ongoing.length + 1);
  });

  // Each of these ended the wait, as if the scan were complete.
  test.each([{}, { id: 1, status: '' }, { id: 1, status: null }, { id: 1, status: 5 }, { scan: { status: 'COMPLETED' } }])(
    'fails for a result without a status: %j',
    async (body) => {
      const { client, server } = await connect(node, [scan('PENDING'), { body }]);
      const error = await thrownBy(() => waitForScan(client, 1, { pollMs: 1 }));
      expect(error).toMatchObject({ code: 'INVALID_RESPONSE', operation: 'scanResult' });
      expect(server.requests).toHaveLength(2);
    },
  );

  test('ends at its deadline, an error or an abort', async () => {
    const { client } = await connect(node, [scan('PENDING')]);
    expect(await thrownBy(() => waitForScan(client, 1, { pollMs: 20, deadlineMs: 30 }))).toMatchObject({ code: 'TIMEOUT' });
    const signal = AbortSignal.timeout(30);
    expect(await thrownBy(() => waitForScan(client, 1, { pollMs: 60_000, signal }))).toMatchObject({ code: 'ABORTED' });
    const failing = await connect(node, [{ body: { error: 'Gone.' } }]);
    expect(await thrownBy(() => waitForScan(failing.client, 1))).toMatchObject({ code: 'INVALID_RESPONSE' });
    expect(await thrownBy(() => waitForScan(client, 1, { pollMs: 0 }))).toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe('a report with files', () => {
  test('has the uploaded files and those that were there', async () => {
    const { client } = embedded();
    const files = [{ file: new Blob(['proof']), fileName: 'a.txt' }];
    const earlier = (await client.attachments.upload({ files })).attachments[0]!.url;
    const { id } = await uploadAndReport(client, { assets: [{ content: 'new.example' }], files, attachmentUrls: [earlier] });
    const [found] = (await client.reports.list({ limit: 1 })).reports;
    expect([found?.id, found?.attachments.length]).toEqual([id, 2]);
  });

  test('is not created if the upload fails', async () => {
    const { client, server } = await connect(node, [{ body: { attachments: [{}] } }]);
    const files = [{ file: new Blob(['proof']), fileName: 'a.txt' }];
    const error = await thrownBy(() => uploadAndReport(client, { assets: [{ content: 'a' }], files }));
    expect(error).toMatchObject({ code: 'INVALID_RESPONSE', operation: 'attachmentUpload' });
    expect(server.requests).toHaveLength(1);
  });

  const files = ['a', 'b'].map((name) => ({ file: new Blob(['proof']), fileName: name }));
  const stored = (...urls: string[]): Answer => ({ body: { attachments: urls.map((url) => ({ url })) } });

  test.each<[string, object, object?]>([
    ['no assets', { assets: [] }],
    ['a short title', { assets: [{ content: 'a' }], title: 'x' }],
    ['an unknown field', { assets: [{ content: 'a' }], titel: 'abc' }],
    ['attachments that are no list', { assets: [{ content: 'a' }], attachmentUrls: 5 }],
    ['a field of the report in extra', { assets: [{ content: 'a' }] }, { extra: { title: 'abc' } }],
    ['an unknown option', { assets: [{ content: 'a' }] }, { apiKey: 'other' }],
    ['no files', { assets: [{ content: 'a' }], files: undefined }],
  ])('uploads nothing for a report with %s', async (_, report, options) => {
    const { client, server } = await connect(node, [stored('https://f/1', 'https://f/2')]);
    const error = await thrownBy(() => uploadAndReport(client, { files, ...report } as never, options));
    expect(error).toMatchObject({ code: 'INVALID_INPUT', operation: expect.stringMatching(/^(reportCreate|attachmentUpload)$/) });
    expect(await thrownBy(() => uploadAndReport(client, null as never))).toBeInstanceOf(TypeError);
    expect(server.requests).toHaveLength(0);
  });

  test.each<[string, readonly Answer[], string, readonly string[]]>([
    ['the service stored fewer files than were sent', [stored('https://f/1')], 'INVALID_RESPONSE', ['https://f/1']],
    ['it stored none', [stored()], 'INVALID_RESPONSE', []],
    [
      'the report fails',
      [stored('https://f/1', 'https://f/2'), { status: 403, body: { message: 'No.' } }],
      'FORBIDDEN',
      ['https://f/1', 'https://f/2'],
    ],
  ])('has the addresses of the uploaded files in its error if %s', async (_, answers, code, attachmentUrls) => {
    const { client, server } = await connect(node, answers);
    const error = await thrownBy(() => uploadAndReport(client, { assets: [{ content: 'a' }], files }));
    expect(error).toMatchObject({ code, attachmentUrls });
    expect(server.requests).toHaveLength(answers.length);
  });

  test('sends extra with the report only', async () => {
    const { client, server } = await connect(node, [stored('https://f/1', 'https://f/2'), { body: { id: 1 } }]);
    await uploadAndReport(client, { assets: [{ content: 'a' }], files }, { extra: { color: 'red' } });
    expect(server.requests[0]!.url).toBe('/attachment/upload');
    expect(JSON.parse(server.requests[1]!.body.toString())).toMatchObject({
      color: 'red',
      attachmentUrls: ['https://f/1', 'https://f/2'],
    });
  });
});
