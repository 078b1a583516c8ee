import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createBlocklist } from 'portcullis';
import { createClient } from 'portcullis/client';
import { createToolServer, type ToolServer, type ToolServerOptions } from 'portcullis/mcp';
import { createService, type ServedService } from 'portcullis/testing';
import { onTestFinished } from 'vitest';

export const address = 'http://localhost/mcp';

export type Era = 'modern' | 'legacy';
export const eras: readonly Era[] = ['modern', 'legacy'];

export interface Tools {
  readonly service: ServedService;
  readonly server: ToolServer;
  /** The keys for which a client was made, in order. */
  readonly keys: readonly string[];
}

/** A tool server over an embedded service, each request with its own key. */
export function startTools(options: ToolServerOptions = {}): Tools {
  const service = createService();
  const keys: string[] = [];
  const api = { baseUrl: 'http://localhost', fetch: service.fetch };
  const blocklist = createBlocklist({ ...api, apiKey: service.key, pollMs: 0 });
  const server = createToolServer({
    blocklist,
    clientFor: (apiKey) => {
      keys.push(apiKey);
      return createClient({ ...api, apiKey, paths: service.paths, retry: false });
    },
    paths: service.paths,
    ...options,
  });
  onTestFinished(async () => {
    await blocklist.close();
    await service.close();
  });
  return { service, server, keys };
}

/** The official client of one era, which validates every answer. */
export async function connect({ server, service }: Pick<Tools, 'server' | 'service'>, era: Era): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: era === 'modern' ? 'auto' : 'legacy' } },
  );
  const fetch = (url: string | URL, init?: RequestInit): Promise<Response> => server.fetch(new Request(url, init));
  await client.connect(
    new StreamableHTTPClientTransport(new URL(address), { fetch, requestInit: { headers: { 'x-api-key': service.key } } }),
  );
  onTestFinished(() => client.close());
  return client;
}

interface Posted {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly result?: Record<string, unknown>;
    readonly error?: { readonly code: number; readonly message: string };
  } | null;
}

const accept = 'application/json, text/event-stream';

/** Posts a body as it is. */
export async function post(server: ToolServer, body: string, headers: Record<string, string | undefined> = {}): Promise<Posted> {
  const all = { 'content-type': 'application/json', accept, 'x-api-key': 'some-key', ...headers };
  const sent = Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
  const response = await server.fetch(new Request(address, { method: 'POST', body, headers: sent }));
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}

/** A call of one tool by a client of the older revisions. */
export const callOf = (name: string, given: unknown, id = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } });
