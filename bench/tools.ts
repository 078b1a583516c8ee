import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import {
  compared,
  type Figures,
  type Group,
  type Limits,
  limited,
  type Question,
  type Results,
  type Row,
  type Settings,
  spreadOf,
} from './question.js';

/** What does the tool server cost: its start until a host sees the tools, and each call beside what the tool calls? */
export const tools: Question = { name: 'tools', title: 'The tool server: its start, and its calls', groups, rows };

const bareNode = 'node -e 0';
const startName = 'portcullis mcp --local, from the start of the process to its end after one tools/list';
const localName = 'local_check';
const assetName = 'asset_check';
const input = 'https://login.scam-mint.example/claim';

const budgets: Record<string, Limits> = { [startName]: { [bareNode]: { ratio: 8, limit: '≤ 8 ×' } } };

function groups(settings: Settings): Group[] {
  return [
    {
      name: startName,
      variants: [
        { name: 'portcullis', measure: () => timeStart([join(process.cwd(), 'dist/cli.js'), 'mcp', '--local'], settings) },
        { name: bareNode, measure: () => timeStart(['-e', '0'], settings) },
      ],
    },
    {
      name: localName,
      variants: [
        { name: 'tools.fetch', measure: () => timeCalls(async () => (await serverOf()).call(localName, { input }), settings) },
        { name: 'blocklist.test', measure: () => timeCalls(async () => (await serverOf()).test, settings) },
      ],
    },
    {
      name: assetName,
      variants: [
        {
          name: 'tools.fetch',
          measure: () => timeCalls(async () => (await serverOf()).call(assetName, { content: input }), settings),
        },
        { name: 'client.assets.check', measure: () => timeCalls(async () => (await serverOf()).check, settings) },
      ],
    },
  ];
}

/** What a model can spare of its context. */
const maxListChars = 40_000;

function rows(results: Results, settings: Settings): Row[] {
  const times = groups(settings).flatMap((group) => {
    const unit = group.name === startName ? 'ms' : 'ns';
    return compared(results, group, unit, unit, budgets[group.name]);
  });
  const size = results.spread(startName, 'portcullis', 'listChars');
  return [...times, limited('tools/list with every tool, in characters', '', size, maxListChars, '≤ 40,000')];
}

/** What a host of the older revisions sends before it knows the tools. */
const firstLines = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
].map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

function timeStart(args: string[], { quick, scratch }: Settings): Figures {
  const env = { PATH: process.env['PATH'], HOME: scratch };
  let listed = '';
  const times = Array.from({ length: quick ? 2 : 12 }, () => {
    const startMs = performance.now();
    const { status, stdout } = spawnSync(process.execPath, args, { input: firstLines.join(''), encoding: 'utf8', env });
    const passedMs = performance.now() - startMs;
    if (status !== 0 || (args.includes('mcp') && !stdout.includes('local_check'))) throw new Error('the process failed');
    listed = stdout.trimEnd().split('\n').at(-1) ?? '';
    return passedMs;
  });
  return { ms: spreadOf(times).median, listChars: listed.length };
}

/** Everything in one process, without sockets, so that only the layers are compared. */
async function serverOf() {
  const { createBlocklist } = await import('portcullis');
  const { createClient } = await import('portcullis/client');
  const { createToolServer } = await import('portcullis/mcp');
  const { createService } = await import('portcullis/testing');
  const service = createService();
  const api = {
    baseUrl: 'http://localhost',
    apiKey: service.key,
    fetch: service.fetch,
  };
  const blocklist = createBlocklist({ ...api, pollMs: 0 });
  await blocklist.ready();
  const client = createClient(api);
  const server = createToolServer({ blocklist, clientFor: () => ({ request: client.request }) });
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'x-api-key': service.key };
  const call = (name: string, given: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } });
    return async (): Promise<string> =>
      (await server.fetch(new Request('http://localhost/mcp', { method: 'POST', headers, body }))).text();
  };
  return {
    call,
    test: async () => JSON.stringify(blocklist.test(input)),
    check: async () => JSON.stringify(await client.assets.check({ content: input })),
  };
}

async function timeCalls(make: () => Promise<() => Promise<string>>, { quick }: Settings): Promise<Figures> {
  const ask = await make();
  if (!/unconfirmed|BLOCKED/.test(await ask())) throw new Error('the answer is wrong');
  const calls = quick ? 20 : 2_000;
  for (let at = 0; at < calls / 2; at++) await ask();
  const startMs = performance.now();
  for (let at = 0; at < calls; at++) await ask();
  return { ns: ((performance.now() - startMs) * 1e6) / calls };
}
