import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, onTestFinished, test } from 'vitest';
import { installLines } from '../../../tools/install-lines.js';
import { toolSession, withSession } from '../../../tools/tool-session.js';
import { callEveryTool } from '../../servers/mcp/every-tool.js';
import { malformed } from '../../servers/mcp/malformed-messages.js';
import { builtCli, runProcess, serveHere, shell, startProcess } from './harness.js';
import { environment, run, runJson, temporaryFolder } from './in-process.js';

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

/** An official client of the command in a process of its own. */
async function connect(
  args: readonly string[],
  env: Record<string, string> = {},
  mode: 'auto' | 'legacy' = 'auto',
  [command = '', ...words]: readonly string[] = [process.execPath, builtCli(), 'mcp'],
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const all = { PATH: process.env['PATH'], ...environment(env) } as Record<string, string>;
  await client.connect(new StdioClientTransport({ command, args: [...words, ...args], env: all, stderr: 'ignore' }));
  onTestFinished(() => client.close());
  return client;
}

describe('over standard input and output', () => {
  test.each(['auto', 'legacy'] as const)('a host that negotiates %s checks a link and files a report', async (mode) => {
    const client = await connect(['--local'], {}, mode);
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(69);
    const input = { input: 'https://login.scam-mint.example/', confirm: true };
    expect(await client.callTool({ name: 'local_check', arguments: input })).toMatchObject({
      structuredContent: { status: 'blocked', reason: 'confirmed' },
    });
    expect(
      await client.callTool({ name: 'report_create', arguments: { assets: [{ content: 'https://fresh.example/' }] } }),
    ).toMatchObject({ structuredContent: { id: expect.any(Number) } });
  });

  test.each(['auto', 'legacy'] as const)('a host that negotiates %s calls every tool', async (mode) => {
    await callEveryTool(await connect(['--local'], {}, mode));
  });

  test('the session in docs/tools.md is the one an official client has', async () => {
    const page = readFileSync('docs/tools.md', 'utf8');
    expect(withSession(page, await toolSession(builtCli(), environment() as Record<string, string>))).toBe(page);
  });

  test('the line in docs/tools.md gets the verdict of a blocked link', async () => {
    const [, line = ''] = /^```sh\n(echo .* --local)\n```$/m.exec(readFileSync('docs/tools.md', 'utf8')) ?? [];
    const { code, stdout } = await shell(line.replace('node dist/cli.js', 'portcullis'), temporaryFolder());
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { result: { structuredContent: { status: 'blocked' } } }]);
  });

  test('a host starts it by the command in docs/tools.md, and by the one that its help prints', async () => {
    const { made } = installLines(false).find(({ file }) => file === 'docs/tools.md')!;
    const [, json = ''] = /```json\n(\{\n {2}"mcpServers"[\s\S]*?)```/.exec(made) ?? [];
    const { command, args } = JSON.parse(json).mcpServers.portcullis as { command: string; args: string[] };
    const documented = [command, ...args].join(' ').replace('/path/to/portcullis/dist/cli.js', builtCli());
    const { stdout } = await runProcess(['mcp', '--help']);
    const [, printed = ''] = /^ {2}(.* mcp)$/m.exec(stdout.replaceAll(' \\\n ', '')) ?? [];
    expect(printed).toMatch(/^(?:node \S+|npx -y portcullis@\S+) mcp$/);
    // Only the published package answers to npx.
    for (const line of [documented, printed].filter((each) => each.startsWith('node '))) {
      const client = await connect(['--local'], {}, 'auto', line.split(' '));
      expect((await client.listTools()).tools).toHaveLength(69);
    }
  });

  test('local tools need neither a service nor a key', async () => {
    const file = join(temporaryFolder(), 'mine.txt');
    writeFileSync(file, 'scam-mint.example\n');
    const client = await connect(['--blocklist', file]);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'local_check',
      'local_check_text',
      'local_explain',
      'local_status',
    ]);
    const { structuredContent } = await client.callTool({
      name: 'local_check_text',
      arguments: { text: 'see hxxp://scam-mint[.]example' },
    });
    expect(structuredContent).toMatchObject({ action: 'block' });
  });

  test('nothing but the protocol is printed, and the end of the input ends it', async () => {
    const child = startProcess(['mcp', '--local']);
    child.process.stdin.write(`${JSON.stringify(initialize)}\n`);
    await expect.poll(child.stdout, { timeout: 20_000 }).toContain('\n');
    child.process.stdin.end();
    expect(await child.ended).toBe(0);
    const lines = child.stdout().trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ id: 1, result: { serverInfo: { name: 'portcullis' } } }]);
    expect(child.stderr()).toBe('');
  });
});

