import {
  createClient,
  createPartialClient,
  reportAcceptable,
  runHealthchecks,
  uploadAndReport,
  waitForScan,
} from 'portcullis/client';
import { healthchecks } from 'portcullis/operations';
import { createService } from 'portcullis/service';
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
    fetch: (url: string, init?: object) => service.fetch(url, init),
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

  test.each(['COMPLETED', 'FAILED', 'NEW_STATUS'])('polls until it is %s', async (status) => {
    const { client, server } = await connect(node, [scan('PENDING'), scan('IN_PROGRESS'), scan(status)]);
    expect(await waitForScan(client, 1, { pollMs: 1 })).toEqual({ id: 1, status });
    expect(server.requests).toHaveLength(3);
  });

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
});
