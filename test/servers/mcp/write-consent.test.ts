import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { createClient } from 'portcullis/client';
import { createToolServer } from 'portcullis/mcp';
import { createService } from 'portcullis/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Answer } from './every-tool.js';
import { connect, type Era, eras, startTools } from './tools-harness.js';

interface Asked {
  readonly message: string;
}

/** A host over a connection of its own, whose user answers as told; `undefined` for a host that cannot ask. */
async function hostOf(era: Era, answer: object | undefined) {
  const service = createService();
  const client = createClient({ baseUrl: 'http://localhost', apiKey: service.key, fetch: service.fetch, slug: 'example-wallet' });
  const server = createToolServer({ client, confirmWrites: true });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const connection = await server.connect({ transport: far });
  const asked: Asked[] = [];
  const host = new Client(
    { name: 'test', version: '1.0.0' },
    {
      capabilities: answer === undefined ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode: era === 'modern' ? 'auto' : 'legacy' },
    },
  );
  if (answer !== undefined) {
    host.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params as Asked);
      if (answer instanceof Error) throw answer;
      return answer as never;
    });
  }
  await host.connect(near);
  onTestFinished(async () => {
    await host.close();
    await connection.close();
    await client.close();
    await service.close();
  });
  const groups = async (): Promise<string[]> => (await client.organization.assetGroupsList({})).groups.map(({ name }) => name);
  const call = async (name: string, given: Record<string, unknown>): Promise<Answer> =>
    (await host.callTool({ name, arguments: given })) as Answer;
  return { asked, groups, call };
}

const rejected = { isError: true, structuredContent: { code: 'REJECTED' } };