/** What the command prints when it gets these lines and then the end of its input. */
async function answersTo(lines: readonly string[], lastEnd = '\n'): Promise<{ id: unknown; error?: object; result?: object }[]> {
  const child = startProcess(['mcp', '--local']);
  child.process.stdin.end(lines.join('\n') + lastEnd);
  expect([await child.ended, child.stderr()]).toEqual([0, '']);
  return child
    .stdout()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('bad days of standard input', () => {
  const tooLong = 'x'.repeat(11 * 1024 * 1024);
  const ping = '{"jsonrpc":"2.0","id":"last","method":"ping"}';

  test.each([
    ['at its start', JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { text: tooLong } }), 7],
    ['at its end', JSON.stringify({ method: 'tools/call', params: { text: tooLong }, jsonrpc: '2.0', id: 'a' }), 'a'],
    ['nowhere', tooLong, null],
    ['in a response', JSON.stringify({ jsonrpc: '2.0', id: 7, result: { text: tooLong } }), null],
  ])('a line that is too long, with its id %s, is answered with an error, and the next one as ever', async (_, line, id) => {
    const answers = await answersTo([JSON.stringify(initialize), line, line, ping]);
    expect(answers).toHaveLength(4);
    for (const answer of answers.filter((one) => 'error' in one)) expect(answer).toMatchObject({ id, error: { code: -32_600 } });
    expect(answers.find((answer) => answer.id === 'last')).toMatchObject({ result: {} });
  });

  test('lines that are no message get the answers that HTTP gives, and the next one is answered as ever', async () => {
    const answers = await answersTo([...malformed.map(([, text]) => text), JSON.stringify(initialize)]);
    expect(answers.slice(0, -1)).toEqual(malformed.map(([, , refusal]) => refusal));
    expect(answers.at(-1)).toMatchObject({ id: 1, result: { serverInfo: { name: 'portcullis' } } });
  });

  test('a last line without its end is answered', async () => {
    expect(await answersTo([JSON.stringify(initialize), ping], '')).toMatchObject([{ id: 1 }, { id: 'last' }]);
  });

  test('calls that are running when the input ends are answered', async () => {
    const call = { method: 'tools/call', params: { name: 'local_check', arguments: { input: 'https://scam-mint.example' } } };
    const answers = await answersTo([initialize, { jsonrpc: '2.0', id: 2, ...call }].map((one) => JSON.stringify(one)));
    expect(answers.map(({ id }) => id)).toEqual([1, 2]);
    expect(answers[1]).toMatchObject({ result: { structuredContent: { status: 'unconfirmed' } } });
  });
});

describe('narrowing', () => {
  const namesOf = async (args: readonly string[], env: Record<string, string> = {}): Promise<string[]> => {
    const { value } = await runJson(['mcp', '--list', '--local', ...args], { env });
    return value.tools.map(({ tool }: { tool: string }) => tool);
  };

  test('takes the flag, then the environment, then all; a blank flag means all', async () => {
    const env = { PORTCULLIS_MCP_TOOLS: 'user_orgs' };
    expect(await namesOf(['--tools', 'local'], env)).toHaveLength(4);
    expect(await namesOf([], env)).toEqual(['user_orgs']);
    expect(await namesOf(['--tools', ''], env)).toHaveLength(69);
    expect(await namesOf(['--tools', 'report_create,user_orgs', '--read-only'])).toEqual(['user_orgs']);
  });

  test('a file without a list ends the command at the start', async () => {
    const empty = join(temporaryFolder(), 'empty.txt');
    writeFileSync(empty, '');
    const lists = [[`${empty}.none`], [empty], ['http://127.0.0.1:9/list.txt', `${empty}.none`]];
    const results = await Promise.all(lists.map((names) => run(['mcp', ...names.flatMap((name) => ['--blocklist', name])])));
    expect(results.map(({ code }) => code)).toEqual([4, 3, 8]);
    expect(results.map(({ stderr }) => stderr)).toEqual([
      expect.stringContaining('file not found'),
      expect.stringContaining('has no usable entries'),
      expect.stringContaining('file not found'),
    ]);
  });

  test('an unknown name is an error that names the nearest', async () => {
    const { code, stderr } = await run(['mcp', '--list', '--local', '--tools', 'user_org']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('did you mean user_orgs?')]);
  });

  test('the list shows what each tool does and how long it is', async () => {
    const { stdout, stderr } = await run(['mcp', '--list', '--local']);
    expect(stdout).toMatch(/asset_unblock +changes +\d{3}/);
    expect(stdout).toMatch(/local_check +reads +\d{3}/);
    expect(stderr).toMatch(/69 tools, 3\d,\d{3} characters in tools\/list/);
  });
});

test('serve --mcp offers the tools over HTTP, each request with its own key', async () => {
  const served = await serveHere(['--port', '0', '--mcp']);
  const url = new URL('/mcp', served.url);
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { 'x-api-key': served.key! } } }));
  onTestFinished(() => client.close());
  expect((await client.listTools()).tools).toHaveLength(69);
  expect(await client.callTool({ name: 'user_me', arguments: {} })).toMatchObject({
    structuredContent: { organizations: expect.any(Array) },
  });
  await callEveryTool(client);
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
  expect((await fetch(url)).status).toBe(405);
  expect(served.output()).toContain('/mcp');
});