describe.each(eras)('with confirmWrites, the host of the %s era', (era) => {
  test('asks its user before a write, with what it changes and its arguments, and runs it if they agree', async () => {
    const { asked, groups, call } = await hostOf(era, { action: 'accept', content: { confirm: true } });
    expect(await call('organization_asset_groups_create', { name: 'Mints' })).not.toMatchObject({ isError: true });
    expect(asked).toHaveLength(1);
    expect(asked[0]!.message).toMatch(
      /^organization_asset_groups_create\n```json\n\{\s+"name": "Mints"\s+\}\n```\n.*Adds a group/s,
    );
    expect(await groups()).toContain('Mints');
  });

  test('does not ask before a tool that only reads', async () => {
    const { asked, call } = await hostOf(era, { action: 'decline' });
    expect(await call('user_orgs', {})).not.toMatchObject({ isError: true });
    expect(asked).toEqual([]);
  });

  test.each([{ action: 'decline' }, { action: 'cancel' }, { action: 'accept', content: { confirm: false } }])(
    'runs nothing if the user answers %j',
    async (answer) => {
      const { groups, call } = await hostOf(era, answer);
      expect(await call('organization_asset_groups_create', { name: 'Mints' })).toMatchObject(rejected);
      expect(await groups()).not.toContain('Mints');
    },
  );

  test('runs nothing if it cannot ask', async () => {
    const { groups, call } = await hostOf(era, undefined);
    const answer = await call('organization_asset_groups_create', { name: 'Mints' });
    expect(answer).toMatchObject(rejected);
    expect(JSON.stringify(answer)).toContain('this host cannot ask');
    expect(await groups()).not.toContain('Mints');
  });

  test('shows every argument as it is used, and refuses more than a person reads', async () => {
    const { asked, call } = await hostOf(era, { action: 'decline' });
    const assets = Array.from({ length: 900 }, (_, at) => ({ content: `https://host-${at}.example/` }));
    // A list may be written as JSON in a text.
    for (const given of [assets, JSON.stringify(assets)]) {
      const answer = await call('organization_assets_add', { assets: given });
      expect(answer).toMatchObject(rejected);
      expect(JSON.stringify(answer)).toContain('send fewer items at once');
    }
    expect(await call('organization_asset_groups_create', { name: 'x'.repeat(5_000) })).toMatchObject(rejected);
    expect(asked).toEqual([]);
    const two = [{ content: 'https://a.example/', description: 'x'.repeat(600) }, { content: 'https://evil.example/' }];
    await call('organization_assets_add', { assets: JSON.stringify(two) });
    expect(asked[0]!.message).toContain('"content": "https://evil.example/"');
    const files = [
      { fileName: 'a.txt', text: 'y'.repeat(9_000) },
      { fileName: 'secrets.env', text: 'KEY=1' },
    ];
    await call('attachment_upload', { files: JSON.stringify(files) });
    expect(asked[1]!.message).toContain('(9000 characters)');
    expect(asked[1]!.message).toContain('"fileName": "secrets.env"');
  });

  test('shows the organization that the client adds', async () => {
    const { asked, call } = await hostOf(era, { action: 'decline' });
    await call('detection_configs_delete', { configId: 1 });
    expect(asked[0]!.message).toContain('"slug": "example-wallet"');
    await call('detection_configs_delete', { configId: 1, slug: 'another' });
    expect(asked[1]!.message).toContain('"slug": "another"');
  });

  test('shows all of its arguments where questions are shown as Markdown', async () => {
    const { asked, call } = await hostOf(era, { action: 'decline' });
    const contents = ['<!-- a', '```', '[ok](https://b.example)', '~~~', '-->'];
    await call('organization_assets_add', {
      assets: contents.map((description) => ({ content: 'https://a.example/', description })),
    });
    const [, fenced] = /\n```json\n(.*?)\n```\n/s.exec(asked[0]!.message)!;
    expect(JSON.parse(fenced!).assets.map(({ description }: { description: string }) => description)).toEqual(contents);
  });

  test.each([[{ [`${' '.repeat(900)}x`]: 1 }], [{ '   x': 'hidden', '[3 spaces]x': 'fine' }], [{ deep: [{ '\n\n\nx': 1 }] }]])(
    'refuses many spaces in the name of a field: %j',
    async (more) => {
      const { asked, call } = await hostOf(era, { action: 'accept', content: { confirm: true } });
      const answer = await call('webhook_config', { url: 'https://hooks.example/', events: [], ...more });
      expect(answer).toMatchObject(rejected);
      expect(JSON.stringify(answer)).toContain('many spaces in its name');
      expect(asked).toEqual([]);
    },
  );

  test.each([
    ['an unknown action', { action: 'Accept', content: { confirm: true } }],
    ['an error', new Error('x'.repeat(300_000))],
  ])('runs nothing if the host answers with %s, and repeats nothing of it', async (_, reply) => {
    const { groups, call } = await hostOf(era, reply);
    const answer = await call('organization_asset_groups_create', { name: 'Mints' }).catch((error: Error) => error.message);
    expect(JSON.stringify(answer).length).toBeLessThan(2_000 + (era === 'modern' ? 310_000 : 0));
    if (era === 'legacy') expect(answer).toMatchObject(rejected);
    expect(await groups()).not.toContain('Mints');
  });

  test.each([
    ['a bidirectional control', '\u202e', '\\u{202e}'],
    ['variation selectors', '\ufe0f'.repeat(20), '\\u{fe0f}'.repeat(20)],
    ['fillers of Hangul', '\u3164\u115f', '\\u{3164}\\u{115f}'],
    ['a blank of Braille', '\u2800', '\\u{2800}'],
    ['tags', '\u{e0041}\u{e0100}', '\\u{e0041}\\u{e0100}'],
    ['a control of terminals', '\u009b2K\u0085\u007f', '\\u{9b}2K\\u{85}\\u{7f}'],
    ['another space', '\u00a0', '\\u{a0}'],
    ['a stack of marks', '\u0338'.repeat(9), '\u0338'.repeat(6) + '\\u{338}'.repeat(3)],
    ['many spaces', ' '.repeat(600), '[600 spaces]'],
    ['many line ends', '\n'.repeat(600), '[600 spaces]'],
  ])('does not let %s hide what follows', async (_, hidden, shown) => {
    const { asked, call } = await hostOf(era, { action: 'decline' });
    await call('organization_asset_groups_create', { name: `ok.example${hidden}.evil.example` });
    expect(asked[0]!.message).toContain(`"ok.example${shown}.evil.example"`);
  });

  test('over HTTP gets an error that says why', async () => {
    const client = await connect(startTools({ confirmWrites: true }), era);
    const answer = (await client.callTool({ name: 'organization_asset_groups_create', arguments: { name: 'Mints' } })) as Answer;
    expect(answer).toMatchObject(rejected);
    expect(JSON.stringify(answer)).toContain('cannot do over HTTP');
    expect(await client.callTool({ name: 'user_orgs', arguments: {} })).not.toMatchObject({ isError: true });
  });
});

test('an agreement to one call is none to another, and none to a second run', async () => {
  const service = createService();
  const client = createClient({ baseUrl: 'http://localhost', apiKey: service.key, fetch: service.fetch });
  const server = createToolServer({ client, confirmWrites: true });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const connection = await server.connect({ transport: far });
  onTestFinished(async () => {
    await connection.close();
    await client.close();
    await service.close();
  });
  await near.start();
  const call = (name: string, inputResponses?: object): Promise<{ result: { inputRequests?: object } }> =>
    new Promise((resolve) => {
      near.onmessage = (message) => resolve(message as never);
      const meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
      };
      const params = { name: 'organization_asset_groups_create', arguments: { name }, _meta: meta, inputResponses };
      void near.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params } as never);
    });
  const [key] = Object.keys((await call('Mints')).result.inputRequests!);
  const agreed = { [key!]: { action: 'accept', content: { confirm: true } } };
  const other = await call('Swaps', agreed);
  expect(Object.keys(other.result.inputRequests!)).not.toEqual([key]);
  expect((await call('Mints', agreed)).result).toMatchObject({ structuredContent: { name: 'Mints' } });
  expect((await call('Mints', agreed)).result).toHaveProperty('inputRequests');
  const guessed = ['confirm-', key!.slice(0, -1), '__proto__'].map((one) => [
    one,
    { action: 'accept', content: { confirm: true } },
  ]);
  expect((await call('Mints', Object.fromEntries(guessed))).result).toHaveProperty('inputRequests');
});
